//! Conversion between registers of lanes and matrices: tables computed once from the layouts in `ptx_isa`.

use super::element::MatrixElementType;
use super::product::MatrixRefusal;
use ptx_isa::ISA;
use ptx_isa::fragment::{FragmentLayout, LayoutLookup};
use ptx_isa::tables::Form;

/// An element of a matrix in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FragmentElement {
    /// Index of the register in the operand.
    register: u16,
    /// The thread: lane + 32 × warp of the warpgroup.
    thread: u16,
    /// The lowest bit of the element in its register.
    low: u8,
    /// Index of the element: all matrices one after the other, row-major.
    place: u32,
}

/// Mapping between an operand's registers and the elements of its matrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// All elements, sorted by register and thread.
    held: Vec<FragmentElement>,
    /// Width of an element in bits.
    pub width: u32,
    /// Number of registers of the operand in each thread.
    pub registers: u32,
    /// Number of threads whose registers contain the matrices: 32 or 128.
    pub threads: u32,
    /// Number of matrices.
    pub matrices: usize,
    /// Number of rows of each matrix.
    pub rows: usize,
    /// Number of columns of each matrix.
    pub columns: usize,
}

impl Fragment {
    /// Returns the fragment of an instruction's operand, from the tables of the instruction set.
    ///
    /// `input` returns the values of other operands on which the fragment depends (selectors). `element` is the element type if
    /// elements may be smaller than the bytes that contain them (`.kind::f8f6f4`, `.kind::mxf8f6f4`).
    pub fn new(
        instruction: &str,
        form: &Form,
        values: &[Option<&'static str>],
        operand: &str,
        element: Option<MatrixElementType>,
        input: impl Fn(&str, usize) -> Option<i64>,
    ) -> Result<Self, MatrixRefusal> {
        match ISA.layout(instruction, form, values, operand, input) {
            Some(LayoutLookup::Layout(layout)) => Self::of(&layout, element),
            Some(LayoutLookup::Unspecified(_)) => Err(MatrixRefusal("the layout of this operand is not specified")),
            None => Err(MatrixRefusal("this operand has no layout")),
        }
    }

    /// Returns the fragment of a layout of the instruction-set tables.
    pub fn of(layout: &FragmentLayout, element: Option<MatrixElementType>) -> Result<Self, MatrixRefusal> {
        const RANGE: MatrixRefusal = MatrixRefusal("a layout is out of its registers");
        let in_byte = element.filter(|e| layout.width == 8 && e.bits() < 8);
        let (width, low) = in_byte.map_or((layout.width, 0), |e| (e.bits(), e.low_in_byte()));
        let mut held = Vec::new();
        for (place, holder) in layout.elements() {
            let bits = layout.bits(holder.element).ok_or(RANGE)?;
            let number = (place.matrix * layout.rows + place.row) * layout.columns + place.column;
            held.push(FragmentElement {
                register: u16::try_from(bits.register).map_err(|_| RANGE)?,
                thread: u16::try_from(holder.thread).map_err(|_| RANGE)?,
                low: u8::try_from(bits.low + low).ok().filter(|low| u32::from(*low) + width <= 64).ok_or(RANGE)?,
                place: number,
            });
        }
        held.sort_unstable_by_key(|h| (h.register, h.thread, h.low));
        Ok(Self {
            held,
            width,
            registers: layout.registers,
            threads: layout.threads,
            matrices: layout.matrices as usize,
            rows: layout.rows as usize,
            columns: layout.columns as usize,
        })
    }

    /// Returns a fragment for `wmma`, whose layout is undocumented: `registers` of `register_bits` bits in each lane.
    ///
    /// The layout is this crate's own. Each lane contains the same number of consecutive elements, row by row; surplus space in
    /// its registers repeats them. An operation that treats all elements of a fragment alike therefore yields the documented
    /// result.
    pub fn opaque(
        rows: usize,
        columns: usize,
        width: u32,
        registers: u32,
        register_bits: u32,
    ) -> Result<Self, MatrixRefusal> {
        const MISFIT: MatrixRefusal = MatrixRefusal("a fragment that does not fit into its registers");
        let size =
            rows.checked_mul(columns).filter(|size| *size <= 1 << 16 && size.is_multiple_of(32)).ok_or(MISFIT)?;
        if register_bits > 64 || registers > 64 {
            return Err(MISFIT);
        }
        let each = size / 32;
        let per_register = register_bits.checked_div(width).unwrap_or(0);
        let room = (registers * per_register) as usize;
        if each == 0 || room == 0 || !room.is_multiple_of(each) {
            return Err(MISFIT);
        }
        let mut held = Vec::with_capacity(room * 32);
        for at in 0..room {
            for lane in 0..32 {
                held.push(FragmentElement {
                    register: (at as u32 / per_register) as u16,
                    thread: lane as u16,
                    low: (at as u32 % per_register * width) as u8,
                    place: (lane * each + at % each) as u32,
                });
            }
        }
        held.sort_unstable_by_key(|h| (h.register, h.thread, h.low));
        Ok(Self { held, width, registers, threads: 32, matrices: 1, rows, columns })
    }

    /// Reduces the fragment to the first of four warps, as a matrix with a quarter of the rows. The parts of the other warps
    /// are the same, further down.
    #[must_use]
    pub fn first_warp(mut self) -> Self {
        if self.threads == 128 {
            (self.threads, self.rows) = (32, self.rows / 4);
            let size = self.size() as u32;
            self.held.retain(|h| h.thread < 32 && h.place < size);
        }
        self
    }

    /// Number of elements of all matrices together.
    pub fn size(&self) -> usize {
        self.matrices * self.rows * self.columns
    }

    /// Returns the elements of all matrices, row-major, from the register values that `read` returns for register and thread.
    ///
    /// Elements without a register are 0.
    #[inline]
    pub fn gather(&self, mut read: impl FnMut(usize, usize) -> u64) -> Vec<u64> {
        let mask = u64::MAX >> (64 - self.width.clamp(1, 64));
        let mut all = vec![0; self.size()];
        let (mut last, mut value) = (None, 0);
        for held in &self.held {
            let key = (held.register, held.thread);
            if last != Some(key) {
                last = Some(key);
                value = read(held.register.into(), held.thread.into());
            }
            if let Some(element) = all.get_mut(held.place as usize) {
                *element = (value >> held.low) & mask;
            }
        }
        all
    }

    /// Calls `write` with register, thread and new value for every register that holds elements.
    #[inline]
    pub fn scatter(&self, elements: &[u64], mut write: impl FnMut(usize, usize, u64)) {
        let mask = u64::MAX >> (64 - self.width.clamp(1, 64));
        let mut pending: Option<(u16, u16, u64)> = None;
        for held in &self.held {
            let bits = (elements.get(held.place as usize).copied().unwrap_or(0) & mask) << held.low;
            pending = Some(match pending {
                Some((register, thread, value)) if (register, thread) == (held.register, held.thread) => {
                    (register, thread, value | bits)
                }
                other => {
                    if let Some((register, thread, value)) = other {
                        write(register.into(), thread.into(), value);
                    }
                    (held.register, held.thread, bits)
                }
            });
        }
        if let Some((register, thread, value)) = pending {
            write(register.into(), thread.into(), value);
        }
    }

    /// Returns register, thread and element index of every element, in the order of registers, threads and bits; used for
    /// marks.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.held.iter().map(|h| (h.register.into(), h.thread.into(), h.place as usize))
    }
}
