#!/usr/bin/env python3
"""Asks NVIDIA's assembler to generate code for every kernel of this folder.

usage: PTXAS=/path/to/ptxas-13 OLD_PTXAS=/path/to/ptxas-12.9 assemble.py
       prints what it refuses or warns about; status 1 if it refuses a kernel. OLD_PTXAS is for targets below sm_75.
"""
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def main():
    refused, files = 0, sorted(FOLDER.glob("*/*.ptx"))
    for path in files:
        target = re.search(r"^\.target sm_(\d+)(\w*)", path.read_text(), re.M)
        name = "OLD_PTXAS" if int(target[1]) < 75 else "PTXAS"
        command = [os.environ.get(name, "ptxas"), f"-arch=sm_{target[1]}{target[2]}", path, "-o", os.devnull]
        run = subprocess.run(command, capture_output=True, text=True)
        refused += run.returncode != 0
        print(run.stdout + run.stderr, end="")
    print(f"{len(files)} kernels, {refused} refused")
    sys.exit(1 if refused or not files else 0)


if __name__ == "__main__":
    main()
