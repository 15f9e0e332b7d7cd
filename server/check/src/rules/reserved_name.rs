//! `reserved-name`: a declared name that is reserved by the language.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;
use std::sync::LazyLock;

/// A declared name that is reserved by the language.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReservedName {
    /// A lone `%`.
    LonePercent,
    /// A word of the language, which the assembler refuses as a name.
    Word(Box<str>),
    /// The name of a special register, which the assembler accepts inside of functions.
    SpecialRegister(Box<str>),
    /// The name of a special register for something of the module, which the assembler refuses.
    SpecialInModule(Box<str>),
}

impl DiagnosticMessage for ReservedName {
    fn message(&self) -> String {
        match self {
            Self::LonePercent => "a name needs at least one character after the `%`".to_owned(),
            Self::Word(name) => format!("`{name}` is a keyword, so it cannot be a name"),
            Self::SpecialRegister(name) => format!("this hides the special register `{name}`"),
            Self::SpecialInModule(name) => {
                format!("`{name}` is a special register, so it cannot name a function or variable of the module")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let special = matches!(self, Self::SpecialRegister(_) | Self::SpecialInModule(_));
        special.then(|| "choose another name".to_owned())
    }
}

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let words = ISA.directives.iter().flat_map(|d| d.words).copied();
    words.chain(ISA.constants.iter().map(|c| c.name)).collect()
});

/// Why the name of a register, variable, parameter, label or function is reserved; `None` if it is not. `range` if it is the base of a
/// range of names (`%r<10>`).
pub fn reserved(name: &str, range: bool) -> Option<ReservedName> {
    let special = || !range && name.starts_with('%') && ISA.special_register(name).is_some();
    if name == "%" {
        Some(ReservedName::LonePercent)
    } else if WORDS.contains(&name) {
        Some(ReservedName::Word(name.into()))
    } else if special() {
        Some(ReservedName::SpecialRegister(name.into()))
    } else {
        None
    }
}

/// Reports a name of the module, of a function or variable, that is reserved.
pub(crate) fn in_module(name: SourceWord<'_>, out: &mut Vec<Diagnostic>) {
    match reserved(name.text, false) {
        Some(ReservedName::SpecialRegister(register)) => {
            out.push(Diagnostic::new(name.range(), ReservedName::SpecialInModule(register)));
        }
        Some(problem) => out.push(Diagnostic::new(name.range(), problem)),
        None => {}
    }
}

/// Reports a name declared in a function that is reserved. `range` if it is the base of a range of names (`%r<10>`).
pub(crate) fn check(name: SourceWord<'_>, range: bool, out: &mut Vec<Diagnostic>) {
    let Some(found) = reserved(name.text, range) else { return };
    let severity = if matches!(found, ReservedName::SpecialRegister(_)) { Severity::Warning } else { Severity::Error };
    out.push(Diagnostic::new(name.range(), found).severity(severity));
}

#[cfg(test)]
mod tests {
    use super::{ReservedName, reserved};
    use crate::Code;
    use crate::diagnostic::Severity;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn names_of_the_language() {
        let found = in_kernel(Code::ReservedName, ".reg .b32 WARP_SZ;");
        assert_eq!(messages(&found), ["`WARP_SZ` is a keyword, so it cannot be a name"]);
        assert_eq!(found[0].severity, Severity::Error);
        let found = in_kernel(Code::ReservedName, ".reg .b32 %laneid;");
        assert_eq!(messages(&found), ["this hides the special register `%laneid`"]);
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(in_kernel(Code::ReservedName, ".reg .b32 %lane;").is_empty());
        for declaration in [".global .b32 %clock;", ".func %tid() { ret; }", ".visible .entry %laneid() { ret; }"] {
            let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{declaration}");
            let found = in_module(Code::ReservedName, &text);
            assert_eq!(found.first().map(|d| d.severity), Some(Severity::Error), "{declaration}");
        }
    }

    #[test]
    fn a_range_hides_no_special_register() {
        assert_eq!(reserved("%laneid", false), Some(ReservedName::SpecialRegister("%laneid".into())));
        assert_eq!(reserved("%laneid", true), None);
        assert_eq!(reserved("%", false), Some(ReservedName::LonePercent));
    }
}
