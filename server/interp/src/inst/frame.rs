//! The frame of a function: places of its registers, constants, special registers and stack variables.

use crate::lanes::LANES;
use crate::machine::code::{FunctionCode, Op};
use crate::machine::layout::{Formal, HiddenAddress, OperandSum, Slot, Special, SpecialPredicate};
use crate::registers::{RegisterFile, RegisterLine, RegisterLocation};
use ptx_flow::flow::FlowFunction;
use ptx_isa::tables::TypeClass;
use ptx_sema::hir::signature::Parameter;
use ptx_sema::hir::symbols::VariableOrigin;
use std::collections::HashMap;
use std::sync::Arc;

/// Size of the register for unused results, in bytes: 16 for each lane. The register is never read.
const SCRATCH: u32 = 16 * LANES as u32;

/// The constants of a function, each stored once.
#[derive(Debug, Default)]
pub struct Constants {
    bytes: Vec<u8>,
    known: HashMap<(u128, u8), RegisterLocation>,
}

impl Constants {
    /// The place of a constant of `width` bytes that is the same in all lanes. Adds the constant if it is new.
    pub fn place(&mut self, bits: u128, width: u8) -> RegisterLocation {
        let bits = if width >= 16 { bits } else { bits & ((1 << (8 * width)) - 1) };
        if let Some(known) = self.known.get(&(bits, width)) {
            return *known;
        }
        let place = RegisterLocation { file: RegisterFile::Constant, offset: self.bytes.len() as u32, width };
        for _ in 0..LANES {
            self.bytes.extend(&bits.to_le_bytes()[..usize::from(width)]);
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(size_of::<RegisterLine>()), 0);
        self.known.insert((bits, width), place);
        place
    }

    fn finish(self) -> Arc<[RegisterLine]> {
        let mut lines = vec![bytemuck::Zeroable::zeroed(); self.bytes.len() / size_of::<RegisterLine>()];
        bytemuck::cast_slice_mut::<RegisterLine, u8>(&mut lines).copy_from_slice(&self.bytes);
        lines.into()
    }
}

/// The layout of a function's frame while the function is decoded.
pub struct FrameLayout {
    /// The constants of the function.
    pub constants: Constants,
    /// Place of each register of the source, by number.
    slots: Vec<Slot>,
    /// First free byte of the register file.
    next: u32,
    /// Number of predicates so far; the first one receives unused results.
    predicates: u32,
    /// The register for unused results.
    scratch: RegisterLocation,
    /// Registers that hold the addresses of stack variables.
    hidden: Vec<HiddenAddress>,
    /// Predicates that hold special registers.
    special_predicates: Vec<SpecialPredicate>,
    /// Clocks that each instruction reads, by instruction.
    clocks: HashMap<u32, Vec<(RegisterLocation, Special)>>,
    /// Sums that are operands of each instruction, by instruction.
    sums: HashMap<u32, Vec<OperandSum>>,
    /// Offset in the frame of each variable on the stack, by its index in the function.
    stack: HashMap<u32, u32>,
    /// Size of the stack frame in bytes.
    frame_bytes: u32,
    parameters: Vec<Formal>,
    results: Vec<Formal>,
    address_bytes: u8,
}

impl FrameLayout {
    /// Assigns a place to each register, stack variable, parameter and result of a function.
    pub fn new(body: &FlowFunction, parameters: &[Parameter], results: &[Parameter], address_bytes: u8) -> Self {
        let scratch = RegisterLocation { file: RegisterFile::Own, offset: 0, width: 16 };
        let mut out = Self {
            constants: Constants::default(),
            slots: Vec::with_capacity(body.registers.len()),
            next: SCRATCH,
            predicates: 1,
            scratch,
            hidden: Vec::new(),
            special_predicates: Vec::new(),
            clocks: HashMap::new(),
            sums: HashMap::new(),
            stack: HashMap::new(),
            frame_bytes: 0,
            parameters: Vec::new(),
            results: Vec::new(),
            address_bytes,
        };
        for index in 0..body.registers.len() {
            let ty = body.declaration(ptx_flow::flow::RegisterSlot(index as u32)).ty.info();
            let slot = if ty.class == TypeClass::Pred {
                Slot::Predicate(out.new_predicate())
            } else {
                Slot::Register(out.new_register((ty.bits / 8).clamp(1, 16).next_power_of_two() as u8))
            };
            out.slots.push(slot);
        }
        // Stack variables are the local variables of a body, and the parameters and results of functions.
        for (index, variable) in body.variables.iter().enumerate() {
            let symbol = &variable.symbol;
            let on_stack = match symbol.origin {
                VariableOrigin::Body => matches!(symbol.space, ".local" | ".param"),
                VariableOrigin::Parameter | VariableOrigin::Result => true,
                VariableOrigin::Module | VariableOrigin::KernelParameter => false,
            };
            if on_stack {
                let align = symbol.align.unwrap_or(1).clamp(1, 1 << 16);
                let at = out.frame_bytes.next_multiple_of(align);
                out.stack.insert(index as u32, at);
                let bytes = symbol.bytes.unwrap_or(0).min(1 << 24) as u32;
                out.frame_bytes = at.saturating_add(bytes).min(1 << 24);
            }
        }
        out.frame_bytes = out.frame_bytes.next_multiple_of(16);
        if !body.kernel {
            out.parameters = parameters.iter().map(|p| out.formal(body, p, VariableOrigin::Parameter)).collect();
            out.results = results.iter().map(|p| out.formal(body, p, VariableOrigin::Result)).collect();
        }
        out
    }

