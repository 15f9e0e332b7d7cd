//! The names that are declared around all statements of a function: its parameters, and the labels of its outermost block.
//!
//! They affect only the statements that name them. So after an edit in a parameter list or a label, the statements with those names are checked
//! again, and not all of a function that may have thousands.

use ptx_sema::hir::symbols::Symbol;
use std::ops::Range;

/// With more changed names than this, all statements are checked again.
const MAX_CHANGED: usize = 8;

/// The names around the statements of a function.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct NamesAround {
    /// The parameters and results, in order.
    parameters: Vec<(Box<str>, Symbol)>,
    /// The labels of the outermost block, in order, with what each stands for before its place.
    labels: Vec<(Box<str>, Symbol)>,
}

impl NamesAround {
    /// Adds a parameter.
    pub(crate) fn parameter(&mut self, name: &str, symbol: Symbol) {
        self.parameters.push((name.into(), symbol));
    }

    /// Adds a label.
    pub(crate) fn label(&mut self, name: &str, symbol: Symbol) {
        self.labels.push((name.into(), symbol));
    }

    /// The statements of a text that may depend on a difference from the names at the previous check.
    pub(crate) fn affected_since(&self, before: &Self, text: &str) -> AffectedPlaces {
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
pub(crate) enum AffectedPlaces {
    /// Any place.
    All,
    /// These byte offsets, in order.
    At(Vec<usize>),
}

impl AffectedPlaces {
    /// Whether none of them is in a byte range.
    pub(crate) fn spare(&self, range: Range<usize>) -> bool {
        let Self::At(places) = self else { return false };
        places.get(places.partition_point(|at| *at < range.start)).is_none_or(|at| *at >= range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Analyzer;
    use ptx_syntax::{Document, Snapshot};

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
    fn many_changed_names_affect_all() {
        let many: Vec<String> = (0..9).map(|n| format!("L{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(names(&[], &many).affected_since(&names(&[], &[]), ""), AffectedPlaces::All);
    }

    const FUNCTION: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 data;\n.func other(.param .b32 a) { ret; }\n\
        .func f(.param .b32 p, .param .b64 q)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 rd1;\n    .reg .pred pr;\n    ld.param.b32 %r1, [p];\n    \
        {\n    .param .b32 b;\n    st.param.b32 [b], %r1;\n    call other, (b);\n    }\n    { ld.param.b64 rd1, [q]; @pr bra L1; }\n    \
        mov.u32 %r2, data;\n    mov.u32 %r3, %r2;\n    @pr bra L2;\nL1:\n    mov.b64 rd1, L3;\n    add.u64 rd1, rd1, 1;\nL2:\n    brx.idx %r1, list;\n\
        list: .branchtargets L1, L2;\nL3:\n    ret;\n}\n";

    /// Edits in the names around statements that are legal, hide other names, repeat or remove a name.
    const EDITS: [(&str, &str); 24] = [
        ("L1:", "L1x:"),
        ("L1:", "%r2:"),
        ("L1:", "rd1:"),
        ("L1:", "p:"),
        ("L1:", "data:"),
        ("L1:", "L2:"),
        ("L1:", "b:"),
        ("L1:", ""),
        ("L2:\n", "L2:\nL4:\n"),
        ("L3:\n", "%r:\n"),
        ("list: .branch", "listed: .branch"),
        ("list: .branchtargets L1, L2;", "list: .calltargets other;"),
        ("list: .branchtargets L1, L2;", "list:"),
        ("b32 p,", "b32 pp,"),
        ("b32 p,", "b64 p,"),
        ("b32 p,", "b32 data,"),
        ("b32 p,", "b32 %r2,"),
        ("b32 p,", "b32 L2,"),
        ("b32 p,", "b32 other,"),
        (".param .b32 p, ", ""),
        (".param .b32 p,", ".reg .b32 p,"),
        (".param .b32 p,", ".reg .b32 p<3>,"),
        ("f(.param .b32 p,", "f(.param .b32 %r<2>,"),
        (".b64 q)", ".b64 q, .param .b32 q)"),
    ];

    #[test]
    fn edits_in_labels_and_parameters_give_the_diagnostics_of_a_fresh_check() {
        for (old, new) in EDITS {
            let (mut analyzer, mut document) = (Analyzer::default(), Document::new(FUNCTION));
            analyzer.analyze(&document.snapshot());
            let at = FUNCTION.find(old).expect("the text");
            let later = FUNCTION.find("mov.u32 %r3").expect("the instruction");
            let later = if later < at { later } else { later + new.len() - old.len() };
            // The edit, another one behind it, and both undone.
            let (len, kept) = (old.len(), new.len());
            for (range, text) in [
                (at..at + len, new),
                (later..later + 3, "cvt"),
                (later..later + 3, "mov"),
                (at..at + kept, old),
                (at..at + len, new),
                (at..at + kept, old),
            ] {
                document.edit(range, text);
                let found = analyzer.analyze(&document.snapshot()).diagnostics;
                let fresh = Snapshot::new(&document.rope().to_string());
                assert_eq!(found, Analyzer::default().analyze(&fresh).diagnostics, "{old:?} and {new:?}");
            }
        }
    }
}
