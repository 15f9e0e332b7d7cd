//! `branch-target`: a branch to something that is no label.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::symbols::{List, Symbol};
use std::ops::Range;

const CODE: Code = Code::BranchTarget;

/// The report on the operand of a branch, or on an entry of `.branchtargets`.
pub fn not_a_label(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let message = match symbol {
        Symbol::Targets { list: List::Prototype, .. } => {
            format!("`{name}` is the label of a prototype: it marks no place in the code")
        }
        Symbol::Targets { .. } => format!("`{name}` is the label of a list: it marks no place in the code"),
        _ => format!("`{name}` is {}, but a branch goes to a label", symbol.describe()),
    };
    let diagnostic = Diagnostic::error(CODE, range, message);
    match symbol {
        Symbol::Function { kernel: false, .. } => diagnostic.with_help("use `call` to reach a function"),
        Symbol::Targets { list: List::Branches, .. } => diagnostic.with_help("`brx.idx` chooses from a list of labels"),
        _ => diagnostic,
    }
}

/// The report on the list of an indirect branch.
pub fn not_a_list(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let message = match symbol {
        Symbol::Targets { list: List::Branches, .. } => {
            return Diagnostic::error(
                CODE,
                range,
                format!("`{name}` stands after this branch, but must stand before it"),
            )
            .with_help("move the label with its `.branchtargets` directive up");
        }
        Symbol::Targets { .. } => format!("`{name}` lists functions and no labels"),
        Symbol::Label => format!("`{name}` is a label in the code, not one of a list"),
        _ => format!("`{name}` is {}, not the label of a list", symbol.describe()),
    };
    Diagnostic::error(CODE, range, message)
        .with_help("`brx.idx` takes the label of a `.branchtargets` directive: `targets: .branchtargets L0, L1;`")
}
