//! Checks branches and calls: the names in them must exist and have the right kind, and a call must fit the signature of its
//! callee. The rules were measured. Calls compare types differently from other instructions.

use crate::diagnostic::Diagnostic;
use crate::rules::call_arguments::{PassedValue, Why};
use crate::rules::{branch_target, call_arguments, call_target, not_assembled, operand_kind, undeclared_name};
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, ValueKind};
use ptx_sema::forms::operands::{NameLookup, special};
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::{ConstantValue, Instruction, Operand, OperandKind};
use ptx_sema::hir::signature::{Array, Callee, ContentId, Parameter, Signature, natural_align, size_in_bits};
use ptx_sema::hir::symbols::{Symbol, TargetListKind, VariableOrigin, VariableSymbol};
use ptx_sema::hir::types::TypeId;
use std::sync::Arc;

/// Checks the labels, functions and target lists that an instruction names. `fitting` is the operand variant that it fits.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    fitting: &OperandVariant,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let mut call = CallOperands::default();
    for (operand, (_, shape)) in instruction.operands.iter().zip(&fitting.operands) {
        match shape {
            OperandPattern::Value(spec) => match spec.value.kind {
                ValueKind::Label => branch(operand, names, out),
                ValueKind::Targets if spec.value.symbol => call.targets = Some(operand),
                ValueKind::Targets => list_of_labels(operand, names, out),
                ValueKind::Function => call.callee = Some(operand),
                _ => {}
            },
            OperandPattern::Arguments(_) if call.callee.is_none() => call.results = Some(operand),
            OperandPattern::Arguments(_) => call.arguments = Some(operand),
            _ => {}
        }
    }
    call.check(names, out);
}

/// The report on a call whose results or arguments stand without parentheses: `call y, f, x` for `call (y), f, (x)`.
pub(crate) fn without_parentheses(
    instruction: &Instruction<'_>,
    text: &str,
    names: &dyn NameLookup,
) -> Option<Diagnostic> {
    let operands = &instruction.operands;
    let symbol = |operand: &Operand<'_>| name(operand).and_then(|name| names.look_up(name));
    let is_function = |operand: &Operand<'_>| matches!(symbol(operand), Some(Symbol::Function { .. }));
    let is_list = |operand: &Operand<'_>| matches!(operand.kind, OperandKind::Arguments(_));
    // A name that is not declared may be a function where a list follows it.
    let listed =
        |i: &usize| is_list(&operands[*i]) && name(&operands[i - 1]).is_some_and(|name| names.look_up(name).is_none());
    let undeclared = || (1..operands.len()).rev().find(listed).map(|i| i - 1);
    let callee = operands.iter().position(is_function).or_else(undeclared)?;
    // Behind a list of arguments stands what is called through a register.
    if operands[..callee].iter().skip(1).any(is_list) {
        return None;
    }
    // A direct call names nothing else.
    let bare = |operand: &Operand<'_>| !is_list(operand) && !matches!(symbol(operand), Some(Symbol::Targets { .. }));
    let (results, arguments) = (&operands[..callee], &operands[callee + 1..]);
    let wrong = results.iter().chain(arguments).find(|o| bare(o))?;
    let written = |list: &[Operand<'_>]| -> Vec<String> {
        let each = list.iter().filter_map(|o| text.get(o.range.clone()));
        each.map(|t| t.trim_start_matches('(').trim_end_matches(')').trim().to_owned())
            .filter(|t| !t.is_empty())
            .collect()
    };
    let mut parts = Vec::new();
    if !results.is_empty() {
        parts.push(format!("({})", written(results).join(", ")));
    }
    parts.push(text.get(operands[callee].range.clone())?.to_owned());
    if !arguments.is_empty() {
        parts.push(format!("({})", written(arguments).join(", ")));
    }
    let range = operands.first()?.range.start..operands.last()?.range.end;
    Some(operand_kind::call_without_parentheses(wrong.range.clone(), range, &parts.join(", ")))
}

/// The name, if the operand is a single name.
fn name<'t>(operand: &Operand<'t>) -> Option<&'t str> {
    if let OperandKind::Name(name) = operand.kind { Some(name) } else { None }
}

