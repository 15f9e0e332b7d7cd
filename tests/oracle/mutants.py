#!/usr/bin/env python3
"""Real files with one token deleted, doubled, replaced or swapped: what NVIDIA's assembler says of them, and what we say.

usage: PTXAS=/path/to/ptxas mutants.py SEED COUNT FILE_OR_FOLDER...        needs `cargo build --release`
Prints the numbers, every mutant that we refuse although it assembles, and what the assembler says of those that we miss.
"""
import collections, glob, json, os, random, re, subprocess, sys, tempfile

PTXAS = os.environ.get("PTXAS", "ptxas")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[%$\w]+|\.[\w:]+|\s+|.', re.S)
MESSAGE = re.compile(r"ptxas \S+, line (\d+); (error|fatal)\s*: (.*)")
LARGEST = 20_000  # bytes: the assembler is asked about each mutant by itself


def mutate(text):
    """One mutation, and what it was."""
    tokens = TOKEN.findall(text)
    places = [i for i, t in enumerate(tokens) if not t.isspace() and t[:2] not in ("//", "/*")]
    place = random.choice(places[8:])
    old = tokens[place]
    kind = random.choice(("delete", "double", "replace", "replace", "swap"))
    if kind == "delete":
        tokens[place] = ""
    elif kind == "double":
        tokens[place] = old + " " + old
    elif kind == "swap":
        other = random.choice(places)
        tokens[place], tokens[other] = tokens[other], old
    else:
        like = lambda t: (t[0] == "%", t[0] == ".", t[0].isalnum()) == (old[0] == "%", old[0] == ".", old[0].isalnum())
        tokens[place] = random.choice(sorted({tokens[i] for i in places if tokens[i] != old and like(tokens[i])}) or [""])
    return "".join(tokens), f"{kind} {old!r}"


def assembler(path):
    """The messages with lines; None is acceptance."""
    target = re.search(r"^\s*\.target\s+sm_(\w+)", open(path).read(), re.M)
    number = int(re.match(r"\d+", target[1])[0]) if target else 90
    arch = "compute_" + (target[1] if target and number >= 75 else "75")
    run = subprocess.run([PTXAS, "-arch=" + arch, path, "-o", os.devnull], capture_output=True, text=True, errors="replace")
    return [m.groups() for m in map(MESSAGE.match, (run.stderr + run.stdout).splitlines()) if m] if run.returncode else None


def main():
    seed, count, *paths = sys.argv[1:]
    random.seed(int(seed))
    files = [f for p in paths for f in (sorted(glob.glob(p + "/**/*.ptx", recursive=True)) if os.path.isdir(p) else [p])]
    files = [f for f in files if os.path.getsize(f) <= LARGEST]
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for i in range(int(count)):
            source = random.choice(files)
            text, what = mutate(open(source, errors="replace").read())
            path = os.path.join(folder, f"{i:05}.ptx")
            open(path, "w").write(text)
            made[path] = f"{os.path.basename(source)}: {what}"
        run = subprocess.run([ROOT + "/target/release/ptx-analyzer", "check", "--format", "json", folder], capture_output=True, text=True)
        ours = collections.defaultdict(list)
        for found in map(json.loads, run.stdout.splitlines()):
            if found["severity"] == "error":
                ours[os.path.join(folder, os.path.basename(found["file"]))].append(found)
        theirs = {path: assembler(path) for path in made}
    legal = [p for p in made if theirs[p] is None]
    false = [p for p in legal if ours[p]]
    missed = [p for p in made if theirs[p] is not None and not ours[p]]
    print(f"{len(made)} mutants, {len(legal)} of them assemble; {len(false)} false errors, {len(missed)} missed")
    for path in false:
        print(f"FALSE {made[path]}: [{ours[path][0]['code']}] {ours[path][0]['message']}")
    for message, times in collections.Counter((theirs[p] or [("", "", "?")])[0][2][:90] if theirs[p] else "?" for p in missed).most_common():
        print(f"missed {times} × {message}")


main()
