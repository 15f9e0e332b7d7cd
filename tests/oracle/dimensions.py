#!/usr/bin/env python3
"""Generates statements and modules in dimensions that the suite does not cover, and counts where we and the assembler differ.

usage: PTXAS=/path/to/ptxas tests/oracle/dimensions.py SEED COUNT [--list] [DIMENSION…]

COUNT cases are shared evenly by the dimensions. Statements are asked as in ask.py, modules one by one; both only parsed, except in `calls` and what
generated_modules.py names in BUILT, whose verdict is that of code generation. A module with unresolved names is asked about with `-c`. What
crashes the assembler has no verdict. Choose a seed that was not used before: a known one only shows what was mended for it.
"""
import os, random, re, subprocess, sys, tempfile
import generated_modules
from ask import PTXAS, ask
from assemble import INTERNAL
from record import ROOT

VERSION, TARGET = "9.5", "sm_100a"
SNIPPETS = os.environ.get("SNIPPETS", os.path.join(ROOT, "target", "release", "examples", "snippets"))
ANALYZER = os.environ.get("ANALYZER", os.path.join(ROOT, "target", "release", "ptx-analyzer"))
REGISTERS = {
    1: ["%p1", "%p2"],
    8: ["%c1", "%c2"],
    16: ["%h1", "%h2", "%uh1", "%sh1", "%hf1"],
    32: ["%r1", "%r2", "%u1", "%s1", "%f1", "%hx1"],
    64: ["%rd1", "%ud1", "%sd1", "%d1"],
    128: ["%q1"],
}
SPECIAL = ["%tid.x", "%tid", "%laneid", "%clock", "%clock64", "%globaltimer", "%smid", "%ntid.y", "%envreg1", "%gridid", "%lanemask_lt", "%pm0"]
LITERALS = ["0", "1", "-1", "1.5", "0f3f800000", "0d3ff0000000000000", "WARP_SZ", "200", "0x1ffffffff"]
VARIABLES = ["gl", "cn", "sm", "lm", "p", "q", "lp", "f", "k", "tx", "su"]


