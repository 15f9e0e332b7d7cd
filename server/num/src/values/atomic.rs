//! Functions of read-modify-write instructions: `atom`, `red`, `red.async`, `cp.reduce.async.bulk` (and `.tensor`), `multimem`,
//! `fabric` reductions and `redux.sync`.
//!
//! Sources: manual `atom`, `red`, `redux.sync`, `cp.reduce.async.bulk`, `multimem` (9.1). Vector forms (`.v2` … `.v8`) are
//! atomic per element, so the interpreter applies the function of the element type to each element. A packed type is one
//! element here.
//!
//! Flushing (manual, `atom`, `red` and `cp.reduce.async.bulk`): additions of `.f32` flush subnormal inputs and results to zero
//! with their sign in global memory, and keep them in shared memory or with `.noftz`. All other types keep them. For `multimem`
//! the manual defines nothing; it works on global memory.

#[cfg(test)]
mod tests;

use super::Marks;
use super::convert::{FloatLayout, Narrow, RoundingDirection, quick};

/// Operation of an atomic instruction; the comments describe the new value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// The sum; integers wrap, floats round to nearest even.
    Add,
    /// The smaller value.
    Min,
    /// The larger value.
    Max,
    /// The old value plus 1; 0 if the old value is at least `b`.
    Inc,
    /// The old value minus 1; `b` if the old value is 0 or greater than `b`.
    Dec,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `b`.
    Exch,
    /// `c` if the old value equals `b`, else the old value.
    Cas,
}

impl AtomicOperation {
    /// Returns the operation of a modifier, without its dot.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "min" => Self::Min,
            "max" => Self::Max,
            "inc" => Self::Inc,
            "dec" => Self::Dec,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "exch" => Self::Exch,
            "cas" => Self::Cas,
            _ => return None,
        })
    }
}

/// Type of the memory location of an atomic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicElement {
    /// Bits: 16, 32, 64 or 128.
    Bits(u32),
    /// Unsigned: 32 or 64 bits.
    Unsigned(u32),
    /// Two's complement: 32 or 64 bits.
    Signed(u32),
    /// binary16, with the number of packed elements (1 or 2).
    F16(u32),
    /// bfloat16, with the number of packed elements (1 or 2).
    Bf16(u32),
    /// binary32
    F32,
    /// binary64
    F64,
    /// `.e4m3`, with the number of packed elements (1, 2 or 4).
    E4m3(u32),
    /// `.e5m2`, with the number of packed elements (1, 2 or 4).
    E5m2(u32),
}

impl AtomicElement {
    /// Returns the type with that name, without its dot.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "b16" => Self::Bits(16),
            "b32" => Self::Bits(32),
            "b64" => Self::Bits(64),
            "b128" => Self::Bits(128),
            "u32" => Self::Unsigned(32),
            "u64" => Self::Unsigned(64),
            "s32" => Self::Signed(32),
            "s64" => Self::Signed(64),
            "f16" => Self::F16(1),
            "f16x2" => Self::F16(2),
            "bf16" => Self::Bf16(1),
            "bf16x2" => Self::Bf16(2),
            "f32" => Self::F32,
            "f64" => Self::F64,
            "e4m3" => Self::E4m3(1),
            "e4m3x2" => Self::E4m3(2),
            "e4m3x4" => Self::E4m3(4),
            "e5m2" => Self::E5m2(1),
            "e5m2x2" => Self::E5m2(2),
            "e5m2x4" => Self::E5m2(4),
            _ => return None,
        })
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits(bits) | Self::Unsigned(bits) | Self::Signed(bits) => bits,
            Self::F16(count) | Self::Bf16(count) => 16 * count,
            Self::F32 => 32,
            Self::F64 => 64,
            Self::E4m3(count) | Self::E5m2(count) => 8 * count,
        }
    }

    /// Returns the number of packed values and the width of each in bits.
    fn parts(self) -> (u32, u32) {
        match self {
            Self::F16(count) | Self::Bf16(count) => (count, 16),
            Self::E4m3(count) | Self::E5m2(count) => (count, 8),
            _ => (1, self.bits()),
        }
    }
}

