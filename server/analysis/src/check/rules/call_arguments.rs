//! `call-arguments`: a call does not fit what it calls.

use crate::check::calls::{Given, Why};
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::{Operand, OperandKind};
use crate::hir::signature::{Array, Callee, Parameter, Signature};
use crate::hir::symbols::{Origin, Variable};
use crate::hir::types::TypeId;
use std::ops::Range;

const CODE: Code = Code::CallArguments;

/// What is called, for the words of a report.
#[derive(Debug, Clone, Copy)]
pub struct Said<'c> {
    /// The function or prototype.
    pub callee: &'c Callee,
    /// What it takes and returns.
    pub signature: &'c Signature,
}

/// Which argument or result a report speaks of.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where it stands in the call.
    pub range: Range<usize>,
    /// Its number, from zero.
    pub index: usize,
    /// A result and no argument.
    pub result: bool,
}

impl Said<'_> {
    fn report(self, range: Range<usize>, message: String) -> Diagnostic {
        let kind = if self.callee.prototype { ".callprototype" } else { ".func" };
        let name = if self.callee.prototype { "_" } else { &self.callee.name };
        let declared = self.signature.declared_as(kind, name);
        let diagnostic = Diagnostic::error(CODE, range, message).with_help(format!("it is declared as `{declared}`"));
        if self.callee.prototype { diagnostic } else { diagnostic.declared_at(&self.callee.name) }
    }

    /// The report on the wrong number of results. `listed`: there is a list, perhaps an empty one.
    pub fn results(self, range: Range<usize>, found: usize, listed: bool) -> Diagnostic {
        let name = &self.callee.name;
        let wanted = self.signature.results.len();
        let takes = match found {
            0 => "the call takes none".to_owned(),
            1 => "the call takes one".to_owned(),
            _ => format!("the call takes {found}"),
        };
        let message = match wanted {
            0 => format!("`{name}` returns nothing, but {takes}"),
            1 => format!("`{name}` returns a value, but {takes}"),
            _ => format!("`{name}` returns {wanted} values, but {takes}"),
        };
        let start = range.start;
        let diagnostic = self.report(range, message);
        if found > 0 || listed {
            return diagnostic;
        }
        let holes = format!("({}), ", vec!["_"; wanted].join(", "));
        diagnostic.fix(Fix::replace("Drop what it returns", start..start, holes))
    }

    /// The report on the wrong number of arguments.
    pub fn count(self, range: Range<usize>, found: usize, listed: bool) -> Diagnostic {
        let wanted = self.signature.parameters.len();
        if self.signature.variadic() && !listed && wanted == 1 {
            let message = format!(
                "`{}` takes any number of bytes, but the call has no list of arguments, not even an empty one",
                self.callee.name
            );
            let end = range.end;
            return self.report(range, message).fix(Fix::replace("Add an empty list", end..end, ", ()"));
        }
        let counted = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        let wanted = if self.signature.variadic() {
            format!("{} or {}", wanted - 1, counted(wanted))
        } else if wanted == 0 {
            "no arguments".to_owned()
        } else {
            counted(wanted)
        };
        let found = if found == 0 { "none".to_owned() } else { found.to_string() };
        self.report(range, format!("`{}` takes {wanted}, not {found}", self.callee.name))
    }

    /// The report on an argument or result that does not fit.
    pub fn argument(
        self,
        place: Place,
        value: &Operand<'_>,
        given: Given,
        parameter: &Parameter,
        why: Why,
    ) -> Diagnostic {
        let what = if place.result { "result" } else { "parameter" };
        let of = format!("{} of `{}`", parameter.call_it(place.index, what), self.callee.name);
        let found = match &value.kind {
            OperandKind::Name(name) => format!("`{name}` is {}", described(given)),
            OperandKind::Sink => "`_` gives no value".to_owned(),
            _ => format!("this is {}", described(given)),
        };
        let wanted = wanted(parameter);
        match why {
            Why::Sink => self.report(place.range, format!("{found}, but {of} is {wanted}")),
            Why::Kind => {
                let takes = if place.result {
                    "a result goes into a register, or into a `.param` variable of this body"
                } else {
                    "an argument is a register, a constant, or a `.param` variable of this body"
                };
                self.report(place.range, format!("{found}, but {takes}"))
            }
            Why::Formal => {
                let takes = if place.result { "receive a result" } else { "be passed on" };
                let message = format!("{found}, which cannot {takes} itself");
                let help = if place.result {
                    "take the result into a register, and store that with `st.param`"
                } else {
                    "load it with `ld.param` first, and pass the register or a `.param` variable of this body"
                };
                Diagnostic::error(CODE, place.range, message).with_help(help)
            }
            Why::Array | Why::Size | Why::Class => self.report(place.range, format!("{found}, but {of} is {wanted}")),
            Why::Alignment(align) => {
                let aligned = parameter.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
                let message = match &value.kind {
                    OperandKind::Name(name) => {
                        format!("`{name}` is aligned to {align} bytes, but {of} to {aligned}: they must be equal")
                    }
                    _ => format!("this is aligned to {align} bytes, but {of} to {aligned}"),
                };
                self.report(place.range, message)
            }
        }
    }
}

/// The report on a constant that receives a result, at which only the code generator objects.
pub fn constant_result(range: Range<usize>) -> Diagnostic {
    Diagnostic::warning(CODE, range, "a constant cannot receive a result")
        .with_help("the assembler takes it, but cannot generate code for it; `_` drops a result")
}

/// What a parameter wants, in words.
fn wanted(parameter: &Parameter) -> String {
    let ty = parameter.ty.map_or("?", TypeId::name);
    let element = if parameter.elements > 1 { format!(".v{} {ty}", parameter.elements) } else { ty.to_owned() };
    match parameter.array {
        Array::No => format!("`{element}`"),
        Array::Open => format!("an array of `{element}`"),
        _ => match parameter.bytes() {
            Some(bytes) => format!("an array of {bytes} bytes (`{element}`)"),
            None => format!("an array of `{element}`"),
        },
    }
}

/// What was given, in words.
fn described(given: Given) -> String {
    match given {
        Given::Register(ty, 1) => format!("a `{}` register", ty.name()),
        Given::Register(ty, elements) => format!("a vector register of {elements} × `{}`", ty.name()),
        Given::Variable(variable) => variable_words(variable),
        Given::Integer => "an integer".to_owned(),
        Given::Single | Given::Double => "a floating-point number".to_owned(),
        Given::Sink => "nothing".to_owned(),
        Given::Special => "a special register".to_owned(),
        Given::Other(symbol) => symbol.describe(),
        Given::Expression => "an expression".to_owned(),
    }
}

fn variable_words(variable: Variable) -> String {
    match (variable.space, variable.origin) {
        (".param", Origin::KernelParameter) => return "a parameter of this kernel".to_owned(),
        (".param", Origin::Parameter) => return "a parameter of this function".to_owned(),
        (".param", Origin::Result) => return "the result of this function".to_owned(),
        (".param", _) => {}
        (space, _) => return format!("a `{space}` variable"),
    }
    let ty = variable.ty.map_or("?", TypeId::name);
    match variable.bytes {
        Some(bytes) if variable.array => format!("an array of {bytes} bytes (`{ty}`)"),
        _ if variable.array => format!("an array of `{ty}`"),
        _ => format!("a `.param` variable of type `{ty}`"),
    }
}
