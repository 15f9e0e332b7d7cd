//! Sparse matrices: the columns of A that the kept elements represent.
//!
//! Manual 9.7.14.6.1 and 9.7.16.10.8: half of each chunk of columns is kept, and four bits for each chunk give the columns of
//! the kept elements.

use super::element::MatrixElementType;

/// Pairs of indices that an instruction defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Indices {
    /// Any two different indices: `mma.sp`, `wgmma.mma_async.sp`.
    Different,
    /// Ascending: `mma.sp::ordered_metadata`.
    Ascending,
    /// Ascending indices, or index 2 followed by 1: `tcgen05.mma.sp`.
    AscendingOrMiddle,
}

/// Chunks of a row of A and the elements kept in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SparsityPattern {
    /// One of each two columns; the four bits are `0100` for the first and `1110` for the second.
    OneOfTwo,
    /// Two of each four columns; two indices of two bits, the first in the low bits.
    TwoOfFour,
    /// Two of each four pairs of neighbours; the indices are encoded as in [`SparsityPattern::TwoOfFour`].
    PairsOfEight,
}

impl SparsityPattern {
    /// Returns the pattern of an element type. `packed`: four-bit floats without padding (`.kind::mxf4`, `.kind::mxf4nvf4`),
    /// not in bytes.
    pub fn of(element: MatrixElementType, packed: bool) -> Self {
        match element {
            MatrixElementType::Tf32 => Self::OneOfTwo,
            MatrixElementType::S4 | MatrixElementType::U4 => Self::PairsOfEight,
            MatrixElementType::E2m1 if packed => Self::PairsOfEight,
            _ => Self::TwoOfFour,
        }
    }

    /// Number of columns of a chunk.
    pub fn columns(self) -> usize {
        match self {
            Self::OneOfTwo => 2,
            Self::TwoOfFour => 4,
            Self::PairsOfEight => 8,
        }
    }

    /// Returns the columns within the chunk that its kept elements represent, in storage order.
    ///
    /// Returns `None` if the manual calls the bits undefined.
    pub fn kept(self, bits: u8, indices: Indices) -> Option<&'static [u16]> {
        const TWO: [[u16; 2]; 16] = two();
        const PAIRS: [[u16; 4]; 16] = pairs();
        let bits = bits & 15;
        if self == Self::OneOfTwo {
            return match bits {
                0b0100 => Some(&[0]),
                0b1110 => Some(&[1]),
                _ => None,
            };
        }
        let (first, second) = (bits & 3, bits >> 2);
        let allowed = match indices {
            Indices::Different => true,
            Indices::Ascending => first < second,
            Indices::AscendingOrMiddle => first < second || bits == 0b0110,
        };
        if first == second || !allowed {
            return None;
        }
        Some(if self == Self::TwoOfFour { &TWO[bits as usize] } else { &PAIRS[bits as usize] })
    }
}

const fn two() -> [[u16; 2]; 16] {
    let mut all = [[0; 2]; 16];
    let mut bits = 0;
    while bits < 16 {
        all[bits] = [bits as u16 & 3, bits as u16 >> 2];
        bits += 1;
    }
    all
}

const fn pairs() -> [[u16; 4]; 16] {
    let mut all = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (first, second) = (bits as u16 & 3, bits as u16 >> 2);
        all[bits] = [2 * first, 2 * first + 1, 2 * second, 2 * second + 1];
        bits += 1;
    }
    all
}

/// Returns the columns of all kept elements of a matrix, row-major with `k / 2` per row, and whether all metadata is defined.
///
/// `metadata` has four bits for each chunk, row-major with `k / chunk` per row. For undefined bits the function uses the first
/// columns of the chunk.
pub fn columns(
    metadata: &[u64],
    rows: usize,
    k: usize,
    pattern: SparsityPattern,
    indices: Indices,
) -> (Vec<u16>, bool) {
    let chunk = pattern.columns();
    let chunks = k / chunk;
    let mut all = Vec::with_capacity(rows * k / 2);
    let mut defined = metadata.len() >= rows * chunks;
    for row in 0..rows {
        for index in 0..chunks {
            let bits = metadata.get(row * chunks + index).copied().unwrap_or(0b0100);
            let kept = pattern.kept(bits as u8, indices).unwrap_or_else(|| {
                defined = false;
                pattern.kept(0b0100, Indices::Different).unwrap_or(&[0])
            });
            all.extend(kept.iter().map(|column| column + (index * chunk) as u16));
        }
    }
    (all, defined)
}
