//! Semantic tokens.

use expect_test::{Expect, expect, expect_file};
use ptx_ide::{HighlightToken, TokenKind, TokenModifiers, semantic_tokens};
use ptx_syntax::Snapshot;
use std::fmt::Write;
use std::path::Path;

/// The tokens of each line: the word, its kind and what else is said of it.
fn render(text: &str, tokens: &[HighlightToken]) -> String {
    let mut out = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let of_line: Vec<String> = tokens
            .iter()
            .filter(|t| start <= t.range.start && t.range.start < end)
            .map(|t| {
                let mut word = format!("{} {}", &text[t.range.clone()], t.kind.name());
                for (_, name, _) in TokenModifiers::ALL.iter().filter(|(m, ..)| t.modifiers.contains(*m)) {
                    let _ = write!(word, ".{name}");
                }
                word
            })
            .collect();
        if !of_line.is_empty() {
            let _ = writeln!(out, "{}", of_line.join(" | "));
        }
        start = end;
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&render(text, &semantic_tokens(&Snapshot::new(text), None)));
}

#[test]
fn a_kernel() {
    check(
        "\
.version 8.5
.target sm_90, texmode_independent
.address_size 64
#define N 4
.const .align 4 .f32 table[4] = { 1.0, 0f3F800000, N, 2 };
.extern .func (.param .b32 r) f(.param .b32 a);
.visible .entry k(.param .u64 .ptr .global out, .param .u32 n) // a kernel
.maxntid 128, 1, 1
{
    .reg .pred %p<2>; .reg .b32 %r<9>, x; .reg .f32 %f<5>; .reg .b64 %rd<3>;
    .shared .align 8 .b64 bar;
    .param .b32 p0;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    @!%p1 bra $DONE;
    setp.lt.and.s32 %p1|%p0, %r1, WARP_SZ, !%p1;
    ld.const.v2.f32 {%f1, %f2}, [table+4*2];
    fma.rn.ftz.f32 %f1, %f2, -1.5, %f3;
    call (p0), f, (p0);
    mbarrier.init.shared.b64 [bar], 1;
$DONE:
    ret;
}
",
        &expect![[r#"
            .version keyword | 8.5 number
            .target keyword | sm_90 enumMember | texmode_independent enumMember
            .address_size keyword | 64 number
            #define N 4 macro
            .const stateSpace | .align keyword | 4 number | .f32 type.defaultLibrary | table variable.declaration.readonly.float | 4 number | 1.0 number | 0f3F800000 number | N variable | 2 number
            .extern keyword | .func keyword | .param stateSpace | .b32 type.defaultLibrary | r parameter.declaration | f function.declaration | .param stateSpace | .b32 type.defaultLibrary | a parameter.declaration
            .visible keyword | .entry keyword | k function.declaration.definition | .param stateSpace | .u64 type.defaultLibrary | .ptr keyword | .global stateSpace | out parameter.declaration.readonly | .param stateSpace | .u32 type.defaultLibrary | n parameter.declaration.readonly | // a kernel comment
            .maxntid keyword | 128 number | 1 number | 1 number
            .reg stateSpace | .pred type.defaultLibrary | %p predicate.declaration | 2 number | .reg stateSpace | .b32 type.defaultLibrary | %r register.declaration | 9 number | x register.declaration | .reg stateSpace | .f32 type.defaultLibrary | %f register.declaration.float | 5 number | .reg stateSpace | .b64 type.defaultLibrary | %rd register.declaration.wide | 3 number
            .shared stateSpace | .align keyword | 8 number | .b64 type.defaultLibrary | bar variable.declaration
            .param stateSpace | .b32 type.defaultLibrary | p0 variable.declaration
            ld opcode | .param stateSpace | .u64 type.defaultLibrary | %rd1 register.modification.wide | out parameter.readonly
            mov opcode | .u32 type.defaultLibrary | %r1 register.modification | %tid specialRegister.readonly.defaultLibrary | .x property
            @ operator | ! operator | %p1 predicate | bra opcode.controlFlow | $DONE label
            setp opcode | .lt modifier | .and modifier | .s32 type.defaultLibrary | %p1 predicate.modification | | operator | %p0 predicate.modification | %r1 register | WARP_SZ variable.readonly.defaultLibrary | ! operator | %p1 predicate
            ld opcode | .const stateSpace | .v2 modifier | .f32 type.defaultLibrary | %f1 register.modification.float | %f2 register.modification.float | table variable.readonly.float | + operator | 4 number | * operator | 2 number
            fma opcode | .rn modifier | .ftz modifier | .f32 type.defaultLibrary | %f1 register.modification.float | %f2 register.float | - operator | 1.5 number | %f3 register.float
            call opcode.controlFlow | p0 variable.modification | f function | p0 variable
            mbarrier opcode | .init modifier | .shared stateSpace | .b64 type.defaultLibrary | bar variable | 1 number
            $DONE label.declaration
            ret opcode.controlFlow
        "#]],
    );
}

#[test]
fn what_the_module_has_not_got() {
    check(
        "\
.version 6.0
.target sm_60
.entry k()
.maxclusterrank 8
{
    .reg .b32 %r<4>; .reg .pred p; .reg .b16 h;
    atom.shared::cluster.add.u32 %r1, [%r2], 1;
    atom.shared.add.u32 %r1, [%r2], 1;
    ex2.approx.ftz.bf16x2 %r1, %r2;
    tanh.approx.f32 %r1, %r2;
    mov.u32 %r1, %clusterid.x;
    shfl.idx.b32 %r1|p, %r2, 0, 31;
    vote.ballot.b32 %r1, p;
    frobnicate.u32 %r1, undeclared;
}
",
        &expect![[r#"
            .version keyword | 6.0 number
            .target keyword | sm_60 enumMember
            .entry keyword | k function.declaration.definition
            .maxclusterrank keyword.unavailable | 8 number
            .reg stateSpace | .b32 type.defaultLibrary | %r register.declaration | 4 number | .reg stateSpace | .pred type.defaultLibrary | p predicate.declaration | .reg stateSpace | .b16 type.defaultLibrary | h register.declaration
            atom opcode | .shared::cluster stateSpace.unavailable | .add modifier | .u32 type.defaultLibrary | %r1 register.modification | %r2 register | 1 number
            atom opcode | .shared stateSpace | .add modifier | .u32 type.defaultLibrary | %r1 register.modification | %r2 register | 1 number
            ex2 opcode.unavailable | .approx modifier | .ftz modifier | .bf16x2 type.defaultLibrary | %r1 register.modification | %r2 register
            tanh opcode.unavailable | .approx modifier | .f32 type.defaultLibrary | %r1 register.modification | %r2 register
            mov opcode | .u32 type.defaultLibrary | %r1 register.modification | %clusterid specialRegister.readonly.defaultLibrary.unavailable | .x property
            shfl opcode.deprecated | .idx modifier | .b32 type.defaultLibrary | %r1 register.modification | | operator | p predicate.modification | %r2 register | 0 number | 31 number
            vote opcode.deprecated | .ballot modifier | .b32 type.defaultLibrary | %r1 register.modification | p predicate
            frobnicate opcode | .u32 type.defaultLibrary | %r1 register | undeclared variable
        "#]],
    );
}

#[test]
fn names_by_their_scope() {
    check(
        "\
.version 8.0
.target sm_80
.global .u32 x;
.func f(.reg .f64 x)
{
    .reg .b32 %r<3>;
    mov.b64 %rd, x;
    {
        .reg .pred x;
        @x mov.b32 %r2, %r3;
        { .reg .b16 %r<4>; mov.b16 %r3, %r2; }
    }
    mov.b64 %rd, x;
L:  T: .branchtargets L, T;
    brx.idx %r1, T;
    C: .calltargets f;
    .pragma \"nounroll\";
    .loc 1 2 3
}
.func g() { mov.u32 %r, x; }
.alias h, f;
.section .debug_info { .b32 L+4, 7 }
",
        &expect![[r#"
            .version keyword | 8.0 number
            .target keyword | sm_80 enumMember
            .global stateSpace | .u32 type.defaultLibrary | x variable.declaration
            .func keyword | f function.declaration.definition | .reg stateSpace | .f64 type.defaultLibrary | x register.declaration.float.wide
            .reg stateSpace | .b32 type.defaultLibrary | %r register.declaration | 3 number
            mov opcode | .b64 type.defaultLibrary | %rd register.modification | x register.float.wide
            .reg stateSpace | .pred type.defaultLibrary | x predicate.declaration
            @ operator | x predicate | mov opcode | .b32 type.defaultLibrary | %r2 register.modification | %r3 register
            .reg stateSpace | .b16 type.defaultLibrary | %r register.declaration | 4 number | mov opcode | .b16 type.defaultLibrary | %r3 register.modification | %r2 register
            mov opcode | .b64 type.defaultLibrary | %rd register.modification | x register.float.wide
            L label.declaration | T label.declaration | .branchtargets keyword | L label | T label
            brx opcode.controlFlow | .idx modifier | %r1 register | T label
            C label.declaration | .calltargets keyword | f function
            .pragma keyword | "nounroll" string
            .loc keyword | 1 number | 2 number | 3 number
            .func keyword | g function.declaration.definition | mov opcode | .u32 type.defaultLibrary | %r register.modification | x variable
            .alias keyword | h function.declaration | f function
            .section keyword | .debug_info namespace | .b32 type.defaultLibrary | L variable | + operator | 4 number | 7 number
        "#]],
    );
}

#[test]
fn half_typed() {
    check(
        ".entry k() {\n.reg .b32 %r<3>;\nadd. %r1\nmov.b32 %r1\nld.global [%r\n.reg .pred\n@ bra \n",
        &expect![[r#"
            .entry keyword | k function.declaration.definition
            .reg stateSpace | .b32 type.defaultLibrary | %r register.declaration | 3 number
            add opcode | . modifier | %r1 register
            mov opcode | .b32 type.defaultLibrary | %r1 register.modification
            ld opcode | .global stateSpace | %r register
            .reg stateSpace | .pred type.defaultLibrary
            @ operator | bra variable
        "#]],
    );
}

/// The kinds of the tokens in a statement that is typed at the end of a kernel, with `behind` after it.
fn kinds_while_typing(statement: &str, behind: &str) -> Vec<(String, TokenKind)> {
    let before = ".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 out)\n{\n    .reg .pred %p<3>; .reg .f32 %f<3>; \
                  .reg .b32 %r<4>; .reg .b64 %rd<2>;\nL:\n    ld.param.u64 %rd1, [out];\n    ";
    let text = format!("{before}{statement}{behind}");
    let statement = before.len()..before.len() + statement.len();
    let tokens = semantic_tokens(&Snapshot::new(&text), None);
    let own = tokens.iter().filter(|t| statement.start <= t.range.start && t.range.end <= statement.end);
    own.map(|t| (text[t.range.clone()].to_owned(), t.kind)).collect()
}

#[test]
fn an_unfinished_statement_keeps_its_colours() {
    let statements = [
        "ld.global.v2.f32 {%f1, %f2}, [%rd1+16];",
        "@%p1 bra.uni L;",
        "@!%p2 add.s32 %r1, %r2, 7;",
        "setp.lt.and.s32 %p1|%p2, %r1, %r2, %p1;",
        "mov.u32 %r1, %tid.x;",
        "ld.param.u64 %rd1, [out];",
        "fma.rn.ftz.f32 %f1, %f2, 1.5, %f1;",
    ];
    let follows = ["", "\n", "\n}\n", "\n    add.f32 %f1, %f1, %f1;\n    ret;\n}\n"];
    for statement in statements {
        let finished = kinds_while_typing(statement, "\n}\n");
        assert!(finished.len() > 3, "{finished:?}");
        for end in 1..statement.len() {
            let typed = &statement[..end];
            for behind in follows {
                let found = kinds_while_typing(typed, behind);
                // The last word may still change, so compare only the others.
                let whole = finished.iter().zip(&found).take(found.len().saturating_sub(1));
                for (wanted, got) in whole {
                    assert_eq!(wanted, got, "{typed:?} before {behind:?}: {found:?}");
                }
                let words =
                    typed.split(|c: char| c.is_whitespace() || ",.;{}[]|+".contains(c)).filter(|w| !w.is_empty());
                assert!(found.len() + 2 >= words.count(), "{typed:?} before {behind:?}: {found:?}");
            }
        }
    }
}

#[test]
fn an_opcode_alone_and_a_dot() {
    let kinds = |typed, behind| kinds_while_typing(typed, behind).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
    for behind in ["", "\n", "\n}\n", "\n    ret;\n}\n"] {
        assert_eq!(kinds("ld.", behind), [TokenKind::Opcode, TokenKind::Modifier], "{behind:?}");
        assert_eq!(kinds("@%p1 ld.", behind)[2..], [TokenKind::Opcode, TokenKind::Modifier], "{behind:?}");
        assert_eq!(kinds("ld", behind), [TokenKind::Opcode], "{behind:?}");
    }
    // The line after an unfinished operand is not part of it.
    let behind = "\n    add.f32 %f1, %f1, %f1;\n    ret;\n}\n";
    let text = format!(".entry k() {{\n    .reg .f32 %f<3>; .reg .pred %p<3>;\n    setp.lt.s32 %p1|{behind}");
    let tokens = render(&text, &semantic_tokens(&Snapshot::new(&text), None));
    assert!(tokens.contains("add opcode | .f32 type"), "{tokens}");
}

#[test]
fn the_lines_of_a_launch_are_left_to_the_grammar() {
    check(
        "//! launch: grid=1 x=f32[64]:iota\n// a remark\nret;\n",
        &expect![[r#"
            // a remark comment
            ret opcode.controlFlow
        "#]],
    );
}

/// The PTX of all hand-written kernels.
fn kernels() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    files.sort();
    files.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
}

/// A function so long that text far before the visible part is not read; it has names from all parts.
fn long() -> String {
    let mut out = String::from(
        ".version 8.0\n.target sm_80\n.global .u32 table[4];\n.func f(.reg .b32 a);\n.entry k(.param .u64 p)\n{\n\
         .reg .pred %p<9>, q;\n.reg .f64 %fd<2000>;\n.shared .b8 near[16];\nstart:\n",
    );
    for i in 0..1500 {
        out.push_str(&format!(
            "{{ .reg .b16 q, %h<3>; mov.b16 q, %h2; @%p1 bra start; }}\nadd.f64 %fd{i}, %fd1, near{i};\n"
        ));
        out.push_str(
            "@q bra end;\nld.param.u64 %rd, [p];\nld.shared.u8 %x, [near];\nmov.u64 %y, table;\ncall f, (1);\n",
        );
    }
    out.push_str("end: ret;\n}\n");
    out
}

#[test]
fn a_part_has_the_tokens_that_the_whole_has_there() {
    let kernels = kernels();
    assert!(kernels.len() > 3);
    for text in kernels.into_iter().chain([long()]) {
        let snapshot = Snapshot::new(&text);
        let all = semantic_tokens(&snapshot, None);
        let lines: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        for (i, start) in lines.iter().enumerate().step_by(if lines.len() > 5000 { 997 } else { 7 }) {
            let end = lines.get(i + 20).copied().unwrap_or(text.len());
            let touched = |t: &&HighlightToken| t.range.start < end && t.range.end > *start;
            let expected: Vec<HighlightToken> = all.iter().filter(touched).cloned().collect();
            let found = semantic_tokens(&snapshot, Some(*start..end));
            assert_eq!(render(&text, &found), render(&text, &expected), "{start}..{end}");
        }
    }
}

#[test]
fn tokens_are_in_order_and_words_of_kernels_have_one() {
    for text in kernels() {
        let tokens = semantic_tokens(&Snapshot::new(&text), None);
        assert!(tokens.windows(2).all(|t| t[0].range.end <= t[1].range.start));
        // Text without a token consists of blanks, punctuation, and the sink `_`.
        let mut at = 0;
        for token in &tokens {
            let between = &text[at..token.range.start];
            let between: String = between.lines().map(|line| line.split("//!").next().unwrap()).collect();
            assert!(!between.contains(|c: char| c.is_ascii_alphanumeric()), "{between:?}");
            at = token.range.end;
        }
    }
}

/// `UPDATE_EXPECT=1 cargo test -p ptx-ide` writes the page.
#[test]
fn the_legend_is_in_the_documents() {
    let mut page = String::from(
        "# Semantic tokens\n\nThe server reports the kind of each word, so that editors can colour it (`textDocument/semanticTokens`). This page is \
         generated from the legend.\n\nThe protocol does not define the kinds in bold. If your theme does not know them, set \
         `semanticTokens.standardOnly`:\nthe server then reports the kind in the last column. The [plugin for \
         Neovim](../editors/neovim/README.md) links each kind to a group of its own.\n\n| kind | meaning | standard kind |\n|---|---|---|\n",
    );
    for kind in TokenKind::ALL {
        let (name, standard) = (kind.name(), kind.standard());
        let own = standard != *kind;
        let mark = if own { "**" } else { "" };
        let _ = writeln!(
            page,
            "| {mark}`{name}`{mark} | {} | {} |",
            kind.describe(),
            if own { format!("`{}`", standard.name()) } else { String::new() }
        );
    }
    page.push_str("\n| modifier | meaning |\n|---|---|\n");
    for (_, name, says) in TokenModifiers::ALL {
        let _ = writeln!(page, "| `{name}` | {says} |");
    }
    expect_file!["../../../../docs/semantic-tokens.md"].assert_eq(&page);
}

#[test]
fn the_legend_names_each_kind_once() {
    let mut names: Vec<&str> = TokenKind::ALL.iter().map(|k| k.name()).collect();
    assert!(TokenKind::ALL.iter().enumerate().all(|(i, k)| *k as usize == i));
    assert!(TokenKind::ALL.iter().all(|k| k.standard().standard() == k.standard()));
    names.sort_unstable();
    assert!(names.windows(2).all(|n| n[0] != n[1]));
    let bits: Vec<u32> = TokenModifiers::ALL.iter().map(|(m, ..)| m.bits()).collect();
    assert!(bits.iter().enumerate().all(|(i, b)| *b == 1 << i));
}
