"""Counts, sizes, scalars, findings, threads, interruptions and memory."""

from __future__ import annotations

import _thread
import gc
import re
import resource
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from ptx_analyzer import CHECKS, CheckError, Kernel, KernelFault, LaunchError, PtxError, Surface, TensorMap, Texture, load
from ptx_text import HEADER, kernel

SPIN = "again:\nadd.u32 %r3, %r3, 1;\nbra again;"
SET = "mov.u32 %r3, 0;\n"


def test_wrong_numbers_of_arguments(saxpy: Kernel) -> None:
    with pytest.raises(LaunchError, match=r"`saxpy` takes 5 arguments \(`\.param \.u32 n`, .*\); 2 are given"):
        saxpy[1, 32](1, 2.0)
    with pytest.raises(LaunchError, match="`k` takes 0 arguments; 1 is given"):
        kernel([], "ret;")[1, 1](1)


def test_wrong_sizes(saxpy: Kernel) -> None:
    x = np.zeros(32, np.float32)
    arguments = (32, 2.0, x, x, x.copy())
    for sizes, message in {
        (1, 2048): "a block has at most 1024 threads",
        (0, 32): "at least 1",
        (1, (1, 2, 3, 4)): "`block` takes 1 to 3 numbers",
        (1, "x"): "`block` takes a whole number",
        (2.5, 32): "`grid` takes a whole number",
        (np.int64(1), 2048): "at most 1024 threads",
        (-1, 32): r"below 2\*\*32",
    }.items():
        with pytest.raises(LaunchError, match=message):
            saxpy[sizes](*arguments)
    with pytest.raises(LaunchError, match=r"`grid` takes a whole number, but got array\(\[1, 2\]\)"):
        saxpy[np.array([1, 2]), 32](*arguments)
    with pytest.raises(LaunchError, match="the size of the block is missing"):
        saxpy[1](*arguments)
    with pytest.raises(LaunchError, match="but got 4 values"):
        saxpy[1, 2, 3, 4]
    with pytest.raises(LaunchError, match=r"`block` is \[32, 1, 1\], but `\.reqntid` of the kernel says \[64, 1, 1\]"):
        kernel([], "ret;", after=" .reqntid 64")[1, 32]()
    with pytest.raises(LaunchError, match="cannot be divided into clusters"):
        kernel([], "ret;").launch([], grid=3, block=1, cluster=2)
    with pytest.raises(LaunchError, match='must be "raise" or "report"'):
        kernel([], "ret;")[1, 1](faults="ignore")


def test_scalars_that_do_not_fit(saxpy: Kernel) -> None:
    x = np.zeros(32, np.float32)
    for n, message in {
        1 << 40: "does not fit",
        2.5: "takes a whole number, but got the fraction 2.5",
        "3": "takes a number, but got str",
    }.items():
        with pytest.raises(LaunchError, match=message):
            saxpy[1, 32](n, 2.0, x, x, x)
    with pytest.raises(LaunchError, match=r"argument 1 of `saxpy`, `\.param \.u32 n`, takes a number, but got an array \(float32\[32\]\)"):
        saxpy[1, 32](x, 2.0, x, x, x)
    with pytest.raises(LaunchError, match=r"takes a number, but got complex64$"):
        saxpy[1, 32](32, np.complex64(1), x, x, x)
    with pytest.raises(LaunchError, match=r"takes a number, but got a list"):
        saxpy[1, 32](32, [1], x, x, x)
    bits = kernel(["b32 a"], "ld.param.b32 %r3, [a];\nst.local.b32 [%p], %r3;\nret;")
    with pytest.raises(LaunchError, match=r"takes 32 bits, but got the fraction 1\.5 .*numpy\.float32\(1\.5\)"):
        bits[1, 1](1.5)
    with pytest.raises(LaunchError, match="128 bits"):
        saxpy[1, 32](1 << 200, 2.0, x, x, x)


