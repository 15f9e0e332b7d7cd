//! Functions that the system provides: `vprintf`, `__assertfail`, `malloc`, `free`.

use super::printf::{self, MAX_PRINTED_BYTES};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::Pass;
use crate::machine::{ALLOCATION, ExecContext, Order, StepOutcome};
use crate::memory::STACK_PARAMETERS;
use crate::registers::RegisterLocation;
use ptx_gate::words::visible;

/// Maximum length of a string that is read, in bytes.
const MAX_STRING_BYTES: usize = 1 << 16;

/// Effort of a call of `vprintf`, without its text, and of `malloc` or `free`.
const PRINT: usize = 20;
const HEAP: usize = 20;

/// Decodes a call of a function without a body.
pub(crate) fn external(
    name: &str,
    _: &DecodeContext<'_>,
    arguments: &[Pass],
    results: &[Pass],
) -> Result<OpAction, DecodeRefusal> {
    if arguments.iter().chain(results).any(|p| matches!(p, Pass::Vector(..))) {
        return Err(format!("`{name}` gets a vector register").into());
    }
    let arguments: Vec<Pass> = arguments.to_vec();
    let result = results.first().copied();
    match name {
        "vprintf" => Ok(DecodeContext::machine(move |context| {
            for lane in lanes(context.mask) {
                let (format, values) = (argument(context, &arguments, 0, lane), argument(context, &arguments, 1, lane));
                let text = string(context, format, lane);
                let shared = std::cell::RefCell::new(&mut *context);
                let value = |at: u64, bytes| number(&mut shared.borrow_mut(), values.wrapping_add(at), bytes, lane);
                let printed = printf::format(&text, value, |at| string(&mut shared.borrow_mut(), at, lane));
                context.spend(PRINT + printed.0.len() / 16);
                let kept = &mut context.machine.printed;
                if kept.len() < MAX_PRINTED_BYTES {
                    kept.extend(printed.0);
                    if kept.len() >= MAX_PRINTED_BYTES {
                        kept.extend(b"\n(further output is not kept)\n");
                    }
                }
                give(context, result, lane, printed.1.into());
            }
            StepOutcome::Next
        })),
        "__assertfail" => Ok(DecodeContext::machine(move |context| {
            let lane = context.mask.trailing_zeros() as usize;
            let text = |context: &mut ExecContext<'_>, i| {
                let at = argument(context, &arguments, i, lane);
                visible(&String::from_utf8_lossy(&string(context, at, lane))).into_owned()
            };
            let (message, file, function) = (text(context, 0), text(context, 1), text(context, 3));
            let line = argument(context, &arguments, 2, lane) as u32;
            let mask = context.mask;
            context.fault(FaultKind::Trap, mask, || format!("assertion `{message}` failed in {function} ({file}:{line})"));
            StepOutcome::Next
        })),
        "malloc" => Ok(DecodeContext::machine(move |context| {
            for lane in lanes(context.mask) {
                let bytes = argument(context, &arguments, 0, lane);
                context.spend(HEAP);
                // If the heap is full, the address is 0, as on hardware.
                let fits = context.memory().global.taken().saturating_add(bytes) <= context.machine.settings.memory;
                let address = if fits { context.memory().global.take(bytes) } else { 0 };
                if fits {
                    context.hold(ALLOCATION, lane);
                }
                give(context, result, lane, address.into());
            }
            StepOutcome::Next
        })),
        // The memory of the pages is released. The addresses are not used again, so that a later access to them is a fault.
        "free" => Ok(DecodeContext::machine(move |context| {
            for lane in lanes(context.mask) {
                let address = argument(context, &arguments, 0, lane);
                context.spend(HEAP);
                if address == 0 {
                    continue;
                }
                match context.memory().global.give_back(address) {
                    Some(kept) => context.machine.release(kept as u64 + ALLOCATION),
                    None => context.fault(FaultKind::InvalidCall, 1 << lane, || {
                        format!("`free` is given {address:#x}, but no live allocation of `malloc` begins there")
                    }),
                }
            }
            StepOutcome::Next
        })),
        _ => Err(format!("`{name}` is declared but has no body here, and it is not one of the functions that the system provides (`vprintf`, `__assertfail`, `malloc`, `free`)").into()),
    }
}

/// The value of an argument in a lane: at most its first 8 bytes.
fn argument(context: &mut ExecContext<'_>, arguments: &[Pass], index: usize, lane: usize) -> u64 {
    match arguments.get(index) {
        Some(Pass::Register(place)) => context.registers.lane_bits(*place, lane) as u64,
        Some(Pass::Memory(place, bytes)) => {
            let at = stack_address(context, *place, lane);
            let mut out = [0; 8];
            let count = (*bytes as usize).min(8);
            context.lanes.local[lane].read(at, &mut out[..count]);
            u64::from_le_bytes(out)
        }
        _ => 0,
    }
}

/// The offset in local memory of a variable whose `.param` address is in a register.
fn stack_address(context: &ExecContext<'_>, place: RegisterLocation, lane: usize) -> u64 {
    (context.registers.lane_bits(place, lane) as u64).wrapping_sub(STACK_PARAMETERS)
}

/// Writes the result of the function in a lane.
fn give(context: &mut ExecContext<'_>, result: Option<Pass>, lane: usize, value: u128) {
    match result {
        Some(Pass::Register(place)) => context.registers.set_lane_bits(place, lane, value),
        Some(Pass::Memory(place, bytes)) => {
            let at = stack_address(context, place, lane);
            let count = (bytes as usize).min(16);
            context.lanes.local[lane].write(at, &value.to_le_bytes()[..count], super::memory::PLAIN);
        }
        _ => {}
    }
}

/// The number at a generic address, in at most 8 bytes.
fn number(context: &mut ExecContext<'_>, address: u64, bytes: usize, lane: usize) -> u64 {
    let mut out = [0; 8];
    let count = bytes.min(8);
    if let Some(at) = context.locate_generic(address, lane, count, 1, false) {
        context.read_at(at, lane, &mut out[..count], Order::Weak);
    }
    u64::from_le_bytes(out)
}

/// The string at a generic address, without the zero at its end.
fn string(context: &mut ExecContext<'_>, address: u64, lane: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while out.len() < MAX_STRING_BYTES && !context.is_stopped() && !context.is_tired() {
        match number(context, address.wrapping_add(out.len() as u64), 1, lane) as u8 {
            0 => break,
            byte => out.push(byte),
        }
    }
    out
}
