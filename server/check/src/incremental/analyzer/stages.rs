//! The check of one snapshot, stage by stage.
//!
//! What is reused, and when; each row is asked before the next, which is smaller:
//!
//! | reused | if | code |
//! |---|---|---|
//! | the records of an interrupted check | it was of this snapshot, with this version and target | `interrupted` |
//! | the header of the module | the edits lie in bodies, comments or single declarations | `module_header` |
//! | the hash of an item's text | no edit touches the item | `unchanged` |
//! | the record of an item | its text is the same, and [`Record::holds`] | here |
//! | a single declaration of the header | its names are declared nowhere else | `module_header` |
//! | a statement | its text is the same, and the meaning of each name in it | `memo` |
//! | a block without diagnostics | the same, and the state before it | `body::blocks` |
//! | a mnemonic | version, target and project | `ptx_sema::forms::mnemonics` |
//! | the diagnostics of an item | its record is reused: the report refers to them | `list` |
//!
//! The conditions decide, so each result is that of a first check of the same text. Which edits came between two snapshots only saves
//! time: what no edit touches need not be hashed.

use super::Analyzer;
use super::contents::{CheckContext, ItemTask, check_item, is_broken, is_followed};
use super::functions::Functions;
use super::interrupted::InterruptedCheck;
use super::lints::{Cancelled, LintContext};
use super::list::{ListBuilder, SharedReport};
use super::module_header::{HeaderDifference, ModuleHeader};
use super::record::{IndexedRecord, Record, context, is_remembered, name_of};
use super::unchanged::{HashedRange, UnchangedItems, unchanged};
use crate::memo::Statements;
use crate::recovery;
use ptx_flow::flow::Module;
use ptx_sema::hir::hash::{hash_of, hash_range};
use ptx_sema::hir::module::{Header, ModuleItem, items};
use ptx_syntax::Snapshot;
use rustc_hash::FxHashMap as HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The module that is checked, as all stages after the first see it.
pub(super) struct ModuleCheck<'a> {
    pub snapshot: &'a Snapshot,
    pub items: &'a [ModuleItem<'a>],
    pub header: &'a Header,
    /// How the header differs from that of the previous snapshot, if that is known.
    pub difference: Option<&'a HeaderDifference>,
    /// The fingerprint of version and target.
    pub environment: u64,
}

/// The items of a module, divided into those whose records hold and those that have to be checked.
struct DividedItems {
    records: Vec<IndexedRecord>,
    tasks: Vec<ItemTask>,
    hashes: Vec<HashedRange>,
}

/// The results of the third stage.
struct CheckedItems {
    records: Vec<IndexedRecord>,
    /// Whether all items were checked before the check was told to stop.
    complete: bool,
}

impl Analyzer {
    /// As [`Self::analyze_until`], without a copy of the diagnostics of unchanged functions.
    pub fn check_until(&mut self, snapshot: &Snapshot, stop: &Cancelled<'_>) -> Option<SharedReport> {
        if self.for_one_check {
            // The last report took the diagnostics of its records, so no check may reuse them.
            self.functions = Functions::default();
            self.last = None;
        }
        let items = items(snapshot);
        let last = self.last.take();
        let untouched = unchanged(last.as_ref(), snapshot);
        let before = last.as_ref().map(|(last, _)| last);

        let module = self.read_header(snapshot, &items, before, &untouched);
        let check = ModuleCheck {
            snapshot,
            items: &items,
            header: &module.placed.header,
            difference: module.difference.as_ref(),
            environment: hash_of(&module.placed.header.environment),
        };
        let DividedItems { mut records, tasks, hashes } = self.divide(&check, &untouched);
        let checked = self.check_items(&check, before, tasks, stop);
        records.extend(checked.records);
        if !checked.complete {
            self.interrupt(snapshot, check.environment, records);
            self.last = last;
            return None;
        }
        self.last = Some((snapshot.clone(), hashes));
        Some(self.report(snapshot, &items, module, records))
    }

    /// Stage 1: the header of the module, from the one before if the edits allow it.
    fn read_header(
        &mut self,
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        before: Option<&Snapshot>,
        untouched: &UnchangedItems<'_>,
    ) -> ModuleHeader {
        let earlier = self.module.take().zip(before);
        let next = earlier.and_then(|(module, before)| {
            module.next(before, snapshot, items, &self.settings, &mut self.signatures, untouched)
        });
        next.unwrap_or_else(|| ModuleHeader::new(snapshot, items, &self.settings, &mut self.signatures, untouched))
    }

    /// Stage 2: takes the records that hold, and makes a task of each other item.
    fn divide(&mut self, check: &ModuleCheck<'_>, untouched: &UnchangedItems<'_>) -> DividedItems {
        let ModuleCheck { snapshot, items, header, .. } = *check;
        let mut resumed = self.resume(snapshot, check.environment);
        let mut out = DividedItems { records: Vec::new(), tasks: Vec::new(), hashes: Vec::new() };
        // Match unchanged functions first, so that a copy of one cannot take a record that another function could use.
        for (index, item) in items.iter().enumerate().filter(|(_, item)| is_remembered(item.node)) {
            let unchanged = untouched.get(&(item.range.start, item.range.end));
            let text = unchanged.map_or_else(|| hash_range(snapshot, item.range.clone()), |unchanged| unchanged.text);
            out.hashes.push((item.range.clone(), text));
            if let Some(record) = resumed.remove(&index) {
                out.records.push((index, record));
                continue;
            }
            // The parser's error recovery depends on more than a function's text, so the result of a function with a syntax
            // error is reused only for the very same tree.
            let has_same_tree = |record: &Record| {
                !is_broken(item) || unchanged.is_some_and(|u| u.stood_at(&record.place) && u.has_tree_of(item))
            };
            let mut earlier = self.functions.take_same(text);
            let may_stay = |record: &mut Box<Record>| {
                has_same_tree(record) && record.holds(check, index) && record.followed == is_followed(snapshot, item)
            };
            if let Some(mut record) = earlier.take_if(may_stay) {
                record.unused = 0;
                record.seen = header.names_seen_by(index);
                record.place = (snapshot.id(), item.range.clone());
                out.records.push((index, record));
                continue;
            }
            let statements = if self.for_one_check { Statements::forgetful() } else { Statements::default() };
            out.tasks.push(ItemTask { index, text, name: name_of(snapshot, item.node), earlier, statements });
        }
        for task in &mut out.tasks {
            task.earlier = task.earlier.take().or_else(|| self.functions.take_named(&task.name));
        }
        out
    }

