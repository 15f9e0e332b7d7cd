//! The names and values in an operand of a form.

use super::{FormPattern, FormValue};

impl FormPattern {
    /// The names of its values, in order.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Value(v) | Self::Arguments(v) => vec![v.name],
            Self::Address(parts) => parts.iter().map(|v| v.name).collect(),
            Self::Pair(pair) => vec![pair.first.name, pair.second.name],
            Self::Sink => Vec::new(),
        }
    }

    /// Its values, in order.
    pub fn values(&self) -> Vec<&FormValue> {
        match self {
            Self::Value(v) | Self::Arguments(v) => vec![v],
            Self::Address(parts) => parts.iter().collect(),
            Self::Pair(pair) => vec![&pair.first, &pair.second],
            Self::Sink => Vec::new(),
        }
    }
}
