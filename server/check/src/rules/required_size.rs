//! The size that a register should have. Where it is an operand of another language, that language says how to ask for it.

use super::narrow_address::NarrowAddress;
use super::operand_type::OperandType;
use crate::diagnostic::Diagnostic;

/// The size that a register of a diagnostic should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredSize<'a> {
    /// The register.
    pub register: &'a str,
    /// The size in bits.
    pub bits: u16,
    /// Whether a floating-point number is expected.
    pub float: bool,
    /// What the register is for.
    pub purpose: RegisterPurpose,
}

/// What a register of the wrong size is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterPurpose {
    /// It holds an address.
    Address {
        /// What the assembler does with the register as it is.
        consequence: &'static str,
    },
    /// It takes a result.
    Result,
}

impl Diagnostic {
    /// The size that the register should have, if it is the one to change.
    pub fn required_size(&self) -> Option<RequiredSize<'_>> {
        let data = &self.finding;
        let address = data.data().and_then(NarrowAddress::required_size);
        address.or_else(|| data.data().and_then(OperandType::required_size))
    }
}
