//! The cache of the results of a function's statements, kept between checks.
//!
//! [`Statements`] holds the diagnostics of a statement by a hash of its text, the module's version and target, and the
//! function's directives. It also holds the meaning of every name that the check looked up. Before reuse those meanings are
//! compared, even if the statement was absent from the text for some checks, so a result cannot be stale.

use crate::diagnostic::Diagnostic;
use crate::suggestions::Suggestions;
use ptx_sema::hir::hash::hash;
use ptx_sema::hir::symbols::Symbol;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The cached diagnostics of a statement.
#[derive(Debug, Clone)]
struct StatementResult {
    /// Ranges count from the start of the statement.
    found: Arc<[Diagnostic]>,
    /// The names that the check looked up, with the meaning of each.
    names: Box<[(NameId, MeaningId)]>,
    /// The fingerprint of the module's names when the result was last valid; `None` if the check looked up none of them.
    module: Option<u64>,
    /// The state of the function in which the result was last known to be valid.
    state: u64,
    /// The number of the last check that used it.
    check: u32,
    /// For a block without diagnostics: the names in it.
    inside: Option<Arc<Inside>>,
}

/// The names that a block declares and uses. Ranges count from the start of the block.
#[derive(Debug)]
pub(crate) struct Inside {
    /// The state of the function before the block, without the names around all statements.
    pub(crate) own_state: u64,
    /// The names that it declares.
    pub declared: Box<[Range<u32>]>,
    /// The declared names that are ranges of registers.
    pub ranges: Box<[Range<u32>]>,
    /// Its labels.
    pub labels: Box<[Range<u32>]>,
    /// The names that were looked up in the module.
    pub of_module: Box<[Box<str>]>,
}

/// The meaning of a name at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NameMeaning {
    /// The symbol; `None` if the name is not declared.
    pub symbol: Option<Symbol>,
    /// Whether the name was looked up in the module, because the function does not declare it.
    pub module: bool,
}

type NameId = u32;
type MeaningId = u32;

/// The names that the statements of a function look up. Names and meanings are numbered: a function has few of them, but
/// thousands of statements that use them.
#[derive(Debug, Default)]
pub(crate) struct LookedUpNames {
    names: Vec<Box<str>>,
    /// Indices into `names`, by the hash of the name.
    by_name: HashMap<u64, NameId, BuildHasherDefault<Ready>>,
    meanings: Vec<NameMeaning>,
    by_meaning: FxHashMap<NameMeaning, MeaningId>,
    /// Indexed by name: the version of the scope at the last look-up, and the meaning found there.
    current: Vec<(u64, MeaningId)>,
    /// The look-ups of the current statement.
    noted: Vec<(NameId, MeaningId)>,
}

impl LookedUpNames {
    /// Records that the current statement has looked up a name.
    pub(crate) fn note(&mut self, name: &str, meaning: NameMeaning) {
        let name = *self.by_name.entry(hash(name)).or_insert_with(|| {
            self.names.push(name.into());
            self.current.push((0, 0));
            (self.names.len() - 1) as NameId
        });
        let noted = (name, self.meaning(meaning));
        if !self.noted.contains(&noted) {
            self.noted.push(noted);
        }
    }

    fn meaning(&mut self, meaning: NameMeaning) -> MeaningId {
        *self.by_meaning.entry(meaning).or_insert_with(|| {
            self.meanings.push(meaning);
            (self.meanings.len() - 1) as MeaningId
        })
    }

    /// Whether all names still have these meanings. `scope` is the version of the current scope, never 0.
    fn hold(&mut self, names: &[(NameId, MeaningId)], scope: u64, look_up: &impl Fn(&str) -> NameMeaning) -> bool {
        names.iter().all(|(name, meaning)| {
            let at = *name as usize;
            let (Some((last_scope, current)), Some(text)) = (self.current.get(at).copied(), self.names.get(at)) else {
                return false;
            };
            if last_scope == scope {
                return current == *meaning;
            }
            let meaning_id = self.meaning(look_up(text));
            if let Some(current) = self.current.get_mut(at) {
                *current = (scope, meaning_id);
            }
            meaning_id == *meaning
        })
    }

    fn of_module(&self, meaning: MeaningId) -> bool {
        self.meanings.get(meaning as usize).is_some_and(|m| m.module)
    }
}

/// The cached result of a statement.
pub(crate) struct Recalled<'s> {
    /// Ranges count from the start of the statement.
    pub found: &'s [Diagnostic],
    finding: &'s StatementResult,
    names: &'s LookedUpNames,
}

impl<'s> Recalled<'s> {
    /// The names that were looked up in the module.
    pub(crate) fn of_module(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        let names = self.names;
        let looked_up: &'s [_] = if self.finding.module.is_some() { &self.finding.names } else { &[] };
        let module_names = looked_up.iter().filter(move |(_, meaning)| names.of_module(*meaning));
        module_names.filter_map(move |(name, _)| names.names.get(*name as usize).map(AsRef::as_ref))
    }

    /// Whether the statement can be skipped as long as the state is the same: it has no diagnostics and looks up no module
    /// name.
    pub(crate) fn is_silent(&self) -> bool {
        self.found.is_empty() && self.finding.module.is_none()
    }
}

