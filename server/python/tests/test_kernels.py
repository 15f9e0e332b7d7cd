"""Memory, warps, blocks and images, against numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from ptx_analyzer import AddressOf, Kernel, Sampler, Surface, TensorMap, Texture
from ptx_text import elementwise, kernel

Random = np.random.Generator
STORE = "ld.param.u64 %p, [out];\nmad.wide.u32 %p, %i, 4, %p;\nst.global.b32 [%p], %r9;\nret;"
LOAD = "ld.param.u64 %p, [x];\nmad.wide.u32 %p, %i, 4, %p;\nld.global.b32 %r3, [%p];\n"


def warps(random: Random) -> npt.NDArray[np.uint32]:
    """Numbers for two warps."""
    return random.integers(0, 1000, 64, dtype=np.uint32)


def run(k: Kernel, x: npt.NDArray[np.uint32], block: int = 32) -> npt.NDArray[np.uint32]:
    """The result of a kernel `k(out, x)`."""
    out = np.zeros_like(x)
    k[x.size // block, block](out, x)
    return out


def test_shuffle(random: Random) -> None:
    x = warps(random)
    k = kernel(["u64 out", "u64 x"], LOAD + "shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n" + STORE)
    np.testing.assert_array_equal(run(k, x), x.reshape(-1, 2)[:, ::-1].ravel())


def test_vote(random: Random) -> None:
    x = warps(random)
    k = kernel(["u64 out", "u64 x"], LOAD + "setp.gt.u32 %c0, %r3, 500;\nvote.sync.ballot.b32 %r9, %c0, -1;\n" + STORE)
    expected = [sum(1 << lane for lane in range(32) if warp[lane] > 500) for warp in x.reshape(2, 32)]
    np.testing.assert_array_equal(run(k, x), np.repeat(np.array(expected, np.uint32), 32))


def test_match(random: Random) -> None:
    x = random.integers(0, 4, 32, dtype=np.uint32)
    k = kernel(["u64 out", "u64 x"], LOAD + "match.any.sync.b32 %r9, %r3, -1;\n" + STORE)
    expected = [sum(1 << lane for lane in range(32) if x[lane] == value) for value in x]
    np.testing.assert_array_equal(run(k, x), np.array(expected, np.uint32))


def test_redux(random: Random) -> None:
    x = warps(random)
    k = kernel(["u64 out", "u64 x"], LOAD + "redux.sync.add.u32 %r9, %r3, -1;\n" + STORE)
    np.testing.assert_array_equal(run(k, x), np.repeat(x.reshape(2, 32).sum(axis=1), 32))


def test_barrier_reduction(random: Random) -> None:
    x = warps(random)
    k = kernel(["u64 out", "u64 x"], LOAD + "setp.gt.u32 %c0, %r3, 500;\nbarrier.cta.red.popc.aligned.u32 %r9, 0, %c0;\n" + STORE)
    np.testing.assert_array_equal(run(k, x, 64), np.full(64, (x > 500).sum()))


def test_static_shared_memory(random: Random) -> None:
    x = warps(random)
    body = """shl.b32 %r4, %r2, 2;
    mov.u32 %r5, tile;
    add.u32 %r4, %r5, %r4;
    st.shared.b32 [%r4], %r3;
    bar.sync 0;
    mov.u32 %r6, 63;
    sub.u32 %r6, %r6, %r2;
    shl.b32 %r6, %r6, 2;
    add.u32 %r6, %r5, %r6;
    ld.shared.b32 %r9, [%r6];
    """
    k = kernel(["u64 out", "u64 x"], ".shared .align 4 .b8 tile[256];\n" + LOAD + body + STORE)
    np.testing.assert_array_equal(run(k, x, 64), x[::-1])


def test_dynamic_shared_memory(random: Random) -> None:
    x = warps(random)
    body = """shl.b32 %r4, %r2, 2;
    mov.u32 %r5, dynamic;
    add.u32 %r4, %r5, %r4;
    st.shared.b32 [%r4], %r3;
    bar.sync 0;
    xor.b32 %r6, %r4, 128;
    ld.shared.b32 %r9, [%r6];
    """
    k = kernel(["u64 out", "u64 x"], LOAD + body + STORE, before=".extern .shared .align 256 .b8 dynamic[];")
    out = np.zeros_like(x)
    k[1, 64, 256](out, x)
    np.testing.assert_array_equal(out, np.roll(x, 32))


@pytest.mark.parametrize(
    ("operation", "expected"), [("add.u32", np.sum), ("max.u32", np.max), ("min.u32", np.min), ("xor.b32", np.bitwise_xor.reduce)]
)
def test_atomics(random: Random, operation: str, expected: type) -> None:
    x = warps(random)
    k = kernel(["u64 out", "u64 x"], LOAD + f"ld.param.u64 %p, [out];\nred.global.{operation} [%p], %r3;\nret;")
    out = np.array([np.uint32(0xFFFFFFFF) if operation.startswith("min") else 0], np.uint32)
    k[2, 32](out, x)
    assert out[0] == np.uint32(expected(x))


def test_atomic_floats(random: Random) -> None:
    x, out = random.integers(0, 99, 64).astype(np.float32), np.zeros(1, np.float32)
    body = LOAD.replace(".b32 %r3", ".f32 %f3") + "ld.param.u64 %p, [out];\natom.global.add.f32 %f1, [%p], %f3;\nret;"
    kernel(["u64 out", "u64 x"], body)[2, 32](out, x)
    assert out[0] == x.sum()


def test_compare_and_swap(random: Random) -> None:
    x, out = warps(random), np.zeros(1, np.uint32)
    body = """ld.param.u64 %p, [out];
    ld.relaxed.gpu.global.u32 %r4, [%p];
