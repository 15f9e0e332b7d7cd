#!/usr/bin/env python3
"""Writes kernels that measure results only a real GPU can show, and the launches that run them.

usage: make_kernels.py            writes kernels/*.ptx and cases.jsonl beside this file

A kernel computes its own operands: thread i hashes its index for each operand, and uses either the bits themselves or, every third
time, an entry of a table of corner cases. So a case needs no input, and the interpreter uses the same operands as the GPU.
"""
import json
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = 256

# Zeros, subnormals, the smallest normal number, one and its neighbours, large numbers, infinities, quiet and signalling NaN with payloads.
CORNERS = {
    "f32": [0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x80800001, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x7F7FFFFF, 0xFF7FFFFF,
            0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F812345, 0xFF800001, 0x4F000000, 0xCF000000, 0x5F000000, 0x4B000001, 0x3F000000, 0x33800000,
            0x477FE000, 0x477FF000, 0x38800000, 0x33000001, 0x40490FDB, 0xC0C90FDB, 0x42FE0000, 0xC3160000],
    "f64": [0x0, 0x8000000000000000, 0x1, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FEFFFFFFFFFFFFF,
            0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000012345678, 0x7FF0000012345678, 0x41E0000000000000,
            0xC1E0000000000000, 0x43E0000000000000, 0x36A0000000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x3690000000000000, 0x3FE0000000000000,
            0xFFF7FFFFFFFFFFFF, 0x400921FB54442D18, 0x380FFFFFFFFFFFFF, 0x3E60000000000000, 0x40EFFC0000000000, 0x40F0000000000000, 0x43F0000000000000,
            0xC3E0000000000001, 0x37A0000000000000, 0x7FF8000000000001],
    "f16": [0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x8401, 0x3C00, 0xBC00, 0x3BFF, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE12, 0x7C12, 0xFC01,
            0x7800, 0xF800, 0x3800, 0x1400, 0x4248, 0x6400, 0x5640, 0x0200, 0x07FF, 0x0800, 0x4900, 0xC900, 0x3555, 0x7FFF],
    "bf16": [0x0000, 0x8000, 0x0001, 0x807F, 0x0080, 0x8081, 0x3F80, 0xBF80, 0x3F7F, 0x3F81, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0xFF81,
             0x4F00, 0xCF00, 0x5F00, 0x3F00, 0x3380, 0x4049, 0x42FE, 0xC316, 0x0040, 0x00FF, 0x0100, 0x4120, 0xC120, 0x7FFF],
    "u32": [0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
            0xFFFFFF80, 0xFFFF8000, 0x00010001, 0x7FFF8000, 0x80008000, 0x01010101, 0x80808080, 0x7F7F7F7F, 0x000000FF, 0xFF000000],
    "u64": [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
            0x8000000000000001, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFF00000000, 0xFFFFFFFF80000000, 0x00000001FFFFFFFF, 1 << 40, 1 << 62, 3, 4, 5, 6, 7],
    # Shifts, positions and lengths.
    "count": [0, 1, 2, 7, 8, 15, 16, 17, 30, 31, 32, 33, 34, 47, 48, 62, 63, 64, 65, 127, 128, 254, 255, 256, 257, 275, 294, 511, 0x10001, 0x80000000, 0xFFFFFFFF, 96],
}
CORNERS["s32"] = CORNERS["u32"]
CORNERS["s64"] = CORNERS["u64"]
REGISTER = {"f32": "f32", "f64": "f64", "f16": "b16", "bf16": "b16", "u32": "b32", "s32": "b32", "u64": "b64", "s64": "b64", "count": "b32", "f16x2": "b32", "bf16x2": "b32",
            "tf32": "b32", "b16": "b16", "b32": "b32", "b64": "b64", "bits16": "b16", "bits32": "b32", "bits64": "b64"}
BYTES = {"f32": 4, "f64": 8, "b16": 2, "b32": 4, "b64": 8, "pred": 4}


def operand(kind, name):
    """Returns PTX that computes an operand of a kind from the number in %z, in register %name."""
    mix = ["mul.lo.u64 %z, %z, 0x9E3779B97F4A7C15;"]
    for shift, factor in ((30, "0xBF58476D1CE4E5B9"), (27, "0x94D049BB133111EB"), (31, None)):
        mix += [f"shr.u64 %t, %z, {shift};", "xor.b64 %z, %z, %t;"] + ([f"mul.lo.u64 %z, %z, {factor};"] if factor else [])
    reg = REGISTER[kind]
    if kind in ("f16x2", "bf16x2"):
        half = kind[:-2]
        out = mix[:]
        for part, shift in (("lo", 0), ("hi", 16)):
            out += [f"shr.u64 %t, %z, {shift};", "cvt.u16.u64 %h, %t;", f"shr.u64 %t, %z, {40 + shift // 2};", "and.b64 %u, %t, 3;", "setp.eq.u64 %q, %u, 0;",
                    "shr.u64 %t, %t, 2;", "and.b64 %t, %t, 31;", f"mov.u64 %u, corners_{half};", "mad.lo.u64 %t, %t, 2, %u;", f"@%q ld.const.b16 %h, [%t];", f"mov.b16 %{part}, %h;"]
        return out + [f"mov.b32 %{name}, {{%lo, %hi}};"]
    if kind == "bits64":
        return mix + [f"mov.b64 %{name}, %z;"]
    if kind in ("bits16", "bits32"):
        return mix + [f"cvt.u{kind[4:]}.u64 %{name}, %z;"]
    size = BYTES[reg]
    table = kind if kind != "tf32" else "f32"
    out = mix[:]
    if kind == "f64":
        out += ["mov.b64 %" + name + ", %z;"]
    elif kind == "f32":
        out += ["cvt.u32.u64 %w, %z;", f"mov.b32 %{name}, %w;"]
    elif size == 8:
        out += [f"mov.b64 %{name}, %z;"]
    else:
        out += [f"cvt.u{size * 8}.u64 %{name}, %z;"]
    load = {"f32": "ld.const.f32", "f64": "ld.const.f64"}.get(kind, f"ld.const.b{size * 8}")
    out += ["shr.u64 %t, %z, 40;", "rem.u64 %u, %t, 3;", "setp.eq.u64 %q, %u, 0;", "shr.u64 %t, %t, 8;", "and.b64 %t, %t, 31;", f"mov.u64 %u, corners_{table};",
            f"mad.lo.u64 %t, %t, {size}, %u;", f"@%q {load} %{name}, [%t];"]
    return out


