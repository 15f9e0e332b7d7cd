//! A text parsed and checked in chunks on several threads has the same tree and the same diagnostics as the whole text. A check in parts finds
//! what a check of the chunks finds, with errors too. What stands between the tokens changes at random places.

use crate::bytes::split;
use crate::edits::{is_unclosed, same_tree};
use crate::separators::respaced;
use ptx_check::{Analyzer, Severity};
use ptx_syntax::{Outline, ParsedPart, Snapshot};

/// Checks a text, repeated several times, in chunks of a random size.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let end = bytes.of(&["", "\n", "\r\n", " ", "//", "/*"]);
    let text = format!("{text}{end}").repeat(1 + usize::from(bytes.byte() & 7));
    let threads = 1 + usize::from(bytes.byte() & 3);
    let least = *bytes.of(&[&1, &100, &1000]);
    let text = respaced(&text, 8, &mut |n| bytes.below(n));
    let (whole, chunks) =
        (Snapshot::with_chunk_size(&text, 1, usize::MAX), Snapshot::with_chunk_size(&text, threads, least));
    let mut once = Analyzer::for_one_check();
    once.set_threads(threads);
    let mut outline = Outline::with_part_size(&text, threads, least);
    for part in outline.parts() {
        let is_sound = |parsed| matches!(parsed, Some(ParsedPart::Sound(..)));
        let (without, complete) = (outline.parse(part.number), outline.parse_all(part.number));
        assert!(is_sound(without) == is_sound(complete), "an error in a part of {text} is lost");
    }
    let in_parts = once.check_outline(&mut outline, &|| false).map(|report| report.diagnostics);
    let at_once = once.check_with_lints(&chunks, &|| false).map(|report| report.diagnostics);
    assert!(in_parts.is_some() && in_parts == at_once, "other findings in parts of {text}");
    // The error recovery in a chunk does not see the other chunks. So with errors the diagnostics may differ, but both
    // must report an error.
    if whole.has_error() || chunks.has_error() {
        let refused =
            |snapshot| Analyzer::default().analyze(snapshot).diagnostics.iter().any(|d| d.severity == Severity::Error);
        assert!(refused(&whole) && refused(&chunks), "an error is not told of {text}");
        return;
    }
    if !same_tree(&chunks, &whole) {
        assert!(is_unclosed(&whole), "another tree in chunks of {text}");
        return;
    }
    let (mut several, mut one) = (Analyzer::default(), Analyzer::default());
    several.set_threads(threads);
    assert!(several.analyze(&chunks).diagnostics == one.analyze(&whole).diagnostics, "other findings in chunks");
    assert!(several.lints(&chunks, &|| false) == one.lints(&whole, &|| false), "other lints in chunks");
}
