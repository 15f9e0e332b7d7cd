//! The lowered function: flat tables that borrow nothing.

use crate::hir::signature::Signature;
use crate::hir::symbols::{self, VariableOrigin};
use crate::hir::types::TypeId;
use ptx_isa::tables::{
    self, ControlTransfer, Effect, Entry, Form, LaunchBound, OperandAccess, SpaceInfo, SpecialRegister, UniformExtent,
    ValueKind,
};
use ptx_isa::{Exec, Modifier, OperandName, SlotName};
use std::ops::Range;

/// One register of one declaration, or one element of a vector register. Slots are numbered in the order of their first
/// use; a register that no instruction names has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterSlot(pub u32);

impl RegisterSlot {
    /// As an index into [`FlowFunction::registers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The register of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRegister {
    /// Index into [`FlowFunction::declarations`].
    pub declaration: u32,
    /// Its number in a range such as `%r<10>`, else 0.
    pub number: u32,
    /// Its place in a vector register, else 0.
    pub element: u8,
}

/// A declaration of one or many registers.
#[derive(Debug, Clone)]
pub struct RegisterDeclaration {
    /// Without the number.
    pub name: Box<str>,
    /// Where the name stands.
    pub range: Range<u32>,
    /// The number of registers of a range such as `%r<10>`.
    pub count: Option<u32>,
    /// Elements of a vector register, else 1.
    pub elements: u8,
    /// Type of a register, or of one element.
    pub ty: TypeId,
    /// Of the body, or of the signature: parameters are written before the function begins, results read when it returns.
    pub origin: VariableOrigin,
    /// The block that it is declared in: the registers live there.
    pub scope: Range<u32>,
    /// The highest number that an instruction uses; of a single register 0; nothing if none does.
    pub highest: Option<u32>,
}

/// A variable in memory, or a parameter that is one.
#[derive(Debug, Clone)]
pub struct FlowVariable {
    /// Its name.
    pub name: Box<str>,
    /// Where it is declared; empty for one of the module.
    pub range: Range<u32>,
    /// What it is.
    pub symbol: symbols::VariableSymbol,
    /// The block that it is declared in.
    pub scope: Range<u32>,
    /// How many operands name it.
    pub uses: u32,
}

/// A label.
#[derive(Debug, Clone)]
pub struct FlowLabel {
    /// Its name.
    pub name: Box<str>,
    /// Where it stands.
    pub range: Range<u32>,
    /// The index of the instruction that follows; the number of instructions at the end of the body.
    pub target: u32,
    /// How many operands and lists name it.
    pub uses: u32,
}

/// A labelled `.branchtargets`, `.calltargets` or `.callprototype`.
#[derive(Debug, Clone)]
pub struct LabelList {
    /// Its label.
    pub name: Box<str>,
    /// Where that stands.
    pub range: Range<u32>,
    /// Indices into [`FlowFunction::labels`]; empty unless it is a `.branchtargets`.
    pub labels: Vec<u32>,
    /// Indices into [`FlowFunction::functions`]; empty unless it is a `.calltargets`.
    pub functions: Vec<u32>,
    /// What the functions of a `.callprototype` take and return.
    pub prototype: Option<Box<Signature>>,
    /// A prototype of functions that do not return.
    pub noreturn: bool,
    /// How many operands name it.
    pub uses: u32,
}

/// The selector of a part of a register (`b0`, `h1`), as an index into those that its operand may have; see [`FlowOperand::selector`].
pub type SelectorIndex = u8;

/// The value of an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperandValue {
    /// A register.
    Register(RegisterSlot),
    /// A whole vector register: its first element and how many there are, in consecutive slots.
    Registers(RegisterSlot, u8),
    /// A part of a register.
    Part(RegisterSlot, SelectorIndex),
    /// A special register and, if it is a vector, its component.
    Special(&'static SpecialRegister, Option<u8>),
    /// An integer, as 64 bits.
    Integer(i64),
    /// A floating-point number as its bits: of 32 if the flag is set, else of 64.
    Float(u64, bool),
    /// The address of a variable: index into [`FlowFunction::variables`].
    Variable(u32),
    /// A function: index into [`FlowFunction::functions`].
    Function(u32),
    /// Index into [`FlowFunction::labels`].
    Label(u32),
    /// Index into [`FlowFunction::lists`].
    List(u32),
    /// `_`.
    Sink,
    /// A constant that has no value: it is reported as an error.
    Unknown,
}

/// The role of an operand in its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandRole {
    /// An operand by itself, or the first of `d|p`.
    Plain,
    /// The second of `d|p`.
    Second,
    /// An element of a list in braces.
    Element,
    /// The base of an address: a register in it is read.
    Address,
    /// Another part of an address, such as coordinates.
    AddressPart,
    /// An argument or a result of a call.
    Argument,
}

