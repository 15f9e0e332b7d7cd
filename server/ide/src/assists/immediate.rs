//! Rewrites a number in another notation.

use super::assist::Assist;
use super::site::{AssistSite, Matched};
use crate::TextEdit;
use ptx_analysis::{OperandPattern, OperandSpec, TypeId, literal};
use ptx_isa::tables::TypeClass;
use ptx_syntax::{Node, Snapshot, fields, kinds};

const ID: &str = "convert-immediate";

/// A number literal, perhaps with a minus sign.
struct ImmediateLiteral<'t> {
    node: Node<'t>,
    text: String,
    negative: bool,
    /// The literal is a whole operand or a whole element, not a part of an expression.
    whole: bool,
}

/// The literal at an offset.
fn literal_at(snapshot: &Snapshot, offset: usize) -> Option<ImmediateLiteral<'_>> {
    let k = kinds();
    let is_number = |n: &Node<'_>| n.kind_id() == k.integer || n.kind_id() == k.float;
    let at = |start: usize, end: usize| snapshot.leaf(start..end).filter(is_number);
    let leaf = at(offset, offset + 1).or_else(|| at(offset.checked_sub(1)?, offset)).or_else(|| {
        // The offset is at the minus sign.
        let sign = snapshot.leaf(offset..offset + 1)?;
        let argument = sign.parent()?.child_by_field_id(fields().argument)?;
        (sign.kind() == "-" && is_number(&argument)).then_some(argument)
    })?;
    let parent = leaf.parent()?;
    let sign = parent.child_by_field_id(fields().operator).filter(|_| parent.kind_id() == k.unary_expression);
    let negative = sign.is_some_and(|s| s.kind() == "-");
    let node = if negative { parent } else { leaf };
    let around = node.parent()?.kind_id();
    let whole = [k.instruction, k.vector, k.argument_list, k.declarator, k.initializer_list].contains(&around);
    Some(ImmediateLiteral { node, text: snapshot.text(leaf.byte_range()).into_owned(), negative, whole })
}

/// Offers other notations of a literal in an instruction.
pub fn assists(site: &AssistSite<'_>, offset: usize, out: &mut Vec<Assist>) {
    let Some(literal) = literal_at(site.snapshot, offset) else { return };
    let start = literal.node.start_byte().saturating_sub(site.base);
    let range = start..start + literal.node.byte_range().len();
    let ty = site.matched(|matched| spec(matched, range.start).and_then(|s| s.ty)).filter(|_| literal.whole);
    for text in notations(&literal, ty) {
        if site.is_clean(&site.with(range.clone(), &text)) {
            out.push(Assist::new(ID, format!("Write `{text}`"), vec![site.replace(range.clone(), text)]));
        }
    }
}

/// Offers other notations of a literal in an initializer.
pub fn in_declaration(snapshot: &Snapshot, offset: usize, out: &mut Vec<Assist>) {
    let Some(literal) = literal_at(snapshot, offset) else { return };
    let mut node = literal.node;
    loop {
        let Some(parent) = node.parent() else { return };
        if parent.kind_id() == kinds().declarator && parent.child_by_field_id(fields().value) == Some(node) {
            let declaration = parent.parent();
            let ty = declaration.and_then(|d| d.child_by_field_id(fields().ty));
            let ty = ty.and_then(|t| TypeId::of(&snapshot.text(t.byte_range())));
            // A literal within an expression is not converted to the declared type directly, so notations that depend on
            // the type are not offered for it.
            let ty = ty.filter(|_| literal.whole);
            for text in notations(&literal, ty) {
                let edits = vec![TextEdit { range: literal.node.byte_range(), text: text.clone() }];
                out.push(Assist::new(ID, format!("Write `{text}`"), edits));
            }
            return;
        }
        if parent.kind_id() == kinds().instruction {
            return;
        }
        node = parent;
    }
}

/// The operand spec of the operand at an offset.
fn spec(matched: &Matched<'_>, offset: usize) -> Option<OperandSpec> {
    let index = matched.instruction.operands.iter().position(|o| o.range.contains(&offset))?;
    match &matched.variant.operands.get(index)?.1 {
        OperandPattern::Value(spec) => Some(*spec),
        _ => None,
    }
}

/// The other notations of a literal that mean exactly the same in an operand of type `ty`.
fn notations(literal: &ImmediateLiteral<'_>, ty: Option<TypeId>) -> Vec<String> {
    let minus = if literal.negative { "-" } else { "" };
    let mut out = Vec::new();
    if let Some(value) = literal::integer(&literal.text) {
        // The suffix `U` makes the constant unsigned.
        let suffix = if literal.text.ends_with('U') { "U" } else { "" };
        out.push(format!("{minus}{value}{suffix}"));
        out.push(format!("{minus}0x{value:X}{suffix}"));
        out.push(format!("{minus}0b{value:b}{suffix}"));
        let integer = |t: &TypeId| matches!(t.info().class, TypeClass::Uint | TypeClass::Sint | TypeClass::Bits);
        if let Some(ty) = ty.filter(integer).filter(|t| (8..=64).contains(&t.info().bits) && suffix.is_empty()) {
            out.extend(complement(value, literal.negative, ty));
        }
    } else if let Some(value) = literal::float(&literal.text) {
        // For a 64-bit operand the assembler does not read a 32-bit literal as that value.
        let single = literal.text.starts_with("0f") || literal.text.starts_with("0F");
        if !single || is_float(ty, 32) {
            out.extend(float(if literal.negative { -value } else { value }, ty));
        }
    }
    let same = |text: &String| {
        let sign = text.strip_prefix('-');
        sign.is_some() == literal.negative && sign.unwrap_or(text).eq_ignore_ascii_case(&literal.text)
    };
    out.retain(|text| !same(text) && text.len() <= 72);
    out
}

/// The other notation of the same bits: `-1` becomes `0xFFFFFFFF`, and a value with the sign bit set becomes a negative
/// number.
fn complement(value: i128, negative: bool, ty: TypeId) -> Option<String> {
    let bits = u32::from(ty.info().bits);
    let (modulus, half) = (1i128 << bits, 1i128 << (bits - 1));
    if negative {
        let digits = bits as usize / 4;
        (1..=half).contains(&value).then(|| format!("0x{:0digits$X}", modulus - value))
    } else {
        (half..modulus).contains(&value).then(|| format!("-{}", modulus - value))
    }
}

fn is_float(ty: Option<TypeId>, bits: u16) -> bool {
    ty.is_some_and(|t| t.info().class == TypeClass::Float && t.info().bits == bits)
}

/// A floating-point number as bits and in decimal.
fn float(value: f64, ty: Option<TypeId>) -> Vec<String> {
    let single = value as f32;
    let mut out = Vec::new();
    let plain = |text: String| text.len() <= 24 && !text.contains("inf") && !text.contains("NaN");
    if is_float(ty, 32) {
        out.push(format!("0f{:08X}", single.to_bits()));
        // The assembler reads a decimal number as a double and then rounds it. The short notation must survive both steps.
        let short = format!("{single:?}");
        let survives = short.parse::<f64>().is_ok_and(|v| (v as f32).to_bits() == single.to_bits());
        let text = if survives { short } else { format!("{:?}", f64::from(single)) };
        out.extend(Some(text).filter(|t| plain(t.clone())));
    } else {
        out.push(format!("0d{:016X}", value.to_bits()));
        out.extend(Some(format!("{value:?}")).filter(|t| plain(t.clone())));
    }
    out
}
