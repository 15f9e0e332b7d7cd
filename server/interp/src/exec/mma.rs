//! `mma`: products of matrices in the registers of a warp, dense, sparse and with block scales.
//!
//! Decoding determines the layout of the registers and the kind of the product.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::{ALL, LANES};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome};
use crate::registers::{RegisterLocation, Src, WarpRegisters};
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName};
use ptx_num::matrix::element::MatrixElementType;
use ptx_num::matrix::fragment::Fragment;
use ptx_num::matrix::numerics::{MatrixInstruction, Numerics};
use ptx_num::matrix::product::{self, BitOperation, Product, ProductOperands, ProductShape, ProductSpec};
use ptx_num::matrix::sparse::{self, Indices, SparsityPattern};
use ptx_num::values::Marks;
use ptx_num::values::float::FloatRounding;

/// Converts a refusal of the matrix library into one of the decoder.
pub(super) fn refused(why: product::MatrixRefusal) -> DecodeRefusal {
    why.0.into()
}

/// The numerics of the target's tensor cores.
pub(super) fn numerics(inst: &DecodeContext<'_>) -> Result<Numerics, DecodeRefusal> {
    let target = inst.executable.target.ok_or("a module without a target")?;
    let words = || DecodeRefusal(format!("no tensor cores are known for the target `{}`", target.name));
    Numerics::for_target(target).ok_or_else(words)
}

/// The element types among the modifiers, in their order.
pub(super) fn types(inst: &DecodeContext<'_>) -> Vec<MatrixElementType> {
    inst.types().filter_map(|t| MatrixElementType::named(t.name())).collect()
}

/// Reports a finding if not all 32 lanes of the warp take part.
pub(super) fn whole_warp(context: &mut ExecContext<'_>) {
    let missing = ALL & !context.mask;
    if missing != 0 {
        context.fault(FaultKind::Undefined, context.mask, || {
            format!(
                "all 32 lanes of the warp must execute this together, but lanes {} do not: their part is undefined",
                crate::lanes::list(missing)
            )
        });
    }
}

/// The marks of all that the lanes read, together: a result may depend on any of it.
pub(super) fn all_source_marks(context: &ExecContext<'_>) -> Marks {
    let mut marks = Marks::NONE;
    if context.sources.unspecified != 0 {
        marks |= Marks::UNSPECIFIED;
    }
    if context.sources.approximate != 0 {
        marks |= Marks::APPROXIMATE;
    }
    marks
}

/// Marks the results of all lanes with the marks of all that the lanes read.
pub(super) fn mark_all(context: &mut ExecContext<'_>) {
    let of = LaneMarks::all(context.mask, all_source_marks(context));
    context.marked.unspecified |= of.unspecified;
    context.marked.approximate |= of.approximate;
}

/// An operand that holds matrices: their layout and its registers.
pub(super) struct FragmentOperand {
    pub fragment: Fragment,
    pub places: Vec<RegisterLocation>,
}

impl FragmentOperand {
    /// The operand of that name. `element` is the type of the elements if they may be smaller than the bytes that contain them.
    pub fn new(
        inst: &mut DecodeContext<'_>,
        operand: OperandName,
        element: Option<MatrixElementType>,
    ) -> Result<Self, DecodeRefusal> {
        Self::with(inst, operand, element, |_, _| None)
    }

    /// Like [`new`](Self::new), for a layout that depends on other operands: `input` returns their values.
    pub fn with(
        inst: &mut DecodeContext<'_>,
        operand: OperandName,
        element: Option<MatrixElementType>,
        input: impl Fn(&str, usize) -> Option<i64>,
    ) -> Result<Self, DecodeRefusal> {
        let values = &inst.function.chosen(inst.index).values;
        let fragment =
            Fragment::new(inst.entry().name, inst.form(), values, operand.name(), element, input).map_err(refused)?;
        Self::of(inst, operand, fragment)
    }

    /// The operand of that name with a given layout. Refuses another number of registers than the layout has.
    pub fn of(inst: &mut DecodeContext<'_>, operand: OperandName, fragment: Fragment) -> Result<Self, DecodeRefusal> {
        let first = inst.operand(operand).ok_or_else(|| DecodeRefusal(format!("no operand `{operand}`")))?;
        let width = inst.width(first);
        let places = inst.places(operand, width)?;
        if places.len() != fragment.registers as usize {
            return Err(DecodeRefusal(format!(
                "`{operand}` has {} registers, but its matrix takes {}",
                places.len(),
                fragment.registers
            )));
        }
        Ok(Self { fragment, places })
    }

    /// The elements of the matrices, row-major, one matrix after the other.
    pub fn gather(&self, registers: &WarpRegisters) -> Vec<u64> {
        let value = |register: usize, lane: usize| match self.places.get(register) {
            Some(place) => registers.lane_bits(*place, lane) as u64,
            None => 0,
        };
        self.fragment.gather(value)
    }

