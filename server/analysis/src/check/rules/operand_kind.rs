//! `operand-kind`: an operand of the wrong kind: an immediate for a register, a list for a single value, and the like.

use crate::check::codes::{Finding, Words};
use crate::check::diagnostic::{Diagnostic, Edit, Fix};
use crate::forms::operands::{Mismatch, What};
use crate::forms::spec::{ExpectedOperand, Spec};
use std::ops::Range;

/// An operand of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// One operand does not fit.
    Mismatch {
        /// The opcode with its modifiers, as written.
        head: Box<str>,
        /// What must be there.
        expected: Option<ExpectedOperand>,
        /// What is wrong.
        what: Box<What>,
    },
    /// Two operands are the wrong way round.
    Exchanged {
        /// The opcode with its modifiers, as written.
        head: Box<str>,
        /// The two operands as written.
        operands: Box<[Box<str>; 2]>,
        /// The names of their places in the form, in the same order.
        names: Box<[Box<str>; 2]>,
    },
}

impl Words for OperandKind {
    fn message(&self) -> String {
        match self {
            Self::Mismatch { head, expected, what } => mismatch(head, expected.as_ref(), what),
            Self::Exchanged { head, operands, names } => {
                let ([one, other], [name, other_name]) = (&**operands, &**names);
                format!("`{one}` and `{other}` are the wrong way round: `{head}` takes `{name}` before `{other_name}`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let Self::Mismatch { expected, what, .. } = self else { return None };
        let written = expected.is_some_and(|e| e.written);
        let help = match &**what {
            What::SpecialRegister if !written => "copy it into a register with `mov` first",
            What::SpecialVector { .. } => "for instance `.x`",
            What::Immediate if !written => "load the number into a register with `mov` first",
            What::Sink => "use a register that is not read afterwards",
            What::Minus => "negate it with `neg` first",
            What::Selector(_) => {
                "only vector registers have components, and only some instructions select bytes or half-words"
            }
            What::MustBeAddress => "write `[…]` around it",
            What::UnexpectedAddress => "load the value with `ld` first",
            What::AddressRegister(..) => "an address is in an integer or untyped register of at most 64 bits",
            What::MixedVector => "use registers of one type, or untyped ones (`.b32`)",
            What::Handle(_) => "write `.u64` for the type of this instruction",
            What::OnlyLiterals => "move one of them into a register first",
            What::Parts(..) => "the parts stand in one pair of brackets, with commas between them",
            What::PartOfAddress => "put the sum into a register with `add` first",
            What::OffsetNotConstant => "add registers with `add` first",
            What::ImmediateAddress => "move the address into a register first",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// What is wrong with one operand, in words.
fn mismatch(head: &str, expected: Option<&ExpectedOperand>, what: &What) -> String {
    let name = expected.map_or("this operand", |e| e.name);
    let written = expected.is_some_and(|e| e.written);
    let of = format!("`{name}` of `{head}`");
    match what {
        What::SpecialRegister if written => {
            format!("{of} is the result, and a special register cannot be written")
        }
        What::SpecialRegister => format!("`{head}` cannot read a special register"),
        What::SpecialVector { name, .. } => format!("`{name}` is a vector: name one of its components"),
        What::WrongSymbol(symbol, kind) => {
            format!("`{symbol}` is {}, but {of} must be {}", kind.describe(), kind_of(expected))
        }
        What::Immediate if written => format!("{of} is the result: it must be a register"),
        What::Immediate => format!("{of} must be a register"),
        What::NotImmediate => format!("{of} must be a constant"),
        What::Sink => format!("`_` cannot stand for {of}"),
        What::MustBeSink => format!("this operand of `{head}` must be `_`"),
        What::Negation => format!("{of} cannot be negated with `!`"),
        What::Minus => format!("{of} cannot be negated"),
        What::UnexpectedVector => format!("{of} must be a single {}, not a list", noun(expected)),
        What::Selector(selector) => format!("{of} takes no selector `.{selector}`"),
        What::Component(component) => format!("`.{component}` is not a component of this vector"),
        What::MustBeAddress => format!("{of} must be an address in brackets"),
        What::UnexpectedAddress => format!("{of} must be {}, not memory", kind_of(expected)),
        What::UnexpectedPair => format!("{of} must be a single operand: `{head}` has no second result"),
        What::MustBePair => format!("{of} must be a pair such as `%r1|%p1`"),
        What::AddressRegister(register, ty) => format!("`{register}` is `{}` and cannot hold an address", ty.name()),
        What::MixedVector => format!("the elements of {of} have no type in common"),
        What::OnlyHoles => format!("{of} is nothing but `_`: at least one element must be a register"),
        What::NotOpaque(found, class) => format!(
            "`{found}` is no `.{class}`: {of} must be a `.{class}` variable or a 64-bit register with its handle"
        ),
        What::Handle(name) => format!("`{name}` is a texture, sampler or surface: its handle is a `.u64`"),
        What::OnlyLiterals => format!("{of} is a list of constants alone: at least one element must be a register"),
        What::Parts(actual, names) => format!("the brackets of {of} hold {}, not {actual}", parts(names)),
        What::PartOfAddress => {
            format!("{of} must be a name: brackets with several parts hold no sums and no numbers")
        }
        What::OffsetNotConstant => "only a constant can be added to an address here".to_owned(),
        What::ImmediateAddress => "a constant address is allowed only in `.local` memory".to_owned(),
        What::MustBe(what) => format!("{of} must be {what}"),
        _ => format!("{of} must be {}", kind_of(expected)),
    }
}

/// The report on those mismatches that have no code of their own.
pub fn report(mismatch: &Mismatch, head: &str) -> Diagnostic {
    let expected = mismatch.spec.as_ref().map(Spec::expected);
    let found = OperandKind::Mismatch { head: head.into(), expected, what: Box::new(mismatch.what.clone()) };
    Diagnostic::new(mismatch.range.clone(), found)
}

/// The report on two operands that are the wrong way round: of each its range, its text, and the name of its place.
pub fn exchanged(first: (Range<usize>, &str, String), second: (Range<usize>, &str, String), head: &str) -> Diagnostic {
    let ((place, one, name), (other_place, other, other_name)) = (first, second);
    let title = format!("Exchange `{one}` and `{other}`");
    let edits =
        vec![Edit::Replace(place.clone(), other.to_owned()), Edit::Replace(other_place.clone(), one.to_owned())];
    let found = OperandKind::Exchanged {
        head: head.into(),
        operands: Box::new([one.into(), other.into()]),
        names: Box::new([name.into(), other_name.into()]),
    };
    Diagnostic::new(place, found).related(other_place, "the other is here").fix(Fix { title, edits, preferred: true })
}

/// Whether a finding is that the handle of a texture, sampler or surface is taken for another type than `.u64`.
pub fn is_handle_of_wrong_type(finding: &Finding) -> bool {
    let Finding::OperandKind(found) = finding else { return false };
    matches!(&**found, OperandKind::Mismatch { what, .. } if matches!(**what, What::Handle(_)))
}

/// `2 parts: texture, coordinates`.
fn parts(names: &[&str]) -> String {
    match names {
        [one] => format!("one part, `{one}`"),
        _ => format!("{} parts, `{}`", names.len(), names.join("`, `")),
    }
}

fn noun(expected: Option<&ExpectedOperand>) -> &'static str {
    match expected {
        Some(e) if e.written || e.register_only => "register",
        Some(e) if e.immediate_only => "constant",
        _ => "register or constant",
    }
}

/// `a register of type .u32`.
fn kind_of(expected: Option<&ExpectedOperand>) -> String {
    let ty = expected.and_then(|e| e.ty).map_or(String::new(), |t| format!(" of type `{}`", t.name()));
    format!("a {}{ty}", noun(expected))
}

#[cfg(test)]
mod tests {
    use super::is_handle_of_wrong_type;
    use crate::Code;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn operands_of_the_wrong_kind() {
        let found = |body: &str| messages(&in_kernel(Code::OperandKind, body));
        assert_eq!(found("add.u32 %r1, %r2, %tid.x;"), ["`add.u32` cannot read a special register"]);
        assert_eq!(found("add.u32 4, %r2, %r3;"), ["`d` of `add.u32` is the result: it must be a register"]);
        let label = "`l` is a label, but `a` of `add.u32` must be a register or constant of type `.u32`";
        assert_eq!(found("l: add.u32 %r1, l, %r3;"), [label]);
        assert_eq!(found("ld.global.b32 %r1, %rd1;"), ["`a` of `ld.global.b32` must be an address in brackets"]);
        assert!(found("mov.u32 %r1, %tid.x; add.u32 %r1, %r2, 4; ld.global.b32 %r1, [%rd1];").is_empty());
    }

    #[test]
    fn operands_the_wrong_way_round() {
        let text = format!("{HEADER}.entry k() {{ .reg .b32 %r1; .reg .b64 %rd1; st.global.b32 %r1, [%rd1]; ret; }}\n");
        let message = "`%r1` and `[%rd1]` are the wrong way round: `st.global.b32` takes `[a]` before `b`";
        assert_eq!(messages(&in_module(Code::OperandKind, &text)), [message]);
        assert_eq!(mended(Code::OperandKind, &text), text.replace("%r1, [%rd1]", "[%rd1], %r1"));
    }

    #[test]
    fn handles_have_a_type() {
        let found = |ty: &str| {
            let body =
                format!(".reg .b64 %rd1; .reg .b32 %r1; mov.{ty} %r{}, t; ret;", if ty == "u64" { "d1" } else { "1" });
            in_module(Code::OperandKind, &format!("{HEADER}.global .texref t;\n.entry k() {{ {body} }}\n"))
        };
        let wrong = found("u32");
        assert_eq!(messages(&wrong), ["`t` is a texture, sampler or surface: its handle is a `.u64`"]);
        assert!(wrong.iter().all(|d| is_handle_of_wrong_type(&d.finding)));
        assert!(found("u64").is_empty());
    }
}
