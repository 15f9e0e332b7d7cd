//! Hover. `$0` marks the cursor. The wording belongs to the data files: these tests check only the structure.

use expect_test::{Expect, expect};
use ptx_ide::{Hover, hover};
use ptx_syntax::Snapshot;

pub fn hover_at(marked: &str) -> Option<(String, Hover)> {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let hover = hover(&Snapshot::new(&text), offset, None)?;
    Some((text[hover.range.clone()].to_owned(), hover))
}

/// Hover in the body of a small kernel.
pub fn in_body(statements: &str) -> Option<(String, Hover)> {
    hover_at(&format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .f32 table[64];\n\
         .visible .entry k(.param .u64 out, .param .u32 n)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n{statements}\n}}\n"
    ))
}

pub fn check(statements: &str, expected: &Expect) {
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
            "```ptx\nfma.rn.ftz{.sat}.f32 d, a, b, c;\n%f1 = %f2 * %f3 + %f1\n```",
            "- `d` = `%f1` – written: `.f32`\n- `a` = `%f2`, `b` = `%f3`, `c` = `%f1` – read: `.f32`",
            "- `.rn` – ",
            "- `.ftz` – ",
            " other forms: `ptx-analyzer explain fma` · [`fma` in the PTX manual]",
            "(https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-fma)",
        ],
    );
    // Two instructions have this opcode: the types decide.
    contains("ad$0d.s32 %r1, %r2, 1;", "add.s32", &["add.s32 d, a, b;", "#integer-arithmetic-instructions-add"]);
}

#[test]
fn needs_say_whether_the_module_meets_them() {
    contains(
        "ex$02.approx.ftz.bf16x2 %r1, %r2;",
        "ex2.approx.ftz.bf16x2",
        &["Needs PTX 7.8 and `sm_90` – **not met**: this module has PTX 7.0 and `sm_75`."],
    );
    let (_, hover) = in_body("f$0ma.rn.f32 %f1, %f2, %f3, %f1;").expect("a hover");
    assert!(!hover.markdown.contains("Needs"), "{}", hover.markdown);
}

#[test]
fn an_opcode_whose_modifiers_fit_nothing_shows_its_forms() {
    contains(
        "f$0ma.rn.pred %f1, %f2, %f3, %f1;",
        "fma.rn.pred",
        &["No form of `fma` has these modifiers", "other forms"],
    );
    assert!(in_body("frobni$0cate %r1;").is_none());
}

#[test]
fn a_dot_without_its_word_shows_the_forms_that_are_left() {
    let (word, hover) = in_body("mul.wide.$0. %rd1, %r1, %r2;").expect("a hover");
    assert_eq!(word, ".");
    assert!(!hover.markdown.contains("does not take"), "{}", hover.markdown);
    assert!(hover.markdown.contains("mul.wide{") || hover.markdown.contains("mul.wide."), "{}", hover.markdown);
}

#[test]
fn modifiers_show_what_could_stand_in_their_place() {
    contains(
        "fma.r$0n.f32 %f1, %f2, %f3, %f1;",
        ".rn",
        &["`.rn` – ", "**Alternatives**\n\n- `.rz` – ", "- `.rm` – ", "- `.rp` – "],
    );
    contains("fma.rn.f$0tz.f32 %f1, %f2, %f3, %f1;", ".ftz", &["`.ftz` – ", "It is optional."]);
    contains("ld.global.L2:$0:128B.f32 %f1, [%rd1];", ".L2::128B", &["`.L2::128B` – ", "Needs PTX 7.4 and `sm_75`"]);
    contains("ld.glo$0bal.f32 %f1, [%rd1];", ".global", &["`.shared`"]);
    // The second of two equal types is the source type.
    contains("add.sat.f32.f3$02 %f1, %f2, %f3;", ".f32", &["`.f32` – "]);
    contains("add.wr$0ong.f32 %f1, %f2, %f3;", ".wrong", &["`add` does not take it"]);
}

