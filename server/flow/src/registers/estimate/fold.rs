//! Folds each instruction to nothing, to an alias of another value, or to an operation.

use super::program::{EstimateOperation, MemoryEffect, RegisterUnit};
use crate::flow::effects::effects;
use crate::flow::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use crate::registers::pressure::RegisterCount;
use ptx_isa::ISA;
use ptx_isa::tables::{Computes, ControlTransfer, OperandAccess, Protocol, TypeClass, UniformExtent, Verb};
use ptx_sema::forms::mnemonic::holds;
use ptx_sema::hir::symbols::VariableOrigin;
use std::ops::Range;

/// The root of a unit that needs no register.
const NOTHING: RegisterUnit = u32::MAX;

/// Result latency, in cycles, of an instruction without one in the tables.
const QUICK: u32 = 5;

/// Result latency, in cycles, of a load from a state space without one in the tables. Such loads are hoisted as far as
/// possible.
pub(crate) const FAR: u32 = 400;

/// The name of the state space of an access through a generic address.
const GENERIC_SPACE: &str = "";

/// The place in which the value of a unit lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnitKind {
    /// A number.
    Constant,
    /// A value that is the same in all threads, computed from parameters by integer operations. It lives in constant memory
    /// or in a uniform register, which a warp shares.
    Uniform,
    /// In a register.
    Register,
}

/// Constant folding and copy propagation over a function.
pub(crate) struct ConstantFolding<'a> {
    function: &'a FlowFunction,
    /// Indexed by slot: its first unit.
    first: Vec<u32>,
    /// Indexed by unit: the unit of which it is an alias, itself, or [`NOTHING`].
    root: Vec<RegisterUnit>,
    known: Vec<UnitKind>,
    /// Indexed by unit: the unit from which it differs only by a constant offset, as addresses do.
    base: Vec<RegisterUnit>,
    /// Indexed by slot: the number of instructions that write it.
    writers: Vec<u32>,
    predicate: Vec<bool>,
    /// Indexed by number: the state space, [`GENERIC`](super::program::GENERIC) first.
    spaces: Vec<&'static str>,
}

impl<'a> ConstantFolding<'a> {
    /// Prepares the folding of `function`; no instruction is folded yet.
    pub(super) fn new(function: &'a FlowFunction) -> Self {
        let count = function.registers.len();
        let mut writers = vec![0u32; count];
        for write in (0..function.instructions.len()).flat_map(|i| function.writes(i)) {
            writers[write.slot.index()] += 1;
        }
        let (mut first, mut predicate) = (Vec::with_capacity(count + 1), Vec::new());
        for slot in 0..count as u32 {
            first.push(predicate.len() as u32);
            let takes = RegisterCount::of(function.declaration(RegisterSlot(slot)).ty);
            let units = usize::from(takes.b32.max(takes.predicates));
            predicate.extend(std::iter::repeat_n(takes.predicates > 0, units));
        }
        let units = predicate.len() as u32;
        first.push(units);
        let known = vec![UnitKind::Register; units as usize];
        let (root, base) = ((0..units).collect(), (0..units).collect());
        Self { function, first, root, known, base, writers, predicate, spaces: vec![GENERIC_SPACE] }
    }

    /// Returns for each unit whether it is a predicate.
    pub(crate) fn into_predicates(self) -> Vec<bool> {
        self.predicate
    }

    fn units(&self, slot: RegisterSlot) -> Range<u32> {
        self.first[slot.index()]..self.first[slot.index() + 1]
    }

    /// Whether a register is written once, by an instruction of the body.
    fn is_single(&self, slot: RegisterSlot) -> bool {
        self.writers[slot.index()] == 1 && self.function.declaration(slot).origin == VariableOrigin::Body
    }

    /// The register of an operand, if it is whole and written once.
    fn single(&self, operand: &FlowOperand) -> Option<RegisterSlot> {
        match operand.value {
            OperandValue::Register(slot) => Some(slot).filter(|s| self.is_single(*s)),
            _ => None,
        }
    }

