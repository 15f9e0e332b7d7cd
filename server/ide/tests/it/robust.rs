//! Broken text causes no panic, and all ranges stay inside the text.

use crate::robust_navigation;
use ptx_analysis::{Analyzer, Figures};
use ptx_ide::{
    CompletionOptions, Defaults, HintOptions, LensOptions, OutlineSymbol, code_lenses, completion, document_symbols,
    explain, hover, inlay_hints, resolve_lens, semantic_tokens, signature_help,
};
use ptx_syntax::Snapshot;

pub const SAMPLE: &str = r#".version 8.5
.target sm_90a, texmode_independent
.address_size 64
#define N 4
.extern .shared .align 16 .b8 smem[];
.global .align 4 .f32 table[2][2] = { {1.0, 0f3F800000}, {-1.5e3, 0d3FF0000000000000} };
.global .u64 addr = generic(table) + 8;
.weak .func (.param .b32 r) f(.reg .b32 a, .param .align 8 .b8 b[16]) .noreturn;
.visible .entry kernel(.param .u64 .ptr .global .align 4 out, .param .u32 n)
.maxntid 128, 1, 1
{
    .reg .pred %p<3>; .reg .b32 %r<9>, x; .reg .f32 %f<5>; .reg .b64 %rd<3>;
    .loc 1 2 3, function_name $L, inlined_at 1 2 3
    .pragma "nounroll"; // ä comment with ünïcode → ✓
    mov.u32 %r1, %tid.x;
    @!%p1 bra $DONE;
    setp.lt.and.s32 %p1|%p2, %r1, -0x7FFFFFFF, !%p1;
    ld.global.nc.L2::128B.v2.f32 {%f1, _}, [%rd1+-8];
    fma.rn.ftz.f32 %f1, %f2, 0f3F800000, %f3;
    tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex, smp, {%r1, %r2}];
    { .param .b32 p0; call (p0), f, (%r1, p0); }
    T: .branchtargets $DONE;
    mbarrier.try_wait.shared::cta.b64 %p1, [smem+8], %rd2, 100U;
$DONE:
    ret;
}
.section .debug_info { .b8 1, 2 .b32 $L+4 }
.alias g, f;
"#;

/// xorshift: the same sequence in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn check(text: &str, offsets: impl Iterator<Item = usize>) {
    check_snapshot(text, &Snapshot::new(text), offsets);
}

fn check_snapshot(text: &str, snapshot: &Snapshot, offsets: impl Iterator<Item = usize>) {
    for offset in offsets {
        // These functions make many requests each, so they run for few offsets only.
        if text == SAMPLE || offset % 4 == 0 {
            robust_navigation::check(text, snapshot, offset);
        }
        if let Some(found) = hover(snapshot, offset, None) {
            assert!(found.range.start <= offset && offset <= found.range.end, "{offset}: {found:?}\n{text}");
            assert!(text.get(found.range).is_some() && !found.markdown.is_empty(), "{offset}\n{text}");
        }
        // Requests made while typing take longer than the others, so they run for few offsets only.
        if offset % 7 == text.len() % 7 {
            writing(text, snapshot, offset);
        }
    }
    symbols(text, &document_symbols(snapshot));
    presentation(snapshot, text);
    layout(snapshot, text);
    check_assists(snapshot, text);
    robust_navigation::check_document(text, snapshot);
}

fn presentation(snapshot: &Snapshot, text: &str) {
    let options = HintOptions { defaults: Defaults::All, offsets: true, types: true, ..HintOptions::default() };
    for hint in inlay_hints(snapshot, 0..text.len(), &options, &Figures::default()) {
        assert!(text.is_char_boundary(hint.offset) && !hint.text().is_empty(), "{hint:?}\n{text}");
    }
    for lens in
        code_lenses(snapshot, &LensOptions { calls: true, uses: true, branches: true, registers: true, evaluate: true })
    {
        assert!(text.get(lens.range.clone()).is_some_and(|w| !w.is_empty()), "{lens:?}\n{text}");
        let _ = resolve_lens(snapshot, lens.kind, lens.range.start, &Figures::default());
    }
    let part = Some(text.len() / 3..text.len() / 2);
    for tokens in [semantic_tokens(snapshot, None), semantic_tokens(snapshot, part)] {
        assert!(tokens.iter().all(|t| text.get(t.range.clone()).is_some_and(|w| !w.is_empty())), "{tokens:?}\n{text}");
        assert!(tokens.windows(2).all(|t| t[0].range.end <= t[1].range.start), "{tokens:?}\n{text}");
    }
}

