//! A small expression language for watches and conditional breakpoints.
//!
//! - Registers, special registers and constants as in PTX: `%r4`, `%p1`, `%tid.x`, `WARP_SZ`, `0x2a`, `0f3F800000`, `1.5`. The name of a
//!   scalar parameter is its value. The name of a variable is its address in its state space; the name of a buffer is its address.
//! - `%r4@3`, `%r4@0..7`, `%r4@*`: the value in another lane, in several lanes, in all lanes. Without `@`: in the current lane.
//! - `[%rd1+4]`, `shared:[%r1]`, `[tile+8]:f32`: the value in memory, as 32 bits unless the variable's type or a type after the brackets
//!   says otherwise.
//! - `%r4:f32`: the same bits as another type. `f32(%r4)`: the value converted to another type.
//! - `+ - * / % & | ^ ~ << >> == != < <= > >= && || !` with the precedence of C. Untyped registers count as signed, except for `>>`.
//! - `any(…)`, `all(…)`, `count(…)`, `ballot(…)`: over the lanes of the current group.

mod evaluate;
mod numbers;
mod parse;
mod scene;
#[cfg(test)]
mod tests;

use super::memory::Area;
use super::value::TypedValue;
use crate::lanes::{LANES, LaneMask};
use crate::machine::{Machine, WarpId};
pub use parse::parse;
use ptx_isa::tables::TypeInfo;
use std::ops::Range;

/// An error in the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionMistake {
    /// The wrong part of the text, in bytes.
    pub range: Range<usize>,
    /// The expected and the actual text, as a message.
    pub message: String,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    nodes: Vec<Node>,
    root: usize,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A single value.
    One(TypedValue),
    /// One value for each of several lanes: (lane, value).
    Lanes(Vec<(usize, TypedValue)>),
}

/// The register or memory that an expression refers to, so that a debugger can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValuePlace {
    /// The register with this slot index in the function.
    Register(u32),
    /// Memory at a generic address.
    Memory {
        /// The generic address of the first byte.
        address: u64,
        /// The type of the value, with the dot.
        ty: &'static str,
    },
}

impl Expression {
    /// The first and the last lane that the expression selects as a whole, as in `%r4@0..7`; `None` if it selects none.
    pub fn lanes(&self) -> Option<(usize, usize)> {
        match self.nodes.get(self.root)?.kind {
            ExpressionKind::Lanes(LaneSelection::All, _) => Some((0, LANES - 1)),
            ExpressionKind::Lanes(LaneSelection::Range(first, last), _) => Some((first.into(), last.into())),
            _ => None,
        }
    }

    /// The text of the expression without such a selection of lanes.
    pub fn text(&self) -> &str {
        self.nodes.get(self.without_lanes()).map_or("", |node| &node.text)
    }

    fn without_lanes(&self) -> usize {
        match self.nodes.get(self.root).map(|node| &node.kind) {
            Some(ExpressionKind::Lanes(_, inner)) => *inner,
            _ => self.root,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    kind: ExpressionKind,
    /// The part of the text that it was parsed from, for error messages.
    text: Box<str>,
    /// Height of the tree below this node, itself included.
    height: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum ExpressionKind {
    Number(ExpressionLiteral),
    Name(Box<str>),
    Unary(UnaryOperator, usize),
    Binary(BinaryOperator, usize, usize),
    /// The same bits as another type (`%r4:f32`).
    Cast(&'static TypeInfo, usize),
    /// The value converted to another type (`f32(%r4)`).
    Convert(&'static TypeInfo, usize),
    Memory {
        space: Option<MemorySpace>,
        address: usize,
        ty: Option<&'static TypeInfo>,
    },
    Lanes(LaneSelection, usize),
    Over(LaneReduction, usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ExpressionLiteral {
    /// Written in decimal: the value, and whether it has the suffix `U`.
    Integer(u64, bool),
    /// Written in hexadecimal, octal or binary: the bits, and whether it has the suffix `U`.
    Bits(u64, bool),
    Float(f64),
    Single(u32),
    Double(u64),
    Truth(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemorySpace {
    Generic,
    In(Area),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LaneSelection {
    All,
    /// From the first to the last lane, both included.
    Range(u8, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LaneReduction {
    Any,
    All,
    Count,
    Ballot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnaryOperator {
    Minus,
    Plus,
    Not,
    Complement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BinaryOperator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Left,
    Right,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOperator {
    fn sign(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::BitAnd => "&",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Left => "<<",
            Self::Right => ">>",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }

    /// The precedence, as in C; higher numbers bind more strongly.
    fn strength(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::BitOr => 3,
            Self::BitXor => 4,
            Self::BitAnd => 5,
            Self::Equal | Self::Unequal => 6,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => 7,
            Self::Left | Self::Right => 8,
            Self::Add | Self::Sub => 9,
            Self::Mul | Self::Div | Self::Rem => 10,
        }
    }
}

/// Evaluates an expression for a lane, in a call frame of a group. `depth` counts calls outwards from the innermost frame.
///
/// # Errors
/// A message, if a name does not exist or types do not fit.
pub fn evaluate(
    expression: &Expression,
    machine: &Machine,
    target: WarpId,
    group: usize,
    depth: usize,
    lane: usize,
) -> Result<Answer, String> {
    let scene = scene::Scene::new(expression, machine, target, group, depth)?;
    scene.answer(lane)
}

/// The register or memory that an expression refers to, as a lane sees it; `None` if its value is computed.
pub fn place(
    expression: &Expression,
    machine: &Machine,
    target: WarpId,
    group: usize,
    depth: usize,
    lane: usize,
) -> Option<ValuePlace> {
    scene::Scene::new(expression, machine, target, group, depth).ok()?.place(lane)
}

/// The lanes of a group for which an expression is true, evaluated in the innermost call frame. Lanes whose result depends on unwritten
/// values are not included.
///
/// # Errors
/// A message, if a name does not exist or types do not fit.
pub fn holds(expression: &Expression, machine: &Machine, target: WarpId, group: usize) -> Result<LaneMask, String> {
    let scene = scene::Scene::new(expression, machine, target, group, 0)?;
    scene.holds()
}

/// The bits of a value after conversion to another type, for setting registers. Integers are truncated; numbers are rounded to nearest.
///
/// # Errors
/// A message, if the type has no such value.
pub fn convert(value: &TypedValue, ty: &str) -> Result<u128, String> {
    let info = ptx_isa::ISA.ty(ty).ok_or_else(|| format!("there is no type `{ty}`"))?;
    numbers::convert(&numbers::TypedOperand::plain(*value), info).map(|operand| operand.value.bits)
}
