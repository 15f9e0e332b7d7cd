//! Tensor copies: `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, their prefetches and priorities (manual 9.7.9.27).
//!
//! [`ptx_num::image::tensor_copy`] computes which bytes go where. This module handles operands, tensor maps in memory, the CTAs that get
//! a copy, and completion. Like other asynchronous operations, a copy is executed when it is issued.

mod transfer;

#[cfg(test)]
mod tests;

use super::asynchronous::{counted_by, is_own, refuse_reports};
use super::mbarrier;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::layout::{Address, AddressSpace};
use crate::machine::state::flights::{Family, FlightId};
use crate::machine::{AccessLocation, AccessRange, ExecContext, Order, StepOutcome, proxies};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::image::tensor_map::{self, TensorMap};
use ptx_num::image::{CopyDirection, CopyMode, TensorCopy, TensorFault};
use ptx_num::values::atomic::AtomicOperation;
use transfer::TensorTransfer;

/// Alignment in bytes of a tensor map that a copy uses.
const MAP_ALIGNMENT: usize = 64;

/// Alignment in bytes of a box in shared memory.
const BOX_ALIGNMENT: usize = 128;

/// The mode in which a copy walks the tensor, with the places of the offsets or of halo and offset.
#[derive(Debug, Clone)]
enum BoxShape {
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: one column and four rows.
    Rows4,
    Im2col(Vec<RegisterLocation>),
    /// `.im2col_no_offs` of a store.
    NoOffsets,
    /// `.im2col::w` and `.im2col_no_offs::w`.
    Wide(Vec<RegisterLocation>),
    /// `.im2col::w::128`.
    Wide128(Vec<RegisterLocation>),
}

/// The operands that all tensor copies have.
#[derive(Debug, Clone)]
struct TensorRequest {
    direction: CopyDirection,
    rank: u8,
    shape: BoxShape,
    map: Address,
    coordinates: Vec<RegisterLocation>,
    /// Replaces the address in the tensor map.
    base: Option<RegisterLocation>,
    /// Replace the sizes in the tensor map.
    sizes: Vec<RegisterLocation>,
    /// The lower 32 bits of strides, in units of 16 bytes, that replace those in the tensor map.
    lower: Vec<RegisterLocation>,
    /// The upper bits of these strides, four for each.
    upper: Option<RegisterLocation>,
}

impl TensorRequest {
    fn new(inst: &mut DecodeContext<'_>, direction: CopyDirection) -> Result<Self, DecodeRefusal> {
        refuse_reports(inst)?;
        let loads = direction == CopyDirection::Load;
        let shape = if inst.has(Modifier::TileGather4) || inst.has(Modifier::TileScatter4) {
            BoxShape::Rows4
        } else if inst.has(Modifier::Im2col) {
            BoxShape::Im2col(inst.places(OperandName::Offsets, 2)?)
        } else if inst.has(Modifier::Im2colW) {
            BoxShape::Wide(inst.places(OperandName::Halo, 2)?)
        } else if inst.has(Modifier::Im2colW128) {
            BoxShape::Wide128(inst.places(OperandName::Halo, 2)?)
        } else if inst.has(Modifier::Im2colNoOffsW) {
            if !loads {
                return Err("a store by `.im2col_no_offs::w`: the manual does not say where it goes".into());
            }
            BoxShape::Wide(Vec::new())
        } else if inst.has(Modifier::Im2colNoOffs) {
            // For loads, no offsets means offsets of zero.
            if loads { BoxShape::Im2col(Vec::new()) } else { BoxShape::NoOffsets }
        } else {
            BoxShape::Tile
        };
        let coordinates = inst.places(OperandName::C, 4)?;
        let dimensions = inst.modifier(SlotName::Dim).and_then(|d| d.name().trim_matches(['.', 'd']).parse().ok());
        let rank = dimensions.unwrap_or(if matches!(shape, BoxShape::Rows4) { 2 } else { coordinates.len() as u8 });
        let mut map = inst.address(OperandName::Map)?;
        if map.space == AddressSpace::Global {
            // The address is generic, whatever the assembler's notation says. It may belong to `.param`, `.const` or `.global`.
            map.space = AddressSpace::Generic;
        }
        Ok(Self {
            direction,
            rank,
            shape,
            map,
            coordinates,
            base: inst.places(OperandName::Base, 8)?.first().copied(),
            sizes: inst.places(OperandName::Sizes, 2)?,
            lower: inst.places(OperandName::Lower, 4)?,
            upper: inst.places(OperandName::Upper, 2)?.first().copied(),
        })
    }

