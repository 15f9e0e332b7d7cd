//! `debug-directive`: `.file`, `.loc` and `.section` that say something impossible.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use ptx_isa::tables::{DataType, Directive};
use std::ops::Range;

const CODE: Code = Code::DebugDirective;

/// Something must follow.
pub fn missing(after: Word<'_>, what: &str) -> Diagnostic {
    Diagnostic::error(CODE, after.range(), format!("{what} must follow here"))
}

/// A number that is too wide.
pub fn too_large(number: Word<'_>, bits: u32) -> Diagnostic {
    Diagnostic::error(CODE, number.range(), format!("`{}` does not fit into {bits} bits", number.text))
}

/// One number for two files.
pub fn file_twice(number: Range<usize>, file: u32, first: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, number, format!("number {file} has been given to another file")).related(first, "here")
}

/// The number of a `.loc` is that of no file, a warning.
pub fn unknown_file(range: Range<usize>, file: u32) -> Diagnostic {
    let message = format!("no `.file` of this module has the number {file}, so the line table lacks this location");
    Diagnostic::warning(CODE, range, message)
}

/// After `inlined_at` stands a location that no `.loc` before it in this function has. The assembler takes those of functions
/// before this one too, so it is certainly wrong in the first function alone.
pub fn inlined_nowhere(range: Range<usize>, (file, line, column): (u32, u32, u32), first: bool) -> Diagnostic {
    if first {
        let message =
            format!("no `.loc` before this one says `{file} {line} {column}`: the call must have a location too");
        return Diagnostic::error(CODE, range, message);
    }
    let message = format!("no `.loc` before this one in this function says `{file} {line} {column}`");
    Diagnostic::warning(CODE, range, message)
}

/// `function_name 5`.
pub fn not_a_label(word: Word<'_>) -> Diagnostic {
    let message =
        format!("`{}` is no label: after `function_name` stands the label of a name in a `.section`", word.text);
    Diagnostic::error(CODE, word.range(), message)
}

/// `function_name label-4`.
pub fn minus(operator: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, operator.range(), "an offset is added to the label, never subtracted").fix(Fix::replace(
        "Change it to `+`",
        operator.range(),
        "+",
    ))
}

/// A statement in a section.
pub fn not_data(word: Word<'_>) -> Diagnostic {
    let message = format!("`{}` cannot stand in a section: there are only data and labels", word.text);
    Diagnostic::error(CODE, word.range(), message)
}

/// A type that data in a section cannot have.
pub fn not_a_type(word: Word<'_>, directive: &Directive) -> Diagnostic {
    let names: Vec<&str> = directive.data.iter().map(|d| d.name).collect();
    Diagnostic::error(CODE, word.range(), format!("data in a section cannot be of type `{}`", word.text))
        .with_help(format!("it may be {}", one_of(&names)))
}

/// A number that does not fit.
pub fn does_not_fit(word: Word<'_>, data: &DataType) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` does not fit into `{}`", word.text, data.name))
}

/// An address where there is no room for one.
pub fn no_label(word: Word<'_>, data: &DataType, directive: &Directive) -> Diagnostic {
    let names: Vec<&str> = directive.data.iter().filter(|d| d.labels).map(|d| d.name).collect();
    let message = format!("`{}` is an address, for which `{}` has no room", word.text, data.name);
    Diagnostic::error(CODE, word.range(), message).with_help(format!("addresses are for {}", one_of(&names)))
}

/// A name among other data.
pub fn name_in_list(word: Word<'_>) -> Diagnostic {
    let message = format!("`{}` must stand in a line of its own: only numbers form lists here", word.text);
    Diagnostic::error(CODE, word.range(), message)
}

/// A sum that is none of the two that are taken.
pub fn bad_sum(word: Word<'_>) -> Diagnostic {
    let message =
        format!("`{}` is not taken: a number may be added to a label, and a label subtracted from one", word.text);
    Diagnostic::error(CODE, word.range(), message)
}
