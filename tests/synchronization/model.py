#!/usr/bin/env python3
"""The expected results of the kernels in correct/, computed from what each kernel is for and the inputs of its launch.

usage: model.py            compares the `//! expect:` lines with the model; status 1 and a line per difference
       model.py --write    writes the lines

The models are in results/. This file reads launches and writes expectations. It needs Python 3.9 and no packages.
"""
import pathlib
import re
import sys

from results import MODELS

FOLDER = pathlib.Path(__file__).resolve().parent / "correct"
FLOATS = ("f32", "f64", "f16", "bf16")
# Maximum length of a line of expectations.
WIDTH = 110


class Launch:
    """The inputs of a launch: `launch["x"]` is a number or a list, `launch.threads` the number of threads of the grid."""

    def __init__(self, text):
        self.values, self.types = {}, {}
        self.grid = self.block = self.cluster = 1
        for name, value in re.findall(r"(\w+)=(\{[^}]*\}|\[[^\]]*\]|[^\s(\[]*(?:\[[^\]]*\])?(?::?\w*(?:\([^)]*\))?)?)", text):
            if name in ("grid", "block", "cluster", "shared"):
                setattr(self, name, int(value))
            elif buffer := re.fullmatch(r"(\w+)\[([\d*]+)\]:(\w+)(?:\(([^)]*)\))?", value):
                kind, length, fill, arguments = buffer.groups()
                count = 1
                for factor in length.split("*"):
                    count *= int(factor)
                numbers = [float(a) if kind in FLOATS else int(a, 0) for a in (arguments or "").split(",") if a]
                self.types[name] = kind
                self.values[name] = filled(kind, count, fill, numbers)
            elif not value.startswith("{"):
                self.values[name] = float(value) if "." in value else int(value, 0)
        self.threads = self.grid * self.block

    def __getitem__(self, name):
        return self.values[name]


def filled(kind, count, fill, numbers):
    """The contents of a buffer."""
    zero = 0.0 if kind in FLOATS else 0
    if fill == "zero":
        return [zero] * count
    if fill == "iota":
        start, step = (numbers + [zero, zero + 1][len(numbers):])[:2]
        return [start + i * step for i in range(count)]
    if fill == "const":
        return [numbers[0]] * count
    raise ValueError(f"a fill `{fill}` is not known here")


def number(value):
    return repr(float(value)) if isinstance(value, float) else str(value)


def expectations(name, values):
    """The contents of a buffer, as expectations: progressions as a fill, the rest as lists."""
    parts, at = [], 0
    whole = len(values)
    while at < whole:
        step = values[at + 1] - values[at] if at + 1 < whole else 0
        end = at + 1
        while end < whole and values[end] - values[end - 1] == step:
            end += 1
        if end - at >= 5 or (end - at == whole and whole > 2):
            fill = number(values[at]) if step == 0 else f"iota({number(values[at])},{number(step)})"
        else:
            end = at
            # A list goes on until a progression begins.
            while end < whole and end - at < 12:
                run = values[end:end + 5]
                if len(run) == 5 and len({b - a for a, b in zip(run, run[1:])}) == 1:
                    break
                end += 1
            fill = f"[{', '.join(map(number, values[at:end]))}]" if end - at > 1 else number(values[at])
        place = "" if (at, end) == (0, whole) and whole > 1 else f"[{at}]" if end - at == 1 else f"[{at}..{end}]"
        parts.append(f"{name}{place}={fill}")
        at = end
    return parts


def lines(buffers):
    """The `//! expect:` lines of a launch."""
    out, line = [], ""
    for part in (p for name, values in buffers.items() for p in expectations(name, values)):
        if line and len(line) + len(part) > WIDTH:
            out.append(line)
            line = ""
        line += " " + part
    return [f"//! expect:{line}" for line in [*out, line]]


def rewritten(name, text):
    """The text of a kernel with the expectations of the model."""
    out, launch, found = [], None, 0

    def finish():
        nonlocal launch
        if launch is not None:
            out.extend(lines(MODELS[name](Launch(launch))))
        launch = None

    for line in text.split("\n"):
        if line.startswith("//! launch:"):
            finish()
            launch, found = line[len("//! launch:"):], found + 1
        elif line.startswith("//! expect:"):
            continue
        elif re.match(r"//! (params|buffers|globals):", line):
            launch += " " + line.split(":", 1)[1]
        else:
            finish()
        out.append(line)
    if not found:
        raise ValueError(f"{name} has no launch")
    return "\n".join(out)


# ---- the comparison


def main():
    wrong = 0
    names = sorted(p.stem for p in FOLDER.glob("*.ptx"))
    for name in sorted(set(names) ^ set(MODELS)):
        print(f"{name}: " + ("it has no model" if name in names else "there is no such kernel"))
        wrong += 1
    for name in (n for n in names if n in MODELS):
        path = FOLDER / f"{name}.ptx"
        text = path.read_text()
        expected = rewritten(name, text)
        if text == expected:
            continue
        if "--write" in sys.argv[1:]:
            path.write_text(expected)
            continue
        wrong += 1
        pairs = zip((l for l in text.split("\n") if "//! expect:" in l), (l for l in expected.split("\n") if "//! expect:" in l))
        print(f"{name}: the expectations are not those of the model", *(f"  {a}\n  {b}" for a, b in pairs if a != b), sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
