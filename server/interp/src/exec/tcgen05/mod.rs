//! `tcgen05`: tensor memory, and the products of the fifth generation of tensor cores.
//!
//! Asynchronous operations are executed when they are issued. Until they are known to be complete, their sources may not change and their
//! results may not be read. So this is one of the orders that the manual allows.

mod access;
mod allocation;
mod copy;
mod product;
mod shift;

pub(crate) use access::{load, store};
pub(crate) use allocation::{allocate, free, relinquish};
pub(crate) use copy::copy;
pub(crate) use product::multiply;
pub(crate) use shift::shift;

use super::mbarrier;
use super::mma::whole_warp;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::Address;
use crate::machine::state::operands::COLUMNS;
use crate::machine::state::operands::{TensorCells, TensorKind, TensorUse};
use crate::machine::state::tensor_memory::{LANES, TensorMemory, TensorMemoryCell};
use crate::machine::{ExecContext, StepOutcome, copies};
use crate::registers::Src;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

/// The address of a cell of tensor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TensorMemoryAddress {
    lane: u32,
    column: u32,
}

impl TensorMemoryAddress {
    fn new(address: u32) -> Self {
        Self { lane: address >> 16, column: address & 0xffff }
    }
}

/// The number of CTAs that an instruction names (`.cta_group`).
fn ctas(inst: &DecodeContext<'_>) -> u32 {
    if inst.has(Modifier::CtaGroup2) { 2 } else { 1 }
}

/// Records the number of CTAs that an instruction names. If another instruction named another number, reports a finding.
fn note_ctas(context: &mut ExecContext<'_>, ctas: u32) {
    let known = *context.cta().tensor.ctas.get_or_insert(ctas);
    if known != ctas {
        let mask = context.mask;
        context.fault(FaultKind::Undefined, mask, || {
            format!("`.cta_group::{ctas}` here, but `.cta_group::{known}` before: all `tcgen05` instructions of a kernel must name the same")
        });
    }
}

/// The rank of the CTA that holds part 0 or 1 of the data of a pair. With a single CTA, its own rank.
fn rank_of_part(context: &ExecContext<'_>, ctas: u32, part: u32) -> u32 {
    let own = context.rank as u32;
    if ctas == 2 { (own & !1) + part } else { own }
}

/// Whether all `ctas` CTAs exist; if the second one of a pair does not, reports a finding.
fn has_pair(context: &mut ExecContext<'_>, ctas: u32) -> bool {
    let peer = context.rank as u32 ^ 1;
    let there = ctas == 1 || context.cta_of(peer).is_some();
    if !there {
        let mask = context.mask;
        context.fault(FaultKind::Unsupported, mask, || {
            "`.cta_group::2` needs clusters with an even number of CTAs".into()
        });
    }
    there
}

/// The tensor memory of the CTA with this rank in the cluster.
fn memory<'c>(context: &'c mut ExecContext<'_>, rank: u32) -> Option<&'c mut TensorMemory> {
    context.cta_of(rank).map(|c| &mut c.tensor)
}

/// The accesses of an instruction to the tensor memory of one CTA, with the first violation of each kind.
struct TensorMemoryAccess {
    rank: u32,
    /// The lane of the warp that makes the accesses.
    thread: usize,
    /// Lane and column of a cell that was read before anything was written to it.
    unknown: Option<(u32, u32)>,
    /// A column that is not allocated.
    unallocated: Option<u32>,
    /// Lane and column of a cell outside of tensor memory.
    outside: Option<(u32, u32)>,
    /// The cells that were read, and those that were written: for each column, a mask of lanes.
    cells: [Vec<u128>; 2],
}

impl TensorMemoryAccess {
    fn new(rank: u32, thread: usize) -> Self {
        Self { rank, thread, unknown: None, unallocated: None, outside: None, cells: Default::default() }
    }

    fn note(&mut self, lane: u32, column: u32, write: bool) {
        let masks = &mut self.cells[usize::from(write)];
        if masks.is_empty() {
            masks.resize(COLUMNS as usize, 0);
        }
        if let Some(mask) = masks.get_mut(column as usize) {
            *mask |= 1 << (lane % LANES);
        }
    }

    fn check(&mut self, memory: &TensorMemory, lane: u32, column: u32) {
        if lane >= LANES || column >= COLUMNS {
            self.outside.get_or_insert((lane, column));
        } else if !memory.is_allocated(column) {
            self.unallocated.get_or_insert(column);
        }
    }

