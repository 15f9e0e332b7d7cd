//! Hints with the values of numbers in other notations: floating-point numbers written as bits, constant expressions.

use super::{Hint, Hints};
use ptx_analysis::{ConstantValue, FloatLiteral, OperandKind, literal, lower};
use ptx_syntax::{Node, fields, kinds};

impl<'t> Hints<'t> {
    /// Adds the value of a floating-point number: 1.0 for `0f3F800000`.
    pub(super) fn float(&mut self, node: Node<'_>) {
        if !self.options.floats {
            return;
        }
        let text = self.snapshot.text(node.byte_range());
        let bits = text.get(..2).is_some_and(|p| matches!(p, "0f" | "0F" | "0d" | "0D"));
        let value = match literal::parse_float(&text) {
            Ok(FloatLiteral::Single(bits)) => {
                shown(&format!("{:?}", f32::from_bits(bits)), f32::from_bits(bits).into())
            }
            Ok(FloatLiteral::Double(value)) if bits => shown(&format!("{value:?}"), value),
            _ => return,
        };
        self.out.push(Hint::after(node.end_byte(), format!("= {value}")));
    }

    /// Adds the value of a constant expression, or the array element of an address with an offset. Returns whether the node
    /// is such an expression.
    pub(super) fn expression(&mut self, node: Node<'t>) -> bool {
        let kind = node.kind_id();
        if !lower::is_expression(kind) || node.has_error() || self.is_plain(node, kind) {
            return false;
        }
        let what = self.with_source(node, |source| {
            let operand = lower::operand(source, node);
            match operand.kind {
                OperandKind::Constant(value) => What::Value(value),
                OperandKind::Offset(parts, minus) => match (&parts.0.kind, number(&parts.1.kind)) {
                    (OperandKind::Name(base), Some((amount, computed))) => {
                        let amount = if minus { -amount } else { amount };
                        What::Offset((*base).to_owned(), amount, computed)
                    }
                    _ => What::Nothing,
                },
                _ => What::Nothing,
            }
        });
        let end = node.end_byte();
        match what {
            What::Nothing => return false,
            What::Value(value) => {
                let text = match value {
                    // Hexadecimal is easier to read for values near the maximum of `u64`.
                    ConstantValue::Integer(Some(value)) if value > i64::MAX.into() => format!("0x{value:X}"),
                    ConstantValue::Integer(Some(value)) => value.to_string(),
                    ConstantValue::Float(value) => shown(&format!("{value:?}"), value),
                    _ => return false,
                };
                if self.options.constants {
                    self.out.push(Hint::after(end, format!("= {text}")));
                }
            }
            What::Offset(base, amount, computed) => {
                let element = if self.options.elements { self.element(node, &base, amount) } else { None };
                match element {
                    Some(hint) => self.out.push(hint),
                    None if computed && self.options.constants => {
                        self.out.push(Hint::after(end, format!("= {base}{amount:+}")));
                    }
                    None => {}
                }
            }
        }
        true
    }

    /// Whether the value needs no computation: `-1`, `(4)`.
    fn is_plain(&self, node: Node<'_>, kind: u16) -> bool {
        let k = kinds();
        let leaf = |n: Node<'_>| [k.integer, k.float, k.register, k.identifier, k.member].contains(&n.kind_id());
        if kind == k.parenthesized_expression {
            return ptx_syntax::walk::named_children(node).all(leaf);
        }
        let operator = node.child_by_field_id(fields().operator).map(|n| self.snapshot.text(n.byte_range()));
        kind == k.unary_expression
            && operator.is_some_and(|o| o == "-" || o == "+")
            && node.child_by_field_id(fields().argument).is_some_and(leaf)
    }
}

/// The kind of an expression.
enum What {
    Value(ConstantValue),
    /// A name, the offset added to it, and whether that offset is a computed constant.
    Offset(String, i128, bool),
    Nothing,
}

/// A number, and whether it is a computed constant.
fn number(kind: &OperandKind<'_>) -> Option<(i128, bool)> {
    match kind {
        OperandKind::Integer(text) => literal::integer(text).map(|n| (n, false)),
        OperandKind::Constant(ConstantValue::Integer(Some(value))) => Some((*value, true)),
        _ => None,
    }
}

fn shown(text: &str, value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "∞" } else { "-∞" }.to_owned()
    } else {
        text.to_owned()
    }
}
