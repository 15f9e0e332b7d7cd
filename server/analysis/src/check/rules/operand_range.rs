//! `operand-range`: an immediate outside of its range.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Spec;
use std::ops::Range;

const CODE: Code = Code::OperandRange;

/// The report.
pub fn report(range: Range<usize>, value: i128, spec: &Spec, head: &str) -> Diagnostic {
    let one = |r: &ptx_isa::tables::Range| match (r.low == r.high, r.step) {
        (true, _) => r.low.to_string(),
        (false, 1) => format!("{} to {}", r.low, r.high),
        (false, step) if r.high == i64::MAX && r.low == i64::MIN => format!("a multiple of {step}"),
        (false, step) if r.high == i64::MAX => format!("a multiple of {step} from {} on", r.low),
        (false, step) => format!("a multiple of {step} from {} to {}", r.low, r.high),
    };
    let wanted: Vec<String> = spec.value.ranges.iter().map(one).collect();
    let message = format!("{value} is out of range: `{}` of `{head}` takes {}", spec.value.name, wanted.join(", "));
    Diagnostic::error(CODE, range, message)
}
