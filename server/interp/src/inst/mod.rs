//! One instruction while it is decoded. Its modifiers and operands go by the names that the forms of the instruction set give them. The
//! modules of `exec` turn it into an action.

mod frame;
mod operands;
mod passing;

pub use frame::FrameLayout;

use crate::lanes::{Lane, LaneMask};
use crate::machine::code::{DecodeRefusal, Executable, LaneGathering, MachineStep, OpAction, body_name};
use crate::machine::layout::{Address, AddressSpace, Slot, Special, Specials, VariableLocation};
use crate::machine::origins::Origins;
use crate::machine::passing::Passing;
use crate::machine::{ExecContext, StepOutcome, is_clock, number_format};
use crate::memory::Window;
use crate::registers::{Dst, PredicateDst, PredicateSrc, RegisterLocation, Src, WarpRegisters};
use crate::simd::{
    self, AllLanes, Compare, EachLane, LaneMarks, LaneStep, Lanes, Loop1, Loop2, Loop3, Map1, Map2, Map3, Outcomes,
};
use ptx_flow::flow::{FlowFunction, FlowInstruction, FlowOperand, Guard, OperandValue};
use ptx_isa::tables::{Entry, Form, OperandAccess, Spaces, SpecialRegister, ValueKind};
use ptx_isa::{Exec, Modifier, OperandName, SlotName};
use ptx_num::values::Marks;
use ptx_num::values::convert::quick::f32_from_f64;
use ptx_sema::hir::types::TypeId;
use std::cell::RefCell;

/// One instruction while it is decoded.
pub struct DecodeContext<'a> {
    /// The function that contains the instruction.
    pub function: &'a FlowFunction,
    /// The index of the instruction in the function.
    pub index: usize,
    /// The module that is being decoded.
    pub executable: &'a Executable,
    function_index: usize,
    /// The origins of the addresses in the function.
    origins: &'a Origins,
    layout: &'a mut FrameLayout,
    specials: &'a mut Specials,
    /// The operands that the instruction only copies, if its decoder declared some.
    passing: Option<(Vec<OperandName>, Passing)>,
    /// The operands that the decoder has asked for.
    requested: RefCell<Vec<OperandName>>,
}

impl<'a> DecodeContext<'a> {
    /// The context of instruction `index` of a function. Decoding the instruction adds to the layout and to the special registers.
    pub(crate) fn new(
        executable: &'a Executable,
        function: &'a FlowFunction,
        function_index: usize,
        index: usize,
        origins: &'a Origins,
        layout: &'a mut FrameLayout,
        specials: &'a mut Specials,
    ) -> Self {
        Self {
            function,
            index,
            executable,
            function_index,
            origins,
            layout,
            specials,
            passing: None,
            requested: RefCell::default(),
        }
    }

