//! Tests of the server and the command line as real processes.

// In tests, a failed expectation may panic.
#![allow(clippy::unwrap_used)]
// Tests make the files that they read.
#![allow(clippy::disallowed_methods)]

mod answers;
mod bursts;
mod cli;
mod client;
mod code_actions;
mod completion;
mod completion_clients;
mod eval;
mod evaluate;
mod faults;
mod fmt;
mod foreign;
mod formatting;
mod growth;
mod histories;
mod holding;
mod hostile;
mod hover;
mod incremental;
mod inline;
mod isa;
mod launches;
mod live_ranges;
mod locked;
mod manners;
mod memory;
mod navigation;
mod ordering;
mod presentation;
mod protocol;
mod ptxas;
mod readme;
mod registers;
mod regs;
mod rows;
mod sass;
mod session;
mod shell;
mod spelling;
mod statements;
mod strange_files;
mod sync;
#[cfg(unix)]
mod terminal;
mod workspace;
