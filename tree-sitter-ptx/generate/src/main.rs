//! Generates the parser from grammar.js: `cargo run --manifest-path tree-sitter-ptx/generate/Cargo.toml [-- FOLDER]`.
//!
//! The result goes to `src`, or to FOLDER. It is what `tree-sitter generate` writes: the same library does it, at the version that
//! Cargo.lock names. Node.js, which has to be on the path, runs grammar.js.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tree_sitter_generate::{ABI_VERSION_MAX, OptLevel, generate_parser_in_directory};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = std::env::args_os().nth(1).map_or_else(|| root.join("src"), PathBuf::from);
    let mut notes = Vec::new();
    let result = generate_parser_in_directory(
        &root,
        Some(out),
        None::<PathBuf>,
        ABI_VERSION_MAX,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut notes,
    );
    for note in notes {
        eprintln!("{note:?}");
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
