//! Compiles `data/*.isa` into `OUT_DIR/tables.rs` and `OUT_DIR/exec.rs`.

// The compiler and the tables are also parts of the library; the build script uses only some of it.
#[allow(dead_code, missing_docs)]
#[path = "src/compiler/mod.rs"]
mod compiler;
#[allow(dead_code, missing_docs)]
#[path = "src/tables.rs"]
mod tables;

use std::path::Path;
use std::{env, fs, process};
use tables::Emit;

fn main() {
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=src/compiler");
    println!("cargo::rerun-if-changed=src/tables.rs");
    let mut files = compiler::read(Path::new("data")).unwrap_or_else(|error| fail(&error));
    for (name, _) in &mut files {
        name.insert_str(0, "server/isa/");
    }
    let isa = match compiler::compile(&files) {
        Ok(isa) => isa,
        Err(errors) => {
            for error in &errors {
                println!("cargo::error={error}");
            }
            process::exit(1);
        }
    };
    let mut out = String::from("/// The instruction set, as compiled from the data files.\npub static ISA: Isa = ");
    isa.emit(&mut out);
    out.push_str(";\n");
    let Ok(dir) = env::var("OUT_DIR") else { fail("OUT_DIR is not set") };
    let exec = compiler::exec::source(&isa).unwrap_or_else(|error| fail(&error));
    for (name, text) in [("tables.rs", out), ("exec.rs", exec)] {
        if let Err(error) = fs::write(Path::new(&dir).join(name), text) {
            fail(&format!("{name}: {error}"));
        }
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