    /// The lowered instruction.
    pub fn instruction(&self) -> &'a FlowInstruction {
        &self.function.instructions[self.index]
    }

    /// The entry of the instruction in the tables of the instruction set.
    pub fn entry(&self) -> &'static Entry {
        self.function.entry(self.index)
    }

    /// The form that the instruction has.
    pub fn form(&self) -> &'static Form {
        self.function.chosen(self.index).form
    }

    /// The key of the instruction's semantics; `None` if the tables give none.
    pub fn exec(&self) -> Option<Exec> {
        self.function.chosen(self.index).exec()
    }

    /// Whether a modifier is written, in whatever slot.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.function.has(self.index, modifier)
    }

    /// The modifier in the slot of that name; `None` if none is written.
    pub fn modifier(&self, slot: SlotName) -> Option<Modifier> {
        self.function.modifier(self.index, slot)
    }

    /// All modifiers as written, in the order of the form.
    pub fn modifiers(&self) -> impl Iterator<Item = Modifier> + use<'a> {
        self.function.chosen(self.index).written()
    }

    /// The modifiers that are types, in the order of the form.
    pub fn types(&self) -> impl Iterator<Item = Modifier> + use<'a> {
        self.modifiers().filter(|m| ptx_isa::ISA.ty(m.name()).is_some())
    }

    /// The first leaf of the operand of that name. A list has one leaf per element, any other operand has one.
    pub fn operand(&self, name: OperandName) -> Option<&'a FlowOperand> {
        self.operands(name).next()
    }

    /// The leaves of the operand of that name, in order.
    pub fn operands(&self, name: OperandName) -> impl Iterator<Item = &'a FlowOperand> + use<'a> {
        self.requested.borrow_mut().push(name);
        self.function.named(self.index, name)
    }

    /// The leaves of all operands.
    pub fn all_operands(&self) -> impl Iterator<Item = &'a FlowOperand> + use<'a> {
        self.requested.borrow_mut().extend(self.leaves().filter_map(|o| o.spec?.id));
        self.leaves()
    }

    /// The leaves of all operands, without noting that they were asked for.
    fn leaves(&self) -> impl Iterator<Item = &'a FlowOperand> + use<'a> {
        self.function.operands_of(self.index).iter()
    }

    /// The operands that the decoder has not asked for, each once.
    pub(crate) fn ignored(&self) -> Box<[OperandName]> {
        let requested = self.requested.borrow();
        let mut out: Vec<OperandName> = self.leaves().filter_map(|o| o.spec?.id).collect();
        out.dedup();
        out.retain(|name| !requested.contains(name));
        out.into()
    }

    /// The value of the operand of that name if it is an integer constant.
    pub fn immediate(&self, name: OperandName) -> Option<i64> {
        match self.operand(name)?.value {
            OperandValue::Integer(i) => Some(i),
            _ => None,
        }
    }

    fn missing(&self, name: OperandName) -> DecodeRefusal {
        DecodeRefusal(format!("`{}` without its operand `{}`", self.entry().name, name.name()))
    }

    /// The place of the values that an operand reads or writes. A constant gets `width` bytes, a register keeps its own width. A number that
    /// is added to a register is part of the value.
    pub fn place(&mut self, operand: &FlowOperand, width: u8) -> Result<RegisterLocation, DecodeRefusal> {
        let base = self.base(operand, width)?;
        match (operand.value, operand.offset) {
            (OperandValue::Register(_) | OperandValue::Special(..), Some(number)) if number != 0 => {
                Ok(self.layout.sum(self.index, base, number))
            }
            _ => Ok(base),
        }
    }

    /// As [`place`](Self::place), without the number that is added to a register.
    fn base(&mut self, operand: &FlowOperand, width: u8) -> Result<RegisterLocation, DecodeRefusal> {
        let offset = operand.offset.ok_or("an offset whose value is not known")?;
        match operand.value {
            OperandValue::Registers(_, count) if count > 1 => Err("a vector register where one value is read".into()),
            OperandValue::Register(slot) | OperandValue::Part(slot, _) | OperandValue::Registers(slot, _) => {
                match self.layout.slot(slot) {
                    Some(Slot::Register(place)) => Ok(place),
                    _ => Err("a predicate where a value is read".into()),
                }
            }
            OperandValue::Special(register, component) => Ok(self.special(register, component, width)),
            OperandValue::Integer(value) => {
                let value = value.wrapping_add(offset);
                let value = if operand.minus { value.wrapping_neg() } else { value };
                Ok(self.layout.constants.place(value as i128 as u128, width))
            }
            OperandValue::Float(bits, single) => {
                Ok(self.layout.constants.place(float_bits(bits, single, operand.ty, width), width))
            }
            OperandValue::Function(f) => {
                let name = self.function.functions.get(f as usize).ok_or("an unknown function")?;
                let index = self.executable.program.function(name);
                let index = index.ok_or_else(|| DecodeRefusal(format!("`{name}` is not declared")))?;
                Ok(self.layout.constants.place(self.executable.code_address(index as u32).into(), width))
            }
            OperandValue::Variable(v) => Ok(self.variable(v, offset, false)?.0),
            OperandValue::Sink => Ok(self.layout.scratch(width)),
            OperandValue::Label(_) | OperandValue::List(_) => Err("a label where a value is read".into()),
            OperandValue::Unknown => Err("a constant whose value is not known".into()),
        }
    }

    /// The place that holds the address of a variable plus `offset`, and the state space of the address. `generic`: a generic address is
    /// needed.
    fn variable(
        &mut self,
        variable: u32,
        offset: i64,
        generic: bool,
    ) -> Result<(RegisterLocation, AddressSpace), DecodeRefusal> {
        let info = self.function.variables.get(variable as usize).ok_or("an unknown variable")?;
        let width = self.executable.address_bytes();
        let own_space = match info.symbol.space {
            ".local" => AddressSpace::Window(Window::Local),
            ".param" => AddressSpace::Window(Window::Parameter),
            ".shared" => AddressSpace::Window(Window::Shared),
            ".const" => AddressSpace::Window(Window::Constant),
            _ => AddressSpace::Global,
        };
        if let Some(place) = self.layout.stack_address(self.function, variable, offset, generic) {
            return Ok((place, if generic { AddressSpace::Generic } else { own_space }));
        }
        let located = if info.symbol.origin == ptx_sema::hir::symbols::VariableOrigin::KernelParameter {
            let entry = &self.executable.program.functions[self.executable.entry as usize];
            let index = entry.parameters.iter().position(|p| p.name == info.name);
            let parameter = index.and_then(|i| self.executable.parameters.get(i));
            parameter.map(|(at, bytes)| VariableLocation {
                address: u64::from(*at),
                window: Some(Window::Parameter),
                bytes: u64::from(*bytes),
            })
        } else {
            let local_name = body_name(self.function_index, variable as usize);
            let name = if info.range.is_empty() { &info.name } else { &local_name };
            self.executable.variables.get(name).copied()
        };
        let located = located.ok_or_else(|| DecodeRefusal(format!("`{}` is not defined in this module", info.name)))?;
        let mut address = located.address;
        if generic && let Some(window) = located.window {
            address = self.executable.map.generic(window, address).ok_or("an address outside of its window")?;
        }
        let address = address.wrapping_add(offset as u64);
        let place = self.layout.constants.place(address.into(), width);
        Ok((place, if generic { AddressSpace::Generic } else { own_space }))
    }

    /// The place of a special register, in `width` bytes if the register can be read in that width.
    fn special(&mut self, register: &'static SpecialRegister, component: Option<u8>, width: u8) -> RegisterLocation {
        let special = Special { name: register.name, component: component.unwrap_or(0) };
        let element_bytes = ptx_isa::ISA.ty(register.ty).map_or(4, |t| (t.bits / 8) as u8);
        let width = if register.also_read.contains(&(u16::from(width) * 8)) { width } else { element_bytes };
        if is_clock(register.name) {
            return self.layout.clock(self.index, special, width);
        }
        self.specials.place(special, width)
    }

    /// The size of a value of the operand's type in bytes; that of an address if the operand has no type.
    pub fn width(&self, operand: &FlowOperand) -> u8 {
        let bits = operand.ty.map_or(u16::from(self.executable.address_bytes()) * 8, |t| t.info().bits);
        (bits.div_ceil(8)).next_power_of_two().clamp(1, 16) as u8
    }

    /// One leaf as a source of values of type `T`. Refuses a register that is too narrow.
    pub fn source<T: Lane>(&mut self, operand: &FlowOperand) -> Result<Src<T>, DecodeRefusal> {
        let place = self.place(operand, T::BYTES as u8)?;
        Src::new(place).ok_or_else(|| {
            DecodeRefusal(format!("a register of {} bits where {} are read", 8 * place.width, 8 * T::BYTES))
        })
    }

    /// The operand of that name as a source of values of type `T`.
    pub fn src<T: Lane>(&mut self, name: OperandName) -> Result<Src<T>, DecodeRefusal> {
        let operand = self.operand(name).ok_or_else(|| self.missing(name))?;
        self.source(operand)
    }

    /// Like [`src`](Self::src), for an operand that may be absent.
    pub fn optional_src<T: Lane>(&mut self, name: OperandName) -> Result<Option<Src<T>>, DecodeRefusal> {
        self.operand(name).map(|o| self.source(o)).transpose()
    }

    /// All elements of the list or vector register of that name as sources. A single value gives one source.
    pub fn srcs<T: Lane>(&mut self, name: OperandName) -> Result<Vec<Src<T>>, DecodeRefusal> {
        let places = self.places(name, T::BYTES as u8)?;
        places.into_iter().map(|p| Src::new(p).ok_or_else(|| "a register that is too narrow".into())).collect()
    }

    /// The places of all elements of the operand of that name. WarpRegisters may have any width; a constant gets `width` bytes.
    pub fn places(&mut self, name: OperandName, width: u8) -> Result<Vec<RegisterLocation>, DecodeRefusal> {
        let mut out = Vec::new();
        for operand in self.operands(name) {
            if let OperandValue::Registers(first, count) = operand.value {
                for slot in first.0..first.0 + u32::from(count) {
                    match self.layout.slot(ptx_flow::flow::RegisterSlot(slot)) {
                        Some(Slot::Register(place)) => out.push(place),
                        _ => return Err("a predicate where a value is read".into()),
                    }
                }
            } else {
                out.push(self.place(operand, width)?);
            }
        }
        Ok(out)
    }

    /// The operand of that name as a destination of values of type `T`. The operand `_` accepts any type.
    pub fn dst<T: Lane>(&mut self, name: OperandName) -> Result<Dst<T>, DecodeRefusal> {
        let operand = self.operand(name).ok_or_else(|| self.missing(name))?;
        self.destination(operand)
    }

    /// One leaf as a destination of values of type `T`. Refuses a register that is too narrow.
    pub fn destination<T: Lane>(&mut self, operand: &FlowOperand) -> Result<Dst<T>, DecodeRefusal> {
        let place = self.place(operand, T::BYTES as u8)?;
        Dst::new(place).ok_or_else(|| {
            DecodeRefusal(format!("a register of {} bits where {} are written", 8 * place.width, 8 * T::BYTES))
        })
    }

    /// All elements of the operand of that name as destinations.
    pub fn dsts<T: Lane>(&mut self, name: OperandName) -> Result<Vec<Dst<T>>, DecodeRefusal> {
        let places = self.places(name, T::BYTES as u8)?;
        places.into_iter().map(|p| Dst::new(p).ok_or_else(|| "a register that is too narrow".into())).collect()
    }

    /// An operand as a source of predicates: a register, a literal, or a special register.
    pub fn predicate(&mut self, operand: &FlowOperand) -> Result<PredicateSrc, DecodeRefusal> {
        let flip = operand.negated;
        match operand.value {
            OperandValue::Register(slot) => match self.layout.slot(slot) {
                Some(Slot::Predicate(index)) => Ok(PredicateSrc { index: Some(index), flip }),
                _ => Err("a value where a predicate is read".into()),
            },
            OperandValue::Integer(value) => Ok(PredicateSrc::constant((value != 0) != flip)),
            OperandValue::Special(register, component) => {
                let special = Special { name: register.name, component: component.unwrap_or(0) };
                Ok(PredicateSrc { index: Some(self.layout.special_predicate(special)), flip })
            }
            _ => Err("something else where a predicate is read".into()),
        }
    }

    /// The operand of that name as a source of predicates; `None` if it is absent.
    pub fn predicate_src(&mut self, name: OperandName) -> Result<Option<PredicateSrc>, DecodeRefusal> {
        self.operand(name).map(|o| self.predicate(o)).transpose()
    }

    /// The predicate that the operand of that name writes; `None` if the operand is absent.
    pub fn predicate_dst(&mut self, name: OperandName) -> Result<Option<PredicateDst>, DecodeRefusal> {
        match self.operand(name).map(|o| &o.value) {
            None => Ok(None),
            Some(OperandValue::Sink) => Ok(Some(PredicateDst(self.layout.scratch_predicate()))),
            Some(OperandValue::Register(slot)) => match self.layout.slot(*slot) {
                Some(Slot::Predicate(index)) => Ok(Some(PredicateDst(index))),
                _ => Err("a value where a predicate is written".into()),
            },
            Some(_) => Err("something else where a predicate is written".into()),
        }
    }

    /// Whether the operand of that name is a predicate register.
    pub fn is_predicate(&self, name: OperandName) -> bool {
        match self.operand(name).map(|o| &o.value) {
            Some(OperandValue::Register(slot)) => matches!(self.layout.slot(*slot), Some(Slot::Predicate(_))),
            _ => false,
        }
    }

    /// The predicate source of a guard.
    pub(crate) fn guard(&mut self, guard: &Guard) -> PredicateSrc {
        let flip = guard.negated;
        let index = match guard.slot.and_then(|s| self.layout.slot(s)) {
            Some(Slot::Predicate(index)) => index,
            _ => {
                let name = guard.special.map_or("", |r| r.name);
                self.layout.special_predicate(Special { name, component: 0 })
            }
        };
        PredicateSrc { index: Some(index), flip }
    }

    /// The address that the operand of that name gives in brackets.
    pub fn address(&mut self, name: OperandName) -> Result<Address, DecodeRefusal> {
        let operand = self.operand(name).ok_or_else(|| self.missing(name))?;
        self.address_of(operand)
    }

    /// The address that a leaf gives in brackets.
    pub fn address_of(&mut self, operand: &FlowOperand) -> Result<Address, DecodeRefusal> {
        let (space, origins) = (self.space_of(operand), self.origins.of(operand));
        if let OperandValue::Variable(v) = operand.value {
            let offset = operand.offset.ok_or("an offset whose value is not known")?;
            let (base, declared) = self.variable(v, offset, space == AddressSpace::Generic)?;
            let space = if space == AddressSpace::Generic { space } else { declared };
            return Ok(Address { base, offset: 0, space, origins });
        }
        let width = self.executable.address_bytes();
        let base = self.base(operand, width)?;
        // The value of a constant already contains its offset.
        let constant = matches!(operand.value, OperandValue::Integer(_));
        let offset = if constant { 0 } else { operand.offset.ok_or("an offset whose value is not known")? };
        Ok(Address { base, offset, space, origins })
    }

    /// The state space of an address operand, which the form and the modifiers determine.
    pub fn space_of(&self, operand: &FlowOperand) -> AddressSpace {
        let chosen = self.function.chosen(self.index);
        let name = match operand.spec.map(|s| &s.kind) {
            Some(ValueKind::Address(Spaces::Slot(slot))) => chosen.values.get(usize::from(*slot)).copied().flatten(),
            Some(ValueKind::Address(Spaces::Named([name]))) => Some(*name),
            // If the form allows several spaces, take the one that is written.
            Some(ValueKind::Address(Spaces::Named(names))) => {
                names.iter().copied().find(|n| chosen.values.contains(&Some(*n)))
            }
            _ => None,
        };
        space_named(name.unwrap_or(""))
    }

    /// The index of the instruction that the label in an operand stands before.
    pub fn label(&self, operand: &FlowOperand) -> Option<u32> {
        let OperandValue::Label(label) = operand.value else { return None };
        self.function.labels.get(label as usize).map(|l| l.target)
    }

    /// Whether all threads of a warp must execute the instruction together. Before sm_70 this holds for every barrier (manual 9.7.13.1,
    /// *Note*).
    pub fn is_aligned(&self) -> bool {
        let barrier = matches!(self.exec(), Some(Exec::BarrierSync | Exec::BarrierArrive | Exec::BarrierRed));
        self.function.converges(self.index) || (barrier && !self.executable.has("sm_70"))
    }

    /// The lanes that must have arrived before the instruction is executed.
    pub(crate) fn together(&mut self) -> LaneGathering {
        let mask = self.leaves().find(|o| o.spec.is_some_and(|s| s.lanes));
        match mask {
            Some(mask) => self.place(mask, 4).map_or(LaneGathering::Any, LaneGathering::Named),
            None if self.is_aligned() => LaneGathering::Warp,
            None => LaneGathering::Any,
        }
    }

    /// Whether the instruction reads hidden registers that are filled right before it.
    pub(crate) fn is_prepared(&self) -> bool {
        self.layout.is_prepared(self.index)
    }

    /// The size in bits of the first result that holds floating-point numbers; `None` if no result does.
    pub(crate) fn writes_floats(&self) -> Option<u16> {
        let written = self.leaves().filter(|o| o.spec.is_some_and(|s| s.access == OperandAccess::Write));
        written.filter_map(|o| o.ty).map(|t| t.info()).find(|t| number_format(t.name).is_some()).map(|t| t.bits)
    }

    /// `d = f(a)` for all lanes, including inactive ones. `f` must be cheap and accept any bits.
    pub fn map1<A: Lane, D: Lane>(
        &mut self,
        f: impl Fn(A) -> D + Send + Sync + 'static,
    ) -> Result<OpAction, DecodeRefusal> {
        self.map1_of(simd::each1(f))
    }

    /// Compiled for each combination of types, not for each operation.
    fn map1_of<A: Lane, D: Lane>(&mut self, f: Loop1<A, Lanes<D>>) -> Result<OpAction, DecodeRefusal> {
        let (d, a) = (self.dst(OperandName::D)?, self.src(OperandName::A)?);
        Ok(OpAction::Lanes(simd::step(Map1 { d, a, f })))
    }

    /// `d = f(a, b)`, as [`map1`](Self::map1).
    pub fn map2<A: Lane, B: Lane, D: Lane>(
        &mut self,
        f: impl Fn(A, B) -> D + Send + Sync + 'static,
    ) -> Result<OpAction, DecodeRefusal> {
        self.map2_of(simd::each2(f))
    }

    /// Compiled for each combination of types, not for each operation.
    fn map2_of<A: Lane, B: Lane, D: Lane>(&mut self, f: Loop2<A, B, Lanes<D>>) -> Result<OpAction, DecodeRefusal> {
        let (d, ab) = (self.dst(OperandName::D)?, (self.src(OperandName::A)?, self.src(OperandName::B)?));
        Ok(OpAction::Lanes(simd::step(Map2 { d, ab, f })))
    }

    /// `d = f(a, b, c)`, as [`map1`](Self::map1).
    pub fn map3<A: Lane, B: Lane, C: Lane, D: Lane>(
        &mut self,
        f: impl Fn(A, B, C) -> D + Send + Sync + 'static,
    ) -> Result<OpAction, DecodeRefusal> {
        self.map3_of(simd::each3(f))
    }

    /// Compiled for each combination of types, not for each operation.
    fn map3_of<A: Lane, B: Lane, C: Lane, D: Lane>(
        &mut self,
        f: Loop3<A, B, C, Lanes<D>>,
    ) -> Result<OpAction, DecodeRefusal> {
        let (d, abc) = (
            self.dst(OperandName::D)?,
            (self.src(OperandName::A)?, self.src(OperandName::B)?, self.src(OperandName::C)?),
        );
        Ok(OpAction::Lanes(simd::step(Map3 { d, abc, f })))
    }

    /// `d = f(a, b)` with marks, for the active lanes only. Meant for functions that are costly.
    pub fn each2<A: Lane, B: Lane, D: Lane>(
        &mut self,
        f: impl Fn(A, B) -> (D, Marks) + Send + Sync + 'static,
    ) -> Result<OpAction, DecodeRefusal> {
        let (d, a, b) =
            (self.dst::<D>(OperandName::D)?, self.src::<A>(OperandName::A)?, self.src::<B>(OperandName::B)?);
        Ok(Self::each(move |r, lane| {
            let (value, marks) = f(r.lane(a, lane), r.lane(b, lane));
            r.put_lane(d, lane, value);
            marks
        }))
    }

    /// `d = f(a, b, c)`, as [`each2`](Self::each2).
    pub fn each3<A: Lane, B: Lane, C: Lane, D: Lane>(
        &mut self,
        f: impl Fn(A, B, C) -> (D, Marks) + Send + Sync + 'static,
    ) -> Result<OpAction, DecodeRefusal> {
        let (d, a, b, c) = (
            self.dst::<D>(OperandName::D)?,
            self.src::<A>(OperandName::A)?,
            self.src::<B>(OperandName::B)?,
            self.src::<C>(OperandName::C)?,
        );
        Ok(Self::each(move |r, lane| {
            let (value, marks) = f(r.lane(a, lane), r.lane(b, lane), r.lane(c, lane));
            r.put_lane(d, lane, value);
            marks
        }))
    }

    /// A comparison of `a` and `b`: see [`Compare`].
    pub fn compare<A: Lane>(
        to: Outcomes,
        ab: (Src<A>, Src<A>),
        c: PredicateSrc,
        combine: fn(LaneMask, LaneMask) -> (LaneMask, LaneMask),
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> OpAction {
        OpAction::Lanes(simd::step(Compare { to, ab, f: simd::comparison(f), combine, c }))
    }

    /// A step on registers that calls `f` for one active lane after the other.
    pub fn each(f: impl Fn(&mut WarpRegisters, usize) -> Marks + Send + Sync + 'static) -> OpAction {
        OpAction::Lanes(Box::new(EachLane { f }))
    }

    /// A step on registers that calls `f` once, for all lanes of the mask.
    pub fn all(f: impl Fn(&mut WarpRegisters, LaneMask) -> LaneMarks + Send + Sync + 'static) -> OpAction {
        OpAction::Lanes(Box::new(AllLanes { f }))
    }

    /// A step on registers for which the compiler should emit vector instructions.
    pub fn step(step: impl LaneStep + 'static) -> OpAction {
        OpAction::Lanes(simd::step(step))
    }

    /// An action that needs more than registers: memory, other lanes, warps or CTAs.
    pub fn machine(f: impl Fn(&mut ExecContext<'_>) -> StepOutcome + Send + Sync + 'static) -> OpAction {
        let step: MachineStep = Box::new(f);
        OpAction::Machine(step)
    }
}

/// The state space that a modifier names; [`AddressSpace::Generic`] for any other modifier.
pub(crate) fn space_named(name: &str) -> AddressSpace {
    match name {
        ".global" => AddressSpace::Global,
        ".local" => AddressSpace::Window(Window::Local),
        ".const" => AddressSpace::Window(Window::Constant),
        _ if name.starts_with(".shared") => AddressSpace::Window(Window::Shared),
        _ if name.starts_with(".param") => AddressSpace::Window(Window::Parameter),
        _ => AddressSpace::Generic,
    }
}

/// The bits of a floating-point literal as a value of type `ty`, or of `width` bytes if there is no type. `single`: the literal is `0f…`.
fn float_bits(bits: u64, single: bool, ty: Option<TypeId>, width: u8) -> u128 {
    let bytes = ty.map_or(usize::from(width), |t| usize::from(t.info().bits / 8));
    match (bytes, single) {
        // For a value of 64 bits, `0f…` gives the lower half (ptxas).
        (4, false) => f32_from_f64(bits).into(),
        _ => bits.into(),
    }
}
