//! `tcgen05`: tensor memory, and the products of the fifth generation of tensor cores.
//!
//! What is asynchronous there is done when it is issued: what it reads may not change and what it writes may not be read before it is
//! known to be complete, so that is one of the orders in which it may happen.

mod access;
mod allocation;
mod copy;
mod product;

pub(crate) use access::{load, store};
pub(crate) use allocation::{allocate, free, relinquish};
pub(crate) use copy::copy;
pub(crate) use product::multiply;

use super::mbarrier;
use super::mma::whole_warp;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{Address, DecodeRefusal, OpAction};
use crate::machine::tensor_memory::{COLUMNS, LANES, TensorMemory, TensorMemoryCell};
use crate::machine::{ExecContext, StepOutcome};
use crate::registers::Src;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

/// An address in tensor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot {
    lane: u32,
    column: u32,
}

impl Spot {
    fn new(address: u32) -> Self {
        Self { lane: address >> 16, column: address & 0xffff }
    }
}

/// How many CTAs an instruction names.
fn ctas(inst: &DecodeContext<'_>) -> u32 {
    if inst.has(Modifier::CtaGroup2) { 2 } else { 1 }
}

/// Notes how many CTAs an instruction names: all must name the same.
fn note_ctas(context: &mut ExecContext<'_>, ctas: u32) {
    let known = *context.cta().tensor.ctas.get_or_insert(ctas);
    if known != ctas {
        let mask = context.mask;
        context.fault(FaultKind::Undefined, mask, || {
            format!("`.cta_group::{ctas}` here, but `.cta_group::{known}` before: all `tcgen05` instructions of a kernel must name the same")
        });
    }
}

/// The rank of the CTA that has the first or the second part of what a pair holds.
fn rank_of_part(context: &ExecContext<'_>, ctas: u32, part: u32) -> u32 {
    let own = context.rank as u32;
    if ctas == 2 { (own & !1) + part } else { own }
}

/// Whether the pair of CTAs is there; if not, that is a fault.
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

/// Tensor memory of a CTA of the cluster.
fn memory<'c>(context: &'c mut ExecContext<'_>, rank: u32) -> Option<&'c mut TensorMemory> {
    context.cta_of(rank).map(|c| &mut c.tensor)
}

/// What an instruction reads and writes in tensor memory, and what is wrong with that.
struct Access {
    rank: u32,
    /// The lane of the warp on whose account it is.
    thread: usize,
    unknown: Option<(u32, u32)>,
    unallocated: Option<u32>,
    outside: Option<(u32, u32)>,
}

impl Access {
    fn new(rank: u32, thread: usize) -> Self {
        Self { rank, thread, unknown: None, unallocated: None, outside: None }
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
        let cell = memory.read(lane, column);
        if !cell.known {
            self.unknown.get_or_insert((lane, column));
        }
        cell
    }

    fn write(&mut self, memory: &mut TensorMemory, lane: u32, column: u32, bits: u32, marks: Marks) {
        self.check(memory, lane, column);
        memory.write(lane, column, bits, marks);
    }

    /// Says what was wrong.
    fn report(self, context: &mut ExecContext<'_>) {
        let (mask, rank) = (1 << self.thread, self.rank);
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
                format!("reads lane {lane}, column {column} of tensor memory, to which nothing was written")
            });
        }
    }
}

/// The address in tensor memory that an operand gives in a lane.
fn spot(context: &ExecContext<'_>, address: &Address, lane: usize) -> Spot {
    Spot::new(context.raw_address(address, lane) as u32)
}

/// `tcgen05.wait::ld`, `tcgen05.wait::st`: loads and stores are done at once.
pub(crate) fn wait() -> OpAction {
    DecodeContext::machine(|context| {
        whole_warp(context);
        StepOutcome::Next
    })
}

/// `tcgen05.shift`.
pub(crate) fn shift(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Err("which way `tcgen05.shift` moves the rows, and which of them keeps its own, is not said by the manual".into())
}

/// Which mbarriers a commit arrives at besides the one at the address.
#[derive(Clone, Copy)]
enum Mask {
    Half(Src<u16>),
    Word(Src<u32>),
}

/// `tcgen05.commit`: all operations are complete, so the arrival follows at once.
pub(crate) fn commit(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    let address = inst.address(OperandName::Mbar)?;
    let mask = match inst.operand(OperandName::Mask) {
        None => None,
        Some(operand) if inst.width(operand) == 2 => Some(Mask::Half(inst.src(OperandName::Mask)?)),
        Some(_) => Some(Mask::Word(inst.src(OperandName::Mask)?)),
    };
    Ok(DecodeContext::machine(move |context| {
        note_ctas(context, ctas);
        for lane in lanes(context.mask) {
            let Some(at) = mbarrier::locate(context, &address, lane, true) else { continue };
            let named = match mask {
                None => {
                    mbarrier::system_arrives(context, at, lane, false);
                    continue;
                }
                Some(Mask::Half(src)) => context.registers.lane(src, lane).into(),
                Some(Mask::Word(src)) => context.registers.lane(src, lane),
            };
            for rank in mbarrier::ctas(context, named, lane) {
                if let Some(at) = mbarrier::in_cta(context, at, lane, rank, 8) {
                    mbarrier::system_arrives(context, at, lane, false);
                }
            }
        }
        StepOutcome::Next
    }))
}
