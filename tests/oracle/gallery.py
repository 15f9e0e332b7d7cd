#!/usr/bin/env python3
"""Makes the gallery, a base for mutants: modules with a statement for many forms of every instruction, from the recorded verdicts.

usage: PTXAS=/path/to/ptxas gallery.py [SEED]
Writes tests/oracle/gallery/*.ptx, one or more for each target.
"""
import collections, glob, gzip, os, random, re, sys
from ask import declarations
from mutants import Assembler, arch
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TYPE = re.compile(r"\.(?:[usbf]\d+(?:x\d+)?|bf16(?:x2)?|pred|tf32|e\dm\d\w*)$")
MAX_STATEMENTS = {"cp": 40, "tcgen05": 40, "wgmma": 20, "mma": 30, "wmma": 20, "cvt": 40, "ld": 30, "st": 30, "atom": 30, "red": 20, "tex": 16, "mbarrier": 40}
DEFAULT_MAX = 12  # statements of every other opcode
LINES = 330  # maximum number per module


def chosen(rng):
    known = {line.split("\t")[0].split(" ", 3)[-1] for line in open(os.path.join(HERE, "known-disagreements.txt"))}
    by_opcode = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(glob.glob(os.path.join(HERE, "verdicts", "*.txt.gz"))):
        if os.path.basename(path) == "mixed.txt.gz":
            continue
        for line in gzip.open(path, "rt"):
            if line.startswith("OK "):
                _, version, target, text = line.rstrip("\n").split(" ", 3)
                if text in known:
                    continue
                head = re.match(r"[\w.:]+", text)[0]
                words = [w for w in re.findall(r"\.[\w:]+", head) if not TYPE.match(w)]
                by_opcode[head.split(".")[0]][" ".join(sorted(words))].append((version, target, text))
    for opcode, keys in sorted(by_opcode.items()):
        names = rng.sample(sorted(keys), min(len(keys), MAX_STATEMENTS.get(opcode, DEFAULT_MAX)))
        # For an opcode with few modifiers, choose several types.
        for name in sorted(names):
            yield from rng.sample(keys[name], min(len(keys[name]), max(1, 6 // len(names))))


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    groups = collections.defaultdict(list)
    for version, target, text in chosen(rng):
        groups[version, target].append(text)
    os.makedirs(os.path.join(HERE, "gallery"), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        assembler = Assembler(folder)
        for (version, target), texts in sorted(groups.items()):
            for part in range(0, len(texts), LINES):
                head = re.sub(r"([;{]) ", r"\1\n", declarations(version, target)).replace(" .visible", "\n.visible")
                size = ".address_size 64\n" if version != "1.4" else ""
                body = "".join(t + "\n" for t in texts[part:part + LINES])
                text = f"// Statements of many forms, each of which the assembler takes. Made by tests/oracle/gallery.py.\n.version {version}\n.target {target}\n{size}\n{head}\n{body}L: ret;\n}}\n"
                said = assembler.ask(text, arch(text))
                if not said or not said[0]:
                    raise SystemExit(f"{target}: {said}")
                name = re.sub(r"\W", "-", target) + (f"-{part // LINES + 1}" if len(texts) > LINES else "")
                open(os.path.join(HERE, "gallery", name + ".ptx"), "w").write(text)


main()
