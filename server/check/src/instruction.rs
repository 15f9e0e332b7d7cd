//! Checks one instruction against the tables: finds the intended form and reports how the instruction differs from it.

mod exchange;
mod mnemonic;
mod other_type;

use crate::calls;
use crate::constraints;
use crate::diagnostic::{Diagnostic, Severity};
use crate::immediates;
use crate::memory;
use crate::rules::illegal_combination::CombinedModifiers;
use crate::rules::operand_count::{MissingModifier, OtherCount};
use crate::rules::{
    constant_expression, deprecated, gates, ignored_modifier, illegal_combination, modifier_not_allowed,
    narrow_address, not_assembled, not_portable, odd_element, operand_count, operand_kind, operand_range, operand_type,
    parameter_access, project_target, state_space, syntax_error, unbracketed_address, undeclared_name, unknown_opcode,
    unusual_modifier_order, vector_length,
};
use ptx_isa::tables::{ControlTransfer, Entry, Form, Gate, ModifierSlot, Opcode, Rule, Term, TypeClass, ValueKind};
use ptx_sema::forms::choose::{ResolvedInstruction, VariantFit, choose};
use ptx_sema::forms::mnemonic::{Candidate, Mnemonic, MnemonicProblem, broken, resolve_fitting};
use ptx_sema::forms::mnemonics::{Gates, ResolvedMnemonic};
use ptx_sema::forms::nearby::is_allowed;
use ptx_sema::forms::operands::{self, MismatchKind, NameLookup, OperandMismatch};
use ptx_sema::forms::spec::{OperandSpec, OperandVariant, applies};
use ptx_sema::hir::ast::{ConstantValue, Instruction, Operand, OperandKind, SourceWord};
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::hir::types::register_type;
use ptx_sema::target::Environment;

