//! PTX inside another language: the check of a text whose registers, constants and targets are given from outside.
//!
//! The text becomes the body of a function. Its outer names are not declared in text: the check looks them up beside the names
//! of the module. Diagnostics count in bytes of the text. The text is accepted if *one* target of a set accepts it.

mod checker;
mod findings;
mod outputs;
mod scan;
mod targets;
mod wrap;

#[cfg(test)]
mod tests;

pub use crate::actions::Actions;
pub use checker::InlineChecker;
pub use targets::{InlineTarget, TargetSet};
pub use wrap::InlineModule;

use crate::diagnostic::Diagnostic;
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// PTX inside another language.
#[derive(Debug, Clone, Copy)]
pub struct InlineText<'a> {
    /// The text: statements, as in the body of a function.
    pub ptx: &'a str,
    /// The operands that are registers.
    pub registers: &'a [InlineRegister<'a>],
    /// The operands that are integer constants.
    pub constants: &'a [InlineConstant<'a>],
    /// The byte ranges of `ptx` of which only the host's compiler knows the text. An instruction that touches one is not
    /// checked.
    pub opaque: &'a [Range<usize>],
    /// The versions and targets for which the text may be meant.
    pub targets: &'a TargetSet,
}

/// An operand that is a register.
#[derive(Debug, Clone, Copy)]
pub struct InlineRegister<'a> {
    /// Its name in the text, such as `%0`.
    pub name: &'a str,
    /// Its type.
    pub ty: TypeId,
    /// Whether the host gives it no value before the text, and takes the value after it.
    pub written_only: bool,
}

/// An operand that is an integer constant.
#[derive(Debug, Clone, Copy)]
pub struct InlineConstant<'a> {
    /// Its name in the text, such as `%1`.
    pub name: &'a str,
    /// Its value; `None` if only the host's compiler knows it.
    pub value: Option<i128>,
}

/// The result of the check of a text. All ranges are bytes of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InlineFindings {
    /// The diagnostics, in text order. Their fixes only replace text.
    pub diagnostics: Vec<Diagnostic>,
    /// What the instructions do.
    pub actions: Actions,
    /// The names of labels outside of braces.
    pub labels: Vec<Range<usize>>,
    /// The declarations outside of braces.
    pub declarations: Vec<Range<usize>>,
    /// The byte offset at which the last statement lacks its semicolon.
    pub missing_semicolon: Option<usize>,
    /// The outputs whose value is not defined where it is read, or after the text. None is looked for in a text with errors.
    pub undefined_outputs: Vec<UndefinedOutput>,
    /// A target that accepts the text, or the one that comes nearest; `None` if nothing was checked.
    pub target: Option<InlineTarget>,
}

/// An operand that the text only writes, and whose value is undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndefinedOutput {
    /// Its name in the text.
    pub name: Box<str>,
    /// Where the text reads it before it is written; `None` if only the host reads it, after the text.
    pub read: Option<Range<usize>>,
    /// Whether it is undefined on every path, and not only on some.
    pub always: bool,
}
