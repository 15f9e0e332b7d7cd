//! Completion. `$0` marks the cursor. The wording of the items belongs to the data files: these tests check only the
//! structure.

use expect_test::{Expect, expect};
use ptx_ide::{CompletionOptions, Completions, Item, completion};
use ptx_syntax::Snapshot;

/// Completion in a text.
pub fn at(marked: &str) -> (String, Completions) {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let found = completion(&Snapshot::new(&text), offset, CompletionOptions::default());
    (text, found)
}

/// A kernel around statements.
pub fn kernel(version: &str, target: &str, statements: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.global .align 4 .f32 table[64];\n.shared .b32 tile[32];\n\
         .func (.param .b32 r) square(.param .b32 a)\n{{\n    ret;\n}}\n\
         .visible .entry k(.param .u64 out, .param .u32 n)\n{{\n    .reg .pred %p<3>;\n    .reg .b32 %r<8>;\n    .reg .f32 %f<8>;\n    \
         .reg .b64 %rd<4>;\nTOP:\n    {statements}\n    ret;\n}}\n"
    )
}

pub fn in_kernel(statements: &str) -> Completions {
    at(&kernel("7.8", "sm_80", statements)).1
}

fn line(item: &Item) -> String {
    let mut out = item.label.clone();
    if let Some(why) = &item.unavailable {
        out.push_str(&format!(" !! {why}"));
    }
    if item.deprecated {
        out.push_str(" (deprecated)");
    }
    out
}

pub fn labels(found: &Completions, most: usize) -> String {
    let mut out: String = found.items.iter().take(most).map(|i| line(i) + "\n").collect();
    if found.items.len() > most {
        out.push_str(&format!("… {}\n", found.items.len()));
    }
    out
}

pub fn check(statements: &str, most: usize, expected: &Expect) {
    expected.assert_eq(&labels(&in_kernel(statements), most));
}

