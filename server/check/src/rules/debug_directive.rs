//! `debug-directive`: wrong contents of `.file`, `.loc` and `.section`.

use super::one_of;
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{DataType, Directive};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::directive_parts::LocNumbers;
use std::ops::Range;

/// What is wrong with a directive for debugging information.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DebugDirective {
    /// This part, described in words, must follow.
    Missing(&'static str),
    /// A number has too many bits.
    TooWide {
        /// The number as written.
        number: Box<str>,
        /// The number of bits that it may have.
        bits: u32,
    },
    /// Two files have this number.
    FileTwice(u32),
    /// A `.loc` uses this file number, but no `.file` has it.
    UnknownFile(u32),
    /// The location after `inlined_at` is that of no earlier `.loc`.
    InlinedNowhere {
        /// The location: file, line and column.
        location: LocNumbers,
        /// Whether the function is the first of the module. Only then are all earlier `.loc` inside this function.
        first: bool,
    },
    /// This text follows `function_name`, where a label must be.
    NotALabel(Box<str>),
    /// An offset is subtracted from a label.
    MinusOffset,
    /// This statement in a section is not data.
    NotData(Box<str>),
    /// The type of data in a section is not allowed there.
    NotAType {
        /// The type.
        ty: Box<str>,
        /// The types that are allowed.
        types: Box<[&'static str]>,
    },
    /// A number does not fit into its type.
    DoesNotFit {
        /// The number as written.
        number: Box<str>,
        /// The type.
        ty: &'static str,
    },
    /// An address is in data whose type is too small for it.
    NoRoom {
        /// The address as written.
        address: Box<str>,
        /// The type of the data.
        ty: &'static str,
        /// The types that are large enough.
        types: Box<[&'static str]>,
    },
    /// This name is in a list of data, where only numbers are allowed.
    NameInList(Box<str>),
    /// This sum has neither of the two allowed forms: label plus number, and label minus label.
    BadSum(Box<str>),
}

impl DiagnosticMessage for DebugDirective {
    fn message(&self) -> String {
        match self {
            Self::Missing(what) => format!("{what} must follow here"),
            Self::TooWide { number, bits } => format!("`{number}` does not fit into {bits} bits"),
            Self::FileTwice(file) => format!("number {file} already belongs to another file"),
            Self::UnknownFile(file) => {
                format!("no `.file` of this module has the number {file}, so the line table lacks this location")
            }
            Self::InlinedNowhere { location: (file, line, column), first: true } => {
                format!("no `.loc` before this one says `{file} {line} {column}`: the call must have a location too")
            }
            Self::InlinedNowhere { location: (file, line, column), first: false } => {
                format!("no `.loc` before this one in this function says `{file} {line} {column}`")
            }
            Self::NotALabel(text) => {
                format!("`{text}` is not a label: `function_name` takes the label of a name in a `.section`")
            }
            Self::MinusOffset => "an offset is added to the label, never subtracted".to_owned(),
            Self::NotData(text) => format!("`{text}` is not allowed in a section: only data and labels are"),
            Self::NotAType { ty, .. } => format!("data in a section cannot be of type `{ty}`"),
            Self::DoesNotFit { number, ty } => format!("`{number}` does not fit into `{ty}`"),
            Self::NoRoom { address, ty, .. } => {
                format!("`{address}` is an address, which does not fit into `{ty}`")
            }
            Self::NameInList(name) => {
                format!("`{name}` needs a line of its own: only numbers can form a list here")
            }
            Self::BadSum(text) => {
                format!(
                    "`{text}` is not allowed: only a number can be added to a label, or a label subtracted from one"
                )
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NotAType { types, .. } => Some(format!("it may be {}", one_of(types))),
            Self::NoRoom { types, .. } => Some(format!("an address needs {}", one_of(types))),
            _ => None,
        }
    }
}

/// Reports that a part is missing after a word. `what` describes the part.
pub(crate) fn missing(after: SourceWord<'_>, what: &'static str) -> Diagnostic {
    Diagnostic::new(after.range(), DebugDirective::Missing(what))
}

/// Reports a number that has more than `bits` bits.
pub(crate) fn too_large(number: SourceWord<'_>, bits: u32) -> Diagnostic {
    Diagnostic::new(number.range(), DebugDirective::TooWide { number: number.text.into(), bits })
}

/// Reports a file number that an earlier `.file`, at `first`, has already.
pub(crate) fn file_twice(number: Range<usize>, file: u32, first: Range<usize>) -> Diagnostic {
    Diagnostic::new(number, DebugDirective::FileTwice(file)).related(first, "here")
}

/// Warns about a `.loc` whose file number no `.file` has.
pub(crate) fn unknown_file(range: Range<usize>, file: u32) -> Diagnostic {
    Diagnostic::new(range, DebugDirective::UnknownFile(file)).severity(Severity::Warning)
}

/// Reports a location after `inlined_at` that no earlier `.loc` of this function has. The assembler also accepts the locations of
/// earlier functions, so this is an error only in the first function, and otherwise a warning.
pub(crate) fn inlined_nowhere(range: Range<usize>, location: LocNumbers, first: bool) -> Diagnostic {
    let severity = if first { Severity::Error } else { Severity::Warning };
    Diagnostic::new(range, DebugDirective::InlinedNowhere { location, first }).severity(severity)
}

/// The location of a report that [`inlined_nowhere`] made of a function that is not the first.
pub(crate) fn unsettled(diagnostic: &Diagnostic) -> Option<LocNumbers> {
    match diagnostic.finding.data()? {
        DebugDirective::InlinedNowhere { location, first: false } => Some(*location),
        _ => None,
    }
}

/// Reports something other than a label after `function_name`, as in `function_name 5`.
pub(crate) fn not_a_label(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), DebugDirective::NotALabel(word.text.into()))
}

/// Reports an offset that is subtracted from a label, as in `function_name label-4`.
pub(crate) fn minus(operator: SourceWord<'_>) -> Diagnostic {
    let fix = Fix::replace("Change it to `+`", operator.range(), "+");
    Diagnostic::new(operator.range(), DebugDirective::MinusOffset).fix(fix)
}

/// Reports a statement in a section that is not data.
pub(crate) fn not_data(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), DebugDirective::NotData(word.text.into()))
}

