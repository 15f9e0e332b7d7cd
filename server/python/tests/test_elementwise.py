"""Instructions on one element for each thread, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_text import TYPES, elementwise

COUNT = 96
Numbers = Any
Case = tuple[str, str, list[str], str, Callable[..., Numbers], float]


def dtype(name: str) -> np.dtype[Any]:
    """The dtype of a type of PTX."""
    return np.dtype(getattr(ml_dtypes, name, name))


def _wide(x: Numbers) -> Numbers:
    return x.astype(np.int64)


def _reversed(x: Numbers) -> Numbers:
    return np.array([int(f"{int(v):032b}"[::-1], 2) for v in x], np.uint32)


def _fma(a: Numbers, b: Numbers, c: Numbers) -> Numbers:
    return a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)


# Name, result, inputs, instructions, reference, relative tolerance.
CASES: list[Case] = [
    ("add.s32", "s32", ["s32", "s32"], "add.s32 %o, %a, %b;", lambda a, b: a + b, 0),
    ("sub.u64", "u64", ["u64", "u64"], "sub.u64 %o, %a, %b;", lambda a, b: a - b, 0),
    ("mul.lo.u32", "u32", ["u32", "u32"], "mul.lo.u32 %o, %a, %b;", lambda a, b: a * b, 0),
    ("mul.hi.s32", "s32", ["s32", "s32"], "mul.hi.s32 %o, %a, %b;", lambda a, b: (_wide(a) * _wide(b)) >> 32, 0),
    ("mul.wide.s32", "s64", ["s32", "s32"], "mul.wide.s32 %o, %a, %b;", lambda a, b: _wide(a) * _wide(b), 0),
    ("mad.lo.s32", "s32", ["s32", "s32", "s32"], "mad.lo.s32 %o, %a, %b, %c;", lambda a, b, c: a * b + c, 0),
    ("div.u32", "u32", ["u32", "u32"], "or.b32 %b, %b, 1;\ndiv.u32 %o, %a, %b;", lambda a, b: a // (b | 1), 0),
    ("rem.u64", "u64", ["u64", "u64"], "or.b64 %b, %b, 1;\nrem.u64 %o, %a, %b;", lambda a, b: a % (b | 1), 0),
    ("min.s16", "s16", ["s16", "s16"], "min.s16 %o, %a, %b;", np.minimum, 0),
    ("max.s64", "s64", ["s64", "s64"], "max.s64 %o, %a, %b;", np.maximum, 0),
    ("abs.s32", "s32", ["s32"], "abs.s32 %o, %a;", np.abs, 0),
    ("and.b32", "b32", ["b32", "b32"], "and.b32 %o, %a, %b;", np.bitwise_and, 0),
    ("lop3", "b32", ["b32", "b32", "b32"], "lop3.b32 %o, %a, %b, %c, 0x96;", lambda a, b, c: a ^ b ^ c, 0),
    ("shl.b32", "b32", ["b32"], "shl.b32 %o, %a, 5;", lambda a: a << np.uint32(5), 0),
    ("shr.s32", "s32", ["s32"], "shr.s32 %o, %a, 5;", lambda a: a >> 5, 0),
    ("popc", "u32", ["b32"], "popc.b32 %o, %a;", np.bitwise_count, 0),
    ("brev", "b32", ["b32"], "brev.b32 %o, %a;", _reversed, 0),
    ("bfe.u32", "u32", ["u32"], "bfe.u32 %o, %a, 4, 8;", lambda a: a >> np.uint32(4) & np.uint32(255), 0),
    ("u8", "u8", ["u8", "u8"], "add.u16 %o, %a, %b;", lambda a, b: a + b, 0),
    ("s8 to s32", "s32", ["s8"], "cvt.s32.s16 %o, %a;", _wide, 0),
    ("add.f32", "f32", ["f32", "f32"], "add.f32 %o, %a, %b;", lambda a, b: a + b, 0),
    ("mul.f64", "f64", ["f64", "f64"], "mul.f64 %o, %a, %b;", lambda a, b: a * b, 0),
    ("div.rn.f32", "f32", ["f32", "f32"], "div.rn.f32 %o, %a, %b;", lambda a, b: a / b, 0),
    ("sqrt.rn.f64", "f64", ["f64"], "abs.f64 %a, %a;\nsqrt.rn.f64 %o, %a;", lambda a: np.sqrt(np.abs(a)), 0),
    ("fma.rn.f32", "f32", ["f32"] * 3, "fma.rn.f32 %o, %a, %b, %c;", _fma, 1e-7),
    ("ex2.approx", "f32", ["f32"], "ex2.approx.f32 %o, %a;", np.exp2, 1e-6),
    ("sin.approx", "f32", ["f32"], "sin.approx.f32 %o, %a;", np.sin, 1e-4),
    ("neg.f16", "f16", ["f16"], "neg.f16 %o, %a;", np.negative, 0),
    ("add.f16", "f16", ["f16", "f16"], "add.rn.f16 %o, %a, %b;", lambda a, b: a + b, 0),
    ("fma.f16", "f16", ["f16"] * 3, "fma.rn.f16 %o, %a, %b, %c;", lambda *abc: _fma(*abc).astype(np.float16), 0),
    ("fma.bf16", "bf16", ["bf16"] * 3, "fma.rn.bf16 %o, %a, %b, %c;", lambda *abc: _fma(*abc).astype(ml_dtypes.bfloat16), 0),
    ("f32 to s32", "s32", ["f32"], "cvt.rni.s32.f32 %o, %a;", np.rint, 0),
    ("u32 to f32", "f32", ["u32"], "cvt.rn.f32.u32 %o, %a;", lambda a: a.astype(np.float32), 0),
    ("f32 to f16", "f16", ["f32"], "cvt.rn.f16.f32 %o, %a;", lambda a: a.astype(np.float16), 0),
    ("f32 to bf16", "bf16", ["f32"], "cvt.rn.bf16.f32 %o, %a;", lambda a: a.astype(ml_dtypes.bfloat16), 0),
    ("f64 to f32", "f32", ["f64"], "cvt.rn.f32.f64 %o, %a;", lambda a: a.astype(np.float32), 0),
    (
        "setp and selp",
        "s32",
        ["s32", "s32"],
        "setp.gt.s32 %c0, %a, %b;\nselp.s32 %o, %a, %b, %c0;",
        np.maximum,
        0,
    ),
]


@pytest.mark.parametrize(("result", "inputs", "body", "reference", "tolerance"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_elementwise(
    random: np.random.Generator, result: str, inputs: list[str], body: str, reference: Callable[..., Numbers], tolerance: float
) -> None:
    arrays = []
    for ty in inputs:
        kind = dtype(TYPES[ty][0])
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            arrays.append(random.integers(limits.min, limits.max, COUNT, dtype=kind, endpoint=True))
        else:
            arrays.append(random.normal(0, 3, COUNT).astype(kind))
    out = np.zeros(COUNT, dtype(TYPES[result][0]))
    report = elementwise(result, inputs, body)[3, 32](out, *arrays)
    assert report.ok
    with np.errstate(over="ignore"):
        expected = reference(*arrays).astype(out.dtype)
    if tolerance:
        np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(out, expected)
