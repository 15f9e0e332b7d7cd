//! What is remembered of the statements of a function between two checks.
//!
//! [`Statements`] has the diagnostics of a statement, by the hash of its text, the module's version and target and the function's
//! directives, with the meaning of every name that the check looked up. Reuse compares those meanings, however long the statement was
//! away, so a result cannot be stale.

use crate::check::diagnostic::Diagnostic;
use crate::hir::hash::hash;
use crate::hir::symbols::Symbol;
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
    /// The names that had a part in it, and what each of them stood for.
    names: Box<[(NameId, MeaningId)]>,
    /// The fingerprint of the module's names when the result was last valid; `None` if the check looked up none of them.
    module: Option<u64>,
    /// The state of the function in which all that was last known to hold.
    state: u64,
    /// The number of the check that last met it.
    check: u32,
    /// Of a block, what is in it. Nothing was found there.
    inside: Option<Arc<Inside>>,
}

/// The names that a block declares and uses. Ranges count from the start of the block.
#[derive(Debug)]
pub struct Inside {
    /// The names that it declares.
    pub declared: Box<[Range<u32>]>,
    /// Those of them that are ranges of registers.
    pub ranges: Box<[Range<u32>]>,
    /// Its labels.
    pub labels: Box<[Range<u32>]>,
    /// The names that were looked for in the module.
    pub of_module: Box<[Box<str>]>,
}

/// The meaning of a name at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NameMeaning {
    /// Nothing, if it is declared nowhere.
    pub symbol: Option<Symbol>,
    /// No declaration of the function explains it.
    pub module: bool,
}

type NameId = u32;
type MeaningId = u32;

/// The names that the statements of a function look up, with numbers for names and meanings: a function has few, and thousands of
/// statements that use them.
#[derive(Debug, Default)]
pub struct LookedUpNames {
    names: Vec<Box<str>>,
    /// By the hash of the name.
    by_name: HashMap<u64, NameId, BuildHasherDefault<Ready>>,
    meanings: Vec<NameMeaning>,
    by_meaning: FxHashMap<NameMeaning, MeaningId>,
    /// What a name stands for, and as of which change of the scope.
    current: Vec<(u64, MeaningId)>,
    /// What the statement at hand has looked up.
    noted: Vec<(NameId, MeaningId)>,
}

impl LookedUpNames {
    /// The statement at hand has looked up a name.
    pub fn note(&mut self, name: &str, meaning: NameMeaning) {
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

    /// Whether names mean what they did. `scope` is a number for the scope as it is, never 0.
    fn hold(&mut self, names: &[(NameId, MeaningId)], scope: u64, look_up: &impl Fn(&str) -> NameMeaning) -> bool {
        names.iter().all(|(name, meaning)| {
            let at = *name as usize;
            let (Some((known, current)), Some(text)) = (self.current.get(at).copied(), self.names.get(at)) else {
                return false;
            };
            if known == scope {
                return current == *meaning;
            }
            let found = look_up(text);
            let found = self.meaning(found);
            if let Some(current) = self.current.get_mut(at) {
                *current = (scope, found);
            }
            found == *meaning
        })
    }

    fn of_module(&self, meaning: MeaningId) -> bool {
        self.meanings.get(meaning as usize).is_some_and(|m| m.module)
    }
}

/// What is known of a statement.
pub struct Recalled<'s> {
    /// Ranges count from the start of the statement.
    pub found: &'s [Diagnostic],
    finding: &'s StatementResult,
    names: &'s LookedUpNames,
}

impl<'s> Recalled<'s> {
    /// The names that were looked for in the module.
    pub fn of_module(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        let (names, all): (&'s LookedUpNames, &'s [_]) =
            (self.names, if self.finding.module.is_some() { &self.finding.names } else { &[] });
        let own = all.iter().filter(move |(_, meaning)| names.of_module(*meaning));
        own.filter_map(move |(name, _)| names.names.get(*name as usize).map(AsRef::as_ref))
    }

    /// Whether there is nothing to do when it is met again in the same state.
    pub fn is_silent(&self) -> bool {
        self.found.is_empty() && self.finding.module.is_none()
    }
}

