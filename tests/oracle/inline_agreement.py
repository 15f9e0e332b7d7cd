#!/usr/bin/env python3
"""Compares verdicts on PTX in other people's C++ and Python: NVIDIA's assembler's, and those of `ptx-analyzer check --inline`.

usage: PTXAS=/path/to/ptxas inline_agreement.py [--server PATH] [--targets T,...] [--verdicts FILE] [--limit N] [--list] FOLDER...
  --server    the program to ask (target/release/ptx-analyzer by default)
  --targets   single targets (sm_75,sm_80,sm_90a,sm_100a,sm_103a,sm_120a by default)
  --verdicts  where the assembler's verdicts are kept for the next run (~/.cache/ptx-inline-verdicts.json by default)
  --limit     prints at most N disagreements (40 by default)
  --list      prints also where the assembler refuses a statement on all targets

For each unique statement (`check --inline-list`) and each target, prints how often both agree, then the disagreements. Exits with
1 if the assembler takes a statement that we refuse. The texts stay where they are: nothing of them belongs in this repository.

Early errors hide later ones and a syntax error ends the assembler's run, so refused statements are taken out and the others
asked again. Each text that conditions inside of a statement leave is a statement of its own here: an error belongs to it if the
text contains the place and, where the error names a branch, that branch. Where the value of an "n" operand is unknown, the statement is accepted if one of some likely values makes it so.
"""
import argparse, bisect, collections, concurrent.futures as cf, hashlib, json, os, re, subprocess, sys, tempfile

PTXAS = os.environ.get("PTXAS", "ptxas")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TARGETS = ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]
VALUES = [1, 0, 16, 32, 8, 64, 128, 240, 4, 2]  # for an operand "n" whose value is not known
BATCH = 200  # statements in one run of the assembler
MESSAGE = re.compile(r"ptxas (\S+), line (\d+); (\w+)\s*: (.*)")
SYNTAX = re.compile(r"Parsing error|syntax error|Fatal error")
NUMBERED = re.compile(r"sm_(\d+)")
BRANCH = "only with this branch"  # what our errors say of a branch that leads to them


def candidates(item):
    """Returns lists of values to try for the constants of unknown value: all of one value, or one 0 among 1s, such as for the
    selector of a sparse matrix beside scales."""
    unknown = sum(value is None for _, value in item["constants"])
    if not unknown:
        return [[]]
    return [[value] * unknown for value in VALUES] + [[int(k != zero) for k in range(unknown)] for zero in range(unknown) if unknown > 1]


def wrap(item, values):
    """Returns the kernel (without its name) that holds a statement: registers by constraint, "n" operands by value."""
    text, left = item["ptx"], iter(values)
    for name, known in item["constants"]:
        text = re.sub(re.escape(name) + r"(?![\w$])", str(next(left) if known is None else known), text)
    registers = " ".join(f".reg .{kind} {name};" for name, kind in item["registers"])
    return f"{registers}\n{text}\nret;\n}}\n"


def version_of(target):
    return "9.5" if int(NUMBERED.match(target)[1]) >= 75 else "8.8"


def run(kernels, target):
    """Returns (accepted, {index: message}, index of a fatal error or None) for kernels that stand in one module."""
    text, starts = f".version {version_of(target)}\n.target {target}\n.address_size 64\n", []
    for k, kernel in enumerate(kernels):
        starts.append(text.count("\n") + 1 if not starts else starts[-1] + height)
        body = f".visible .entry k{k}() {{\n{kernel}"
        height = body.count("\n")
        text += body
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ptx")
        with open(path, "w", newline="") as f:
            f.write(text)
        done = subprocess.run([PTXAS, "-arch=" + target.replace("sm_", "compute_"), path, "-o", os.devnull], capture_output=True, text=True, errors="replace")
    here, fatal = {}, None
    for line in (done.stderr + done.stdout).splitlines():
        m = MESSAGE.match(line)
        if m and m[1] == path and m[3] in ("error", "fatal"):
            k = bisect.bisect_right(starts, int(m[2])) - 1
            if k >= 0:
                here.setdefault(k, m[4])
                fatal = k if m[3] == "fatal" else fatal
    return done.returncode == 0, here, fatal


