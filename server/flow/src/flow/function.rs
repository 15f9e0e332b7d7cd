//! The lowered function as flat tables that borrow nothing. All byte ranges count from the start of the function's item.

use ptx_isa::tables::{
    self, ControlTransfer, Effect, Entry, Form, LaunchBound, OperandAccess, SpaceInfo, SpecialRegister, UniformExtent,
    ValueKind,
};
use ptx_isa::{Exec, Modifier, OperandName, SlotName};
use ptx_sema::hir::signature::Signature;
use ptx_sema::hir::symbols::{self, VariableOrigin};
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// The number of a register of one declaration, or of one element of a vector register. Slots are numbered in the order of
/// their first use; a register that no instruction names has no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterSlot(pub u32);

impl RegisterSlot {
    /// The slot as an index into [`FlowFunction::registers`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The register for which a slot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRegister {
    /// Index into [`FlowFunction::declarations`].
    pub declaration: u32,
    /// The number of the register in a range such as `%r<10>`, else 0.
    pub number: u32,
    /// The index of the element in a vector register, else 0.
    pub element: u8,
}

/// A declaration of one or many registers.
#[derive(Debug, Clone)]
pub struct RegisterDeclaration {
    /// The name, without the number of a register in a range.
    pub name: Box<str>,
    /// The byte range of the name.
    pub range: Range<u32>,
    /// The number of registers of a range such as `%r<10>`.
    pub count: Option<u32>,
    /// The number of elements of a vector register, else 1.
    pub elements: u8,
    /// The type of a register, or of one element of a vector register.
    pub ty: TypeId,
    /// Whether it is declared in the body or in the signature. Parameters are written before the function begins; results are
    /// read when it returns.
    pub origin: VariableOrigin,
    /// The byte range of the block in which it is declared: the scope of the registers.
    pub scope: Range<u32>,
    /// The highest register number that an instruction uses, or 0 for a single register; `None` if no instruction uses the
    /// declaration.
    pub highest: Option<u32>,
}

/// A variable in memory, or a parameter in a parameter state space.
#[derive(Debug, Clone)]
pub struct FlowVariable {
    /// Its name.
    pub name: Box<str>,
    /// The byte range of its name in its declaration; empty for a variable of the module.
    pub range: Range<u32>,
    /// Its symbol: type, state space and origin.
    pub symbol: symbols::VariableSymbol,
    /// The byte range of the block in which it is declared.
    pub scope: Range<u32>,
    /// The number of operands that name it.
    pub uses: u32,
}

/// A label in the body of a function.
#[derive(Debug, Clone)]
pub struct FlowLabel {
    /// Its name.
    pub name: Box<str>,
    /// The byte range of its name where it is defined.
    pub range: Range<u32>,
    /// The index of the instruction after the label; the number of instructions if the label is at the end of the body.
    pub target: u32,
    /// The number of operands and target lists that name it.
    pub uses: u32,
}

/// A labelled `.branchtargets`, `.calltargets` or `.callprototype` directive.
#[derive(Debug, Clone)]
pub struct LabelList {
    /// The name of its label.
    pub name: Box<str>,
    /// The byte range of the label's name.
    pub range: Range<u32>,
    /// Indices into [`FlowFunction::labels`]; empty unless it is a `.branchtargets`.
    pub labels: Vec<u32>,
    /// Indices into [`FlowFunction::functions`]; empty unless it is a `.calltargets`.
    pub functions: Vec<u32>,
    /// The signature declared by a `.callprototype`.
    pub prototype: Option<Box<Signature>>,
    /// Whether the functions of the prototype do not return.
    pub noreturn: bool,
    /// The number of operands that name it.
    pub uses: u32,
}

/// The selector of a part of a register as written, without the dot: `b0`, `h1`, `b3210`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    /// The text, followed by zeros.
    text: [u8; Self::MAX_LENGTH],
}

impl Selector {
    /// The length of the longest selector: `b` and four digits.
    const MAX_LENGTH: usize = 5;

    /// The selector with this text; `None` if it is too long to be one.
    pub fn new(written: &str) -> Option<Self> {
        let mut text = [0; Self::MAX_LENGTH];
        text.get_mut(..written.len())?.copy_from_slice(written.as_bytes());
        Some(Self { text })
    }

    /// The text, without the dot.
    pub fn as_str(&self) -> &str {
        let length = self.text.iter().position(|byte| *byte == 0).unwrap_or(Self::MAX_LENGTH);
        std::str::from_utf8(&self.text[..length]).unwrap_or("")
    }
}

