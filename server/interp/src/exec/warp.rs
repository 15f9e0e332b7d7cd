//! Communication among the lanes of a warp: shuffles, votes, matches, reductions, elections.
//!
//! The machine executes an instruction with a member mask when all the lanes that it names have arrived or exited. So this module only
//! looks for errors of the program: a lane that is not in its own mask, and named lanes that do not execute the instruction because their
//! guard is false. (Manual 9.7.9.5, 9.7.9.6, 9.7.13.8 – 9.7.13.12, 9.7.13.14.)

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::list;
use crate::lanes::{LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::passing::ByteOrigin;
use crate::machine::{ExecContext, StepOutcome, races};
use crate::registers::Src;
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::{Marks, atomic};

/// Lanes that execute an instruction with the same member mask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Party {
    /// The lanes that execute it.
    pub lanes: LaneMask,
    /// The lanes that the mask names.
    pub named: LaneMask,
    /// The result is undefined, because named lanes do not take part.
    pub incomplete: bool,
}

impl Party {
    /// The lanes whose values count: those that are named and take part.
    fn members(&self) -> LaneMask {
        self.lanes & self.named
    }
}

/// Groups the executing lanes by their member masks; without masks, all of them form one group. Reports errors in the masks.
pub(crate) fn parties(context: &mut ExecContext<'_>, membermask: Option<Src<u32>>) -> Vec<Party> {
    let Some(membermask) = membermask else {
        return vec![Party { lanes: context.mask, named: context.mask, incomplete: false }];
    };
    let masks = context.registers.get(membermask);
    let live = context.lanes.present & !context.lanes.exited;
    let mut left = context.mask;
    let mut out = Vec::with_capacity(1);
    while left != 0 {
        let named = masks[left.trailing_zeros() as usize];
        let same = lanes(left).filter(|l| masks[*l] == named).fold(0, |m, l| m | 1 << l);
        left &= !same;
        let outside = same & !named;
        if outside != 0 {
            context.fault(FaultKind::Membermask, outside, || {
                format!("lanes {} execute this, but its mask {named:#010x} does not include them", list(outside))
            });
        }
        let absent = named & live & !same;
        if absent != 0 {
            context.fault(FaultKind::Membermask, same, || {
                format!(
                    "lanes {} are in the mask {named:#010x} of lanes {}, but do not execute this with the same mask",
                    list(absent),
                    list(same)
                )
            });
        }
        races::meet(context, same, named);
        out.push(Party { lanes: same, named, incomplete: absent != 0 });
    }
    out
}

/// Marks the results of all lanes of a party with the marks of the sources of all its members.
fn mark_together(context: &mut ExecContext<'_>, party: Party) {
    let mut marks = lanes(party.members()).fold(Marks::NONE, |all, l| all | context.source_marks(l));
    if party.incomplete {
        marks |= Marks::UNSPECIFIED;
    }
    for lane in lanes(party.lanes) {
        context.mark(lane, marks);
    }
    let outside = party.lanes & !party.named;
    context.marked.unspecified |= LaneMarks::all(outside, Marks::UNSPECIFIED).unspecified;
}

fn membermask(inst: &mut DecodeContext<'_>) -> Result<Option<Src<u32>>, DecodeRefusal> {
    inst.optional_src::<u32>(OperandName::Membermask)
}

/// How a shuffle determines the source lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// The source lane of a lane, and whether it is in range (manual 9.7.9.6, *Semantics*).
pub(crate) fn source_lane(mode: Shuffle, lane: usize, b: u32, c: u32) -> (usize, bool) {
    let (lane, b) = (lane as i32 & 31, (b & 31) as i32);
    let (clamp, segment) = ((c & 31) as i32, (c >> 8 & 31) as i32);
    let last = (lane & segment) | (clamp & !segment);
    let first = lane & segment;
    let (j, inside) = match mode {
        Shuffle::Up => (lane - b, lane - b >= last),
        Shuffle::Down => (lane + b, lane + b <= last),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= last),
        Shuffle::Index => {
            let j = first | (b & !segment);
            (j, j <= last)
        }
    };
    // The bounds are lane numbers, so a source in range lies neither below lane 0 nor above lane 31.
    (if inside { j & 31 } else { lane } as usize, inside)
}