def kernel(name, instruction, kinds, result, seed):
    """One entry: `instruction` with {D} and {a}, {b}, {c} for operands of `kinds`; the result's register type is `result`."""
    lines = [f".visible .entry {name}(.param .u64 out)", "{"]
    names = "abcdefgh"[: len(kinds)]
    lines += [f"    .reg .{REGISTER[k]} %op_{n};" for k, n in zip(kinds, names)]
    lines += [f"    .reg .{result} %result;", "    .reg .b64 %i, %salted, %address;", "    .reg .b32 %w, %x;", "    mov.u32 %w, %ctaid.x;", "    mov.u32 %x, %tid.x;",
              f"    mad.lo.u32 %w, %w, {THREADS}, %x;", "    cvt.u64.u32 %i, %w;"]
    for k, (kind, n) in enumerate(zip(kinds, names)):
        lines += [f"    add.s64 %salted, %i, {(seed * 16 + k) * 1000003};", f"    call (%op_{n}), operand_{kind}, (%salted);"]
    text = instruction.format(D="%result", **{n: f"%op_{n}" for n in names})
    lines += ["    " + text]
    size = BYTES[result]
    lines += ["    ld.param.u64 %address, [out];", f"    mad.lo.u64 %address, %i, {size}, %address;"]
    if result == "pred":
        lines += ["    selp.b32 %w, 1, 0, %result;", "    st.global.b32 [%address], %w;"]
    else:
        lines += [f"    st.global.{'b' + str(size * 8) if result[0] == 'b' else result} [%address], %result;"]
    return lines + ["    ret;", "}", ""]


