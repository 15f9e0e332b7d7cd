//! A text that is parsed and checked in chunks, by several threads, has the tree and the findings that it has as a whole.

use crate::bytes::split;
use crate::edits::{is_unclosed, same_tree};
use ptx_analysis::{Analyzer, Severity};
use ptx_syntax::Snapshot;

/// Checks a text some times over, in chunks of several sizes.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let end = bytes.of(&["", "\n", "\r\n", " ", "//", "/*"]);
    let text = format!("{text}{end}").repeat(1 + usize::from(bytes.byte() & 7));
    let threads = 1 + usize::from(bytes.byte() & 3);
    let least = *bytes.of(&[&1, &100, &1000]);
    let (whole, chunks) =
        (Snapshot::with_chunk_size(&text, 1, usize::MAX), Snapshot::with_chunk_size(&text, threads, least));
    // Where something is wrong, what stands in other chunks has no part in it: other words may be found for it, but there are some.
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