/// Formatting ranges and formatting on type change only white space.
fn layout(snapshot: &Snapshot, text: &str) {
    let options = ptx_ide::FormatOptions::default();
    for offset in (0..text.len() + 3).step_by(text.len() / 3 + 1) {
        let edits = ptx_ide::format_range(snapshot, offset..offset + 20, &options);
        let typed = [';', '\n', '}', ':'].map(|c| ptx_ide::format_on_type(snapshot, offset, c, &options));
        for edit in edits.iter().chain(typed.iter().flatten()) {
            assert!(text.get(edit.range.clone()).is_some_and(|t| t.trim().is_empty()), "{edit:?}\n{text}");
            assert!(edit.text.trim().is_empty(), "{edit:?}\n{text}");
        }
    }
}

/// The requests that an editor sends while the user types.
fn writing(text: &str, snapshot: &Snapshot, offset: usize) {
    let found = completion(snapshot, offset, CompletionOptions::default());
    let end = offset.min(text.len());
    assert!(text.get(found.insert.clone()).is_some() && text.get(found.replace.clone()).is_some(), "{offset}\n{text}");
    assert!(found.insert.end <= end && found.insert.start == found.replace.start, "{offset}\n{text}");
    assert!(
        found.insert.end <= found.replace.end && found.items.iter().all(|i| !i.label.is_empty()),
        "{offset}\n{text}"
    );
    if let Some(help) = signature_help(snapshot, offset) {
        assert!(help.active < help.signatures.len(), "{offset}\n{text}");
        let inside =
            |s: &ptx_ide::InstructionSignature| s.parameters.iter().all(|p| s.label.get(p.range.clone()).is_some());
        assert!(help.signatures.iter().all(inside), "{offset}\n{text}");
    }
}

pub fn symbols(text: &str, found: &[OutlineSymbol]) {
    for s in found {
        assert!(text.get(s.range.clone()).is_some() && !s.name.is_empty(), "{s:?}\n{text}");
        assert!(s.range.start <= s.selection.start && s.selection.end <= s.range.end, "{s:?}\n{text}");
        symbols(text, &s.children);
    }
}

#[test]
fn every_offset_of_the_sample() {
    check(SAMPLE, 0..SAMPLE.len() + 3);
}

#[test]
fn small_broken_files() {
    for text in [
        "",
        ".",
        "%",
        "@",
        "@!",
        "@%p",
        "{",
        "}",
        "{{{",
        "add.",
        "add.f32 %r1, ",
        "ld.global [",
        ".reg .b32 %r<",
        ".reg .b32 %r<99999999999>;",
        ".entry",
        ".entry k(",
        ".entry k(.param",
        ".func () () {",
        ".version",
        ".target",
        ".target sm_",
        ".section",
        ".alias a",
        ".pragma \"",
        "\"",
        "/*",
        "//",
        "#",
        "%tid.",
        "%tid.x.y",
        "mov.u32 %r1, %tid.;",
        "L:",
        "L: L: L:",
        "0x",
        "0f",
        "0d1",
        "1e999",
        "99999999999999999999999999999999999999999999",
        "ä",
        "\u{0}",
        "\r\n\r",
        ".entry k() { .entry k() { .entry k() {",
        ".reg .b32 %r<0>; mov.b32 %r0, %r0;",
        "fma.rn.rn.rn.f32.f32.f32.f32 %r1;",
        "_",
        "_ _",
        ".entry _ () {}",
        ".const[2] .b32 x;",
        "@@DWARF .byte 1",
        ".callprototype (.param .b32 _) _ (.param .b32 _);",
        "a|b|c",
        "x[1]",
        "x.y.z:",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a, _, c}, {x}, %r1, {",
        "mma.sync.aligned.m16n8k999.row.col.f32.f16.f16.f32 {a, b, c, d, e, f}, {x}, y, z;",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {a, b, c, d}, {a, b, c, d}, {a, b, c, d}, {a, b, c, d}, e, 99;",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {a,b,c,d}, {a,b,c,d}, {a,b}, {a,b,c,d}, s, {-7, 99}, t, {};",
        "tcgen05.ld.sync.aligned.16x256b.x128.b32 {a, b}, [t];",
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {a, b, c}, d, e, p, 1, 1, 0, 0;",
        "ldmatrix.sync.aligned.m8n8.x4.b16 {a}, [p + 8];",
    ] {
        check(text, 0..text.len() + 3);
        check(&format!(".version 8.5\n.target sm_90\n.entry k() {{\n{text}\n"), 0..text.len() + 60);
        let _ = (explain(text), ptx_ide::nearest(text));
    }
}

