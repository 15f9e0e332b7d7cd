//! `narrow-address`: a register too small for the addresses of the state space.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Spec;
use crate::hir::types::TypeId;
use std::ops::Range;

const CODE: Code = Code::NarrowAddress;

/// The report.
pub fn report(range: Range<usize>, register: &str, ty: TypeId, needs: u16, spec: &Spec) -> Diagnostic {
    let address = match spec.spaces {
        Some([first, ..]) => format!("an address in `{first}`"),
        _ => "a generic address".to_owned(),
    };
    let message = format!("`{register}` has {} bits, but {address} has {needs}", ty.info().bits);
    let help = "hold the address in a wider register: what does not fit into this one is lost";
    Diagnostic::warning(CODE, range, message).with_help(help)
}
