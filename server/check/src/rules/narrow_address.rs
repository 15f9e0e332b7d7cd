//! `narrow-address`: an address in fewer bits than the addresses of the state space have.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use crate::rules::not_assembled;
use crate::rules::required_size::RequiredSize;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, OperandAccess, Outcome, TypeClass, TypeInfo, ValueKind};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::forms::spec::{OperandPattern, OperandSpec, OperandVariant};
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::{ASSEMBLED_ADDRESS_SIZE, Environment};
use std::ops::Range;

/// The size of an address, in bits, for which the assembler generates code.
const FULL: u16 = ASSEMBLED_ADDRESS_SIZE;

/// The size of registers, in bits, that the assembler takes for addresses of a 32-bit module. It extends smaller ones.
const HALF: u16 = 32;

/// An address in fewer bits than the addresses of the state space have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum NarrowAddress {
    /// A register that is too small.
    Register {
        /// The name of the register.
        register: Box<str>,
        /// Its size in bits.
        bits: u16,
        /// The state space; `None` for generic addresses.
        space: Option<&'static str>,
        /// The size of an address in bits.
        required: u16,
        /// Whether the assembler generates no code for the instruction.
        refused: bool,
    },
    /// The address of a variable, moved to fewer bits.
    Variable {
        /// The name of the variable.
        name: Box<str>,
        /// Its state space.
        space: &'static str,
        /// The size to which it is moved.
        bits: u16,
    },
}

impl NarrowAddress {
    fn is_refused(&self) -> bool {
        match self {
            Self::Register { refused, .. } => *refused,
            Self::Variable { .. } => true,
        }
    }

    /// What the assembler does with the address.
    fn consequence(&self) -> &'static str {
        match self.is_refused() {
            true => "ptxas generates code for 64-bit addresses only",
            false => "ptxas fills the missing bits with zeros",
        }
    }

    /// The size that the register should have.
    pub(crate) fn required_size(&self) -> Option<RequiredSize<'_>> {
        let Self::Register { register, required, .. } = self else { return None };
        Some(RequiredSize { register, bits: *required, float: false, consequence: Some(self.consequence()) })
    }

    fn report(self, range: Range<usize>) -> Diagnostic {
        let severity = if self.is_refused() { Severity::Error } else { Severity::Warning };
        Diagnostic::new(range, self).severity(severity)
    }
}