/// Maps the old value and the operands `b` and `c` to the new value. All values start at bit 0. Bits above the type are zero in
/// the result and ignored in the operands.
pub type AtomicFunction = fn(old: u128, b: u128, c: u128) -> u128;

/// Returns the function of an operation on a type; `None` if no instruction has it. `flush`: subnormal `.f32` inputs and
/// results of a sum become zero (see the [module](self)).
pub fn operation(operation: AtomicOperation, element: AtomicElement, flush: bool) -> Option<AtomicFunction> {
    use AtomicOperation::{Add, And, Cas, Dec, Exch, Inc, Max, Min, Or, Xor};
    Some(match (operation, element) {
        (Add, AtomicElement::Unsigned(32) | AtomicElement::Signed(32)) => {
            |old, b, _| (old as u32).wrapping_add(b as u32).into()
        }
        (Add, AtomicElement::Unsigned(64) | AtomicElement::Signed(64)) => {
            |old, b, _| (old as u64).wrapping_add(b as u64).into()
        }
        (Min, AtomicElement::Unsigned(32)) => |old, b, _| (old as u32).min(b as u32).into(),
        (Max, AtomicElement::Unsigned(32)) => |old, b, _| (old as u32).max(b as u32).into(),
        (Min, AtomicElement::Unsigned(64)) => |old, b, _| (old as u64).min(b as u64).into(),
        (Max, AtomicElement::Unsigned(64)) => |old, b, _| (old as u64).max(b as u64).into(),
        (Min, AtomicElement::Signed(32)) => |old, b, _| ((old as i32).min(b as i32) as u32).into(),
        (Max, AtomicElement::Signed(32)) => |old, b, _| ((old as i32).max(b as i32) as u32).into(),
        (Min, AtomicElement::Signed(64)) => |old, b, _| ((old as i64).min(b as i64) as u64).into(),
        (Max, AtomicElement::Signed(64)) => |old, b, _| ((old as i64).max(b as i64) as u64).into(),
        (Inc, AtomicElement::Unsigned(32)) => |old, b, _| increment(old as u32, b as u32).into(),
        (Dec, AtomicElement::Unsigned(32)) => |old, b, _| decrement(old as u32, b as u32).into(),
        (And, AtomicElement::Bits(32)) => |old, b, _| (old as u32 & b as u32).into(),
        (And, AtomicElement::Bits(64)) => |old, b, _| (old as u64 & b as u64).into(),
        (Or, AtomicElement::Bits(32)) => |old, b, _| (old as u32 | b as u32).into(),
        (Or, AtomicElement::Bits(64)) => |old, b, _| (old as u64 | b as u64).into(),
        (Xor, AtomicElement::Bits(32)) => |old, b, _| (old as u32 ^ b as u32).into(),
        (Xor, AtomicElement::Bits(64)) => |old, b, _| (old as u64 ^ b as u64).into(),
        (Exch, AtomicElement::Bits(32)) => |_, b, _| (b as u32).into(),
        (Exch, AtomicElement::Bits(64)) => |_, b, _| (b as u64).into(),
        (Exch, AtomicElement::Bits(128)) => |_, b, _| b,
        (Cas, AtomicElement::Bits(16)) => |old, b, c| if old as u16 == b as u16 { c as u16 } else { old as u16 }.into(),
        (Cas, AtomicElement::Bits(32)) => |old, b, c| if old as u32 == b as u32 { c as u32 } else { old as u32 }.into(),
        (Cas, AtomicElement::Bits(64)) => |old, b, c| if old as u64 == b as u64 { c as u64 } else { old as u64 }.into(),
        (Cas, AtomicElement::Bits(128)) => |old, b, c| if old == b { c } else { old },
        (Add, AtomicElement::F32) if flush => |old, b, _| add_f32::<true>(old as u32, b as u32).into(),
        (Add, AtomicElement::F32) => |old, b, _| add_f32::<false>(old as u32, b as u32).into(),
        (Add, AtomicElement::F64) => |old, b, _| add_f64(old as u64, b as u64).into(),
        (Add, AtomicElement::F16(1)) => |old, b, _| each::<16, 1>(old, b, add_f16),
        (Add, AtomicElement::F16(2)) => |old, b, _| each::<16, 2>(old, b, add_f16),
        (Add, AtomicElement::Bf16(1)) => |old, b, _| each::<16, 1>(old, b, add_bf16),
        (Add, AtomicElement::Bf16(2)) => |old, b, _| each::<16, 2>(old, b, add_bf16),
        (Min, AtomicElement::F16(1)) => {
            |old, b, _| each::<16, 1>(old, b, |a, b| extreme(&FloatLayout::F16, a, b, false))
        }
        (Min, AtomicElement::F16(2)) => {
            |old, b, _| each::<16, 2>(old, b, |a, b| extreme(&FloatLayout::F16, a, b, false))
        }
        (Max, AtomicElement::F16(1)) => {
            |old, b, _| each::<16, 1>(old, b, |a, b| extreme(&FloatLayout::F16, a, b, true))
        }
        (Max, AtomicElement::F16(2)) => {
            |old, b, _| each::<16, 2>(old, b, |a, b| extreme(&FloatLayout::F16, a, b, true))
        }
        (Min, AtomicElement::Bf16(1)) => {
            |old, b, _| each::<16, 1>(old, b, |a, b| extreme(&FloatLayout::BF16, a, b, false))
        }
        (Min, AtomicElement::Bf16(2)) => {
            |old, b, _| each::<16, 2>(old, b, |a, b| extreme(&FloatLayout::BF16, a, b, false))
        }
        (Max, AtomicElement::Bf16(1)) => {
            |old, b, _| each::<16, 1>(old, b, |a, b| extreme(&FloatLayout::BF16, a, b, true))
        }
        (Max, AtomicElement::Bf16(2)) => {
            |old, b, _| each::<16, 2>(old, b, |a, b| extreme(&FloatLayout::BF16, a, b, true))
        }
        (Add, AtomicElement::E4m3(1)) => |old, b, _| each::<8, 1>(old, b, |a, b| add_byte(Narrow::E4m3, a, b)),
        (Add, AtomicElement::E4m3(2)) => |old, b, _| each::<8, 2>(old, b, |a, b| add_byte(Narrow::E4m3, a, b)),
        (Add, AtomicElement::E4m3(4)) => |old, b, _| each::<8, 4>(old, b, |a, b| add_byte(Narrow::E4m3, a, b)),
        (Add, AtomicElement::E5m2(1)) => |old, b, _| each::<8, 1>(old, b, |a, b| add_byte(Narrow::E5m2, a, b)),
        (Add, AtomicElement::E5m2(2)) => |old, b, _| each::<8, 2>(old, b, |a, b| add_byte(Narrow::E5m2, a, b)),
        (Add, AtomicElement::E5m2(4)) => |old, b, _| each::<8, 4>(old, b, |a, b| add_byte(Narrow::E5m2, a, b)),
        (Min, AtomicElement::E4m3(1)) => {
            |old, b, _| each::<8, 1>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, false))
        }
        (Min, AtomicElement::E4m3(2)) => {
            |old, b, _| each::<8, 2>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, false))
        }
        (Min, AtomicElement::E4m3(4)) => {
            |old, b, _| each::<8, 4>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, false))
        }
        (Max, AtomicElement::E4m3(1)) => {
            |old, b, _| each::<8, 1>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, true))
        }
        (Max, AtomicElement::E4m3(2)) => {
            |old, b, _| each::<8, 2>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, true))
        }
        (Max, AtomicElement::E4m3(4)) => {
            |old, b, _| each::<8, 4>(old, b, |a, b| extreme_byte(Narrow::E4m3, a, b, true))
        }
        (Min, AtomicElement::E5m2(1)) => {
            |old, b, _| each::<8, 1>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, false))
        }
        (Min, AtomicElement::E5m2(2)) => {
            |old, b, _| each::<8, 2>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, false))
        }
        (Min, AtomicElement::E5m2(4)) => {
            |old, b, _| each::<8, 4>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, false))
        }
        (Max, AtomicElement::E5m2(1)) => {
            |old, b, _| each::<8, 1>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, true))
        }
        (Max, AtomicElement::E5m2(2)) => {
            |old, b, _| each::<8, 2>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, true))
        }
        (Max, AtomicElement::E5m2(4)) => {
            |old, b, _| each::<8, 4>(old, b, |a, b| extreme_byte(Narrow::E5m2, a, b, true))
        }
        _ => return None,
    })
}

