//! `wgmma`: products of a warpgroup.
//!
//! Each of the four warps computes its 16 rows of the 64 when it issues the instruction: what is in shared memory may not change
//! before the product is waited for, so that is one of the orders in which it may happen. Which registers must not be touched
//! meanwhile is kept for each warp ([`Wgmma`]).

use super::mma::{Held, Sparsity, all_source_marks, kind, multiply, numerics, refused, types, whole_warp};
use super::shared_matrix::Source;
use crate::findings::{Kind, Site};
use crate::inst::Inst;
use crate::lanes::lanes;
use crate::machine::code::{Action, Refusal};
use crate::machine::{Context, Outcome};
use crate::registers::Src;
use crate::simd::Marked;
use ptx_analysis::flow::Value;
use ptx_isa::OperandName;
use ptx_isa::tables::dimension;
use ptx_num::matrix::descriptor;
use ptx_num::matrix::element::Element;
use ptx_num::matrix::numerics::Unit;
use ptx_num::matrix::product::{Operands, Product, Shape, Spec};
use ptx_num::matrix::shared::Major;
use ptx_num::matrix::sparse::{Indices, Pattern};
use std::collections::BTreeMap;

/// Rows that a warp computes.
const ROWS: usize = 16;

/// What is known of a register that a product uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Accumulator of a product in flight, of that group and that shape (N).
    Accumulates { group: u64, n: usize },
    /// A of a product in flight, of that group.
    Input { group: u64 },
    /// It was waited for, and not used since.
    Done,
    /// It was waited for, and used since without a fence.
    Touched,
}

/// The products in flight of a warp.
#[derive(Debug, Clone, Default)]
pub struct Wgmma {
    /// Registers by function and number, with the instruction that has used them last.
    registers: BTreeMap<(u32, u32), (State, Site)>,
    /// Groups that were committed.
    committed: u64,
    /// There was a fence.
    fenced: bool,
}

/// A register that is used too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Early {
    /// The product that uses it.
    pub site: Site,
    /// It is an accumulator, not A.
    pub accumulator: bool,
}

impl Wgmma {
    /// Whether uses of registers must be reported.
    #[inline]
    pub(crate) fn watches(&self) -> bool {
        !self.registers.is_empty()
    }

    /// A register is read or written by another instruction.
    pub(crate) fn touch(&mut self, function: u32, register: u32) -> Option<Early> {
        let (state, site) = self.registers.get_mut(&(function, register))?;
        match state {
            State::Accumulates { .. } => Some(Early { site: *site, accumulator: true }),
            State::Input { .. } => Some(Early { site: *site, accumulator: false }),
            State::Done | State::Touched => {
                *state = State::Touched;
                None
            }
        }
    }

    fn wait(&mut self, left: u64) {
        let committed = self.committed;
        for (state, _) in self.registers.values_mut() {
            if let State::Accumulates { group, .. } | State::Input { group } = *state
                && group.saturating_add(left) < committed
            {
                *state = State::Done;
            }
        }
    }

    fn fence(&mut self) {
        self.registers.retain(|_, (state, _)| !matches!(state, State::Done | State::Touched));
        self.fenced = true;
    }

    /// A product begins. What is wrong with that, in words.
    fn begin(&mut self, site: Site, d: &[u32], a: &[u32], n: usize) -> Option<&'static str> {
        let mut wrong = (!self.fenced)
            .then_some("no `wgmma.fence` was executed before this first product: it must order the registers");
        let group = self.committed;
        for register in d {
            let state = self.registers.insert((site.function, *register), (State::Accumulates { group, n }, site));
            wrong = wrong.or(match state {
                Some((State::Accumulates { n: other, .. }, _)) if other != n => {
                    Some("an accumulator of a product of another shape that is still in flight: wait for it, and put a `wgmma.fence` before this one")
                }
                Some((State::Input { .. }, _)) => Some("an accumulator is A of a product that is still in flight"),
                Some((State::Touched, _)) => Some(TOUCHED),
                _ => None,
            });
        }
        for register in a {
            let key = (site.function, *register);
            let state = self.registers.get(&key).map(|s| s.0);
            wrong = wrong.or(match state {
                Some(State::Accumulates { .. }) => Some(
                    "A is the accumulator of a product that is still in flight: wait for it with `wgmma.wait_group`",
                ),
                Some(State::Touched) => Some(TOUCHED),
                _ => None,
            });
            if !matches!(state, Some(State::Accumulates { .. })) {
                self.registers.insert(key, (State::Input { group }, site));
            }
        }
        wrong
    }
}

const TOUCHED: &str =
    "registers of this product were used by other instructions since the last `wgmma.fence`: put one before it";

/// `wgmma.fence`.
pub(crate) fn fence() -> Action {
    Inst::machine(|context| {
        whole_warp(context);
        context.lanes.wgmma.fence();
        Outcome::Next
    })
}

/// `wgmma.commit_group`.
pub(crate) fn commit() -> Action {
    Inst::machine(|context| {
        whole_warp(context);
        context.lanes.wgmma.committed += 1;
        Outcome::Next
    })
}

/// `wgmma.wait_group`.
pub(crate) fn wait(inst: &mut Inst<'_>) -> Result<Action, Refusal> {
    let left = inst.immediate(OperandName::N).ok_or("a number of groups that is not known")?;
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    Ok(Inst::machine(move |context| {
        whole_warp(context);
        context.lanes.wgmma.wait(left);
        Outcome::Next
    }))
}

/// A of a product.
enum Left {
    Registers(Held),
    Descriptor(Src<u64>, Major),
}

