//! How commands end.

use std::process::ExitCode;

/// The exit status of a command. The numbers are documented, so they must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CliStatus {
    /// Success without diagnostics.
    Fine = 0,
    /// Diagnostics, findings or unformatted files.
    Findings = 1,
    /// Wrong usage, or a file that cannot be read.
    Trouble = 2,
}

impl From<CliStatus> for ExitCode {
    fn from(status: CliStatus) -> Self {
        Self::from(status as u8)
    }
}