impl DiagnosticMessage for NarrowAddress {
    fn message(&self) -> String {
        match self {
            Self::Register { register, bits, space: Some(space), required, .. } => {
                format!("`{register}` has {bits} bits, but an address in `{space}` has {required}")
            }
            Self::Register { register, bits, space: None, required, .. } => {
                format!("`{register}` has {bits} bits, but a generic address has {required}")
            }
            Self::Variable { name, space, bits } => {
                format!("the address of `{name}` in `{space}` has {FULL} bits, but {bits} are moved")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let wider = if self.is_refused() { "64-bit" } else { "wider" };
        Some(format!("hold the address in a {wider} register: {}", self.consequence()))
    }
}

/// An instruction with a register in an address.
pub(crate) struct AddressRegister<'a> {
    /// The instruction.
    pub instruction: &'a Instruction<'a>,
    /// Its opcode and modifiers as written.
    pub written: &'a str,
    /// Its entry in the tables.
    pub entry: &'static Entry,
    /// The part of the address.
    pub spec: &'a OperandSpec,
    /// The name of the register.
    pub name: &'a str,
    /// Its type.
    pub ty: TypeId,
}

/// The report on an address register of an integer or untyped type, if it is too small.
pub(crate) fn check(
    range: Range<usize>,
    register: &AddressRegister<'_>,
    environment: &Environment,
) -> Option<Diagnostic> {
    let TypeInfo { class, bits, .. } = *register.ty.info();
    if !matches!(class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint) || !environment.generates_code() {
        return None;
    }
    let AddressRegister { instruction, entry, spec, name, .. } = register;
    let window = |space: &str| ISA.space(space).is_some_and(|s| s.window);
    let mut windows = spec.spaces.is_some_and(|spaces| spaces.iter().all(|s| window(s)));
    let mut space = spec.spaces.and_then(|spaces| spaces.first().copied());
    // Where no state space is written, those of the form are about variables: the address is generic.
    if entry.narrow_addresses != Outcome::Built && windows && !instruction.modifiers.iter().any(|m| window(m.text)) {
        (windows, space) = (false, None);
    }
    let refused = !windows && bits == HALF && entry.narrow_addresses == Outcome::Refused;
    let crashes = !windows && bits < FULL && entry.narrow_addresses == Outcome::Crash;
    if crashes {
        let note = "hold the address in a 64-bit register";
        return Some(not_assembled::crash(range, register.written, note));
    }
    let required = match (windows, refused) {
        (true, _) => HALF,
        (false, false) => environment.address_size,
        (false, true) => FULL,
    };
    let problem = || NarrowAddress::Register { register: (*name).into(), bits, space, required, refused };
    (bits < required).then(|| problem().report(range))
}

/// Reports addresses of variables that an instruction moves to 32 bits, although they have 64.
pub(crate) fn moved(
    instruction: &Instruction<'_>,
    variant: &OperandVariant,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    for (operand, (_, pattern)) in instruction.operands.iter().zip(&variant.operands) {
        let OperandPattern::Value(spec) = pattern else { continue };
        let bits = spec.ty.map_or(0, |ty| ty.info().bits);
        let reads_address =
            spec.value.symbol && spec.value.kind == ValueKind::Value && spec.value.access == OperandAccess::Read;
        let Operand { kind: OperandKind::Name(name), range, .. } = operand else { continue };
        if !reads_address || bits != HALF {
            continue;
        }
        if let Some(Symbol::Variable(variable)) = names.look_up(name)
            && ISA.space(variable.space).is_some_and(|space| space.wide)
        {
            let problem = NarrowAddress::Variable { name: (*name).into(), space: variable.space, bits };
            out.push(problem.report(range.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn addresses_in_registers() {
        let found = |body: &str| messages(&in_kernel(Code::NarrowAddress, body));
        assert_eq!(found("ld.global.b32 %r1, [%r2];"), ["`%r2` has 32 bits, but an address in `.global` has 64"]);
        assert_eq!(found("ld.b32 %r1, [%r2];"), ["`%r2` has 32 bits, but a generic address has 64"]);
        assert!(found("ld.global.b32 %r1, [%rd2]; ld.shared.b32 %r1, [%r2];").is_empty());
    }

    /// The levels are those of ptxas 13.5 with code generation.
    #[test]
    fn what_the_assembler_builds_is_a_warning() {
        let severity = |body: &str| in_kernel(Code::NarrowAddress, body).first().map(|d| d.severity);
        for refused in [
            "ld.b32 %r1, [%r2];",
            "st.global.b32 [%r2+4], %r1;",
            "atom.add.u32 %r1, [%r2], 1;",
            "red.global.add.u32 [%r2], 1;",
            "prefetch.global.L2 [%r2];",
            "mbarrier.init.b64 [%r2], 1;",
            "mbarrier.arrive.expect_tx.b64 _, [%r2], 16;",
            "mbarrier.try_wait.b64 %p1, [%r2], %rd1;",
        ] {
            assert_eq!(severity(refused), Some(Severity::Error), "{refused}");
        }
        for built in ["ld.b32 %r1, [%h2];", "ld.shared.b32 %r1, [%h2];"] {
            assert_eq!(severity(built), Some(Severity::Warning), "{built}");
        }
        for right in ["mbarrier.init.shared.b64 [%r2], 1;", "ld.const.b32 %r1, [%r2];", "ld.local.b32 %r1, [%r2];"] {
            assert_eq!(severity(right), None, "{right}");
        }
        let crash = in_kernel(Code::AssemblerCrash, "cp.async.ca.shared.global [%r1], [%r2], 4;");
        assert_eq!(crash.len(), 1);
    }

    #[test]
    fn addresses_of_variables() {
        let module = |statement: &str| {
            let header = ".version 8.0\n.target sm_90\n.address_size 64\n.global .b32 g; .shared .b32 s;\n";
            let text = format!("{header}.entry k() {{ .reg .b32 %r<2>; .reg .b64 %rd; {statement} ret; }}");
            messages(&in_module(Code::NarrowAddress, &text))
        };
        let expected = "the address of `g` in `.global` has 64 bits, but 32 are moved";
        assert_eq!(module("mov.u32 %r1, g;"), [expected]);
        assert!(module("mov.u32 %r1, s; mov.u64 %rd, g; mov.b32 %r1, g+4;").is_empty());
    }

    #[test]
    fn without_a_size_in_the_header() {
        let found = |size: &str| {
            let text = format!(
                ".version 8.0\n.target sm_90\n{size}\n.entry k() {{ .reg .b32 %r<3>; ld.b32 %r1, [%r2]; ret; }}"
            );
            in_module(Code::NarrowAddress, &text).len()
        };
        assert_eq!((found(""), found(".address_size 64")), (1, 1));
        assert_eq!(found(".address_size 32"), 0, "the directive is reported");
    }
}
