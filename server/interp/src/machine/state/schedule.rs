//! State of the scheduler.

/// State of the scheduler between two calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schedule {
    /// The next turn: index of the cluster, rank of the CTA, index of the warp.
    pub(in crate::machine) next: (usize, usize, usize),
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
