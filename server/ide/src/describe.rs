//! Descriptions of table entries as Markdown, for hover and for `explain`.

mod assembly;
mod chapter;
mod concept;
mod form;
mod gates;
mod instruction;
mod modifier;
mod page;
mod relevance;
mod signature;
mod statement;
mod tables;
mod words;

pub use assembly::{narrow_address, unbuilt, unbuilt_by, unbuilt_label, unbuilt_statement};
pub use chapter::{FormUsage, entries, overview, with_modifiers};
pub use concept::{concept, concept_body, with_summary};
pub use form::describe as operand;
pub use form::{condition, pretty, range, with_note};
pub use gates::{always, gate, of_options};
pub use instruction::{Chosen, instruction, mismatch, unchecked};
pub use modifier::{EditVerdict, Slotted, modifier};
pub use page::{Explained, MANUAL, MarkdownPage};
pub use statement::{Written, max_lines, reachable, statement};
pub use tables::{
    constant, directive, dot_word, modifier_alone, space, special_register, takers, target, ty, uses_of, version,
};
pub use words::words;

/// The first sentence of a page below its heading.
pub(crate) fn first_sentence(text: &str) -> String {
    let lines = text.lines().skip_while(|l| l.is_empty() || l.starts_with('#')).take_while(|l| !l.is_empty());
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}
