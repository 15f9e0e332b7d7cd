//! `wmma`: products of matrices in fragments of undocumented layout, and loads and stores of these.
//!
//! [`Fragment::opaque`] determines the layout of a fragment. So a kernel that picks out elements gets others than on hardware. Fragments
//! of C have different layouts for `.f16` and `.f32`.

use super::mma::{FragmentOperand, all_source_marks, kind, mark_all, multiply, numerics, refused, types, whole_warp};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::Address;
use crate::machine::{ExecContext, Order, StepOutcome};
use crate::memory::Region;
use crate::registers::Src;
use ptx_isa::tables::dimension;
use ptx_isa::{Exec, Modifier, OperandName};
use ptx_num::matrix::element::MatrixElementType;
use ptx_num::matrix::fragment::Fragment;
use ptx_num::matrix::numerics::MatrixInstruction;
use ptx_num::matrix::product::{Product, ProductOperands, ProductShape, ProductSpec};
use ptx_num::values::Marks;
use ptx_num::values::convert::quick::f16_from_f32;

fn shape(inst: &DecodeContext<'_>) -> Result<ProductShape, DecodeRefusal> {
    let of = |name: &str| inst.modifiers().find_map(|m| dimension(m.name(), name)).map(|n| n as usize);
    match (of("m"), of("n"), of("k")) {
        (Some(m), Some(n), Some(k)) => Ok(ProductShape { m, n, k }),
        _ => Err("`wmma` without a shape".into()),
    }
}

/// The operand of that name, which holds a matrix of `rows` × `columns` elements.
fn held(
    inst: &mut DecodeContext<'_>,
    operand: OperandName,
    element: MatrixElementType,
    rows: usize,
    columns: usize,
) -> Result<FragmentOperand, DecodeRefusal> {
    let first = inst.operand(operand).ok_or("`wmma` without a fragment")?;
    let bits = u32::from(inst.width(first)) * 8;
    let count = inst.places(operand, (bits / 8) as u8)?.len() as u32;
    let fragment = Fragment::opaque(rows, columns, element.bits(), count, bits).map_err(refused)?;
    FragmentOperand::of(inst, operand, fragment)
}

/// A matrix in memory. Its lines are contiguous.
struct MatrixInMemory {
    address: Address,
    /// Number of elements from the beginning of a line to that of the next; `None`: the length of a line.
    stride: Option<Src<u32>>,
    element: MatrixElementType,
    rows: usize,
    columns: usize,
    /// A line is a row; otherwise it is a column.
    row_major: bool,
    /// The alignment of every line in bytes: the size of a fragment.
    align: u64,
}

impl MatrixInMemory {
    fn new(inst: &mut DecodeContext<'_>) -> Result<(Self, FragmentOperand), DecodeRefusal> {
        let ProductShape { m, n, k } = shape(inst)?;
        let (rows, columns) = match inst.exec() {
            Some(Exec::WmmaLoadA) => (m, k),
            Some(Exec::WmmaLoadB) => (k, n),
            _ => (m, n),
        };
        let element = *types(inst).first().ok_or("`wmma` without a type")?;
        let held = held(inst, OperandName::R, element, rows, columns)?;
        let align = held.places.iter().map(|p| u64::from(p.width)).sum();
        let address = inst.address(OperandName::P)?;
        let stride = inst.optional_src::<u32>(OperandName::Stride)?;
        let row_major = inst.has(Modifier::Row);
        Ok((Self { address, stride, element, rows, columns, row_major, align }, held))
    }

    /// The number of lines, and the number of elements in each.
    fn lines(&self) -> (usize, usize) {
        if self.row_major { (self.rows, self.columns) } else { (self.columns, self.rows) }
    }

    /// The index of an element in the row-major matrix, given its line and its position in the line.
    fn number(&self, line: usize, at: usize) -> usize {
        if self.row_major { line * self.columns + at } else { at * self.columns + line }
    }

    /// The lane whose address is used (the first executing one), the distance between lines in bytes, and the size of a line in bytes.
    fn begin(&self, context: &mut ExecContext<'_>) -> (usize, u64, usize) {
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let (_, length) = self.lines();
        let stride = self.stride.map_or(length as u32, |s| context.registers.lane(s, lane));
        let first = context.raw_address(&self.address, lane);
        let differs = |context: &ExecContext<'_>, other: usize| {
            context.raw_address(&self.address, other) != first
                || self.stride.is_some_and(|s| context.registers.lane(s, other) != stride)
        };
        let other = crate::lanes::lanes(context.mask).filter(|l| differs(context, *l)).fold(0, |m, l| m | 1 << l);
        if other != 0 {
            context.fault(FaultKind::Undefined, other, || {
                "address and stride must be the same in all lanes of the warp".into()
            });
        }
        if (stride as usize) < length {
            context.fault(FaultKind::Undefined, context.mask, || {
                format!("a stride of {stride} elements, but the lines of this matrix have {length}")
            });
        }
        let bits = self.element.bits();
        (lane, u64::from(stride) * u64::from(bits) / 8, length * bits as usize / 8)
    }

    /// The location of the line that begins `offset` bytes after the first. Returns `None` after a fault.
    fn line(
        &self,
        context: &mut ExecContext<'_>,
        lane: usize,
        offset: u64,
        bytes: usize,
        write: bool,
    ) -> Option<crate::machine::AccessLocation> {
        let whole = (self.element.bits() as usize / 8).max(1);
        let at = context.locate(
            &Address { offset: self.address.offset.wrapping_add(offset as i64), ..self.address },
            lane,
            bytes,
            1,
            write,
        )?;
        let align = self.align.min(bytes as u64).max(1);
        if !at.address.is_multiple_of(whole as u64) {
            context.fault(FaultKind::Misaligned, 1 << lane, || {
                format!("address {:#x} is not a multiple of {whole}", at.address)
            });
            return None;
        }
        if !at.address.is_multiple_of(align) {
            context.fault(FaultKind::Undefined, 1 << lane, || {
                format!("a line of the matrix begins at {:#x}, which is not a multiple of {align}", at.address)
            });
        }
        if !matches!(at.region, Region::Shared(_) | Region::Global) {
            context.fault(FaultKind::OutOfBounds, 1 << lane, || {
                format!("{:#x} is neither in global nor in shared memory", at.address)
            });
            return None;
        }
        Some(at)
    }
}

