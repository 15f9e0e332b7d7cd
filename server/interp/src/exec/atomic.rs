//! `atom` and `red`. The lanes are executed one after the other in ascending order (manual 9.7.13.5, 9.7.13.6). The manual leaves the
//! order open, and sums of floating-point numbers depend on it.

use crate::inst::DecodeContext;
use crate::lanes::LaneMask;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::{Address, AddressSpace};
use crate::machine::{ExecContext, Order, Scope, StepOutcome, WarpAccess};
use crate::memory::{Region, Window};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::atomic::{self, AtomicElement, AtomicFunction, AtomicOperation};

/// An operation without an ordering is relaxed, one without a scope has the scope `.gpu` (manual, *atom*).
fn order(inst: &DecodeContext<'_>) -> Order {
    let scope = crate::exec::memory::scope(inst).unwrap_or(Scope::Gpu);
    match inst.modifier(SlotName::Sem) {
        Some(Modifier::Acquire) => Order::Acquire(scope),
        Some(Modifier::Release) => Order::Release(scope),
        Some(Modifier::AcqRel) => Order::AcquireRelease(scope),
        _ => Order::Relaxed(scope),
    }
}

fn operation(inst: &DecodeContext<'_>) -> Result<AtomicOperation, DecodeRefusal> {
    let mut named = inst.modifiers().filter_map(|m| AtomicOperation::named(m.word()));
    named.next().ok_or_else(|| "an unknown atomic operation".into())
}

fn element(inst: &DecodeContext<'_>) -> Result<AtomicElement, DecodeRefusal> {
    let named = inst.modifiers().filter_map(|m| AtomicElement::named(m.word()));
    named.last().ok_or_else(|| "an atomic operation without a type".into())
}

/// A decoded atomic operation, which changes each of its elements in memory.
struct Update {
    operation: AtomicOperation,
    element: AtomicElement,
    /// The function for global memory.
    global: AtomicFunction,
    /// The function for shared memory, where additions of `.f32` keep subnormal numbers.
    shared: AtomicFunction,
    order: Order,
    address: Address,
    /// Destinations; none for `red`.
    to: Vec<RegisterLocation>,
    b: Vec<RegisterLocation>,
    c: Option<RegisterLocation>,
}

