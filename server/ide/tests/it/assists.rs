//! Assists: rewrites of the code at the cursor.

use crate::robust::Random;
use expect_test::{Expect, expect};
use ptx_analysis::{Analyzer, Severity};
use ptx_ide::{Assist, apply, assists, canonical_order};
use ptx_syntax::Snapshot;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = ".version 8.8\n.target sm_100a\n.address_size 64\n.global .align 16 .f32 table[8];\n\
    .visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n";
const TAIL: &str = "\nret;\n}\n";

fn errors(text: &str) -> Vec<(&'static str, String)> {
    let report = Analyzer::default().analyze(&Snapshot::new(text));
    report
        .diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| (d.code().name(), d.message()))
        .collect()
}

/// The assists at the mark in some statements, and the statements after each assist.
fn check(body: &str, expected: &Expect) {
    let text = format!("{HEAD}{body}{TAIL}");
    let start = text.find('¦').unwrap();
    let end = text.rfind('¦').unwrap().max(start + 2) - 2;
    let text = text.replace('¦', "");
    assert_eq!(errors(&text), vec![], "the sample itself");
    let found = assists(&Snapshot::new(&text), start..end.max(start));
    let mut out = String::new();
    for Assist { id, title, edits, disabled, .. } in &found {
        writeln!(out, "{id}: {title}").unwrap();
        if let Some(reason) = disabled {
            assert!(edits.is_empty());
            writeln!(out, "  no: {reason}").unwrap();
            continue;
        }
        let after = apply(&text, edits);
        assert_eq!(errors(&after), vec![], "{title}\n{after}");
        let part = after.strip_prefix(HEAD).and_then(|a| a.strip_suffix(TAIL)).unwrap_or(&after);
        part.lines().for_each(|line| writeln!(out, "  {line}").unwrap());
    }
    expected.assert_eq(&out);
}

