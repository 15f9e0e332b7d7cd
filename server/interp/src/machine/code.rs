//! What a machine executes: a module, decoded for one of its kernels. `crate::decode` makes it.

use super::{ExecContext, StepOutcome};
use crate::findings::InstructionSite;
use crate::lanes::LANES;
use crate::memory::{AddressMap, Global, Storage, Window};
use crate::registers::{PredicateDst, PredicateSrc, RegisterFile, RegisterLine, RegisterLocation, Src};
use crate::simd::BoxedStep;
use ptx_analysis::flow::FlowFunction;
use ptx_analysis::program::ModuleProgram;
use ptx_isa::tables::TargetInfo;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Why an instruction cannot be executed, in words for its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeRefusal(pub String);

impl<T: Into<String>> From<T> for DecodeRefusal {
    fn from(words: T) -> Self {
        Self(words.into())
    }
}

/// What an instruction does that needs more than the registers of its warp.
pub type MachineStep = Box<dyn Fn(&mut ExecContext<'_>) -> StepOutcome + Send + Sync>;

/// What an operation does.
pub enum OpAction {
    /// Registers alone.
    Lanes(BoxedStep),
    /// Memory, other lanes, warps and CTAs.
    Machine(MachineStep),
    /// The instruction has no effect in this machine.
    Nothing,
    /// Go on at another instruction.
    Branch(u32),
    /// Go on at one of these instructions, by the index in a register.
    Table(Src<u32>, Box<[u32]>),
    /// Call a function.
    Call(Box<Call>),
    /// Return to the caller; of a kernel, end the thread.
    Return,
    /// End the thread.
    Exit,
    /// It cannot be executed: why.
    Refused(DecodeRefusal),
}

/// Which lanes must be together before an operation is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneGathering {
    /// Whoever is there.
    Any,
    /// All threads of the warp that have not exited.
    Warp,
    /// The lanes of a mask, that each lane gives.
    Named(RegisterLocation),
}

/// An instruction, decoded.
pub struct Op {
    /// The guard.
    pub guard: Option<PredicateSrc>,
    /// What it does.
    pub action: OpAction,
    /// Which lanes must be there.
    pub together: LaneGathering,
    /// Registers that it reads, by number in [`FunctionCode::slots`].
    pub reads: Box<[u32]>,
    /// Registers that it writes.
    pub writes: Box<[u32]>,
    /// Some of the registers that it writes hold floating-point numbers of so many bits.
    pub floats: Option<u16>,
    /// It reads special registers whose value changes: [`FunctionCode::clocks`].
    pub clocked: bool,
    /// It touches registers and the program counter alone, does not wait and reads no clock.
    pub simple: bool,
    /// The lanes that it waits for may be at other instructions of its kind.
    pub meets_anywhere: bool,
    /// It may use registers of products of its kind that are in flight.
    pub pipelined: bool,
}

/// Where a register of the source lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Among the registers.
    Register(RegisterLocation),
    /// Among the predicates.
    Predicate(u32),
}

/// What is handed to a function or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// A register, or a constant.
    Register(RegisterLocation),
    /// A predicate.
    Predicate(PredicateSrc),
    /// A variable: the register that holds its address in the window of parameters, its bytes.
    Memory(RegisterLocation, u32),
    /// None: an unused result.
    Nothing,
}

/// A call.
pub struct Call {
    /// The function, where it is known.
    pub function: Option<u32>,
    /// The register that holds its address otherwise.
    pub address: Option<RegisterLocation>,
    /// Arguments, in order.
    pub arguments: Box<[Pass]>,
    /// Where the results go.
    pub results: Box<[Pass]>,
}

/// A parameter or a result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formal {
    /// In a register.
    Register(RegisterLocation),
    /// In a predicate.
    Predicate(u32),
    /// On the stack: offset in the frame, bytes.
    Memory(u32, u32),
    /// A register that the function never uses.
    Unused,
}

/// A decoded function.
pub struct FunctionCode {
    /// Index of the function in the program.
    pub function: u32,
    /// The operations, one for each instruction.
    pub ops: Box<[Op]>,
    /// In which order groups of lanes are executed: the lowest number first. By instruction, and one more for the end.
    pub order: Box<[u32]>,
    /// Where the registers of [`FlowFunction::registers`] lie, and hidden ones behind them.
    pub slots: Box<[Slot]>,
    /// Bytes of registers.
    pub register_bytes: usize,
    /// Predicates.
    pub predicates: usize,
    /// Constants.
    pub constants: Arc<[RegisterLine]>,
    /// Registers that hold the addresses of variables on the stack, filled when the function begins.
    pub hidden: Box<[HiddenAddress]>,
    /// Predicates among the special registers.
    pub special_predicates: Box<[SpecialPredicate]>,
    /// Special registers whose value changes, by instruction: filled before each.
    pub clocks: HashMap<u32, Vec<(RegisterLocation, Special)>>,
    /// Its variables on the stack, by index into [`FlowFunction::variables`]: offset in its frame.
    pub stack: HashMap<u32, u32>,
    /// Bytes of its frame on the stack.
    pub frame_bytes: u32,
    /// Parameters.
    pub parameters: Box<[Formal]>,
    /// Results.
    pub results: Box<[Formal]>,
}

/// A special register, or a component of one: its number in the tables, and which component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Special {
    /// Its name, with the `%`; of a family, without the number.
    pub name: &'static str,
    /// The component, else 0.
    pub component: u8,
}

