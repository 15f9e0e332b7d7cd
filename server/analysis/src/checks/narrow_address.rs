//! `narrow-address`: a register too small for the addresses of the state space.

use crate::diagnostic::Diagnostic;
use crate::spec::Spec;
use crate::types::TypeId;
use std::ops::Range;

/// The code.
pub const CODE: &str = "narrow-address";

/// The report.
pub fn report(range: Range<usize>, register: &str, ty: TypeId, needs: u16, spec: &Spec) -> Diagnostic {
    let space = match spec.spaces {
        Some([one]) => format!("`{one}`"),
        _ => "generic".to_owned(),
    };
    let article = if spec.spaces.is_some_and(|s| s.len() == 1) { "addresses in" } else { "an address that is" };
    let message = format!("`{register}` has {} bits, but {article} {space} have {needs}", ty.info().bits);
    let help = "hold the address in a wider register: the assembler takes this, and the upper bits are lost";
    Diagnostic::warning(CODE, range, message).help(help)
}
