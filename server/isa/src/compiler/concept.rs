//! `concept` entries: topics with their synonyms.

use super::error::{Error, Result};
use super::kinds::WrittenEntry;
use super::leak::{leak, leak_str};
use super::usage;
use crate::tables::{Concept, Isa};

/// The keywords under `concept`.
pub(super) const KEYWORDS: &[&str] = &["also", "see"];

impl WrittenEntry<'_> {
    pub fn concept(self) -> Result<Concept> {
        let missing = |what| Err(self.head.error(0, format!("expected {what} of the concept `{}`", self.name)));
        if self.words.is_empty() {
            return missing("a title behind the name");
        }
        if self.common.doc.is_empty() {
            return missing("the `doc`");
        }
        let words = |key: &str, separator: char| -> Vec<&'static str> {
            let lines = self.common.other.iter().filter(|o| o.0 == key);
            lines.flat_map(|o| o.1.split(separator)).map(str::trim).filter(|w| !w.is_empty()).map(leak_str).collect()
        };
        Ok(Concept {
            id: leak_str(self.name),
            title: leak_str(self.words),
            synonyms: leak(words("also", ',')),
            see: leak(words("see", ' ')),
            doc: self.common.doc,
        })
    }
}

/// Whether the words that concepts refer to exist, and whether no two concepts share an identifier or a synonym. Codes of diagnostics
/// (`operand-type`) are not looked at: these tables know none.
pub(super) fn check(isa: &Isa) -> Vec<Error> {
    let error = |message| Error { file: "concepts".to_owned(), line: 1, column: 1, message };
    let mut errors = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for concept in isa.concepts {
        for name in [concept.title].iter().chain(concept.synonyms) {
            let name = name.to_lowercase();
            if names.contains(&name) {
                errors.push(error(format!("`{}`: another concept is called `{name}`", concept.id)));
            }
            names.push(name);
        }
        for word in concept.see.iter().filter(|w| !w.contains('-') || w.contains('.')) {
            if let Some(wrong) = usage::unknown_word(isa, word) {
                errors.push(error(format!("`{}`: the tables do not know `{wrong}` of `{word}`", concept.id)));
            }
        }
    }
    errors
}