/// The statements of one function.
#[derive(Debug, Default)]
pub struct Statements {
    known: HashMap<u64, StatementResult, BuildHasherDefault<Ready>>,
    /// What they look up.
    pub names: RefCell<LookedUpNames>,
    /// The number of this check.
    check: u32,
    /// How many statements this check met.
    met: usize,
    nothing: Option<Arc<[Diagnostic]>>,
    /// The fingerprint of the module's names that this function sees.
    module: u64,
    /// Counts the changes of the scope, over all checks.
    pub scope: u64,
    /// Nothing is remembered: there will be no other check.
    forgetful: bool,
}

impl Statements {
    /// Remembers nothing, for the one check of a text: statements of the same text are rare in one.
    pub fn forgetful() -> Self {
        Self { forgetful: true, ..Self::default() }
    }

    /// A statement has looked up a name.
    pub fn note(&self, name: &str, meaning: NameMeaning) {
        if !self.forgetful {
            self.names.borrow_mut().note(name, meaning);
        }
    }

    /// What is known of a statement, if every name that it uses means what it did. `state` is a hash of everything in the function that
    /// names may depend on: in the same state, and with the same names in the module, nothing is looked up. `look_up` says what a name
    /// stands for.
    pub fn recall(&mut self, key: u64, state: u64, look_up: &impl Fn(&str) -> NameMeaning) -> Option<Recalled<'_>> {
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

    /// A statement was met of which nothing need be recalled.
    pub fn pass(&mut self) {
        self.met += 1;
    }

    /// Remembers what was found with the names that were noted. Whether there is nothing to do when it is met again in the same state.
    pub fn remember(&mut self, key: u64, found: Vec<Diagnostic>, state: u64) -> bool {
        if self.forgetful {
            return false;
        }
        let found = if found.is_empty() {
            // Nearly every statement is clean; they share one empty list.
            Arc::clone(self.nothing.get_or_insert_with(|| Arc::from(Vec::new())))
        } else {
            Arc::from(found)
        };
        let names = self.names.get_mut();
        let noted: Box<[_]> = names.noted.drain(..).collect();
        let module = noted.iter().any(|(_, meaning)| names.of_module(*meaning)).then_some(self.module);
        let silent = found.is_empty() && module.is_none();
        self.known.insert(key, StatementResult { found, names: noted, module, state, check: self.check, inside: None });
        self.met += 1;
        silent
    }

    /// What is known of a block in which nothing was found, if it was met in the very same state, and with the same names in the module
    /// where it uses some.
    pub fn recall_block(&mut self, key: u64, state: u64) -> Option<Arc<Inside>> {
        let module = self.module;
        let same =
            |finding: &&mut StatementResult| finding.state == state && finding.module.is_none_or(|then| then == module);
        let finding = self.known.get_mut(&key).filter(same)?;
        let inside = Arc::clone(finding.inside.as_ref()?);
        finding.check = self.check;
        self.met += 1;
        Some(inside)
    }

    /// Remembers a block in which nothing was found.
    pub fn remember_block(&mut self, key: u64, inside: Inside, state: u64) {
        if self.forgetful {
            return;
        }
        let found = Arc::clone(self.nothing.get_or_insert_with(|| Arc::from(Vec::new())));
        let module = (!inside.of_module.is_empty()).then_some(self.module);
        let inside = Some(Arc::new(inside));
        self.known
            .insert(key, StatementResult { found, names: Box::default(), module, state, check: self.check, inside });
        self.met += 1;
    }

    /// Forgets the names that were noted: another statement begins.
    pub fn begin_statement(&mut self) {
        self.names.get_mut().noted.clear();
    }

    /// Begins a check. `module` is the fingerprint of the module's names that the function sees.
    pub fn begin(&mut self, module: u64) {
        self.module = module;
        self.check = self.check.wrapping_add(1);
        self.met = 0;
        self.scope += 1;
    }

    /// Ends a check. What it did not meet is forgotten once there is much of it: a keystroke leaves one behind. `passed` are the keys of
    /// the statements that were met without being recalled.
    pub fn finish(&mut self, passed: impl Iterator<Item = u64>) {
        if self.known.len() <= 3 * self.met + 64 {
            return;
        }
        let passed: HashSet<u64, BuildHasherDefault<Ready>> = passed.collect();
        let check = self.check;
        self.known.retain(|key, finding| finding.check == check || passed.contains(key));
        if self.names.get_mut().names.len() > 8 * self.known.len() + 1024 {
            // Prefixes of names, one for each letter that was typed.
            self.known.clear();
            self.names = RefCell::default();
        }
    }
}

/// The keys are hashes already.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ready(u64);

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
