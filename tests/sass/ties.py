#!/usr/bin/env python3
"""Measures how much machine code is tied to PTX lines.

    ties.py FOLDER --analyzer PATH --ptxas PATH --nvdisasm PATH [--targets sm_80,sm_90a,sm_100a] [--most BYTES] [-j N]

FOLDER holds PTX files, at any depth. Each file is assembled for each target that runs its code: a module for sm_90a only for
sm_90a, others for their own architecture or a newer one. Files above --most bytes are left out. For each target the script
prints the shares of machine instructions that are tied to a line with a PTX instruction, to another line of a function (its
brace), and to none, the latter in functions that ptxas adds (divisions) and in those of the module; and what became of the
PTX lines.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import time


def number(target):
    found = re.fullmatch(r"sm_(\d+)([af]?)", target)
    return int(found[1]), found[2]


def fits(own, target):
    """Whether code for `own` may be assembled for `target`."""
    if not own:
        return False
    (own_number, own_suffix), (wanted, _) = number(own), number(target)
    return own == target if own_suffix else own_number <= wanted


def measure(arguments, path, target):
    command = [arguments.analyzer, "sass", str(path), "--target", target, "--format", "json", "--timeout", "120", "-j", "1"]
    command += ["--ptxas", arguments.ptxas, "--nvdisasm", arguments.nvdisasm]
    begin = time.time()
    result = subprocess.run(command, capture_output=True, text=True)
    seconds = time.time() - begin
    counts = collections.Counter()
    if result.returncode != 0 or not result.stdout:
        counts["refused"] += 1
        return counts, f"{path}: {result.stderr.strip()[:200]}"
    answer = json.loads(result.stdout)
    counts["files"] += 1
    counts["seconds"] += seconds
    counts["ptxas"] += answer["seconds"]["ptxas"]
    counts["nvdisasm"] += answer["seconds"]["nvdisasm"]
    lines = {line["line"] for line in answer["ptx"]}
    added = {function["name"] for function in answer["functions"] if function["line"] is None}
    for instruction in answer["instructions"]:
        counts["instructions"] += 1
        line = instruction["line"]
        none = "added" if instruction["function"] in added else "untied"
        counts[none if line is None else "tied" if line in lines else "brace"] += 1
        counts["live"] += instruction["live"] is not None
    for line in answer["ptx"]:
        counts["lines"] += 1
        counts[line["fate"]] += 1
    counts["functions"] += len(answer["functions"])
    counts["longest"] = max((f["instructions"] for f in answer["functions"]), default=0)
    return counts, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--nvdisasm", required=True)
    parser.add_argument("--targets", default="sm_80,sm_90a,sm_100a")
    parser.add_argument("--most", type=int, default=200_000)
    parser.add_argument("-j", type=int, default=1)
    arguments = parser.parse_args()
    files = sorted(p for p in arguments.folder.rglob("*.ptx") if p.stat().st_size <= arguments.most)
    owns = {}
    for path in files:
        found = re.search(r"^\s*\.target\s+(sm_\d+[af]?)", path.read_text(errors="replace"), re.M)
        owns[path] = found[1] if found else None
    print("| target | files | instructions | tied | to a brace | added by ptxas | not tied | PTX lines | kept | moved | merged | dropped | refused |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    problems = []
    for target in arguments.targets.split(","):
        chosen = [path for path in files if fits(owns[path], target)]
        total = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            for counts, problem in pool.map(lambda path: measure(arguments, path, target), chosen):
                longest = max(total["longest"], counts["longest"])
                total.update(counts)
                total["longest"] = longest
                problems += [problem] if problem else []
        share = lambda part, whole: f"{100 * total[part] / max(total[whole], 1):.1f} %"
        cells = [target, total["files"], total["instructions"]]
        cells += [share(part, "instructions") for part in ("tied", "brace", "added", "untied")] + [total["lines"]]
        cells += [share(part, "lines") for part in ("kept", "moved", "merged", "dropped")] + [total["refused"]]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        each = {name: round(1e3 * total[name] / max(total["files"], 1)) for name in ("seconds", "ptxas", "nvdisasm")}
        print(f"  {target}: ms a file {each}, longest function {total['longest']} instructions, live counts {share('live', 'instructions')}", flush=True)
    for problem in problems[:20]:
        print("refused:", problem)


if __name__ == "__main__":
    main()
