#!/usr/bin/env python3
"""Changes operands or modifiers of recorded legal statements, and asks NVIDIA's assembler about the results.

usage: PTXAS=/path/to/ptxas variants.py operands|modifiers [--seed N] [--count N] [--only OPCODE…]      compares the assembler with us
       PTXAS=/path/to/ptxas variants.py operands|modifiers --record [--seed N] [--count N]            writes variants/KIND.txt.gz

A comparison prints the agreement, by kind of change, and the disagreements in groups: FALSE = only we refuse the statement, MISSED = only the
assembler does. The kinds are in kinds.py. Every opcode and every combination of its modifiers is chosen equally often, whatever the number of its
statements. A record has the format of verdicts/ and is replayed by the same test.
"""
import argparse, collections, glob, gzip, os, random, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from ask import ask, assembler
from kinds import MODIFIER_KINDS, OPERAND_KINDS
from mutate import EVERY, OWN

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
# The registers and variables of declarations.ptx, by prefix.
REGISTERS = {"%p": 8, "%c": 8, "%h": 16, "%r": 40, "%rd": 16, "%f": 40, "%d": 16, "%uh": 4, "%sh": 4, "%u": 8, "%s": 8, "%ud": 4, "%sd": 4, "%hf": 8, "%hx": 8, "%q": 8}
VARIABLES = ("gl", "sm", "lm", "cn", "tx", "su", "lp", "q", "f", "k", "L", "T", "P")
CONSTANTS = ("0", "1", "-1", "7", "1.0", "0f3f800000", "0d3ff0000000000000", "WARP_SZ", "-WARP_SZ", "(1+2)")
SPECIALS = ("%laneid", "%tid.x", "%clock64", "%clock", "%tid", "%ntid", "%smid", "%lanemask_lt", "%gridid", "%envreg1")
SELECTORS = (".x", ".y", ".w", ".b0", ".b1", ".b3", ".h0", ".h1", ".h10", ".b0123", "+0", "+1", "+4", "-4", "+-4", "[0]", "[4]")
REGISTER = re.compile(r"%(?:" + "|".join(sorted((p[1:] for p in REGISTERS), key=len, reverse=True)) + r")\d+(?![\w.])")
TYPE = re.compile(r"\.(?:[usbf]\d+(?:x\d+)?|bf16(?:x2)?|pred|tf32|e\dm\d\w*)$")
TYPES = sorted(m for m in EVERY if TYPE.match(m))


class Statement:
    """A statement in parts: the mnemonic's words, and the operands' texts."""

    def __init__(self, text):
        self.opcode, self.modifiers, rest = re.match(r"(\w+)((?:\.[\w:]+)*)(.*);$", text).groups()
        self.modifiers = re.findall(r"\.\w+(?:::\w+)*", self.modifiers)
        self.operands, level, start = [], 0, 0
        for at, c in enumerate(rest):
            level += (c in "([{") - (c in ")]}")
            if c == "," and level == 0:
                self.operands.append(rest[start:at].strip())
                start = at + 1
        if rest.strip():
            self.operands.append(rest[start:].strip())

    def text(self):
        return self.opcode + "".join(self.modifiers) + (" " + ", ".join(self.operands) if self.operands else "") + ";"