fn branch(operand: &Operand<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
    let Some(name) = name(operand) else { return };
    match names.look_up(name) {
        None => out.push(undeclared_name::label(operand.range.clone(), name)),
        Some(Symbol::Label | Symbol::Unknown) => {}
        Some(symbol) => out.push(branch_target::not_a_label(operand.range.clone(), name, symbol)),
    }
}

fn list_of_labels(operand: &Operand<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
    let Some(name) = name(operand) else { return };
    match names.look_up(name) {
        None => out.push(undeclared_name::branch_list(operand.range.clone(), name)),
        Some(Symbol::Targets { list: TargetListKind::Branches, content }) if content != ContentId::UNKNOWN => {}
        Some(Symbol::Unknown) => {}
        Some(symbol) => out.push(branch_target::not_a_list(operand.range.clone(), name, symbol)),
    }
}

/// The operands of a call, each absent if the instruction does not have it.
#[derive(Default)]
struct CallOperands<'i, 't> {
    results: Option<&'i Operand<'t>>,
    callee: Option<&'i Operand<'t>>,
    arguments: Option<&'i Operand<'t>>,
    targets: Option<&'i Operand<'t>>,
}

impl<'t> CallOperands<'_, 't> {
    fn check(&self, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
        let Some(callee) = self.callee else { return };
        let Some(called) = name(callee) else { return };
        let before = out.len();
        let callees = match self.targets {
            None => direct(callee, called, names, out),
            Some(targets) => indirect(callee, called, targets, names, out),
        };
        for operand in [self.results, self.arguments].into_iter().flatten() {
            for value in list(operand) {
                undeclared(value, names, out);
            }
        }
        if out.len() > before {
            return;
        }
        // A list may name a hundred functions. One report about the first that does not fit is enough.
        for callee in &callees {
            self.against(callee, names, out);
            if out.len() > before {
                break;
            }
        }
    }

    /// Compares the call with the signature of one possible callee.
    fn against(&self, callee: &Callee, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
        let Some(signature) = &callee.signature else { return };
        let before = out.len();
        self.compare(callee, signature, names, out);
        // The other functions that are called have a report of their own, if a kernel reaches them.
        if let Some(parameter) =
            not_assembled::uncallable(signature).filter(|_| callee.prototype && out.len() == before)
            && let Some(targets) = self.targets
        {
            out.push(not_assembled::not_callable(targets.range.clone(), &callee.name, parameter));
        }
    }

    fn compare(&self, callee: &Callee, signature: &Arc<Signature>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
        let at = self.callee.map_or(0..0, |o| o.range.clone());
        let results = self.results.map_or(&[][..], list);
        let arguments = self.arguments.map_or(&[][..], list);
        let reporter = call_arguments::Reporter { callee, signature };
        if results.len() != signature.results.len() {
            let place = self.results.filter(|_| !results.is_empty()).map_or(at, |o| o.range.clone());
            return out.push(reporter.results(place, results.len(), self.results.is_some()));
        }
        // The argument for an open array (`a[]`) may be left out, but then there must be a list of arguments.
        let parameter_count = signature.parameters.len();
        let empty = signature.variadic() && arguments.len() + 1 == parameter_count && self.arguments.is_some();
        if arguments.len() != parameter_count && !empty {
            let place = self.arguments.map_or(at, |o| o.range.clone());
            return out.push(reporter.count(place, arguments.len(), self.arguments.is_some()));
        }
        for (written, values, parameters) in
            [(true, results, &signature.results), (false, arguments, &signature.parameters)]
        {
            for (index, (value, parameter)) in values.iter().zip(parameters).enumerate() {
                let Some(passed) = given(value, names) else { continue };
                let argument = call_arguments::ArgumentPosition { range: value.range.clone(), index, result: written };
                match fits(passed, parameter, written) {
                    ArgumentFit::Fits => {}
                    ArgumentFit::Constant => out.push(call_arguments::constant_result(value.range.clone())),
                    ArgumentFit::Refused(why) => out.push(reporter.argument(argument, value, passed, why)),
                }
            }
        }
    }
}

fn list<'i, 't>(operand: &'i Operand<'t>) -> &'i [Operand<'t>] {
    if let OperandKind::Arguments(list) = &operand.kind { list } else { &[] }
}

