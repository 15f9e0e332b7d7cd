//! Hover. `$0` marks the place. The words of the tables belong to the data files: of them only the structure is tested.

use expect_test::{Expect, expect};
use ptx_ide::{Hover, hover};
use ptx_syntax::Snapshot;

fn hover_at(marked: &str) -> Option<(String, Hover)> {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let hover = hover(&Snapshot::new(&text), offset, None)?;
    Some((text[hover.range.clone()].to_owned(), hover))
}

/// Hover in the body of a small kernel.
fn in_body(statements: &str) -> Option<(String, Hover)> {
    hover_at(&format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .f32 table[64];\n\
         .visible .entry k(.param .u64 out, .param .u32 n)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n{statements}\n}}\n"
    ))
}

fn check(statements: &str, expected: &Expect) {
    let (word, hover) = in_body(statements).expect("a hover");
    expected.assert_eq(&format!("[{word}]\n{}\n", hover.markdown));
}

fn contains(statements: &str, word: &str, parts: &[&str]) {
    let (found, hover) = in_body(statements).expect("a hover");
    assert_eq!(found, word);
    for part in parts {
        assert!(hover.markdown.contains(part), "`{part}` is not in:\n{}", hover.markdown);
    }
}

#[test]
fn opcodes_show_the_form_that_is_meant() {
    contains(
        "fm$0a.rn.ftz.f32 %f1, %f2, %f3, %f1;",
        "fma.rn.ftz.f32",
        &[
            "```ptx\nfma.rn.ftz.f32 d, a, b, c;\n```",
            "- `d` = `%f1` – written: `.f32`\n- `a` = `%f2`, `b` = `%f3`, `c` = `%f1` – read: `.f32`",
            "- `.rn` – ",
            "- `.ftz` – ",
            "- could be added: `.sat`",
            "**Forms**\n\n```ptx\nfma.rnd{.ftz}{.sat}.f32 d, a, b, c\n",
            "(https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-fma)",
        ],
    );
    // Two ways to add: the types decide.
    contains("ad$0d.s32 %r1, %r2, 1;", "add.s32", &["add.s32 d, a, b;", "#integer-arithmetic-instructions-add"]);
}

#[test]
fn needs_say_whether_the_module_meets_them() {
    contains(
        "ex$02.approx.ftz.bf16x2 %r1, %r2;",
        "ex2.approx.ftz.bf16x2",
        &["- Needs PTX 7.8 and `sm_90` – **not met**: this module has PTX 7.0 and `sm_75`"],
    );
    contains("f$0ma.rn.f32 %f1, %f2, %f3, %f1;", "fma.rn.f32", &["– met: this module has PTX 7.0 and `sm_75`"]);
}

#[test]
fn an_opcode_whose_modifiers_fit_nothing_shows_its_forms() {
    contains(
        "f$0ma.rn.pred %f1, %f2, %f3, %f1;",
        "fma.rn.pred",
        &["No form of `fma` has these modifiers", "**Forms**"],
    );
    assert!(in_body("frobni$0cate %r1;").is_none());
}

#[test]
fn modifiers_show_what_could_stand_in_their_place() {
    contains(
        "fma.r$0n.f32 %f1, %f2, %f3, %f1;",
        ".rn",
        &["`.rn` – ", "**In its place**\n\n- `.rz` – ", "- `.rm` – ", "- `.rp` – "],
    );
    contains("fma.rn.f$0tz.f32 %f1, %f2, %f3, %f1;", ".ftz", &["`.ftz` – ", "may be left out"]);
    contains("ld.global.L2:$0:128B.f32 %f1, [%rd1];", ".L2::128B", &["`.L2::128B` – ", "Needs PTX 7.4 and `sm_75`"]);
    contains("ld.glo$0bal.f32 %f1, [%rd1];", ".global", &["`.shared`"]);
    // The second of two equal types is the type of the source.
    contains("add.sat.f32.f3$02 %f1, %f2, %f3;", ".f32", &["`.f32` – "]);
    contains("add.wr$0ong.f32 %f1, %f2, %f3;", ".wrong", &["`add` does not take it"]);
}

