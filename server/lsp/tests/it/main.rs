//! The server and the command line as they are seen from outside: real processes.

mod cli;
mod client;
mod ordering;
mod protocol;
