//! Replacements for forms that PTX has removed or deprecated. The tables name them (`instead`).

use super::statement::{DiagnosedInstruction, fix};
use ptx_analysis::Fix;
use ptx_analysis::{Candidate, Code, mnemonic};
use ptx_isa::tables::Successor;

/// Adds the fixes that replace the statement's form by its successors.
pub fn fixes(statement: &DiagnosedInstruction<'_>, out: &mut Vec<Fix>) {
    if ![Code::Deprecated, Code::Removed].contains(&statement.diagnostic.code()) {
        return;
    }
    let before = out.len();
    statement.lowered(|instruction| {
        let (opcode, head) = statement.head(instruction)?;
        let successors: Vec<&Successor> = head.candidates.iter().flat_map(|c| c.form.successors).collect();
        for Successor { add, remove, operands } in successors {
            let written = instruction.modifiers.iter().map(|m| m.text).filter(|m| !remove.contains(m));
            let modifiers: Vec<&str> = written.chain(add.iter().copied()).collect();
            let Some(candidate) = mnemonic::resolve(opcode, &modifiers).and_then(|h| h.candidates.into_iter().next())
            else {
                continue;
            };
            let new_head = canonical(opcode.name, &candidate);
            let end = instruction.operands.last().map_or(instruction.mnemonic_range().end, |o| o.range.end);
            let more: String = operands.iter().map(|o| format!(", {o}")).collect();
            let text = statement.with(&[(instruction.mnemonic_range(), &new_head), (end..end, &more)]);
            if !statement.is_better(&text, &[]) {
                continue;
            }
            let mut edits = vec![statement.replace(instruction.mnemonic_range(), &new_head)];
            if !more.is_empty() {
                edits.push(statement.replace(end..end, &more));
            }
            let with = if more.is_empty() { String::new() } else { format!(" … {}", more.trim_start_matches(", ")) };
            out.push(fix(format!("Write `{new_head}{with}`"), edits));
        }
        Some(())
    });
    if let [only] = &mut out[before..] {
        // A fix that uses the mask of all lanes is right only if all lanes reach the instruction: the user must decide.
        only.preferred = only.edits.len() == 1;
    }
}

/// A mnemonic with its modifiers in the order of the form.
fn canonical(opcode: &str, candidate: &Candidate) -> String {
    let slots = candidate.form.slots.iter().zip(&candidate.values).filter(|(s, _)| s.after_operand == 0);
    std::iter::once(opcode).chain(slots.filter_map(|(_, v)| *v)).collect()
}
