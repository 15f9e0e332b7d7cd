//! What is remembered between two checks of a module.
//!
//! - [`Heads`]: how each spelling of an opcode with its modifiers is resolved, for one version and target.
//! - [`Statements`]: what was found in a statement, by the hash of its text and of everything that its meaning depends on
//!   (the module's header, the function's signature, the declarations before it, the labels around it).

use crate::ast::Instruction;
use crate::diagnostic::Diagnostic;
use crate::head::{self, Head};
use crate::spec::applies;
use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, Isa, Opcode};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Hash of a text.
pub fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Hash of two hashes; the order matters.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}

/// A resolved head together with what the module's version and target say of it.
#[derive(Debug)]
pub struct Resolved {
    /// The opcode, if there is one of that name.
    pub opcode: Option<&'static Opcode>,
    /// Its match.
    pub head: Option<Head>,
    /// For each candidate and each of its arrangements: the gates that refuse it and that advise against it.
    pub gates: Vec<Vec<Gates>>,
    /// What the module says of itself.
    pub environment: Environment,
}

/// The gates of one way to write an instruction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gates {
    /// Refused by this one.
    pub refused: Option<&'static Gate>,
    /// Advised against by this one.
    pub deprecated: Option<&'static Gate>,
    /// Not for the whole project because of this one.
    pub lacking: Option<&'static Gate>,
    /// Bound to one architecture or family by this one.
    pub bound: Option<&'static Gate>,
}

/// The heads of a module.
#[derive(Debug)]
pub struct Heads {
    isa: &'static Isa,
    environment: Environment,
    known: HashMap<Box<str>, Arc<Resolved>>,
}

impl Default for Heads {
    fn default() -> Self {
        Self::new(&ISA)
    }
}

impl Heads {
    /// Heads resolved after these tables.
    pub fn new(isa: &'static Isa) -> Self {
        Self { isa, environment: Environment::default(), known: HashMap::new() }
    }

    /// Resolves a head. `text` is the text that the instruction's offsets count in.
    pub fn resolve(&mut self, instruction: &Instruction<'_>, text: &str, environment: &Environment) -> Arc<Resolved> {
        if self.environment != *environment {
            self.environment = environment.clone();
            self.known.clear();
        }
        let key = text.get(instruction.head()).unwrap_or("");
        if let Some(known) = self.known.get(key) {
            return Arc::clone(known);
        }
        let opcode = self.isa.opcode(instruction.opcode.text);
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        let head = opcode.and_then(|o| head::resolve(o, &modifiers));
        let gates = head.iter().flat_map(|h| &h.candidates).map(|candidate| {
            let of = |arrangement| {
                let said = |gate: &Gate| applies(gate.when, &candidate.values, arrangement);
                Gates {
                    refused: environment.refused(candidate.form.gates, said),
                    deprecated: environment.deprecated(candidate.form.gates, said),
                    lacking: environment.project.first_lacking(candidate.form.gates, environment, said),
                    bound: environment.project.first_bound(candidate.form.gates, environment, said),
                }
            };
            candidate.arrangements.iter().map(of).collect()
        });
        let resolved = Arc::new(Resolved { opcode, gates: gates.collect(), head, environment: environment.clone() });
        self.known.insert(key.into(), Arc::clone(&resolved));
        resolved
    }
}

/// What was found in a statement.
#[derive(Debug, Clone)]
struct Finding {
    /// Ranges count from the start of the statement.
    found: Arc<[Diagnostic]>,
    /// Names of the module, or of nothing, that had a part in it.
    module: Box<[Box<str>]>,
    /// The hash of the labels in scope, where labels had a part in it.
    labels: Option<u64>,
}

/// What a statement's meaning was taken from, besides the declarations that its key covers.
#[derive(Debug, Clone, Default)]
pub struct Dependence {
    /// Names that no declaration of the function explains.
    pub module: Vec<Box<str>>,
    /// Labels.
    pub labels: bool,
}

/// The statements of one function.
#[derive(Debug, Default)]
pub struct Statements {
    /// Each with the number of the check that last met it.
    known: HashMap<u64, (u32, Finding), BuildHasherDefault<Ready>>,
    /// The number of this check.
    check: u32,
    /// How many statements this check met.
    met: usize,
    nothing: Option<Arc<[Diagnostic]>>,
}

impl Statements {
    /// What is known of a statement, and the names of the module that it depends on; ranges count from its start.
    /// `labels` is the hash of the labels in scope.
    pub fn recall(&mut self, key: u64, labels: u64) -> Option<(&[Diagnostic], &[Box<str>])> {
        let (check, finding) = self.known.get_mut(&key)?;
        if finding.labels.is_some_and(|l| l != labels) {
            return None;
        }
        *check = self.check;
        self.met += 1;
        Some((&finding.found, &finding.module))
    }

    /// Remembers what was found.
    pub fn remember(&mut self, key: u64, found: Vec<Diagnostic>, dependence: Dependence, labels: u64) {
        let found = if found.is_empty() {
            // Nearly every statement is clean; they share one empty list.
            Arc::clone(self.nothing.get_or_insert_with(|| Arc::from(Vec::new())))
        } else {
            Arc::from(found)
        };
        let labels = dependence.labels.then_some(labels);
        self.known.insert(key, (self.check, Finding { found, module: dependence.module.into(), labels }));
        self.met += 1;
    }

    /// Begins a check.
    pub fn begin(&mut self) {
        self.check = self.check.wrapping_add(1);
        self.met = 0;
    }

    /// Forgets what depends on names of the module, which have changed.
    pub fn forget_dependent(&mut self) {
        self.known.retain(|_, (_, finding)| finding.module.is_empty());
    }

    /// Ends a check. What it did not meet is forgotten once there is much of it: a keystroke leaves one behind.
    pub fn finish(&mut self) {
        if self.known.len() > 3 * self.met + 64 {
            let check = self.check;
            self.known.retain(|_, (met, _)| *met == check);
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
