"""Arrays of every origin, aliases, and what does not fit."""

from __future__ import annotations

import array
import ctypes
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_analyzer import Kernel, KernelFault, LaunchError
from ptx_text import kernel

BODY = """ld.param.u64 %p, [x];
ld.param.u64 %q, [out];
mul.wide.u32 %d0, %i, 4;
add.u64 %d1, %p, %d0;
add.u64 %d2, %q, %d0;
ld.global.f32 %f1, [%d1];
add.f32 %f1, %f1, %f1;
st.global.f32 [%d2], %f1;
ret;"""
BITS = BODY.replace("add.f32 %f1, %f1, %f1;", "").replace("f32", "b32").replace("%f1", "%r3")


@pytest.fixture(scope="module")
def double() -> Kernel:
    """`out = 2 * x`, both f32."""
    return kernel(["u64 x", "u64 out"], BODY)


@pytest.fixture(scope="module")
def copy() -> Kernel:
    """Copies words whatever they mean."""
    return kernel(["u64 x", "u64 out"], BITS)


class Interface:
    """An array of a library that has only `__array_interface__`."""

    def __init__(self, memory: np.ndarray[Any, Any]) -> None:
        self.memory = memory

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.memory.__array_interface__


class Dlpack:
    """An array of a library that has only DLPack, of the old or of the new version."""

    def __init__(self, memory: np.ndarray[Any, Any], versioned: bool, device: tuple[int, int] = (1, 0)) -> None:
        self.memory, self.versioned, self.device = memory, versioned, device

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **_: Any) -> Any:
        if max_version is not None and not self.versioned:
            raise TypeError("unexpected keyword argument max_version")
        return self.memory.__dlpack__(max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_array_interface(double: Kernel) -> None:
    out = np.zeros(4, np.float32)
    double[1, 4](Interface(np.arange(4, dtype=np.float32)), Interface(out))
    assert out.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack(double: Kernel, versioned: bool) -> None:
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    double[1, 4](Dlpack(x, versioned), Dlpack(out, versioned))
    assert out.tolist() == [0, 2, 4, 6]


def test_dlpack_of_a_gpu(double: Kernel) -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(LaunchError, match="memory of a GPU"):
        double[1, 4](Dlpack(x, True, (2, 0)), x)


def test_buffers_without_numpy(double: Kernel) -> None:
    out = array.array("f", [0] * 4)
    double[1, 4]((ctypes.c_float * 4)(1, 2, 3, 4), out)
    assert out.tolist() == [2, 4, 6, 8]
    raw = bytearray(16)
    double[1, 4](out, raw)
    assert memoryview(raw).cast("f").tolist() == [4, 8, 12, 16]
    double[1, 4](bytes(raw), memoryview(raw).cast("f"))
    assert memoryview(raw).cast("f").tolist() == [8, 16, 24, 32]


def test_results_are_written_in_place(double: Kernel) -> None:
    whole = np.zeros((3, 4), np.float32)
    double[1, 4](np.ones(4, np.float32), whole[1])
    np.testing.assert_array_equal(whole, [[0] * 4, [2] * 4, [0] * 4])


def test_the_same_array_twice(double: Kernel) -> None:
    x = np.arange(4, dtype=np.float32)
    double[1, 4](x, x)
    assert x.tolist() == [0, 2, 4, 6]


def test_overlapping_views(double: Kernel) -> None:
    x = np.arange(8, dtype=np.float32)
    double[1, 4](x[:4], x[4:])
    assert x.tolist() == [0, 1, 2, 3, 0, 2, 4, 6]
    double[1, 4](x, x[4:])
    assert x.tolist() == [0, 1, 2, 3, 0, 2, 4, 6]
    # Neither view contains the other one.
    double[1, 3](x[0:6], x[3:8])
    assert x.tolist() == [0, 1, 2, 0, 2, 4, 4, 6]


def test_read_only_arrays(double: Kernel) -> None:
    x, out = np.ones(4, np.float32), np.zeros(4, np.float32)
    x.flags.writeable = False
    double[1, 4](x, out)
    assert out.tolist() == [2] * 4
    out.flags.writeable = False
    with pytest.raises(KernelFault, match="`out` is read-only") as raised:
        double[1, 4](x, out)
    assert raised.value.report.findings[0].kind == "read-only"


def test_bounds_are_those_of_arrays(double: Kernel) -> None:
    x, out = np.ones(4, np.float32), np.zeros(8, np.float32)
    report = double[1, 5](x, out, faults="report")
    assert report.status == "fault" and not report.ok
    finding = report.findings[0]
    assert (finding.kind, finding.lanes, finding.fatal) == ("out-of-bounds", 16, True)
    assert "past the end of `x` (16 bytes)" in finding.message
    with pytest.raises(KernelFault, match="past the end of `x`"):
        double[1, 5](np.pad(x, (0, 9))[:4], out)


def test_gaps_are_refused(double: Kernel) -> None:
    x, out = np.ones(8, np.float32), np.zeros(4, np.float32)
    with pytest.raises(LaunchError, match=r"argument 1 of `k`.*strides \(8,\).*ascontiguousarray"):
        double[1, 4](x[::2], out)
    with pytest.raises(LaunchError, match=r"`\.T`"):
        double[1, 4](np.ones((2, 4), np.float32).T, out)
    with pytest.raises(LaunchError, match="gaps"):
        double[1, 4](memoryview(bytearray(16))[::2], out)


@pytest.mark.parametrize(
    "dtype",
    [
        np.float64,
        np.float16,
        np.int32,
        np.int64,
        ml_dtypes.bfloat16,
        ml_dtypes.int4,
        ml_dtypes.uint4,
        np.complex128,
        np.longdouble,
        np.clongdouble,
        bool,
        "U4",
        "U1",
        "S4",
        "S1",
        "m8[s]",
        "M8[s]",
    ],
)
def test_wrong_dtypes(double: Kernel, dtype: Any) -> None:
    x, out = np.zeros(16, dtype), np.zeros(4, np.float32)
    name = re.escape(x.dtype.name)
    with pytest.raises(LaunchError, match=rf"points to `\.f32` elements, but the array has dtype {name}.*numpy\.float32"):
        double[1, 4](x, out)


@pytest.mark.parametrize("dtype", [np.uint32, np.complex64, np.dtype("V4"), np.dtype([("a", "<f4"), ("b", "<f4")])])
def test_dtypes_with_the_same_bits(double: Kernel, dtype: Any) -> None:
    out = np.zeros(4, np.float32)
    double[1, 4](np.ones(16, np.float32).view(dtype), out)
    assert out.tolist() == [2] * 4


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.float16, ml_dtypes.float8_e4m3fn, bool, "M8[s]", "m8[s]", "S4", "U1", "V4"])
def test_words_of_anything(copy: Kernel, dtype: Any) -> None:
    x = np.frombuffer(bytes(range(32)), np.uint8).copy()
    x = (x & 1).astype(bool) if dtype is bool else x.view(dtype)
    out = np.zeros_like(x)
    copy[1, 8](x, out)
    assert out.tobytes() == x.tobytes()


