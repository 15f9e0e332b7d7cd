"""From the arguments of a call to those of the interpreter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._arrays import ELEMENTS, Array, covering, element_of, view
from ._errors import LaunchError
from ._images import Sampler, TensorMap, _Image
from ._native import Parameter
from ._scalars import number, typed

Ranges = dict[str, list[tuple[int, int]]]

# An argument as `_native.Kernel.run` takes it: name, byte offset in the parameter, kind, value, and more of the value.
DescribedArgument = tuple[str, int | None, str, Any, Any]

# The bytes of an array: the name of its argument, the bytes, and whether they must not be written.
Memory = tuple[str, Any, bool]


class AddressOf:
    """The address of a variable or a function of the module, as an argument."""

    def __init__(self, name: str, offset: int = 0) -> None:
        self.name, self.offset = name, offset

    def __repr__(self) -> str:
        return f"AddressOf({self.name!r}, {self.offset})"


@dataclass
class Bound:
    """The arguments of a launch as `_native.Kernel.run` takes them."""

    parameters: list[DescribedArgument] = field(default_factory=list)
    variables: list[DescribedArgument] = field(default_factory=list)
    buffers: list[DescribedArgument] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    shares: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    """For the index of each memory: the arguments that lie in it, with offset and size."""

    def marks(self, marked: list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]) -> tuple[Ranges, Ranges]:
        """Return the unspecified and the approximate bytes by argument, from those by memory."""
        out: tuple[Ranges, Ranges] = ({}, {})
        for index, *both in marked:
            for name, offset, size in self.shares.get(index, []):
                for to, ranges in zip(out, both):
                    moved = [(max(start - offset, 0), min(end - offset, size)) for start, end in ranges]
                    if inside := [(start, end) for start, end in moved if start < end]:
                        to[name] = inside
        return out


@dataclass
class _Member:
    """An array whose address something in the launch holds."""

    title: str
    name: str
    offset: int | None
    array: Array
    tensor: dict[str, Any] | None = None
    """For a tensor map: its table, which gets the name and the offset of the memory."""


class Binder:
    """Converts the arguments of one launch."""

    def __init__(self, kernel: str, native: _native.Kernel, parameters: tuple[Parameter, ...]) -> None:
        self.kernel, self.native, self.parameters = kernel, native, parameters
        self.bound = Bound()
        self.members: list[_Member] = []
        self.images: dict[tuple[int, int], tuple[str, Any]] = {}

    def bind(self, args: Sequence[Any], variables: Mapping[str, Any]) -> Bound:
        """Convert the arguments and the contents of variables."""
        if len(args) != len(self.parameters):
            declared = ", ".join(f"`{p.declaration}`" for p in self.parameters)
            takes = f"{len(self.parameters)} argument{'s' if len(self.parameters) != 1 else ''}"
            given = f"{len(args)} {'is' if len(args) == 1 else 'are'} given"
            raise LaunchError(f"`{self.kernel}` takes {takes}{f' ({declared})' if declared else ''}; {given}")
        for index, (parameter, value) in enumerate(zip(self.parameters, args)):
            where = f"argument {index + 1} of `{self.kernel}`, `{parameter.declaration}`,"
            self._parameter(parameter, value, where)
        for name, value in variables.items():
            self._variable(name, value)
        self._place()
        return self.bound

    def _add(self, name: str, kind: str, value: Any, more: Any = None, offset: int | None = None) -> None:
        self.bound.parameters.append((name, offset, kind, value, more))

    def _parameter(self, parameter: Parameter, value: Any, where: str) -> None:
        name = parameter.name
        if isinstance(value, TensorMap):
            return self._tensor_map(parameter, value)
        if isinstance(value, _Image):
            return self._image(self.bound.parameters, name, value)
        if isinstance(value, Sampler):
            return self._add(name, "table", value._table())
        if parameter.class_ == "opaque" or (parameter.image and not isinstance(value, int)):
            raise LaunchError(f"{where} takes a Texture, a Surface or a Sampler, but got {type(value).__name__}")
        if parameter.aggregate:
            return self._aggregate(parameter, value, where)
        if isinstance(value, AddressOf):
            return self._add(name, "address", value.name, value.offset)
        if value is None:
            return self._add(name, "number", 0)
        is_scalar = getattr(value, "shape", None) == () and not parameter.pointer
        array = None if is_scalar or isinstance(value, int | float) else view(value, where.rstrip(","))
        if array is not None:
            if parameter.class_ == "float" or parameter.bytes != self.native.address_bytes:
                raise LaunchError(f"{where} takes a number, but got an array ({array.description})")
            _check_elements(parameter, array, where)
            self.members.append(_Member(name, name, None, array))
            return None
        if parameter.pointer and not parameter.image and not isinstance(value, AddressOf):
            what = "a TensorMap" if parameter.tensor_map else "an array"
            found = type(value).__name__
            help = f": pass numpy.array({_short(value)}, dtype=…)" if isinstance(value, list | tuple) else ""
            raise LaunchError(f"{where} is used as an address and takes {what} (None is the null pointer), but got {found}{help}")
        scalar, element = number(parameter, value, where)
        return self._add(name, "number", scalar, element)

    def _aggregate(self, parameter: Parameter, value: Any, where: str) -> None:
        """A parameter that is an array or a vector: contents, or parts by their byte offset."""
        name, size = parameter.name, parameter.bytes or 0
        if isinstance(value, Mapping):
            for at, part in value.items():
                here = f"{where} byte {at},"
                if isinstance(part, AddressOf):
                    self._add(name, "address", part.name, part.offset, at)
                elif (array := None if getattr(part, "shape", None) == () else view(part, here)) is not None:
                    self.members.append(_Member(f"{name}+{at}", name, at, array))
                elif part is None:
                    self._add(name, "number", 0, "u64", at)
                else:
                    self._add(name, "number", *typed(part, here), offset=at)
            return
        contents = _contents(value, where)
        if contents is None:
            raise LaunchError(f"{where} takes {size} bytes: an array, bytes, or a dict of its parts by offset; got {type(value).__name__}")
        if contents.size != size:
            raise LaunchError(f"{where} has {size} bytes, but the array has {contents.size} ({contents.description})")
        self._add(name, "contents", bytes(contents.bytes))

    def _tensor_map(self, parameter: Parameter, value: TensorMap) -> None:
        table = {"tensor_map": "", **value._options, "offset": value._offset}
        self._add(parameter.name, "table", table)
        title = f"tensor of {parameter.name}"
        self.members.append(_Member(title, parameter.name, None, value._array, table))

    def _image(self, to: list[DescribedArgument], name: str, value: _Image) -> None:
        array = value._array
        first = self.images.get((array.address, array.size))
        if first is not None and all(first[1].get(key) == value._options[key] for key in ("image", "size", "format")):
            # A second handle of the same image.
            to.append((name, None, "table", {**value._options, "buffer": first[0]}, None))
            return
        texels = f"texels of {name}"
        self.images[array.address, array.size] = (name, value._options)
        self.bound.buffers.append((texels, None, "buffer", self._memory(texels, array, True), None))
        # The image is a copy of the buffer, and what the kernel writes to the image goes back into the array.
        self._memory(name, array, array.read_only, at=(name, 0, array.size))
        to.append((name, None, "table", {**value._options, "buffer": texels}, None))

    def _variable(self, name: str, value: Any) -> None:
        where = f"variable `{name}`"
        if name not in self.native.variables():
            known = ", ".join(f"`{variable}`" for variable in self.native.variables()) or "none"
            raise LaunchError(f"the module has no variable `{name}` in global or constant memory; it has {known}")
        to = self.bound.variables
        if isinstance(value, TensorMap):
            table = {"tensor_map": "", **value._options, "offset": value._offset}
            to.append((name, None, "table", table, None))
            self.members.append(_Member(f"tensor of {name}", name, None, value._array, table))
        elif isinstance(value, _Image):
            self._image(to, name, value)
        elif isinstance(value, Sampler):
            to.append((name, None, "table", value._table(), None))
        elif isinstance(value, AddressOf):
            to.append((name, None, "address", value.name, value.offset))
        elif isinstance(value, bool | int | float):
            to.append((name, None, "number", value if isinstance(value, float) else int(value), None))
        elif (array := _contents(value, where)) is not None:
            to.append((name, None, "buffer", self._memory(name, array, array.read_only, at=(name, 0, array.size)), None))
        else:
            raise LaunchError(f"{where} takes an array or a number, but got {type(value).__name__}")

    def _memory(self, name: str, array: Array, read_only: bool, at: tuple[str, int, int] | None = None) -> int:
        index = len(self.bound.memory)
        self.bound.memory.append((name, array.bytes, read_only))
        if at is not None:
            self.bound.shares.setdefault(index, []).append(at)
        return index

    def _place(self) -> None:
        """Give each array its place in memory. Arrays that overlap get one place, as they have in the memory of the caller."""
        groups: list[list[_Member]] = []
        end = -1
        for member in sorted(self.members, key=lambda member: member.array.address):
            array = member.array
            if array.size and groups and array.address < end:
                groups[-1].append(member)
            else:
                groups.append([member])
            end = max(end, array.address + array.size)
        for group in groups:
            self._place_group(group)

    def _place_group(self, group: list[_Member]) -> None:
        whole = covering([member.array for member in group]) if len(group) > 1 else group[0].array
        if whole is None:
            names = " and ".join(f"`{member.title}`" for member in group)
            raise LaunchError(f"the arrays for {names} overlap in memory, but are not views of one array: pass one array")

        def fills(member: _Member) -> bool:
            return member.array.address == whole.address and member.array.size == whole.size and member.tensor is None

        owner = next(filter(fills, group), None)
        title = owner.title if owner else " and ".join(member.title for member in group)
        read_only = all(member.array.read_only for member in group)
        index = self._memory(title, whole, read_only)
        if owner is None:
            self.bound.buffers.append((title, None, "buffer", index, None))
        else:
            self._add(owner.name, "buffer", index, offset=owner.offset)
        for member in group:
            distance = member.array.address - whole.address
            self.bound.shares.setdefault(index, []).append((member.title, distance, member.array.size))
            if member.tensor is not None:
                member.tensor["tensor_map"] = title
                member.tensor["offset"] += distance
            elif member is not owner:
                self._add(member.name, "address", title, distance, member.offset)


def _contents(value: Any, where: str) -> Array | None:
    """The bytes of an array or of a scalar of numpy."""
    if getattr(value, "shape", None) == () and hasattr(value, "tobytes"):
        return view(value.tobytes(), where)
    return view(value, where)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 20 else "…"


def _check_elements(parameter: Parameter, array: Array, where: str) -> None:
    """Refuse an array whose elements are clearly not those that the kernel uses."""
    found, expected = element_of(array.dtype), parameter.element
    if found is None or expected is None or found == expected or expected[0] == "b" and _is_whole(expected):
        return
    bits, width = _bits(found), _bits(expected)
    if not _is_whole(expected):
        # Unsigned integers of the same size may hold the bits of fractions.
        fits = (found[0] in "ub" and _is_whole(found) and bits == width) or (found, expected) == ("f32", "tf32")
    else:
        # Wider accesses read several elements at once, and bytes may be those of anything.
        fits = bits <= width or width == 8
    if not fits:
        dtype = _DTYPES.get(expected, expected)
        raise LaunchError(
            f"{where} points to `.{expected}` elements, but the array has dtype {array.dtype}: "
            f"pass `….astype({dtype})`, or `….view({dtype})` if its bits are meant"
        )


def _is_whole(element: str) -> bool:
    """Whether elements of this type are integers or bits."""
    return re.fullmatch(r"[usb]\d+", element) is not None


def _bits(element: str) -> int:
    """The size of an element in an array. Elements of less than a byte take a byte."""
    size = re.fullmatch(r"(?:[usbf]|bf|tf)(\d+)", element)
    return int(size[1]) if size else 8


_DTYPES = {ptx: f"numpy.{dtype}" for dtype, ptx in ELEMENTS.items() if _is_whole(ptx) or ptx in ("f16", "f32", "f64")}
_DTYPES |= {"bf16": "ml_dtypes.bfloat16", "tf32": "numpy.float32"}