/// `.inc`: `old + 1`, or 0 if `old` is at least `limit` (manual, `atom`).
#[inline(always)]
pub fn increment(old: u32, limit: u32) -> u32 {
    if old >= limit { 0 } else { old + 1 }
}

/// `.dec`: `old - 1`, or `limit` if `old` is 0 or greater than `limit` (manual, `atom`).
#[inline(always)]
pub fn decrement(old: u32, limit: u32) -> u32 {
    if old == 0 || old > limit { limit } else { old - 1 }
}

/// The sum of two `.f32`, rounded to nearest even. Sums in the subnormal range are exact, so flushing the rounded sum is
/// correct.
#[inline(always)]
pub fn add_f32<const FLUSH: bool>(a: u32, b: u32) -> u32 {
    let (a, b) = (quick::flushed_f32::<FLUSH>(a), quick::flushed_f32::<FLUSH>(b));
    let sum = f32::from_bits(a) + f32::from_bits(b);
    if sum.is_nan() { 0x7fff_ffff } else { quick::flushed_f32::<FLUSH>(sum.to_bits()) }
}

/// The sum of two `.f64`, rounded to nearest even. A NaN operand is returned with its payload, the first before the second.
#[inline(always)]
pub fn add_f64(a: u64, b: u64) -> u64 {
    let sum = f64::from_bits(a) + f64::from_bits(b);
    let quiet = 1 << 51;
    if f64::from_bits(a).is_nan() {
        a | quiet
    } else if f64::from_bits(b).is_nan() {
        b | quiet
    } else if sum.is_nan() {
        0xfff8_0000_0000_0000
    } else {
        sum.to_bits()
    }
}