    /// The register of an operand, if it is whole and its value never changes once it has one.
    fn stable(&self, operand: &FlowOperand) -> Option<RegisterSlot> {
        match operand.value {
            OperandValue::Register(slot) => Some(slot).filter(|s| self.is_single(*s) || self.writers[s.index()] == 0),
            _ => None,
        }
    }

    /// Makes a unit an alias of another unit, or of none (a constant).
    fn alias(&mut self, unit: RegisterUnit, of: Option<RegisterUnit>) {
        let (unit, of) = (unit as usize, of.map(|o| o as usize));
        self.known[unit] = of.map_or(UnitKind::Constant, |o| self.known[o]);
        if let Some(of) = of {
            self.base[unit] = self.base[of];
        }
        self.root[unit] = of.map_or(NOTHING, |o| self.root[o]);
    }

    /// Lets a counter use the units of another one, from which it differs by a constant.
    pub(super) fn merge(&mut self, counter: RegisterSlot, leader: RegisterSlot) {
        for (unit, of) in self.units(counter).zip(self.units(leader)) {
            (self.root[unit as usize], self.base[unit as usize]) = (of, of);
        }
    }

    /// Records that the results of an instruction need no registers.
    fn dissolve(&mut self, writes: &[&FlowOperand], known: UnitKind) {
        for write in writes {
            let Some(slot) = self.single(write) else { continue };
            for unit in self.units(slot) {
                (self.root[unit as usize], self.known[unit as usize]) = (NOTHING, known);
            }
        }
    }

    /// The kind of all values that an instruction reads, combined.
    fn sources(&self, index: usize) -> UnitKind {
        let function = self.function;
        if function.instructions[index].guard.is_some() {
            return UnitKind::Register;
        }
        let of = |operand: &FlowOperand| match operand.value {
            OperandValue::Special(register, _) if register.uniform == UniformExtent::Cta => UnitKind::Uniform,
            OperandValue::Special(..) => UnitKind::Register,
            _ => {
                let units = operand.slots().flat_map(|s| self.units(s));
                units.map(|u| self.known[u as usize]).max().unwrap_or(UnitKind::Constant)
            }
        };
        function.operands_of(index).iter().filter(|o| o.reads()).map(of).max().unwrap_or(UnitKind::Constant)
    }

    fn is_constant(&self, operand: &FlowOperand) -> bool {
        match operand.value {
            OperandValue::Integer(_) | OperandValue::Float(..) => true,
            OperandValue::Register(slot) => self.units(slot).all(|u| self.known[u as usize] == UnitKind::Constant),
            _ => false,
        }
    }

    /// Folds the results of an instruction; call it in an order in which definitions precede their uses.
    pub(super) fn fold(&mut self, index: usize) {
        let function = self.function;
        if function.instructions[index].guard.is_some() {
            return;
        }
        let operands = function.operands_of(index);
        let writes: Vec<&FlowOperand> =
            operands.iter().filter(|o| o.writes() && o.value != OperandValue::Sink).collect();
        if writes.is_empty() || !writes.iter().all(|o| self.single(o).is_some()) {
            return;
        }
        let known = self.sources(index);
        if function.reads_fixed_memory(index) {
            if known < UnitKind::Register {
                self.dissolve(&writes, UnitKind::Uniform);
            }
            return;
        }
        let reads: Vec<&FlowOperand> = operands.iter().filter(|o| o.reads()).collect();
        let entry = function.entry(index);
        let becomes = |verb| effects(function, index).any(|e| e.protocol == Protocol::Address && e.verb == verb);
        let copies = entry.computes == Computes::Copy || becomes(Verb::Widens) || becomes(Verb::Narrows);
        if copies && self.copy(index, &writes, &reads) {
            return;
        }
        let whole = |o: &FlowOperand| {
            let float = |c| matches!(c, TypeClass::Float | TypeClass::Packed);
            o.role != OperandRole::Address && o.ty.is_none_or(|t| !float(t.info().class))
        };
        let integer = operands.iter().all(whole);
        // The assembler makes routines of general registers, even if all threads compute the same.
        let shared = known == UnitKind::Uniform && integer && self.temporaries(index) == 0;
        if entry.pure && (known == UnitKind::Constant || shared) {
            return self.dissolve(&writes, known);
        }
        let ([write], [a, b]) = (&writes[..], &reads[..]) else { return };
        let (Some(target), Some(source)) = (self.single(write), self.stable(a)) else { return };
        if !integer || !self.is_constant(b) {
            return;
        }
        if becomes(Verb::Adds) {
            for (unit, of) in self.units(target).zip(self.units(source)) {
                self.base[unit as usize] = self.base[of as usize];
            }
            return;
        }
        // A scaled index is computed only where it is added to an address, so the index itself stays live.
        let wide = |o: &FlowOperand| o.ty.map_or(0, |t| t.info().bits) == 64;
        let scales = matches!(entry.computes, Computes::Product | Computes::ShiftLeft) && wide(write);
        if scales && (entry.computes == Computes::ShiftLeft || !wide(a)) {
            let of: Vec<RegisterUnit> = self.units(source).collect();
            for (place, unit) in self.units(target).enumerate() {
                self.alias(unit, of.get(place).copied());
            }
        }
    }