    /// Writes matrices to the registers of the executing lanes, and adds marks if there are any.
    pub fn scatter(&self, context: &mut ExecContext<'_>, elements: &[u64], marks: Option<&[Marks]>) {
        let mask = context.mask;
        let registers = &mut *context.registers;
        self.fragment.scatter(elements, |register, lane, value| {
            if lane < LANES
                && mask >> lane & 1 != 0
                && let Some(place) = self.places.get(register)
            {
                registers.set_lane_bits(*place, lane, value.into());
            }
        });
        let Some(marks) = marks.filter(|m| m.iter().any(|m| !m.is_none())) else { return };
        for (_, lane, element) in self.fragment.places() {
            if lane < LANES
                && let Some(mark) = marks.get(element)
            {
                context.marked.add(lane, *mark);
            }
        }
    }
}

/// The metadata of a sparse A.
pub(super) struct Sparsity {
    pub metadata: FragmentOperand,
    pub pattern: SparsityPattern,
    pub indices: Indices,
    /// Columns of A, including those that are left out.
    pub k: usize,
}

impl Sparsity {
    /// The column in A of each kept element. Metadata without a meaning is a finding.
    pub fn columns(&self, context: &mut ExecContext<'_>) -> Vec<u16> {
        let metadata = self.metadata.gather(context.registers);
        let (columns, defined) =
            sparse::columns(&metadata, self.metadata.fragment.rows, self.k, self.pattern, self.indices);
        if !defined {
            let ascending = if self.indices == Indices::Different { "differ" } else { "ascend" };
            context.fault(FaultKind::Undefined, context.mask, || {
                format!("invalid metadata of the sparse matrix: the two positions in a chunk must {ascending}")
            });
        }
        columns
    }
}

/// The scale factors of one matrix: a layout for every possible value of the selector, and the registers of the selector (`None`:
/// constants).
struct ScaleOperand {
    fragments: Vec<FragmentOperand>,
    selector: Option<[Src<u16>; 2]>,
}

/// Number of threads in a group of four, and of bytes in a register, that a selector can name.
const CHOICES: i64 = 4;

impl ScaleOperand {
    fn new(inst: &mut DecodeContext<'_>, operand: OperandName, selector: OperandName) -> Result<Self, DecodeRefusal> {
        let known: Vec<Option<i64>> = inst
            .operands(selector)
            .map(|o| match o.value {
                ptx_flow::flow::OperandValue::Integer(i) => Some(i),
                _ => None,
            })
            .collect();
        let mut held = |byte: i64, thread: i64| {
            FragmentOperand::with(inst, operand, None, |_, at| Some(if at == 0 { byte } else { thread }))
        };
        if let [Some(byte), Some(thread)] = known[..] {
            return Ok(Self { fragments: vec![held(byte, thread)?], selector: None });
        }
        // Selectors out of range are undefined. If the layout has no bytes for a selector, take the layout of the first byte.
        let mut fragments = Vec::new();
        for choice in 0..CHOICES * CHOICES {
            let (byte, thread) = (choice / CHOICES, choice % CHOICES);
            let one = held(byte, thread).or_else(|_| held(0, thread))?;
            fragments.push(one);
        }
        let selector = inst.srcs::<u16>(selector)?;
        let [byte, thread] = selector[..] else { return Err("a selector has a byte and a thread".into()) };
        Ok(Self { fragments, selector: Some([byte, thread]) })
    }

    /// The scale factors, for a matrix with `lines` rows (of A) or columns (of B). A selector that names no factors is a finding.
    fn gather(&self, context: &mut ExecContext<'_>, lines: usize) -> Vec<u64> {
        let Some([byte, thread]) = self.selector else {
            return self.fragments.first().map_or(Vec::new(), |h| h.gather(context.registers));
        };
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let (byte, thread) = (context.registers.lane(byte, lane), context.registers.lane(thread, lane));
        let blocks = self.fragments.first().map_or(1, |h| h.fragment.size() / lines.max(1)) as u16;
        // The factors of A are in one of two pairs of threads, those of B in one of four threads.
        let threads = if lines == 16 { 2 } else { CHOICES as u16 };
        if byte % blocks.max(1) != 0 || byte + blocks > CHOICES as u16 || thread >= threads {
            context.fault(FaultKind::Undefined, context.mask, || {
                format!("the selector {{{byte}, {thread}}} names scale factors that do not exist")
            });
        }
        let at = usize::from(byte % CHOICES as u16) * CHOICES as usize + usize::from(thread % CHOICES as u16);
        self.fragments.get(at).map_or(Vec::new(), |h| h.gather(context.registers))
    }
}

/// The kind of product that the modifiers select, apart from block scales.
pub(super) fn kind(inst: &DecodeContext<'_>, a: MatrixElementType) -> product::ProductKind {
    match a {
        MatrixElementType::F64 => {
            let written = inst.modifiers().find_map(|m| match m {
                Modifier::Rz => Some(FloatRounding::Zero),
                Modifier::Rm => Some(FloatRounding::Down),
                Modifier::Rp => Some(FloatRounding::Up),
                _ => None,
            });
            product::ProductKind::Rounded(written.unwrap_or(FloatRounding::Nearest))
        }
        MatrixElementType::B1 if inst.has(Modifier::Xor) => product::ProductKind::Bits(BitOperation::Xor),
        MatrixElementType::B1 => product::ProductKind::Bits(BitOperation::And),
        _ if inst.has(Modifier::Satfinite) && a.integer(0).is_some() => product::ProductKind::Saturating,
        _ => product::ProductKind::Plain,
    }
}

