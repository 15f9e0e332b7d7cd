//! From syntax nodes to lowered statements.

mod declaration;

pub use declaration::{attributes, declaration};

use crate::ast::{Constant, Instruction, Operand, OperandKind, Word};
use crate::checks::syntax_error;
use crate::literal;
use ptx_syntax::{Node, fields, is_named, kinds};
use std::ops::Range;

/// The text of an item and where it begins in the file.
#[derive(Debug, Clone, Copy)]
pub struct Source<'t> {
    /// The text.
    pub text: &'t str,
    /// Byte offset of its start in the file.
    pub base: usize,
}

impl<'t> Source<'t> {
    /// The range of a node in [`Source::text`].
    pub fn range(&self, node: Node<'_>) -> Range<usize> {
        let start = node.start_byte().saturating_sub(self.base).min(self.text.len());
        let end = node.end_byte().saturating_sub(self.base).clamp(start, self.text.len());
        start..end
    }

    /// A range of [`Source::text`] as one of the file.
    pub fn absolute(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    /// A node as a word.
    pub fn word(&self, node: Node<'_>) -> Word<'t> {
        let range = self.range(node);
        Word { text: self.text.get(range.clone()).unwrap_or(""), start: range.start as u32 }
    }
}

/// Lowers an `instruction` node. `None` where not even an opcode is there.
pub fn instruction<'t>(source: Source<'t>, node: Node<'_>) -> Option<Instruction<'t>> {
    let (kinds, fields) = (kinds(), fields());
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    let mut opcode = None;
    let mut out = Instruction {
        range: source.range(node),
        guard: None,
        opcode: Word { text: "", start: 0 },
        modifiers: Vec::with_capacity(4),
        operands: Vec::with_capacity(4),
        suffixes: Vec::new(),
        broken: node.has_error(),
    };
    loop {
        let child = cursor.node();
        let kind = child.kind_id();
        if kind == kinds.opcode {
            opcode = Some(source.word(child));
        } else if kind == kinds.modifier {
            let word = source.word(child);
            if out.operands.is_empty() {
                out.modifiers.push(word);
            } else {
                out.suffixes.push((out.operands.len() - 1, word));
            }
        } else if kind == kinds.unclosed {
            out.broken = true;
        } else if kind == kinds.guard {
            out.guard = child.child_by_field_id(fields.predicate).map(|n| source.word(n));
        } else if child.is_named()
            && kind != kinds.comment
            && kind != kinds.preprocessor_line
            && kind != kinds.bank
            && !child.is_error()
        {
            let list = [kinds.vector, kinds.address, kinds.argument_list, kinds.index].contains(&kind);
            out.broken |= list && syntax_error::ends_unclosed(child);
            out.operands.push(operand(source, child));
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    out.opcode = opcode?;
    Some(out)
}

/// Lowers an operand node.
pub fn operand<'t>(source: Source<'t>, node: Node<'_>) -> Operand<'t> {
    let (k, f) = (kinds(), fields());
    let kind = node.kind_id();
    let range = source.range(node);
    let text = source.text.get(range.clone()).unwrap_or("");
    let boxed = |field: u16| node.child_by_field_id(field).map(|n| operand(source, n));
    let kind = if kind == k.register || kind == k.identifier {
        OperandKind::Name(text)
    } else if kind == k.integer {
        OperandKind::Integer(text)
    } else if kind == k.float {
        OperandKind::Float(text)
    } else if kind == k.sink {
        OperandKind::Sink
    } else if kind == k.string {
        OperandKind::String
    } else if kind == k.member {
        match (node.child_by_field_id(f.object), node.child_by_field_id(f.member)) {
            (Some(object), Some(member)) => OperandKind::Member(source.word(object), source.word(member)),
            _ => OperandKind::Error,
        }
    } else if kind == k.index {
        let index = node.child_by_field_id(f.index).map(|n| constant(source, n));
        let index = if let Some(Constant::Integer(value)) = index { value } else { None };
        boxed(f.object).map_or(OperandKind::Error, |o| OperandKind::Index(Box::new(o), index))
    } else if kind == k.negation {
        match named_children(node).next() {
            Some(inner) => OperandKind::Not(Box::new(operand(source, inner))),
            None => OperandKind::Error,
        }
    } else if kind == k.pair {
        match (boxed(f.first), boxed(f.second)) {
            (Some(first), Some(second)) => OperandKind::Pair(Box::new((first, second))),
            _ => OperandKind::Error,
        }
    } else if kind == k.vector {
        OperandKind::Vector(list(source, node))
    } else if kind == k.address {
        OperandKind::Address(list(source, node))
    } else if kind == k.argument_list {
        OperandKind::Arguments(list(source, node))
    } else if kind == k.offset {
        match (boxed(f.base), boxed(f.amount)) {
            (Some(base), Some(amount)) => {
                let minus = node.child_by_field_id(f.operator).is_some_and(|o| source.word(o).text == "-");
                OperandKind::Offset(Box::new((base, amount)), minus)
            }
            _ => OperandKind::Error,
        }
    } else if let Some(inner) = negated_name(source, node) {
        OperandKind::Minus(Box::new(operand(source, inner)))
    } else if [
        k.unary_expression,
        k.binary_expression,
        k.ternary_expression,
        k.cast_expression,
        k.parenthesized_expression,
    ]
    .contains(&kind)
    {
        OperandKind::Constant(constant(source, node))
    } else {
        OperandKind::Error
    };
    Operand { range, kind }
}

/// The name in `-%r1`, `-%r1.b0`.
fn negated_name<'n>(source: Source<'_>, node: Node<'n>) -> Option<Node<'n>> {
    let k = kinds();
    if node.kind_id() != k.unary_expression || operator(source, node) != "-" {
        return None;
    }
    named_children(node).next().filter(|n| [k.register, k.identifier, k.member].contains(&n.kind_id()))
}

fn list<'t>(source: Source<'t>, node: Node<'_>) -> Vec<Operand<'t>> {
    named_children(node).map(|n| operand(source, n)).collect()
}

/// Named children without comments and errors.
pub fn named_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            let kind = child.kind_id();
            if is_named(kind) && !is_extra(kind) {
                return Some(child);
            }
        }
        None
    })
}

