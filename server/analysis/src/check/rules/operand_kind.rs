//! `operand-kind`: an operand of the wrong kind: an immediate for a register, a list for a single value, and the like.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Edit, Fix};
use crate::forms::operands::{Mismatch, What};
use crate::forms::spec::Spec;
use ptx_isa::tables::Access;
use std::ops::Range;

const CODE: Code = Code::OperandKind;

/// The report on those mismatches that have no code of their own.
pub fn report(mismatch: &Mismatch, head: &str) -> Diagnostic {
    let spec = mismatch.spec.as_ref();
    let name = spec.map_or("this operand", |s| s.value.name);
    let of = format!("`{name}` of `{head}`");
    let (message, help) = match &mismatch.what {
        What::SpecialRegister if spec.is_some_and(|s| s.value.access != Access::Read) => {
            (format!("{of} is the result, and a special register cannot be written"), None)
        }
        What::SpecialRegister => {
            (format!("`{head}` cannot read a special register"), Some("copy it into a register with `mov` first"))
        }
        What::SpecialVector(register) => {
            (format!("`{}` is a vector: name one of its components", register.name), Some("for instance `.x`"))
        }
        What::WrongSymbol(symbol, kind) => {
            (format!("`{symbol}` is {}, but {of} must be {}", kind.describe(), wanted(spec)), None)
        }
        What::Immediate if spec.is_some_and(|s| s.value.access != Access::Read) => {
            (format!("{of} is the result: it must be a register"), None)
        }
        What::Immediate => {
            (format!("{of} must be a register"), Some("load the number into a register with `mov` first"))
        }
        What::NotImmediate => (format!("{of} must be a constant"), None),
        What::Sink => (format!("`_` cannot stand for {of}"), Some("use a register that is not read afterwards")),
        What::MustBeSink => (format!("this operand of `{head}` must be `_`"), None),
        What::Negation => (format!("{of} cannot be negated with `!`"), None),
        What::Minus => (format!("{of} cannot be negated"), Some("negate it with `neg` first")),
        What::UnexpectedVector => (format!("{of} must be a single {}, not a list", noun(spec)), None),
        What::Selector(selector) => (
            format!("{of} takes no selector `.{selector}`"),
            Some("only vector registers have components, and only some instructions select bytes or half-words"),
        ),
        What::Component(component) => (format!("`.{component}` is not a component of this vector"), None),
        What::MustBeAddress => (format!("{of} must be an address in brackets"), Some("write `[…]` around it")),
        What::UnexpectedAddress => {
            (format!("{of} must be {}, not memory", wanted(spec)), Some("load the value with `ld` first"))
        }
        What::UnexpectedPair => (format!("{of} must be a single operand: `{head}` has no second result"), None),
        What::MustBePair => (format!("{of} must be a pair such as `%r1|%p1`"), None),
        What::AddressRegister(register, ty) => (
            format!("`{register}` is `{}` and cannot hold an address", ty.name()),
            Some("an address is in an integer or untyped register of at most 64 bits"),
        ),
        What::MixedVector => (
            format!("the elements of {of} have no type in common"),
            Some("use registers of one type, or untyped ones (`.b32`)"),
        ),
        What::OnlyHoles => (format!("{of} is nothing but `_`: at least one element must be a register"), None),
        What::NotOpaque(found, class) => (
            format!(
                "`{found}` is no `.{class}`: {of} must be a `.{class}` variable or a 64-bit register with its handle"
            ),
            None,
        ),
        What::Handle(name) => (
            format!("`{name}` is a texture, sampler or surface: its handle is a `.u64`"),
            Some("write `.u64` for the type of this instruction"),
        ),
        What::OnlyLiterals => (
            format!("{of} is a list of constants alone: at least one element must be a register"),
            Some("move one of them into a register first"),
        ),
        What::Parts(found, names) => (
            format!("the brackets of {of} hold {}, not {found}", parts(names)),
            Some("the parts stand in one pair of brackets, with commas between them"),
        ),
        What::PartOfAddress => (
            format!("{of} must be a name: brackets with several parts hold no sums and no numbers"),
            Some("put the sum into a register with `add` first"),
        ),
        What::OffsetNotConstant => {
            ("only a constant can be added to an address here".to_owned(), Some("add registers with `add` first"))
        }
        What::ImmediateAddress => (
            "a constant address is allowed only in `.local` memory".to_owned(),
            Some("move the address into a register first"),
        ),
        What::MustBe(what) => (format!("{of} must be {what}"), None),
        _ => (format!("{of} must be {}", wanted(spec)), None),
    };
    let diagnostic = Diagnostic::error(CODE, mismatch.range.clone(), message);
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// The report on two operands that are the wrong way round: of each its range, its text, and the name of its place.
pub fn exchanged(first: (Range<usize>, &str, String), second: (Range<usize>, &str, String), head: &str) -> Diagnostic {
    let ((place, one, name), (other_place, other, other_name)) = (first, second);
    let message =
        format!("`{one}` and `{other}` are the wrong way round: `{head}` takes `{name}` before `{other_name}`");
    let title = format!("Exchange `{one}` and `{other}`");
    let edits =
        vec![Edit::Replace(place.clone(), other.to_owned()), Edit::Replace(other_place.clone(), one.to_owned())];
    Diagnostic::error(CODE, place, message).related(other_place, "the other is here").fix(Fix {
        title,
        edits,
        preferred: true,
    })
}

/// `2 parts: texture, coordinates`.
fn parts(names: &[&str]) -> String {
    match names {
        [one] => format!("one part, `{one}`"),
        _ => format!("{} parts, `{}`", names.len(), names.join("`, `")),
    }
}

fn noun(spec: Option<&Spec>) -> &'static str {
    match spec {
        Some(s) if s.value.access != Access::Read || s.value.register_only => "register",
        Some(s) if s.value.immediate_only => "constant",
        _ => "register or constant",
    }
}

fn wanted(spec: Option<&Spec>) -> String {
    let ty = spec.and_then(|s| s.ty).map_or(String::new(), |t| format!(" of type `{}`", t.name()));
    format!("a {}{ty}", noun(spec))
}
