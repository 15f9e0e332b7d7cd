//! The cached checks of a module's functions, by text and by name.

use super::record::Record;
use ptx_sema::hir::hash::hash;
use rustc_hash::FxHashSet;

/// The number of checks for which the result of a function that disappeared stays cached. A keystroke may change the
/// structure of half a file for a moment, and the next one restores it.
const MAX_UNUSED_CHECKS: u8 = 6;

/// The cached checks of functions.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// `None` where a record was taken.
    pub records: Vec<Option<Box<Record>>>,
    by_text: Index,
    by_name: Index,
    /// The hashes of texts in which a check found errors; the record may have been taken.
    with_errors: FxHashSet<u64>,
}

impl Functions {
    /// Takes the record of a function with the same text, if one is left.
    pub(super) fn take_same(&mut self, text: u64) -> Option<Box<Record>> {
        self.by_text.take(text, &mut self.records)
    }

    /// Takes the record of a function with this name, if one is left.
    pub(super) fn take_named(&mut self, name: &str) -> Option<Box<Record>> {
        self.by_name.take(hash(name), &mut self.records)
    }

    /// The records of functions with this text.
    pub(super) fn with_text(&self, text: u64) -> impl Iterator<Item = &Record> {
        self.by_text.of(text).filter_map(|index| self.records.get(index)?.as_deref())
    }

    /// Whether the check of a function with this text found an error.
    pub(super) fn has_errors(&self, text: u64) -> bool {
        // Thousands of functions may have the same text.
        self.with_errors.contains(&text) && self.with_text(text).any(|record| record.has_errors)
    }

    /// Combines the records of this check with those of earlier checks that may be needed again.
    pub(super) fn next(&mut self, records: impl IntoIterator<Item = Box<Record>>) -> Self {
        let mut records: Vec<_> = records.into_iter().collect();
        let most = records.len() * 2 + 64;
        for mut record in std::mem::take(&mut self.records).into_iter().flatten() {
            record.unused += 1;
            if record.unused <= MAX_UNUSED_CHECKS && records.len() < most {
                records.push(record);
            }
        }
        let mut out = Self::default();
        out.put_back(records);
        out
    }

    /// Adds records, behind those that are there.
    pub(super) fn put_back(&mut self, records: impl IntoIterator<Item = Box<Record>>) {
        for record in records {
            if record.has_errors {
                self.with_errors.insert(record.text);
            }
            self.by_text.entries.push((record.text, self.records.len()));
            self.by_name.entries.push((hash(&record.name), self.records.len()));
            self.records.push(Some(record));
        }
        self.by_text.sort();
        self.by_name.sort();
    }
}

/// The indices of records by a hash. Sorting pairs takes a tenth of the time of filling a hash map of lists.
#[derive(Debug, Default)]
struct Index {
    /// In order.
    entries: Vec<(u64, usize)>,
    /// For the first entry of each hash: how many entries with this hash are known to be taken.
    taken: Vec<usize>,
}

impl Index {
    fn sort(&mut self) {
        self.entries.sort_unstable();
        self.taken.clear();
        self.taken.resize(self.entries.len(), 0);
    }

    fn start(&self, hash: u64) -> usize {
        self.entries.partition_point(|(own, _)| *own < hash)
    }

    fn of(&self, hash: u64) -> impl Iterator<Item = usize> {
        let rest = self.entries.get(self.start(hash)..).unwrap_or_default();
        rest.iter().take_while(move |(own, _)| *own == hash).map(|(_, index)| *index)
    }

    /// Takes the first record with this hash that is left.
    fn take(&mut self, hash: u64, records: &mut [Option<Box<Record>>]) -> Option<Box<Record>> {
        let start = self.start(hash);
        let taken = self.taken.get_mut(start)?;
        while let Some((_, index)) = self.entries.get(start + *taken).filter(|(own, _)| *own == hash) {
            *taken += 1;
            if let Some(record) = records.get_mut(*index).and_then(Option::take) {
                return Some(record);
            }
        }
        None
    }
}
