#!/usr/bin/env python3
"""Makes declarations, parameters, initial values, directives and headers, legal and wrong ones, and asks NVIDIA's assembler about them.

usage: PTXAS=/path/to/ptxas modules.py [--seed N] [--count N]
Writes mutants/modules.txt.gz in the format of mutants.py: each case is a line that takes the place of a line of modules/base.ptx or
modules/headless.ptx. `cargo run -p ptx-tests --example mutants -- --list --kinds` compares.
"""
import argparse, gzip, os, random, re, sys, tempfile, zlib
from concurrent.futures import ThreadPoolExecutor
from mutants import Assembler, HERE, arch

GOOD_TYPES = (".b8", ".b16", ".b32", ".b64", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".f32", ".f64")
ODD_TYPES = (".b128", ".f16", ".f16x2", ".pred", ".bf16", ".texref", ".samplerref", ".surfref", ".e4m3", ".tf32", ".u16x2", ".f32x2", ".b1024", ".e2m1x4")
NUMBERS = ("0", "1", "2", "4", "7", "-1", "255", "0x10", "0b101", "017", "1U", "1+1", "(2*2)", "~0", "WARP_SZ", "1<2", "1 ? 2 : 3", "-(-1)")
ODD_NUMBERS = ("256", "65536", "0xFFFFFFFF", "4294967295", "4294967296", "-2147483649", "9223372036854775808", "18446744073709551615", "18446744073709551616", "08", "1/0", "1.0%2", "- 1", "+1", "!1")
FLOATS = ("1.0", "0.5", "1e3", "-1.0", "0f3f800000", "0d3ff0000000000000", "1.", "1.0+1.0")
ODD_FLOATS = ("0f3f8", ".5", "1.0+1", "1e400", "1e-400", "0f3f8000001")
ADDRESSES = ("there", "there+8", "generic(there)", "generic(there)+4", "fixed", "outside", "kernel", "helper", "0xff(there)", "0xFF00(there)")
ODD_ADDRESSES = ("pool", "generic(pool)", "there[1]", "0xff(generic(there))", "0xff(1)", "there-4", "-there", "p", "nowhere", "8+there", "0x1(there)", "generic(helper)", "there+there")
TARGETS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_120", "sm_120a")
ODD_TARGETS = ("sm_10", "sm_13", "sm_20", "sm_30", "sm_35", "sm_50", "sm_53", "sm_60", "sm_90f", "sm_101a", "sm_107a", "sm_110f", "sm_121f", "sm_90b", "sm_90xyz", "sm_100b", "sm_9", "sm_900", "sm_", "sm90", "SM_90", "compute_80", "compute_90a", "compute_90b", "nonsense")
OPTIONS = ("texmode_independent", "texmode_unified", "debug", "map_f64_to_f32")
VERSIONS = ("6.3", "6.5", "7.0", "7.5", "7.8", "8.0", "8.3", "8.5", "8.8", "9.0", "9.1", "9.3", "9.5")
ODD_VERSIONS = ("1.0", "1.3", "1.4", "1.5", "2.0", "2.2", "2.3", "3.0", "3.1", "3.2", "4.0", "4.3", "5.0", "5.1", "6.0", "7", "7.", "8.10", "0.0", "-8.0", "a.b", "8.0.1", "2.4", "3.3", "6.6")
TUNING = (".maxntid", ".reqntid", ".maxnreg", ".minnctapersm", ".reqnctapercluster", ".explicitcluster", ".maxclusterrank", ".blocksareclusters", ".minperctamemory", ".language", ".pragma")
ODD_TUNING = (".maxnctapersm", ".noreturn", ".local_maxnreg", ".abi_preserve", ".abi_preserve_control", ".align", ".nothing", ".visible")
# The lines of the two bases, from 1, that a case may take the place of.
BASE = "base.ptx"
PLACES = {"module": (BASE, 5), "after": (BASE, 9), "body": (BASE, 13), "later": (BASE, 15), "end": (BASE, 18), "header": ("headless.ptx", 2)}


