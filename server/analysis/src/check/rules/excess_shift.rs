//! `excess-shift`: a constant distance that shifts everything out.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::ExcessShift;

/// The report.
pub fn report(range: Range<usize>, text: &str, width: u16, head: &str) -> Diagnostic {
    let message = format!("`{head}` shifts {width} bits by `{text}`, so that none of them is left");
    Diagnostic::warning(CODE, range, message).with_help(format!("distances are 0 to {}; they do not wrap", width - 1))
}
