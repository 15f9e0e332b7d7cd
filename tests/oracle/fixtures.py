#!/usr/bin/env python3
"""Asks NVIDIA's assembler about the fixtures and the hand-written kernels, and records which lines it refuses.

usage: PTXAS=/path/to/ptxas [PTXAS_OLD=/path/to/an/older/ptxas] fixtures.py > fixtures.txt
lines: PATH REVISION OK|ERR|FATAL LINE,LINE…      (FATAL: a syntax error, at which the assembler stops; REVISION `-` where there are none)
"""
import os, re, subprocess, sys, tempfile

PTXAS, OLD = os.environ.get("PTXAS", "ptxas"), os.environ.get("PTXAS_OLD")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE = re.compile(r"ptxas \S+, line (\d+); (\w+)\s*: (.*)")


def revisions(text):
    """Name and text of each revision, as tests/src/annotations.rs makes them."""
    m = re.search(r"^\s*//@ revisions:(.*)$", text, re.M)
    if not m:
        return [("-", text)]
    out = []
    for name in m[1].split():
        target, _, version = name.partition("@")
        t = re.sub(r"^(\s*)\.target\s+[^\s,]+", rf"\1.target {target}", text, flags=re.M)
        out.append((name, re.sub(r"^(\s*)\.version\s+\S+", rf"\1.version {version}", t, flags=re.M) if version else t))
    return out


def ask(text):
    target = re.search(r"^\s*\.target\s+(?:sm|compute)_(\w+)", text, re.M)
    number = int(re.match(r"\d+", target[1])[0]) if target else 90
    # What even the older assembler generates no code for, the newer one still checks.
    ptxas, arch = (OLD, f"sm_{target[1]}") if 50 <= number < 75 and OLD else (PTXAS, f"compute_{target[1] if number >= 75 and target else 75}")
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        open(name, "w").write(text)
        run = subprocess.run([ptxas, "-arch=" + arch, name, "-o", os.devnull], capture_output=True, text=True)
    lines, verdict = set(), "ERR" if run.returncode else "OK"
    for line in (run.stderr + run.stdout).splitlines():
        if (m := LINE.match(line)) and m[2] in ("error", "fatal"):
            lines.add(int(m[1]))
            verdict = "FATAL" if m[2] == "fatal" else verdict
    return verdict, sorted(lines)


def main():
    print("# What ptxas says of each fixture and kernel. Made by tests/oracle/fixtures.py.")
    for folder in ("fixtures", "kernels"):
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(n for n in names if n.endswith(".ptx")):
                path = os.path.join(base, name)
                for revision, text in revisions(open(path).read()):
                    verdict, lines = ask(text)
                    print(os.path.relpath(path, ROOT), revision, verdict, ",".join(map(str, lines)) or "-")


main()
