//! `dead-store`: a value is computed that nothing reads.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;

const CODE: Code = Code::DeadStore;

/// Finds instructions without an effect whose results are all dead.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let mut read = vec![false; function.registers.len()];
    for index in analysis.graph.order.iter().flat_map(|b| analysis.graph.blocks[*b as usize].instructions()) {
        function.reads(index).iter().for_each(|r| read[r.slot.index()] = true);
    }
    analysis.liveness().visit(function, analysis.graph, |index, live| {
        let writes = function.writes(index);
        if writes.is_empty() || writes.iter().any(|w| live.contains(w.slot.index())) || !function.is_pure(index) {
            return;
        }
        // A move of a register to itself, and the like, is written on purpose.
        if function.reads(index).iter().any(|r| writes.iter().any(|w| w.slot == r.slot) && r.operand.is_some()) {
            return;
        }
        let instruction = &function.instructions[index];
        let range = instruction.range.start as usize..instruction.range.end as usize;
        let mut names: Vec<String> = writes.iter().map(|w| format!("`{}`", function.register_name(w.slot))).collect();
        names.dedup();
        let names = names.join(", ");
        let again = writes.iter().any(|w| read[w.slot.index()]);
        let message = match (again, writes.len()) {
            (false, 1) => format!("{names} is never read"),
            (false, _) => format!("{names} are never read"),
            (true, 1) => format!("the value of {names} is not read before it is written again"),
            (true, _) => format!("the values of {names} are not read before they are written again"),
        };
        out.push(Diagnostic::hint(CODE, range, message).with_help("the instruction has no effect").unnecessary());
    });
}