/// A leaf of an operand: lists, pairs and addresses are taken apart.
#[derive(Debug, Clone)]
pub struct FlowOperand {
    /// What it is.
    pub value: OperandValue,
    /// What is added to it, in bytes; nothing where that is not known.
    pub offset: Option<i64>,
    /// Byte range.
    pub range: Range<u32>,
    /// The index of the operand that it belongs to, as written.
    pub place: u8,
    /// Its index in there.
    pub part: u16,
    /// What part it has.
    pub role: OperandRole,
    /// `!` stands before it.
    pub negated: bool,
    /// `-` stands before it.
    pub minus: bool,
    /// What the form says of it.
    pub spec: Option<&'static tables::FormValue>,
    /// Its type by the form and the modifiers.
    pub ty: Option<TypeId>,
}

impl FlowOperand {
    /// The selector of the part of a register that it is, as the tables spell it.
    pub fn selector(&self) -> Option<&'static str> {
        let (OperandValue::Part(_, part), Some(spec)) = (self.value, self.spec) else { return None };
        spec.select.get(usize::from(part)).copied()
    }

    /// Whether registers in it are read.
    pub fn reads(&self) -> bool {
        self.role == OperandRole::Address || self.spec.is_none_or(|s| s.access != OperandAccess::Write)
    }

    /// Whether registers in it are written.
    pub fn writes(&self) -> bool {
        self.role != OperandRole::Address && self.spec.is_some_and(|s| s.access != OperandAccess::Read)
    }

    /// If it is the base of an address: what is done to the memory there.
    pub fn memory(&self) -> Option<OperandAccess> {
        let spec = self.spec.filter(|s| matches!(s.kind, ValueKind::Address(_)))?;
        Some(spec.access)
    }

    /// The registers in it: the first and how many.
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
    /// The register; nothing for a special register that is a predicate.
    pub slot: Option<RegisterSlot>,
    /// That special register.
    pub special: Option<&'static SpecialRegister>,
    /// `@!p`.
    pub negated: bool,
    /// Where the predicate stands.
    pub range: Range<u32>,
}

/// A read or write of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterUse {
    /// The register.
    pub slot: RegisterSlot,
    /// Index into [`FlowFunction::operands`]; nothing for the guard.
    pub operand: Option<u32>,
    /// It is read only where another operand, which is not known, is true.
    pub conditional: bool,
}

/// A form with the modifier values that some instructions use.
#[derive(Debug, Clone)]
pub struct FormUse {
    /// The entry of the tables.
    pub entry: &'static Entry,
    /// The form.
    pub form: &'static Form,
    /// The value in each slot of the form, as the tables spell it.
    pub values: Box<[Option<&'static str>]>,
    /// The variants of these values.
    pub modifiers: Box<[Option<Modifier>]>,
    /// All threads of a warp must execute it together.
    pub converge: bool,
    /// The state space among its modifiers.
    pub space: Option<&'static SpaceInfo>,
}

impl FormUse {
    /// Of a comparison for order with a number: the least number that is on the other side of it than those below.
    pub fn parts_at(&self, number: i64) -> Option<i64> {
        self.written().find_map(|m| match m {
            Modifier::Lt | Modifier::Ge | Modifier::Lo | Modifier::Hs => Some(number),
            Modifier::Le | Modifier::Gt | Modifier::Ls | Modifier::Hi => number.checked_add(1),
            _ => None,
        })
    }

    /// What executes the instructions; nothing for those that the interpreter refuses.
    pub fn exec(&self) -> Option<Exec> {
        self.entry.exec_of(self.form)
    }

