//! The tables read when a program starts, from the folder that `PTX_ISA_DATA` names, in place of those compiled in.
//!
//! For whoever writes data files: a tool built once tries each change without a build. No product is built so.

use crate::compiler;
use crate::tables::Isa;
use std::sync::LazyLock;
use std::{env, fs, process};

/// The instruction set, as compiled from the folder.
pub static ISA: LazyLock<Isa> = LazyLock::new(|| {
    let Some(folder) = env::var_os("PTX_ISA_DATA") else { fail("PTX_ISA_DATA must name a folder of .isa files") };
    let mut paths: Vec<_> = match fs::read_dir(&folder) {
        Ok(entries) => entries.flatten().map(|e| e.path()).collect(),
        Err(error) => fail(&format!("{}: {error}", folder.to_string_lossy())),
    };
    paths.retain(|p| p.extension().is_some_and(|e| e == "isa"));
    paths.sort();
    let read = |path: &std::path::PathBuf| match fs::read_to_string(path) {
        Ok(text) => (path.display().to_string(), text),
        Err(error) => fail(&format!("{}: {error}", path.display())),
    };
    let files: Vec<_> = paths.iter().map(read).collect();
    compiler::compile(&files).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        fail(&lines.join("\n"))
    })
});

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    process::exit(2);
}
