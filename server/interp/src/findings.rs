//! What a run finds wrong, as data.

use crate::lanes::LaneMask;
use std::collections::HashMap;

/// What kind of thing was found. Each is a toggle ([`Checks`]); those that end a run cannot be executed past and are always on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An access outside of every allocation, variable or window.
    OutOfBounds,
    /// An address that is no multiple of the size of the access.
    Misaligned,
    /// A store to memory that cannot be written: constants, parameters of the kernel.
    ReadOnly,
    /// A register was read that nothing was written to.
    UninitializedRegister,
    /// A byte was read that nothing was written to.
    UninitializedMemory,
    /// Two threads use a byte, one of them writes, and nothing orders them.
    Race,
    /// Threads of a warp are at different places where all of them must be together.
    Divergence,
    /// A barrier is used in a way that can never work, or that hardware does not define.
    Barrier,
    /// No thread can go on.
    Deadlock,
    /// A lane executes an instruction without being in its mask, or reads from a lane that takes no part.
    Membermask,
    /// An integer was divided by zero.
    DivisionByZero,
    /// A thread needs more local memory than there is.
    StackOverflow,
    /// A call of an address at which no function begins.
    InvalidCall,
    /// A NaN came out of an instruction that none went into.
    NotANumber,
    /// An mbarrier is used against its protocol.
    Mbarrier,
    /// An asynchronous operation's result is used, or its source changed, before it is known to be complete.
    Asynchronous,
    /// The run has written to more memory than it may take.
    OutOfMemory,
    /// An instruction that needs what this machine does not have.
    Unsupported,
    /// `trap`, `__assertfail`, or an access that traps by its own words.
    Trap,
    /// Anything else that the manual calls undefined.
    Undefined,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: &[Self] = &[
        Self::OutOfBounds,
        Self::Misaligned,
        Self::ReadOnly,
        Self::UninitializedRegister,
        Self::UninitializedMemory,
        Self::Race,
        Self::Divergence,
        Self::Barrier,
        Self::Deadlock,
        Self::Membermask,
        Self::DivisionByZero,
        Self::StackOverflow,
        Self::InvalidCall,
        Self::NotANumber,
        Self::Mbarrier,
        Self::Asynchronous,
        Self::OutOfMemory,
        Self::Unsupported,
        Self::Trap,
        Self::Undefined,
    ];

    /// As users see it, in kebab-case.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::ReadOnly => "read-only",
            Self::UninitializedRegister => "uninitialized-register",
            Self::UninitializedMemory => "uninitialized-memory",
            Self::Race => "race",
            Self::Divergence => "divergence",
            Self::Barrier => "barrier",
            Self::Deadlock => "deadlock",
            Self::Membermask => "membermask",
            Self::DivisionByZero => "division-by-zero",
            Self::StackOverflow => "stack-overflow",
            Self::InvalidCall => "invalid-call",
            Self::NotANumber => "nan",
            Self::Mbarrier => "mbarrier",
            Self::Asynchronous => "asynchronous",
            Self::OutOfMemory => "out-of-memory",
            Self::Unsupported => "unsupported",
            Self::Trap => "trap",
            Self::Undefined => "undefined",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|k| k.name() == name).copied()
    }

    /// Those that can be looked for or not.
    pub fn optional() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|k| !k.is_fatal())
    }

    /// The kind of that name, if it can be looked for or not.
    ///
    /// # Errors
    /// In words, which there are.
    pub fn optional_named(name: &str) -> Result<Self, String> {
        Self::optional().find(|k| k.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::optional().map(Self::name).collect();
            match Self::named(name) {
                Some(_) => format!("it ends a run, so it is always found; there are {}", names.join(", ")),
                None => format!("there are {}", names.join(", ")),
            }
        })
    }

    /// Whether hardware stops there as well, and so does the run.
    pub fn is_fatal(self) -> bool {
        matches!(
            self,
            Self::OutOfBounds
                | Self::Misaligned
                | Self::ReadOnly
                | Self::Deadlock
                | Self::StackOverflow
                | Self::InvalidCall
                | Self::OutOfMemory
                | Self::Unsupported
                | Self::Trap
        )
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Which kinds are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks(u32);

impl Checks {
    /// Only what ends a run.
    pub fn none() -> Self {
        Self(FaultKind::ALL.iter().filter(|k| k.is_fatal()).fold(0, |all, k| all | k.bit()))
    }

    /// The same with one kind looked for or not; what ends a run stays.
    pub fn with(self, kind: FaultKind, wanted: bool) -> Self {
        let changed = if wanted { self.0 | kind.bit() } else { self.0 & !kind.bit() };
        Self(changed | Self::none().0)
    }

    /// Whether a kind is looked for.
    pub fn has(self, kind: FaultKind) -> bool {
        self.0 & kind.bit() != 0
    }
}

impl Default for Checks {
    /// Everything but NaN, which many kernels make on purpose.
    fn default() -> Self {
        Self(u32::MAX).with(FaultKind::NotANumber, false)
    }
}

/// Where something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InstructionSite {
    /// Index of the function in the program.
    pub function: u32,
    /// Index of the instruction in the function.
    pub instruction: u32,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// In words: what is expected, what was found.
    pub message: String,
    /// The instruction.
    pub site: InstructionSite,
    /// The lanes, when it was seen first.
    pub lanes: LaneMask,
    /// The CTA in the grid.
    pub cta: [u32; 3],
    /// The warp in the CTA.
    pub warp: u32,
    /// How many warp instructions the warp had executed.
    pub step: u64,
    /// How often it was seen.
    pub count: u64,
    /// Another place that has to do with it, and in what way: the other access of a race.
    pub related: Option<(InstructionSite, String)>,
}

/// What a run has found so far: of each kind and instruction, the first time and how often.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// In the order of their first appearance.
    pub faults: Vec<Fault>,
    known: HashMap<(FaultKind, InstructionSite), usize>,
}

impl Findings {
    /// Notes a fault. The words are made only if it is the first of its kind at its instruction.
    pub fn add(&mut self, kind: FaultKind, site: InstructionSite, fault: impl FnOnce() -> Fault) {
        match self.known.get(&(kind, site)).and_then(|i| self.faults.get_mut(*i)) {
            Some(known) => known.count += 1,
            None => {
                self.known.insert((kind, site), self.faults.len());
                self.faults.push(fault());
            }
        }
    }

    /// The first that ends the run.
    pub fn fatal(&self) -> Option<&Fault> {
        self.faults.iter().find(|f| f.kind.is_fatal())
    }
}

#[cfg(test)]
mod tests {
    use super::{Checks, FaultKind};

    #[test]
    fn what_ends_a_run_cannot_be_switched_off() {
        let checks = Checks::default().with(FaultKind::OutOfBounds, false).with(FaultKind::Race, false);
        assert!(checks.has(FaultKind::OutOfBounds) && !checks.has(FaultKind::Race) && checks.has(FaultKind::Barrier));
        assert!(!Checks::none().has(FaultKind::UninitializedMemory) && !Checks::default().has(FaultKind::NotANumber));
    }

    #[test]
    fn names_are_different() {
        let names: std::collections::BTreeSet<_> = FaultKind::ALL.iter().map(|k| k.name()).collect();
        assert_eq!(names.len(), FaultKind::ALL.len());
    }
}