impl std::fmt::Debug for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The value of an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperandValue {
    /// A register.
    Register(RegisterSlot),
    /// A whole vector register: the slot of its first element and the number of elements, in consecutive slots.
    Registers(RegisterSlot, u8),
    /// A part of a register, such as `%r1.b0`.
    Part(RegisterSlot, Selector),
    /// A special register and, if it is a vector, the index of its component.
    Special(&'static SpecialRegister, Option<u8>),
    /// An integer in 64-bit two's complement.
    Integer(i64),
    /// The bits of a floating-point number: 32 bits if the flag is set, else 64.
    Float(u64, bool),
    /// The address of a variable: index into [`FlowFunction::variables`].
    Variable(u32),
    /// A function: index into [`FlowFunction::functions`].
    Function(u32),
    /// A label: index into [`FlowFunction::labels`].
    Label(u32),
    /// A list of targets or a prototype: index into [`FlowFunction::lists`].
    List(u32),
    /// `_`.
    Sink,
    /// A constant without a value; a check reports it as an error.
    Unknown,
}

/// The role of an operand in its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandRole {
    /// A single operand, or the first of `d|p`.
    Plain,
    /// The second of `d|p`.
    Second,
    /// An element of a list in braces.
    Element,
    /// The base of an address; a register in it is read.
    Address,
    /// Another part of an address, such as coordinates.
    AddressPart,
    /// An argument or a result of a call.
    Argument,
}

/// A leaf of an operand: lists, pairs and addresses are split into their parts.
#[derive(Debug, Clone)]
pub struct FlowOperand {
    /// The value.
    pub value: OperandValue,
    /// The offset added to the value, in bytes; `None` if it is unknown.
    pub offset: Option<i64>,
    /// The byte range of the leaf.
    pub range: Range<u32>,
    /// The index of the operand to which the leaf belongs, in written order.
    pub place: u8,
    /// The index of the leaf in that operand.
    pub part: u16,
    /// The role of the leaf.
    pub role: OperandRole,
    /// Whether the leaf is written with `!`.
    pub negated: bool,
    /// Whether the leaf is written with `-`.
    pub minus: bool,
    /// The operand's declaration in the form.
    pub spec: Option<&'static tables::FormValue>,
    /// The type that the form and the modifiers give it.
    pub ty: Option<TypeId>,
}

impl FlowOperand {
    /// The selector of a part of a register, without the dot; `None` for other operands.
    pub fn selector(&self) -> Option<&str> {
        match &self.value {
            OperandValue::Part(_, selector) => Some(selector.as_str()),
            _ => None,
        }
    }

    /// Whether the instruction reads the registers in the leaf.
    pub fn reads(&self) -> bool {
        self.role == OperandRole::Address || self.spec.is_none_or(|s| s.access != OperandAccess::Write)
    }

    /// Whether the instruction writes the registers in the leaf.
    pub fn writes(&self) -> bool {
        self.role != OperandRole::Address && self.spec.is_some_and(|s| s.access != OperandAccess::Read)
    }

    /// The access to memory at the address; `None` if the operand is not an address.
    pub fn memory(&self) -> Option<OperandAccess> {
        let spec = self.spec.filter(|s| matches!(s.kind, ValueKind::Address(_)))?;
        Some(spec.access)
    }

    /// The slots of the registers in the leaf.
    pub fn slots(&self) -> impl Iterator<Item = RegisterSlot> + use<> {
        let (first, count) = match self.value {
            OperandValue::Register(slot) | OperandValue::Part(slot, _) => (slot.0, 1),
            OperandValue::Registers(slot, count) => (slot.0, u32::from(count)),
            _ => (0, 0),
        };
        (first..first + count).map(RegisterSlot)
    }
}

/// The guard predicate of an instruction.
#[derive(Debug, Clone)]
pub struct Guard {
    /// The register; `None` if the guard is a special register.
    pub slot: Option<RegisterSlot>,
    /// The special register, if the guard is one.
    pub special: Option<&'static SpecialRegister>,
    /// Whether the guard is negated: `@!p`.
    pub negated: bool,
    /// The byte range of the predicate.
    pub range: Range<u32>,
}

/// A read or write of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterUse {
    /// The register.
    pub slot: RegisterSlot,
    /// Index into [`FlowFunction::operands`]; `None` for the guard.
    pub operand: Option<u32>,
    /// Whether the register is read only if another operand, whose value is unknown, is true.
    pub conditional: bool,
}

