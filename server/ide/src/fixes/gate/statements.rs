//! Fixes that make several statements of an instruction, such as a conversion before it: each is judged.

use super::parts::{InstructionParts, OperandText, keeps_to_the_manual};
use crate::fixes::statement::{DiagnosedInstruction, TrialRegister};
use ptx_analysis::{Fix, FixEdit, ItemSource, Symbol, TypeId, literal, lower};
use ptx_isa::tables::TypeClass;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, kinds};

/// The parts of the instructions of a text.
pub(super) fn parts(text: &str) -> Vec<InstructionParts> {
    let snapshot = Snapshot::new(text);
    let source = ItemSource { text, base: 0 };
    let instructions = named_children(snapshot.root_at(0)).filter(|node| node.kind_id() == kinds().instruction);
    instructions.filter_map(|node| Some(InstructionParts::of(&lower::instruction(source, node)?, text))).collect()
}

/// Whether a fix that makes these instructions of the one before may be offered: all are of the manual and legal, no number is new, and no
/// register is read that nothing has written.
pub(super) fn admits(
    statement: &DiagnosedInstruction<'_>,
    fix: &Fix,
    before: &InstructionParts,
    after: &[InstructionParts],
) -> bool {
    if after.is_empty() {
        return true;
    }
    let declared: Vec<TrialRegister> = (fix.edits.iter())
        .filter_map(|edit| match edit {
            FixEdit::Declare { name, ty } => {
                let symbol = Symbol::Register { ty: TypeId::of(ty)?, elements: 1 };
                Some(TrialRegister { name: name.clone(), symbol })
            }
            _ => None,
        })
        .collect();
    let written = |parts: &InstructionParts| parts.operands.first().map(|operand| operand.text.clone());
    let mut new: Vec<String> = Vec::new();
    for parts in after {
        let legal = statement.is_clean(&parts.statement, &declared);
        if !legal || !keeps_to_the_manual(before, parts) {
            return false;
        }
        let converts = parts.operands.iter().any(|operand| is_predicate(statement, &declared, &operand.text));
        let numbers = parts.operands.iter().filter(|operand| operand.is_number);
        if !numbers.into_iter().all(|number| is_known(before, number) || (converts && is_truth_value(number))) {
            return false;
        }
        // What the fix declares holds nothing before one of its statements writes it.
        let reads = parts.operands.iter().skip(1);
        let unwritten = |name: &String| declared.iter().any(|register| register.name == *name) && !new.contains(name);
        if reads.flat_map(|operand| names(&operand.text)).any(|name| unwritten(&name)) {
            return false;
        }
        new.extend(written(parts));
    }
    !reads_the_result(before, after) && !after.iter().any(|parts| cuts_the_result(parts, &declared))
}

/// Whether a number stands in the instruction before the fix.
fn is_known(before: &InstructionParts, number: &OperandText) -> bool {
    let same = |operand: &OperandText| {
        operand.text == number.text
            || (number.value.is_some() && operand.value == number.value)
            || numbers(&operand.text).any(|value| Some(value) == number.value)
    };
    before.operands.iter().any(same)
}

/// The numbers in a list or an address.
fn numbers(text: &str) -> impl Iterator<Item = i128> + '_ {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$'))).filter_map(literal::integer)
}

/// 0 and 1: what a predicate is as a number.
fn is_truth_value(number: &OperandText) -> bool {
    matches!(number.value, Some(0 | 1))
}

fn is_predicate(statement: &DiagnosedInstruction<'_>, declared: &[TrialRegister], text: &str) -> bool {
    let name = text.trim_start_matches('!');
    let own = declared.iter().find(|register| register.name == name).map(|register| register.symbol);
    let symbol = own.or_else(|| statement.look_up(name));
    matches!(symbol, Some(Symbol::Register { ty, .. }) if ty.info().class == TypeClass::Pred)
}

/// The names in an operand.
fn names(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$');
    text.split(move |c| !is_part(c)).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Whether a conversion cuts what the instruction computes: `mul.wide` into a new 64-bit register, of which the lower half is kept.
fn cuts_the_result(parts: &InstructionParts, declared: &[TrialRegister]) -> bool {
    let types: Vec<TypeId> = parts.modifiers.iter().filter_map(|modifier| TypeId::of(modifier)).collect();
    let [result, source] = types[..] else { return false };
    let is_integer = |ty: TypeId| matches!(ty.info().class, TypeClass::Uint | TypeClass::Sint | TypeClass::Bits);
    let reads_new = parts.operands.iter().skip(1).any(|operand| declared.iter().any(|r| r.name == operand.text));
    is_integer(result) && is_integer(source) && result.info().bits < source.info().bits && reads_new
}

/// Whether the statements read the result of the instruction, which it only writes, before one of them has written it.
fn reads_the_result(before: &InstructionParts, after: &[InstructionParts]) -> bool {
    let Some((result, sources)) = before.operands.split_first() else { return false };
    let is_name = names(&result.text).next().is_some_and(|name| name == result.text);
    let read_before = sources.iter().flat_map(|operand| names(&operand.text)).any(|name| name == result.text);
    if !is_name || read_before {
        return false;
    }
    for parts in after {
        let (first, rest) = match parts.operands.split_first() {
            Some((first, rest)) => (Some(first), rest),
            None => (None, &[][..]),
        };
        if rest.iter().flat_map(|operand| names(&operand.text)).any(|name| name == result.text) {
            return true;
        }
        if first.is_some_and(|first| first.text == result.text) {
            return false;
        }
    }
    false
}