/// The sum of two `.f16`. It is first rounded to 24 digits, which does not change the result: 24 is at least twice 11 plus 2.
fn add_f16(a: u64, b: u64) -> u64 {
    let sum = add_f32::<false>(quick::f32_from_f16(a as u32), quick::f32_from_f16(b as u32));
    u64::from(quick::f16_from_f32(sum))
}

/// The sum of two `.bf16`, rounded like [`add_f16`] (8 digits).
fn add_bf16(a: u64, b: u64) -> u64 {
    let sum = add_f32::<false>(quick::f32_from_bf16(a as u32), quick::f32_from_bf16(b as u32));
    u64::from(quick::bf16_from_f32(sum))
}

/// The sum of two 8-bit floats: exact in binary64, then rounded once. A sum beyond the largest number becomes that number, a
/// choice of this crate.
fn add_byte(format: Narrow, a: u64, b: u64) -> u64 {
    let sum = f64::from(format.decode(a as u8)) + f64::from(format.decode(b as u8));
    u64::from(format.encode_real(FloatLayout::F64.decode(sum.to_bits()), RoundingDirection::Nearest, true))
}

/// The smaller or larger of two numbers. A number wins against a NaN, two NaNs yield the canonical NaN, and -0 is less than +0.
/// The manual defines this for `min` and `max`; it is silent for `atom` and similar instructions.
fn extreme(layout: &FloatLayout, a: u64, b: u64, largest: bool) -> u64 {
    let sign = layout.sign_bit();
    let key = |bits: u64| if bits & sign != 0 { !bits & (sign | layout.all_ones()) } else { bits | sign };
    match (layout.is_nan(a), layout.is_nan(b)) {
        (true, true) => layout.all_ones(),
        (true, false) => b,
        (false, true) => a,
        (false, false) if (key(a) < key(b)) != largest => a,
        (false, false) => b,
    }
}