    /// The modifiers that are written, in the order of the form.
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

/// An instruction. Ranges count from the start of the function's item.
#[derive(Debug, Clone)]
pub struct FlowInstruction {
    /// Byte range, guard and semicolon included.
    pub range: Range<u32>,
    /// Opcode and modifiers.
    pub mnemonic: Range<u32>,
    /// Its guard.
    pub guard: Option<Guard>,
    /// Where execution goes on, as the tables say.
    pub flow: ControlTransfer,
    /// A call that does not return.
    pub noreturn: bool,
    /// Into [`FlowFunction::forms`].
    pub(super) form: u32,
    /// Into [`FlowFunction::operands`].
    pub(super) operands: Range<u32>,
    /// Into the uses: reads begin, writes begin, end.
    pub(super) uses: [u32; 3],
}

/// A directive between the parameters of a function and its body.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// Its name.
    pub name: Box<str>,
    /// What the tables say of it, if they know it.
    pub directive: Option<&'static tables::Directive>,
    /// The product of its numbers; nothing without numbers, or where one is wrong.
    pub number: Option<u64>,
    /// Where it stands.
    pub range: Range<u32>,
}

/// A function. Whatever syntax did not allow to understand is missing, and `complete` is false then.
#[derive(Debug, Clone, Default)]
pub struct FlowFunction {
    /// Its name.
    pub name: Box<str>,
    /// Where that stands.
    pub name_range: Range<u32>,
    /// `.entry`.
    pub kernel: bool,
    /// The directives between its parameters and its body.
    pub directives: Vec<Tuning>,
    /// The byte range of the body.
    pub body: Range<u32>,
    /// What the slots stand for.
    pub registers: Vec<SlotRegister>,
    /// The declarations of registers.
    pub declarations: Vec<RegisterDeclaration>,
    /// The variables of the function and those of the module that it names.
    pub variables: Vec<FlowVariable>,
    /// Names of the functions that it names.
    pub functions: Vec<Box<str>>,
    /// Labels.
    pub labels: Vec<FlowLabel>,
    /// Lists of targets and prototypes.
    pub lists: Vec<LabelList>,
    /// The instructions in the order of the text.
    pub instructions: Vec<FlowInstruction>,
    /// The index of the instruction that follows a `.pragma`, and what that says, quotes included.
    pub pragmas: Vec<(u32, Box<str>)>,
    /// The operands of all instructions.
    pub operands: Vec<FlowOperand>,
    pub(super) uses: Vec<RegisterUse>,
    /// The forms that the instructions use, each once.
    pub forms: Vec<FormUse>,
    /// Everything was understood.
    pub complete: bool,
}

impl FlowFunction {
    /// The directive of its header that bounds something, and its number; of several the last one counts (ptxas), and one that says 0
    /// says nothing.
    pub fn bound(&self, bound: LaunchBound) -> Option<(&Tuning, u64)> {
        let found = self.directives.iter().rfind(|t| t.directive.is_some_and(|d| d.bounds == Some(bound)))?;
        Some((found, found.number.filter(|n| *n != 0)?))
    }

    /// The operands of an instruction, in order.
    pub fn operands_of(&self, index: usize) -> &[FlowOperand] {
        let range = &self.instructions[index].operands;
        &self.operands[range.start as usize..range.end as usize]
    }

    /// The leaves of the operand of that name in the form.
    pub fn named(&self, index: usize, name: OperandName) -> impl Iterator<Item = &FlowOperand> {
        self.operands_of(index).iter().filter(move |o| o.spec.is_some_and(|s| s.id == Some(name)))
    }

    /// The leaves of the operand that an effect of the form is about.
    pub fn affected(&self, index: usize, effect: &Effect) -> impl Iterator<Item = &FlowOperand> {
        let name = effect.operand;
        self.operands_of(index).iter().filter(move |o| o.spec.is_some_and(|s| s.name == name))
    }

    /// The registers that an instruction reads, the guard first.
    pub fn reads(&self, index: usize) -> &[RegisterUse] {
        let [reads, writes, _] = self.instructions[index].uses;
        &self.uses[reads as usize..writes as usize]
    }

    /// The registers that it writes, if its guard holds.
    pub fn writes(&self, index: usize) -> &[RegisterUse] {
        let [_, writes, end] = self.instructions[index].uses;
        &self.uses[writes as usize..end as usize]
    }

    /// The form of an instruction, with the values of its modifiers.
    pub fn chosen(&self, index: usize) -> &FormUse {
        &self.forms[self.instructions[index].form as usize]
    }

    /// The entry of the tables.
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

    /// Whether all threads of a warp must execute it together.
    pub fn converges(&self, index: usize) -> bool {
        self.chosen(index).converge
    }

    /// Across which threads the results are the same, whatever the operands.
    pub fn uniform(&self, index: usize) -> Option<UniformExtent> {
        self.entry(index).uniform
    }

    /// Whether it does nothing but write its results: of loads, those from memory that never changes.
    pub fn is_pure(&self, index: usize) -> bool {
        self.entry(index).pure || self.reads_fixed_memory(index)
    }

    /// Whether it is a load from memory that is the same for all threads and never changes: `.const`, parameters of the kernel.
    pub fn reads_fixed_memory(&self, index: usize) -> bool {
        let mut addresses = self.operands_of(index).iter().filter(|o| o.memory().is_some());
        let (Some(address), None) = (addresses.next(), addresses.next()) else { return false };
        let Some(space) = self.chosen(index).space.filter(|s| s.fixed) else { return false };
        // What `.param` means in a function is private to the thread, and so are the arguments and results of a call.
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

    /// The declaration of a register.
    pub fn declaration(&self, slot: RegisterSlot) -> &RegisterDeclaration {
        &self.declarations[self.registers[slot.index()].declaration as usize]
    }
}