/// All forms of `mma`.
pub(crate) fn mma(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let types = types(inst);
    let [d_type, a_type, b_type, c_type, ..] = types[..] else { return Err("`mma` without its types".into()) };
    let (a, b) = (
        FragmentOperand::new(inst, OperandName::A, Some(a_type))?,
        FragmentOperand::new(inst, OperandName::B, Some(b_type))?,
    );
    let (c, d) = (FragmentOperand::new(inst, OperandName::C, None)?, FragmentOperand::new(inst, OperandName::D, None)?);
    let (m, n, k) = (a.fragment.rows, b.fragment.columns, b.fragment.rows);
    let packed = inst.has(Modifier::KindMxf4) || inst.has(Modifier::KindMxf4nvf4);
    let sparsity = match inst.operand(OperandName::E) {
        None => None,
        Some(_) => {
            let selector = inst.immediate(OperandName::F).ok_or("an unknown selector")?;
            let ordered = inst.has(Modifier::SpOrderedMetadata);
            Some(Sparsity {
                metadata: FragmentOperand::with(inst, OperandName::E, None, |_, _| Some(selector))?,
                pattern: SparsityPattern::of(a_type, packed),
                indices: if ordered { Indices::Ascending } else { Indices::Different },
                k,
            })
        }
    };
    let scales = match (inst.operand(OperandName::Sfa).is_some(), types.get(4)) {
        (true, Some(scale)) => Some((
            *scale,
            ScaleOperand::new(inst, OperandName::Sfa, OperandName::Sela)?,
            ScaleOperand::new(inst, OperandName::Sfb, OperandName::Selb)?,
        )),
        _ => None,
    };
    let kind = match &scales {
        Some((scale, of_a, _)) => {
            let blocks = of_a.fragments.first().map_or(1, |h| h.fragment.columns);
            product::ProductKind::Scaled { scale: *scale, blocks, packed }
        }
        None => kind(inst, a_type),
    };
    let product = Product::new(ProductSpec {
        unit: MatrixInstruction::Mma,
        numerics: numerics(inst)?,
        shape: ProductShape { m, n, k },
        a: a_type,
        b: b_type,
        c: c_type,
        d: d_type,
        kind,
        sparse: sparsity.is_some(),
        negate_a: false,
        negate_b: false,
    })
    .map_err(refused)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let columns = sparsity.as_ref().map_or(Vec::new(), |s| s.columns(context));
        let (scale_a, scale_b) = match &scales {
            Some((_, of_a, of_b)) => (of_a.gather(context, m), of_b.gather(context, n)),
            None => (Vec::new(), Vec::new()),
        };
        let registers = &*context.registers;
        let (all_a, all_b, all_c) = (a.gather(registers), b.gather(registers), c.gather(registers));
        let count = d.fragment.matrices.max(1);
        let mut values = Vec::with_capacity(d.fragment.size());
        let mut marks = Vec::with_capacity(d.fragment.size());
        for at in 0..count {
            let part = |all: &[u64]| {
                let size = all.len() / count;
                at * size..(at + 1) * size
            };
            let operands = ProductOperands {
                a: &all_a[part(&all_a)],
                b: &all_b[part(&all_b)],
                c: &all_c[part(&all_c)],
                scale_a: &scale_a,
                scale_b: &scale_b,
                columns: &columns,
                halvings: 0,
            };
            multiply(context, &product, &operands, &mut values, &mut marks);
        }
        d.scatter(context, &values, Some(&marks));
        mark_all(context);
        StepOutcome::Next
    }))
}

/// The effort of a product in ordinary instructions. A product of *m* × *k* and *k* × *n* elements has *m* *n* *k* multiplications.
pub(super) fn effort(product: &Product, operands: &ProductOperands<'_>, results: usize) -> usize {
    let squared = operands.a.len() as f64 * operands.b.len() as f64 * results as f64;
    (squared.sqrt() / product.multiplications_per_effort()) as usize
}

/// Multiplies, and appends the result and its marks. Decoding refuses sizes that do not fit, so that they cannot get here.
pub(super) fn multiply(
    context: &mut ExecContext<'_>,
    product: &Product,
    operands: &ProductOperands<'_>,
    values: &mut Vec<u64>,
    marks: &mut Vec<Marks>,
) {
    match product.multiply(operands) {
        Ok(outcome) => {
            context.spend(effort(product, operands, outcome.d.len()));
            values.extend(outcome.d);
            marks.extend(outcome.marks);
        }
        Err(why) => {
            let mask = context.mask;
            context.fault(FaultKind::Unsupported, mask, || why.0.to_owned());
        }
    }
}
