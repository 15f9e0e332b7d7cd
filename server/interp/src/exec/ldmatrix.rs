//! `ldmatrix` and `stmatrix` move matrices between registers and rows in shared memory; `movmatrix` transposes them within registers.

use super::mma::{FragmentOperand, refused, whole_warp};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::LANES;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::{Address, AddressSpace};
use crate::machine::{ExecContext, Order, StepOutcome, WarpAccess};
use crate::memory::{MAX_LANE_BYTES, Region, Window};
use crate::registers::RegisterLocation;
use ptx_isa::OperandName;
use ptx_num::matrix::movement::{Movement, ROW};
use ptx_num::values::Marks;

fn movement(inst: &DecodeContext<'_>) -> Result<Movement, DecodeRefusal> {
    Movement::new(inst.entry().name, inst.form(), &inst.function.chosen(inst.index).values).map_err(refused)
}

/// The registers of the operand `r`. Refuses a number of registers that the matrices do not have.
fn registers(inst: &mut DecodeContext<'_>, movement: &Movement) -> Result<Vec<RegisterLocation>, DecodeRefusal> {
    let places = inst.places(OperandName::R, 4)?;
    if places.len() == movement.registers {
        Ok(places)
    } else {
        Err("the number of registers does not match the matrices".into())
    }
}

/// The location of the row at a lane's address. A generic address must point into shared memory; otherwise reports a finding.
fn row(
    context: &mut ExecContext<'_>,
    address: &Address,
    lane: usize,
    bytes: usize,
    write: bool,
) -> Option<crate::machine::AccessLocation> {
    let at = context.locate(address, lane, bytes, bytes, write)?;
    if !matches!(at.region, Region::Shared(_)) {
        let words =
            || format!("{:#x} is not an address in shared memory, where the rows of matrices must be", at.address);
        context.fault(FaultKind::OutOfBounds, 1 << lane, words);
        return None;
    }
    Some(at)
}

/// `ldmatrix`.
pub(crate) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let movement = movement(inst)?;
    let to = registers(inst, &movement)?;
    let address = inst.address(OperandName::P)?;
    let addressed = movement.rows.iter().fold(0, |all, lane| all | 1 << (lane % 32));
    // Other addresses must be found to lie in shared memory. Lanes are read in ascending order.
    let at_once = address.space == AddressSpace::Window(Window::Shared) && movement.rows.is_sorted();
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let mut rows = [[0; ROW]; 32];
        let mut marks = Marks::NONE;
        let bytes = movement.row_bytes;
        let mut all = [0; LANES * MAX_LANE_BYTES];
        let lanes = (addressed & context.mask, bytes);
        let mut access = WarpAccess::default();
        let found = at_once && context.load_access(&address, lanes.0, lanes.1, Order::Weak, &mut access);
        let read = if found { context.load_lanes(&access, Order::Weak, false, &mut all) } else { None };
        for (at, lane) in movement.rows.iter().enumerate() {
            let lane = usize::from(*lane);
            if let Some(read) = read {
                if let (Some(row), Some(from)) = (rows.get_mut(at), all.get(lane * bytes..(lane + 1) * bytes))
                    && context.mask >> lane & 1 != 0
                {
                    row[..bytes].copy_from_slice(from);
                    marks |= read.of(lane);
                }
                continue;
            }
            if context.mask >> lane & 1 == 0 {
                continue;
            }
            let Some(place) = row(context, &address, lane, bytes, false) else { return StepOutcome::Next };
            if let Some(row) = rows.get_mut(at) {
                marks |= context.read_at(place, lane, &mut row[..bytes], Order::Weak);
            }
        }
        let mask = context.mask;
        let registers = &mut *context.registers;
        movement.load(&rows, |register, lane, value| {
            if mask >> lane & 1 != 0
                && let Some(place) = to.get(register)
            {
                registers.set_lane_bits(*place, lane, value.into());
            }
        });
        context.marked = crate::simd::LaneMarks::all(mask, marks);
        StepOutcome::Next
    }))
}

/// `stmatrix`.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let movement = movement(inst)?;
    let from = registers(inst, &movement)?;
    let address = inst.address(OperandName::P)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let registers = &*context.registers;
        let value =
            |register: usize, lane: usize| from.get(register).map_or(0, |p| registers.lane_bits(*p, lane) as u32);
        let rows = movement.store(value);
        let marks = super::mma::all_source_marks(context);
        for (row_bytes, lane) in rows.iter().zip(&movement.rows) {
            let lane = usize::from(*lane);
            if context.mask >> lane & 1 == 0 {
                continue;
            }
            let bytes = movement.row_bytes;
            let Some(place) = row(context, &address, lane, bytes, true) else { return StepOutcome::Next };
            context.write_at(place, lane, &row_bytes[..bytes], marks, Order::Weak);
        }
        StepOutcome::Next
    }))
}

/// `movmatrix`.
pub(crate) fn transpose(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (a, d) = (FragmentOperand::new(inst, OperandName::A, None)?, FragmentOperand::new(inst, OperandName::D, None)?);
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let matrix = a.gather(context.registers);
        d.scatter(context, &matrix, None);
        super::mma::mark_all(context);
        StepOutcome::Next
    }))
}
