//! The names that are declared around all statements of a function: its parameters, and the labels of its outermost block.
//!
//! They affect only the statements that name them. So after an edit in a parameter list or a label, the statements with those names are checked
//! again, and not all of a function that may have thousands.

use crate::hir::symbols::Symbol;
use std::ops::Range;

/// With more changed names than this, all statements are checked again.
const MAX_CHANGED: usize = 8;

/// The names around the statements of a function.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NamesAround {
    /// The parameters and results, in order.
    parameters: Vec<(Box<str>, Symbol)>,
    /// The labels of the outermost block, in order, with what each stands for before its place.
    labels: Vec<(Box<str>, Symbol)>,
    /// Whether there may be other names: ranges of registers, or names in text with a syntax error.
    is_unclear: bool,
}

impl NamesAround {
    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, symbol: Symbol) {
        self.parameters.push((name.into(), symbol));
    }

    /// Adds a label.
    pub fn label(&mut self, name: &str, symbol: Symbol) {
        self.labels.push((name.into(), symbol));
    }

    /// Records that there are names that the list lacks.
    pub fn unclear(&mut self) {
        self.is_unclear = true;
    }

    /// The statements of a text that may depend on a difference from the names at the previous check.
    pub fn affected_since(&self, before: &Self, text: &str) -> AffectedPlaces {
        if self.is_unclear || before.is_unclear {
            return AffectedPlaces::All;
        }
        let (old, new) = differing(&before.parameters, &self.parameters);
        let parameters = old.iter().chain(new);
        let (old, new) = differing(&before.labels, &self.labels);
        let names: Vec<&str> = parameters.chain(old).chain(new).map(|(name, _)| &**name).collect();
        if names.len() > MAX_CHANGED {
            return AffectedPlaces::All;
        }
        // A longer name that contains one of them does no harm.
        let mut places: Vec<usize> =
            names.iter().flat_map(|name| memchr::memmem::find_iter(text.as_bytes(), name.as_bytes())).collect();
        places.sort_unstable();
        places.dedup();
        AffectedPlaces::At(places)
    }
}

/// What of two lists lies between their common beginning and their common end.
fn differing<'l, T: PartialEq>(one: &'l [T], other: &'l [T]) -> (&'l [T], &'l [T]) {
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (&one[..one.len() - end], &other[..other.len() - end])
}

/// The places of a function's text where a name stands that may mean something else than at the previous check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AffectedPlaces {
    /// Any place.
    All,
    /// These byte offsets, in order.
    At(Vec<usize>),
}

impl AffectedPlaces {
    /// Whether none of them is in a byte range.
    pub fn spare(&self, range: Range<usize>) -> bool {
        let Self::At(places) = self else { return false };
        places.get(places.partition_point(|at| *at < range.start)).is_none_or(|at| *at >= range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(parameters: &[(&str, Symbol)], labels: &[&str]) -> NamesAround {
        let mut out = NamesAround::default();
        parameters.iter().for_each(|(name, symbol)| out.parameter(name, *symbol));
        labels.iter().for_each(|label| out.label(label, Symbol::Label));
        out
    }

    #[test]
    fn only_what_names_a_changed_name_is_affected() {
        let before = names(&[("pa", Symbol::Label), ("pb", Symbol::Label)], &["L1", "L2", "L3"]);
        let text = "ld pa; bra L2; ld pb; bra LX; bra L3;";
        let after = names(&[("pa", Symbol::Label), ("pb", Symbol::Unknown)], &["L1", "LX", "L3"]);
        assert_eq!(after.affected_since(&before, text), AffectedPlaces::At(vec![11, 18, 26]));
        assert_eq!(before.affected_since(&before, text), AffectedPlaces::At(vec![]));
        let places = AffectedPlaces::At(vec![4, 9]);
        assert!(places.spare(0..4) && places.spare(5..9) && places.spare(10..20));
        assert!(!places.spare(0..5) && !places.spare(9..10) && !AffectedPlaces::All.spare(0..1));
    }

    #[test]
    fn what_is_unclear_affects_all() {
        let before = names(&[], &["L1"]);
        let mut unclear = before.clone();
        unclear.unclear();
        assert_eq!(unclear.affected_since(&before, ""), AffectedPlaces::All);
        assert_eq!(before.affected_since(&unclear, ""), AffectedPlaces::All);
        let many: Vec<String> = (0..9).map(|n| format!("L{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(names(&[], &many).affected_since(&names(&[], &[]), ""), AffectedPlaces::All);
    }
}
