#!/usr/bin/env python3
"""Records the layouts that the PTX manual gives as formulas, for the test `fragments`.

record.py MANUAL > manual.txt

MANUAL is a folder with the manual as Markdown, one file per section. Only its formulas are read, and only numbers are
written: by how many rows and columns each bit of the lane and each bit of the element index moves an element. The
script checks that every layout is exactly the sum of these moves, so nothing is lost."""

import pathlib
import re
import sys

TYPE = re.compile(r"`\.(\w+)`")


def moves(place, bits):
    """Returns how each of the lowest bits of a number moves the position; number 0 is at the origin."""
    return [place(1 << bit) for bit in range(bits)]


# Corrections where the manual's formula gives two elements the same position.
SLIPS = {("m16n8k256", "a", "col"): ("(threadID_in_group * 32) + i", "(threadID_in_group * 32) + (i & 0x1F)")}


def linear(place, lanes, elements, distinct):
    """Returns the moves of a layout; an error if they do not describe it completely."""
    lane_bits, element_bits = (lanes - 1).bit_length(), (elements - 1).bit_length()
    if place(0, 0) != (0, 0) or elements & (elements - 1):
        raise ValueError("not made of moves")
    places = {place(lane, element) for lane in range(lanes) for element in range(elements)}
    if distinct and len(places) != lanes * elements:
        raise ValueError(f"two elements in one place: {len(places)}, {elements} in each lane")
    by_lane = moves(lambda lane: place(lane, 0), lane_bits)
    by_element = moves(lambda element: place(0, element), element_bits)
    for lane in range(lanes):
        for element in range(elements):
            parts = [m for bit, m in enumerate(by_lane) if lane >> bit & 1]
            parts += [m for bit, m in enumerate(by_element) if element >> bit & 1]
            if place(lane, element) != (sum(p[0] for p in parts), sum(p[1] for p in parts)):
                raise ValueError(f"not made of moves: lane {lane}, element {element}")
    return by_lane, by_element


def alternatives(lines):
    """Parses `row = A for x / B for y` over several lines into pairs of formula and condition."""
    out = []
    for line in lines:
        line = re.sub(r"//.*", "", line).strip()
        if not line:
            continue
        split = re.split(r"\s+(?=for |For |if |otherwise|Otherwise)", line, maxsplit=1)
        out.append((split[0].strip(), split[1].strip() if len(split) > 1 else ""))
    return out


def holds(condition, lane, element):
    """Tests a condition of the manual; a mere range of elements holds for all."""
    condition = condition.lower()
    condition, _, lanes = condition.partition("if ")
    if lanes:
        return eval(lanes.replace("%laneid", "lane"), {"lane": lane})
    if not condition or condition.endswith("otherwise"):
        return True
    names = re.findall(r"\b[a-z](\d+)\b", condition)
    if names and "where" not in condition:
        return str(element) in names
    where = condition.split("where", 1)[1].strip() if "where" in condition else ""
    if not where or "{" in where:
        return True
    where = re.sub(r"(?<![<>=!])=(?!=)", "==", where.replace("||", " or "))
    return eval(where, {"i": element})


def formula(text, lane, element, extra):
    text = text.replace("%laneid", "lane").replace("groupID", "(lane >> 2)").replace("threadID_in_group", "(lane % 4)")
    for name, value in extra.items():
        text = re.sub(rf"\b{name}\b", f"({value})", text)
    text += ")" * (text.count("(") - text.count(")"))
    return eval(text, {"lane": lane, "i": element})


def value(parts, lane, element, extra):
    for text, condition in parts:
        if holds(condition, lane, element):
            return formula(text, lane, element, extra)
    raise ValueError("no alternative holds")


def listing(code):
    """Returns the formulas of a listing by name: `row`, `col` and so on."""
    found, extra, current = {}, {}, None
    for line in code:
        start = re.match(r"\s*(row|col|firstcol|lastcol|groupID|threadID_in_group)\s*=\s*(.*)", line)
        where = re.match(r"\s*where X = (.*?)\s+for ", line)
        if where:
            extra["X"] = where.group(1).replace("%laneid", "lane")
        elif start:
            current = found.setdefault(start.group(1), [])
            current.append(start.group(2))
        elif current is not None and line.strip() and line.strip() != "Where":
            current.append(line)
    return {name: alternatives(lines) for name, lines in found.items()}, extra