/// The value of a descriptor, which must be the same in all lanes.
pub(super) fn uniform(context: &mut Context<'_>, src: Src<u64>) -> u64 {
    let first = context.mask.trailing_zeros().min(31) as usize;
    let value = context.registers.lane(src, first);
    let other = lanes(context.mask).filter(|l| context.registers.lane(src, *l) != value).fold(0, |m, l| m | 1 << l);
    if other != 0 {
        context.fault(Kind::Undefined, other, || {
            format!("the descriptor differs between lanes of the warp: lane {first} has {value:#x}")
        });
    }
    value
}

fn major(inst: &Inst<'_>, operand: OperandName) -> Major {
    if inst.immediate(operand) == Some(1) { Major::MN } else { Major::K }
}

fn negated(inst: &Inst<'_>, operand: OperandName) -> bool {
    let minus = inst.operand(operand).is_some_and(|o| o.minus);
    matches!((inst.immediate(operand), minus), (Some(-1), false) | (Some(1), true))
}

/// The registers of an operand by their numbers.
fn slots(inst: &Inst<'_>, operand: OperandName) -> Vec<u32> {
    let of = |o: &ptx_analysis::flow::Operand| match o.value {
        Value::Register(slot) | Value::Part(slot, _) => slot.0..slot.0 + 1,
        Value::Registers(slot, count) => slot.0..slot.0 + u32::from(count),
        _ => 0..0,
    };
    inst.operands(operand).flat_map(of).collect()
}

/// `wgmma.mma_async`, with a sparse A too.
pub(crate) fn mma(inst: &mut Inst<'_>) -> Result<Action, Refusal> {
    let of = |inst: &Inst<'_>, name: &str| inst.modifiers().find_map(|m| dimension(m.name(), name)).map(|n| n as usize);
    let (Some(n), Some(k)) = (of(inst, "n"), of(inst, "k")) else {
        return Err("`wgmma` without a shape".into());
    };
    let [d_type, a_type, b_type] = types(inst)[..] else { return Err("`wgmma` without its types".into()) };
    let warp = |held: Held| Held { fragment: held.fragment.first_warp(), places: held.places };
    let d = warp(Held::new(inst, OperandName::D, None)?);
    let (d_slots, a_slots) = (slots(inst, OperandName::D), slots(inst, OperandName::A));
    let a = match inst.operand(OperandName::A) {
        Some(_) => Left::Registers(warp(Held::new(inst, OperandName::A, None)?)),
        None => Left::Descriptor(inst.src(OperandName::Adesc)?, major(inst, OperandName::TransA)),
    };
    let (b, major_b) = (inst.src::<u64>(OperandName::Bdesc)?, major(inst, OperandName::TransB));
    let sparsity = match inst.operand(OperandName::Meta) {
        None => None,
        Some(_) => {
            let selector = inst.immediate(OperandName::Sel).ok_or("a selector that is not known")?;
            Some(Sparsity {
                metadata: warp(Held::with(inst, OperandName::Meta, None, |_, _| Some(selector))?),
                pattern: Pattern::of(a_type, false),
                indices: Indices::Different,
                k,
            })
        }
    };
    let add = inst.predicate_src(OperandName::ScaleD)?.ok_or("`wgmma` without `scale_d`")?;
    let product = Product::new(Spec {
        unit: Unit::Wgmma,
        numerics: numerics(inst)?,
        shape: Shape { m: ROWS, n, k },
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
    Ok(Inst::machine(move |context| {
        whole_warp(context);
        let site = context.site;
        if let Some(words) = context.lanes.wgmma.begin(site, &d_slots, &a_slots, n) {
            let mask = context.mask;
            context.fault(Kind::Asynchronous, mask, || words.into());
        }
        let mut marks = all_source_marks(context);
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let elements_a = match &a {
            Left::Registers(held) => held.gather(context.registers),
            Left::Descriptor(src, major) => {
                let bits = uniform(context, *src);
                let first = (context.lanes.number % 4) * ROWS as u32;
                let mut out = vec![0; ROWS * kept];
                let Some(source) = source(context, bits, *major, a_type, lane) else { return Outcome::Next };
                let read = source.read(context, first..first + ROWS as u32, 0..kept as u32, |row, at, value| {
                    out[row * kept + at] = value;
                });
                let Some(read) = read else { return Outcome::Next };
                marks |= read;
                out
            }
        };
        let bits = uniform(context, b);
        let mut elements_b = vec![0; n * k];
        let Some(source) = source(context, bits, major_b, b_type, lane) else { return Outcome::Next };
        let read =
            source.read(context, 0..n as u32, 0..k as u32, |column, at, value| elements_b[at * n + column] = value);
        let Some(read) = read else { return Outcome::Next };
        marks |= read;
        let columns = sparsity.as_ref().map_or(Vec::new(), |s| s.columns(context));
        let adds = context.registers.predicate(add) >> lane & 1 != 0;
        let c = if adds { d.gather(context.registers) } else { vec![0; ROWS * n] };
        let operands = Operands { a: &elements_a, b: &elements_b, c: &c, columns: &columns, ..Operands::default() };
        let (mut values, mut each) = (Vec::new(), Vec::new());
        multiply(context, &product, &operands, &mut values, &mut each);
        d.scatter(context, &values, Some(&each));
        let all = Marked::all(context.mask, marks);
        context.marked.unspecified |= all.unspecified;
        context.marked.approximate |= all.approximate;
        Outcome::Next
    }))
}

/// The matrix that a descriptor describes.
fn source(context: &mut Context<'_>, bits: u64, major: Major, element: Element, lane: usize) -> Option<Source> {
    match descriptor::wgmma(bits, major, element.bits()) {
        Ok(matrix) => Some(Source { matrix, rank: None, lane }),
        Err(why) => {
            context.fault(Kind::Undefined, 1 << lane, || why.0.to_owned());
            None
        }
    }
}
