"""Check PTX, the assembly language of NVIDIA GPUs, and run its kernels on the CPU.

>>> import numpy, ptx_analyzer
>>> saxpy = ptx_analyzer.load("saxpy.ptx").kernel("saxpy")
>>> x, y, out = numpy.arange(64, dtype=numpy.float32), numpy.ones(64, numpy.float32), numpy.zeros(64, numpy.float32)
>>> saxpy[2, 32](64, 2.0, x, y, out)
"""

from __future__ import annotations

from ._errors import CheckError, KernelFault, LaunchError, PtxError
from ._images import Sampler, Surface, TensorMap, Texture
from ._launch import ALL_CHECKS, CHECKS, AddressOf, Kernel, Launcher, Module, load
from ._native import Diagnostic, Edit, Finding, Fix, Occupancy, Parameter, Registers, Related, __version__
from ._native import check as _check
from ._native import explain as _explain
from ._native import nearest as _nearest
from ._native import registers as _registers
from ._report import Report

__all__ = [
    "ALL_CHECKS",
    "CHECKS",
    "AddressOf",
    "CheckError",
    "Diagnostic",
    "Edit",
    "Finding",
    "Fix",
    "Kernel",
    "KernelFault",
    "LaunchError",
    "Launcher",
    "Module",
    "Occupancy",
    "Parameter",
    "PtxError",
    "Registers",
    "Related",
    "Report",
    "Sampler",
    "Surface",
    "TensorMap",
    "Texture",
    "__version__",
    "check",
    "explain",
    "load",
    "registers",
]


def check(text: str, target: str | None = None, *, fixes: bool = False, parse_only: bool = False) -> list[Diagnostic]:
    """Return the problems in a PTX text, in the order of the text.

    `target` replaces the architecture that `.target` names, for example "sm_90a". With `fixes`, each diagnostic also has the ways to
    fix it; that takes longer. `parse_only` leaves out the errors that ptxas gives only when it generates code, such as 32-bit addresses.
    """
    return _check(text, target, fixes, parse_only)


def explain(query: str, *, all: bool = False) -> str:
    """Return an explanation in Markdown, for example of "fma.rn.f32", ".ftz", "%laneid", "operand-type" or "bank conflict".

    For an opcode with many instructions it is a list of them and the most common one; with `all`, all of them. An unknown name raises
    `LookupError`.
    """
    found = _explain(query, all)
    if found is None:
        near = _nearest(query)
        hint = f"; did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else ""
        raise LookupError(f"nothing is known about `{query}`{hint}")
    return found


def registers(text: str, target: str | None = None) -> list[Registers]:
    """Estimate the registers of each kernel and function that has a body, for the architecture of the text or for `target`.

    A function with errors has no estimate; that raises `CheckError`.
    """
    found, left_out = _registers(text, target)
    if left_out:
        raise CheckError(left_out[0][0], check(text, target), left_out[0][1])
    return found
