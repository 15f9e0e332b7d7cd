//! The gate that each fix of an instruction passes: it leads to an instruction of the manual, and to none that its author cannot have
//! meant. A fix that makes an error go away is rarely read again, so none is better than a wrong one.

mod parts;
mod statements;

use super::statement::DiagnosedInstruction;
use super::types::TypeChange;
use parts::{InstructionParts, OperandText, keeps_to_the_manual};
use ptx_analysis::{Code, Fix, FixEdit, literal};
use ptx_isa::{ISA, OTHER_NAMES, SlotName};
use std::ops::Range;

/// Whether a fix of an instruction may be offered. A fix that changes other places too is only judged by what it does to the instruction.
pub fn admits(statement: &DiagnosedInstruction<'_>, fix: &Fix) -> bool {
    let Some(after) = edited(statement, fix) else { return true };
    let Some(before) = statement.lowered(|i| Some(InstructionParts::of(i, &statement.text))) else { return true };
    if contradicts(statement, &before, fix) {
        return false;
    }
    let all = statements::parts(&after);
    let [after] = &all[..] else { return statements::admits(statement, fix, &before, &all) };
    let (before, after) = (&before, after);
    keeps_to_the_manual(before, after)
        && !reads_the_pointer(before, after)
        && !shrinks_to_a_list(before, after)
        && !drops_an_order(before, after)
        && (suggests(statement, fix) || !makes_another_operation(before, after))
        && (is_about_space(statement) || !has_spaces(before) || keeps_spaces(before, after))
        && TypeChange::between(&before.modifiers, &after.modifiers).is_none_or(|change| change.is_plausible(statement))
        && fills_in_nothing(statement, before, after)
}

/// Whether a fix removes or changes a modifier of which the diagnostic knows what it should be, and makes something else of it: `.smem` is
/// `.shared`, so removing it is not what was meant.
fn contradicts(statement: &DiagnosedInstruction<'_>, before: &InstructionParts, fix: &Fix) -> bool {
    let [FixEdit::Replace(range, _)] = &fix.edits[..] else { return false };
    let start = range.start.checked_sub(statement.base);
    let replaced = start.and_then(|start| statement.text.get(start..start + range.len()));
    let is_modifier = replaced.is_some_and(|old| before.modifiers.iter().any(|modifier| modifier == old));
    // PTX has nothing like `.sub`, and the message says what to do instead.
    let has_no_counterpart =
        || replaced.is_some_and(|old| OTHER_NAMES.iter().any(|row| row.name == old && row.ptx == "-"));
    let is_otherwise = !statement.diagnostic.fixes.is_empty() && !suggests(statement, fix);
    is_modifier && (is_otherwise || has_no_counterpart())
}

/// Whether a fix writes what the diagnostic says.
fn suggests(statement: &DiagnosedInstruction<'_>, fix: &Fix) -> bool {
    let text = |edit: &FixEdit| if let FixEdit::Replace(_, text) = edit { Some(text.clone()) } else { None };
    let mut own = statement.diagnostic.fixes.iter().flat_map(|fix| &fix.edits).filter_map(text);
    matches!(&fix.edits[..], [edit] if own.any(|own| text(edit) == Some(own)))
}

/// Whether a fix makes another instruction by a word that is not like the written one: `barrier.cluster.arrive` of `barrier.cluster.sync`.
fn makes_another_operation(before: &InstructionParts, after: &InstructionParts) -> bool {
    let modifiers: Vec<&str> = after.modifiers.iter().map(String::as_str).collect();
    let opcode = after.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let Some(entry) = opcode.and_then(|opcode| opcode.entry(&modifiers)) else { return false };
    let new: Vec<&String> = after.modifiers.iter().filter(|m| !before.modifiers.contains(m)).collect();
    let old: Vec<&String> = before.modifiers.iter().filter(|m| !after.modifiers.contains(m)).collect();
    let ([new], [old]) = (&new[..], &old[..]) else { return false };
    let is_name = format!("{}.", entry.name).contains(&format!("{new}."));
    let (new, old) = (new.trim_start_matches('.'), old.trim_start_matches('.'));
    const MIN_COMMON: usize = 3;
    let common = new.bytes().zip(old.bytes()).take_while(|(one, other)| one == other).count();
    let parts = |text: &str| text.split("::").flat_map(|part| part.split('_')).map(str::to_owned).collect::<Vec<_>>();
    let shares_a_word = parts(new).iter().any(|part| parts(old).contains(part));
    is_name
        && before.mnemonic.split('.').next() == Some(opcode.map_or("", |o| o.name))
        && common < MIN_COMMON
        && !shares_a_word
}

