//! Navigation in broken text.

use crate::robust::symbols;
use ptx_ide::{
    callables, declaration, definition, folds, highlights, implementation, incoming_calls, links, module_symbols,
    outgoing_calls, prepare_rename, references_at, rename, selections, source_position,
};
use ptx_syntax::Snapshot;
use std::ops::Range;

/// Every target of a navigation is a valid range of the text, and ranges that must contain the position contain it.
pub fn check(text: &str, snapshot: &Snapshot, offset: usize) {
    let sound = |range: &Range<usize>| assert!(text.get(range.clone()).is_some(), "{offset}: {range:?}\n{text}");
    check_references(text, snapshot, offset);
    for found in [definition(snapshot, offset), declaration(snapshot, offset), implementation(snapshot, offset)] {
        for target in found.iter().flat_map(|f| &f.targets) {
            sound(&target.range);
            sound(&target.selection);
            assert!(target.range.start <= target.selection.start && target.selection.end <= target.range.end);
        }
    }
    highlights(snapshot, offset).iter().for_each(|r| sound(&r.range));
    let mut last = offset.min(text.len())..offset.min(text.len());
    for range in selections(snapshot, offset) {
        assert!(range.start <= last.start && last.end <= range.end, "{offset}: {range:?} {last:?}\n{text}");
        sound(&range);
        last = range;
    }
    if let Some(found) = source_position(snapshot, offset) {
        sound(&found.origin);
    }
    for found in callables(snapshot, offset) {
        sound(&found.range);
        let calls = [incoming_calls(snapshot, &found.name), outgoing_calls(snapshot, &found.name)].concat();
        calls.iter().flat_map(|c| &c.places).for_each(sound);
    }
    if let Ok(found) = prepare_rename(snapshot, offset) {
        assert_eq!(text.get(found.range.clone()), Some(found.name.as_str()), "{offset}\n{text}");
        if let Ok(renaming) = rename(snapshot, offset, "%other_") {
            let sound = !snapshot.has_error();
            assert!(!sound || renaming.edits.iter().any(|e| e.range == found.range), "{offset}: {renaming:?}\n{text}");
            renaming
                .edits
                .iter()
                // A register that leaves its range gets an inserted declaration, whose range is empty.
                .filter(|e| !e.range.is_empty())
                .for_each(|e| assert_eq!(text.get(e.range.clone()), Some(found.name.as_str()), "{text}"));
        }
    }
}

/// The same for requests about a whole document.
pub fn check_document(text: &str, snapshot: &Snapshot) {
    let sound =
        |range: &Range<usize>| assert!(text.get(range.clone()).is_some_and(|t| !t.is_empty()), "{range:?}\n{text}");
    folds(snapshot).iter().for_each(|f| sound(&f.range));
    links(snapshot).iter().for_each(|l| sound(&l.range));
    symbols(text, &module_symbols(snapshot));
}

/// The references of a name are the same from each of its occurrences.
fn check_references(text: &str, snapshot: &Snapshot, offset: usize) {
    let found = references_at(snapshot, offset);
    for reference in &found {
        assert!(text.get(reference.range.clone()).is_some_and(|t| !t.is_empty()), "{offset}: {reference:?}\n{text}");
    }
    if let Some(own) = found.iter().find(|r| r.range.contains(&offset)) {
        let same = found.iter().filter(|r| text[r.range.clone()] == text[own.range.clone()]);
        for reference in same.take(3) {
            assert_eq!(references_at(snapshot, reference.range.start), found, "{offset} {reference:?}\n{text}");
        }
    }
}