/// Checks an instruction. `text` is the source in which its ranges count; `resolved` is its mnemonic looked up in the tables.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    text: &str,
    resolved: &ResolvedMnemonic,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let Some(opcode) = resolved.opcode else {
        return out.push(unknown_opcode::report(instruction));
    };
    if let Some(dot) = instruction.modifiers.iter().find(|m| m.text.trim() == ".") {
        return out.push(syntax_error::lone_dot(*dot));
    }
    let written = text.get(instruction.mnemonic_range()).unwrap_or(opcode.name);
    let Some(mnemonic) = &resolved.mnemonic else { return };
    // A character that is not ASCII is reported, and what the parser left of the instruction says nothing.
    let is_cut = instruction.broken && text.get(instruction.range.clone()).is_none_or(|t| !t.is_ascii());
    if is_cut {
        return;
    }
    if let Some(mismatch) = &mnemonic.mismatch {
        // An unfinished instruction has more missing than a modifier, and the parser has reported it.
        let unfinished = instruction.broken && instruction.operands.is_empty();
        if unfinished && !mismatch.problems.iter().any(|p| matches!(p, MnemonicProblem::Unknown(_))) {
            return;
        }
        return mnemonic::report(instruction, written, opcode, mismatch, &resolved.environment, names, out);
    }
    if instruction.broken {
        return;
    }
    let before = out.len();
    for operand in &instruction.operands {
        constants(operand, text, out);
    }
    if out.len() > before {
        return;
    }
    if mnemonic.entry.flow == ControlTransfer::Call
        && let Some(diagnostic) = calls::without_parentheses(instruction, text, names)
    {
        return out.push(diagnostic);
    }
    let suggest = |mismatch: &OperandMismatch| report_operand(mismatch, written, mnemonic.entry, None);
    if !mnemonic.entry.checked {
        // The tables do not describe its operands: only check that names are declared.
        let mut undeclared = Vec::new();
        for operand in &instruction.operands {
            operands::check_names(operand, names, &mut undeclared);
        }
        out.push(unknown_opcode::unchecked(instruction.mnemonic_range(), mnemonic.entry));
        return out.extend(undeclared.iter().map(suggest));
    }
    let Some(chosen) = resolved.choose(instruction, names) else { return };
    let ResolvedInstruction { candidate, variant, gates, fit, .. } = &chosen;
    if !matches!(fit, VariantFit::Fits) {
        // The kind of an undeclared name is unknown, so it alone is reported.
        let mut undeclared: Vec<OperandMismatch> = match &fit {
            VariantFit::Mismatch(found) => {
                found.iter().filter(|m| matches!(m.kind, MismatchKind::Undeclared(_))).cloned().collect()
            }
            _ => Vec::new(),
        };
        if undeclared.is_empty() {
            instruction.operands.iter().for_each(|o| operands::check_names(o, names, &mut undeclared));
        }
        if !undeclared.is_empty() {
            return out.extend(undeclared.iter().map(suggest));
        }
    }
    match fit {
        VariantFit::Fits => {
            if let Some((place, violation)) = constraints::check(instruction, candidate.form, variant) {
                let range =
                    instruction.operands.get(place).map_or_else(|| instruction.mnemonic_range(), |o| o.range.clone());
                return out.push(Diagnostic::new(range, violation));
            }
            out.extend(report_gates(instruction, written, (candidate, variant), *gates, &resolved.environment));
            for (operand, (_, shape)) in instruction.operands.iter().zip(&variant.operands) {
                immediates::check(operand, shape, written, out);
            }
            for operand in &instruction.operands {
                special_registers(operand, &resolved.environment, names, out);
            }
            let operands = instruction.operands.iter().zip(&variant.operands);
            out.extend(operands.filter_map(|(o, (_, shape))| unbracketed_address::check(o, shape, written)));
            suffixes(instruction, (opcode, candidate), (written, names), out);
            let before = out.len();
            memory::check(instruction, text, candidate.entry, variant, &resolved.environment, names, out);
            narrow_address::moved(instruction, variant, names, out);
            // One mistake, one report.
            if !out[before..].iter().any(|d| d.severity == Severity::Error) {
                let environment = &resolved.environment;
                out.extend(not_assembled::check(instruction, written, candidate, variant, environment, names));
            }
            unusual_modifier_order::check(instruction, candidate, written, out);
            out.extend(
                mnemonic.ignored.iter().filter_map(|i| instruction.modifiers.get(*i)).map(ignored_modifier::report),
            );
            odd_element::check(instruction, variant, names, out);
            calls::check(instruction, variant, names, out);
            parameter_access::check(instruction, variant, names, out);
        }
        VariantFit::Mismatch(found) => {
            let exchanged = found
                .iter()
                .find_map(|mismatch| brackets(mismatch, text))
                .or_else(|| exchange::results(instruction, &candidate.variants, names, text, written))
                .or_else(|| exchange::report(instruction, variant, names, text, written))
                .or_else(|| other_type::report(instruction, found, opcode, names, written));
            let reports =
                found.iter().map(|mismatch| report_operand(mismatch, written, candidate.entry, Some(candidate)));
            out.extend(exchanged.or_else(|| together(reports)));
        }
        VariantFit::Rule(rule) => {
            if let Some(diagnostic) = surplus_number(instruction, (text, written), candidate, names) {
                return out.push(diagnostic);
            }
            out.push(broken_rule(instruction, (opcode, candidate.form), rule, written));
        }
        VariantFit::Count { counts, alignment } => {
            if mnemonic.entry.flow == ControlTransfer::Branch
                && let Some(diagnostic) = branch_guard(instruction, text, names)
            {
                return out.push(diagnostic);
            }
            let operand_total = instruction.operands.len();
            let variants =
                mnemonic.candidates.iter().flat_map(|c| &c.variants).filter(|v| v.operands.len() == operand_total);
            let mut exchanged = variants
                .filter(|v| v.broken.is_none())
                .filter_map(|variant| exchange::report(instruction, variant, names, text, written));
            if let Some(diagnostic) = exchanged.next() {
                return out.push(diagnostic);
            }
            let offered = offered_counts(mnemonic, counts, &resolved.environment);
            let form = shown_form(instruction, candidate.form);
            if operand_total > counts.last().copied().unwrap_or(0)
                && let Some(modifier) = missing_modifier(instruction, opcode, resolved, names)
            {
                return out.push(operand_count::lacks_modifier(instruction, written, form, &offered, modifier));
            }
            let count = OtherCount { text, mnemonic: written, form, counts: &offered, alignment };
            out.push(operand_count::report(instruction, &chosen, count));
        }
    }
}

/// The report of a rule of a form that the modifiers break.
fn broken_rule(
    instruction: &Instruction<'_>,
    (opcode, form): (&'static Opcode, &Form),
    rule: &Rule,
    written: &str,
) -> Diagnostic {
    let combined = CombinedModifiers { opcode, modifiers: &instruction.modifiers };
    illegal_combination::rule(instruction.mnemonic_range(), rule, form, written, combined)
}

/// The text of a form for an instruction.
fn shown_form(instruction: &Instruction<'_>, form: &'static Form) -> &'static str {
    let suffixes = instruction.suffixes.iter().map(|(_, word)| word.text);
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).chain(suffixes).collect();
    form.text_for(&modifiers)
}

