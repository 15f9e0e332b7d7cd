//! Resolves the edits of a fix into text replacements.

use super::declare;
use crate::text_edit::TextEdit;
use crate::walk::top;
use ptx_analysis::FixEdit;
use ptx_analysis::target::find_target;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Maximum number of items that are searched for a header directive.
const MAX_ITEMS: usize = 64;

/// Resolves an edit into a text replacement; `None` if the text to change does not exist. `at` is the offset of the
/// diagnostic.
pub fn edit(snapshot: &Snapshot, at: usize, edit: &FixEdit) -> Option<TextEdit> {
    match edit {
        FixEdit::Replace(range, text) => Some(TextEdit { range: range.clone(), text: text.clone() }),
        FixEdit::Version(version) => {
            let directive = header(snapshot, kinds().version_directive)?;
            let number = directive.child_by_field_id(fields().version)?;
            Some(TextEdit { range: number.byte_range(), text: version.to_string() })
        }
        FixEdit::Target(name) => Some(TextEdit { range: architecture(snapshot)?, text: (*name).to_owned() }),
        FixEdit::Declare { name, ty } => declare::declare(snapshot, at, name, ty),
    }
}

fn header(snapshot: &Snapshot, kind: u16) -> Option<Node<'_>> {
    top(snapshot).take(MAX_ITEMS).take_while(|n| n.kind_id() != kinds().function).find(|n| n.kind_id() == kind)
}

/// Range of the architecture in `.target`, which may also name options.
fn architecture(snapshot: &Snapshot) -> Option<Range<usize>> {
    let directive = header(snapshot, kinds().target_directive)?;
    ptx_syntax::walk::named_children(directive)
        .filter(|n| n.kind_id() == kinds().target_name)
        .find(|n| find_target(&snapshot.text(n.byte_range())).is_some_and(|t| !t.features.is_empty()))
        .map(|n| n.byte_range())
}
