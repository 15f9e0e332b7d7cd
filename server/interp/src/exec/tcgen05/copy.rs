//! `tcgen05.cp`: copies from shared memory to tensor memory.

use super::{TensorMemoryAccess, TensorMemoryAddress, ctas, has_pair, memory, note_ctas, rank_of_part, spot};
use crate::exec::shared_matrix::SharedMatrixSource;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::state::flights::Family;
use crate::machine::state::operands::TensorKind;
use crate::machine::{ExecContext, StepOutcome};
use ptx_isa::{Modifier, OperandName};
use ptx_num::matrix::descriptor;
use ptx_num::matrix::shared::Major;
use ptx_num::values::Marks;

/// The shape of a copy and its destination lanes.
#[derive(Debug, Clone, Copy)]
struct TensorMemoryCopy {
    /// Number of rows in shared memory.
    rows: u32,
    /// Size of a row in tensor memory, in bytes.
    bytes: u32,
    /// Bits of an element in shared memory, and the bit of its byte in tensor memory where it begins: 8 and 0 without decompression.
    element: (u32, u32),
    /// The lanes to which the rows go.
    to: RowDestination,
}

/// How the rows of a copy are distributed over the lanes of tensor memory. A quarter has 32 lanes.
#[derive(Debug, Clone, Copy)]
enum RowDestination {
    /// Each row to the lane of the same number.
    Rows,
    /// Each of four rows to the first lane of a quarter of its own.
    Quarters,
    /// All rows to all quarters.
    All,
    /// The lower 32 rows to quarters 0 and 2, the others to 1 and 3.
    Alternate,
    /// The lower 32 rows to quarters 0 and 1, the others to 2 and 3.
    Neighbours,
}

impl TensorMemoryCopy {
    fn new(inst: &DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let (rows, bytes, to) = if inst.has(Modifier::_128x256b) {
            (128, 32, RowDestination::Rows)
        } else if inst.has(Modifier::_128x128b) {
            (128, 16, RowDestination::Rows)
        } else if inst.has(Modifier::_4x256b) {
            (4, 32, RowDestination::Quarters)
        } else if inst.has(Modifier::_64x128b) {
            (
                64,
                16,
                if inst.has(Modifier::Warpx2_02_13) { RowDestination::Alternate } else { RowDestination::Neighbours },
            )
        } else if inst.has(Modifier::_32x128b) {
            (32, 16, RowDestination::All)
        } else {
            return Err("`tcgen05.cp` without a shape".into());
        };
        // Elements of four bits go to the middle of their byte, those of six bits to its lower part (manual 9.7.16.9.1).
        let element = match (inst.has(Modifier::B4x16P64), inst.has(Modifier::B6x16P32)) {
            (true, _) => (4, 2),
            (_, true) => (6, 0),
            _ => (8, 0),
        };
        Ok(Self { rows, bytes, element, to })
    }

    /// The lanes to which a row goes, counted from the lane of the address.
    fn lanes(&self, row: u32) -> [Option<u32>; 4] {
        let low = row % 32;
        match self.to {
            RowDestination::Rows => [Some(row), None, None, None],
            RowDestination::Quarters => [Some(32 * row), None, None, None],
            RowDestination::All => [0, 1, 2, 3].map(|q| Some(32 * q + low)),
            RowDestination::Alternate => [Some(row), Some(row + 64), None, None],
            RowDestination::Neighbours => [Some(row / 32 * 64 + low), Some(row / 32 * 64 + 32 + low), None, None],
        }
    }
}

/// `tcgen05.cp`.
pub(crate) fn copy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    let plan = TensorMemoryCopy::new(inst)?;
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
            let id = copies::begin_product(context, Some(TensorKind::Copy));
            copies::join(context, lane, Family::Tensor, id);
        }
        context.changed();
        StepOutcome::Next
    }))
}

/// Copies the matrix of one descriptor into the tensor memory of one CTA. Returns `None` after a fault.
fn copy_one(
    context: &mut ExecContext<'_>,
    plan: &TensorMemoryCopy,
    at: TensorMemoryAddress,
    bits: u64,
    rank: u32,
    lane: usize,
) -> Option<()> {
    let (width, shift) = plan.element;
    let matrix = match descriptor::tcgen05(bits, Major::K, width, width < 8) {
        Ok(matrix) => matrix,
        Err(why) => {
            context.fault(FaultKind::Undefined, 1 << lane, || why.0.to_owned());
            return None;
        }
    };
    let own = rank == context.rank as u32;
    let source = SharedMatrixSource { matrix, rank: (!own).then_some(rank), lane };
    let bytes = plan.bytes as usize;
    let mut rows = vec![0u8; plan.rows as usize * bytes];
    let marks: Marks = source.read(context, 0..plan.rows, 0..plan.bytes, |row, at, value| {
        rows[row * bytes + at] = (value << shift) as u8;
    })?;
    let mut access = TensorMemoryAccess::new(rank, lane);
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
