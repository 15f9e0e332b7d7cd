//! Formatting changes only white space, is idempotent, and does not change the diagnostics.

use crate::bytes::{Bytes, split};
use ptx_check::Analyzer;
use ptx_ide::{FormatOptions, OperandColumns, TextEdit, apply_in_order, format, format_on_type, format_range};
use ptx_syntax::{Node, Snapshot};

/// What may stand in place of a line end. The first one leaves it as it is.
const LINE_ENDS: [&str; 12] =
    ["\n", "\r\n", "\n\r\n", "\r\n\n", "\r", "\n\r", "\r\r\n", "\u{c}", "\u{b}\n", "\\\n", "\\\r\n", "\n\n\n\n"];

/// Formats a text, formats parts of it, and formats on type.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let options = options(&mut bytes);
    let text = with_line_ends(&text, &mut bytes);
    let snapshot = Snapshot::new(&text);
    let edits = format(&snapshot, &options);
    only_space(&text, &edits);
    let once = apply_in_order(&text, &edits);
    assert_eq!(bare(&once), bare(&text), "more than white space has changed");
    let after = Snapshot::new(&once);
    // Without errors the diagnostics must stay; error recovery may depend on white space.
    if !snapshot.has_error() {
        // Sorted by code: formatting ends the last line, and what concerns the end of the text moves there.
        let codes = |s: &Snapshot| {
            let mut codes = Vec::from_iter(Analyzer::default().analyze(s).diagnostics.iter().map(|d| d.code()));
            codes.sort_by_key(|code| code.name());
            codes
        };
        assert_eq!(apply_in_order(&once, &format(&after, &options)), once, "not the same again, after\n{text}");
        assert_eq!(tokens(&after), tokens(&snapshot), "other tokens, after\n{text}");
        assert_eq!(codes(&after), codes(&snapshot), "other findings, after\n{text}");
    }
    for _ in 0..4 {
        let at = bytes.below(text.len() + 2);
        let part = format_range(&snapshot, at..at + bytes.number() % 200, &options);
        only_space(&text, &part);
        assert_eq!(bare(&apply_in_order(&text, &part)), bare(&text));
        for typed in [';', '\n', '}', ':'] {
            only_space(&text, &format_on_type(&snapshot, at, typed, &options));
        }
    }
}

/// The text without white space. The assembler takes a vertical tab for one, and Rust does not.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace() && *c != '\u{b}').collect()
}

/// The text with other line ends.
fn with_line_ends(text: &str, bytes: &mut Bytes<'_>) -> String {
    if bytes.byte().is_multiple_of(2) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line);
                out.push_str(bytes.of(&LINE_ENDS));
            }
            None => out.push_str(line),
        }
    }
    out
}

fn options(bytes: &mut Bytes<'_>) -> FormatOptions {
    let flags = bytes.byte();
    let is = |bit: u8| flags >> bit & 1 == 1;
    FormatOptions {
        indent: if is(0) { bytes.below(12) } else { 4 },
        tabs: is(1),
        width: if is(2) { bytes.byte().into() } else { 100 },
        operands: bytes.of(&[OperandColumns::Column, OperandColumns::Run, OperandColumns::Off]),
        operand_column: if is(3) { bytes.byte().into() } else { 20 },
        outdent_guards: !is(4),
        outdent_labels: !is(5),
        align_declarations: !is(6),
        align_comments: !is(7),
        blank_lines: bytes.below(4),
    }
}

/// Asserts that edits change only white space, are in order, and do not overlap.
fn only_space(text: &str, edits: &[TextEdit]) {
    let mut last = 0;
    for edit in edits {
        let old = text.get(edit.range.clone()).unwrap_or_else(|| panic!("{edit:?} is not of\n{text}"));
        assert!(last <= edit.range.start, "{edit:?} touches another in {edits:?}");
        // An edit that joins several changes also covers the text between them, which must stay the same.
        assert_eq!(bare(old), bare(&edit.text), "{edit:?} of\n{text}");
        last = edit.range.end;
    }
}

fn tokens(snapshot: &Snapshot) -> Vec<String> {
    fn add(node: Node<'_>, snapshot: &Snapshot, out: &mut Vec<String>) {
        if node.child_count() == 0 {
            // A line for a preprocessor ends at `\n`, so the `\r` of a line end is a part of it.
            out.push(snapshot.text(node.byte_range()).trim_start().trim_end_matches('\r').to_owned());
        }
        let mut cursor = node.walk();
        node.children(&mut cursor).for_each(|child| add(child, snapshot, out));
    }
    let mut out = Vec::new();
    snapshot.roots().for_each(|root| add(root, snapshot, &mut out));
    out.retain(|t| !t.is_empty());
    // A comment without an end contains the line break that formatting adds at the end of the text.
    if let Some(last) = out.last_mut() {
        last.truncate(last.trim_end().len());
    }
    out
}
