#!/usr/bin/env python3
"""Records the lines of the fixtures and the hand-written kernels that NVIDIA's assembler rejects.

usage: PTXAS=/path/to/ptxas fixtures.py > fixtures.txt
lines: PATH REVISION OK|ERR|FATAL LINE,LINE…      (FATAL: a syntax error, at which the assembler stops; REVISION is `-` if there are none)

In a file with `//@ line by line`, the script empties a line at which the assembler stops and repeats the run, until no line is left.
"""
import os, re, subprocess, sys, tempfile
from ask import assembler

PTXAS = os.environ.get("PTXAS", "ptxas")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE = re.compile(r"ptxas \S+, line (\d+); (\w+)\s*: (.*)")


def revisions(text):
    """Returns name and text of each revision, as in tests/src/annotations.rs."""
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
    # The highest architecture in the text: the assembler rejects any that is higher than the requested one.
    lines = "\n".join(line.split("//")[0] for line in text.split("\n") if line.strip().startswith(".target"))
    targets = re.findall(r"\b(?:sm|compute)_(\d+\w*)", lines) or ["90"]
    target = max(targets, key=lambda name: int(re.match(r"\d+", name)[0]))
    arch = f"compute_{target if int(re.match(r'[0-9]+', target)[0]) >= 75 else 75}"
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        open(name, "w").write(text)
        run = subprocess.run([PTXAS, "-arch=" + arch, name, "-o", os.devnull], capture_output=True, text=True)
    lines, verdict = set(), "ERR" if run.returncode else "OK"
    for line in (run.stderr + run.stdout).splitlines():
        if (m := LINE.match(line)) and m[2] in ("error", "fatal"):
            lines.add(int(m[1]))
            verdict = "FATAL" if m[2] == "fatal" else verdict
    # Some errors crash the assembler before it has read the rest.
    return "FATAL" if run.returncode < 0 and lines else verdict, sorted(lines)


def ask_on(text):
    """Like above, but empties a line at which the assembler stops and repeats the run for the rest."""
    all_lines = set()
    while True:
        verdict, lines = ask(text)
        all_lines |= set(lines)
        if verdict != "FATAL":
            return ("ERR" if all_lines else verdict), sorted(all_lines)
        rows = text.split("\n")
        rows[max(lines) - 1] = ""
        text = "\n".join(rows)


def main():
    print(f"# What {assembler()} says of each fixture and kernel. Made by tests/oracle/fixtures.py.")
    for folder in ("fixtures", "kernels"):
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(n for n in names if n.endswith(".ptx")):
                path = os.path.join(base, name)
                for revision, text in revisions(open(path).read()):
                    verdict, lines = (ask_on if "//@ line by line" in text else ask)(text)
                    print(os.path.relpath(path, ROOT), revision, verdict, ",".join(map(str, lines)) or "-")


if __name__ == "__main__":
    main()
