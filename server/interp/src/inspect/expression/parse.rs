//! The parser for expressions.

use super::{
    BinaryOperator, Expression, ExpressionKind, ExpressionLiteral, ExpressionMistake, LaneReduction, LaneSelection,
    MemorySpace, Node, UnaryOperator,
};
use crate::inspect::memory::Area;
use crate::lanes::LANES;
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};
use ptx_sema::hir::literal::{self, FloatLiteral};
use std::ops::Range;

/// Maximum length of an expression in bytes.
const MAX_LENGTH: usize = 4096;

/// Maximum nesting depth of an expression.
const MAX_DEPTH: usize = 100;

/// Parses an expression.
///
/// # Errors
/// The position and a message, if the text is not a valid expression.
pub fn parse(text: &str) -> Result<Expression, ExpressionMistake> {
    if text.len() > MAX_LENGTH {
        return Err(ExpressionMistake {
            range: 0..text.len(),
            message: format!("an expression has at most {MAX_LENGTH} characters"),
        });
    }
    let mut parser = Parser { text, at: 0, nodes: Vec::new(), open: 0 };
    let root = parser.binary(0)?;
    parser.skip();
    match parser.peek() {
        None => Ok(Expression { nodes: parser.nodes, root }),
        Some(_) => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    nodes: Vec<Node>,
    /// Number of open brackets and operators.
    open: usize,
}

type ParseResult<T> = Result<T, ExpressionMistake>;

fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%')
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Skips `sign` if it comes next, and returns whether it did.
    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn mistake(range: Range<usize>, message: impl Into<String>) -> ExpressionMistake {
        ExpressionMistake { range, message: message.into() }
    }

    /// The error for unexpected text at the current position.
    fn expected(&mut self, what: &str) -> ExpressionMistake {
        self.skip();
        let rest = self.rest();
        let word = rest.find(|c: char| !in_name(c) && c != '%').filter(|n| *n > 0);
        let length = match (word, rest.chars().next()) {
            (_, None) => return Self::mistake(self.at..self.at, format!("expected {what}, but the text ends here")),
            (Some(length), Some(c)) if begins_name(c) || c.is_ascii_digit() => length,
            (None, Some(c)) if begins_name(c) || c.is_ascii_digit() => rest.len(),
            (_, Some(c)) => c.len_utf8(),
        };
        let found: String = rest.get(..length).unwrap_or("").chars().take(40).collect();
        Self::mistake(self.at..self.at + length, format!("expected {what}, but found `{found}`"))
    }

    /// Adds a node for the text from `from` to the current position, and returns its index.
    fn node(&mut self, from: usize, kind: ExpressionKind) -> ParseResult<usize> {
        let below = |at: usize| self.nodes.get(at).map_or(0, |n| n.height);
        let height = 1 + match &kind {
            ExpressionKind::Number(_) | ExpressionKind::Name(_) => 0,
            ExpressionKind::Unary(_, a)
            | ExpressionKind::Cast(_, a)
            | ExpressionKind::Convert(_, a)
            | ExpressionKind::Memory { address: a, .. }
            | ExpressionKind::Lanes(_, a)
            | ExpressionKind::Over(_, a) => below(*a),
            ExpressionKind::Binary(_, a, b) => below(*a).max(below(*b)),
        };
        if height > MAX_DEPTH {
            return Err(Self::mistake(from..self.at, format!("more than {MAX_DEPTH} operations depend on each other")));
        }
        let text = self.text.get(from..self.at).unwrap_or("").trim().into();
        self.nodes.push(Node { kind, text, height });
        Ok(self.nodes.len() - 1)
    }

    /// Parses something inside a bracket or after an operator. The nesting depth is limited.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.open >= MAX_DEPTH {
            return Err(Self::mistake(self.at..self.at, format!("more than {MAX_DEPTH} brackets and signs are open")));
        }
        self.open += 1;
        let out = read(self);
        self.open -= 1;
        out
    }

    fn operator(&self) -> Option<(BinaryOperator, usize)> {
        use BinaryOperator::*;
        // Longer operators precede their prefixes.
        const SIGNS: &[BinaryOperator] = &[
            Or,
            And,
            Equal,
            Unequal,
            Left,
            Right,
            LessEqual,
            GreaterEqual,
            BitOr,
            BitXor,
            BitAnd,
            Less,
            Greater,
            Add,
            Sub,
            Mul,
            Div,
            Rem,
        ];
        SIGNS.iter().find(|o| self.rest().starts_with(o.sign())).map(|o| (*o, o.sign().len()))
    }

    /// Parses operands and operators that bind more strongly than `above`.
    fn binary(&mut self, above: u8) -> ParseResult<usize> {
        self.skip();
        let from = self.at;
        let mut left = self.unary()?;
        loop {
            self.skip();
            let Some((operator, length)) = self.operator().filter(|(o, _)| o.strength() > above) else {
                return Ok(left);
            };
            self.at += length;
            let right = self.within(|p| p.binary(operator.strength()))?;
            left = self.node(from, ExpressionKind::Binary(operator, left, right))?;
        }
    }

    fn unary(&mut self) -> ParseResult<usize> {
        self.skip();
        let from = self.at;
        let sign = match self.peek() {
            Some('-') => UnaryOperator::Minus,
            Some('+') => UnaryOperator::Plus,
            Some('!') => UnaryOperator::Not,
            Some('~') => UnaryOperator::Complement,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = self.within(Self::unary)?;
        self.node(from, ExpressionKind::Unary(sign, operand))
    }

    /// Parses a primary expression, and the types and lanes after it.
    fn postfix(&mut self) -> ParseResult<usize> {
        self.skip();
        let from = self.at;
        let mut operand = self.primary()?;
        loop {
            if self.take("@") {
                let lanes = self.lanes()?;
                operand = self.node(from, ExpressionKind::Lanes(lanes, operand))?;
            } else if self.take(":") {
                let ty = self.type_name()?;
                if !self.load_as(operand, ty) {
                    operand = self.node(from, ExpressionKind::Cast(ty, operand))?;
                }
            } else {
                return Ok(operand);
            }
        }
    }

    /// The first type after a memory operand is the type of the loaded value. Returns false if the operand is none, or already has a type.
    fn load_as(&mut self, operand: usize, wanted: &'static TypeInfo) -> bool {
        let mut at = operand;
        loop {
            let Some(node) = self.nodes.get_mut(at) else { return false };
            match &mut node.kind {
                ExpressionKind::Lanes(_, inner) => at = *inner,
                ExpressionKind::Memory { ty: ty @ None, .. } => {
                    *ty = Some(wanted);
                    node.text = format!("{}:{}", node.text, wanted.name.trim_start_matches('.')).into();
                    return true;
                }
                _ => return false,
            }
        }
    }

    /// The word at the current position; empty if there is none.
    fn word(&self) -> &str {
        let rest = self.rest();
        let end = rest.char_indices().find(|(at, c)| !(in_name(*c) || *at == 0 && begins_name(*c))).map(|(at, _)| at);
        rest.get(..end.unwrap_or(rest.len())).unwrap_or("")
    }

    fn type_name(&mut self) -> ParseResult<&'static TypeInfo> {
        self.skip();
        let from = self.at;
        self.take(".");
        let word = self.word().to_owned();
        let found = ISA.ty(&format!(".{word}")).filter(|t| value_type(t));
        match found {
            Some(ty) => {
                self.at += word.len();
                Ok(ty)
            }
            None => {
                self.at = from;
                Err(self.expected("a type such as `u32`, `f32` or `f16x2`"))
            }
        }
    }

    fn lanes(&mut self) -> ParseResult<LaneSelection> {
        self.skip();
        if self.take("*") {
            return Ok(LaneSelection::All);
        }
        let first = self.lane()?;
        if !self.take("..") {
            return Ok(LaneSelection::Range(first, first));
        }
        let from = self.at;
        let last = self.lane()?;
        if last < first {
            return Err(Self::mistake(from..self.at, format!("write lanes in ascending order: {last} < {first}")));
        }
        Ok(LaneSelection::Range(first, last))
    }

    fn lane(&mut self) -> ParseResult<u8> {
        self.skip();
        let rest = self.rest();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest.get(..digits).and_then(|d| d.parse::<u8>().ok()).filter(|n| usize::from(*n) < LANES);
        match number {
            Some(number) => {
                self.at += digits;
                Ok(number)
            }
            None => Err(self.expected("a lane from 0 to 31, or `*`")),
        }
    }

    fn close(&mut self, sign: &str) -> ParseResult<()> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn primary(&mut self) -> ParseResult<usize> {
        self.skip();
        let from = self.at;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.within(|p| p.binary(0))?;
                self.close(")")?;
                Ok(inner)
            }
            Some('[') => self.memory(from, None),
            Some(c) if c.is_ascii_digit() => self.number(from),
            Some('.') if self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => self.number(from),
            Some(c) if begins_name(c) => self.name(from),
            _ => Err(self.expected("a register, a number or `(`")),
        }
    }

    fn memory(&mut self, from: usize, space: Option<MemorySpace>) -> ParseResult<usize> {
        self.close("[")?;
        let address = self.within(|p| p.binary(0))?;
        self.close("]")?;
        self.node(from, ExpressionKind::Memory { space, address, ty: None })
    }

    fn name(&mut self, from: usize) -> ParseResult<usize> {
        let mut word = self.word().to_owned();
        self.at += word.len();
        if word == "%" {
            self.at = from;
            return Err(self.expected("a register"));
        }
        let truth = match word.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        if let Some(truth) = truth {
            return self.node(from, ExpressionKind::Number(ExpressionLiteral::Truth(truth)));
        }
        let behind = self.at;
        let space = match word.as_str() {
            "generic" => Some(MemorySpace::Generic),
            other => Area::named(other).map(MemorySpace::In),
        };
        if let Some(space) = space
            && self.take(":")
        {
            self.skip();
            if self.peek() == Some('[') {
                return self.memory(from, Some(space));
            }
            self.at = behind;
        }
        if self.take("(") {
            return self.function(from, &word, behind);
        }
        self.at = behind;
        // A component: `.x`, not followed by other characters of a name.
        let mut letters = self.rest().chars();
        if letters.next() == Some('.')
            && let Some(c) = letters.next().filter(|c| "xyzwrgba".contains(*c))
            && !letters.next().is_some_and(in_name)
        {
            word.push('.');
            word.push(c);
            self.at += 2;
        }
        self.node(from, ExpressionKind::Name(word.into()))
    }

    /// Parses the parenthesised operand after a word: a reduction over lanes, or a conversion.
    fn function(&mut self, from: usize, word: &str, behind: usize) -> ParseResult<usize> {
        let over = match word {
            "any" => Some(LaneReduction::Any),
            "all" => Some(LaneReduction::All),
            "count" => Some(LaneReduction::Count),
            "ballot" => Some(LaneReduction::Ballot),
            _ => None,
        };
        let ty = ISA.ty(&format!(".{word}")).filter(|t| value_type(t));
        if over.is_none() && ty.is_none() {
            let words = format!("expected `any`, `all`, `count`, `ballot` or a type before `(`, but found `{word}`");
            return Err(Self::mistake(from..behind, words));
        }
        let inner = self.within(|p| p.binary(0))?;
        self.close(")")?;
        match (over, ty) {
            (Some(over), _) => self.node(from, ExpressionKind::Over(over, inner)),
            (None, Some(ty)) => self.node(from, ExpressionKind::Convert(ty, inner)),
            (None, None) => Ok(inner),
        }
    }

    fn number(&mut self, from: usize) -> ParseResult<usize> {
        let length = number_length(self.rest());
        let word = self.rest().get(..length).unwrap_or("");
        let literal = read_number(word);
        let range = from..from + length;
        let literal = literal.ok_or_else(|| Self::mistake(range, format!("`{word}` is not a number")))?;
        self.at += length;
        self.node(from, ExpressionKind::Number(literal))
    }
}

