//! Errors in launches, and names in their messages.

use std::ops::Range;

/// An error in a launch: text that cannot be parsed, or an impossible request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchMistake {
    /// Byte range in the text; empty if it is not in a text.
    pub range: Range<usize>,
    /// The error: the expected and the actual text.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl LaunchMistake {
    /// An error without advice.
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The name that a misspelled word probably means; `None` if no name is similar.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let ranked = names.into_iter().map(|name| (distance(word, name), name));
    let (distance, name) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + word.len() / 4 && distance < name.len()).then_some(name)
}

/// The edit distance of two words; only their first 64 characters count.
fn distance(a: &str, b: &str) -> usize {
    let begin = |word: &str| word.chars().take(64).collect::<String>();
    strsim::levenshtein(&begin(a), &begin(b))
}

/// The quoted names as a list: `` `a`, `b` and `c` ``.
pub fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
