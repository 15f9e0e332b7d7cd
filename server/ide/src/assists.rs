//! Assists: code actions that rewrite code without a change of meaning and fix nothing.
//!
//! An assist that changes an instruction is offered only if the checks accept the result.

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
    fn new(id: &'static str, title: impl Into<String>, mut edits: Vec<TextEdit>) -> Self {
        edits.sort_by_key(|e| (e.range.start, e.range.end));
        Self { id, title: title.into(), edits, disabled: None, named: None }
    }

    fn disabled(id: &'static str, title: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id, title: title.into(), edits: Vec::new(), disabled: Some(reason.into()), named: None }
    }
}

/// The assists at a range.
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
