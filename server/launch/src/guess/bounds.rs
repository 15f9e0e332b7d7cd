//! How far a kernel reaches into its buffers, derived from bounds of the index: `setp.ge.u32 %p, %i, %n` before an access to `x + 4 * i`
//! means that `x` has `n` elements.
//!
//! Values are followed backwards from an address to special registers, parameters and literals. Values that the analysis does not
//! understand have no bound, and the buffer then gets a generous size. A bound that is too small would cause faults in correct kernels.

use ptx_flow::flow::variance::Variances;
use ptx_flow::flow::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use ptx_flow::program::ProgramFunction;
use ptx_isa::SlotName;
use ptx_isa::tables::{Computes, Protocol, TypeClass, Verb};
use ptx_num::notation::ElementFormat;
use ptx_sema::hir::symbols::VariableOrigin;
use std::cell::{Cell as Counter, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter or a part of one: its index, and the byte offset at which it is loaded.
pub(super) type ParameterPart = (usize, u64);

/// Maximum length of a chain of definitions.
const MAX_DEPTH: u32 = 64;

/// Maximum number of queries for definitions per kernel. It keeps the time for a guess negligible.
const MAX_QUESTIONS: u32 = 20_000;

/// Maximum number of instructions of an analyzed kernel.
const MAX_INSTRUCTIONS: usize = 20_000;

/// The origin of the bound of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// A literal.
    Literal,
    /// A parameter that the kernel loads but does not use: it is presumably the bound.
    Spare(usize),
    /// A parameter with this index.
    Parameter(usize),
}

/// The maximum value of an integer register; for an address, the maximum distance from the beginning of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    /// The pointer parameter, or part of one, that the address is based on; `None` for numbers.
    base: Option<ParameterPart>,
    /// The maximum value; for an address, the distance in bytes.
    max: u64,
    /// The index register that a comparison bounds, and its factor in the value.
    index: Option<(RegisterSlot, u64)>,
    /// The origin of the bound of the index.
    limit: Option<Limit>,
    /// The parameter that the value equals, or that it is a product or a quotient of.
    parameter: Option<usize>,
}

impl Extent {
    fn number(max: u64) -> Self {
        Self { base: None, max, index: None, limit: None, parameter: None }
    }

    fn join(self, other: Self) -> Option<Self> {
        (self.base == other.base).then_some(Self {
            base: self.base,
            max: self.max.max(other.max),
            index: if self.index == other.index { self.index } else { self.index.xor(other.index) },
            limit: self.limit.max(other.limit),
            parameter: self.parameter.filter(|p| other.parameter == Some(*p)),
        })
    }

    fn plus(self, other: Self) -> Option<Self> {
        if self.base.is_some() && other.base.is_some() {
            return None;
        }
        Some(Self {
            base: self.base.or(other.base),
            max: self.max.checked_add(other.max)?,
            index: self.index.xor(other.index),
            limit: self.limit.max(other.limit),
            parameter: None,
        })
    }

    fn times(self, other: Self) -> Option<Self> {
        if self.base.is_some() || other.base.is_some() {
            return None;
        }
        let scaled = |one: Self, by: Self| one.index.and_then(|(slot, scale)| Some((slot, scale.checked_mul(by.max)?)));
        Some(Self {
            max: self.max.checked_mul(other.max)?,
            index: scaled(self, other).or_else(|| scaled(other, self)),
            limit: self.limit.max(other.limit),
            parameter: self.parameter.or(other.parameter),
            base: None,
        })
    }
}

/// The size that a buffer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes from its beginning to the end of the furthest access.
    pub bytes: u64,
    /// The origin of the bound of the index.
    pub limit: Limit,
}

/// The launch data that bounds are computed from.
pub(super) struct Sizes<'s> {
    /// Size of a CTA in threads, per dimension.
    pub block: [u32; 3],
    /// Size of the grid in CTAs, per dimension.
    pub grid: [u32; 3],
    /// The values of integer parameters, by index.
    pub numbers: &'s BTreeMap<usize, u64>,
    /// The only integer parameter of the kernel, if no instruction uses it.
    pub spare: Option<usize>,
}

/// The analysis of the addresses of a kernel.
pub(super) struct Bounds<'a> {
    callable: &'a ProgramFunction,
    function: &'a FlowFunction,
    variances: &'a Variances<'a>,
    sizes: Sizes<'a>,
    /// Order comparisons by compared register: index of the instruction, and the side (0 or 1) on which the register stands.
    compared: BTreeMap<RegisterSlot, Vec<(usize, usize)>>,
    results: RefCell<BTreeMap<(u32, RegisterSlot), Option<Extent>>>,
    questions: Counter<u32>,
}

