#!/usr/bin/env python3
"""Records the verdicts of NVIDIA's assembler on mutants: files that it accepts, with one line changed (mutate.py).

usage: PTXAS=/path/to/ptxas mutants.py own [--seed N] [--count N]               mutants of tests/kernels, tests/fixtures and tests/oracle/gallery
       PTXAS=/path/to/ptxas mutants.py corpus FOLDER [--seed N] [--count N]     mutants of a folder of real files, which are not part of the repository
       mutants.py reasons < NAMES > known-mutants.txt      the disagreements (cargo run -p ptx-tests --example mutants -- --names) with reasons
       … --messages FILE     also writes the assembler's messages, into a file that must not be in the repository

Writes tests/oracle/mutants/own.txt.gz or corpus.txt.gz; their format is described in README.md.
"""
import argparse, collections, gzip, os, random, re, subprocess, sys, tempfile, zlib
import mutate

PTXAS = os.environ.get("PTXAS", "ptxas")
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
MESSAGE = re.compile(r"ptxas (?:\S+, line (\d+); )?(error|fatal)\s*: (.*)")
MAX_SIZE = 100_000  # bytes: larger files are split into functions
CUTS = 6  # number of functions per large file


def arch(text, fallback="compute_90"):
    """Returns the virtual architecture to check for. ptxas of CUDA 13 checks older targets too, if it is asked for one
    that it still supports."""
    target = re.search(r"^\s*\.target\s+(?:sm|compute)_(\d+)([af]?)", text, re.M)
    if not target:
        return fallback
    return "compute_75" if int(target[1]) < 75 else f"compute_{target[1]}{target[2]}".replace("101", "110")


class Assembler:
    def __init__(self, folder):
        self.path = os.path.join(folder, "mutant.ptx")
        run = subprocess.run([PTXAS, "--version"], capture_output=True, text=True)
        self.version = re.search(r"release (\S+),", run.stdout)[1]

    def ask(self, text, architecture):
        """Returns (accepted, lines, fatal, messages), or None if the assembler does not support the target or fails
        altogether."""
        with open(self.path, "w", newline="", encoding="latin-1") as f:
            f.write(text)
        try:
            run = subprocess.run([PTXAS, "-arch=" + architecture, self.path, "-o", os.devnull], capture_output=True, text=True, errors="replace", timeout=60)
        except subprocess.TimeoutExpired:
            return None
        if run.returncode < 0 or run.returncode > 255:
            return None
        found = [m.groups() for m in map(MESSAGE.match, (run.stderr + run.stdout).splitlines()) if m and "aborted due to" not in m[3]]
        if any("is not defined for option 'gpu-name'" in line for _, _, line in found):
            return None
        lines = sorted({int(line) for line, _, _ in found if line})
        return run.returncode == 0, lines, any(kind == "fatal" and line for line, kind, _ in found), [f"{line}: {words}" for line, _, words in found]


