//! Constant expressions: from nodes to values (manual 4.5.4 to 4.5.6).

use super::ItemSource;
use crate::hir::ast::{ConstantValue, Operand, OperandKind};
use crate::hir::constant::{ConstantProblem, ExpressionValue, Side, Wrong, binary, cast, ternary, unary};
use crate::hir::literal::{self, FloatLiteral, IntegerLiteral, Unreadable};
use ptx_isa::ISA;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};

/// Expressions nested deeper than this have no value, so that evaluating one cannot exhaust the stack.
const MAX_DEPTH: usize = 200;

/// The position of a node in the constant expression that contains it.
#[derive(Clone, Copy)]
struct ExpressionContext {
    /// The number of nodes of the expression around the node.
    depth: usize,
    /// Whether an operator, and not just parentheses, is around the node.
    operator: bool,
    /// Whether the node begins the expression, so that an address is allowed here.
    left: bool,
}

impl ExpressionContext {
    fn operand(self, left: bool) -> Self {
        Self { depth: self.depth + 1, operator: true, left: self.left && left }
    }
}

/// The value of an expression, or what is wrong with it. For a sum with an address: the value of the offset.
pub fn constant(source: ItemSource<'_>, node: Node<'_>) -> ConstantValue {
    finish(evaluate(source, node, ExpressionContext { depth: 0, operator: false, left: true }))
}

/// Lowers an expression node to an operand: a constant, or the sum of an address and a constant.
pub(super) fn expression<'t>(source: ItemSource<'t>, node: Node<'_>) -> OperandKind<'t> {
    let Some((base, sum)) = leftmost(source, node) else { return OperandKind::Constant(constant(source, node)) };
    let Some(amount) = sum.child_by_field_id(fields().amount) else { return OperandKind::Error };
    let amount = if sum == node {
        super::operand(source, amount)
    } else {
        let range = source.range(amount).start..source.range(node).end;
        Operand { range, kind: OperandKind::Constant(constant(source, node)) }
    };
    OperandKind::Offset(Box::new((super::operand(source, base), amount)), operator(source, sum) == "-")
}

/// Whether a node of this kind is an operator with its operands, or an expression in parentheses.
pub fn is_expression(kind: u16) -> bool {
    let k = kinds();
    [
        k.unary_expression,
        k.binary_expression,
        k.ternary_expression,
        k.cast_expression,
        k.parenthesized_expression,
        k.offset,
    ]
    .contains(&kind)
}

/// Whether a pair node is a disjunction: the grammar parses `WARP_SZ|1` as a pair like `d|p`.
pub(crate) fn is_disjunction(source: ItemSource<'_>, node: Node<'_>) -> bool {
    let first = node.child_by_field_id(fields().first);
    first.is_some_and(|n| named_constant(source, n).is_some())
}

/// The value of a name that stands for a number, as a leaf of an expression.
pub fn named_constant(source: ItemSource<'_>, node: Node<'_>) -> Option<i64> {
    let name = (node.kind_id() == kinds().identifier).then(|| source.word(node).text)?;
    ISA.constant(name).map(|c| c.value)
}

/// The address with which an expression begins, and the sum that contains it: the assembler reads `a+1<<2` as the address `a`
/// plus the constant `1<<2`. `None` if the expression begins with a number.
pub fn leftmost<'n>(source: ItemSource<'_>, node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
    let (k, f) = (kinds(), fields());
    let mut node = node;
    loop {
        let kind = node.kind_id();
        if kind == k.binary_expression || kind == k.ternary_expression {
            node = named_children(node).next()?;
        } else if kind == k.offset {
            let base = node.child_by_field_id(f.base)?;
            if base.kind_id() != k.offset {
                return named_constant(source, base).is_none().then_some((base, node));
            }
            node = base;
        } else {
            return None;
        }
    }
}

pub(super) fn finish(value: Result<Option<ExpressionValue>, ConstantProblem>) -> ConstantValue {
    match value {
        Ok(Some(ExpressionValue::Signed(n))) => ConstantValue::Integer(Some(n.into())),
        Ok(Some(ExpressionValue::Unsigned(n))) => ConstantValue::Integer(Some(n.into())),
        Ok(Some(ExpressionValue::Float(n))) => ConstantValue::Float(n),
        Ok(None) => ConstantValue::Integer(None),
        Err(problem) => ConstantValue::Wrong(problem),
    }
}

fn problem(source: ItemSource<'_>, node: Node<'_>, what: Wrong) -> ConstantProblem {
    let range = source.range(node);
    let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    ConstantProblem { what, start: offset(range.start), end: offset(range.end) }
}

/// The value of an integer literal; `None` if it has none.
pub(super) fn literal_of(text: &str) -> Option<ExpressionValue> {
    literal::parse_integer(text).ok().map(integer_value)
}

fn integer_value(literal: IntegerLiteral) -> ExpressionValue {
    match literal.unsigned {
        true => ExpressionValue::Unsigned(literal.bits),
        false => ExpressionValue::Signed(literal.bits.cast_signed()),
    }
}

