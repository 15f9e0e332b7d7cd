//! Completion. `$0` marks the place. The words of the tables belong to the data files: of them only the structure is tested.

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

fn in_kernel(statements: &str) -> Completions {
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

fn labels(found: &Completions, most: usize) -> String {
    let mut out: String = found.items.iter().take(most).map(|i| line(i) + "\n").collect();
    if found.items.len() > most {
        out.push_str(&format!("… {}\n", found.items.len()));
    }
    out
}

fn check(statements: &str, most: usize, expected: &Expect) {
    expected.assert_eq(&labels(&in_kernel(statements), most));
}

#[test]
fn modifiers_step_by_step() {
    check(
        "fma$0",
        12,
        &expect![[r#"
            fma
            fma.rn.f32 d, a, b, c
            fma.rn.f64 d, a, b, c
            fma.rn.f16 d, a, b, c
            fma.rn.relu.f16 d, a, b, c
            fma.rn.bf16 d, a, b, c
        "#]],
    );
    check(
        "fma.$0",
        40,
        &expect![[r#"
        .rn
        .rz
        .rm
        .rp
        .ftz
        .sat
        .relu
        .f64
        .bf16
        .bf16x2
        .f32
        .f16
        .f16x2
        .oob !! needs PTX 8.1 and sm_90
        .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .f32x2 !! needs PTX 9.4 and sm_107f
        .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
    "#]],
    );
    check(
        "fma.rn.$0",
        40,
        &expect![[r#"
        .ftz
        .sat
        .relu
        .f64
        .bf16
        .bf16x2
        .f32
        .f16
        .f16x2
        .oob !! needs PTX 8.1 and sm_90
        .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .f32x2 !! needs PTX 9.4 and sm_107f
        .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
    "#]],
    );
    check(
        "fma.rn.$0f32 %f1, %f2, %f3, %f4;",
        40,
        &expect![[r#"
        .ftz
        .sat
        .relu
        .f64
        .bf16
        .bf16x2
        .f32
        .f16
        .f16x2
        .oob !! needs PTX 8.1 and sm_90
        .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .f32x2 !! needs PTX 9.4 and sm_107f
        .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
    "#]],
    );
    check(
        "fma.$0.f32 %f1, %f2, %f3, %f4;",
        40,
        &expect![[r#"
        .rn
        .rz
        .rm
        .rp
        .ftz
        .sat
    "#]],
    );
    check(
        "mul.$0",
        40,
        &expect![[r#"
        .rn
        .rz
        .rm
        .rp
        .lo
        .hi
        .wide
        .ftz
        .sat
        .f64
        .f32
        .f16
        .f16x2
        .satfinite !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .bf16x2 !! needs PTX 9.4 and sm_107f
        .bf16 !! needs PTX 7.8 and sm_90
        .f32x2 !! needs PTX 8.6 and sm_100
        .e4m3x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
        .e5m2x4 !! needs PTX 9.4 and sm_100a, or PTX 9.4 and sm_103a
    "#]],
    );
    check(
        "ld.global.$0",
        60,
        &expect![[r#"
        .nc
        .ca
        .cg
        .cs
        .lu
        .cv
        .L1::evict_normal
        .L1::evict_unchanged
        .L1::evict_first
        .L1::evict_last
        .L1::no_allocate
        .L2::cache_hint
        .L2::64B
        .L2::128B
        .L1::32B
        .L2::256B
        .v2
        .v4
        .v8
        .b8
        .b16
        .u8
        .u16
        .s8
        .s16
        .b32
        .u32
        .s32
        .f32
        .b64
        .u64
        .s64
        .f64
        .weak
        .volatile
        .relaxed
        .acquire
        .cta
        .gpu
        .sys
        .L2::evict_normal !! needs PTX 8.8 and sm_100
        .L2::evict_first !! needs PTX 8.8 and sm_100
        .L2::evict_last !! needs PTX 8.8 and sm_100
        .proxy::readonly !! needs PTX 9.4 and sm_90
        .b128 !! needs PTX 8.2 and sm_70
        .mmio !! needs PTX 8.2 and sm_70
        .cluster !! needs PTX 7.8 and sm_90
    "#]],
    );
    check(
        "cvt.rn.$0",
        60,
        &expect![[r#"
        .ftz
        .sat
        .relu
        .f16
        .f64
        .bf16
        .f32
        .f16x2
        .bf16x2
        .pzo !! needs PTX 9.4 and sm_107f
        .satfinite !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
        .scaled::n2::ue8m0 !! needs PTX 9.4 and sm_107f
        .scaled::n1::ue8m0 !! needs PTX 9.4 and sm_107f
        .ue5m3x2 !! needs PTX 9.4 and sm_107f
        .e4m3x2 !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
        .e5m2x2 !! needs PTX 7.8 and sm_90, or PTX 8.1 and sm_89
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
        .bf16
        .u8
        .s8
        .u16
        .u32
        .u64
        .s16
        .s32
        .s64
        .f64
        .ftz
        .sat
    "#]],
    );
    check(
        "mma.sync.aligned.m16n8k16.row.col.$0",
        60,
        &expect![[r#"
        .satfinite
        .f16
        .f32
        .s32
        .sp
        .kind::f8f6f4 !! needs PTX 8.4 and sm_89
        .rn !! needs PTX 7.8 and sm_90
        .rz !! needs PTX 7.8 and sm_90
        .rm !! needs PTX 7.8 and sm_90
        .rp !! needs PTX 7.8 and sm_90
        .f64 !! needs PTX 7.8 and sm_90
        .sp::ordered_metadata !! needs PTX 8.5 and sm_80
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
        60,
        &expect![[r#"
        %r1
        %r2
        %r0
        %r3
        %r4
        %r5
        %r6
        %r7
        %clock
        %clock_hi
        %ctaid.x
        %ctaid.y
        %ctaid.z
        %ctaid.w
        %dynamic_smem_size
        %envreg0
        %globaltimer_hi
        %globaltimer_lo
        %gridid
        %laneid
        %lanemask_eq
        %lanemask_ge
        %lanemask_gt
        %lanemask_le
        %lanemask_lt
        %nctaid.x
        %nctaid.y
        %nctaid.z
        %nctaid.w
        %nsmid
        %ntid.x
        %ntid.y
        %ntid.z
        %ntid.w
        %nwarpid
        %pm0
        %pm4
        %pm5
        %pm6
        %pm7
        %reserved_smem_offset_0
        %reserved_smem_offset_begin
        %reserved_smem_offset_cap
        %reserved_smem_offset_end
        %smid
        %tid.x
        %tid.y
        %tid.z
        %tid.w
        %total_smem_size
        %warpid
        WARP_SZ
        n
        out
        k
        table
        tile
        square
        %aggr_smem_size !! needs PTX 8.1 and sm_90
        %cluster_ctaid.x !! needs PTX 7.8 and sm_90
        … 78
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
        %r1
        %r2
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

#[test]
fn directives_by_place() {
    let module = |text: &str, expected: Expect| expected.assert_eq(&labels(&at(text).1, 60));
    module(
        "$0",
        expect![[r#"
        .version
        module
    "#]],
    );
    module(
        ".version $0",
        expect![[r#"
        9.5
        9.4
        9.3
        9.2
        9.1
        9.0
        8.8
        8.7
        8.6
        8.5
        8.4
        8.3
        8.2
        8.1
        8.0
        7.8
        7.7
        7.6
        7.5
        7.4
        7.3
        7.2
        7.1
        7.0
        6.5
        6.4
        6.3
        6.2
        6.1
        6.0
        5.1
        5.0
        4.3
        4.2
        4.1
        4.0
        3.2
        3.1
        3.0
        2.3
        2.2
        2.1
        2.0
        1.5
        1.4
        1.3
        1.2
        1.1
        1.0
    "#]],
    );
    module(
        ".version 7.8\n$0",
        expect![[r#"
        .target
    "#]],
    );
    module(
        ".version 7.8\n.target $0",
        expect![[r#"
        sm_90
        sm_89
        sm_87
        sm_86
        sm_80
        sm_75
        sm_72
        sm_70
        sm_62
        sm_61
        sm_60
        sm_53
        sm_52
        sm_50
        sm_37
        sm_35
        sm_32
        sm_30
        sm_21
        sm_20
        sm_13
        sm_12
        sm_11
        sm_10
        sm_121a !! needs PTX 8.8
        sm_121f !! needs PTX 8.8
        sm_121 !! needs PTX 8.8
        sm_120a !! needs PTX 8.7
        sm_120f !! needs PTX 8.8
        sm_120 !! needs PTX 8.7
        sm_110a !! needs PTX 9.0
        sm_110f !! needs PTX 9.0
        sm_110 !! needs PTX 9.0
        sm_107a !! needs PTX 9.4
        sm_107f !! needs PTX 9.4
        sm_107 !! needs PTX 9.4
        sm_103a !! needs PTX 8.8
        sm_103f !! needs PTX 8.8
        sm_103 !! needs PTX 8.8
        sm_101a !! needs PTX 8.6
        sm_101f !! needs PTX 8.8
        sm_101 !! needs PTX 8.6
        sm_100a !! needs PTX 8.6
        sm_100f !! needs PTX 8.8
        sm_100 !! needs PTX 8.6
        sm_90a !! needs PTX 8.0
        sm_88 !! needs PTX 9.0
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80, $0",
        expect![[r#"
        texmode_unified
        texmode_independent
        debug
        map_f64_to_f32 !! removed from PTX 1.0 and sm_13 on
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size $0",
        expect![[r#"
        64
        32
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.$0",
        expect![[r#"
            .alias
            .common
            .const
            .entry
            .extern
            .file
            .func
            .global
            .pragma
            .section
            .shared
            .visible
            .weak
            .nv_intermediate_source_section !! needs PTX 9.4
            .tex !! removed from PTX 1.5 on
        "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible $0",
        expect![[r#"
        .const
        .global
        .shared
        .entry
        .func
        .tex !! removed from PTX 1.5 on
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.extern .$0",
        expect![[r#"
        .const
        .global
        .shared
        .entry
        .func
        .tex !! removed from PTX 1.5 on
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.global .$0",
        expect![[r#"
        .b8
        .b16
        .b32
        .b64
        .u8
        .u16
        .u32
        .u64
        .s8
        .s16
        .s32
        .s64
        .f16
        .f32
        .f64
        .f16x2
        .e2m3x4
        .e3m2x4
        .ue8m0x4
        .e2m1x4
        .texref
        .surfref
        .v2
        .v4
        .align
        .attribute
        .b128 !! needs PTX 8.3 and sm_70
        .samplerref !! needs PTX 1.5 and `texmode_independent` in `.target`
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.entry k($0",
        expect![[r#"
        .param
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .$0",
        expect![[r#"
        .b8
        .b16
        .b32
        .b64
        .b128
        .u8
        .u16
        .u32
        .u64
        .s8
        .s16
        .s32
        .s64
        .f16
        .f32
        .f64
        .align
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 .ptr .$0",
        expect![[r#"
        .const
        .global
        .local
        .shared
        .align
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a)\n.$0\n{\n    ret;\n}\n",
        expect![[r#"
        .maxnreg
        .maxntid
        .minnctapersm
        .pragma
        .reqntid
        .blocksareclusters !! needs PTX 9.0 and sm_90
        .explicitcluster !! needs PTX 7.8 and sm_90
        .language !! needs PTX 9.2
        .local_maxnreg !! needs PTX 8.8
        .maxclusterrank !! needs PTX 7.8 and sm_90
        .maxnctapersm !! removed from PTX 2.1 on
        .minperctamemory !! needs PTX 9.4 and sm_80
        .reqnctapercluster !! needs PTX 7.8 and sm_90
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.func f()\n.$0",
        expect![[r#"
        .noreturn
        .abi_preserve !! needs PTX 9.0 and sm_80
        .abi_preserve_control !! needs PTX 9.0 and sm_80
        .language !! needs PTX 9.2
        .local_maxnreg !! needs PTX 8.8
    "#]],
    );
    module(
        ".version 9.0\n.target sm_80\n.pragma $0",
        expect![[r#"
        "nounroll"
    "#]],
    );
    check(
        ".reg .$0",
        60,
        &expect![[r#"
        .pred
        .b8
        .b16
        .b32
        .b64
        .u8
        .u16
        .u32
        .u64
        .s8
        .s16
        .s32
        .s64
        .f16
        .f32
        .f64
        .f16x2
        .e2m3x4
        .e3m2x4
        .ue8m0x4
        .e2m1x4
        .v2
        .v4
        .align
        .b128 !! needs PTX 8.3 and sm_70
    "#]],
    );
    check(
        ".$0",
        60,
        &expect![[r#"
        .branchtargets
        .callprototype
        .calltargets
        .alias
        .const
        .global
        .loc
        .local
        .param
        .pragma
        .reg
        .shared
        .target
        .loc_intermediate !! needs PTX 9.4
        .sreg !! removed from PTX 1.0 on
    "#]],
    );
    check(
        ".pragma \"$0",
        60,
        &expect![[r#"
        "nounroll"
        "enable_smem_spilling" !! needs PTX 8.7 and sm_75
        "frequency" !! needs PTX 9.0
        "mma_throughput" !! needs PTX 9.3
        "used_bytes_mask" !! needs PTX 8.3 and sm_50
    "#]],
    );
}

/// A statement that is not finished, and the lines around it.
#[test]
fn half_typed_lines() {
    let first = |statements: &str, most: usize| labels(&in_kernel(statements), most);
    // A statement before another one, a list that goes on in the next line, an operand that does.
    assert!(first("$0ret;", 3).starts_with("abs\n"));
    assert!(first("add.f32 %f1, %f2,\n    $0\n", 3).starts_with("%f1\n"));
    assert!(first("add.f32 %f1, %f2,\n    $0mov.u32 %r1, 0;", 3).starts_with("abs\n"));
    assert!(first("ld.global.v2.f32 {%f1,\n    $0\n", 3).starts_with("%f"));
    for nothing in ["// add.$0", "/* add.$0 */", "mov.u32 %r1, 12$0;", "L$0:", ".reg .b32 x$0", "add.f32 %f1 $0"] {
        assert!(!in_kernel(nothing).items.iter().any(|i| i.label.starts_with('.')), "{nothing}");
    }
    assert!(in_kernel("add.f32 %f1 $0").items.is_empty());
    // A brace that is missing, a function whose header has not ended.
    let text = ".version 7.8\n.target sm_80\n.entry a()\n{\n    .reg .f32 %f<3>;\n    add.f32 $0\n.entry b()\n{\n    ret;\n}\n";
    assert!(at(text).1.items.iter().any(|i| i.label == "%f0"));
    let text = ".version 7.8\n.target sm_80\n.entry a(.param .u32 x,\n    .$0";
    assert!(at(text).1.items.iter().any(|i| i.label == ".param"));
    // Line ends of two characters, tabs, letters of several bytes.
    let text = ".version 7.8\r\n.target sm_80\r\n.entry a()\r\n{\r\n\t.reg .f32 %f<3>; // é → ✓\r\n\tadd.f32\t$0\r\n\tret;\r\n}\r\n";
    assert!(at(text).1.items.iter().any(|i| i.label == "%f0"));
}

#[test]
fn what_is_replaced() {
    let found = |statements: &str| {
        let (text, found) = at(&kernel("7.8", "sm_80", statements));
        (text[found.insert].to_owned(), text[found.replace].to_owned())
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(found("fma.r$0n.f32"), pair(".r", ".rn"));
    assert_eq!(found("ld.shared::c$0ta.b32"), pair(".shared::c", ".shared::cta"));
    assert_eq!(found("mov.u32 %r$01, 5;"), pair("%r", "%r1"));
    assert_eq!(found("mov.u32 %r1, %tid.$0;"), pair(".", "."));
    assert_eq!(found("ad$0d.u32"), pair("ad", "add"));
    assert_eq!(found("add.u32 $0%r1"), pair("", ""));
}

#[test]
fn snippets_check_clean() {
    // Places to fill in hold what they show.
    fn filled(snippet: &str) -> String {
        let mut names: Vec<(String, String)> = Vec::new();
        let mut out = String::new();
        let mut rest = snippet;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(inner) = rest.strip_prefix('{') {
                let end = inner.find('}').unwrap();
                let (number, value) = inner[..end].split_once([':', '|']).unwrap();
                let value = value.split([',', '|']).next().unwrap();
                names.push((number.to_owned(), value.to_owned()));
                out.push_str(value);
                rest = &inner[end + 1..];
            } else {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let known = names.iter().find(|(n, _)| *n == rest[..end]);
                out.push_str(known.map_or("", |(_, value)| value));
                rest = &rest[end..];
            }
        }
        out + rest
    }
    let errors = |text: &str| {
        let report = ptx_analysis::Analyzer::default().analyze(&Snapshot::new(text));
        report
            .diagnostics
            .into_iter()
            .map(|d| (d.code, d.message))
            .filter(|d| d.0 != "unused-register")
            .collect::<Vec<_>>()
    };
    let mut count = 0;
    for (before, after) in [
        ("", ""),
        (".version 7.8\n.target sm_80\n.address_size 64\n", ""),
        (".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ", "\n    ret;\n}\n"),
    ] {
        let found = at(&format!("{before}$0{after}")).1;
        for item in found.items.iter().filter(|i| i.snippet && !i.label.contains(' ')) {
            let text = format!("{before}{}{after}", filled(item.new_text()));
            assert_eq!(errors(&text), [], "{text}");
            count += 1;
        }
    }
    assert!(count >= 7, "{count}");
}
