#!/usr/bin/env python3
"""Records the verdicts of NVIDIA's assembler on the conformance suite, and lists those that differ from ours.

usage: PTXAS=/path/to/ptxas tests/oracle/record.py [FAMILY… | mixed | --list]      (ptxas of CUDA 13; everything without arguments)

- verdicts/FAMILY.txt.gz   `# ptxas 13.5.37`, then `OK|ERR VERSION TARGET STATEMENT`: all that the tables call legal (after `# legal`), then negative
                           cases (`# near`)
- verdicts/mixed.txt.gz    a sample of all families at older versions and targets
- floors/FAMILY.txt        for each representative statement the versions that accept it, by target (floors.py)
- known-disagreements.txt  statements with a different verdict of ours (first word), each with a reason; reasons.txt has the reasons, by regular expression

`--list` does not run the assembler: it only rewrites the list of disagreements, which is necessary after a change of reasons.txt.
The test `recorded_verdicts_and_floors_are_ours` replays all of it without the assembler.
"""
import gzip, os, re, subprocess, sys, zlib
from ask import assembler
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TOOL = os.path.join(ROOT, "target", "release", "examples", "snippets")
PAIRS = "9.5 sm_103f,9.1 sm_90a,8.7 sm_120,8.1 sm_89,7.0 sm_80,6.4 sm_75,6.0 sm_70,4.3 sm_53,3.1 sm_35".split(",")


def tool(*arguments, text=""):
    run = subprocess.run([TOOL, *arguments], input=text, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return run.stdout.splitlines()


def ask(lines):
    """Returns the assembler's verdicts, using two processes."""
    halves = [lines[: len(lines) // 2], lines[len(lines) // 2 :]]

    def one(part):
        run = subprocess.run([sys.executable, os.path.join(HERE, "ask.py")], input="".join(l + "\n" for l in part), capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(run.stderr)
        return [line.split("\t")[0] for line in run.stdout.splitlines()]

    with ThreadPoolExecutor() as pool:
        return [verdict for part in pool.map(one, halves) for verdict in part]


def write(name, lines):
    lines = [f"# {assembler()}", *lines]
    path = os.path.join(HERE, "verdicts", name + ".txt.gz")
    # Without a time stamp, equal verdicts give equal files.
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as f:
        f.write("".join(l + "\n" for l in lines).encode())


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as f:
        return f.read().splitlines()


def family(name, targets):
    cases = tool("cases", name)
    middle = cases.index("# near")
    legal, near = cases[1:middle], cases[middle + 1 :]
    theirs = ask(legal + near)
    write(name, ["# legal", *theirs[: len(legal)], "# near", *theirs[len(legal) :]])
    statements = tool("representatives", name)
    run = subprocess.run([sys.executable, os.path.join(HERE, "floors.py"), targets], input="".join(s + "\n" for s in statements), capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    with open(os.path.join(HERE, "floors", name + ".txt"), "w") as f:
        f.write(f"# {assembler()}. Floors measured by tests/oracle/floors.py: signatures (target:lowest version..highest), then signature and statement.\n" + run.stdout)
    print(f"{name}: {len(legal)} legal, {len(near)} near misses, {len(statements)} floors", flush=True)


def mixed():
    everything = [l.split(" ", 2)[2] for l in tool("cases") if not l.startswith("#")]
    lines = [
        f"{pair} {text}"
        for text in everything
        for share, pair in enumerate(PAIRS)
        if zlib.crc32(text.encode()) % 97 == share
    ]
    write("mixed", ask(sorted(set(lines))))
    print(f"mixed: {len(lines)} statements")


def disagreements():
    reasons = [l.split("\t", 1) for l in read(os.path.join(HERE, "reasons.txt")) if l and not l.startswith("#")]
    out, lacking = [], 0
    def add(line):
        nonlocal lacking
        reason = next((r for p, r in reasons if re.search(p, line)), None)
        if reason is None:
            lacking += 1
            print("no reason:", line)
        out.append(f"{line}\t{reason or '?'}")
    for name in sorted(f"{folder}/{name}" for folder in ("variants", "verdicts") for name in os.listdir(os.path.join(HERE, folder))):
        theirs = [l for l in read(os.path.join(HERE, name)) if not l.startswith("#")]
        ours = tool("judge", text="".join(l.split(" ", 1)[1] + "\n" for l in theirs))
        for mine, other in zip(ours, theirs):
            if (mine := mine.split("\t")[0]) != other:
                add(mine)
    for name in sorted(os.listdir(os.path.join(HERE, "floors"))):
        for line in tool("floors", text="\n".join(read(os.path.join(HERE, "floors", name)))):
            add(line)
    with open(os.path.join(HERE, "known-disagreements.txt"), "w") as f:
        f.write("# Where we and the assembler disagree, our verdict first; a tab; why. The test fails when one of these begins to agree.\n")
        f.write("".join(l + "\n" for l in sorted(set(out))))
    print(f"{len(set(out))} disagreements, {lacking} without a reason")


def main():
    if "PTXAS" not in os.environ and "--list" not in sys.argv:
        raise SystemExit("set PTXAS to the assembler")
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "ptx-tests", "--example", "snippets"], cwd=ROOT, check=True)
    targets = os.path.join(ROOT, "target", "targets.txt")
    with open(targets, "w") as f:
        f.write("\n".join(tool("targets")) + "\n")
    for folder in ("verdicts", "floors"):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    wanted = [a for a in sys.argv[1:] if a != "--list"]
    if "--list" not in sys.argv:
        for name in wanted or [*tool("families"), "mixed"]:
            mixed() if name == "mixed" else family(name, targets)
    disagreements()


if __name__ == "__main__":
    main()
