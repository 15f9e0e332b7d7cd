//! The program that a machine executes: a module, decoded for one of its kernels by `crate::decode`.

use super::passing::Passing;
use super::{ExecContext, StepOutcome};
use crate::findings::InstructionSite;
use crate::lanes::{LANES, LaneMask};
use crate::machine::origins::OriginSet;
use crate::memory::{AddressMap, Global, Storage, Window};
use crate::registers::{PredicateDst, PredicateSrc, RegisterFile, RegisterLine, RegisterLocation, Src};
use crate::simd::BoxedStep;
use ptx_flow::flow::FlowFunction;
use ptx_flow::program::ModuleProgram;
use ptx_isa::OperandName;
use ptx_isa::tables::TargetInfo;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The reason why an instruction cannot be executed, as a message for the author of the PTX code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeRefusal(pub String);

impl<T: Into<String>> From<T> for DecodeRefusal {
    fn from(words: T) -> Self {
        Self(words.into())
    }
}

/// The effect of an instruction that accesses more than the registers of its warp.
pub type MachineStep = Box<dyn Fn(&mut ExecContext<'_>) -> StepOutcome + Send + Sync>;

/// The effect of an operation.
pub enum OpAction {
    /// Reads and writes registers only.
    Lanes(BoxedStep),
    /// Accesses memory, other lanes, other warps or other CTAs.
    Machine(MachineStep),
    /// Does nothing: the instruction has no effect in this machine.
    Nothing,
    /// Jumps to the instruction with this index.
    Branch(u32),
    /// Jumps to one of these instructions (`brx.idx`): the register holds an index into the list.
    Table(Src<u32>, Box<[u32]>),
    /// Calls a function.
    Call(Box<Call>),
    /// Returns to the caller; in a kernel, ends the thread.
    Return,
    /// Ends the thread.
    Exit,
    /// The interpreter cannot execute the instruction, for this reason. Reaching it is a fault.
    Refused(DecodeRefusal),
}

/// Which lanes must have reached an operation before it is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneGathering {
    /// The lanes of the current group; no lane waits.
    Any,
    /// All threads of the warp that have not exited.
    Warp,
    /// The lanes of a member mask, which each lane reads from this location.
    Named(RegisterLocation),
}

/// A decoded instruction.
pub struct Op {
    /// The guard predicate, if any.
    pub guard: Option<PredicateSrc>,
    /// The effect.
    pub action: OpAction,
    /// Which lanes must have reached the instruction before it is executed.
    pub together: LaneGathering,
    /// The register of the guard, as an index into [`FunctionCode::slots`]; `None` if the guard is a special register.
    pub guard_slot: Option<u32>,
    /// The registers that the instruction always reads, the guard included, as indices into [`FunctionCode::slots`].
    pub reads: Box<[u32]>,
    /// Those of them that must have been written: without the guard, and without those that the instruction only copies.
    pub uses: Box<[u32]>,
    /// The registers that the instruction only copies.
    pub passing: Option<Box<Passing>>,
    /// The registers that the instruction writes, as indices into [`FunctionCode::slots`].
    pub writes: Box<[u32]>,
    /// Size in bits of the first result whose type consists of floating-point numbers (32 for `.f16x2`); `None` if there is no such result.
    pub floats: Option<u16>,
    /// The instruction reads hidden registers that are filled right before it: see [`FunctionCode::clocks`] and [`FunctionCode::sums`].
    pub prepared: bool,
    /// The instruction accesses only registers and the program counter, waits for no other lanes, reads no such hidden register, and has no
    /// effort besides its step.
    pub simple: bool,
    /// Its effort besides its step.
    pub effort: InstructionEffort,
    /// The lanes that the instruction waits for may be at other instructions of the same kind (`bar.warp.sync`).
    pub meets_anywhere: bool,
    /// The instruction may use registers of `wgmma` products that are in flight, because it is such a product itself.
    pub pipelined: bool,
    /// The operands without an effect in this machine, such as the policy of a cache.
    pub ignored: Box<[OperandName]>,
}

