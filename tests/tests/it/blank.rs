//! An empty text has no error in an editor. On the command line it has one, because the assembler rejects it.

use ptx_check::Analyzer;
use ptx_syntax::Snapshot;

#[test]
fn a_blank_text_lacks_its_header_on_the_command_line_alone() {
    for text in ["", "\n", "// hello\n", "\n /* why */\n"] {
        let snapshot = Snapshot::new(text);
        let report = Analyzer::default().analyze(&snapshot);
        assert_eq!(report.diagnostics.len(), 1, "{text:?}");
        assert!(report.in_editor(&snapshot).diagnostics.is_empty(), "{text:?}");
    }
    for text in ["/* open", "ret;", ".version 8.0\n", ".visible .entry k() { ret; }\n"] {
        let snapshot = Snapshot::new(text);
        let report = Analyzer::default().analyze(&snapshot).in_editor(&snapshot);
        assert!(!report.diagnostics.is_empty(), "{text:?}");
    }
}
