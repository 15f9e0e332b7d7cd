//! Branches and calls.

use super::external::external;
use crate::inst::DecodeContext;
use crate::machine::code::{Call, DecodeRefusal, OpAction};
use crate::machine::layout::Pass;
use ptx_flow::flow::{FlowOperand, OperandRole, OperandValue};
use ptx_isa::OperandName;
use ptx_isa::tables::{OperandAccess, TypeClass, ValueKind};

/// `bra`.
pub(crate) fn branch(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let target = inst.all_operands().find_map(|o| inst.label(o));
    Ok(OpAction::Branch(target.ok_or("a branch to an undefined label")?))
}

/// `brx.idx`.
pub(crate) fn table(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let list = inst.all_operands().find_map(|o| match o.value {
        OperandValue::List(list) => inst.function.lists.get(list as usize),
        _ => None,
    });
    let labels = &inst.function.labels;
    let targets = list.ok_or("an undefined list of targets")?.labels.iter();
    let targets = targets.filter_map(|l| labels.get(*l as usize)).map(|l| l.target).collect();
    Ok(OpAction::Table(inst.src(OperandName::Index)?, targets))
}

/// Whether an operand of `call` belongs to the list of arguments (`Read`) or of results (`Write`).
fn is_list(operand: &FlowOperand, access: OperandAccess) -> bool {
    let is_arguments = |k: &ValueKind| matches!(k, ValueKind::Arguments);
    operand.spec.is_some_and(|s| s.access == access && (operand.role == OperandRole::Argument || is_arguments(&s.kind)))
}

/// `call`.
pub(crate) fn call(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let all: Vec<&FlowOperand> = inst.all_operands().collect();
    let mut arguments = Vec::new();
    let mut results = Vec::new();
    let mut callee = None;
    for operand in all {
        if is_list(operand, OperandAccess::Write) {
            results.push(pass(inst, operand)?);
        } else if is_list(operand, OperandAccess::Read) {
            arguments.push(pass(inst, operand)?);
        } else if callee.is_none() {
            callee = Some(operand);
        }
    }
    let callee = callee.ok_or("a call without a function")?;
    let (mut function, mut address) = (None, None);
    match callee.value {
        OperandValue::Function(f) => {
            let name = inst.function.functions.get(f as usize).ok_or("an unknown function")?;
            let program = &inst.executable.program;
            let index = program.function(name);
            match index.filter(|i| program.functions.get(*i).is_some_and(|f| f.body.is_some())) {
                Some(index) => function = Some(index as u32),
                None => return external(name, inst, &arguments, &results),
            }
        }
        _ => address = Some(inst.place(callee, inst.executable.address_bytes())?),
    }
    Ok(OpAction::Call(Box::new(Call { function, address, arguments: arguments.into(), results: results.into() })))
}

/// How an argument is passed to a function, or a result back.
fn pass(inst: &mut DecodeContext<'_>, operand: &FlowOperand) -> Result<Pass, DecodeRefusal> {
    match operand.value {
        OperandValue::Sink => Ok(Pass::Nothing),
        OperandValue::Variable(v) => {
            let bytes = inst.function.variables.get(v as usize).and_then(|x| x.symbol.bytes).unwrap_or(0);
            Ok(Pass::Memory(inst.place(operand, inst.executable.address_bytes())?, bytes as u32))
        }
        OperandValue::Register(slot) => {
            let predicate = inst.function.declaration(slot).ty.info().class == TypeClass::Pred;
            if predicate {
                return Ok(Pass::Predicate(inst.predicate(operand)?));
            }
            let width = inst.width(operand);
            Ok(Pass::Register(inst.place(operand, width)?))
        }
        OperandValue::Registers(first, count) => Ok(Pass::Vector(first.0, count)),
        // The callee's parameter truncates the value to its own size.
        _ => Ok(Pass::Register(inst.place(operand, 8)?)),
    }
}