again:
    add.u32 %r5, %r4, %r3;
    atom.relaxed.gpu.global.cas.b32 %r6, [%p], %r4, %r5;
    setp.ne.u32 %c0, %r6, %r4;
    mov.u32 %r4, %r6;
    @%c0 bra again;
    ret;"""
    kernel(["u64 out", "u64 x"], LOAD + body)[2, 32](out, x)
    assert out[0] == x.sum()


def test_constant_memory(random: Random) -> None:
    table, out = warps(random)[:32], np.zeros(32, np.uint32)
    body = "mov.u64 %q, table;\nmad.wide.u32 %q, %i, 4, %q;\nld.const.b32 %r9, [%q];\n" + STORE
    k = kernel(["u64 out"], body, before=".const .align 4 .u32 table[32] = {7};")
    k[1, 32](out)
    assert out.tolist() == [7] + [0] * 31
    report = k.launch([out], grid=1, block=32, variables={"table": table})
    np.testing.assert_array_equal(out, table)
    assert report.variables == {}


def test_global_variable() -> None:
    k = kernel([], "mov.u64 %p, counter;\nred.global.add.u32 [%p], 1;\nret;", before=".global .u32 counter = 5;")
    assert k[2, 32]().variables == {"counter": (69).to_bytes(4, "little")}
    counter = np.array([100], np.uint32)
    report = k.launch([], grid=2, block=32, variables={"counter": counter})
    assert counter[0] == 164 and report.variables == {}
    assert k.launch([], grid=1, block=32, variables={"counter": 7}).variables == {"counter": (39).to_bytes(4, "little")}


def test_local_memory(random: Random) -> None:
    x = warps(random)
    body = ".local .align 4 .b8 stack[8];\nst.local.b32 [stack+4], %r3;\nld.local.b32 %r9, [stack+4];\nadd.u32 %r9, %r9, 1;\n"
    np.testing.assert_array_equal(run(kernel(["u64 out", "u64 x"], LOAD + body + STORE), x), x + 1)


def test_generic_addresses(random: Random) -> None:
    x = warps(random)
    body = (
        "ld.param.u64 %q, [out];\ncvta.to.global.u64 %p, %q;\ncvta.global.u64 %q, %p;\nmad.wide.u32 %q, %i, 4, %q;\nst.b32 [%q], %r3;\nret;"
    )
    np.testing.assert_array_equal(run(kernel(["u64 out", "u64 x"], LOAD + body), x), x)


def test_vectors(random: Random) -> None:
    x = random.normal(size=(32, 4)).astype(np.float32)
    out = np.zeros_like(x)
    body = """ld.param.u64 %p, [x];
    ld.param.u64 %q, [out];
    mad.wide.u32 %p, %i, 16, %p;
    mad.wide.u32 %q, %i, 16, %q;
    ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%p];
    st.global.v4.f32 [%q], {%f3, %f2, %f1, %f0};
    ret;"""
    kernel(["u64 out", "u64 x"], body)[1, 32](out, x)
    np.testing.assert_array_equal(out, x[:, ::-1])


def test_two_dimensions() -> None:
    out = np.zeros((6, 8), np.uint32)
    body = """mov.u32 %r3, %tid.y;
    mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r5, %r4, 3, %r3;
    mad.lo.u32 %i, %r5, 8, %i;
    mad.lo.u32 %r9, %r5, 100, %r2;
    """
    kernel(["u64 out"], body + STORE)[(1, 2), (8, 3)](out)
    np.testing.assert_array_equal(out, 100 * np.arange(6)[:, None] + np.arange(8))


def test_required_block() -> None:
    out = np.zeros(64, np.uint32)
    kernel(["u64 out"], "mov.u32 %r9, %ntid.x;\n" + STORE, after=" .reqntid 32")[2](out)
    assert out.tolist() == [32] * 64


def test_cluster_ranks() -> None:
    out = np.zeros(4, np.uint32)
    k = kernel(["u64 out"], "mov.u32 %r9, %cluster_ctarank;\n" + STORE)
    k.launch([out], grid=4, block=1, cluster=2)
    assert out.tolist() == [0, 1, 0, 1]


def test_struct_parameter() -> None:
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    body = """ld.param.u64 %p, [s];
    ld.param.u64 %q, [s+8];
    ld.param.f32 %f1, [s+16];
    mad.wide.u32 %p, %i, 4, %p;
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.f32 %f2, [%q];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%p], %f2;
    ret;"""
    k = kernel(["align 8 .b8 s[24]"], body)
    k[1, 4]({0: out, 8: x, 16: np.float32(3)})
    np.testing.assert_array_equal(out, 3 * x)


def test_array_parameter() -> None:
    out = np.zeros(4, np.float32)
    k = kernel(["u64 out", "align 4 .f32 v[4]"], "ld.param.f32 %f1, [v+8];\nmov.b32 %r9, %f1;\n" + STORE)
    k[1, 4](out, np.array([1, 2, 3, 4], np.float32))
    assert out.tolist() == [3] * 4
    k[1, 4](out, np.array([1, 2, 5, 4], np.float32).tobytes())
    assert out.tolist() == [5] * 4
    record = np.zeros((), [("n", "<u8"), ("a", "<f4"), ("b", "<f4")])
    record["a"] = 9
    k[1, 4](out, record)
    assert out.tolist() == [9] * 4


def test_scalars() -> None:
    out = np.zeros(1, np.float32)
    k = kernel(["u64 out", "b32 a"], "ld.param.f32 %f1, [a];\nmov.b32 %r9, %f1;\n" + STORE)
    for value in (1.5, np.float32(1.5), np.uint32(0x3FC00000), np.array(1.5, np.float32)):
        out[:] = 0
        k[1, 1](out, value)
        assert out[0] == 1.5


def test_null_pointer() -> None:
    out = np.zeros(1, np.uint32)
    body = "ld.param.u64 %q, [x];\nsetp.eq.u64 %c0, %q, 0;\nselp.u32 %r9, 1, 2, %c0;\n@!%c0 ld.global.u32 %r9, [%q];\n" + STORE
    kernel(["u64 out", "u64 x"], body)[1, 1](out, None)
    assert out[0] == 1


def test_address_of_function() -> None:
    out = np.zeros(1, np.uint32)
    before = """.func (.reg .u32 %o) twice(.reg .u32 %x) { add.u32 %o, %x, %x; ret; }
