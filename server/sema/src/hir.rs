//! PTX as data: statements lowered from the tree, declarations, names, types and constants. This module reports no
//! diagnostics.

pub mod ast;
pub mod constant;
pub mod declared;
pub mod directive_parts;
pub mod hash;
pub mod header;
pub mod literal;
pub mod lower;
pub mod module;
pub mod opaque;
pub mod signature;
pub mod statements;
pub mod symbols;
pub mod types;