def test_other_values(double: Kernel) -> None:
    out = np.zeros(4, np.float32)
    for value, message in {
        (1, 2): "got tuple: pass numpy.array",
        "abc": "got str",
        3: "is used as an address and takes an array",
        2.5: "is used as an address and takes an array",
        np.float32(1): "is used as an address and takes an array",
    }.items():
        with pytest.raises(LaunchError, match=message):
            double[1, 4](value, out)
    with pytest.raises(LaunchError, match="dtype object"):
        double[1, 4](np.array([None]), out)
    with pytest.raises(LaunchError, match="dtype object"):
        double[1, 4](np.zeros(4, [("a", "O"), ("b", "f4")]), out)
    if hasattr(np.dtypes, "StringDType"):
        with pytest.raises(LaunchError, match="not numbers"):
            double[1, 4](np.array(["a", "b"], np.dtypes.StringDType()), out)
    with pytest.raises(LaunchError, match="little-endian"):
        double[1, 4](np.zeros(4, ">f4"), out)


def test_empty_arrays(double: Kernel) -> None:
    empty = np.zeros(0, np.float32)
    with pytest.raises(KernelFault, match="out-of-bounds"):
        double[1, 1](empty, empty.copy())
    kernel(["u64 x"], "ret;")[1, 1](empty)
