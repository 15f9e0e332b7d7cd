"""The plugin of pytest, the program, and the stubs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KERNELS

GOOD = """//! launch: grid=1 block=4 out=u32[4]:zero
//! expect: out=iota(0,3)
"""
KERNEL = """.visible .entry triple(.param .u64 out)
{
    .reg .b32 %i, %r;
    .reg .b64 %p, %q;
    mov.u32 %i, %tid.x;
    mul.lo.u32 %r, %i, 3;
    ld.param.u64 %p, [out];
    mad.wide.u32 %q, %i, 4, %p;
    st.global.u32 [%q], %r;
    ret;
}
"""
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def installed() -> bool:
    """Whether the wheel is installed, with the entry point of the plugin."""
    from importlib.metadata import entry_points

    return any(point.name == "ptx_analyzer" for point in entry_points(group="pytest11"))


pytestmark = pytest.mark.skipif(not installed(), reason="the wheel is not installed")


def write(pytester: pytest.Pytester, launches: str, name: str = "k.ptx") -> None:
    """Write a file with launches."""
    (pytester.path / name).write_text(HEADER + launches + KERNEL)


def test_launches_are_items(pytester: pytest.Pytester) -> None:
    write(pytester, GOOD + GOOD.replace("block=4", "block=2").replace("(0,3)", "[0, 3, 0, 0]").replace("iota", ""))
    write(pytester, "", "without.ptx")
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*k.ptx::triple?line 4? PASSED*", "*k.ptx::triple?line 6? PASSED*"])


def test_failures_show_the_difference(pytester: pytest.Pytester) -> None:
    write(pytester, GOOD.replace("(0,3)", "(0,2)") + GOOD.replace("block=4", "block=5"))
    result = pytester.runpytest()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*`triple`: finished after * warp instructions",
            "*0 of 1 expectations hold",
            "not as expected: out=iota(0,2): *",
            "k.ptx:line *: out-of-bounds: *",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


def test_what_a_kernel_prints_is_behind_a_bar(pytester: pytest.Pytester) -> None:
    hostile = json.loads((KERNELS.parent / "hostile" / "kernel.json").read_text())
    (pytester.path / "k.ptx").write_text(hostile["kernel"])
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "  | 8 of 8 expectations hold\n" in shown and "  | ::error file=a.ptx::PWN\n" in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith(tuple(hostile["forged"]))]
    assert "\x1b]" not in shown and "\u202e" not in shown and "\x9b" not in shown


def test_mistakes_in_launches_are_errors(pytester: pytest.Pytester) -> None:
    write(pytester, "//! launch: grid=x\n")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*k.ptx:4: *"])


def test_options(pytester: pytest.Pytester) -> None:
    write(pytester, GOOD)
    pytester.runpytest("--ptx-max-steps", "3").assert_outcomes(failed=1)
    pytester.runpytest("--ptx-without", "race").assert_outcomes(passed=1)
    result = pytester.runpytest("--ptx-without", "rice")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*`rice` is not a kind of finding*"])
    pytester.makeini("[pytest]\nptx_launches = false\n")
    pytester.runpytest().assert_outcomes()


def test_kernels_of_the_repository(pytester: pytest.Pytester) -> None:
    assert pytester.runpytest(str(KERNELS)).parseoutcomes().keys() == {"passed"}


def test_program() -> None:
    run = [sys.executable, "-m", "ptx_analyzer"]
    done = subprocess.run([*run, "check", str(KERNELS / "saxpy.ptx")], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1 file" in done.stderr
    program = Path(sys.executable).parent / "ptx-analyzer"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ptx-analyzer ")


def test_types() -> None:
    folder = Path(__file__).parents[1]
    for command in (["mypy"], ["mypy.stubtest", "ptx_analyzer._native", "--concise"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