def items(text):
    """Returns the ranges of function and kernel bodies, each with the start of its header: (header, open, close,
    is_kernel)."""
    out, depth, header, start = [], 0, None, None
    for m in re.finditer(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|\.(?:entry|func)\b|[{};]', text, re.S):
        token = m[0]
        if depth == 0 and token in (".entry", ".func"):
            header = (m.start(), token == ".entry")
        elif token == "{":
            if depth == 0 and header:
                start = m.start()
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0 and start is not None:
                out.append((text.rfind("\n", 0, header[0]) + 1, start, m.end(), header[1]))
                header = start = None
        elif token == ";" and depth == 0 and start is None:
            header = None
    return out


def cut(text, kept):
    """Returns the ranges to remove so that only one function keeps its body: kernels are removed completely, functions
    keep their signatures."""
    return [(a if kernel else b, c, kernel) for i, (a, b, c, kernel) in enumerate(items(text)) if i != kept]


def without(text, ranges):
    """Removes ranges, but keeps their line ends, and puts a semicolon in place of a function's body."""
    out, at = [], 0
    for start, end, kernel in ranges:
        out += [text[at:start], "" if kernel else ";", "\n" * text.count("\n", start, end)]
        at = end
    return "".join(out) + text[at:]


def bases(files, assembler, rng):
    """Yields (path, checksum, removed ranges, text) for each text that the assembler accepts unchanged."""
    for name, path in files:
        text = open(path, newline="", encoding="latin-1").read()
        digest = f"{zlib.crc32(text.encode('latin-1')):08x}"
        if len(text) <= MAX_SIZE:
            candidates = [[]]
        else:
            functions = items(text)
            small = [i for i, (a, _, c, _) in enumerate(functions) if c - a < MAX_SIZE]
            candidates = [cut(text, i) for i in rng.sample(small, min(CUTS, len(small)))]
        for ranges in candidates:
            rest = without(text, ranges)
            said = assembler.ask(rest, arch(rest)) if len(rest) < 2 * MAX_SIZE else None
            if said and said[0]:
                yield name, digest, ranges, rest
            elif ranges or len(files) > 200:
                print(f"{name}: left out, {said and said[3][:1]}", file=sys.stderr)


def index(all_bases):
    """Returns, for each role of a line, its keys with the positions of such lines."""
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    for b, (_, _, _, text, lines) in enumerate(all_bases):
        weight = 1 if len(text) < 20_000 else 0.3
        for line in lines:
            if not line.tokens:
                continue
            out[line.role][line.key].append((b, line, weight))
            if line.role == "instruction" and line.match[4] == "call":
                out["call-line"]["call"].append((b, line, weight))
    return out


def made(all_bases, count, rng):
    """Returns distinct mutants: (base, line, kind, new text)."""
    places, seen, out = index(all_bases), set(), []
    makers = [mutate.Maker(rng, lines) for _, _, _, _, lines in all_bases]
    kinds, weights = list(mutate.KINDS), [w for w, _ in mutate.KINDS.values()]
    # Rare lines are the least considered ones, so the weight of a key grows slowly with the number of its lines.
    keys = {role: (list(by), [len(v) ** 0.3 for v in by.values()]) for role, by in places.items()}
    for _ in range(count * 40):
        if len(out) >= count:
            break
        kind = rng.choices(kinds, weights)[0]
        roles = [r for r in mutate.KINDS[kind][1] if r in keys]
        if not roles:
            continue
        role = rng.choices(roles, [(3 if r == "instruction" else 1) for r in roles])[0]
        found = places[role][rng.choices(*keys[role])[0]]
        b, line, _ = rng.choices(found, [w for _, _, w in found])[0]
        new = makers[b].make(kind, line)
        if new is not None and (b, line.number, new) not in seen:
            seen.add((b, line.number, new))
            out.append((b, line, kind, new))
    return sorted(out, key=lambda m: (m[0], m[1].number, m[2], m[3]))


def difference(old, new):
    """Returns (column, number of deleted characters, inserted text)."""
    start = len(os.path.commonprefix([old, new]))
    end = len(os.path.commonprefix([old[start:][::-1], new[start:][::-1]]))
    return start, len(old) - end - start, new[start:len(new) - end]


def record(files, options, name):
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        assembler = Assembler(folder)
        all_bases = [b + (mutate.lines_of(b[3]),) for b in bases(files, assembler, rng)]
        mutants = made(all_bases, options.count, rng)
        print(f"{len(all_bases)} bases, {len(mutants)} mutants", file=sys.stderr)
        out = [f"# Mutants and what ptxas {assembler.version} says of them. Made by tests/oracle/mutants.py; the format is in README.md."]
        messages, last, asked = [], None, 0
        for b, line, kind, new in mutants:
            path, digest, ranges, text, lines = all_bases[b]
            if b != last:
                last = b
                out.append(f"@ {path} {digest} " + ",".join(f"{a}-{c}{'' if kernel else ';'}" for a, c, kernel in ranges))
                whole = text.split("\n")
            mutant = "\n".join(whole[:line.number] + [new] + whole[line.number + 1:])
            said = assembler.ask(mutant, arch(mutant, arch(text)))
            asked += 1
            if asked % 1000 == 0:
                print(asked, file=sys.stderr)
            if said is None:
                continue
            accepted, where, fatal, words = said
            several = f"#{len(words)}" if len(words) > max(1, len(where)) else ""
            verdict = "ok" if accepted else ("f" if fatal else "e") + ",".join(map(str, where)) + several
            column, gone, come = difference(whole[line.number], new)
            out.append(f"{line.number + 1} {column} {gone} {kind} {verdict}\t{come}")
            messages.append(f"{path}\t{line.number + 1}\t{kind}\t{verdict}\t{new.strip()}\t{' | '.join(words)}")
    os.makedirs(os.path.join(HERE, "mutants"), exist_ok=True)
    with gzip.GzipFile(os.path.join(HERE, "mutants", name + ".txt.gz"), "wb", mtime=0) as f:
        f.write(("\n".join(out) + "\n").encode("latin-1"))
    if options.messages:
        open(options.messages, "w").write("\n".join(messages) + "\n")


def found(folder, inside):
    paths = [os.path.join(base, n) for base, _, names in os.walk(os.path.join(folder, inside)) for n in names if n.endswith(".ptx")]
    return sorted((os.path.relpath(p, folder), p) for p in paths)


def reasons():
    """Prints the names of disagreements with their reasons; `?` if there is none."""
    known = [line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, "mutant-reasons.txt")) if line.strip() and line[0] != "#"]
    print("# Mutants on which we and the assembler disagree, our verdict first; a tab; why. The test fails when one of these begins to agree.")
    for name in sorted({line.rstrip("\n") for line in sys.stdin if line.strip()}):
        print(name + "\t" + next((why for pattern, why in known if re.search(pattern, name)), "?"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("own", "corpus", "reasons"))
    parser.add_argument("folder", nargs="?", help="the corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int)
    parser.add_argument("--messages")
    options = parser.parse_args()
    if options.what == "reasons":
        return reasons()
    if options.what == "own":
        options.count = options.count or 5000
        record([f for inside in ("kernels", "fixtures", "oracle/gallery") for f in found(TESTS, inside)], options, "own")
    else:
        options.count = options.count or 12000
        record(found(options.folder, ""), options, "corpus")


if __name__ == "__main__":
    main()
