#!/usr/bin/env python3
"""Records the results of integer and video instructions: the assembler folds them, or machine_code.py evaluates its machine code.

usage: PTXAS=/path/to/ptxas values.py [integer|video]        writes server/num/tests/data/*.tsv, which the tests replay

integer.tsv: opcode with modifiers, operands in hexadecimal, result, `folded` or `computed` (other statements are omitted)
video.tsv: an instruction, then `a b c result` in hexadecimal, several times
"""
import os, random, sys
import machine_code
from machine_code import Unknown, compile_all, evaluate, is_constant

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../server/num/tests/data")
EDGES = [0, 1, 2, 3, 5, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f7f7f,
         0x80008000, 0x7fff7fff, 0xfffffffe, 31, 32, 33, 0x80000001]
WIDE = ["u16", "u32", "u64", "s16", "s32", "s64"]
# Opcodes, types, and the operands: T has the type, W is twice as wide, N is a count or position, B a lane index, S a
# small signed number, C the incoming carry.
INTEGER = [
    ("add sub min max and or xor", {"and or xor": ["b16", "b32", "b64"]}, "TT"),
    ("mul.lo mul.hi div rem", {}, "TT"), ("mad.lo mad.hi sad", {}, "TTT"),
    ("add.sat sub.sat", {"": ["s32"]}, "TT"), ("mad.hi.sat mad24.hi.sat", {"": ["s32"]}, "TTT"),
    ("mul.wide", {"": ["u16", "u32", "s16", "s32"]}, "TT"), ("mad.wide", {"": ["u16", "u32", "s16", "s32"]}, "TTW"),
    ("mul24.lo mul24.hi", {"": ["u32", "s32"]}, "TT"), ("mad24.lo mad24.hi", {"": ["u32", "s32"]}, "TTT"),
    ("abs neg", {"": ["s16", "s32", "s64"]}, "T"), ("not cnot", {"": ["b16", "b32", "b64"]}, "T"),
    ("popc clz brev", {"": ["b32", "b64"]}, "T"), ("bfind bfind.shiftamt", {"": ["u32", "u64", "s32", "s64"]}, "T"),
    ("fns", {"": ["b32"]}, "TBS"), ("bfe", {"": ["u32", "u64", "s32", "s64"]}, "TNN"), ("bfi", {"": ["b32", "b64"]}, "TTNN"),
    ("szext.clamp szext.wrap", {"": ["u32", "s32"]}, "TN"), ("bmsk.clamp bmsk.wrap", {"": ["b32"]}, "NN"),
    ("shl", {"": ["b16", "b32", "b64"]}, "TN"), ("shr", {"": ["b32", *WIDE]}, "TN"),
    ("shf.l.clamp shf.l.wrap shf.r.clamp shf.r.wrap", {"": ["b32"]}, "TTN"),
    ("prmt", {"": ["b32"]}, "TTT"), ("lop3", {"": ["b32"]}, "TTTL"),
    ("slct.b32", {"": ["s32", "f32"]}, "TTT"),
    ("addc subc addc.sat subc.sat", {"": ["s32"]}, "CTT"), ("madc.lo madc.hi madc.hi.sat", {"": ["s32"]}, "CTTT"),
] + [(f"set.{compare}.u32", {"": types}, "TT") for compare, types in
     [("eq", WIDE), ("ne", WIDE), ("lt", WIDE), ("le", WIDE), ("gt", WIDE), ("ge", WIDE), ("lo", WIDE[:3]), ("hs", WIDE[:3])]]


def width(name):
    return int("".join(c for c in name if c.isdigit()))


def operand(kind, bits):
    """Returns an operand as a number; every second one is near a limit."""
    if kind == "N":
        return random.choice([0, 1, 5, 8, 16, 31, 32, 33, 63, 64, 65, 127, 255, random.randrange(256)])
    if kind == "B":
        return random.choice([random.randrange(32)] * 8 + [32, 40, 0xffffffff])
    if kind == "S":
        return random.choice([0, 1, 2, 3, 7, 33, 0x80000000, *(-n & 0xffffffff for n in (1, 2, 3, 8, 33))])
    if kind == "C":
        return random.randrange(2)
    if kind == "L":
        return random.randrange(256)
    limit = (1 << bits) - 1
    edges = [*EDGES, 1 << bits - 1, (1 << bits - 1) - 1, limit, limit - 1]
    return (random.choice(edges) if random.random() < 0.6 else random.getrandbits(bits)) & limit