class Generator:
    def __init__(self, rng):
        self.rng, self.odd = rng, 0.0

    def pick(self, *pool):
        return self.rng.choice(pool)

    def of(self, good, odd):
        """One of the usual words; with the chance of a case, one of the odd ones."""
        return self.rng.choice(odd if self.strange() else good)

    def strange(self, share=1.0):
        return self.rng.random() < self.odd * share

    def maybe(self, chance, make, otherwise=lambda: ""):
        return (make if self.rng.random() < chance else otherwise)()

    def align(self):
        return ".align " + self.of(("1", "2", "4", "8", "16", "32", "64", "128"), ("256", "1024", "65536", "0", "3", "12", "-4", "4.0", "WARP_SZ", "(8)", "2*4", "0x10", "08", "4294967296", ""))

    def attribute(self):
        return ".attribute" + self.of(("(.managed)", "(.managed)"), ("()", "(.unified)", "(.unified(1))", "(.unified(-1, 2))", "(.nothing)", "", "(.managed, .managed)"))

    def vector(self):
        return self.of((".v2", ".v4"), (".v8", ".v3", ".v1", ".v16", ".v"))

    def type(self):
        return self.of(GOOD_TYPES, ODD_TYPES)

    def size(self):
        good, odd = ("1", "2", "4", "16", "32", "2*8"), ("", "0", "-1", "WARP_SZ", "4.0", "x", "0x7fffffff", "0x80000000", "4294967295", "4294967296", "8589934592", "1<<20", "1<<31", "1<<33", "18446744073709551616", "there", "(4)", "04")
        return "[" + self.of(good, odd) + "]"

    def sizes(self):
        return "".join(self.size() for _ in range(self.of((1, 1, 1, 1, 1, 2), (2, 3, 4))))

    def name(self):
        return self.of(("x", "y", "z", "x1", "_x", "$x"), ("_", "_", "%x", "there", "kernel", "helper", "p", "%r1", "L", "mov", "WARP_SZ", "%tid", "1x", "a.b", "x", "x", "u32", "generic", "$"))

    def scalar(self, type):
        """A value that fits a type, or in odd cases any."""
        if self.strange(0.1):
            return self.pick('"text"', "x", "%r1", "", "1 2", "_", "{")
        pools = [(NUMBERS, ODD_NUMBERS), (FLOATS, ODD_FLOATS), (ADDRESSES, ODD_ADDRESSES)]
        fits = pools[1] if type in (".f32", ".f64") else self.pick(pools[0], pools[2]) if type in (".u32", ".u64") else pools[0]
        return self.of(*(self.rng.choice(pools) if self.strange(0.4) else fits))

    def value(self, type, sizes=()):
        """A value with braces for each dimension."""
        if self.strange(0.15):
            sizes = self.pick(sizes[1:], (*sizes, 2), ())
        if not sizes:
            return self.scalar(type)
        count = min(sizes[0], self.of((1, 2, 3, 4), (1, 3, 5, 17))) if not self.strange(0.3) else sizes[0] + self.pick(-1, 0, 1)
        return "{" + ", ".join(self.value(type, sizes[1:]) for _ in range(max(0, min(count, 20)))) + ("," if self.strange(0.1) else "") + "}"

    def words(self, *words):
        """Joins the words that are not empty, in odd cases in another order or with one of them twice."""
        words = [w for w in words if w]
        if len(words) > 2 and self.strange(0.4):
            i, j = self.rng.sample(range(len(words) - 1), 2)
            words[i], words[j] = words[j], words[i]
        if self.strange(0.1):
            words.insert(self.rng.randrange(len(words) + 1), self.rng.choice(words))
        if words and self.strange(0.1):
            words.pop(self.rng.randrange(len(words)))
        return " ".join(words)

    def declared(self, space, initial):
        def one():
            count = "<" + self.of(("1", "2", "4", "10"), ("0", "-1", "x", "4.0", "WARP_SZ", "4294967297", "0x10", "2*2", "", "(4)")) + ">"
            register = space == ".reg"
            return self.name() + (count if self.rng.random() < (0.5 if register else 0.0) or self.strange(0.1) else "") + (self.sizes() if self.rng.random() < (0.0 if register else 0.35) or self.strange(0.1) else "")
        text = one() + self.maybe(initial, lambda: " = " + self.scalar(".u32"))
        return text + self.maybe(0.12, lambda: ", " + one().replace("x", "w") + self.maybe(initial * 0.5, lambda: " = " + self.scalar(".u32")))

    def declaration(self, spaces, linking, initial):
        space = self.of(spaces, (".global", ".const", ".shared", ".local", ".param", ".reg", ".sreg", ".tex", ".shared::cta", ".param::entry", ""))
        linked = self.of(("", "", "", ".visible", ".extern", ".weak") if linking else ("",), (".visible", ".extern", ".weak", ".common", ".visible .extern"))
        register = space == ".reg"
        return self.words(linked, space, self.maybe(0.0 if register else 0.25, self.align), self.attribute() if self.strange(0.2) else "", self.maybe(0.15, self.vector), self.type(), self.declared(space, 0.0 if register else initial)) + ("" if self.strange(0.05) else ";")

    def in_module(self):
        return self.declaration((".global", ".global", ".shared", ".const"), True, 0.05)

    def in_body(self):
        return self.declaration((".reg", ".reg", ".shared", ".local", ".local", ".param", ".global"), False, 0.03)

    def initialized(self):
        space, type = self.of((".global", ".global", ".const"), (".shared", ".local", ".reg", ".param")), self.of(GOOD_TYPES, ODD_TYPES)
        vector = self.maybe(0.15, self.vector)
        sizes = self.pick((), (), (2,), (4,), (16,), (2, 3), (2, 2, 2))
        text = self.words(".visible" if self.strange(0.3) else "", space, self.maybe(0.2, self.align), vector, type, self.pick("x", "y") + "".join(f"[{'' if i == 0 and self.rng.random() < 0.2 else n}]" for i, n in enumerate(sizes)))
        inner = {".v2": (2,), ".v4": (4,), ".v8": (8,)}.get(vector, ())
        return text + " = " + self.value(type, (*sizes, *inner)) + ";"

    def pointer(self):
        return ".ptr" + self.maybe(0.6, lambda: " " + self.of((".global", ".const", ".shared", ".local"), (".param", ".reg", ".generic", ".shared::cta"))) + self.maybe(0.5, lambda: " " + self.align())

    def parameter(self, kernel, number):
        space = self.of((".param", ".param", ".param", ".param") if kernel else (".param", ".param", ".param", ".reg"), (".global", "", ".reg", ".shared", ".const"))
        name = self.name()
        sized = (self.sizes() if self.strange() else self.size()) if self.rng.random() < (0.25 if space == ".param" else 0.0) else ""
        return self.words(space, self.maybe(0.35 if sized or self.strange() else 0.0, self.align), self.vector() if self.strange(0.15) else "", self.type(), self.maybe(0.2 if kernel and not sized else self.odd * 0.2, self.pointer), (name if self.strange(0.5) or name == "_" else name + str(number)) + sized + (" = 1" if self.strange(0.03) else ""))

    def parameters(self, kernel):
        return "(" + (" " if self.strange(0.03) else ", ").join(self.parameter(kernel, i) for i in range(self.pick(0, 1, 1, 2, 2, 3, 4))) + ("," if self.strange(0.04) else "") + ")"

    def kernel(self):
        name = "e" if not self.strange(0.4) else self.name()
        return f"{self.words(self.of(('', '.visible', '.weak'), ('.extern', '.common', '.visible .weak')), '.entry', name)}{self.maybe(0.93, lambda: self.parameters(True))}{self.maybe(0.3, lambda: ' ' + self.tuned())} {';' if self.strange(0.2) else '{ ret; }'}"

    def function(self):
        results = self.maybe(0.4, lambda: self.pick("(.param .b32 r) ", "(.reg .b32 %q) ", f"({self.parameter(False, 9)}) "))
        if self.strange(0.1):
            results = self.parameters(False) + " "
        linking, name, end = self.of(("", "", ".visible", ".weak"), (".extern", ".common", "")), "g" if not self.strange(0.4) else self.name(), self.pick("{ ret; }", "{ ret; }", ";")
        return f"{linking} .func {results}{name}{self.maybe(0.95, lambda: self.parameters(False))}{self.maybe(0.15, lambda: ' ' + self.of(('.noreturn', '.abi_preserve 4'), (self.tuned(), '.noreturn .noreturn', '.abi_preserve_control 3', '.local_maxnreg 32')))} {end}"

    def argument(self):
        return self.of(("1", "2", "32", "64", "128"), ("255", "256", "1024", "2048", "0", "-1", "4294967295", "4294967296", "1.0", "x", "", "WARP_SZ", "0x20", "16*2", "(32)", '"x"', "%r1"))

    def tuned(self):
        out = []
        for _ in range(self.pick(1, 1, 2, 2, 3, 4)):
            name = self.of(TUNING, ODD_TUNING)
            if name == ".pragma":
                out.append(name + " " + self.of(('"nounroll"', '"x"', '"nounroll", "y"', '"enable_smem_spilling"'), ("", "1")) + ("" if self.strange(0.5) else ";"))
            elif name == ".language":
                out.append(name + " " + self.of(('"cuda c++"', '"ptx"', "3", '"ptx", 4'), ("11", '"x"', "", '"PTX"')))
            elif name in (".noreturn", ".explicitcluster", ".blocksareclusters"):
                out.append(name + (" 1" if self.strange() else ""))
            else:
                many = name in (".maxntid", ".reqntid", ".reqnctapercluster")
                out.append(name + " " + ", ".join(self.argument() for _ in range(self.of((1, 2, 3) if many else (1,), (1, 2, 3, 4)))))
        return " ".join(out)

    def directive(self):
        """A directive or label among statements or declarations."""
        return self.rng.choice((
            lambda: ".pragma " + self.of(('"nounroll"', '"x"', '"used_bytes_mask 0xff"', '"frequency 5"', '"café"'), ('"frequency x"', '""', "1", "", '"a" "b"', "'x'")) + ";",
            lambda: f".loc {self.argument()} {self.argument()} {self.argument()}" + self.maybe(0.3, lambda: ", function_name $s, inlined_at 1 1 1"),
            lambda: f'.file {self.argument()} "a.cu"' + self.maybe(0.4, lambda: f", {self.argument()}, {self.argument()}"),
            lambda: f"{self.name()}: .branchtargets {self.of(('L', 'L, L'), ('K', 'there', '', '1', 'helper'))};",
            lambda: f"{self.name()}: .calltargets {self.of(('helper', 'helper, helper'), ('other', 'there', 'L', '', '1'))};",
            lambda: f"{self.name()}: .callprototype {self.pick('', '(.param .b32 _) ', '(.reg .b32 _) ')}{self.of(('_',), ('f', '', '__'))} {self.maybe(0.9, lambda: self.parameters(False))}{self.maybe(0.2, lambda: ' .noreturn')};",
            # What a second target means depends on the architecture that the assembler is asked for.
            lambda: self.pick(".target sm_90a", ".target sm_80", ".version 9.5", ".version 8.0", ".address_size 64", ".address_size 32"),
            lambda: f".alias {self.name()}, {self.pick('helper', 'kernel', 'nowhere', 'g')};",
            lambda: self.pick("{ }", "{ .reg .b32 %x; }", "{ { } }", "{", "}", ";", ";;", "K:", "L:", "K: L2:", "1:", "_:", "%r1:", "there:", "mov:", "$K:", "K :"),
            lambda: ".section .debug_info { " + self.pick(".b8 1", ".b32 1, 2", ".b64 L", ".b8 256", ".b32 there", ".b16 -1", ".u8 1", "") + " }",
            lambda: self.pick("@@DWARF .byte 1", "#line 1", '# 1 "a"', "// x", "/* x */", "/*", "\f", "\v", "\ufeff", "é", "\x1a", "\\", "$", "`", "// café"),
            lambda: f".{self.pick('maxntid', 'reqntid', 'maxnreg', 'noreturn', 'visible', 'extern', 'align', 'nothing')} {self.argument()}" + self.pick("", ";"),
        ))()

    def target(self):
        names = [self.of(TARGETS, ODD_TARGETS)] + [self.rng.choice(OPTIONS) for _ in range(self.pick(0, 0, 0, 1, 2))]
        if self.strange(0.2):
            names.insert(self.rng.randrange(len(names) + 1), self.rng.choice(TARGETS + ODD_TARGETS + OPTIONS))
        return self.words(".target", (" " if self.strange(0.05) else ", ").join(names) + ("," if self.strange(0.04) else ""))

    def header(self):
        parts = [".version " + self.of(VERSIONS, ODD_VERSIONS), self.target(), self.maybe(0.8, lambda: ".address_size " + self.of(("64",), ("32", "16", "64.0", "-64", "", "0x40", "(64)", "064")))]
        if self.strange(0.2):
            self.rng.shuffle(parts)
        if self.strange(0.3):
            parts.append(self.rng.choice((self.target(), self.target(), parts[0], ".version " + self.rng.choice(VERSIONS), ".global .u32 g;", ".tex .u32 t;", ".tex .u64 t;", ".reg .b32 %g;", ".local .u32 l;")))
        if self.strange(0.1):
            parts.pop(self.rng.randrange(len(parts)))
        if self.strange(0.1):
            parts.insert(self.rng.randrange(len(parts) + 1), self.pick(";", "\ufeff", "\f", "\v", '.pragma "x";', "/* */", "{ }"))
        return ("\ufeff" if self.strange(0.1) else "") + " ".join(p for p in parts if p)

    def case(self):
        """Returns the place, the kind and the text."""
        self.odd = self.pick(0.0, 0.03, 0.08, 0.15, 0.15, 0.3)
        place, kind, make = self.rng.choices((
            (self.pick("module", "after"), "module-declaration", self.in_module),
            (self.pick("body", "later"), "body-declaration", self.in_body),
            (self.pick("module", "after", "body"), "initial-value", self.initialized),
            (self.pick("module", "after"), "kernel", self.kernel),
            (self.pick("module", "after"), "function", self.function),
            (self.pick("module", "after", "body", "later", "end"), "directive", self.directive),
            ("header", "header", self.header),
        ), (20, 15, 20, 20, 15, 10, 15))[0]
        return place, kind, make()


