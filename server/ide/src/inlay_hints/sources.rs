//! The files and lines that `.loc` names by number.

use super::{Hint, HintPart, Hints};
use crate::names;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// What a `.file` says.
pub(super) struct File {
    number: String,
    path: String,
    range: Range<usize>,
}

impl Hints<'_> {
    pub(super) fn location(&mut self, node: Node<'_>) {
        if !self.options.sources {
            return;
        }
        let f = fields();
        let Some((place, path, target)) = self.place(node) else { return };
        let mut label = vec![HintPart { text: place, target: Some(target) }];
        let mut tooltip = format!("`{path}`");
        if let Some((place, path, target)) = node.child_by_field_id(f.inlined_at).and_then(|n| self.place(n)) {
            label.push(HintPart { text: format!(" in {place}"), target: Some(target) });
            tooltip.push_str(&format!(", inlined in `{path}`"));
        }
        self.out.push(Hint { label, tooltip, ..Hint::after(node.end_byte(), "") });
    }

    /// `kernel.cu:12`, the whole path, and where that is written.
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

/// All `.file` directives; compilers put them behind everything else.
fn files(snapshot: &Snapshot) -> Vec<File> {
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
            out.push(File { number, path: text.trim_matches('"').to_owned(), range: path });
        }
        true
    });
    out
}
