//! Recording of a run, step by step: the registers that each instruction changed, before and after, and its memory accesses.

use super::code::{Executable, FunctionCode};

use super::layout::{Formal, Slot, predicate};
use super::state::MemoryAccess;
use super::state::access_log::AccessLog;
use super::state::{CallFrame, Warp};
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;

/// Identifies a warp of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpId {
    /// The linear number of its CTA in the grid.
    pub cta: u64,
    /// Its index in the CTA.
    pub warp: u32,
}

/// Which warps are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordScope {
    /// Only this warp.
    One(WarpId),
    /// All warps of the grid.
    All,
}

impl RecordScope {
    /// Whether a warp is recorded.
    pub fn includes(self, target: WarpId) -> bool {
        match self {
            Self::One(one) => one == target,
            Self::All => true,
        }
    }
}

/// The first step that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The step with this index of each warp.
    Step(u64),
    /// The first step that is executed at this time or later. Time is the number of instructions executed by all warps.
    Time(u64),
}

/// What is recorded of each step besides its instruction and its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detail {
    /// The registers that it wrote.
    pub registers: bool,
    /// Its memory accesses.
    pub accesses: bool,
}

impl Detail {
    /// Only instructions and lanes: by far the fastest.
    pub const MASKS: Self = Self { registers: false, accesses: false };
    /// Registers, but no memory accesses.
    pub const REGISTERS: Self = Self { registers: true, accesses: false };
    /// Registers and memory accesses.
    pub const ALL: Self = Self { registers: true, accesses: true };
}

/// A register that a step wrote, with its values before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Index of the function that the register belongs to. This is the function of the instruction, except for registers that a call or a
    /// return passes on.
    pub function: u32,
    /// Index of the register in that function.
    pub slot: u32,
    /// The bytes of all 32 lanes before the step; for a predicate, four bytes with one bit per lane.
    pub before: Box<[u8]>,
    /// The bytes after the step, in the same layout.
    pub after: Box<[u8]>,
    /// Lanes whose value after the step is unspecified in the manual.
    pub unspecified: LaneMask,
    /// Lanes whose value after the step is an approximation.
    pub approximate: LaneMask,
}

/// One executed step of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedStep {
    /// The warp.
    pub target: WarpId,
    /// Index of the step in its warp: the number of instructions that the warp had executed before.
    pub step: u64,
    /// Number of instructions that all warps of the grid had executed before.
    pub time: u64,
    /// The instruction.
    pub site: InstructionSite,
    /// The lanes of the group.
    pub group: LaneMask,
    /// The lanes that executed the instruction: those of the group whose guard is true.
    pub mask: LaneMask,
    /// Call depth: 0 in the kernel.
    pub depth: u32,
    /// The registers that the step wrote, even with an unchanged value; empty if registers are not recorded.
    pub changes: Vec<RegisterWrite>,
    /// The memory accesses of the step; empty if they are not recorded.
    pub accesses: Vec<MemoryAccess>,
    /// The step made more accesses than `accesses` holds.
    pub more_accesses: bool,
}

/// Records steps. The storage is flat, so that recording costs little more than copying the changed bytes.
#[derive(Debug, Clone)]
pub struct Recorder {
    scope: RecordScope,
    origin: Origin,
    count: usize,
    detail: Detail,
    steps: Vec<StepRecord>,
    writes: Vec<Write>,
    bytes: Vec<u8>,
    noted: AccessLog,
    /// The total number of instructions that the recorded warp had executed after its last turn; only if a single warp is recorded.
    executed: Option<u64>,
}

/// A step as the recorder stores it, with the ends of its entries in the lists of writes and accesses.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepRecord {
    pub target: WarpId,
    pub step: u64,
    pub time: u64,
    pub site: InstructionSite,
    pub group: LaneMask,
    pub mask: LaneMask,
    pub depth: u32,
    pub writes: usize,
    pub accesses: usize,
    pub more: bool,
}

#[derive(Debug, Clone, Copy)]
struct Write {
    function: u32,
    slot: u32,
    unspecified: LaneMask,
    approximate: LaneMask,
    before: usize,
    after: usize,
    len: usize,
}

impl Recorder {
    /// Records `count` steps of a warp with the registers that they write, beginning with step `from`.
    pub fn new(target: WarpId, from: u64, count: usize) -> Self {
        Self::of(RecordScope::One(target), Origin::Step(from), count, Detail::REGISTERS)
    }

