#!/usr/bin/env python3
"""Asks NVIDIA's assembler about the mistakes in mistakes.txt and about the fixes that ptx-analyzer offers for them.

usage: PTXAS=/path/to/ptxas messages.py > mistakes-answers.txt
Then make the page: UPDATE=1 cargo test -p ptx-tests --test it messages
"""
import json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTXAS", "ptxas")
MESSAGE = re.compile(r"ptxas \S+, line (\d+); (?:error|fatal)\s*: (.*)")


def ask(module, folder):
    """The messages of the assembler; an empty list if it accepts the module."""
    path = os.path.join(folder, "a.ptx")
    with open(path, "w") as file:
        file.write(module)
    target = re.search(r"^\.target (\w+)", module, re.M)
    # The assembler no longer makes code for old targets, but still checks their modules for a newer one.
    arch = target[1] if target and target[1][-1] in "af" else "compute_90" if not target or int(target[1][3:]) <= 90 else target[1]
    run = subprocess.run([PTXAS, "-arch=" + arch, path, "-o", os.devnull], capture_output=True, text=True)
    found = [m[2].strip() for m in map(MESSAGE.match, (run.stderr + run.stdout).splitlines()) if m]
    found = [words.replace(path, "a.ptx") for words in found if "aborted due to" not in words]
    if run.returncode and not found:
        found = [(run.stderr + run.stdout).strip().splitlines()[0].replace(path, "a.ptx")]
    return found if run.returncode else []


def main():
    version = subprocess.run([PTXAS, "--version"], capture_output=True, text=True).stdout
    print("# Answers of NVIDIA's assembler to mistakes.txt and to our fixes; made by messages.py with", re.search(r"V([\d.]+)", version)[1])
    command = ["cargo", "run", "--quiet", "-p", "ptx-tests", "--example", "mistakes", "--", "--json"]
    listed = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        for mistake in map(json.loads, listed.splitlines()):
            print(f"\n## {mistake['title']}")
            for words in ask(mistake["module"], folder):
                print("says", words)
            for fix in mistake["fixes"]:
                left = ask(fix["module"], folder)
                print("refuses" if left else "accepts", fix["lines"])
                if left:
                    print(f"{mistake['title']}: {fix['lines']}: {left[0]}", file=sys.stderr)


main()