fn extreme_byte(format: Narrow, a: u64, b: u64, largest: bool) -> u64 {
    format.layout().map_or(0, |layout| extreme(&layout, a, b, largest))
}

/// Applies a function to each packed element.
#[inline(always)]
fn each<const BITS: u32, const COUNT: u32>(old: u128, b: u128, function: impl Fn(u64, u64) -> u64) -> u128 {
    let mask = (1_u64 << BITS) - 1;
    let mut result = 0;
    for place in (0..COUNT).map(|index| index * BITS) {
        let part = function((old >> place) as u64 & mask, (b >> place) as u64 & mask);
        result |= u128::from(part & mask) << place;
    }
    result
}

/// Returns the marks of the new value. The manual leaves open the bits of a NaN, the comparison of 16- and 8-bit floats with a
/// NaN, and 8-bit sums beyond the largest number.
pub fn marks(operation: AtomicOperation, element: AtomicElement, old: u128, b: u128) -> Marks {
    if !matches!(operation, AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max) {
        return Marks::NONE;
    }
    let layout = match element {
        AtomicElement::F16(_) => FloatLayout::F16,
        AtomicElement::Bf16(_) => FloatLayout::BF16,
        AtomicElement::F32 => FloatLayout::F32,
        AtomicElement::F64 => FloatLayout::F64,
        AtomicElement::E4m3(_) | AtomicElement::E5m2(_) => match byte(element).layout() {
            Some(layout) => layout,
            None => return Marks::NONE,
        },
        AtomicElement::Bits(_) | AtomicElement::Unsigned(_) | AtomicElement::Signed(_) => return Marks::NONE,
    };
    let (count, width) = element.parts();
    let mask = (1_u128 << width) - 1;
    let open = (0..count).map(|index| index * width).any(|place| {
        let (a, b) = ((old >> place & mask) as u64, (b >> place & mask) as u64);
        let infinity = layout.infinity();
        let endless = |bits: u64| bits & layout.all_ones() == infinity && layout != byte_layout(Narrow::E4m3);
        let opposite = operation == AtomicOperation::Add && endless(a) && endless(b) && a != b;
        let beyond = operation == AtomicOperation::Add && width == 8 && {
            let format = byte(element);
            let sum = format.decode(a as u8) + format.decode(b as u8);
            sum.abs() > format.decode(layout.largest() as u8)
        };
        layout.is_nan(a) || layout.is_nan(b) || opposite || beyond
    });
    if open { Marks::UNSPECIFIED } else { Marks::NONE }
}

fn byte(element: AtomicElement) -> Narrow {
    if matches!(element, AtomicElement::E5m2(_)) { Narrow::E5m2 } else { Narrow::E4m3 }
}

fn byte_layout(format: Narrow) -> FloatLayout {
    format.layout().unwrap_or(FloatLayout::F16)
}

