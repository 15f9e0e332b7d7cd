//! `alias`: an `.alias` directive for something that cannot have an alias.

use super::declaration_mismatch::SignatureMismatch;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::module::ModuleSymbol;
use ptx_sema::hir::symbols::Symbol;
use std::ops::Range;

/// What is wrong with an `.alias` directive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Alias {
    /// One of the two names is not a callable function (`.func`).
    NotAFunction {
        /// The name.
        name: Box<str>,
        /// What it stands for.
        symbol: Symbol,
    },
    /// The directive makes a function an alias of itself.
    OfItself {
        /// The name of the function.
        name: Box<str>,
    },
    /// The alias has its own body.
    HasBody {
        /// The alias.
        name: Box<str>,
        /// The function that it would stand for.
        function: Box<str>,
    },
    /// The function has a linking directive (`.weak` or `.extern`) that excludes aliases.
    Linkage {
        /// The function.
        function: Box<str>,
        /// The directive, with its dot.
        linkage: &'static str,
    },
    /// The alias and the function are declared with different signatures.
    Mismatch {
        /// The alias.
        name: Box<str>,
        /// The function that it would stand for.
        function: Box<str>,
        /// The first difference of the alias from the function.
        mismatch: SignatureMismatch,
    },
    /// An earlier directive made the name an alias.
    Twice {
        /// The alias.
        name: Box<str>,
        /// The function that it stands for.
        other: Box<str>,
    },
}

impl DiagnosticMessage for Alias {
    fn message(&self) -> String {
        match self {
            Self::NotAFunction { name, symbol } => {
                format!("`{name}` is {}: only functions have aliases", symbol.describe())
            }
            Self::OfItself { name } => format!("`{name}` cannot be an alias of itself"),
            Self::HasBody { name, function } => {
                format!("`{name}` has a body, so it cannot be an alias of `{function}`")
            }
            Self::Linkage { function, linkage } => {
                format!("`{function}` is `{linkage}`: such functions have no aliases")
            }
            Self::Mismatch { name, function, mismatch } => {
                mismatch.words(&format!("`{name}`"), &format!("`{function}`"))
            }
            Self::Twice { name, other } => format!("`{name}` is already an alias of `{other}`"),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::HasBody { name, function } => {
                Some(format!("declare `{name}` without a body: the alias gives it the body of `{function}`"))
            }
            Self::Mismatch { name, mismatch, .. } => {
                Some(format!("declare it as `{};`", mismatch.before.declared_as(".func", name)))
            }
            _ => None,
        }
    }
}

/// A name in the directive: its byte range, its text and the symbol that it stands for.
pub(crate) type Named<'n> = (Range<usize>, &'n str, &'n ModuleSymbol);

/// Checks an alias and its function. Returns the report if the assembler refuses the alias.
pub(crate) fn check(alias: Named<'_>, function: Named<'_>) -> Option<Diagnostic> {
    let declared = |name: &str| format!("`{name}` is declared here");
    for (range, name, declaration) in [&alias, &function] {
        if !matches!(declaration.symbol, Symbol::Function { kernel: false, .. }) {
            let found = not_a_function(range.clone(), name, declaration.symbol)?;
            return Some(found.related(declaration.place.clone(), declared(name)));
        }
    }
    let (range, name, symbol) = alias;
    let (function_range, function_name, aliased) = function;
    if name == function_name {
        return Some(Diagnostic::new(function_range, Alias::OfItself { name: name.into() }));
    }
    if symbol.defined {
        let found = Alias::HasBody { name: name.into(), function: function_name.into() };
        return Some(
            Diagnostic::new(range, found).related(symbol.place.clone(), format!("the body of `{name}` is here")),
        );
    }
    if let Some(linkage @ (".weak" | ".extern")) = aliased.linkage {
        let found = Alias::Linkage { function: function_name.into(), linkage };
        return Some(Diagnostic::new(function_range, found).related(aliased.place.clone(), declared(function_name)));
    }
    let mismatch = SignatureMismatch::between(symbol.signature.as_ref()?, aliased.signature.as_ref()?)?;
    let found = Alias::Mismatch { name: name.into(), function: function_name.into(), mismatch };
    Some(
        Diagnostic::new(range, found)
            .related(symbol.place.clone(), declared(name))
            .related(aliased.place.clone(), declared(function_name)),
    )
}

/// The report on a name of the directive that is not that of a callable function.
pub(crate) fn not_a_function(range: Range<usize>, name: &str, symbol: Symbol) -> Option<Diagnostic> {
    (symbol != Symbol::Unknown).then(|| Diagnostic::new(range, Alias::NotAFunction { name: name.into(), symbol }))
}

/// The report on a name that is already an alias, of the function `other`.
pub(crate) fn twice(range: Range<usize>, name: &str, other: &str) -> Diagnostic {
    Diagnostic::new(range, Alias::Twice { name: name.into(), other: other.into() })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    const FUNCTIONS: &str = ".version 8.5\n.target sm_90\n.address_size 64\n\
        .func f(.param .b32 x)\n{\nret;\n}\n.func same(.param .b32 x);\n.func wide(.param .b64 x);\n.global .u32 g;\n";

    fn of(directives: &str) -> Vec<String> {
        messages(&in_module(Code::Alias, &format!("{FUNCTIONS}{directives}\n")))
    }

    #[test]
    fn a_directive_in_a_body_is_checked_as_one_of_the_module() {
        let inside = |directives: &str| of(&format!(".entry k()\n{{\n.reg .b32 r;\n{directives}\nret;\n}}"));
        assert!(inside(".alias same, f;").is_empty());
        assert_eq!(inside(".alias wide, f;"), of(".alias wide, f;"));
        assert_eq!(inside(".alias same, f;\n.alias same, f;"), ["`same` is already an alias of `f`"]);
        assert_eq!(inside(".alias r, f;"), ["`r` is a `.b32` register: only functions have aliases"]);
        assert_eq!(inside(".alias f, f;"), of(".alias f, f;"));
        // Here the module's name is hidden.
        assert_eq!(
            inside(".reg .b32 same;\n.alias same, f;"),
            ["`same` is a `.b32` register: only functions have aliases"]
        );
    }

    #[test]
    fn an_alias_in_a_body_defines_the_function() {
        let module = |directive: &str| format!("{FUNCTIONS}.entry k()\n{{\n{directive}\nret;\n}}\n");
        let undefined = |directive: &str| in_module(Code::UndefinedFunction, &module(directive)).len();
        assert_eq!(undefined(""), undefined(".alias same, f;") + 1);
    }

    #[test]
    fn an_alias_is_another_function_with_the_same_parameters() {
        assert!(of(".alias same, f;").is_empty());
        assert_eq!(of(".alias wide, f;"), ["parameter `x` is `.param .b64 x` in `wide`, but `.param .b32 x` in `f`"]);
        assert_eq!(of(".alias g, f;"), ["`g` is a `.global` variable: only functions have aliases"]);
        assert_eq!(of(".alias f, f;"), ["`f` cannot be an alias of itself"]);
    }

    #[test]
    fn a_body_or_an_earlier_alias_rules_an_alias_out() {
        assert_eq!(of(".alias f, same;"), ["`f` has a body, so it cannot be an alias of `same`"]);
        assert_eq!(of(".alias same, f;\n.alias same, f;"), ["`same` is already an alias of `f`"]);
        assert_eq!(
            of(".extern .func e(.param .b32 x);\n.alias same, e;"),
            ["`e` is `.extern`: such functions have no aliases"]
        );
    }
}
