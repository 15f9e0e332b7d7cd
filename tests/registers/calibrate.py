#!/usr/bin/env python3
"""Fits the model of server/analysis/src/registers/estimate to the output of ptxas, and prints its error.

usage: calibrate.py FOLDER measured.jsonl [--write]
  FOLDER      the files that measure.py has measured
  --write     writes model.txt, fitted to all kernels; without it only the error is measured, on kernels that the model has not seen

Needs the packages of requirements.txt, and `cargo build --release -p ptx-analysis --example registers`.
Each error is that of a model fitted to one half of the kernels and applied to the other. The same source often exists for several
targets, or twice in one library: the stricter figures keep all versions of a kernel, and all kernels of a file, in one half.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import numpy
from scipy.stats import spearmanr
from sklearn.ensemble import GradientBoostingRegressor

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "target/release/examples/registers"
MODEL = ROOT / "server/analysis/src/registers/estimate/model.txt"
TREES, DEPTH, RATE, LEAST = 150, 6, 0.06, 4.0
SEEDS = range(5)


def shapes(folder, files, target):
    """Returns the server's data about the kernels of some files: {(file, kernel): {name: value}}."""
    command = [EXAMPLE, "--target", target, *(str(folder / f) for f in files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    out = {}
    for line in done.stdout.splitlines():
        path, kernel, _, *values = line.split("\t")
        named = (value.split("=") for value in values)
        out[str(pathlib.Path(path).relative_to(folder)), kernel] = {n: float(v) for n, v in named}
    return out


def load(folder, measured):
    answers = collections.defaultdict(dict)
    for line in measured.open():
        file, target, kernels = json.loads(line)
        answers[target][file] = kernels
    rows = []
    for target, files in sorted(answers.items()):
        known = shapes(folder, sorted(files), target)
        for file, kernels in files.items():
            own = re.search(r"^\s*\.target\s+(\w+)", (folder / file).read_text(errors="replace"), re.M)[1]
            for kernel, (registers, spills) in kernels.items():
                shape = known.get((file, kernel))
                if shape is None:
                    print(f"nothing known of {kernel} in {file}", file=sys.stderr)
                    continue
                rows.append({"file": file, "kernel": kernel, "target": target, "own": own == target,
                             "ptxas": registers, "spills": spills, "shape": shape})
    return rows


def fit(rows, names, seed=0):
    """A model of the factor between the number of live registers and the number that ptxas printed, as a logarithm."""
    # If a limit decided or ptxas gave up, the number says nothing about the need of a kernel.
    free = [r for r in rows if r["ptxas"] < min(r["shape"]["limit"], 255) and r["spills"] < 500]
    inputs = numpy.array([[min(r["shape"][n], 600.0) for n in names] for r in free], dtype=numpy.float32)
    wanted = numpy.array([numpy.log(r["ptxas"] / (r["shape"]["ordered"] + LEAST)) for r in free])
    model = GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, subsample=0.5,
                                      max_features=0.15, min_samples_leaf=2, random_state=seed)
    return model.fit(inputs, wanted)


def estimate(model, rows, names):
    inputs = numpy.array([[min(r["shape"][n], 600.0) for n in names] for r in rows], dtype=numpy.float32)
    out = []
    for row, factor in zip(rows, numpy.exp(model.predict(inputs))):
        shape = row["shape"]
        registers = max(factor * (shape["ordered"] + LEAST), shape["calls_take"])
        out.append(shape["registers"] if shape["settled"] else min(registers, shape["limit"], 255))
    return numpy.round(out)


def halves(rows, key, seed):
    names = sorted({key(r) for r in rows})
    numpy.random.default_rng(seed).shuffle(names)
    first = set(names[: len(names) // 2])
    return [r for r in rows if key(r) in first], [r for r in rows if key(r) not in first]


def errors(name, runs):
    """Prints the mean over several splits into halves."""
    def one(pairs):
        real, found = (numpy.array(column, dtype=float) for column in zip(*pairs))
        off = numpy.abs(found - real)
        near = numpy.mean(off <= numpy.maximum(8, 0.1 * real))
        return spearmanr(real, found)[0], near, numpy.median(off), off.mean()

    rank, near, median, mean = numpy.mean([one(pairs) for pairs in runs], axis=0)
    print(f"{name:34} {len(runs[0]):5} kernels: rank correlation {rank:.3f}, within 8 or 10 % {near:.1%}, "
          f"median error {median:.1f}, mean {mean:.1f}")


def stem(file):
    return re.sub(r"\.(sm_?\d+[af]?)", "", file)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = load(options.folder, options.measured)
    given = {"kernel", "registers", "limit", "calls_take", "settled"}
    names = [n for n in rows[0]["shape"] if n not in given]
    divisions = [
        ("halves of the kernels", lambda r: (r["file"], r["kernel"])),
        ("versions of a kernel together", lambda r: (stem(r["file"]), r["kernel"])),
        ("files together", lambda r: stem(r["file"])),
    ]
    for title, key in divisions:
        own, every, last = [], [], []
        for seed in SEEDS:
            pairs, mine = [], []
            first, second = halves(rows, key, seed)
            for known, unknown in [(first, second), (second, first)]:
                model = fit(known, names, seed)
                for row, found in zip(unknown, estimate(model, unknown, names)):
                    pairs.append((row["ptxas"], found))
                    if row["own"]:
                        mine.append((row["ptxas"], found))
                        last.append((abs(found - row["ptxas"]), found, row))
            own.append(mine)
            every.append(pairs)
        errors(title, own)
        errors("    and for newer targets", every)
        worst = {}
        for off, found, row in sorted(last, key=lambda one: -one[0]):
            worst.setdefault((stem(row["file"]), row["kernel"]), (found, row))
        for (file, kernel), (found, row) in list(worst.items())[:10]:
            print(f"    {found:4.0f} for {row['ptxas']:4} ({row['target']}, spills {row['spills']}): {kernel[:60]} in {file}")
    model = fit(rows, names)
    found = estimate(model, rows, names)
    errors("all, as they were learnt", [[(r["ptxas"], f) for r, f in zip(rows, found) if r["own"]]])
    if options.write:
        write(model, names, options)


def write(model, names, options):
    def walk(tree, at):
        if tree.children_left[at] < 0:
            return f"{RATE * tree.value[at][0][0]:.4g}"
        left, right = (walk(tree, child[at]) for child in (tree.children_left, tree.children_right))
        return f"{tree.feature[at]}<{tree.threshold[at]:.6g} {left} {right}"

    base = float(model.init_.constant_.ravel()[0])
    lines = ["# Written by tests/registers/calibrate.py: see docs/dev/register-estimate.md.", " ".join(names), f"{base:.6g}"]
    lines += [walk(tree[0].tree_, 0) for tree in model.estimators_]
    MODEL.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
