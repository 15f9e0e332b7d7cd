//! The language server for files of other languages with PTX in strings.

mod compile_commands;

pub use compile_commands::CompileCommands;