/// The instruction after a fix; `None` if the fix changes nothing of it.
fn edited(statement: &DiagnosedInstruction<'_>, fix: &Fix) -> Option<String> {
    let end = statement.base + statement.text.len();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for edit in &fix.edits {
        if let FixEdit::Replace(range, text) = edit
            && statement.base <= range.start
            && range.end <= end
        {
            edits.push((range.start - statement.base..range.end - statement.base, text));
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    (!edits.is_empty()).then(|| statement.with(&edits))
}

/// Whether each state space stays, or is written more exactly: `.shared::cluster` for `.shared`. Where an address points does not follow
/// from other modifiers.
fn keeps_spaces(before: &InstructionParts, after: &InstructionParts) -> bool {
    let spaces = |parts: &InstructionParts| -> Vec<String> {
        let is_space = |m: &&String| ISA.space(m).is_some();
        parts.modifiers.iter().filter(is_space).map(|m| m.split("::").next().unwrap_or(m).to_owned()).collect()
    };
    let new = spaces(after);
    spaces(before).iter().all(|space| new.contains(space))
}

/// Whether the opcode has state spaces at all.
fn has_spaces(parts: &InstructionParts) -> bool {
    let opcode = parts.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let mut slots = opcode.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
    slots.any(|slot| slot.values.iter().any(|value| ISA.space(value).is_some()))
}

/// Whether a state space itself may be the mistake.
fn is_about_space(statement: &DiagnosedInstruction<'_>) -> bool {
    statement.diagnostic.code() == Code::StateSpace
}

/// Whether an access to memory at a parameter becomes one to the parameter itself: it most likely holds the address.
fn reads_the_pointer(before: &InstructionParts, after: &InstructionParts) -> bool {
    let of_parameters = |parts: &InstructionParts| parts.modifiers.iter().any(|m| m.starts_with(".param"));
    let of_memory = before.modifiers.iter().any(|m| m.starts_with(".global"));
    of_memory && !of_parameters(before) && of_parameters(after)
}

/// Whether a number of elements or dimensions becomes smaller or is left out, so that operands fit which are too few: `.x4` becomes `.x2`
/// because a list has two registers. More likely the others are missing.
fn shrinks_to_a_list(before: &InstructionParts, after: &InstructionParts) -> bool {
    let count = |modifier: &String| {
        let word = modifier.trim_start_matches('.');
        let digits = word.strip_prefix(['v', 'x']).or_else(|| word.strip_suffix('d'))?;
        digits.parse::<u32>().ok()
    };
    let counts = |parts: &InstructionParts| parts.modifiers.iter().filter_map(count).collect::<Vec<_>>();
    let (old, new) = (counts(before), counts(after));
    let smaller = old.iter().sum::<u32>() > new.iter().sum::<u32>();
    smaller && before.operands == after.operands
}

/// Whether a memory order is left out of an instruction that has such orders: the access would be weaker than its author meant.
fn drops_an_order(before: &InstructionParts, after: &InstructionParts) -> bool {
    let opcode = after.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let all = ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
    let orders: Vec<&str> =
        all.filter(|slot| slot.set == Some(SlotName::Sem)).flat_map(|slot| slot.values).copied().collect();
    let has_orders = |parts: &InstructionParts| parts.modifiers.iter().any(|m| orders.contains(&m.as_str()));
    let mut slots = opcode.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
    has_orders(before) && !has_orders(after) && slots.any(|slot| slot.set == Some(SlotName::Sem))
}

/// Whether an operand more is one that the author implied, and is read only if it is a value.
fn fills_in_nothing(statement: &DiagnosedInstruction<'_>, before: &InstructionParts, after: &InstructionParts) -> bool {
    if after.operands.len() <= before.operands.len() {
        return true;
    }
    let mut left = before.operands.clone();
    let mut added: Vec<(usize, &OperandText)> = Vec::new();
    for (place, operand) in after.operands.iter().enumerate() {
        match left.iter().position(|o| o == operand) {
            Some(same) => drop(left.remove(same)),
            None => added.push((place, operand)),
        }
    }
    let modifiers: Vec<&str> = after.modifiers.iter().map(String::as_str).collect();
    let implied = |operand: &OperandText| {
        let rows = ptx_isa::VALUES.iter().filter(|row| row.implied && row.is_of(&after.mnemonic, &modifiers));
        rows.into_iter().any(|row| literal::integer(row.value) == operand.value)
    };
    // An operand that stands for two, as in `add.u32 %r1, %r2` read as `%r1 += %r2`, would read what nothing has written.
    let repeats = after.operands.len() - before.operands.len() != added.len();
    let numbers = added.iter().filter(|(_, operand)| operand.is_number);
    let certain = || statement.missing_operand_is_certain() || after.mnemonic != before.mnemonic;
    !repeats && numbers.into_iter().all(|(_, operand)| implied(operand) && certain())
}
