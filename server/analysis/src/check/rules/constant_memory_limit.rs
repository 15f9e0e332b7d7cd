//! `constant-memory-limit`: more constant variables than a module may have.

use crate::check::codes::Code;
use crate::check::declare::Earlier;
use crate::check::diagnostic::Diagnostic;
use crate::hir::module::Header;
use crate::hir::symbols::{Symbol, Variable};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

const CODE: Code = Code::ConstantMemoryLimit;

/// The report, if the sum of the variables' sizes is too large; at the last of them. `places` says where names are declared.
pub fn check(header: &Header, places: &HashMap<String, Earlier>) -> Option<Diagnostic> {
    let target = header.environment.target.filter(|t| t.constant > 0)?;
    let mut total = 0u64;
    let mut last: Option<&Range<usize>> = None;
    for (name, symbol) in &header.symbols {
        if let Symbol::Variable(Variable { space: ".const", bytes: Some(bytes), external: false, .. }) = symbol.symbol {
            total = total.saturating_add(bytes);
            let place = places.get(name).map(|p| &p.range);
            last = last.into_iter().chain(place).max_by_key(|p| p.start);
        }
    }
    if total <= u64::from(target.constant) {
        return None;
    }
    let message = format!(
        "the constant variables of this module take {total} bytes; `{}` has {} for them",
        target.name, target.constant
    );
    let help = "the assembler makes no code for this; move what is large to `.global`";
    Some(Diagnostic::warning(CODE, last?.clone(), message).with_help(help))
}
