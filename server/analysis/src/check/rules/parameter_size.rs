//! `parameter-size`: the parameters of a kernel are too large together.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use crate::target::{Environment, describe_needs};
use ptx_isa::tables::Capacity;

const CODE: Code = Code::ParameterSize;

/// The report on the parameter that passes the limit.
pub fn report(name: Word<'_>, end: u64, limit: u32, more: Option<&Capacity>, environment: &Environment) -> Diagnostic {
    let message = format!(
        "`{}` ends at byte {end}: the parameters of a kernel hold {limit} bytes with {}",
        name.text,
        environment.describe()
    );
    let found = Diagnostic::error(CODE, name.range(), message);
    match more.and_then(|c| Some((c.bytes, c.gates.first()?))) {
        Some((bytes, gate)) => found.with_help(format!("{bytes} bytes need {}", describe_needs(gate))),
        None => found.with_help("pass the address of a variable in `.global` or `.const` instead"),
    }
}
