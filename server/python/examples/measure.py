"""Measures launches: the time of a small one, a matrix product of 256 x 256 x 256 beside `ptx-analyzer eval`, and memory.

usage: measure.py [PROGRAM]      PROGRAM: ptx-analyzer, for the comparison; run it where numpy and the package are installed
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from ptx_analyzer import CHECKS, load

KERNELS = Path(__file__).resolve().parents[3] / "tests" / "kernels"
LAUNCHES = 2000
SIZE = 256


def small() -> None:
    """The time of one launch of one warp."""
    saxpy = load(KERNELS / "saxpy.ptx").kernel()
    x, y, out = (np.ones(32, np.float32) for _ in range(3))
    launch = saxpy[1, 32]
    launch(32, 2.0, x, y, out)
    started = time.perf_counter()
    inside = sum(launch(32, 2.0, x, y, out).seconds for _ in range(LAUNCHES))
    each = (time.perf_counter() - started) / LAUNCHES
    print(f"saxpy of one warp: {each * 1e6:.0f} µs for a launch, {inside / LAUNCHES * 1e6:.0f} µs of it in the interpreter")


def matmul(program: str | None) -> None:
    """A matrix product, here and by `eval`."""
    path = KERNELS / "tiled_matmul.ptx"
    kernel = load(path).kernel()
    a, b = (np.random.default_rng(1).normal(size=(SIZE, SIZE)).astype(np.float32) for _ in "ab")
    c = np.zeros((SIZE, SIZE), np.float32)
    grid = (SIZE // 16, SIZE // 16)
    for name, checks in (("all checks", CHECKS), ("only faults", frozenset[str]())):
        started = time.perf_counter()
        report = kernel.launch([SIZE, SIZE, SIZE, a, b, c], grid=grid, block=(16, 16), checks=checks)
        took = time.perf_counter() - started
        print(f"matmul of {SIZE}^3, {name}: {took:.2f} s, {report.warp_instructions:,} warp instructions")
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    if program:
        kinds = f"f32[{SIZE * SIZE}]"
        params = {"m": SIZE, "n": SIZE, "k": SIZE, "a": f"{kinds}:iota", "b": f"{kinds}:iota", "c": f"{kinds}:zero"}
        with tempfile.TemporaryDirectory() as folder:
            launch = Path(folder, "launch.json")
            launch.write_text(json.dumps({"grid": grid, "block": [16, 16], "params": params}))
            command = [program, "eval", "--format", "json", "--limit", "1000000000", "--launch", str(launch), str(path)]
            started = time.perf_counter()
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            took = time.perf_counter() - started
        print(f"the same by eval: {took:.2f} s, {json.loads(done.stdout)['seconds']:.2f} s of it in the interpreter")


def memory() -> None:
    """The memory of arrays in a launch, and after many."""
    saxpy = load(KERNELS / "saxpy.ptx").kernel()
    x = np.ones(1 << 24, np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    saxpy[1, 32](32, 2.0, x, x, x)
    took = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"a launch with an array of 64 MiB: {took * 1e3:.0f} ms, and at most {peak // 1024} MiB more")


if __name__ == "__main__":
    small()
    memory()
    matmul(sys.argv[1] if len(sys.argv) > 1 else None)
