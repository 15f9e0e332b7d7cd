"""Modules, kernels and launches."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from . import _native
from ._bind import AddressOf, Binder
from ._errors import KernelFault, LaunchError
from ._native import Parameter
from ._report import Limit, Report, Status

__all__ = ["ALL_CHECKS", "CHECKS", "AddressOf", "Kernel", "Launcher", "Module", "load"]

Size = int | Sequence[int]

CHECKS: frozenset[str] = frozenset(_native.check_kinds(False))
"""The kinds of findings that do not end a run and that a launch looks for unless it says otherwise."""
ALL_CHECKS: frozenset[str] = frozenset(_native.check_kinds(True))
"""The same, and those that are off by default."""


def load(source: str | os.PathLike[str]) -> Module:
    """Load a module from a PTX text, or from a file: a path, or a string in one line that ends with `.ptx`.

    A folder raises `IsADirectoryError`, also if a string names it.
    """
    if isinstance(source, os.PathLike):
        return _load_file(Path(source))
    if "\n" not in source and (source.endswith(".ptx") or os.path.isdir(source)):
        return _load_file(Path(source))
    return Module(source)


def _load_file(path: Path) -> Module:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return Module(path.read_bytes().decode(errors="replace"), path)


class Module:
    """A module of PTX."""

    text: str
    """The text."""
    path: Path | None
    """The file, if it was loaded from one."""

    def __init__(self, text: str, path: Path | None = None) -> None:
        self.text = text
        self.path = path
        self._native = _native.Module(text)
        self._prepared: dict[str, Kernel] = {}

    @property
    def kernels(self) -> list[str]:
        """The names of the kernels."""
        return self._native.kernels()

    def kernel(self, name: str | None = None) -> Kernel:
        """Return a kernel. The name may be left out if the module has only one.

        Errors in the text of the kernel raise `CheckError`.
        """
        if name is None:
            names = self.kernels
            if len(names) != 1:
                listed = ", ".join(f"`{name}`" for name in names) or "none"
                raise LaunchError(f"the module has not just one kernel: give a name; there are {listed}")
            name = names[0]
        if name not in self._prepared:
            self._prepared[name] = Kernel(name, self._native.kernel(name))
        return self._prepared[name]

    def __repr__(self) -> str:
        return f"<Module of {', '.join(self.kernels) or 'no kernels'}>"


class Kernel:
    """A kernel, which `kernel[grid, block](*arguments)` runs. Several threads may run it at a time."""

    name: str
    """The name."""
    parameters: tuple[Parameter, ...]
    """The parameters, in the order of the declaration."""

    def __init__(self, name: str, native: _native.Kernel) -> None:
        self.name = name
        self.parameters = tuple(native.parameters())
        self._native = native

    def __getitem__(self, sizes: Any) -> Launcher:
        """`kernel[grid]`, `kernel[grid, block]` or `kernel[grid, block, shared]`: sizes are numbers or tuples of up to three."""
        parts = sizes if isinstance(sizes, tuple) else (sizes,)
        if not 1 <= len(parts) <= 3:
            raise LaunchError(f"`{self.name}[…]` takes the grid, the block and the bytes of shared memory, but got {len(parts)} values")
        block = parts[1] if len(parts) > 1 else None
        return Launcher(self, parts[0], block, parts[2] if len(parts) > 2 else 0)

    def launch(
        self,
        args: Sequence[Any],
        *,
        grid: Size,
        block: Size | None = None,
        shared: int = 0,
        cluster: Size | None = None,
        variables: Mapping[str, Any] | None = None,
        checks: bool | Collection[str] = True,
        max_steps: int | None = None,
        max_seconds: float | None = None,
        max_memory: int | None = None,
        faults: Literal["raise", "report"] = "raise",
    ) -> Report:
        """Run the kernel, and write the results into the arrays.

        `block` may be left out if the kernel has `.reqntid`. `shared` is the dynamic shared memory in bytes. `variables` are contents for
        variables of the module. `checks` are the kinds of findings to look for: all usual ones, only those that end a run (`False`), or
        a set such as `CHECKS - {"race"}`. A run stops after `max_steps` warp instructions, after as much work
        as four times as many plain ones, or after `max_seconds`; then the arrays have what it has reached. It is a fault if it needs more
        than `max_memory` bytes.

        A run with findings raises `KernelFault` after the results are written; with `faults="report"` it returns the report.
        """
        if faults not in ("raise", "report"):
            raise LaunchError(f'`faults` is {faults!r}, but must be "raise" or "report"')
        binder = Binder(self.name, self._native, self.parameters)
        bound = binder.bind(args, variables or {})
        find, without = _checks(checks)
        result = self._native.run(
            _size(grid, "grid"),
            None if block is None else _size(block, "block"),
            None if cluster is None else _size(cluster, "cluster"),
            _whole(shared, "shared"),
            bound.parameters,
            bound.variables,
            bound.buffers,
            bound.memory,
            find,
            without,
            max_steps,
            max_seconds,
            max_memory,
        )
        unspecified, approximate = bound.marks(result.marks)
        report = Report(
            self.name,
            cast(Status, result.status),
            result.findings,
            result.warp_instructions,
            result.seconds,
            bytes(result.printed).decode(errors="replace"),
            unspecified,
            approximate,
            {name: bytes(contents) for name, contents in result.variables},
            cast("Limit | None", result.limited_by),
        )
        if faults == "raise" and not report.ok:
            raise KernelFault(report)
        return report

    def __repr__(self) -> str:
        return f"<Kernel {self.name}({', '.join(p.declaration for p in self.parameters)})>"


class Launcher:
    """A kernel with the sizes of a launch; a call runs it."""

    def __init__(self, kernel: Kernel, grid: Size, block: Size | None, shared: int) -> None:
        self.kernel, self.grid, self.block, self.shared = kernel, grid, block, shared

    def __call__(self, *args: Any, **options: Any) -> Report:
        """Run the kernel. The options are those of `Kernel.launch`."""
        return self.kernel.launch(args, grid=self.grid, block=self.block, shared=self.shared, **options)


def _checks(checks: bool | Collection[str]) -> tuple[list[str], list[str]]:
    """The kinds to turn on and off."""
    if checks is True:
        return [], []
    wanted = frozenset() if checks is False else frozenset(checks)
    if isinstance(checks, str) or not wanted <= ALL_CHECKS:
        wrong = checks if isinstance(checks, str) else min(wanted - ALL_CHECKS)
        raise LaunchError(f"`checks` is a set of kinds of findings, not {wrong!r}; there are {', '.join(sorted(ALL_CHECKS))}")
    return sorted(wanted), sorted(ALL_CHECKS - wanted)


def _whole(value: Any, name: str) -> int:
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise LaunchError(f"`{name}` takes a whole number, but got {value!r}") from None
    if not 0 <= number < 1 << 32:
        raise LaunchError(f"`{name}` takes a whole number below 2**32, but got {number}")
    return int(number)


def _size(size: Size, name: str) -> list[int]:
    parts = tuple(size) if isinstance(size, Sequence) and not isinstance(size, str) else (size,)
    if not 1 <= len(parts) <= 3:
        raise LaunchError(f"`{name}` takes 1 to 3 numbers, but got {len(parts)}")
    return [_whole(part, name) for part in (*parts, 1, 1)[:3]]