impl<'a> Bounds<'a> {
    /// The analysis of a kernel.
    pub fn new(
        callable: &'a ProgramFunction,
        function: &'a FlowFunction,
        variances: &'a Variances<'a>,
        sizes: Sizes<'a>,
    ) -> Self {
        let mut compared: BTreeMap<RegisterSlot, Vec<(usize, usize)>> = BTreeMap::new();
        for index in 0..function.instructions.len() {
            if function.entry(index).computes != Computes::Comparison || function.chosen(index).parts_at(0).is_none() {
                continue;
            }
            let sides: Vec<usize> = sides(function, index).map(|(at, _)| at).collect();
            for (side, at) in sides.iter().enumerate() {
                let operand = &function.operands_of(index)[*at];
                if let (OperandValue::Register(slot), 2) = (operand.value, sides.len()) {
                    compared.entry(slot).or_default().push((index, side));
                }
            }
        }
        Self { callable, function, variances, sizes, compared, results: RefCell::default(), questions: Counter::new(0) }
    }

    /// Whether a kernel is small enough for the analysis.
    pub fn suits(function: &FlowFunction) -> bool {
        !function.instructions.is_empty() && function.instructions.len() <= MAX_INSTRUCTIONS
    }

    /// The pointer parameter, or part of one, that an address is based on, if that is certain.
    pub fn base(&self, index: usize, operand: &FlowOperand) -> Option<ParameterPart> {
        self.address(index, operand)?.base
    }

    /// The size of each buffer whose accesses are all bounded. `reached` returns the parameter parts that an address may be computed from.
    pub fn rooms(&self, reached: &dyn Fn(&FlowOperand) -> BTreeSet<ParameterPart>) -> BTreeMap<ParameterPart, Room> {
        let mut rooms: BTreeMap<ParameterPart, Option<(u64, Option<Limit>)>> = BTreeMap::new();
        for index in 0..self.function.instructions.len() {
            for operand in self.function.operands_of(index).iter().filter(|o| o.role == OperandRole::Address) {
                let extent = self.address(index, operand);
                let accessed = || accessed(self.function, index);
                match extent.and_then(|e| Some((e.base?, e.max.checked_add(accessed()?)?, e.limit))) {
                    Some((base, end, limit)) => {
                        let room = rooms.entry(base).or_insert(Some((0, None)));
                        *room = room.map(|(bytes, known)| (bytes.max(end), known.max(limit)));
                    }
                    None => {
                        let base = extent.and_then(|e| e.base);
                        for cell in base.map_or_else(|| reached(operand), |b| BTreeSet::from([b])) {
                            rooms.insert(cell, None);
                        }
                    }
                }
            }
            // The callee may use an address argument for any access.
            for operand in self.function.operands_of(index).iter().filter(|o| o.role == OperandRole::Argument) {
                rooms.extend(reached(operand).into_iter().map(|cell| (cell, None)));
            }
        }
        let bounded = |room: Option<(u64, Option<Limit>)>| {
            let (bytes, limit) = room?;
            Some(Room { bytes, limit: limit? })
        };
        rooms.into_iter().filter_map(|(cell, room)| Some((cell, bounded(room)?))).collect()
    }

    fn address(&self, index: usize, operand: &FlowOperand) -> Option<Extent> {
        let OperandValue::Register(slot) = operand.value else { return None };
        moved(self.register(slot, index, 0)?, operand.offset?)
    }

    /// The maximum value of a register at the instruction `at` that reads it.
    fn register(&self, slot: RegisterSlot, at: usize, depth: u32) -> Option<Extent> {
        if depth > MAX_DEPTH {
            return None;
        }
        let writers = self.writers(slot, at)?;
        let natural = self.joined(slot, &writers, depth);
        // The other side of a comparison is not bounded by the index.
        if natural.is_some_and(|n| n.parameter.is_some() || n.base.is_some()) {
            return natural;
        }
        match self.compared_with(slot, &writers, depth) {
            // A comparison with a literal often selects some threads, and does not bound accesses elsewhere.
            Some(extent) if extent.limit == Some(Limit::Literal) && natural.is_some() => natural,
            Some(extent) => Some(extent),
            None => natural,
        }
    }

    fn writers(&self, slot: RegisterSlot, at: usize) -> Option<Vec<u32>> {
        self.questions.set(self.questions.get() + 1);
        if self.questions.get() > MAX_QUESTIONS {
            return None;
        }
        self.variances.reaching(slot, at).into_iter().collect()
    }