#[test]
fn modifiers_step_by_step() {
    check(
        "fma$0",
        12,
        &expect![[r#"
            fma
            fma.rn
            fma.rn.f32 d, a, b, c
            fma.rn.f64 d, a, b, c
            fma.rn.bf16 d, a, b, c
            fma.rn.ftz.f32 d, a, b, c
            fma.rn.f16x2 d, a, b, c
            fma.rm.f32 d, a, b, c
            fma.rn.f32
            max.f64
            max.f32
        "#]],
    );
    check(
        "fma.$0",
        40,
        &expect![[r#"
            .rn
            .f32
            .f64
            .rm
            .ftz
            .f16x2
            .bf16x2
            .bf16
            .rz
            .rp
            .sat
            .relu
            .f16
            .rn.ftz
            .rn.f32 d, a, b, c
            .rn.f64 d, a, b, c
            .rn.bf16 d, a, b, c
            .rn.ftz.f32 d, a, b, c
            .rn.f16x2 d, a, b, c
            .rm.f32 d, a, b, c
            .f32x2 !! needs PTX 9.4 and sm_107f
            .oob !! needs PTX 8.1 and sm_90
            .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        "#]],
    );
    check(
        "fma.rn.$0",
        40,
        &expect![[r#"
            .f32
            .f64
            .ftz
            .f16x2
            .bf16x2
            .bf16
            .sat
            .relu
            .f16
            .f32 d, a, b, c
            .f64 d, a, b, c
            .bf16 d, a, b, c
            .ftz.f32 d, a, b, c
            .f16x2 d, a, b, c
            .f32x2 !! needs PTX 9.4 and sm_107f
            .oob !! needs PTX 8.1 and sm_90
            .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        "#]],
    );
    check(
        "fma.rn.$0f32 %f1, %f2, %f3, %f4;",
        40,
        &expect![[r#"
            .f32
            .f64
            .ftz
            .f16x2
            .bf16x2
            .bf16
            .sat
            .relu
            .f16
            .f32x2 !! needs PTX 9.4 and sm_107f
            .oob !! needs PTX 8.1 and sm_90
            .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        "#]],
    );
    check(
        "fma.$0.f32 %f1, %f2, %f3, %f4;",
        40,
        &expect![[r#"
            .rn
            .rm
            .ftz
            .rz
            .rp
            .sat
        "#]],
    );
    check(
        "mul.$0",
        40,
        &expect![[r#"
            .lo
            .wide
            .f32
            .f64
            .ftz
            .rn
            .hi
            .rz
            .f16
            .rm
            .rp
            .sat
            .f16x2
            .rn.ftz
            .f32 d, a, b
            .lo.s64 d, a, b
            .wide.u32 d, a, b
            .lo.s32 d, a, b
            .wide.s32 d, a, b
            .rn.f32 d, a, b
            .f64 d, a, b
            .ftz.f32 d, a, b
            .f16 d, a, b
            .f32x2 !! needs PTX 8.6 and sm_100
            .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .bf16x2 !! needs PTX 9.4 and sm_107f
            .bf16 !! needs PTX 7.8 and sm_90
            .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
            .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        "#]],
    );
    check(
        "ld.global.$0",
        60,
        &expect![[r#"
            .u64
            .u32
            .f32
            .b32
            .b16
            .s32
            .nc
            .u8
            .b64
            .u16
            .v4
            .v2
            .f64
            .s8
            .lu
            .L2::128B
            .s64
            .b8
            .s16
            .volatile
            .L1::no_allocate
            .acquire
            .gpu
            .ca
            .cg
            .cs
            .cv
            .L1::evict_normal
            .L1::evict_unchanged
            .L1::evict_first
            .L1::evict_last
            .L2::cache_hint
            .L2::64B
            .L1::32B
            .L2::256B
            .weak
            .relaxed
            .cta
            .sys
            .nc.v2
            .nc.v4
            .L2::128B.v4
            .lu.v4
            .f32 d, [a]
            .u32 d, [a]
            .b16 d, [a]
            .b32 d, [a]
            .u16 d, [a]
            .u64 d, [a]
            .u8 d, [a]
            .nc.v4.b32 d, [a]
            .nc.f32 d, [a]
            .nc.u32 d, [a]
            .nc.b32 d, [a]
            .nc.f64 d, [a]
            .nc.b64 d, [a]
            .v8 !! needs PTX 9.4 and sm_90
            .L2::evict_normal !! needs PTX 8.8 and sm_100
            .L2::evict_first !! needs PTX 8.8 and sm_100
            .L2::evict_last !! needs PTX 8.8 and sm_100
            … 64
        "#]],
    );
    check(
        "cvt.rn.$0",
        60,
        &expect![[r#"
            .f32
            .bf16x2
            .bf16
            .f16
            .f64
            .f16x2
            .relu
            .ftz
            .sat
            .relu.f16x2
            .ftz.f32
            .f16.f32 d, a
            .bf16.f32 d, a
            .f32.s32 d, a
            .f32.f64 d, a
            .satfinite !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
            .e4m3x2 !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
            .e5m2x2 !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
            .pzo !! needs PTX 9.4 and sm_107f
            .scaled::n2::ue8m0 !! needs PTX 9.4 and sm_107f
            .scaled::n1::ue8m0 !! needs PTX 9.4 and sm_107f
            .ue5m3x2 !! needs PTX 9.4 and sm_107f
            .e2m3x2 !! needs PTX 8.6 and sm_100f, or PTX 8.6 and sm_101f, or PTX 8.7 and sm_120f
            .e3m2x2 !! needs PTX 8.6 and sm_100f, or PTX 8.6 and sm_101f, or PTX 8.7 and sm_120f
            .e2m1x2 !! needs PTX 8.6 and sm_100f, or PTX 8.6 and sm_101f, or PTX 8.7 and sm_120f
            .tf32 !! needs PTX 7.8 and sm_90
            .s2f6x2 !! needs PTX 9.1 and sm_100a, or PTX 9.1 and sm_103a, or PTX 9.1 and sm_110a, or PTX 9.1 and sm_120a, or PTX 9.1 and sm_121a, or PTX 9.4 and sm_107a
        "#]],
    );
    check(
        "cvt.rn.f32.$0",
        60,
        &expect![[r#"
            .s32
            .u32
            .f64
            .bf16
            .s16
            .u16
            .s64
            .u64
            .u8
            .s8
            .ftz
            .sat
            .s32 d, a
            .f64 d, a
        "#]],
    );
    check(
        "mma.sync.aligned.m16n8k16.row.col.$0",
        60,
        &expect![[r#"
            .f32
            .s32
            .f16
            .satfinite
            .sp
            .f32.f16
            .f32.bf16
            .s32.s8
            .s32.u8
            .f32.f16.f16.f32 d, a, b, c
            .f32.bf16.bf16.f32 d, a, b, c
            .f64 !! needs PTX 7.8 and sm_90
            .kind::f8f6f4 !! needs PTX 8.4 and sm_89
            .sp::ordered_metadata !! needs PTX 8.5 and sm_80
            .rn !! needs PTX 7.8 and sm_90
            .rz !! needs PTX 7.8 and sm_90
            .rm !! needs PTX 7.8 and sm_90
            .rp !! needs PTX 7.8 and sm_90
        "#]],
    );
}

#[test]
fn operands_by_type() {
    check(
        "fma.rn.f32 $0",
        40,
        &expect![[r#"
        %f0
        %f1
        %f2
        %f3
        %f4
        %f5
        %f6
        %f7
        %r0
        %r1
        %r2
        %r3
        %r4
        %r5
        %r6
        %r7
        d, a, b, c
    "#]],
    );
    check(
        "fma.rn.f32 %f1, $0",
        40,
        &expect![[r#"
        %f1
        %f2
        %f0
        %f3
        %f4
        %f5
        %f6
        %f7
        %r0
        %r1
        %r2
        %r3
        %r4
        %r5
        %r6
        %r7
    "#]],
    );
    check(
        "mov.u32 %r1, $0",
        36,
        &expect![[r#"
            %tid.x
            %ctaid.x
            %ntid.x
            tile
            %tid.y
            %laneid
            %ctaid.y
            %nctaid.x
            %tid.z
            %r1
            %r2
            %r0
            %r3
            %r4
            %r5
            %r6
            %r7
            out
            n
            %ctaid.z
            %ntid.y
            %nctaid.y
            %lanemask_lt
            %nctaid.z
            %ntid.z
            %clock
            %smid
            %clock_hi
            %ctaid.w
            %dynamic_smem_size
            %envreg0
            %globaltimer_hi
            %globaltimer_lo
            %gridid
            %lanemask_eq
            %lanemask_ge
            … 111
        "#]],
    );
    check(
        "mov.u32 %r1, %tid.$0",
        40,
        &expect![[r#"
        .x
        .y
        .z
        .w
    "#]],
    );
    check(
        "ld.param.u64 %rd1, $0",
        40,
        &expect![[r#"
            [out]
            [n]
            [%rd1]
            [%rd2]
            [%rd0]
            [%rd3]
            [%r0]
            [%r1]
            [%r2]
            [%r3]
            [%r4]
            [%r5]
            [%r6]
            [%r7]
        "#]],
    );
    check(
        "ld.param.u64 %rd1, [$0",
        40,
        &expect![[r#"
            out
            n
            %rd1
            %rd2
            %rd0
            %rd3
            %r0
            %r1
            %r2
            %r3
            %r4
            %r5
            %r6
            %r7
        "#]],
    );
    check(
        "ld.shared.v2.f32 $0",
        40,
        &expect![[r#"
        {%f0, %f1}
        {%r0, %r1}
        {%rd0, %rd1}
        d, [a]
    "#]],
    );
    check(
        "ld.shared.v2.f32 {%f1, $0",
        40,
        &expect![[r#"
        %f2
        %f1
        %f0
        %f3
        %f4
        %f5
        %f6
        %f7
        %r0
        %r1
        %r2
        %r3
        %r4
        %r5
        %r6
        %r7
    "#]],
    );
    check(
        "setp.lt.s32 %p1|$0",
        40,
        &expect![[r#"
        %p2
        %p1
        %p0
        _
    "#]],
    );
    check(
        "@$0",
        40,
        &expect![[r#"
        %p0
        %p1
        %p2
    "#]],
    );
    check(
        "@%p1 bra $0",
        40,
        &expect![[r#"
        TOP
    "#]],
    );
    check(
        "call (%r1), $0",
        40,
        &expect![[r#"
        square
    "#]],
    );
    check(
        "call (%r1), square, ($0",
        40,
        &expect![[r#"
        %r1
        %r2
        %f0
        %r0
        %r3
        %r4
        %r5
        %r6
        %r7
        %f1
        %f2
        %f3
        %f4
        %f5
        %f6
        %f7
    "#]],
    );
    check(
        "shfl.sync.down.b32 %r1, %r2, 1, 31, $0",
        40,
        &expect![[r#"
            0xffffffff
            -1
            %r2
            %r1
            %r3
            %r0
            %r4
            %r5
            %r6
            %r7
        "#]],
    );
    check(
        "selp.f32 %f1, %f2, 0f00000000, $0",
        40,
        &expect![[r#"
        %p0
        %p1
        %p2
    "#]],
    );
}
