#!/usr/bin/env python3
"""Records the values of constant expressions in NVIDIA's assembler, from the bytes of initializers in its object files.

usage: PTXAS=/path/to/ptxas constants.py > constants.txt
lines: EXPRESSION<TAB>VALUE      VALUE: the 64 bits in hexadecimal; then `s` or `u` for an integer, `f` for a floating-point number; `-` if it is rejected
"""
import itertools, os, re, struct, subprocess, sys, tempfile

from ask import assembler

PTXAS = os.environ.get("PTXAS", "ptxas")
LINE = re.compile(r"ptxas \S+, line (\d+); (error|fatal)\s*: ")
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
INTEGERS = ["0", "1", "7", "65", "-7", "5U", "0x7fffffffffffffff", "0x8000000000000000", "(-9223372036854775807-1)", "WARP_SZ"]
FLOATS = ["0.0", "-0.0", "1.5", "-3.25", "1e300", "0d7ff0000000000000"]
OPERATORS = "+ - * / % << >> & | ^ && || == != < > <= >=".split()
SINGLE = "0f3f800000"
# The interaction of operators: precedence, associativity, and significant blanks.
WRITTEN = """1+2*3; (1+2)*3; 10-3-2; 100/5/2; 2+3<<1; 1<<2+3; 1|2^3&4; 1==1==1; 3<2<1; 1<2==1; 2>1?5:6; ~1+1; !1+1; -1+1; -2*3; !!5; ~~5; - -5;
-+5; --5; +5; 1?2:3?4:5; 0?2:0?4:5; 1&&0||1; 0||1&&0; 1|2||0; 3&1==1; 7% 3; 7 %(3); 7%-3; 7%+3; -7%~0; 7 % WARP_SZ; 7%WARP_SZ; 5%3; (((7))); 0017;
0X1f; 0B11; 1U; 017U; 0xfU; 0b1U; 18446744073709551615; 18446744073709551616; 0x1ffffffffffffffff; 99999999999999999999; 92233720368547758070;
92233720368547758080; 0x80000000000000000; 03777777777777777777777; 1?0f3f800000:1; -0f3f800000; (0f3f800000); 1e400; 1e-310;
2.2250738585072014e-308; 0e999; .5; 1.; 1.e5; 5e-1; 08.5; 1.0; -1.0; +1.0; 1.0+2.0*3.0; (1.0-3.0)/2.0; 1.0<2.0; 1.0?1:2; 1?1.0:2.0; 1?1:2.0;
1?1.0:2; !1.0; ~1.0; (.s64)5U; (.u64)-1; (.u32)1; (.s32)1; (.f64)1.0; (.f64)1; (.b64)1; (.u64)1.5; (.u64)1+2; -(.u64)1; (.s64)-1/2; (.u64)-1/2;
0?1/0:2; 0&&(1/0); 1||(1%(2-2)); 1.0/0.0; 1.0/-0.0; 1<<64; 1<<-1; -1>>65; -1U>>64; 1/0; 1% 0"""


def expressions():
    yield from INTEGERS
    for sign, value in itertools.product("-+~!", INTEGERS + FLOATS):
        yield f"{sign} {value}"
    for a, operator, b in itertools.product(INTEGERS, OPERATORS, INTEGERS):
        # After a name, the grammar takes `|` for the separator of a register pair; WARP_SZ does not occur in such an
        # expression.
        if (a, operator) != ("WARP_SZ", "|"):
            yield f"{a} {operator} {b}"
    for a, operator, b in itertools.product(FLOATS, OPERATORS, FLOATS):
        yield f"{a} {operator} {b}"
    for operator in OPERATORS:
        yield from (f"1 {operator} 1.5", f"1.5 {operator} 1", f"{SINGLE} {operator} 1.5", f"1.5 {operator} {SINGLE}")
    for condition, a, b in itertools.product(["0", "-1", "5U", "1.0"], ["7", "5U", "1.5"], ["-7", "3U", "2.5"]):
        yield f"{condition} ? {a} : {b}"
    yield from WRITTEN.split(";")


def run(declarations, output):
    """Returns the rejected lines; `None` if the assembler fails without a message."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ptx")
        open(path, "w").write(HEAD + "".join(d + "\n" for d in declarations))
        asked = subprocess.run([PTXAS, "-arch=sm_90", "-c", path, "-o", output], capture_output=True, text=True)
    lines = {int(m[1]) - HEAD.count("\n") - 1 for m in map(LINE.match, (asked.stderr + asked.stdout).splitlines()) if m}
    return lines if lines or not asked.returncode else None


def accepted(declarations, output=os.devnull):
    """Returns the indices of the accepted declarations, which are in the object file."""
    live = list(range(len(declarations)))
    while live:
        wrong = run([declarations[i] for i in live], output)
        if wrong is None:
            if len(live) == 1:
                return []
            half = len(live) // 2
            parts = [[declarations[i] for i in part] for part in (live[:half], live[half:])]
            live = [live[i] for i in accepted(parts[0])] + [live[half + i] for i in accepted(parts[1])]
        elif wrong:
            live = [n for i, n in enumerate(live) if i not in wrong]
        else:
            break
    return live


def symbols(data):
    """Returns name and bytes of each symbol in an object file."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, _ = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    for section in (s for s in sections if s[1] == 2):
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, place, value, length = struct.unpack_from("<IBBHQQ", data, at)
            if 0 < place < count:
                name = data[names + name:data.index(b"\0", names + name)].decode()
                held = sections[place]
                yield name, bytes(length) if held[1] == 8 else data[held[4] + value:held[4] + value + length]


def values(texts, kind):
    declarations = [f".visible .global {kind} v{i} = {text};" for i, text in enumerate(texts)]
    with tempfile.NamedTemporaryFile() as output:
        live = accepted(declarations, output.name)
        run([declarations[i] for i in live], output.name)
        found = dict(symbols(output.read()))
    return {texts[i]: struct.unpack("<Q", found[f"v{i}"])[0] for i in live}


def main():
    texts = list(dict.fromkeys(e.strip() for e in expressions()))
    integers, floats = values(texts, ".u64"), values(texts, ".f64")
    # Zero minus one, divided by two, distinguishes a signed zero from an unsigned one.
    typed = values([f"(({text})*0-1)/2" for text in integers], ".u64")
    print(f"# What constant expressions are worth to {assembler()}. Made by tests/oracle/constants.py.")
    for text in texts:
        if text in integers:
            print(f"{text}\t{integers[text]:x}{'u' if typed[f'(({text})*0-1)/2'] else 's'}")
        else:
            print(f"{text}\t{floats[text]:x}f" if text in floats else f"{text}\t-")


main()
