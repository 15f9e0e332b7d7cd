"""The kernels of the repository against numpy, on random numbers."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from ptx_analyzer import CHECKS, Kernel, Surface, TensorMap, Texture

Load = Callable[..., Kernel]
Random = np.random.Generator


def f32(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """The values as 32-bit fractions."""
    return np.asarray(values, np.float32)


def test_saxpy(saxpy: Kernel, random: Random) -> None:
    x, y, out = f32(random.normal(size=1000)), f32(random.normal(size=1000)), np.zeros(1000, np.float32)
    report = saxpy[4, 64](1000, 2.5, x, y, out)
    np.testing.assert_allclose(out, np.float32(2.5) * x + y, rtol=1e-6, atol=1e-6)
    assert report.ok and report.warp_instructions > 100 and report.seconds > 0 and report.findings == []


def test_bigint_add(kernel: Load, random: Random) -> None:
    n = 5
    a, b = (random.integers(0, 2**32, (n, 8), dtype=np.uint32) for _ in "ab")
    c, carry = np.zeros_like(a), np.zeros(n, np.uint32)
    kernel("bigint_add")[1, 32](n, a, b, c, carry)

    def whole(limbs: npt.NDArray[np.uint32]) -> int:
        return int.from_bytes(limbs.tobytes(), "little")

    for i in range(n):
        assert whole(c[i]) + (int(carry[i]) << 256) == whole(a[i]) + whole(b[i])


def test_block_reduce(kernel: Load, random: Random) -> None:
    x, out = f32(random.integers(-9, 9, 500)), np.zeros(4, np.float32)
    kernel("block_reduce")[4, 128](500, x, out)
    np.testing.assert_array_equal(out, np.pad(x, (0, 12)).reshape(4, 128).sum(axis=1))


def test_clusters(kernel: Load, random: Random) -> None:
    x, out = f32(random.uniform(1, 2, 1024)), np.zeros(1024, np.float32)
    kernel("cluster_dsmem").launch([x, out], grid=8, block=128, cluster=4)
    np.testing.assert_allclose(out, (x.reshape(2, 512) / x.reshape(2, 512).sum(axis=1, keepdims=True)).ravel(), rtol=1e-5)


def test_shared_memory(kernel: Load, random: Random) -> None:
    matrix = f32(random.normal(size=(50, 40)))
    out = np.zeros((40, 50), np.float32)
    kernel("cooperative_transpose")[(2, 2), (32, 8)](40, 50, matrix, out)
    np.testing.assert_array_equal(out, matrix.T)


def test_asynchronous_copies(kernel: Load, random: Random) -> None:
    w, x = f32(random.integers(-5, 5, 37)), f32(random.integers(-5, 5, (37, 256)))
    out = np.zeros(256, np.float32)
    kernel("cp_async_pipeline")[2, 128](37, 256, w, x, out)
    np.testing.assert_array_equal(out, w @ x)


def test_bytes_in_words(kernel: Load, random: Random) -> None:
    a, b = (random.integers(-128, 128, 200, dtype=np.int8) for _ in "ab")
    out = np.array([1000], np.int32)
    kernel("dot_dp4a")[1, 32](50, a, b, out)
    assert out[0] == 1000 + np.dot(a.astype(np.int32), b.astype(np.int32))


def test_fp8_quantize(kernel: Load, random: Random) -> None:
    x, out = f32(random.normal(0, 50, 64)), np.zeros(64, ml_dtypes.float8_e4m3fn)
    kernel("fp8_convert", "quantize_e4m3")[1, 32](16, 2.0, x, out)
    np.testing.assert_array_equal(out.view(np.uint8), np.clip(2 * x, -448, 448).astype(ml_dtypes.float8_e4m3fn).view(np.uint8))


def test_fp8_dequantize(kernel: Load) -> None:
    x = np.arange(0, 127, dtype=np.uint8)[:124].view(ml_dtypes.float8_e4m3fn)
    out = np.zeros(124, np.float32)
    kernel("fp8_convert", "dequantize_e4m3")[1, 32](31, 0.5, x, out)
    np.testing.assert_array_equal(out, x.astype(np.float32) / 2)


def test_fp8_to_fp8(kernel: Load, random: Random) -> None:
    x = f32(random.normal(0, 20, 64)).astype(ml_dtypes.float8_e4m3fn)
    out = np.zeros(64, ml_dtypes.float8_e5m2)
    kernel("fp8_convert", "e4m3_to_e5m2_relu")[1, 32](16, x, out)
    expected = np.maximum(x.astype(np.float32), 0).astype(np.float16).astype(ml_dtypes.float8_e5m2)
    np.testing.assert_array_equal(out.view(np.uint8), expected.view(np.uint8))


def test_histogram(kernel: Load, random: Random) -> None:
    data = random.integers(0, 256, 1200, dtype=np.uint8)
    counts = np.zeros(256, np.uint32)
    kernel("histogram")[3, 64](300, data, counts)
    np.testing.assert_array_equal(counts, np.bincount(data, minlength=256))


@pytest.mark.parametrize("name", ["apply_table", "apply_targets", "apply_direct"])
def test_calls(kernel: Load, name: str) -> None:
    x, out = f32(np.linspace(-2, 2, 8)), np.zeros(8, np.float32)
    report = kernel("indirect_call", name)[1, 8](x, out)
    assert report.ok and np.isfinite(out).all() and out.any()


@pytest.mark.parametrize(("name", "dtype", "tolerance"), [("f16", np.float16, 0.01), ("bf16", ml_dtypes.bfloat16, 0.1)])
def test_half_precision(kernel: Load, random: Random, name: str, dtype: npt.DTypeLike, tolerance: float) -> None:
    x = random.normal(size=(3, 64)).astype(dtype)
    gamma, beta = (random.uniform(0.5, 1.5, 64).astype(dtype) for _ in "gb")
    y = np.zeros((3, 64), dtype)
    kernel("layernorm_half", f"layernorm_{name}")[3, 32](32, 1e-5, x, gamma, beta, y)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y.astype(np.float64), normal * gamma.astype(np.float64) + beta.astype(np.float64), atol=tolerance)


def test_mma(kernel: Load, random: Random) -> None:
    a, b = random.integers(-4, 5, (64, 32)).astype(np.float16), random.integers(-4, 5, (32, 32)).astype(np.float16)
    c = np.zeros((64, 32), np.float32)
    kernel("mma_matmul")[(1, 2), 128](64, 32, 32, a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_single_pass_sum(kernel: Load, random: Random) -> None:
    x = random.integers(0, 1000, 1000, dtype=np.uint32)
    partial, ticket, out = np.zeros(5, np.uint32), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    kernel("single_pass_sum")[5, 64](1000, x, partial, ticket, out)
    assert out[0] == x.sum() and ticket[0] == 0


def test_lock(kernel: Load, random: Random) -> None:
    x, lock, record = random.integers(1, 99, 6, dtype=np.uint32), np.zeros(1, np.uint32), np.zeros(3, np.uint32)
    kernel("spin_lock")[6, 32](lock, x, record)
    assert record.tolist() == [6, x.sum(), x.max()] and lock[0] == 0


def test_ballot(kernel: Load, random: Random) -> None:
    x = random.integers(-50, 50, 30, dtype=np.int32)
    out, count = np.zeros(32, np.int32), np.zeros(1, np.uint32)
    kernel("stream_compact")[1, 32](30, x, out, count)
    np.testing.assert_array_equal(out[: count[0]], x[x > 0])


def test_tcgen05(kernel: Load, random: Random) -> None:
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((128, 128), (64, 128)))
    c = np.zeros((128, 64), np.float32)
    kernel("tcgen05_tile")[(2, 1), 128](128, 64, 128, a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_wgmma(kernel: Load, random: Random) -> None:
    a, b = (random.integers(-3, 4, (64, 64)).astype(np.float16) for _ in "ab")
    c = np.zeros((64, 64), np.float32)
    kernel("wgmma_tile")[(2, 1), 128](64, 64, 64, a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_tiled_matmul(kernel: Load, random: Random) -> None:
    a, b = f32(random.integers(-9, 9, (20, 18))), f32(random.integers(-9, 9, (18, 24)))
    c = np.zeros((20, 24), np.float32)
    kernel("tiled_matmul")[(2, 2), (16, 16)](20, 24, 18, a, b, c)
    np.testing.assert_array_equal(c, a @ b)


def test_tensor_maps(kernel: Load, random: Random) -> None:
    x, out = f32(random.normal(size=(40, 128))), np.zeros((40, 128), np.float32)
    kernel("tma_pipeline")[2, 160](TensorMap(x, box=(32, 64)), TensorMap(out, box=(32, 64)), 2, 2.0)
    np.testing.assert_array_equal(out, 2 * x)


def test_scan(kernel: Load, random: Random) -> None:
    x, out = random.integers(0, 99, 70, dtype=np.uint32), np.zeros(72, np.uint32)
    kernel("warp_scan")[1, 96](70, x, out)
    expected = np.concatenate([np.cumsum(part) for part in np.split(x, [32, 64])])
    np.testing.assert_array_equal(out[:70], expected)


def test_cancelled_ctas(kernel: Load, random: Random) -> None:
    x, y = f32(random.uniform(0, 9, 4096)), np.zeros(4096, np.float32)
    kernel("work_stealing")[4, 128](x, y)
    np.testing.assert_allclose(y, np.sqrt(x), rtol=1e-6)


def test_bindless_textures(kernel: Load, random: Random) -> None:
    source, target = random.integers(0, 256, (4, 8, 4), dtype=np.uint8), np.zeros((2, 4, 4), np.uint8)
    texture = Texture(source, filter="linear", normalized_values=True)
    kernel("textures", "downsample")[1, (16, 16)](texture, Surface(target, normalized_values=True), 4, 2)
    mean = source.reshape(2, 2, 4, 2, 4).astype(float).mean(axis=(1, 3))
    assert np.abs(target - mean).max() <= 1


def test_texture_variables(kernel: Load, random: Random) -> None:
    source, target = f32(random.normal(size=(3, 4))), np.zeros((3, 4), np.float32)
    variables = {"source_tex": Texture(source, address="clamp"), "target_surf": Surface(target)}
    kernel("textures", "box3").launch([], grid=1, block=(16, 16), variables=variables)
    padded = np.pad(source, 1, mode="edge")
    mean = sum(padded[i : i + 3, j : j + 4] for i in range(3) for j in range(3)) / 9
    np.testing.assert_allclose(target, mean, rtol=1e-5, atol=1e-6)


def test_surface_in_place(kernel: Load, random: Random) -> None:
    image = random.integers(0, 256, (2, 3, 4), dtype=np.uint8)
    expected = np.concatenate([255 - image[..., :3], image[..., 3:]], axis=2)
    kernel("textures", "invert")[1, (16, 16)](Surface(image, normalized_values=True))
    np.testing.assert_array_equal(image, expected)


def test_checks_are_a_set(kernel: Load) -> None:
    assert "race" in CHECKS and "nan" not in CHECKS