    /// Stage 3: checks items on as many threads as are set, until `stop` returns true between two of them. At least one is checked.
    /// Earlier records of items that were not checked go back to the others.
    fn check_items(
        &mut self,
        check: &ModuleCheck<'_>,
        before: Option<&Snapshot>,
        tasks: Vec<ItemTask>,
        stop: &Cancelled<'_>,
    ) -> CheckedItems {
        let ModuleCheck { snapshot, items, header, environment, .. } = *check;
        let along = self.lints.along.map(|run| (run, Module::new(snapshot, items)));
        let lints = along.as_ref().map(|(run, module)| LintContext {
            run: *run,
            header,
            module,
            keeps_facts: self.lints.keeps_facts,
            keeps_addresses: self.lints.keeps_addresses,
            cancelled: stop,
        });
        let context = CheckContext { snapshot, plain: &[], header, environment, lints };
        let tasks: Vec<_> = tasks.into_iter().map(|task| (task.index, Mutex::new(Some(task)))).collect();
        let size = |(index, _): &(usize, _)| items[*index].range.len();
        let (begun, for_one_check) = (AtomicBool::new(false), self.for_one_check);
        let checked = self.threads.share(&tasks, size, &mut self.mnemonics, |mnemonics, (index, task)| {
            if begun.swap(true, Ordering::Relaxed) && stop() {
                return None;
            }
            let task = task.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            let record = check_item(&context, before, &items[*index], mnemonics, task);
            Some((*index, if for_one_check { record.without_statements() } else { record }))
        });
        let complete = checked.iter().all(Option::is_some);
        if !complete {
            let unused = tasks.into_iter().filter_map(|(_, task)| {
                task.into_inner().unwrap_or_else(PoisonError::into_inner).and_then(|task| task.earlier)
            });
            self.functions.put_back(unused);
        }
        CheckedItems { records: checked.into_iter().flatten().collect(), complete }
    }

    /// Stage 4: puts the report together, and keeps the records for the next check.
    fn report(
        &mut self,
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        mut module: ModuleHeader,
        mut records: Vec<IndexedRecord>,
    ) -> SharedReport {
        records.sort_by_key(|(index, _)| *index);
        let mut list = ListBuilder::default();
        for (index, record) in &mut records {
            // A record of the only check is not read again.
            let diagnostics = if self.for_one_check { std::mem::take(&mut record.found) } else { record.found.clone() };
            list.item(snapshot, &items[..*index], items[*index].range.start, diagnostics);
        }
        let aliases =
            records.iter().flat_map(|(index, record)| record.aliases.iter().map(move |names| (*index, names)));
        let aliases = aliases.map(|(index, names)| names.clone().shifted(items[index].range.start)).collect();
        let about_several = module.about_several(aliases);
        self.functions = self.functions.next(records.into_iter().map(|(_, record)| record));
        let mut outside = module.found.clone();
        recovery::complete(snapshot, &mut outside);
        let diagnostics = list.finish_module(snapshot, items, outside, about_several, module.placed.clone());
        let environment = module.placed.header.environment.clone();
        self.module = Some(module).filter(|_| !self.for_one_check);
        SharedReport { diagnostics, environment }
    }

    /// Stores the results of an unfinished check: the records of checked items.
    pub(super) fn interrupt(&mut self, snapshot: &Snapshot, environment: u64, done: Vec<IndexedRecord>) {
        self.interrupted = Some(InterruptedCheck { snapshot: snapshot.id(), environment, done });
    }

    /// Returns the items that an unfinished check of the same snapshot has checked. Those of another snapshot may serve as
    /// earlier results.
    pub(super) fn resume(&mut self, snapshot: &Snapshot, environment: u64) -> HashMap<usize, Box<Record>> {
        let Some(InterruptedCheck { snapshot: of, environment: with, done }) = self.interrupted.take() else {
            return HashMap::default();
        };
        if of == snapshot.id() && with == environment {
            return done.into_iter().collect();
        }
        self.functions.put_back(done.into_iter().map(|(_, record)| record));
        HashMap::default()
    }
}

impl Record {
    /// Whether the result still holds for this item of the module.
    pub(super) fn holds(&self, check: &ModuleCheck<'_>, item: usize) -> bool {
        let header = check.header;
        self.environment == context(check.environment, header)
            && self.first == (header.first_body == Some(item))
            && (self.seen == header.names_seen_by(item)
                || check.difference.is_some_and(|d| d.spares(self.seen, item, &self.dependencies))
                || self.dependencies.iter().all(|(name, symbol)| header.look_up(name, item) == *symbol))
    }
}
