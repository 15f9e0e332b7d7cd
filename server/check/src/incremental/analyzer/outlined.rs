//! The check of a text that is read once and in parts.
//!
//! The declarations of a module come from its outline. Then each part is parsed, checked and forgotten, on several threads. A part with a
//! syntax error may declare something that the outline does not show. Then the declarations are read again, and the results of the other
//! parts are kept only where they still hold, as after an edit.

use super::contents::{CheckContext, ItemTask, check_item};
use super::lints::{Cancelled, LintContext, fingerprint, lints_of};
use super::record::{IndexedRecord, Record, is_remembered, name_of};
use super::stages::ModuleCheck;
use super::{Analyzer, Report};
use crate::declarations;
use crate::memo::Statements;
use ptx_flow::flow::Module;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::hash::{hash_of, hash_range};
use ptx_sema::hir::module::{Header, ModuleItem, items, items_of};
use ptx_syntax::{CompletePart, Outline, OutlinedPart, ParsedPart, Snapshot, in_parallel};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// The result of a part.
enum PartResult {
    /// The checked items, each with its index in the module.
    Checked(Vec<IndexedRecord>),
    Broken(CompletePart),
}

/// The declarations of a module, and a fingerprint of its version and target.
struct Declarations {
    header: Header,
    module: Module,
    environment: u64,
}

impl Analyzer {
    /// Checks a text and runs the flow lints, with the same result as [`Self::check_with_lints`] for the whole text. The trees of function
    /// bodies exist only while their part is checked. Afterwards the outline also has the complete trees of parts that had to be read twice.
    pub fn check_outline(&mut self, outline: &mut Outline<'_>, cancelled: &Cancelled<'_>) -> Option<Report> {
        let snapshot = outline.snapshot().clone();
        let items = items(&snapshot);
        let known = self.declarations(&snapshot, &items);
        let (mut checked, mut broken) = (Vec::new(), Vec::new());
        for (part, result) in self.check_parts(outline, &known, cancelled)? {
            match result {
                PartResult::Checked(records) => checked.push((part, records)),
                PartResult::Broken(trees) => broken.push((part, trees)),
            }
        }
        let mut environment = known.environment;
        let mut done: Vec<IndexedRecord> = Vec::new();
        if broken.is_empty() {
            done.extend(checked.into_iter().flat_map(|(_, records)| records));
        } else {
            let mut earlier = HashMap::default();
            for (part, records) in checked {
                earlier.extend(records.into_iter().map(|(index, record)| (items[index].range.start, (part, record))));
            }
            outline.complete(broken);
            (environment, done) = self.still_valid(outline, &known.module, earlier);
        }
        let snapshot = outline.snapshot().clone();
        self.interrupt(&snapshot, environment, done);
        self.check_with_lints(&snapshot, cancelled)
    }