/// The value of a literal; `None` if the text is not a literal, which happens only after a syntax error.
fn number(
    source: ItemSource<'_>,
    node: Node<'_>,
    around: ExpressionContext,
) -> Result<Option<ExpressionValue>, ConstantProblem> {
    let text = source.word(node).text;
    let value = if node.kind_id() == kinds().integer {
        literal::parse_integer(text).map(integer_value)
    } else {
        match literal::parse_float(text) {
            Ok(FloatLiteral::Single(_)) if around.operator => return Err(problem(source, node, Wrong::Single)),
            Ok(FloatLiteral::Single(bits)) => Ok(ExpressionValue::Float(f32::from_bits(bits).into())),
            Ok(FloatLiteral::Double(value)) => Ok(ExpressionValue::Float(value)),
            Err(error) => Err(error),
        }
    };
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Unreadable::Overflow) => Err(problem(source, node, Wrong::Overflow)),
        Err(Unreadable::Shape) => Ok(None),
    }
}

/// The value of a node; `None` after a syntax error in it, or if it is nested too deeply.
fn evaluate(
    source: ItemSource<'_>,
    node: Node<'_>,
    around: ExpressionContext,
) -> Result<Option<ExpressionValue>, ConstantProblem> {
    let (k, f) = (kinds(), fields());
    let kind = node.kind_id();
    if kind == k.integer || kind == k.float {
        return number(source, node, around);
    }
    if let Some(value) = named_constant(source, node) {
        return Ok(Some(ExpressionValue::Signed(value)));
    }
    if around.depth > MAX_DEPTH || node.is_error() || node.is_missing() {
        return Ok(None);
    }
    let inner = |node: Node<'_>| evaluate(source, node, around.operand(false));
    if kind == k.parenthesized_expression || kind == k.argument_list {
        // Parentheses alone do not turn a number into an expression: `(0f3f800000)` is legal.
        let mut parts = named_children(node);
        return match (parts.next(), parts.next()) {
            (Some(only), None) => {
                evaluate(source, only, ExpressionContext { depth: around.depth + 1, left: false, ..around })
            }
            _ if node.has_error() => Ok(None),
            _ => Err(problem(source, node, Wrong::NotANumber)),
        };
    }
    if kind == k.offset {
        let (Some(base), Some(amount)) = (node.child_by_field_id(f.base), node.child_by_field_id(f.amount)) else {
            return Ok(None);
        };
        // The address at the beginning of a sum is not part of the constant.
        if base.kind_id() != k.offset && named_constant(source, base).is_none() {
            return if around.left { inner(amount) } else { Err(problem(source, base, Wrong::NotANumber)) };
        }
        return two(source, node, (base, amount), around);
    }
    let parts: Vec<Node<'_>> = named_children(node).filter(|n| n.kind_id() != k.ty).collect();
    match parts.as_slice() {
        [argument] if kind == k.unary_expression || kind == k.negation => {
            let operator = if kind == k.negation { "!" } else { operator(source, node) };
            let Some(value) = inner(*argument)? else { return Ok(None) };
            match unary(operator, value) {
                Some(value) => value.map(Some).map_err(|(what, _)| problem(source, *argument, what)),
                None => Ok(None),
            }
        }
        [argument] if kind == k.cast_expression => {
            let ty = node.child_by_field_id(f.ty);
            let name = ty.map_or("", |n| source.word(n).text);
            let Some(value) = inner(*argument)? else { return Ok(None) };
            let place = |what| if what == Wrong::Cast { ty.unwrap_or(node) } else { *argument };
            cast(name, value).map(Some).map_err(|what| problem(source, place(what), what))
        }
        [left, right] if kind == k.binary_expression || kind == k.pair => two(source, node, (*left, *right), around),
        [condition, first, second] if kind == k.ternary_expression => {
            let values = (evaluate(source, *condition, around.operand(true))?, inner(*first)?, inner(*second)?);
            let (Some(a), Some(b), Some(c)) = values else { return Ok(None) };
            let fault = |place: usize| parts.get(place).copied().unwrap_or(node);
            ternary(a, b, c).map(Some).map_err(|place| problem(source, fault(place), Wrong::NeedsInteger))
        }
        _ if node.has_error() || is_expression(kind) => Ok(None),
        _ => Err(problem(source, node, Wrong::NotANumber)),
    }
}

fn two(
    source: ItemSource<'_>,
    node: Node<'_>,
    (left, right): (Node<'_>, Node<'_>),
    around: ExpressionContext,
) -> Result<Option<ExpressionValue>, ConstantProblem> {
    let a = evaluate(source, left, around.operand(true))?;
    let b = evaluate(source, right, around.operand(false))?;
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let operator = if node.kind_id() == kinds().pair { "|" } else { operator(source, node) };
    match binary(operator, a, b) {
        Some(value) => value.map(Some).map_err(|(what, side)| {
            let place = if side == Side::Left { left } else { right };
            problem(source, place, what)
        }),
        None => Ok(None),
    }
}

/// The operator of an expression. (The node of a percent sign includes the blanks before it.)
pub fn operator<'t>(source: ItemSource<'t>, node: Node<'_>) -> &'t str {
    node.child_by_field_id(fields().operator).map_or("", |n| source.word(n).text.trim())
}
