"""Textures, surfaces, samplers and tensor maps for arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ._arrays import ELEMENTS, Array, view
from ._errors import LaunchError

Kind = Literal["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"]
Filter = Literal["nearest", "linear"]
AddressMode = Literal["wrap", "mirror", "clamp", "border", "clamp_ogl", "clamp_to_edge", "clamp_to_border"]
Swizzle = Literal["none", "32B", "64B", "96B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"]
Table = dict[str, Any]

# For each kind the axes of an array, outermost first, without that of the channels.
_AXES: dict[str, tuple[str, ...]] = {
    "1d": ("width",),
    "2d": ("height", "width"),
    "3d": ("depth", "height", "width"),
    "a1d": ("layers", "width"),
    "a2d": ("layers", "height", "width"),
    "cube": ("6 faces", "height", "width"),
    "acube": ("cubes", "6 faces", "height", "width"),
}
_SIZES = ("width", "height", "depth")
_CHANNELS = ("un8", "sn8", "u8", "s8", "un16", "sn16", "u16", "s16", "u32", "s32", "f16", "f32")
_TENSOR_TYPES = {
    "int8": "u8",
    "uint8": "u8",
    "bool": "u8",
    "float8_e4m3fn": "u8",
    "float8_e5m2": "u8",
    "float8_e8m0fnu": "u8",
    "uint16": "u16",
    "int16": "u16",
    "uint32": "u32",
    "int32": "s32",
    "uint64": "u64",
    "int64": "s64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
}


def _given(**options: Any) -> Table:
    """The options that are not `None`, with sequences as lists."""
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    return {key: value for key, value in plain.items() if value is not None}


class Sampler:
    """How a texture is read: a value for a `.samplerref`, or part of a `Texture`."""

    def __init__(
        self,
        filter: Filter = "nearest",
        *,
        address: AddressMode | Sequence[AddressMode] | None = None,
        border: Sequence[float] | None = None,
        mipmap_filter: Filter | None = None,
        compare: str | None = None,
        anisotropy: int | None = None,
    ) -> None:
        self._options = _given(
            address=address if isinstance(address, str) else _tuple(address),
            border=_tuple(border),
            mipmap_filter=mipmap_filter,
            compare=compare,
            anisotropy=anisotropy,
        )
        self._filter = filter

    def _table(self) -> Table:
        return {"sampler": self._filter, **self._options}


def _tuple(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


class _Image:
    _what: str

    def __init__(self, array: Any, kind: Kind | None, normalized_values: bool, options: Table) -> None:
        where = self._what
        found = view(array, where)
        if found is None:
            raise LaunchError(f"{where}: expected an array, but got {type(array).__name__}")
        self._array: Array = found
        dimensions = len(found.shape)
        name = kind or ("1d" if dimensions == 1 else "2d")
        axes = _AXES.get(name)
        if axes is None:
            raise LaunchError(f"{where}: `kind` is {name!r}, but must be one of {', '.join(_AXES)}")
        if dimensions not in (len(axes), len(axes) + 1):
            raise LaunchError(
                f"{where}: a {name} image needs an array with the axes ({', '.join(axes)}) or ({', '.join(axes)}, channels), "
                f"but the shape is {found.shape}"
            )
        channels = found.shape[-1] if dimensions > len(axes) else 1
        if channels not in (1, 2, 4):
            raise LaunchError(f"{where}: a texel has 1, 2 or 4 channels, but the last axis of the shape {found.shape} has {channels}")
        sizes = dict(zip(axes, found.shape))
        if sizes.get("6 faces", 6) != 6:
            raise LaunchError(f"{where}: a cube has 6 faces, but the shape is {found.shape}")
        element = ELEMENTS.get(found.dtype, found.dtype)
        if normalized_values:
            element = {"u8": "un8", "s8": "sn8", "u16": "un16", "s16": "sn16"}.get(element, f"normalized {element}")
        if element not in _CHANNELS:
            raise LaunchError(f"{where}: a channel cannot have dtype {found.dtype}: pass 8, 16 or 32-bit integers, float16 or float32")
        layers = sizes.get("layers", sizes.get("cubes"))
        self._options: Table = {
            "image": name,
            "size": [sizes[axis] for axis in _SIZES if axis in sizes],
            "format": element if channels == 1 else f"{element}x{channels}",
            **_given(layers=layers),
            **options,
        }


class Texture(_Image):
    """A texture over an array: the axes are (height, width), (height, width, channels) and so on for other kinds.

    `normalized_values`: integers are read as fractions from 0 or -1 to 1. `normalized_coords`: coordinates go from 0 to 1.
    """

    _what = "Texture"

    def __init__(
        self,
        array: Any,
        *,
        kind: Kind | None = None,
        filter: Filter = "nearest",
        address: AddressMode | Sequence[AddressMode] | None = None,
        border: Sequence[float] | None = None,
        normalized_coords: bool = False,
        normalized_values: bool = False,
        anisotropy: int | None = None,
    ) -> None:
        options = _given(
            filter=filter,
            address=address if isinstance(address, str) else _tuple(address),
            border=_tuple(border),
            anisotropy=anisotropy,
        )
        super().__init__(array, kind, normalized_values, {"normalized": normalized_coords, **options})


class Surface(_Image):
    """A surface over an array, which kernels read and write. The axes are those of `Texture`."""

    _what = "Surface"

    def __init__(self, array: Any, *, kind: Kind | None = None, normalized_values: bool = False) -> None:
        super().__init__(array, kind, normalized_values, {})
        if self._array.read_only:
            raise LaunchError("Surface: the array is read-only, but kernels write to surfaces: pass a copy, or a Texture")


class TensorMap:
    """A tensor map over an array, for `cp.async.bulk.tensor` and the like.

    `box`, `element_strides` and `shape` are in the order of the array's axes, outermost first. `type` and `shape` are those of the
    array unless they are given; `strides` are bytes, for all axes but the innermost.
    """

    def __init__(
        self,
        array: Any,
        box: Sequence[int] | None = None,
        *,
        shape: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        type: str | None = None,
        offset: int = 0,
        element_strides: Sequence[int] | None = None,
        interleave: Literal["none", "16B", "32B"] = "none",
        swizzle: Swizzle = "none",
        fill: Literal["zeros", "nan"] = "zeros",
        mode: Literal["tiled", "im2col", "im2col_w"] = "tiled",
        lower_corner: Sequence[int] | None = None,
        upper_corner: Sequence[int] | None = None,
        pixels_per_column: int | None = None,
        channels_per_pixel: int | None = None,
    ) -> None:
        found = view(array, "TensorMap")
        if found is None:
            raise LaunchError(f"TensorMap: expected an array, but got {array.__class__.__name__}")
        self._array: Array = found
        element = type or _TENSOR_TYPES.get(found.dtype)
        if element is None:
            raise LaunchError(f"TensorMap: there is no type of tensors for the dtype {found.dtype or 'of this array'}: give `type`")
        axes = tuple(shape) if shape is not None else found.shape
        if box is not None and len(box) != len(axes):
            raise LaunchError(f"TensorMap: `box` has {len(box)} numbers, but the tensor has {len(axes)} axes (shape {axes})")
        self._offset = offset
        self._options: Table = {
            "type": element,
            "dims": list(reversed(axes)),
            **_given(
                box=_reversed(box),
                strides=_reversed(strides),
                element_strides=_reversed(element_strides),
                lower_corner=_tuple(lower_corner),
                upper_corner=_tuple(upper_corner),
                pixels_per_column=pixels_per_column,
                channels_per_pixel=channels_per_pixel,
            ),
            "interleave": interleave,
            "swizzle": swizzle,
            "fill": fill,
            "mode": mode,
        }


def _reversed(values: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(int(value) for value in reversed(values))
