//! Any text is checked, outlined and hovered over without panic, and findings lie within the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_analysis::Analyzer;
use ptx_syntax::Snapshot;

fuzz_target!(|text: &str| {
    let snapshot = Snapshot::new(text);
    for diagnostic in Analyzer::default().analyze(&snapshot).diagnostics {
        assert!(diagnostic.range.start <= diagnostic.range.end);
        assert!(diagnostic.range.start <= text.len());
    }
    let _ = ptx_ide::document_symbols(&snapshot);
    for offset in (0..text.len()).step_by(7) {
        let _ = ptx_ide::hover(&snapshot, offset);
    }
});
