//! State of the scheduler.

/// The position of a warp in the machine. Positions are in the order of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WarpPosition {
    /// The index of its cluster among those that run.
    pub(crate) cluster: usize,
    /// The rank of its CTA in the cluster.
    pub(crate) rank: usize,
    /// Its index in the CTA.
    pub(crate) number: usize,
}

/// What a turn may do before it is interrupted.
#[derive(Debug)]
pub(in crate::machine) struct TurnBudget<'w> {
    /// Number of instructions.
    pub(in crate::machine) allowed: u64,
    /// Whether the rest of an interrupted turn is executed later.
    pub(in crate::machine) pauses: bool,
    /// Number of slices without a step, which counts down.
    pub(in crate::machine) waits: &'w mut u64,
}

/// State of the scheduler between two calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schedule {
    /// The warp that has the next turn.
    pub(in crate::machine) next: WarpPosition,
    /// Number of instructions executed in this round.
    pub(in crate::machine) executed: u64,
    /// Number of successive rounds in which no group could continue.
    pub(in crate::machine) level: u8,
    /// The value of [`Machine::progress`](crate::machine::Machine::progress) in the last such round.
    pub(in crate::machine) progress: u64,
    /// Number of successive such rounds without a visible change.
    pub(in crate::machine) hopeless: u32,
    /// The value of [`Machine::steps`](crate::machine::Machine::steps) when a cluster last started or ended.
    pub(in crate::machine) since: u64,
    /// Extra work of the current slice, in ordinary instructions: see [`ExecContext::spend`](crate::machine::ExecContext::spend).
    pub(in crate::machine) spent: u64,
    /// The work at which the machine pauses.
    pub(in crate::machine) pause: Option<u64>,
    /// The interrupted turn of the next warp, if its last turn was interrupted.
    pub(in crate::machine) unfinished: Option<Unfinished>,
}

/// The state of an interrupted turn.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Unfinished {
    /// Number of instructions that the turn has executed.
    pub(in crate::machine) done: u64,
    /// The interrupted slice of a group; `None` if the turn was interrupted between two slices.
    pub(in crate::machine) piece: Option<GroupSlice>,
}

/// The execution of one group until the next selection of a group.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct GroupSlice {
    /// Index of the group in the warp.
    pub(in crate::machine) at: usize,
    /// The priority number at which the group must stop, because other lanes are or will be there.
    pub(in crate::machine) meet: u32,
    /// Number of instructions that it may still execute.
    pub(in crate::machine) left: u64,
    /// Number of instructions that it has executed.
    pub(in crate::machine) done: u64,
}
