"""Makes mutants of single lines of a PTX file: typical mistakes, each with the name of its kind.

A mutant replaces a part of one line and keeps the number of lines, so that the assembler's line numbers stay comparable.
"""
import glob, os, re
from kinds import KINDS  # noqa: F401 (used by the importers of this module)

TOKEN = re.compile(r'//.*|/\*.*?\*/|"[^"]*"?|0[fF][0-9a-fA-F]+|0[dD][0-9a-fA-F]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d\w*|[%$_A-Za-z][\w$]*|\.[A-Za-z_][\w]*(?:::\w+)*|\s+|.')
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "server", "isa", "data")
SPACES = (".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex")
LINKING = (".visible", ".extern", ".weak", ".common")
TYPES = (".u8", ".u16", ".u32", ".u64", ".s16", ".s32", ".s64", ".f16", ".f16x2", ".bf16", ".f32", ".f64", ".b8", ".b16", ".b32", ".b64", ".b128", ".pred", ".texref")
INSTRUCTION = re.compile(r"^(\s*)(?:(@\s*!?\s*[%\w$]+)(\s+))?([a-z]\w*)((?:\.[A-Za-z_][\w]*(?:::\w+)*)*)(?=[\s;])([^;]*);(\s*(?://.*)?)$")
LABEL = re.compile(r"^\s*[%$_A-Za-z][\w$]*\s*:\s*(//.*)?$")
MAX_LENGTH = 600  # characters: longer lines are tables


def tables():
    """Returns modifiers by opcode, all modifiers and all opcodes, from the data files."""
    own, every, opcodes, opcode = {}, set(), set(), None
    for path in sorted(glob.glob(os.path.join(DATA, "*.isa"))):
        for line in open(path):
            if m := re.match(r"(opcode|unchecked) (\w+)", line):
                opcode = m[2]
                opcodes.add(opcode)
            elif m := re.match(r"(modifier|space) (\.[\w:]+)(?=\s)", line):
                every.add(m[2])
            elif m := re.match(r"type (\S+)", line):
                every.add("." + m[1])
            elif re.match(r"\S", line) and not line.startswith(("set", "family")):
                opcode = None
            if opcode:
                words = own.setdefault(opcode, set())
                if m := re.match(r"\s+form (.*)", line):
                    words.update(re.findall(r"\.[a-zA-Z_]\w*(?:::\w+)*", m[1].split(" ")[0]))
                elif m := re.match(r"\s+\w+ = (.*)", line):
                    words.update("." + w.lstrip(".") for w in m[1].split() if re.match(r"\.?[a-z]\w*$", w))
    own = {op: sorted(w for w in words if w in every) for op, words in own.items()}
    return own, sorted(every), sorted(opcodes)


OWN, EVERY, OPCODES = tables()


class Line:
    """A line of a file, with its role and content."""

    def __init__(self, number, text):
        self.number, self.text, self.role, self.key = number, text, "other", ""
        self.tokens, at = [], 0
        for token in TOKEN.findall(text):
            if not token.isspace() and not token.startswith(("//", "/*")):
                self.tokens.append((at, token))
            at += len(token)

    def replaced(self, start, end, new):
        return self.text[:start] + new + self.text[end:]


def lines_of(text):
    """Returns the lines of a file, each with its role and a key that identifies rare ones."""
    out, depth, parens, inside, comment = [], 0, 0, None, False
    for number, content in enumerate(text.split("\n")):
        if comment or content.lstrip().startswith("/*"):
            comment = "*/" not in content
            out.append(Line(number, ""))
            continue
        line = Line(number, content)
        out.append(line)
        words = [t for _, t in line.tokens]
        if not words or len(content) > MAX_LENGTH:
            line.role, line.tokens = "blank", []
        elif inside == "call":
            line.role = line.key = "call-line"
        elif parens:
            line.role = line.key = "parameter" if words[0] in (".param", ".reg") else "signature"
        elif words[0] in (".version", ".target", ".address_size"):
            line.role, line.key = "header", words[0]
        elif ".entry" in words or ".func" in words:
            line.role, line.key = "signature", next(w for w in words if w in (".entry", ".func"))
        elif words[0] in SPACES or words[0] in LINKING:
            line.role, line.key = "declaration", " ".join(w for w in words if w[0] == ".")
        elif words[0][0] == ".":
            line.role = line.key = "directive"
            line.key = words[0]
        elif LABEL.match(content):
            line.role = line.key = "label"
        elif m := INSTRUCTION.match(content):
            line.role, line.match = "instruction", m
            line.key = m[4] + "".join(w for w in re.findall(r"\.[\w:]+", m[5]) if w not in TYPES)
        elif words[0] == "call" or words[:1] == ["@"] and "call" in words:
            line.role, inside = "call-line", "call"
            line.key = "call"
        if inside == "call" and ";" in words:
            inside = None
        for w in words:
            depth += (w == "{") - (w == "}")
            parens = max(0, parens + (w == "(") - (w == ")"))
    return out


