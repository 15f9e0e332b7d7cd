#!/usr/bin/env python3
"""Evaluates the machine code that NVIDIA's assembler generates for a few integer instructions: hardware results without hardware.

The assembler expands some instructions (`vadd`, `bfe.s64`, `addc.sat`, a division …) into several machine instructions, so it
determines their results. This module compiles each of a list of statements as a separate kernel, and computes from the disassembly
what the kernel stores. It supports the integer instructions in such code on sm_75, sm_90 and sm_120, and rejects all others
(Unknown), so that it never guesses. It is not part of the product: `values.py` uses it to record values, which the tests replay.

Statements read %r0 … %r3 (32 bits) and write %r9 and, for a second result, %r10.
"""
import os, re, struct, subprocess, tempfile

PTXAS = os.environ.get("PTXAS", "ptxas")
NVDISASM = os.environ.get("NVDISASM", os.path.join(os.path.dirname(PTXAS), "nvdisasm"))
# Offset of a kernel's parameters in constant bank 0.
PARAMETERS = {"sm_75": 0x160, "sm_80": 0x160, "sm_90": 0x210, "sm_100": 0x380, "sm_120": 0x380}
WORD, PAIR = (1 << 32) - 1, (1 << 64) - 1


class Unknown(Exception):
    """An unsupported instruction or operand."""


