//! The tables read when a program starts, from the folder that `PTX_ISA_DATA` names, in place of those compiled in.
//!
//! For authors of data files: a tool built once tries each change without a build. No product is built this way. A name
//! that is new since that build has no variant in the enumerations of `ids.rs`: the checks know it, the semantics do not.

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