/// The functions that a direct call of `name` can reach; none if the name is wrong, which is reported.
fn direct(operand: &Operand<'_>, name: &str, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) -> Vec<Callee> {
    match names.look_up(name) {
        None => out.push(undeclared_name::function(operand.range.clone(), name)),
        Some(Symbol::Function { kernel: false, .. }) => return names.callees(name),
        Some(Symbol::Unknown) => {}
        Some(symbol) => out.push(call_target::not_a_function(operand.range.clone(), name, symbol)),
    }
    Vec::new()
}

/// The functions that a call through a register can reach; none if an operand is wrong, which is reported.
fn indirect(
    callee: &Operand<'_>,
    register: &str,
    targets: &Operand<'_>,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) -> Vec<Callee> {
    match names.look_up(register) {
        None => out.push(undeclared_name::report(callee.range.clone(), register)),
        Some(Symbol::Register { ty, elements: 1 }) if holds_address(ty) => {}
        Some(Symbol::Unknown) => {}
        Some(symbol) => out.push(call_target::not_an_address(callee.range.clone(), register, symbol)),
    }
    let Some(name) = name(targets) else { return Vec::new() };
    match names.look_up(name) {
        None => out.push(undeclared_name::label(targets.range.clone(), name)),
        Some(Symbol::Targets { list: TargetListKind::Calls | TargetListKind::Prototype, content })
            if content != ContentId::UNKNOWN =>
        {
            return names.callees(name);
        }
        Some(Symbol::Variable(VariableSymbol { table, .. })) if table != ContentId::UNKNOWN => {
            return names.callees(name);
        }
        Some(Symbol::Unknown) => {}
        Some(symbol) => {
            // If the callee is a function, the call is direct and needs no list: one report, about the callee, is enough.
            let direct = matches!(names.look_up(register), Some(Symbol::Function { .. }));
            if !direct {
                out.push(call_target::not_targets(targets.range.clone(), name, symbol));
            }
        }
    }
    Vec::new()
}

fn holds_address(ty: TypeId) -> bool {
    let info = ty.info();
    matches!(info.class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint) && matches!(info.bits, 32 | 64)
}

fn undeclared(value: &Operand<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
    if let OperandKind::Name(name) = value.kind
        && names.look_up(name).is_none()
        && ISA.constant(name).is_none()
        && special(name).is_none()
    {
        out.push(undeclared_name::report(value.range.clone(), name));
    }
}

fn given(value: &Operand<'_>, names: &dyn NameLookup) -> Option<PassedValue> {
    Some(match &value.kind {
        OperandKind::Name(name) => match names.look_up(name) {
            Some(Symbol::Register { ty, elements }) => PassedValue::Register(ty, elements),
            Some(Symbol::Variable(variable)) => PassedValue::Variable(variable),
            Some(Symbol::Unknown) => return None,
            Some(symbol) => PassedValue::Other(symbol),
            None if ISA.constant(name).is_some() => PassedValue::Integer,
            None => PassedValue::Special,
        },
        OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_)) => PassedValue::Integer,
        OperandKind::Float(text) if text.starts_with("0f") || text.starts_with("0F") => PassedValue::Single,
        OperandKind::Float(_) | OperandKind::Constant(ConstantValue::Float(_)) => PassedValue::Double,
        OperandKind::Sink => PassedValue::Sink,
        OperandKind::Error => return None,
        // A number in parentheses; the grammar cannot distinguish it from a list.
        OperandKind::Arguments(list) => match list.as_slice() {
            [one] if !matches!(one.kind, OperandKind::Arguments(_)) => return given(one, names),
            _ => PassedValue::Expression,
        },
        _ => PassedValue::Expression,
    })
}

/// Whether an argument fits its parameter.
enum ArgumentFit {
    Fits,
    /// A constant stands in the place of a result. The assembler accepts this until it generates code.
    Constant,
    Refused(Why),
}

/// The type class by which a call compares an argument with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueClass {
    Bits,
    Integer,
    Float,
    Predicate,
    /// A vector or a packed type: agrees with every type of the same size.
    Packed,
}

fn class(ty: TypeId, elements: u8) -> Option<ValueClass> {
    Some(match ty.info().class {
        TypeClass::Opaque => return None,
        _ if elements > 1 => ValueClass::Packed,
        TypeClass::Packed => ValueClass::Packed,
        TypeClass::Bits => ValueClass::Bits,
        TypeClass::Uint | TypeClass::Sint => ValueClass::Integer,
        TypeClass::Float => ValueClass::Float,
        TypeClass::Pred => ValueClass::Predicate,
    })
}