def families():
    """{family: [(name, instruction, operand kinds, result register)]}"""
    out = {}

    def add(family, instruction, kinds, result, d="{D}", tail=""):
        letters = "abcdefgh"[: len(kinds)]
        text = f"{instruction} {d}, " + ", ".join("{" + n + "}" for n in letters) + tail + ";"
        name = (instruction + tail).replace(".", "_").replace("::", "_").replace(" ", "").replace(",", "_").replace("-", "m")
        out.setdefault(family, []).append((name, text, kinds, result))

    rounding = ("rn", "rz", "rm", "rp")
    for r in rounding:
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                add("float", f"add.{r}{ftz}{sat}.f32", ["f32"] * 2, "f32")
                add("float", f"mul.{r}{ftz}{sat}.f32", ["f32"] * 2, "f32")
                add("float", f"fma.{r}{ftz}{sat}.f32", ["f32"] * 3, "f32")
            add("float", f"div.{r}{ftz}.f32", ["f32"] * 2, "f32")
            add("float", f"rcp.{r}{ftz}.f32", ["f32"], "f32")
            add("float", f"sqrt.{r}{ftz}.f32", ["f32"], "f32")
        for op, n in (("add", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)):
            add("double", f"{op}.{r}.f64", ["f64"] * n, "f64")
    for op in ("min", "max"):
        for m in ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".ftz.NaN.xorsign.abs"):
            add("float", f"{op}{m}.f32", ["f32"] * 2, "f32")
        add("double", f"{op}.f64", ["f64"] * 2, "f64")
        for m in ("", ".NaN", ".xorsign.abs"):
            for t in ("f16", "bf16", "f16x2", "bf16x2"):
                add("half", f"{op}{m}.{t}", [t] * 2, "b32" if "x2" in t else "b16")
    for op in ("abs", "neg"):
        add("float", f"{op}.f32", ["f32"], "f32")
        add("float", f"{op}.ftz.f32", ["f32"], "f32")
        add("double", f"{op}.f64", ["f64"], "f64")
        for t in ("f16", "bf16", "f16x2", "bf16x2"):
            add("half", f"{op}.{t}", [t], "b32" if "x2" in t else "b16")
    for t in ("f16", "f16x2"):
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                for op in ("add", "sub", "mul"):
                    add("half", f"{op}{ftz}{sat}.{t}", [t] * 2, "b32" if "x2" in t else "b16")
                add("half", f"fma.rn{ftz}{sat}.{t}", [t] * 3, "b32" if "x2" in t else "b16")
            add("half", f"fma.rn{ftz}.relu.{t}", [t] * 3, "b32" if "x2" in t else "b16")
    for t in ("bf16", "bf16x2"):
        for op in ("add", "sub", "mul"):
            add("half", f"{op}.{t}", [t] * 2, "b32" if "x2" in t else "b16")
        add("half", f"fma.rn.{t}", [t] * 3, "b32" if "x2" in t else "b16")
        add("half", f"fma.rn.relu.{t}", [t] * 3, "b32" if "x2" in t else "b16")

    for op in ("rcp", "rsqrt", "sqrt", "sin", "cos", "lg2", "ex2"):
        for ftz in ("", ".ftz"):
            add("approximate", f"{op}.approx{ftz}.f32", ["f32"], "f32")
    add("approximate", "tanh.approx.f32", ["f32"], "f32")
    for ftz in ("", ".ftz"):
        add("approximate", f"div.approx{ftz}.f32", ["f32"] * 2, "f32")
        add("approximate", f"div.full{ftz}.f32", ["f32"] * 2, "f32")
    add("approximate", "rcp.approx.ftz.f64", ["f64"], "f64")
    add("approximate", "rsqrt.approx.ftz.f64", ["f64"], "f64")
    for t in ("f16", "f16x2"):
        add("approximate", f"ex2.approx.{t}", [t], "b32" if "x2" in t else "b16")
        add("approximate", f"tanh.approx.{t}", [t], "b32" if "x2" in t else "b16")
    for t in ("bf16", "bf16x2"):
        add("approximate", f"ex2.approx.ftz.{t}", [t], "b32" if "x2" in t else "b16")
        add("approximate", f"tanh.approx.{t}", [t], "b32" if "x2" in t else "b16")

    width = {"u8": "b32", "s8": "b32", "u16": "b16", "s16": "b16", "u32": "b32", "s32": "b32", "u64": "b64", "s64": "b64"}
    source = {"u32": "u32", "s32": "u32", "u64": "u64", "s64": "u64"}
    for f in ("f16", "bf16", "f32", "f64"):
        for i in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            if f == "bf16" and i.endswith("8"):
                continue  # These need 8-bit registers.
            for r in ("rni", "rzi", "rmi", "rpi"):
                add("convert", f"cvt.{r}.{i}.{f}", [f], width[i])
            if f == "f32":
                add("convert", f"cvt.rzi.ftz.{i}.{f}", [f], width[i])
                add("convert", f"cvt.rzi.sat.{i}.{f}", [f], width[i])
        for i in source:
            for r in rounding:
                add("convert", f"cvt.{r}.{f}.{i}", [source[i]], REGISTER[f])
    for r in rounding:
        for m in ("", ".ftz", ".sat", ".ftz.sat"):
            add("convert", f"cvt.{r}{m}.f16.f32", ["f32"], "b16")
            add("convert", f"cvt.{r}{m}.f32.f64", ["f64"], "f32")
        add("convert", f"cvt.{r}.f16.f64", ["f64"], "b16")
    for m in ("rn", "rz", "rn.relu", "rz.relu"):
        add("convert", f"cvt.{m}.bf16.f32", ["f32"], "b16")
        add("convert", f"cvt.{m}.tf32.f32", ["f32"], "b32")
        add("convert", f"cvt.{m}.f16x2.f32", ["f32"] * 2, "b32")
        add("convert", f"cvt.{m}.bf16x2.f32", ["f32"] * 2, "b32")
    add("convert", "cvt.rna.tf32.f32", ["f32"], "b32")
    for f in ("f16", "bf16"):
        add("convert", f"cvt.f32.{f}", [f], "f32")
        add("convert", f"cvt.f64.{f}", [f], "f64")
    add("convert", "cvt.ftz.f32.f16", ["f16"], "f32")
    add("convert", "cvt.sat.f32.f16", ["f16"], "f32")
    add("convert", "cvt.f64.f32", ["f32"], "f64")
    add("convert", "cvt.ftz.f64.f32", ["f32"], "f64")
    for f in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            add("convert", f"cvt.rn.satfinite{relu}.{f}.f32", ["f32"] * 2, "b16")
            add("convert", f"cvt.rn.satfinite{relu}.{f}.f16x2", ["f16x2"], "b16")
            add("convert", f"cvt.rn{relu}.f16x2.{f}", ["bits16"], "b32")
    for r in ("rni", "rzi", "rmi", "rpi"):
        for f, reg in (("f16", "b16"), ("f32", "f32"), ("f64", "f64")):
            add("convert", f"cvt.{r}.{f}.{f}", [f], reg)

    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for dt, at, bt in (("u32", "u32", "u32"), ("s32", "s32", "s32"), ("s32", "u32", "s32"), ("u32", "s32", "u32"), ("u32", "u32", "s32")):
            for sat in ("", ".sat"):
                add("video", f"{op}.{dt}.{at}.{bt}{sat}", ["u32", "u32"], "b32")
                for second in ("add", "min", "max"):
                    add("video", f"{op}.{dt}.{at}.{bt}{sat}.{second}", ["u32"] * 3, "b32")
            for part in ("b0", "b3", "h1"):
                add("video", f"{op}.{dt}.{at}.{bt}.sat", ["u32"] * 3, "b32", d="{D}." + part)
    for sat in ("", ".sat"):
        for shift in ("", ".shr7", ".shr15"):
            for t in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32"):
                add("video", f"vmad.{t}{sat}{shift}", ["u32"] * 3, "b32")
    for mode in ("clamp", "wrap"):
        for op in ("vshl", "vshr"):
            for t in ("u32.u32.u32", "s32.s32.u32"):
                for sat in ("", ".sat"):
                    add("video", f"{op}.{t}{sat}.{mode}", ["u32", "count"], "b32")
    for op in ("vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"):
        for t in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32"):
            for m in ("", ".sat", ".add"):
                if m == ".sat" and "avrg" in op:
                    pass
                add("video", f"{op}.{t}{m}", ["u32"] * 3, "b32")
    for c in ("eq", "lt", "ge"):
        for t in ("u32.u32", "s32.s32", "s32.u32"):
            for m in ("", ".add", ".max"):
                add("video", f"vset.{t}.{c}{m}", ["u32"] * (3 if m else 2), "b32")
            for n in "24":
                add("video", f"vset{n}.{t}.{c}", ["u32"] * 3, "b32")

    for t in ("u32", "s32", "u64", "s64"):
        k = source[t]
        reg = REGISTER[t]
        add("integer", f"bfe.{t}", [k, "count", "count"], reg)
        for op in ("div", "rem", "min", "max"):
            add("integer", f"{op}.{t}", [k, k], reg)
        add("integer", f"mul.hi.{t}", [k, k], reg)
        add("integer", f"bfind.{t}", [k], "b32")
        add("integer", f"bfind.shiftamt.{t}", [k], "b32")
        add("integer", f"shr.{t}", [k, "count"], reg)
    for t, k in (("u16", "bits16"), ("s16", "bits16")):
        for op in ("div", "rem"):
            add("integer", f"{op}.{t}", [k, k], "b16")
        add("integer", f"shr.{t}", [k, "count"], "b16")
    for t in ("b32", "b64"):
        k = "u" + t[1:]
        add("integer", f"bfi.{t}", [k, k, "count", "count"], t)
        add("integer", f"shl.{t}", [k, "count"], t)
        add("integer", f"popc.{t}", [k], "b32")
        add("integer", f"clz.{t}", [k], "b32")
        add("integer", f"brev.{t}", [k], t)
    for d in ("l", "r"):
        for m in ("clamp", "wrap"):
            add("integer", f"shf.{d}.{m}.b32", ["u32", "u32", "count"], "b32")
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        add("integer", f"prmt.b32{m}", ["u32"] * 3, "b32")
    for m in ("clamp", "wrap"):
        add("integer", f"szext.{m}.u32", ["u32", "count"], "b32")
        add("integer", f"szext.{m}.s32", ["u32", "count"], "b32")
        add("integer", f"bmsk.{m}.b32", ["count", "count"], "b32")
    add("integer", "fns.b32", ["u32", "count", "u32"], "b32")
    add("integer", "mad.hi.sat.s32", ["u32"] * 3, "b32")
    add("integer", "mul24.hi.s32", ["u32"] * 2, "b32")
    add("integer", "mul24.lo.u32", ["u32"] * 2, "b32")
    add("integer", "mad24.hi.sat.s32", ["u32"] * 3, "b32")
    for t in ("u32.u32", "s32.s32", "u32.s32", "s32.u32"):
        add("integer", f"dp4a.{t}", ["u32"] * 3, "b32")
        for h in ("lo", "hi"):
            add("integer", f"dp2a.{h}.{t}", ["u32"] * 3, "b32")
    for op in ("sad.u32", "sad.s32", "add.sat.s32", "sub.sat.s32"):
        add("integer", op, ["u32"] * (3 if op[:3] == "sad" else 2), "b32")
    for op, kind, reg in (("add.f32", "f32", "f32"), ("add.f64", "f64", "f64"), ("add.noftz.f16x2", "f16x2", "b32"), ("add.noftz.bf16x2", "bf16x2", "b32"),
                          ("add.noftz.f16", "f16", "b16"), ("add.noftz.bf16", "bf16", "b16"), ("inc.u32", "u32", "b32"), ("dec.u32", "u32", "b32"), ("min.s32", "u32", "b32")):
        size, state = BYTES[reg], "b" + str(8 * BYTES[reg]) if reg[0] == "b" else reg
        for space in ("global", "shared"):
            where = {"global": f"ld.param.u64 %address, [out]; mad.lo.u64 %address, %i, {size}, %address;",
                     "shared": f".shared .align 8 .b8 slots[{size * THREADS}]; mov.u64 %address, slots; mad.lo.u64 %address, %i, {size}, %address;"}[space]
            text = f"{{{{ {where} st.{space}.{state} [%address], {{a}}; red.{space}.{op} [%address], {{b}}; membar.gl; ld.volatile.{space}.{state} {{D}}, [%address]; }}}}"
            out.setdefault("atomic", []).append((f"red_{space}_{op}".replace(".", "_"), text, [kind, kind], reg))
    for op in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        add("compare", f"testp.{op}.f32", ["f32"], "pred")
        add("compare", f"testp.{op}.f64", ["f64"], "pred")
    for c in ("eq", "ne", "lt", "ge", "equ", "neu", "ltu", "geu", "num", "nan"):
        for t, reg in (("f32", "f32"), ("f64", "f64"), ("f16", "f16"), ("bf16", "bf16")):
            add("compare", f"setp.{c}.{t}", [reg, reg], "pred")
        add("compare", f"setp.{c}.ftz.f32", ["f32", "f32"], "pred")
        add("compare", f"set.{c}.f32.f32", ["f32", "f32"], "f32")
    add("compare", "copysign.f32", ["f32", "f32"], "f32")
    add("compare", "copysign.f64", ["f64", "f64"], "f64")
    return out