/// `shfl`, `shfl.sync`.
pub(crate) fn shuffle(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let mode = match inst.modifier(SlotName::Mode) {
        Some(Modifier::Up) => Shuffle::Up,
        Some(Modifier::Down) => Shuffle::Down,
        Some(Modifier::Bfly) => Shuffle::Butterfly,
        Some(Modifier::Idx) => Shuffle::Index,
        _ => return Err("`shfl` without a mode".into()),
    };
    let (d, p) = (inst.dst::<u32>(OperandName::D)?, inst.predicate_dst(OperandName::P)?);
    let (a, b, c) =
        (inst.src::<u32>(OperandName::A)?, inst.src::<u32>(OperandName::B)?, inst.src::<u32>(OperandName::C)?);
    let mask = membermask(inst)?;
    inst.passes(&[OperandName::A], move |registers, lane, _, byte| {
        let (from, _) = source_lane(mode, lane, registers.lane(b, lane), registers.lane(c, lane));
        Some(ByteOrigin { source: 0, byte, lane: from })
    });
    Ok(DecodeContext::machine(move |context| {
        context.exact = true;
        let values = context.registers.get(a);
        let (offsets, bounds) = (context.registers.get(b), context.registers.get(c));
        let (mut out, mut inside) = ([0; 32], 0);
        let executing = context.mask;
        for party in parties(context, mask) {
            let mut silent = 0;
            for lane in lanes(party.lanes) {
                let (from, ok) = source_lane(mode, lane, offsets[lane], bounds[lane]);
                out[lane] = values[from];
                inside |= LaneMask::from(ok) << lane;
                let marks = context.source_marks(from);
                context.mark(lane, marks);
                if party.members() >> from & 1 == 0 {
                    silent |= 1 << lane;
                    context.mark(lane, Marks::UNSPECIFIED);
                }
            }
            // A lane that is not in its own mask has been reported already.
            let silent = silent & party.named;
            if silent != 0 {
                let from =
                    lanes(silent).map(|l| source_lane(mode, l, offsets[l], bounds[l]).0).fold(0, |m, l| m | 1 << l);
                context.fault(FaultKind::Membermask, silent, || {
                    format!(
                        "lanes {} read from lanes {}, which do not take part: the value is undefined",
                        list(silent),
                        list(from)
                    )
                });
            }
        }
        context.registers.put(d, executing, out);
        if let Some(p) = p {
            context.registers.put_predicate(p, executing, inside);
        }
        StepOutcome::Next
    }))
}

/// `vote`, `vote.sync`.
pub(crate) fn vote(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let a = inst.predicate_src(OperandName::A)?.ok_or("`vote` without a source")?;
    let mask = membermask(inst)?;
    let ballot = if inst.has(Modifier::Ballot) || inst.modifier(SlotName::Mode).is_none() {
        Some(inst.dst::<u32>(OperandName::D)?)
    } else {
        None
    };
    let d = if ballot.is_none() { inst.predicate_dst(OperandName::D)? } else { None };
    let mode = inst.modifier(SlotName::Mode);
    Ok(DecodeContext::machine(move |context| {
        context.exact = true;
        let values = context.registers.predicate(a);
        for party in parties(context, mask) {
            let members = party.members();
            let held = values & members;
            if let Some(d) = ballot {
                context.registers.put(d, party.lanes, [held; 32]);
            }
            if let Some(d) = d {
                let truth = match mode {
                    Some(Modifier::All) => held == members,
                    Some(Modifier::Any) => held != 0,
                    _ => held == 0 || held == members,
                };
                context.registers.put_predicate(d, party.lanes, if truth { LaneMask::MAX } else { 0 });
            }
            mark_together(context, party);
        }
        StepOutcome::Next
    }))
}

