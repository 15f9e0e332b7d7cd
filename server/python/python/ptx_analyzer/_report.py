"""The report of a launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ._native import Finding

Status = Literal["finished", "fault", "limit", "deadlock"]
Limit = Literal["steps", "effort", "time"]

_MAX_SHOWN = 5
_LIMITED = {
    "steps": "stopped at `max_steps`",
    "effort": "stopped after as much work as four times `max_steps` plain instructions,",
    "time": "stopped at `max_seconds`",
}
_ENDED = {
    "finished": "finished",
    "fault": "ended by a fault",
    "limit": "stopped at `max_steps`",
    "deadlock": "stopped: no warp can make progress",
}


@dataclass(frozen=True)
class Report:
    """How a launch ended, and what it found."""

    kernel: str
    """The name of the kernel."""
    status: Status
    """How the run ended."""
    findings: list[Finding]
    """Faults, races, uninitialized values and the like, in the order of their first occurrence."""
    warp_instructions: int
    """Number of instructions that the warps executed."""
    seconds: float
    """Duration of the run, without the conversion of arguments."""
    printed: str = ""
    """What the kernel printed with `vprintf`."""
    unspecified: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """For each parameter: the bytes of its array, as (start, end), whose values the PTX manual leaves open."""
    approximate: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """For each parameter: the bytes of its array, as (start, end), that may differ a little on hardware."""
    variables: dict[str, bytes] = field(default_factory=dict)
    """Variables of the module that the launch changed: their bytes after it. Each launch begins with the initial values."""
    limited_by: Limit | None = None
    """The limit that stopped the run: `max_steps`, the work that this allows, or `max_seconds`."""

    @property
    def ok(self) -> bool:
        """Whether the run finished and found nothing."""
        return self.status == "finished" and not self.findings

    def __str__(self) -> str:
        many = "" if self.warp_instructions == 1 else "s"
        ended = _LIMITED[self.limited_by] if self.limited_by else _ENDED[self.status]
        head = f"`{self.kernel}` {ended} after {self.warp_instructions:,} warp instruction{many}"
        count = len(self.findings)
        if not count:
            return head
        head += f", with {count} finding{'s' if count != 1 else ''}"
        lines = [f"  {finding}" for finding in self.findings[:_MAX_SHOWN]]
        if count > _MAX_SHOWN:
            lines.append(f"  … and {count - _MAX_SHOWN} more")
        return "\n".join([head, *lines])