def sections(text):
    """Yields each listing with the text between it and the previous one."""
    before, code = [], None
    for line in text.splitlines():
        line = re.sub(r"^[ >]*", "", line) if "```" in line else re.sub(r"^[ ]*> ?", "", line)
        if line.strip().startswith("```"):
            if code is None:
                code = []
            else:
                yield before, code
                before, code = [], None
        elif code is not None:
            code.append(line)
        else:
            before.append(line)


def number(rows):
    """Returns the number of elements that the table above a listing names, such as `a0, a1, …, a15`."""
    names = [int(n) for row in rows for n in re.findall(r"\b[abc](\d+)", row.split("|")[3] if row.count("|") > 3 else "")]
    return max(names) + 1 if names else None


def record(path):
    text = path.read_text()
    shape = re.search(r"mma\.(m\d+n\d+k\d+)", text).group(1)
    sparse = "sparse" in text.splitlines()[0]
    operand, types, count = None, [], None
    for before, code in sections(text):
        rows = [line for line in before if line.strip().startswith("| `.")]
        for line in before:
            if "Multiplicand A" in line:
                operand = "a"
            elif "Multiplicand B" in line:
                operand = "b"
            elif "Accumulators" in line:
                operand = "c"
        if rows:
            types = [t for row in rows for t in TYPE.findall(row.split("|")[1])]
            count = number(rows) or count
        caption = " ".join(before)
        which = re.findall(r"(row|column)-major", caption)
        layout = {"row": "row", "column": "col"}[which[-1]] if which and shape == "m8n8k4" and "f16" in types else "-"
        ctype = re.findall(r"`\.ctype` (?:is|=) `\.(\w+)`", caption)
        if shape == "m8n8k4" and operand == "c" and ctype:
            types, count = [ctype[-1]], 8
        parts, extra = listing(code)
        if "row" not in parts:
            continue
        for (where, which, name), (wrong, right) in SLIPS.items():
            if (where, which) == (shape, operand):
                parts[name] = [(right if text == wrong else text, condition) for text, condition in parts[name]]
        if sparse:
            span = sparse_span(parts)
            registers = re.search(r"containing (two|four) `\.b32`", " ".join(rows) or "")
            per = {"tf32": 1, "f16": 2, "bf16": 2, "u8": 4, "e4m3": 4, "u4": 8}[types[0]]
            elements = per * {"two": 2, "four": 4}[registers.group(1)]
            place = lambda lane, i: (value(parts["row"], lane, i, extra), value(parts["firstcol"], lane, i, extra))
            yield "sparse", shape, operand, layout, types, place, elements, span
        else:
            place = lambda lane, i: (value(parts["row"], lane, i, extra), value(parts["col"], lane, i, extra))
            yield "dense", shape, operand, layout, types, place, count, 1


def sparse_span(parts):
    """Returns the number of columns from the first to the last one of a register."""
    return int(re.search(r"firstcol \+ (\d+)", parts["lastcol"][0][0]).group(1)) + 1


def pairs(found):
    return " ".join(f"{row},{column}" for row, column in found)


def main():
    folder = pathlib.Path(sys.argv[1])
    out = set()
    for path in sorted(folder.rglob("*.md")):
        if not re.search(r"matrix_fragments_for_(mma|sparse_mma)", path.name):
            continue
        for kind, shape, operand, layout, types, place, count, span in record(path):
            # m8n8k4 of f16 consists of four matrices, which its formulas do not distinguish.
            four = shape == "m8n8k4" and "f64" not in types
            by_lane, by_element = linear(place, 32, count, kind == "dense" and not four)
            for ty in types:
                out.add(f"{kind} {shape} {operand} {layout} {ty} {span} | {pairs(by_lane)} | {pairs(by_element)}")
    print("# kind, shape, operand, layout, type, columns a register spans | moves of the lane's bits | of the element's, as row,column")
    print("\n".join(sorted(out)))


main()
