//! Loads and stores.

use crate::inst::DecodeContext;
use crate::lanes::{LANES, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, Order, Scope, StepOutcome, WarpAccess, from_registers, races, to_registers};
use crate::memory::MAX_LANE_BYTES;
use crate::registers::RegisterLocation;
use ptx_isa::tables::TypeClass;
use ptx_isa::{Exec, ISA, Modifier, OperandName};
use ptx_num::values::Marks;

/// The scope that a modifier names: `.sys` is `.gpu` here, and `.gl` is its old name.
pub(crate) fn scope_named(modifier: Modifier) -> Option<Scope> {
    match modifier {
        Modifier::Cta => Some(Scope::Cta),
        Modifier::Cluster => Some(Scope::Cluster),
        Modifier::Gpu | Modifier::Gl | Modifier::Sys => Some(Scope::Gpu),
        _ => None,
    }
}

/// The scope of an instruction; `None` if none is written.
pub(crate) fn scope(inst: &DecodeContext<'_>) -> Option<Scope> {
    inst.modifiers().find_map(scope_named)
}

/// The memory ordering that the modifiers of an access name. `.volatile` and `.mmio` have the scope `.sys`.
pub(crate) fn order(inst: &DecodeContext<'_>) -> Order {
    let scope = scope(inst).unwrap_or(Scope::Gpu);
    let mut order = Order::Weak;
    for modifier in inst.modifiers() {
        order = match modifier {
            Modifier::Acquire => Order::Acquire(scope),
            Modifier::Release => Order::Release(scope),
            Modifier::AcqRel => Order::AcquireRelease(scope),
            Modifier::Relaxed | Modifier::Volatile | Modifier::Mmio if order == Order::Weak => Order::Relaxed(scope),
            _ => order,
        };
    }
    order
}

/// The size of an element in memory in bytes, and whether its sign is extended.
pub(crate) fn element(inst: &DecodeContext<'_>) -> Result<(usize, bool), DecodeRefusal> {
    let ty = inst.modifiers().filter_map(|m| ISA.ty(m.name())).last().ok_or("an access without a type")?;
    Ok((usize::from(ty.bits).div_ceil(8), ty.class == TypeClass::Sint))
}

/// The bits of a value of `bytes` bytes. If `signed`, they are extended to 128 bits by the sign.
pub(crate) fn extend(bits: u128, bytes: usize, signed: bool) -> u128 {
    if !signed || bytes >= 16 {
        return bits;
    }
    let shift = 128 - 8 * bytes as u32;
    ((bits << shift) as i128 >> shift) as u128
}

/// Distributes bytes over the registers of one lane, one element per register.
fn spread(
    context: &mut ExecContext<'_>,
    lane: usize,
    from: &[u8],
    to: &[RegisterLocation],
    bytes: usize,
    signed: bool,
) {
    for (element, place) in from.chunks_exact(bytes).zip(to) {
        let mut all = [0; 16];
        all[..bytes].copy_from_slice(element);
        let bits = extend(u128::from_le_bytes(all), bytes, signed);
        context.registers.set_lane_bits(*place, lane, bits);
    }
}

/// `ld`, `ld.global.nc`, `ldu`.
pub(crate) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (bytes, signed) = element(inst)?;
    let to = inst.places(OperandName::D, bytes as u8)?;
    let address = inst.address(OperandName::A)?;
    let order = order(inst);
    let fixed = inst.exec() == Some(Exec::MemoryLdNc);
    Ok(DecodeContext::machine(move |context| {
        // A thread that polls for a write of another thread should let that thread run.
        let outcome = if order == Order::Weak { StepOutcome::Next } else { StepOutcome::Yield };
        let mut access = WarpAccess::default();
        if context.load_access(&address, context.mask, bytes * to.len(), order, &mut access) {
            if let [to] = to[..]
                && context.load_row(&access, order, fixed, to)
            {
                return outcome;
            }
            let mut all = [0; LANES * MAX_LANE_BYTES];
            if let Some(marks) = context.load_lanes(&access, order, fixed, &mut all) {
                to_registers(context, &to, bytes, signed, &all);
                context.marked = marks;
                return outcome;
            }
        }
        let mut buffer = [0; 64];
        let count = (bytes * to.len()).min(buffer.len());
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&address, lane, count, count, false) else { continue };
            if fixed {
                races::read_fixed(context, at, lane, count);
            }
            let marks = context.read_at(at, lane, &mut buffer[..count], order);
            spread(context, lane, &buffer[..count], &to, bytes, signed);
            context.mark(lane, marks);
        }
        outcome
    }))
}

/// `st`.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (bytes, _) = element(inst)?;
    let from = inst.places(OperandName::B, bytes as u8)?;
    let address = inst.address(OperandName::A)?;
    let order = order(inst);
    Ok(DecodeContext::machine(move |context| {
        let count = bytes * from.len();
        // The lanes of one register of four bytes are often all there is.
        let row = match from[..] {
            [from] if bytes == 4 && from.width == 4 => context.registers.array::<u32>(from).copied(),
            _ => None,
        };
        if let Some(row) = row {
            if context.store_lanes(&address, bytes, order, bytemuck::bytes_of(&row)) {
                return StepOutcome::Next;
            }
        } else if count <= MAX_LANE_BYTES {
            let mut all = [0; LANES * MAX_LANE_BYTES];
            if from_registers(context.registers, &from, bytes, &mut all)
                && context.store_lanes(&address, count, order, &all)
            {
                return StepOutcome::Next;
            }
        }
        let mut buffer = [0; 64];
        let count = count.min(buffer.len());
        for lane in lanes(context.mask) {
            for (element, place) in buffer[..count].chunks_exact_mut(bytes).zip(&from) {
                let bits = context.registers.lane_bits(*place, lane).to_le_bytes();
                element.copy_from_slice(&bits[..bytes]);
            }
            let marks = context.source_marks(lane);
            if context.store(&address, lane, &buffer[..count], marks, order).is_none() {
                return StepOutcome::Next;
            }
        }
        StepOutcome::Next
    }))
}

/// No marks, for values that the machine itself produces.
pub(crate) const PLAIN: Marks = Marks::NONE;
