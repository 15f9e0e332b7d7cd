//! `misplaced-directive`: a directive where it may not stand.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::tables::Directive;

const CODE: Code = Code::MisplacedDirective;

/// Where a directive belongs, in words.
fn home(directive: &Directive) -> String {
    let place = |place: &str| {
        Some(match place {
            "module" => "outside of functions",
            "header" => "between the name of a function and its body",
            "entry" => "between the parameters of a kernel and its body",
            "func" => "between the parameters of a function and its body",
            "body" | "entry-body" => "inside of a body",
            "variable" => "with variables",
            "parameter" => "with parameters",
            _ => return None,
        })
    };
    let places: Vec<&str> = directive.places.iter().filter_map(|p| place(p)).collect();
    match places[..] {
        [] => "elsewhere".to_owned(),
        [one] => one.to_owned(),
        [.., last] => format!("{} or {last}", places[..places.len() - 1].join(", ")),
    }
}

/// A directive that stands somewhere else than it may.
pub fn report(word: Word<'_>, directive: &Directive) -> Diagnostic {
    let message = format!("`{}` cannot stand here", word.text);
    Diagnostic::error(CODE, word.range(), message).with_help(format!("it belongs {}", home(directive)))
}

/// A directive that opens a module, anywhere else.
pub fn of_module_header(word: Word<'_>) -> Diagnostic {
    let message = format!("`{}` cannot stand here: it belongs at the beginning of the module", word.text);
    Diagnostic::error(CODE, word.range(), message)
}

/// In the header of a function that may not have it.
pub fn in_header(word: Word<'_>, directive: &Directive, kernel: bool, place: &str) -> Diagnostic {
    let what = match (kernel, place) {
        (true, "declaration") => "a kernel without a body",
        (false, "declaration") => "a function without a body",
        (_, "prototype") => "a prototype",
        (true, _) => "a kernel",
        (false, _) => "a function",
    };
    let found = Diagnostic::error(CODE, word.range(), format!("`{}` cannot stand on {what}", word.text));
    match directive.places {
        ["entry"] if place != "declaration" => found.with_help("it is for kernels (`.entry`) alone"),
        _ if place == "declaration" => found.with_help("write it where the body is"),
        _ => found.with_help(format!("it belongs {}", home(directive))),
    }
}

/// In the wrong order in the header of a function.
pub fn order(word: Word<'_>, later: Word<'_>) -> Diagnostic {
    let message = format!("`{}` must stand before `{}`", word.text, later.text);
    Diagnostic::error(CODE, word.range(), message).related(later.range(), "this comes after it")
}

/// A function inside of another one.
pub fn function_in_function(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` cannot stand inside of a function", word.text))
        .with_help("functions stand side by side in the module")
}

/// A list for indirect jumps and calls without its label.
pub fn without_label(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` needs a label before it, by which it is known", word.text))
        .with_help(format!("write, for instance, `targets: {} …`", word.text))
}

/// `.target` in a body: what follows is for another architecture.
pub fn target_in_body(word: Word<'_>) -> Diagnostic {
    let message = "`.target` in a body is taken for what follows, which nobody expects: it belongs at the beginning of the module";
    Diagnostic::warning(CODE, word.range(), message)
}
