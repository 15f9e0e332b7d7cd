//! PTX split into tokens, for highlighting.

use crate::semantic_tokens::{TokenKind, semantic_tokens};
use ptx_syntax::Snapshot;

/// A token of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeToken {
    /// Its text.
    pub text: String,
    /// Its kind; `None` for blanks and punctuation.
    pub kind: Option<TokenKind>,
}

/// All tokens of a text. Their concatenation is the text.
pub fn tokens(text: &str) -> Vec<CodeToken> {
    let snapshot = Snapshot::new(text);
    let mut out: Vec<CodeToken> = Vec::new();
    let mut at = 0;
    let mut push = |text: Option<&str>, kind| {
        if let Some(text) = text.filter(|t| !t.is_empty()) {
            out.push(CodeToken { text: text.to_owned(), kind });
        }
    };
    for token in semantic_tokens(&snapshot, None) {
        push(text.get(at..token.range.start), None);
        push(text.get(token.range.clone()), Some(token.kind));
        at = token.range.end;
    }
    push(text.get(at..), None);
    out
}
