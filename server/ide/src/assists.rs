//! Assists: code actions that rewrite code without a change of meaning and fix nothing.
//!
//! An assist that changes an instruction is offered only if the checks accept the result.

mod assist;
mod branch;
mod declarations;
mod immediate;
mod name;
mod order;
mod ranges;
mod site;
mod swap;
mod vector;

pub use assist::Assist;
use ptx_syntax::Snapshot;
use site::AssistSite;
use std::ops::Range;

/// The assists at a range.
pub fn assists(snapshot: &Snapshot, range: Range<usize>) -> Vec<Assist> {
    let mut out = Vec::new();
    declarations::assists(snapshot, &range, &mut out);
    order::at(snapshot, &range, &mut out);
    immediate::in_declaration(snapshot, range.start, &mut out);
    name::assists(snapshot, &range, &mut out);
    ranges::assists(snapshot, range.start, &mut out);
    if let Some(site) = AssistSite::at(snapshot, range.start) {
        immediate::assists(&site, range.start, &mut out);
        vector::assists(&site, &mut out);
        branch::assists(&site, &mut out);
        swap::assists(&site, &mut out);
    }
    out
}

pub use order::canonical_order;
