//! Parameters and results: what a list of them may hold, and what instructions may do with those in memory.

use crate::ast::{Declaration, Instruction, Operand, OperandKind, Word};
use crate::checks::parameter_list::SizeReason;
use crate::checks::{parameter_access, parameter_list};
use crate::diagnostic::Diagnostic;
use crate::operands::Names;
use crate::signature::{Array, Parameter};
use crate::spec::{Arrangement, Shape, Spec};
use crate::symbols::{Origin, Symbol, Variable};
use ptx_isa::tables::{Access, Kind};
use std::ops::Range;

/// The space of parameters.
const PARAM: &str = ".param";

/// Whose parameters a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// `.entry`.
    Kernel,
    /// `.func`.
    Function,
    /// `.callprototype`.
    Prototype,
}

/// Checks a list of parameters or results.
pub fn check_list(list: &[Declaration<'_>], results: bool, owner: Owner, out: &mut Vec<Diagnostic>) {
    let mut in_memory = None;
    for (index, declaration) in list.iter().enumerate() {
        let parameter = Parameter::of(declaration);
        let space = declaration.spaces.first();
        let whole = || declaration.range.clone();
        let name = declaration.declarators.first().map(|d| d.name);
        match parameter.register {
            Some(true) if owner == Owner::Kernel => {
                let place = space.map_or_else(whole, Word::range);
                out.push(parameter_list::space(place, &parameter.name, Some(".reg"), true));
            }
            // What no parameter can be in at all, `.param::func`, is a matter of the declaration.
            None if space.is_some_and(|w| w.text.contains("::")) => {}
            None => {
                let place = space.map_or_else(whole, Word::range);
                let found = space.map(|w| w.text);
                out.push(parameter_list::space(place, &parameter.name, found, owner == Owner::Kernel));
            }
            Some(false) => in_memory = in_memory.or(Some(space.map_or_else(whole, Word::range))),
            Some(true) => {}
        }
        if let Some(name) = name.filter(|n| n.text == "_" && owner == Owner::Function) {
            out.push(parameter_list::unnamed(name.range()));
        }
        if parameter.array == Array::Open {
            let place = declaration.declarators.first().and_then(|d| d.dimensions.first());
            let place = place.map_or_else(whole, |(range, _)| range.clone());
            let reason = match owner {
                _ if results => SizeReason::Result,
                Owner::Kernel => SizeReason::Kernel,
                _ if index + 1 < list.len() => SizeReason::NotLast,
                _ => continue,
            };
            out.push(parameter_list::open_array(place, &parameter.name, reason));
        }
    }
    if let Some(place) = in_memory.filter(|_| results && list.len() > 1) {
        out.push(parameter_list::several_results(place));
    }
}

/// Checks what an instruction whose operands fit a form does with parameters.
pub fn check_access(
    instruction: &Instruction<'_>,
    fitting: &Arrangement,
    names: &dyn Names,
    out: &mut Vec<Diagnostic>,
) {
    for (operand, (_, shape)) in instruction.operands.iter().zip(&fitting.operands) {
        match shape {
            Shape::Address(specs) => {
                if let Some(spec) = specs.first() {
                    access(instruction, operand, spec, names, out);
                }
            }
            Shape::Value(spec) if matches!(spec.value.kind, Kind::Address(_)) => {
                access(instruction, operand, spec, names, out);
            }
            Shape::Value(spec) if spec.value.symbol && spec.value.kind == Kind::Value => {
                address_of(operand, names, out)
            }
            _ => {}
        }
    }
}

/// Whether parameters of an origin may be written, or read.
pub fn may_access(origin: Origin, writes: bool) -> bool {
    match origin {
        Origin::KernelParameter | Origin::Parameter => !writes,
        Origin::Result => writes,
        _ => true,
    }
}

/// Whether a modifier names the state space of parameters of another kind.
pub fn is_elsewhere(origin: Origin, modifier: &str) -> bool {
    match modifier {
        ".param::entry" => origin == Origin::Body,
        ".param::func" => origin == Origin::KernelParameter,
        _ => false,
    }
}

/// An access to memory.
fn access(
    instruction: &Instruction<'_>,
    operand: &Operand<'_>,
    spec: &Spec,
    names: &dyn Names,
    out: &mut Vec<Diagnostic>,
) {
    let operand = match &operand.kind {
        OperandKind::Address(parts) => match parts.first() {
            Some(first) => first,
            None => return,
        },
        _ => operand,
    };
    let Some((name, range)) = base(operand) else { return };
    let Some(origin) = parameter(name, names) else { return };
    let writes = spec.value.access != Access::Read;
    if !may_access(origin, writes) {
        return out.push(match writes {
            true => parameter_access::written(range, name, origin),
            false => parameter_access::result_read(range, name),
        });
    }
    if let Some(modifier) = instruction.modifiers.iter().find(|m| is_elsewhere(origin, m.text)) {
        return out.push(parameter_access::other_space(range, name, origin, modifier.text));
    }
    if let Some(guard) = instruction.guard.filter(|_| origin == Origin::Body) {
        out.push(parameter_access::guarded(guard, name, writes));
    }
}

/// The address of a variable as a value.
fn address_of(operand: &Operand<'_>, names: &dyn Names, out: &mut Vec<Diagnostic>) {
    let Some((name, range)) = base(operand) else { return };
    if parameter(name, names) != Some(Origin::Body) {
        return;
    }
    // ptxas: with a constant added, or indexed, it passes until code is generated.
    let report = if matches!(operand.kind, OperandKind::Name(_)) {
        parameter_access::address_taken
    } else {
        parameter_access::offset_taken
    };
    out.push(report(range, name));
}

/// The name that an address is built on, and where it stands.
fn base<'t>(operand: &Operand<'t>) -> Option<(&'t str, Range<usize>)> {
    match &operand.kind {
        OperandKind::Name(name) => Some((name, operand.range.clone())),
        OperandKind::Index(inner, _) => base(inner),
        OperandKind::Offset(parts, _) => base(&parts.0),
        _ => None,
    }
}

/// Where a variable in `.param` is declared.
fn parameter(name: &str, names: &dyn Names) -> Option<Origin> {
    match names.look_up(name) {
        Some(Symbol::Variable(Variable { space: PARAM, origin, .. })) => Some(origin),
        _ => None,
    }
}
