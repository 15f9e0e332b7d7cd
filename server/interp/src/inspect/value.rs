//! Typed values.

use crate::lanes::{LANES, LaneMask};
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};
use ptx_num::notation::{ElementFormat, ElementKind};
use ptx_num::values::Marks;

/// The value of one lane, with its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedValue {
    /// The PTX type, with the dot.
    pub ty: &'static str,
    /// The bits, zero-extended.
    pub bits: u128,
    /// Whether the value is unspecified or approximate.
    pub marks: Marks,
    /// The value was written; otherwise the bits are arbitrary.
    pub known: bool,
}

/// How the bits of a type are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeMeaning {
    /// A truth value.
    Truth,
    /// An integer.
    Integer { signed: bool },
    /// Untyped bits.
    Bits,
    /// A floating-point number.
    Float(ElementFormat),
    /// Several packed numbers: the type of each, and their count.
    Packed(ElementFormat, u32),
}

/// How the bits of a type are interpreted, and their number. 32 bits for unknown types.
pub(super) fn meaning(ty: &str) -> (TypeMeaning, u32) {
    let Some(info) = ISA.ty(ty) else { return (TypeMeaning::Bits, 32) };
    let bits = u32::from(info.bits).clamp(1, 128);
    (meaning_of(info), bits)
}

fn meaning_of(info: &TypeInfo) -> TypeMeaning {
    match info.class {
        TypeClass::Pred => TypeMeaning::Truth,
        TypeClass::Uint => TypeMeaning::Integer { signed: false },
        TypeClass::Sint => TypeMeaning::Integer { signed: true },
        TypeClass::Bits | TypeClass::Opaque => TypeMeaning::Bits,
        TypeClass::Float | TypeClass::Packed => match number_format(info) {
            Some((element, 1)) => TypeMeaning::Float(element),
            Some((element, count)) => TypeMeaning::Packed(element, count),
            None => TypeMeaning::Bits,
        },
    }
}

/// The format of the numbers in a value of a type, and how many there are: two of `f16` in `.f16x2`. `None` for a type without numbers that have
/// a fraction.
pub fn number_format(info: &TypeInfo) -> Option<(ElementFormat, u32)> {
    let one = ElementFormat::named(info.name).filter(|element| matches!(element.kind(), ElementKind::Float(_)));
    let many = || {
        let (element, count) = info.name.rsplit_once('x')?;
        let (element, count) = (ElementFormat::named(element)?, count.parse::<u32>().ok()?);
        (count > 0 && element.bits() * count == u32::from(info.bits)).then_some((element, count))
    };
    one.map(|element| (element, 1)).or_else(many)
}

/// The lowest `count` bits.
pub(super) fn low(bits: u128, count: u32) -> u128 {
    if count >= 128 { bits } else { bits & ((1 << count) - 1) }
}

/// The lowest `count` bits, sign-extended.
pub(super) fn signed(bits: u128, count: u32) -> i128 {
    let unused = 128 - count.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

impl TypedValue {
    /// A written value without marks.
    pub fn new(ty: &'static str, bits: u128) -> Self {
        Self { ty, bits: low(bits, meaning(ty).1), marks: Marks::NONE, known: true }
    }

    /// The value of one lane, from the bytes of all 32 lanes of a register as recorders and views provide them. For a predicate these are
    /// four bytes with one bit per lane.
    pub fn of_lane(ty: &'static str, bytes: &[u8], lane: usize) -> Option<Self> {
        if meaning(ty).0 == TypeMeaning::Truth {
            let mask = LaneMask::from_le_bytes(*bytes.first_chunk()?);
            return Some(Self::new(ty, u128::from(mask >> (lane % LANES) & 1)));
        }
        let width = bytes.len() / LANES;
        let own = bytes.get(lane % LANES * width..)?.get(..width)?;
        let bits = own.iter().rev().take(16).fold(0, |all, byte| all << 8 | u128::from(*byte));
        Some(Self::new(ty, bits))
    }

    /// Whether the value counts as true: it is not zero.
    pub fn is_true(&self) -> bool {
        match meaning(self.ty).0 {
            TypeMeaning::Float(element) => element.value(self.bits) != 0.0,
            _ => self.bits != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TypedValue;

    #[test]
    fn lanes_of_registers() {
        let bytes: Vec<u8> = (0..32u32).flat_map(|l| (l * l).to_le_bytes()).collect();
        assert_eq!(TypedValue::of_lane(".s32", &bytes, 5), Some(TypedValue::new(".s32", 25)));
        assert_eq!(TypedValue::of_lane(".pred", &[2, 0, 0, 0], 1), Some(TypedValue::new(".pred", 1)));
        assert_eq!(TypedValue::of_lane(".pred", &[2], 1), None);
    }
}