fn agree(a: ValueClass, b: ValueClass) -> bool {
    let untyped = a == ValueClass::Bits || b == ValueClass::Bits;
    let predicate = a == ValueClass::Predicate || b == ValueClass::Predicate;
    a == b || a == ValueClass::Packed || b == ValueClass::Packed || (untyped && !predicate)
}

fn fits(given: PassedValue, parameter: &Parameter, written: bool) -> ArgumentFit {
    match given {
        PassedValue::Sink if written => return ArgumentFit::Fits,
        PassedValue::Sink => return ArgumentFit::Refused(Why::Sink),
        PassedValue::Special | PassedValue::Other(_) | PassedValue::Expression => {
            return ArgumentFit::Refused(Why::Kind);
        }
        PassedValue::Variable(v) if v.space != ".param" => return ArgumentFit::Refused(Why::Kind),
        PassedValue::Variable(v) if v.origin != VariableOrigin::Body => return ArgumentFit::Refused(Why::Formal),
        _ => {}
    }
    let Some(ty) = parameter.ty else { return ArgumentFit::Fits };
    let Some(parameter_class) = class(ty, parameter.elements) else { return ArgumentFit::Fits };
    let bits = u32::from(size_in_bits(ty)) * u32::from(parameter.elements);
    let refused = |why: Option<Why>| why.map_or(ArgumentFit::Fits, ArgumentFit::Refused);
    match given {
        PassedValue::Register(..) | PassedValue::Integer | PassedValue::Single | PassedValue::Double
            if parameter.array != Array::No =>
        {
            refused((parameter.array != Array::Unknown).then_some(Why::Array))
        }
        PassedValue::Register(found, elements) => {
            let Some(have) = class(found, elements) else { return ArgumentFit::Refused(Why::Class) };
            let same_size = u32::from(size_in_bits(found)) * u32::from(elements) == bits;
            refused(if same_size { (!agree(parameter_class, have)).then_some(Why::Class) } else { Some(Why::Size) })
        }
        PassedValue::Variable(variable) => refused(variable_misfit(variable, parameter, ty, parameter_class)),
        _ => {
            let natural = match given {
                PassedValue::Integer => (ValueClass::Integer, 64),
                PassedValue::Single => (ValueClass::Float, 32),
                _ => (ValueClass::Float, 64),
            };
            let fits = match parameter_class {
                ValueClass::Packed => bits == natural.1,
                ValueClass::Bits => true,
                other => other == natural.0,
            };
            match (fits, written) {
                (true, true) => ArgumentFit::Constant,
                (true, false) => ArgumentFit::Fits,
                (false, _) => ArgumentFit::Refused(Why::Class),
            }
        }
    }
}

/// Why a `.param` variable of the caller does not fit a parameter; `None` if it fits or cannot be compared.
fn variable_misfit(variable: VariableSymbol, parameter: &Parameter, ty: TypeId, wanted: ValueClass) -> Option<Why> {
    let element_type = variable.ty?;
    let have = class(element_type, variable.elements)?;
    let element = |t: TypeId, elements: u8| u32::from(size_in_bits(t)) * u32::from(elements);
    match parameter.array {
        Array::Unknown => return None,
        Array::No if variable.array => return Some(Why::Array),
        Array::No if element(element_type, variable.elements) != element(ty, parameter.elements) => {
            return Some(Why::Size);
        }
        Array::No => {
            if !agree(wanted, have) {
                return Some(Why::Class);
            }
        }
        Array::Of(_) | Array::Open => {
            if !variable.array {
                return Some(Why::Array);
            }
            if parameter.array != Array::Open && variable.bytes? != parameter.bytes()? {
                return Some(Why::Size);
            }
            // In arrays, signed and unsigned elements do not agree.
            if element_type != ty && wanted != ValueClass::Bits && have != ValueClass::Bits {
                return Some(Why::Class);
            }
        }
    }
    let align = variable.align?.max(natural_align(element_type, variable.elements));
    (align != parameter.align?).then_some(Why::Alignment(align))
}
