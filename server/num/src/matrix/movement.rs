//! Conversion between rows of matrices in shared memory and registers: `ldmatrix`, `stmatrix`.

use super::product::MatrixRefusal;
use ptx_isa::fragment::{FragmentLayout, LayoutLookup};
use ptx_isa::tables::Form;
use ptx_isa::{ISA, Modifier};

/// Size in bytes of the row at the address of a lane.
pub const ROW: usize = 16;

/// Position of an element in a row and in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BitMove {
    /// Index of the row in [`Movement::rows`].
    row: u8,
    /// The lowest bit in the row.
    from: u8,
    /// Index of the register in the operand.
    register: u8,
    /// The lane of the register.
    lane: u8,
    /// The lowest bit in the register.
    to: u8,
}

/// Mapping between the bits of rows in memory and the bits of registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// The lanes that supply the addresses of the rows, one for each row.
    pub rows: Vec<u8>,
    /// Number of bytes at each address: 16, or 8 if elements of four bits are extended to a byte.
    pub row_bytes: usize,
    /// Number of registers of each lane.
    pub registers: usize,
    /// Width of an element in memory, in bits.
    width: u32,
    /// Width of an element in a register, in bits.
    wide: u32,
    /// Whether elements are extended with their sign.
    signed: bool,
    /// All elements, sorted by register and lane.
    moves: Vec<BitMove>,
}

impl Movement {
    /// Returns the movement of an instruction, from its name, its form and the value in each modifier slot.
    pub fn new(instruction: &str, form: &Form, values: &[Option<&'static str>]) -> Result<Self, MatrixRefusal> {
        let layout = |operand: &str| match ISA.layout(instruction, form, values, operand, |_, _| None) {
            Some(LayoutLookup::Layout(layout)) => Ok(*layout),
            _ => Err(MatrixRefusal("the layout of this operand is not specified")),
        };
        let written = |modifier: Modifier| values.contains(&Some(modifier.name()));
        let (elements, addresses) = (layout("r")?, layout("p")?);
        let wide = elements.width;
        // Sixteen elements of 4 or 6 bits fill the beginning of a row (manual 9.7.9.15, 9.7.16.9.1); for other types all bits
        // count.
        let four = written(Modifier::B4x16P64) || written(Modifier::S4);
        let width = if written(Modifier::B6x16P32) {
            6
        } else if four {
            4
        } else {
            wide
        };
        // The manual shows elements of four bits in the middle of their byte, where `.kind::f8f6f4` expects them, and integers
        // in its lower part.
        let shift = if written(Modifier::B4x16P64) { 2 } else { 0 };
        let row_bytes = if written(Modifier::S4) { 8 } else { ROW };
        let mut movement = Self {
            rows: Vec::new(),
            row_bytes,
            registers: elements.registers as usize,
            width,
            wide,
            signed: written(Modifier::S4),
            moves: Vec::new(),
        };
        movement.fill(&elements, &addresses, shift)?;
        Ok(movement)
    }

    fn fill(&mut self, elements: &FragmentLayout, addresses: &FragmentLayout, shift: u32) -> Result<(), MatrixRefusal> {
        const RANGE: MatrixRefusal = MatrixRefusal("a layout is out of its registers");
        let mut rows: Vec<(u32, u32, u8)> =
            addresses.elements().map(|(place, holder)| (place.matrix, place.row, holder.thread as u8)).collect();
        rows.sort_unstable();
        for (place, holder) in elements.elements() {
            let bits = elements.bits(holder.element).ok_or(RANGE)?;
            let row = rows.iter().position(|r| (r.0, r.1) == (place.matrix, place.row)).ok_or(RANGE)?;
            let from = place.column * self.width;
            if from + self.width > self.row_bytes as u32 * 8 {
                return Err(RANGE);
            }
            self.moves.push(BitMove {
                row: row as u8,
                from: from as u8,
                register: u8::try_from(bits.register).map_err(|_| RANGE)?,
                lane: holder.thread as u8,
                to: u8::try_from(bits.low + shift).map_err(|_| RANGE)?,
            });
        }
        self.rows = rows.into_iter().map(|r| r.2).collect();
        self.moves.sort_unstable_by_key(|m| (m.register, m.lane, m.to));
        Ok(())
    }

    /// Calls `write` with register, lane and value for every register, from the rows in the order of [`Self::rows`].
    pub fn load(&self, rows: &[[u8; ROW]], mut write: impl FnMut(usize, usize, u32)) {
        let mask = (1u32 << self.width) - 1;
        let sign = if self.signed { 1 << (self.width - 1) } else { 0 };
        let container = ((1u64 << self.wide) - 1) as u32;
        let mut pending: Option<(u8, u8, u32)> = None;
        for step in &self.moves {
            let row = rows.get(usize::from(step.row)).map_or(0, |row| u128::from_le_bytes(*row));
            let bits = (row >> step.from) as u32 & mask;
            let bits = ((bits ^ sign).wrapping_sub(sign) & container) << step.to;
            pending = Some(match pending {
                Some((register, lane, value)) if (register, lane) == (step.register, step.lane) => {
                    (register, lane, value | bits)
                }
                other => {
                    if let Some((register, lane, value)) = other {
                        write(register.into(), lane.into(), value);
                    }
                    (step.register, step.lane, bits)
                }
            });
        }
        if let Some((register, lane, value)) = pending {
            write(register.into(), lane.into(), value);
        }
    }

    /// Returns the rows in the order of [`Self::rows`], from the register values that `read` returns for register and lane.
    pub fn store(&self, mut read: impl FnMut(usize, usize) -> u32) -> Vec<[u8; ROW]> {
        let mask = (1u32 << self.width) - 1;
        let mut rows = vec![0u128; self.rows.len()];
        for step in &self.moves {
            let bits = (read(step.register.into(), step.lane.into()) >> step.to) & mask;
            if let Some(row) = rows.get_mut(usize::from(step.row)) {
                *row |= u128::from(bits) << step.from;
            }
        }
        rows.into_iter().map(u128::to_le_bytes).collect()
    }
}
