//! PTX in strings of other languages: what is wrong with it, and answers for an editor.
//!
//! `ptx-embed` finds the PTX and knows the host language; `ptx-check` checks it, and `ptx-ide` answers about it. This crate
//! puts them together: texts go from the host into PTX, results back. It knows no protocol and reads no file.

pub mod answers;
mod checker;
mod holding;
pub mod kernel;
mod lints;
mod places;
mod problems;
mod result;
mod targets;
mod variants;
mod view;

pub use checker::{HostChecker, in_text};
pub use holding::HostHolding;
pub use ptx_embed::{Edit, Group, Host, HostEdit, Language, Placed};
pub use result::GroupResult;
pub use targets::HostTargets;
pub use variants::repeats;
pub use view::{GroupView, group_at, group_in};

use ptx_isa::ISA;

/// Whether a group of statements is PTX, and not the assembly of another processor.
pub fn is_ptx(group: &Group) -> bool {
    let is_known = |word: &str| ISA.opcode(word).is_some() || ISA.directive(word).is_some();
    let is_modifier = |word: &str| ISA.modifier(word).is_some() || ISA.ty(word).is_some() || ISA.space(word).is_some();
    !group.foreign && group.is_ptx(is_known, is_modifier)
}

/// Whether a text may contain PTX at all. A cheap test, so that the many other files of a folder are not scanned.
pub fn may_contain_ptx(text: &[u8]) -> bool {
    // The callees of all host languages contain one of these.
    [&b"asm"[..], b"inline_ptx", b"InlineAsm"].iter().any(|word| memchr::memmem::find(text, word).is_some())
}