def operands(match):
    """Returns the ranges of an instruction's operands in its line."""
    out, level, start = [], 0, match.start(6)
    for at in range(match.start(6), match.end(6)):
        c = match.string[at]
        level += (c in "([{") - (c in ")]}")
        if c == "," and level == 0:
            out.append((start, at))
            start = at + 1
    if match[6].strip():
        out.append((start, match.end(6)))
    trim = lambda s, e: (s + len(match.string[s:e]) - len(match.string[s:e].lstrip()), e - (len(match.string[s:e]) - len(match.string[s:e].rstrip())))
    return [trim(s, e) for s, e in out]


def misspelt(rng, word):
    letters = [i for i, c in enumerate(word) if c.isalnum()]
    if not letters:
        return None
    at, way = rng.choice(letters), rng.randrange(3)
    if way == 0 and len(word) > 2:
        return word[:at] + word[at + 1:]
    if way == 1:
        return word[:at] + word[at] + word[at:]
    other = at + 1 if at + 1 < len(word) else at - 1
    a, b = min(at, other), max(at, other)
    return word[:a] + word[b] + word[a] + word[b + 1:]


def is_number(token):
    return token[0].isdigit()


def is_float(token):
    return bool(re.match(r"0[fFdD][0-9a-fA-F]+$|\d+\.", token))


def prefix(name):
    return name.rstrip("0123456789")