/// A form with the modifier values with which instructions use it.
#[derive(Debug, Clone)]
pub struct FormUse {
    /// The entry in the ISA tables.
    pub entry: &'static Entry,
    /// The form of the entry.
    pub form: &'static Form,
    /// The value in each slot of the form, as the tables spell it.
    pub values: Box<[Option<&'static str>]>,
    /// The same values as [`Modifier`]s, by slot.
    pub modifiers: Box<[Option<Modifier>]>,
    /// Whether all threads of a warp must execute it together.
    pub converge: bool,
    /// The state space given by its modifiers.
    pub space: Option<&'static SpaceInfo>,
}

impl FormUse {
    /// For an ordered comparison (`lt`, `ge`, …) with `number`: the smallest number of the upper side, so that the result
    /// changes between it and its predecessor.
    pub fn parts_at(&self, number: i64) -> Option<i64> {
        self.written().find_map(|m| match m {
            Modifier::Lt | Modifier::Ge | Modifier::Lo | Modifier::Hs => Some(number),
            Modifier::Le | Modifier::Gt | Modifier::Ls | Modifier::Hi => number.checked_add(1),
            _ => None,
        })
    }

    /// The operation with which the interpreter executes the instructions; `None` if the interpreter does not support them.
    pub fn exec(&self) -> Option<Exec> {
        self.entry.exec_of(self.form)
    }

    /// The modifiers that are written, in the order of the form's slots.
    pub fn written(&self) -> impl Iterator<Item = Modifier> + use<'_> {
        self.modifiers.iter().flatten().copied()
    }

    /// The modifier in the slot of that name, if one is written there.
    pub fn modifier(&self, slot: SlotName) -> Option<Modifier> {
        let slot = self.form.slots.iter().position(|s| s.set == Some(slot))?;
        self.modifiers.get(slot).copied().flatten()
    }

    /// Whether a modifier is written, whatever slot it is in.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&Some(modifier))
    }
}

/// An instruction. Ranges are in bytes from the start of the function's item.
#[derive(Debug, Clone)]
pub struct FlowInstruction {
    /// Byte range, guard and semicolon included.
    pub range: Range<u32>,
    /// The byte range of the mnemonic: opcode and modifiers.
    pub mnemonic: Range<u32>,
    /// The guard predicate, if it has one.
    pub guard: Option<Guard>,
    /// How control continues after the instruction, as the tables declare it.
    pub flow: ControlTransfer,
    /// Whether it is a call that does not return.
    pub noreturn: bool,
    /// Index into [`FlowFunction::forms`].
    pub(super) form: u32,
    /// Range of indices into [`FlowFunction::operands`].
    pub(super) operands: Range<u32>,
    /// Indices into [`FlowFunction::uses`]: the start of the reads, the start of the writes, and the end of the writes.
    pub(super) uses: [u32; 3],
}

/// A performance-tuning directive between the parameters of a function and its body, such as `.maxntid`.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// Its name.
    pub name: Box<str>,
    /// Its entry in the ISA tables, if it has one.
    pub directive: Option<&'static tables::Directive>,
    /// The product of its numbers; `None` if it has no numbers or one of them is invalid.
    pub number: Option<u64>,
    /// Its first three numbers; those that are not written are 1. `None` like `number`.
    pub dimensions: Option<[u32; 3]>,
    /// The byte range of the directive.
    pub range: Range<u32>,
}

/// A lowered function. Parts with syntax errors are missing; `complete` is then false.
#[derive(Debug, Clone, Default)]
pub struct FlowFunction {
    /// Its name.
    pub name: Box<str>,
    /// The byte range of its name.
    pub name_range: Range<u32>,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
    /// The directives between its parameters and its body.
    pub directives: Vec<Tuning>,
    /// The byte range of the body.
    pub body: Range<u32>,
    /// The registers, indexed by [`RegisterSlot`].
    pub registers: Vec<SlotRegister>,
    /// The declarations of registers.
    pub declarations: Vec<RegisterDeclaration>,
    /// The variables of the function, and the module variables that it names.
    pub variables: Vec<FlowVariable>,
    /// The names of the functions that its operands and lists mention.
    pub functions: Vec<Box<str>>,
    /// The labels of the body.
    pub labels: Vec<FlowLabel>,
    /// The lists of branch and call targets, and the call prototypes.
    pub lists: Vec<LabelList>,
    /// The instructions in the order of the text.
    pub instructions: Vec<FlowInstruction>,
    /// For each `.pragma`: the index of the instruction that follows it and its text, including the quotes.
    pub pragmas: Vec<(u32, Box<str>)>,
    /// The operand leaves of all instructions.
    pub operands: Vec<FlowOperand>,
    pub(super) uses: Vec<RegisterUse>,
    /// The forms that the instructions use, each once.
    pub forms: Vec<FormUse>,
    /// Whether everything in the function was lowered.
    pub complete: bool,
}