/// Whether a value can have this type.
fn value_type(ty: &TypeInfo) -> bool {
    ty.class != TypeClass::Opaque && ty.bits <= 128
}

/// The length of a number in bytes. In `0..7` it is 1 (a number, then a range); `1.5e-3` is one number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let hexadecimal = matches!(bytes, [b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D' | b'b' | b'B', ..]);
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
        let goes_on = match byte {
            b'.' => !hexadecimal && next != Some(&b'.') && (digit(next) || !next.is_some_and(u8::is_ascii_alphabetic)),
            b'+' | b'-' => !hexadecimal && at > 0 && matches!(bytes.get(at - 1), Some(b'e' | b'E')) && digit(next),
            other => other.is_ascii_alphanumeric() || *other == b'_',
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

fn read_number(word: &str) -> Option<ExpressionLiteral> {
    let plain = word.replace('_', "");
    if let Ok(integer) = literal::parse_integer(&plain)
        && !integer.cut
    {
        let decimal = !plain.starts_with('0') || plain == "0" || plain == "0U";
        return Some(if decimal {
            ExpressionLiteral::Integer(integer.bits, integer.unsigned)
        } else {
            ExpressionLiteral::Bits(integer.bits, integer.unsigned)
        });
    }
    // The digits are parsed directly: conversion through an f64 could quiet a signalling NaN.
    if let Some(digits) = plain.get(2..)
        && plain.starts_with("0d")
        && digits.len() == 16
    {
        return u64::from_str_radix(digits, 16).ok().map(ExpressionLiteral::Double);
    }
    match literal::parse_float(&plain) {
        Ok(FloatLiteral::Single(bits)) if plain.len() == 10 => Some(ExpressionLiteral::Single(bits)),
        Ok(FloatLiteral::Double(value)) if !plain.starts_with("0d") && !plain.starts_with("0D") => {
            Some(ExpressionLiteral::Float(value))
        }
        _ => None,
    }
}
