//! Hover on numbers that encode something, and the facts that it shows about registers, labels and functions.

use crate::hover::{check, hover_at};
use expect_test::expect;
use ptx_ide::Hover;

/// Hover in a small kernel for a target that supports nearly everything.
fn modern(statements: &str) -> Option<(String, Hover)> {
    hover_at(&format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<2>;\n\
         .reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n{statements}\n}}\n"
    ))
}

#[test]
fn tables_of_lop3_are_expressions() {
    let code = |statement: &str| {
        let (_, hover) = modern(statement).expect("a hover");
        hover.markdown.split("```ptx\n").nth(2).and_then(|t| t.split("\n```").next()).unwrap_or("").to_owned()
    };
    assert_eq!(code("lop3.b32 %r1, %r2, %r3, %r4, 0xC$0A;"), "%r1 = (%r2 & %r3) | (~%r2 & %r4)");
    assert_eq!(code("lop3.b32 %r1, %r2, %r2, %r4, 0xE$0A;"), "%r1 = %r2 | %r4");
    assert_eq!(code("lo$0p3.b32 %r1, %r2, %r3, -1, 0x96;"), "%r1 = ~(%r2 ^ %r3)");
    assert_eq!(code("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 1$028, %p1;"), "%r1 = %r2 & %r3 & %r4");
}

#[test]
fn selectors_of_prmt_name_bytes() {
    let code = |statement: &str| {
        let (_, hover) = modern(statement).expect("a hover");
        hover.markdown.split("```ptx\n").nth(2).and_then(|t| t.split("   //").next()).unwrap_or("").to_owned()
    };
    assert_eq!(code("prmt.b32 %r1, %r2, %r3, 0x541$00;"), "%r1 = {%r3.b1, %r3.b0, %r2.b1, %r2.b0}");
    assert_eq!(code("prmt.b32 %r1, %r2, 0, 0x4b1$00;"), "%r1 = {0x00, sign(%r2.b3), %r2.b1, %r2.b0}");
    assert_eq!(code("prmt.b32.b4e %r1, %r2, %r3, 1$0;"), "%r1 = {%r3.b2, %r3.b3, %r2.b0, %r2.b1}");
}

#[test]
fn masks_clamps_policies_and_descriptors_are_taken_apart() {
    let holds = |statement: &str, parts: &[&str]| {
        let (_, hover) = modern(statement).expect("a hover");
        for part in parts {
            assert!(hover.markdown.contains(part), "`{part}` is not in:\n{}", hover.markdown);
        }
    };
    holds("vote.sync.any.pred %p1, %p1, -$01;", &["`membermask` names all 32 lanes."]);
    holds("vote.sync.any.pred %p1, %p1, 0x800$0000f1;", &["`membermask` names 6 lanes: 0, 4–7, 31."]);
    holds("bar.warp.sync 0$0;", &["`membermask` names no lane."]);
    holds("shfl.sync.up.b32 %r1, %r2, 1, 0x180$00, -1;", &["- clamp: 0\n- segment mask: segments of 8 lanes"]);
    holds("bar.sync 1, 9$06;", &["`b`: 3 warps."]);
    holds(
        "ld.global.L2::cache_hint.u32 %r1, [%rd1], 0x12700000$000000000;",
        &["- first priority: `.L2::evict_first`", "first priority: 8/16"],
    );
    // The policy is in a register that has no other value.
    holds(
        "mov.b64 %rd2, 0x14F0000000000000; ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd$02;",
        &["It always holds 1508705875169116160", "- first priority: `.L2::evict_last`"],
    );
    holds(
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200$0490, %p1;",
        &["- type of D: `f32`", "- type of A: `bf16`", "- N: 128", "- M: 128"],
    );
    holds("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r$02, %p1;", &["- bits 17–22 – N / 8", "bits 24–28"]);
    holds("tensormap.replace.tile.elemtype.b1024.b32 [%rd1], 1$00;", &["`value` 10: `.bf16`."]);
}

