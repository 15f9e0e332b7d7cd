//! `wgmma`: products of a warpgroup.
//!
//! Each of the four warps computes 16 of the 64 rows when it issues the instruction. Shared memory may not change before the program
//! waits for the product, so this is one of the orders that the manual allows. The machine records for each warp which registers must not
//! be touched meanwhile ([`crate::machine::state::wgmma`]).

use super::mma::{FragmentOperand, Sparsity, all_source_marks, kind, multiply, numerics, refused, types, whole_warp};
use super::shared_matrix::SharedMatrixSource;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome, copies};
use crate::registers::Src;
use crate::simd::LaneMarks;
use ptx_flow::flow::OperandValue;
use ptx_isa::OperandName;
use ptx_isa::tables::dimension;
use ptx_num::matrix::descriptor;
use ptx_num::matrix::element::MatrixElementType;
use ptx_num::matrix::numerics::MatrixInstruction;
use ptx_num::matrix::product::{Product, ProductOperands, ProductShape, ProductSpec};
use ptx_num::matrix::shared::Major;
use ptx_num::matrix::sparse::{Indices, SparsityPattern};

/// Number of rows that a warp computes.
const ROWS: usize = 16;

/// `wgmma.fence`.
pub(crate) fn fence() -> OpAction {
    DecodeContext::machine(|context| {
        whole_warp(context);
        context.lanes.wgmma.fence();
        StepOutcome::Next
    })
}

/// `wgmma.commit_group`.
pub(crate) fn commit() -> OpAction {
    DecodeContext::machine(|context| {
        whole_warp(context);
        context.lanes.wgmma.commit();
        StepOutcome::Next
    })
}

/// `wgmma.wait_group`.
pub(crate) fn wait(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let left = inst.immediate(OperandName::N).ok_or("an unknown number of groups")?;
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        for id in context.lanes.wgmma.wait(left) {
            copies::complete(context, id);
        }
        StepOutcome::Next
    }))
}

/// The matrix A of a product, in registers or in shared memory.
enum WgmmaMatrixA {
    Registers(FragmentOperand),
    Descriptor(Src<u64>, Major),
}

/// The value of a descriptor. If it is not the same in all lanes, reports a finding.
pub(super) fn uniform(context: &mut ExecContext<'_>, src: Src<u64>) -> u64 {
    let first = context.mask.trailing_zeros().min(31) as usize;
    let value = context.registers.lane(src, first);
    let other = lanes(context.mask).filter(|l| context.registers.lane(src, *l) != value).fold(0, |m, l| m | 1 << l);
    if other != 0 {
        context.fault(FaultKind::Undefined, other, || {
            format!("the descriptor differs between lanes of the warp: lane {first} has {value:#x}")
        });
    }
    value
}

fn major(inst: &DecodeContext<'_>, operand: OperandName) -> Major {
    if inst.immediate(operand) == Some(1) { Major::MN } else { Major::K }
}

/// Whether a scale operand negates its matrix: it is -1.
fn negated(inst: &DecodeContext<'_>, operand: OperandName) -> bool {
    let minus = inst.operand(operand).is_some_and(|o| o.minus);
    matches!((inst.immediate(operand), minus), (Some(-1), false) | (Some(1), true))
}

/// The numbers of the registers of an operand.
pub(super) fn slots(inst: &DecodeContext<'_>, operand: OperandName) -> Vec<u32> {
    let of = |o: &ptx_flow::flow::FlowOperand| match o.value {
        OperandValue::Register(slot) | OperandValue::Part(slot, _) => slot.0..slot.0 + 1,
        OperandValue::Registers(slot, count) => slot.0..slot.0 + u32::from(count),
        _ => 0..0,
    };
    inst.operands(operand).flat_map(of).collect()
}

