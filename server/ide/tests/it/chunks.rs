//! A text parsed in chunks gives the same answers as the same text parsed as a whole.

use crate::formatting::many_options;
use crate::registers::figures;
use ptx_analysis::{Analyzer, Figures, Report};
use ptx_ide::{
    CompletionOptions, Defaults, HintOptions, LensOptions, PressureHints, Topic, assists, callables, canonical_order,
    code_actions, code_lenses, completion, declaration, definition, document_symbols, documentation, environment,
    exported, fix_all, folds, format, format_on_type, format_range, function_pressure, function_registers, held_values,
    highlights, hover, implementation, incoming_calls, inlay_hints, linked_at, links, matrices_in, module_symbols,
    outgoing_calls, prepare_rename, reach_of, references_at, references_in_module, rename, rename_in_module,
    resolve_lens, selections, semantic_tokens, signature_help, source_position,
};
use ptx_syntax::Snapshot;
use std::fmt::Debug;
use std::path::Path;

/// A module with text before, between, after and above all functions.
const MODULE: &str = r#"

// A module of its own: see https://example.com/module.
.version 8.5
.target sm_90
.address_size 64
#include "head.inc"
.file 1 "first.cu"

   // #region everything
.global .u32 counter = 0xff; // how often
.global .u32 limits[2] = { 1,
    2 };
.const .align 8 .b8 names[4] = { 1, 2, 3, 4 };
.extern .func (.param .b32 r) outside(.param .b32 a);
.func (.param .b32 r) late(.param .b32 a, .param .b32 b);
.extern .shared .align 16 .b8 room[];
#if DEBUG
.visible .entry first(.param .u64 .ptr .global out, .param .u32 n)
.maxntid 128, 1, 1
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    .reg .pred %p<2>;
    .param .b32 a0, b0, r0;
    .loc 1 7 3
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra $done;
    st.param.b32 [a0], %r1;
    st.param.b32 [b0], 7;
    call.uni (r0), late, (a0, b0);
    ld.param.b32 %r3, [r0];
    ld.global.u32 %r4, [limits+4];
    add.s32 %r5, %r3, %r4;
    st.global.u32 [%rd1], %r5;
$done:
    ret;
} // behind it




   /* Two lines about
      the next one. */

// And one more.
	.func one() { ret; } // a
.func another() { call (_), outside, (7); ret; } /* b */ // c
.func third_but_one() { .reg .b32 %r<2>; mov.u32 %r1, 5; ret; } // d
.weak .func (.reg .b32 r) third(.reg .b32 a) { add.s32 r, a, 1; ret; }   // see https://example.com/(third).
.global .u64 table[2] = { one, another };
.alias fourth, third;
#endif
// ptx-fmt: off
.func   fifth ()
{
  { .reg .f32 %f<2>; .reg .b32 %q<9>;
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f0, %f0, %f0}, {%q0, %q1, %q2, %q3}, {%q4, %q5}, {%f1, %f1, %f1, %f1}; }
      call another;
}
// ptx-fmt: on
.func (.param .b32 r) late(.param .b32 a, .param .b32 b)
{
.reg .b32 %r<4>, counter1;
.reg .b64 %rd<2>;
    ld.param.b32 %r1,[a];
    atom.global.add.u32 %r2, [counter], 1;
  mov.u64 %rd1, table;
    L0: L1: mov.u32 %r3, 0;
    T: .calltargets one, another;
    call %rd1, (), T;

    @%undeclared bra L0;
    st.param.b32 [r], %r2;
    ret.uni;
}
// #endregion
stray:
.file 2 "dir/second.cu"
.global .f32 scale = 0f3F800000;
// Goes with the last one.
.visible .entry last(
    .param .u32 n
)
{
    .reg .b32 %r<3>;
    .loc 2 9 1, function_name $named, inlined_at 1 7 3
    ld.global.u32 %r1, [counter]; // read
    ld.global.u32.relaxed.gpu %r2, [limits];
    call one;
    ret;
}
.section .debug_str { $named: .b8 1, 2 }
.section .debug_info { .b8 1, 2 .b32 $named+4 .b64 first, $done }
"#;

/// A snapshot with its diagnostics and its register reports.
struct Asked {
    snapshot: Snapshot,
    report: Report,
    figures: Figures,
}

impl Asked {
    fn new(snapshot: Snapshot) -> Self {
        let mut analyzer = Analyzer::default();
        analyzer.set_threads(1);
        let mut report = analyzer.analyze(&snapshot);
        report.diagnostics.extend(analyzer.lints(&snapshot, &|| false).unwrap());
        let figures = figures(&snapshot);
        Self { snapshot, report, figures }
    }
}

