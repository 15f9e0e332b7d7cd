//! When an editor should open a list unasked. An open list captures the next Enter, so in doubt there is none.

use super::place::CompletionPlace;
use super::statement::{Where, whereabouts};
use super::{CompletionOptions, Completions, completion};
use ptx_syntax::Snapshot;

/// The completion list for an offset, or `None` if an editor should show no list. `typed` is the character that triggered
/// the request, if it is one of the trigger characters that the server announces.
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
    // Among items that match equally well, editors select the first. The word in the text must not be replaced by a longer
    // item.
    if let Some(same) = found.items.iter().position(|i| i.label == place.word) {
        let item = found.items.remove(same);
        found.items.insert(0, item);
    }
    Some(found)
}

/// Whether a character may open a list. A brace also opens a block, and a blank also ends a word. Both open a list only
/// among the operands of an instruction; a blank does so after a word of a directive too.
fn opens(place: &CompletionPlace<'_>, typed: char) -> bool {
    match (typed, whereabouts(place)) {
        ('{', found) => matches!(found, Where::Operand(_)),
        (' ', found) => matches!(found, Where::Operand(_) | Where::Directive),
        _ => true,
    }
}

/// Whether the character before the cursor ends a statement or begins a block, so that the next key is a blank or Enter.
fn follows_end(place: &CompletionPlace<'_>) -> bool {
    place.word.is_empty()
        && matches!(whereabouts(place), Where::Start)
        && place
            .offset
            .checked_sub(1)
            .and_then(|at| place.snapshot.rope().get_byte(at))
            .is_some_and(|b| b";{}:".contains(&b))
}

/// Whether `word` is an item of the list and no item begins with it and is longer.
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