#[test]
fn numbers_are_read_at_the_width_of_their_operand() {
    let list = |statement: &str| {
        let (_, hover) = modern(statement).unwrap_or_else(|| panic!("nothing at {statement}"));
        let lines = hover.markdown.lines().filter_map(|l| l.strip_prefix("- "));
        lines.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        list("add.s32 %r1, %r2, 0x80000$0000;"),
        "-2147483648 signed, 2147483648 unsigned; `0x80000000`; 2^31, 2 GiB if it counts bytes"
    );
    assert_eq!(list("add.u32 %r1, %r2, -1$0;"), "4294967295 unsigned, -1 signed; `0xFFFFFFFF`");
    assert_eq!(list("add.u64 %rd1, %rd2, -1$0;"), "18446744073709551615 unsigned, -1 signed; `0xFFFFFFFFFFFFFFFF`");
    assert_eq!(list("add.u32 %r1, %r2, (4$0+1)*3;"), "15; `0xF` = `0b1111`");
    assert_eq!(list("add.u32 %r1, %r2, 01$07;"), "15; `0xF` = `0b1111`, written in octal");
    assert_eq!(
        list("fma.rn.f16x2 %r1, %r2, %r3, 0x3C00$03800;").split("; ").last(),
        Some("`.f16x2`: 0.5 (low), 1.0 (high)")
    );
    assert_eq!(list("mov.f32 %f1, 0f40490$0FDB;"), "3.1415927 as `.f32`; the nearest to π");
    assert_eq!(list("mov.f32 %f1, 0f7F80$00000;"), "infinity as `.f32`");
    assert_eq!(list("mov.f32 %f1, 0.$01;"), "`0f3DCCCCCD` as `.f32`, rounded to 0.1; `0d3FB999999999999A` as `.f64`");
    let (_, hover) = hover_at(".version 8.0\n.target sm_90\n.global .b8 s[3] = { 7$02, 105, 0 };").expect("a hover");
    assert!(hover.markdown.contains("As `.b8`") && hover.markdown.contains("character `H`"), "{}", hover.markdown);
    let (_, hover) = hover_at(".version 8.0\n.target sm_90\n.global .b8 s$0[3] = { 72, 105, 0 };").expect("a hover");
    assert!(hover.markdown.contains("Text: `\"Hi\"`"), "{}", hover.markdown);
}

#[test]
fn registers_tell_what_the_flow_of_the_function_tells() {
    check(
        "mov.u32 %r1, %ctaid.x;\nL: add.u32 %r2, %r1$0, 1;\nadd.u32 %r1, %r1, %r2;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\nret;",
        &expect![[r#"
            [%r1]
            Here: `a` of `add.u32` – read: `.u32`

            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written twice, read 3 times.

            - live across 5 of 6 instructions
            - takes 1 register of 32 bits
            - uniform: the same in all threads of the CTA

            ```ptx
            mov.u32 %r1, %ctaid.x;      // writes
            add.u32 %r1, %r1, %r2;      // reads and writes
            setp.lt.u32 %p1, %r1, 100;  // reads
            ```
        "#]],
    );
    check(
        "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1$0, 1;\nst.global.u32 [%rd1], %r2;\nret;",
        &expect![[r#"
            [%r1]
            Here: `a` of `add.u32` – read: `.u32`

            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written once, read once.

            - live from one instruction to the next; this is the last use of its value
            - takes 1 register of 32 bits
            - may differ from lane to lane

            `%r1 = tid.x`

            ```ptx
            mov.u32 %r1, %tid.x;  // writes
            ```
        "#]],
    );
    check(
        "mov.u32 %r1, %laneid;\nshr.u32 %r$02, %r1, 5;\nret;",
        &expect![[r#"
            [%r2]
            Here: `d` of `shr.u32` – written: `.u32`

            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written once, never read.

            - uniform in a warp if the CTA is a multiple of 32 threads wide

            `%r2 = 0`
        "#]],
    );
    check(
        "ret;\n{ .reg .b32 unu$0sed; }",
        &expect![[r#"
        [unused]
        ```ptx
        .reg .b32 unused;
        ```

        A register; not used.
    "#]],
    );
}

#[test]
fn labels_and_functions_tell_who_goes_there() {
    check(
        "@%p1 bra DONE;\nmov.u32 %r1, 1;\nbra DONE;\nDO$0NE:\nret;",
        &expect![[r#"
        [DONE]
        ```ptx
        DONE:
        ```

        A label; branched to twice.

        ```ptx
        @%p1 bra DONE;
        bra DONE;
        ```
    "#]],
    );
    let (_, hover) = hover_at(
        ".version 8.0\n.target sm_90\n.func f$0()\n{ ret; }\n.func g() { call f; ret; }\n.entry k() { call f; call g; ret; }",
    )
    .expect("a hover");
    expect![[r#"
        ```ptx
        .func f()
        ```

        A function; called twice.

        ```ptx
        call f;  // in g
        call f;  // in k
        ```"#]]
    .assert_eq(&hover.markdown);
}
