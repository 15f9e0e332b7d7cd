"""Arrays of any library as bytes in memory, without copies."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import LaunchError
from ._native import address_of, capsule_name

if TYPE_CHECKING:
    import numpy

# Devices of DLPack whose memory the processor can read: the CPU, and pinned memory of CUDA.
_CPU_DEVICES = (1, 3)

# The type names of PTX for the dtypes of numpy and ml_dtypes.
ELEMENTS = {
    "bool": "b8",
    **{f"int{bits}": f"s{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "ue8m0",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float4_e2m1fn": "e2m1",
}

# Texts are their characters, and times are numbers. Neither are the bits of a fraction, so both have a sign.
_OTHER_ELEMENTS = {"str": "s32", "bytes": "s8", "datetime": "s64", "timedelta": "s64"}


def element_of(dtype: str) -> str | None:
    """Return the type name of PTX for the elements of a dtype; `None` if they may be anything: structures and plain bytes."""
    if dtype in ELEMENTS:
        return ELEMENTS[dtype]
    parts = re.fullmatch(r"([a-z]+)(\d*)(?:\[.*\])?", dtype)
    name, bits = (parts[1], int(parts[2] or 0)) if parts else ("", 0)
    if name == "complex":
        return f"f{bits // 2}"
    if name == "float":
        return f"f{bits}"
    if name in ("int", "uint"):
        # Those of ml_dtypes that are smaller than a byte take a byte.
        return f"{name[0].replace('i', 's')}{max(bits, 8)}"
    return _OTHER_ELEMENTS.get(name)


# The dtypes of formats of the buffer protocol, for arrays without numpy. Plain bytes may hold elements of any kind.
_FORMATS = {
    "?": "bool",
    "b": "int8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "q": "int64",
    "Q": "uint64",
    "e": "float16",
    "f": "float32",
    "d": "float64",
}


@dataclass(frozen=True)
class Array:
    """The bytes of an array."""

    bytes: Any
    """The bytes, as a one-dimensional array or view of bytes."""
    address: int
    size: int
    """Number of bytes."""
    read_only: bool
    dtype: str
    """The name of the dtype; empty if there is none."""
    shape: tuple[int, ...]
    owner: Any
    """The array itself."""

    @property
    def description(self) -> str:
        """The dtype and the shape, for messages."""
        shape = "x".join(map(str, self.shape)) or "no dimension"
        return f"{self.dtype or 'bytes'}[{shape}]"


def view(value: Any, where: str) -> Array | None:
    """Return the bytes of an array; `None` if the value is not an array. `where` begins messages."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _from_numpy(value, where)
    if isinstance(value, bytes | bytearray | memoryview):
        return _from_buffer(value, where)
    if hasattr(value, "__cuda_array_interface__"):
        raise LaunchError(f"{where}: the array is in the memory of a GPU: copy it to the CPU, for example with `.get()` or `.cpu()`")
    if numpy is not None and isinstance(value, numpy.generic):
        return None
    if hasattr(value, "__array_interface__"):
        return _from_numpy(_numpy(where).asarray(value), where)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, where)
    try:
        memoryview(value)
    except TypeError:
        return None
    return _from_buffer(value, where)


def _numpy(where: str) -> Any:
    try:
        import numpy
    except ImportError:
        raise LaunchError(f"{where}: arrays of this kind need numpy: pip install numpy") from None
    return numpy


def _from_numpy(array: numpy.ndarray[Any, Any], where: str) -> Array:
    dtype = array.dtype
    if dtype.hasobject or dtype.kind not in "biufcmMOSUV":
        # The memory of others, such as texts of any length, has addresses of the elements.
        name = "object" if dtype.hasobject else str(dtype)
        raise LaunchError(f"{where}: the array has dtype {name}, whose elements are not numbers: pass an array of numbers")
    if not array.flags.c_contiguous:
        transposed = array.flags.f_contiguous and array.ndim > 1
        help = "pass `numpy.ascontiguousarray(…)`, and copy the result back"
        if transposed:
            help = "pass its transpose `.T` if the kernel expects columns first, else `numpy.ascontiguousarray(…)`"
        raise LaunchError(f"{where}: the array has gaps or another order in memory (strides {array.strides}): {help}")
    if not dtype.isnative:
        raise LaunchError(
            f"{where}: the array has dtype {dtype.str!r}, but a GPU is little-endian: pass `….astype({dtype.newbyteorder('=').str!r})`"
        )
    numpy = sys.modules["numpy"]
    flat = array.reshape(-1).view(numpy.uint8)
    address = int(address_of(flat)) if flat.size else 0
    return Array(flat, address, flat.size, not array.flags.writeable, dtype.name, array.shape, array)


class _Interface:
    """Memory for `numpy.asarray` that may be written."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        address, _ = interface["data"]
        self.__array_interface__ = {**interface, "data": (address, False)}
        self.owner = owner


class _Exporter:
    """A capsule of DLPack that has been fetched already."""

    def __init__(self, capsule: Any, device: tuple[Any, int]) -> None:
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self.device


def _from_dlpack(value: Any, where: str) -> Array:
    device = value.__dlpack_device__()
    if int(device[0]) not in _CPU_DEVICES:
        raise LaunchError(f"{where}: the array is in the memory of a GPU (device {int(device[0])} of DLPack): copy it to the CPU")
    numpy = _numpy(where)
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = value.__dlpack__()
    # Old capsules do not say whether the memory may be written. By convention it may, but numpy assumes the opposite.
    versioned = capsule_name(capsule) == "dltensor_versioned"
    try:
        array = numpy.from_dlpack(_Exporter(capsule, (1, 0)))
    except (BufferError, RuntimeError, TypeError) as why:
        raise LaunchError(f"{where}: numpy cannot read the array ({why}): pass a view of it as integers of the same size") from why
    if not versioned and not array.flags.writeable:
        array = numpy.asarray(_Interface(array.__array_interface__, array))
    return _from_numpy(array, where)


def _from_buffer(value: Any, where: str) -> Array:
    memory = memoryview(value)
    dtype = _FORMATS.get(memory.format.lstrip("@=<"), "")
    if memory.format in ("l", "L"):
        dtype = f"{'u' if memory.format == 'L' else ''}int{memory.itemsize * 8}"
    if not memory.c_contiguous:
        raise LaunchError(f"{where}: the memory has gaps (strides {memory.strides}): pass a contiguous copy")
    shape = memory.shape or ()
    try:
        flat: Any = memory.cast("B") if memory.nbytes else memoryview(b"")
    except TypeError:
        # memoryview casts only simple formats.
        return _from_numpy(_numpy(where).asarray(value), where)
    address = int(address_of(flat)) if flat.nbytes else 0
    return Array(flat, address, memory.nbytes, memory.readonly, dtype, shape, value)


def covering(arrays: list[Array]) -> Array | None:
    """Return an array whose bytes contain those of overlapping arrays: one of them, or the array of which all are views."""
    start = min(array.address for array in arrays)
    end = max(array.address + array.size for array in arrays)
    for array in sorted(arrays, key=lambda array: array.read_only):
        if array.address == start and array.address + array.size == end:
            return array
    root = arrays[0].owner
    while getattr(root, "base", None) is not None:
        root = root.base
    try:
        whole = view(root, "")
    except LaunchError:
        return None
    if whole is None or start < whole.address or end > whole.address + whole.size:
        return None
    part = whole.bytes[start - whole.address : end - whole.address]
    return Array(part, start, end - start, whole.read_only, "uint8", (end - start,), root)