/// The cached results of the statements of one function.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    known: HashMap<u64, StatementResult, BuildHasherDefault<Ready>>,
    /// The names that the statements look up.
    pub names: RefCell<LookedUpNames>,
    /// The names that were suggested for undeclared ones.
    pub suggestions: Suggestions,
    /// The number of this check.
    check: u32,
    /// The number of statements in this check so far.
    met: usize,
    nothing: Option<Arc<[Diagnostic]>>,
    /// The fingerprint of the module's names that this function sees.
    module: u64,
    /// The version of the scope: counts its changes, over all checks.
    pub scope: u64,
    /// Whether nothing is cached, because there will be no other check.
    forgetful: bool,
}

impl Statements {
    /// Creates a cache that stores nothing, for the only check of a text: statements with the same text are rare in one text.
    pub(crate) fn forgetful() -> Self {
        Self { forgetful: true, ..Self::default() }
    }

    /// Whether the cache stores nothing.
    pub(crate) fn is_forgetful(&self) -> bool {
        self.forgetful
    }

    /// Records that the current statement has looked up a name.
    pub(crate) fn note(&self, name: &str, meaning: NameMeaning) {
        if !self.forgetful {
            self.names.borrow_mut().note(name, meaning);
        }
    }

    /// The cached result of a statement, if every name that it uses still has the same meaning. `state` is a hash of
    /// everything in the function on which names may depend: with the same state and the same module names, no name is looked
    /// up. `look_up` returns the meaning of a name.
    pub(crate) fn recall(
        &mut self,
        key: u64,
        state: u64,
        look_up: &impl Fn(&str) -> NameMeaning,
    ) -> Option<Recalled<'_>> {
        let finding = self.known.get_mut(&key)?;
        let names = self.names.get_mut();
        if finding.state != state || finding.module.is_some_and(|then| then != self.module) {
            if !names.hold(&finding.names, self.scope, look_up) {
                return None;
            }
            finding.state = state;
            finding.module = finding.module.map(|_| self.module);
        }
        finding.check = self.check;
        self.met += 1;
        Some(Recalled { found: &finding.found, finding, names })
    }

    /// Counts a statement that was skipped.
    pub(crate) fn pass(&mut self) {
        self.met += 1;
    }

    /// Caches the diagnostics of a statement with the recorded look-ups. Returns whether the statement can be skipped as long
    /// as the state is the same.
    pub(crate) fn remember(&mut self, key: u64, found: Vec<Diagnostic>, state: u64) -> bool {
        if self.forgetful {
            return false;
        }
        let diagnostics = if found.is_empty() {
            // Nearly every statement is clean; they share one empty list.
            Arc::clone(self.nothing.get_or_insert_with(|| Arc::from(Vec::new())))
        } else {
            Arc::from(found)
        };
        let names = self.names.get_mut();
        let noted: Box<[_]> = names.noted.drain(..).collect();
        let module = noted.iter().any(|(_, meaning)| names.of_module(*meaning)).then_some(self.module);
        let silent = diagnostics.is_empty() && module.is_none();
        self.known.insert(
            key,
            StatementResult { found: diagnostics, names: noted, module, state, check: self.check, inside: None },
        );
        self.met += 1;
        silent
    }

    /// The names in a cached block without diagnostics, if the state is the same, and also the module names if it uses any. `unaffected`
    /// is the state without the names around all statements, if the block had no diagnostics at the previous check, and none of these names
    /// that is in it has changed since.
    pub(crate) fn recall_block(&mut self, key: u64, state: u64, unaffected: Option<u64>) -> Option<Arc<Inside>> {
        let module = self.module;
        let finding = self.known.get_mut(&key).filter(|f| f.module.is_none_or(|then| then == module))?;
        let inside = Arc::clone(finding.inside.as_ref()?);
        if finding.state != state && unaffected != Some(inside.own_state) {
            return None;
        }
        finding.state = state;
        finding.check = self.check;
        self.met += 1;
        Some(inside)
    }

    /// Caches a block without diagnostics.
    pub(crate) fn remember_block(&mut self, key: u64, inside: Inside, state: u64) {
        if self.forgetful {
            return;
        }
        let empty = Arc::clone(self.nothing.get_or_insert_with(|| Arc::from(Vec::new())));
        let module = (!inside.of_module.is_empty()).then_some(self.module);
        let inside = Some(Arc::new(inside));
        self.known.insert(
            key,
            StatementResult { found: empty, names: Box::default(), module, state, check: self.check, inside },
        );
        self.met += 1;
    }

    /// Begins a statement: drops the recorded look-ups.
    pub(crate) fn begin_statement(&mut self) {
        self.names.get_mut().noted.clear();
    }

    /// Begins a check. `module` is the fingerprint of the module's names that the function sees.
    pub(crate) fn begin(&mut self, module: u64) {
        self.module = module;
        self.check = self.check.wrapping_add(1);
        self.met = 0;
        self.scope += 1;
    }

    /// Ends a check. Once the cache is large, drops the results that this check did not use: each keystroke leaves one
    /// behind. `passed` are the keys of the statements that were skipped.
    pub(crate) fn finish(&mut self, passed: impl Iterator<Item = u64>) {
        if self.known.len() <= 3 * self.met + 64 {
            return;
        }
        let passed: HashSet<u64, BuildHasherDefault<Ready>> = passed.collect();
        let check = self.check;
        self.known.retain(|key, finding| finding.check == check || passed.contains(key));
        if self.names.get_mut().names.len() > 8 * self.known.len() + 1024 {
            // Most names are prefixes of others, one for each typed letter.
            self.known.clear();
            self.names = RefCell::default();
        }
    }
}

/// A hasher for keys that are already hashes.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