ROUNDS = 8
# Random bits, masked to numbers of medium size by (and, or): sums of these lose bits, but rarely overflow.
MIDDLING = {"f16x2": (0x8FFF8FFF, 0x30003000), "bf16x2": (0x81FF81FF, 0x3E003E00), "f32": (0x80FFFFFF, 0x3E000000), "tf32": (0x80FFFFFF, 0x3E000000), "e4m3": (0x9F9F9F9F, 0x20202020),
            "e5m2": (0x8F8F8F8F, 0x30303030), "s8": (0xFFFFFFFF, 0), "u8": (0xFFFFFFFF, 0), "f64": (0x801FFFFFFFFFFFFF, 0x3FE0000000000000)}
# (name, statement without operands, kind of A, its registers, kind of B, registers, kind of C, registers, type of the registers of C and D)
PRODUCTS = []
for _c, _n, _r in (("f32", 4, "f32"), ("f16", 2, "b32")):
    _k = "f32" if _c == "f32" else "f16x2"
    PRODUCTS += [(f"m16n8k16_f16_{_c}", f"mma.sync.aligned.m16n8k16.row.col.{_c}.f16.f16.{_c}", "f16x2", 4, "f16x2", 2, _k, _n, _r),
                 (f"m16n8k8_f16_{_c}", f"mma.sync.aligned.m16n8k8.row.col.{_c}.f16.f16.{_c}", "f16x2", 2, "f16x2", 1, _k, _n, _r)]
