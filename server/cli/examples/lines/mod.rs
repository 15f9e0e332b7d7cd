//! Positions in a text, in the form of the protocol.

use serde_json::{Value, json};

/// The byte offsets of line starts. Columns are bytes, as negotiated with the server.
pub struct Lines(pub Vec<usize>);

impl Lines {
    pub fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect())
    }

    pub fn place(&self, offset: usize) -> Value {
        let line = self.0.partition_point(|start| *start <= offset) - 1;
        json!({ "line": line, "character": offset - self.0[line] })
    }
}
