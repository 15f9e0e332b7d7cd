//! `tcgen05.cp`: from shared memory to tensor memory.

use super::{Access, Spot, ctas, has_pair, memory, note_ctas, rank_of_part, spot};
use crate::exec::shared_matrix::Source;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome};
use ptx_isa::{Modifier, OperandName};
use ptx_num::matrix::descriptor;
use ptx_num::matrix::shared::Major;
use ptx_num::values::Marks;

/// What is copied where.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// Rows in shared memory.
    rows: u32,
    /// Bytes of a row in tensor memory.
    bytes: u32,
    /// Bits of an element in shared memory, and where it stands in its byte: 8 and 0 without decompression.
    element: (u32, u32),
    /// Which quarters of the lanes the rows go to.
    to: To,
}

#[derive(Debug, Clone, Copy)]
enum To {
    /// Row by row.
    Rows,
    /// Each row to a quarter of its own.
    Quarters,
    /// All rows to all quarters.
    All,
    /// The lower 32 rows to quarters 0 and 2, the others to 1 and 3.
    Alternate,
    /// The lower 32 rows to quarters 0 and 1, the others to 2 and 3.
    Neighbours,
}

impl Plan {
    fn new(inst: &DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let (rows, bytes, to) = if inst.has(Modifier::_128x256b) {
            (128, 32, To::Rows)
        } else if inst.has(Modifier::_128x128b) {
            (128, 16, To::Rows)
        } else if inst.has(Modifier::_4x256b) {
            (4, 32, To::Quarters)
        } else if inst.has(Modifier::_64x128b) {
            (64, 16, if inst.has(Modifier::Warpx2_02_13) { To::Alternate } else { To::Neighbours })
        } else if inst.has(Modifier::_32x128b) {
            (32, 16, To::All)
        } else {
            return Err("`tcgen05.cp` without a shape".into());
        };
        // Four bits come to stand in the middle of their byte, six in its lower part (manual 9.7.16.9.1).
        let element = match (inst.has(Modifier::B4x16P64), inst.has(Modifier::B6x16P32)) {
            (true, _) => (4, 2),
            (_, true) => (6, 0),
            _ => (8, 0),
        };
        Ok(Self { rows, bytes, element, to })
    }

    /// The lanes that a row goes to, from the one of the address.
    fn lanes(&self, row: u32) -> [Option<u32>; 4] {
        let low = row % 32;
        match self.to {
            To::Rows => [Some(row), None, None, None],
            To::Quarters => [Some(32 * row), None, None, None],
            To::All => [0, 1, 2, 3].map(|q| Some(32 * q + low)),
            To::Alternate => [Some(row), Some(row + 64), None, None],
            To::Neighbours => [Some(row / 32 * 64 + low), Some(row / 32 * 64 + 32 + low), None, None],
        }
    }
}

/// `tcgen05.cp`.
pub(crate) fn copy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    let plan = Plan::new(inst)?;
    let (address, source) = (inst.address(OperandName::Taddr)?, inst.src::<u64>(OperandName::Sdesc)?);
    Ok(DecodeContext::machine(move |context| {
        note_ctas(context, ctas);
        if !has_pair(context, ctas) {
            return StepOutcome::Next;
        }
        for lane in lanes(context.mask) {
            let at = spot(context, &address, lane);
            let bits = context.registers.lane(source, lane);
            for part in 0..ctas {
                let rank = rank_of_part(context, ctas, part);
                if copy_one(context, &plan, at, bits, rank, lane).is_none() {
                    return StepOutcome::Next;
                }
            }
        }
        context.changed();
        StepOutcome::Next
    }))
}

fn copy_one(context: &mut ExecContext<'_>, plan: &Plan, at: Spot, bits: u64, rank: u32, lane: usize) -> Option<()> {
    let (width, shift) = plan.element;
    let matrix = match descriptor::tcgen05(bits, Major::K, width, width < 8) {
        Ok(matrix) => matrix,
        Err(why) => {
            context.fault(FaultKind::Undefined, 1 << lane, || why.0.to_owned());
            return None;
        }
    };
    let own = rank == context.rank as u32;
    let source = Source { matrix, rank: (!own).then_some(rank), lane };
    let bytes = plan.bytes as usize;
    let mut rows = vec![0u8; plan.rows as usize * bytes];
    let marks: Marks = source.read(context, 0..plan.rows, 0..plan.bytes, |row, at, value| {
        rows[row * bytes + at] = (value << shift) as u8;
    })?;
    let mut access = Access::new(rank, lane);
    let memory = memory(context, rank)?;
    for (row, values) in rows.chunks_exact(bytes).enumerate() {
        for to in plan.lanes(row as u32).into_iter().flatten() {
            for (column, cell) in values.as_chunks::<4>().0.iter().enumerate() {
                let (lane, column) = (at.lane.wrapping_add(to), at.column.wrapping_add(column as u32));
                access.write(memory, lane, column, u32::from_le_bytes(*cell), marks);
            }
        }
    }
    access.report(context);
    (!context.is_stopped()).then_some(())
}
