//! The size that a register should have. Where it is an operand of another language, that language says how to ask for it.

/// The size that a register of a diagnostic should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredSize<'a> {
    /// The register.
    pub register: &'a str,
    /// The size in bits.
    pub bits: u16,
    /// Whether a floating-point number is expected.
    pub float: bool,
    /// For an address: what the assembler does with the register as it is. `None` for a result.
    pub consequence: Option<&'static str>,
}
