//! Findings of a run, as data.

use crate::lanes::LaneMask;
use std::collections::HashMap;

/// The kind of a finding. Each optional kind can be enabled or disabled ([`Checks`]). The interpreter cannot continue after kinds that end
/// a run, so those are always enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An access outside every allocation, variable or window.
    OutOfBounds,
    /// An address that is not a multiple of the size of the access.
    Misaligned,
    /// A store to read-only memory: constants, parameters of the kernel.
    ReadOnly,
    /// A read of a register that was never written.
    UninitializedRegister,
    /// A read of a byte that was never written.
    UninitializedMemory,
    /// Two threads access a byte, at least one of them writes, and nothing orders the accesses.
    Race,
    /// Threads of a warp are at different instructions where they must be together.
    Divergence,
    /// A barrier is used in a way that can never work or is undefined.
    Barrier,
    /// No thread can continue.
    Deadlock,
    /// A lane executes an instruction without being in its member mask, or reads from a lane that does not participate.
    Membermask,
    /// An integer division by zero.
    DivisionByZero,
    /// A thread needs more local memory than there is.
    StackOverflow,
    /// A call to an address at which no function begins.
    InvalidCall,
    /// An instruction produced a NaN although none of its operands is one.
    NotANumber,
    /// An mbarrier is used against its protocol.
    Mbarrier,
    /// The result of an asynchronous operation is used, or its source is changed, before the operation is known to be complete.
    Asynchronous,
    /// The run occupies more memory than its limit.
    OutOfMemory,
    /// An instruction that the interpreter cannot execute.
    Unsupported,
    /// `trap`, `__assertfail`, or an access with a mode that traps.
    Trap,
    /// Any other behavior that the manual calls undefined.
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

    /// The name that users see, in kebab-case.
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

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|k| k.name() == name).copied()
    }

    /// The kinds that can be enabled or disabled.
    pub fn optional() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|k| !k.is_fatal())
    }

    /// The kind with this name, if it can be enabled or disabled.
    ///
    /// # Errors
    /// A message that lists the possible names.
    pub fn optional_named(name: &str) -> Result<Self, String> {
        Self::optional().find(|k| k.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::optional().map(Self::name).collect();
            match Self::named(name) {
                Some(_) => format!("it ends a run, so it is always found; there are {}", names.join(", ")),
                None => format!("there are {}", names.join(", ")),
            }
        })
    }

    /// Whether hardware stops at such a fault; then the run ends, too.
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

/// The set of enabled kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks(u32);

impl Checks {
    /// Only the kinds that end a run.
    pub fn none() -> Self {
        Self(FaultKind::ALL.iter().filter(|k| k.is_fatal()).fold(0, |all, k| all | k.bit()))
    }

    /// The same set with one kind enabled or disabled; kinds that end a run stay enabled.
    pub fn with(self, kind: FaultKind, wanted: bool) -> Self {
        let changed = if wanted { self.0 | kind.bit() } else { self.0 & !kind.bit() };
        Self(changed | Self::none().0)
    }

    /// Whether a kind is enabled.
    pub fn has(self, kind: FaultKind) -> bool {
        self.0 & kind.bit() != 0
    }
}

impl Default for Checks {
    /// Everything except NaN, which many kernels produce on purpose.
    fn default() -> Self {
        Self(u32::MAX).with(FaultKind::NotANumber, false)
    }
}

/// Identifies an instruction of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct InstructionSite {
    /// Index of the function in the program.
    pub function: u32,
    /// Index of the instruction in the function.
    pub instruction: u32,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The message: the expected and the actual behavior.
    pub message: String,
    /// The instruction.
    pub site: InstructionSite,
    /// The lanes at its first occurrence.
    pub lanes: LaneMask,
    /// Position (x, y, z) of the CTA in the grid.
    pub cta: [u32; 3],
    /// Index of the warp in the CTA.
    pub warp: u32,
    /// Number of instructions that the warp had executed.
    pub step: u64,
    /// Number of occurrences.
    pub count: u64,
    /// A related instruction and its role, such as the other access of a race.
    pub related: Option<(InstructionSite, String)>,
}

/// The findings of a run so far: for each kind and instruction, the first occurrence and the count.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The findings, in the order of their first occurrence.
    pub faults: Vec<Fault>,
    /// Index into `faults` for each kind and instruction.
    known: HashMap<(FaultKind, InstructionSite), usize>,
}

impl Findings {
    /// Adds an occurrence. `fault` is called only for the first occurrence of the kind at the instruction.
    pub fn add(&mut self, kind: FaultKind, site: InstructionSite, fault: impl FnOnce() -> Fault) {
        match self.known.get(&(kind, site)).and_then(|i| self.faults.get_mut(*i)) {
            Some(known) => known.count += 1,
            None => {
                self.known.insert((kind, site), self.faults.len());
                self.faults.push(fault());
            }
        }
    }

    /// Whether there is a finding of this kind at an instruction.
    pub(crate) fn has(&self, kind: FaultKind, site: InstructionSite) -> bool {
        self.known.contains_key(&(kind, site))
    }

    /// The first finding that ends the run.
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
