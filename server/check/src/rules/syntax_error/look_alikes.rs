//! Reports characters that look like others, or like nothing.

use super::characters::look_alike;
use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::{Diagnostic, Fix};

/// The report on the first such character of a text, which begins at `start`.
pub(super) fn report(text: &str, start: usize) -> Option<Diagnostic> {
    let (index, character) = text.char_indices().find(|(_, c)| !c.is_ascii() && look_alike(*c).is_some())?;
    let at = start + index;
    Some(error(at..at + character.len_utf8(), SyntaxErrorKind::Foreign(character)).fix(fix(at, character)))
}

/// The fix that writes what the character is taken for.
pub(super) fn fix(at: usize, character: char) -> Fix {
    let range = at..at + character.len_utf8();
    match look_alike(character).map(|known| known.replacement) {
        None | Some("") => Fix::replace("Remove it", range, ""),
        Some(" ") => Fix::replace("Write a space", range, " "),
        Some("\n") => Fix::replace("Write a line end", range, "\n"),
        Some(ascii) => Fix::replace(format!("Write `{ascii}`"), range, ascii),
    }
}