    fn joined(&self, slot: RegisterSlot, writers: &[u32], depth: u32) -> Option<Extent> {
        let steps: Vec<(u32, &FlowOperand)> =
            writers.iter().filter_map(|w| Some((*w, self.step(slot, *w as usize)?))).collect();
        let mut out: Option<Extent> = None;
        for writer in writers.iter().filter(|w| steps.iter().all(|(step, _)| step != *w)) {
            let found = self.result(*writer, slot, depth + 1)?;
            out = Some(out.map_or(Some(found), |all| all.join(found))?);
        }
        let out = out?;
        // A pointer may advance in a loop if its index advances by the same distance.
        for (writer, operand) in steps {
            let (index, scale) = out.index?;
            let step = self.operand(operand, writer as usize, depth + 1)?.max;
            let together = (0..self.function.instructions.len()).any(|other| {
                let advances = self.function.writes(other).iter().any(|w| w.slot == index);
                let by = self.step(index, other).filter(|_| advances);
                let by = by.and_then(|by| self.operand(by, other, depth + 1));
                by.and_then(|by| by.max.checked_mul(scale)) == Some(step)
            });
            if !together {
                return None;
            }
        }
        Some(out)
    }

    /// The operand that an instruction adds to a register, if it does nothing else.
    fn step(&self, slot: RegisterSlot, writer: usize) -> Option<&'a FlowOperand> {
        if self.function.entry(writer).computes != Computes::Sum {
            return None;
        }
        let own = |o: &FlowOperand| o.value == OperandValue::Register(slot) && o.offset == Some(0) && !o.minus;
        let mut operands = self.function.operands_of(writer).iter().filter(|o| o.reads());
        let (a, b) = (operands.next()?, operands.next()?);
        if own(a) {
            Some(b)
        } else if own(b) {
            Some(a)
        } else {
            None
        }
    }

    /// The bound from comparisons of the value that one of these instructions wrote.
    fn compared_with(&self, slot: RegisterSlot, writers: &[u32], depth: u32) -> Option<Extent> {
        let mut best: Option<Extent> = None;
        for (index, side) in self.compared.get(&slot).into_iter().flatten() {
            let same = self.writers(slot, *index)?;
            if !same.iter().any(|w| writers.contains(w)) {
                continue;
            }
            let other = sides(self.function, *index).map(|(_, o)| o).nth(1 - side)?;
            let literal = matches!(other.value, OperandValue::Integer(_));
            let Some(limit) = self.operand(other, *index, depth + 1).filter(|e| e.base.is_none()) else { continue };
            let spare = self.sizes.spare.filter(|_| literal);
            let number = spare.and_then(|s| self.sizes.numbers.get(&s).copied()).unwrap_or(limit.max);
            let Some(number) = i64::try_from(number).ok() else { continue };
            let parts = self.function.chosen(*index).parts_at(number)?;
            let max = if *side == 0 { parts.checked_sub(1)? } else { number.checked_mul(2)?.checked_sub(parts)? };
            let by = match (spare, limit.parameter, limit.limit) {
                (Some(spare), ..) => Limit::Spare(spare),
                (None, Some(parameter), _) => Limit::Parameter(parameter),
                (None, None, Some(by)) => by,
                (None, None, None) if literal => Limit::Literal,
                (None, None, None) => continue,
            };
            let max = u64::try_from(max).unwrap_or(0);
            let found = Extent { index: Some((slot, 1)), limit: Some(by), ..Extent::number(max) };
            let better = best.is_none_or(|b| (found.limit, found.max) > (b.limit, b.max));
            best = if better { Some(found) } else { best };
        }
        best
    }

    fn result(&self, writer: u32, slot: RegisterSlot, depth: u32) -> Option<Extent> {
        let key = (writer, slot);
        if let Some(known) = self.results.borrow().get(&key) {
            return *known;
        }
        // A value that depends on itself in a loop has no bound of its own.
        self.results.borrow_mut().insert(key, None);
        let found = self.compute(writer as usize, slot, depth);
        self.results.borrow_mut().insert(key, found);
        found
    }

    fn compute(&self, index: usize, slot: RegisterSlot, depth: u32) -> Option<Extent> {
        let function = self.function;
        let entry = function.entry(index);
        let operands: Vec<&FlowOperand> = function.operands_of(index).iter().filter(|o| o.reads()).collect();
        if function.reads_fixed_memory(index) {
            return self.loaded(index, slot);
        }
        let value = |at: usize| self.operand(operands.get(at)?, index, depth);
        let literal = |at: usize| match operands.get(at)?.value {
            OperandValue::Integer(n) => u32::try_from(n).ok(),
            _ => None,
        };
        let becomes = |verb| {
            function.chosen(index).form.effects.iter().any(|e| e.protocol == Protocol::Address && e.verb == verb)
        };
        match entry.computes {
            Computes::Copy if operands.len() == 1 => value(0),
            Computes::Sum => match (operands.get(1)?.value, value(0)) {
                (OperandValue::Integer(n), a) => moved(a?, n),
                (_, a) => a?.plus(value(1)?),
            },
            Computes::Difference => match operands.get(1)?.value {
                OperandValue::Integer(n) => moved(value(0)?, n.checked_neg()?),
                // The subtrahend is assumed not to be negative.
                _ => value(0).filter(|e| e.base.is_none()),
            },
            Computes::Product => value(0)?.times(value(1)?),
            Computes::ProductSum => value(0)?.times(value(1)?)?.plus(value(2)?),
            Computes::ShiftLeft => value(0)?.times(Extent::number(1u64.checked_shl(literal(1)?)?)),
            Computes::ShiftRight => self.part(value(0)?, 1u64.checked_shl(literal(1)?)?),
            Computes::Quotient => self.part(value(0)?, literal(1)?.into()),
            Computes::Remainder => Some(Extent::number(u64::from(literal(1)?).checked_sub(1)?)),
            Computes::And => Some(Extent::number(literal(1)?.into())),
            _ if becomes(Verb::Widens) || becomes(Verb::Narrows) => value(0),
            _ => None,
        }
    }

    fn part(&self, whole: Extent, of: u64) -> Option<Extent> {
        let max = whole.max.checked_div(of)?;
        (whole.base.is_none()).then_some(Extent { max, index: None, ..whole })
    }

    /// The value of a parameter that an instruction loads.
    fn loaded(&self, index: usize, slot: RegisterSlot) -> Option<Extent> {
        let function = self.function;
        let address = function.operands_of(index).iter().find(|o| o.memory().is_some())?;
        let OperandValue::Variable(variable) = address.value else { return None };
        let variable = function.variables.get(variable as usize)?;
        let parameter = self.callable.parameters.iter().position(|p| p.name == variable.name)?;
        let part = function.writes(index).iter().position(|w| w.slot == slot)? as u64;
        let bytes = function
            .modifier(index, SlotName::Type)
            .and_then(|m| ElementFormat::named(m.name()))
            .map(|e| u64::from(e.bits()) / 8)?;
        let offset = u64::try_from(address.offset?).ok()? + part * bytes;
        if variable.symbol.origin != VariableOrigin::KernelParameter {
            return None;
        }
        match self.sizes.numbers.get(&parameter) {
            Some(number) => Some(Extent { parameter: Some(parameter), ..Extent::number(*number) }),
            None => Some(Extent { base: Some((parameter, offset)), ..Extent::number(0) }),
        }
    }

    fn operand(&self, operand: &FlowOperand, at: usize, depth: u32) -> Option<Extent> {
        match operand.value {
            OperandValue::Register(slot) if !operand.minus => {
                moved(self.register(slot, at, depth + 1)?, operand.offset?)
            }
            OperandValue::Integer(n) => Some(Extent::number(u64::try_from(n).ok()?)),
            OperandValue::Special(register, component) => {
                let of = |sizes: [u32; 3]| sizes.get(usize::from(component?)).copied().map(u64::from);
                let max = match register.name {
                    "%tid" => of(self.sizes.block)?.checked_sub(1)?,
                    "%ntid" => of(self.sizes.block)?,
                    "%ctaid" => of(self.sizes.grid)?.checked_sub(1)?,
                    "%nctaid" => of(self.sizes.grid)?,
                    _ if register.lane_bits > 0 => (1 << u32::from(register.lane_bits).min(16)) - 1,
                    _ => return None,
                };
                Some(Extent::number(max))
            }
            _ => None,
        }
    }
}

