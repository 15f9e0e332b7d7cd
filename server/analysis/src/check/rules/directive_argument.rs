//! `directive-argument`: what follows a directive is too little, too much, of another kind, or out of range.

use super::{one_of, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use ptx_isa::tables::{ArgumentKind, Directive};

const CODE: Code = Code::DirectiveArgument;

/// What a directive takes, in words.
fn wanted(directive: &Directive) -> String {
    let Some(takes) = directive.takes else { return "nothing".to_owned() };
    let (one, many) = match takes.kind {
        ArgumentKind::Nothing => return "nothing".to_owned(),
        ArgumentKind::Integer => ("an integer", "integers"),
        ArgumentKind::Value => ("a name in quotes or its number", "names in quotes or their numbers"),
        ArgumentKind::String => ("a string", "strings"),
    };
    match (takes.least, takes.most) {
        (1, 1) => one.to_owned(),
        (least, 0) => format!("at least {least} of {many}"),
        (least, most) => format!("{least} to {most} {many}"),
    }
}

/// Nothing follows.
pub fn missing(name: Word<'_>, directive: &Directive) -> Diagnostic {
    let message = format!("`{}` takes {}, and nothing follows", directive.name, wanted(directive));
    Diagnostic::error(CODE, name.range(), message).with_help(format!("write `{}`", directive.syntax))
}

/// One more than it takes.
pub fn too_many(extra: Word<'_>, directive: &Directive, most: usize) -> Diagnostic {
    let more = if most == 0 { "" } else { "; this is one more" };
    let message = format!("`{}` takes {}{more}", directive.name, wanted(directive));
    Diagnostic::error(CODE, extra.range(), message)
}

/// Something of another kind.
pub fn kind(argument: Word<'_>, directive: &Directive, found: &str) -> Diagnostic {
    let message = format!("`{}` takes {}, but `{}` is {found}", directive.name, wanted(directive), argument.text);
    Diagnostic::error(CODE, argument.range(), message)
}

/// A number outside of the range.
pub fn range(argument: Word<'_>, directive: &Directive, from: u64, to: u64) -> Diagnostic {
    let allowed = match (from, to) {
        (0, _) => format!("at most {to}"),
        (1, 0x8000_0000..) if argument.text.trim_matches(['0', 'x', 'X', 'U']).is_empty() => "at least 1".to_owned(),
        _ => format!("{from} to {to}"),
    };
    let message = format!("the number after `{}` must be {allowed}, but it is `{}`", directive.name, argument.text);
    Diagnostic::error(CODE, argument.range(), message)
}

/// A string that stands for no number.
pub fn unknown_name(argument: Word<'_>, directive: &Directive) -> Diagnostic {
    let message = format!("{} is nothing that `{}` knows", argument.text, directive.name);
    let found = Diagnostic::error(CODE, argument.range(), message);
    let name = argument.text.trim_matches('"').to_lowercase();
    match suggest(&name, directive.values.iter().map(|v| v.name)) {
        Some(near) => found.with_help(format!("did you mean `\"{near}\"`?")).fix(Fix::replace(
            format!("Change it to `\"{near}\"`"),
            argument.range(),
            format!("\"{near}\""),
        )),
        None => {
            let names: Vec<&str> = directive.values.iter().map(|v| v.name).collect();
            found.with_help(format!("it may be {}, in quotes", one_of(&names)))
        }
    }
}
