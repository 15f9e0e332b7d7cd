//! Formatting.

use crate::robust::{Random, SAMPLE};
use expect_test::{Expect, expect};
use ptx_analysis::Analyzer;
use ptx_ide::{FormatOptions, OperandColumns, TextEdit, apply_in_order, format, format_on_type, format_range};
use ptx_syntax::Snapshot;
use std::path::Path;

fn with(options: &FormatOptions, text: &str) -> String {
    let edits = format(&Snapshot::new(text), options);
    assert_order(text, &edits);
    apply_in_order(text, &edits)
}

fn formatted(text: &str) -> String {
    with(&FormatOptions::default(), text)
}

fn check(text: &str, expected: &Expect) {
    let once = formatted(text);
    expected.assert_eq(&once);
    assert_eq!(formatted(&once), once, "not the same again");
}

/// A body formatted in a kernel, without the lines of the kernel.
fn body(options: &FormatOptions, body: &str) -> String {
    let out = with(options, &format!(".version 8.0\n.target sm_90\n.visible .entry k()\n{{\n{body}}}\n"));
    let start = out.find("{\n").unwrap() + 2;
    // Keep the brace at the left margin; otherwise the expectation would remove the indentation of the body.
    format!("{{\n{}", &out[start..out.len() - 2])
}

fn assert_order(text: &str, edits: &[TextEdit]) {
    let mut last = 0;
    for edit in edits {
        assert!(edit.range.start >= last && text.get(edit.range.clone()).is_some(), "{edit:?}\n{text}");
        let blank = |t: &str| t.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
        assert!(edit.text != text[edit.range.clone()], "{edit:?}");
        // Only joined edits cover more than white space.
        assert!(edits.len() < 100 && !edit.text.is_empty() || edit.range.len() > 8 || blank(&text[edit.range.clone()]));
        last = edit.range.end;
    }
}

