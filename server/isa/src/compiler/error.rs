//! Errors in data files.

use std::fmt;

/// An error in a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The name of the file, as passed to the compiler.
    pub file: String,
    /// The line number, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

pub(super) type Result<T> = std::result::Result<T, Error>;
