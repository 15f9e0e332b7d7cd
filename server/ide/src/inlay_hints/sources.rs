//! Hints with the source files and lines that `.loc` names by number.

use super::{Hint, HintPart, Hints};
use ptx_analysis::names;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Bytes before a `.loc` that are searched for an equal one.
const LOOK_BACK: usize = 1 << 12;

/// Separates a line from the line into which it was inlined.
const INLINED: &str = " in ";

/// The number and the path of a `.file` directive.
pub(super) struct SourceFile {
    number: String,
    path: String,
    range: Range<usize>,
}

impl<'t> Hints<'t> {
    /// Adds `k.cu:12` after a `.loc` unless a comment already says it. There is no hint if the previous `.loc` names the
    /// same line.
    pub(super) fn location(&mut self, node: Node<'_>) {
        if !self.options.sources {
            return;
        }
        let Some((label, tooltip)) = self.source_line(node) else { return };
        let text = |label: &[HintPart]| label.iter().map(|part| part.text.as_str()).collect::<String>();
        let shown = text(&label);
        let rope = self.snapshot.rope();
        let line_end = rope.line_to_byte((rope.byte_to_line(node.end_byte()) + 1).min(rope.len_lines()));
        let behind = self.snapshot.text(node.end_byte()..line_end.max(node.end_byte()));
        let comment = behind.split_once("//").map_or("", |(_, comment)| comment);
        let mut left: Vec<HintPart> =
            label.into_iter().filter(|part| !names_line(comment, part.text.trim_start_matches(INLINED))).collect();
        let Some(first) = left.first_mut() else { return };
        first.text = first.text.trim_start().to_owned();
        let before = self.location_before(node.start_byte()).and_then(|before| self.source_line(before));
        if before.is_none_or(|(label, _)| text(&label) != shown) {
            self.out.push(Hint { label: left, tooltip, ..Hint::after(node.end_byte(), "") });
        }
    }

    /// The label of a `.loc` and a tooltip with its paths.
    fn source_line(&mut self, node: Node<'_>) -> Option<(Vec<HintPart>, String)> {
        let (place, path, target) = self.place(node)?;
        let mut label = vec![HintPart { text: place, target: Some(target) }];
        let mut tooltip = format!("`{path}`");
        if let Some((place, path, target)) = node.child_by_field_id(fields().inlined_at).and_then(|n| self.place(n)) {
            label.push(HintPart { text: format!("{INLINED}{place}"), target: Some(target) });
            tooltip.push_str(&format!(", inlined in `{path}`"));
        }
        Some((label, tooltip))
    }

    /// The nearest `.loc` before an offset in the same function, if it is within [`LOOK_BACK`] bytes.
    fn location_before(&self, offset: usize) -> Option<Node<'t>> {
        let snapshot = self.snapshot;
        let rope = snapshot.rope();
        let from = rope.line_to_byte(rope.byte_to_line(offset.saturating_sub(LOOK_BACK)));
        let text = snapshot.text(from..offset);
        // A `.loc` of another function does not count.
        let start = [".entry", ".func"].iter().filter_map(|word| text.rfind(word)).max().unwrap_or(0);
        text.get(start..)?.rmatch_indices(".loc").find_map(|(at, _)| {
            let at = from + start + at;
            let node = snapshot.leaf(at..at + 1)?.parent()?;
            (node.kind_id() == kinds().loc_directive).then_some(node)
        })
    }

    /// The place as `kernel.cu:12`, the whole path, and the range of the path in the `.file` directive.
    fn place(&mut self, node: Node<'_>) -> Option<(String, String, Range<usize>)> {
        let k = kinds();
        let mut cursor = node.walk();
        let mut numbers = node.children(&mut cursor).filter(|n| n.kind_id() == k.integer).take(2);
        let mut text = || numbers.next().map(|n| self.snapshot.text(n.byte_range()).into_owned());
        let (number, line) = (text()?, text()?);
        let snapshot = self.snapshot;
        let files = self.files.get_or_insert_with(|| files(snapshot));
        let file = files.iter().find(|f| f.number == number)?;
        let name = file.path.rsplit(['/', '\\']).next().unwrap_or(&file.path);
        Some((format!("{name}:{line}"), file.path.clone(), file.range.clone()))
    }
}

/// Whether a comment contains a line number. A longer number that begins with the same digits does not count.
fn names_line(comment: &str, line: &str) -> bool {
    comment.match_indices(line).any(|(at, _)| {
        let behind = comment.get(at + line.len()..).unwrap_or_default();
        !behind.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// All `.file` directives, which compilers write at the end of the file.
fn files(snapshot: &Snapshot) -> Vec<SourceFile> {
    let f = fields();
    let mut out = Vec::new();
    names::occurrences(snapshot, 0..snapshot.rope().len_bytes(), ".file", |offset| {
        let node = snapshot.leaf(offset..offset + 1).and_then(|n| n.parent());
        if let Some(node) = node.filter(|n| n.kind_id() == kinds().file_directive)
            && let Some(number) = node.child_by_field_id(f.index)
            && let Some(path) = node.children(&mut node.walk()).find(|n| n.kind_id() == kinds().string)
        {
            let path = path.byte_range();
            let text = snapshot.text(path.clone());
            let number = snapshot.text(number.byte_range()).into_owned();
            out.push(SourceFile { number, path: text.trim_matches('"').to_owned(), range: path });
        }
        true
    });
    out
}