    /// The copy of a lane, with its box at byte `shared` of shared memory.
    fn copy(&self, context: &ExecContext<'_>, lane: usize, shared: u32) -> TensorCopy {
        let number = |place: &RegisterLocation| context.registers.lane_bits(*place, lane) as u32;
        let mut coordinates = [0; 5];
        coordinates.iter_mut().zip(&self.coordinates).for_each(|(to, from)| *to = number(from) as i32);
        let half = |places: &[RegisterLocation], i: usize| places.get(i).map_or(0, |p| number(p) as u16);
        let mode = match &self.shape {
            BoxShape::Tile => CopyMode::Tile,
            BoxShape::Rows4 => CopyMode::Rows4,
            BoxShape::Im2col(offsets) => CopyMode::Im2col(std::array::from_fn(|i| half(offsets, i))),
            BoxShape::NoOffsets => CopyMode::Im2colNoOffsets,
            BoxShape::Wide(halo) => CopyMode::Im2colW { halo: half(halo, 0), offset: half(halo, 1) },
            BoxShape::Wide128(halo) => CopyMode::Im2colW128 { halo: half(halo, 0), offset: half(halo, 1) },
        };
        TensorCopy { mode, direction: self.direction, rank: self.rank, coordinates, shared }
    }

    /// The tensor map of a lane, with the fields that the instruction replaces. Returns `None` after a fault.
    fn map(&self, context: &mut ExecContext<'_>, lane: usize) -> Option<TensorMap> {
        let address = context.generic_address(&self.map, lane)?;
        let at = context.locate_generic(address, lane, tensor_map::BYTES, MAP_ALIGNMENT, false)?;
        proxies::check_map(context, at, lane);
        let mut bytes = [0; tensor_map::BYTES];
        context.read_at(at, lane, &mut bytes, Order::Weak);
        let Some(mut map) = TensorMap::from_bytes(&bytes) else {
            fault(context, TensorFault::NotAMap, lane);
            return None;
        };
        let number = |place: &RegisterLocation| context.registers.lane_bits(*place, lane) as u64;
        if let Some(base) = &self.base {
            map.address = number(base);
        }
        // Only the lowest eight bits of each size count.
        map.sizes.iter_mut().zip(&self.sizes).for_each(|(to, from)| *to = number(from) & 0xff);
        let upper = self.upper.as_ref().map_or(0, number);
        for (i, (to, from)) in map.strides.iter_mut().zip(&self.lower).enumerate() {
            *to = ((number(from) & 0xffff_ffff) | (upper >> (4 * i) & 0xf) << 32) << 4;
        }
        Some(map)
    }

    /// The complete transfer of a lane. Returns `None` after a fault.
    fn plan(&self, context: &mut ExecContext<'_>, lane: usize, shared: u32) -> Option<TensorTransfer> {
        let map = self.map(context, lane)?;
        let copy = self.copy(context, lane, shared);
        if !self.sizes.is_empty() && copy.coordinates != [0; 5] {
            let words = || "the coordinates must be 0 where the sizes of the tensor are overridden".to_owned();
            context.fault(FaultKind::Undefined, 1 << lane, words);
        }
        let mut runs = Vec::new();
        match map.runs(&copy, |run| runs.push(run)) {
            Ok(amount) => Some(TensorTransfer { map, runs, amount }),
            Err(problem) => {
                fault(context, problem, lane);
                None
            }
        }
    }
}