def test_images_that_do_not_fit(saxpy: Kernel) -> None:
    x = np.zeros((4, 4, 3), np.float32)
    with pytest.raises(LaunchError, match="1, 2 or 4 channels"):
        Texture(x)
    with pytest.raises(LaunchError, match=r"3d image needs an array with the axes \(depth, height, width\)"):
        Texture(x[0], kind="3d")
    with pytest.raises(LaunchError, match="cannot have dtype float64"):
        Surface(np.zeros((4, 4)))
    with pytest.raises(LaunchError, match="read-only"):
        Surface(np.frombuffer(bytes(16), np.uint8).reshape(4, 4))
    with pytest.raises(LaunchError, match="`box` has 1 numbers, but the tensor has 3 axes"):
        TensorMap(x, box=[4])
    with pytest.raises(LaunchError, match="cannot be an image or a sampler"):
        saxpy[1, 32](Texture(x[..., 0].copy()), 2.0, x, x, x)
    with pytest.raises(LaunchError, match="takes a Texture, a Surface or a Sampler"):
        kernel(["u64 t"], "ld.param.u64 %p, [t];\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%p, {%i}];\nret;")[1, 1](x)


def test_variables_that_do_not_fit() -> None:
    k = kernel([], "mov.u64 %p, v;\nld.global.u32 %r3, [%p];\nret;", before=".global .u32 v[2];")
    with pytest.raises(LaunchError, match=r"no variable `w`.* it has `v`"):
        k.launch([], grid=1, block=1, variables={"w": 1})
    with pytest.raises(LaunchError, match="`v` has 8 bytes, but 16 are given"):
        k.launch([], grid=1, block=1, variables={"v": np.zeros(4, np.uint32)})
    with pytest.raises(LaunchError, match="takes an array or a number"):
        k.launch([], grid=1, block=1, variables={"v": "x"})


def test_struct_parts_that_do_not_fit() -> None:
    k = kernel(["align 8 .b8 s[16]"], "ld.param.u32 %r3, [s+8];\nret;")
    with pytest.raises(LaunchError, match=r"byte 8, needs a number with a type: pass for example numpy\.uint32\(5\)"):
        k[1, 1]({8: 5})
    with pytest.raises(LaunchError, match=r"has 16 bytes, but the array has 12"):
        k[1, 1](np.zeros(3, np.float32))
    with pytest.raises(LaunchError, match="takes 16 bytes"):
        k[1, 1](3)


def test_errors_in_the_text() -> None:
    module = load(HEADER + ".entry bad() { add.s32 %r1, %r2; ret; }\n.entry good() { ret; }")
    assert module.kernels == ["bad", "good"]
    module.kernel("good")[1, 1]()
    with pytest.raises(CheckError, match=r"`bad` has \d errors?") as raised:
        module.kernel("bad")
    assert raised.value.diagnostics[0].line == 4
    with pytest.raises(LaunchError, match="there is no kernel `ugly` in this module: there are `bad`, `good`"):
        module.kernel("ugly")
    with pytest.raises(LaunchError, match="not just one kernel"):
        module.kernel()


def test_findings() -> None:
    race = kernel(["u64 out"], "ld.param.u64 %p, [out];\nst.global.u32 [%p], %i;\nret;")
    out = np.zeros(1, np.uint32)
    with pytest.raises(KernelFault, match="race") as raised:
        race[2, 1](out)
    report = raised.value.report
    assert report.status == "finished" and out[0] == 1 and issubclass(KernelFault, PtxError)
    assert [finding.kind for finding in report.findings] == ["race"] and "line" in str(report.findings[0])
    assert race[2, 1](out, checks=CHECKS - {"race"}).ok and race[2, 1](out, checks=False).ok
    with pytest.raises(LaunchError, match="there are asynchronous, barrier"):
        race[2, 1](out, checks={"races"})
    nan = kernel([], "mov.f32 %f1, 0f7F800000;\nsub.f32 %f2, %f1, %f1;\nret;")
    assert nan[1, 1]().ok and not nan[1, 1](checks=CHECKS | {"nan"}, faults="report").ok
    assert kernel([], "add.u32 %r3, %r4, 1;\nret;")[1, 1](faults="report").findings[0].kind == "uninitialized-register"
    assert kernel([], "trap;")[1, 1](faults="report").findings[0].kind == "trap"


