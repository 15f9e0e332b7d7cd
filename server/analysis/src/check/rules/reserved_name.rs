//! `reserved-name`: a name that belongs to the language.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::ISA;
use std::sync::LazyLock;

const CODE: Code = Code::ReservedName;

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let words = ISA.directives.iter().flat_map(|d| d.words).copied();
    words.chain(ISA.constants.iter().map(|c| c.name)).collect()
});

/// Looks at a name that is declared: of a register, variable, parameter, label or function; alone or of a range (`%r<10>`).
pub fn check(name: Word<'_>, range: bool, out: &mut Vec<Diagnostic>) {
    let special = || !range && name.text.starts_with('%') && ISA.special_register(name.text).is_some();
    if name.text == "%" {
        out.push(Diagnostic::error(CODE, name.range(), "a name has at least one character after the `%`"));
    } else if WORDS.contains(&name.text) {
        let message = format!("`{}` is a word of the language, so nothing can have it for a name", name.text);
        out.push(Diagnostic::error(CODE, name.range(), message));
    } else if special() {
        let message = format!("this hides the special register `{}`", name.text);
        out.push(Diagnostic::warning(CODE, name.range(), message).with_help("choose another name"));
    }
}