/// Value and class of a constant expression (manual 4.5.4 to 4.5.6).
pub fn constant(source: Source<'_>, node: Node<'_>) -> Constant {
    let k = kinds();
    let kind = node.kind_id();
    if kind == k.integer {
        return Constant::Integer(literal::integer(source.word(node).text));
    }
    if kind == k.float {
        return Constant::Float;
    }
    if kind == k.parenthesized_expression {
        return named_children(node).next().map_or(Constant::Integer(None), |n| constant(source, n));
    }
    let parts: Vec<Constant> =
        named_children(node).filter(|n| n.kind_id() != k.ty).map(|n| constant(source, n)).collect();
    let operator = operator(source, node);
    match parts.as_slice() {
        [Constant::Integer(Some(a))] if kind == k.unary_expression => Constant::Integer(match operator {
            "-" => Some(-*a),
            "+" => Some(*a),
            "!" => Some(i128::from(*a == 0)),
            "~" => Some(i128::from(!(*a as u64))),
            _ => None,
        }),
        [Constant::Float, ..] if kind == k.unary_expression && operator == "-" || operator == "+" => parts[0],
        [Constant::Integer(Some(a))] => Constant::Integer(Some(*a)),
        [Constant::Integer(Some(a)), Constant::Integer(Some(b))] => Constant::Integer(fold(operator, *a, *b)),
        [Constant::Float, ..] if ["+", "-", "*", "/"].contains(&operator) => Constant::Float,
        [Constant::Integer(Some(c)), a, b] => {
            if *c != 0 {
                *a
            } else {
                *b
            }
        }
        _ => Constant::Integer(None),
    }
}

fn operator<'t>(source: Source<'t>, node: Node<'_>) -> &'t str {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        let text = source.word(child).text;
        if !child.is_named() && !matches!(text, "(" | ")" | ":") {
            return text;
        }
        more = cursor.goto_next_sibling();
    }
    ""
}

fn fold(operator: &str, a: i128, b: i128) -> Option<i128> {
    let shift = || u32::try_from(b).ok().filter(|s| *s < 64);
    match operator {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "<<" => a.checked_shl(shift()?),
        ">>" => a.checked_shr(shift()?),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&&" => Some(i128::from(a != 0 && b != 0)),
        "||" => Some(i128::from(a != 0 || b != 0)),
        "==" => Some(i128::from(a == b)),
        "!=" => Some(i128::from(a != b)),
        "<" => Some(i128::from(a < b)),
        ">" => Some(i128::from(a > b)),
        "<=" => Some(i128::from(a <= b)),
        ">=" => Some(i128::from(a >= b)),
        _ => None,
    }
}

/// Comments and the like, which may stand anywhere.
fn is_extra(kind: u16) -> bool {
    let k = kinds();
    kind == k.comment || kind == k.preprocessor_line || kind == k.unclosed || kind == k.error
}