/// `wgmma.mma_async`, with a sparse A too.
pub(crate) fn mma(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let of = |inst: &DecodeContext<'_>, name: &str| {
        inst.modifiers().find_map(|m| dimension(m.name(), name)).map(|n| n as usize)
    };
    let (Some(n), Some(k)) = (of(inst, "n"), of(inst, "k")) else {
        return Err("`wgmma` without a shape".into());
    };
    let [d_type, a_type, b_type] = types(inst)[..] else { return Err("`wgmma` without its types".into()) };
    let warp = |held: FragmentOperand| FragmentOperand { fragment: held.fragment.first_warp(), places: held.places };
    let d = warp(FragmentOperand::new(inst, OperandName::D, None)?);
    let (d_slots, a_slots) = (slots(inst, OperandName::D), slots(inst, OperandName::A));
    let a = match inst.operand(OperandName::A) {
        Some(_) => WgmmaMatrixA::Registers(warp(FragmentOperand::new(inst, OperandName::A, None)?)),
        None => WgmmaMatrixA::Descriptor(inst.src(OperandName::Adesc)?, major(inst, OperandName::TransA)),
    };
    let (b, major_b) = (inst.src::<u64>(OperandName::Bdesc)?, major(inst, OperandName::TransB));
    let sparsity = match inst.operand(OperandName::Meta) {
        None => None,
        Some(_) => {
            let selector = inst.immediate(OperandName::Sel).ok_or("an unknown selector")?;
            Some(Sparsity {
                metadata: warp(FragmentOperand::with(inst, OperandName::Meta, None, |_, _| Some(selector))?),
                pattern: SparsityPattern::of(a_type, false),
                indices: Indices::Different,
                k,
            })
        }
    };
    let add = inst.predicate_src(OperandName::ScaleD)?.ok_or("`wgmma` without `scale_d`")?;
    let product = Product::new(ProductSpec {
        unit: MatrixInstruction::Wgmma,
        numerics: numerics(inst)?,
        shape: ProductShape { m: ROWS, n, k },
        a: a_type,
        b: b_type,
        c: d_type,
        d: d_type,
        kind: kind(inst, a_type),
        sparse: sparsity.is_some(),
        negate_a: negated(inst, OperandName::ScaleA),
        negate_b: negated(inst, OperandName::ScaleB),
    })
    .map_err(refused)?;
    let kept = if sparsity.is_some() { k / 2 } else { k };
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let site = context.site;
        if let Some(words) = context.lanes.wgmma.begin(site, &d_slots, &a_slots, n) {
            let mask = context.mask;
            context.fault(FaultKind::Asynchronous, mask, || words.into());
        }
        let mut marks = all_source_marks(context);
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let elements_a = match &a {
            WgmmaMatrixA::Registers(held) => held.gather(context.registers),
            WgmmaMatrixA::Descriptor(src, major) => {
                let bits = uniform(context, *src);
                let first = (context.lanes.number % 4) * ROWS as u32;
                let mut out = vec![0; ROWS * kept];
                let Some(source) = source(context, bits, *major, a_type, lane) else { return StepOutcome::Next };
                let read = source.read(context, first..first + ROWS as u32, 0..kept as u32, |row, at, value| {
                    out[row * kept + at] = value;
                });
                let Some(read) = read else { return StepOutcome::Next };
                marks |= read;
                out
            }
        };
        let bits = uniform(context, b);
        let mut elements_b = vec![0; n * k];
        let Some(source) = source(context, bits, major_b, b_type, lane) else { return StepOutcome::Next };
        let read =
            source.read(context, 0..n as u32, 0..k as u32, |column, at, value| elements_b[at * n + column] = value);
        let Some(read) = read else { return StepOutcome::Next };
        marks |= read;
        let columns = sparsity.as_ref().map_or(Vec::new(), |s| s.columns(context));
        let adds = context.registers.predicate(add) >> lane & 1 != 0;
        let c = if adds { d.gather(context.registers) } else { vec![0; ROWS * n] };
        let operands =
            ProductOperands { a: &elements_a, b: &elements_b, c: &c, columns: &columns, ..ProductOperands::default() };
        let (mut values, mut each) = (Vec::new(), Vec::new());
        multiply(context, &product, &operands, &mut values, &mut each);
        d.scatter(context, &values, Some(&each));
        let all = LaneMarks::all(context.mask, marks);
        context.marked.unspecified |= all.unspecified;
        context.marked.approximate |= all.approximate;
        if let Some(id) = copies::begin_product(context, None) {
            context.lanes.wgmma.launch(id);
        }
        StepOutcome::Next
    }))
}

/// The matrix that a descriptor describes. Reports a finding and returns `None` if the descriptor is invalid.
fn source(
    context: &mut ExecContext<'_>,
    bits: u64,
    major: Major,
    element: MatrixElementType,
    lane: usize,
) -> Option<SharedMatrixSource> {
    match descriptor::wgmma(bits, major, element.bits()) {
        Ok(matrix) => Some(SharedMatrixSource { matrix, rank: None, lane }),
        Err(why) => {
            context.fault(FaultKind::Undefined, 1 << lane, || why.0.to_owned());
            None
        }
    }
}
