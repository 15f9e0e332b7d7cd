//! `unknown-directive`: a word with a dot that is not a directive.

use super::{foreign, suggest, write_instead};
use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::Directive;
use ptx_sema::hir::ast::SourceWord;

/// A word with a dot in the place of a directive that is not one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnknownDirective {
    /// The word, with its dot.
    pub name: Box<str>,
    /// The most similar directive, if one is similar enough.
    pub near: Option<&'static str>,
}

impl DiagnosticMessage for UnknownDirective {
    fn message(&self) -> String {
        format!("`{}` is not a directive", self.name)
    }

    fn help(&self) -> Option<String> {
        super::in_ptx(&self.name).or_else(|| self.near.map(|near| format!("did you mean `{near}`?")))
    }
}

/// The report on a word outside of function headers.
pub(crate) fn report(directive: SourceWord<'_>) -> Diagnostic {
    suggesting(directive, |_| true)
}

/// The report on a word in the header of a function. It suggests only directives that are allowed at `place`, a place name of the tables.
pub(crate) fn in_header(directive: SourceWord<'_>, place: &str) -> Diagnostic {
    suggesting(directive, |d| d.places.contains(&place))
}

fn suggesting(directive: SourceWord<'_>, fits: impl Fn(&Directive) -> bool) -> Diagnostic {
    if let Some(word) = foreign(directive.text) {
        let found = UnknownDirective { name: directive.text.into(), near: None };
        let directives = word.spellings.iter().filter(|s| ISA.ty(s).is_none());
        let fixes = directives.filter_map(|spelling| write_instead(directive.range(), Some(spelling)));
        let remove = || Fix::replace(format!("Remove `{}`", directive.text), directive.range(), "");
        return Diagnostic::new(directive.range(), found).fixes(fixes).fixes(word.left_out.then(remove));
    }
    let near = suggest(directive.text, ISA.directives.iter().filter(|d| fits(d)).map(|d| d.name));
    Diagnostic::new(directive.range(), UnknownDirective { name: directive.text.into(), near })
        .fixes(write_instead(directive.range(), near))
}

#[cfg(test)]
mod tests {
    use crate::Code::UnknownDirective;
    use crate::testing::{in_module, mended, messages};

    #[test]
    fn misspelt_directives() {
        let text = ".version 9.0\n.taget sm_90a\n";
        let found = in_module(UnknownDirective, text);
        assert_eq!(messages(&found), ["`.taget` is not a directive"]);
        assert_eq!(found[0].help().as_deref(), Some("did you mean `.target`?"));
        assert_eq!(mended(UnknownDirective, text), ".version 9.0\n.target sm_90a\n");
        assert!(in_module(UnknownDirective, ".version 9.0\n.target sm_90a\n").is_empty());
    }

    #[test]
    fn directives_of_other_languages() {
        let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        let of = |text: &str| in_module(UnknownDirective, &format!("{header}{text}"))[0].help().unwrap_or_default();
        assert!(of(".text\n").starts_with("PTX has no `.text`: leave it out"));
        assert_eq!(of(".visible .kernel k() { ret; }\n"), "`.kernel` is `.entry` in PTX");
        let kernel = format!("{header}.visible .kernel k() {{ ret; }}\n");
        assert_eq!(mended(UnknownDirective, &kernel), kernel.replace(".kernel", ".entry"));
    }

    #[test]
    fn a_header_gets_directives_of_headers() {
        let header = |directive: &str| {
            let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() {directive} 64 {{ ret; }}");
            in_module(UnknownDirective, &text)
        };
        assert_eq!(header(".maxnrg")[0].help().as_deref(), Some("did you mean `.maxnreg`?"));
        assert!(header(".maxnreg").is_empty());
    }
}
