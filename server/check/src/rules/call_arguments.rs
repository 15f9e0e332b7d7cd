//! `call-arguments`: the arguments or results of a call do not fit the signature of its callee.

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::{Operand, OperandKind};
use ptx_sema::hir::signature::{Array, Callee, Parameter, Signature};
use ptx_sema::hir::symbols::{Symbol, VariableOrigin, VariableSymbol};
use ptx_sema::hir::types::TypeId;
use std::ops::Range;
use std::sync::Arc;

/// How a call differs from the signature of its callee.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CallArguments {
    /// The call has a wrong number of results.
    Results {
        /// The callee.
        callee: CalledSignature,
        /// The number of results in the call.
        found: usize,
    },
    /// The call has a wrong number of arguments.
    Count {
        /// The callee.
        callee: CalledSignature,
        /// The number of arguments in the call.
        found: usize,
    },
    /// The only parameter takes any number of bytes, and the call has no list of arguments.
    NoList {
        /// The callee.
        callee: CalledSignature,
    },
    /// An argument or a result does not fit its parameter.
    Misfit {
        /// The callee.
        callee: CalledSignature,
        /// The index of the argument or result.
        index: usize,
        /// Whether it is a result, not an argument.
        result: bool,
        /// How it is written in the call.
        spelling: ArgumentSpelling,
        /// The kind and type of the operand.
        given: PassedValue,
        /// Why it does not fit.
        why: Why,
    },
    /// A constant receives a result.
    ConstantResult,
}

/// The operand that a call passes for a parameter or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PassedValue {
    /// A register: its type and the number of vector elements (1 for a scalar).
    Register(TypeId, u8),
    /// A variable.
    Variable(VariableSymbol),
    /// An integer constant.
    Integer,
    /// A single-precision constant such as `0f3F800000`.
    Single,
    /// Any other floating-point constant.
    Double,
    /// `_`.
    Sink,
    /// A special register.
    Special,
    /// A name of a kind that no call takes, such as a label or a function.
    Other(Symbol),
    /// An operand that is neither a name nor a constant, such as a sum. No call takes it.
    Expression,
}

/// Why an argument does not fit its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Why {
    /// No call takes such an operand: a variable outside `.param`, a label, a sum.
    Kind,
    /// A parameter or result of the calling function.
    Formal,
    /// `_` is only allowed for a result.
    Sink,
    /// An array instead of a single value, or the reverse.
    Array,
    /// The sizes in bytes differ.
    Size,
    /// The classes of the types disagree, for example floating-point and integer.
    Class,
    /// The alignments differ; this is the argument's, in bytes.
    Alignment(u32),
}

/// The function or prototype that a call reaches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CalledSignature {
    /// The name of the function, or the label of the prototype.
    pub name: Box<str>,
    /// Whether it is a prototype, not a function.
    pub prototype: bool,
    /// Its parameters and results.
    pub signature: Arc<Signature>,
}

/// How an argument or result is written in a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ArgumentSpelling {
    /// This name.
    Name(Box<str>),
    /// `_`.
    Sink,
    /// Any other operand.
    Other,
}

impl CalledSignature {
    /// The results (`result`) or else the parameters of the callee.
    fn list(&self, result: bool) -> &[Parameter] {
        if result { &self.signature.results } else { &self.signature.parameters }
    }

    fn declaration(&self) -> String {
        let (kind, name) = if self.prototype { (".callprototype", "_") } else { (".func", &*self.name) };
        format!("it is declared as `{}`", self.signature.declared_as(kind, name))
    }
}

impl DiagnosticMessage for CallArguments {
    fn message(&self) -> String {
        match self {
            Self::Results { callee, found } => wrong_results(callee, *found),
            Self::Count { callee, found } => wrong_count(callee, *found),
            Self::NoList { callee } => format!(
                "`{}` takes any number of bytes, but the call has no list of arguments, not even an empty one",
                callee.name
            ),
            Self::Misfit { callee, index, result, spelling, given, why } => {
                misfit(callee, (*index, *result), spelling, *given, *why)
            }
            Self::ConstantResult => "a constant cannot receive a result".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Misfit { why: Why::Formal, result: true, .. } => {
                "receive the result in a register, and store that with `st.param`".to_owned()
            }
            Self::Misfit { why: Why::Formal, .. } => {
                "load it with `ld.param` first, and pass the register or a `.param` variable of this body".to_owned()
            }
            Self::Results { callee, .. }
            | Self::Count { callee, .. }
            | Self::NoList { callee }
            | Self::Misfit { callee, .. } => callee.declaration(),
            Self::ConstantResult => {
                "the assembler accepts it, but cannot generate code for it; `_` discards a result".to_owned()
            }
        })
    }
}

