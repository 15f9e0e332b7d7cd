//! Applies edits one by one, with a check after each. The tree, the diagnostics and the flow lints must equal those of
//! a fresh run.

use crate::bytes::{Bytes, boundary, split};
use ptx_check::{Analyzer, Diagnostic};
use ptx_syntax::{Document, Node, Snapshot};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Maximum number of edits per input.
const MAX_EDITS: usize = 12;

/// Texts to insert.
pub const PIECES: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    ";",
    ":",
    ",",
    ".",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "%",
    "@",
    "@!",
    "|",
    "+",
    "-",
    "*",
    "/",
    "=",
    "\"",
    "'",
    "//",
    "/*",
    "*/",
    "#",
    "_",
    "$",
    "0",
    "1",
    "0x",
    "0f3F800000",
    "1.5",
    "99999999999999999999",
    "ß",
    "𝒳",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "x",
    "%r1",
    "%p1",
    "%r<10>",
    "::",
    ".u32",
    ".f32",
    ".b64",
    ".v2",
    ".global",
    ".shared",
    "ret;\n",
    "add.u32 %r1, %r2, 3;\n",
    "ld.global.u32 %r1, [%rd1+4];\n",
    "@%p1 bra L1;\n",
    "L1:\n",
    "bra L1;",
    "bar.sync 0;\n",
    ".reg .b32 %q<4>;\n",
    ".reg .pred %p<4>;\n",
    ".visible .entry k2()\n{\nret;\n}\n",
    ".func f(.param .b64 a) { ret; }\n",
    ".extern .func g(.param .b32 a);\n",
    "call g, (4);\n",
    "call (%r1), f, (%r2);\n",
    "one: .callprototype _ (.param .b32 _);\n",
    "T: .branchtargets L1, L2;\n",
    "brx.idx %r1, T;\n",
    ".noreturn",
    ".alias f, g;\n",
    ".version 9.0\n",
    ".target sm_90\n",
    ".target sm_100a, debug\n",
    ".address_size 32\n",
    ".loc 1 2 3\n",
    ".file 1 \"a.cu\"\n",
    ".section .debug_info { .b8 1 }\n",
    ".global .align 4 .u32 t[4] = {1, 2};\n",
    ".shared .b8 s[16];\n",
    ".param .u32 n",
    ".maxntid 128\n",
    ".pragma \"nounroll\";\n",
    "#define X\n",
    "//! launch: grid=1\n",
    "{ .reg .b32 %z; mov.b32 %z, 1; }\n",
    "@@DWARF .byte 1\n",
    ".visible .entry",
    "setp.eq.s32 %p1|%p2, ",
];

/// Runs the edits of an input.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let mut text = text;
    let how = bytes.byte();
    // Only large texts are parsed in chunks. For one input in four the limit is low, so that small texts are split too.
    let least = if how & 0x60 == 0x60 { 64 } else { usize::MAX };
    let mut document = Document::with_chunk_size(&text, 1, least);
    let mut analyzer = Analyzer::default();
    // Cached flow facts are another source of errors, so enable them for some inputs.
    if how & 1 == 1 {
        analyzer.keep_addresses();
    }
    for _ in 0..MAX_EDITS {
        let (range, new) = edit(&mut bytes, &text);
        text.replace_range(range.clone(), &new);
        document.edit(range, &new);
        let how = bytes.byte();
        if how & 3 == 3 {
            // Several edits arrive before a check.
            continue;
        }
        compare(&mut document, &mut analyzer, (&text, least), how);
        if bytes.is_empty() {
            break;
        }
    }
    compare(&mut document, &mut analyzer, (&text, least), 0);
}