struct Both<'t> {
    text: &'t str,
    whole: Asked,
    chunks: Asked,
}

impl<'t> Both<'t> {
    /// `None` if the text cannot be split or has a syntax error: with an error, the chunks have different trees.
    fn new(text: &'t str) -> Option<Self> {
        let chunks = Snapshot::with_chunk_size(text, 2, 1);
        (chunks.roots().count() > 1 && !chunks.has_error()).then(|| Self {
            text,
            whole: Asked::new(Snapshot::new(text)),
            chunks: Asked::new(chunks),
        })
    }

    fn same<T: PartialEq + Debug>(&self, what: &str, at: usize, ask: impl Fn(&Asked) -> T) {
        let (whole, chunks) = (ask(&self.whole), ask(&self.chunks));
        assert!(whole == chunks, "{what} at {at}: {whole:#?}\nin chunks {chunks:#?}\nof\n{}", self.text);
    }

    /// Every `step`-th offset, and the offsets around every chunk boundary.
    fn offsets(&self, step: usize) -> Vec<usize> {
        let around = |at: usize| at.saturating_sub(2)..at + 2;
        let mut out: Vec<usize> = (0..self.text.len()).step_by(step).collect();
        for root in self.chunks.snapshot.roots() {
            // Blanks before the first token belong to no node.
            let blank = self.text[..root.start_byte()].trim_end().len();
            out.extend(around(root.start_byte()).chain(around(blank)).chain(around(root.end_byte())));
        }
        out.retain(|at| self.text.is_char_boundary(*at));
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Compares the answers to requests about the whole text.
    fn document(&self) {
        let end = self.text.len();
        self.same("report", 0, |a| format!("{:?}", a.report.diagnostics));
        self.same("environment", 0, |a| format!("{:?}", environment(&a.snapshot)));
        self.same("symbols", 0, |a| document_symbols(&a.snapshot));
        self.same("symbols of the module", 0, |a| module_symbols(&a.snapshot));
        self.same("folds", 0, |a| folds(&a.snapshot));
        self.same("links", 0, |a| links(&a.snapshot));
        self.same("tokens", 0, |a| semantic_tokens(&a.snapshot, None));
        self.same("order", 0, |a| canonical_order(&a.snapshot, None));
        self.same("fixes", 0, |a| fix_all(&a.snapshot, &a.report, &|| false));
        self.same("pressure", 0, |a| format!("{:?}", function_pressure(&a.snapshot, &a.figures, None, 0..end)));
        for options in many_options() {
            self.same("format", 0, |a| format(&a.snapshot, &options));
        }
        for branches in [false, true] {
            let options = LensOptions { uses: true, branches, ..LensOptions::default() };
            self.same("lenses", 0, |a| {
                let lenses = code_lenses(&a.snapshot, &options).into_iter();
                let text = |l: &ptx_ide::Lens| resolve_lens(&a.snapshot, l.kind, l.range.start, &a.figures);
                lenses.map(|l| (text(&l), l)).collect::<Vec<_>>()
            });
        }
        for symbol in module_symbols(&self.whole.snapshot) {
            let (name, at) = (symbol.name.as_str(), symbol.range.start);
            self.same("exported", at, |a| exported(&a.snapshot, name));
            self.same("reach", at, |a| format!("{:?}", reach_of(&a.snapshot, name)));
            self.same("registers of", at, |a| function_registers(&a.snapshot, &a.figures, name));
            self.same("references in the module", at, |a| references_in_module(&a.snapshot, name));
            self.same("renaming in the module", at, |a| format!("{:?}", rename_in_module(&a.snapshot, name, "other")));
        }
    }

    /// Compares the answers to requests about a part of the text.
    fn part(&self, at: usize, length: usize) {
        let end = at + length;
        let hints = HintOptions {
            defaults: Defaults::All,
            offsets: true,
            types: true,
            registers: PressureHints::All,
            ..HintOptions::default()
        };
        self.same("hints", at, |a| inlay_hints(&a.snapshot, at..end, &hints, &a.figures));
        self.same("tokens of a part", at, |a| semantic_tokens(&a.snapshot, Some(at..end)));
        self.same("order in a part", at, |a| canonical_order(&a.snapshot, Some(at..end)));
        self.same("format a part", at, |a| format_range(&a.snapshot, at..end, &many_options()[0]));
        self.same("assists", at, |a| format!("{:?}", assists(&a.snapshot, at..end)));
        self.same("fixes", at, |a| format!("{:?}", code_actions(&a.snapshot, &a.report, at..end, &|| false)));
        self.same("matrices", at, |a| matrices_in(&a.snapshot, at..end));
    }

    /// Compares the answers to requests about one position.
    fn place(&self, at: usize) {
        self.same("hover", at, |a| hover(&a.snapshot, at, Some(&a.figures)));
        self.same("definition", at, |a| definition(&a.snapshot, at));
        self.same("declaration", at, |a| declaration(&a.snapshot, at));
        self.same("implementation", at, |a| implementation(&a.snapshot, at));
        self.same("source", at, |a| source_position(&a.snapshot, at));
        self.same("references", at, |a| references_at(&a.snapshot, at));
        self.same("highlights", at, |a| highlights(&a.snapshot, at));
        self.same("renamable", at, |a| format!("{:?}", prepare_rename(&a.snapshot, at)));
        for new in ["other", "one", "%r"] {
            self.same("renaming", at, |a| format!("{:?}", rename(&a.snapshot, at, new)));
        }
        self.same("link", at, |a| format!("{:?}", linked_at(&a.snapshot, at)));
        self.same("selections", at, |a| selections(&a.snapshot, at));
        self.same("signature", at, |a| signature_help(&a.snapshot, at));
        self.same("held values", at, |a| format!("{:?}", held_values(&a.snapshot, &a.figures, at)));
        self.same("calls", at, |a| {
            let found = callables(&a.snapshot, at).into_iter();
            let calls = |name: &str| (incoming_calls(&a.snapshot, name), outgoing_calls(&a.snapshot, name));
            found.map(|f| (calls(&f.name), f)).collect::<Vec<_>>()
        });
        for typed in [';', '\n', '}', ':'] {
            self.same("typed", at, |a| format_on_type(&a.snapshot, at, typed, &many_options()[1]));
        }
    }

    /// Compares the answers to requests that an editor sends while the user types.
    fn writing(&self, at: usize) {
        self.same("completion", at, |a| completion(&a.snapshot, at, CompletionOptions::default()));
        self.same("documentation", at, |a| {
            let found = completion(&a.snapshot, at, CompletionOptions::default());
            let declared = found.items.iter().filter(|i| matches!(i.topic, Topic::Declared(..))).take(8);
            declared.map(|i| documentation(&a.snapshot, &i.topic)).collect::<Vec<_>>()
        });
    }
}

/// The files of some folders of the tests.
pub fn files(folders: &[&str]) -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut folders: Vec<_> = folders.iter().map(|folder| tests.join(folder)).collect();
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                out.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    out.sort();
    out
}