fn moved(extent: Extent, by: i64) -> Option<Extent> {
    let max = if by < 0 { extent.max.saturating_sub(by.unsigned_abs()) } else { extent.max.checked_add(by as u64)? };
    Some(Extent { max, parameter: extent.parameter.filter(|_| by == 0), ..extent })
}

/// The integer operands that a comparison reads, with their indices among all operands.
fn sides(function: &FlowFunction, index: usize) -> impl Iterator<Item = (usize, &FlowOperand)> {
    let integer = |o: &FlowOperand| o.ty.is_some_and(|t| matches!(t.info().class, TypeClass::Uint | TypeClass::Sint));
    function.operands_of(index).iter().enumerate().filter(move |(_, o)| o.reads() && integer(o))
}

/// Number of bytes that one lane accesses; `None` for instructions other than plain loads, stores and atomics.
fn accessed(function: &FlowFunction, index: usize) -> Option<u64> {
    let element = function.modifier(index, SlotName::Type).and_then(|m| ElementFormat::named(m.name()))?;
    let parts = function.operands_of(index).iter().filter(|o| o.role == OperandRole::Element).count().max(1);
    let plain = matches!(function.entry(index).name, "ld" | "ldu" | "st" | "atom" | "red" | "ld.global.nc");
    plain.then_some(u64::from(element.bits()) / 8 * parts as u64)
}
