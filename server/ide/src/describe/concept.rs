//! Topics that no single word of PTX stands for, and lists of things with a line on each.

use super::{MarkdownPage, tables};
use ptx_analysis::Code;
use ptx_isa::ISA;
use ptx_isa::tables::Concept;

/// The page about a topic: its title, what it is, and what to look at.
pub fn concept(concept: &'static Concept) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(format!("# {}", concept.title));
    page.append(concept_body(concept));
    page
}

/// The same without its title.
pub fn concept_body(concept: &'static Concept) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(concept.doc);
    page.list("See", concept.see.iter().map(|word| with_summary(word)));
    page
}

/// `` `shfl.sync` – Exchanges values between the lanes of a warp ``.
pub fn with_summary(word: &str) -> String {
    match one_line(word) {
        Some(text) => format!("`{word}` – {}", text.trim_end_matches('.')),
        None => format!("`{word}`"),
    }
}

/// One line on what a word of PTX or a diagnostic is.
fn one_line(word: &str) -> Option<String> {
    if let Some(code) = Code::named(word).filter(|_| word.contains('-')) {
        return Some(crate::describe::first_sentence(code.page()));
    }
    let register = ISA.special_register(word.split('.').next().filter(|w| w.starts_with('%')).unwrap_or(""));
    let directive = ISA.directive(word).map(|d| d.summary);
    let constant = ISA.constant(word).map(|c| c.summary);
    let target = ISA.target(word).map(|t| t.summary);
    let simple = register.map(|r| r.summary).or(directive).or(constant).or(target).or_else(|| tables::summary(word));
    let found = simple.or_else(|| {
        let opcode = ISA.opcode(word.split('.').next()?)?;
        let modifiers: Vec<String> = word.split('.').skip(1).map(|m| format!(".{m}")).collect();
        let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        let named = opcode.entries.iter().find(|e| e.name == word);
        let begun = || opcode.entries.iter().find(|e| e.name.starts_with(word));
        let entry = named.or_else(|| opcode.entry(&modifiers).filter(|_| !modifiers.is_empty())).or_else(begun);
        Some(entry.or(opcode.entries.first())?.summary)
    })?;
    (!found.is_empty()).then(|| found.to_owned())
}