def packs(r):
    """Elements of packs: registers of every size, predicates, special registers, literals."""
    width = r.choice([16, 32, 32, 64, 64, 64, 128, 128])
    kind = r.choice([f"b{width}"] * 6 + [f"u{width}", f"s{width}", f"f{width}"])
    count = r.choice([1, 2, 2, 2, 4, 4, 3, 8])
    pools = [REGISTERS.get(max(8, width // count), REGISTERS[32])] * 5 + [REGISTERS[1], SPECIAL, LITERALS, ["_"]]
    elements = [r.choice(r.choice(pools)) for _ in range(count)]
    if r.random() < 0.3:
        elements = [r.choice(r.choice([REGISTERS[1], SPECIAL, REGISTERS[32]]))] * count
    scalar = r.choice(REGISTERS[width] if r.random() < 0.8 else REGISTERS[r.choice(list(REGISTERS))] + SPECIAL)
    text = "{" + ",".join(elements) + "}"
    return f"mov.{kind} {scalar}, {text};" if r.random() < 0.6 else f"mov.{kind} {text}, {scalar};"


def subscripts(r):
    """Subscripts behind arrays and scalars, with offsets, in brackets and without."""
    name = r.choice(VARIABLES + ["sc"] * 4)
    place = name + r.choice(["", "[0]", "[1]", "[2]+4", "+4", "[1]+-4", "+4[1]", "[%r1]", "[-1]"])
    space = {"gl": "global", "cn": "const", "sm": "shared", "sc": "shared", "lm": "local"}.get(name, "param")
    forms = [
        f"ld.{space}.b32 %r1, [{place}];",
        f"ld.b32 %r1, [{place}];",
        f"mov.u64 %rd1, {place};",
        f"mov.b32 %r1, {place};",
        f"cvta.{space}.u64 %rd1, {place};",
        f"prefetch.global.L2 [{place}];",
        f"atom.shared.add.u32 %r1, [{place}], 1;",
        f"mapa.u32 %r1, {place}, 0;",
    ]
    if space not in ("const", "param"):
        forms.append(f"st.{space}.b32 [{place}], %r1;")
    return (".shared .b32 sc; " if name == "sc" else "") + r.choice(forms)


def addresses(r):
    """Addresses of functions, variables and handles as values, in every state space."""
    space = r.choice(["global", "shared", "local", "const", "param", "shared::cta", "shared::cluster", "param::entry"])
    size = r.choice(["u64", "u64", "u32"])
    to = r.choice(["", "", "to."])
    name = r.choice(VARIABLES) + r.choice(["", "", "+4"])
    register = "%rd1" if size == "u64" else "%r1"
    forms = [f"cvta.{to}{space}.{size} {register}, {name};", f"mov.{size} {register}, {name};", f"mapa.{size} {register}, {name}, 0;"]
    return r.choice(forms + [f"isspacep.{space} %p1, {name};"])


def header():
    return f".version {VERSION}\n.target {TARGET}\n.address_size 64\n"


def names(r):
    """Names of special registers for things of the module, of functions and of bodies."""
    name = r.choice(SPECIAL + ["%x", "%envreg32", "%pm9", "clock", "%tid2"]).split(".")[0]
    declaration = r.choice([
        ".global .b32 {0};", ".const .b32 {0};", ".shared .b32 {0};", ".global .texref {0};", ".func {0}() {{ ret; }}", ".entry {0}() {{ ret; }}",
        ".visible .entry {0}() {{ ret; }}", ".func f(.param .b32 {0}) {{ ret; }}", ".entry f() {{ .reg .b32 {0}; ret; }}",
        ".entry f() {{ .shared .b32 {0}; ret; }}", ".entry f() {{ {0}: ret; }}", ".entry f() {{ .reg .b32 {0}<4>; ret; }}",
        ".func (.param .b32 {0}) f() {{ ret; }}", ".global .v2 .u32 {0};", ".extern .func {0}();",
    ])
    return header() + declaration.format(name)


def headers(r):
    """What stands between the words of the header."""
    gap = lambda: r.choice([" ", " ", " ", "\n", "\t", " /* c */ ", " // c\n", "  ", "\f", "\\\n"])
    return f".version{gap()}{VERSION}\n.target{gap()}{TARGET}\n.address_size{gap()}64\n.entry k() {{ ret; }}"


def locations(r):
    """Commas among the numbers of `.loc`."""
    comma = lambda: r.choice([" ", " ", ", ", " , "])
    numbers = lambda: f"1{comma()}{r.choice('123')}{comma()}{r.choice('123')}"
    lines = [f".loc {numbers()}" for _ in range(r.choice([1, 1, 2]))]
    return header() + '.file 1 "a.cu"\n.entry k() {\n' + "\n".join(lines) + "\nret;\n}"


def literals(r):
    """Numbers of directives whose lower 32 bits, or whose sign, say something else than the number."""
    low = r.choice([0, 1, 2, 15, 16, 32, 128, 255, 1024, 0x80000000, 0xFFFFFFFF])
    high = r.choice([0, 0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
    number = r.choice([str, hex, hex])(high << 32 | low)
    directive = r.choice([".maxntid", ".reqntid", ".maxnreg", ".maxntid 128 .minnctapersm", ".maxntid 1,", ".reqntid 32 .reqnctapercluster",
                          ".maxclusterrank", ".reqntid 32 .reqnctapercluster 1,"])
    return f"{header()}.entry k() {directive} {number} {{ ret; }}\n"


def between(r):
    """Backslashes, line ends and elements of vectors where hardly anybody writes them."""
    word = r.choice(["\\", "\\\n", "\\ ", "\\\\"])
    place = r.choice(["@%p1 {0} mov.u32 %r1, 1;", "A: {0} mov.u32 %r1, 1;", "{0} mov.u32 %r1, 1;", "mov.u32 {0} %r1, 1;", "mov.u32 %r1, 1; {0} ret;"])
    holes = ["%r1", "%r2", "_", "1"]
    pack = f"mov.v2.b32 %v, {{{r.choice(holes)},{r.choice(holes)}}};"
    body = place.format(word) if r.random() < 0.6 else pack
    return f"{header()}.entry k() {{ .reg .pred %p1; .reg .b32 %r<4>; .reg .v2 .b32 %v; {body} ret; }}\n"


def calls(r):
    """Sequences of stores, calls and loads of call parameters, with branches."""
    parts = ["st.param.b32 [x], 1;", "call (y), f, (x);", "ld.param.b32 %r1, [y];", "ld.param.b32 %r1, [x];", "@%p call (y), f, (x);", "call (y), h;"]
    body, labels = [], 0
    for _ in range(r.randint(1, 6)):
        body.append(r.choice(parts))
        if r.random() < 0.3:
            labels += 1
            body.append(f"{r.choice(['', '@%p '])}bra L{r.randint(1, 3)};")
    for label in (1, 2, 3):
        body.insert(r.randint(0, len(body)), f"L{label}:")
    functions = ".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 1; ret; }\n.func (.param .b32 r) h() { st.param.b32 [r], 1; ret; }\n"
    return header() + functions + ".entry k() {\n.reg .b32 %r<3>; .reg .pred %p; .param .b32 x; .param .b32 y;\n" + "\n".join(body) + "\nret;\n}"


STATEMENTS = {"packs": packs, "subscripts": subscripts, "addresses": addresses}
MODULES = {"names": names, "headers": headers, "locations": locations, "literals": literals, "between": between, "calls": calls, **generated_modules.MODULES}
BUILT = {"calls", *generated_modules.BUILT}
# What the assembler says of names of other modules, unless it leaves them to the linker.
WITHOUT_LINKING = re.compile("Unresolved extern|Cannot take address of function")
SECONDS = 30


def of_statements(cases):
    theirs = ["ERR" if messages else "OK" for messages in ask(VERSION, TARGET, cases)]
    text = "".join(f"{VERSION} {TARGET} {case}\n" for case in cases)
    ours = subprocess.run([SNIPPETS, "judge"], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    return list(zip(cases, theirs, [line.split(" ", 1)[0] for line in ours]))


def of_modules(cases, build):
    out = []
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        for case in cases:
            with open(name, "w") as f:
                f.write(case)
            theirs = assembled(name, case, build)
            if theirs is None:
                continue
            options = [] if build else ["--parse-only"]
            ours = subprocess.run([ANALYZER, "check", *options, name], capture_output=True)
            out.append((case, theirs, "ERR" if ours.returncode else "OK"))
    return out


def assembled(name, case, build):
    """Returns the assembler's verdict on a module, or None if it crashes or does not end."""
    target = re.search(r"\.target\s+(sm_\w+)", case)
    arch = target[1] if target else TARGET
    command = [PTXAS, "-arch=" + (arch if build else arch.replace("sm_", "compute_")), name, "-o", name + ".cubin"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        if WITHOUT_LINKING.search(run.stdout + run.stderr):
            run = subprocess.run([*command, "-c"], capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode < 0 or INTERNAL.search(run.stdout + run.stderr):
        return None
    return "ERR" if run.returncode else "OK"


def main():
    numbers = [int(a) for a in sys.argv[1:] if re.fullmatch(r"\d+", a)]
    seed, count = (numbers + [1, 1000])[:2] if len(numbers) > 1 else (1, 1000)
    all_dimensions = {**STATEMENTS, **MODULES}
    wanted = [a for a in sys.argv[1:] if a in all_dimensions] or list(all_dimensions)
    total = wrong = 0
    for name in wanted:
        r = random.Random(f"{seed} {name}")
        cases = list(dict.fromkeys(all_dimensions[name](r) for _ in range(max(1, count // len(wanted)))))
        results = of_statements(cases) if name in STATEMENTS else of_modules(cases, name in BUILT)
        different = [result for result in results if result[1] != result[2]]
        false = sum(1 for _, theirs, _ in different if theirs == "OK")
        print(f"{name}: {len(results)} cases, {false} false errors, {len(different) - false} missed", flush=True)
        if "--list" in sys.argv:
            for case, theirs, ours in different:
                print(f"  assembler {theirs}, we {ours}: {case.split(header())[-1]!r}")
        total, wrong = total + len(results), wrong + len(different)
    print(f"{wrong} of {total} ({100 * wrong / max(1, total):.2f} %)")


if __name__ == "__main__":
    main()
