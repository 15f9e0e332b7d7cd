//! Lines and columns of byte offsets.

/// The beginnings of the lines of a text.
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    /// Returns the line and the column of a byte, both from 1. Columns count bytes.
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        (line, offset - self.starts.get(line - 1).copied().unwrap_or(0) + 1)
    }
}
