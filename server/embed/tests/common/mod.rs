//! What the tests of all languages ask of a text.
#![allow(dead_code, reason = "each test program uses a part")]

use ptx_embed::{Group, Host, Language, ProblemKind};
use std::sync::Arc;

/// The only group of a text.
pub fn only(language: Language, text: &str) -> Arc<Group> {
    let host = Host::new(language, text);
    assert_eq!(host.groups().len(), 1, "{text}: {:#?}", host.groups());
    host.groups()[0].group.clone()
}

/// The PTX of all groups.
pub fn texts(language: Language, text: &str) -> Vec<String> {
    Host::new(language, text).groups().iter().map(|g| g.group.ptx.clone()).collect()
}

/// The code of the diagnostic for a mistake.
pub fn code(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Access => "asm-access",
        ProblemKind::Clobber => "asm-clobber",
        ProblemKind::Constraint => "asm-constraint",
        ProblemKind::MissingSemicolon => "asm-missing-semicolon",
        ProblemKind::OperandCount => "asm-operand-count",
        ProblemKind::OperandIndex => "asm-operand-index",
        ProblemKind::OperandModifier => "asm-operand-modifier",
        ProblemKind::OperandName => "asm-operand-name",
        ProblemKind::Percent => "asm-percent",
        ProblemKind::UnescapedName => "asm-unescaped-name",
        ProblemKind::UnusedOperand => "asm-unused-operand",
    }
}

/// The codes of all mistakes in the host text.
pub fn codes(language: Language, text: &str) -> Vec<&'static str> {
    Host::new(language, text).groups().iter().flat_map(|g| g.group.problems.iter().map(|p| code(p.kind))).collect()
}
