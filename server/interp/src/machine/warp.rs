//! A warp: groups of lanes with a program counter each, and the activations of functions that they are in.

use super::Machine;
use super::code::{FunctionCode, Slot, predicate};
use crate::lanes::{LANES, LaneMask};
use crate::memory::Storage;
use crate::registers::{RegisterLine, WarpRegisters};
use std::sync::Arc;

/// What is known of the values in registers: a mask of lanes for each.
#[derive(Debug, Clone, Default)]
pub struct RegisterShadow {
    /// Something was written.
    pub known: Vec<LaneMask>,
    /// The manual leaves the bits open, or they were made of such.
    pub unspecified: Vec<LaneMask>,
    /// Approximations, or made of such.
    pub approximate: Vec<LaneMask>,
}

/// An activation of a function.
#[derive(Debug, Clone, Default)]
pub struct CallFrame {
    /// The function, by its index in the program.
    pub function: u32,
    /// The activation that called it.
    pub parent: Option<u32>,
    /// The instruction of the caller that called it.
    pub call: u32,
    /// The lanes that have not returned from it.
    pub lanes: LaneMask,
    /// Its registers.
    pub registers: WarpRegisters,
    /// What is known of them.
    pub shadow: RegisterShadow,
    /// Where the frame begins on the stack of each lane.
    pub base: Box<[u32]>,
}

/// Why a group does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupReadiness {
    /// It can.
    #[default]
    Ready,
    /// Its instruction waits for something outside of the warp.
    Waiting,
    /// It waits for these lanes of the warp.
    Gathering(LaneMask),
    /// All lanes that its instruction needs are in it, or will never come.
    Gathered,
}

/// Lanes at one place.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// The lanes.
    pub mask: LaneMask,
    /// Their activation: index into [`Warp::frames`].
    pub frame: u32,
    /// The next instruction.
    pub pc: u32,
    /// Whether it can go on.
    pub state: GroupReadiness,
    /// What its instruction remembers while it waits.
    pub token: Option<u64>,
    /// When it was executed last, in steps of the warp.
    pub turn: u64,
}

/// What instructions see of a warp besides its registers.
#[derive(Debug, Clone)]
pub struct WarpLanes {
    /// Its number in the CTA.
    pub number: u32,
    /// The lanes that are threads.
    pub present: LaneMask,
    /// Those of them that have exited.
    pub exited: LaneMask,
    /// Warp instructions executed.
    pub steps: u64,
    /// Local memory of each lane: its stack.
    pub local: Box<[Storage]>,
    /// The first free byte on the stack of each lane.
    pub stack: Box<[u32]>,
    /// Asynchronous copies of its threads.
    pub copies: super::copies::Copies,
    /// Who is ordered before it, as far as the detector of races knows.
    pub clock: super::races::Clock,
    /// Products of the warpgroup in flight.
    pub wgmma: super::wgmma::Wgmma,
}

/// A warp.
#[derive(Debug, Clone)]
pub struct Warp {
    /// What instructions see.
    pub lanes: WarpLanes,
    /// Groups of lanes.
    pub groups: Vec<Group>,
    /// Activations.
    pub frames: Vec<Option<Box<CallFrame>>>,
    /// The special registers.
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
        };
        Self { lanes, groups: Vec::new(), frames: Vec::new(), specials: Arc::from([]) }
    }
}

impl RegisterShadow {
    fn new(registers: usize) -> Self {
        Self { known: vec![0; registers], unspecified: vec![0; registers], approximate: vec![0; registers] }
    }
}

impl CallFrame {
    /// The beginning of a function, for some lanes.
    pub fn new(code: &FunctionCode, lanes: LaneMask, specials: Arc<[RegisterLine]>, base: Box<[u32]>) -> Self {
        Self {
            function: code.function,
            parent: None,
            call: 0,
            lanes,
            registers: WarpRegisters::new(code.register_bytes, code.predicates, Arc::clone(&code.constants), specials),
            shadow: RegisterShadow::new(code.slots.len()),
            base,
        }
    }

    /// The bytes of a register of the source, all lanes; of a predicate its mask.
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
    /// A warp before its first instruction.
    pub fn new(machine: &Machine, number: u32, present: LaneMask, specials: Arc<[RegisterLine]>) -> Self {
        let lanes = WarpLanes {
            number,
            present,
            exited: 0,
            steps: 0,
            local: (0..LANES).map(|_| Storage::new(super::LOCAL_BYTES, false)).collect(),
            stack: vec![0; LANES].into(),
            copies: Default::default(),
            clock: Default::default(),
            wgmma: Default::default(),
        };
        let mut out = Self { lanes, groups: Vec::new(), frames: Vec::new(), specials };
        if let Some(code) = machine.executable.code(machine.executable.entry) {
            let frame = out.enter(machine, code, present);
            out.groups.push(Group { mask: present, frame, ..Group::default() });
        }
        out
    }

    /// Keeps an activation.
    pub(super) fn keep(&mut self, frame: CallFrame) -> u32 {
        let free = self.frames.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            self.frames.push(None);
            self.frames.len() - 1
        });
        self.frames[at] = Some(Box::new(frame));
        at as u32
    }

    /// The activation of that index.
    pub fn frame(&self, index: u32) -> Option<&CallFrame> {
        self.frames.get(index as usize)?.as_deref()
    }

    /// Whether all its threads have exited.
    pub fn is_finished(&self) -> bool {
        self.lanes.exited == self.lanes.present
    }

    /// Where a group stands, from the outermost call on: the number in the order of each function on the way.
    pub(super) fn position(&self, machine: &Machine, group: &Group) -> Vec<u32> {
        let mut out = Vec::new();
        let (mut pc, mut at) = (group.pc, Some(group.frame));
        while let Some(frame) = at.and_then(|f| self.frame(f)) {
            let order = machine.executable.code(frame.function).map(|c| &c.order);
            out.push(order.and_then(|o| o.get(pc as usize)).copied().unwrap_or(u32::MAX));
            (pc, at) = (frame.call, frame.parent);
        }
        out.reverse();
        out
    }
}