    /// Folds a copy, possibly with a conversion. Returns whether it needs no instruction.
    fn copy(&mut self, index: usize, writes: &[&FlowOperand], reads: &[&FlowOperand]) -> bool {
        let function = self.function;
        // Plain moves, and conversions that only widen or narrow integers, without further modifiers.
        let chosen = function.chosen(index);
        let plain =
            |o: &&FlowOperand| o.ty.is_none_or(|t| !matches!(t.info().class, TypeClass::Float | TypeClass::Packed));
        let said = chosen.form.slots.iter().zip(&chosen.values).any(|(slot, value)| !slot.is_type && value.is_some());
        let converts = function.entry(index).computes == Computes::Copy && !function.entry(index).carries;
        if converts && (said || !writes.iter().chain(reads).all(plain)) {
            return false;
        }
        match (writes, reads) {
            ([write], [read]) => self.copy_one(write, read),
            (parts, [read]) => self.take_apart(parts, read),
            ([write], parts) => self.put_together(write, parts),
            _ => false,
        }
    }

    fn copy_one(&mut self, write: &FlowOperand, read: &FlowOperand) -> bool {
        let Some(target) = self.single(write) else { return false };
        match read.value {
            OperandValue::Integer(_)
            | OperandValue::Float(..)
            | OperandValue::Variable(_)
            | OperandValue::Function(_)
            | OperandValue::Label(_) => {
                self.units(target).for_each(|u| self.alias(u, None));
                true
            }
            OperandValue::Special(register, _) if register.uniform == UniformExtent::Cta => {
                self.dissolve(&[write], UnitKind::Uniform);
                true
            }
            OperandValue::Register(_) => {
                let Some(source) = self.stable(read) else { return false };
                let of: Vec<RegisterUnit> = self.units(source).collect();
                let bits = |o: &FlowOperand| o.ty.map_or(0, |t| t.info().bits);
                let signed = read.ty.is_some_and(|t| t.info().class == TypeClass::Sint);
                let extends = bits(write) > bits(read) && bits(write) <= 32 && signed && bits(read) > 0;
                let kind = |unit: Option<&RegisterUnit>| unit.map(|u| self.predicate[*u as usize]);
                let to: Vec<RegisterUnit> = self.units(target).collect();
                if extends || kind(to.first()) != kind(of.first()) {
                    return false;
                }
                // The upper half of a widened value is zero or the sign, which is computed where it is read.
                for (place, unit) in to.into_iter().enumerate() {
                    self.alias(unit, of.get(place).copied());
                }
                true
            }
            _ => false,
        }
    }

