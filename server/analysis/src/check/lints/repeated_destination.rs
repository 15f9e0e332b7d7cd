//! `repeated-destination`: an instruction writes a register twice.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;

const CODE: Code = Code::RepeatedDestination;

/// Finds registers that stand twice among the results of an instruction.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    for index in 0..function.instructions.len() {
        let writes = function.writes(index);
        for (place, write) in writes.iter().enumerate().skip(1) {
            if !writes[..place].iter().any(|w| w.slot == write.slot) {
                continue;
            }
            let Some(operand) = write.operand.and_then(|o| function.operands.get(o as usize)) else { continue };
            let range = operand.range.start as usize..operand.range.end as usize;
            let name = function.register_name(write.slot);
            let message = format!("`{name}` stands twice among the results: which of the values it gets is undefined");
            out.push(
                Diagnostic::warning(CODE, range, message)
                    .with_help("use another register, or `_` where the instruction allows it"),
            );
        }
    }
}