impl Update {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let (operation, element) = (operation(inst)?, element(inst)?);
        let function = |flush| {
            let words = || DecodeRefusal(format!("`{}` does not exist for this type", inst.entry().name));
            atomic::operation(operation, element, flush).ok_or_else(words)
        };
        // Additions of .f32 flush subnormal numbers in global memory unless `.noftz` says otherwise (manual, *atom*).
        let (global, shared) = (function(!inst.has(Modifier::Noftz))?, function(false)?);
        let width = (element.bits() / 8) as u8;
        let address = inst.address(OperandName::A)?;
        let to = match inst.operand(OperandName::D) {
            Some(_) => inst.places(OperandName::D, width)?,
            None => Vec::new(),
        };
        let b = inst.places(OperandName::B, width)?;
        let c = if operation == AtomicOperation::Cas {
            let c = inst.operand(OperandName::C).ok_or("`cas` without a third operand")?;
            Some(inst.place(c, width)?)
        } else {
            None
        };
        Ok(Self { operation, element, global, shared, order: order(inst), address, to, b, c })
    }

    fn bytes(&self) -> usize {
        self.element.bits() as usize / 8
    }

    /// Executes the operation for one lane. Returns false if the address is a fault.
    fn lane(&self, context: &mut ExecContext<'_>, lane: usize) -> bool {
        let (bytes, count) = (self.bytes(), self.b.len());
        let all = bytes * count;
        let Some(first) = context.locate(&self.address, lane, all, all, true) else { return false };
        if !matches!(first.region, Region::Global | Region::Shared(_)) {
            context.fault(crate::findings::FaultKind::Undefined, 1 << lane, || {
                "an atomic operation on memory that is neither global nor shared".into()
            });
        }
        let function = if first.region == Region::Global { self.global } else { self.shared };
        let cut = |bits: u128| if bytes >= 16 { bits } else { bits & ((1 << (8 * bytes)) - 1) };
        for (i, b) in self.b.iter().enumerate() {
            let at = (i * bytes) as u64;
            let location =
                crate::machine::AccessLocation { address: first.address + at, offset: first.offset + at, ..first };
            let b = cut(context.registers.lane_bits(*b, lane));
            let c = self.c.map_or(0, |c| cut(context.registers.lane_bits(c, lane)));
            let old = context.update_at(location, lane, bytes, self.order, |old| cut(function(old, b, c)));
            let marks = atomic::marks(self.operation, self.element, old, b) | context.source_marks(lane);
            let marked = (context.marked.unspecified | context.marked.approximate) >> lane & 1 != 0;
            match self.operation {
                AtomicOperation::Cas if old != b => {}
                AtomicOperation::Cas | AtomicOperation::Exch if marked || !marks.is_none() => {
                    context.mark_at(location, lane, bytes, marks, false);
                }
                _ if !marks.is_none() => context.mark_at(location, lane, bytes, marks, true),
                _ => {}
            }
            if let Some(to) = self.to.get(i) {
                context.registers.set_lane_bits(*to, lane, old);
            }
        }
        true
    }

    /// Executes the operation for as many of the lanes `left` as all lanes can execute it at once. Returns the lanes that are left: the first
    /// of them must be executed alone.
    fn lanes(&self, context: &mut ExecContext<'_>, access: &WarpAccess, left: LaneMask) -> LaneMask {
        let ([b], bytes) = (&self.b[..], self.bytes()) else { return left };
        let function = if access.region == Region::Global { self.global } else { self.shared };
        let mask = u128::MAX >> (128 - 8 * bytes.clamp(1, 16));
        context.update_lanes(access, left, self.order, |registers, lane, old| {
            let b = registers.lane_bits(*b, lane) & mask;
            if !atomic::marks(self.operation, self.element, old, b).is_none() {
                return None;
            }
            let c = self.c.map_or(0, |c| registers.lane_bits(c, lane) & mask);
            if let Some(to) = self.to.first() {
                registers.set_lane_bits(*to, lane, old);
            }
            Some(function(old, b, c) & mask)
        })
    }

    fn action(self) -> OpAction {
        DecodeContext::machine(move |context| {
            context.exact = true;
            let access = if self.b.len() == 1 { context.update_access(&self.address, self.bytes()) } else { None };
            let mut left = context.mask;
            while left != 0 {
                if let Some(access) = &access {
                    left = self.lanes(context, access, left);
                }
                if left == 0 {
                    break;
                }
                if !self.lane(context, left.trailing_zeros() as usize) {
                    return StepOutcome::Next;
                }
                left &= left - 1;
            }
            // A thread that spins on a lock should let other threads run.
            if self.operation == AtomicOperation::Cas || self.operation == AtomicOperation::Exch {
                StepOutcome::Yield
            } else {
                StepOutcome::Next
            }
        })
    }
}

/// `atom` and `red` of a single element.
pub(crate) fn scalar(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let update = Update::new(inst)?;
    if update.b.len() != 1 || update.to.len() > 1 {
        return Err("an atomic operation on a list".into());
    }
    Ok(update.action())
}

/// `atom` and `red` of vectors: atomic element by element.
pub(crate) fn vector(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let update = Update::new(inst)?;
    if update.bytes() * update.b.len() > 16 || (!update.to.is_empty() && update.to.len() != update.b.len()) {
        return Err("a vector whose length does not match its form".into());
    }
    if update.address.space == AddressSpace::Window(Window::Shared) {
        return Err("vectors are changed atomically in global memory only".into());
    }
    Ok(update.action())
}

#[cfg(test)]
mod tests;
