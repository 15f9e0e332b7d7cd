//! Which registers products of a warpgroup in flight use.

use crate::findings::Site;
use std::collections::BTreeMap;

/// What is known of a register that a product uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Accumulator of a product in flight, of that group and that shape (N).
    Accumulates { group: u64, n: usize },
    /// A of a product in flight, of that group.
    Input { group: u64 },
    /// It was waited for, and not used since.
    Done,
    /// It was waited for, and used since without a fence.
    Touched,
}

/// The products in flight of a warp.
#[derive(Debug, Clone, Default)]
pub struct Wgmma {
    /// Registers by function and number, with the instruction that has used them last.
    registers: BTreeMap<(u32, u32), (State, Site)>,
    /// Groups that were committed.
    committed: u64,
    /// There was a fence.
    fenced: bool,
}

/// A register that is used too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Early {
    /// The product that uses it.
    pub site: Site,
    /// It is an accumulator, not A.
    pub accumulator: bool,
}

impl Wgmma {
    /// Whether uses of registers must be reported.
    #[inline]
    pub(crate) fn watches(&self) -> bool {
        !self.registers.is_empty()
    }

    /// A register is read or written by another instruction.
    pub(crate) fn touch(&mut self, function: u32, register: u32) -> Option<Early> {
        let (state, site) = self.registers.get_mut(&(function, register))?;
        match state {
            State::Accumulates { .. } => Some(Early { site: *site, accumulator: true }),
            State::Input { .. } => Some(Early { site: *site, accumulator: false }),
            State::Done | State::Touched => {
                *state = State::Touched;
                None
            }
        }
    }

    /// The products since the last commit become a group.
    pub(crate) fn commit(&mut self) {
        self.committed += 1;
    }

    /// All groups but the newest `left` are complete.
    pub(crate) fn wait(&mut self, left: u64) {
        let committed = self.committed;
        for (state, _) in self.registers.values_mut() {
            if let State::Accumulates { group, .. } | State::Input { group } = *state
                && group.saturating_add(left) < committed
            {
                *state = State::Done;
            }
        }
    }

    /// Registers that were waited for may be used again.
    pub(crate) fn fence(&mut self) {
        self.registers.retain(|_, (state, _)| !matches!(state, State::Done | State::Touched));
        self.fenced = true;
    }

    /// A product begins. What is wrong with that, in words.
    pub(crate) fn begin(&mut self, site: Site, d: &[u32], a: &[u32], n: usize) -> Option<&'static str> {
        let mut wrong = (!self.fenced)
            .then_some("no `wgmma.fence` was executed before this first product: it must order the registers");
        let group = self.committed;
        for register in d {
            let state = self.registers.insert((site.function, *register), (State::Accumulates { group, n }, site));
            wrong = wrong.or(match state {
                Some((State::Accumulates { n: other, .. }, _)) if other != n => {
                    Some("an accumulator of a product of another shape that is still in flight: wait for it, and put a `wgmma.fence` before this one")
                }
                Some((State::Input { .. }, _)) => Some("an accumulator is A of a product that is still in flight"),
                Some((State::Touched, _)) => Some(TOUCHED),
                _ => None,
            });
        }
        for register in a {
            let key = (site.function, *register);
            let state = self.registers.get(&key).map(|s| s.0);
            wrong = wrong.or(match state {
                Some(State::Accumulates { .. }) => Some(
                    "A is the accumulator of a product that is still in flight: wait for it with `wgmma.wait_group`",
                ),
                Some(State::Touched) => Some(TOUCHED),
                _ => None,
            });
            if !matches!(state, Some(State::Accumulates { .. })) {
                self.registers.insert(key, (State::Input { group }, site));
            }
        }
        wrong
    }
}

const TOUCHED: &str =
    "registers of this product were used by other instructions since the last `wgmma.fence`: put one before it";