/// Reports a copy that cannot be executed.
#[cold]
pub(super) fn fault(context: &mut ExecContext<'_>, fault: TensorFault, lane: usize) {
    let (kind, words) = match fault {
        TensorFault::NotAMap => (
            FaultKind::Undefined,
            "there is no tensor map: a launch makes one with `name={tensor_map=buffer type=f32 dims=[…] box=[…]}`".into(),
        ),
        TensorFault::Field(name) => {
            (FaultKind::Undefined, format!("no copy can use this tensor map: its `{name}` does not fit the other fields"))
        }
        TensorFault::Rank { instruction, map } => (
            FaultKind::Undefined,
            format!("the instruction is for {instruction} dimensions, but the tensor map has {map}"),
        ),
        TensorFault::Mode => (
            FaultKind::Undefined,
            "the instruction and the tensor map are for different modes: tile mode needs a tiled map, im2col mode an im2col map"
                .into(),
        ),
        TensorFault::Misaligned { address, needed } => (
            FaultKind::Misaligned,
            format!("the box is at {address:#x} of shared memory, but must be at a multiple of {needed}"),
        ),
        TensorFault::Coordinate { multiple } => (
            FaultKind::Misaligned,
            format!("the first coordinate must be a multiple of {multiple} for elements of this type"),
        ),
        TensorFault::Element => {
            (FaultKind::Undefined, "elements of the tensor map's type cannot be copied in this direction".into())
        }
        TensorFault::StoreOutside => (
            FaultKind::Undefined,
            "the box begins below zero, or its corners lie outside of the tensor: not allowed from shared memory".into(),
        ),
        TensorFault::NotDescribed(what) => {
            (FaultKind::Unsupported, format!("{what}: the manual does not describe where the bytes go"))
        }
    };
    context.fault(kind, 1 << lane, || words);
}

/// The destinations of boxes, and the mbarriers that count them.
#[derive(Debug, Clone)]
struct BoxTargets {
    to: Address,
    barrier: Address,
    /// The destination must be in the thread's own CTA.
    own: bool,
    /// `.cta_group::2`: the mbarrier may be in the other CTA of the pair.
    pair: bool,
    /// The mask of the CTAs that get a copy of the box.
    mask: Option<RegisterLocation>,
}

impl BoxTargets {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let mask = inst.places(OperandName::Mask, 2)?.first().copied();
        Ok(Self {
            to: inst.address(OperandName::Dst)?,
            barrier: inst.address(OperandName::Mbar)?,
            own: inst.has(Modifier::SharedCta),
            pair: inst.has(Modifier::CtaGroup2),
            mask: mask.or(inst.places(OperandName::Mask32, 4)?.first().copied()),
        })
    }

    /// The destinations of a lane's box and the mbarrier of each, given the destination `target` that the instruction names.
    fn all(
        &self,
        context: &mut ExecContext<'_>,
        lane: usize,
        target: AccessLocation,
        bytes: usize,
    ) -> Vec<(AccessLocation, AccessLocation)> {
        let barrier = if self.pair {
            self.of_pair(context, lane, target)
        } else {
            counted_by(context, &self.barrier, lane, target)
        };
        let Some(barrier) = barrier else { return Vec::new() };
        let Some(mask) = self.mask else { return vec![(target, barrier)] };
        let mask = context.registers.lane_bits(mask, lane) as u32;
        let parity = mbarrier::rank_of(context, barrier).unwrap_or(0) & 1;
        let mut out = Vec::new();
        for rank in mbarrier::ctas(context, mask, lane) {
            let counts = if self.pair { rank & !1 | parity } else { rank };
            let there = mbarrier::in_cta(context, target, lane, rank, bytes);
            let counts = mbarrier::in_cta(context, barrier, lane, counts, 8);
            out.extend(there.zip(counts));
        }
        out
    }

    /// The mbarrier of a pair. It must be in the CTA of the destination or in the other CTA of its pair; otherwise reports a finding.
    fn of_pair(&self, context: &mut ExecContext<'_>, lane: usize, target: AccessLocation) -> Option<AccessLocation> {
        let at = mbarrier::locate(context, &self.barrier, lane, true)?;
        let pair = |rank: Option<u32>| rank.map(|r| r / 2);
        if pair(mbarrier::rank_of(context, at)) == pair(mbarrier::rank_of(context, target)) {
            return Some(at);
        }
        context.fault(FaultKind::Mbarrier, 1 << lane, || {
            "the mbarrier is neither in the CTA that the data goes to nor in the other one of its pair".into()
        });
        None
    }
}

