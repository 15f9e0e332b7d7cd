//! The tables of constants and initial values.

use super::condition::Gate;
use super::{Range, TypeExpr};
use crate::emit::{Emit, choice, table};

choice! {
    /// The immediates that make sense for an operand that accepts more.
    enum Usual {
        /// All.
        Any,
        /// Those in a range: the instruction ignores a part of other values.
        In(Range),
        /// All except zero, for a divisor.
        NotZero,
        /// Those below the width of a type, for a shift distance.
        Below(TypeExpr),
    }
}

table! {
    /// A predefined constant.
    struct PredefinedConstant {
        /// Its name, `WARP_SZ`.
        name: &'static str,
        /// Its value.
        value: i64,
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// A kind of initial value.
    struct InitialKind {
        /// Its name, such as `integer`, `generic` or `mask`.
        name: &'static str,
        /// The types of variables that accept it, with their dots.
        types: &'static [&'static str],
        /// The state spaces of such variables.
        spaces: &'static [&'static str],
        /// For an address: the state spaces of the variables to which it may refer.
        to: &'static [&'static str],
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// A field of an opaque type.
    struct FieldInfo {
        /// Its name, `filter_mode`.
        name: &'static str,
        /// The types that have it, with their dots.
        of: &'static [&'static str],
        /// Those types in which it has no effect in independent texture mode.
        ignored: &'static [&'static str],
        /// The names of its values, `nearest`; empty: only numbers.
        values: &'static [&'static str],
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }
}