def cases(count, seed):
    generator, seen = Generator(random.Random(seed)), {}
    while len(seen) < count:
        place, kind, text = generator.case()
        seen.setdefault((*PLACES[place], text), kind)
    return sorted((*key, kind) for key, kind in seen.items())


def asked(made):
    """Asks about cases one by one: for each, the length of the replaced line and the answer."""
    with tempfile.TemporaryDirectory() as folder:
        assembler, out = Assembler(folder), []
        for base, number, text, _ in made:
            lines = open(os.path.join(HERE, "modules", base), encoding="utf-8").read().split("\n")
            gone = len(lines[number - 1])
            lines[number - 1] = text
            # Of several architectures the last counts. Other letters behind a number are overlooked.
            named = re.findall(r"\b(?:sm|compute)_\d+(?:[af]\b|(?=[b-z]))?", text if base != BASE else "\n".join(lines[:4]))
            # The assembler is given bytes.
            out.append((gone, assembler.ask("\n".join(lines).encode().decode("latin-1"), arch(".target " + named[-1] if named else ""))))
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--out", default=os.path.join(HERE, "mutants", "modules.txt.gz"))
    options = parser.parse_args()
    made = cases(options.count, options.seed)
    with ThreadPoolExecutor(2) as pool:
        answers = [answer for half in pool.map(asked, (made[:len(made) // 2], made[len(made) // 2:])) for answer in half]
    out, last, accepted = [], None, 0
    for (base, number, text, kind), (gone, said) in zip(made, answers):
        if said is None:
            continue
        if base != last:
            last = base
            out.append(f"@ oracle/modules/{base} {zlib.crc32(open(os.path.join(HERE, 'modules', base), 'rb').read()):08x} ")
        taken, where, fatal, words = said
        accepted += taken
        several = f"#{len(words)}" if len(words) > max(1, len(where)) else ""
        verdict = "ok" if taken else ("f" if fatal else "e") + ",".join(map(str, where)) + several
        out.append(f"{number} 0 {gone} {kind} {verdict}\t{text}")
    with tempfile.TemporaryDirectory() as folder:
        head = f"# What ptxas {Assembler(folder).version} says of declarations and headers. Made by tests/oracle/modules.py; the format is in README.md."
    with gzip.GzipFile(options.out, "wb", mtime=0) as f:
        f.write(("\n".join([head, *out]) + "\n").encode())
    print(f"{len(made)} cases, {accepted} accepted", file=sys.stderr)


if __name__ == "__main__":
    main()