.global .u64 table[1] = { twice };"""
    body = "ld.param.u64 %q, [f];\nproto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%r9), %q, (21), proto;\n" + STORE
    kernel(["u64 out", "u64 f"], body, before=before)[1, 1](out, AddressOf("twice"))
    assert out[0] == 42


def test_address_of_variable() -> None:
    out = np.zeros(1, np.uint32)
    body = "ld.param.u64 %q, [x];\nld.global.u32 %r9, [%q];\n" + STORE
    kernel(["u64 out", "u64 x"], body, before=".global .u32 table[3] = {7, 8, 9};")[1, 1](out, AddressOf("table", 8))
    assert out[0] == 9


def test_printf() -> None:
    before = """.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[6] = {110, 61, 37, 100, 10, 0};"""
    body = """.local .align 8 .b8 arguments[8];
    st.local.u32 [arguments], 42;
    mov.u64 %p, format;
    cvta.global.u64 %p, %p;
    mov.u64 %q, arguments;
    cvta.local.u64 %q, %q;
    {
      .param .b64 p0;
      .param .b64 p1;
      .param .b32 result;
      st.param.b64 [p0], %p;
      st.param.b64 [p1], %q;
      call (result), vprintf, (p0, p1);
    }
    ret;"""
    assert kernel([], body, before=before)[1, 1]().printed == "n=42\n"


def test_texture_1d(random: Random) -> None:
    x, out = random.normal(size=32).astype(np.float32), np.zeros(32, np.float32)
    k = kernel(
        ["u64 out", "u64 image"],
        "ld.param.u64 %q, [image];\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%q, {%i}];\nmov.b32 %r9, %f1;\n" + STORE,
    )
    k[1, 32](out, Texture(x))
    np.testing.assert_array_equal(out, x)


def test_texture_3d_and_layers(random: Random) -> None:
    x = random.normal(size=(2, 4, 8)).astype(np.float32)
    split = "and.b32 %r3, %i, 7;\nshr.u32 %r4, %i, 3;\nand.b32 %r5, %r4, 3;\nshr.u32 %r6, %i, 5;\nld.param.u64 %q, [image];\n"
    reads = {"3d": "tex.3d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%q, {%r3, %r5, %r6, %r6}];\n"}
    reads["a2d"] = "tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%q, {%r6, %r3, %r5, %r5}];\n"
    for kind, read in reads.items():
        out = np.zeros_like(x)
        kernel(["u64 out", "u64 image"], split + read + "mov.b32 %r9, %f1;\n" + STORE)[2, 32](out, Texture(x, kind=kind))  # type: ignore[arg-type]
        np.testing.assert_array_equal(out, x)


def test_texture_filter_and_border() -> None:
    x, out = np.array([0, 10, 20, 30], np.float32), np.zeros(6, np.float32)
    body = (
        "ld.param.u64 %q, [image];\ncvt.rn.f32.u32 %f0, %i;\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%q, {%f0}];\nmov.b32 %r9, %f1;\n"
        + STORE
    )
    k = kernel(["u64 out", "u64 image"], body)
    k[1, 6](out, Texture(x, filter="linear", address="clamp"))
    np.testing.assert_array_equal(out, [0, 5, 15, 25, 30, 30])
    k[1, 6](out, Texture(x, filter="linear", address="border", border=[7, 7, 7, 7]))
    np.testing.assert_array_equal(out, [3.5, 5, 15, 25, 18.5, 7])


def test_separate_sampler() -> None:
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    text = """.version 8.8
.target sm_100a, texmode_independent
.address_size 64
.visible .entry k(.param .u64 out, .param .texref image, .param .samplerref sampler)
{
    .reg .b32 %i;
    .reg .b64 %p;
    .reg .f32 %f<5>;
    mov.u32 %i, %tid.x;
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, sampler, {%i}];
    ld.param.u64 %p, [out];
    mad.wide.u32 %p, %i, 4, %p;
    st.global.f32 [%p], %f1;
    ret;
}
"""
    from ptx_analyzer import load

    load(text).kernel()[1, 8](out, Texture(x), Sampler("nearest"))
    np.testing.assert_array_equal(out, x)


def test_surface(random: Random) -> None:
    image = random.integers(0, 1000, (4, 8), dtype=np.uint32)
    expected = image + 1
    body = """ld.param.u64 %q, [image];
    and.b32 %r3, %i, 7;
    shl.b32 %r3, %r3, 2;
    shr.u32 %r4, %i, 3;
    suld.b.2d.b32.trap %r5, [%q, {%r3, %r4}];
    add.u32 %r5, %r5, 1;
    sust.b.2d.b32.trap [%q, {%r3, %r4}], %r5;
    ret;"""
    kernel(["u64 image"], body)[1, 32](Surface(image))
    np.testing.assert_array_equal(image, expected)


def test_texture_and_surface_share_an_image(random: Random) -> None:
    image = random.normal(size=16).astype(np.float32)
    expected = 2 * image
    body = """ld.param.u64 %p, [from];
    ld.param.u64 %q, [to];
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%p, {%i}];
    add.f32 %f1, %f1, %f1;
    mov.b32 %r9, %f1;
    shl.b32 %r3, %i, 2;
    sust.b.1d.b32.trap [%q, {%r3}], %r9;
    ret;"""
    kernel(["u64 from", "u64 to"], body)[1, 16](Texture(image), Surface(image))
    np.testing.assert_array_equal(image, expected)


def test_tensor_map_variable(random: Random) -> None:
    x, out = random.normal(size=(8, 16)).astype(np.float32), np.zeros(32, np.float32)
    body = """.shared .align 128 .b8 tile[128];
    .shared .align 8 .b64 barrier;
    mov.u64 %p, map;
    setp.eq.u32 %c0, %r2, 0;
    @!%c0 bra wait;
    mbarrier.init.shared.b64 [barrier], 1;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [barrier], 128;
    cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%p, {4, 2}], [barrier];
