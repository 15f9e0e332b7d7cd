//! `narrow-address`: an address register that is too small for the addresses of the state space.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};
use ptx_sema::forms::spec::OperandSpec;
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::Environment;
use std::ops::Range;

/// A register that is too small for the addresses of a state space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct NarrowAddress {
    /// The name of the register.
    pub register: Box<str>,
    /// Its size in bits.
    pub bits: u16,
    /// The state space; `None` for generic addresses.
    pub space: Option<&'static str>,
    /// The size of an address in bits.
    pub required: u16,
}

impl DiagnosticMessage for NarrowAddress {
    fn message(&self) -> String {
        let Self { register, bits, space, required } = self;
        match space {
            Some(space) => format!("`{register}` has {bits} bits, but an address in `{space}` has {required}"),
            None => format!("`{register}` has {bits} bits, but a generic address has {required}"),
        }
    }

    fn help(&self) -> Option<String> {
        Some("hold the address in a wider register: what does not fit into this one is lost".to_owned())
    }
}

/// The report on an address register of an integer or untyped type, if it is too small.
pub(crate) fn check(
    range: Range<usize>,
    (register, ty): (&str, TypeId),
    spec: &OperandSpec,
    environment: &Environment,
) -> Option<Diagnostic> {
    let TypeInfo { class, bits, .. } = *ty.info();
    if !matches!(class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint) {
        return None;
    }
    let windows = |spaces: &[&str]| spaces.iter().all(|s| ISA.space(s).is_some_and(|s| s.window));
    let required = if spec.spaces.is_some_and(windows) { 32 } else { environment.address_size };
    let space = spec.spaces.and_then(|spaces| spaces.first().copied());
    let found = || NarrowAddress { register: register.into(), bits, space, required };
    (bits < required).then(|| Diagnostic::new(range, found()))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn addresses_in_registers() {
        let found = |body: &str| messages(&in_kernel(Code::NarrowAddress, body));
        assert_eq!(found("ld.global.b32 %r1, [%r2];"), ["`%r2` has 32 bits, but an address in `.global` has 64"]);
        assert_eq!(found("ld.b32 %r1, [%r2];"), ["`%r2` has 32 bits, but a generic address has 64"]);
        assert!(found("ld.global.b32 %r1, [%rd2]; ld.shared.b32 %r1, [%r2];").is_empty());
    }
}
