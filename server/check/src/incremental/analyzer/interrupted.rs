//! A check that stopped between two functions, to be continued.

use super::record::IndexedRecord;
use ptx_syntax::SnapshotId;

/// The results of a check that is not finished.
#[derive(Debug)]
pub(super) struct InterruptedCheck {
    pub(super) snapshot: SnapshotId,
    pub(super) environment: u64,
    /// The checked items, by index.
    pub(super) done: Vec<IndexedRecord>,
}

#[cfg(test)]
mod tests {
    use crate::{Analyzer, Report};
    use ptx_syntax::{Document, Snapshot};
    use std::cell::Cell;

    fn text(functions: usize) -> String {
        let function = |i: usize| {
            let broken = if i.is_multiple_of(3) { "    mov.u32 %r1 %r2;\n" } else { "" };
            format!(
                ".func f{i}()\n{{\n    .reg .b32 %r<4>;\n{broken}    mov.u32 %r1, %r{};\n    add.u32 %r2, %r1, nothing;\n    ret;\n}}\n",
                i % 5
            )
        };
        let header = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
        header + &(0..functions).map(function).collect::<String>()
    }

    /// Checks with an interruption after each function; returns the number of calls.
    fn in_steps(analyzer: &mut Analyzer, snapshot: &Snapshot) -> (Report, usize) {
        let mut calls = 1;
        loop {
            match analyzer.analyze_until(snapshot, &|| true) {
                Some(report) => return (report, calls),
                None => calls += 1,
            }
        }
    }

    #[test]
    fn an_interrupted_check_continues() {
        let mut document = Document::new(&text(9));
        let mut analyzer = Analyzer::default();
        let (report, calls) = in_steps(&mut analyzer, &document.snapshot());
        let expected = Analyzer::default().analyze(&document.snapshot());
        assert_eq!((report.diagnostics, calls), (expected.diagnostics, 9));
        // Afterwards only changed functions are checked, and those with syntax errors.
        let at = document.rope().to_string().find("add.u32").expect("an addition");
        document.edit(at..at + 3, "sub");
        let calls = in_steps(&mut analyzer, &document.snapshot()).1;
        assert!(calls <= 4, "{calls}");
    }

    #[test]
    fn an_edit_overtakes_a_check() {
        let mut document = Document::new(&text(12));
        let mut analyzer = Analyzer::default();
        for (word, new) in
            [("f3", "renamed"), ("ret", "exit"), (".func f5", ".func f5x"), ("sm_80", "sm_90"), ("}", "")]
        {
            let count = Cell::new(0);
            for _ in 0..4 {
                count.set(count.get() + usize::from(analyzer.analyze_until(&document.snapshot(), &|| true).is_none()));
            }
            let at = document.rope().to_string().find(word).expect("the word");
            document.edit(at..at + word.len(), new);
        }
        let report = analyzer.analyze(&document.snapshot());
        let expected = Analyzer::default().analyze(&Snapshot::new(&document.rope().to_string()));
        assert_eq!(report.diagnostics, expected.diagnostics);
        let lints = analyzer.lints(&document.snapshot(), &|| false);
        assert_eq!(lints, Analyzer::default().lints(&document.snapshot(), &|| false));
    }

    #[test]
    fn interrupted_lints_continue() {
        let snapshot = Snapshot::new(&text(8).replace("nothing", "7"));
        let mut analyzer = Analyzer::default();
        let mut calls = 1;
        let lints = loop {
            match analyzer.lints_until(&snapshot, &|| true, &|| false) {
                Some(lints) => break lints,
                None => calls += 1,
            }
        };
        assert!(calls > 3, "{calls}");
        assert_eq!(Some(lints), Analyzer::default().lints(&snapshot, &|| false));
    }
}
