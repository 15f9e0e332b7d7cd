//! Comparisons and what is made of them: `set setp selp slct` of integers (manual 9.7.6).

use super::Int;

/// A comparison of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Comparison {
    /// The comparison of a modifier, without its dot: also `lo ls hi hs`, the names for unsigned types.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" | "lo" => Self::Lt,
            "le" | "ls" => Self::Le,
            "gt" | "hi" => Self::Gt,
            "ge" | "hs" => Self::Ge,
            _ => return None,
        })
    }

    /// Whether it holds, in the order of the type.
    #[inline(always)]
    pub fn holds<T: Int>(self, a: T, b: T) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// How the outcome of a comparison is combined with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boolean {
    /// Both.
    And,
    /// One of them at least.
    Or,
    /// Just one of them.
    Xor,
}

impl Boolean {
    /// The operator of a modifier, without its dot.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            _ => return None,
        })
    }

    /// What it makes of the two.
    #[inline(always)]
    pub fn combine(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        }
    }
}

/// `setp`, for comparisons of any type: both predicates, of the outcome and of its complement, each combined with `c` where there is one.
#[inline(always)]
pub fn predicates(outcome: bool, combined: Option<(Boolean, bool)>) -> (bool, bool) {
    match combined {
        None => (outcome, !outcome),
        Some((boolean, c)) => (boolean.combine(outcome, c), boolean.combine(!outcome, c)),
    }
}

/// The result of `set` with an integer type: all ones or 0, of any width.
#[inline(always)]
pub fn truth<T: Int>(outcome: bool) -> T {
    if outcome { T::ONES } else { T::ZERO }
}

/// What `set` writes for a true outcome into `.f32`: the bits of 1.0.
pub const TRUE_F32: u32 = 0x3f80_0000;
/// What `set` writes for a true outcome into `.f16`.
pub const TRUE_F16: u16 = 0x3c00;
/// What `set` writes for a true outcome into `.bf16`.
pub const TRUE_BF16: u16 = 0x3f80;

/// Whether `slct.….s32` takes `a`.
#[inline(always)]
pub fn takes_first(c: i32) -> bool {
    c >= 0
}

/// Whether `slct.….f32` takes `a`, for the bits of `c`: a negative zero does, a NaN does not, a negative subnormal number only where it
/// is flushed.
#[inline(always)]
pub fn takes_first_f32(c: u32, flush: bool) -> bool {
    let magnitude = c & 0x7fff_ffff;
    let zero = magnitude == 0 || (flush && magnitude < 0x0080_0000);
    magnitude <= 0x7f80_0000 && (c >> 31 == 0 || zero)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, pairs, special, value};
    use super::*;
    use std::cmp::Ordering;

    type Holds = fn(Ordering) -> bool;

    const ALL: [(&str, Holds); 10] = [
        ("eq", Ordering::is_eq),
        ("ne", Ordering::is_ne),
        ("lt", Ordering::is_lt),
        ("le", Ordering::is_le),
        ("gt", Ordering::is_gt),
        ("ge", Ordering::is_ge),
        ("lo", Ordering::is_lt),
        ("ls", Ordering::is_le),
        ("hi", Ordering::is_gt),
        ("hs", Ordering::is_ge),
    ];

    fn ordered<T: Int>(seed: u64) {
        for (a, b) in pairs::<T>(seed, 2000) {
            for (name, holds) in ALL {
                let comparison = Comparison::of(name).unwrap();
                assert_eq!(comparison.holds(a, b), holds(value(a).cmp(&value(b))), "{a:?} {name} {b:?}");
            }
        }
    }

    #[test]
    fn the_type_decides_the_order() {
        ordered::<u16>(1);
        ordered::<u32>(2);
        ordered::<u64>(3);
        ordered::<i16>(4);
        ordered::<i32>(5);
        ordered::<i64>(6);
        ordered::<i8>(7);
        ordered::<u8>(8);
        assert_eq!((Comparison::of("equ"), Boolean::of("nand")), (None, None));
    }

    #[test]
    fn outcomes_are_combined_with_a_predicate() {
        let table = [
            ("and", [false, false, false, true]),
            ("or", [false, true, true, true]),
            ("xor", [false, true, true, false]),
        ];
        for (name, results) in table {
            let boolean = Boolean::of(name).unwrap();
            for (i, result) in results.iter().enumerate() {
                let (t, c) = (i & 2 != 0, i & 1 != 0);
                assert_eq!(predicates(t, Some((boolean, c))).0, *result);
                assert_eq!(predicates(!t, Some((boolean, c))).1, *result);
            }
        }
        assert_eq!((predicates(true, None), predicates(false, None)), ((true, false), (false, true)));
        assert_eq!(
            (truth::<u32>(true), truth::<i32>(true), truth::<u16>(true), truth::<u32>(false)),
            (u32::MAX, -1, 0xffff, 0)
        );
        assert_eq!(f32::from_bits(TRUE_F32), 1.0);
    }

    #[test]
    fn signs_select() {
        let mut sample = Sample::new(9);
        let edges = [0x8000_0001, 0x807f_ffff, 0x8080_0000, 0x7f80_0001, 0xff80_0001, 0x7f80_0000, 0xff80_0000];
        for c in edges.into_iter().chain(special::<u32>()).chain((0..2000).map(|_| sample.operand())) {
            assert_eq!(takes_first(c as i32), c >> 31 == 0);
            let number = f32::from_bits(c);
            assert_eq!(takes_first_f32(c, false), number >= 0.0, "{c:#x}");
            assert_eq!(takes_first_f32(c, true), number >= 0.0 || number.is_subnormal(), "{c:#x}");
        }
    }
}
