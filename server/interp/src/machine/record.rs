//! What warps did, step by step: the registers that each instruction changed, before and after, and what it did to memory.

use super::code::{Executable, Formal, FunctionCode, Slot, predicate};
use super::noted::{AccessLog, MemoryAccess};
use super::warp::{CallFrame, Warp};
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;

/// A warp of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpId {
    /// The number of its CTA in the grid.
    pub cta: u64,
    /// Its number in the CTA.
    pub warp: u32,
}

/// Which warps are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordScope {
    /// One.
    One(WarpId),
    /// All of the grid.
    All,
}

impl RecordScope {
    /// Whether a warp is looked at.
    pub fn includes(self, target: WarpId) -> bool {
        match self {
            Self::One(one) => one == target,
            Self::All => true,
        }
    }
}

/// Where a recording begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// With this step of each warp.
    Step(u64),
    /// With the first step that is executed at this time or later.
    Time(u64),
}

/// What is recorded of a step besides where it was and who executed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detail {
    /// The registers that it wrote.
    pub registers: bool,
    /// What it did to memory.
    pub accesses: bool,
}

impl Detail {
    /// Nothing but the lanes: by far the least work.
    pub const MASKS: Self = Self { registers: false, accesses: false };
    /// Registers.
    pub const REGISTERS: Self = Self { registers: true, accesses: false };
    /// Everything.
    pub const ALL: Self = Self { registers: true, accesses: true };
}

/// A register that an instruction changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterWrite {
    /// The function whose register it is: that of the instruction, but for what a call hands over and a return hands back.
    pub function: u32,
    /// Its number among the registers of that function.
    pub slot: u32,
    /// The bytes of all lanes before; of a predicate four bytes, a bit for each lane.
    pub before: Box<[u8]>,
    /// And after.
    pub after: Box<[u8]>,
    /// Lanes whose value the manual leaves open, after.
    pub unspecified: LaneMask,
    /// Lanes whose value is an approximation, after.
    pub approximate: LaneMask,
}

/// One step of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedStep {
    /// The warp.
    pub target: WarpId,
    /// How many instructions the warp had executed before.
    pub step: u64,
    /// How many the warps of the whole grid had.
    pub time: u64,
    /// The instruction.
    pub site: InstructionSite,
    /// The lanes of the group.
    pub group: LaneMask,
    /// The lanes that executed it: in which the guard is true.
    pub mask: LaneMask,
    /// How many calls deep.
    pub depth: u32,
    /// Registers that it wrote, changed or not; if they are recorded.
    pub changes: Vec<RegisterWrite>,
    /// What it did to memory, if that is recorded.
    pub accesses: Vec<MemoryAccess>,
    /// It did more to memory than `accesses` say.
    pub more_accesses: bool,
}

/// Records steps: flat, so that recording costs little more than copying what changes.
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
    /// What the one warp that is looked at had executed after its last turn.
    executed: Option<u64>,
}

/// A step as it is kept: where its writes and accesses end, besides.
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
    /// Registers of a warp, so many steps from one on.
    pub fn new(target: WarpId, from: u64, count: usize) -> Self {
        Self::of(RecordScope::One(target), Origin::Step(from), count, Detail::REGISTERS)
    }

    /// So many steps from somewhere on, of one warp or in the order in which the warps execute them.
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

    /// Forgets what was recorded, and begins elsewhere; the memory is used again.
    pub fn restart(&mut self, origin: Origin) {
        self.origin = origin;
        self.steps.clear();
        self.writes.clear();
        self.bytes.clear();
        self.noted.clear();
    }

    /// Whether a warp is looked at.
    pub(super) fn includes(&self, target: WarpId) -> bool {
        self.scope.includes(target)
    }

    /// How many steps of a warp are not wanted, at least, before one is.
    #[inline]
    pub(super) fn quiet(&self, step: u64, time: u64) -> u64 {
        match self.origin {
            _ if self.is_full() => u64::MAX,
            Origin::Step(from) => from.saturating_sub(step),
            Origin::Time(from) => from.saturating_sub(time),
        }
    }

    /// Whether all steps that were wanted are there.
    pub fn is_full(&self) -> bool {
        self.steps.len() >= self.count
    }

    /// How many steps were recorded.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What the one warp that is looked at has executed in all, as far as it was seen.
    pub(crate) fn executed(&self) -> Option<u64> {
        self.executed
    }

    /// A warp has had its turn.
    pub(super) fn note_turn(&mut self, target: WarpId, steps: u64) {
        if self.scope == RecordScope::One(target) {
            self.executed = Some(steps);
        }
    }

    /// The steps that were recorded.
    pub fn steps(&self) -> Vec<RecordedStep> {
        self.iter().collect()
    }

    /// The steps that were recorded, made one after the other.
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

    /// Where the accesses of a step go, if they are recorded.
    #[inline]
    pub(super) fn noted(&mut self) -> Option<&mut AccessLog> {
        self.detail.accesses.then_some(&mut self.noted)
    }

    /// Keeps what registers hold before a step.
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

    /// And after it. `step` says of it what is known besides.
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

    /// Whether registers of other activations that a step writes are wanted ([`amend`](Self::amend)).
    pub(super) fn amends(&self) -> bool {
        self.detail.registers
    }

    /// Adds to the last step registers of another activation: what a call has handed over, or a return handed back.
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

    /// Forgets what was kept of a step which did not happen.
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

/// The registers of a caller that a call writes.
pub(super) struct CallResults<'e> {
    /// The activation.
    pub caller: u32,
    /// The registers.
    pub writes: &'e [u32],
    /// What they hold.
    pub before: Vec<Vec<u8>>,
}

/// What a caller waits for.
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

/// The function of an activation.
pub(super) fn held_code<'e>(executable: &'e Executable, warp: &Warp, frame: u32) -> Option<&'e FunctionCode> {
    executable.code(warp.frame(frame)?.function)
}

/// Records the registers that a call has handed to a function; they were zero before.
pub(super) fn entered(executable: &Executable, warp: &Warp, frame: u32, recorder: &mut Recorder) {
    let (Some(frame), Some(code)) = (warp.frame(frame), held_code(executable, warp, frame)) else { return };
    let slot = |formal: &Formal| match *formal {
        Formal::Register(place) => code.slots.iter().position(|s| *s == Slot::Register(place)),
        Formal::Predicate(index) => code.slots.iter().position(|s| *s == Slot::Predicate(index)),
        Formal::Memory(..) | Formal::Unused => None,
    };
    let written: Vec<u32> = code.parameters.iter().filter_map(slot).map(|s| s as u32).collect();
    let zeros = |slot: &u32| code.slots.get(*slot as usize).map_or_else(Vec::new, |s| vec![0; frame.bytes(*s).len()]);
    let before: Vec<Vec<u8>> = written.iter().map(zeros).collect();
    recorder.amend(frame, &code.slots, &written, &before);
}
