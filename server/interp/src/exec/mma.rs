//! `mma`: matrices in the registers of a warp, dense, sparse and with block scales.
//!
//! What the registers hold and how it is multiplied is worked out when the instruction is decoded.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::{ALL, LANES};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome};
use crate::registers::{RegisterLocation, Src, WarpRegisters};
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName};
use ptx_num::matrix::element::Element;
use ptx_num::matrix::fragment::Fragment;
use ptx_num::matrix::numerics::{Numerics, Unit};
use ptx_num::matrix::product::{self, BitOperation, Operands, Product, Shape, Spec};
use ptx_num::matrix::sparse::{self, Indices, Pattern};
use ptx_num::values::Marks;
use ptx_num::values::float::Rounding;

/// A refusal of the library of matrices, as one of an instruction.
pub(super) fn refused(why: product::Refusal) -> DecodeRefusal {
    why.0.into()
}

/// The tensor cores of the target.
pub(super) fn numerics(inst: &DecodeContext<'_>) -> Result<Numerics, DecodeRefusal> {
    let target = inst.executable.target.ok_or("a module without a target")?;
    let words = || DecodeRefusal(format!("no tensor cores are known for the target `{}`", target.name));
    Numerics::for_target(target).ok_or_else(words)
}

/// The types among the modifiers, in their order.
pub(super) fn types(inst: &DecodeContext<'_>) -> Vec<Element> {
    inst.types().filter_map(|t| Element::named(t.name())).collect()
}

/// That all lanes must take part; if not, that is a finding.
pub(super) fn whole_warp(context: &mut ExecContext<'_>) {
    let missing = ALL & !context.mask;
    if missing != 0 {
        context.fault(FaultKind::Undefined, context.mask, || {
            format!(
                "all 32 lanes of the warp must execute this together, but lanes {} do not: their part is undefined",
                crate::machine::list(missing)
            )
        });
    }
}

/// The marks of what any lane reads: a result may be made of all of it.
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

/// Marks the results of all lanes if what any lane reads is marked.
pub(super) fn mark_all(context: &mut ExecContext<'_>) {
    let of = LaneMarks::all(context.mask, all_source_marks(context));
    context.marked.unspecified |= of.unspecified;
    context.marked.approximate |= of.approximate;
}

/// An operand that holds matrices: how, and in which registers.
pub(super) struct Held {
    pub fragment: Fragment,
    pub places: Vec<RegisterLocation>,
}

impl Held {
    /// The operand of that name; `element` where elements may be smaller than the bytes in which they stand.
    pub fn new(
        inst: &mut DecodeContext<'_>,
        operand: OperandName,
        element: Option<Element>,
    ) -> Result<Self, DecodeRefusal> {
        Self::with(inst, operand, element, |_, _| None)
    }

    /// The same where the layout depends on other operands.
    pub fn with(
        inst: &mut DecodeContext<'_>,
        operand: OperandName,
        element: Option<Element>,
        input: impl Fn(&str, usize) -> Option<i64>,
    ) -> Result<Self, DecodeRefusal> {
        let values = &inst.function.chosen(inst.index).values;
        let fragment =
            Fragment::new(inst.entry().name, inst.form(), values, operand.name(), element, input).map_err(refused)?;
        Self::of(inst, operand, fragment)
    }

    /// The operand of that name, laid out like this.
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

    /// The matrices.
    pub fn gather(&self, registers: &WarpRegisters) -> Vec<u64> {
        let value = |register: usize, lane: usize| match self.places.get(register) {
            Some(place) => registers.lane_bits(*place, lane) as u64,
            None => 0,
        };
        self.fragment.gather(value)
    }

    /// Puts matrices into the registers of the lanes that execute, with marks where there are some.
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
    pub metadata: Held,
    pub pattern: Pattern,
    pub indices: Indices,
    /// Columns of A with those left out.
    pub k: usize,
}

impl Sparsity {
    /// The columns that the kept elements stand for. Metadata that means nothing is a finding.
    pub fn columns(&self, context: &mut ExecContext<'_>) -> Vec<u16> {
        let metadata = self.metadata.gather(context.registers);
        let (columns, defined) =
            sparse::columns(&metadata, self.metadata.fragment.rows, self.k, self.pattern, self.indices);
        if !defined {
            let ascending = if self.indices == Indices::Different { "differ" } else { "ascend" };
            context.fault(FaultKind::Undefined, context.mask, || {
                format!("metadata of the sparse matrix that means nothing: the two places in a chunk must {ascending}")
            });
        }
        columns
    }
}

/// The factors of one matrix: layouts for every selector that may come, and where the selector is.
struct Scales {
    fragments: Vec<Held>,
    selector: Option<[Src<u16>; 2]>,
}

/// How many threads of a group of four, and bytes, a selector can name.
const CHOICES: i64 = 4;

