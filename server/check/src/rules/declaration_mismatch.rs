//! `declaration-mismatch`: two declarations of one function disagree.

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::module::ModuleSymbol;
use ptx_sema::hir::signature::{Difference, Parameter, Signature, SignatureDifference};
use std::ops::Range;
use std::sync::Arc;

/// A declaration of a function that differs from the first one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DeclarationMismatch {
    /// The name of the function.
    pub name: Box<str>,
    /// The difference.
    pub kind: DeclarationDifference,
}

/// How two declarations of a function differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DeclarationDifference {
    /// The first is `.extern`, but this one has a body.
    DefinesExternal,
    /// The first is `.extern`, but this one is not.
    NoLongerExternal,
    /// One declares a kernel, the other a function. True if this one declares a kernel.
    Kernel(bool),
    /// They have different linking directives.
    Linkage {
        /// The directive of this one.
        now: Box<str>,
        /// The directive of the first, if it has one.
        before: Option<&'static str>,
    },
    /// They have different parameters, results or `.noreturn`.
    Signature(SignatureMismatch),
    /// They differ in `.abi_preserve` or `.abi_preserve_control`.
    Preserved,
}

/// A difference between two signatures.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SignatureMismatch {
    /// The first part in which they differ.
    pub part: SignatureDifference,
    /// The signature to be corrected.
    pub now: Arc<Signature>,
    /// The signature that it must agree with.
    pub before: Arc<Signature>,
}

impl DiagnosticMessage for DeclarationMismatch {
    fn message(&self) -> String {
        let name = &self.name;
        match &self.kind {
            DeclarationDifference::DefinesExternal => {
                format!("`{name}` is defined here, but its declaration says `.extern`")
            }
            DeclarationDifference::NoLongerExternal => {
                format!("`{name}` is `.extern` in its first declaration, but not in this one")
            }
            DeclarationDifference::Kernel(true) => {
                format!("`{name}` is declared as a kernel here, but as a function before")
            }
            DeclarationDifference::Kernel(false) => {
                format!("`{name}` is declared as a function here, but as a kernel before")
            }
            DeclarationDifference::Linkage { now, before: Some(before) } => {
                format!("`{name}` is `{now}` here, but its first declaration has `{before}`")
            }
            DeclarationDifference::Linkage { now, before: None } => {
                format!("`{name}` is `{now}` here, but its first declaration has no linking directive")
            }
            DeclarationDifference::Signature(mismatch) => {
                mismatch.words(&format!("this declaration of `{name}`"), "the first declaration")
            }
            DeclarationDifference::Preserved => {
                format!("the declarations of `{name}` differ in `.abi_preserve` or `.abi_preserve_control`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some(match &self.kind {
            DeclarationDifference::DefinesExternal => {
                "declare it `.visible` there, or without a linking directive".to_owned()
            }
            DeclarationDifference::NoLongerExternal => "write `.extern` in each of them".to_owned(),
            DeclarationDifference::Linkage { now, before: None } => {
                format!("write `{now}` in the first declaration; the others need none")
            }
            DeclarationDifference::Signature(SignatureMismatch { before, .. }) => {
                format!("the first declaration is `{}`", before.declared_as(".func", &self.name))
            }
            DeclarationDifference::Preserved => "the assembler refuses this when it generates code".to_owned(),
            DeclarationDifference::Kernel(_) | DeclarationDifference::Linkage { .. } => return None,
        })
    }
}

impl SignatureMismatch {
    /// The first difference between two signatures, if there is one.
    pub(crate) fn between(now: &Arc<Signature>, before: &Arc<Signature>) -> Option<Self> {
        let part = now.mismatch(before)?;
        Some(Self { part, now: Arc::clone(now), before: Arc::clone(before) })
    }

