//! A pass of the flow lints over a module. It runs when the document is idle.

use super::Analyzer;
use super::lints::{CachedLints, Cancelled, LintContext, fingerprint, has_body, lints_of};
use super::list::{DiagnosticList, ListBuilder, Report};
use super::record::is_remembered;
use crate::declarations;
use crate::diagnostic::Diagnostic;
use crate::lints::CheckedItem;
use crate::lints::reached;
use crate::registry;
use ptx_flow::flow::{LoweredBody, Module};
use ptx_flow::registers::facts::ModuleFacts;
use ptx_sema::hir::hash::{hash_of, mix};
use ptx_sema::hir::module::{ModuleItem, items};
use ptx_syntax::Snapshot;
use rustc_hash::FxHashSet as HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of passes for which the entry of a function that disappeared stays cached.
const MAX_UNUSED_PASSES: u32 = 8;

impl Analyzer {
    /// Runs the flow lints on a snapshot: the checks that [`Analyzer::analyze`] leaves out because they take too long for
    /// each keystroke. Functions with errors are skipped. Returns `None` if `cancelled` returned true meanwhile; the results
    /// so far stay cached.
    pub fn lints(&mut self, snapshot: &Snapshot, cancelled: &Cancelled<'_>) -> Option<Vec<Diagnostic>> {
        self.lints_until(snapshot, &|| false, cancelled)
    }

    /// Checks a snapshot and runs the flow lints on each function right after its check, which saves half of the work for them.
    /// Returns all diagnostics, or `None` if `cancelled` returned true meanwhile.
    pub fn check_with_lints(&mut self, snapshot: &Snapshot, cancelled: &Cancelled<'_>) -> Option<Report> {
        self.lints.along = Some(lints_of);
        let report = self.analyze_until(snapshot, cancelled);
        self.lints.along = None;
        let mut report = report?;
        report.diagnostics.extend(self.lints(snapshot, cancelled)?);
        report.diagnostics.sort_by_key(|d| (d.range.start, d.range.end));
        Some(report)
    }

