"""Plugin of pytest: each launch above a kernel in a `*.ptx` file (`//! launch:`, `//! expect:`) is a test.

A launch passes if it finishes, all its expectations hold, and it has no finding that they do not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# What a file with launches contains in any case. The module reads the lines.
_LINE = re.compile(r"//!\s*(launch|expect)\s*:")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("ptx", "launches of PTX kernels (ptx-analyzer)")
    group.addoption("--ptx-max-steps", type=int, metavar="N", help="stop a launch after this number of warp instructions")
    group.addoption("--ptx-max-seconds", type=float, metavar="N", help="stop a launch after this time")
    group.addoption("--ptx-find", action="append", default=[], metavar="KIND", help="look for this as well: nan")
    group.addoption("--ptx-without", action="append", default=[], metavar="KIND", help="do not look for this: race, uninitialized-memory …")
    parser.addini("ptx_max_steps", "stop a launch after this number of warp instructions")
    parser.addini("ptx_max_seconds", "stop a launch after this time")
    parser.addini("ptx_find", "kinds of findings to look for as well", type="args", default=[])
    parser.addini("ptx_without", "kinds of findings not to look for", type="args", default=[])
    parser.addini("ptx_launches", "collect launches from *.ptx files", type="bool", default=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PtxFile | None:
    """Collect a file with launches."""
    if file_path.suffix != ".ptx" or not parent.config.getini("ptx_launches"):
        return None
    text = file_path.read_bytes().decode(errors="replace")
    return PtxFile.from_parent(parent, path=file_path) if _LINE.search(text) else None


class PtxFile(pytest.File):
    """A file of PTX with launches."""

    def collect(self) -> Iterator[PtxItem]:
        """Return an item for each launch."""
        from . import _native

        module = _native.Module(self.path.read_bytes().decode(errors="replace"))
        launches, mistakes = module.launches()
        if mistakes:
            raise self.CollectError("\n".join(f"{self.path}:{line}: {message}" for line, message in mistakes))
        for number, launch in enumerate(launches):
            name = f"{launch.kernel}[line {launch.line}]"
            yield PtxItem.from_parent(self, name=name, module=module, number=number, launch=launch)


class LaunchFailure(Exception):
    """A launch did not do what is expected; the text says why."""


class PtxItem(pytest.Item):
    """A launch of a kernel."""

    def __init__(self, *, module: Any, number: int, launch: Any, **more: Any) -> None:
        super().__init__(**more)
        self.module, self.number, self.launch = module, number, launch

    def _kinds(self, name: str) -> list[str]:
        return [*self.config.getini(f"ptx_{name}"), *self.config.getoption(f"--ptx-{name}")]

    def runtest(self) -> None:
        """Run the launch."""
        steps = self.config.getoption("--ptx-max-steps") or self.config.getini("ptx_max_steps")
        seconds = self.config.getoption("--ptx-max-seconds") or self.config.getini("ptx_max_seconds")
        done = self.module.evaluate(
            self.number,
            self.path.parent,
            self._kinds("find"),
            self._kinds("without"),
            int(steps) if steps else None,
            float(seconds) if seconds else None,
        )
        if not done.passed:
            raise LaunchFailure(self._explain(done))

    def _explain(self, done: Any) -> str:
        from ._native import quoted

        ended = f"{done.status} after {done.warp_instructions:,} warp instructions"
        lines = [f"`{self.launch.kernel}`: {ended}", *(f"  {line}" for line in self.launch.text.splitlines())]
        wrong = [expectation for expectation in done.expectations if not expectation.ok]
        if done.expectations:
            held = len(done.expectations) - len(wrong)
            lines.append(f"{held} of {len(done.expectations)} expectations hold")
        lines += [f"not as expected: {e.name}: {e.message or 'it does not hold'}" for e in wrong]
        lines += [f"{self.path.name}:{finding}" for finding in done.unexpected]
        if done.printed:
            lines += ["printed:", *(f"  {line}" for line in quoted(done.printed).splitlines())]
        return "\n".join(lines)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what differs, without a traceback of this plugin."""
        from . import PtxError

        if isinstance(excinfo.value, LaunchFailure | PtxError | ValueError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the launch."""
        return self.path, self.launch.line - 1, self.name
