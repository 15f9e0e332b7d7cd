//! The tables of numbers and initial values.

use super::{Gate, Range, TypeExpr};
use crate::emit::{Emit, choice, table};

choice! {
    /// Which immediates make sense for an operand that takes more.
    enum Usual {
        /// All.
        Any,
        /// Those of a range: of others the instruction ignores a part.
        In(Range),
        /// All but zero: a divisor.
        NotZero,
        /// Those below the width of a type: a distance to shift by.
        Below(TypeExpr),
    }
}

table! {
    /// A predefined constant.
    struct PredefinedConstant {
        /// `WARP_SZ`.
        name: &'static str,
        /// Its value.
        value: i64,
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// A kind of initial value.
    struct InitialKind {
        /// `integer`, `generic`, `mask` …
        name: &'static str,
        /// Types of variables that take it, with their dots.
        types: &'static [&'static str],
        /// State spaces of such variables.
        spaces: &'static [&'static str],
        /// For an address: the state spaces of the variables that it may be of.
        to: &'static [&'static str],
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// A field of an opaque type.
    struct FieldInfo {
        /// `filter_mode`.
        name: &'static str,
        /// The types that have it, with their dots.
        of: &'static [&'static str],
        /// Those of them in which it means nothing in independent texture mode.
        ignored: &'static [&'static str],
        /// Names for its values, `nearest`; empty: numbers only.
        values: &'static [&'static str],
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }
}
