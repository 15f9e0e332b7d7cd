"""Short kernels as text."""

from __future__ import annotations

from ptx_analyzer import Kernel, load

HEADER = ".version 8.8\n.target sm_100a\n.address_size 64\n"

# For each type: the dtype of numpy or ml_dtypes, bytes, the type of a register, the type of loads and stores.
TYPES = {
    "u8": ("uint8", 1, "u16", "u8"),
    "s8": ("int8", 1, "s16", "s8"),
    "u16": ("uint16", 2, "u16", "u16"),
    "s16": ("int16", 2, "s16", "s16"),
    "u32": ("uint32", 4, "u32", "u32"),
    "s32": ("int32", 4, "s32", "s32"),
    "b32": ("uint32", 4, "b32", "b32"),
    "u64": ("uint64", 8, "u64", "u64"),
    "s64": ("int64", 8, "s64", "s64"),
    "f16": ("float16", 2, "f16", "b16"),
    "bf16": ("bfloat16", 2, "b16", "b16"),
    "f32": ("float32", 4, "f32", "f32"),
    "f64": ("float64", 8, "f64", "f64"),
}


def elementwise(result: str, inputs: list[str], body: str) -> Kernel:
    """A kernel with a thread for each element: `body` computes `%o` from `%a`, `%b` and `%c`."""
    names = "abc"[: len(inputs)]
    lines = [f".reg .{TYPES[result][2]} %o;"]
    lines += [f".reg .{TYPES[ty][2]} %{name};" for name, ty in zip(names, inputs)]
    for name, ty in zip(names, inputs):
        _, size, _, access = TYPES[ty]
        lines += [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %i, {size}, %p;", f"ld.global.{access} %{name}, [%p];"]
    lines += body.splitlines()
    _, size, _, access = TYPES[result]
    lines += ["ld.param.u64 %p, [out];", f"mad.wide.u32 %p, %i, {size}, %p;", f"st.global.{access} [%p], %o;", "ret;"]
    return kernel(["u64 out", *(f"u64 {name}" for name in names)], "\n".join(lines))


def kernel(parameters: list[str], body: str, before: str = "", after: str = "") -> Kernel:
    """A kernel `k`. Its body can use the index of the thread in the grid `%i`, and registers `%p`, `%q`, `%r0`…, `%d0`…, `%f0`…."""
    declared = ", ".join(f".param .{parameter}" for parameter in parameters)
    text = f"""{HEADER}{before}
.visible .entry k({declared}){after}
{{
    .reg .b32 %i, %r<32>;
    .reg .b64 %p, %q, %d<16>;
    .reg .f32 %f<16>;
    .reg .pred %c0, %c1;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %i, %r0, %r1, %r2;
    {body}
}}
"""
    return load(text).kernel("k")