    /// Records `count` steps, beginning at `origin`, in the order of execution.
    pub fn of(scope: RecordScope, origin: Origin, count: usize, detail: Detail) -> Self {
        Self {
            scope,
            origin,
            count,
            detail,
            steps: Vec::new(),
            writes: Vec::new(),
            bytes: Vec::new(),
            noted: AccessLog::default(),
            executed: None,
        }
    }

    /// Discards the recorded steps and begins again at `origin`, reusing the allocated memory.
    pub fn restart(&mut self, origin: Origin) {
        self.origin = origin;
        self.steps.clear();
        self.writes.clear();
        self.bytes.clear();
        self.noted.clear();
    }

    /// Whether a warp is recorded.
    pub(super) fn includes(&self, target: WarpId) -> bool {
        self.scope.includes(target)
    }

    /// A lower bound for the number of steps of a warp, from this step and time on, that need not be recorded.
    #[inline]
    pub(super) fn quiet(&self, step: u64, time: u64) -> u64 {
        match self.origin {
            _ if self.is_full() => u64::MAX,
            Origin::Step(from) => from.saturating_sub(step),
            Origin::Time(from) => from.saturating_sub(time),
        }
    }

    /// Whether the requested number of steps has been recorded.
    pub fn is_full(&self) -> bool {
        self.steps.len() >= self.count
    }

    /// Number of recorded steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no step has been recorded.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The total number of instructions that the recorded warp had executed after its last turn; `None` if it had none or if all warps are
    /// recorded.
    pub(crate) fn executed(&self) -> Option<u64> {
        self.executed
    }

    /// Notes the end of a warp's turn; `steps` is the total number of instructions that it has executed.
    pub(super) fn note_turn(&mut self, target: WarpId, steps: u64) {
        if self.scope == RecordScope::One(target) {
            self.executed = Some(steps);
        }
    }

    /// All recorded steps.
    pub fn steps(&self) -> Vec<RecordedStep> {
        self.iter().collect()
    }

    /// The recorded steps, each built when the iterator reaches it.
    pub fn iter(&self) -> impl Iterator<Item = RecordedStep> + '_ {
        let change = |w: &Write| RegisterWrite {
            function: w.function,
            slot: w.slot,
            before: self.bytes[w.before..w.before + w.len].into(),
            after: self.bytes[w.after..w.after + w.len].into(),
            unspecified: w.unspecified,
            approximate: w.approximate,
        };
        let (mut write, mut access) = (0, 0);
        self.steps.iter().map(move |s| {
            let changes = self.writes[write..s.writes].iter().map(change).collect();
            let accesses = self.noted.all[access..s.accesses].to_vec();
            (write, access) = (s.writes, s.accesses);
            let StepRecord { target, step, time, site, group, mask, depth, more, .. } = *s;
            RecordedStep { target, step, time, site, group, mask, depth, changes, accesses, more_accesses: more }
        })
    }

    /// The log for the memory accesses of a step, if they are recorded.
    #[inline]
    pub(super) fn noted(&mut self) -> Option<&mut AccessLog> {
        self.detail.accesses.then_some(&mut self.noted)
    }

    /// Stores the values of the registers `writes` before a step.
    pub(super) fn before(&mut self, frame: &CallFrame, slots: &[Slot], writes: &[u32]) {
        if !self.detail.registers {
            return;
        }
        for slot in writes {
            let before = self.bytes.len();
            let len = self.keep(frame, slots, *slot);
            let function = frame.function;
            let write = Write { function, slot: *slot, unspecified: 0, approximate: 0, before, after: before, len };
            self.writes.push(write);
        }
    }

    fn keep(&mut self, frame: &CallFrame, slots: &[Slot], slot: u32) -> usize {
        match slots.get(slot as usize) {
            Some(Slot::Register(place)) => {
                let bytes = frame.registers.bytes(*place);
                self.bytes.extend_from_slice(bytes);
                bytes.len()
            }
            Some(Slot::Predicate(index)) => {
                let (source, _) = predicate(*index);
                self.bytes.extend_from_slice(&frame.registers.predicate(source).to_le_bytes());
                4
            }
            None => 0,
        }
    }

    /// Stores the values of the registers `writes` after a step, and completes its record. `step` holds all other data of the step.
    pub(super) fn after(&mut self, step: StepRecord, frame: &CallFrame, slots: &[Slot], writes: &[u32]) {
        if self.detail.registers {
            let first = self.writes.len() - writes.len().min(self.writes.len());
            for at in first..self.writes.len() {
                let slot = self.writes[at].slot;
                let after = self.bytes.len();
                self.keep(frame, slots, slot);
                let mask = |masks: &[LaneMask]| masks.get(slot as usize).copied().unwrap_or(0);
                let write = &mut self.writes[at];
                write.after = after;
                (write.unspecified, write.approximate) =
                    (mask(&frame.shadow.unspecified), mask(&frame.shadow.approximate));
            }
        }
        let more = self.noted.close();
        let (writes, accesses) = (self.writes.len(), self.noted.first);
        self.steps.push(StepRecord { writes, accesses, more, ..step });
    }

    /// Whether register writes in other call frames are recorded ([`amend`](Self::amend)).
    pub(super) fn amends(&self) -> bool {
        self.detail.registers
    }

    /// Adds registers of another call frame to the last step: the parameters that a call passed, or the results that a return passed.
    pub(super) fn amend(&mut self, frame: &CallFrame, slots: &[Slot], writes: &[u32], before: &[Vec<u8>]) {
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        for (slot, old) in writes.iter().zip(before) {
            let at = self.bytes.len();
            self.bytes.extend_from_slice(old);
            let after = self.bytes.len();
            let len = self.keep(frame, slots, *slot).min(old.len());
            let mask = |masks: &[LaneMask]| masks.get(*slot as usize).copied().unwrap_or(0);
            let (unspecified, approximate) = (mask(&frame.shadow.unspecified), mask(&frame.shadow.approximate));
            let function = frame.function;
            self.writes.push(Write { function, slot: *slot, unspecified, approximate, before: at, after, len });
        }
        self.steps[last].writes = self.writes.len();
    }

    /// Discards the values stored by [`before`](Self::before) for a step that was not completed.
    pub(super) fn abandon(&mut self, writes: &[u32]) {
        if self.detail.registers {
            for _ in writes {
                if let Some(write) = self.writes.pop() {
                    self.bytes.truncate(write.before);
                }
            }
        }
        self.noted.abandon();
    }
}