/// The numbers of operands to suggest: those of variants that are documented and built. All, if there is none.
fn offered_counts(mnemonic: &Mnemonic, counts: &[usize], environment: &Environment) -> Vec<usize> {
    let variants = mnemonic.candidates.iter().flat_map(|c| c.variants.iter().map(move |v| (c, v)));
    let offered = variants.filter(|(c, v)| v.is_offered(c.form, &c.values, environment));
    let offered: Vec<usize> = offered.map(|(_, v)| v.operands.len()).collect();
    let kept: Vec<usize> = counts.iter().copied().filter(|count| offered.contains(count)).collect();
    if kept.is_empty() { counts.to_vec() } else { kept }
}

/// The report on an operand that fits but for its brackets, or that stands for a range of registers.
fn brackets(mismatch: &OperandMismatch, text: &str) -> Option<Diagnostic> {
    let address = matches!(mismatch.kind, MismatchKind::MustBeAddress);
    let mut range = mismatch.range.clone();
    if text.get(range.clone()).is_some_and(|operand| operand.starts_with('['))
        && let Some(doubled) = syntax_error::doubled_brackets(text, range.start)
    {
        return Some(doubled);
    }
    // The mismatch of an element is about the element alone.
    let before = text.get(..range.start).map_or("", str::trim_end);
    let after = text.get(range.end..).map_or("", str::trim_start);
    if before.ends_with('{') && after.starts_with('}') {
        range = before.len() - 1..text.len() - after.len() + 1;
    }
    syntax_error::register_range(text, range.clone()).or_else(|| syntax_error::wrong_brackets(text, range, address))
}

/// The report on a branch that has a predicate for an operand: `bra L, %p1;`.
fn branch_guard(instruction: &Instruction<'_>, text: &str, names: &dyn NameLookup) -> Option<Diagnostic> {
    let [first, second] = &instruction.operands[..] else { return None };
    let symbol = |operand: &Operand<'_>| match operand.kind {
        OperandKind::Name(name) => names.look_up(name),
        _ => None,
    };
    let is_predicate = |operand: &Operand<'_>| {
        let of_not = match &operand.kind {
            OperandKind::Not(inner) => symbol(inner),
            _ => symbol(operand),
        };
        matches!(of_not, Some(Symbol::Register { ty, .. }) if ty.info().class == TypeClass::Pred)
    };
    let (predicate, label) = match (is_predicate(first), is_predicate(second)) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let word = |operand: &Operand<'_>| text.get(operand.range.clone());
    let whole = first.range.start..second.range.end;
    (instruction.guard.is_none() && matches!(symbol(label), Some(Symbol::Label)))
        .then(|| operand_count::guard_as_operand(instruction, whole, word(predicate)?, word(label)?))
        .flatten()
}

/// The report on a last operand that is a number where only a rare operand, such as a cache policy, could stand, which is a register.
fn surplus_number(
    instruction: &Instruction<'_>,
    (text, written): (&str, &str),
    candidate: &Candidate,
    names: &dyn NameLookup,
) -> Option<Diagnostic> {
    let (last, sources) = instruction.operands.split_last()?;
    let is_number = matches!(last.kind, OperandKind::Integer(_) | OperandKind::Float(_) | OperandKind::Constant(_));
    let fits = |variant: &&OperandVariant| {
        variant.broken.is_none() && variant.operands.len() == sources.len() && {
            let mut mismatches = Vec::new();
            for (operand, (_, shape)) in sources.iter().zip(&variant.operands) {
                operands::check(operand, shape, names, &mut mismatches);
            }
            mismatches.is_empty()
        }
    };
    let variant = candidate.variants.iter().find(fits).filter(|_| is_number)?;
    let operand = text.get(last.range.clone())?;
    Some(operand_count::surplus(last.range.clone(), (written, candidate.form.text), variant.operands.len(), operand))
}

