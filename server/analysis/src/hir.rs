//! PTX as data: statements lowered from the tree, declarations, names, types and constants. This module reports no
//! diagnostics.

pub mod ast;
pub mod constant;
pub mod declared;
pub mod directive_parts;
pub(crate) mod hash;
pub mod header;
pub mod literal;
pub mod lower;
pub mod module;
pub(crate) mod opaque;
pub mod signature;
pub(crate) mod statements;
pub mod symbols;
pub mod types;
