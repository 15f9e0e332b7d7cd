//! Comparisons of integers (manual 9.7.6). `exec/compare.rs` uses them for `setp` and similar instructions.

use super::Int;

/// A comparison of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegerComparison {
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

impl IntegerComparison {
    /// Returns the comparison of a modifier, without its dot: also `lo ls hi hs`, the names for unsigned types.
    #[inline]
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

    /// Whether the comparison is true for `a` and `b`.
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

#[cfg(test)]
mod tests {
    use super::super::sample::{pairs, value};
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
                let comparison = IntegerComparison::of(name).unwrap();
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
        assert_eq!(IntegerComparison::of("equ"), None);
    }
}
