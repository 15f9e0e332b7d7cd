//! A small language for watches and conditional breakpoints.
//!
//! - Registers, special registers, constants: as in PTX – `%r4`, `%p1`, `%tid.x`, `WARP_SZ`, `0x2a`, `0f3F800000`, `1.5`. The name of a scalar
//!   parameter is its value, that of a variable its address in its state space, that of a buffer its address.
//! - `%r4@3`, `%r4@0..7`, `%r4@*`: in another lane, in several, in all; without it, in the lane that is looked at.
//! - `[%rd1+4]`, `shared:[%r1]`, `[tile+8]:f32`: what memory holds there, as 32 bits unless the variable or a type behind it says otherwise.
//! - `%r4:f32`: the bits as another type. `f32(%r4)`: the value in another type.
//! - `+ - * / % & | ^ ~ << >> == != < <= > >= && || !` with the precedence of C. Registers of bits count as signed, but for `>>`.
//! - `any(…)`, `all(…)`, `count(…)`, `ballot(…)`: over the lanes of the group that is looked at.

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

/// What is wrong with the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionMistake {
    /// Which part of the text, in bytes.
    pub range: Range<usize>,
    /// What is expected there, and what was found.
    pub message: String,
}

/// An expression that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    nodes: Vec<Node>,
    root: usize,
}

/// What an expression is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One value.
    One(TypedValue),
    /// One for each of several lanes.
    Lanes(Vec<(usize, TypedValue)>),
}

/// Where the value of an expression is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValuePlace {
    /// In the register of this number of the function.
    Register(u32),
    /// In memory: the generic address, and the type, with the dot.
    Memory {
        /// Of the first byte.
        address: u64,
        /// Of what is read there.
        ty: &'static str,
    },
}

impl Expression {
    /// The first and the last of the lanes that it names for all of it, `%r4@0..7`; nothing if it has a value in each lane.
    pub fn lanes(&self) -> Option<(usize, usize)> {
        match self.nodes.get(self.root)?.kind {
            ExpressionKind::Lanes(LaneSelection::All, _) => Some((0, LANES - 1)),
            ExpressionKind::Lanes(LaneSelection::Range(first, last), _) => Some((first.into(), last.into())),
            _ => None,
        }
    }

    /// Its text without the lanes that it names for all of it.
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
    /// Its part of the text: what errors quote.
    text: Box<str>,
    /// How many nodes lie below each other, itself included.
    height: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum ExpressionKind {
    Number(ExpressionLiteral),
    Name(Box<str>),
    Unary(UnaryOperator, usize),
    Binary(BinaryOperator, usize, usize),
    /// The same bits as another type.
    Cast(&'static TypeInfo, usize),
    /// The same value in another type.
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
    /// In decimal digits: its value, and whether it says that it is unsigned.
    Integer(u64, bool),
    /// In other digits: bits.
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
    /// From one to another, both included.
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

    /// How strongly it binds, as in C.
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

/// The value of an expression for a lane, in the activation that a group is in so many calls out from the innermost.
///
/// # Errors
/// In words, what is not there or does not go together.
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

/// Where the value of an expression is kept, as a lane sees it; nothing if it is computed.
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

/// The lanes of a group for which an expression is true, in the innermost activation: those for which it says anything else, or depends on
/// what was never written, are not among them.
///
/// # Errors
/// In words, what is not there or does not go together.
pub fn holds(expression: &Expression, machine: &Machine, target: WarpId, group: usize) -> Result<LaneMask, String> {
    let scene = scene::Scene::new(expression, machine, target, group, 0)?;
    scene.holds()
}

/// The bits that a value has in another type: integers are cut, numbers rounded to nearest. For giving registers values.
///
/// # Errors
/// In words, if the type has no such values.
pub fn convert(value: &TypedValue, ty: &str) -> Result<u128, String> {
    let info = ptx_isa::ISA.ty(ty).ok_or_else(|| format!("there is no type `{ty}`"))?;
    numbers::convert(&numbers::TypedOperand::plain(*value), info).map(|operand| operand.value.bits)
}
