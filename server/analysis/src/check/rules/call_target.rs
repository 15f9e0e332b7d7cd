//! `call-target`: what a call names cannot be called so.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::symbols::{List, Symbol};
use std::ops::Range;

const CODE: Code = Code::CallTarget;

/// What follows the word for the missing part of an indirect call.
const INDIRECT: &str = "a call through a register needs the label of a `.callprototype` or `.calltargets` directive, or a table of \
                        functions, as its last operand";

/// The report on something that is no function, in a call without prototype.
pub fn not_a_function(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let (message, help) = match symbol {
        Symbol::Function { .. } => (
            format!("`{name}` is a kernel: only functions (`.func`) can be called"),
            "move what both need into a `.func`, and call that",
        ),
        Symbol::Register { .. } => {
            (format!("`{name}` is {}: to call through it, its prototype must be given", symbol.describe()), INDIRECT)
        }
        _ => (format!("`{name}` is {}, but only functions can be called", symbol.describe()), ""),
    };
    let diagnostic = Diagnostic::error(CODE, range, message);
    let diagnostic = if help.is_empty() { diagnostic } else { diagnostic.with_help(help) };
    if matches!(symbol, Symbol::Register { .. }) { diagnostic } else { diagnostic.declared_at(name) }
}

/// The report on something that holds no address, in a call with a prototype.
pub fn not_an_address(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    if let Symbol::Function { kernel: false, .. } = symbol {
        let message = format!("`{name}` is a function: a call of it has no prototype and no list of targets");
        return Diagnostic::error(CODE, range, message).with_help("drop the last operand").declared_at(name);
    }
    let message = format!(
        "`{name}` is {}, but a call with a prototype or a list of targets goes through an integer or untyped register \
         of 32 or 64 bits",
        symbol.describe()
    );
    Diagnostic::error(CODE, range, message)
}

/// The report on a last operand that names no prototype, list or table. `defined`: it is one, but comes too late.
pub fn not_targets(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let message = match symbol {
        Symbol::Targets { list: List::Calls | List::Prototype, .. } => {
            return Diagnostic::error(
                CODE,
                range,
                format!("`{name}` stands after this call, but must stand before it"),
            )
            .with_help("move the label with its directive up");
        }
        Symbol::Targets { list: List::Branches, .. } => {
            format!("`{name}` is a list of labels to branch to, not of functions")
        }
        Symbol::Variable(v) if matches!(v.space, ".global" | ".const") => format!(
            "`{name}` is no table of functions: that is an array of `.u64`, `.u32` or `.u8` whose initializer holds nothing \
             but names of functions"
        ),
        _ => format!("`{name}` is {}, which does not say what is called", symbol.describe()),
    };
    Diagnostic::error(CODE, range, message).with_help(INDIRECT)
}

/// The report on an entry of `.calltargets`.
pub fn not_in_list(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let message = format!("`{name}` is {}, but `.calltargets` lists functions", symbol.describe());
    Diagnostic::error(CODE, range, message)
}