/// `match.any.sync` and `match.all.sync`.
pub(crate) fn matches(inst: &mut DecodeContext<'_>, all: bool) -> Result<OpAction, DecodeRefusal> {
    let d = inst.dst::<u32>(OperandName::D)?;
    let p = inst.predicate_dst(OperandName::P)?;
    let width = if inst.modifier(SlotName::Type) == Some(Modifier::B64) { 8 } else { 4 };
    let operand = inst.operand(OperandName::A).ok_or("`match` without a source")?;
    let a = inst.place(operand, width)?;
    let cut = if width == 8 { u128::from(u64::MAX) } else { u128::from(u32::MAX) };
    let mask = membermask(inst)?;
    Ok(DecodeContext::machine(move |context| {
        context.exact = true;
        let mut values = [0; 32];
        for lane in lanes(context.mask) {
            values[lane] = context.registers.lane_bits(a, lane) & cut;
        }
        for party in parties(context, mask) {
            let members = party.members();
            let equal = |to: u128| lanes(members).filter(|l| values[*l] == to).fold(0, |m, l| m | 1 << l);
            let first = members.trailing_zeros() as usize;
            let everybody = members != 0 && equal(values[first % 32]) == members;
            for lane in lanes(party.lanes) {
                let found = match all {
                    true if everybody => members,
                    true => 0,
                    false => equal(values[lane]),
                };
                context.registers.put_lane(d, lane, found);
            }
            if let Some(p) = p {
                context.registers.put_predicate(p, party.lanes, if everybody { LaneMask::MAX } else { 0 });
            }
            mark_together(context, party);
        }
        StepOutcome::Next
    }))
}

/// `activemask`: the lanes that execute it now. The machine chooses them, and keeps lanes together if it can.
pub(crate) fn activemask(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let d = inst.dst::<u32>(OperandName::D)?;
    Ok(DecodeContext::all(move |registers, mask| {
        registers.put(d, mask, [mask; 32]);
        LaneMarks::default()
    }))
}

/// `redux.sync`.
pub(crate) fn redux(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let operation = inst.modifier(SlotName::Op).and_then(|m| atomic::AtomicOperation::named(m.word()));
    let operation = operation.ok_or("`redux` without an operation")?;
    let (d, a) = (inst.dst::<u32>(OperandName::D)?, inst.src::<u32>(OperandName::A)?);
    let float = inst.has(Modifier::F32);
    let signed = inst.has(Modifier::S32);
    let (abs, nan) = (inst.has(Modifier::Abs), inst.has(Modifier::NaN));
    let largest = operation == atomic::AtomicOperation::Max;
    let mask = membermask(inst)?;
    Ok(DecodeContext::machine(move |context| {
        context.exact = true;
        let values = context.registers.get(a);
        for party in parties(context, mask) {
            let members = lanes(party.members()).map(|l| values[l]);
            let result = if float {
                atomic::redux_f32(largest, abs, nan, members)
            } else {
                atomic::redux(operation, signed, members)
            };
            // If no lane is a member, each lane is outside of its own mask, which has been reported.
            context.registers.put(d, party.lanes, [result.unwrap_or(0); 32]);
            mark_together(context, party);
        }
        StepOutcome::Next
    }))
}

/// `elect.sync`. The manual only requires that the elected lane is always the same for a mask; here it is the lowest one.
pub(crate) fn elect(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let d = inst.dst::<u32>(OperandName::D)?;
    let p = inst.predicate_dst(OperandName::P)?.ok_or("`elect.sync` without a predicate")?;
    let mask = membermask(inst)?;
    Ok(DecodeContext::machine(move |context| {
        for party in parties(context, mask) {
            let members = if party.members() == 0 { party.lanes } else { party.members() };
            let leader = members.trailing_zeros();
            context.registers.put(d, party.lanes, [leader; 32]);
            context.registers.put_predicate(p, party.lanes, 1u32.checked_shl(leader).unwrap_or(0));
            mark_together(context, party);
        }
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
