//! The program that a machine executes: a module, decoded for one of its kernels by `crate::decode`.

use super::layout::{
    Formal, HiddenAddress, OperandSum, Pass, Slot, Special, SpecialPredicate, Specials, VariableLocation,
};
use super::passing::Passing;
use super::state::RegisterShadow;
use super::{ExecContext, StepOutcome};
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;
use crate::machine::origins::OriginSet;
use crate::memory::{AddressMap, Global, Storage, Window};
use crate::registers::{PredicateSrc, RegisterLine, RegisterLocation, Src};
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

/// The action of an instruction, or the reason why it cannot be executed.
pub(crate) type ActionResult = Result<OpAction, DecodeRefusal>;

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

impl Op {
    /// Whether all registers that the instruction reads have been written: the guard in the lanes of the group, the others in those of
    /// `mask`.
    #[inline]
    pub(super) fn is_known(&self, shadow: &RegisterShadow, group: LaneMask, mask: LaneMask) -> bool {
        let known = |slot: u32, mask: LaneMask| shadow.known.get(slot as usize).is_some_and(|k| mask & !k == 0);
        self.guard_slot.is_none_or(|slot| known(slot, group))
            && self.uses.iter().all(|slot| known(*slot, mask))
            && self.passing.as_ref().is_none_or(|passing| passing.is_known(shadow, mask))
    }
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

impl FunctionCode {
    /// The index of a place in [`slots`](Self::slots), as a range; empty if no register of the source has this place.
    pub fn slot_of(&self, place: Slot) -> Range<u32> {
        let found = self.slots.iter().position(|s| *s == place).map(|s| s as u32);
        found.map_or(0..0, |s| s..s + 1)
    }
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
