//! A replacement of text.

use std::ops::Range;

/// A replacement of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced range, in bytes.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}