def ask(kernels, target):
    """Returns the message of the assembler for each kernel, None where it accepts it."""
    out, work = [None] * len(kernels), [list(range(k, min(k + BATCH, len(kernels)))) for k in range(0, len(kernels), BATCH)]
    while work:
        live = work.pop()
        accepted, here, fatal = run([kernels[i] for i in live], target)
        if accepted:
            continue
        if len(live) == 1:
            out[live[0]] = here.get(0, "ptxas failed")
            continue
        wrong = [fatal] if fatal is not None else list(here)
        # A brace that stays open puts the error into a later kernel: such a batch is split, until the kernel is alone.
        open_before = fatal is not None and any(kernels[i].count("{") + 1 != kernels[i].count("}") for i in live[: fatal + 1])
        if not wrong or open_before:
            half = len(live) // 2
            work += [live[:half], live[half:]]
            continue
        for k in wrong:
            out[live[k]] = here[k]
        gone = set(wrong)
        left = [i for k, i in enumerate(live) if k not in gone]
        size = len(left) if len(gone) * 50 > len(live) or len(left) <= 32 else max(32, len(left) // 8)
        work += [left[i:i + size] for i in range(0, len(left), size or 1)]
    return out


class Verdicts:
    """The assembler's verdicts, remembered in a file by the hash of the kernel and target."""

    def __init__(self, path):
        self.path = path
        version = subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = re.search(r"V(\d\S*)", version)[1]
        self.known = {}
        if os.path.exists(path):
            kept = json.load(open(path))
            self.known = kept["verdicts"] if kept.get("ptxas") == self.version else {}

    def save(self):
        with open(self.path + ".new", "w") as f:
            json.dump({"ptxas": self.version, "verdicts": self.known}, f)
        os.replace(self.path + ".new", self.path)

    def of(self, kernels, target):
        keys = [hashlib.sha256(f"{target}\n{k}".encode(errors="replace")).hexdigest()[:24] for k in kernels]
        new = {key: kernel for key, kernel in zip(keys, kernels) if key not in self.known}
        chunks = [list(new)[i:i + BATCH] for i in range(0, len(new), BATCH)]
        with cf.ThreadPoolExecutor(2) as pool:
            for chunk, messages in zip(chunks, pool.map(lambda c: ask([new[key] for key in c], target), chunks)):
                self.known.update(zip(chunk, messages))
        return [self.known[key] for key in keys]

    def of_items(self, items, target):
        """Returns the messages for statements; None where one value of their unknown constants is accepted."""
        tries = [candidates(item) for item in items]
        out = self.of([wrap(item, values[0]) for item, values in zip(items, tries)], target)
        for number in range(1, max(map(len, tries))):
            again = [k for k, values in enumerate(tries) if out[k] and number < len(values)]
            for k, message in zip(again, self.of([wrap(items[k], tries[k][number]) for k in again], target)):
                out[k] = message and out[k]
        return out


def server_json(server, arguments):
    """Runs our program and returns its output. It exits with 1 where it finds errors."""
    done = subprocess.run([server, "check", *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{server} check {' '.join(arguments[:4])}: {done.stderr.strip()[:400]}")
    return done.stdout


def items_of(server, folders):
    """Returns the unique statements, each with all places where it stands: (file, line, column, end_line, end_column)."""
    unique, skipped, sites = {}, 0, 0
    for line in server_json(server, ["--inline-list", *folders]).splitlines():
        item = json.loads(line)
        if item.get("foreign") or not item["ptx"].strip():
            continue
        sites += 1
        if item["opaque"]:
            skipped += 1
            continue
        key = json.dumps([item["ptx"], item["registers"], item["constants"]])
        place = (item["file"], item["line"], item["column"], item["end_line"], item["end_column"])
        unique.setdefault(key, {**item, "places": []})["places"].append(place)
    return list(unique.values()), sites, skipped


def errors_of(server, folders, target):
    """Returns our errors for one target: {file: sorted [(line, column, code, message)]}."""
    out = collections.defaultdict(list)
    for line in server_json(server, ["--inline", "--inline-target", target, "--format", "json", *folders]).splitlines():
        d = json.loads(line)
        if d["severity"] == "error":
            branches = [r["line"] for r in d.get("related", ()) if r["message"] == BRANCH]
            out[d["file"]].append((d["line"], d["column"], d["code"], d["message"], branches))
    return {file: sorted(found) for file, found in out.items()}


def ours(item, errors):
    """Our first error within a statement's first place, or None."""
    file, line, column, end_line, end_column = item["places"][0]
    variant = item.get("variant", {"branches": [], "without": []})
    for found in errors.get(file, ()):
        if not (line, column) <= found[:2] <= (end_line, end_column):
            continue
        elsewhere = any((a, b) <= found[:2] < (c, d) for a, b, c, d in variant["without"])
        if not elsewhere and all(branch in variant["branches"] for branch in found[4]):
            return found
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folders", nargs="+", metavar="FOLDER")
    p.add_argument("--server", default=os.path.join(ROOT, "target/release/ptx-analyzer"))
    p.add_argument("--targets", default=",".join(TARGETS))
    p.add_argument("--verdicts", default=os.path.expanduser("~/.cache/ptx-inline-verdicts.json"))
    p.add_argument("--limit", type=int, default=40)
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    targets = a.targets.split(",")
    items, sites, skipped = items_of(a.server, a.folders)
    print(f"{sites} statements, {skipped} with holes, {len(items)} unique ones compared")
    if not items:
        return 2
    verdicts = Verdicts(a.verdicts)
    pairs, false, missed, refused = 0, [], [], collections.Counter()
    for target in targets:
        theirs = verdicts.of_items(items, target)
        verdicts.save()
        errors = errors_of(a.server, a.folders, target)
        counts = collections.Counter()
        for item, message in zip(items, theirs):
            found = ours(item, errors)
            pairs += 1
            refused[id(item)] += message is not None
            if message is None and found:
                # A host rule (asm-...) has nothing to do with the PTX, which alone the assembler has seen.
                if found[2].startswith("asm-"):
                    counts["host rules"] += 1
                else:
                    false.append((target, item, found, message))
                    counts["false"] += 1
            elif message and not found:
                missed.append((target, item, found, message))
                counts["missed"] += 1
        accepted = sum(m is None for m in theirs)
        print(f"{target}: the assembler accepts {accepted} of {len(items)}; false errors {counts['false']}, missed errors {counts['missed']}, host rules {counts['host rules']}")
    print(f"{pairs} pairs, agreement {100 * (1 - (len(false) + len(missed)) / pairs):.3f} %; accepted on no target: {sum(refused[id(i)] == len(targets) for i in items)}")
    for title, rows in (("false error", false), ("missed error", missed)):
        for target, item, found, message in rows[: a.limit]:
            file, line = item["places"][0][:2]
            said = f"[{found[2]}] {found[3]} (line {found[0]})" if found else f"ptxas: {message}"
            print(f"{title}: {target} {file}:{line} {said}")
        if len(rows) > a.limit:
            print(f"... and {len(rows) - a.limit} more")
    if a.list:
        for item in items:
            if refused[id(item)] == len(targets):
                print("refused on all: {}:{}".format(*item["places"][0]))
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
