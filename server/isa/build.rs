//! Compiles `data/*.isa` into `OUT_DIR/tables.rs`.

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
    let mut files = Vec::new();
    let mut paths: Vec<_> = match fs::read_dir("data") {
        Ok(dir) => dir.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "isa")).collect(),
        Err(error) => fail(&format!("data: {error}")),
    };
    paths.sort();
    for path in paths {
        match fs::read_to_string(&path) {
            Ok(text) => files.push((format!("server/isa/{}", path.display()), text)),
            Err(error) => fail(&format!("{}: {error}", path.display())),
        }
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
    if let Err(error) = fs::write(Path::new(&dir).join("tables.rs"), out) {
        fail(&format!("tables.rs: {error}"));
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