fn wrong_results(callee: &CalledSignature, found: usize) -> String {
    let name = &callee.name;
    let takes = match found {
        0 => "the call takes none".to_owned(),
        1 => "the call takes one".to_owned(),
        _ => format!("the call takes {found}"),
    };
    match callee.signature.results.len() {
        0 => format!("`{name}` returns nothing, but {takes}"),
        1 => format!("`{name}` returns a value, but {takes}"),
        expected => format!("`{name}` returns {expected} values, but {takes}"),
    }
}

fn wrong_count(callee: &CalledSignature, found: usize) -> String {
    let counted = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
    let expected = match callee.signature.parameters.len() {
        expected if callee.signature.variadic() => format!("{} or {}", expected - 1, counted(expected)),
        0 => "no arguments".to_owned(),
        expected => counted(expected),
    };
    let given = match found {
        0 => "none is given".to_owned(),
        1 => "1 is given".to_owned(),
        _ => format!("{found} are given"),
    };
    format!("`{}` takes {expected}; {given}", callee.name)
}

fn misfit(
    callee: &CalledSignature,
    (index, result): (usize, bool),
    spelling: &ArgumentSpelling,
    given: PassedValue,
    why: Why,
) -> String {
    let Some(parameter) = callee.list(result).get(index) else { return String::new() };
    let what = if result { "result" } else { "parameter" };
    let of = format!("{} of `{}`", parameter.call_it(index, what), callee.name);
    let found = match spelling {
        ArgumentSpelling::Name(name) => format!("`{name}` is {}", described(given)),
        ArgumentSpelling::Sink => "`_` has no value".to_owned(),
        ArgumentSpelling::Other => format!("this is {}", described(given)),
    };
    match why {
        Why::Kind if result => {
            format!("{found}, but a result goes into a register, or into a `.param` variable of this body")
        }
        Why::Kind => {
            format!("{found}, but an argument is a register, a constant, or a `.param` variable of this body")
        }
        Why::Formal if result => format!("{found}, which cannot itself receive a result"),
        Why::Formal => format!("{found}, which cannot itself be passed on"),
        Why::Sink | Why::Array | Why::Size | Why::Class => format!("{found}, but {of} is {}", expected_type(parameter)),
        Why::Alignment(align) => {
            let aligned = parameter.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
            match spelling {
                ArgumentSpelling::Name(name) => {
                    format!("`{name}` is aligned to {align} bytes, but {of} to {aligned}: they must be equal")
                }
                _ => format!("this is aligned to {align} bytes, but {of} to {aligned}"),
            }
        }
    }
}

