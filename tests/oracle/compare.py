#!/usr/bin/env python3
"""Compares us with NVIDIA's assembler on the conformance suite of some instructions, without recording anything.

usage: PTXAS=/path/to/ptxas tests/oracle/compare.py [--floors] NAME…      NAME: an entry (cp.async), an opcode or a family

The program reads data files at start, so after the first build a change in server/isa/data needs no other. Prints rates, then
disagreements grouped by message: FALSE = only we reject the statement, MISSED = only the assembler rejects it. With --floors, also
compares versions and targets.
"""
import collections, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
LIVE = os.path.join(ROOT, "target", "live")
TOOL = os.path.join(LIVE, "release", "examples", "snippets")
DATA = os.environ.get("PTX_ISA_DATA", os.path.join(ROOT, "server", "isa", "data"))


def run(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=dict(os.environ, PTX_ISA_DATA=DATA))
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.splitlines()


def join(lines):
    return "".join(line + "\n" for line in lines)


def cases(names):
    parts, part = {}, None
    for line in run([TOOL, "cases", *names]):
        if line.startswith("# "):
            part = parts.setdefault(line[2:], [])
        else:
            part.append(line)
    for title, lines in parts.items():
        ours = run([TOOL, "judge"], join(lines))
        theirs = run([sys.executable, os.path.join(HERE, "ask.py")], join(lines))
        groups, counts = collections.defaultdict(list), collections.Counter()
        for mine, other, line in zip(ours, theirs, lines):
            if mine.split(" ", 1)[0] == other.split(" ", 1)[0]:
                continue
            kind = "FALSE" if mine.startswith("ERR") else "MISSED"
            counts[kind] += 1
            message = (mine if kind == "FALSE" else other).split("\t", 1)[-1]
            groups[kind, line.split(" ")[2].split(".")[0], message[:90]].append(line)
        taken = sum(t.startswith("OK") for t in theirs)
        same = 100 * (1 - sum(counts.values()) / max(1, len(lines)))
        print(f"{title}: {len(lines)} cases, {taken} accepted; {counts['FALSE']} FALSE, {counts['MISSED']} MISSED; agreement {same:.3f} %")
        for (kind, _, message), found in sorted(groups.items(), key=lambda g: -len(g[1]))[:60]:
            print(f"{kind} × {len(found)}: {message}")
            print(join("    " + line for line in found[:3]), end="")


def floors(names):
    statements = run([TOOL, "representatives", *names])
    targets = os.path.join(LIVE, "targets.txt")
    with open(targets, "w") as f:
        f.write(join(run([TOOL, "targets"])))
    measured = run([sys.executable, os.path.join(HERE, "floors.py"), targets], join(statements))
    differing = collections.defaultdict(list)
    for line in run([TOOL, "floors"], join(measured)):
        verdict, version, target, statement = line.split(" ", 3)
        differing[statement].append(f"{verdict} {target}:{version}")
    print(f"floors: {len(statements)} statements, {len(differing)} differ (our verdict, target, version)")
    for statement, where in list(differing.items())[:80]:
        print("   ", statement, " ## ", " ".join(where)[:300])


def main():
    names = [a for a in sys.argv[1:] if a != "--floors"]
    if "PTXAS" not in os.environ or not names:
        raise SystemExit(__doc__)
    build = "cargo build --release --quiet -p ptx-tests --example snippets --features ptx-isa/live --target-dir"
    subprocess.run([*build.split(), LIVE], cwd=ROOT, check=True)
    cases(names)
    if "--floors" in sys.argv:
        floors(names)


if __name__ == "__main__":
    main()
