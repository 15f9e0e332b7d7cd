//! Evaluates the operators of constant expressions (manual 4.5.4 to 4.5.6, as far as the assembler follows it).
//!
//! This module handles values only; `lower::constant` walks the syntax nodes. The rules are measured:
//! `tests/oracle/constants.txt` holds the values that the assembler computes, and a test compares them.

/// The value of a subexpression of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ExpressionValue {
    /// An integer as `.s64`.
    Signed(i64),
    /// An integer as `.u64`.
    Unsigned(u64),
    /// A number as `.f64`.
    Float(f64),
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// A literal with more digits than the assembler can hold.
    Overflow,
    /// `/` or `%` by zero, also of floating-point numbers, and even if the result is not used.
    DivisionByZero,
    /// The quotient of the smallest integer and −1, on which the assembler crashes.
    Quotient,
    /// An integer and a floating-point number as operands of one operator.
    Mixed,
    /// A floating-point number where the operator accepts only integers.
    NeedsInteger,
    /// A cast to another type than `.s64` and `.u64`.
    Cast,
    /// A literal that begins with `0f`, which must stand alone.
    Single,
    /// A part that is not a number.
    NotANumber,
}

/// A problem of a constant expression, and its byte range from the start of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantProblem {
    /// The kind of problem.
    pub what: Wrong,
    /// The first byte of the token at fault.
    pub start: u32,
    /// The end of the token: the offset after its last byte.
    pub end: u32,
}

/// The operand of an operator that is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first, or only one.
    Left,
    /// The second.
    Right,
}

/// A problem of one operand of an operator.
pub(crate) type OperatorFault = (Wrong, Side);

impl ExpressionValue {
    fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// The 64 bits of an integer, and whether it is unsigned; `None` for a floating-point number.
    fn bits(self) -> Option<(u64, bool)> {
        match self {
            Self::Signed(n) => Some((n.cast_unsigned(), false)),
            Self::Unsigned(n) => Some((n, true)),
            Self::Float(_) => None,
        }
    }

    fn of(bits: u64, unsigned: bool) -> Self {
        if unsigned { Self::Unsigned(bits) } else { Self::Signed(bits.cast_signed()) }
    }
}

fn truth(value: bool) -> ExpressionValue {
    ExpressionValue::Signed(value.into())
}

/// The value of `-x`, `+x`, `!x` or `~x`; `None` for another operator.
///
/// # Errors
/// If the operator does not accept the operand.
pub(crate) fn unary(operator: &str, value: ExpressionValue) -> Option<Result<ExpressionValue, OperatorFault>> {
    let needs_integer = (Wrong::NeedsInteger, Side::Left);
    Some(match (operator, value) {
        ("+", _) => Ok(value),
        ("-", ExpressionValue::Signed(n)) => Ok(ExpressionValue::Signed(n.wrapping_neg())),
        ("-", ExpressionValue::Unsigned(n)) => Ok(ExpressionValue::Unsigned(n.wrapping_neg())),
        ("-", ExpressionValue::Float(n)) => Ok(ExpressionValue::Float(-n)),
        ("!", _) => value.bits().map(|(n, _)| truth(n == 0)).ok_or(needs_integer),
        ("~", _) => value.bits().map(|(n, _)| ExpressionValue::Unsigned(!n)).ok_or(needs_integer),
        _ => return None,
    })
}

/// The value of a binary expression such as `a + b`; `None` for another operator.
///
/// # Errors
/// If the operator does not accept an operand.
pub(crate) fn binary(
    operator: &str,
    left: ExpressionValue,
    right: ExpressionValue,
) -> Option<Result<ExpressionValue, OperatorFault>> {
    let for_floats = matches!(operator, "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==" | "!=");
    Some(match (left, right) {
        (ExpressionValue::Float(a), ExpressionValue::Float(b)) if for_floats => floats(operator, a, b)?,
        _ if for_floats && left.is_float() != right.is_float() => Err((Wrong::Mixed, Side::Right)),
        _ => match (left.bits(), right.bits()) {
            (Some(a), Some(b)) => integers(operator, a, b)?,
            (None, _) => Err((Wrong::NeedsInteger, Side::Left)),
            (_, None) => Err((Wrong::NeedsInteger, Side::Right)),
        },
    })
}

