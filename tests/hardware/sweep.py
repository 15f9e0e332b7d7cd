#!/usr/bin/env python3
"""Applies an approximate function of the GPU to every .f32 in some binades, to reveal the contents of its tables.

usage: sweep.py DIR        writes DIR/NAME.xz: second differences of the results' bits as .s8, LZMA (escape -128; the number itself follows at the end as .s32)
needs a GPU, NumPy and CuPy
"""
import concurrent.futures
import lzma
import os
import sys
import tempfile

import cupy
import numpy

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry sweep(.param .u64 out, .param .u32 first)
{
    .reg .b32 %i, %x, %n, %first;
    .reg .b64 %address;
    .reg .f32 %a, %d;
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %x, %tid.x;
    mad.lo.u32 %i, %i, %n, %x;
    ld.param.u32 %first, [first];
    add.u32 %x, %i, %first;
    mov.b32 %a, %x;
    INSTRUCTION %d, %a;
    ld.param.u64 %address, [out];
    mad.wide.u32 %address, %i, 4, %address;
    st.global.f32 [%address], %d;
    ret;
}
"""
# (file, instruction, exponents of the binades)
SWEEPS = [("rcp", "rcp.approx.f32", [0]), ("rsqrt", "rsqrt.approx.f32", [0, 1]), ("sqrt", "sqrt.approx.f32", [0, 1]), ("ex2", "ex2.approx.f32", [0]),
          ("ex2-low", "ex2.approx.f32", [-3, -2, -1]), ("lg2", "lg2.approx.f32", [-1, 0]), ("sin", "sin.approx.f32", [-1, 0, 1]), ("cos", "cos.approx.f32", [-1, 0, 1]),
          ("tanh", "tanh.approx.f32", [-4, -3, -2, -1, 0, 1, 2])]


def pack(item):
    name, results = item
    d = numpy.diff(numpy.diff(results.astype(numpy.int64), prepend=0), prepend=0)
    far = numpy.abs(d) > 127
    small = numpy.where(far, -128, d).astype(numpy.int8)
    return name, lzma.compress(small.tobytes() + d[far].astype(numpy.int32).tobytes(), preset=4)


def main():
    out = sys.argv[1]
    items = []
    for name, instruction, exponents in SWEEPS:
        kernel = load(TEXT.replace("INSTRUCTION", instruction))
        parts = []
        for e in exponents:
            buffer = cupy.zeros(1 << 23, cupy.uint32)
            kernel(((1 << 23) // 256,), (256,), (buffer, numpy.uint32((127 + e) << 23)))
            parts.append(buffer.get())
        items.append((name, numpy.concatenate(parts)))
    with concurrent.futures.ProcessPoolExecutor(12) as pool:
        for name, data in pool.map(pack, items):
            print(name, len(data), flush=True)
            with open(os.path.join(out, name + ".xz"), "wb") as f:
                f.write(data)


def load(text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(text)
        f.flush()
        return cupy.RawModule(path=f.name).get_function("sweep")


if __name__ == "__main__":
    main()
