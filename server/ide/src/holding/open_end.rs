//! Labels of a function that is not written to its end.
//!
//! Control reaches the end of its body: neither `ret`, `exit` nor a branch stands there. A label without a declaration is then most likely
//! the next thing to be written, so the editor shows a hint. This depends on the text alone.

use super::statement;
use ptx_analysis::names::function_around;
use ptx_analysis::{Diagnostic, Severity};
use ptx_isa::ISA;
use ptx_isa::tables::ControlTransfer;
use ptx_syntax::{Rope, Snapshot, kinds};

/// Maximum number of lines that are read to find the last statement of a body.
const MAX_LINES: usize = 64;

/// Makes hints of the errors about undeclared labels in functions whose end control reaches.
pub fn soften(snapshot: &Snapshot, diagnostics: &mut [Diagnostic]) {
    // The answer for the function of the last label; labels come in text order.
    let mut last: Option<(usize, bool)> = None;
    for diagnostic in diagnostics.iter_mut().filter(|d| d.severity == Severity::Error && d.is_undeclared_label()) {
        let at = diagnostic.range.start;
        let function = snapshot.leaf(at..at + 1).and_then(function_around);
        let Some(function) = function.filter(|f| f.kind_id() == kinds().function) else { continue };
        let end = function.byte_range().end;
        let is_open = match last {
            Some((of, is_open)) if of == end => is_open,
            _ => is_open(snapshot.rope(), end),
        };
        last = Some((end, is_open));
        if is_open {
            diagnostic.severity = Severity::Hint;
        }
    }
}

/// Whether control reaches the end of the body that ends at an offset, as far as its last statement tells.
fn is_open(rope: &Rope, end: usize) -> bool {
    let line = rope.byte_to_line(end.saturating_sub(1));
    let last = (0..=line).rev().take(MAX_LINES).find_map(|number| {
        let code = statement::code(rope, number);
        let code = code.trim_end_matches(|c: char| c == '}' || c.is_whitespace());
        (!code.is_empty()).then(|| code.to_owned())
    });
    let Some(last) = last else { return true };
    let Some(statement) = last.strip_suffix(';') else { return true };
    let statement = statement.rsplit([';', ':', '{', '}']).next().unwrap_or("").trim_start();
    let word = statement.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let leaves =
        |transfer| matches!(transfer, ControlTransfer::Branch | ControlTransfer::Return | ControlTransfer::Exit);
    !ISA.opcode(word).is_some_and(|opcode| opcode.entries.iter().any(|entry| leaves(entry.flow)))
}