/// `multimem.ld_reduce`: combines all values, starting with the first (the manual leaves the order open). Returns `None`
/// without values or if no instruction has the operation. With `wide` (`.acc::f32` of 16-bit floats, `.acc::f16` of 8-bit
/// floats) sums stay in the wider format until the end.
pub fn combine(op: AtomicOperation, element: AtomicElement, wide: bool, flush: bool, values: &[u128]) -> Option<u128> {
    let (first, rest) = values.split_first()?;
    if !wide || op != AtomicOperation::Add {
        let function = operation(op, element, flush)?;
        return Some(rest.iter().fold(*first, |sum, value| function(sum, *value, 0)));
    }
    let (count, width) = element.parts();
    let mask = (1_u128 << width) - 1;
    let mut result = 0;
    for place in (0..count).map(|index| index * width) {
        let part = |value: &u128| (value >> place & mask) as u64;
        let others = rest.iter().map(part);
        let sum = match element {
            AtomicElement::F16(_) => {
                let widen = |bits: u64| quick::f32_from_f16(bits as u32);
                let sum = others.fold(widen(part(first)), |sum, bits| add_f32::<false>(sum, widen(bits)));
                u64::from(quick::f16_from_f32(sum))
            }
            AtomicElement::Bf16(_) => {
                let widen = |bits: u64| quick::f32_from_bf16(bits as u32);
                let sum = others.fold(widen(part(first)), |sum, bits| add_f32::<false>(sum, widen(bits)));
                u64::from(quick::bf16_from_f32(sum))
            }
            AtomicElement::E4m3(_) | AtomicElement::E5m2(_) => {
                let format = byte(element);
                let widen = |bits: u64| u64::from(quick::f16_from_f32(format.decode(bits as u8).to_bits()));
                let sum = others.fold(widen(part(first)), |sum, bits| add_f16(sum, widen(bits)));
                let sum = f32::from_bits(quick::f32_from_f16(sum as u32));
                u64::from(format.encode(sum, RoundingDirection::Nearest, true))
            }
            _ => return None,
        };
        result |= u128::from(sum) << place;
    }
    Some(result)
}

/// `redux.sync` of integers and bits over the values of the participating lanes; `None` without lanes or for another operation.
pub fn redux(op: AtomicOperation, signed: bool, values: impl IntoIterator<Item = u32>) -> Option<u32> {
    let function: fn(u32, u32) -> u32 = match (op, signed) {
        (AtomicOperation::Add, _) => u32::wrapping_add,
        (AtomicOperation::Min, false) => u32::min,
        (AtomicOperation::Max, false) => u32::max,
        (AtomicOperation::Min, true) => |a, b| (a as i32).min(b as i32) as u32,
        (AtomicOperation::Max, true) => |a, b| (a as i32).max(b as i32) as u32,
        (AtomicOperation::And, _) => |a, b| a & b,
        (AtomicOperation::Or, _) => |a, b| a | b,
        (AtomicOperation::Xor, _) => |a, b| a ^ b,
        _ => return None,
    };
    values.into_iter().reduce(function)
}

/// `redux.sync.min` and `.max` of `.f32` (manual, `redux.sync`). NaNs are ignored; if all values are NaN, or one is and `nan`
/// is set, the result is the canonical NaN. With `abs` magnitudes are compared; +0 is greater than -0.
pub fn redux_f32(largest: bool, abs: bool, nan: bool, values: impl IntoIterator<Item = u32>) -> Option<u32> {
    let mask = if abs { 0x7fff_ffff } else { 0xffff_ffff };
    let mut result = None;
    for value in values.into_iter().map(|value| u64::from(value & mask)) {
        result = Some(match result {
            // A single NaN yields the canonical NaN too.
            None if FloatLayout::F32.is_nan(value) => FloatLayout::F32.all_ones(),
            None => value,
            Some(other) if nan && (FloatLayout::F32.is_nan(other) || FloatLayout::F32.is_nan(value)) => {
                FloatLayout::F32.all_ones()
            }
            Some(other) => extreme(&FloatLayout::F32, other, value, largest),
        });
    }
    result.map(|bits| bits as u32)
}
