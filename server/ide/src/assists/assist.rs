//! A rewrite, as editors show it.

use crate::TextEdit;

/// A rewrite that keeps the meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// Identifies this kind of assist; the same in every version.
    pub id: &'static str,
    /// The effect, in the imperative.
    pub title: String,
    /// The edits, sorted and not touching each other. Empty if the assist is disabled.
    pub edits: Vec<TextEdit>,
    /// Why the assist is disabled here.
    pub disabled: Option<String>,
    /// Offset of a name that the assist chose itself, in the text before the edits. The user may want to change it.
    pub named: Option<usize>,
}

impl Assist {
    pub(super) fn new(id: &'static str, title: impl Into<String>, mut edits: Vec<TextEdit>) -> Self {
        edits.sort_by_key(|e| (e.range.start, e.range.end));
        Self { id, title: title.into(), edits, disabled: None, named: None }
    }

    pub(super) fn disabled(id: &'static str, title: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id, title: title.into(), edits: Vec::new(), disabled: Some(reason.into()), named: None }
    }
}
