//! Signature help. `$0` marks the cursor; the active parameter is shown in extra brackets.

use crate::completion::kernel;
use expect_test::{Expect, expect};
use ptx_ide::signature_help;
use ptx_syntax::Snapshot;

fn check(statement: &str, expected: &Expect) {
    let marked = kernel("7.8", "sm_80", statement);
    let offset = marked.find("$0").unwrap();
    let found = signature_help(&Snapshot::new(&marked.replacen("$0", "", 1)), offset);
    let mut out = String::new();
    for (index, signature) in found.iter().flat_map(|f| f.signatures.iter().map(move |s| (f.active, s))).enumerate() {
        let (active, signature) = signature;
        let mut label = signature.label.clone();
        if let Some(parameter) = signature.active.map(|i| &signature.parameters[i]) {
            label.insert(parameter.range.end, '»');
            label.insert(parameter.range.start, '«');
        }
        out.push_str(&format!("{}{label}\n", if index == active { "> " } else { "  " }));
    }
    expected.assert_eq(&out);
}

#[test]
fn the_operand_that_is_written() {
    check(
        "fma.rn.f32 $0",
        &expect![[r#"
        > fma.rn.f32 «d», a, b, c
    "#]],
    );
    check(
        "fma.rn.f32 %f1, %f2, $0",
        &expect![[r#"
        > fma.rn.f32 d, a, «b», c
    "#]],
    );
    check(
        "ld.global.v2.f32 {%f1, $0",
        &expect![[r#"
        > ld.global.v2.f32 «d», [a]
    "#]],
    );
    check(
        "setp.lt.and.s32 %p1|%p2, %r1, %r2, $0",
        &expect![[r#"
          setp.lt.and.s32 p, a, b, «c»
        > setp.lt.and.s32 p|q, a, b, «c»
    "#]],
    );
    check(
        "shfl.sync.down.b32 %r1, %r2, 1, 31, 0xffff$0",
        &expect![[r#"
        > shfl.sync.down.b32 d, a, b, c, «membermask»
          shfl.sync.down.b32 d|p, a, b, c, «membermask»
    "#]],
    );
    check(
        "st.global.f32 [%rd1+4], %f1$0;",
        &expect![[r#"
        > st.global.f32 [a], «b»
    "#]],
    );
}

#[test]
fn the_form_that_fits() {
    check(
        "mbarrier.arrive.shared.b64 _, [%r1], $0",
        &expect![[r#"
          mbarrier.arrive.shared.b64 d, [a]
          mbarrier.arrive.shared.b64 d, [a], «count»
          mbarrier.arrive.shared.b64 _, [a]
        > mbarrier.arrive.shared.b64 _, [a], «count»
    "#]],
    );
    check(
        "atom.global.add.f32 %f1, [%rd1], $0",
        &expect![[r#"
        > atom.global.add.f32 d, [a], «b»
    "#]],
    );
    check(
        "add.cc.u32 %r1, $0",
        &expect![[r#"
        > add.cc.u32 d, «a», b
    "#]],
    );
}

#[test]
fn arguments_of_calls() {
    check(
        "call (%r1), square, ($0",
        &expect![[r#"
        > .func (.param .b32 r) square(«.param .b32 a»)
    "#]],
    );
    check(
        "call $0",
        &expect![[r#"
        > call «f»
          call «f», (a)
          call «(r)», f
          call «(r)», f, (a)
          call «f», t
          call «f», (a), t
          call «(r)», f, t
          call «(r)», f, (a), t
    "#]],
    );
}

#[test]
fn nowhere_else() {
    for statement in
        ["fma.rn$0", "$0", "@$0", "fma.rn.f32 %f1, %f2, %f3, %f4;$0", ".reg .b32 $0", "// add.f32 $0", "nonsense $0"]
    {
        check(statement, &expect![[""]]);
    }
}