/// The only modifier with which the operands fit, and the index at which it stands: `.sync` of `shfl`.
fn missing_modifier(
    instruction: &Instruction<'_>,
    opcode: &'static Opcode,
    resolved: &ResolvedMnemonic,
    names: &dyn NameLookup,
) -> Option<MissingModifier> {
    /// Some opcodes have hundreds of modifiers.
    const MAX_TRIED: usize = 64;
    let written: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let forms = opcode.entries.iter().flat_map(|e| e.forms).filter(|form| !form.tolerated);
    let slots = forms.flat_map(|f| f.slots).filter(|s| !s.is_type && s.after_operand == 0);
    let mut values: Vec<&'static str> = slots.flat_map(ModifierSlot::documented).collect();
    values.sort_unstable();
    values.dedup();
    values.retain(|value| !written.contains(value));
    let fits = |value: &&'static str| {
        (0..=written.len()).find(|at| {
            let mut with = written.clone();
            with.insert(*at, value);
            resolve_fitting(opcode, &with).is_some_and(|mnemonic| {
                let chosen = choose(instruction, &mnemonic, &[], names);
                let allowed = |c: &Candidate| is_allowed(c, &resolved.environment);
                chosen.is_some_and(|c| matches!(c.fit, VariantFit::Fits) && allowed(c.candidate))
            })
        })
    };
    let mut fitting =
        values.iter().take(MAX_TRIED).filter_map(|value| Some(MissingModifier { modifier: value, at: fits(value)? }));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// One diagnostic for an instruction: the first of `found`, with the others as its related places.
fn together(mut found: impl Iterator<Item = Diagnostic>) -> Option<Diagnostic> {
    let first = found.next()?;
    Some(found.fold(first, |first, other| first.related(other.range.clone(), other.message())))
}

/// Reports the constant expressions in an operand that have no value.
fn constants(operand: &Operand<'_>, text: &str, out: &mut Vec<Diagnostic>) {
    match &operand.kind {
        OperandKind::Constant(ConstantValue::Wrong(problem)) => out.push(constant_expression::report(*problem, text)),
        OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::Arguments(list) => {
            list.iter().for_each(|o| constants(o, text, out));
        }
        OperandKind::Offset(parts, _) => {
            constants(&parts.0, text, out);
            constants(&parts.1, text, out);
        }
        _ => {}
    }
}

/// Checks the gates of the special registers in an operand.
fn special_registers(
    operand: &Operand<'_>,
    environment: &Environment,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let (name, range) = match &operand.kind {
        OperandKind::Name(name) => (*name, operand.range.clone()),
        OperandKind::Member(object, _) => (object.text, object.range()),
        OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::Arguments(list) => {
            return list.iter().for_each(|o| special_registers(o, environment, names, out));
        }
        OperandKind::Not(inner) => return special_registers(inner, environment, names, out),
        _ => return,
    };
    // Most names are like `%r12`. Special registers have at least four characters before any trailing digits.
    if !name.starts_with('%') || name.trim_end_matches(|c: char| c.is_ascii_digit()).len() < 4 {
        return;
    }
    let Some(register) = operands::special(name).filter(|_| names.look_up(name).is_none()) else { return };
    out.extend(gates::check(range, register.name, register.gates, environment, |_| true));
}

/// Checks modifiers that follow an operand, as in `[a].unified`.
fn suffixes(
    instruction: &Instruction<'_>,
    (opcode, candidate): (&'static Opcode, &Candidate),
    (written, names): (&str, &dyn NameLookup),
    out: &mut Vec<Diagnostic>,
) {
    if instruction.suffixes.is_empty() {
        return;
    }
    let mut values = candidate.values.clone();
    let form = shown_form(instruction, candidate.form);
    for (operand, word) in &instruction.suffixes {
        let slot = candidate
            .form
            .slots
            .iter()
            .position(|s| usize::from(s.after_operand) == operand + 1 && s.values.contains(&word.text));
        match slot {
            // ptxas: no such modifier after a special register, or after a variable that is not unified.
            Some(_) if instruction.operands.get(*operand).is_some_and(|o| !takes_suffix(o, names)) => {
                out.push(modifier_not_allowed::in_form(*word, form));
            }
            Some(slot) => values[slot] = candidate.form.slots[slot].values.iter().copied().find(|v| *v == word.text),
            None => out.push(modifier_not_allowed::in_form(*word, form)),
        }
    }
    if let Some(rule) = candidate.form.rules.iter().find(|r| broken(r, &values, None)) {
        out.push(broken_rule(instruction, (opcode, candidate.form), rule, written));
    }
}

/// Whether a modifier may follow an address.
fn takes_suffix(operand: &Operand<'_>, names: &dyn NameLookup) -> bool {
    let OperandKind::Address(parts) = &operand.kind else { return true };
    let base = match parts.first().map(|part| &part.kind) {
        Some(OperandKind::Name(name)) => *name,
        Some(OperandKind::Offset(parts, _)) => match parts.0.kind {
            OperandKind::Name(name) => name,
            _ => return true,
        },
        _ => return true,
    };
    match names.look_up(base) {
        Some(Symbol::Variable(variable)) => variable.unified,
        Some(_) => true,
        None => operands::special(base).is_none(),
    }
}

/// The byte range of the modifier that a rule names, or of the whole mnemonic.
fn rule_place(instruction: &Instruction<'_>, form: &Form, what: &[Term], when: &[Term]) -> std::ops::Range<usize> {
    let of = |term: &Term| match term {
        Term::Slot(test) if !test.negated => {
            let slot = &form.slots[usize::from(test.slot)];
            let named = |m: &&SourceWord<'_>| {
                if test.values.is_empty() { slot.values.contains(&m.text) } else { test.values.contains(&m.text) }
            };
            instruction.modifiers.iter().find(named).map(SourceWord::range)
        }
        _ => None,
    };
    what.iter().chain(when).find_map(of).unwrap_or_else(|| instruction.mnemonic_range())
}

