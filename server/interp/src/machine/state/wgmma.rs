//! Registers that `wgmma` products in flight use.

use super::flights::FlightId;
use crate::findings::InstructionSite;
use std::collections::BTreeMap;

/// How a product uses a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProductState {
    /// Accumulator of a product in flight, with the number of its group and its shape (N).
    Accumulates { group: u64, n: usize },
    /// Operand A of a product in flight, with the number of its group.
    Input { group: u64 },
    /// The product was waited for, and the register has not been used since.
    Done,
    /// The product was waited for, and the register has been used since without a fence.
    Touched,
}

/// The products in flight of a warp.
#[derive(Debug, Clone, Default)]
pub struct Wgmma {
    /// Registers by (function, slot), with the product that used them last.
    registers: BTreeMap<(u32, u32), (ProductState, InstructionSite)>,
    /// Number of committed groups.
    committed: u64,
    /// The warp has executed a `wgmma.fence`.
    fenced: bool,
    /// Registers that a `tcgen05.ld` in flight fills, by (function, slot), with that instruction.
    loads: BTreeMap<(u32, u32), InstructionSite>,
    /// The products in flight, each with the number of its group: their operands in shared memory may not be overwritten.
    flights: Vec<(u64, FlightId)>,
}

/// The use of a register before its product is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EarlyUse {
    /// The product that uses the register.
    pub site: InstructionSite,
    /// The register is an accumulator; otherwise operand A.
    pub accumulator: bool,
}

impl Wgmma {
    /// Whether uses of registers must be passed to [`touch`](Self::touch).
    #[inline]
    pub(crate) fn watches(&self) -> bool {
        !self.registers.is_empty() || !self.loads.is_empty()
    }

    /// Records that a `tcgen05.ld` fills registers.
    pub(crate) fn load(&mut self, site: InstructionSite, registers: &[u32]) {
        self.loads.extend(registers.iter().map(|register| ((site.function, *register), site)));
    }

    /// Records `tcgen05.wait::ld`: the loads are complete.
    pub(crate) fn loaded(&mut self) {
        self.loads.clear();
    }

    /// Records that an instruction reads a register: it waits for the load that fills it (manual 9.7.16.6.4.5).
    pub(crate) fn read(&mut self, function: u32, register: u32) {
        self.loads.remove(&(function, register));
    }

    /// The load in flight that may still write a register which an instruction overwrites.
    pub(crate) fn overwrites(&self, function: u32, register: u32) -> Option<InstructionSite> {
        self.loads.get(&(function, register)).copied()
    }

    /// Records that another instruction reads or writes a register. Returns the violation if a product in flight uses it.
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

    /// Commits the products since the last commit as a group.
    pub(crate) fn commit(&mut self) {
        self.committed += 1;
    }

    /// Records that the product that was issued last is in flight.
    pub(crate) fn launch(&mut self, id: FlightId) {
        self.flights.push((self.committed, id));
    }

    /// Records a wait: all groups except the newest `left` are complete. Returns their products.
    pub(crate) fn wait(&mut self, left: u64) -> Vec<FlightId> {
        let committed = self.committed;
        let (done, rest) = std::mem::take(&mut self.flights)
            .into_iter()
            .partition(|(group, _)| group.saturating_add(left) < committed);
        self.flights = rest;
        let done: Vec<(u64, FlightId)> = done;
        for (state, _) in self.registers.values_mut() {
            if let ProductState::Accumulates { group, .. } | ProductState::Input { group } = *state
                && group.saturating_add(left) < committed
            {
                *state = ProductState::Done;
            }
        }
        done.into_iter().map(|(_, id)| id).collect()
    }

    /// Records a fence: registers of completed products may be used again.
    pub(crate) fn fence(&mut self) {
        self.registers.retain(|_, (state, _)| !matches!(state, ProductState::Done | ProductState::Touched));
        self.fenced = true;
    }

    /// Records the start of a product with accumulator registers `d` and A registers `a` of shape `n`. Returns a message if a register is
    /// used wrongly.
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
