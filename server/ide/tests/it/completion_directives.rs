//! Completion of directives and in declarations.

use crate::completion::{at, check, labels};
use expect_test::{Expect, expect};

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
        32 !! ptxas 13.5 does not build it
    "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.$0",
        expect![[r#"
            .visible
            .global
            .file
            .func
            .weak
            .section
            .extern
            .const
            .entry
            .common
            .shared
            .alias
            .pragma
            .tex !! removed from PTX 1.5 on
            .nv_intermediate_source_section !! needs PTX 9.4
        "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible $0",
        expect![[r#"
            .entry
            .func
            .global
            .shared
            .const
            .tex !! removed from PTX 1.5 on
        "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.extern .$0",
        expect![[r#"
            .shared
            .func
            .global
            .const
            .entry
            .tex !! removed from PTX 1.5 on
        "#]],
    );
    module(
        ".version 7.8\n.target sm_80\n.address_size 64\n.global .$0",
        expect![[r#"
            .align
            .texref
            .b32
            .s32
            .u8
            .f32
            .u32
            .u16
            .u64
            .b8
            .b16
            .b64
            .s8
            .s16
            .s64
            .f16
            .f64
            .f16x2
            .e2m3x4
            .e3m2x4
            .ue8m0x4
            .e2m1x4
            .surfref
            .v2
            .v4
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
            .u64
            .u32
            .b32
            .b64
            .s32
            .f32
            .align
            .f64
            .s64
            .u16
            .u8
            .s8
            .s16
            .b8
            .b16
            .f16
            .b128 !! needs PTX 8.3 and sm_70
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
            .maxntid
            .minnctapersm
            .reqntid
            .maxnreg
            .pragma
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
            .b64
            .b32
            .f64
            .u32
            .f16x2
            .f32
            .v4
            .pred
            .v2
            .u64
            .s32
            .b16
            .s64
            .u16
            .f16
            .s16
            .u8
            .b8
            .s8
            .e2m3x4
            .e3m2x4
            .ue8m0x4
            .e2m1x4
            .align
            .b128 !! needs PTX 8.3 and sm_70
        "#]],
    );
    check(
        ".$0",
        60,
        &expect![[r#"
            .loc
            .pragma
            .callprototype
            .reg
            .param
            .shared
            .local
            .global
            .branchtargets
            .calltargets
            .loc_intermediate !! needs PTX 9.4
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
