//! A large text, parsed and checked in pieces by several threads, has the findings that it has as a whole.

use crate::bytes::split;
use ptx_analysis::Analyzer;
use ptx_syntax::Snapshot;

/// Smaller texts are never cut.
const LARGE: usize = 200_000;

/// Checks a text that is repeated until it is large.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    // Shorter ones make more functions of a name than anybody has. A text with a syntax error is parsed as a whole.
    if text.len() < 300 || Snapshot::new(&text).has_error() {
        return;
    }
    let end = bytes.of(&["", "\n", "\r\n", " ", "//", "/*"]);
    let text = format!("{text}{end}").repeat(LARGE / text.len() + 1);
    let threads = 2 + usize::from(bytes.byte() & 3);
    let pieces = Snapshot::in_pieces(&text, threads);
    let whole = Snapshot::new(&text);
    let (mut several, mut one) = (Analyzer::default(), Analyzer::default());
    several.set_threads(threads);
    assert!(several.analyze(&pieces).diagnostics == one.analyze(&whole).diagnostics, "other findings in pieces");
    assert!(several.lints(&pieces, &|| false) == one.lints(&whole, &|| false), "other lints in pieces");
}
