//! How each spelling of an opcode with its modifiers is resolved, for one version and target.

use crate::forms::choose::{ResolvedInstruction, choose};
use crate::forms::head::{self, Head};
use crate::forms::operands;
use crate::forms::spec::applies;
use crate::hir::ast::Instruction;
use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, Isa, Opcode};
use rustc_hash::FxHashMap;
use std::sync::Arc;

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

impl Resolved {
    /// The form and operand variant that an instruction with this mnemonic is, or is nearest to; `None` if no form has its modifiers.
    pub fn choose(
        &self,
        instruction: &Instruction<'_>,
        names: &dyn operands::Names,
    ) -> Option<ResolvedInstruction<'_>> {
        choose(instruction, self.head.as_ref()?, &self.gates, names)
    }
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
    known: FxHashMap<Box<str>, Arc<Resolved>>,
}

impl Default for Heads {
    fn default() -> Self {
        Self::new(&ISA)
    }
}

impl Heads {
    /// Heads resolved after these tables.
    pub fn new(isa: &'static Isa) -> Self {
        Self { isa, environment: Environment::default(), known: FxHashMap::default() }
    }

    /// Resolves a head. `text` is the text that the instruction's offsets count in.
    pub fn resolve(&mut self, instruction: &Instruction<'_>, text: &str, environment: &Environment) -> Arc<Resolved> {
        self.resolve_as(text.get(instruction.head()).unwrap_or(""), instruction, environment)
    }

    /// Resolves the head of an instruction, which is remembered under that spelling.
    pub fn resolve_as(&mut self, key: &str, instruction: &Instruction<'_>, environment: &Environment) -> Arc<Resolved> {
        if self.environment != *environment {
            self.environment = environment.clone();
            self.known.clear();
        }
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
