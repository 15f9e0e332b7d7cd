//! `parameter-list`: a list of parameters or results that the function, kernel or prototype cannot have.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::{Declaration, SourceWord};
use ptx_sema::hir::signature::{Array, Parameter};
use std::ops::Range;

/// A list of parameters or results that its function, kernel or prototype cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ParameterList {
    /// Several results, one of them in memory.
    SeveralResults,
    /// A parameter without a state space, or in one where it cannot be.
    Space {
        /// Its name, if it has one.
        name: Option<Box<str>>,
        /// The state space, if one is given.
        space: Option<Box<str>>,
        /// Whether it is a kernel's parameter.
        kernel: bool,
    },
    /// A kernel with results.
    KernelResults,
    /// A parameter that is called `_`.
    Unnamed,
    /// An array without a size, where a size is required.
    OpenArray {
        /// Its name, if it has one.
        name: Option<Box<str>>,
        /// Why a size is required.
        reason: SizeReason,
    },
}

/// Why an array in a list of parameters must have a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SizeReason {
    /// It is a result.
    Result,
    /// It is a parameter of a kernel.
    Kernel,
    /// It is not the last parameter.
    NotLast,
}

impl DiagnosticMessage for ParameterList {
    fn message(&self) -> String {
        let quoted = |name: &Option<Box<str>>| name.as_ref().map_or(String::new(), |n| format!(" `{n}`"));
        match self {
            Self::SeveralResults => {
                "several results must all be in `.reg`: only a single result can be in `.param`".to_owned()
            }
            Self::Space { name, space, kernel } => {
                let (what, expected) = match kernel {
                    true => ("a parameter of a kernel", "`.param`"),
                    false => ("a parameter", "`.param` or `.reg`"),
                };
                let actual = space.as_ref().map_or_else(|| "has no state space".to_owned(), |s| format!("is in `{s}`"));
                format!("parameter{} {actual}: {what} must be in {expected}", quoted(name))
            }
            Self::KernelResults => "a kernel returns nothing".to_owned(),
            Self::Unnamed => {
                "a parameter of a function needs a name: `_` is allowed only in a kernel or a `.callprototype`"
                    .to_owned()
            }
            Self::OpenArray { name, reason } => {
                let reason = match reason {
                    SizeReason::Result => "a result must have one",
                    SizeReason::Kernel => "a parameter of a kernel must have one",
                    SizeReason::NotLast => "other parameters follow",
                };
                format!("the array{} has no size, but {reason}", quoted(name))
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::SeveralResults => "return a structure: `.param .align 8 .b8 results[16]`",
            Self::KernelResults => "pass a pointer, and store what the kernel computes there",
            Self::OpenArray { .. } => {
                "only the last parameter of a `.func` can omit its size: it then takes any number of bytes"
            }
            Self::Space { .. } | Self::Unnamed => return None,
        };
        Some(help.to_owned())
    }
}

/// The owner of a list of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterOwner {
    /// `.entry`.
    Kernel,
    /// `.func`.
    Function,
    /// `.callprototype`.
    Prototype,
}

/// Checks a list of parameters or, with `results`, of results.
pub(crate) fn check(list: &[Declaration<'_>], results: bool, owner: ParameterOwner, out: &mut Vec<Diagnostic>) {
    let mut in_memory = None;
    for (index, declaration) in list.iter().enumerate() {
        let parameter = Parameter::of(declaration);
        let space = declaration.spaces.first();
        let whole = || declaration.range.clone();
        let name = declaration.declarators.first().map(|d| d.name);
        match parameter.register {
            Some(true) if owner == ParameterOwner::Kernel => {
                let place = space.map_or_else(whole, SourceWord::range);
                out.push(wrong_space(place, &parameter.name, Some(".reg"), true));
            }
            // The check of the declaration reports spaces in which no parameter can be, such as `.param::func`.
            None if space.is_some_and(|w| w.text.contains("::")) => {}
            None => {
                let place = space.map_or_else(whole, SourceWord::range);
                let found = space.map(|w| w.text);
                out.push(wrong_space(place, &parameter.name, found, owner == ParameterOwner::Kernel));
            }
            Some(false) => in_memory = in_memory.or(Some(space.map_or_else(whole, SourceWord::range))),
            Some(true) => {}
        }
        if let Some(name) = name.filter(|n| n.text == "_" && owner == ParameterOwner::Function) {
            out.push(unnamed(name.range()));
        }
        if parameter.array == Array::Open {
            let place = declaration.declarators.first().and_then(|d| d.dimensions.first());
            let place = place.map_or_else(whole, |(range, _)| range.clone());
            let reason = match owner {
                _ if results => SizeReason::Result,
                ParameterOwner::Kernel => SizeReason::Kernel,
                _ if index + 1 < list.len() => SizeReason::NotLast,
                _ => continue,
            };
            out.push(open_array(place, &parameter.name, reason));
        }
    }
    if let Some(place) = in_memory.filter(|_| results && list.len() > 1) {
        out.push(several_results(place));
    }
}

/// The name of a parameter; `None` for `_`.
fn named(name: &str) -> Option<Box<str>> {
    (name != "_").then(|| name.into())
}

/// The report on one of several results that is in memory.
fn several_results(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ParameterList::SeveralResults)
}

/// The report on a parameter without a state space, or in one where it cannot be.
fn wrong_space(range: Range<usize>, name: &str, space: Option<&str>, kernel: bool) -> Diagnostic {
    Diagnostic::new(range, ParameterList::Space { name: named(name), space: space.map(Into::into), kernel })
}

/// The report on the results of a kernel.
pub(crate) fn kernel_results(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ParameterList::KernelResults)
}

/// The report on a parameter that is called `_`.
fn unnamed(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ParameterList::Unnamed)
}

/// The report on an array without a size, where a size is required.
fn open_array(range: Range<usize>, name: &str, reason: SizeReason) -> Diagnostic {
    Diagnostic::new(range, ParameterList::OpenArray { name: named(name), reason })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    fn found(function: &str) -> Vec<String> {
        let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{function}\n{{\nret;\n}}\n");
        messages(&in_module(Code::ParameterList, &text))
    }

    #[test]
    fn parameters_of_kernels() {
        let space = "parameter `n` is in `.reg`: a parameter of a kernel must be in `.param`";
        assert_eq!(found(".entry k(.reg .b32 n)"), [space]);
        let none = "parameter `n` has no state space: a parameter of a kernel must be in `.param`";
        assert_eq!(found(".entry k(.b32 n)"), [none]);
        assert!(found(".entry k(.param .b32 n)").is_empty());
    }

    #[test]
    fn parameters_of_functions() {
        let open = "the array `a` has no size, but other parameters follow";
        assert_eq!(found(".func f(.param .b8 a[], .param .b32 n)"), [open]);
        assert!(found(".func f(.param .b32 n, .param .b8 a[])").is_empty());
        assert_eq!(found(".func f(.param .b32 _)").len(), 1);
    }
}