#[test]
fn registers() {
    check(
        "mov.b32 %r3, 1;\nadd.s32 %r$03, %r3, %r3;\nst.global.u32 [%rd1], %r3;",
        &expect![[r#"
            [%r3]
            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written twice, read twice.

            - live across 2 of 3 instructions
            - uniform: the same in all threads of the CTA

            Here: `d` of `add.s32` – written: `.s32`

            ```ptx
            mov.b32 %r3, 1;             // writes
            st.global.u32 [%rd1], %r3;  // reads
            ```
        "#]],
    );
    // A longer name is another register, and a comment is no use.
    check(
        "{\n.reg .f64 a, b$0;\nmov.f64 b, 0d0000000000000000; // b\nmov.f64 bb, b;\n}",
        &expect![[r#"
            [b]
            ```ptx
            .reg .f64 b;
            ```

            A register; written once, read once.

            ```ptx
            mov.f64 b, 0d0000000000000000;  // writes
            mov.f64 bb, b;                  // reads
            ```
        "#]],
    );
    check(
        ".reg .b16 %h$0<3>;",
        &expect![[r#"
            [%h]
            ```ptx
            .reg .b16 %h<3>;
            ```

            3 registers, `%h0` to `%h2`.
        "#]],
    );
    assert!(in_body("mov.b32 %r$09, 1;").is_none(), "there are eight");
}

#[test]
fn an_inner_block_hides_an_outer_name() {
    check(
        "{\n.reg .f64 %x;\n{\n.reg .b16 %x;\nmov.b16 %$0x, 1;\n}\n}",
        &expect![[r#"
            [%x]
            ```ptx
            .reg .b16 %x;
            ```

            A register; written once, never read.

            - uniform: the same in all threads of the CTA

            It always holds 1 (`0x1`).

            Here: `d` of `mov.b16` – written: `.b16`
        "#]],
    );
}

#[test]
fn labels_and_guards() {
    check(
        "@%p1 bra DO$0NE;\nDONE: ret;",
        &expect![[r#"
            [DONE]
            ```ptx
            DONE:
            ```

            A label; branched to once.

            Here: `target` of `bra` – a label. Where execution goes on.
        "#]],
    );
    check(
        "@$0!%p1 ret;",
        &expect![[r#"
            [@!%p1]
            `@!%p1`: a guard. The instruction takes effect in those threads only where `%p1` is false; the others skip it.
        "#]],
    );
    contains("@%$0p1 ret;", "%p1", &[".reg .pred %p<2>;", "`@%p1`: a guard."]);
}

#[test]
fn parameters_variables_and_functions() {
    check(
        "ld.param.u64 %rd1, [o$0ut];",
        &expect![[r#"
            [out]
            ```ptx
            .param .u64 out
            ```

            A parameter of the kernel: 8 bytes, at offset 0 of 12, aligned to 8; used once.

            Here: `a` of `ld.param.u64` – an address in `.param`, of `.u64`
        "#]],
    );
    check(
        "mov.u64 %rd1, ta$0ble;",
        &expect![[r#"
            [table]
            ```ptx
            .global .align 4 .f32 table[64];
            ```

            A variable: 256 bytes in `.global`, aligned to 4; used once.

            Here: `a` of `mov.u64` – read: `.u64`, special registers too, or the address of a variable
        "#]],
    );
    let (_, hover) = hover_at(
        ".version 8.0\n.target sm_90\n.func (.param .b32 r) f(.param .b32 a)\n.noreturn\n{ ret; }\n\
         .func g() { call (x), f$0, (y); ret; }",
    )
    .expect("a hover");
    expect![[r#"
        ```ptx
        .func (.param .b32 r) f(.param .b32 a)
        .noreturn
        ```

        A function; called once."#]]
    .assert_eq(hover.markdown.split("\n\nHere").next().unwrap_or(""));
}

#[test]
fn long_initializers_are_cut() {
    let values = "1, ".repeat(100);
    let text = format!(".version 8.0\n.target sm_90\n.global .u32 big$0[] = {{ {values} 2 }};");
    let (_, hover) = hover_at(&text).expect("a hover");
    assert!(hover.markdown.starts_with("```ptx\n.global .u32 big[] = …;\n```"), "{}", hover.markdown);
}

#[test]
fn special_registers_and_their_components() {
    contains("mov.u32 %r1, %tid.$0x;", "%tid.x", &[".sreg .u32 %tid.x;", "#special-registers-tid)"]);
    contains("mov.u32 %r1, %la$0neid;", "%laneid", &[".sreg .u32 %laneid;"]);
    contains("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ti$0d;", "%tid", &[".sreg .v4 .u32 %tid;", "`.x` `.y` `.z` `.w`"]);
}

#[test]
fn directives_types_targets_and_versions() {
    contains(".re$0g .f32 a;", ".reg", &["```ptx\n.reg ", "`.reg` – "]);
    contains(".reg .f$032 a;", ".f32", &["`.f32` – "]);
    contains(".pragma \"noun$0roll\";", "\"nounroll\"", &["pragma-strings-nounroll"]);
    let header = |marked: &str| hover_at(marked).map(|(word, hover)| (word, hover.markdown)).expect("a hover");
    let (word, text) = header(".version 8$0.5\n.target sm_90a\n");
    assert!(word == "8.5" && text.starts_with("`PTX 8.5` – "), "{text}");
    let (word, text) = header(".version 8.5\n.target sm_9$00a\n");
    assert!(
        word == "sm_90a" && text.contains("Needs PTX 8.0 – met: this module has PTX 8.5.") && text.contains("`sm_90`"),
        "{text}"
    );
    let (word, text) = header(".version 8.5\n.target sm_90a\n.entry k(.param .u64 .pt$0r .global x) .maxntid 32 { }");
    assert!(word == ".ptr" && text.starts_with("```ptx\n.ptr"), "{text}");
    let (word, text) = header(".version 8.5\n.target sm_90a\n.entry k(.param .u64 .ptr .global x) .max$0ntid 32 { }");
    assert!(word == ".maxntid" && text.contains("#performance-tuning-directives-maxntid"), "{text}");
    let (word, _) = header(".version 8.5\n.targ$0et sm_90a\n");
    assert_eq!(word, ".target");
}

#[test]
fn numbers() {
    check(
        "mov.b32 %r1, 0x3F8$000000;",
        &expect![[r#"
            [0x3F800000]
            ```ptx
            0x3F800000
            ```

            As `.b32`

            - 1065353216
            - `0x3F800000`
            - 1016 MiB if it counts bytes
            - `.f32`: 1.0

            Here: `a` of `mov.b32` – read: `.b32`, special registers too, or the address of a variable
        "#]],
    );
    check(
        "mov.b32 %r1, 42949$067295;",
        &expect![[r#"
            [4294967295]
            ```ptx
            4294967295
            ```

            As `.b32`

            - 4294967295 unsigned, -1 signed
            - `0xFFFFFFFF`

            Here: `a` of `mov.b32` – read: `.b32`, special registers too, or the address of a variable
        "#]],
    );
    check(
        "mov.f32 %f1, 0f3F8$000000;",
        &expect![[r#"
            [0f3F800000]
            ```ptx
            0f3F800000
            ```

            - 1.0 as `.f32`

            Here: `a` of `mov.f32` – read: `.f32`
        "#]],
    );
    check(
        "mov.f32 %f1, 1$0.5;",
        &expect![[r#"
            [1.5]
            ```ptx
            1.5
            ```

            As `.f32`

            - `0f3FC00000` as `.f32`
            - `0d3FF8000000000000` as `.f64`

            Here: `a` of `mov.f32` – read: `.f32`
        "#]],
    );
}

#[test]
fn the_sink() {
    check(
        "ld.global.v2.f32 {%f1, $0_}, [%rd1];",
        &expect![[r#"
            [_]
            `_` – the sink: what is written to it is dropped, and where a name is asked for, there is none.

            Here: `d` of `ld.global.v2.f32` – written: a list of 2 × `.f32` or wider
        "#]],
    );
}

#[test]
fn comments_and_punctuation_say_nothing() {
    for text in ["// fm$0a.rn", "/* %t$0id */ ret;", "ret; $0 ", "add.u32 %r1$0 , %r2, %r3;"] {
        let found = in_body(text);
        assert!(found.as_ref().is_none_or(|(word, _)| word == "%r1"), "{text}: {found:?}");
    }
}

#[test]
fn names_in_a_long_function() {
    // Long enough that its block is searched and not walked.
    let filler = "{ .reg .b16 %x; mov.b16 %x, 1; } add.u32 %r1, %r1, %h1;\n".repeat(8000);
    let body = format!(
        ".reg .u32 %h<2>, y,\n  %x;\n.shared .b32 tile[4];\n{filler}mov.u32 %x, 1;\nmov.u32 y, tile;\nmov.u32 %r7, table;\n"
    );
    let at = |word: &str| {
        let place = body.rfind(word).expect("the word");
        let marked = format!("{}$0{}", &body[..place + 1], &body[place + 1..]);
        in_body(&marked).expect("a hover").1.markdown
    };
    let starts = |word: &str, code: &str| {
        let text = at(word);
        assert!(text.starts_with(&format!("```ptx\n{code}\n```")), "{word}: {text}");
    };
    starts("%x, 1;\nmov", ".reg .u32 %x;");
    starts("tile;", ".shared .b32 tile[4];");
    starts("y, tile", ".reg .u32 y;");
    starts("%r7", ".reg .b32 %r<8>;");
    starts("table;", ".global .align 4 .f32 table[64];");
    starts("%h1", ".reg .u32 %h<2>;");
}

#[test]
fn names_in_a_module_that_breaks_off() {
    let (_, hover) = hover_at(
        ".version 8.0\n.target sm_90\n.func f() { ret; }\n.entry k(.param .u32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [$0n];\nadd.\n\
         .entry second() {\ncall f;\n",
    )
    .expect("a hover");
    assert!(hover.markdown.contains(".param .u32 n"), "{}", hover.markdown);
    let (_, hover) = hover_at(".version 8.0\n.target sm_90\n.entry k() {\nadd.\n.entry f() {\nret;\n.func g() { ret; }\n.func h() { call $0g; }")
        .expect("a hover");
    assert!(hover.markdown.starts_with("```ptx\n.func g()\n```"), "{}", hover.markdown);
}

#[test]
fn predefined_constants_and_selectors() {
    contains("add.s32 %r1, %r2, WARP$0_SZ;", "WARP_SZ", &["WARP_SZ = 32", "Lanes in a warp."]);
    contains("vadd.s32.s32.s32 %r1, %r2.b$01, %r3;", "%r2.b1", &["`.b1` of `%r2`", "---"]);
}

#[test]
fn operands_say_what_they_are_for() {
    contains(
        "sh$0fl.sync.idx.b32 %r1, %r2, %r3, %r4, -1;",
        "shfl.sync.idx.b32",
        &["- `membermask` = `-1` – ", "(read: `.u32`)"],
    );
}

/// Hover in the body of a small kernel for a target that has nearly everything.
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
    // The policy comes in a register that holds nothing else.
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
            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written twice, read 3 times.

            - live across 5 of 6 instructions
            - uniform: the same in all threads of the CTA

            Here: `a` of `add.u32` – read: `.u32`

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
        ```ptx
        .reg .b32 %r<8>;
        ```

        One of 8 registers; written once, read once.

        - live from one instruction to the next; this is the last use of its value
        - may differ from lane to lane

        Here: `a` of `add.u32` – read: `.u32`

        ```ptx
        mov.u32 %r1, %tid.x;  // writes
        ```
    "#]],
    );
    check(
        "mov.u32 %r1, %laneid;\nshr.u32 %r$02, %r1, 5;\nret;",
        &expect![[r#"
        [%r2]
        ```ptx
        .reg .b32 %r<8>;
        ```

        One of 8 registers; written once, never read.

        - uniform in a warp if the CTA is a multiple of 32 threads wide

        Here: `d` of `shr.u32` – written: `.u32`
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
