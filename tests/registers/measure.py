#!/usr/bin/env python3
"""Measures with ptxas the registers of all kernels in a folder, for calibrate.py.

usage: PTXAS=path/to/ptxas measure.py FOLDER [TARGET,TARGET…] >> measured.jsonl
  Each file is assembled for its own target and, unless that is an `a` or `f` target, for the newer ones in the list.
  One line each: [file, target, {kernel: [registers, bytes of spill stores]}]; none for a file that ptxas rejects.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
SPILLS = re.compile(r"(\d+) bytes spill stores")
REGISTERS = re.compile(r"Used (\d+) registers")


def measure(ptxas, path, target):
    with tempfile.TemporaryDirectory() as folder:
        command = [ptxas, "-arch", target, "-v", str(path), "-o", os.path.join(folder, "out")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        return None
    kernels, kernel, function, spills = {}, None, None, {}
    for line in (done.stderr + done.stdout).splitlines():
        if found := ENTRY.search(line):
            kernel = found[1]
        elif found := PROPERTIES.search(line):
            function = found[1]
        elif found := SPILLS.search(line):
            spills[function] = int(found[1])
        elif (found := REGISTERS.search(line)) and kernel:
            kernels[kernel] = [int(found[1]), spills.get(kernel, 0)]
    return kernels


def main():
    ptxas = os.environ.get("PTXAS") or sys.exit("say in PTXAS where ptxas is")
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    others = sys.argv[2].split(",") if len(sys.argv) == 3 else []
    for path in sorted(folder.rglob("*.ptx")):
        found = re.search(r"^\s*\.target\s+(sm_(\d+)([af]?))", path.read_text(errors="replace"), re.M)
        if not found:
            continue
        newer = [t for t in others if not found[3] and int(t[3:]) > int(found[2])]
        for target in [found[1], *newer]:
            kernels = measure(ptxas, path, target)
            if kernels:
                print(json.dumps([str(path.relative_to(folder)), target, kernels]), flush=True)


if __name__ == "__main__":
    main()