/// The effort of an instruction besides its step and the bytes that it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstructionEffort {
    /// Of each execution.
    pub base: u8,
    /// Of each lane that executes it.
    pub lane: u8,
}

impl InstructionEffort {
    /// The effort of an execution by the lanes of a mask.
    #[inline]
    pub fn of(self, mask: LaneMask) -> u64 {
        u64::from(self.base) + u64::from(self.lane) * u64::from(mask.count_ones())
    }
}

/// Where a register of the source is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// In the register file.
    Register(RegisterLocation),
    /// In the predicate with this index.
    Predicate(u32),
}

/// Where the caller of a function keeps one argument or one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// In a register, or in a constant.
    Register(RegisterLocation),
    /// In a predicate, or in a constant truth value.
    Predicate(PredicateSrc),
    /// In the elements of a vector register: the index of the first one in [`FunctionCode::slots`] of the caller, and their number.
    Vector(u32, u8),
    /// In a `.param` variable: the register that holds its address in the window of parameters, and its size in bytes.
    Memory(RegisterLocation, u32),
    /// Nowhere: the caller ignores the result (`_`).
    Nothing,
}

impl Pass {
    /// Bytes of memory that each lane passes.
    pub(super) fn bytes(&self) -> u64 {
        if let Self::Memory(_, bytes) = self { u64::from(*bytes) } else { 0 }
    }
}

/// The operands of a call.
pub struct Call {
    /// The index of the called function, if it is known when the call is decoded.
    pub function: Option<u32>,
    /// Where the address of the called function is stored, for indirect calls.
    pub address: Option<RegisterLocation>,
    /// The arguments, in order.
    pub arguments: Box<[Pass]>,
    /// The destinations of the results, in order.
    pub results: Box<[Pass]>,
}

/// Where a function keeps one of its parameters or results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formal {
    /// In a register.
    Register(RegisterLocation),
    /// In the predicate with this index.
    Predicate(u32),
    /// In the elements of a vector register: the index of the first one in [`FunctionCode::slots`], and their number.
    Vector(u32, u8),
    /// On the stack: byte offset in the frame, and size in bytes.
    Memory(u32, u32),
    /// Nowhere: the function never uses this register.
    Unused,
}

impl Formal {
    /// Bytes of memory of each lane.
    pub(super) fn bytes(&self) -> u64 {
        if let Self::Memory(_, bytes) = self { u64::from(*bytes) } else { 0 }
    }
}

/// A decoded function.
pub struct FunctionCode {
    /// Index of the function in the program.
    pub function: u32,
    /// The operations, one per instruction.
    pub ops: Box<[Op]>,
    /// Execution priority of each instruction, and of the end of the function as the last entry. Of several groups of lanes the one whose
    /// next instruction has the lowest number runs first.
    pub order: Box<[u32]>,
    /// Where each register of [`FlowFunction::registers`] is stored, followed by hidden registers.
    pub slots: Box<[Slot]>,
    /// Size in bytes of the register file.
    pub register_bytes: usize,
    /// Number of predicates.
    pub predicates: usize,
    /// The file of constants.
    pub constants: Arc<[RegisterLine]>,
    /// Registers that hold addresses of variables on the stack. They are filled when the function is entered.
    pub hidden: Box<[HiddenAddress]>,
    /// Predicates that hold a special register.
    pub special_predicates: Box<[SpecialPredicate]>,
    /// Special registers whose value changes during a run, by the index of the instruction that reads them. They are filled right before
    /// that instruction.
    pub clocks: HashMap<u32, Vec<(RegisterLocation, Special)>>,
    /// Sums of a register and a number that are operands, by the index of the instruction that reads them. They are computed right before
    /// that instruction, after the clocks.
    pub sums: HashMap<u32, Vec<OperandSum>>,
    /// Byte offset in the frame of each variable on the stack, by its index in [`FlowFunction::variables`].
    pub stack: HashMap<u32, u32>,
    /// Size in bytes of the function's frame on the stack.
    pub frame_bytes: u32,
    /// Where each parameter is stored.
    pub parameters: Box<[Formal]>,
    /// Where each result is stored.
    pub results: Box<[Formal]>,
}