#[test]
fn registers() {
    check(
        "mov.b32 %r3, 1;\nadd.s32 %r$03, %r3, %r3;\nst.global.u32 [%rd1], %r3;",
        &expect![[r#"
            [%r3]
            Here: `d` of `add.s32` – written: `.s32`

            ```ptx
            .reg .b32 %r<8>;
            ```

            One of 8 registers; written twice, read twice.

            - live across 2 of 3 instructions
            - takes 1 register of 32 bits
            - uniform: the same in all threads of the CTA

            `%r3 = 2`

            ```ptx
            mov.b32 %r3, 1;             // writes
            st.global.u32 [%rd1], %r3;  // reads
            ```
        "#]],
    );
    // A longer name is a different register, and a comment is not a use.
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
            Here: `d` of `mov.b16` – written: `.b16`

            ```ptx
            .reg .b16 %x;
            ```

            A register; written once, never read.

            - uniform: the same in all threads of the CTA

            It always holds 1 (`0x1`).
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

            Here: `target` of `bra` – Where execution continues (a label)
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
            Here: `a` of `ld.param.u64` – Where the value is (an address in `.param`, of `.u64`)

            ```ptx
            .param .u64 out
            ```

            A parameter of the kernel: 8 bytes, at offset 0 of 12, aligned to 8; used once.
        "#]],
    );
    check(
        "mov.u64 %rd1, ta$0ble;",
        &expect![[r#"
            [table]
            Here: `a` of `mov.u64` – read: `.u64`, or a special register, or the address of a variable

            ```ptx
            .global .align 4 .f32 table[64];
            ```

            A variable: 256 bytes in `.global`, aligned to 4; used once.
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
    assert!(word == "sm_90a" && !text.contains("Needs") && text.contains("`sm_90`"), "{text}");
    let (word, text) = header(".version 8.5\n.target sm_90a\n.entry k(.param .u64 .pt$0r .global x) .maxntid 32 { }");
    assert!(word == ".ptr" && text.starts_with("```ptx\n.ptr"), "{text}");
    let (word, text) = header(".version 8.5\n.target sm_90a\n.entry k(.param .u64 .ptr .global x) .max$0ntid 32 { }");
    assert!(word == ".maxntid" && text.contains("#performance-tuning-directives-maxntid"), "{text}");
    let (word, _) = header(".version 8.5\n.targ$0et sm_90a\n");
    assert_eq!(word, ".target");
}

#[test]
fn types_say_whose_they_are() {
    let found = |statement: &str, word: &str| {
        let text = format!(
            ".version 9.1\n.target sm_90a\n.address_size 64\n.entry k() {{\n.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; \
             .reg .pred %p<9>;\n{statement}\n}}\n"
        );
        let at = text.rfind(word).expect("the word") + 1;
        hover(&Snapshot::new(&text), at, None).expect("a hover").markdown
    };
    let cvt = "cvt.rn.f32.s64 %f1, %rd1;";
    assert!(found(cvt, ".s64").contains("Here: the type of `a`."), "{}", found(cvt, ".s64"));
    assert!(found(cvt, ".f32.").contains("Here: the type of `d`."), "{}", found(cvt, ".f32."));
    let mma = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8};";
    assert!(found(mma, ".f32 ").contains("Here: the type of `c`."), "{}", found(mma, ".f32 "));
    assert!(found(mma, ".bf16.bf16").contains("Here: the type of `a`."), "{}", found(mma, ".bf16.bf16"));
    assert!(found("setp.lt.s32 %p1, %r1, %r2;", ".s32").contains("Here: the type of `a` and `b`."));
}

#[test]
fn what_a_modifier_means_elsewhere_is_not_told() {
    let text = ".version 9.1\n.target sm_90a\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n\
                atom.global.inc.u32 %r1, [%rd1], %r2;\n}\n";
    let snapshot = Snapshot::new(text);
    let modifier = hover(&snapshot, text.find(".inc").expect("it") + 1, None).expect("a hover").markdown;
    assert!(modifier.starts_with("`.inc` – Adds one; an old value of `b` or more becomes 0."), "{modifier}");
    let whole = hover(&snapshot, text.find("atom").expect("it"), None).expect("a hover").markdown;
    // The address shows the state space and the result shows the operation, so the text repeats neither.
    assert!(
        !whole.contains("`.global` –") && !whole.contains("d op b") && whole.contains("an address in `.global`"),
        "{whole}"
    );
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

            Here: `a` of `mov.b32` – read: `.b32`, or a special register, or the address of a variable
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

            Here: `a` of `mov.b32` – read: `.b32`, or a special register, or the address of a variable
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
            `_` – the sink: a value written to it is discarded; in place of a name, it means that there is none.

            Here: `d` of `ld.global.v2.f32` – Where the value goes (written: a list of 2 × `.f32` or wider)
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
    // The block is so long that the lookup searches it instead of walking it.
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
        // What the instruction makes of a register comes before its declaration, and first that it is not built.
        let mut declaration = text.as_str();
        while let Some((_, rest)) = declaration.split_once("\n\n").filter(|(first, _)| first.starts_with("Here: ")) {
            declaration = rest;
        }
        assert!(declaration.starts_with(&format!("```ptx\n{code}\n```")), "{word}: {text}");
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

#[test]
fn only_what_is_about_the_statement_is_shown() {
    let text = |statements: &str| in_body(statements).expect("a hover").1.markdown;
    let fma = text("f$0ma.rn.f32 %f1, %f2, %f3, %f1;");
    assert!(!fma.contains("f32x2") && !fma.contains("bf16") && fma.lines().count() < 25, "{fma}");
    let cvt = text("cv$0t.rn.f32.s64 %f1, %rd1;");
    assert!(!cvt.contains("e4m3") && !cvt.contains("tf32"), "{cvt}");
}

#[test]
fn the_whole_chapter_is_a_link_away() {
    let (_, hover) = in_body("f$0ma.rn.f32 %f1, %f2, %f3, %f1;").expect("a hover");
    let explained = hover.explained.clone().expect("a pointer");
    assert_eq!(explained.query, "fma");
    assert!(hover.markdown.contains(&explained.words()), "{}", hover.markdown);
    let linked = hover.linked("ptx-analyzer.explain");
    let link = format!(
        "[{}](command:ptx-analyzer.explain?%5B%7B%22query%22%3A%22fma%22%2C%22show%22%3Atrue%7D%5D)",
        explained.title
    );
    assert!(linked.contains(&link) && !linked.contains("`ptx-analyzer explain"), "{linked}");
}

#[test]
fn half_a_statement_shows_what_can_still_be_reached() {
    contains("set$0p.lt %p1, %r1, %r2;", "setp.lt", &["setp.cmp", "Compares", "other forms"]);
    let (_, hover) = in_body("mm$0a").expect("a hover");
    assert!(hover.markdown.lines().filter(|l| l.starts_with("mma.")).count() <= 5, "{}", hover.markdown);
}

#[test]
fn a_modifier_may_be_left_out_where_the_checks_say_so() {
    let text = |statements: &str| in_body(statements).expect("a hover").1.markdown;
    let needed = text("setp.lt.an$0d.s32 %p1, %r1, %r2, %p0;");
    assert!(!needed.contains("optional") && !needed.contains("ithout it"), "{needed}");
    let free = text("ld.glo$0bal.f32 %f1, [%rd1];");
    assert!(free.contains("It is optional."), "{free}");
    // What it means to leave it out is said where that is another value.
    let stronger = text("fence.s$0c.gpu;");
    assert!(stronger.contains("Without it: `.acq_rel` – "), "{stronger}");
    let usual = text("fence.acq_$0rel.gpu;");
    assert!(usual.contains("It is the default, and may be left out."), "{usual}");
}

#[test]
fn alternatives_to_a_type_are_those_that_the_operands_allow() {
    let text = |statements: &str| in_body(statements).expect("a hover").1.markdown;
    let integer = text("add.s3$02 %r1, %r2, %r3;");
    assert!(integer.contains("Alternatives: `.u32`\n") || integer.ends_with("Alternatives: `.u32`"), "{integer}");
    assert!(!text("add.f3$02 %f1, %f2, %f3;").contains("Alternatives"));
    // A gate that depends on a vector says nothing about a scalar.
    assert!(!text("ld.global.f3$02 %f1, [%rd1];").contains("`.v8`"));
}
