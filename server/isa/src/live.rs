//! Reads the tables at program start from the folder that `PTX_ISA_DATA` names, instead of using the compiled-in ones.
//!
//! This is for authors of data files: a tool that is built once can try each change without a rebuild. No released product
//! uses it. A name added since that build has no variant in the enumerations of `ids.rs`: the checks know it, the semantics
//! do not.

use crate::compiler;
use crate::tables::Isa;
use std::path::Path;
use std::sync::LazyLock;
use std::{env, process};

/// The instruction set, as compiled from the folder.
pub static ISA: LazyLock<Isa> = LazyLock::new(|| {
    let Some(folder) = env::var_os("PTX_ISA_DATA") else { fail("PTX_ISA_DATA must name a folder of .isa files") };
    let files = compiler::read(Path::new(&folder)).unwrap_or_else(|error| fail(&error));
    compiler::compile(&files).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        fail(&lines.join("\n"))
    })
});

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    process::exit(2);
}
