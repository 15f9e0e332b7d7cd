//! Which registers products of a warpgroup in flight use.

use crate::findings::InstructionSite;
use std::collections::BTreeMap;

/// What is known of a register that a product uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProductState {
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
    registers: BTreeMap<(u32, u32), (ProductState, InstructionSite)>,
    /// Groups that were committed.
    committed: u64,
    /// There was a fence.
    fenced: bool,
}

/// A register that is used too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EarlyUse {
    /// The product that uses it.
    pub site: InstructionSite,
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
    pub(crate) fn touch(&mut self, function: u32, register: u32) -> Option<EarlyUse> {
        let (state, site) = self.registers.get_mut(&(function, register))?;
        match state {
            ProductState::Accumulates { .. } => Some(EarlyUse { site: *site, accumulator: true }),
            ProductState::Input { .. } => Some(EarlyUse { site: *site, accumulator: false }),
            ProductState::Done | ProductState::Touched => {
                *state = ProductState::Touched;
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
            if let ProductState::Accumulates { group, .. } | ProductState::Input { group } = *state
                && group.saturating_add(left) < committed
            {
                *state = ProductState::Done;
            }
        }
    }

    /// Registers that were waited for may be used again.
    pub(crate) fn fence(&mut self) {
        self.registers.retain(|_, (state, _)| !matches!(state, ProductState::Done | ProductState::Touched));
        self.fenced = true;
    }

    /// A product begins. What is wrong with that, in words.
    pub(crate) fn begin(&mut self, site: InstructionSite, d: &[u32], a: &[u32], n: usize) -> Option<&'static str> {
        let mut wrong = (!self.fenced)
            .then_some("no `wgmma.fence` was executed before this first product: it must order the registers");
        let group = self.committed;
        for register in d {
            let state =
                self.registers.insert((site.function, *register), (ProductState::Accumulates { group, n }, site));
            wrong = wrong.or(match state {
                Some((ProductState::Accumulates { n: other, .. }, _)) if other != n => {
                    Some("an accumulator of a product of another shape that is still in flight: wait for it, and put a `wgmma.fence` before this one")
                }
                Some((ProductState::Input { .. }, _)) => Some("an accumulator is A of a product that is still in flight"),
                Some((ProductState::Touched, _)) => Some(TOUCHED),
                _ => None,
            });
        }
        for register in a {
            let key = (site.function, *register);
            let state = self.registers.get(&key).map(|s| s.0);
            wrong = wrong.or(match state {
                Some(ProductState::Accumulates { .. }) => Some(
                    "A is the accumulator of a product that is still in flight: wait for it with `wgmma.wait_group`",
                ),
                Some(ProductState::Touched) => Some(TOUCHED),
                _ => None,
            });
            if !matches!(state, Some(ProductState::Accumulates { .. })) {
                self.registers.insert(key, (ProductState::Input { group }, site));
            }
        }
        wrong
    }
}

const TOUCHED: &str =
    "registers of this product were used by other instructions since the last `wgmma.fence`: put one before it";
