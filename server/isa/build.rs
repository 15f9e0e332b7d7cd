//! Compiles `data/*.isa` into `OUT_DIR/tables.rs` and `OUT_DIR/ids.rs`, and `data/*.tsv` into `OUT_DIR/usage.rs`.

// The data of the instruction set are part of the sources.
#![allow(clippy::disallowed_methods)]

// The compiler and the tables are also parts of the library; the build script uses only some of it.
#[allow(dead_code, missing_docs)]
#[path = "src/compiler/mod.rs"]
mod compiler;
#[allow(dead_code, missing_docs)]
#[path = "src/emit.rs"]
mod emit;
#[allow(dead_code, missing_docs)]
#[path = "src/tables.rs"]
mod tables;

/// Replaces the enumerations of the library, which this script only generates: a name prints itself as its later variant.
mod ids {
    use crate::compiler::ids::variant;
    use crate::emit::Emit;

    macro_rules! name {
        ($($name:ident)*) => {$(
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct $name(&'static str);

            impl $name {
                pub fn of(name: &'static str) -> Option<Self> {
                    Some(Self(name))
                }
            }

            impl Emit for $name {
                fn emit(&self, out: &mut String) {
                    out.push_str(concat!(stringify!($name), "::"));
                    out.push_str(&variant(self.0));
                }
            }
        )*};
    }
    name!(Exec OperandName SlotName);
}

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
    let mut out = String::from(
        "/// The instruction set, as compiled from the data files.\n// Texts of documentation are verified.\n#[allow(long_running_const_eval)]\npub static ISA: Isa = ",
    );
    isa.emit(&mut out);
    out.push_str(";\n");
    let Ok(dir) = env::var("OUT_DIR") else { fail("OUT_DIR is not set") };
    let ids = compiler::ids::source(&isa).unwrap_or_else(|error| fail(&error));
    let usage = beside("usage.tsv", |file, text| compiler::usage::usage(file, text, &isa));
    let templates = beside("templates.tsv", |file, text| compiler::usage::templates(file, text, &isa));
    let cuda = beside("cuda.tsv", |file, text| compiler::foreign::cuda(file, text, &isa));
    let (names, sass) = (table("names.tsv"), table("sass.tsv"));
    let names = compiler::foreign::names((&names.0, &names.1), (&sass.0, &sass.1), &isa);
    let names = names.unwrap_or_else(|error| fail(&error.to_string()));
    let search = beside("search.tsv", compiler::foreign::search_words);
    let values = beside("values.tsv", |file, text| compiler::usage::values(file, text, &isa));
    let releases = beside("releases.tsv", |file, text| compiler::usage::releases(file, text, &isa));
    let constraints = beside("constraints.tsv", |file, text| compiler::usage::constraints(file, text, &isa));
    let messages = messages(&["assembler.tsv", "tools.tsv"]);
    let usage = usage + &templates + &cuda + &names + &values + &messages + &releases + &constraints + &search;
    for (name, text) in [("tables.rs", out), ("ids.rs", ids), ("usage.rs", usage)] {
        if let Err(error) = fs::write(Path::new(&dir).join(name), text) {
            fail(&format!("{name}: {error}"));
        }
    }
}

/// Compiles the tables of messages.
fn messages(names: &[&str]) -> String {
    let texts: Vec<(String, String)> = names.iter().map(|name| table(name)).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    compiler::usage::assembler_messages(&files).unwrap_or_else(|error| fail(&error.to_string()))
}

fn read(name: &str) -> String {
    fs::read_to_string(Path::new("data").join(name)).unwrap_or_else(|error| fail(&format!("data/{name}: {error}")))
}

/// The path of a `.tsv` table of the data folder, and its text.
fn table(name: &str) -> (String, String) {
    (format!("server/isa/data/{name}"), read(name))
}

/// Compiles one `.tsv` table of the data folder.
fn beside(name: &str, compile: impl Fn(&str, &str) -> Result<String, compiler::Error>) -> String {
    let (file, text) = table(name);
    compile(&file, &text).unwrap_or_else(|error| fail(&error.to_string()))
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
