//! Constant expressions have the same values here as in the assembler.

use ptx_sema::hir::ast::{ConstantValue, Operand, OperandKind};
use ptx_sema::hir::literal::{self, FloatLiteral};
use ptx_sema::hir::lower::{ItemSource, instruction};
use ptx_syntax::Snapshot;
use std::fs;
use std::path::Path;

/// The value of an expression, in the notation of the recording.
fn worth(expression: &str) -> String {
    let text = format!("mov.b64 %rd0, {expression};");
    let snapshot = Snapshot::new(&text);
    let Some(node) = snapshot.root_at(0).child(0).filter(|n| !n.has_error()) else { return "-".to_owned() };
    let Some(lowered) = instruction(ItemSource { text: &text, base: 0 }, node) else { return "-".to_owned() };
    lowered.operands.get(1).map_or_else(|| "-".to_owned(), value)
}

fn value(operand: &Operand<'_>) -> String {
    let integer = |n: i128| format!("{:x}", n as u64);
    match &operand.kind {
        OperandKind::Integer(text) => literal::integer(text).map_or_else(|| "-".to_owned(), integer),
        OperandKind::Float(text) => match literal::parse_float(text) {
            // ptxas writes a 32-bit number into the lower half of a 64-bit one.
            Ok(FloatLiteral::Single(bits)) => format!("{bits:x}f"),
            Ok(FloatLiteral::Double(number)) => format!("{:x}f", number.to_bits()),
            Err(_) => "-".to_owned(),
        },
        OperandKind::Name("WARP_SZ") => "20".to_owned(),
        OperandKind::Constant(ConstantValue::Integer(Some(n))) => integer(*n),
        OperandKind::Constant(ConstantValue::Float(number)) => format!("{:x}f", number.to_bits()),
        OperandKind::Arguments(list) if list.len() == 1 => value(&list[0]),
        _ => "-".to_owned(),
    }
}

#[test]
fn expressions_are_worth_what_the_assembler_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/constants.txt");
    let recorded = fs::read_to_string(path).expect("recorded values");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for line in recorded.lines().filter(|l| !l.starts_with('#')) {
        let (expression, wanted) = line.split_once('\t').expect("expression and value");
        seen += 1;
        // The signedness of an integer affects only further operations, so test it with one.
        let (found, halved) = (worth(expression), worth(&format!("(({expression})*0-1)/2")));
        let sign = match halved.as_str() {
            "0" => "s",
            "7fffffffffffffff" => "u",
            _ => "",
        };
        let found = if found.ends_with('f') && sign.is_empty() { found } else { found + sign };
        if found != wanted {
            wrong.push(format!("{expression}: the assembler has {wanted}, we have {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 2000, "only {seen} expressions");
}
