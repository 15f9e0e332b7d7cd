#!/usr/bin/env python3
"""Compares the message templates of a ptxas with those that tests/oracle/templates.txt records.

    PTXAS=…/bin/ptxas python3 tests/oracle/templates.py [--skeleton]

Fails if the assembler has templates that are not recorded, and prints them. Add each line to templates.txt: as it stands if a user
may meet it (then `cargo test -p ptx-tests --test it tool_messages` asks for a row in server/isa/data/assembler.tsv), or behind `# `
if it is internal. `--skeleton` prints an empty row for each new template. Only the templates are recorded, nothing else of the program.
"""

import os
import re
import sys
from pathlib import Path

RECORDED = Path(__file__).with_name("templates.txt")

# The templates of one part of the assembler lie behind one another. A part reaches from its first to its last template.
PARTS = [
    (b"Function '%s' is recursive", b"Internal compiler error%s, please report"),
    (b"Unexpected non-ASCII character encountered on line %u", b"Parsing error near '%s': %s"),
    (b"Potential Performance Loss: wgmma.mma_async instructions are serialized due to the presence", b"wgmma.wait_group is injected"),
    (b"Potential Performance Loss: 'setmaxnreg' ignored to allow debugging", b"'setmaxnreg' ignored to maintain minimum register"),
]
# Others stand alone.
SINGLE = [b"Insufficient registers (%d)", b"Register allocation failed with register count", b"Used %d registers"]


def templates(program):
    """The templates of a program, in its order."""
    data = program.read_bytes()
    found = []
    for first, last in PARTS:
        start, end = data.find(first), data.find(last)
        if start < 0 or end < start:
            sys.exit(f"{program}: {first.decode()} … {last.decode()} is not there: adapt PARTS")
        end = data.find(b"\0", end)
        found += [t.decode("ascii", "replace") for t in data[start:end].split(b"\0")]
    for word in SINGLE:
        start = data.find(word)
        if start >= 0:
            found.append(data[start : data.find(b"\0", start)].decode("ascii", "replace"))
    is_message = re.compile(r"[A-Za-z.'%-][\x20-\x7e]{9,}\Z")
    shown = (t.strip() for t in found if t.isprintable())
    return list(dict.fromkeys(t for t in shown if " " in t and is_message.match(t)))


def skeleton(template):
    """An empty row of assembler.tsv for a template."""
    parts = [p.strip(" '\".,:;()[]") for p in re.split(r"%[-\d.]*(?:ll)?[a-z]", template.lower())]
    return " * ".join(p for p in parts if len(p) > 2) + "\t\t"


def main():
    program = Path(os.environ["PTXAS"])
    recorded = {line.removeprefix("# ") for line in RECORDED.read_text().splitlines() if line}
    new = [t for t in templates(program) if t not in recorded]
    for template in new:
        print(skeleton(template) if "--skeleton" in sys.argv else template)
    if new:
        sys.exit(f"{len(new)} templates are not recorded in {RECORDED.name}")
    print(f"all templates of {program} are recorded")


if __name__ == "__main__":
    main()
