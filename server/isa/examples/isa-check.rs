//! Compiles data files of the ISA notation and prints every error, without building the crate that includes them: `cargo run
//! -p ptx-isa --features compiler --example isa-check -- server/isa/data/*.isa`

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files = Vec::new();
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => files.push((path, text)),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    match ptx_isa::compiler::compile(&files) {
        Ok(isa) => {
            let entries = isa.opcodes.iter().flat_map(|o| o.entries);
            let forms: usize = entries.clone().map(|e| e.forms.len()).sum();
            let (opcodes, types, modifiers) = (isa.opcodes.len(), isa.types.len(), isa.modifiers.len());
            println!(
                "{opcodes} opcodes, {} entries, {forms} forms, {types} types, {modifiers} modifiers",
                entries.count()
            );
            ExitCode::SUCCESS
        }
        Err(errors) => {
            for error in &errors {
                println!("{error}");
            }
            ExitCode::FAILURE
        }
    }
}