/// The bits of the element at index `at` in the bytes of a line.
fn element(line: &[u8], at: usize, bits: u32) -> u64 {
    let (first, low) = (at * bits as usize / 8, at as u32 * bits % 8);
    let all = line.get(first..).unwrap_or(&[]).iter().take(8).rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    (all >> low) & (u64::MAX >> (64 - bits.clamp(1, 64)))
}

/// `wmma.load`.
pub(crate) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (matrix, held) = MatrixInMemory::new(inst)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let (lane, stride, bytes) = matrix.begin(context);
        let (lines, length) = matrix.lines();
        let mut elements = vec![0; held.fragment.size()];
        let mut marks = Marks::NONE;
        let mut buffer = [0; 256];
        for line in 0..lines {
            let buffer = &mut buffer[..bytes.min(256)];
            let Some(at) = matrix.line(context, lane, stride.wrapping_mul(line as u64), bytes, false) else {
                return StepOutcome::Next;
            };
            marks |= context.read_at(at, lane, buffer, Order::Weak);
            for at in 0..length {
                elements[matrix.number(line, at)] = element(buffer, at, matrix.element.bits());
            }
        }
        held.scatter(context, &elements, None);
        context.marked = crate::simd::LaneMarks::all(context.mask, marks);
        StepOutcome::Next
    }))
}

/// `wmma.store`.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (matrix, held) = MatrixInMemory::new(inst)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let (lane, stride, bytes) = matrix.begin(context);
        let (lines, length) = matrix.lines();
        let elements = held.gather(context.registers);
        let marks = all_source_marks(context);
        let size = matrix.element.bits() as usize / 8;
        let mut buffer = [0; 256];
        for line in 0..lines {
            // The elements of results have whole bytes.
            for (at, to) in buffer.chunks_exact_mut(size.max(1)).take(length).enumerate() {
                let value = elements[matrix.number(line, at)].to_le_bytes();
                to.copy_from_slice(&value[..to.len()]);
            }
            let Some(at) = matrix.line(context, lane, stride.wrapping_mul(line as u64), bytes, true) else {
                return StepOutcome::Next;
            };
            context.write_at(at, lane, &buffer[..bytes.min(256)], marks, Order::Weak);
        }
        StepOutcome::Next
    }))
}

/// The types of D, A, B and C. If A and B are `.f16`, only those of D and C are written.
fn four_types(inst: &DecodeContext<'_>) -> Result<[MatrixElementType; 4], DecodeRefusal> {
    match types(inst)[..] {
        [d, c] => Ok([d, MatrixElementType::F16, MatrixElementType::F16, c]),
        [d, a, b, c] => Ok([d, a, b, c]),
        _ => Err("`wmma.mma` without its types".into()),
    }
}

/// `wmma.mma`.
pub(crate) fn mma(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let shape = shape(inst)?;
    let ProductShape { m, n, k } = shape;
    let [d_type, a_type, b_type, c_type] = four_types(inst)?;
    if a_type == MatrixElementType::F16 && inst.has(Modifier::Satfinite) {
        return Err("what `.satfinite` did to `.f16` before PTX 6.5 is not known well enough".into());
    }
    let (a, b) = (held(inst, OperandName::A, a_type, m, k)?, held(inst, OperandName::B, b_type, k, n)?);
    let (c, d) = (held(inst, OperandName::C, c_type, m, n)?, held(inst, OperandName::D, d_type, m, n)?);
    // If C is `.f32` and D is `.f16`, the result is rounded in a separate step, as the assembler does it (`HMMA`, then `F2FP`; sm_80).
    let narrows = (c_type, d_type) == (MatrixElementType::F32, MatrixElementType::F16);
    let product = Product::new(ProductSpec {
        unit: MatrixInstruction::Mma,
        numerics: numerics(inst)?,
        shape,
        a: a_type,
        b: b_type,
        c: c_type,
        d: if narrows { MatrixElementType::F32 } else { d_type },
        kind: kind(inst, a_type),
        sparse: false,
        negate_a: false,
        negate_b: false,
    })
    .map_err(refused)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let registers = &*context.registers;
        let (a, b, c) = (a.gather(registers), b.gather(registers), c.gather(registers));
        let operands = ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() };
        let (mut values, mut marks) = (Vec::new(), Vec::new());
        multiply(context, &product, &operands, &mut values, &mut marks);
        if narrows {
            for (value, mark) in values.iter_mut().zip(&mut marks) {
                *value = u64::from(f16_from_f32(*value as u32));
                *mark |= Marks::UNSPECIFIED;
            }
        }
        d.scatter(context, &values, Some(&marks));
        mark_all(context);
        StepOutcome::Next
    }))
}
