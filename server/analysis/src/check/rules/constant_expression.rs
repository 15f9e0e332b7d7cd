//! `constant-expression`: an expression of numbers that the assembler cannot compute.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::constant::{Problem, Wrong};

const CODE: Code = Code::ConstantExpression;

/// The report. `text` is what the problem's place counts in.
pub fn report(problem: Problem, text: &str) -> Diagnostic {
    let range = problem.start as usize..(problem.end as usize).max(problem.start as usize + 1);
    let shown: String = text.get(range.clone()).unwrap_or("").chars().take(40).collect();
    let (message, help) = match problem.what {
        Wrong::Overflow => return super::constant_overflow::report(problem, text),
        Wrong::DivisionByZero => (
            "this is zero, and an expression cannot divide by zero".to_owned(),
            "not even where the result is not used",
        ),
        Wrong::Quotient => {
            ("the least 64-bit integer divided by −1 does not fit 64 bits".to_owned(), "the assembler crashes on it")
        }
        Wrong::Mixed => (
            "one side of this operator is an integer, the other a floating-point number".to_owned(),
            "an expression has numbers of one kind; nothing converts between them",
        ),
        Wrong::NeedsInteger => (
            format!("`{shown}` is a floating-point number, but this operator takes integers"),
            "floating-point numbers know `+`, `-`, `*`, `/` and comparisons",
        ),
        Wrong::Cast => {
            (format!("nothing can be cast to `{shown}` in an expression"), "only `(.s64)` and `(.u64)` are casts")
        }
        Wrong::Single => (
            format!("`{shown}` must stand alone: no operator takes a number written as 32 bits"),
            "write the sign into its bits, or use a decimal number or `0d`",
        ),
        Wrong::NotANumber => (
            format!("`{shown}` is not a number, and expressions are made of numbers alone"),
            "to add to an address, begin with it: `a+4`",
        ),
    };
    Diagnostic::error(CODE, range, message).with_help(help)
}