impl FlowFunction {
    /// The header directive with a launch bound, and its number. If there are several, the last one counts (ptxas); a number
    /// of 0 is no bound.
    pub fn bound(&self, bound: LaunchBound) -> Option<(&Tuning, u64)> {
        let found = self.directives.iter().rfind(|t| t.directive.is_some_and(|d| d.bounds == Some(bound)))?;
        Some((found, found.number.filter(|n| *n != 0)?))
    }

    /// The operand leaves of an instruction, in order.
    pub fn operands_of(&self, index: usize) -> &[FlowOperand] {
        let range = &self.instructions[index].operands;
        &self.operands[range.start as usize..range.end as usize]
    }

    /// The leaves of the operand that has this name in the form.
    pub fn named(&self, index: usize, name: OperandName) -> impl Iterator<Item = &FlowOperand> {
        self.operands_of(index).iter().filter(move |o| o.spec.is_some_and(|s| s.id == Some(name)))
    }

    /// The leaves of the operand to which an effect of the form applies.
    pub fn affected(&self, index: usize, effect: &Effect) -> impl Iterator<Item = &FlowOperand> {
        let name = effect.operand;
        self.operands_of(index).iter().filter(move |o| o.spec.is_some_and(|s| s.name == name))
    }

    /// The registers that an instruction reads, the guard first.
    pub fn reads(&self, index: usize) -> &[RegisterUse] {
        let [reads, writes, _] = self.instructions[index].uses;
        &self.uses[reads as usize..writes as usize]
    }

    /// The registers that an instruction writes, if its guard is true.
    pub fn writes(&self, index: usize) -> &[RegisterUse] {
        let [_, writes, end] = self.instructions[index].uses;
        &self.uses[writes as usize..end as usize]
    }

    /// The form of an instruction with the values of its modifiers.
    pub fn chosen(&self, index: usize) -> &FormUse {
        &self.forms[self.instructions[index].form as usize]
    }

    /// The entry of an instruction in the ISA tables.
    pub fn entry(&self, index: usize) -> &'static Entry {
        self.chosen(index).entry
    }

    /// The modifier in the slot of that name, if one is written there.
    pub fn modifier(&self, index: usize, slot: SlotName) -> Option<Modifier> {
        self.chosen(index).modifier(slot)
    }

    /// Whether a modifier is written, whatever slot it is in.
    pub fn has(&self, index: usize, modifier: Modifier) -> bool {
        self.chosen(index).has(modifier)
    }

    /// Whether all threads of a warp must execute the instruction together.
    pub fn converges(&self, index: usize) -> bool {
        self.chosen(index).converge
    }

    /// The threads across which the results are always the same, whatever the operands.
    pub fn uniform(&self, index: usize) -> Option<UniformExtent> {
        self.entry(index).uniform
    }

    /// Whether the instruction has no effect except its results. Loads count only if they read memory that never changes.
    pub fn is_pure(&self, index: usize) -> bool {
        self.entry(index).pure || self.reads_fixed_memory(index)
    }

    /// Whether the instruction is a load from memory that is the same for all threads and never changes: `.const` or kernel
    /// parameters.
    pub fn reads_fixed_memory(&self, index: usize) -> bool {
        let mut addresses = self.operands_of(index).iter().filter(|o| o.memory().is_some());
        let (Some(address), None) = (addresses.next(), addresses.next()) else { return false };
        let Some(space) = self.chosen(index).space.filter(|s| s.fixed) else { return false };
        // In a function, `.param` memory is private to the thread; the arguments and results of a call are private in kernels
        // too.
        let own = |v: u32| self.variables.get(v as usize).is_some_and(|v| v.symbol.origin == VariableOrigin::Body);
        let parameter = space.name.starts_with(".param");
        address.memory() == Some(OperandAccess::Read)
            && !self.writes(index).is_empty()
            && !(parameter && (!self.kernel || matches!(address.value, OperandValue::Variable(v) if own(v))))
    }

    /// The name of a register as it is written in an instruction: `%r7`, `%v.y`.
    pub fn register_name(&self, slot: RegisterSlot) -> String {
        let register = self.registers[slot.index()];
        let declaration = &self.declarations[register.declaration as usize];
        let number = declaration.count.map_or_else(String::new, |_| register.number.to_string());
        let element = match declaration.elements {
            1 => "",
            _ => [".x", ".y", ".z", ".w"].get(usize::from(register.element)).copied().unwrap_or(""),
        };
        format!("{}{number}{element}", declaration.name)
    }

    /// The declaration of the register of a slot.
    pub fn declaration(&self, slot: RegisterSlot) -> &RegisterDeclaration {
        &self.declarations[self.registers[slot.index()].declaration as usize]
    }
}