    /// As [`Self::lints`], and also returns `None` between two functions when `stop` returns true. The next call continues there
    /// if it has the same snapshot. Each call covers at least one function.
    pub fn lints_until(
        &mut self,
        snapshot: &Snapshot,
        stop: &Cancelled<'_>,
        cancelled: &Cancelled<'_>,
    ) -> Option<Vec<Diagnostic>> {
        if self.last.as_ref().is_none_or(|(last, _)| last.id() != snapshot.id()) {
            self.analyze(snapshot);
        }
        let items = items(snapshot);
        let header =
            declarations::header(snapshot, &items, &self.settings, &mut self.signatures, &|_| None, &mut Vec::new());
        let module = Module::new(snapshot, &items);
        let environment = mix(hash_of(&header.environment), fingerprint(&module));
        if self.lints.interrupted.as_ref().is_none_or(|(of, _)| *of != snapshot.id()) {
            self.lints.pass += 1;
            self.lints.interrupted = None;
        }
        let mut done: HashSet<u64> = self.lints.interrupted.take().map(|(_, done)| done).unwrap_or_default();
        let pass = self.lints.pass;
        let hashes: Vec<u64> = self.last.iter().flat_map(|(_, all)| all.iter().map(|(_, text)| *text)).collect();
        let mut out = Vec::new();
        let mut summaries = Vec::new();
        let mut wanted = Vec::new();
        let remembered = items.iter().enumerate().filter(|(_, item)| is_remembered(item.node));
        for (record, ((index, item), text)) in remembered.zip(hashes).enumerate() {
            if !has_body(item.node) {
                continue;
            }
            let along = self.functions.records.get_mut(record).and_then(|r| r.as_mut()?.lints.take());
            if let Some(along) = along.filter(|_| !self.functions.has_errors(text)) {
                out.extend(along.found.clone().into_placed(item.range.start));
                summaries.push((item.range.clone(), along.summary.clone()));
                if self.lints.keeps_facts {
                    self.lints.known.insert(text, CachedLints { environment, pass, ..along });
                }
                continue;
            }
            let holds = |k: &CachedLints| k.environment == environment && k.names_hold(&header, index);
            if let Some(known) =
                self.lints.known.get_mut(&text).filter(|k| holds(k) && (!item.node.has_error() || done.contains(&text)))
            {
                known.pass = pass;
                out.extend(known.found.clone().into_placed(item.range.start));
                summaries.push((item.range.clone(), known.summary.clone()));
            } else if !self.functions.has_errors(text) {
                wanted.push((index, item, text));
            }
        }
        let whole = LintContext {
            header: &header,
            module: &module,
            keeps_facts: self.lints.keeps_facts,
            keeps_addresses: self.lints.keeps_addresses,
            cancelled,
            run: lints_of,
        };
        let begun = AtomicBool::new(false);
        let found = self.threads.share(
            &wanted,
            |(_, item, _)| item.range.len(),
            &mut self.mnemonics,
            |mnemonics, (index, item, _)| {
                let stops = begun.swap(true, Ordering::Relaxed) && stop();
                if stops || cancelled() {
                    return None;
                }
                let text = snapshot.text(item.range.clone());
                whole.function(item, *index, mnemonics, &text, LoweredBody::default())
            },
        );
        let mut complete = true;
        for ((_, item, text), found) in wanted.into_iter().zip(found) {
            let Some(found) = found else {
                complete = false;
                continue;
            };
            summaries.push((item.range.clone(), found.summary.clone()));
            if self.for_one_check {
                out.extend(found.found.into_placed(item.range.start));
                continue;
            }
            out.extend(found.found.clone().into_placed(item.range.start));
            done.insert(text);
            self.lints.known.insert(text, CachedLints { environment, pass, ..found });
        }
        if !complete {
            self.lints.interrupted = Some((snapshot.id(), done));
            return None;
        }
        self.lints.known.retain(|_, k| pass - k.pass <= MAX_UNUSED_PASSES);
        out.extend(registry::lint_module(snapshot, &items, self.checked(&items)));
        if reached::matters(&summaries, &header, &out) {
            reached::find(&summaries, self.checked(&items), &header, &mut out);
        }
        out.sort_by_key(|d| (d.range.start, d.range.end));
        Some(out)
    }

    /// The cached lints of the functions of the last checked snapshot: those that still have the same text and no error.
    pub fn remembered_lints(&self) -> DiagnosticList {
        let mut out = ListBuilder::default();
        for (range, text) in self.last.iter().flat_map(|(_, all)| all) {
            // The same text can have an error now, if the rest of the module has changed.
            if let Some(known) = self.lints.known.get(text).filter(|_| !self.functions.has_errors(*text)) {
                out.lints(range.start, &known.found);
            }
        }
        out.finish()
    }

    /// Makes later passes keep the flow facts of functions. They take memory that only an editor needs to spend.
    pub fn keep_facts(&mut self) {
        self.lints.keeps_facts = true;
    }

    /// Makes later passes also keep the addresses of memory accesses, with the flow facts.
    pub fn keep_addresses(&mut self) {
        self.keep_facts();
        self.lints.keeps_addresses = true;
    }

    /// The flow facts of the functions in the last passes, except those that now have an error.
    pub fn facts(&self) -> ModuleFacts {
        let known = self.lints.known.iter().filter(|(text, _)| !self.functions.has_errors(**text));
        ModuleFacts { by_text: known.filter_map(|(text, k)| Some((*text, Arc::clone(k.facts.as_ref()?)))).collect() }
    }

    /// The items whose contents were checked, for the flow lints about the functions of the module together.
    fn checked<'c, 's>(&'c self, items: &'c [ModuleItem<'s>]) -> impl Iterator<Item = CheckedItem<'c, 's>> {
        let checked = items.iter().filter(|i| is_remembered(i.node)).zip(&self.functions.records);
        checked.filter_map(|(item, record)| {
            let record = record.as_ref()?;
            let names = record.dependencies.iter().map(|(name, _)| name.as_ref());
            Some(CheckedItem { item, name: &record.name, names: names.collect() })
        })
    }
}
