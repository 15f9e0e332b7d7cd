//! Names with dots, as LLVM and Rust make them: `str.llvm.123`, `drop.in.place`.

use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// The report on a name with dots around an offset at which the parser stopped, if it is declared there: behind a type, or before the
/// parameters of a function.
pub(super) fn around(text: &str, at: usize) -> Option<Diagnostic> {
    let range = word(text, at)?;
    let name = text.get(range.clone())?;
    let before = text.get(..range.start)?.trim_end();
    let is_operand = before.ends_with([',', '(', '[', '{']) || before.ends_with("call") || before.ends_with("call.uni");
    let declares = is_operand
        || before.rsplit(char::is_whitespace).next().is_some_and(|last| {
            let list = last.ends_with(')') && before.contains(".func");
            list || [".func", ".entry"].contains(&last) || ptx_isa::ISA.ty(last).is_some()
        });
    (declares || is_operand).then(|| error(range.clone(), SyntaxErrorKind::DottedName(name.into())))
}

/// Joins the reports on the parts of declared names with dots, which the parser takes for several statements. `text` is the text in a
/// range of the file.
pub(crate) fn join(text: &dyn Fn(Range<usize>) -> String, diagnostics: &mut Vec<Diagnostic>) {
    /// The longest name that is looked for.
    const MAX_NAME: usize = 512;
    let mut names: Vec<Range<usize>> = Vec::new();
    for diagnostic in diagnostics.iter_mut() {
        let is_cut = matches!(diagnostic.syntax_error().map(|e| &e.kind), Some(SyntaxErrorKind::MissingAfter(';', _)));
        if !is_cut {
            continue;
        }
        let start = diagnostic.range.end.saturating_sub(MAX_NAME);
        let around_it = text(start..diagnostic.range.end + MAX_NAME);
        let Some(found) = around(&around_it, diagnostic.range.end - start) else { continue };
        *diagnostic = found.shifted(start);
        names.push(diagnostic.range.clone());
    }
    diagnostics.retain(|d| {
        dotted_name(d).is_some() || !names.iter().any(|name| name.start < d.range.end && d.range.start < name.end)
    });
}

/// The range of the name with dots around an offset.
fn word(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?;
    let start = before.trim_end_matches(|c: char| is_part(c) || c == '.').len();
    let after = text.get(at..)?;
    let end = at + after.find(|c: char| !(is_part(c) || c == '.')).unwrap_or(after.len());
    let name = text.get(start..end)?;
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let dotted = name.split('.').all(|part| !part.is_empty()) && name.contains('.') && name.starts_with(letter);
    dotted.then_some(start..end)
}

/// The name with dots, if the diagnostic is about one.
pub fn dotted_name(diagnostic: &Diagnostic) -> Option<&str> {
    match &diagnostic.syntax_error()?.kind {
        SyntaxErrorKind::DottedName(name) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::SyntaxError;
    use crate::testing::{in_module, messages};

    #[test]
    fn names_of_llvm_and_rust() {
        let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        let of = |text: &str| messages(&in_module(SyntaxError, &format!("{header}{text}")));
        let message = "`str.llvm.123` has a dot, which a name cannot have";
        assert_eq!(of(".global .align 1 .b8 str.llvm.123[4];"), [message]);
        let function = "`drop.in.place` has a dot, which a name cannot have";
        assert_eq!(of(".visible .func drop.in.place(.param .b64 p)\n{\nret;\n}\n"), [function]);
        assert!(of(".global .b8 str_llvm_123[4];").is_empty());
    }
}
