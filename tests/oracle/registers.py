#!/usr/bin/env python3
"""Measures how NVIDIA's assembler limits the registers of kernels, handles calls of external functions, and lays out shared memory.

usage: PTXAS=/path/to/ptxas registers.py

Writes registers.txt and shared.txt beside itself; `cargo test -p ptx-tests --test it registers` compares them with what we say. The assembler is not
part of this project: only whoever records needs it. docs/dev/occupancy.md tells what came out.
"""
import os, re, subprocess, tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from ask import assembler

PTXAS = os.environ.get("PTXAS", "ptxas")
HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]


def ask(target, text, *flags):
    """Returns the registers and the bytes of shared memory of kernel `k`."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.ptx")
        with open(name, "w") as f:
            f.write(f".version 9.0\n.target {target}\n.address_size 64\n{text}")
        command = [PTXAS, "-v", "-arch=" + target, *flags, name, "-o", os.devnull]
        said = subprocess.run(command, capture_output=True, text=True)
    said = said.stderr + said.stdout
    # Lines about functions come in between; only kernels have a register count.
    used = re.search(r"Used (\d+) registers", said)
    if not used:
        raise SystemExit(f"{target}: {said}\n{text}")
    shared = re.search(r"(\d+) bytes smem", said)
    return int(used[1]), int(shared[1]) if shared else 0


def held(n, between="bar.sync 0;"):
    """Returns a body with n values live across an operation."""
    out = [f".reg .f32 %f<{n + 1}>; .reg .b64 %rd<3>;", "ld.param.u64 %rd1, [p];", "cvta.to.global.u64 %rd2, %rd1;"]
    out += [f"ld.volatile.global.f32 %f{i}, [%rd2+{4 * i}];" for i in range(n)]
    out += [between]
    out += [f"st.volatile.global.f32 [%rd2+{4 * i}], %f{n - 1 - i};" for i in range(n)]
    return "\n".join(out)


def accumulated(n):
    """Returns a body with a loop over n sums."""
    out = [f".reg .f32 %f<{n + 2}>; .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .pred %p<2>;"]
    out += ["ld.param.u64 %rd1, [p];", "cvta.to.global.u64 %rd2, %rd1;", "mov.u32 %r1, 0;"]
    out += [f"ld.global.f32 %f{i}, [%rd2+{4 * i}];" for i in range(n)]
    out += ["L:", f"ld.global.f32 %f{n}, [%rd2+{4 * n}];", f"ld.global.f32 %f{n + 1}, [%rd2+{4 * n + 4}];"]
    out += [f"fma.rn.f32 %f{i}, %f{i}, %f{n}, %f{n + 1};" for i in range(n)]
    out += ["add.u32 %r1, %r1, 1;", "add.u64 %rd2, %rd2, 4;", "setp.lt.u32 %p1, %r1, 1000;", "@%p1 bra L;"]
    out += [f"st.global.f32 [%rd2+{4 * i}], %f{i};" for i in range(n)]
    return "\n".join(out)


def kernel(body, header=""):
    return f".visible .entry k(.param .u64 p)\n{header}\n{{\n{body}\nret;\n}}\n"


def bounds():
    """Yields headers with the number of threads per CTA, 0 if unspecified."""
    for n in (1, 16, 23, 24, 25, 32, 33, 40, 100, 168, 254, 255, 300):
        yield f".maxnreg {n}", 0
    for t, m in product((32, 64, 96, 128, 192, 256, 384, 512, 768, 1024), (1, 2, 3, 4, 5, 6, 8, 10, 16, 24, 32)):
        yield f".maxntid {t} .minnctapersm {m}", t
    for t in (1, 32, 33, 64, 96, 128, 160, 192, 256, 257, 288, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024):
        yield f".{'req' if t % 64 else 'max'}ntid {t}", t
    for m in (1, 2, 4, 16, 32):
        yield f".minnctapersm {m}", 0
    for h in (".reqntid 8,4,3 .minnctapersm 5", ".reqntid 288 .minnctapersm 1", ".maxnreg 40 .maxntid 1024",
              ".maxnreg 100 .maxntid 1024", ".maxnreg 40 .maxntid 256 .minnctapersm 2",
              ".maxnreg 200 .maxntid 256 .minnctapersm 2", ".maxnreg 200 .minnctapersm 2"):
        yield h, 0


def limit(case):
    """Returns the registers of a kernel that needs more than the header allows."""
    target, (header, threads) = case
    most = ask(target, kernel(held(300), header))[0]
    if threads:
        # If the header does not fix the number of CTAs, the assembler may use far fewer registers instead of spilling
        # many. So also ask for slightly more than this number of threads allows.
        little = 65536 // max(threads, 128) // 8 * 8 + 10
        most = max(most, ask(target, kernel(accumulated(min(little, 260)), header))[0])
    return f"limit {target} {most} {header}"


def call(case):
    target, n = case
    body = held(n, "{ .param .u64 a; st.param.u64 [a], %rd2; call.uni f, (a); }")
    # The address is live across the call too.
    return f"call {target} {ask(target, '.extern .func f(.param .u64 q);' + kernel(body), '-c')[0]} {n + 2}"


def exchange(case):
    target, header, moves = case
    body = held(20, "bar.sync 0;" + "".join(f"setmaxnreg.{m.replace(' ', '.sync.aligned.u32 ')};" for m in moves))
    return f"exchange {target} {ask(target, kernel(body, header))[0]} {header} : {', '.join(moves)}"


EXCHANGES = [
    (".maxntid 384 .minnctapersm 1", ["inc 240"]), (".maxntid 384 .minnctapersm 1", ["dec 24", "inc 240", "inc 200"]),
    (".maxntid 384 .minnctapersm 1", ["inc 160"]), (".maxntid 384 .minnctapersm 1", ["dec 24"]),
    (".maxntid 256 .minnctapersm 1", ["inc 240"]), (".maxntid 128 .minnctapersm 1", ["inc 200", "inc 240"]),
    (".maxntid 128 .minnctapersm 1", ["dec 24"]), (".reqntid 128 .minnctapersm 2", ["dec 24", "inc 64"]),
    (".maxnreg 168", ["inc 160"]), (".maxnreg 168", ["inc 240"]), (".maxnreg 168", ["dec 24"]), (".maxnreg 100", ["inc 160"]),
]


def touch(*names):
    return "".join(f"mov.u32 %s, {n}; st.volatile.shared.b32 [%s], 1; " for n in names)


def function(name, variables, *names, then=""):
    return f".func {name}()\n{{ .reg .b32 %s; {variables} {touch(*names)}{then}ret; }}\n"


def entry(variables, *names, then=""):
    return f".visible .entry k()\n{{ .reg .b32 %s; {variables} {touch(*names)}{then}ret; }}\n"


BIG = ".extern .shared .align {} .b8 big[];\n"
SHARED = {
    "nothing": entry(""),
    "one byte": entry(".shared .b8 a[1];", "a"),
    "in the order of declarations": entry(".shared .b8 a; .shared .b64 b; .shared .b8 c; .shared .b64 d;", "d", "c", "b", "a"),
    "not in that of use": entry(".shared .b8 a[1]; .shared .b32 c; .shared .b8 d[1]; .shared .b32 e;", "e", "d", "c", "a"),
    "not by alignment": entry(".shared .b32 a; .shared .b8 b; .shared .b64 c;", "a", "b", "c"),
    "nothing is added at the end": entry(".shared .b8 a[1]; .shared .align 128 .b8 b[4]; .shared .b8 c[1];", "a", "b", "c"),
    "unused variables of the kernel count": entry(".shared .b8 a[100]; .shared .b8 b[10];", "b"),
    "inner blocks come last": entry(".shared .b8 a[1]; { .shared .b64 b; } .shared .b8 c[1];", "a", "c"),
    "blocks share nothing": entry("{ .shared .b64 b; } { .shared .b64 c; }"),
    "those of the module count where they are named": ".shared .b8 a[100]; .shared .b8 b[40];\n" + entry("", "b"),
    "and not elsewhere": ".visible .shared .b8 a[100];\n" + entry(""),
    "the kernel's own come first": ".shared .align 4 .b8 a[5];\n" + entry(".shared .b8 b[3];", "a", "b"),
    "the module's in their order": ".shared .b8 a[5]; .shared .align 16 .b8 b[16]; .shared .b8 c[3];\n" + entry("", "c", "a", "b"),
    "whoever names them": ".shared .b8 m[1]; .shared .b64 o;\n" + function("f", "", "m") + entry("", "o", then="call.uni f; "),
    "of a callee": function("f", ".shared .b8 b[64];", "b") + entry("", then="call.uni f; "),
    "unused ones of a callee count": function("f", ".shared .b64 b;") + entry("", then="call.uni f; "),
    "callees come last": ".shared .b8 m[1];\n" + function("f", ".shared .b64 b;", "b") + entry(".shared .b8 c[1];", "c", "m", then="call.uni f; "),
    "after the module's": ".shared .b64 m;\n" + function("f", ".shared .b8 b[1];", "b") + entry(".shared .b8 c[1];", "c", "m", then="call.uni f; "),
    "callees in the order of the text": function("f", ".shared .b8 b[1];", "b") + function("g", ".shared .b64 d;", "d") + entry("", then="call.uni g; call.uni f; "),
    "that is shorter the other way round": function("f", ".shared .b64 b;", "b") + function("g", ".shared .b8 d[1];", "d") + entry("", then="call.uni g; call.uni f; "),
    "two that name the same": ".shared .b8 a[100];\n" + function("f", "", "a") + function("g", ".shared .b8 l[7];", "a", "l") + entry("", then="call.uni f; call.uni g; "),
    "nobody calls it": function("f", ".shared .b8 b[64];", "b") + entry(""),
    "a recursive one": ".func f();\n" + function("f", ".shared .b8 b[64];", "b", then="call.uni f; ") + entry("", then="call.uni f; "),
    "through a table": function("f", ".shared .b8 b[64];", "b") + ".global .u64 t[1] = {f};\n"
        + entry(".reg .b64 %t;", then="P: .callprototype _ (); ld.global.u64 %t, [t]; call %t, (), P; "),
    "the launch says how much": BIG.format(16) + entry("", "big"),
    "its alignment counts": BIG.format(16) + entry(".shared .b8 b[5];", "big", "b"),
    "however large": BIG.format(1024) + entry(".shared .b8 b[5];", "big", "b"),
    "but not alone": BIG.format(1024) + entry("", "big"),
    "named by a callee": BIG.format(16) + function("f", "", "big") + entry(".shared .b8 b[5];", "b", then="call.uni f; "),
}


def shared(case):
    name, text = case
    sizes = {ask(t, text)[1] for t in TARGETS}
    if len(sizes) != 1:
        raise SystemExit(f"{name}: targets differ: {sizes}")
    return f"@ {sizes.pop()} {name}\n{text}"


def main():
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = [f"least {t} {ask(t, kernel(''))[0]}" for t in TARGETS]
        lines += pool.map(limit, product(["sm_75", "sm_86", "sm_90", "sm_120"], bounds()))
        # Later targets round up, because they have spare registers.
        lines += pool.map(call, product(["sm_75"], range(1, 50, 3)))
        lines += pool.map(exchange, [(t, h, m) for t in ("sm_90a", "sm_100a") for h, m in EXCHANGES])
        modules = list(pool.map(shared, SHARED.items()))
    with open(os.path.join(HERE, "registers.txt"), "w") as f:
        f.write(f"# Recorded by registers.py with {assembler()}: registers of kernels that want as many as they can get.\n")
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(HERE, "shared.txt"), "w") as f:
        f.write(f"# Recorded by registers.py with {assembler()}: bytes of static shared memory.\n" + "".join(modules))


main()
