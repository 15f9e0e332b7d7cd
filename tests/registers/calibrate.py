#!/usr/bin/env python3
"""Fits the model of server/analysis/src/registers/estimate to recorded answers of ptxas, and prints its error.

usage: calibrate.py FOLDER [--measured FILE] [--write]
  FOLDER           the files that were measured: ../shared/corpus
  --measured FILE  what measure.py printed about them; without it the recorded answers in answers.tsv beside this script
  --record         writes answers.tsv from FILE
  --write          writes model.txt, fitted to all kernels; without it only the error is measured, on kernels that the model has not seen

Needs the packages of requirements.txt, and cargo. The error is that of a model fitted to some of the kernels and asked about the others:
ten folds, with all versions of a source file in the same one (for every target, way of compiling and type of numbers); all files of one
folder (a library or a tool) against the rest; all that one compiler made against the rest. A range is taken from the errors in the
other folds. Only kernels for the target of their file are counted.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import numpy
from scipy.stats import spearmanr
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import HuberRegressor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLE = ROOT / "target/release/examples/registers"
MODEL = ROOT / "server/analysis/src/registers/estimate/model.txt"
ANSWERS = HERE / "answers.tsv"
TREES, DEPTH, RATE, LEAST = 100, 6, 0.09, 4.0
# The share of the trees in the estimate, by what the line says; the rest is that of the line.
SHARES = [(28.0, 2 / 3), (36.0, 1.0), (40.0, 1.0), (56.0, 0.0)]
# The count that the line reads ends here.
LINE_MOST = 300.0
# The ranges: classes by the estimate and by how far trees and line disagree, in units of `unit`.
SIZES = [16, 32, 48, 72, 160, 1e9]
DISAGREE = [0.5, 1e9]
# The share of kernels below, and of those above, a range.
TAIL = 0.06
SEEDS = range(2, 7)
SIZE_CLASSES = [(0, 32), (32, 64), (64, 128), (128, 200), (200, 256)]


def digest(file, kernel):
    return hashlib.sha256(f"{file}\t{kernel}".encode()).hexdigest()[:12]


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


def values(path):
    """The JSON values of a file, one after the other."""
    text, at, decoder = path.read_text(), 0, json.JSONDecoder()
    while text[at:].strip():
        while text[at].isspace():
            at += 1
        value, at = decoder.raw_decode(text, at)
        yield value


def recorded(measured):
    """The answers: {(target, digest): (registers, bytes of spill stores)}."""
    if measured:
        return {(t, digest(f, k)): tuple(a) for f, t, kernels in values(measured) for k, a in kernels.items()}
    lines = (line.split("\t") for line in ANSWERS.read_text().splitlines() if not line.startswith("#"))
    return {(target, kernel): (int(registers), int(spills)) for kernel, target, registers, spills in lines}


def load(folder, answers):
    texts = {}
    for path in sorted(folder.rglob("*.ptx")):
        found = re.search(r"^\s*\.target\s+(\w+)", path.read_text(errors="replace"), re.M)
        if path.stat().st_size < 5_000_000 and found:
            texts[str(path.relative_to(folder))] = found[1]
    rows = []
    for target in sorted({target for target, _ in answers}):
        for (file, kernel), shape in shapes(folder, sorted(texts), target).items():
            answer = answers.get((target, digest(file, kernel)))
            if answer:
                rows.append({"file": file, "kernel": kernel, "target": target, "own": texts[file] == target,
                             "ptxas": answer[0], "spills": answer[1], "shape": shape})
    if len(rows) != len(answers):
        print(f"{len(answers) - len(rows)} answers are about kernels that are not in {folder}", file=sys.stderr)
    return rows


def source(file):
    """The source of a file, whatever it was compiled for, how, and for which type of numbers."""
    folder, _, name = file.rpartition("/")
    name = re.sub(r"\.sm_?\d+[af]?|\.ptx$", "", name)
    ways = {"numba-cuda": r"[01](g|li|fm)?$", "nvrtc-own": r"\.(O\d|G|li|fast|rdc)$"}
    way = r"\.(bf16|fp16|fp32)$" if folder.startswith("triton") else ways.get(folder)
    return f"{folder}/{re.sub(way, '', name) if way else name}"


def library(file):
    return file.split("/")[0]


def producer(file):
    known = [p for p in ("triton", "numba") if file.startswith(p)]
    return known[0] if known else "nvcc"


class Table:
    """The rows as columns."""

    def __init__(self, rows):
        given = {"kernel", "registers", "low", "high", "bound", "calls_take", "settled"}
        self.rows = rows
        self.names = [n for n in rows[0]["shape"] if n not in given]
        self.column = {n: numpy.array([r["shape"][n] for r in rows]) for n in rows[0]["shape"]}
        self.inputs = numpy.stack([self.column[n] for n in self.names], 1).astype(numpy.float32)
        self.real = numpy.array([r["ptxas"] for r in rows], dtype=float)
        self.own = numpy.array([r["own"] for r in rows])
        self.debugged = self.column["debugged"] > 0
        self.count = numpy.where(self.debugged, self.column["live"], self.column["ordered"]) + LEAST
        capped = {n: numpy.minimum(self.column[n], LINE_MOST) for n in ("thrifty", "live")}
        self.line_inputs = numpy.stack([capped["live"], capped["thrifty"]], 1)
        spills = numpy.array([r["spills"] for r in rows])
        # If a limit decided or ptxas gave up, the number says nothing about the need of a kernel.
        self.free = (self.real < numpy.minimum(self.column["limit"], 255)) & (spills < 500)


def unit(registers):
    return numpy.maximum(8, 0.1 * registers)


def line(table, learn):
    """The coefficients of `live`, of `thrifty`, and the constant: of usual kernels, and of those for a debugger."""
    out = []
    for those, used in [(~table.debugged, [1]), (table.debugged, [0, 1])]:
        these = learn & those
        if these.sum() <= 10:
            out.append((1.0, 0.0, 5.0))
            continue
        model = HuberRegressor(epsilon=1.1, max_iter=500)
        model.fit(table.line_inputs[these][:, used], table.real[these], sample_weight=1 / unit(table.real[these]))
        weights = [0.0, 0.0]
        for place, weight in zip(used, model.coef_):
            weights[place] = float(weight)
        out.append((*weights, float(model.intercept_)))
    return out


def on_line(table, lines):
    usual, debugged = (table.line_inputs @ numpy.array(one[:2]) + one[2] for one in lines)
    return numpy.maximum(numpy.where(table.debugged, debugged, usual), 6)


def trees(inputs, wanted, seed):
    model = GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, subsample=0.5,
                                      max_features=0.15, min_samples_leaf=2, random_state=seed)
    return model.fit(inputs, wanted)


def fit(table, learn, seed=0):
    """The lines, the trees of the factor of the count (as a logarithm), and those of the distance from the line."""
    free = learn & table.free
    lines = line(table, free)
    near = on_line(table, lines)
    factor = numpy.log(table.real / table.count)
    distance = numpy.clip((table.real - near) / unit(near), -4, 4)
    return lines, *(trees(table.inputs[free], wanted[free], seed) for wanted in (factor, distance))


def estimate(table, model, asked):
    """The estimates, and how far trees and line disagree."""
    lines, factor, distance = model
    near = on_line(table, lines)[asked]
    inputs = table.inputs[asked]
    by_trees = (table.count[asked] * numpy.exp(factor.predict(inputs)) + near + distance.predict(inputs) * unit(near)) / 2
    share = numpy.interp(near, *zip(*SHARES))
    return numpy.maximum(near + share * (by_trees - near), LEAST), numpy.abs(by_trees - near) / unit(near)


def bounded(table, registers):
    out = numpy.maximum(registers, table.column["calls_take"])
    out = numpy.minimum(numpy.round(out), table.column["bound"])
    return numpy.where(table.column["settled"] > 0, table.column["registers"], out)


def classes(found, apart):
    return numpy.searchsorted(SIZES, found) * len(DISAGREE) + numpy.searchsorted(DISAGREE, apart)


def ranges(table, learn, found, apart):
    """For each class the factors of the lower and upper end of a range, from what the other folds said of kernels."""
    these = learn & table.free
    ratio = table.real / found
    out = []
    for number in range(len(SIZES) * len(DISAGREE)):
        size, disagree = divmod(number, len(DISAGREE))
        ones = these & (classes(found, apart) == number)
        # A class with few kernels takes those of its neighbours.
        if ones.sum() < 40:
            sizes = numpy.searchsorted(SIZES, found)
            ones = these & (abs(sizes - size) <= 1)
        low, high = numpy.quantile(ratio[ones], [TAIL, 1 - TAIL]) if ones.any() else (0.5, 2.0)
        out.append((min(float(low), 1.0), max(float(high), 1.0)))
    return out


def near(real, found):
    return numpy.abs(found - real) <= unit(real)


def ask(table, folds, seed):
    """What models that have not seen a kernel say of it: the estimate, and the ends of the range."""
    found, apart = numpy.zeros(len(table.real)), numpy.zeros(len(table.real))
    for fold in set(folds):
        asked = folds == fold
        found[asked], apart[asked] = estimate(table, fit(table, ~asked, seed), asked)
    ends = numpy.zeros((2, len(table.real)))
    for fold in set(folds):
        asked = folds == fold
        factors = numpy.array(ranges(table, ~asked, found, apart))[classes(found, apart)[asked]]
        ends[0][asked], ends[1][asked] = numpy.floor(found[asked] * factors[:, 0]), numpy.ceil(found[asked] * factors[:, 1])
    return bounded(table, found), bounded(table, ends[0]), bounded(table, ends[1]), found, apart


def figures(table, answer, those):
    found, low, high = (column[those] for column in answer[:3])
    real = table.real[those]
    right = near(real, found)
    out = [spearmanr(real, found)[0] if len(real) > 2 else numpy.nan, right.mean(), right[real > 32].mean()]
    out += [right[(real > a) & (real <= b)].mean() for a, b in SIZE_CLASSES]
    off = numpy.abs(found - real)
    return out + [numpy.median(off), off.mean(), ((low <= real) & (real <= high)).mean(), numpy.median(high - low)]


def show(title, table, answers, those):
    rank, right, large, *rest = numpy.mean([figures(table, a, those) for a in answers], axis=0)
    sizes, (median, mean, inside, width) = rest[: len(SIZE_CLASSES)], rest[len(SIZE_CLASSES):]
    by_size = ", ".join(f"to {b} {s:.0%}" for (_, b), s in zip(SIZE_CLASSES, sizes) if s == s)
    print(f"{title}: {those.sum()} kernels: rank correlation {rank:.3f}, within 8 or 10 % {right:.1%}, above 32 registers {large:.1%} "
          f"({by_size}), median error {median:.1f}, mean {mean:.1f}; {inside:.1%} in the range, median width {width:.0f}", flush=True)


def divide(table, key, count, seed):
    keys = [key(r["file"]) for r in table.rows]
    names = sorted(set(keys))
    numpy.random.default_rng(seed).shuffle(names)
    place = {name: index % (count or len(names)) for index, name in enumerate(names)}
    return numpy.array([place[k] for k in keys])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--measured", type=pathlib.Path)
    for option in ("record", "write"):
        parser.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    answers = recorded(options.measured)
    if options.record:
        lines = sorted(f"{kernel}\t{target}\t{a}\t{s}" for (target, kernel), (a, s) in answers.items())
        head = "# kernel (start of the SHA-256 of its file and name), target, registers, bytes of spill stores; ptxas 13.5\n"
        ANSWERS.write_text(head + "\n".join(lines) + "\n")
    build = ["cargo", "build", "--release", "-q", "-p", "ptx-analysis", "--example", "registers"]
    subprocess.run(build, cwd=ROOT, check=True)
    table = Table(load(options.folder, answers))
    by_file = [ask(table, divide(table, source, 10, seed), seed) for seed in SEEDS]
    show("by file", table, by_file, table.own)
    show("    and for newer targets", table, by_file, numpy.ones(len(table.real), dtype=bool))
    for title, key in [("by library", library), ("by producer", producer)]:
        answer = [ask(table, divide(table, key, None, 0), 0)]
        show(title, table, answer, table.own)
        keys = numpy.array([key(r["file"]) for r in table.rows])
        for name in sorted(set(keys)):
            show(f"    {name}", table, answer, table.own & (keys == name))
    worst = {}
    for index in numpy.argsort(-numpy.abs(by_file[0][0] - table.real)):
        row = table.rows[index]
        if row["own"]:
            worst.setdefault((source(row["file"]), row["kernel"]), (by_file[0][0][index], row))
    for (file, kernel), (found, row) in list(worst.items())[:12]:
        print(f"    {found:4.0f} for {row['ptxas']:4} ({row['target']}, spills {row['spills']}): {kernel[:60]} in {file}")
    if options.write:
        everything = numpy.ones(len(table.real), dtype=bool)
        # The ranges of the model are those of all folds of all divisions together.
        together = [ranges(table, everything, a[3], a[4]) for a in by_file]
        write(table, fit(table, everything), numpy.mean(together, axis=0))


def write(table, model, factors):
    def walk(tree, at):
        if tree.children_left[at] < 0:
            return f"{RATE * tree.value[at][0][0]:.4g}"
        left, right = (walk(tree, child[at]) for child in (tree.children_left, tree.children_right))
        return f"{tree.feature[at]}<{tree.threshold[at]:.6g} {left} {right}"

    lines, *ensembles = model
    out = ["# Written by tests/registers/calibrate.py: see docs/dev/register-estimate.md.", "features " + " ".join(table.names)]
    for name, weights in zip(("line", "line-debugged"), lines):
        out.append(f"{name} " + " ".join(f"{w:.5g}" for w in weights))
    out += [f"share {registers:g} {share:.4g}" for registers, share in SHARES]
    for number, (low, high) in enumerate(factors):
        size, apart = divmod(number, len(DISAGREE))
        out.append(f"range {SIZES[size]:g} {DISAGREE[apart]:g} {low:.4g} {high:.4g}")
    for name, ensemble in zip(("factor", "distance"), ensembles):
        out.append(f"{name} {float(ensemble.init_.constant_.ravel()[0]):.6g}")
        out += [walk(tree[0].tree_, 0) for tree in ensemble.estimators_]
    MODEL.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
