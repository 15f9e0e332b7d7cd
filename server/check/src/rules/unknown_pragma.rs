//! `unknown-pragma`: a `.pragma` string that the assembler does not know. Its front end accepts any string.

use super::suggest;
use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;

/// The string of a `.pragma` that the assembler does not know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnknownPragma {
    /// The string, without its quotes.
    pub text: Box<str>,
    /// Whether the `.pragma` stands outside of functions.
    pub in_module: bool,
    /// The string that was most likely intended.
    pub near: Option<Box<str>>,
}

impl DiagnosticMessage for UnknownPragma {
    fn message(&self) -> String {
        let fate = if self.in_module { "refuses it here when it generates code" } else { "ignores it" };
        format!("unknown pragma `{}`: the assembler {fate}", self.text)
    }

    fn help(&self) -> Option<String> {
        self.near.as_ref().map(|near| format!("did you mean `{near}`?"))
    }
}

/// The warning about an unknown string. `place` is the name of its place in the tables, such as `module`.
pub(crate) fn report(string: SourceWord<'_>, place: &str) -> Diagnostic {
    let range = if string.text.is_empty() { string.range().start - 1..string.range().end + 1 } else { string.range() };
    let near = meant(string.text);
    let fix = near.as_deref().map(|near| Fix::replace(format!("Change it to `{near}`"), string.range(), near));
    let found = UnknownPragma { text: string.text.into(), in_module: place == "module", near: near.map(Into::into) };
    Diagnostic::new(range, found).fixes(fix)
}

/// The string that was most likely intended: the most similar pragma name, with the same argument.
fn meant(text: &str) -> Option<String> {
    let known = || ISA.directives.iter().filter(|d| d.name.starts_with('"')).map(|d| d.name.trim_matches('"'));
    let (name, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let lower = name.to_lowercase();
    let near = known().find(|k| *k == lower).or_else(|| suggest(&lower, known()))?;
    // `nounroll` has no argument.
    Some(if rest.is_empty() || near == "nounroll" { near.to_owned() } else { format!("{near} {rest}") })
}

#[cfg(test)]
mod tests {
    use crate::Code::UnknownPragma;
    use crate::testing::{in_kernel, in_module, mended, messages};

    #[test]
    fn misspelt_pragmas() {
        let found = in_kernel(UnknownPragma, ".pragma \"no_unroll\";");
        assert_eq!(messages(&found), ["unknown pragma `no_unroll`: the assembler ignores it"]);
        assert_eq!(found[0].help().as_deref(), Some("did you mean `nounroll`?"));
        assert!(in_kernel(UnknownPragma, ".pragma \"nounroll\";").is_empty());
    }

    #[test]
    fn pragmas_of_the_module() {
        let text = ".version 9.0\n.target sm_90a\n.pragma \"No_Unroll\";\n";
        let expected = "unknown pragma `No_Unroll`: the assembler refuses it here when it generates code";
        assert_eq!(messages(&in_module(UnknownPragma, text)), [expected]);
        assert_eq!(mended(UnknownPragma, text), text.replace("No_Unroll", "nounroll"));
    }
}
