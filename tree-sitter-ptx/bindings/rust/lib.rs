//! PTX, the assembly language of NVIDIA GPUs, for the [tree-sitter](https://tree-sitter.github.io) parsing library.
//!
//! The grammar describes shapes, not instruction names: an opcode is a word, a modifier is a dot-word. It must not know what an
//! instruction means, which modifiers it takes, or which PTX version has it.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the library reads this grammar's version");
//! let tree = parser.parse("add.u32 %r1, %r2, %r3;", None).expect("no time limit is set");
//! let instruction = tree.root_node().child(0).expect("one instruction");
//! assert_eq!(instruction.kind(), "instruction");
//! assert!(!tree.root_node().has_error());
//! ```

use tree_sitter_language::LanguageFn;

#[allow(unsafe_code)] // The only way to declare a symbol of the C library.
mod ffi {
    unsafe extern "C" {
        pub fn tree_sitter_ptx() -> *const ();
    }

    // SAFETY: the generated function has this signature and returns a pointer to a static.
    pub const LANGUAGE: super::LanguageFn = unsafe { super::LanguageFn::from_raw(tree_sitter_ptx) };
}

/// The grammar, for `Parser::set_language`.
pub const LANGUAGE: LanguageFn = ffi::LANGUAGE;

/// The node types with their fields, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// The highlight query, with capture names that Neovim and Helix share.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// The query for folding ranges.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// The query for indentation.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// The query for scopes, definitions and references.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// The query for definitions and references in symbol indexes.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");

/// The query for other languages inside PTX.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");