def version():
    """Returns the version that the assembler prints."""
    said = subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"release .*", said)[0]


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def compile_all(statements, target, ptx="9.0"):
    """Returns the machine code of each statement: lists of instructions and labels (`name:`)."""
    text = f".version {ptx}\n.target {target}\n.address_size 64\n"
    for i, statement in enumerate(statements):
        text += (f".visible .entry k{i}(.param .u64 p, .param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d) {{\n"
                 ".reg .b64 %rd<19>; .reg .b32 %r<99>; .reg .b16 %h<9>; .reg .pred %p<9>;\nld.param.u64 %rd0, [p]; "
                 "ld.param.u32 %r0, [a]; ld.param.u32 %r1, [b]; ld.param.u32 %r2, [c]; ld.param.u32 %r3, [d];\n"
                 f"mov.b32 %r10, 0;\n{statement}\nst.global.u32 [%rd0], %r9;\nst.global.u32 [%rd0+4], %r10;\nret;\n}}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = folder + "/a.ptx", folder + "/a.cubin"
        with open(source, "w") as file:
            file.write(text)
        made = subprocess.run([PTXAS, "-arch=" + target, source, "-o", binary], capture_output=True, text=True)
        if made.returncode:
            raise ValueError(made.stderr or made.stdout)
        listing = subprocess.run([NVDISASM, "-c", binary], capture_output=True, text=True, check=True).stdout
    code = {}
    parts = re.split(r"\.text\.k(\d+):\n", listing)
    for number, body in zip(parts[1::2], parts[2::2]):
        lines = []
        for line in body.split(".section")[0].splitlines():
            line = re.sub(r"/\*[0-9a-fx]+\*/", "", line).strip()
            if label := re.match(r"(\.L_\w+|\$?[\w$]+):$", line):
                lines.append(label[1] + ":")
            elif line.endswith(";"):
                lines.append(line[:-1].strip())
        code[int(number)] = lines
    return [code[i] for i in range(len(statements))]


def is_constant(lines):
    """Whether the code only stores: the assembler has folded the statement."""
    moves = ("LDC", "LDCU", "ULDC", "MOV", "UMOV", "IMAD.MOV", "IMAD.U32", "HFMA2", "CS2R", "STG", "EXIT", "BRA", "NOP", "S2R", "S2UR")
    return all(line.endswith(":") or line.startswith(moves) for line in lines)


def evaluate(lines, target, arguments):
    """Returns the two words that the kernel stores for four arguments."""
    memory = {PARAMETERS[target] + 8 + 4 * i: value & WORD for i, value in enumerate(arguments)}
    machine = Machine(lambda at: memory.get(at, 0))
    return machine.run(lines)


class Machine:
    def __init__(self, constant):
        self.constant, self.registers, self.predicates, self.stored = constant, {}, {}, {}

    def register(self, name, wide=False):
        if name in ("RZ", "URZ", "SRZ"):
            return 0
        if not wide:
            return self.registers.get(name, 0)
        kind, number = re.match(r"(U?R)(\d+)$", name).groups()
        return self.registers.get(name, 0) | self.registers.get(f"{kind}{int(number) + 1}", 0) << 32

    def write(self, name, value, wide=False):
        if name in ("RZ", "URZ"):
            return
        self.registers[name] = value & WORD
        if wide:
            kind, number = re.match(r"(U?R)(\d+)$", name).groups()
            self.registers[f"{kind}{int(number) + 1}"] = value >> 32 & WORD

    def predicate(self, text):
        name = text.strip().lstrip("!")
        return (name in ("PT", "UPT") or self.predicates.get(name, False)) != text.strip().startswith("!")

    def write_predicate(self, name, value):
        if name not in ("PT", "UPT"):
            self.predicates[name] = bool(value)

    def operand(self, text, wide=False):
        """Returns the value, and whether it is negated or complemented."""
        text = text.replace(".reuse", "").strip()
        negated = text.startswith("-") and not re.match(r"-(0x|\d)", text)
        text = text[1:] if negated else text
        inverted = text.startswith("~")
        text = text[1:] if inverted else text
        text = re.sub(r"\.64$", "", text)
        limit = PAIR if wide else WORD
        if place := re.match(r"c\[0x0\] ?\[(0x[0-9a-f]+)\]$", text):
            at = int(place[1], 16)
            value = self.constant(at) | (self.constant(at + 4) << 32 if wide else 0)
        elif re.match(r"-?(0x[0-9a-f]+|\d+)$", text):
            value = int(text, 0) & limit
        elif re.match(r"U?R(\d+|Z)$", text):
            value = self.register(text, wide)
        else:
            raise Unknown("operand " + text)
        return value, negated, inverted

    def value(self, text, wide=False):
        value, negated, inverted = self.operand(text, wide)
        value = -value if negated else ~value if inverted else value
        return value & (PAIR if wide else WORD)

    def number(self, text, plain):
        value, negated, _ = self.operand(text)
        value = value if plain else signed(value)
        return -value if negated else value

    def total(self, texts, carry):
        """Returns the sum and the outgoing carries: a negated operand is its complement plus one."""
        for text in texts:
            value, negated, inverted = self.operand(text)
            carry += (~value & WORD) + 1 if negated else ~value & WORD if inverted else value
        return carry

    def run(self, lines):
        labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
        at, left = 0, 10_000
        while at < len(lines) and left:
            line, at, left = lines[at], at + 1, left - 1
            if line.endswith(":"):
                continue
            if guard := re.match(r"@(!?U?P\w+) +(.*)", line):
                if not self.predicate(guard[1]):
                    continue
                line = guard[2]
            name, _, rest = line.partition(" ")
            operands = [o.strip() for o in rest.split(", ")] if rest else []
            if name == "EXIT":
                return self.stored.get(0), self.stored.get(4)
            if name == "BRA":
                label = re.search(r"`\((\.?\w+)\)", rest)
                if not label or label[1] not in labels:
                    raise Unknown(line)
                if all(self.predicate(o) for o in operands if re.match(r"!?U?P\d", o)):
                    at = labels[label[1]]
                continue
            self.step(name, operands)
        raise Unknown("no end")

    def step(self, name, o):
        word, *modifiers = name.split(".")
        if word.startswith("U"):
            word = word[1:]
        method = getattr(self, "do_" + word.lower(), None)
        if word in ("NOP", "S2R"):
            return
        # Additions that saturate, and loads that extend a sign.
        if method is None or {"ISAT", "S8", "S16"} & set(modifiers) and word in ("VIADD", "IADD3", "LDC", "LDCU"):
            raise Unknown(name)
        method(modifiers, o)

    def do_ldc(self, modifiers, o):
        if sub := [m for m in modifiers if m in ("U8", "U16")]:
            at = int(re.match(r"c\[0x0\]\[(0x[0-9a-f]+)\]$", o[1])[1], 16)
            return self.write(o[0], self.constant(at & ~3) >> 8 * (at & 3) & (0xff if sub == ["U8"] else 0xffff))
        self.write(o[0], self.value(o[1], "64" in modifiers), "64" in modifiers)

    do_ldcu = do_ldc

    def do_stg(self, modifiers, o):
        at = re.search(r"\+(0x[0-9a-f]+)\]", o[0])
        at = int(at[1], 16) if at else 0
        value = self.value(o[1], "64" in modifiers)
        self.stored[at] = value & WORD
        if "64" in modifiers:
            self.stored[at + 4] = value >> 32

    def do_mov(self, modifiers, o):
        self.write(o[0], self.value(o[1], "64" in modifiers), "64" in modifiers)

    def do_cs2r(self, modifiers, o):
        if o[1] != "SRZ":
            raise Unknown("CS2R " + o[1])
        self.write(o[0], 0, "32" not in modifiers)

    def do_hfma2(self, _, o):
        # A constant given as two halves: 0 * 0 + constant.
        if o[1] not in ("-RZ", "RZ"):
            raise Unknown("HFMA2 " + o[1])
        self.write(o[0], self.half(o[3]) << 16 | self.half(o[4]))

    @staticmethod
    def half(text):
        # The disassembler does not show the payload of the NaN.
        if "NAN" in text:
            raise Unknown(text)
        return struct.unpack("<H", struct.pack("<e", float(text)))[0]

    def do_iadd3(self, modifiers, o):
        if "64" in modifiers:
            terms = [t for t in o[1:] if not re.match(r"!?U?P(\d|T)", t)]
            return self.write(o[0], sum(self.value(t, True) for t in terms), True)
        rest = o[1:]
        carries = []
        while re.match(r"U?P(\d|T)", rest[0]):
            carries.append(rest.pop(0))
        terms = [t for t in rest if not re.match(r"!?U?P(\d|T)", t)]
        flags = [t for t in rest if re.match(r"!?U?P(\d|T)", t)]
        total = self.total(terms, sum(self.predicate(f) for f in flags) if "X" in modifiers else 0)
        self.write(o[0], total)
        for i, carry in enumerate(carries):
            self.write_predicate(carry, total >> 32 > i)

    do_iadd = do_viadd = do_iadd3

    def do_imad(self, modifiers, o):
        if modifiers[:1] == ["MOV"] or (modifiers == ["U32"] and o[1] == "RZ"):
            return self.write(o[0], self.value(o[3]))
        if modifiers == ["IADD"]:
            return self.write(o[0], self.total([o[1], o[3]], 0))
        come = self.predicate(o[-1]) if "X" in modifiers else 0
        modifiers = [m for m in modifiers if m != "X"]
        carry = o.pop(1) if re.match(r"U?P\d", o[1]) else None
        product = self.number(o[1], "U32" in modifiers) * self.number(o[2], "U32" in modifiers)
        if "WIDE" not in modifiers and "HI" not in modifiers:
            if modifiers not in ([], ["U32"], ["SHL", "U32"]):
                raise Unknown("IMAD." + ".".join(modifiers))
            return self.write(o[0], product + self.value(o[3]) + come)
        total = (product & PAIR) + self.value(o[3], True) + come
        if carry:
            self.write_predicate(carry, total >> 64)
        self.write(o[0], total if "WIDE" in modifiers else total >> 32, "WIDE" in modifiers)

    def do_isetp(self, modifiers, o):
        compare, join = modifiers[0], next(m for m in modifiers if m in ("AND", "OR", "XOR"))
        wide = "S64" in modifiers or "U64" in modifiers
        a, b = self.value(o[2], wide), self.value(o[3], wide)
        if "U32" not in modifiers and "U64" not in modifiers:
            a, b = signed(a, 64 if wide else 32), signed(b, 64 if wide else 32)
        # With .EX these are the upper words, and the last predicate is the result for the lower ones.
        lower = self.predicate(o[5]) if "EX" in modifiers else {"LT": 0, "GT": 0, "NE": 0}.get(compare, 1)
        outcome = {"LT": a < b or a == b and lower, "LE": a < b or a == b and lower, "GT": a > b or a == b and lower,
                   "GE": a > b or a == b and lower, "EQ": a == b and lower, "NE": a != b or lower}[compare]
        joined = self.predicate(o[4])
        for name, value in ((o[0], bool(outcome)), (o[1], not outcome)):
            self.write_predicate(name, {"AND": value and joined, "OR": value or joined, "XOR": value != joined}[join])

    def do_sel(self, modifiers, o):
        wide = "64" in modifiers
        self.write(o[0], self.value(o[1] if self.predicate(o[3]) else o[2], wide), wide)

    def do_lop3(self, _, o):
        flag = o.pop(0) if re.match(r"U?P(\d|T)", o[0]) else None
        a, b, c, table, out = self.value(o[1]), self.value(o[2]), self.value(o[3]), int(o[4], 0), 0
        for row in range(8):
            if table >> row & 1:
                out |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c) & WORD
        self.write(o[0], out)
        if flag:
            self.write_predicate(flag, out or self.predicate(o[5]))

    def do_plop3(self, _, o):
        # `PLOP3.LUT P0, PT, R0.SIGN, c[0x0] [0x170].SIGN, R3.SIGN, 0x2, 0x0`
        sign = lambda t: self.value(t.removesuffix(".SIGN")) >> 31 if t.endswith(".SIGN") else int(self.predicate(t))
        row = sign(o[2].replace(".reuse", "")) << 2 | sign(o[3].replace(".reuse", "")) << 1 | sign(o[4].replace(".reuse", ""))
        self.write_predicate(o[0], int(o[5], 0) >> row & 1)
        self.write_predicate(o[1], int(o[6], 0) >> row & 1)

    def do_prmt(self, modifiers, o):
        if modifiers:
            raise Unknown("PRMT." + modifiers[0])
        source, digits, out = self.value(o[1]) | self.value(o[3]) << 32, self.value(o[2]), 0
        for place in range(4):
            digit = digits >> 4 * place & 15
            byte = source >> 8 * (digit & 7) & 255
            out |= ((255 if byte >> 7 else 0) if digit & 8 else byte) << 8 * place
        self.write(o[0], out)

    def do_shf(self, modifiers, o):
        low, distance, high = self.value(o[1]), self.value(o[2]), self.value(o[3])
        kind = next(m for m in modifiers if m in ("U32", "S32", "U64", "S64"))
        bits = int(kind[1:])
        distance = distance % bits if "W" in modifiers else min(distance, bits)
        source = low | high << 32
        if "L" in modifiers:
            if kind == "U32" and "HI" not in modifiers:
                return self.write(o[0], low << distance)
            return self.write(o[0], source << distance >> (32 if "HI" in modifiers else 0))
        source = signed(source, 64) if kind[0] == "S" else source
        self.write(o[0], source >> distance >> (32 if "HI" in modifiers else 0))

    def do_lea(self, modifiers, o):
        if modifiers[:1] != ["HI"]:
            raise Unknown("LEA")
        if "SX32" in modifiers:
            shifted, carry = signed(self.value(o[1])) << self.value(o[3]), o[4:]
        else:
            shifted, carry = (self.value(o[1]) | self.value(o[3]) << 32) << self.value(o[4]) & PAIR, o[5:]
        self.write(o[0], (shifted >> 32) + self.value(o[2]) + (self.predicate(carry[0]) if "X" in modifiers else 0))

    def do_iabs(self, _, o):
        self.write(o[0], abs(signed(self.value(o[1]))))

    def do_imnmx(self, modifiers, o):
        wide = "S64" in modifiers or "U64" in modifiers
        plain = "U32" in modifiers or "U64" in modifiers
        if modifiers not in ([], ["U32"], ["S32"], ["S64"], ["U64"]):
            raise Unknown("IMNMX." + ".".join(modifiers))
        # `IMNMX.S64 PT, PT, R2, R2, R4, PT, !PT` or `IMNMX R2, R2, R4, PT`: a true predicate selects the minimum.
        o = o[2:] if o[0] in ("PT", "UPT") else o
        key = (lambda v: v) if plain else (lambda v: signed(v, 64 if wide else 32))
        choose = min if self.predicate(o[3]) else max
        self.write(o[0], choose(self.value(o[1], wide), self.value(o[2], wide), key=key), wide)

    do_vimnmx = do_imnmx

    def do_i2i(self, modifiers, o):
        ranges = {"S8": (-128, 127), "U8": (0, 255), "S16": (-32768, 32767), "U16": (0, 65535)}
        if modifiers[1:] != ["S32", "SAT"]:
            raise Unknown("I2I." + ".".join(modifiers))
        low, high = ranges[modifiers[0]]
        self.write(o[0], max(low, min(high, signed(self.value(o[1])))))

    def do_sgxt(self, modifiers, o):
        # .W takes the width modulo 32; otherwise widths above 32 count as 32.
        width = self.value(o[2])
        width = width & 31 if "W" in modifiers else min(width, 32)
        part = self.value(o[1]) & (1 << width) - 1
        self.write(o[0], part if "U32" in modifiers or not width else signed(part, width))

    def do_popc(self, _, o):
        self.write(o[0], self.value(o[1]).bit_count())

    def do_brev(self, _, o):
        self.write(o[0], int(f"{self.value(o[1]):032b}"[::-1], 2))

    def do_flo(self, modifiers, o):
        # The highest significant bit, counted from the top with .SH; all ones if there is none.
        value = self.value(o[1])
        value = value if "U32" in modifiers or not value >> 31 else ~value & WORD
        place = value.bit_length() - 1
        self.write(o[0], WORD if place < 0 else 31 - place if "SH" in modifiers else place)
