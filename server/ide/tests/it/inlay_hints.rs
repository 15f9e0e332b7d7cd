//! Inlay hints. The tests show them in the text as `«hint»`.

use expect_test::{Expect, expect};
use ptx_analysis::{Analyzer, Figures};
use ptx_ide::reference::example::examples;
use ptx_ide::{AddressHints, Defaults, Hint, HintOptions, PressureHints, apply, inlay_hints};
use ptx_isa::ISA;
use ptx_syntax::Snapshot;

const ALL: HintOptions = HintOptions {
    addresses: AddressHints::All,
    arguments: true,
    constants: true,
    decoded: true,
    defaults: Defaults::All,
    elements: true,
    floats: true,
    offsets: true,
    registers: PressureHints::All,
    shapes: true,
    sources: true,
    types: true,
};

const NONE: HintOptions = HintOptions {
    addresses: AddressHints::Off,
    arguments: false,
    constants: false,
    decoded: false,
    defaults: Defaults::Off,
    elements: false,
    floats: false,
    offsets: false,
    registers: PressureHints::Off,
    shapes: false,
    sources: false,
    types: false,
};

fn hints(text: &str, options: &HintOptions) -> Vec<Hint> {
    inlay_hints(&Snapshot::new(text), 0..text.len(), options, &Figures::default())
}

fn render(text: &str, hints: &[Hint]) -> String {
    let mut out = text.to_owned();
    for hint in hints.iter().rev() {
        let gap = |wanted: bool| if wanted { " " } else { "" };
        out.insert_str(hint.offset, &format!("{}«{}»{}", gap(hint.gap_before), hint.text(), gap(hint.gap_after)));
    }
    out
}

fn check(text: &str, options: &HintOptions, expected: &Expect) {
    expected.assert_eq(&render(text, &hints(text, options)));
}

/// The statements in a kernel, with their hints.
fn in_body(statements: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.global .f32 table[3][4];\n.shared .v4 .u32 quads[];\n\
         .shared .b8 raw[64];\n.func (.reg .b32 r) f(.reg .b32 count, .reg .b64 to, .reg .b32 n) {{ ret; }}\n\
         .func f_x(.param .b32 f_x_param_0);\n.entry k(.param .u64 p)\n{{\n.reg .pred %p<3>;\n.reg .b32 %r<9>, n;\n\
         .reg .f32 %f<9>;\n.reg .f64 %d<3>;\n.reg .b64 %rd<9>;\n.param .b32 x0;\n{statements}\n}}\n"
    )
}

fn body(statements: &str, options: &HintOptions, expected: &Expect) {
    let text = in_body(statements);
    let rendered = render(&text, &hints(&text, options));
    let start = rendered.find("x0;\n").unwrap() + 4;
    expected.assert_eq(rendered[start..].trim_end_matches("\n}\n"));
}

