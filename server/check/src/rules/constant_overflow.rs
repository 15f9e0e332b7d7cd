//! `constant-overflow`: a number with more digits than the assembler can hold.

use super::excerpt;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::{ConstantValue, Declaration};
use ptx_sema::hir::constant::{ConstantProblem, Wrong};
use ptx_sema::hir::literal::{Unreadable, parse_integer};
use std::ops::Range;

/// A number with more digits than the assembler can hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConstantOverflow {
    /// The beginning of the number.
    pub shown: Box<str>,
    /// Whether further digits are not shown.
    pub cut: bool,
    /// Whether it is an integer, not a floating-point number.
    pub integer: bool,
}

impl DiagnosticMessage for ConstantOverflow {
    fn message(&self) -> String {
        let (shown, dots) = (&self.shown, if self.cut { "…" } else { "" });
        if self.integer {
            format!("`{shown}{dots}` does not fit in 64 bits")
        } else {
            format!("`{shown}{dots}` is outside the range of normal `.f64` numbers")
        }
    }

    fn help(&self) -> Option<String> {
        let help = if self.integer {
            "integers have 64 bits"
        } else {
            "write infinities and subnormal numbers by their bits, as in `0d7ff0000000000000`"
        };
        Some(help.to_owned())
    }
}

/// The report. The problem's range is an offset into `text`.
pub(crate) fn report(problem: ConstantProblem, text: &str) -> Diagnostic {
    let range = problem.start as usize..(problem.end as usize).max(problem.start as usize + 1);
    let word = text.get(range.clone()).unwrap_or("");
    let shown = excerpt(word);
    let cut = shown.len() < word.len();
    let integer =
        word.bytes().all(|b| b.is_ascii_alphanumeric()) && (word.starts_with('0') || !word.contains(['e', 'E']));
    Diagnostic::new(range, ConstantOverflow { shown, cut, integer })
}

/// Reports sizes in a declaration that do not fit 64 bits. The declaration's ranges are offsets into `text`.
pub(crate) fn declaration(declaration: &Declaration<'_>, text: &str, out: &mut Vec<Diagnostic>) {
    for declarator in &declaration.declarators {
        for (_, size) in &declarator.dimensions {
            if let Some(ConstantValue::Wrong(problem)) = size
                && problem.what == Wrong::Overflow
            {
                out.push(report(*problem, text));
            }
        }
        if let Some((place, None)) = &declarator.count {
            out.extend(count(place, text));
        }
    }
}

fn count(place: &Range<usize>, text: &str) -> Option<Diagnostic> {
    let overflow = parse_integer(text.get(place.clone())?) == Err(Unreadable::Overflow);
    let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let problem = ConstantProblem { what: Wrong::Overflow, start: offset(place.start), end: offset(place.end) };
    overflow.then(|| report(problem, text))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn numbers_with_too_many_digits() {
        let of = |body: &str| messages(&in_kernel(Code::ConstantOverflow, body));
        assert_eq!(of("mov.b64 %rd1, 99999999999999999999;"), ["`99999999999999999999` does not fit in 64 bits"]);
        assert_eq!(of("mov.f64 %fd1, 1e-310;"), ["`1e-310` is outside the range of normal `.f64` numbers"]);
        assert_eq!(of(".reg .b32 %x<99999999999999999999>;"), ["`99999999999999999999` does not fit in 64 bits"]);
        assert!(of("mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF; mov.f64 %fd1, 1e-300;").is_empty());
    }

    #[test]
    fn long_numbers_are_cut() {
        let found = in_kernel(Code::ConstantOverflow, &format!("mov.b64 %rd1, {};", "9".repeat(41)));
        assert_eq!(messages(&found), [format!("`{}…` does not fit in 64 bits", "9".repeat(40))]);
    }
}
