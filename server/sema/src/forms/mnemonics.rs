//! The cache of resolved mnemonics, for one version and target.

use crate::forms::choose::{ResolvedInstruction, choose};
use crate::forms::mnemonic::{self, Mnemonic, holds};
use crate::forms::operands;
use crate::forms::spec::applies;
use crate::hir::ast::Instruction;
use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Emulation, Gate, Isa, Opcode};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A resolved mnemonic with the gates that apply for the module's version and target.
#[derive(Debug)]
pub struct ResolvedMnemonic {
    /// The opcode, if one with this name exists.
    pub opcode: Option<&'static Opcode>,
    /// The mnemonic resolved against the forms.
    pub mnemonic: Option<Mnemonic>,
    /// Indexed by candidate and variant: the gates that apply to it.
    pub gates: Vec<Vec<Gates>>,
    /// The module's PTX version, target and address size.
    pub environment: Environment,
}

impl ResolvedMnemonic {
    /// The form and operand variant that an instruction with this mnemonic matches, or the nearest ones; `None` if no form
    /// has its modifiers.
    pub fn choose(
        &self,
        instruction: &Instruction<'_>,
        names: &dyn operands::NameLookup,
    ) -> Option<ResolvedInstruction<'_>> {
        choose(instruction, self.mnemonic.as_ref()?, &self.gates, names)
    }
}

/// An instruction, lowered and with its mnemonic resolved. The flow lints take over those of the check.
#[derive(Debug)]
pub struct LoweredInstruction<'t> {
    /// The instruction; its offsets count from the start of the item.
    pub instruction: Instruction<'t>,
    /// Its mnemonic.
    pub mnemonic: Arc<ResolvedMnemonic>,
}

/// The gates that apply to one operand variant of a form.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gates {
    /// The gate that refuses the variant.
    pub refused: Option<&'static Gate>,
    /// The gate that deprecates the variant.
    pub deprecated: Option<&'static Gate>,
    /// The gate because of which the variant is not available on all targets of the project.
    pub lacking: Option<&'static Gate>,
    /// The gate that restricts the variant to one architecture or family.
    pub bound: Option<&'static Gate>,
}

/// The mnemonics of a module, each resolved once.
#[derive(Debug)]
pub struct MnemonicCache {
    isa: &'static Isa,
    environment: Environment,
    known: FxHashMap<Box<str>, Arc<ResolvedMnemonic>>,
}

impl Default for MnemonicCache {
    fn default() -> Self {
        Self::new(&ISA)
    }
}

impl MnemonicCache {
    /// An empty cache that resolves against `isa`.
    pub fn new(isa: &'static Isa) -> Self {
        Self { isa, environment: Environment::default(), known: FxHashMap::default() }
    }

    /// Resolves the mnemonic of an instruction. `text` is the text to which the instruction's offsets refer.
    pub fn resolve(
        &mut self,
        instruction: &Instruction<'_>,
        text: &str,
        environment: &Environment,
    ) -> Arc<ResolvedMnemonic> {
        self.resolve_as(text.get(instruction.mnemonic_range()).unwrap_or(""), instruction, environment)
    }

    /// Resolves the mnemonic of an instruction and caches it under the spelling `key`.
    pub(crate) fn resolve_as(
        &mut self,
        key: &str,
        instruction: &Instruction<'_>,
        environment: &Environment,
    ) -> Arc<ResolvedMnemonic> {
        if self.environment != *environment {
            self.environment = environment.clone();
            self.known.clear();
        }
        if let Some(known) = self.known.get(key) {
            return Arc::clone(known);
        }
        let opcode = self.isa.opcode(instruction.opcode.text);
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        let mut mnemonic = opcode.and_then(|o| mnemonic::resolve(o, &modifiers));
        for candidate in mnemonic.iter_mut().flat_map(|m| &mut m.candidates) {
            let concerns = |e: &&Emulation| holds(e.when, &candidate.values, None) == Some(true);
            for emulation in candidate.form.emulations.iter().filter(|e| environment.emulates(e)).filter(concerns) {
                candidate.variants.iter_mut().for_each(|v| v.emulate(emulation.operands));
            }
        }
        let gates = mnemonic.iter().flat_map(|h| &h.candidates).map(|candidate| {
            let of = |variant| {
                let said = |gate: &Gate| applies(gate.when, &candidate.values, variant);
                Gates {
                    refused: environment.refused(candidate.form.gates, said),
                    deprecated: environment.deprecated(candidate.form.gates, said),
                    lacking: environment.project.first_lacking(candidate.form.gates, environment, said),
                    bound: environment.project.first_bound(candidate.form.gates, environment, said),
                }
            };
            candidate.variants.iter().map(of).collect()
        });
        let resolved =
            Arc::new(ResolvedMnemonic { opcode, gates: gates.collect(), mnemonic, environment: environment.clone() });
        self.known.insert(key.into(), Arc::clone(&resolved));
        resolved
    }
}
