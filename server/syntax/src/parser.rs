//! Creates the parser, and reads ranges of a text.

use ropey::Rope;
use std::ops::Range;
use tree_sitter::Parser;

/// Creates a parser of PTX.
///
/// # Panics
/// Only if the grammar was generated for another version of the tree-sitter runtime, which the tests rule out.
pub fn parser() -> Parser {
    let mut parser = Parser::new();
    #[allow(clippy::expect_used)]
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the grammar fits the runtime");
    parser
}

/// The bytes of a range of a text. Edits and chunk boundaries are on character boundaries, so the range is as well.
pub fn slice(rope: &Rope, range: Range<usize>) -> std::borrow::Cow<'_, [u8]> {
    let slice = rope.byte_slice(range);
    match slice.as_str() {
        Some(text) => text.as_bytes().into(),
        None => slice.bytes().collect::<Vec<_>>().into(),
    }
}
