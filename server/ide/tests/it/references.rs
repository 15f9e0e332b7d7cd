//! References of names.

use expect_test::{Expect, expect};
use ptx_ide::references_at;
use ptx_syntax::Snapshot;

/// The references of the name at the cursor, `‸`.
fn check(marked: &str, expected: &Expect) {
    let offset = marked.find('‸').unwrap();
    let text = marked.replacen('‸', "", 1);
    let mut out = String::new();
    for found in references_at(&Snapshot::new(&text), offset) {
        let line = text[..found.range.start].matches('\n').count() + 1;
        let source = text.lines().nth(line - 1).unwrap().trim();
        let access = format!("{:?}", found.access);
        out.push_str(&format!("{access:<11} {} | {line}: {source}\n", &text[found.range]));
    }
    expected.assert_eq(&out);
}

/// A module around the body of a kernel.
fn kernel(body: &str) -> String {
    format!(".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n{body}\nret;\n}}\n")
}

#[test]
fn a_register() {
    check(
        &kernel(
            ".reg .b32 %r<4>;\n.reg .pred %p;\nmov.u32 %r1, 1; // %r1\nadd.u32 %r2, %r‸1, %r1;\nsetp.eq.u32 %p, %r1, %r10;\n\
             @%p mov.b32 %r1, %r3;\nst.shared.u32 [%r1], %r1;\nld.shared.v2.u32 {%r1, %r2}, [%r1+4];\nmad.lo.u32 %r1,%r1,%r1,%r1;",
        ),
        &expect![[r#"
            Declaration %r | 6: .reg .b32 %r<4>;
            Write       %r1 | 8: mov.u32 %r1, 1; // %r1
            Read        %r1 | 9: add.u32 %r2, %r1, %r1;
            Read        %r1 | 9: add.u32 %r2, %r1, %r1;
            Read        %r1 | 10: setp.eq.u32 %p, %r1, %r10;
            Write       %r1 | 11: @%p mov.b32 %r1, %r3;
            Read        %r1 | 12: st.shared.u32 [%r1], %r1;
            Read        %r1 | 12: st.shared.u32 [%r1], %r1;
            Write       %r1 | 13: ld.shared.v2.u32 {%r1, %r2}, [%r1+4];
            Read        %r1 | 13: ld.shared.v2.u32 {%r1, %r2}, [%r1+4];
            Write       %r1 | 14: mad.lo.u32 %r1,%r1,%r1,%r1;
            Read        %r1 | 14: mad.lo.u32 %r1,%r1,%r1,%r1;
            Read        %r1 | 14: mad.lo.u32 %r1,%r1,%r1,%r1;
            Read        %r1 | 14: mad.lo.u32 %r1,%r1,%r1,%r1;
        "#]],
    );
}

#[test]
fn guards_pairs_and_accumulators() {
    check(
        &kernel(
            ".reg .pred %p, %q;\n.reg .b32 a;\nsetp.lt.s32 %‸p|%q, a, 1;\n@!%p mov.b32 a, 1;\nsetp.lt.and.s32 %q, a, 1, !%p;\n\
             selp.b32 a, a, a, %p;",
        ),
        &expect![[r#"
            Declaration %p | 6: .reg .pred %p, %q;
            Write       %p | 8: setp.lt.s32 %p|%q, a, 1;
            Read        %p | 9: @!%p mov.b32 a, 1;
            Read        %p | 10: setp.lt.and.s32 %q, a, 1, !%p;
            Read        %p | 11: selp.b32 a, a, a, %p;
        "#]],
    );
    let wgmma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, q, 1, 1, 0, 0;";
    check(
        &kernel(&format!(".reg .pred q;\n.reg .f32 ‸f<4>;\n.reg .b64 d;\n{wgmma}")),
        &expect![[r#"
            Declaration f | 7: .reg .f32 f<4>;
            ReadWrite   f0 | 9: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, q, 1, 1, 0, 0;
            ReadWrite   f1 | 9: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, q, 1, 1, 0, 0;
            ReadWrite   f2 | 9: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, q, 1, 1, 0, 0;
            ReadWrite   f3 | 9: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, q, 1, 1, 0, 0;
        "#]],
    );
}

/// Two ranges with the same names, a single register that hides one of them, and a use before the inner declaration.
const SHADOWS: &str = ".reg .b32 %r<4>;\nmov.u32 %r1, 1;\n{\nmov.u32 %r1, 2;\n.reg .b32 %r<2>;\nmov.u32 %r1, 3;\nmov.u32 %r3, 4;\n\
                       { .reg .f32 %r1; mov.f32 %r1, 0f00000000; }\n}\nmov.u32 %r1, 5;";

#[test]
fn inner_blocks_hide_names_from_their_declaration_on() {
    check(
        &kernel(&SHADOWS.replacen("%r1, 1", "%‸r1, 1", 1)),
        &expect![[r#"
            Declaration %r | 6: .reg .b32 %r<4>;
            Write       %r1 | 7: mov.u32 %r1, 1;
            Write       %r1 | 9: mov.u32 %r1, 2;
            Write       %r1 | 15: mov.u32 %r1, 5;
        "#]],
    );
    check(
        &kernel(&SHADOWS.replacen("%r1, 3", "%‸r1, 3", 1)),
        &expect![[r#"
            Declaration %r | 10: .reg .b32 %r<2>;
            Write       %r1 | 11: mov.u32 %r1, 3;
        "#]],
    );
    check(
        &kernel(&SHADOWS.replacen("%r<4>", "%‸r<4>", 1)),
        &expect![[r#"
            Declaration %r | 6: .reg .b32 %r<4>;
            Write       %r1 | 7: mov.u32 %r1, 1;
            Write       %r1 | 9: mov.u32 %r1, 2;
            Write       %r3 | 12: mov.u32 %r3, 4;
            Write       %r1 | 15: mov.u32 %r1, 5;
        "#]],
    );
    check(
        &kernel(&SHADOWS.replacen("mov.f32 %r1", "mov.f32 %‸r1", 1)),
        &expect![[r#"
            Declaration %r1 | 13: { .reg .f32 %r1; mov.f32 %r1, 0f00000000; }
            Write       %r1 | 13: { .reg .f32 %r1; mov.f32 %r1, 0f00000000; }
        "#]],
    );
}

#[test]
fn labels_in_their_blocks() {
    let body = ".reg .pred p;\n.reg .b32 i;\nL: bra L;\n{\n@p bra L;\nL:\n@p bra L;\n}\nT: .branchtargets L, M;\nM:\nbrx.idx i, T;";
    check(
        &kernel(&body.replacen("L: bra L", "L: bra ‸L", 1)),
        &expect![[r#"
        Declaration L | 8: L: bra L;
        Jump        L | 8: L: bra L;
        Mention     L | 14: T: .branchtargets L, M;
    "#]],
    );
    check(
        &kernel(&body.replacen("@p bra L", "@p bra ‸L", 1)),
        &expect![[r#"
            Jump        L | 10: @p bra L;
            Declaration L | 11: L:
            Jump        L | 12: @p bra L;
        "#]],
    );
    check(
        &kernel(&body.replacen("T:", "‸T:", 1)),
        &expect![[r#"
            Declaration T | 14: T: .branchtargets L, M;
            Mention     T | 16: brx.idx i, T;
        "#]],
    );
}

#[test]
fn labels_in_numbered_lists() {
    check(
        &kernel(".reg .b32 i;\nT: .branchtargets N<2>;\nbrx.idx i, T;\nN0: bra N1;\n‸N1: ret;"),
        &expect![[r#"
            Mention     N | 7: T: .branchtargets N<2>;
            Jump        N1 | 9: N0: bra N1;
            Declaration N1 | 10: N1: ret;
        "#]],
    );
}

#[test]
fn a_variable_of_a_body_hides_a_label_and_one_of_the_module() {
    let text = kernel("{ .shared .u32 x; st.shared.u32 [x], 1; }\nst.shared.u32 [x], 2;").replacen(
        ".visible",
        ".shared .u32 ‸x;\n.visible",
        1,
    );
    check(
        &text,
        &expect![[r#"
            Declaration x | 4: .shared .u32 x;
            Write       x | 8: st.shared.u32 [x], 2;
        "#]],
    );
}

const MODULE: &str = ".version 8.5\n.target sm_90\n.address_size 64\n\
.extern .global .u32 x;\n.global .u32 x = 1;\n.global .u64 where = x;\n.global .u64 table[2] = { f, f };\n\
.func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) g(.param .b32 a);\n.alias g, f;\n\
.func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r;\nld.param.b32 %r, [a];\nst.param.b32 [r], %r;\nret;\n}\n\
.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r;\n.reg .b64 %rd;\n.param .b32 out, in;\n\
ld.global.u32 %r, [x];\nst.global.u32 [x+4], %r;\natom.global.add.u32 %r, [x], 1;\nmov.u64 %rd, x;\n\
st.param.b32 [in], %r;\ncall (out), f, (in);\ncall (out), g, (in);\nld.param.b32 %r, [out];\n\
mov.u64 %rd, f;\nT: .calltargets f, g;\ncall (out), %rd, (in), T;\nret;\n}\n";

#[test]
fn variables_of_the_module() {
    check(
        &MODULE.replacen("ld.global.u32 %r, [x]", "ld.global.u32 %r, [‸x]", 1),
        &expect![[r#"
            Declaration x | 4: .extern .global .u32 x;
            Declaration x | 5: .global .u32 x = 1;
            Mention     x | 6: .global .u64 where = x;
            Read        x | 23: ld.global.u32 %r, [x];
            Write       x | 24: st.global.u32 [x+4], %r;
            Read        x | 25: atom.global.add.u32 %r, [x], 1;
            Mention     x | 26: mov.u64 %rd, x;
        "#]],
    );
}

#[test]
fn functions() {
    check(
        &MODULE.replacen("call (out), f", "call (out), f‸", 1),
        &expect![[r#"
            Mention     f | 7: .global .u64 table[2] = { f, f };
            Mention     f | 7: .global .u64 table[2] = { f, f };
            Declaration f | 8: .func (.param .b32 r) f(.param .b32 a);
            Mention     f | 10: .alias g, f;
            Declaration f | 11: .func (.param .b32 r) f(.param .b32 a)
            Call        f | 28: call (out), f, (in);
            Mention     f | 31: mov.u64 %rd, f;
            Mention     f | 32: T: .calltargets f, g;
        "#]],
    );
    check(
        &MODULE.replacen(".alias g", ".alias ‸g", 1),
        &expect![[r#"
            Declaration g | 9: .func (.param .b32 r) g(.param .b32 a);
            Declaration g | 10: .alias g, f;
            Call        g | 29: call (out), g, (in);
            Mention     g | 32: T: .calltargets f, g;
        "#]],
    );
}

#[test]
fn parameters() {
    check(
        &MODULE.replacen("[a];", "[‸a];", 1),
        &expect![[r#"
            Declaration a | 11: .func (.param .b32 r) f(.param .b32 a)
            Read        a | 14: ld.param.b32 %r, [a];
        "#]],
    );
    check(
        &MODULE.replacen("st.param.b32 [r", "st.param.b32 [‸r", 1),
        &expect![[r#"
            Declaration r | 11: .func (.param .b32 r) f(.param .b32 a)
            Write       r | 15: st.param.b32 [r], %r;
        "#]],
    );
    check(
        &MODULE.replacen("[out]", "[‸out]", 1),
        &expect![[r#"
            Declaration out | 22: .param .b32 out, in;
            Write       out | 28: call (out), f, (in);
            Write       out | 29: call (out), g, (in);
            Read        out | 30: ld.param.b32 %r, [out];
            Write       out | 33: call (out), %rd, (in), T;
        "#]],
    );
}

#[test]
fn labels_in_debugging_data() {
    let text = format!(
        "{}.section .debug_info\n{{\n.b64 $tmp\n.b32 $tmp+4\n.b32 $info\n}}\n.section .debug_str\n{{\n$info:\n.b8 1\n}}\n",
        kernel(".loc 1 2 3, function_name $info, inlined_at 1 1 1\n$tmp:").replacen(
            ".visible",
            ".file 1 \"a.cu\"\n.visible",
            1
        )
    );
    check(
        &text.replacen("$tmp:", "‸$tmp:", 1),
        &expect![[r#"
            Declaration $tmp | 8: $tmp:
            Mention     $tmp | 13: .b64 $tmp
            Mention     $tmp | 14: .b32 $tmp+4
        "#]],
    );
    check(
        &text.replacen("function_name $info", "function_name ‸$info", 1),
        &expect![[r#"
            Mention     $info | 7: .loc 1 2 3, function_name $info, inlined_at 1 1 1
            Mention     $info | 15: .b32 $info
            Declaration $info | 19: $info:
        "#]],
    );
}

#[test]
fn what_is_no_name_has_no_references() {
    for text in ["mo‸v.u32 %r1, 1;", "mov.u‸32 a, 1;", "// a‸b", "mov.u32 %r1, %ti‸d.x;", "mov.u32 %r1, ‸12;", "add ‸ "]
    {
        let offset = text.find('‸').unwrap();
        let text = text.replacen('‸', "", 1);
        assert_eq!(references_at(&Snapshot::new(&text), offset), [], "{text}");
    }
}