/// Functions that recurse into trees support the same nesting depth as the assembler, on the smallest stack that the
/// server uses.
#[test]
fn nesting_just_below_the_limit() {
    let body =
        |inner: String| format!(".version 8.0\n.target sm_80\n.entry k()\n{{\n.reg .b32 %r1;\n{inner}\nret;\n}}\n");
    let pairs =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let texts = [
        body(pairs("{", "", "}", 1_662)),
        body(format!("mov.u32 %r1, {};", pairs("(", "1", ")", 9_970))),
        body(format!("mov.u32 %r1, {}1;", "-".repeat(4_980))),
        body(format!("ld.global.b32 %r1, {};", pairs("[", "%r1", "]", 9_970))),
        body(format!("mov.b64 {}, %r1;", pairs("{", "%r1", "}", 1_660))),
        body(format!("ld.global.b32 %r1, {};", pairs("[{(", "%r1", ")}]", 1_240))),
    ];
    let work = move || {
        for text in &texts {
            let snapshot = Snapshot::new(text);
            assert_eq!(snapshot.too_deep().next(), None);
            let middle = text.len() / 2;
            hover(&snapshot, middle, None);
            // Assists climb the tree step by step; at the depth of the other texts this takes a second.
            if text.len() < 4_000 {
                ptx_ide::assists(&snapshot, middle..middle);
                writing(text, &snapshot, middle);
            }
            symbols(text, &document_symbols(&snapshot));
            presentation(&snapshot, text);
            layout(&snapshot, text);
            Analyzer::default().analyze(&snapshot);
        }
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn truncations() {
    let mut random = Random(0x5eed);
    for end in (0..SAMPLE.len()).filter(|i| SAMPLE.is_char_boundary(*i)).step_by(3) {
        check(&SAMPLE[..end], (0..12).map(|_| random.below(end + 1)).chain(end.saturating_sub(6)..end + 2));
    }
}

#[test]
fn mutations() {
    let mut random = Random(0xfeed_beef);
    let pieces = [
        "{", "}", "(", ")", "[", "]", ";", ",", ".", "%", "@", "!", "\"", "/*", "*/", "\n", "é", ".reg", ".entry", "<",
        ":", "_", "0x", "::",
    ];
    for round in 0..400 {
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for _ in 0..1 + random.below(6) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.drain(at..(at + 1 + random.below(20)).min(text.len()))),
                1 => drop(text.splice(at..at, pieces[random.below(pieces.len())].chars())),
                _ => {
                    let piece: Vec<char> = text[at..(at + 1 + random.below(60)).min(text.len())].to_vec();
                    let to = random.below(text.len());
                    drop(text.splice(to..to, piece));
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        // Parse large texts in chunks, and small ones as a whole.
        let snapshot = if round % 2 == 0 { Snapshot::new(&text) } else { Snapshot::with_chunk_size(&text, 1, 1) };
        check_snapshot(&text, &snapshot, (0..60).map(|_| random.below(text.len() + 2)));
    }
}

/// Asserts that every edit of an assist changes the text, and that its edits do not overlap.
fn check_assists(snapshot: &Snapshot, text: &str) {
    for offset in (0..text.len() + 3).step_by(text.len() / 9 + 1) {
        for assist in ptx_ide::assists(snapshot, offset..offset + 5) {
            assert!(assist.edits.is_empty() == assist.disabled.is_some(), "{assist:?}\n{text}");
            assert!(assist.edits.iter().all(|e| text.get(e.range.clone()).is_some_and(|t| t != e.text)), "{assist:?}");
            assert!(assist.edits.windows(2).all(|e| e[0].range.end <= e[1].range.start), "{assist:?}");
        }
    }
}
