//! When a list opens by itself. A list that opens where nothing is wanted takes the next Enter, so in doubt there is none.

use super::place::CompletionPlace;
use super::statement::{Where, whereabouts};
use super::{CompletionOptions, Completions, completion};
use ptx_syntax::Snapshot;

/// The list for a place, and whether an editor should show it. `typed` is the character that made the editor ask, if it was one of
/// those that the server has announced.
pub fn completion_list(
    snapshot: &Snapshot,
    offset: usize,
    options: CompletionOptions,
    typed: Option<char>,
) -> Option<Completions> {
    let place = CompletionPlace::new(snapshot, offset)?;
    if typed.is_some_and(|c| !opens(&place, c)) || follows_end(&place) {
        return None;
    }
    let mut found = completion(snapshot, offset, options);
    if found.items.is_empty() || is_complete(&found, &place.word) {
        return None;
    }
    // Editors take the first of those that fit equally well: what is already there must not become something longer.
    if let Some(same) = found.items.iter().position(|i| i.label == place.word) {
        let item = found.items.remove(same);
        found.items.insert(0, item);
    }
    Some(found)
}

/// Whether a character may open a list. A brace opens blocks as well as vectors, and a blank ends words: both open a list among the
/// operands of an instruction only, a blank also behind a word of a directive that wants another.
fn opens(place: &CompletionPlace<'_>, typed: char) -> bool {
    match (typed, whereabouts(place)) {
        ('{', found) => matches!(found, Where::Operand(_)),
        (' ', found) => matches!(found, Where::Operand(_) | Where::Directive),
        _ => true,
    }
}

/// Whether the place is right behind the sign that ends a statement or begins a block: the next key is a blank or Enter.
fn follows_end(place: &CompletionPlace<'_>) -> bool {
    place.word.is_empty()
        && matches!(whereabouts(place), Where::Start)
        && place
            .offset
            .checked_sub(1)
            .and_then(|at| place.snapshot.rope().get_byte(at))
            .is_some_and(|b| b";{}:".contains(&b))
}

/// Whether a word stands there whole, and nothing that is listed begins with it and goes on.
fn is_complete(found: &Completions, word: &str) -> bool {
    let longer = |label: &str| {
        label.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) && label.len() > word.len()
    };
    let mut same = false;
    for item in &found.items {
        same |= item.label == word && item.new_text() == word;
        if longer(item.filter.as_deref().unwrap_or(&item.label)) {
            return false;
        }
    }
    same && !word.is_empty()
}