/// Reports a type that data in a section cannot have.
pub(crate) fn not_a_type(word: SourceWord<'_>, directive: &Directive) -> Diagnostic {
    let types = directive.data.iter().map(|d| d.name).collect();
    Diagnostic::new(word.range(), DebugDirective::NotAType { ty: word.text.into(), types })
}

/// Reports a number that does not fit into the type of its data.
pub(crate) fn does_not_fit(word: SourceWord<'_>, data: &DataType) -> Diagnostic {
    Diagnostic::new(word.range(), DebugDirective::DoesNotFit { number: word.text.into(), ty: data.name })
}

/// Reports an address in data whose type is too small for it.
pub(crate) fn no_label(word: SourceWord<'_>, data: &DataType, directive: &Directive) -> Diagnostic {
    let types = directive.data.iter().filter(|d| d.labels).map(|d| d.name).collect();
    Diagnostic::new(word.range(), DebugDirective::NoRoom { address: word.text.into(), ty: data.name, types })
}

/// Reports a name in a list of data.
pub(crate) fn name_in_list(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), DebugDirective::NameInList(word.text.into()))
}

/// Reports a sum other than label plus number and label minus label.
pub(crate) fn bad_sum(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), DebugDirective::BadSum(word.text.into()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    fn module(body: &str, data: &str) -> String {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n.entry k()\n{{\n{body}\nret;\n}}\n\
             .section .debug_str\n{{\nname:\n{data}\n}}\n"
        )
    }

    #[test]
    fn locations() {
        let of = |body: &str| in_module(Code::DebugDirective, &module(body, ".b8 0"));
        assert!(of(".loc 1 2 3\n.loc 1 4 5, function_name name, inlined_at 1 2 3").is_empty());
        assert!(of(".loc 1 WARP_SZ WARP_SZ").is_empty());
        let numbers = ".file WARP_SZ \"k.cu\", WARP_SZ, WARP_SZ\n";
        let text = module(".loc WARP_SZ 1 1", ".b8 0").replace(".entry", &format!("{numbers}.entry"));
        assert!(in_module(Code::DebugDirective, &text).is_empty());
        assert!(in_module(Code::SyntaxError, &text).is_empty());
        let found = of(".loc 2 3 4");
        let text = "no `.file` of this module has the number 2, so the line table lacks this location";
        assert_eq!((messages(&found), found[0].severity), (vec![text.to_owned()], Severity::Warning));
        let found = of(".loc 1 4 5, function_name name, inlined_at 1 2 3");
        let text = "no `.loc` before this one says `1 2 3`: the call must have a location too";
        assert_eq!((messages(&found), found[0].severity), (vec![text.to_owned()], Severity::Error));
    }

    #[test]
    fn an_earlier_function_has_the_location_of_a_call() {
        let of = |first: &str| {
            let second = ".entry l()\n{\n.loc 1 4 5, function_name name, inlined_at 1 2 3\nret;\n}\n";
            messages(&in_module(Code::DebugDirective, &format!("{}{second}", module(first, ".b8 0"))))
        };
        assert!(of(".loc 1 2 3").is_empty());
        // Only plain numbers are read there, so this says nothing.
        assert!(of(".loc 1 0x2 3").is_empty());
        for other in ["", ".loc 1 2 30", ".loc 1 2 4"] {
            assert_eq!(of(other), ["no `.loc` before this one says `1 2 3`: the call must have a location too"]);
        }
    }

    #[test]
    fn data_in_sections() {
        let of = |data: &str| messages(&in_module(Code::DebugDirective, &module("", data)));
        assert!(of(".b8 1, 255\n.b64 name").is_empty());
        assert_eq!(of(".b8 256"), ["`256` does not fit into `.b8`"]);
        assert_eq!(of(".b8 name"), ["`name` is an address, which does not fit into `.b8`"]);
        assert_eq!(of(".b64 1, name"), ["`name` needs a line of its own: only numbers can form a list here"]);
    }
}
