//! What the instructions of a text inside another language do, as the tables declare it: the compiler of that language knows
//! only what its programmer says of the text.

use ptx_isa::ISA;
use ptx_isa::tables::{Effect, Entry, OperandAccess, Protocol, ValueKind, Verb};
use ptx_sema::forms::choose::{ResolvedInstruction, VariantFit};
use ptx_sema::forms::mnemonic::holds;
use ptx_sema::forms::mnemonics::ResolvedMnemonic;
use ptx_sema::forms::operands::{self, NameLookup};
use ptx_sema::forms::spec::{OperandPattern, OperandSpec};
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind, SourceWord};
use std::ops::Range;

/// What instructions do. Byte ranges are those of mnemonics, or of operands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actions {
    /// The instructions that order accesses to memory, or wait for some.
    pub fences: Vec<Range<usize>>,
    /// The instructions that write memory.
    pub stores: Vec<Range<usize>>,
    /// The instructions that do more than write their results: these, and those that change the state of a protocol, such as
    /// a barrier.
    pub side_effects: Vec<Range<usize>>,
    /// The instructions that read a clock or a counter: two of them may get different values.
    pub clocks: Vec<Range<usize>>,
    /// The instructions that must read memory each time, such as `ld.relaxed` and `ld.volatile`.
    pub strong_loads: Vec<Range<usize>>,
    /// The other instructions that read memory which may be written meanwhile.
    pub loads: Vec<Range<usize>>,
    /// The instructions that read or set the carry, in text order.
    pub carries: Vec<CarryUse>,
    /// The operands that are written: name and place. An operand occurs once for each write.
    pub written: Vec<(Box<str>, Range<usize>)>,
}

/// An instruction that uses the carry flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarryUse {
    /// Its mnemonic.
    pub range: Range<usize>,
    /// It adds the carry that an instruction before it has set.
    pub reads: bool,
    /// It sets the carry.
    pub sets: bool,
}

impl Actions {
    /// All byte ranges.
    pub(crate) fn ranges_mut(&mut self) -> impl Iterator<Item = &mut Range<usize>> {
        let all = self.fences.iter_mut().chain(&mut self.stores).chain(&mut self.side_effects);
        let all = all.chain(&mut self.clocks).chain(&mut self.strong_loads).chain(&mut self.loads);
        all.chain(self.carries.iter_mut().map(|c| &mut c.range)).chain(self.written.iter_mut().map(|(_, range)| range))
    }

    /// Adds what an instruction does that begins at the byte offset `start`; nothing if it has a mistake.
    pub(crate) fn note(
        &mut self,
        instruction: &Instruction<'_>,
        resolved: &ResolvedMnemonic,
        names: &dyn NameLookup,
        start: usize,
    ) {
        let Some(chosen) = resolved.choose(instruction, names).filter(|c| matches!(c.fit, VariantFit::Fits)) else {
            return;
        };
        let mnemonic = instruction.mnemonic_range();
        let mnemonic = mnemonic.start + start..mnemonic.end + start;
        let applies = |e: &&Effect| e.when.is_empty() || holds(e.when, &chosen.candidate.values, None) == Some(true);
        let effects: Vec<&Effect> = chosen.candidate.form.effects.iter().filter(applies).collect();
        let fences = effects.iter().any(|e| matches!(e.verb, Verb::Fences | Verb::Waits));
        if fences {
            self.fences.push(mnemonic.clone());
        }
        if let Some((reads, sets)) = carry(chosen.candidate.entry, instruction) {
            self.carries.push(CarryUse { range: mnemonic.clone(), reads, sets });
        }
        let mut stores = assigns_memory(chosen.candidate.entry);
        for (operand, (_, pattern)) in instruction.operands.iter().zip(&chosen.variant.operands) {
            match (pattern, &operand.kind) {
                (OperandPattern::Address(specs), _) => stores |= specs.iter().any(writes_memory),
                (OperandPattern::Pair(specs), OperandKind::Pair(parts)) => {
                    self.value(&parts.0, &specs.0, start);
                    self.value(&parts.1, &specs.1, start);
                }
                (OperandPattern::Value(spec) | OperandPattern::Arguments(spec), _) => {
                    stores |= writes_memory(spec);
                    self.value(operand, spec, start);
                }
                _ => {}
            }
        }
        if instruction.operands.iter().any(reads_clock) {
            self.clocks.push(mnemonic.clone());
        }
        if !stores && reads_memory(instruction, &chosen) {
            let is_strong = instruction.modifiers.iter().any(|m| ISA.modifier(m.text).is_some_and(|m| m.keeps_order));
            if is_strong { &mut self.strong_loads } else { &mut self.loads }.push(mnemonic.clone());
        }
        if stores {
            self.stores.push(mnemonic.clone());
        }
        if stores || fences || changes_state(&effects) {
            self.side_effects.push(mnemonic);
        }
    }

