//! Turns what the scanner of the host language found into diagnostics.

use ptx_analysis::{AsmProblem, Code, Diagnostic, Fix, FixEdit, asm};
use ptx_embed::{HostFix, Problem, ProblemCode};
use std::ops::Range;

/// The code of a problem. A problem without one does not compile.
fn code(problem: ProblemCode) -> Code {
    match problem {
        ProblemCode::Access => Code::AsmAccess,
        ProblemCode::Clobber => Code::AsmClobber,
        ProblemCode::Constraint => Code::AsmConstraint,
        ProblemCode::MissingSemicolon => Code::AsmMissingSemicolon,
        ProblemCode::OperandCount => Code::AsmOperandCount,
        ProblemCode::OperandIndex => Code::AsmOperandIndex,
        ProblemCode::OperandModifier => Code::AsmOperandModifier,
        ProblemCode::OperandName => Code::AsmOperandName,
        ProblemCode::Percent => Code::AsmPercent,
        ProblemCode::UnescapedName => Code::AsmUnescapedName,
        ProblemCode::UnusedOperand => Code::AsmUnusedOperand,
    }
}

/// The diagnostic for a problem; its ranges are host bytes, relative to the group. It is `None` only for a code that is not one of `asm`
/// statements, which a test excludes.
pub(crate) fn of_host(problem: &Problem) -> Option<Diagnostic> {
    let code = code(problem.code);
    let text = AsmProblem { message: problem.message.as_str().into(), help: None };
    let mut out = asm::report(code, problem.span.clone(), text)?.fixes(problem.fixes.iter().map(fix));
    out.unnecessary = code == Code::AsmUnusedOperand;
    Some(out)
}

/// A diagnostic about the statement of the host.
pub(crate) fn report(code: Code, range: Range<usize>, message: impl Into<Box<str>>, help: &str) -> Option<Diagnostic> {
    let help = (!help.is_empty()).then(|| help.into());
    asm::report(code, range, AsmProblem { message: message.into(), help })
}

/// A fix of the host text.
pub(crate) fn fix(fix: &HostFix) -> Fix {
    let edits = fix.edits.iter().map(|edit| FixEdit::Replace(edit.span.clone(), edit.text.clone()));
    Fix::new(fix.title.as_str(), edits.collect())
}

#[cfg(test)]
mod tests {
    use super::of_host;
    use ptx_embed::{Problem, ProblemCode};

    #[test]
    fn each_problem_is_reported_with_its_code() {
        for code in ProblemCode::ALL {
            let problem = Problem { code, span: 0..1, message: "a message".to_owned(), fixes: Vec::new() };
            let reported = of_host(&problem).map(|diagnostic| diagnostic.code().name());
            assert_eq!(reported, Some(code.name()));
        }
    }
}
