//! What registers of bits are taken as: `.b32` says nothing, but `mma` reads it as `.f16x2`, `fma.rn.f32` as `.f32`.

use ptx_analysis::flow::{FlowFunction, OperandRole, OperandValue};
use ptx_analysis::types::TypeId;
use ptx_isa::tables::TypeClass;

/// Copies of copies further than this are not followed.
const MAX_COPY_ROUNDS: usize = 4;

/// For each register that is declared as bits, the type (with its dot) that the instructions read it as which use it; without such a reader
/// the type of the instructions that write it. Nothing where they do not agree, and for addresses.
pub fn meanings(function: &FlowFunction) -> Vec<Option<&'static str>> {
    let count = function.registers.len();
    let mut read: Vec<Vote> = vec![Vote::None; count];
    let mut written: Vec<Vote> = vec![Vote::None; count];
    let mut copies: Vec<(usize, usize)> = Vec::new();
    for index in 0..function.instructions.len() {
        let operands = function.operands_of(index);
        for operand in operands {
            let OperandValue::Register(slot) = operand.value else { continue };
            let at = slot.index();
            if operand.role == OperandRole::Address {
                read[at] = Vote::Conflict;
                continue;
            }
            let Some(ty) = operand.ty.filter(|t| says_something(*t) && t.info().bits == bits_of(function, at)) else {
                continue;
            };
            if operand.reads() {
                read[at] = read[at].with(ty);
            }
            if operand.writes() {
                written[at] = written[at].with(ty);
            }
        }
        if function.entry(index).carries
            && let ([from], [to]) = (function.reads(index), function.writes(index))
        {
            copies.push((from.slot.index(), to.slot.index()));
        }
    }
    for _ in 0..MAX_COPY_ROUNDS {
        for (from, to) in &copies {
            if read[*from] == Vote::None && bits_of(function, *from) == bits_of(function, *to) {
                read[*from] = read[*to];
            }
        }
    }
    let chosen = |at: usize| match (read[at], written[at]) {
        (Vote::Type(ty), _) | (Vote::None, Vote::Type(ty)) => Some(ty.name()),
        _ => None,
    };
    let only_bits = |at: usize| declared(function, at).info().class == TypeClass::Bits;
    (0..count).map(|at| chosen(at).filter(|_| only_bits(at))).collect()
}

/// What the instructions say of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    None,
    Type(TypeId),
    Conflict,
}

impl Vote {
    /// Signed and unsigned numbers agree on signed, which shows small numbers of both kinds; formats with a fraction agree with no other.
    fn with(self, ty: TypeId) -> Self {
        let whole = |t: TypeId| matches!(t.info().class, TypeClass::Uint | TypeClass::Sint);
        match self {
            Self::None => Self::Type(ty),
            Self::Type(known) if known == ty => self,
            Self::Type(known) if whole(known) && whole(ty) => {
                Self::Type(if known.info().class == TypeClass::Sint { known } else { ty })
            }
            // What is added up as whole numbers and then read as a fraction is a trick with bits.
            Self::Type(_) | Self::Conflict => Self::Conflict,
        }
    }
}

fn says_something(ty: TypeId) -> bool {
    !matches!(ty.info().class, TypeClass::Bits | TypeClass::Pred | TypeClass::Opaque)
}

fn declared(function: &FlowFunction, slot: usize) -> TypeId {
    function.declaration(ptx_analysis::flow::RegisterSlot(slot as u32)).ty
}

fn bits_of(function: &FlowFunction, slot: usize) -> u16 {
    declared(function, slot).info().bits
}