    /// The place of a parameter or of a result of the function.
    fn formal(&self, body: &FlowFunction, parameter: &Parameter, origin: VariableOrigin) -> Formal {
        if parameter.register == Some(true) {
            let declared = |d: &ptx_flow::flow::RegisterDeclaration| d.origin == origin && d.name == parameter.name;
            let register = body.registers.iter().position(|r| declared(&body.declarations[r.declaration as usize]));
            // The elements of a vector register have consecutive slots.
            return match register.map(|r| (r as u32, self.slots[r])) {
                Some((first, _)) if parameter.elements > 1 => Formal::Vector(first, parameter.elements),
                Some((_, Slot::Register(place))) => Formal::Register(place),
                Some((_, Slot::Predicate(index))) => Formal::Predicate(index),
                None => Formal::Unused,
            };
        }
        let index = body.variables.iter().position(|v| v.symbol.origin == origin && v.name == parameter.name);
        let offset = index.and_then(|i| self.stack.get(&(i as u32)));
        let bytes = parameter.bytes().unwrap_or(0) as u32;
        offset.map_or(Formal::Unused, |offset| Formal::Memory(*offset, bytes))
    }

    /// Adds a register of `width` bytes per lane.
    pub fn new_register(&mut self, width: u8) -> RegisterLocation {
        let place = RegisterLocation { file: RegisterFile::Own, offset: self.next, width };
        self.next += (LANES as u32 * u32::from(width)).next_multiple_of(64);
        place
    }

    /// Adds a predicate and returns its index.
    pub fn new_predicate(&mut self) -> u32 {
        self.predicates += 1;
        self.predicates - 1
    }

    /// The place of a register of the source.
    pub fn slot(&self, slot: ptx_flow::flow::RegisterSlot) -> Option<Slot> {
        self.slots.get(slot.index()).copied()
    }

    /// The place for an unused result of `width` bytes.
    pub fn scratch(&self, width: u8) -> RegisterLocation {
        RegisterLocation { width, ..self.scratch }
    }

    /// The index of the predicate for unused results.
    pub fn scratch_predicate(&self) -> u32 {
        0
    }

    /// The register that holds the address of a stack variable plus `offset` bytes, as a generic address if `generic`; `None` if the
    /// variable is not on the stack.
    pub fn stack_address(
        &mut self,
        body: &FlowFunction,
        variable: u32,
        offset: i64,
        generic: bool,
    ) -> Option<RegisterLocation> {
        let at = i64::from(*self.stack.get(&variable)?);
        let parameter = body.variables.get(variable as usize)?.symbol.space != ".local";
        let wanted = (at.wrapping_add(offset), parameter, generic);
        if let Some(h) = self.hidden.iter().find(|h| (h.offset, h.parameter, h.generic) == wanted) {
            return Some(h.place);
        }
        let place = self.new_register(self.address_bytes);
        self.hidden.push(HiddenAddress { place, offset: wanted.0, parameter, generic });
        Some(place)
    }

    /// Adds a register for the value of a clock. The machine fills it before each execution of the instruction.
    pub fn clock(&mut self, instruction: usize, special: Special, width: u8) -> RegisterLocation {
        let place = self.new_register(width);
        self.clocks.entry(instruction as u32).or_default().push((place, special));
        place
    }

    /// Adds a register for the sum of a register and a number. The machine fills it before each execution of the instruction.
    pub fn sum(&mut self, instruction: usize, register: RegisterLocation, number: i64) -> RegisterLocation {
        let sums = self.sums.entry(instruction as u32).or_default();
        if let Some(known) = sums.iter().find(|s| (s.register, s.number) == (register, number)) {
            return known.place;
        }
        let place = self.new_register(register.width);
        self.sums.entry(instruction as u32).or_default().push(OperandSum { place, register, number });
        place
    }

    /// Whether an instruction reads hidden registers that are filled right before it.
    pub fn is_prepared(&self, instruction: usize) -> bool {
        let instruction = instruction as u32;
        self.clocks.contains_key(&instruction) || self.sums.contains_key(&instruction)
    }

    /// The index of the predicate that holds a special register.
    pub fn special_predicate(&mut self, special: Special) -> u32 {
        if let Some(known) = self.special_predicates.iter().find(|s| s.special == special) {
            return known.index;
        }
        let index = self.new_predicate();
        self.special_predicates.push(SpecialPredicate { index, special });
        index
    }

    /// The decoded function, from its operations and their execution order.
    pub fn finish(self, function: u32, ops: Vec<Op>, order: Box<[u32]>) -> FunctionCode {
        FunctionCode {
            function,
            ops: ops.into(),
            order,
            slots: self.slots.into(),
            register_bytes: self.next as usize,
            predicates: self.predicates as usize,
            constants: self.constants.finish(),
            hidden: self.hidden.into(),
            special_predicates: self.special_predicates.into(),
            clocks: self.clocks,
            sums: self.sums,
            stack: self.stack,
            frame_bytes: self.frame_bytes,
            parameters: self.parameters.into(),
            results: self.results.into(),
        }
    }
}