/// An operand that is the sum of a register and a number, such as `%r1+4`. The assembler adds integers of the register's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandSum {
    /// The hidden register that receives the sum.
    pub place: RegisterLocation,
    /// The register; it has the width of `place`.
    pub register: RegisterLocation,
    /// The number.
    pub number: i64,
}

impl FunctionCode {
    /// The index of a place in [`slots`](Self::slots), as a range; empty if no register of the source has this place.
    pub fn slot_of(&self, place: Slot) -> Range<u32> {
        let found = self.slots.iter().position(|s| *s == place).map(|s| s as u32);
        found.map_or(0..0, |s| s..s + 1)
    }
}

/// A special register, or one component of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Special {
    /// Its name with the `%`. For a numbered family such as `%envreg<32>`, the name without the number.
    pub name: &'static str,
    /// Index of the component (x = 0); 0 for scalars.
    pub component: u8,
}

/// The location of a variable of the module, or of one of its functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableLocation {
    /// The address in its state space.
    pub address: u64,
    /// The window of its state space; `None` for global memory.
    pub window: Option<Window>,
    /// Its size in bytes; 0 for dynamic shared memory.
    pub bytes: u64,
}

/// A module, decoded for one of its kernels.
pub struct Executable {
    /// The lowered module.
    pub program: Arc<ModuleProgram>,
    /// The decoded functions that the kernel can reach, by their index in the program; `None` for all others.
    pub codes: Vec<Option<FunctionCode>>,
    /// Index of the kernel in the program.
    pub entry: u32,
    /// The layout of the address space.
    pub map: AddressMap,
    /// Locations of variables: those of the module by name, those of functions by `body_name`.
    pub variables: HashMap<Box<str>, VariableLocation>,
    /// Global memory with the initial values of the module.
    pub global: Global,
    /// Constant memory with the initial values of the module.
    pub constant: Storage,
    /// Bytes of static shared memory, including those reserved for the system. Dynamic shared memory follows.
    pub shared_bytes: u64,
    /// Offset of the first byte of shared memory that belongs to the program; the bytes before it are reserved for the system.
    pub shared_start: u64,
    /// The special registers that the functions read, and where they are stored.
    pub specials: Specials,
    /// Byte offset and size of each parameter of the kernel.
    pub parameters: Vec<(u32, u32)>,
    /// The target of the module; some results depend on it. `None` if it is unknown.
    pub target: Option<&'static TargetInfo>,
    /// Some instruction makes the copy engine (the async proxy) read shared memory.
    pub engine: bool,
    /// Some instruction makes the copy engine read global memory.
    pub engine_global: bool,
    /// Some instruction orders accesses for fewer threads than all.
    pub scoped: bool,
    /// Some instruction reads a texture.
    pub textures: bool,
    /// The origins of addresses: see [`Address::origins`].
    pub origins: Vec<OriginSet>,
}

/// The state space of an address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Generic addresses.
    Generic,
    /// Global memory, whose addresses are also generic addresses.
    Global,
    /// A window of the generic address space. `.shared` and `.shared::cluster` use the same window; their addresses differ.
    Window(Window),
}

/// A decoded address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Where the base address is stored.
    pub base: RegisterLocation,
    /// Bytes to add to the base.
    pub offset: i64,
    /// The state space that the sum belongs to.
    pub space: AddressSpace,
    /// The variables and buffers from which the base comes: index into [`Executable::origins`]. `None` if they are not known.
    pub origins: Option<u32>,
}

impl Address {
    /// The address in its state space, for a value of the base register. Of a register of 32 bits it has as many.
    #[inline]
    pub fn sum(&self, base: u64) -> u64 {
        let sum = base.wrapping_add(self.offset as u64);
        if self.base.width == 4 { sum & 0xffff_ffff } else { sum }
    }

    /// The generic address of an address in the state space; `None` if it lies outside the window of that space.
    #[inline]
    pub fn generic(&self, map: &AddressMap, address: u64) -> Option<u64> {
        match self.space {
            AddressSpace::Generic | AddressSpace::Global => Some(address),
            AddressSpace::Window(window) => map.generic(window, address),
        }
    }
}