/// A random edit: the byte range to replace, and the new text.
fn edit(bytes: &mut Bytes<'_>, text: &str) -> (Range<usize>, String) {
    let start = boundary(text, bytes.below(text.len() + 1));
    let gone = bytes.byte();
    // Half of all edits only insert text; a few delete much.
    let gone = match gone {
        0..128 => 0,
        128..248 => usize::from(gone - 127),
        _ => usize::from(gone - 247) * 200,
    };
    let end = boundary(text, start + gone).max(start);
    let piece = usize::from(bytes.byte());
    let new = match PIECES.get(piece) {
        Some(piece) => (*piece).to_owned(),
        // Insert text from another position.
        None => {
            let from = boundary(text, bytes.below(text.len() + 1));
            text[from..boundary(text, from + (piece - PIECES.len()) * 2).max(from)].to_owned()
        }
    };
    (start..end, new)
}

/// Compares the incremental results with those of a fresh run.
fn compare(document: &mut Document, analyzer: &mut Analyzer, (text, least): (&str, usize), how: u8) {
    let snapshot = document.snapshot();
    assert_eq!(snapshot.rope().to_string(), text, "the rope has another text");
    let fresh = Snapshot::with_chunk_size(text, 1, least);
    // Error recovery may depend on earlier versions of the text. Without errors the trees must be equal.
    if !same_tree(&snapshot, &fresh) {
        assert!(fresh.has_error() || is_unclosed(&fresh), "another tree, step by step and afresh, of\n{text}");
        analyzer.analyze(&snapshot);
        return;
    }
    let report = analyzer.analyze(&snapshot);
    let mut again = Analyzer::default();
    same(&report.diagnostics, &again.analyze(&fresh).diagnostics, text);
    // The user continues typing: the flow lints start, and are cancelled after some steps.
    if how & 4 == 4 {
        let asked = AtomicU32::new(0);
        let _ = analyzer.lints(&snapshot, &|| asked.fetch_add(1, Ordering::Relaxed) >= u32::from(how >> 3));
    } else {
        let found = analyzer.lints(&snapshot, &|| false).expect("nobody cancels");
        same(&found, &again.lints(&fresh, &|| false).expect("nobody cancels"), text);
        // Cached lints must be among the current ones, because they are shown until the next run.
        let known = analyzer.remembered_lints().to_vec();
        assert!(known.iter().all(|d| found.contains(d)), "{known:?} are remembered of {text:?}");
    }
}

fn same(remembered: &[Diagnostic], fresh: &[Diagnostic], text: &str) {
    let length = remembered.len().max(fresh.len());
    if let Some(at) = (0..length).find(|i| remembered.get(*i) != fresh.get(*i)) {
        panic!("remembered {:#?}\nfresh {:#?}\nin\n{text}", remembered.get(at), fresh.get(at));
    }
    for finding in fresh {
        assert!(
            text.get(finding.range.clone()).is_some(),
            "{finding:?} lies outside of, or cuts a character of {text:?}"
        );
    }
}

/// Whether a statement has no end. Its assumed end is a matter of error recovery too.
pub fn is_unclosed(snapshot: &Snapshot) -> bool {
    nodes(snapshot).any(|(_, kind, ..)| kind == ptx_syntax::kinds().unclosed)
}

/// Whether two snapshots have equal nodes.
pub fn same_tree(step_by_step: &Snapshot, fresh: &Snapshot) -> bool {
    nodes(step_by_step).eq(nodes(fresh))
}

/// All nodes with their depth. A root is included only if it is an error, because chunk boundaries may differ.
fn nodes(snapshot: &Snapshot) -> impl Iterator<Item = (usize, u16, Range<usize>, bool, bool)> {
    let below = |root: Node<'_>| root.is_error() || root.child_count() > 0;
    snapshot.roots().filter(move |root| below(*root)).flat_map(|root| {
        let mut cursor = root.walk();
        let least = usize::from(!root.is_error() && cursor.goto_first_child());
        let (mut depth, mut more) = (least, true);
        std::iter::from_fn(move || {
            let node = more.then(|| cursor.node())?;
            let shape = (depth, node.kind_id(), node.byte_range(), node.is_missing(), node.is_error());
            if cursor.goto_first_child() {
                depth += 1;
            } else {
                while more && !cursor.goto_next_sibling() {
                    more = depth > least && cursor.goto_parent();
                    depth -= usize::from(more);
                }
            }
            Some(shape)
        })
    })
}