class Maker:
    """Makes mutants of the lines of one file."""

    def __init__(self, rng, lines):
        self.rng, self.lines = rng, lines
        self.names = sorted({t for l in lines for _, t in l.tokens if re.match(r"[$_A-Za-z][\w$]*$", t)} - set(OPCODES))

    def registers(self, line):
        """Returns names with `%` near a line, by their kind."""
        near = self.lines[max(0, line.number - 150): line.number + 150]
        out = {}
        for l in near:
            for _, t in l.tokens:
                if t[0] == "%" and t[1:2].isalpha() and t[-1].isdigit():
                    out.setdefault(prefix(t), set()).add(t)
        return {k: sorted(v) for k, v in sorted(out.items())}

    def other_register(self, line, name):
        """Returns a register whose name indicates a different type."""
        groups = [v for k, v in self.registers(line).items() if k != prefix(name)]
        return self.rng.choice(self.rng.choice(groups)) if groups else None

    def make(self, kind, line):
        """Returns the new text of a line, or None if the kind does not apply."""
        new = getattr(self, kind.replace("-", "_"))(line)
        if new is None or new == line.text or "\n" in new:
            return None
        return new

    def pick(self, line, wanted):
        found = [(at, t) for at, t in line.tokens if wanted(t)]
        return self.rng.choice(found) if found else None

    def swap_token(self, line, found, new):
        return line.replaced(found[0], found[0] + len(found[1]), new) if found and new is not None else None

    # Mnemonics.

    def modifiers(self, line):
        m = line.match
        return [(m.start(5) + x.start(), x[0]) for x in re.finditer(r"\.[A-Za-z_]\w*(?:::\w+)*", m[5])]

    def modifier(self, line):
        found = self.modifiers(line)
        return self.rng.choice(found) if found else None

    def modifier_dropped(self, line):
        return self.swap_token(line, self.modifier(line), "")

    def modifier_own(self, line):
        return self.swap_token(line, self.modifier(line), self.rng.choice(OWN.get(line.match[4]) or EVERY))

    def modifier_any(self, line):
        return self.swap_token(line, self.modifier(line), self.rng.choice(EVERY))

    def modifier_misspelt(self, line):
        found = self.modifier(line)
        return self.swap_token(line, found, found and misspelt(self.rng, found[1]))

    def modifier_added(self, line):
        places = [line.match.end(4)] + [at + len(t) for at, t in self.modifiers(line)]
        at = self.rng.choice(places)
        pool = [EVERY, OWN.get(line.match[4]) or EVERY, [t for _, t in self.modifiers(line)] or EVERY]
        return line.replaced(at, at, self.rng.choice(self.rng.choice(pool)))

    def modifier_reordered(self, line):
        found = self.modifiers(line)
        if len(found) < 2:
            return None
        words = [t for _, t in found]
        i = self.rng.randrange(len(words) - 1)
        j = self.rng.randrange(i + 1, len(words))
        words[i], words[j] = words[j], words[i]
        return line.replaced(line.match.start(5), line.match.end(5), "".join(words))

    def opcode_other(self, line):
        return line.replaced(line.match.start(4), line.match.end(4), self.rng.choice(OPCODES))

    def opcode_misspelt(self, line):
        return line.replaced(line.match.start(4), line.match.end(4), misspelt(self.rng, line.match[4]) or "")

    # Operands.

    def in_operands(self, line, wanted):
        m = line.match
        found = [(at, t) for at, t in line.tokens if m.start(6) <= at < m.end(6) and wanted(t)]
        return self.rng.choice(found) if found else None

    def register(self, line):
        return self.in_operands(line, lambda t: t[0] == "%" and len(t) > 1)

    def number(self, line):
        return self.in_operands(line, is_number)

    def register_type(self, line):
        found = self.register(line)
        return self.swap_token(line, found, found and self.other_register(line, found[1]))

    def register_undeclared(self, line):
        found = self.register(line)
        return self.swap_token(line, found, found and self.rng.choice((found[1] + "_", prefix(found[1]) + "987654", found[1][:-1] or "%", found[1][1:])))

    def register_immediate(self, line):
        return self.swap_token(line, self.register(line), self.rng.choice(("0", "1", "-3", "0f3F800000", "1.5", "0d3FF0000000000000", "64")))

    def immediate_register(self, line):
        groups = self.registers(line)
        return self.swap_token(line, self.number(line), self.rng.choice(self.rng.choice(list(groups.values()))) if groups else None)

    def immediate_class(self, line):
        found = self.number(line)
        return self.swap_token(line, found, found and self.rng.choice(("1", "0x3f800000") if is_float(found[1]) else ("1.0", "0f3F800000", "0d3FF0000000000000")))

    def immediate_range(self, line):
        new = ("-1", "33", "256", "65536", "4294967296", "0xffffffffffffffffff", "99999999999999999999", "08", "0x", "1U", "-0x80000001", "3")
        return self.swap_token(line, self.number(line), self.rng.choice(new))

    def operand_dropped(self, line):
        found = operands(line.match)
        if not found:
            return None
        i = self.rng.randrange(len(found))
        start, end = found[i]
        if i + 1 < len(found):
            end = found[i + 1][0]
        elif i:
            start = found[i - 1][1]
        return line.replaced(start, end, "")

    def operand_added(self, line):
        found = operands(line.match)
        if not found:
            return line.replaced(line.match.end(6), line.match.end(6), " 1")
        start, end = self.rng.choice(found)
        text = line.text[start:end]
        pool = [text, "1", "_", "%tid.x"] + [r for v in self.registers(line).values() for r in v[:1]]
        return line.replaced(end, end, ", " + self.rng.choice(pool))

    def operand_swapped(self, line):
        found = operands(line.match)
        if len(found) < 2:
            return None
        i = self.rng.randrange(len(found) - 1)
        j = self.rng.randrange(i + 1, len(found))
        (a, b), (c, d) = found[i], found[j]
        return line.text[:a] + line.text[c:d] + line.text[b:c] + line.text[a:b] + line.text[d:]

    def operand_sink(self, line):
        found = self.register(line)
        return self.swap_token(line, found, "_")

    def operand_special(self, line):
        new = ("%tid", "%tid.x", "%ctaid.w", "%laneid", "%clock64", "%clock", "%gridid", "%lanemask_lt", "%warpid.x", "%envreg1", "%nosuch", "WARP_SZ", "-WARP_SZ", "%ntid.q")
        return self.swap_token(line, self.register(line), self.rng.choice(new))

    def special_register(self, line):
        m = re.search(r"%(n?tid|n?ctaid|cluster\w+|is_\w+|laneid|warpid|clock\w*|lanemask_\w+|globaltimer\w*|smid)(\.\w)?", line.text)
        if not m:
            return None
        return line.replaced(m.start(), m.end(), self.rng.choice(("%" + m[1], "%" + m[1] + ".q", "%" + m[1] + ".w", "%" + m[1] + ".x", "%" + m[1][:-1] + (m[2] or ""), "%tid.b0", "%ctaid.x.y", "%laneid.x")))

    def operand_negated(self, line):
        found = operands(line.match)
        if not found:
            return None
        start, _ = self.rng.choice(found)
        return line.replaced(start, start, self.rng.choice("!-~+"))

    def operand_pair(self, line):
        found = self.register(line)
        if not found:
            return None
        return self.swap_token(line, found, found[1] + "|" + self.rng.choice((found[1], "_", self.other_register(line, found[1]) or "_")))

    def operand_component(self, line):
        found = self.register(line)
        return self.swap_token(line, found, found and found[1] + self.rng.choice((".x", ".y", ".w", ".b0", ".h1", ".q", ".0", "[0]")))

    def name_misspelt(self, line):
        found = self.in_operands(line, lambda t: t[0].isalpha() or t[0] in "_$" and len(t) > 1)
        return self.swap_token(line, found, found and misspelt(self.rng, found[1]))

    def name_other(self, line):
        found = self.in_operands(line, lambda t: t[0].isalpha() or t[0] in "_$%" and len(t) > 1)
        return self.swap_token(line, found, self.rng.choice(self.names) if self.names else None)

    # Lists.

    def vector_length(self, line):
        m = re.search(r"\.v[248]\b|\.x[124]\b", line.match[5])
        lists = list(re.finditer(r"\{([^{}]*)\}", line.match[6]))
        if m and (not lists or self.rng.random() < 0.4):
            at = line.match.start(5) + m.start()
            new = ("", ".v2", ".v4", ".v8", ".v3") if m[0][1] == "v" else ("", ".x1", ".x2", ".x4", ".x8")
            return line.replaced(at, at + len(m[0]), self.rng.choice(new))
        if not lists:
            return None
        found = self.rng.choice(lists)
        parts = found[1].split(",")
        parts = self.rng.choice((parts[:-1], parts[1:], parts + parts[-1:], parts + parts, parts[:1], []))
        at = line.match.start(6)
        return line.replaced(at + found.start(1), at + found.end(1), ",".join(parts))

    def braces_dropped(self, line):
        found = list(re.finditer(r"\{([^{}]*)\}", line.match[6]))
        if not found:
            return None
        found, at = self.rng.choice(found), line.match.start(6)
        return line.replaced(at + found.start(), at + found.end(), found[1])

    def braces_added(self, line):
        found = operands(line.match)
        if not found:
            return None
        start, end = self.rng.choice(found)
        text = line.text[start:end]
        return line.replaced(start, end, "{" + self.rng.choice((text, text + ", " + text, text + "," + text + "," + text + "," + text)) + "}")

    # Guards.

    def guard(self, line):
        preds = self.registers(line).get("%p")
        others = [r for k, v in self.registers(line).items() if k != "%p" for r in v[:1]]
        pool = ["@%tid.x ", "@1 ", "@%p_none "] + ["@" + p + " " for p in others] + [f"@{s}{p} " for p in (preds or [])[:2] for s in ("", "!", "!!", "-", " ! ")]
        m = line.match
        if m[2]:
            if self.rng.random() < 0.3:
                return line.replaced(m.start(2), m.end(3), "")
            return line.replaced(m.start(2), m.end(3), self.rng.choice(pool + [m[2].replace("@", "") + " ", m[2] + m[2] + " "]))
        return line.replaced(m.start(4), m.start(4), self.rng.choice(pool))

    # Addresses.

    def address(self, line):
        found = list(re.finditer(r"\[([^\[\]]*)\]", line.match[6]))
        if not found:
            return None
        found, at = self.rng.choice(found), line.match.start(6)
        return at + found.start(), at + found.end(), found[1]

    def address_brackets(self, line):
        if found := self.address(line):
            return line.replaced(found[0], found[1], found[2])

    def brackets_added(self, line):
        found = operands(line.match)
        if found:
            start, end = self.rng.choice(found)
            return line.replaced(start, end, "[" + line.text[start:end] + "]")

    def address_offset(self, line):
        if found := self.address(line):
            registers = [r for v in self.registers(line).values() for r in v[:1]] or ["%r1"]
            base = found[2].split("+")[0]
            new = ("+4.0", "-4", "+-4", "+4+4", "*4", "+" + self.rng.choice(registers), "+0f3F800000", "+0x100000000", "+", "+(4*2)", "+WARP_SZ", " 4", "+ 3", "+-0x80000001")
            return line.replaced(found[0] + 1, found[1] - 1, base + self.rng.choice(new))

    def address_base(self, line):
        if found := self.address(line):
            registers = [r for v in self.registers(line).values() for r in v[:1]] or ["%r1"]
            m = re.match(r"\s*[%\w$]+", found[2])
            pool = registers + self.names[:50] + ["16", "0", "1.0", "_", "", "%tid.x"]
            return line.replaced(found[0] + 1, found[0] + 1 + (m.end() if m else 0), self.rng.choice(pool))

    def address_space(self, line):
        found = [(at, t) for at, t in self.modifiers(line) if t.split("::")[0] in SPACES]
        if found:
            new = ("", "", ".global", ".shared", ".local", ".const", ".param", ".shared::cta", ".shared::cluster", ".tex", ".reg", ".param::entry")
            return self.swap_token(line, self.rng.choice(found), self.rng.choice(new))

    # The header of the module.

    def header(self, line):
        words = [t for _, t in line.tokens]
        if words[0] == ".version":
            new = ("1.0", "1.4", "2.0", "2.2", "2.3", "3.0", "3.1", "3.2", "4.0", "4.2", "5.0", "6.0", "6.2", "6.3", "6.4", "6.5", "7.0", "7.1", "7.4", "7.8", "8.0", "8.1", "8.3", "8.5", "8.6", "8.7", "8.8", "9.0", "9.1",
                   "9.5", "9.6", "10.0", "7", "7.", "a.b", "8.10", "-8.0", "8.0.1", "0.0", "")
            return re.sub(r"(\.version\s+)\S+", r"\g<1>" + self.rng.choice(new), line.text)
        if words[0] == ".target":
            name = re.search(r"\.target\s+(\w+)", line.text)
            if not name:
                return None
            new = ["sm_10", "sm_20", "sm_30", "sm_35", "sm_50", "sm_53", "sm_60", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101a", "sm_103a", "sm_110a",
                   "sm_120", "sm_120a", "sm_121f", "sm_99", "sm90", "sm_90b", "compute_80", "texmode_independent", name[1].rstrip("af"), name[1] + "a", name[1] + ", debug",
                   name[1] + ", texmode_independent", name[1] + ", texmode_unified", name[1] + ", map_f64_to_f32", name[1] + ", " + name[1], name[1] + ", sm_80", name[1] + " sm_80", name[1] + ",", ""]
            return line.replaced(name.start(1), name.end(1), self.rng.choice(new))
        return re.sub(r"\d+", lambda _: self.rng.choice(("32", "64", "16", "0", "64.0", "-64", "")), line.text)

    # Declarations and parameters.

    def declaration_type(self, line):
        return self.swap_token(line, self.pick(line, lambda t: t in TYPES), self.rng.choice(TYPES + ("", ".b33", ".v2", ".f128", ".b32.b32")))

    def declaration_count(self, line):
        m = re.search(r"<\s*(\w+)\s*>", line.text)
        return line.replaced(m.start(), m.end(), self.rng.choice(("<1>", "<2>", "<3>", "<5>", "<0>", "<-1>", "<99999>", "", "<>", "<4.0>", "<" + m[1], "[4]", "<0x10>", "<n>"))) if m else None

    def declaration_removed(self, line):
        return ""

    def declaration_doubled(self, line):
        return line.text + " " + line.text.strip()

    def declaration_space(self, line):
        return self.swap_token(line, self.pick(line, lambda t: t in SPACES), self.rng.choice(SPACES + ("", ".shared::cta", ".global.shared")))

    def declaration_alignment(self, line):
        m = re.search(r"\.align\s+(\w+)", line.text)
        new = (".align 3", ".align 0", ".align 1", ".align 2", ".align 128", ".align 256", ".align 65536", ".align -4", ".align 4.0", ".align", "", ".align 4 .align 8", ".align (4)", ".align 0x10", ".allign 4")
        if m:
            return line.replaced(m.start(), m.end(), self.rng.choice(new))
        found = self.pick(line, lambda t: t in SPACES)
        return line.replaced(found[0] + len(found[1]), found[0] + len(found[1]), " " + self.rng.choice(new)) if found else None

    def declaration_size(self, line):
        m = re.search(r"\[\s*(\w*)\s*\]", line.text)
        new = ("[]", "[0]", "[-1]", "[1]", "[2]", "[4.0]", "", "[n]", "[2][2]", "[2][]", "[][2]", "[4*2]", "[0x7fffffff]", "[WARP_SZ]", "[4", "(4)")
        if m:
            return line.replaced(m.start(), m.end(), self.rng.choice(new))
        found = [(at, t) for at, t in line.tokens if re.match(r"[%$_A-Za-z]", t)]
        return line.replaced(found[-1][0] + len(found[-1][1]), found[-1][0] + len(found[-1][1]), self.rng.choice(new)) if found else None

    def declaration_initializer(self, line):
        m = re.search(r"\s*=\s*[^;]*", line.text)
        name = self.rng.choice(self.names) if self.names else "x"
        new = (" = 1", " = 1.0", " = {1, 2}", " = {1.0}", " = {{1}}", " = {}", " =", " = " + name, " = {" + name + "}", " = generic(" + name + ")", ' = "text"', " = -1", " = 300", " = 1/0", " = 0f3F800000", " = 1+1.0", " = ~0", " = {1,}", " 1", " = {" + ", ".join("1" * 300) + "}", " = 0xff(" + name + ")", " = " + name + "+4")
        if m:
            return line.replaced(m.start(), m.end(), self.rng.choice(new + ("",)))
        at = line.text.rfind(";")
        return line.replaced(at, at, self.rng.choice(new)) if at >= 0 else None

    def declaration_element(self, line):
        m = re.search(r"=\s*\{", line.text)
        found = [(at, t) for at, t in line.tokens if m and at >= m.end() and is_number(t)]
        return self.swap_token(line, self.rng.choice(found), self.rng.choice(("1.0", "-1", "256", "x", "0f3F800000", "", "1+1", "{1}", "99999999999999999999"))) if found else None

    def declaration_name(self, line):
        found = self.pick(line, lambda t: re.match(r"[%$_A-Za-z]", t) and len(t) > 1)
        others = [t for _, t in (self.rng.choice(self.lines).tokens or [(0, "x")]) if re.match(r"[%$_A-Za-z]", t)]
        new = found and self.rng.choice((misspelt(self.rng, found[1]), self.rng.choice(others or ["x"]), "%tid", "1x", "", "mov", "WARP_SZ", "a-b", found[1] + ", " + found[1], ".u32", "_"))
        return self.swap_token(line, found, new)

    def declaration_linking(self, line):
        found = self.pick(line, lambda t: t in LINKING)
        if found:
            return self.swap_token(line, found, self.rng.choice(LINKING + ("", ".visible .extern", ".visable")))
        at = line.tokens[0][0]
        return line.replaced(at, at, self.rng.choice(LINKING + (".visible .weak",)) + " ")

    def declaration_vector(self, line):
        found = self.pick(line, lambda t: t in TYPES)
        return line.replaced(found[0], found[0], self.rng.choice((".v2 ", ".v4 ", ".v3 ", ".v8 ", ".v16 "))) if found else None

    def declaration_attribute(self, line):
        found = self.pick(line, lambda t: t in SPACES)
        new = (".attribute(.managed)", ".attribute(.unified(1, 2))", ".attribute()", ".attribute(.foo)", ".attribute", ".ptr", ".ptr .global .align 4", ".const", ".noinline")
        return line.replaced(found[0] + len(found[1]), found[0] + len(found[1]), " " + self.rng.choice(new)) if found else None

    # Labels and calls.

    def label_removed(self, line):
        return ""

    def label_doubled(self, line):
        return line.text + " " + line.text.strip()

    def label_misspelt(self, line):
        found = line.tokens[0]
        return self.swap_token(line, found, misspelt(self.rng, found[1]))

    def label_other(self, line):
        return self.swap_token(line, line.tokens[0], self.rng.choice(self.names + ["%r1", "1", ".L", "mov", "%tid"]))

    def call(self, line):
        found = [(at, t) for at, t in line.tokens if re.match(r"[%$_A-Za-z]\w", t) and t != "call"]
        way = self.rng.randrange(6)
        if way == 0 and line.role == "call-line":
            return ""
        if not found:
            return self.token_dropped(line)
        at, token = self.rng.choice(found)
        if way <= 1:
            return line.replaced(at, at + len(token), "")
        if way == 2:
            return line.replaced(at, at + len(token), token + ", " + token)
        if way == 3:
            return line.replaced(at, at + len(token), misspelt(self.rng, token))
        pool = self.names + [r for v in self.registers(line).values() for r in v[:1]] + ["1", "1.0", "_"]
        return line.replaced(at, at + len(token), self.rng.choice(pool))

    # Directives.

    def directive_removed(self, line):
        return ""

    def directive_doubled(self, line):
        return line.text + " " + line.text.strip()

    def directive_name(self, line):
        names = (".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".noreturn", ".pragma", ".section", ".file", ".loc", ".visible", ".extern", ".weak", ".common", ".entry", ".func",
                 ".reqnctapercluster", ".explicitcluster", ".maxclusterrank", ".blocksareclusters", ".alias", ".branchtargets", ".callprototype", ".target", ".version", ".abi_preserve")
        found = self.pick(line, lambda t: t[0] == "." and len(t) > 1)
        return self.swap_token(line, found, found and self.rng.choice((misspelt(self.rng, found[1]),) + names + (found[1] + " " + found[1], "")))

    def directive_argument(self, line):
        found = self.pick(line, lambda t: t[0] != "." and t != ";")
        pool = ("0", "1", "-1", "1025", "99999999999", "1.0", "x", "", '"x"', "1, 1", "1, 1, 1, 1", ",", "%r1", ".b32", "(1)")
        return self.swap_token(line, found, self.rng.choice(pool))

    def directive_inserted(self, line):
        at = line.tokens[0][0]
        new = (".maxntid 32;", ".maxntid 32, 1, 1", ".reqntid 32", ".pragma \"nounroll\";", ".maxnreg 32", ".noreturn", ".visible", ".extern", ".weak", ".loc 1 1 1", ".file 1 \"x\"", ".align 4", ".local .b32 x;", ".reg .b32 x;", ".reg .b32 y",
               ".shared .b32 z;", ".target sm_90", "{", "}", "{ }", ";", "L_new:", "ret;", ".branchtargets L;", ".callprototype _ ();", "bar.sync 0;", ".func f;", ".entry e () { }", ".section .debug_info { }", "#line 1", "@@dwarf")
        return line.replaced(at, at, self.rng.choice(new) + " ")

    # Any token.

    def punctuation_dropped(self, line):
        return self.swap_token(line, self.pick(line, lambda t: t in ";,{}()[]:@.|!+=<>\""), "")

    def punctuation_doubled(self, line):
        found = self.pick(line, lambda t: t in ";,{}()[]:@.|!+=<>")
        return self.swap_token(line, found, found and found[1] * 2)

    def punctuation_other(self, line):
        found = self.pick(line, lambda t: t in ";,{}()[]:@|!+=<>")
        return self.swap_token(line, found, self.rng.choice(";,{}()[]:.|<>#'?\\`"))

    def token_dropped(self, line):
        return self.swap_token(line, self.pick(line, lambda t: True), "")

    def token_doubled(self, line):
        found = self.pick(line, lambda t: True)
        return self.swap_token(line, found, found and found[1] + " " + found[1])

    def token_swapped(self, line):
        if len(line.tokens) < 2:
            return None
        i = self.rng.randrange(len(line.tokens) - 1)
        j = min(len(line.tokens) - 1, i + self.rng.randrange(1, 4))
        (a, s), (b, t) = line.tokens[i], line.tokens[j]
        return line.text[:a] + t + line.text[a + len(s): b] + s + line.text[b + len(t):]

    def token_other(self, line):
        found = self.pick(line, lambda t: True)
        other = self.rng.choice(self.rng.choice(self.lines).tokens or [(0, "x")])
        return self.swap_token(line, found, other[1])

    def line_removed(self, line):
        return ""

    def line_doubled(self, line):
        return line.text.split("//")[0] + " " + line.text.strip()

    def line_cut(self, line):
        at = self.rng.choice(line.tokens)[0]
        return line.text[:at]