wait:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %c1, [barrier], 0;
    @!%c1 bra again;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, tile;
    add.u32 %r3, %r3, %r4;
    ld.shared.b32 %r9, [%r3];
    """
    k = kernel(["u64 out"], body + STORE, before=".global .align 64 .b8 map[128];")
    k.launch([out], grid=1, block=32, variables={"map": TensorMap(x, box=(4, 8))})
    np.testing.assert_array_equal(out.reshape(4, 8), x[2:6, 4:12])


def test_bulk_copy(random: Random) -> None:
    x, out = random.integers(0, 99, 32, dtype=np.uint32), np.zeros(32, np.uint32)
    body = """.shared .align 128 .b8 tile[128];
    .shared .align 8 .b64 barrier;
    setp.eq.u32 %c0, %r2, 0;
    @!%c0 bra wait;
    ld.param.u64 %p, [x];
    mbarrier.init.shared.b64 [barrier], 1;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [barrier], 128;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%p], 128, [barrier];
wait:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %c1, [barrier], 0;
    @!%c1 bra again;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, tile;
    add.u32 %r3, %r3, %r4;
    ld.shared.b32 %r9, [%r3];
    """
    kernel(["u64 out", "u64 x"], body + STORE)[1, 32](out, x)
    np.testing.assert_array_equal(out, x)


def test_marks(random: Random) -> None:
    x, out = random.uniform(-1, 1, 4).astype(np.float32), np.zeros(4, np.float32)
    report = elementwise("f32", ["f32"], "ex2.approx.f32 %o, %a;")[1, 4](out, x)
    assert report.approximate == {"out": [(0, 16)]} and report.unspecified == {}
