//! Immediates that the assembler accepts but that are most likely mistakes: values that do not fit the type, or that make no sense.

use crate::diagnostic::Diagnostic;
use crate::rules::{division_by_zero, excess_shift, misread_value, truncated_value, unused_bits};
use ptx_isa::tables::{TypeClass, Usual, ValueKind};
use ptx_sema::forms::spec::{OperandPattern, OperandSpec};
use ptx_sema::hir::ast::{ConstantValue, Operand, OperandKind};
use ptx_sema::hir::literal::{self, FloatLiteral};

/// Checks the immediates in an operand that fits its pattern. `mnemonic` is the opcode with its modifiers, as written.
pub(crate) fn check(operand: &Operand<'_>, shape: &OperandPattern, mnemonic: &str, out: &mut Vec<Diagnostic>) {
    if let OperandPattern::Value(spec) = shape
        && spec.value.kind == ValueKind::Value
    {
        value(operand, spec, mnemonic, out);
    }
}

fn value(operand: &Operand<'_>, spec: &OperandSpec, mnemonic: &str, out: &mut Vec<Diagnostic>) {
    let range = || operand.range.clone();
    match &operand.kind {
        OperandKind::Integer(text) => match literal::parse_integer(text) {
            Ok(number) if number.cut => out.push(truncated_value::literal(range(), text)),
            Ok(number) => integer(operand, text, number.bits.into(), spec, mnemonic, out),
            Err(_) => {}
        },
        OperandKind::Constant(ConstantValue::Integer(Some(number))) => {
            integer(operand, &number.to_string(), *number, spec, mnemonic, out);
        }
        OperandKind::Float(text) => match literal::parse_float(text) {
            Ok(FloatLiteral::Single(_)) => {
                let double = spec.ty.map(|t| t.info()).filter(|t| t.class == TypeClass::Float && t.bits == 64);
                out.extend(double.map(|ty| misread_value::single_for_double(range(), text, ty)));
            }
            Ok(FloatLiteral::Double(number)) => float(operand, text, number, spec, out),
            Err(_) => {}
        },
        OperandKind::Constant(ConstantValue::Float(number)) => float(operand, &number.to_string(), *number, spec, out),
        // A number in parentheses.
        OperandKind::Arguments(list) => {
            if let [one] = list.as_slice() {
                value(one, spec, mnemonic, out);
            }
        }
        // The type of an element is not known here if the list mixes types.
        OperandKind::Vector(list) if !spec.value.mixed && spec.lead.is_none() => {
            list.iter().for_each(|element| value(element, spec, mnemonic, out));
        }
        _ => {}
    }
}

fn integer(
    operand: &Operand<'_>,
    text: &str,
    number: i128,
    spec: &OperandSpec,
    mnemonic: &str,
    out: &mut Vec<Diagnostic>,
) {
    let Some(ty) = spec.ty.map(|t| t.info()) else { return };
    if matches!(ty.class, TypeClass::Pred | TypeClass::Opaque | TypeClass::Float) {
        return;
    }
    let range = operand.range.clone();
    if let Some(lost) = truncated_value::integer(range.clone(), text, number, ty.bits, ty.name) {
        return out.push(lost);
    }
    match spec.value.usual {
        Usual::Any => {}
        Usual::NotZero if number == 0 => out.push(division_by_zero::report(range, mnemonic)),
        Usual::NotZero => {}
        Usual::In(usual) => {
            if !(i128::from(usual.low)..=i128::from(usual.high)).contains(&number) {
                out.push(unused_bits::report(range, text, number, spec.value.name, mnemonic, usual.high));
            }
        }
        Usual::Below(_) => {
            if let Some(width) = spec.width.filter(|width| !(0..i128::from(*width)).contains(&number)) {
                out.push(excess_shift::report(range, text, width, mnemonic));
            }
        }
    }
}

fn float(operand: &Operand<'_>, text: &str, number: f64, spec: &OperandSpec, out: &mut Vec<Diagnostic>) {
    let single = spec.ty.map(|t| t.info()).filter(|t| t.class == TypeClass::Float && t.bits == 32);
    out.extend(single.and_then(|ty| truncated_value::float(operand.range.clone(), text, number, ty.name)));
}