def statement(opcode, type_, kinds, operands):
    """Returns the statement and the width of its result."""
    bits = width(type_)
    narrow = opcode.split(".")[0] in ("popc", "clz", "bfind", "set") or opcode.startswith("slct")
    out = 32 if narrow else 2 * bits if ".wide" in opcode else bits
    words = [f"0x{n:x}" for n in operands]
    if type_ == "f32":
        words[2] = f"0f{operands[2]:08x}"
    before = ""
    if kinds[0] == "C":
        # The carry of an addition; a subtraction reads the same bit.
        before, words = f"add.cc.u32 %r8, 0xffffffff, {words[0]}; ", words[1:]
    register = {16: "%h2", 32: "%r9", 64: "%rd9"}[out]
    after = {16: " cvt.u32.u16 %r9, %h2;", 32: "", 64: " mov.b64 {%r9, %r10}, %rd9;"}[out]
    return f"{before}{opcode}.{type_} {register}, {', '.join(words)};{after}", out


def integer(target, each=24):
    cases = []
    for names, types, kinds in INTEGER:
        for name in names.split():
            for type_ in next((t for group, t in types.items() if not group or name in group.split()), WIDE):
                seen = set()
                for _ in range(each):
                    bits = {"W": 2 * width(type_)}
                    operands = tuple(operand(k, bits.get(k, width(type_))) for k in kinds)
                    if operands not in seen:
                        seen.add(operands)
                        cases.append((name, type_, operands, *statement(name, type_, kinds, operands)))
    for start in range(0, len(cases), 3000):
        part = cases[start:start + 3000]
        for (name, type_, operands, _, out), code in zip(part, compile_all([c[3] for c in part], target)):
            try:
                low, high = evaluate(code, target, [0] * 4)
            except Unknown:
                continue
            result = low | high << 32 if out == 64 else low
            yield f"{name}.{type_}\t{' '.join(f'{n:x}' for n in operands)}\t{result:x}\t{'folded' if is_constant(code) else 'computed'}"


def scalar_video():
    pick = random.choice
    parts = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
    name = pick("vadd vsub vabsdiff vmin vmax vshl vshr vset vmad".split())
    d, a, b = (pick(["u32", "s32"]) for _ in range(3))
    x, y = "%r0" + pick(parts), "%r1" + pick(parts)
    if name == "vmad":
        signs = pick([".po", "", "", "a", "b", "ab", "c"])
        minus = lambda operand: "-" if operand in signs and signs != ".po" else ""
        plus = ".po" if signs == ".po" else ""
        return (f"vmad.{d}.{a}.{b}{plus}{pick(['', '.sat'])}{pick(['', '.shr7', '.shr15'])} "
                f"%r9, {minus('a')}{x}, {minus('b')}{y}, {minus('c')}%r2;")
    then = pick(["", ".add", ".min", ".max", "merge", "merge"])
    operands = f"%r9{pick(parts[1:]) if then == 'merge' else ''}, {x}, {y}{', %r2' if then else ''};"
    then = then if then.startswith(".") else ""
    if name == "vset":
        return f"vset.{a}.{b}.{pick('eq ne lt le gt ge'.split())}{then} {operands}"
    mode = "." + pick(["clamp", "wrap"]) if name in ("vshl", "vshr") else ""
    return f"{name}.{d}.{a}.{'u32' if mode else b}{pick(['', '.sat'])}{mode}{then} {operands}"


def simd_video():
    pick = random.choice
    count = pick([2, 4])
    name = pick("vadd vsub vavrg vabsdiff vmin vmax vset".split()) + str(count)
    d, a, b = (pick(["u32", "s32"]) for _ in range(3))
    letter = "h" if count == 2 else "b"

    def choice():
        # `.b1024` would be parsed as a type.
        made = f".{letter}" + "".join(str(random.randrange(2 * count)) for _ in range(count))
        return pick(["", made if made != ".b1024" else ".b1023"])
    mask = "".join(str(i) for i in reversed(range(count)) if random.random() < 0.6)
    operands = f"%r9{f'.{letter}{mask}' if mask else ''}, %r0{choice()}, %r1{choice()}, %r2;"
    if name.startswith("vset"):
        return f"{name}.{a}.{b}.{pick('eq ne lt le gt ge'.split())}{pick(['', '.add'])} {operands}"
    return f"{name}.{d}.{a}.{b}{pick(['', '.sat', '.add'])} {operands}"


def video(target, scalars=1200, simds=400, each=3):
    statements = [scalar_video() for _ in range(scalars)] + [simd_video() for _ in range(simds)]
    for text, code in zip(statements, compile_all(statements, target)):
        cases = []
        for _ in range(each):
            a, b, c = (operand("T", 32) for _ in range(3))
            try:
                cases.append(f"{a:x} {b:x} {c:x} {evaluate(code, target, [a, b, c, 0])[0]:x}")
            except Unknown:
                break
        if cases:
            yield "\t".join([text, *cases])


def main():
    target = "sm_90"
    for name, lines in (("integer", integer), ("video", video)):
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        random.seed(name)
        with open(os.path.join(DATA, name + ".tsv"), "w") as file:
            file.write(f"# {target}, ptxas {machine_code.version()}; made by tests/oracle/values.py\n")
            for line in lines(target):
                file.write(line + "\n")


if __name__ == "__main__":
    main()