#[test]
fn numbers_written_as_bits() {
    body(
        "mov.f32 %f1, 0f3F800000;\nfma.rn.f64 %d1, %d2, 0d400921FB54442D18, 1.5;\nmov.f32 %f1, 0f7F800000;\nmov.f32 %f1, 0fFFC00000;\nmov.f32 %f1, 0f00000001;",
        &HintOptions { floats: true, ..NONE },
        &expect![[r#"
            mov.f32 %f1, 0f3F800000 «= 1.0»;
            fma.rn.f64 %d1, %d2, 0d400921FB54442D18 «= 3.141592653589793», 1.5;
            mov.f32 %f1, 0f7F800000 «= ∞»;
            mov.f32 %f1, 0fFFC00000 «= NaN»;
            mov.f32 %f1, 0f00000001 «= 1e-45»;"#]],
    );
}

#[test]
fn constant_expressions() {
    check(
        ".const .u32 a[4*2] = { 1<<4, (3), -1, WARP_SZ-1, (1+2)*3 > 4 ? 5 : 6, ~0, (.s64)4 };\n.const .f64 b = -1.5*2.0;\n\
         .entry k() { .reg .b32 %r<3>; mov.b32 %r1, -(1|2); mov.b32 %r1, %r2; mov.b32 %r1, 1/0; ld.const.u32 %r1, [a+4*3]; }",
        &HintOptions { constants: true, ..NONE },
        &expect![[r#"
            .const .u32 a[4*2 «= 8»] = { 1<<4 «= 16», (3), -1, WARP_SZ-1 «= 31», (1+2)*3 > 4 ? 5 : 6 «= 5», ~0 «= 0xFFFFFFFFFFFFFFFF», (.s64)4 «= 4» };
            .const .f64 b = -1.5*2.0 «= -3.0»;
            .entry k() { .reg .b32 %r<3>; mov.b32 %r1, -(1|2) «= -3»; mov.b32 %r1, %r2; mov.b32 %r1, 1/0; ld.const.u32 %r1, [a+4*3 «= a+12»]; }"#]],
    );
}

#[test]
fn elements_of_arrays() {
    body(
        "ld.global.f32 %f1, [table+20];\nld.global.f32 %f1, [table+4*2];\nld.global.f32 %f1, [table+2];\nld.global.f32 %f1, [table+-4];\n\
         ld.shared.u32 %r1, [quads+32];\nld.shared.u32 %r1, [raw+32];\nld.global.f32 %f1, [%rd1+16];\nld.param.u64 %rd1, [p+4];\nmov.u64 %rd1, table+16;",
        &HintOptions { elements: true, ..NONE },
        &expect![[r#"
            ld.global.f32 %f1, [table+20 «= table[1][1]»];
            ld.global.f32 %f1, [table+4*2 «= table[0][2]»];
            ld.global.f32 %f1, [table+2];
            ld.global.f32 %f1, [table+-4];
            ld.shared.u32 %r1, [quads+32 «= quads[2]»];
            ld.shared.u32 %r1, [raw+32];
            ld.global.f32 %f1, [%rd1+16];
            ld.param.u64 %rd1, [p+4];
            mov.u64 %rd1, table+16 «= table[1][0]»;"#]],
    );
}

#[test]
fn modifiers_that_are_not_written() {
    let text = "atom.global.add.u32 %r1, [%rd1], 1;\nred.shared.add.u32 [%rd1], 1;\natom.acquire.global.add.u32 %r1, [%rd1], 1;\n\
         fence.gpu;\nadd.f32 %f1, %f2, %f3;\nld.global.u32 %r1, [%rd1];\nmbarrier.arrive.shared.b64 %rd1, [%rd2];\n\
         mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd2;\nbarrier.cluster.arrive.aligned;\ncp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, %r2}], [%rd3];";
    body(
        text,
        &HintOptions { defaults: Defaults::Notable, ..NONE },
        &expect![[r#"
        atom«.relaxed.gpu».global.add.u32 %r1, [%rd1], 1;
        red«.relaxed.gpu».shared.add.u32 [%rd1], 1;
        atom.acquire«.gpu».global.add.u32 %r1, [%rd1], 1;
        fence«.acq_rel».gpu;
        add.f32 %f1, %f2, %f3;
        ld.global.u32 %r1, [%rd1];
        mbarrier.arrive«.release.cta».shared.b64 %rd1, [%rd2];
        mbarrier.try_wait«.acquire.cta».shared.b64 %p1, [%rd1], %rd2;
        barrier.cluster.arrive«.release».aligned;
        cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, %r2}], [%rd3];"#]],
    );
    body(
        text,
        &HintOptions { defaults: Defaults::All, ..NONE },
        &expect![[r#"
        atom«.relaxed.gpu».global.add.u32 %r1, [%rd1], 1;
        red«.relaxed.gpu».shared.add.u32 [%rd1], 1;
        atom.acquire«.gpu».global.add.u32 %r1, [%rd1], 1;
        fence«.acq_rel».gpu;
        add«.rn».f32 %f1, %f2, %f3;
        ld«.weak».global.u32 %r1, [%rd1];
        mbarrier.arrive«.release.cta».shared.b64 %rd1, [%rd2];
        mbarrier.try_wait«.phase_type::primary.acquire.cta».shared.b64 %p1, [%rd1], %rd2;
        barrier.cluster.arrive«.release».aligned;
        cp.async.bulk.tensor.2d.shared::cluster.global«.tile».mbarrier::complete_tx::bytes«.cta_group::1» [%rd1], [%rd2, {%r1, %r2}], [%rd3];"#]],
    );
}

#[test]
fn what_is_meant_can_be_written_out() {
    let text =
        in_body("atom.global.add.u32 %r1, [%rd1], 1;\nfence.gpu;\nld.global.u32 %r1, [%rd1];\nadd.f32 %f1, %f2, %f3;");
    let edits: Vec<_> =
        hints(&text, &HintOptions { defaults: Defaults::All, ..NONE }).into_iter().flat_map(|h| h.edits).collect();
    let written = apply(&text, &edits);
    let start = written.find("x0;\n").unwrap() + 4;
    // The sum may be fused with a product unless its rounding is written explicitly.
    expect![[r#"
        atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
        fence.acq_rel.gpu;
        ld.weak.global.u32 %r1, [%rd1];
        add.f32 %f1, %f2, %f3;
        }
    "#]]
    .assert_eq(&written[start..]);
    let tooltips: Vec<String> =
        hints(&text, &ALL).into_iter().map(|h| h.tooltip).filter(|t| t.contains("acq_rel")).collect();
    assert!(tooltips.len() == 1 && tooltips[0].starts_with("Implied modifiers:\n\n- `.acq_rel` – "), "{tooltips:?}");
}

/// Every implied modifier in the tables belongs to an optional slot and has a text for its tooltip.
#[test]
fn implied_modifiers_have_words() {
    let forms = ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
    let implied: Vec<_> = forms.flat_map(|f| f.implied.iter().map(move |d| (f, d))).collect();
    assert!(implied.len() > 100);
    for (form, d) in implied {
        let slot = form.slots[usize::from(d.slot)];
        assert!(slot.optional && slot.values.contains(&d.value), "{}: {}", form.text, d.value);
        assert!(ISA.modifier(d.value).is_some_and(|m| !m.summary.is_empty()), "{}: {}", form.text, d.value);
    }
}

/// Writes implied modifiers explicitly into an example of every form that has some. The check reports the same
/// diagnostics as before, and no further modifier is implied.
#[test]
fn what_is_meant_is_legal_everywhere() {
    let mut written = 0;
    let options = HintOptions { defaults: Defaults::All, ..NONE };
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        for form in entry.forms.iter().filter(|f| !f.implied.is_empty()) {
            for example in examples(entry, form) {
                let found = hints(&example.module, &options);
                let edits: Vec<_> = found.iter().flat_map(|h| h.edits.clone()).collect();
                if edits.is_empty() {
                    continue;
                }
                let text = apply(&example.module, &edits);
                let report = Analyzer::default().analyze(&Snapshot::new(&text));
                assert_eq!(report.diagnostics, [], "{}\n{text}", example.statement);
                let left = hints(&text, &options).iter().filter(|h| !h.edits.is_empty()).count();
                assert_eq!(left, 0, "{text}");
                written += edits.len();
            }
        }
    }
    assert!(written > 100, "{written}");
}

#[test]
fn what_literals_mean() {
    body(
        "lop3.b32 %r1, %r2, %r3, n, 0xC8;\nlop3.b32 %r1, %r2, %r3, 0, 0xC0;\nprmt.b32 %r1, %r2, %r3, 0x5410;\nprmt.b32.rc16 %r1, %r2, 0, 1;\n\
         shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, 0xff;\nshfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;\nbar.sync 1, 96;\nbar.sync 1;\nadd.u32 %r1, %r2, 96;",
        &HintOptions { decoded: true, ..NONE },
        &expect![[r#"
            lop3.b32 %r1, %r2, %r3, n, 0xC8 «= (%r2 | n) & %r3»;
            lop3.b32 %r1, %r2, %r3, 0, 0xC0 «= %r2 & %r3»;
            prmt.b32 %r1, %r2, %r3, 0x5410 «= {%r3.b1, %r3.b0, %r2.b1, %r2.b0}»;
            prmt.b32.rc16 %r1, %r2, 0, 1 «= {%r2.b3, %r2.b2, %r2.b3, %r2.b2}»;
            shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, 0xff «8 lanes: 0–7»;
            shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;
            bar.sync 1, 96 «3 warps»;
            bar.sync 1;
            add.u32 %r1, %r2, 96;"#]],
    );
}

#[test]
fn shapes_of_matrices() {
    body(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};\n\
         ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [raw];\nadd.f32 %f1, %f2, %f3;",
        &HintOptions { shapes: true, ..NONE },
        &expect![[r#"
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 «D 16×8:» {%f1, %f2, %f3, %f4}, «A 16×16:» {%r1, %r2, %r3, %r4}, «B 16×8:» {%r5, %r6}, «C 16×8:» {%f1, %f2, %f3, %f4};
            ldmatrix.sync.aligned.m8n8.x4.shared.b16 «4× 8×8:» {%r1, %r2, %r3, %r4}, [raw];
            add.f32 %f1, %f2, %f3;"#]],
    );
}

#[test]
fn arguments_of_calls() {
    body(
        "call (%r1), f, (%r2, %rd1, n);\ncall f_x, (x0);\ncall (%r1), %rd1, (%r2), proto;\ncall (%r1), nowhere, (%r2);",
        &HintOptions { arguments: true, ..NONE },
        &expect![[r#"
            call («r:» %r1), f, («count:» %r2, «to:» %rd1, n);
            call f_x, (x0);
            call (%r1), %rd1, (%r2), proto;
            call (%r1), nowhere, (%r2);"#]],
    );
    let text = in_body("call (%r1), f, (%r2, %rd1, n);");
    let targets: Vec<&str> = hints(&text, &ALL)
        .iter()
        .flat_map(|h| h.label.iter().filter_map(|p| p.target.clone()))
        .map(|range| &text[range])
        .collect();
    assert_eq!(targets, ["r", "count", "to"]);
}

#[test]
fn types_of_registers_that_are_written() {
    body(
        "add.u32 %r1, %r2, 1;\nsetp.lt.s32 %p1|%p2, %r1, 0;\nld.global.v2.f32 {%f1, _}, [%rd1];\nst.global.u32 [%rd1], %r1;\nmov.b32 unknown, 1;",
        &HintOptions { types: true, ..NONE },
        &expect![[r#"
            add.u32 %r1«: .b32», %r2, 1;
            setp.lt.s32 %p1«: .pred»|%p2«: .pred», %r1, 0;
            ld.global.v2.f32 {%f1«: .f32», _}, [%rd1];
            st.global.u32 [%rd1], %r1;
            mov.b32 unknown, 1;"#]],
    );
}

#[test]
fn where_parameters_begin() {
    check(
        ".entry k(.param .u8 a, .param .align 16 .b8 b[20], .param .u64 .ptr .global c, .param .v2 .f32 d)\n{}\n.func f(.param .u32 a) {}",
        &HintOptions { offsets: true, ..NONE },
        &expect![[r#"
            .entry k(.param .u8 a «@0», .param .align 16 .b8 b[20] «@16», .param .u64 .ptr .global c «@40», .param .v2 .f32 d «@48»)
            {}
            .func f(.param .u32 a) {}"#]],
    );
}

#[test]
fn lines_of_the_source() {
    check(
        ".entry k()\n{\n.loc 1 12 3\nret;\n.loc 2 7 1, function_name $L, inlined_at 1 13 2\n.loc 3 1 1\n}\n.file 1 \"/home/k.cu\"\n.file 2 \"math.h\", 123, 45\n",
        &HintOptions { sources: true, ..NONE },
        &expect![[r#"
            .entry k()
            {
            .loc 1 12 3 «k.cu:12»
            ret;
            .loc 2 7 1, function_name $L, inlined_at 1 13 2 «math.h:7 in k.cu:13»
            .loc 3 1 1
            }
            .file 1 "/home/k.cu"
            .file 2 "math.h", 123, 45
        "#]],
    );
}

#[test]
fn a_line_of_the_source_is_shown_once() {
    let options = HintOptions { sources: true, ..NONE };
    let files = ".file 1 \"/home/k.cu\"\n.file 2 \"/home/tri.py\"\n";
    let text = format!(
        ".entry k()\n{{\n.loc 1 12 3\nret;\n.loc 1 12 7\nret;\n.loc 1 13 1\n.loc 1 12 3\n\
         .loc 2 20 1 // tri.py:20:1\nret;\n.loc 2 20 5\n.loc 2 2 1 // tri.py:20:1\n\
         .loc 1 9 1, function_name $L, inlined_at 2 3 1 // k.cu:9:1\n\
         .loc 1 10 1, function_name $L, inlined_at 2 3 1 // k.cu:10:1 @[ tri.py:3:1 ]\n}}\n\
         .entry l()\n{{\n.loc 2 2 1\n}}\n{files}"
    );
    check(
        &text,
        &options,
        &expect![[r#"
            .entry k()
            {
            .loc 1 12 3 «k.cu:12»
            ret;
            .loc 1 12 7
            ret;
            .loc 1 13 1 «k.cu:13»
            .loc 1 12 3 «k.cu:12»
            .loc 2 20 1 // tri.py:20:1
            ret;
            .loc 2 20 5
            .loc 2 2 1 «tri.py:2» // tri.py:20:1
            .loc 1 9 1, function_name $L, inlined_at 2 3 1 «in tri.py:3» // k.cu:9:1
            .loc 1 10 1, function_name $L, inlined_at 2 3 1 // k.cu:10:1 @[ tri.py:3:1 ]
            }
            .entry l()
            {
            .loc 2 2 1 «tri.py:2»
            }
            .file 1 "/home/k.cu"
            .file 2 "/home/tri.py"
        "#]],
    );
}

#[test]
fn shapes_once_for_a_run_of_equal_instructions() {
    let mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, \
               {%f1, %f2, %f3, %f4};";
    let other = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, %f4};";
    let text = in_body(&format!(
        "{mma}\nld.shared.u32 %r1, [%r2];\n{mma}\n@%p1 {mma}\n{other}\n{mma}\nL:\n{mma}\n{{ {mma} }}\n{mma}"
    ));
    let options = HintOptions { shapes: true, ..NONE };
    let shown = hints(&text, &options);
    let lines: Vec<usize> =
        shown.iter().filter(|h| h.text().starts_with('D')).map(|h| text[..h.offset].matches('\n').count()).collect();
    let first = text[..text.find(mma).unwrap()].matches('\n').count();
    // A label is shown for the first instruction, for another form, for the first form again, after a label, in a
    // block, and after the block.
    assert_eq!(lines.iter().map(|line| line - first).collect::<Vec<_>>(), [0, 4, 5, 7, 8, 9]);
    assert_eq!(shown.len(), 6 * 4);
}

#[test]
fn only_what_is_in_sight() {
    let text = in_body("mov.f32 %f1, 0f3F800000;\nmov.f32 %f1, 0f40000000;\nmov.f32 %f1, 0f40400000;");
    let snapshot = Snapshot::new(&text);
    let all = inlay_hints(&snapshot, 0..text.len(), &ALL, &Figures::default());
    for start in 0..text.len() {
        for end in [start, start + 1, start + 30] {
            let part = inlay_hints(&snapshot, start..end, &ALL, &Figures::default());
            let expected: Vec<&Hint> = all.iter().filter(|h| (start..=end).contains(&h.offset)).collect();
            assert_eq!(part.iter().collect::<Vec<_>>(), expected, "{start}..{end}");
        }
    }
}