/// The location of a lane's box in shared memory. Returns `None` after a fault.
fn box_at(
    context: &mut ExecContext<'_>,
    address: &Address,
    lane: usize,
    own: bool,
    write: bool,
) -> Option<AccessLocation> {
    let at = context.locate(address, lane, 0, BOX_ALIGNMENT, write)?;
    if own {
        return is_own(context, at, lane).then_some(at);
    }
    if mbarrier::rank_of(context, at).is_none() {
        context.fault(FaultKind::OutOfBounds, 1 << lane, || "the box must be in shared memory".into());
        return None;
    }
    Some(at)
}

/// `cp.async.bulk.tensor` to shared memory.
pub(super) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let request = TensorRequest::new(inst, CopyDirection::Load)?;
    let targets = BoxTargets::new(inst)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            load_lane(context, lane, &request, &targets);
        }
        StepOutcome::Next
    }))
}

fn load_lane(context: &mut ExecContext<'_>, lane: usize, request: &TensorRequest, targets: &BoxTargets) -> Option<()> {
    let target = box_at(context, &targets.to, lane, targets.own, true)?;
    let plan = request.plan(context, lane, target.offset as u32)?;
    let bytes = plan.shared_bytes();
    context.locate_generic(target.address, lane, bytes, 1, true)?;
    let sources = plan.spans(context, lane, false)?;
    for source in &sources {
        proxies::read_by_engine(context, source.location, lane, source.bytes as usize);
    }
    let mut reads: Vec<FlightId> =
        sources.iter().filter_map(|source| copies::begin(context, Some(*source), None, false)).collect();
    for (target, barrier) in targets.all(context, lane, target, bytes) {
        plan.load(context, lane, &sources, target);
        copies::written_by_engine(context, target, bytes);
        let id = copies::begin(context, None, Some(AccessRange { location: target, bytes: bytes as u64 }), false);
        mbarrier::check_visible(context, barrier, lane);
        // A thread that observes the first completion knows that everything has been read.
        mbarrier::attach(context, barrier, std::mem::take(&mut reads).into_iter().chain(id));
        mbarrier::transacted(context, barrier, lane, plan.amount.transaction.into());
    }
    Some(())
}

/// `cp.async.bulk.tensor` to global memory.
pub(super) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    outward(inst, CopyDirection::Store, None)
}

/// `cp.reduce.async.bulk.tensor`.
pub(super) fn reduce(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let operation = inst.modifier(SlotName::Op).and_then(|m| AtomicOperation::named(m.word()));
    outward(inst, CopyDirection::Reduce, Some(operation.ok_or("a reduction without an operation")?))
}

fn outward(
    inst: &mut DecodeContext<'_>,
    direction: CopyDirection,
    operation: Option<AtomicOperation>,
) -> Result<OpAction, DecodeRefusal> {
    let request = TensorRequest::new(inst, direction)?;
    let from = inst.address(OperandName::Src)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            outward_lane(context, lane, &request, &from, operation);
        }
        StepOutcome::Next
    }))
}

fn outward_lane(
    context: &mut ExecContext<'_>,
    lane: usize,
    request: &TensorRequest,
    from: &Address,
    operation: Option<AtomicOperation>,
) -> Option<()> {
    let source = box_at(context, from, lane, true, false)?;
    let plan = request.plan(context, lane, source.offset as u32)?;
    let bytes = plan.amount.shared as usize;
    context.locate_generic(source.address, lane, bytes, 1, false)?;
    copies::read_by_engine(context, source, lane, bytes, "the copy engine");
    let spans = plan.spans(context, lane, true)?;
    match operation {
        None => plan.store(context, lane, source),
        Some(operation) => plan.reduce(context, lane, source, operation)?,
    }
    let id = copies::begin(context, Some(AccessRange { location: source, bytes: bytes as u64 }), None, false);
    copies::join(context, lane, Family::Bulk, id);
    for span in spans {
        let id = copies::begin(context, None, Some(span), operation.is_some());
        copies::join(context, lane, Family::Bulk, id);
    }
    Some(())
}

/// `cp.async.bulk.prefetch.tensor`, `applypriority.async.bulk.tensor`: have no effect, since the machine has no caches. Only the box is
/// checked.
pub(super) fn check_only(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let request = TensorRequest::new(inst, CopyDirection::Load)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            request.plan(context, lane, 0);
        }
        StepOutcome::Next
    }))
}
