//! `tcgen05.ld` and `tcgen05.st`: a warp accesses its quarter of the lanes of tensor memory.

use super::{TensorMemoryAccess, TensorMemoryAddress, spot};
use crate::exec::mma::{FragmentOperand, all_source_marks, whole_warp};
use crate::exec::wgmma::slots;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::Address;
use crate::machine::operands;
use crate::machine::state::operands::TensorKind;
use crate::machine::{ExecContext, StepOutcome};
use crate::registers::Dst;
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::float::extremes::{self, Extreme, ExtremeModifiers};

/// The cells that an instruction accesses: a fragment, its address, and the column offset of its second half.
struct Cells {
    held: FragmentOperand,
    address: Address,
    split: u32,
}

impl Cells {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let held = FragmentOperand::new(inst, OperandName::R, None)?;
        let split = inst.immediate(OperandName::Split).unwrap_or(0) as u32;
        Ok(Self { held, address: inst.address(OperandName::Taddr)?, split })
    }

    /// The address of the cells, and a record for the accesses. Reports a finding unless the address is the same in all lanes and lies in
    /// the quarter of the warp.
    fn begin(&self, context: &mut ExecContext<'_>) -> (TensorMemoryAddress, TensorMemoryAccess) {
        let first = context.mask.trailing_zeros().min(31) as usize;
        let at = spot(context, &self.address, first);
        let other = lanes(context.mask).filter(|l| spot(context, &self.address, *l) != at).fold(0, |m, l| m | 1 << l);
        if other != 0 {
            context.fault(FaultKind::Undefined, other, || "the address must be the same in all lanes".into());
        }
        let quarter = context.lanes.number % 4;
        let fits = at.lane / 32 == quarter
            && at.lane % 32 + self.held.fragment.rows as u32 <= 32
            && at.lane.is_multiple_of(16);
        if !fits {
            let (mask, rows, warp) = (context.mask, self.held.fragment.rows, context.lanes.number);
            let begin = 32 * quarter;
            context.fault(FaultKind::Undefined, mask, || {
                format!(
                    "{rows} lanes from lane {} on, but warp {warp} has access to lanes {begin} … {} only",
                    at.lane,
                    begin + 31
                )
            });
        }
        (at, TensorMemoryAccess::new(context.rank as u32, first))
    }

    /// The lane and the column of the element with index `number`, if the cells begin at `at`.
    fn place(&self, at: TensorMemoryAddress, number: usize) -> (u32, u32) {
        let fragment = &self.held.fragment;
        let (rows, columns) = (fragment.rows.max(1), fragment.columns.max(1));
        let (matrix, row, column) = (number / (rows * columns), number / columns % rows, number % columns);
        // The two matrices of `.16x32bx2` lie in the same lanes.
        let shift = if matrix == 1 { self.split } else { 0 };
        let lane = at.lane.wrapping_add(row as u32);
        (lane, at.column.wrapping_add(shift).wrapping_add(column as u32))
    }
}

/// The minimum or maximum of the values that a thread has loaded (`.red`).
struct LoadReduction {
    to: Dst<u32>,
    fold: Box<dyn Fn(u32, u32) -> u32 + Send + Sync>,
    /// The function that is applied to the first value.
    first: fn(u32) -> u32,
}

impl LoadReduction {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Option<Self>, DecodeRefusal> {
        if inst.operand(OperandName::Redval).is_none() {
            return Ok(None);
        }
        let to = inst.dst::<u32>(OperandName::Redval)?;
        let least = inst.has(Modifier::Min);
        let (abs, nan) = (inst.has(Modifier::Abs), inst.has(Modifier::NaN));
        let fold: Box<dyn Fn(u32, u32) -> u32 + Send + Sync> = if inst.has(Modifier::F32) {
            let extreme = if least { Extreme::Least } else { Extreme::Greatest };
            let modifiers = ExtremeModifiers { nan, abs, ..Default::default() };
            Box::new(move |a, b| extremes::single(extreme, modifiers, a, b))
        } else if inst.has(Modifier::S32) {
            Box::new(move |a, b| if ((a as i32) < (b as i32)) == least { a } else { b })
        } else {
            Box::new(move |a, b| if (a < b) == least { a } else { b })
        };
        let first = if abs { |a: u32| a & 0x7fff_ffff } else { |a: u32| a };
        Ok(Some(Self { to, fold, first }))
    }
}

/// `tcgen05.ld`, with `.red` too.
pub(crate) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let cells = Cells::new(inst)?;
    let reduction = LoadReduction::new(inst)?;
    let mut registers = slots(inst, OperandName::R);
    registers.extend(slots(inst, OperandName::Redval));
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let (at, mut access) = cells.begin(context);
        let size = cells.held.fragment.size();
        let (mut elements, mut marks) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let memory = &context.cta().tensor;
        for number in 0..size {
            let (lane, column) = cells.place(at, number);
            let cell = access.read(memory, lane, column);
            elements.push(u64::from(cell.bits));
            marks.push(cell.marks);
        }
        access.report(context);
        let used = context.uses.take().unwrap_or_default().tensor;
        operands::begin(context, TensorKind::Load, used, None);
        let site = context.site;
        context.lanes.wgmma.load(site, &registers);
        cells.held.scatter(context, &elements, Some(&marks));
        if let Some(reduction) = &reduction {
            for lane in lanes(context.mask) {
                let of = |p: &crate::registers::RegisterLocation| context.registers.lane_bits(*p, lane) as u32;
                let mut all = cells.held.places.iter().map(of);
                let first = all.next().map_or(0, reduction.first);
                let value = all.fold(first, &reduction.fold);
                context.registers.put_lane(reduction.to, lane, value);
            }
        }
        StepOutcome::Next
    }))
}

/// `tcgen05.st`.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let cells = Cells::new(inst)?;
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        let (at, mut access) = cells.begin(context);
        let elements = cells.held.gather(context.registers);
        let marks = all_source_marks(context);
        let memory = &mut context.cta().tensor;
        for (number, value) in elements.iter().enumerate() {
            let (lane, column) = cells.place(at, number);
            access.write(memory, lane, column, *value as u32, marks);
        }
        access.report(context);
        let used = context.uses.take().unwrap_or_default().tensor;
        operands::begin(context, TensorKind::Store, used, None);
        context.marked = LaneMarks::all(0, Marks::NONE);
        StepOutcome::Next
    }))
}
