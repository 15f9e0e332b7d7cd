//! A warp: groups of lanes with a program counter each, and their call frames.

use super::clock::Clock;
use super::flights::Copies;
use super::unknowns::{CopiedUnknowns, PassedUnknown};
use super::wgmma::Wgmma;
use crate::lanes::LaneMask;
use crate::machine::layout::{Slot, predicate};
use crate::memory::Storage;
use crate::registers::{RegisterLine, WarpRegisters};
use std::sync::Arc;

/// Status of the values in the registers of a frame: one lane mask per register.
#[derive(Debug, Clone, Default)]
pub struct RegisterShadow {
    /// Lanes in which the register has been written, with a value that was written.
    pub known: Vec<LaneMask>,
    /// Registers that were written with copies of unwritten values.
    pub copied: CopiedUnknowns,
    /// Lanes whose value is unspecified in the manual, or computed from such values.
    pub unspecified: Vec<LaneMask>,
    /// Lanes whose value is an approximation, or computed from approximations.
    pub approximate: Vec<LaneMask>,
}

/// The frame of one call of a function, shared by the lanes that made the call together.
#[derive(Debug, Clone, Default)]
pub struct CallFrame {
    /// Index of the function in the program.
    pub function: u32,
    /// Index of the caller's frame in [`Warp::frames`]; `None` for the kernel.
    pub parent: Option<u32>,
    /// Index of the call instruction in the caller.
    pub call: u32,
    /// The lanes that have not returned from the function.
    pub lanes: LaneMask,
    /// The registers.
    pub registers: WarpRegisters,
    /// Status of the values in the registers.
    pub shadow: RegisterShadow,
    /// Byte offset of the frame on the stack of each lane.
    pub base: Box<[u32]>,
}

/// Whether a group can continue, or what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupReadiness {
    /// It can continue.
    #[default]
    Ready,
    /// Its instruction waits for something outside the warp.
    Waiting,
    /// It waits until these lanes of the warp have arrived.
    Gathering(LaneMask),
    /// All lanes that its instruction needs have arrived, or will never arrive.
    Gathered,
}

/// Lanes with a common call frame and program counter.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// The lanes.
    pub mask: LaneMask,
    /// Index of their call frame in [`Warp::frames`].
    pub frame: u32,
    /// Index of the next instruction.
    pub pc: u32,
    /// Whether the group can continue.
    pub state: GroupReadiness,
    /// State of the instruction while it waits: see [`ExecContext::token`](crate::machine::ExecContext::token).
    pub token: Option<u64>,
    /// When the group was executed last, in steps of the warp.
    pub turn: u64,
}

/// State of a warp besides its registers, as instructions see it.
#[derive(Debug, Clone)]
pub struct WarpLanes {
    /// Index of the warp in the CTA.
    pub number: u32,
    /// The lanes that are threads; the others do not exist in a partial warp.
    pub present: LaneMask,
    /// The threads that have exited.
    pub exited: LaneMask,
    /// Number of instructions that the warp has executed.
    pub steps: u64,
    /// Local memory of each lane, which holds its stack.
    pub local: Box<[Storage]>,
    /// Offset of the first free byte on the stack of each lane.
    pub stack: Box<[u32]>,
    /// Asynchronous copies that the threads have issued.
    pub copies: Copies,
    /// The warp's clock and knowledge in the race detector.
    pub clock: Clock,
    /// `wgmma` products in flight.
    pub wgmma: Wgmma,
    /// The number of completions in tensor memory that the last `tcgen05.fence::after_thread_sync` of the warp has seen.
    pub tensor_fence: u64,
}

/// A warp.
#[derive(Debug, Clone)]
pub struct Warp {
    /// State besides registers.
    pub lanes: WarpLanes,
    /// The groups of lanes.
    pub groups: Vec<Group>,
    /// The call frames; `None` for free entries.
    pub frames: Vec<Option<Box<CallFrame>>>,
    /// The file of special registers.
    pub specials: Arc<[RegisterLine]>,
}

impl Default for Warp {
    fn default() -> Self {
        let lanes = WarpLanes {
            number: 0,
            present: 0,
            exited: 0,
            steps: 0,
            local: Box::default(),
            stack: Box::default(),
            copies: Default::default(),
            clock: Default::default(),
            wgmma: Default::default(),
            tensor_fence: 0,
        };
        Self { lanes, groups: Vec::new(), frames: Vec::new(), specials: Arc::from([]) }
    }
}

impl RegisterShadow {
    pub(in crate::machine) fn new(registers: usize) -> Self {
        Self {
            known: vec![0; registers],
            copied: CopiedUnknowns::default(),
            unspecified: vec![0; registers],
            approximate: vec![0; registers],
        }
    }

    /// Notes, after an instruction, that results received copies of unwritten values.
    pub(in crate::machine) fn note_unknowns(&mut self, passed: Vec<PassedUnknown>) {
        for result in passed {
            if let Some(known) = self.known.get_mut(result.slot as usize) {
                *known &= !result.lanes;
            }
            self.copied.note(result);
        }
    }
}

impl CallFrame {
    /// The bytes of all 32 lanes of a register; for a predicate, four bytes with one bit per lane.
    pub fn bytes(&self, slot: Slot) -> Vec<u8> {
        match slot {
            Slot::Register(place) => self.registers.bytes(place).to_vec(),
            Slot::Predicate(index) => {
                let (source, _) = predicate(index);
                self.registers.predicate(source).to_le_bytes().to_vec()
            }
        }
    }
}

impl Warp {
    /// Stores a frame in a free entry and returns its index.
    pub(in crate::machine) fn keep(&mut self, frame: CallFrame) -> u32 {
        let free = self.frames.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            self.frames.push(None);
            self.frames.len() - 1
        });
        self.frames[at] = Some(Box::new(frame));
        at as u32
    }

    /// The call frame with this index.
    pub fn frame(&self, index: u32) -> Option<&CallFrame> {
        self.frames.get(index as usize)?.as_deref()
    }

    /// Whether all its threads have exited.
    pub fn is_finished(&self) -> bool {
        self.lanes.exited == self.lanes.present
    }
}