    fn take_apart(&mut self, parts: &[&FlowOperand], read: &FlowOperand) -> bool {
        let Some(source) = self.stable(read) else { return false };
        let of: Vec<RegisterUnit> = self.units(source).collect();
        let size = usize::from(self.function.declaration(source).ty.info().bits) / parts.len().max(1);
        for (place, part) in parts.iter().enumerate() {
            let Some(target) = self.single(part) else { continue };
            for (step, unit) in self.units(target).enumerate() {
                self.alias(unit, of.get(place * size / 32 + step).copied());
            }
        }
        true
    }

    fn put_together(&mut self, write: &FlowOperand, parts: &[&FlowOperand]) -> bool {
        let Some(target) = self.single(write) else { return false };
        let to: Vec<RegisterUnit> = self.units(target).collect();
        let size = usize::from(self.function.declaration(target).ty.info().bits) / parts.len().max(1);
        let mut from: Vec<Option<RegisterUnit>> = vec![None; to.len()];
        for (place, part) in parts.iter().enumerate() {
            let units: Vec<RegisterUnit> = match part.value {
                OperandValue::Integer(_) | OperandValue::Float(..) => Vec::new(),
                _ => match self.stable(part) {
                    Some(source) => self.units(source).collect(),
                    None => return false,
                },
            };
            if size >= 32 {
                for (step, unit) in units.into_iter().enumerate() {
                    if let Some(slot) = from.get_mut(place * size / 32 + step) {
                        *slot = Some(unit);
                    }
                }
                continue;
            }
            // Two halves of the same register form that register again; others need an instruction that combines them.
            let (Some(unit), Some(slot)) = (units.first(), from.get_mut(place * size / 32)) else { return false };
            let root = |u: RegisterUnit| self.root[u as usize];
            match *slot {
                None if (place * size).is_multiple_of(32) => *slot = Some(*unit),
                Some(other) if root(other) == root(*unit) => {}
                _ => return false,
            }
        }
        for (unit, from) in to.into_iter().zip(from) {
            self.alias(unit, from);
        }
        true
    }

    /// The unit that an operand actually reads for `unit`: its root, or for an address the unit from which it differs by a
    /// constant.
    fn read(&self, unit: RegisterUnit, operand: &FlowOperand) -> RegisterUnit {
        let root = self.root[unit as usize];
        let base = self.base[unit as usize];
        let sum = operand.role == OperandRole::Address && root != NOTHING && self.root[base as usize] == base;
        if sum { base } else { root }
    }

    fn space(&mut self, name: &'static str) -> u8 {
        let name = name.split("::").next().unwrap_or(name);
        let place = self.spaces.iter().position(|s| *s == name).unwrap_or_else(|| {
            self.spaces.push(name);
            self.spaces.len() - 1
        });
        u8::try_from(place).unwrap_or(u8::MAX)
    }

    fn memory(&mut self, index: usize) -> MemoryEffect {
        let function = self.function;
        if function.instructions[index].flow == ControlTransfer::Call {
            return MemoryEffect::Barrier;
        }
        let space = function.chosen(index).space.map_or(GENERIC_SPACE, |s| s.name);
        let mut said = function.chosen(index).values.iter().flatten();
        let ordered = said.any(|m| ISA.modifier(m).is_some_and(|m| m.keeps_order));
        let mut out = None;
        for access in function.operands_of(index).iter().filter_map(FlowOperand::memory) {
            let number = self.space(space);
            let fixed = function.reads_fixed_memory(index);
            out = Some(match access {
                OperandAccess::Read if fixed => MemoryEffect::None,
                OperandAccess::Read if !ordered => MemoryEffect::Read(number),
                _ => MemoryEffect::Write(number),
            });
        }
        let silent = !function.entry(index).pure && function.writes(index).is_empty();
        let leaves = function.instructions[index].flow != ControlTransfer::Next;
        out.unwrap_or(if silent && !leaves { MemoryEffect::Barrier } else { MemoryEffect::None })
    }