class Changes:
    """The kinds of changes: each method changes a statement, or returns False if it does not apply."""

    def __init__(self, rng):
        self.rng = rng

    def register(self):
        prefix = self.rng.choice(list(REGISTERS))
        return prefix + str(self.rng.randrange(min(4, REGISTERS[prefix])))

    def stranger(self):
        """A scalar operand of any kind."""
        rng = self.rng
        return rng.choice((self.register, self.register, self.register, lambda: rng.choice(CONSTANTS), lambda: rng.choice(SPECIALS), lambda: rng.choice(VARIABLES), lambda: "_"))()

    def one(self, statement, wanted, new):
        """Replaces one part of an operand that matches a pattern."""
        found = [(i, m) for i, o in enumerate(statement.operands) for m in wanted.finditer(o)]
        if not found:
            return False
        # Each operand is chosen equally often, a long list not more often than a scalar.
        place = self.rng.choice(sorted({i for i, _ in found}))
        m = self.rng.choice([m for i, m in found if i == place])
        text = statement.operands[place]
        statement.operands[place] = text[:m.start()] + new(m[0]) + text[m.end():]

    def whole(self, statement, new, wanted=lambda o: True):
        """Replaces an operand."""
        found = [i for i, o in enumerate(statement.operands) if wanted(o)]
        if not found:
            return False
        place = self.rng.choice(found)
        statement.operands[place] = new(statement.operands[place])

    def elements(self, statement, new):
        """Replaces the elements of a list."""
        return self.whole(statement, lambda o: "{" + ",".join(new(o[1:-1].split(","))) + "}", lambda o: o[0] == "{" and len(o) > 2)

    def register_type(self, s):
        return self.one(s, REGISTER, lambda _: self.register())

    def operand_types(self, s):
        prefix = self.rng.choice(list(REGISTERS))
        return self.whole(s, lambda o: REGISTER.sub(lambda m: prefix + str(int(re.search(r"\d+", m[0])[0]) % REGISTERS[prefix]), o), REGISTER.search)

    def operand_other(self, s):
        return self.whole(s, lambda _: self.stranger())

    def operand_constant(self, s):
        return self.one(s, REGISTER, lambda _: self.rng.choice(CONSTANTS))

    def operand_special(self, s):
        return self.one(s, REGISTER, lambda _: self.rng.choice(SPECIALS))

    def operand_selector(self, s):
        return self.one(s, REGISTER, lambda r: r + self.rng.choice(SELECTORS))

    def operand_vector(self, s):
        return self.whole(s, lambda _: self.rng.choice(("%v2", "%v4")))

    def operand_sign(self, s):
        return self.whole(s, lambda o: self.rng.choice(("!", "-")) + o)

    def sink(self, s):
        return self.one(s, REGISTER, lambda _: "_")

    def sink_whole(self, s):
        return self.whole(s, lambda _: "_")

    def braces_added(self, s):
        return self.whole(s, lambda o: self.rng.choice(("{%s}", "{%s}", "{%s}", "{%s,%s}", "{%s,%s,%s,%s}")).replace("%s", o), lambda o: o[0] not in "{[(" and "|" not in o)

    def braces_in_address(self, s):
        return self.one(s, re.compile(r"(?<=[\[ ])%\w+(?=[\],])"), lambda r: "{" + self.rng.choice((r, r, r + "," + r)) + "}")

    def braces_dropped(self, s):
        return self.whole(s, lambda o: o.strip("{}"), lambda o: o[0] == "{")

    def list_length(self, s):
        return self.elements(s, lambda e: self.rng.choice((e[:-1], e[1:], e + e[-1:], e + e, e[:1], e[:len(e) // 2])))

    def list_types(self, s):
        def changed(elements):
            prefix = self.rng.choice(list(REGISTERS))
            return [prefix + str(i % REGISTERS[prefix]) for i in range(len(elements))]
        return self.elements(s, changed)

    def list_mixed(self, s):
        def changed(elements):
            pool = [self.stranger() for _ in range(2)]
            return [self.rng.choice([e] + pool) for e in elements]
        return self.elements(s, changed)

    def list_constants(self, s):
        def changed(elements):
            constant = self.rng.choice(CONSTANTS)
            return [constant if self.rng.random() < 0.7 else e for e in elements]
        return self.elements(s, changed)

    def list_sinks(self, s):
        return self.elements(s, lambda e: ["_" if self.rng.random() < 0.6 else x for x in e])

    def list_element(self, s):
        def changed(elements):
            elements = list(elements)
            elements[self.rng.randrange(len(elements))] = self.stranger()
            return elements
        return self.elements(s, changed)

    def address_register(self, s):
        return self.one(s, re.compile(r"(?<=\[)[%\w]+"), lambda _: self.register() + self.rng.choice(("", "", "", "+4")))

    def address_other(self, s):
        return self.one(s, re.compile(r"(?<=\[)[%\w]+"), lambda _: self.rng.choice(VARIABLES + CONSTANTS + SPECIALS) + self.rng.choice(("", "", "+4")))

    def address_bare(self, s):
        return self.whole(s, lambda o: o.strip("[]"), lambda o: o[0] == "[")

    def address_added(self, s):
        return self.whole(s, lambda o: "[" + o + "]", lambda o: o[0] not in "{[(")

    def operand_dropped(self, s):
        if not s.operands:
            return False
        s.operands.pop(self.rng.randrange(len(s.operands)))

    def operand_added(self, s):
        s.operands.insert(self.rng.randrange(len(s.operands) + 1), self.rng.choice((self.stranger(), self.rng.choice(s.operands or ["1"]))))

    # Modifiers.

    def place(self, s):
        return self.rng.randrange(len(s.modifiers)) if s.modifiers else None

    def replaced(self, s, pool):
        place = self.place(s)
        if place is None:
            return False
        s.modifiers[place] = self.rng.choice(pool)

    def modifier_own(self, s):
        return self.replaced(s, OWN.get(s.opcode) or EVERY)

    def modifier_any(self, s):
        return self.replaced(s, EVERY)

    def modifier_type(self, s):
        places = [i for i, m in enumerate(s.modifiers) if TYPE.match(m)]
        if not places:
            return False
        s.modifiers[self.rng.choice(places)] = self.rng.choice(TYPES)

    def modifier_dropped(self, s):
        place = self.place(s)
        if place is None:
            return False
        del s.modifiers[place]

    def inserted(self, s, pool):
        s.modifiers.insert(self.rng.randrange(len(s.modifiers) + 1), self.rng.choice(pool))

    def modifier_added(self, s):
        return self.inserted(s, EVERY)

    def modifier_added_own(self, s):
        return self.inserted(s, OWN.get(s.opcode) or EVERY)

    def modifier_doubled(self, s):
        return bool(s.modifiers) and self.inserted(s, s.modifiers)

    def modifier_moved(self, s):
        if len(s.modifiers) < 2:
            return False
        s.modifiers.insert(self.rng.randrange(len(s.modifiers)), s.modifiers.pop(self.place(s)))

    def modifiers_two(self, s):
        self.modifier_added_own(s)
        return self.modifier_own(s)


def legal(only):
    """The recorded legal statements on which we agree, by opcode and then by their modifiers without types."""
    known = {line.split("\t")[0].split(" ", 3)[-1] for line in open(os.path.join(HERE, "known-disagreements.txt"))}
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(glob.glob(os.path.join(HERE, "verdicts", "*.txt.gz"))):
        for line in gzip.open(path, "rt"):
            if not line.startswith("OK "):
                continue
            _, version, target, text = line.rstrip("\n").split(" ", 3)
            head = re.match(r"[\w.:]+", text)
            opcode = head[0].split(".")[0]
            if text not in known and re.match(r"\w+(\.[\w:]+)*[^;]*;$", text) and (not only or opcode in only):
                out[opcode][" ".join(sorted(w for w in re.findall(r"\.[\w:]+", head[0]) if not TYPE.match(w)))].append((version, target, text))
    return out


def variants(what, count, seed, only):
    """Distinct changed statements: (version, target, text, kind)."""
    rng = random.Random(seed)
    statements, kinds = legal(only), MODIFIER_KINDS if what == "modifiers" else OPERAND_KINDS
    opcodes = sorted(statements)
    # An opcode with many combinations of modifiers is chosen more often, but not in proportion.
    weights = [len(statements[o]) ** 0.5 for o in opcodes]
    keys = {o: sorted(statements[o]) for o in opcodes}
    changes, seen, out = Changes(rng), set(), []
    for _ in range(count * 20):
        if len(out) >= count:
            break
        opcode = rng.choices(opcodes, weights)[0]
        version, target, text = rng.choice(statements[opcode][rng.choice(keys[opcode])])
        kind = rng.choices(list(kinds), kinds.values())[0]
        statement = Statement(text)
        if getattr(changes, kind.replace("-", "_"))(statement) is False:
            continue
        changed = statement.text()
        if changed != text and (version, target, changed) not in seen:
            seen.add((version, target, changed))
            out.append((version, target, changed, kind))
    return out


def verdicts(cases):
    """The assembler's messages for each case, from two processes."""
    groups = collections.defaultdict(list)
    for i, (version, target, _, _) in enumerate(cases):
        groups[version, target].append(i)
    parts = [(key, group[at:at + 500]) for key, group in groups.items() for at in range(0, len(group), 500)]
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda part: ask(*part[0], [cases[i][2] for i in part[1]]), parts)
        out = [[]] * len(cases)
        for (_, indices), messages in zip(parts, answers):
            for i, said in zip(indices, messages):
                out[i] = said
    return out


def tool():
    """The program that gives our verdicts; it reads the data files at start."""
    folder = os.path.join(ROOT, "target", "live")
    build = "cargo build --release --quiet -p ptx-tests --example snippets --features ptx-isa/live --target-dir"
    subprocess.run([*build.split(), folder], cwd=ROOT, check=True)
    return os.path.join(folder, "release", "examples", "snippets")


def ours(cases):
    environment = dict(os.environ, PTX_ISA_DATA=os.environ.get("PTX_ISA_DATA", os.path.join(ROOT, "server", "isa", "data")))
    text = "".join(f"{v} {t} {s}\n" for v, t, s, _ in cases)
    run = subprocess.run([tool(), "judge"], input=text, capture_output=True, text=True, check=True, env=environment)
    return run.stdout.splitlines()


def compare(cases):
    theirs, mine = verdicts(cases), ours(cases)
    totals, wrong, groups = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for (version, target, text, kind), messages, our in zip(cases, theirs, mine):
        totals[kind] += 1
        if our.startswith("ERR") == bool(messages):
            continue
        wrong[kind] += 1
        word = "MISSED" if messages else "FALSE"
        message = messages[0] if messages else our.split("\t", 1)[-1]
        groups[word, text.split(".")[0].split(" ")[0], re.sub(r"`[^`]*`|'[^']*'|\d+", "…", message)[:80]].append(f"{version} {target} {text}\t{kind}\t{message}")
    for kind in sorted(totals, key=lambda k: -wrong[k]):
        print(f"{kind:<22}{totals[kind]:>6} cases, {wrong[kind]:>4} differ")
    for (word, opcode, message), lines in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{word} × {len(lines)} {opcode}: {message}")
        print("".join(f"    {line}\n" for line in lines[:4]), end="")
    accepted, differ = sum(not m for m in theirs), sum(wrong.values())
    false = sum(len(lines) for (word, *_), lines in groups.items() if word == "FALSE")
    print(f"{len(cases)} cases, {accepted} accepted; {false} FALSE, {differ - false} MISSED; agreement {100 - 100 * differ / max(1, len(cases)):.3f} %")


def record(what, cases):
    lines = [f"# {assembler()}. Made by tests/oracle/variants.py."]
    lines += [f"{'ERR' if messages else 'OK'} {v} {t} {s}" for (v, t, s, _), messages in zip(cases, verdicts(cases))]
    os.makedirs(os.path.join(HERE, "variants"), exist_ok=True)
    with open(os.path.join(HERE, "variants", what + ".txt.gz"), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as f:
        f.write("".join(l + "\n" for l in [lines[0], *sorted(lines[1:])]).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("operands", "modifiers"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    cases = variants(options.what, options.count, options.seed, options.only)
    record(options.what, cases) if options.record else compare(cases)


if __name__ == "__main__":
    main()