#[test]
fn integers() {
    check(
        "add.s32 %r1, %r2, ¦255;",
        &expect![[r#"
            convert-immediate: Write `0xFF`
              add.s32 %r1, %r2, 0xFF;
            convert-immediate: Write `0b11111111`
              add.s32 %r1, %r2, 0b11111111;
            swap-operands: Exchange `%r2` and `255`
              add.s32 %r1, 255, %r2;
        "#]],
    );
    check(
        "add.s32 %r1, %r2, -¦1;",
        &expect![[r#"
            convert-immediate: Write `-0x1`
              add.s32 %r1, %r2, -0x1;
            convert-immediate: Write `-0b1`
              add.s32 %r1, %r2, -0b1;
            convert-immediate: Write `0xFFFFFFFF`
              add.s32 %r1, %r2, 0xFFFFFFFF;
            swap-operands: Exchange `%r2` and `-1`
              add.s32 %r1, -1, %r2;
        "#]],
    );
    check(
        "add.u32 %r1, %r2, 0xFFFFFFF0¦;",
        &expect![[r#"
            convert-immediate: Write `4294967280`
              add.u32 %r1, %r2, 4294967280;
            convert-immediate: Write `0b11111111111111111111111111110000`
              add.u32 %r1, %r2, 0b11111111111111111111111111110000;
            convert-immediate: Write `-16`
              add.u32 %r1, %r2, -16;
            swap-operands: Exchange `%r2` and `0xFFFFFFF0`
              add.u32 %r1, 0xFFFFFFF0, %r2;
        "#]],
    );
    check(
        "mov.u64 %rd1, ¦-2;",
        &expect![[r#"
        convert-immediate: Write `-0x2`
          mov.u64 %rd1, -0x2;
        convert-immediate: Write `-0b10`
          mov.u64 %rd1, -0b10;
        convert-immediate: Write `0xFFFFFFFFFFFFFFFE`
          mov.u64 %rd1, 0xFFFFFFFFFFFFFFFE;
    "#]],
    );
    check(
        "shr.u32 %r1, %r2, (¦2+1)*0x2U;",
        &expect![[r#"
        convert-immediate: Write `0x2`
          shr.u32 %r1, %r2, (0x2+1)*0x2U;
        convert-immediate: Write `0b10`
          shr.u32 %r1, %r2, (0b10+1)*0x2U;
    "#]],
    );
    check(
        "st.global.u32 [%rd1+¦16], %r1;",
        &expect![[r#"
        convert-immediate: Write `0x10`
          st.global.u32 [%rd1+0x10], %r1;
        convert-immediate: Write `0b10000`
          st.global.u32 [%rd1+0b10000], %r1;
    "#]],
    );
}

#[test]
fn floats() {
    check(
        "add.f32 %f1, %f2, ¦0f3F800000;",
        &expect![[r#"
            convert-immediate: Write `1.0`
              add.f32 %f1, %f2, 1.0;
            swap-operands: Exchange `%f2` and `0f3F800000`
              add.f32 %f1, 0f3F800000, %f2;
        "#]],
    );
    check(
        "add.f32 %f1, %f2, ¦-0.1;",
        &expect![[r#"
            convert-immediate: Write `0fBDCCCCCD`
              add.f32 %f1, %f2, 0fBDCCCCCD;
            swap-operands: Exchange `%f2` and `-0.1`
              add.f32 %f1, -0.1, %f2;
        "#]],
    );
    check(
        "add.f64 %fd1, %fd2, ¦0d3FF8000000000000;",
        &expect![[r#"
            convert-immediate: Write `1.5`
              add.f64 %fd1, %fd2, 1.5;
            swap-operands: Exchange `%fd2` and `0d3FF8000000000000`
              add.f64 %fd1, 0d3FF8000000000000, %fd2;
        "#]],
    );
    check("mov.f32 %f1, ¦0f7F800000;", &expect![[""]]);
}

#[test]
fn initializers() {
    let text = ".version 8.0\n.target sm_80\n.global .f32 a[2] = {0f3F800000, 0.25};\n.global .u8 b = 0x1F;\n";
    let titles = |at: &str| -> Vec<String> {
        assists(&Snapshot::new(text), text.find(at).unwrap()..text.find(at).unwrap())
            .into_iter()
            .map(|a| a.title)
            .collect()
    };
    assert_eq!(titles("0f3F"), ["Write `1.0`"]);
    assert_eq!(titles("0.25"), ["Write `0f3E800000`"]);
    assert_eq!(titles("0x1F"), ["Write `31`", "Write `0b11111`"]);
    assert!(titles("8.0").is_empty());
}

#[test]
fn vectors_apart() {
    check(
        "    ¦ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1+8];",
        &expect![[r#"
        expand-vector: Access each element by itself, with `ld.global.f32`
              ld.global.f32 %f1, [%rd1+8];
              ld.global.f32 %f3, [%rd1+16];
              ld.global.f32 %f4, [%rd1+20];
    "#]],
    );
    check(
        "@%p1 ¦st.shared.v2.u64 [%rd1], {%rd2, %rd3};",
        &expect![[r#"
        expand-vector: Access each element by itself, with `st.shared.u64`
          @%p1 st.shared.u64 [%rd1], %rd2;
          @%p1 st.shared.u64 [%rd1+8], %rd3;
    "#]],
    );
    check(
        "ld.global.v2.b64 {%rd1, %rd2}, ¦[%rd1+-16];",
        &expect![[r#"
        expand-vector: Access each element by itself, with `ld.global.b64`
          ld.global.b64 %rd2, [%rd1+-8];
          ld.global.b64 %rd1, [%rd1+-16];
    "#]],
    );
    check(
        "ld.global.v2.b64 {%rd1, %rd1}, ¦[%rd1];",
        &expect![[r#"
            expand-vector: Access each element by itself, with `ld.global.b64`
              no: a register is written by one element and used by another
        "#]],
    );
    check(
        "¦atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f2, %f3};",
        &expect![[r#"
            canonical-order: Write `atom.global.add.v2.f32`
              atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f2, %f3};
            expand-vector: Access each element by itself, with `atom.global.add.f32`
              no: a register is written by one element and used by another
        "#]],
    );
    check(
        "¦atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f4, %f3};",
        &expect![[r#"
            canonical-order: Write `atom.global.add.v2.f32`
              atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f4, %f3};
            expand-vector: Access each element by itself, with `atom.global.add.f32`
              atom.global.add.f32 %f1, [%rd1], %f4;
              atom.global.add.f32 %f2, [%rd1+4], %f3;
        "#]],
    );
    check(
        "ld.global.L2::cache_hint.v2.b64 ¦{%rd1, %rd2}, [%rd3], %rd1;",
        &expect![[r#"
        expand-vector: Access each element by itself, with `ld.global.L2::cache_hint.b64`
          ld.global.L2::cache_hint.b64 %rd2, [%rd3+8], %rd1;
          ld.global.L2::cache_hint.b64 %rd1, [%rd3], %rd1;
    "#]],
    );
}

#[test]
fn scalars_together() {
    let four = "¦ld.global.f32 %f1, [table];\n ld.global.f32 %f2, [table+4];\nld.global.f32 %f3, [table+8];\nld.global.f32 %f4, [table+12];\nld.global.f32 %f5, [table+16];";
    check(
        four,
        &expect![[r#"
        combine-vector: Access these 4 at once, with `ld.global.v4.f32`: the address must be a multiple of 16
          ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [table];
          ld.global.f32 %f5, [table+16];
    "#]],
    );
    check(
        "¦st.global.u32 [%rd1+4], %r1;\nst.global.u32 [%rd1+8], %r2;",
        &expect![[r#"
        combine-vector: Access these 2 at once, with `st.global.v2.u32`: the address must be a multiple of 8
          no: the offset 4 is not a multiple of 8
    "#]],
    );
    check(
        "¦ld.global.b64 %rd1, [%rd1];\nld.global.b64 %rd2, [%rd1+8];",
        &expect![[r#"
        combine-vector: Access these 2 at once, with `ld.global.v2.b64`: the address must be a multiple of 16
          no: `%rd1` would overwrite a value that is needed later
    "#]],
    );
    check("¦ld.volatile.global.b64 %rd2, [%rd1];\nld.volatile.global.b64 %rd3, [%rd1+8];", &expect![[""]]);
    check("¦ld.global.b64 %rd2, [%rd1];\n@%p1 ld.global.b64 %rd3, [%rd1+8];", &expect![[""]]);
    check("¦ld.global.b64 %rd2, [%rd1]; // a\nld.global.b64 %rd3, [%rd1+8];", &expect![[""]]);
}

#[test]
fn order_of_modifiers() {
    check(
        "add.f32.ftz.rn %f1, %f2, ¦%f3;",
        &expect![[r#"
            canonical-order: Write `add.rn.ftz.f32`
              add.rn.ftz.f32 %f1, %f2, %f3;
            name-register: Give `%f3` a name: `%f3_a`
              .version 8.8
              .target sm_100a
              .address_size 64
              .global .align 16 .f32 table[8];
              .visible .entry k(.param .u64 p)
              {
              .reg .pred %p<4>;
              .reg .b16 %h<4>;
              .reg .b32 %r<9>;
              .reg .b64 %rd<9>;
              .reg .f32 %f<9>;
              .reg .f32 %f3_a;
              .reg .f64 %fd<9>;
              add.f32.ftz.rn %f1, %f2, %f3_a;
              ret;
              }
            swap-operands: Exchange `%f2` and `%f3`
              add.f32.ftz.rn %f1, %f3, %f2;
        "#]],
    );
    check(
        "¦add.f32.rn %f1, %f2, %f3;\nld.u32.global %r1, [%rd1];\nmul.lo.u32 %r1, %r2, %r3;¦",
        &expect![[r#"
            canonical-order: Write the modifiers of 2 instructions in canonical order
              add.rn.f32 %f1, %f2, %f3;
              ld.global.u32 %r1, [%rd1];
              mul.lo.u32 %r1, %r2, %r3;
            swap-operands: Exchange `%f2` and `%f3`
              add.f32.rn %f1, %f3, %f2;
              ld.u32.global %r1, [%rd1];
              mul.lo.u32 %r1, %r2, %r3;
        "#]],
    );
    let text = format!("{HEAD}cvt.s32.rni.f32 %r1, %f1;\nadd.f32.rn %f1, %f2, %f3;\nld.global.u32 %r1, [%rd1];{TAIL}");
    assert_eq!(canonical_order(&Snapshot::new(&text), None).len(), 2);
}

#[test]
fn declarations() {
    check(
        "{ .reg .b32   ¦a, b<2>;\n.reg .b32 c;\n.reg .b16 d; }",
        &expect![[r#"
        split-declaration: Declare each in a statement of its own
          { .reg .b32   a;
          .reg .b32   b<2>;
          .reg .b32 c;
          .reg .b16 d; }
        join-declarations: Declare these 3 in one statement
          { .reg .b32   a, b<2>, c;
          .reg .b16 d; }
    "#]],
    );
    check("{ .reg .b32 a; // the first\n.reg .b32 ¦c;\n.reg .f32 d; }", &expect![[""]]);
}

#[test]
fn branches() {
    check(
        "@%p1 ¦bra.uni A;\nbra B;\nA:\nret;\nB:",
        &expect![[r#"
        invert-branch: Branch to `B` on the opposite condition
          @!%p1 bra.uni B;
          A:
          ret;
          B:
    "#]],
    );
    check(
        "@!%p1 bra A;\n  ¦bra.uni B;\nA:\nret;\nB:",
        &expect![[r#"
        invert-branch: Branch to `B` on the opposite condition
          @%p1 bra B;
          A:
          ret;
          B:
    "#]],
    );
    check("@!%p1 bra A;\n¦bra.uni B;\nC:\nret;\nA:\nB:", &expect![[""]]);
}

#[test]
fn whatever_is_offered_in_a_kernel_checks_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let mut random = Random(77);
    let (mut offered, mut kinds) = (0, std::collections::BTreeSet::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let snapshot = Snapshot::new(&text);
        for _ in 0..40 {
            let at = random.below(text.len());
            if !text.is_char_boundary(at) {
                continue;
            }
            for assist in assists(&snapshot, at..at).into_iter().filter(|a| a.disabled.is_none()) {
                let after = apply(&text, &assist.edits);
                assert_eq!(errors(&after), vec![], "{}: {}", path.display(), assist.title);
                offered += 1;
                kinds.insert(assist.id);
            }
        }
    }
    assert!(offered > 100 && kinds.len() >= 4, "{offered} {kinds:?}");
}

#[test]
fn operands_that_may_be_exchanged() {
    let swapped = |statement: &str| {
        let text = format!("{HEAD}{statement}{TAIL}");
        let found = assists(&Snapshot::new(&text), HEAD.len()..HEAD.len());
        let assist = found.into_iter().find(|assist| assist.id == "swap-operands")?;
        let after = apply(&text, &assist.edits);
        assert_eq!(errors(&after), vec![], "{after}");
        Some(after[HEAD.len()..after.len() - TAIL.len()].to_owned())
    };
    for (before, after) in [
        ("add.s32 %r1, %r2, %r3;", Some("add.s32 %r1, %r3, %r2;")),
        ("@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;", Some("@%p1 fma.rn.f32 %f1, %f3, %f2, %f4;")),
        ("setp.lt.s32 %p1, %r1, %r2;", Some("setp.gt.s32 %p1, %r2, %r1;")),
        ("setp.leu.and.f32 %p1|%p2, %f1, %f2, %p3;", Some("setp.geu.and.f32 %p1|%p2, %f2, %f1, %p3;")),
        ("setp.eq.s32 %p1, %r1, 0;", Some("setp.eq.s32 %p1, 0, %r1;")),
        ("setp.lo.u32 %p1, %r1, %r2;", Some("setp.hi.u32 %p1, %r2, %r1;")),
        ("set.ge.u32.s32 %r1, %r2, %r3;", Some("set.le.u32.s32 %r1, %r3, %r2;")),
        ("mul.lo.u32 %r1, %r2, 5;", Some("mul.lo.u32 %r1, 5, %r2;")),
        ("sub.s32 %r1, %r2, %r3;", None),
        ("shl.b32 %r1, %r2, %r3;", None),
        ("add.s32 %r1, %r2, %r2;", None),
    ] {
        assert_eq!(swapped(before).as_deref(), after, "{before}");
    }
}

#[test]
fn ranges_of_registers() {
    let after = |body: &str, id: &str| {
        let text = format!(".version 8.0\n.target sm_80\n.entry k()\n{{\n.reg .b32 %r<10>;\n{body}ret;\n}}\n");
        let at = text.find("%r<").unwrap();
        let assist = assists(&Snapshot::new(&text), at..at).into_iter().find(|assist| assist.id == id)?;
        let after = apply(&text, &assist.edits);
        assert_eq!(errors(&after), vec![], "{after}");
        Some(after[text.find(".reg").unwrap()..after.len() - 7].to_owned())
    };
    let body = "mov.u32 %r2, 1;\nadd.u32 %r7, %r2, %r2;\n{ .reg .b32 %r7; mov.u32 %r7, 2; }\n";
    assert_eq!(after(body, "fit-registers"), Some(format!(".reg .b32 %r<8>;\n{body}")));
    let renumbered = body.replace("%r2", "%r0").replacen("%r7", "%r1", 1);
    assert_eq!(after(body, "renumber-registers"), Some(format!(".reg .b32 %r<2>;\n{renumbered}")));
    let dense = "mov.u32 %r0, 1;\nmov.u32 %r1, 2;\n";
    assert_eq!(after(dense, "fit-registers"), Some(format!(".reg .b32 %r<2>;\n{dense}")));
    assert_eq!(after(dense, "renumber-registers"), None);
    assert_eq!(after("", "fit-registers"), None);
}
