//! `tcgen05.shift`: moves the rows of a matrix in tensor memory by one.
//!
//! The manual says that 32-byte elements move "downwards across all the rows, except the last, by one row" (9.7.16.9.3). It leaves open
//! whether down is towards the higher or the lower lanes, and whether the matrix ends with the 32 lanes of a warp or with tensor memory. A
//! cell gets a defined value if all these readings agree on it; otherwise its value counts as unspecified.

use super::{TensorMemoryAccess, TensorMemoryAddress, ctas, has_pair, memory, note_ctas, rank_of_part, spot};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::state::flights::Family;
use crate::machine::state::operands::TensorKind;
use crate::machine::state::tensor_memory::{LANES, TensorMemory, TensorMemoryCell};
use crate::machine::{ExecContext, StepOutcome};
use ptx_isa::OperandName;
use ptx_num::values::Marks;

/// Columns of an element of 32 bytes.
const COLUMNS: u32 = 8;

/// Lanes of tensor memory that belong to one warp; the address must name a multiple of it.
const WARP: u32 = 32;

/// `tcgen05.shift`.
pub(crate) fn shift(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    let address = inst.address(OperandName::Taddr)?;
    Ok(DecodeContext::machine(move |context| {
        note_ctas(context, ctas);
        if !has_pair(context, ctas) {
            return StepOutcome::Next;
        }
        for lane in lanes(context.mask) {
            let at = spot(context, &address, lane);
            if !at.lane.is_multiple_of(WARP) {
                let row = at.lane;
                context.fault(FaultKind::Misaligned, 1 << lane, || {
                    format!("the matrix begins at lane {row} of tensor memory, but must begin at a multiple of {WARP}")
                });
                return StepOutcome::Next;
            }
            for part in 0..ctas {
                let rank = rank_of_part(context, ctas, part);
                if shift_one(context, at, rank, lane).is_none() {
                    return StepOutcome::Next;
                }
            }
            let id = copies::begin_product(context, Some(TensorKind::Shift));
            copies::join(context, lane, Family::Tensor, id);
        }
        context.changed();
        StepOutcome::Next
    }))
}

/// Shifts the rows in the tensor memory of one CTA. Returns `None` after a fault.
fn shift_one(context: &mut ExecContext<'_>, at: TensorMemoryAddress, rank: u32, lane: usize) -> Option<()> {
    let mut access = TensorMemoryAccess::new(rank, lane);
    let memory = memory(context, rank)?;
    for column in at.column..at.column.saturating_add(COLUMNS) {
        access.check(memory, at.lane, column);
        let old: Vec<_> = (0..LANES).map(|row| memory.read(row, column)).collect();
        for row in at.lane..LANES {
            access.note(row, column, false);
            shift_cell(memory, &old, at.lane, row, column);
            access.note(row, column, true);
        }
    }
    access.report(context);
    (!context.is_stopped()).then_some(())
}

/// Writes the cell of one row. `old`: the column before the shift; `first`: the first row of the matrix.
fn shift_cell(memory: &mut TensorMemory, old: &[TensorMemoryCell], first: u32, row: u32, column: u32) {
    let cell = |row: u32| old.get(row as usize).copied();
    // Both directions move rows between the ends of the warp. At the ends and beyond them a row may also keep its value.
    let inside = first < row && row + 1 < first + WARP;
    let above = if row > first { cell(row - 1) } else { None };
    let sources = [above, cell(row + 1), if inside { None } else { cell(row) }];
    let mut known = sources.into_iter().flatten().filter(|c| c.known);
    let Some(one) = known.next() else { return };
    let same = sources.into_iter().flatten().all(|c| c.known && c.bits == one.bits);
    let marks = known.fold(one.marks, |marks, c| marks | c.marks);
    memory.write(row, column, one.bits, if same { marks } else { marks | Marks::UNSPECIFIED });
}