    fn cycles(&self, index: usize) -> u32 {
        let own = self.function.entry(index).cycles;
        let loads = self.function.operands_of(index).iter().any(|o| o.memory().is_some());
        match (own, loads) {
            (0, true) => {
                let space = self.function.chosen(index).space.map_or(0, |s| u32::from(s.cycles));
                if space == 0 { FAR } else { space }
            }
            (0, false) => QUICK,
            (own, _) => own.into(),
        }
    }

    /// The number of registers that the assembler needs for the routine of an instruction. Divisions by a constant need none.
    fn temporaries(&self, index: usize) -> u16 {
        let chosen = self.function.chosen(index);
        let divides = matches!(chosen.entry.computes, Computes::Quotient | Computes::Remainder);
        let last = self.function.operands_of(index).last();
        if divides && last.is_some_and(|o| self.is_constant(o)) {
            return 0;
        }
        let said = chosen.form.temporaries.iter().find(|t| holds(t.when, &chosen.values, None) == Some(true));
        said.map_or(0, |t| t.registers)
    }

    /// The operation that remains of an instruction, if any.
    pub(super) fn operation(&mut self, index: usize) -> Option<EstimateOperation> {
        let function = self.function;
        let instruction = &function.instructions[index];
        let mut defs: Vec<RegisterUnit> = Vec::new();
        for unit in function.writes(index).iter().flat_map(|w| self.units(w.slot)) {
            if self.root[unit as usize] == unit && !defs.contains(&unit) {
                defs.push(unit);
            }
        }
        let memory = self.memory(index);
        let last = !matches!(instruction.flow, ControlTransfer::Next | ControlTransfer::Call);
        let changes = matches!(memory, MemoryEffect::Write(_) | MemoryEffect::Barrier);
        if !function.writes(index).is_empty() && defs.is_empty() && !changes && !last {
            return None;
        }
        let mut uses: Vec<RegisterUnit> = Vec::new();
        let mut temporaries = self.temporaries(index);
        for operand in function.operands_of(index).iter().filter(|o| o.reads()) {
            let mut dissolved = 0;
            for unit in operand.slots().flat_map(|s| self.units(s)) {
                match self.read(unit, operand) {
                    NOTHING => dissolved += 1,
                    unit if !uses.contains(&unit) => uses.push(unit),
                    _ => {}
                }
            }
            // A dissolved address still occupies registers during the access.
            if operand.role == OperandRole::Address && dissolved == operand.slots().flat_map(|s| self.units(s)).count()
            {
                temporaries += dissolved as u16;
            }
        }
        let guard = instruction.guard.as_ref().and_then(|g| g.slot);
        for unit in guard.into_iter().flat_map(|s| self.units(s)) {
            let root = self.root[unit as usize];
            if root != NOTHING && !uses.contains(&root) {
                uses.push(root);
            }
        }
        let guarded = instruction.guard.is_some();
        let own = !defs.is_empty() && uses.len() == defs.len() && uses.iter().all(|u| defs.contains(u));
        let adds = || effects(function, index).any(|e| e.protocol == Protocol::Address && e.verb == Verb::Adds);
        let steps = !guarded && own && adds();
        if guarded {
            // If the guard is false, the previous value is kept, so it counts as read.
            let kept: Vec<RegisterUnit> = defs.iter().copied().filter(|d| !uses.contains(d)).collect();
            uses.extend(kept);
        }
        let cycles = self.cycles(index);
        let call = (instruction.flow == ControlTransfer::Call).then_some(index as u32);
        Some(EstimateOperation { uses, defs, guarded, memory, cycles, temporaries, steps, last, call })
    }
}

/// Whether a pragma in the first block of a loop forbids unrolling it.
pub(crate) fn keeps_loop(function: &FlowFunction, instructions: &Range<usize>) -> bool {
    // They are in text order, and a function may have as many as instructions.
    let first = function.pragmas.partition_point(|(at, _)| (*at as usize) < instructions.start);
    let inside = function.pragmas.iter().skip(first).take_while(|(at, _)| (*at as usize) < instructions.end);
    inside.into_iter().any(|(_, text)| ISA.directive(text).is_some_and(|directive| directive.keeps_loops))
}