/// Where a variable of the module lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableLocation {
    /// The address in its state space.
    pub address: u64,
    /// The window, unless it is global memory.
    pub window: Option<Window>,
    /// Its bytes.
    pub bytes: u64,
}

/// A module, decoded for one of its kernels.
pub struct Executable {
    /// What it was made of.
    pub program: Arc<ModuleProgram>,
    /// The functions that the kernel can reach, by their index in the program.
    pub codes: Vec<Option<FunctionCode>>,
    /// The kernel.
    pub entry: u32,
    /// Where everything lies.
    pub map: AddressMap,
    /// Variables of the module, by name.
    pub variables: HashMap<Box<str>, VariableLocation>,
    /// Global memory as the module initialises it.
    pub global: Global,
    /// Constants as the module initialises them.
    pub constant: Storage,
    /// Bytes of shared memory before the dynamic part, the system's own among them.
    pub shared_bytes: u64,
    /// The first byte of shared memory that belongs to the program.
    pub shared_start: u64,
    /// The special registers that functions read, and where they lie in the file.
    pub specials: Specials,
    /// Parameters of the kernel: offset and bytes of each.
    pub parameters: Vec<(u32, u32)>,
    /// The target, of which some results depend.
    pub target: Option<&'static TargetInfo>,
    /// Some instruction has the copy engine read shared memory.
    pub engine: bool,
}

/// The state space that an address is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Generic addresses.
    Generic,
    /// Global memory: its addresses are generic ones.
    Global,
    /// A window. `.shared::cluster` and `.shared` are one: the addresses differ.
    Window(Window),
}

/// The address of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// What holds the base.
    pub base: RegisterLocation,
    /// What is added to it, in bytes.
    pub offset: i64,
    /// How it is to be understood.
    pub space: AddressSpace,
}

/// A register that holds the address of something on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenAddress {
    /// The register.
    pub place: RegisterLocation,
    /// What is added to the beginning of the frame.
    pub offset: i64,
    /// It is an address in the window of parameters, else in that of local memory.
    pub parameter: bool,
    /// As a generic address.
    pub generic: bool,
}

/// A predicate that holds a special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialPredicate {
    /// Its number.
    pub index: u32,
    /// The special register.
    pub special: Special,
}

/// The special registers that a program reads and that stay the same for a thread: a file of their own, the same in all functions.
#[derive(Debug, Default)]
pub struct Specials {
    /// What lies where.
    pub places: Vec<(Special, RegisterLocation)>,
    end: u32,
}

impl Specials {
    /// Where a special register of so many bytes lies.
    pub fn place(&mut self, special: Special, width: u8) -> RegisterLocation {
        if let Some((_, place)) = self.places.iter().find(|(s, p)| *s == special && p.width == width) {
            return *place;
        }
        let place = RegisterLocation { file: RegisterFile::Special, offset: self.end, width };
        self.end += (LANES as u32 * u32::from(width)).next_multiple_of(64);
        self.places.push((special, place));
        place
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> usize {
        self.end as usize
    }
}

impl Executable {
    /// The function of that index, if the kernel can reach it.
    pub fn code(&self, function: u32) -> Option<&FunctionCode> {
        self.codes.get(function as usize)?.as_ref()
    }

    /// The lowered function.
    pub fn function(&self, function: u32) -> Option<&FlowFunction> {
        self.program.functions.get(function as usize)?.body.as_ref()
    }

    /// The name in the source of one of [`variables`](Self::variables).
    pub fn variable_name<'n>(&'n self, key: &'n str) -> &'n str {
        let parts = key.split_once('/').and_then(|(f, v)| Some((f.parse().ok()?, v.parse::<usize>().ok()?)));
        let found = parts.and_then(|(function, variable)| self.function(function)?.variables.get(variable));
        found.map_or(key, |v| &v.name)
    }

    /// The byte range in the file of an instruction.
    pub fn range(&self, site: InstructionSite) -> Range<usize> {
        let Some(callable) = self.program.functions.get(site.function as usize) else { return 0..0 };
        let instruction = callable.body.as_ref().and_then(|b| b.instructions.get(site.instruction as usize));
        instruction.map_or(0..0, |i| callable.start + i.range.start as usize..callable.start + i.range.end as usize)
    }

    /// The address of a function, as `mov` and tables of functions have it.
    pub fn code_address(&self, function: u32) -> u64 {
        // Zero is no function, and neighbours differ by what an instruction of hardware takes.
        self.map.base(Window::Code) + 16 * (u64::from(function) + 1)
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        let (window, at) = self.map.window(address)?;
        let index = (at / 16).checked_sub(1).filter(|_| window == Window::Code && at % 16 == 0)? as u32;
        self.code(index).map(|_| index)
    }

    /// The bytes of an address in this module.
    pub fn address_bytes(&self) -> u8 {
        if self.program.environment.address_size == 32 { 4 } else { 8 }
    }

    /// Whether the target has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.target.is_some_and(|t| t.has(feature))
    }
}

/// The name under which a variable of a body is kept.
pub(crate) fn body_name(function: usize, variable: usize) -> Box<str> {
    format!("{function}/{variable}").into()
}

/// A predicate register by its number.
pub(crate) fn predicate(index: u32) -> (PredicateSrc, PredicateDst) {
    (PredicateSrc { index: Some(index), flip: false }, PredicateDst(index))
}
