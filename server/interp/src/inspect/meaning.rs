//! Types as which instructions use untyped registers: a `.b32` register may be `.f16x2` for `mma`, or `.f32` for `fma.rn.f32`.

use ptx_flow::flow::{FlowFunction, OperandRole, OperandValue};
use ptx_isa::tables::TypeClass;
use ptx_sema::hir::types::TypeId;

/// Maximum length of a chain of copies that is followed.
const MAX_COPY_ROUNDS: usize = 4;

/// For each register that is declared as bits: the type (with its dot) as which the instructions read it. Without a typed reader, the type
/// of the instructions that write it. `None` if they disagree, and for addresses.
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

/// The types as which the instructions use a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    None,
    Type(TypeId),
    Conflict,
}

impl Vote {
    /// Adds one use. Signed and unsigned integers together count as signed, which displays small numbers of both correctly. Floating-point
    /// formats agree with no other type.
    fn with(self, ty: TypeId) -> Self {
        let whole = |t: TypeId| matches!(t.info().class, TypeClass::Uint | TypeClass::Sint);
        match self {
            Self::None => Self::Type(ty),
            Self::Type(known) if known == ty => self,
            Self::Type(known) if whole(known) && whole(ty) => {
                Self::Type(if known.info().class == TypeClass::Sint { known } else { ty })
            }
            // A value that is computed as an integer but read as a floating-point number is bit manipulation: neither type describes the
            // register.
            Self::Type(_) | Self::Conflict => Self::Conflict,
        }
    }
}

fn says_something(ty: TypeId) -> bool {
    !matches!(ty.info().class, TypeClass::Bits | TypeClass::Pred | TypeClass::Opaque)
}

fn declared(function: &FlowFunction, slot: usize) -> TypeId {
    function.declaration(ptx_flow::flow::RegisterSlot(slot as u32)).ty
}

fn bits_of(function: &FlowFunction, slot: usize) -> u16 {
    declared(function, slot).info().bits
}
