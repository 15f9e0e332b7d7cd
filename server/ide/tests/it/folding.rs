//! Folding ranges.

use expect_test::{Expect, expect};
use ptx_ide::folds;
use ptx_syntax::Snapshot;

/// Each folding range with its lines, and the first and last text that it hides.
fn check(text: &str, expected: &Expect) {
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    let short = |part: &str| part.trim().lines().next().unwrap_or("").to_owned();
    let mut out = String::new();
    for fold in folds(&Snapshot::new(text)) {
        let hidden = &text[fold.range.clone()];
        let last = hidden.trim_end().lines().last().unwrap_or("").trim();
        let kind = format!("{:?}", fold.kind);
        let (first, end) = (line(fold.range.start), line(fold.range.end));
        let closed = if fold.closed { ", closed" } else { "" };
        out.push_str(&format!("{kind:<12} {first}–{end}{closed}: {} … {last}\n", short(hidden)));
    }
    expected.assert_eq(&out);
}

#[test]
fn a_module() {
    check(
        "// One.\n// Two.\n// Three.\n.version 8.5 // behind\n// alone\n.target sm_90\n.address_size 64\n\
         .file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.file 3 \"c.cu\"\n\n\
         .global .b32 a;\n.global .b32 b;\n.global .b32 c[2] = {\n  1,\n  2\n};\n/* A\n   long one. */\n\
         .visible .entry k(\n  .param .u64 p,\n  .param .u64 q\n)\n.maxntid 1\n{\n  .reg .b32 %r<2>;\n  .reg .b32 %s<2>;\n  .reg .b32 %t<2>;\n\
         // in\n// the body\n  mov.u32 %r1,\n    1;\nL:\n  mov.u32 %r1, 1;\n  mov.u32 %r1, 2;\n  {\n    mov.u32 %r1, 3;\n  }\nM:\n  bra M;\n  ret;\n}\n\
         .section .debug_info\n{\n.b8 1\n.b8 2\n}\n",
        &expect![[r#"
            Comment      1–3: // Two. … // Three.
            Data         8–10: .file 2 "b.cu" … .file 3 "c.cu"
            Declarations 12–17: .global .b32 b; … };
            Code         14–17: 1, … };
            Comment      18–19: long one. … long one.
            Function     20–42, closed: .param .u64 p, … ret;
            Code         20–23, closed: .param .u64 p, … .param .u64 q
            Code         24–42, closed: { … ret;
            Declarations 26–28: .reg .b32 %s<2>; … .reg .b32 %t<2>;
            Comment      29–30: // the body … // the body
            Code         31–32: 1; … 1;
            Label        33–38: mov.u32 %r1, 1; … }
            Code         36–38, closed: mov.u32 %r1, 3; … mov.u32 %r1, 3;
            Label        39–41: bra M; … ret;
            Data         44–47, closed: .b8 1 … .b8 2
        "#]],
    );
}

#[test]
fn regions_and_conditions() {
    check(
        "//#region outer\n.version 8.5\n// #region inner\n.target sm_90\n// #endregion\n#if A\n#ifdef B\n.address_size 64\n#endif\n#endif\n\
         //#endregion\n//#endregion\n// #region open\n",
        &expect![[r#"
            Region       1–11: .version 8.5 … //#endregion
            Region       3–5: .target sm_90 … // #endregion
            Region       6–10: #ifdef B … #endif
            Region       7–9: .address_size 64 … #endif
        "#]],
    );
}

#[test]
fn what_stands_in_one_line_is_not_folded() {
    check(
        ".version 8.5\n.target sm_90\n.func f() { ret; }\n// one\n\n// two\n.global .b32 a;\n.global .b32 b;\n",
        &expect![[""]],
    );
}

#[test]
fn broken_text() {
    check(
        ".version 8.5\n.entry k()\n{\nL:\n  ret;\n  ret;\n.entry l()\n{\n  ret;\n",
        &expect![[r#"
        Label        4–9: ret; … ret;
    "#]],
    );
    check(
        "/* never\nclosed",
        &expect![[r#"
        Comment      1–2: closed … closed
    "#]],
    );
    check("", &expect![[""]]);
}

#[test]
fn other_ends_of_lines() {
    check(
        ".version 8.5\r\n.func f()\r\n{\r\nret;\r\nret;\r\n}\r\n",
        &expect![[r#"
        Function     2–6, closed: { … ret;
    "#]],
    );
    // For editors, a single carriage return ends a line; for the parser it does not.
    check(
        "// a\r// b\r\n.func f()\n{\nret;\n}\n",
        &expect![[r#"
        Function     2–5, closed: { … ret;
    "#]],
    );
}