#[test]
fn something_between_all_functions() {
    for text in [MODULE.to_owned(), MODULE.trim_end().replace('\n', "\r\n")] {
        let both = Both::new(&text).expect("functions");
        assert_eq!(both.chunks.snapshot.roots().count(), 11);
        both.document();
        for at in both.offsets(5) {
            both.place(at);
        }
        for at in both.offsets(29) {
            both.writing(at);
            both.part(at, 150);
        }
        for (at, word) in text.match_indices("bra ") {
            both.writing(at + word.len());
        }
    }
}

#[test]
fn kernels_and_fixtures() {
    let mut cut = 0;
    for text in files(&["kernels", "fixtures"]) {
        let Some(both) = Both::new(&text) else { continue };
        cut += 1;
        both.document();
        for at in both.offsets(149) {
            both.place(at);
        }
        for at in both.offsets(997) {
            both.writing(at);
            both.part(at, 300);
        }
    }
    assert!(cut > 20, "{cut}");
}

/// Requests far from the beginning of a text do not read it from the beginning.
#[test]
fn parts_of_a_large_text() {
    let (header, _) = MODULE.split_at(MODULE.find("#include").unwrap());
    let mut text = header.to_owned();
    for file in files(&["kernels"]) {
        let code = file.lines().filter(|l| ![".version", ".target", ".address_size"].iter().any(|w| l.starts_with(w)));
        code.for_each(|line| text.extend([line, "\n"]));
    }
    let both = Both::new(&text).expect("functions");
    assert!(text.len() > 80_000 && both.chunks.snapshot.roots().count() > 20);
    for at in (0..text.len()).step_by(4999) {
        both.same("tokens of a part", at, |a| semantic_tokens(&a.snapshot, Some(at..at + 3000)));
        both.same("format a part", at, |a| format_range(&a.snapshot, at..at + 500, &many_options()[0]));
        both.same("completion", at, |a| completion(&a.snapshot, at, CompletionOptions::default()));
    }
    both.same("symbols", 0, |a| document_symbols(&a.snapshot));
    both.same("format", 0, |a| format(&a.snapshot, &many_options()[2]));
}
