//! Turns what the scanner of the host language found into diagnostics.

use ptx_analysis::{AsmCode, AsmProblem, Diagnostic, Fix, FixEdit, asm};
use ptx_embed::{HostFix, Problem, ProblemKind};
use std::ops::Range;

/// The code of each kind of problem.
fn code(kind: ProblemKind) -> AsmCode {
    match kind {
        ProblemKind::Access => AsmCode::Access,
        ProblemKind::Clobber => AsmCode::Clobber,
        ProblemKind::Constraint => AsmCode::Constraint,
        ProblemKind::MissingSemicolon => AsmCode::MissingSemicolon,
        ProblemKind::OperandCount => AsmCode::OperandCount,
        ProblemKind::OperandIndex => AsmCode::OperandIndex,
        ProblemKind::OperandModifier => AsmCode::OperandModifier,
        ProblemKind::OperandName => AsmCode::OperandName,
        ProblemKind::Percent => AsmCode::Percent,
        ProblemKind::UnescapedName => AsmCode::UnescapedName,
        ProblemKind::UnusedOperand => AsmCode::UnusedOperand,
    }
}

/// The diagnostic for a problem; its ranges are host bytes, relative to the group.
pub(crate) fn of_host(problem: &Problem) -> Diagnostic {
    let text = AsmProblem { message: problem.message.as_str().into(), help: None };
    let mut out = asm::report(code(problem.kind), problem.span.clone(), text).fixes(problem.fixes.iter().map(fix));
    out.unnecessary = problem.kind == ProblemKind::UnusedOperand;
    out
}

/// A diagnostic about the statement of the host.
pub(crate) fn report(code: AsmCode, range: Range<usize>, message: impl Into<Box<str>>, help: &str) -> Diagnostic {
    let help = (!help.is_empty()).then(|| help.into());
    asm::report(code, range, AsmProblem { message: message.into(), help })
}

/// A fix of the host text.
pub(crate) fn fix(fix: &HostFix) -> Fix {
    let edits = fix.edits.iter().map(|edit| FixEdit::Replace(edit.span.clone(), edit.text.clone()));
    Fix::new(fix.title.as_str(), edits.collect())
}