    /// A sentence about the difference. `this` and `other` are the words for the two declarations.
    pub(crate) fn words(&self, this: &str, other: &str) -> String {
        let (now, before) = (&*self.now, &*self.before);
        let counted = |n: usize, what: &str| match n {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{n} {what}s"),
        };
        let counts = |now: &[Parameter], before: &[Parameter], what: &str| {
            format!("{this} has {}, but {other} has {}", counted(now.len(), what), counted(before.len(), what))
        };
        match self.part {
            SignatureDifference::Results => counts(&now.results, &before.results, "result"),
            SignatureDifference::Parameters => counts(&now.parameters, &before.parameters, "parameter"),
            SignatureDifference::Result(index, difference) => {
                part(("result", index), difference, (&now.results, &before.results), this, other)
            }
            SignatureDifference::Parameter(index, difference) => {
                part(("parameter", index), difference, (&now.parameters, &before.parameters), this, other)
            }
            SignatureDifference::NoReturn => {
                let (with, without) = if now.noreturn { (this, other) } else { (other, this) };
                format!("{with} says `.noreturn`, but {without} does not")
            }
        }
    }
}

fn part(
    (what, index): (&str, usize),
    difference: Difference,
    (now, before): (&[Parameter], &[Parameter]),
    this: &str,
    other: &str,
) -> String {
    let (Some(now), Some(before)) = (now.get(index), before.get(index)) else { return String::new() };
    let place = now.call_it(index, what);
    if difference == Difference::Alignment {
        let align = |p: &Parameter| p.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
        return format!("{place} is aligned to {} bytes in {this}, but to {} in {other}", align(now), align(before));
    }
    format!("{place} is `{now}` in {this}, but `{before}` in {other}")
}

fn report(range: Range<usize>, name: &str, kind: DeclarationDifference, first: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, DeclarationMismatch { name: name.into(), kind })
        .related(first, "the first declaration is here")
}

/// The report on the definition of a function whose first declaration is `.extern`.
pub(crate) fn defines_external(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    report(range, name, DeclarationDifference::DefinesExternal, first)
}

/// The report on a later declaration without the `.extern` of the first.
pub(crate) fn no_longer_external(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    report(range, name, DeclarationDifference::NoLongerExternal, first)
}

/// The report on a function that is a kernel in only one of its declarations; `kernel` if in this one.
pub(crate) fn kind(range: Range<usize>, name: &str, kernel: bool, first: Range<usize>) -> Diagnostic {
    report(range, name, DeclarationDifference::Kernel(kernel), first)
}

/// The report on a linking directive that differs from the first declaration's.
pub(crate) fn linkage(range: Range<usize>, name: &str, linkage: &str, first: &ModuleSymbol) -> Diagnostic {
    let before = first.linkage;
    let fix = before.map(|before| Fix::replace(format!("Change `{linkage}` to `{before}`"), range.clone(), before));
    report(range, name, DeclarationDifference::Linkage { now: linkage.into(), before }, first.place.clone()).fixes(fix)
}

/// The report on a signature that differs from the first declaration's.
pub(crate) fn signature(
    range: Range<usize>,
    name: &str,
    mismatch: SignatureMismatch,
    first: Range<usize>,
) -> Diagnostic {
    report(range, name, DeclarationDifference::Signature(mismatch), first)
}

/// The report on a different number of preserved registers. Only the code generator of the assembler refuses this, so it is a warning.
pub(crate) fn preserved(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    report(range, name, DeclarationDifference::Preserved, first).severity(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, mended, messages};

    fn module(declarations: &str) -> String {
        format!(".version 8.5\n.target sm_90\n.address_size 64\n{declarations}\n")
    }

    fn of(declarations: &str) -> Vec<String> {
        messages(&in_module(Code::DeclarationMismatch, &module(declarations)))
    }

    #[test]
    fn signatures_agree() {
        assert!(of(".func f(.param .b32 a);\n.func f(.param .b32 other);").is_empty());
        assert_eq!(
            of(".func f(.param .b32 a);\n.func f(.param .b64 a);"),
            [
                "parameter `a` is `.param .b64 a` in this declaration of `f`, but `.param .b32 a` in the first declaration"
            ]
        );
        assert_eq!(
            of(".func f(.param .b32 a);\n.func f();"),
            ["this declaration of `f` has no parameters, but the first declaration has 1 parameter"]
        );
        assert_eq!(of(".func f();\n.entry f();"), ["`f` is declared as a kernel here, but as a function before"]);
    }

    #[test]
    fn linking_directives_agree() {
        let wrong = ".weak .func f();\n.visible .func f();";
        assert_eq!(of(wrong), ["`f` is `.visible` here, but its first declaration has `.weak`"]);
        let mended = mended(Code::DeclarationMismatch, &module(wrong));
        assert!(mended.contains(".weak .func f();\n.weak .func f();"));
        assert_eq!(
            of(".extern .func f();\n.func f()\n{\nret;\n}"),
            ["`f` is defined here, but its declaration says `.extern`"]
        );
    }
}
