//! Register pressure: the registers that are live at each instruction.

use crate::flow::liveness::Liveness;
use crate::flow::{FlowFunction, Graph, RegisterSlot};
use ptx_sema::hir::types::TypeId;

/// A number of registers by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
pub struct RegisterCount {
    /// General registers, in units of 32 bits: a 64-bit register counts as two, a 16-bit register as one.
    pub b32: u16,
    /// Predicates.
    pub predicates: u16,
}

impl RegisterCount {
    /// The registers that a virtual register of this type occupies.
    pub fn of(ty: TypeId) -> Self {
        match ty.info().bits {
            1 => Self { b32: 0, predicates: 1 },
            bits => Self { b32: bits.div_ceil(32).max(1), predicates: 0 },
        }
    }

    /// Adds registers.
    pub fn add(&mut self, other: Self) {
        self.b32 = self.b32.saturating_add(other.b32);
        self.predicates = self.predicates.saturating_add(other.predicates);
    }

    fn take(&mut self, other: Self) {
        self.b32 = self.b32.saturating_sub(other.b32);
        self.predicates = self.predicates.saturating_sub(other.predicates);
    }

    /// The maximum of each kind.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { b32: self.b32.max(other.b32), predicates: self.predicates.max(other.predicates) }
    }
}

/// The number of live registers at each instruction of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Indexed by instruction: the registers live before it, or after it together with its results, whichever is more. Zero
    /// for unreachable instructions.
    pub at: Box<[RegisterCount]>,
    /// The maximum over all instructions, separately for each kind.
    pub most: RegisterCount,
    /// The index of the first instruction with the most general registers, or, if there are none, with the most predicates.
    pub peak: u32,
}

impl Pressure {
    /// Computes the pressure of a function. A write under a guard does not end the live range of the previous value.
    pub fn new(function: &FlowFunction, graph: &Graph, liveness: &Liveness) -> Self {
        let takes: Vec<RegisterCount> = (0..function.registers.len() as u32)
            .map(|slot| RegisterCount::of(function.declaration(RegisterSlot(slot)).ty))
            .collect();
        let mut at = vec![RegisterCount::default(); function.instructions.len()];
        // Indexed by slot: whether it is live at the current instruction.
        let mut live = vec![false; takes.len()];
        let mut touched: Vec<RegisterSlot> = Vec::new();
        let mut unread: Vec<RegisterSlot> = Vec::new();
        for number in graph.order.iter().map(|b| *b as usize) {
            let mut now = RegisterCount::default();
            let mut enter = |slot: RegisterSlot, now: &mut RegisterCount, live: &mut [bool]| {
                if !std::mem::replace(&mut live[slot.index()], true) {
                    now.add(takes[slot.index()]);
                    touched.push(slot);
                }
            };
            liveness.at_end(number).for_each(|slot| enter(slot, &mut now, &mut live));
            for index in graph.blocks[number].instructions().rev() {
                // An unread result still occupies its register for a moment.
                unread.clear();
                unread.extend(function.writes(index).iter().map(|w| w.slot).filter(|s| !live[s.index()]));
                for write in function.writes(index) {
                    enter(write.slot, &mut now, &mut live);
                }
                at[index] = now;
                let guarded = function.instructions[index].guard.is_some();
                for slot in function.writes(index).iter().map(|w| w.slot).filter(|s| !guarded || unread.contains(s)) {
                    if std::mem::replace(&mut live[slot.index()], false) {
                        now.take(takes[slot.index()]);
                    }
                }
                function.reads(index).iter().for_each(|read| enter(read.slot, &mut now, &mut live));
                at[index] = at[index].max(now);
            }
            touched.drain(..).for_each(|slot| live[slot.index()] = false);
        }
        let most = at.iter().fold(RegisterCount::default(), |all, one| all.max(*one));
        let peak = if most.b32 > 0 {
            at.iter().position(|l| l.b32 == most.b32)
        } else {
            at.iter().position(|l| l.predicates == most.predicates)
        };
        Self { at: at.into(), most, peak: peak.unwrap_or(0) as u32 }
    }
}