/// The type of a parameter, for messages.
fn expected_type(parameter: &Parameter) -> String {
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

/// The kind and type of an argument, for messages.
fn described(given: PassedValue) -> String {
    match given {
        PassedValue::Register(ty, 1) => format!("a `{}` register", ty.name()),
        PassedValue::Register(ty, elements) => format!("a vector register of {elements} × `{}`", ty.name()),
        PassedValue::Variable(variable) => variable_words(variable),
        PassedValue::Integer => "an integer".to_owned(),
        PassedValue::Single | PassedValue::Double => "a floating-point number".to_owned(),
        PassedValue::Sink => "nothing".to_owned(),
        PassedValue::Special => "a special register".to_owned(),
        PassedValue::Other(symbol) => symbol.describe(),
        PassedValue::Expression => "an expression".to_owned(),
    }
}

fn variable_words(variable: VariableSymbol) -> String {
    match (variable.space, variable.origin) {
        (".param", VariableOrigin::KernelParameter) => return "a parameter of this kernel".to_owned(),
        (".param", VariableOrigin::Parameter) => return "a parameter of this function".to_owned(),
        (".param", VariableOrigin::Result) => return "the result of this function".to_owned(),
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

/// Makes the reports on a call of one callee.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reporter<'c> {
    /// The function or prototype.
    pub callee: &'c Callee,
    /// Its parameters and results.
    pub signature: &'c Arc<Signature>,
}

/// The argument or result that a report concerns.
#[derive(Debug, Clone)]
pub(crate) struct ArgumentPosition {
    /// Its byte range in the call.
    pub range: Range<usize>,
    /// Its index in the list.
    pub index: usize,
    /// Whether it is a result, not an argument.
    pub result: bool,
}

impl Reporter<'_> {
    fn called(self) -> CalledSignature {
        let Callee { name, prototype, .. } = self.callee;
        CalledSignature { name: name.clone(), prototype: *prototype, signature: Arc::clone(self.signature) }
    }

    fn report(self, range: Range<usize>, found: CallArguments) -> Diagnostic {
        let diagnostic = Diagnostic::new(range, found);
        if self.callee.prototype { diagnostic } else { diagnostic.declared_at(&self.callee.name) }
    }

    /// The report on a wrong number of results. `listed` if the call has a list of results, even an empty one.
    pub(crate) fn results(self, range: Range<usize>, found: usize, listed: bool) -> Diagnostic {
        let start = range.start;
        let diagnostic = self.report(range, CallArguments::Results { callee: self.called(), found });
        if found > 0 || listed {
            return diagnostic;
        }
        let holes = format!("({}), ", vec!["_"; self.signature.results.len()].join(", "));
        diagnostic.fix(Fix::replace("Discard the result", start..start, holes))
    }

    /// The report on a wrong number of arguments. `listed` if the call has a list of arguments, even an empty one.
    pub(crate) fn count(self, range: Range<usize>, found: usize, listed: bool) -> Diagnostic {
        let callee = self.called();
        if self.signature.variadic() && !listed && self.signature.parameters.len() == 1 {
            let end = range.end;
            let fix = Fix::replace("Add an empty list", end..end, ", ()");
            return self.report(range, CallArguments::NoList { callee }).fix(fix);
        }
        self.report(range, CallArguments::Count { callee, found })
    }

    /// The report on an argument or result that does not fit.
    pub(crate) fn argument(
        self,
        argument: ArgumentPosition,
        value: &Operand<'_>,
        given: PassedValue,
        why: Why,
    ) -> Diagnostic {
        let spelling = match &value.kind {
            OperandKind::Name(name) => ArgumentSpelling::Name((*name).into()),
            OperandKind::Sink => ArgumentSpelling::Sink,
            _ => ArgumentSpelling::Other,
        };
        let ArgumentPosition { range, index, result } = argument;
        let found = CallArguments::Misfit { callee: self.called(), index, result, spelling, given, why };
        // The caller's own parameter is at fault, so the declaration of the callee is no help.
        if why == Why::Formal { Diagnostic::new(range, found) } else { self.report(range, found) }
    }
}

/// The report on a constant that receives a result. Only the code generator of the assembler refuses this, so it is a warning.
pub(crate) fn constant_result(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, CallArguments::ConstantResult).severity(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, mended, messages};

    fn module(call: &str) -> String {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.func (.param .b32 r) f(.param .b32 a);\n\
             .entry k()\n{{\n.reg .b32 %r<4>;\n.reg .f64 %fd<4>;\n{call}\nret;\n}}\n"
        )
    }

    fn of(call: &str) -> Vec<String> {
        messages(&in_module(Code::CallArguments, &module(call)))
    }

    #[test]
    fn arguments_fit_the_parameters() {
        assert!(of("call (%r1), f, (%r2);").is_empty());
        assert_eq!(of("call (%r1), f, (%r2, %r3);"), ["`f` takes 1 argument; 2 are given"]);
        assert_eq!(of("call (%r1), f, (%fd1);"), ["`%fd1` is a `.f64` register, but parameter `a` of `f` is `.b32`"]);
        assert_eq!(of("call (%r1), f, (_);"), ["`_` has no value, but parameter `a` of `f` is `.b32`"]);
    }

    #[test]
    fn results_can_be_dropped() {
        let module = module("call f, (%r2);");
        let found = in_module(Code::CallArguments, &module);
        assert_eq!(messages(&found), ["`f` returns a value, but the call takes none"]);
        let help = "it is declared as `.func (.param .b32 r) f (.param .b32 a)`";
        assert_eq!(found[0].help().as_deref(), Some(help));
        let mended = mended(Code::CallArguments, &module);
        assert!(mended.contains("call (_), f, (%r2);") && in_module(Code::CallArguments, &mended).is_empty());
    }
}