    fn read(&mut self, memory: &TensorMemory, lane: u32, column: u32) -> TensorMemoryCell {
        self.check(memory, lane, column);
        self.note(lane, column, false);
        let cell = memory.read(lane, column);
        if !cell.known {
            self.unknown.get_or_insert((lane, column));
        }
        cell
    }

    fn write(&mut self, memory: &mut TensorMemory, lane: u32, column: u32, bits: u32, marks: Marks) {
        self.check(memory, lane, column);
        self.note(lane, column, true);
        memory.write(lane, column, bits, marks);
    }

    /// Reports one violation, if there was any, and notes the cells as used by the instruction.
    fn report(self, context: &mut ExecContext<'_>) {
        let (mask, rank) = (1 << self.thread, self.rank);
        let [reads, writes] = self.cells.map(|masks| TensorCells::of_masks(&masks));
        context.uses.get_or_insert_default().tensor.push(TensorUse { rank, reads, writes });
        if let Some((lane, column)) = self.outside {
            context.fault(FaultKind::OutOfBounds, mask, || {
                format!("lane {lane}, column {column}: tensor memory has {LANES} lanes and {COLUMNS} columns")
            });
        } else if let Some(column) = self.unallocated {
            context.fault(FaultKind::Undefined, mask, || {
                format!("column {column} of the tensor memory of CTA {rank} of the cluster is not allocated: `tcgen05.alloc` must come first")
            });
        } else if let Some((lane, column)) = self.unknown {
            context.fault(FaultKind::UninitializedMemory, mask, || {
                format!("reads lane {lane}, column {column} of tensor memory, which was never written")
            });
        }
    }
}

/// The address in tensor memory that an operand has in a lane.
fn spot(context: &ExecContext<'_>, address: &Address, lane: usize) -> TensorMemoryAddress {
    TensorMemoryAddress::new(context.raw_address(address, lane) as u32)
}

/// `tcgen05.wait::ld`, `tcgen05.wait::st`: never wait, since loads and stores are complete at once.
pub(crate) fn wait(kind: TensorKind) -> OpAction {
    DecodeContext::machine(move |context| {
        whole_warp(context);
        let warp = (context.rank as u32, context.lanes.number);
        context.cta().tensor.pipeline.wait(kind, warp);
        if kind == TensorKind::Load {
            context.lanes.wgmma.loaded();
        }
        StepOutcome::Next
    })
}

/// `tcgen05.fence::after_thread_sync`: later loads may read what was known to be complete before.
pub(crate) fn fence_after() -> OpAction {
    DecodeContext::machine(|context| {
        context.lanes.tensor_fence = context.cta().tensor.fence();
        StepOutcome::Next
    })
}

/// The operand with the mask of the CTAs in which a multicast commit arrives, of 16 or 32 bits.
#[derive(Clone, Copy)]
enum CtaMaskOperand {
    Half(Src<u16>),
    Word(Src<u32>),
}

/// `tcgen05.commit`: all operations are complete, so the arrival follows at once.
pub(crate) fn commit(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    let address = inst.address(OperandName::Mbar)?;
    let mask = match inst.operand(OperandName::Mask) {
        None => None,
        Some(operand) if inst.width(operand) == 2 => Some(CtaMaskOperand::Half(inst.src(OperandName::Mask)?)),
        Some(_) => Some(CtaMaskOperand::Word(inst.src(OperandName::Mask)?)),
    };
    Ok(DecodeContext::machine(move |context| {
        note_ctas(context, ctas);
        for lane in lanes(context.mask) {
            let Some(at) = mbarrier::locate(context, &address, lane, true) else { continue };
            let ids = copies::of_tensor(context, lane);
            let named = match mask {
                None => {
                    mbarrier::attach(context, at, ids);
                    mbarrier::system_arrives(context, at, lane, false);
                    continue;
                }
                Some(CtaMaskOperand::Half(src)) => context.registers.lane(src, lane).into(),
                Some(CtaMaskOperand::Word(src)) => context.registers.lane(src, lane),
            };
            for rank in mbarrier::ctas(context, named, lane) {
                if let Some(at) = mbarrier::in_cta(context, at, lane, rank, 8) {
                    mbarrier::attach(context, at, ids.iter().copied());
                    mbarrier::system_arrives(context, at, lane, false);
                }
            }
        }
        StepOutcome::Next
    }))
}
