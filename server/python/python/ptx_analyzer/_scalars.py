"""Numbers as arguments of kernels."""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any

from ._arrays import ELEMENTS
from ._errors import LaunchError

if TYPE_CHECKING:
    from ._native import Parameter

# A number, and the PTX type that it brings along.
Number = tuple[int | float, str | None]

_FLOATS = ("f16", "bf16", "tf32", "f32", "f64")
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64}
_DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64"}


def plain(value: Any) -> Number | None:
    """Return a scalar of Python, numpy or another library as a number with its PTX type; `None` if it is not a scalar."""
    if isinstance(value, bool):
        return int(value), None
    if isinstance(value, int | float):
        return value, None
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    if numpy is not None and isinstance(value, numpy.generic):
        element = ELEMENTS.get(value.dtype.name)
        if element is None:
            return None
        return (int(value) if value.dtype.kind in "biu" else float(value)), element
    if isinstance(value, str | bytes | bytearray):
        return None
    for convert in (operator.index, float):
        try:
            return convert(value), None
        except (TypeError, ValueError):
            continue
    return None


def number(parameter: Parameter, value: Any, where: str) -> Number:
    """Return a scalar for a parameter that is a number, and the PTX type as which it must be encoded, if not as the parameter's own."""
    found = plain(value)
    if found is None:
        raise LaunchError(f"{where} takes a number, but got {_kind(value)}")
    scalar, element = found
    if parameter.class_ == "float" or not isinstance(scalar, float):
        return scalar, None
    if parameter.class_ != "bits":
        help = f"pass int({value})" if scalar.is_integer() else "pass a whole number"
        raise LaunchError(f"{where} takes a whole number, but got the fraction {value!r}: {help}")
    # The parameter is declared as bits: the value says which format they have, or else the instruction that loads them.
    format = element if element in _BITS else parameter.loaded if parameter.loaded in _FLOATS else None
    bits = 8 * (parameter.bytes or 0)
    if format is None or _BITS[format] != bits:
        exact = next((dtype for name, dtype in _DTYPES.items() if _BITS[name] == bits), None)
        help = f"pass numpy.{exact}({value})" if exact else "pass its bits as a whole number"
        raise LaunchError(f"{where} takes {bits} bits, but got the fraction {value!r} without a format of that size: {help}")
    return scalar, format


def typed(value: Any, where: str) -> tuple[int | float, str]:
    """Return a scalar for a part of a parameter, with its PTX type."""
    found = plain(value)
    if found is None:
        raise LaunchError(f"{where} takes a number of numpy, an array or None, but got {_kind(value)}")
    scalar, element = found
    if element is None:
        raise LaunchError(f"{where} needs a number with a type: pass for example numpy.uint32({value!r})")
    return scalar, element


def _kind(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, list | tuple):
        return f"a {name}: pass numpy.array(…, dtype=…)"
    shape = getattr(value, "shape", None)
    return f"an array ({name} of shape {shape})" if shape else name
