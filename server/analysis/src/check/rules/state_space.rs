//! `state-space`: a variable of another state space than the instruction accesses.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Spec;
use std::ops::Range;

const CODE: Code = Code::StateSpace;

/// The report.
pub fn report(range: Range<usize>, variable: &str, space: &str, spec: Option<&Spec>, head: &str) -> Diagnostic {
    match spec.and_then(|s| s.spaces) {
        Some(spaces) => {
            let message = format!("`{variable}` is a `{space}` variable, but `{head}` accesses {}", one_of(spaces));
            Diagnostic::error(CODE, range, message)
                .with_help(format!("use `{space}` in the instruction, or another variable"))
        }
        None => {
            let message = format!("`{variable}` is a `{space}` variable, which a generic address does not reach");
            Diagnostic::error(CODE, range, message)
                .with_help(format!("name the state space: add `{space}` to the instruction"))
        }
    }
}