fn floats(operator: &str, a: f64, b: f64) -> Option<Result<ExpressionValue, OperatorFault>> {
    Some(Ok(match operator {
        "+" => ExpressionValue::Float(a + b),
        "-" => ExpressionValue::Float(a - b),
        "*" => ExpressionValue::Float(a * b),
        "/" if b == 0.0 => return Some(Err((Wrong::DivisionByZero, Side::Right))),
        "/" => ExpressionValue::Float(a / b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        _ => return None,
    }))
}

fn integers(
    operator: &str,
    (a, a_unsigned): (u64, bool),
    (b, b_unsigned): (u64, bool),
) -> Option<Result<ExpressionValue, OperatorFault>> {
    let unsigned = a_unsigned || b_unsigned;
    let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
    let less = if unsigned { a < b } else { signed_a < signed_b };
    // As the machine shifts: by the count modulo 64.
    let count = (b & 63) as u32;
    Some(Ok(match operator {
        "+" => ExpressionValue::of(a.wrapping_add(b), unsigned),
        "-" => ExpressionValue::of(a.wrapping_sub(b), unsigned),
        "*" => ExpressionValue::of(a.wrapping_mul(b), unsigned),
        "/" | "%" if b == 0 => return Some(Err((Wrong::DivisionByZero, Side::Right))),
        "/" if unsigned => ExpressionValue::Unsigned(a / b),
        "/" => match signed_a.checked_div(signed_b) {
            Some(quotient) => ExpressionValue::Signed(quotient),
            None => return Some(Err((Wrong::Quotient, Side::Right))),
        },
        "%" => ExpressionValue::Unsigned(a % b),
        "<<" => ExpressionValue::of(a << count, a_unsigned),
        ">>" if a_unsigned => ExpressionValue::Unsigned(a >> count),
        ">>" => ExpressionValue::Signed(signed_a >> count),
        "&" => ExpressionValue::of(a & b, unsigned),
        "|" => ExpressionValue::of(a | b, unsigned),
        "^" => ExpressionValue::of(a ^ b, unsigned),
        "&&" => truth(a != 0 && b != 0),
        "||" => truth(a != 0 || b != 0),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(less),
        ">=" => truth(!less),
        ">" => truth(!less && a != b),
        "<=" => truth(less || a == b),
        _ => return None,
    }))
}

/// The value of `condition ? first : second`. ptxas accepts only integers, although the manual allows floating-point numbers
/// too. The result keeps the type of the chosen operand, although the manual converts both to one type.
///
/// # Errors
/// The index (0 to 2) of a floating-point operand.
pub(crate) fn ternary(
    condition: ExpressionValue,
    first: ExpressionValue,
    second: ExpressionValue,
) -> Result<ExpressionValue, usize> {
    match [condition, first, second].iter().position(|v| v.is_float()) {
        Some(place) => Err(place),
        None => Ok(if condition.bits().is_some_and(|(n, _)| n != 0) { first } else { second }),
    }
}

/// The value of a cast `(.s64) x` or `(.u64) x`.
///
/// # Errors
/// If `value` is a floating-point number, or `ty` is another type.
pub(crate) fn cast(ty: &str, value: ExpressionValue) -> Result<ExpressionValue, Wrong> {
    let unsigned = match ty {
        ".u64" => true,
        ".s64" => false,
        _ => return Err(Wrong::Cast),
    };
    value.bits().map(|(bits, _)| ExpressionValue::of(bits, unsigned)).ok_or(Wrong::NeedsInteger)
}

#[cfg(test)]
mod tests {
    use super::{ExpressionValue, Side, Wrong, binary, cast, ternary, unary};

    #[test]
    fn shifts_count_modulo_64_and_keep_the_type_of_what_is_shifted() {
        let shift = |operator, a, b| binary(operator, a, b).and_then(Result::ok);
        assert_eq!(
            shift("<<", ExpressionValue::Signed(1), ExpressionValue::Signed(65)),
            Some(ExpressionValue::Signed(2))
        );
        assert_eq!(
            shift(">>", ExpressionValue::Signed(-1), ExpressionValue::Unsigned(1)),
            Some(ExpressionValue::Signed(-1))
        );
        assert_eq!(
            shift(">>", ExpressionValue::Unsigned(u64::MAX), ExpressionValue::Signed(1)),
            Some(ExpressionValue::Unsigned(u64::MAX >> 1))
        );
    }

    #[test]
    fn one_unsigned_operand_makes_an_arithmetic_operation_unsigned() {
        assert_eq!(
            binary("<", ExpressionValue::Signed(-1), ExpressionValue::Unsigned(1)),
            Some(Ok(ExpressionValue::Signed(0)))
        );
        assert_eq!(
            binary("/", ExpressionValue::Signed(-7), ExpressionValue::Unsigned(2)),
            Some(Ok(ExpressionValue::Unsigned(0x7fff_ffff_ffff_fffc)))
        );
        assert_eq!(
            binary("%", ExpressionValue::Signed(7), ExpressionValue::Signed(-3)),
            Some(Ok(ExpressionValue::Unsigned(7)))
        );
        assert_eq!(
            ternary(ExpressionValue::Signed(0), ExpressionValue::Unsigned(1), ExpressionValue::Signed(-1)),
            Ok(ExpressionValue::Signed(-1))
        );
    }

    #[test]
    fn what_has_no_value() {
        let (one, half) = (ExpressionValue::Signed(1), ExpressionValue::Float(0.5));
        assert_eq!(binary("+", one, half), Some(Err((Wrong::Mixed, Side::Right))));
        assert_eq!(binary("&", half, one), Some(Err((Wrong::NeedsInteger, Side::Left))));
        assert_eq!(binary("/", half, ExpressionValue::Float(-0.0)), Some(Err((Wrong::DivisionByZero, Side::Right))));
        assert_eq!(
            binary("/", ExpressionValue::Signed(i64::MIN), ExpressionValue::Signed(-1)),
            Some(Err((Wrong::Quotient, Side::Right)))
        );
        assert_eq!(unary("~", half), Some(Err((Wrong::NeedsInteger, Side::Left))));
        assert_eq!(ternary(one, half, half), Err(1));
        assert_eq!(cast(".u32", one), Err(Wrong::Cast));
        assert_eq!(binary("=", one, one), None);
    }
}
