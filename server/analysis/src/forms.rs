//! Matching instructions against the tables: mnemonics, operand variants, and the choice among them. It reports nothing.

pub mod align;
pub mod choose;
pub mod mnemonic;
pub mod mnemonics;
pub mod nearby;
pub mod operands;
pub mod spec;
