//! Replaces in the whole file: characters that look like others, or like nothing, and names with dots.

use ptx_analysis::names::{dotted_name, look_alike};
use ptx_analysis::{Diagnostic, Fix, FixEdit};
use ptx_syntax::{Snapshot, kinds};

/// Maximum length of a text in which all of them are replaced at once.
const MAX_SEARCHED: usize = 4 << 20;

/// Adds the fix that replaces all look-alike characters of a file, if the diagnostic is about one and there are more, or all uses of a name
/// with dots.
pub fn fixes(snapshot: &Snapshot, diagnostic: &Diagnostic, out: &mut Vec<Fix>) {
    if let Some(name) = dotted_name(diagnostic) {
        out.extend(without_dots(snapshot, name));
        return;
    }
    let length = snapshot.rope().len_bytes();
    let written = snapshot.text(diagnostic.range.clone());
    let mut letters = written.chars();
    let (Some(first), None) = (letters.next(), letters.next()) else { return };
    if first.is_ascii() || look_alike(first).is_none() || length > MAX_SEARCHED {
        return;
    }
    let text = snapshot.text(0..length);
    let mut edits = Vec::new();
    for (at, character) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
        let Some(known) = look_alike(character) else { continue };
        let is_text =
            snapshot.leaf(at..at).is_some_and(|leaf| [kinds().comment, kinds().string].contains(&leaf.kind_id()));
        if !is_text {
            edits.push(FixEdit::Replace(at..at + character.len_utf8(), known.replacement.to_owned()));
        }
    }
    if edits.len() > 1 {
        out.push(Fix::new(format!("Replace all {} look-alike characters of this file", edits.len()), edits));
    }
}

/// The fix that writes a name with `_` for its dots, wherever it stands; `None` if the new name is taken.
fn without_dots(snapshot: &Snapshot, name: &str) -> Option<Fix> {
    let length = snapshot.rope().len_bytes();
    if length > MAX_SEARCHED {
        return None;
    }
    let text = snapshot.text(0..length);
    let new = name.replace('.', "_");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let whole = |at: usize, word: &str| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    };
    if text.match_indices(new.as_str()).any(|(at, word)| whole(at, word)) {
        return None;
    }
    let uses = text.match_indices(name).filter(|(at, word)| whole(*at, word));
    let edits: Vec<FixEdit> = uses.map(|(at, word)| FixEdit::Replace(at..at + word.len(), new.clone())).collect();
    Some(Fix::new(format!("Write `{new}` everywhere"), edits).preferred())
}
