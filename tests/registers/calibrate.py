#!/usr/bin/env python3
"""Fits the model of server/flow/src/registers/estimate to recorded answers of ptxas, and prints its error.

usage: calibrate.py FOLDER [--measured FILE] [--write]
  FOLDER           the files that were measured: ../shared/corpus
  --measured FILE  what measure.py printed about them; without it the recorded answers in answers.tsv beside this script
  --record         writes answers.tsv from FILE
  --write          writes model.txt, fitted to all kernels; without it only the error is measured, on kernels that the model has not seen

Needs the packages of requirements.txt, and cargo. The error is that of a model fitted to some of the kernels and asked about the others:
ten folds, with all versions of a source file in the same one (for every target, way of compiling and type of numbers); all files of one
folder (a library or a tool) against the rest; all that one producer made against the rest. A range is taken from the errors of the
kernels to which the model was fitted. Our own kernels in tests are the producer `hand-written`: kernels.jsonl has the answers
about them. Only kernels for the target of their file are counted, unless a line says otherwise.
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLE = ROOT / "target/release/examples/registers"
MODEL = ROOT / "server/flow/src/registers/estimate/model.txt"
ANSWERS = HERE / "answers.tsv"
KERNELS = HERE / "kernels.jsonl"
# The registers that every kernel needs besides the count are fitted: the values that are tried.
OVERHEADS = (3, 4, 5, 6, 7, 8)
# The first target with an overhead of its own. A second one, 120, makes unseen files worse.
RECENT = 90
# Registers up to which loops are unrolled, and the share of what the text holds beyond the count. Fitting these too makes unseen
# files worse.
UNROLLED, SHARE = 40, 0.3
# At most so many registers beyond the count matter, and none from the second of these counts on.
BEYOND, FADES = 12, (20, 30)
LEAST = 4
# The ranges: classes by the estimate. The tail is the share of kernels below, and of those above, a range.
SIZES, TAIL, FEW = [16, 32, 1e9], 0.065, 25
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
    """The kernels of the corpus with their answers. Each file is read only for the targets for which it was measured."""
    targets, own, measured = collections.defaultdict(list), collections.defaultdict(list), {}
    for target, kernel in answers:
        targets[kernel].append(target)
    for path in sorted(folder.rglob("*.ptx")):
        file, text = str(path.relative_to(folder)), path.read_text(errors="replace")
        found = re.search(r"^\s*\.target\s+(\w+)", text, re.M)
        if not found:
            continue
        own[file] = found[1]
        names = re.findall(r"\.entry\s+([\w$]+)", text)
        for target in {t for name in names for t in targets[digest(file, name)]}:
            measured.setdefault(target, []).append(file)
    rows = []
    for target, files in sorted(measured.items()):
        for (file, kernel), shape in shapes(folder, files, target).items():
            answer = answers.get((target, digest(file, kernel)))
            if answer:
                rows.append({"file": file, "kernel": kernel, "target": target, "own": own[file] == target,
                             "ptxas": answer[0], "spills": answer[1], "shape": shape})
    if len(rows) != len(answers):
        print(f"{len(answers) - len(rows)} answers are about kernels that are not in {folder}", file=sys.stderr)
    return rows


def hand_written():
    """Our own kernels in tests, with the answers of kernels.jsonl. Only the first target of a file counts as its own."""
    answers, seen, rows = {}, set(), []
    for file, target, kernels in map(json.loads, KERNELS.read_text().splitlines()):
        answers.setdefault(target, {})[file] = (kernels, file not in seen)
        seen.add(file)
    for target, files in answers.items():
        for (file, kernel), shape in shapes(ROOT / "tests", sorted(files), target).items():
            kernels, own = files[file]
            if kernel in kernels:
                registers, spills = kernels[kernel]
                rows.append({"file": f"hand-written/{file}", "kernel": kernel, "target": target, "own": own,
                             "ptxas": registers, "spills": spills, "shape": shape})
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
    known = [p for p in ("triton", "numba", "hand-written") if file.startswith(p)]
    return known[0] if known else "nvcc"


class Table:
    """The rows as columns."""

    def __init__(self, rows):
        self.rows = rows
        self.column = {n: numpy.array([r["shape"][n] for r in rows]) for n in rows[0]["shape"]}
        self.real = numpy.array([r["ptxas"] for r in rows], dtype=float)
        self.own = numpy.array([r["own"] for r in rows])
        self.hand = numpy.array([r["file"].startswith("hand-written/") for r in rows])
        self.debugged = self.column["debugged"] > 0
        self.recent = self.column["target"] >= RECENT
        spills = numpy.array([r["spills"] for r in rows])
        # If a limit decided or ptxas gave up, the number says nothing about the need of a kernel.
        self.free = (self.real < numpy.minimum(self.column["limit"], 255)) & (spills < 500) & ~(self.column["settled"] > 0)
        # A kernel that was compiled in many ways counts as a few.
        alike = collections.Counter((source(r["file"]), r["kernel"]) for r in rows)
        self.weight = numpy.array([alike[source(r["file"]), r["kernel"]] ** -0.5 for r in rows])


def unit(registers):
    return numpy.maximum(8, 0.1 * registers)


def estimate(table, overhead):
    """The estimates of model.rs, without calls and bounds. `overhead`: on older and on recent targets."""
    overhead = numpy.where(table.recent, overhead[1], overhead[0])
    live, folded, ordered, most = (table.column[n] for n in ("live", "folded", "ordered", "unrolled"))
    count = numpy.maximum(numpy.minimum(most, numpy.maximum(ordered, UNROLLED - overhead)), folded)
    fades = numpy.clip((FADES[1] - count) / (FADES[1] - FADES[0]), 0, 1)
    # In modules for a debugger, what the text holds is not removed.
    count = numpy.where(table.debugged, numpy.maximum(live, count), count)
    own = numpy.maximum(count + overhead + SHARE * fades * numpy.clip(live - count, 0, BEYOND), LEAST)
    # The assembler finds an order that needs no more registers than exist, unless the text itself needs more.
    return numpy.minimum(own, numpy.maximum(folded, 255))


def with_calls(table, overhead):
    """The estimates of report.rs, without bounds."""
    return numpy.maximum(estimate(table, overhead), table.column["calls_take"])


def fit(table, learn):
    """For older and for recent targets the overhead for which most kernels are near; those above 32 registers weigh as much as all
    others together."""

    def error(overhead, those):
        found = estimate(table, (overhead, overhead))
        off = numpy.abs(found - table.real) / unit(table.real)
        # The second term distinguishes models with equally many kernels near.
        cost = (off > 1) + 0.5 * numpy.minimum(off, 1.5)
        halves = [h for h in (those & (table.real <= 32), those & (table.real > 32)) if h.any()]
        return sum(numpy.average(cost[h], weights=table.weight[h]) for h in halves)

    free = learn & table.free
    return tuple(min(OVERHEADS, key=lambda o: error(o, free & those)) for those in (~table.recent, table.recent))


def bounded(table, registers):
    out = numpy.minimum(numpy.round(numpy.maximum(registers, table.column["least"])), table.column["bound"])
    return numpy.where(table.column["settled"] > 0, table.column["registers"], out)


def quantile(values, weights, share):
    order = numpy.argsort(values)
    weights = weights[order]
    return float(numpy.interp(share * weights.sum(), numpy.cumsum(weights) - weights / 2, values[order]))


def ranges(table, learn, found):
    """For each class the factors of the lower and upper end of a range, from estimates of kernels in `learn`."""
    these = learn & table.free
    ratio, sizes, out = table.real / found, numpy.searchsorted(SIZES, found), []
    for size in range(len(SIZES)):
        # A class with few kernels takes those of its neighbours.
        ones, around = these & (sizes == size), 1
        while ones.sum() < FEW and around < len(SIZES):
            ones, around = these & (abs(sizes - size) <= around), around + 1
        low, high = (quantile(ratio[ones], table.weight[ones], share) for share in (TAIL, 1 - TAIL))
        out.append((min(low, 1.0), max(high, 1.0)))
    return out


def near(real, found):
    return numpy.abs(found - real) <= unit(real)


def ask(table, folds):
    """What models that have not seen a kernel say of it: the estimate, and the ends of the range."""
    found, ends, models = numpy.zeros(len(table.real)), numpy.zeros((2, len(table.real))), []
    for fold in set(folds):
        asked = folds == fold
        model = fit(table, ~asked)
        all_found = with_calls(table, model)
        factors = numpy.array(ranges(table, ~asked, all_found))[numpy.searchsorted(SIZES, all_found[asked])]
        found[asked] = all_found[asked]
        ends[0][asked], ends[1][asked] = numpy.floor(found[asked] * factors[:, 0]), numpy.ceil(found[asked] * factors[:, 1])
        models.append(model)
    ends[0] = numpy.maximum(ends[0], LEAST)
    return bounded(table, found), bounded(table, ends[0]), bounded(table, ends[1]), models


def figures(table, answer, those):
    found, low, high = (column[those] for column in answer[:3])
    share = lambda right: right.mean() if len(right) else numpy.nan
    real = table.real[those]
    right = near(real, found)
    out = [spearmanr(real, found)[0] if len(real) > 2 else numpy.nan, share(right), share(right[real > 32])]
    out += [share(right[(real > a) & (real <= b)]) for a, b in SIZE_CLASSES]
    off = numpy.abs(found - real)
    inside, width = (low <= real) & (real <= high), high - low
    return out + [numpy.median(off), off.mean(), inside.mean(), share(inside[real > 32]), numpy.median(width)]


def show(title, table, answers, those):
    rank, right, large, *rest = numpy.mean([figures(table, a, those) for a in answers], axis=0)
    sizes, (median, mean, inside, inside_large, width) = rest[: len(SIZE_CLASSES)], rest[len(SIZE_CLASSES):]
    by_size = ", ".join(f"to {b} {s:.0%}" for (_, b), s in zip(SIZE_CLASSES, sizes) if s == s)
    print(f"{title}: {those.sum()} kernels: rank correlation {rank:.3f}, within 8 or 10 % {right:.1%}, above 32 registers {large:.1%} "
          f"({by_size}), median error {median:.1f}, mean {mean:.1f}; {inside:.1%} in the range, above 32 registers {inside_large:.1%}, median width {width:.0f}", flush=True)


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
    build = ["cargo", "build", "--release", "-q", "-p", "ptx-check", "--example", "registers"]
    subprocess.run(build, cwd=ROOT, check=True)
    table = Table(load(options.folder, answers) + hand_written())
    own, corpus = table.own, ~table.hand
    by_file = [ask(table, divide(table, source, 10, seed)) for seed in SEEDS]
    show("by file", table, by_file, own & corpus)
    show("    and for newer targets", table, by_file, corpus)
    show("    and hand-written", table, by_file, own)
    for title, key in [("by library", library), ("by producer", producer)]:
        answer = [ask(table, divide(table, key, None, 0))]
        show(title, table, answer, own & corpus)
        show("    and hand-written", table, answer, own)
        keys = numpy.array([key(r["file"]) for r in table.rows])
        for name in sorted(set(keys)):
            show(f"    {name}", table, answer, own & (keys == name))
    models = collections.Counter(model for one in by_file for model in one[3])
    print("overheads of the folds:", *(f"{m}, {n} times;" for m, n in models.most_common()))
    worst = {}
    for index in numpy.argsort(-numpy.abs(by_file[0][0] - table.real) / unit(table.real)):
        row = table.rows[index]
        if row["own"]:
            worst.setdefault((source(row["file"]), row["kernel"]), (by_file[0][0][index], row))
    for (file, kernel), (found, row) in list(worst.items())[:25]:
        print(f"    {found:4.0f} for {row['ptxas']:4} ({row['target']}, spills {row['spills']}): {kernel[:60]} in {file}")
    everything = numpy.ones(len(table.real), dtype=bool)
    model = fit(table, everything)
    print("fitted to all:", model, ranges(table, everything, with_calls(table, model)))
    if options.write:
        write(model, ranges(table, everything, with_calls(table, model)))


def write(overhead, factors):
    out = ["# Written by tests/registers/calibrate.py: see docs/dev/register-estimate.md.", "overhead {:g} {:g}".format(*overhead), f"recent {RECENT}", f"unrolled {UNROLLED}",
           f"beyond {SHARE:g} {BEYOND}", f"fades {FADES[0]} {FADES[1]}"]
    out += [f"range {size:g} {low:.4g} {high:.4g}" for size, (low, high) in zip(SIZES, factors)]
    MODEL.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