/// A hidden register that holds the address of a variable on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenAddress {
    /// The register.
    pub place: RegisterLocation,
    /// Byte offset of the variable from the beginning of the frame.
    pub offset: i64,
    /// The address is one in the window of parameters, not of local memory.
    pub parameter: bool,
    /// The address is generic.
    pub generic: bool,
}

/// A predicate that holds a special register of type `.pred`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialPredicate {
    /// Index of the predicate.
    pub index: u32,
    /// The special register that it holds.
    pub special: Special,
}

/// The special registers that a program reads and whose value never changes for a thread. They have a file of their own, with the same
/// layout in all functions.
#[derive(Debug, Default)]
pub struct Specials {
    /// Where each special register is stored.
    pub places: Vec<(Special, RegisterLocation)>,
    end: u32,
}

impl Specials {
    /// The location of a special register with lanes of `width` bytes; reserves one if there is none yet.
    pub fn place(&mut self, special: Special, width: u8) -> RegisterLocation {
        if let Some((_, place)) = self.places.iter().find(|(s, p)| *s == special && p.width == width) {
            return *place;
        }
        let place = RegisterLocation { file: RegisterFile::Special, offset: self.end, width };
        self.end += (LANES as u32 * u32::from(width)).next_multiple_of(64);
        self.places.push((special, place));
        place
    }

    /// Size in bytes of the file.
    pub fn bytes(&self) -> usize {
        self.end as usize
    }
}

impl Executable {
    /// The decoded function with this index, if the kernel can reach it.
    pub fn code(&self, function: u32) -> Option<&FunctionCode> {
        self.codes.get(function as usize)?.as_ref()
    }

    /// The lowered function with this index, if it has a body.
    pub fn function(&self, function: u32) -> Option<&FlowFunction> {
        self.program.functions.get(function as usize)?.body.as_ref()
    }

    /// The name in the source of a variable, for a key of [`variables`](Self::variables).
    pub fn variable_name<'n>(&'n self, key: &'n str) -> &'n str {
        let parts = key.split_once('/').and_then(|(f, v)| Some((f.parse().ok()?, v.parse::<usize>().ok()?)));
        let found = parts.and_then(|(function, variable)| self.function(function)?.variables.get(variable));
        found.map_or(key, |v| &v.name)
    }

    /// The byte range of an instruction in the file; empty if there is no such instruction.
    pub fn range(&self, site: InstructionSite) -> Range<usize> {
        let Some(callable) = self.program.functions.get(site.function as usize) else { return 0..0 };
        let instruction = callable.body.as_ref().and_then(|b| b.instructions.get(site.instruction as usize));
        instruction.map_or(0..0, |i| callable.start + i.range.start as usize..callable.start + i.range.end as usize)
    }

    /// The address of the function with this index, as `mov` and tables of functions contain it.
    pub fn code_address(&self, function: u32) -> u64 {
        // No function has the address 0. Addresses are 16 bytes apart, the size of a hardware instruction.
        self.map.base(Window::Code) + 16 * (u64::from(function) + 1)
    }

    /// Index of the function at an address, if the kernel can reach it; `None` if no function begins there.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        let (window, at) = self.map.window(address)?;
        let index = (at / 16).checked_sub(1).filter(|_| window == Window::Code && at % 16 == 0)? as u32;
        self.code(index).map(|_| index)
    }

    /// Size of an address in bytes: 4 or 8.
    pub fn address_bytes(&self) -> u8 {
        if self.program.environment.address_size == 32 { 4 } else { 8 }
    }

    /// Whether the target supports a feature, such as `sm_70`.
    pub fn has(&self, feature: &str) -> bool {
        self.target.is_some_and(|t| t.has(feature))
    }
}

/// The key in [`Executable::variables`] for variable `variable` of function `function` (indices).
pub(crate) fn body_name(function: usize, variable: usize) -> Box<str> {
    format!("{function}/{variable}").into()
}

/// The source and the destination operand for the predicate with this index.
pub(crate) fn predicate(index: u32) -> (PredicateSrc, PredicateDst) {
    (PredicateSrc { index: Some(index), flip: false }, PredicateDst(index))
}