/// The registers of a caller that receive the results of a call.
pub(super) struct CallResults<'e> {
    /// Index of the caller's frame in the warp.
    pub caller: u32,
    /// The registers, as slot indices.
    pub writes: &'e [u32],
    /// Their bytes before the return.
    pub before: Vec<Vec<u8>>,
}

/// The result registers of the call that `parent` (frame index) executed at instruction `call`.
pub(super) fn results<'e>(
    executable: &'e Executable,
    warp: &Warp,
    (parent, call): (Option<u32>, u32),
) -> Option<CallResults<'e>> {
    let frame = warp.frame(parent?)?;
    let code = executable.code(frame.function)?;
    let writes = &code.ops.get(call as usize)?.writes;
    let bytes = |slot: &u32| code.slots.get(*slot as usize).map_or_else(Vec::new, |s| frame.bytes(*s));
    Some(CallResults { caller: parent?, writes, before: writes.iter().map(bytes).collect() })
}

/// The decoded function of a call frame.
pub(super) fn held_code<'e>(executable: &'e Executable, warp: &Warp, frame: u32) -> Option<&'e FunctionCode> {
    executable.code(warp.frame(frame)?.function)
}

/// Records the parameter registers that a call filled in the called function; they were zero before.
pub(super) fn entered(executable: &Executable, warp: &Warp, frame: u32, recorder: &mut Recorder) {
    let (Some(frame), Some(code)) = (warp.frame(frame), held_code(executable, warp, frame)) else { return };
    let slots = |formal: &Formal| match *formal {
        Formal::Register(place) => code.slot_of(Slot::Register(place)),
        Formal::Predicate(index) => code.slot_of(Slot::Predicate(index)),
        Formal::Vector(first, count) => first..first + u32::from(count),
        Formal::Memory(..) | Formal::Unused => 0..0,
    };
    let written: Vec<u32> = code.parameters.iter().flat_map(slots).collect();
    let zeros = |slot: &u32| code.slots.get(*slot as usize).map_or_else(Vec::new, |s| vec![0; frame.bytes(*s).len()]);
    let before: Vec<Vec<u8>> = written.iter().map(zeros).collect();
    recorder.amend(frame, &code.slots, &written, &before);
}