/// The worst problem with the PTX version and the target, since one report for an instruction is enough.
fn report_gates(
    instruction: &Instruction<'_>,
    written: &str,
    (candidate, variant): (&Candidate, &OperandVariant),
    found: Gates,
    environment: &Environment,
) -> Option<Diagnostic> {
    let place = |gate: &Gate| rule_place(instruction, candidate.form, gate.when, &[]);
    if let Some(gate) = found.refused {
        let applicable_gates = candidate.form.gates.iter().filter(|g| applies(g.when, &candidate.values, variant));
        return Some(gates::refused(place(gate), written, gate, applicable_gates, environment));
    }
    if let Some(gate) = found.deprecated {
        return Some(deprecated::report(instruction.mnemonic_range(), written, gate));
    }
    if let Some(gate) = found.lacking {
        return project_target::report(place(gate), written, gate, environment);
    }
    found.bound.and_then(|gate| not_portable::report(place(gate), written, gate, environment))
}

fn report_operand(
    mismatch: &OperandMismatch,
    written: &str,
    entry: &Entry,
    candidate: Option<&Candidate>,
) -> Diagnostic {
    let range = mismatch.range.clone();
    let spec: Option<&OperandSpec> = mismatch.spec.as_ref();
    let matrix = || vector_length::MatrixShare::of(entry.name, candidate?, spec?.value.name);
    match (&mismatch.kind, spec) {
        (MismatchKind::Undeclared(name), Some(spec)) if spec.value.kind == ValueKind::Label => {
            undeclared_name::label(range, name)
        }
        (MismatchKind::Undeclared(name), Some(spec)) if spec.value.kind == ValueKind::Value => {
            undeclared_name::register(range, name, spec.ty.map_or(".b32", register_type))
        }
        (MismatchKind::Undeclared(name), Some(spec)) if matches!(spec.value.kind, ValueKind::Address(_)) => {
            undeclared_name::address(range, name, spec.spaces)
        }
        (MismatchKind::Undeclared(name), _) => undeclared_name::report(range, name),
        (MismatchKind::RegisterType(register, ty), Some(spec)) => {
            operand_type::register(range, register, *ty, spec.expected(entry.operands), written)
        }
        (MismatchKind::SpecialType { name, ty }, Some(spec)) => {
            operand_type::special(range, name, ty, spec.expected(entry.operands), written)
        }
        (MismatchKind::ImmediateClass { integer }, spec) => operand_type::immediate(range, *integer, spec, written),
        (MismatchKind::OutOfRange(value), Some(spec)) => operand_range::report(range, *value, spec, written, entry),
        (MismatchKind::VectorLength(found), spec) => vector_length::report(range, *found, spec, written, matrix()),
        (MismatchKind::MustBeVector, spec) => vector_length::scalar(range, spec, written, matrix()),
        (MismatchKind::Space(variable, space), spec) => state_space::report(range, variable, space, spec, written),
        (MismatchKind::MinusOffset, _) => syntax_error::minus_offset(range),
        (MismatchKind::Sign(sign), _) => syntax_error::misplaced_sign(range, sign),
        (MismatchKind::Subscript, _) => syntax_error::subscript(range),
        _ => operand_kind::report(mismatch, written, entry),
    }
}
