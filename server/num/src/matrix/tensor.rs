//! Positions of matrix elements in tensor memory: accumulators, A, block scales.
//!
//! A cell has 32 bits and is in one of 128 lanes and one of up to 512 columns. The manual has only pictures (9.7.16.10.5,
//! 9.7.16.10.7); the layouts here are those of CUTLASS, whose accumulators are loaded by the documented shapes of `tcgen05.ld`.

use super::product::MatrixRefusal;

/// Number of lanes of the tensor memory of an SM.
pub const LANES: u32 = 128;

/// Layout of an accumulator: how its rows and columns are spread over lanes and columns of tensor memory. The letters are the
/// manual's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accumulators {
    /// M of 256 in two CTAs: 128 rows each, one row per lane.
    A,
    /// M of 128 in two CTAs, dense: 64 rows each; the two halves of the columns are stacked in the lanes.
    B,
    /// M of 128 in two CTAs, sparse: 64 rows each, 16 rows per quarter of the lanes.
    C,
    /// M of 128: one row per lane.
    D,
    /// M of 64, `.ws`: the two halves of the columns are stacked in the lanes.
    E,
    /// M of 64: 16 rows per quarter of the lanes.
    F,
    /// M of 32: the four quarters of the columns are stacked in the lanes.
    G,
}

/// A cell of tensor memory, relative to the beginning of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorCell {
    /// Index of the CTA in its pair.
    pub cta: u32,
    /// The lane, relative to the lane that the address names.
    pub lane: u32,
    /// The column, relative to the column that the address names.
    pub column: u32,
}

impl Accumulators {
    /// Returns the layout of a product with `m` rows in `ctas` CTAs; `ws`: `tcgen05.mma.ws`.
    pub fn of(m: u32, ctas: u32, sparse: bool, ws: bool) -> Result<Self, MatrixRefusal> {
        Ok(match (m, ctas, sparse, ws) {
            (256, 2, _, false) => Self::A,
            (128, 2, false, false) => Self::B,
            (128, 2, true, false) => Self::C,
            (128, 1, _, _) => Self::D,
            (64, 1, _, true) => Self::E,
            (64, 1, _, false) => Self::F,
            (32, 1, _, true) => Self::G,
            _ => return Err(MatrixRefusal("`tcgen05.mma` has no layout for this M")),
        })
    }

    /// Returns the cell of an element of a matrix with `n` columns. An element of 16 bits has a cell of its own and uses its
    /// lower half.
    #[inline]
    pub fn cell(self, row: u32, column: u32, n: u32) -> TensorCell {
        let stacked = |row: u32, parts: u32, cta: u32| {
            let width = (n / parts).max(1);
            TensorCell {
                cta,
                lane: row.wrapping_add((LANES / parts).wrapping_mul(column / width)),
                column: column % width,
            }
        };
        let quarters = |row: u32, cta: u32| TensorCell { cta, lane: row / 16 * 32 + row % 16, column };
        match self {
            Self::A => TensorCell { cta: row / 128, lane: row % 128, column },
            Self::B => stacked(row % 64, 2, row / 64),
            Self::C => quarters(row % 64, row / 64),
            Self::D => TensorCell { cta: 0, lane: row, column },
            Self::E => stacked(row, 2, 0),
            Self::F => quarters(row, 0),
            Self::G => stacked(row, 4, 0),
        }
    }

    /// Returns the cell of an element of A in tensor memory, and the lowest bit in the cell. A uses the same lanes as the rows
    /// of D; its elements are packed along K.
    ///
    /// `container_bits` is the space of an element: 32, 16, 8 or 4 bits. In a stacked layout every part of the lanes needs its
    /// own copy of A; `part` selects the copy.
    #[inline]
    pub fn cell_of_a(self, row: u32, k: u32, container_bits: u32, part: u32) -> (TensorCell, u32) {
        let each = (32 / container_bits.clamp(1, 32)).max(1);
        let (column, low) = (k / each, k % each * container_bits);
        let first = self.cell(row, 0, 4);
        let step: u32 = match self {
            Self::B | Self::E => 64,
            Self::G => 32,
            _ => 0,
        };
        (TensorCell { lane: first.lane.wrapping_add(step.wrapping_mul(part)), column, ..first }, low)
    }
}

/// Returns the cell of a block scale (its lane is the same in each of the four quarters) and the byte in the cell.
///
/// `line` is a row of A or a column of B. `block` is the index of its block, `blocks` the number of blocks: 1, 2 or 4. `id` is
/// the scale id of the instruction descriptor: the byte, or with two blocks the byte of the first block. 128 lines occupy 4
/// columns: lanes 0 … 31 of each column are 32 lines (as in CUTLASS and `tcgen05.cp.32x128b.warpx4`).
#[inline]
pub fn scale(line: u32, block: u32, blocks: u32, id: u32) -> Result<(TensorCell, u32), MatrixRefusal> {
    if !matches!(blocks, 1 | 2 | 4) || id > 4 - blocks || block >= blocks {
        return Err(MatrixRefusal("the layout of these block scales is shown in pictures only"));
    }
    Ok((TensorCell { cta: 0, lane: line % 32, column: line / 32 }, id + block))
}