    fn declarations(&mut self, snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> Declarations {
        let header =
            declarations::header(snapshot, items, &self.settings, &mut self.signatures, &|_| None, &mut Vec::new());
        let environment = hash_of(&header.environment);
        Declarations { header, module: Module::new(snapshot, items), environment }
    }

    /// Parses and checks all parts of an outline that lack the bodies of functions.
    fn check_parts(
        &mut self,
        outline: &Outline<'_>,
        known: &Declarations,
        cancelled: &Cancelled<'_>,
    ) -> Option<Vec<(usize, PartResult)>> {
        let Declarations { header, module, environment } = known;
        let lints = LintContext {
            run: lints_of,
            header,
            module,
            keeps_facts: self.lints.keeps_facts,
            keeps_addresses: self.lints.keeps_addresses,
            cancelled,
        };
        let whole = outline.snapshot();
        let mut first_items = Vec::new();
        let mut count = 0;
        for root in whole.roots() {
            first_items.push(count);
            count += items_of(whole, root).len();
        }
        let check = |mnemonics: &mut MnemonicCache, part: &OutlinedPart| {
            if cancelled() {
                return None;
            }
            let first = *first_items.get(part.root)?;
            let mut parsed = outline.parse(part.number)?;
            loop {
                let (snapshot, plain) = match parsed {
                    ParsedPart::Sound(snapshot, plain) => (snapshot, plain),
                    ParsedPart::Broken(trees) => return Some((part.number, PartResult::Broken(trees))),
                };
                let context = CheckContext {
                    snapshot: &snapshot,
                    plain: &plain,
                    header,
                    environment: *environment,
                    lints: Some(lints),
                };
                match records_of(&context, first, mnemonics) {
                    Some(records) => return Some((part.number, PartResult::Checked(records))),
                    None => parsed = outline.parse_all(part.number)?,
                }
            }
        };
        let parts = outline.parts();
        let checked = self.threads.share(&parts, |part| part.size, &mut self.mnemonics, check);
        checked.into_iter().collect()
    }

    /// Reads the declarations again, after some parts of the outline got their complete trees. Returns the fingerprint of version and
    /// target, and the results that still hold, by the index of their item. The parts of all other results get their complete trees too.
    /// `earlier` has the results and the numbers of their parts, by the start of the item.
    fn still_valid(
        &mut self,
        outline: &mut Outline<'_>,
        module: &Module,
        mut earlier: HashMap<usize, (usize, Box<Record>)>,
    ) -> (u64, Vec<IndexedRecord>) {
        let snapshot = outline.snapshot().clone();
        let items = items(&snapshot);
        let now = self.declarations(&snapshot, &items);
        let same_module = fingerprint(module) == fingerprint(&now.module);
        let (mut done, mut outdated) = (Vec::new(), BTreeSet::new());
        let check = ModuleCheck {
            snapshot: &snapshot,
            items: &items,
            header: &now.header,
            difference: None,
            environment: now.environment,
        };
        for (index, item) in items.iter().enumerate() {
            let Some((part, record)) = earlier.remove(&item.range.start) else { continue };
            let lints_hold = record.lints.as_ref().is_none_or(|lints| lints.names_hold(&now.header, index));
            if same_module && lints_hold && record.holds(&check, index) {
                done.push((index, record));
            } else {
                outdated.insert(part);
            }
        }
        let outdated: Vec<usize> = outdated.into_iter().collect();
        let parse = |(): &mut (), part: &usize| Some((*part, outline.complete_part(*part)?));
        let complete = in_parallel(&outdated, self.threads.0, || (), parse);
        outline.complete(complete.into_iter().flatten());
        (now.environment, done)
    }
}

/// Checks the items of a part; the first one has the index `first` in the module. `None` if the check needs nodes that the trees lack.
fn records_of(context: &CheckContext<'_>, first: usize, mnemonics: &mut MnemonicCache) -> Option<Vec<IndexedRecord>> {
    let snapshot = context.snapshot;
    let mut out = Vec::new();
    for (index, item) in items(snapshot).iter().enumerate().filter(|(_, item)| is_remembered(item.node)) {
        let index = first + index;
        let (text, name) = (hash_range(snapshot, item.range.clone()), name_of(snapshot, item.node));
        let task = ItemTask { index, text, name, earlier: None, statements: Statements::forgetful() };
        let record = check_item(context, None, item, mnemonics, task);
        if record.needs_nodes {
            return None;
        }
        out.push((index, record.without_statements()));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;
    use ptx_syntax::{Outline, Snapshot};

    fn function(name: &str, body: &str) -> String {
        format!(".visible .func {name}()\n{{\n    .reg .b32 %r<4>;\n    {body}\n    ret;\n}}\n")
    }

    fn module(functions: &[(&str, &str)]) -> String {
        let functions: String = functions.iter().map(|(name, body)| function(name, body)).collect();
        format!(".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 data[2] = {{1, 2}};\n{functions}")
    }

    /// Checks in parts of one function; returns how many parts the outline lacks afterwards.
    fn check(text: &str) -> usize {
        let expected = Analyzer::for_one_check().check_with_lints(&Snapshot::with_chunk_size(text, 1, 1), &|| false);
        let expected = expected.expect("not cancelled");
        let mut left = 0;
        for threads in [1, 2] {
            let mut analyzer = Analyzer::for_one_check();
            analyzer.set_threads(threads);
            let mut outline = Outline::with_part_size(text, threads, 1);
            let report = analyzer.check_outline(&mut outline, &|| false).expect("not cancelled");
            assert_eq!(report.diagnostics, expected.diagnostics, "{text}");
            assert_eq!(report.environment, expected.environment);
            left = outline.parts().len();
        }
        left
    }

    #[test]
    fn sound_parts_are_forgotten() {
        let text = module(&[
            ("a", "mov.u32 %r1, %r5;"),
            ("b", "st.global.u32 [data], %r1; call c;"),
            ("c", "mov.u32 %r1, 3; mov.u32 %r1, 4; .loc 1 2"),
        ]);
        assert_eq!(check(&text), 3);
        assert_eq!(check(&module(&[])), 0);
    }

    #[test]
    fn what_a_broken_part_declares_counts() {
        // A function inside another one is an error, but the functions behind it can call it.
        let cases = [
            ("ret; .func x( )", "call x;", 1),
            ("ret; .func x( )", "call a;", 2),
            // The functions behind it no longer read what follows the call.
            ("ret; .func a() .noreturn", "call a; mov.u32 %r1, %r2;", 0),
            ("mov.u32 %r1 %r2 )", "call b;", 2),
            ("/*", "call a;", 1),
            ("}", "call a;", 2),
            ("{", "call a;", 2),
        ];
        for (body, later, left) in cases {
            let text = module(&[("a", "ret;"), ("b", body), ("c", later)]);
            assert_eq!(check(&text), left, "{body}");
            check(&text.replace(".visible .func c", ".func c"));
        }
    }

    #[test]
    fn an_open_function_is_reported_in_a_text_of_any_size() {
        for body in ["mov.u32 %r1, %r2;", "mov.u32 %r1 %r2;", "mov.u32 %r1,ß %r2;"] {
            let text = module(&[("a", body), ("b", "ret;")]).replacen("ret;\n}\n", "ret;\n", 1);
            let messages = |size: usize| -> Vec<String> {
                let snapshot = Snapshot::with_chunk_size(&text, 1, size);
                let report = Analyzer::for_one_check().check_with_lints(&snapshot, &|| false).expect("not cancelled");
                report.diagnostics.iter().map(|d| d.message().to_string()).collect()
            };
            let small = messages(text.len());
            assert!(small.iter().any(|message| message.contains("`}` is missing")), "{small:?}");
            assert_eq!(messages(1), small, "{text}");
        }
    }

    #[test]
    fn a_check_can_be_cancelled() {
        let text = module(&[("a", "ret;"), ("b", "ret;")]);
        let mut outline = Outline::with_part_size(&text, 1, 1);
        assert!(Analyzer::for_one_check().check_outline(&mut outline, &|| true).is_none());
    }
}