    /// Adds the actions of another text, whose ranges count from the byte offset `base`.
    pub(crate) fn extend(&mut self, other: Self, base: usize) {
        let moved = |range: Range<usize>| range.start + base..range.end + base;
        self.fences.extend(other.fences.into_iter().map(moved));
        self.stores.extend(other.stores.into_iter().map(moved));
        self.side_effects.extend(other.side_effects.into_iter().map(moved));
        self.clocks.extend(other.clocks.into_iter().map(moved));
        self.strong_loads.extend(other.strong_loads.into_iter().map(moved));
        self.loads.extend(other.loads.into_iter().map(moved));
        self.carries.extend(other.carries.into_iter().map(|c| CarryUse { range: moved(c.range), ..c }));
        self.written.extend(other.written.into_iter().map(|(name, range)| (name, moved(range))));
    }

    fn value(&mut self, operand: &Operand<'_>, spec: &OperandSpec, start: usize) {
        if spec.value.access == OperandAccess::Read || matches!(spec.value.kind, ValueKind::Address(_)) {
            return;
        }
        match &operand.kind {
            OperandKind::Name(name) => {
                self.written.push(((*name).into(), operand.range.start + start..operand.range.end + start));
            }
            OperandKind::Member(name, _) => {
                self.written.push((name.text.into(), operand.range.start + start..operand.range.end + start));
            }
            OperandKind::Vector(list) | OperandKind::Arguments(list) => {
                list.iter().for_each(|part| self.value(part, spec, start));
            }
            OperandKind::Pair(parts) => self.value(&parts.0, spec, start),
            _ => {}
        }
    }
}

/// Whether an operand is a special register that changes while a thread runs.
fn reads_clock(operand: &Operand<'_>) -> bool {
    match &operand.kind {
        OperandKind::Name(name) => operands::special(name).is_some_and(|register| register.changes),
        OperandKind::Vector(list) => list.iter().any(reads_clock),
        _ => false,
    }
}

/// Whether an instruction reads memory that may be written while the kernel runs.
fn reads_memory(instruction: &Instruction<'_>, chosen: &ResolvedInstruction<'_>) -> bool {
    let is_fixed = |m: &SourceWord<'_>| ISA.space(m.text).is_some_and(|space| space.fixed);
    let is_read_only = |m: &SourceWord<'_>| ISA.modifier(m.text).is_some_and(|modifier| modifier.read_only);
    if instruction.modifiers.iter().any(|m| is_fixed(m) || is_read_only(m)) {
        return false;
    }
    let reads = |spec: &OperandSpec| {
        matches!(spec.value.kind, ValueKind::Address(_)) && spec.value.access == OperandAccess::Read
    };
    let writes_result = |spec: &OperandSpec| {
        spec.value.access != OperandAccess::Read && !matches!(spec.value.kind, ValueKind::Address(_))
    };
    let mut of_memory = false;
    let mut has_result = false;
    for (_, pattern) in &chosen.variant.operands {
        match pattern {
            OperandPattern::Address(specs) => of_memory |= specs.iter().any(reads),
            OperandPattern::Value(spec) => has_result |= writes_result(spec),
            OperandPattern::Pair(specs) => has_result |= writes_result(&specs.0),
            _ => {}
        }
    }
    of_memory && has_result && !chosen.candidate.entry.pure
}

/// The name of the carry flag in the results of the tables.
const CARRY: &str = "CC.CF";

/// The modifier with which an instruction sets it.
const SETS_CARRY: &str = ".cc";

/// Whether an instruction reads the carry flag, and whether it sets it; `None` if it does neither.
fn carry(entry: &Entry, instruction: &Instruction<'_>) -> Option<(bool, bool)> {
    let mut parts = entry.results.iter().flat_map(|result| result.text.split(';')).map(str::trim);
    if !parts.clone().any(|part| part.contains(CARRY)) {
        return None;
    }
    let reads = parts.any(|part| part.split_once('=').is_some_and(|(_, value)| value.contains(CARRY)));
    let sets = instruction.modifiers.iter().any(|modifier| modifier.text == SETS_CARRY);
    (reads || sets).then_some((reads, sets))
}

/// Whether an instruction computes a value in memory: `[{a}] = [{a}] + {b}` in the tables.
fn assigns_memory(entry: &Entry) -> bool {
    let assigns = |part: &str| part.trim_start().starts_with("[{") && part.contains("] = ");
    entry.results.iter().any(|result| result.text.split(';').any(assigns))
}

/// Whether an instruction changes the state of a protocol. A question to a barrier changes nothing, although it uses it.
fn changes_state(effects: &[&Effect]) -> bool {
    let asks = effects.iter().any(|e| e.verb == Verb::Asks);
    effects.iter().any(|e| match e.verb {
        Verb::Starts
        | Verb::Commits
        | Verb::Waits
        | Verb::Fences
        | Verb::Writes
        | Verb::Creates
        | Verb::Ends
        | Verb::Closes
        | Verb::Raises
        | Verb::Expects
        | Verb::Completes => true,
        Verb::Uses => e.protocol == Protocol::Mbarrier && !asks,
        Verb::Reads | Verb::Asks | Verb::Passes | Verb::Adds | Verb::Widens | Verb::Narrows => false,
    })
}

fn writes_memory(spec: &OperandSpec) -> bool {
    matches!(spec.value.kind, ValueKind::Address(_)) && spec.value.access != OperandAccess::Read
}
