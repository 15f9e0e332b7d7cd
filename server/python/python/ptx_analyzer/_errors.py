"""The exceptions of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._native import Diagnostic
    from ._report import Report

_MAX_SHOWN = 5


class PtxError(Exception):
    """Base of all exceptions of the package."""

    __module__ = "ptx_analyzer"


class CheckError(PtxError):
    """A kernel or function has errors in its PTX text."""

    __module__ = "ptx_analyzer"

    diagnostics: list[Diagnostic]
    """The errors."""

    def __init__(self, name: str, diagnostics: Sequence[Diagnostic], reason: str | None = None) -> None:
        self.diagnostics = [d for d in diagnostics if d.severity == "error"]
        count = len(self.diagnostics)
        lines = [f"`{name}` has {count} error{'s' if count != 1 else ''}"]
        if reason and not count:
            lines = [f"`{name}` cannot be used: {reason}"]
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics[:_MAX_SHOWN]]
        if count > _MAX_SHOWN:
            lines.append(f"  … and {count - _MAX_SHOWN} more")
        super().__init__("\n".join(lines))


class LaunchError(PtxError):
    """A launch does not fit the kernel: wrong number of arguments, wrong dtype or shape, impossible sizes."""

    __module__ = "ptx_analyzer"


class KernelFault(PtxError):
    """A run did not finish, or found a problem such as an access outside of every array or a race."""

    __module__ = "ptx_analyzer"

    report: Report
    """The report of the run. Arrays hold what the kernel wrote until then."""

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(str(report))
