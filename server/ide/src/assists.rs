//! What can be written in another way that means the same: code actions that mend nothing.
//!
//! What changes instructions is offered only where the check takes the result.

mod branch;
mod declarations;
mod immediate;
mod name;
mod order;
mod site;
mod vector;

use crate::TextEdit;
use ptx_syntax::Snapshot;
use site::AssistSite;
use std::ops::Range;

/// Another way to write something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// Tells this kind of assist from others, in every version.
    pub id: &'static str,
    /// What it does, in the imperative.
    pub title: String,
    /// What it changes: in order, none touching another. Empty where it cannot be done.
    pub edits: Vec<TextEdit>,
    /// Why the assist is disabled here.
    pub disabled: Option<String>,
    /// Where it writes a name that it chose itself, in the text before the edits: the user may want another one.
    pub named: Option<usize>,
}

impl Assist {
    fn new(id: &'static str, title: impl Into<String>, mut edits: Vec<TextEdit>) -> Self {
        edits.sort_by_key(|e| (e.range.start, e.range.end));
        Self { id, title: title.into(), edits, disabled: None, named: None }
    }

    fn disabled(id: &'static str, title: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id, title: title.into(), edits: Vec::new(), disabled: Some(reason.into()), named: None }
    }
}

/// What can be written in another way at a range.
pub fn assists(snapshot: &Snapshot, range: Range<usize>) -> Vec<Assist> {
    let mut out = Vec::new();
    declarations::assists(snapshot, &range, &mut out);
    order::at(snapshot, &range, &mut out);
    immediate::in_declaration(snapshot, range.start, &mut out);
    name::assists(snapshot, &range, &mut out);
    if let Some(site) = AssistSite::at(snapshot, range.start) {
        immediate::assists(&site, range.start, &mut out);
        vector::assists(&site, &mut out);
        branch::assists(&site, &mut out);
    }
    out
}

pub use order::canonical_order;