PRODUCTS += [("m16n8k16_bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "bf16x2", 4, "bf16x2", 2, "f32", 4, "f32"),
             ("m16n8k8_bf16", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "bf16x2", 2, "bf16x2", 1, "f32", 4, "f32"),
             ("m16n8k8_tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "tf32", 4, "tf32", 2, "f32", 4, "f32"),
             ("m16n8k4_tf32", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "tf32", 2, "tf32", 1, "f32", 4, "f32"),
             ("m16n8k32_s8", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", "s8", 4, "u8", 2, "s8", 4, "b32"),
             ("m8n8k4_f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "f64", 1, "f64", 1, "f64", 2, "f64"),
             ("m16n8k16_f64", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "f64", 8, "f64", 4, "f64", 4, "f64")]
for _a, _b in (("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2")):
    PRODUCTS += [(f"m16n8k32_{_a}_{_b}", f"mma.sync.aligned.m16n8k32.row.col.f32.{_a}.{_b}.f32", _a, 4, _b, 2, "f32", 4, "f32")]
SPARSE = [("sp_m16n8k32_f16", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "f16x2", 4, "f16x2", 4, "f32", 4, "f32", 0x94E4E494),
          ("sp_m16n8k16_tf32", "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "tf32", 4, "tf32", 4, "f32", 4, "f32", 0xE4E4E4E4)]
# For 128 threads: A in registers, B in shared memory.
WARPGROUP = [("wgmma_f16", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "f16x2", "f32", 4, ", 1, 1, 1, 0"),
             ("wgmma_f16_f16", "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", "f16x2", "f16x2", 2, ", 1, 1, 1, 0"),
             ("wgmma_bf16", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "bf16x2", "f32", 4, ", 1, 1, 1, 0"),
             ("wgmma_tf32", "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", "tf32", "f32", 4, ", 1, 1, 1"),
             ("wgmma_e4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", "e4m3", "f32", 4, ", 1, 1, 1"),
             ("wgmma_e5m2", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2", "e5m2", "f32", 4, ", 1, 1, 1"),
             ("wgmma_e4m3_f16", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3", "e4m3", "f16x2", 2, ", 1, 1, 1"),
             ("wgmma_s8", "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", "s8", "s8", 4, ", 1")]


def random_register(kind, name, salt, special):
    """Returns PTX that fills register %name with elements of a kind, computed from the number in %i. With `special`, some are corner cases."""
    lines = [f"add.s64 %salted, %i, {salt * 1000003};"]
    if special and kind in ("f16x2", "bf16x2", "f32", "tf32", "f64"):
        reg = REGISTER[kind]
        return lines + [f"call (%{name}), operand_{kind}, (%salted);"] if reg != "f32" else lines + ["call (%f), operand_f32, (%salted);", f"mov.b32 %{name}, %f;"]
    bits = 64 if kind == "f64" else 32
    mask, ones = MIDDLING[kind]
    lines += [f"call (%r{bits}), operand_bits{bits}, (%salted);", f"and.b{bits} %r{bits}, %r{bits}, {mask:#x};", f"or.b{bits} %r{bits}, %r{bits}, {ones:#x};"]
    return lines + [f"mov.b{bits} %{name}, %r{bits};"]


def scratch():
    return ["    .reg .b64 %i, %salted, %address, %r64, %desc;", "    .reg .b32 %w, %x, %r32;", "    .reg .f32 %f;", "    mov.u32 %w, %tid.x;", "    cvt.u64.u32 %i, %w;",
            "    ld.param.u64 %address, [out];"]


def product(name, statement, a, an, b, bn, c, cn, reg, metadata=None, special=False):
    """Returns an entry in which a warp multiplies matrices of random elements, ROUNDS times."""
    lines = [f".visible .entry {name}(.param .u64 out)", "{"] + scratch()
    wide = "b64" if a == "f64" else "b32"
    lines += [f"    .reg .{wide} %a<{an}>, %b<{bn}>;", f"    .reg .{reg} %c<{cn}>;"]
    if a == "f64":
        lines = [line.replace(".reg .b64 %a", ".reg .f64 %a") for line in lines]
    size = BYTES[reg]
    for r in range(ROUNDS):
        salt = r * 64 + len(name)
        for k, (letter, kind, n) in enumerate((("a", a, an), ("b", b, bn), ("c", c, cn))):
            for m in range(n):
                lines += ["    " + x for x in random_register(kind, f"{letter}{m}", salt + k * 16 + m, special)]
        group = lambda letter, n: "{" + ", ".join(f"%{letter}{m}" for m in range(n)) + "}"
        tail = ""
        if metadata is not None:
            lines += [f"    mov.b32 %x, {metadata:#x};"]
            tail = ", %x, 0x0"
        lines += [f"    {statement} {group('c', cn)}, {group('a', an)}, {group('b', bn)}, {group('c', cn)}{tail};"]
        for m in range(cn):
            lines += [f"    mad.lo.u64 %salted, %i, {cn * size}, %address;", f"    st.global.{'b32' if reg == 'b32' else reg} [%salted + {r * 32 * cn * size + m * size}], %c{m};"]
    return lines + ["    ret;", "}", ""], ROUNDS * 32 * cn * size


def warpgroup(name, statement, a, c, cn, tail):
    """Returns an entry in which a warpgroup multiplies, with A in registers and B in shared memory. Core matrices are 128 bytes apart."""
    lines = [f".visible .entry {name}(.param .u64 out)", ".reqntid 128", "{", "    .shared .align 128 .b8 tile[256];"] + scratch()
    reg = "f32" if c == "f32" else "b32"
    lines += ["    .reg .b32 %a<4>;", f"    .reg .{reg} %c<{cn}>;", "    .reg .pred %q;", "    .reg .b32 %tile;", "    mov.u32 %tile, tile;"]
    for r in range(ROUNDS):
        salt = 5000 + r * 64 + len(name)
        lines += ["    " + x for x in random_register(a, "x", salt, False)]
        lines += ["    setp.lt.u32 %q, %w, 64;", "    mad.lo.u32 %r32, %w, 4, %tile;", "    @%q st.shared.b32 [%r32], %x;", "    fence.proxy.async.shared::cta;", "    bar.sync 0;"]
        for k, (letter, kind, n) in enumerate((("a", a, 4), ("c", c, cn))):
            for m in range(n):
                lines += ["    " + x for x in random_register(kind, f"{letter}{m}", salt + 1 + k * 16 + m, False)]
        lines += ["    shr.u32 %r32, %tile, 4;", "    cvt.u64.u32 %desc, %r32;", "    and.b64 %desc, %desc, 0x3FFF;", "    or.b64 %desc, %desc, 0x0000000800080000;",
                  "    wgmma.fence.sync.aligned;", f"    {statement} {{{', '.join(f'%c{m}' for m in range(cn))}}}, {{%a0, %a1, %a2, %a3}}, %desc{tail};",
                  "    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;"]
        for m in range(cn):
            lines += [f"    mad.lo.u64 %salted, %i, {cn * 4}, %address;", f"    st.global.{reg} [%salted + {r * 128 * cn * 4 + m * 4}], %c{m};"]
        lines += ["    bar.sync 0;"]
    return lines + ["    ret;", "}", ""], ROUNDS * 128 * cn * 4


# Which element of a matrix each register of a wmma fragment holds: (statement, element bytes, elements, leading dimension, registers, type of them)
FRAGMENTS = []
for _s, _m, _n, _k in (("m16n16k16", 16, 16, 16), ("m8n32k16", 8, 32, 16), ("m32n8k16", 32, 8, 16)):
    for _l in ("row", "col"):
        FRAGMENTS += [(f"wmma.load.a.sync.aligned.{_l}.{_s}.global.f16", 2, _m * _k, _k if _l == "row" else _m, 8, "b32"),
                      (f"wmma.load.b.sync.aligned.{_l}.{_s}.global.f16", 2, _n * _k, _n if _l == "row" else _k, 8, "b32"),
                      (f"wmma.load.c.sync.aligned.{_l}.{_s}.global.f16", 2, _m * _n, _n if _l == "row" else _m, 4, "b32"),
                      (f"wmma.load.c.sync.aligned.{_l}.{_s}.global.f32", 4, _m * _n, _n if _l == "row" else _m, 8, "f32"),
                      (f"wmma.load.a.sync.aligned.{_l}.{_s}.global.s8", 1, _m * _k, _k if _l == "row" else _m, {8: 1, 16: 2, 32: 4}[_m], "b32"),
                      (f"wmma.load.b.sync.aligned.{_l}.{_s}.global.s8", 1, _n * _k, _n if _l == "row" else _k, {8: 1, 16: 2, 32: 4}[_n], "b32"),
                      (f"wmma.load.c.sync.aligned.{_l}.{_s}.global.s32", 4, _m * _n, _n if _l == "row" else _m, 8, "b32"),
                      (f"wmma.load.a.sync.aligned.{_l}.{_s}.global.bf16", 2, _m * _k, _k if _l == "row" else _m, {8: 2, 16: 4, 32: 8}[_m], "b32"),
                      (f"wmma.load.b.sync.aligned.{_l}.{_s}.global.bf16", 2, _n * _k, _n if _l == "row" else _k, {8: 2, 16: 4, 32: 8}[_n], "b32")]
for _l in ("row", "col"):
    FRAGMENTS += [(f"wmma.load.a.sync.aligned.{_l}.m16n16k8.global.tf32", 4, 128, 8 if _l == "row" else 16, 4, "b32"),
                  (f"wmma.load.b.sync.aligned.{_l}.m16n16k8.global.tf32", 4, 128, 16 if _l == "row" else 8, 4, "b32"),
                  (f"wmma.load.a.sync.aligned.{_l}.m8n8k4.global.f64", 8, 32, 4 if _l == "row" else 8, 1, "f64"),
                  (f"wmma.load.b.sync.aligned.{_l}.m8n8k4.global.f64", 8, 32, 8 if _l == "row" else 4, 1, "f64"),
                  (f"wmma.load.c.sync.aligned.{_l}.m8n8k4.global.f64", 8, 64, 8, 2, "f64")]


def fragment(statement, size, elements, leading, registers, reg):
    """Returns an entry in which memory contains the (low bits of the) index of each element, and each lane stores its registers."""
    name = statement.replace(".", "_")
    width = BYTES[reg]
    lines = [f".visible .entry {name}(.param .u64 out)", "{"] + scratch() + [f"    .global .align 128 .b8 {name}_memory[{size * elements}];", f"    .reg .{reg} %d<{registers}>;"]
    lines += ["    .reg .b64 %memory;", "    .reg .pred %q;", f"    mov.u64 %memory, {name}_memory;", "NEXT:", f"    setp.ge.u32 %q, %w, {elements};", "    @%q bra FILLED;",
              f"    mad.wide.u32 %salted, %w, {size}, %memory;"]
    if size == 8:
        lines += ["    cvt.u64.u32 %r64, %w;", "    st.global.b64 [%salted], %r64;"]
    elif size == 2:
        lines += ["    st.global.b16 [%salted], %w;"]
    else:
        lines += [f"    st.global.b{size * 8} [%salted], %w;"]
    if size == 2:
        lines[-1] = "    { .reg .b16 %h; cvt.u16.u32 %h, %w; st.global.b16 [%salted], %h; }"
    lines += ["    add.u32 %w, %w, 32;", "    bra NEXT;", "FILLED:", "    fence.acq_rel.gpu;", "    bar.warp.sync 0xffffffff;"]
    lines += [f"    {statement} {{{', '.join(f'%d{m}' for m in range(registers))}}}, [%memory], {leading};", f"    mad.lo.u64 %salted, %i, {registers * width}, %address;"]
    for m in range(registers):
        lines += [f"    st.global.{reg} [%salted + {m * width}], %d{m};"]
    return name, lines + ["    ret;", "}", ""], 32 * registers * width


# (name, geometry, texels of a 1D or 2D image, filter, coordinates normalised?, address mode, the instruction)
TEXTURES = [(f"tex_{g}_{f}_{a}_{'normalised' if n else 'texels'}", g, f, n, a) for g in ("1d", "2d") for f in ("linear", "nearest") for a in ("clamp", "border", "wrap", "mirror")
            for n in ((True,) if a in ("wrap", "mirror") else (False, True))]


def texture(name, geometry, filtering, normalised, address):
    """Returns an entry in which each thread reads a texture of 16 texels (in each direction) at positions in and around it."""
    lines = [f".visible .entry {name}(.param .u64 image, .param .u64 out)", "{", "    .reg .b64 %i, %z, %t, %address, %image;", "    .reg .b32 %w, %bits;",
             "    .reg .f32 %x, %y, %r, %g, %b, %a;", "    mov.u32 %w, %tid.x;", "    cvt.u64.u32 %i, %w;", "    ld.param.u64 %address, [out];", "    ld.param.u64 %image, [image];"]
    # Steps of 1/4096 of a texel, from -4 to 20.
    for k, axis in enumerate("xy" if geometry == "2d" else "x"):
        lines += [f"    add.s64 %z, %i, {(k + 1) * 7919};", "    call (%z), operand_bits64, (%z);", "    rem.u64 %z, %z, 98304;", "    cvt.u32.u64 %bits, %z;", "    sub.s32 %bits, %bits, 16384;",
                  f"    cvt.rn.f32.s32 %{axis}, %bits;", f"    mul.f32 %{axis}, %{axis}, {'0f37800000' if normalised else '0f39800000'};"]
    lines += [f"    tex.{geometry}.v4.f32.f32 {{%r, %g, %b, %a}}, [%image, {{{'%x' if geometry == '1d' else '%x, %y'}}}];", "    mad.lo.u64 %address, %i, 4, %address;",
              "    st.global.f32 [%address], %r;", "    ret;", "}", ""]
    return lines


HEADER = """// Made by make_kernels.py.
.version 8.0
.target sm_90
.address_size 64
"""


def function(kind):
    """Returns a PTX function that computes an operand of a kind from a number."""
    lines = [f".func (.reg .{REGISTER[kind]} %value) operand_{kind}(.reg .b64 %number)", "{", "    .reg .b64 %z, %t, %u;", "    .reg .b32 %w;", "    .reg .b16 %h, %lo, %hi;",
             "    .reg .pred %q;", "    mov.b64 %z, %number;"]
    return "\n".join(lines + ["    " + line for line in operand(kind, "value")] + ["    ret;", "}", ""])


def tables(kinds):
    out = []
    for kind, values in CORNERS.items():
        if not any(k in (kind, kind + "x2") for k in kinds):
            continue
        reg = REGISTER[kind]
        bits = 8 * BYTES[reg]
        out.append(f".const .align 8 .b{bits} corners_{kind}[32] = {{{', '.join(hex(v) for v in values)}}};")
    return "\n".join(out) + "\n\n" + "\n".join(function(k) for k in sorted(kinds)) + "\n"


def main():
    cases = []
    os.makedirs(os.path.join(HERE, "kernels"), exist_ok=True)
    for family, statements in families().items():
        text, seen = HEADER + tables({k for s in statements for k in s[2]}), set()
        for seed, (name, instruction, kinds, result) in enumerate(statements):
            base, n = name, 2
            while name in seen:
                name, n = f"{base}_{n}", n + 1
            seen.add(name)
            text += "\n".join(kernel(name, instruction, kinds, result, seed)) + "\n"
            cases.append({"name": f"{family}/{name}", "ptx": f"kernels/{family}.ptx",
                          "launch": {"entry": name, "grid": [1], "block": [THREADS], "params": {"out": {"bytes": THREADS * BYTES[result], "fill": "zero"}}}})
        with open(os.path.join(HERE, "kernels", family + ".ptx"), "w") as f:
            f.write(text)
    kinds = {"f16x2", "bf16x2", "f32", "tf32", "f64", "bits32", "bits64"}
    matrix = HEADER.replace(".version 8.0", ".version 8.5").replace("sm_90\n", "sm_90a\n") + tables(kinds)
    for special in (False, True):
        for entry in PRODUCTS + SPARSE:
            name = ("corners_of_" if special else "") + entry[0]
            if special and entry[2] in ("e4m3", "e5m2", "s8"):
                continue
            lines, size = product(name, *entry[1:], special=special)
            matrix += "\n".join(lines) + "\n"
            cases.append({"name": f"matrix/{name}", "ptx": "kernels/matrix.ptx", "launch": {"entry": name, "grid": [1], "block": [32], "params": {"out": {"bytes": size, "fill": "zero"}}}})
    for entry in WARPGROUP:
        lines, size = warpgroup(*entry)
        matrix += "\n".join(lines) + "\n"
        cases.append({"name": f"matrix/{entry[0]}", "ptx": "kernels/matrix.ptx", "launch": {"entry": entry[0], "grid": [1], "block": [128], "params": {"out": {"bytes": size, "fill": "zero"}}}})
    with open(os.path.join(HERE, "kernels", "matrix.ptx"), "w") as f:
        f.write(matrix)
    textures = HEADER + tables({"bits64"})
    size = {"1d": [16], "2d": [16, 16]}
    for name, geometry, filtering, normalised, address in TEXTURES:
        textures += "\n".join(texture(name, geometry, filtering, normalised, address)) + "\n"
        texels = [((i * 2654435761) >> 7) % 1000003 / 997.0 for i in range(16 if geometry == "1d" else 256)]
        image = {"image": geometry, "size": size[geometry], "format": "f32", "hex": struct.pack(f"<{len(texels)}f", *texels).hex(), "filter": filtering, "address": address, "normalized": normalised}
        cases.append({"name": f"textures/{name}", "ptx": "kernels/textures.ptx", "launch": {"entry": name, "grid": [1], "block": [THREADS], "params": {"image": image, "out": {"bytes": THREADS * 4, "fill": "zero"}}}})
    with open(os.path.join(HERE, "kernels", "textures.ptx"), "w") as f:
        f.write(textures)
    layouts = HEADER
    for entry in FRAGMENTS:
        name, lines, size = fragment(*entry)
        layouts += "\n".join(lines) + "\n"
        cases.append({"name": f"fragments/{name}", "ptx": "kernels/fragments.ptx", "launch": {"entry": name, "grid": [1], "block": [32], "params": {"out": {"bytes": size, "fill": "zero"}}}})
    with open(os.path.join(HERE, "kernels", "fragments.ptx"), "w") as f:
        f.write(layouts)
    with open(os.path.join(HERE, "cases.jsonl"), "w") as f:
        for c in cases:
            f.write(json.dumps(c) + "\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