impl Scales {
    fn new(inst: &mut DecodeContext<'_>, operand: OperandName, selector: OperandName) -> Result<Self, DecodeRefusal> {
        let known: Vec<Option<i64>> = inst
            .operands(selector)
            .map(|o| match o.value {
                ptx_analysis::flow::OperandValue::Integer(i) => Some(i),
                _ => None,
            })
            .collect();
        let mut held =
            |byte: i64, thread: i64| Held::with(inst, operand, None, |_, at| Some(if at == 0 { byte } else { thread }));
        if let [Some(byte), Some(thread)] = known[..] {
            return Ok(Self { fragments: vec![held(byte, thread)?], selector: None });
        }
        // Selectors out of range are undefined; those that the layout has no bytes for get that of the first byte.
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

    fn gather(&self, context: &mut ExecContext<'_>, lines: usize) -> Vec<u64> {
        let Some([byte, thread]) = self.selector else {
            return self.fragments.first().map_or(Vec::new(), |h| h.gather(context.registers));
        };
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let (byte, thread) = (context.registers.lane(byte, lane), context.registers.lane(thread, lane));
        let blocks = self.fragments.first().map_or(1, |h| h.fragment.size() / lines.max(1)) as u16;
        // A has its factors in one of two pairs of threads, B in one of four threads.
        let threads = if lines == 16 { 2 } else { CHOICES as u16 };
        if byte % blocks.max(1) != 0 || byte + blocks > CHOICES as u16 || thread >= threads {
            context.fault(FaultKind::Undefined, context.mask, || {
                format!("the selector {{{byte}, {thread}}} names scale factors that are not there")
            });
        }
        let at = usize::from(byte % CHOICES as u16) * CHOICES as usize + usize::from(thread % CHOICES as u16);
        self.fragments.get(at).map_or(Vec::new(), |h| h.gather(context.registers))
    }
}

/// What is to be done besides multiplying, by the modifiers; block scales apart.
pub(super) fn kind(inst: &DecodeContext<'_>, a: Element) -> product::Kind {
    match a {
        Element::F64 => {
            let written = inst.modifiers().find_map(|m| match m {
                Modifier::Rz => Some(Rounding::Zero),
                Modifier::Rm => Some(Rounding::Down),
                Modifier::Rp => Some(Rounding::Up),
                _ => None,
            });
            product::Kind::Rounded(written.unwrap_or(Rounding::Nearest))
        }
        Element::B1 if inst.has(Modifier::Xor) => product::Kind::Bits(BitOperation::Xor),
        Element::B1 => product::Kind::Bits(BitOperation::And),
        _ if inst.has(Modifier::Satfinite) && a.integer(0).is_some() => product::Kind::Saturating,
        _ => product::Kind::Plain,
    }
}

/// All forms of `mma`.
pub(crate) fn mma(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let types = types(inst);
    let [d_type, a_type, b_type, c_type, ..] = types[..] else { return Err("`mma` without its types".into()) };
    let (a, b) = (Held::new(inst, OperandName::A, Some(a_type))?, Held::new(inst, OperandName::B, Some(b_type))?);
    let (c, d) = (Held::new(inst, OperandName::C, None)?, Held::new(inst, OperandName::D, None)?);
    let (m, n, k) = (a.fragment.rows, b.fragment.columns, b.fragment.rows);
    let packed = inst.has(Modifier::KindMxf4) || inst.has(Modifier::KindMxf4nvf4);
    let sparsity = match inst.operand(OperandName::E) {
        None => None,
        Some(_) => {
            let selector = inst.immediate(OperandName::F).ok_or("a selector that is not known")?;
            let ordered = inst.has(Modifier::SpOrderedMetadata);
            Some(Sparsity {
                metadata: Held::with(inst, OperandName::E, None, |_, _| Some(selector))?,
                pattern: Pattern::of(a_type, packed),
                indices: if ordered { Indices::Ascending } else { Indices::Different },
                k,
            })
        }
    };
    let scales = match (inst.operand(OperandName::Sfa).is_some(), types.get(4)) {
        (true, Some(scale)) => Some((
            *scale,
            Scales::new(inst, OperandName::Sfa, OperandName::Sela)?,
            Scales::new(inst, OperandName::Sfb, OperandName::Selb)?,
        )),
        _ => None,
    };
    let kind = match &scales {
        Some((scale, of_a, _)) => {
            let blocks = of_a.fragments.first().map_or(1, |h| h.fragment.columns);
            product::Kind::Scaled { scale: *scale, blocks, packed }
        }
        None => kind(inst, a_type),
    };
    let product = Product::new(Spec {
        unit: Unit::Mma,
        numerics: numerics(inst)?,
        shape: Shape { m, n, k },
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
            let operands = Operands {
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

/// How much work a product is: ten multiplications are about an ordinary instruction. Of *m* × *k* and *k* × *n* elements there are *m* *n* *k*.
pub(super) fn effort(operands: &Operands<'_>, results: usize) -> usize {
    let squared = operands.a.len() as f64 * operands.b.len() as f64 * results as f64;
    (squared.sqrt() / 10.0) as usize
}

/// Multiplies, and appends the result. Sizes that do not fit are found when the instruction is decoded, so that they cannot come here.
pub(super) fn multiply(
    context: &mut ExecContext<'_>,
    product: &Product,
    operands: &Operands<'_>,
    values: &mut Vec<u64>,
    marks: &mut Vec<Marks>,
) {
    match product.multiply(operands) {
        Ok(outcome) => {
            context.spend(effort(operands, outcome.d.len()));
            values.extend(outcome.d);
            marks.extend(outcome.marks);
        }
        Err(why) => {
            let mask = context.mask;
            context.fault(FaultKind::Unsupported, mask, || why.0.to_owned());
        }
    }
}
