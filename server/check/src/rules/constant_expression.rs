//! `constant-expression`: a constant expression that the assembler cannot compute.

use super::{constant_overflow, excerpt};
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::constant::{ConstantProblem, Wrong};

/// The part of a constant expression that the assembler cannot compute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConstantExpression {
    /// The reason.
    pub wrong: Wrong,
    /// The beginning of the text at fault.
    pub shown: Box<str>,
}

impl DiagnosticMessage for ConstantExpression {
    fn message(&self) -> String {
        let shown = &self.shown;
        match self.wrong {
            Wrong::Overflow => format!("`{shown}` does not fit in 64 bits"),
            Wrong::DivisionByZero => "this is zero, and an expression cannot divide by zero".to_owned(),
            Wrong::Quotient => "the smallest 64-bit integer divided by −1 does not fit in 64 bits".to_owned(),
            Wrong::Mixed => "one side of this operator is an integer, the other a floating-point number".to_owned(),
            Wrong::NeedsInteger => {
                format!("`{shown}` is a floating-point number, but this operator takes integers")
            }
            Wrong::Cast => format!("only casts to `.s64` and `.u64` exist, not to `{shown}`"),
            Wrong::Single => {
                format!("`{shown}` cannot be part of an expression: operators do not take `0f` literals")
            }
            Wrong::NotANumber => format!("`{shown}` is not a number; expressions contain only numbers"),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self.wrong {
            Wrong::Overflow => return None,
            Wrong::DivisionByZero => "this is refused even if the result is not used",
            Wrong::Quotient => "the assembler crashes on it",
            Wrong::Mixed => "all numbers of an expression must be of one kind; they are not converted",
            Wrong::NeedsInteger => "floating-point numbers have only `+`, `-`, `*`, `/` and comparisons",
            Wrong::Cast => "only `(.s64)` and `(.u64)` are casts",
            Wrong::Single => "write the sign into its bits, or use a decimal number or `0d`",
            Wrong::NotANumber if self.shown.starts_with('%') => {
                "the assembler computes expressions; use instructions to compute with registers: `add`, `mul.lo`, `mad.lo`, `selp`"
            }
            Wrong::NotANumber
                if super::foreign(&format!(".{}", self.shown)).is_some()
                    || ptx_isa::ISA.ty(&format!(".{}", self.shown)).is_some() =>
            {
                "only `(.s64)` and `(.u64)` are casts; the dot is needed"
            }
            Wrong::NotANumber if super::foreign_operand(super::first_name(&self.shown)).is_some() => {
                let name = super::first_name(&self.shown);
                let word = super::foreign_operand(name)?;
                return Some(format!(
                    "{}; copy it into a register with `mov`, and compute with instructions such as `mad.lo`",
                    word.in_ptx(name)
                ));
            }
            Wrong::NotANumber => "to add to an address, write it first: `a+4`",
        };
        Some(help.to_owned())
    }
}

/// The report; for a literal with too many digits it is a `constant-overflow`. The problem's range is an offset into `text`.
pub(crate) fn report(problem: ConstantProblem, text: &str) -> Diagnostic {
    if problem.what == Wrong::Overflow {
        return constant_overflow::report(problem, text);
    }
    let range = problem.start as usize..(problem.end as usize).max(problem.start as usize + 1);
    let shown = excerpt(text.get(range.clone()).unwrap_or(""));
    Diagnostic::new(range, ConstantExpression { wrong: problem.what, shown })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn expressions_that_have_no_value() {
        let of = |value: &str| messages(&in_kernel(Code::ConstantExpression, &format!("mov.b64 %rd1, {value};")));
        assert!(of("6 / 3").is_empty());
        assert_eq!(of("6 / 0"), ["this is zero, and an expression cannot divide by zero"]);
        assert_eq!(of("1 + 2.5"), ["one side of this operator is an integer, the other a floating-point number"]);
        assert_eq!(of("1.5 % 2.5"), ["`1.5` is a floating-point number, but this operator takes integers"]);
        assert_eq!(of("(.s32) 7"), ["only casts to `.s64` and `.u64` exist, not to `.s32`"]);
        assert!(of("99999999999999999999").is_empty(), "another code");
        let packed = ".version 9.0\n.target sm_90\n.address_size 64\n.global .v2 .f16x2 x = {{2}, {1 / 0, 0}};\n";
        let zero = ["this is zero, and an expression cannot divide by zero"];
        assert_eq!(messages(&in_module(Code::ConstantExpression, packed)), zero);
        let register = in_kernel(Code::ConstantExpression, "mov.b64 %rd1, %rd2 * 4;");
        assert!(register[0].help().is_some_and(|help| help.contains("use instructions to compute with registers")));
    }
}