#[test]
fn a_module() {
    check(
        r#"

.version 8.0 .target sm_80
.address_size   64
.global .align 4 .b8 t[4] = { 1,2,
   3,4};
#define N 4
.visible .entry k(.param .u64 .ptr .global  a, // the input
   .param .u32 n /* count */ , .param .u32 z
   ) .maxntid 128,1,1
.minnctapersm 2 {  // begin
.reg .pred p; .reg .b32 %r<9>,x;
  .reg .f32 %f<5>; .reg .b64 %rd<3>;
 .shared .align 128 .b8 tile[4096]; // a tile
 .shared .align 8 .b64 bar;  // its barrier

 ld.param.u64 %rd1,[a]; // address
   L: add  .u32 %r1 , %r2,  - 5;
@!p bra L;
@ p bra.uni   L;



mad.lo.u32 %r1, %tid.x, (4+1)*4 , %r2;add.u32 %r1, %r1, 7 %  3;
{ .reg .b32 y;
mov.b32 y, 1;
{ mov.b32   y, 2;}
}
 setp.lt.and.s32 p | q, %r1, 1, !p;
 ld.global.f32 %f1, [ %rd1 + 16 ];
 T: .branchtargets L , M;
   ret;   }
.func (.reg .b32 r) f(.reg .b32 a) { ret; }
.extern .func  (.param .b32 x) vprintf
(
	.param .b64 a,
	.param .b64 b
)
;"#,
        &expect![[r#"
            .version 8.0
            .target sm_80
            .address_size 64
            .global .align 4 .b8 t[4] = {1, 2,
                                         3, 4};
            #define N 4
            .visible .entry k(
                .param .u64 .ptr .global a, // the input
                .param .u32 n /* count */,
                .param .u32 z
            )
            .maxntid 128, 1, 1
            .minnctapersm 2
            {  // begin
                .reg .pred  p;
                .reg .b32   %r<9>, x;
                .reg .f32   %f<5>;
                .reg .b64   %rd<3>;
                .shared .align 128 .b8  tile[4096];  // a tile
                .shared .align 8   .b64 bar;         // its barrier

                ld.param.u64        %rd1, [a]; // address
            L:
                add.u32             %r1, %r2, -5;
            @!p bra                 L;
            @p  bra.uni             L;


                mad.lo.u32          %r1, %tid.x, (4 + 1) * 4, %r2;
                add.u32             %r1, %r1, 7 % 3;
                {
                    .reg .b32   y;
                    mov.b32         y, 1;
                    { mov.b32 y, 2; }
                }
                setp.lt.and.s32     p|q, %r1, 1, !p;
                ld.global.f32       %f1, [%rd1+16];
            T: .branchtargets L, M;
                ret;
            }
            .func (.reg .b32 r) f(.reg .b32 a) { ret; }
            .extern .func (.param .b32 x) vprintf(
                .param .b64 a,
                .param .b64 b
            );
        "#]],
    );
}

#[test]
fn long_instructions_and_calls() {
    let text = "
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 {%f0,%f1,%f2,%f3},
   {%r0,%r1,%r2,%r3},   {%r4,%r5}, // b
 {%f0,%f1,%f2,%f3};
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];
call.uni (retval0),
vprintf,
(
param0,
param1
);
tcgen05.ld.sync.aligned.32x32b.x16.b32 {%r0, %r1,  %r2,  %r3,  %r4,  %r5,  %r6,  %r7,
 %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15},
  [%r16];
";
    expect![[r#"
        {
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
                {%f0, %f1, %f2, %f3},
                {%r0, %r1, %r2, %r3}, {%r4, %r5}, // b
                {%f0, %f1, %f2, %f3};
            ldmatrix.sync.aligned.m8n8.x4.shared.b16       {%r0, %r1, %r2, %r3}, [%r4];
            ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r4];
            call.uni            (retval0), vprintf, (param0, param1);
            tcgen05.ld.sync.aligned.32x32b.x16.b32 {%r0, %r1,  %r2,  %r3,  %r4,  %r5,  %r6,  %r7,
                                                    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15},
                [%r16];
    "#]]
    .assert_eq(&body(&FormatOptions::default(), text));
}

#[test]
fn options() {
    const TEXT: &str = "L:\nmov.u32 %r1, 1; // one\n@p add.s32 %r1, %r1, 2; // two\nret;\nld.global.nc.L1::no_allocate.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n\n\n\n.reg .b32 a;\n.reg .f32 b;\n";
    let with = |options: FormatOptions| body(&options, TEXT);
    let base = FormatOptions::default;
    expect![[r#"
        {
        L:
            mov.u32     %r1, 1;       // one
        @p  add.s32     %r1, %r1, 2;  // two
            ret;
            ld.global.nc.L1::no_allocate.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];



            .reg .b32   a;
            .reg .f32   b;
    "#]]
    .assert_eq(&with(FormatOptions { operand_column: 12, blank_lines: 3, ..base() }));
    expect![[r#"
        {
        	L:
        	mov.u32 %r1, 1; // one
        	@p add.s32 %r1, %r1, 2; // two
        	ret;
        	ld.global.nc.L1::no_allocate.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];

        	.reg .b32 a;
        	.reg .f32 b;
    "#]]
    .assert_eq(&with(FormatOptions {
        indent: 8,
        tabs: true,
        operands: OperandColumns::Off,
        outdent_guards: false,
        outdent_labels: false,
        align_declarations: false,
        align_comments: false,
        blank_lines: 1,
        ..base()
    }));
    expect![[r#"
        {
        L:
          mov.u32  %r1, 1;       // one
        @p add.s32 %r1, %r1, 2;  // two
          ret;
          ld.global.nc.L1::no_allocate.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];


          .reg .b32   a;
          .reg .f32   b;
    "#]]
    .assert_eq(&with(FormatOptions { indent: 2, operands: OperandColumns::Run, ..base() }));
}

#[test]
fn what_is_wrong_or_switched_off_stays() {
    check(
        ".version  8.0\n.target sm_90\n.entry k() {\n// ptx-fmt: off\n  add.u32   a,b ,c;\n sub.u32  a,b,c;\n // ptx-fmt: on\n  add.u32   a,b ,c;\n  cvt.rn.f32.s32   x\n   mul.lo.u32 a, b ,c;\n  add.u32 a,, b;\n   sub.u32 a,b,c;\n}\n  }\n  add.u32   a,b ,c;\n.entry  l() {\n  ret ;\n}\n",
        &expect![[r#"
            .version 8.0
            .target sm_90
            .entry k()
            {
                // ptx-fmt: off
              add.u32   a,b ,c;
             sub.u32  a,b,c;
             // ptx-fmt: on
                add.u32             a, b, c;
              cvt.rn.f32.s32   x
                mul.lo.u32          a, b, c;
              add.u32 a,, b;
                sub.u32             a, b, c;
            }
              }
              add.u32   a,b ,c;
            .entry l()
            {
                ret;
            }
        "#]],
    );
    // Without its closing brace, a function contains all following ones.
    check(
        ".entry k() {\n  add.u32   a,b ,c;\n.entry  l() {\n  ret ;\n}\n",
        &expect![[r#"
            .entry k()
            {
                add.u32             a, b, c;
            .entry  l() {
              ret ;
            }
        "#]],
    );
}

/// Directives of other places that the parser accepts in a header: at the beginning of a line they would end it.
#[test]
fn misplaced_directives_of_a_header_stay_on_its_line() {
    for directive in [
        "version",
        "target",
        "address_size",
        "entry",
        "func",
        "visible",
        "extern",
        "common",
        "reg",
        "sreg",
        "tex",
        "alias",
        "file",
        "section",
        "loc",
        "branchtargets",
        "calltargets",
        "callprototype",
        "weak",
        "global",
        "const",
        "shared",
        "local",
        "param",
        "pragma",
    ] {
        let text = format!(".version 9.0\n.target sm_90\n.visible .entry k() .{directive} .x\n{{\n    ret;\n}}\n");
        if !Snapshot::new(&text).has_error() {
            let after = formatted(&text);
            assert!(!Snapshot::new(&after).has_error(), "{after}");
        }
    }
}

#[test]
fn sections_and_lines_of_the_preprocessor_stay() {
    let text = "#if  A\n  #define  X \\\n   1\n#endif\n.section .debug_info {\n .b8   1,2\n\t.b32 $L+4\n}\n@@DWARF  .byte  1, 2\n";
    assert_eq!(formatted(text), text);
    assert_eq!(
        formatted(".version\t8.0\r\n\r\n\r\n\r\n\r\n.target  sm_90"),
        ".version 8.0\r\n\r\n\r\n.target sm_90\r\n"
    );
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("// only  a comment  "), "// only  a comment  \n");
    assert_eq!(formatted("\u{feff}.version  8.0\n"), "\u{feff}.version 8.0\n");
}

fn range(text: &str, part: &str) -> String {
    let start = text.find(part).unwrap();
    let edits = format_range(&Snapshot::new(text), start..start + part.len(), &FormatOptions::default());
    assert_order(text, &edits);
    apply_in_order(text, &edits)
}

#[test]
fn a_range() {
    let text = ".version 8.0\n.target sm_90\n.entry k( .param .u32 a )\n{\n  .reg .b32 a; // x\n  .reg .pred p;   // y\n add.u32 a,b,c;\n  sub.u32 a,\n b,c;\n\n  ret ;\n  }\n";
    expect![[r#"
        .version 8.0
        .target sm_90
        .entry k( .param .u32 a )
        {
          .reg .b32 a; // x
            .reg .pred  p;  // y
         add.u32 a,b,c;
          sub.u32 a,
         b,c;

          ret ;
          }
    "#]]
    .assert_eq(&range(text, "p;"));
    // Formatting a part of a statement formats the whole statement.
    assert!(range(text, " b,c;\n").contains("a,b,c;\n    sub.u32             a, b, c;\n"));
    assert!(range(text, ".entry").contains(".entry k(.param .u32 a)\n{\n  .reg"));
    // Formatting the range of the whole text equals formatting the document.
    assert_eq!(range(text, text), formatted(text));
}

fn typed(text: &str) -> String {
    let offset = text.find('¦').unwrap();
    let text = text.replace('¦', "");
    let character = text[..offset].chars().next_back().unwrap();
    let edits = format_on_type(&Snapshot::new(&text), offset, character, &FormatOptions::default());
    assert_order(&text, &edits);
    apply_in_order(&text, &edits)
}

#[test]
fn on_type() {
    let kernel = |body: &str| format!(".version 8.0\n.entry k()\n{{\n    .reg .b32 x;\n{body}    ret;\n}}\n");
    let body = |body: &str| {
        let out = typed(&kernel(body));
        let (start, end) = (out.find("x;\n").unwrap() + 3, out.rfind("    ret;").unwrap());
        out[start..end].to_owned()
    };
    assert_eq!(body("  add.u32 x,x,1;¦\n"), "    add.u32 x,x,1;\n");
    assert_eq!(body("  add.u32 x,x,1; // no;¦\n"), "  add.u32 x,x,1; // no;\n");
    assert_eq!(body("    L:¦\n"), "L:\n");
    assert_eq!(body("    // why\n    L:¦\n"), "    // why\nL:\n");
    assert_eq!(body("    { mov.u32 x, 1;\n  }¦\n"), "    { mov.u32 x, 1;\n    }\n");
    assert_eq!(body("  add.u32 x,x,1;\n¦\n"), "    add.u32 x,x,1;\n    \n");
    assert_eq!(body("    {\n¦\n    }\n"), "    {\n        \n    }\n");
    assert_eq!(body("    {\n    }\n¦\n"), "    {\n    }\n    \n");
    assert_eq!(typed(".entry k()\n{\n¦\n}\n"), ".entry k()\n{\n    \n}\n");
    assert_eq!(typed(".entry k(\n¦\n)\n{\n}\n"), ".entry k(\n    \n)\n{\n}\n");
    assert_eq!(typed(".entry k()\n{\n    ret;\n}\n¦"), ".entry k()\n{\n    ret;\n}\n");
    assert_eq!(typed(".entry k()\n{\n¦"), ".entry k()\n{\n    ");
}

/// A line without `;` is continued only if something is missing that the next line can hold. Else the `;` was forgotten.
#[test]
fn the_line_after_one_without_a_semicolon() {
    let next = |line: &str| {
        let out = typed(&format!(".version 8.0\n.entry k()\n{{\n    {line}\n¦"));
        out.rsplit('\n').next().unwrap().len()
    };
    for line in ["add.u32 x, x, 1", "ret", "cp.async.commit_group", "@p exit", ".reg .b32 x", "st.global.b32 [a], x"] {
        assert_eq!(next(line), 4, "{line}");
    }
    for line in [
        "add.u32 x,",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "cp.async.bulk.tensor.2d",
        "@p",
        "call (r), f,",
    ] {
        assert_eq!(next(line), 8, "{line}");
    }
    // The next lines stay there.
    assert_eq!(next("add.u32 x, x, 1\n    add.u32 x, x, 2"), 4);
    assert_eq!(next("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\n        {a, b},\n        {c, d}"), 4);
}

/// Types a kernel line by line. Labels, guards and closing brackets move while they are typed, so their lines are
/// skipped.
#[test]
fn a_line_end_indents_the_next_line_of_each_kernel() {
    let mut checked = 0;
    for text in crate::chunks::files(&["kernels"]) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let (above, indent) = (&text[..start], line.len() - line.trim_start_matches(' ').len());
            start += line.len();
            let code = line.trim().split("//").next().unwrap_or("").trim_end();
            let moves = code.starts_with(['@', '}', ')']) || code.contains(": .") || code.ends_with(':');
            // A comment between two functions belongs to the second one.
            if above.is_empty() || moves || line.trim().is_empty() || code.is_empty() {
                continue;
            }
            let edits = format_on_type(&Snapshot::new(above), above.len(), '\n', &FormatOptions::default());
            let wanted = &text[..start - line.len() + indent];
            assert_eq!(apply_in_order(above, &edits), wanted, "before `{code}`");
            checked += 1;
        }
    }
    assert!(checked > 1500, "{checked}");
}

/// The texts of all tokens, comments included.
fn tokens(snapshot: &Snapshot) -> Vec<String> {
    fn add(node: ptx_syntax::Node<'_>, snapshot: &Snapshot, out: &mut Vec<String>) {
        if node.child_count() == 0 {
            out.push(snapshot.text(node.byte_range()).trim_start().to_owned());
        }
        (0..node.child_count()).for_each(|i| add(node.child(i).unwrap(), snapshot, out));
    }
    let mut out = Vec::new();
    snapshot.roots().for_each(|root| add(root, snapshot, &mut out));
    out.retain(|t| !t.is_empty());
    out
}

/// Asserts the properties that formatting has for every text.
fn assert_sound(text: &str, options: &FormatOptions) {
    let before = Snapshot::new(text);
    let once = with(options, text);
    let after = Snapshot::new(&once);
    assert_eq!(with(options, &once), once, "not the same again, after\n{text}");
    assert_eq!(tokens(&after), tokens(&before), "{text}");
    let codes = |s: &Snapshot| Analyzer::default().analyze(s).diagnostics.iter().map(|d| d.code()).collect::<Vec<_>>();
    assert_eq!(codes(&after), codes(&before), "{text}");
}

/// Asserts the properties that formatting has for broken texts too. The error recovery of the parser may depend on
/// white space.
fn assert_nothing_but_space(text: &str, options: &FormatOptions) {
    let snapshot = Snapshot::new(text);
    for edit in format(&snapshot, options) {
        assert!(edit.text.trim().is_empty() && text[edit.range.clone()].trim().is_empty(), "{edit:?}\n{text}");
        let node = snapshot.leaf(edit.range.start..edit.range.end).unwrap();
        let inside =
            node.child_count() == 0 && node.start_byte() < edit.range.start && edit.range.end < node.end_byte();
        assert!(!inside || node.kind() == "%", "{edit:?} in {}\n{text}", node.kind());
    }
    let once = with(options, text);
    let bare = |t: &str| t.split_whitespace().collect::<String>();
    assert_eq!(bare(&once), bare(text));
    if !snapshot.has_error() {
        assert_sound(text, options);
    }
}

pub fn many_options() -> [FormatOptions; 3] {
    let base = FormatOptions::default;
    [
        base(),
        FormatOptions { indent: 8, tabs: true, operands: OperandColumns::Run, outdent_guards: false, ..base() },
        FormatOptions {
            indent: 2,
            width: 40,
            operands: OperandColumns::Off,
            blank_lines: 0,
            align_comments: false,
            ..base()
        },
    ]
}

fn samples() -> Vec<String> {
    crate::chunks::files(&["kernels", "fixtures"])
}

#[test]
fn no_token_changes_and_formatting_again_changes_nothing() {
    let samples = samples();
    assert!(samples.len() > 60, "{}", samples.len());
    for text in samples.iter().map(String::as_str).chain([SAMPLE]) {
        for options in many_options() {
            assert_sound(text, &options);
        }
    }
}

#[test]
fn hand_written_kernels_are_formatted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ptx") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(formatted(&text) == text, "{} is not formatted: `ptx-analyzer fmt` does it", path.display());
        }
    }
}

#[test]
fn the_example_in_the_documentation_is_formatted() {
    let page = include_str!("../../../../docs/formatting.md").replace("\r\n", "\n");
    let (_, rest) = page.split_once("```ptx\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    assert_eq!(formatted(example), example);
}

#[test]
fn mutations() {
    let mut random = Random(0xf0f0);
    let pieces = [
        "{", "}", "(", ")", "[", "]", ";", ",", ".", "%", "@", "!", "\"", "/*", "*/", "//", "\n", "\r\n", "\t", "é",
        ".entry", ":", "0x", "::", "+", "\u{c}",
    ];
    let samples = [SAMPLE.to_owned(), include_str!("../../../../tests/kernels/saxpy.ptx").to_owned()];
    for round in 0..240 {
        let mut text: Vec<char> = samples[round % 2].chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.drain(at..(at + 1 + random.below(12)).min(text.len()))),
                1 => drop(text.splice(at..at, pieces[random.below(pieces.len())].chars())),
                _ => {
                    let piece: Vec<char> = text[at..(at + 1 + random.below(60)).min(text.len())].to_vec();
                    let to = random.below(text.len());
                    drop(text.splice(to..to, piece));
                }
            }
        }
        let text: String = text.into_iter().collect();
        assert_nothing_but_space(&text, &many_options()[round % 3]);
    }
}