def test_limits() -> None:
    report = kernel([], SET + SPIN)[1, 1](max_steps=1000, faults="report")
    assert report.status == "limit" and report.warp_instructions >= 1000
    with pytest.raises(KernelFault, match="stopped at `max_steps`"):
        kernel([], SET + SPIN)[1, 1](max_steps=1000)
    assert report.limited_by == "steps" and kernel([], "ret;")[1, 1]().limited_by is None
    report = kernel([], SET + SPIN)[1, 1](max_seconds=0.05, faults="report")
    assert (report.status, report.limited_by) == ("limit", "time") and "stopped at `max_seconds`" in str(report)
    with pytest.raises(LaunchError, match="`max_seconds` is wrong"):
        kernel([], "ret;")[1, 1](max_seconds=-1)
    big = kernel(["u64 x"], "ret;")
    report = big[1, 1](np.ones(1 << 20), max_memory=1 << 20, faults="report")
    assert [finding.kind for finding in report.findings] == ["out-of-memory"]
    waits = kernel([], "setp.eq.u32 %c0, %r2, 0;\n@%c0 bar.sync 0, 64;\nret;")
    assert waits[1, 32](faults="report").status == "deadlock"


def test_threads(saxpy: Kernel) -> None:
    whole = np.zeros(64 * 32, np.float32)

    def launch(part: int) -> None:
        x = np.full(32, part, np.float32)
        saxpy[1, 32](32, 2.0, x, x, whole[part * 32 : part * 32 + 32])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(launch, range(64)))
    np.testing.assert_array_equal(whole, np.repeat(np.arange(64) * 3, 32))


def test_threads_that_share_an_array() -> None:
    # Each launch writes one element. What others wrote meanwhile stays.
    out = np.zeros(32, np.uint32)
    store = kernel(
        ["u64 out", "u32 at"],
        "ld.param.u64 %p, [out];\nld.param.u32 %r3, [at];\nmad.wide.u32 %p, %r3, 4, %p;\nst.global.u32 [%p], 7;\nret;",
    )
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: store[1, 1](out, at), range(32)))
    assert out.tolist() == [7] * 32


def test_the_gil_is_released() -> None:
    spin = kernel([], SET + SPIN)
    thread = threading.Thread(target=lambda: spin[1, 32](max_steps=2_000_000, faults="report"))
    thread.start()
    count = 0
    while thread.is_alive():
        time.sleep(0.001)
        count += 1
    assert count > 3


def test_interruption() -> None:
    spin = kernel([], SET + SPIN)
    # Where a shell has started the tests in the background, Python ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            spin[1, 32]()
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 10


def test_memory_of_many_launches(saxpy: Kernel) -> None:
    x, out = np.ones(1 << 16, np.float32), np.zeros(1 << 16, np.float32)

    def launches(count: int) -> int:
        for _ in range(count):
            saxpy[1, 32](32, 2.0, x, x, out)
            with pytest.raises(LaunchError):
                saxpy[1, 32](32, 2.0, x, x)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = launches(50)
    # The arrays of 300 launches have 225 MB.
    assert launches(300) - before < 20_000


def test_words(saxpy: Kernel) -> None:
    assert re.match(r"<Kernel saxpy\(\.param \.u32 n, ", repr(saxpy))
    x = np.zeros(32, np.float32)
    assert re.match(r"`saxpy` finished after \d+ warp instructions", str(saxpy[1, 32](32, 2.0, x, x, x.copy())))
    assert [p.name for p in saxpy.parameters] == ["n", "a", "x", "y", "out"]
