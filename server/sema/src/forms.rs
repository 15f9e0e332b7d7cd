//! Matches instructions against the ISA tables: mnemonics, operand variants, and the choice among them. This module reports
//! no diagnostics.

pub mod align;
pub mod assembly;
pub mod choose;
pub mod mnemonic;
pub mod mnemonics;
pub mod nearby;
pub mod operands;
pub mod spec;
