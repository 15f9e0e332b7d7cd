//! Lowers syntax nodes to statements ([`super::ast`]).

mod broken;
mod constant;
mod declaration;
mod plain;

pub use constant::{constant, is_expression, leftmost, named_constant, operator};
pub use declaration::{attributes, declaration};
pub use plain::instruction_without_node;

pub use broken::{ends_unclosed, is_broken};

use crate::hir::ast::{ConstantValue, Instruction, Operand, OperandKind, SourceWord};
use crate::hir::literal;
use ptx_syntax::walk::{is_extra, named_children};
use ptx_syntax::{Node, TreeCursor, fields, is_named, kinds};
use std::ops::Range;

/// The text of an item and its offset in the file.
#[derive(Debug, Clone, Copy)]
pub struct ItemSource<'t> {
    /// The text.
    pub text: &'t str,
    /// Byte offset of its start in the file.
    pub base: usize,
}

impl<'t> ItemSource<'t> {
    /// The range of a node in [`ItemSource::text`].
    pub fn range(&self, node: Node<'_>) -> Range<usize> {
        self.relative(node.byte_range())
    }

    /// Converts a byte range of [`ItemSource::text`] to one of the file.
    pub fn absolute(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    /// Converts a byte range of the file to one of [`ItemSource::text`].
    pub fn relative(&self, range: Range<usize>) -> Range<usize> {
        let start = range.start.saturating_sub(self.base).min(self.text.len());
        start..range.end.saturating_sub(self.base).clamp(start, self.text.len())
    }

    /// The text of a node, with its offset.
    pub fn word(&self, node: Node<'_>) -> SourceWord<'t> {
        let range = self.range(node);
        SourceWord { text: self.text.get(range.clone()).unwrap_or(""), start: range.start as u32 }
    }
}

/// Lowers an `instruction` node; `None` if it has no opcode.
pub fn instruction<'t>(source: ItemSource<'t>, node: Node<'_>) -> Option<Instruction<'t>> {
    let (kinds, fields) = (kinds(), fields());
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    let mut opcode = None;
    let mut out = Instruction {
        range: source.range(node),
        guard: None,
        opcode: SourceWord { text: "", start: 0 },
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
            let (operand, unclosed) = operand_at(source, &mut cursor);
            out.broken |= unclosed || (kind == kinds.index && ends_unclosed(child));
            out.operands.push(operand);
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    out.opcode = opcode?;
    Some(out)
}

fn is_list(kind: u16) -> bool {
    let k = kinds();
    kind == k.address || kind == k.vector || kind == k.argument_list
}

/// Lowers the operand at a cursor, and leaves the cursor there. Returns also whether the operand is a list without its closing
/// bracket (see [`ends_unclosed`]). All lists of an instruction share one cursor, because each new cursor allocates memory.
fn operand_at<'t>(source: ItemSource<'t>, cursor: &mut TreeCursor<'_>) -> (Operand<'t>, bool) {
    let k = kinds();
    let node = cursor.node();
    let kind = node.kind_id();
    if is_list(kind) {
        let range = source.range(node);
        let mut list = Vec::new();
        let mut more = cursor.goto_first_child();
        let inside = more;
        // The kinds of the last two children.
        let mut last = [0; 2];
        while more {
            let kind = cursor.node().kind_id();
            last = [last[1], kind];
            if is_named(kind) && !is_extra(kind) {
                list.push(operand_at(source, cursor).0);
            }
            more = cursor.goto_next_sibling();
        }
        if inside {
            cursor.goto_parent();
        }
        let kind = if kind == k.address {
            OperandKind::Address(list)
        } else if kind == k.vector {
            OperandKind::Vector(list)
        } else {
            OperandKind::Arguments(list)
        };
        return (Operand { range, kind }, last.contains(&k.unclosed));
    }
    if kind == k.offset
        && let Some(kind) = register_sum(source, cursor)
    {
        return (Operand { range: source.range(node), kind }, false);
    }
    (operand(source, node), false)
}

/// The sum of a register and an integer at a cursor, or `None` if another operand is there. Leaves the cursor there.
fn register_sum<'t>(source: ItemSource<'t>, cursor: &mut TreeCursor<'_>) -> Option<OperandKind<'t>> {
    let k = kinds();
    let (mut parts, mut count) = ([None; 3], 0);
    let mut more = cursor.goto_first_child();
    let inside = more;
    while more {
        if let Some(part) = parts.get_mut(count) {
            *part = Some(cursor.node());
        }
        count += 1;
        more = cursor.goto_next_sibling();
    }
    if inside {
        cursor.goto_parent();
    }
    let [Some(base), Some(sign), Some(amount)] = parts else { return None };
    if count != 3 || base.kind_id() != k.register || amount.kind_id() != k.integer {
        return None;
    }
    let minus = source.word(sign).text == "-";
    Some(OperandKind::Offset(Box::new((operand(source, base), operand(source, amount))), minus))
}

/// Lowers an operand node.
pub fn operand<'t>(source: ItemSource<'t>, node: Node<'_>) -> Operand<'t> {
    let (k, f) = (kinds(), fields());
    let kind = node.kind_id();
    if is_list(kind) {
        return operand_at(source, &mut node.walk()).0;
    }
    let range = source.range(node);
    let text = source.text.get(range.clone()).unwrap_or("");
    let boxed = |field: u16| node.child_by_field_id(field).map(|n| operand(source, n));
    let kind = if kind == k.register || kind == k.identifier {
        OperandKind::Name(text)
    } else if kind == k.integer {
        // Only a long literal can be invalid.
        let wrong = text.len() > 18 && literal::parse_integer(text).is_err();
        if wrong { OperandKind::Constant(constant(source, node)) } else { OperandKind::Integer(text) }
    } else if kind == k.float {
        let wrong = literal::parse_float(text).is_err();
        if wrong { OperandKind::Constant(constant(source, node)) } else { OperandKind::Float(text) }
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
        let index = if let Some(ConstantValue::Integer(value)) = index { value } else { None };
        boxed(f.object).map_or(OperandKind::Error, |o| OperandKind::Index(Box::new(o), index))
    } else if kind == k.negation {
        match named_children(node).next() {
            Some(inner) if named_constant(source, inner).is_some() => OperandKind::Constant(constant(source, node)),
            Some(inner) => OperandKind::Not(Box::new(operand(source, inner))),
            None => OperandKind::Error,
        }
    } else if kind == k.pair && constant::is_disjunction(source, node) {
        OperandKind::Constant(constant(source, node))
    } else if kind == k.pair {
        match (boxed(f.first), boxed(f.second)) {
            (Some(first), Some(second)) => OperandKind::Pair(Box::new((first, second))),
            _ => OperandKind::Error,
        }
    } else if let Some(sign) = misplaced_sign(source, node) {
        OperandKind::Sign(sign)
    } else if let Some(inner) = negated_name(source, node) {
        OperandKind::Minus(Box::new(operand(source, inner)))
    } else if is_expression(kind) {
        constant::expression(source, node)
    } else {
        OperandKind::Error
    };
    Operand { range, kind }
}

/// The sign in `+%r1` or `~%r1`, which the assembler does not accept.
fn misplaced_sign<'t>(source: ItemSource<'t>, node: Node<'_>) -> Option<SourceWord<'t>> {
    let k = kinds();
    if node.kind_id() != k.unary_expression {
        return None;
    }
    let (sign, inner) = (node.child_by_field_id(fields().operator)?, named_children(node).next()?);
    let (sign, name) = (source.word(sign), inner.kind_id() == k.register || inner.kind_id() == k.member);
    (name && matches!(sign.text, "+" | "~")).then_some(sign)
}

/// The node of the name in `-%r1` or `-%r1.b0`.
fn negated_name<'n>(source: ItemSource<'_>, node: Node<'n>) -> Option<Node<'n>> {
    let k = kinds();
    if node.kind_id() != k.unary_expression || operator(source, node) != "-" {
        return None;
    }
    let name = |n: &Node<'_>| [k.register, k.identifier, k.member].contains(&n.kind_id());
    named_children(node).next().filter(name).filter(|n| named_constant(source, *n).is_none())
}
