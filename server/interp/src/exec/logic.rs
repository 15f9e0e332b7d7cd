//! Logic and shifts, of bits and of predicates; `prmt`.

use super::integer::type_of;
use super::typed::by_type;
use crate::inst::DecodeContext;
use crate::lanes::{LANES, Lane, LaneMask};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::passing::ByteOrigin;
use crate::registers::{Dst, PredicateDst, PredicateSrc, Src, WarpRegisters};
use crate::simd::{LaneMarks, LaneStep};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::integer::permute::{PermuteMode, prmt as permuted};
use ptx_num::values::integer::{Int, logic, shift};

type Result<T> = std::result::Result<T, DecodeRefusal>;

/// Decodes a function of predicates. `f` gets masks with one bit per lane.
fn predicates(inst: &mut DecodeContext<'_>, f: fn(LaneMask, LaneMask) -> LaneMask) -> Result<OpAction> {
    let d = inst.predicate_dst(OperandName::D)?.ok_or("an operation on predicates without a destination")?;
    let a = inst.predicate_src(OperandName::A)?.ok_or("an operation on predicates without a source")?;
    let b = inst.predicate_src(OperandName::B)?.unwrap_or(a);
    Ok(DecodeContext::all(move |r, mask| {
        let value = f(r.predicate(a), r.predicate(b));
        r.put_predicate(d, mask, value);
        LaneMarks::default()
    }))
}

fn of_predicates(inst: &DecodeContext<'_>) -> bool {
    inst.has(Modifier::Pred)
}

pub(super) fn and(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if of_predicates(inst) {
        return predicates(inst, |a, b| a & b);
    }
    by_type!(type_of(inst), T => inst.map2(|a: T, b: T| logic::and(a, b)))
}

pub(super) fn or(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if of_predicates(inst) {
        return predicates(inst, |a, b| a | b);
    }
    by_type!(type_of(inst), T => inst.map2(|a: T, b: T| logic::or(a, b)))
}

pub(super) fn xor(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if of_predicates(inst) {
        return predicates(inst, |a, b| a ^ b);
    }
    by_type!(type_of(inst), T => inst.map2(|a: T, b: T| logic::xor(a, b)))
}

pub(super) fn not(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if of_predicates(inst) {
        return predicates(inst, |a, _| !a);
    }
    by_type!(type_of(inst), T => inst.map1(|a: T| logic::not(a)))
}

pub(super) fn cnot(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map1(|a: T| logic::cnot(a)))
}

/// `lop3` that also compares its result with zero. The predicate `result != 0` is combined with the predicate `q`.
struct Lop3 {
    d: Dst<u32>,
    abc: (Src<u32>, Src<u32>, Src<u32>),
    table: u8,
    p: PredicateDst,
    q: PredicateSrc,
    or: bool,
}

impl LaneStep for Lop3 {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let (a, b, c) = (registers.get(self.abc.0), registers.get(self.abc.1), registers.get(self.abc.2));
        let mut out = [0; LANES];
        let mut truth = 0;
        for lane in 0..LANES {
            out[lane] = logic::lop3(a[lane], b[lane], c[lane], self.table);
            truth |= LaneMask::from(out[lane] != 0) << lane;
        }
        let q = registers.predicate(self.q);
        registers.put(self.d, mask, out);
        registers.put_predicate(self.p, mask, if self.or { truth | q } else { truth & q });
        LaneMarks::default()
    }
}

pub(super) fn lop3(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    // The assembler takes larger numbers and uses their lowest byte.
    let table = inst.immediate(OperandName::Lut).ok_or("`lop3` without its table")? as u8;
    let Some(p) = inst.predicate_dst(OperandName::P)? else {
        return inst.map3(move |a: u32, b: u32, c: u32| logic::lop3(a, b, c, table));
    };
    let q = inst.predicate_src(OperandName::Q)?.ok_or("`lop3` without the predicate that it combines with")?;
    let (d, or) = (inst.dst(OperandName::D)?, inst.has(Modifier::Or));
    Ok(DecodeContext::step(Lop3 {
        d,
        abc: (inst.src(OperandName::A)?, inst.src(OperandName::B)?, inst.src(OperandName::C)?),
        table,
        p,
        q,
        or,
    }))
}

pub(super) fn shl(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => shifting::<T>(inst, shift::shl::<T>))
}

pub(super) fn shr(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => shifting::<T>(inst, shift::shr::<T>))
}

fn shifting<T: Lane + Int>(
    inst: &mut DecodeContext<'_>,
    f: impl Fn(T, u32) -> T + Send + Sync + 'static,
) -> Result<OpAction> {
    inst.map2(f)
}

pub(super) fn shf(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let wrap = inst.has(Modifier::Wrap);
    if inst.has(Modifier::L) {
        inst.map3(move |a: u32, b: u32, c: u32| shift::shf_l(a, b, c, wrap))
    } else {
        inst.map3(move |a: u32, b: u32, c: u32| shift::shf_r(a, b, c, wrap))
    }
}

pub(super) fn prmt(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let mode = inst.modifier(SlotName::Mode).and_then(|m| PermuteMode::of(m.word()));
    let c = inst.src::<u32>(OperandName::C)?;
    inst.passes(&[OperandName::A, OperandName::B], move |registers, lane, _, byte| {
        let c = registers.lane(c, lane);
        // The digits that choose bytes, without the bits that replicate their signs.
        let digits = mode.map_or(c, |mode| mode.selectors(c)) & 0x7777;
        let chosen = permuted(0x0302_0100, 0x0706_0504, digits).to_le_bytes();
        chosen.get(byte).map(|at| ByteOrigin { source: usize::from(at / 4), byte: usize::from(at % 4), lane })
    });
    match mode {
        None => inst.map3(|a: u32, b: u32, c: u32| permuted(a, b, c)),
        Some(pattern) => inst.map3(move |a: u32, b: u32, c: u32| permuted(a, b, pattern.selectors(c))),
    }
}
