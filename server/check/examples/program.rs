//! Lowers the whole modules in files for execution, and says how long it took and what has no value:
//! `cargo run --release -p ptx-check --example program -- FILE…`

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use ptx_check::{Analyzer, execution::CheckedProgram};
use ptx_flow::flow::OperandValue;
use ptx_syntax::Snapshot;
use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let snapshot = Snapshot::new(&text);
        let found = Analyzer::default().analyze(&snapshot).diagnostics;
        let start = Instant::now();
        let CheckedProgram { program, .. } = CheckedProgram::of(&snapshot, &found);
        let lowered = start.elapsed();
        let bodies = || program.functions.iter().filter_map(|f| Some((f, f.body.as_ref()?)));
        let instructions: usize = bodies().map(|(_, b)| b.instructions.len()).sum();
        let bytes: usize = program.variables.iter().map(|v| v.initial.bytes.len()).sum();
        let relocations: usize = program.variables.iter().map(|v| v.initial.relocations.len()).sum();
        let locations: usize = program.functions.iter().map(|f| f.locations.len()).sum();
        println!(
            "{path}: {} functions, {instructions} instructions, {} variables, {bytes} bytes, {relocations} addresses, \
             {} files, {locations} places, {} errors, {lowered:?}",
            program.functions.len(),
            program.variables.len(),
            program.files.len(),
            program.errors.len()
        );
        for (callable, body) in bodies() {
            // What is wrong with it has been said.
            if !program.errors_in(callable).is_empty() {
                continue;
            }
            if !body.complete {
                println!("    {}: not all of it is understood", callable.name);
            }
            for operand in &body.operands {
                let range = operand.range.start as usize + callable.start..operand.range.end as usize + callable.start;
                let text = text.get(range).unwrap_or("");
                match (operand.value, operand.offset) {
                    (OperandValue::Unknown, _) => println!("    {}: `{text}` has no value", callable.name),
                    (_, None) => println!("    {}: `{text}` has no offset", callable.name),
                    _ => {}
                }
            }
            for variable in &body.variables {
                let module = variable.range.is_empty();
                if module && program.variable(&variable.name).is_none() {
                    println!("    {}: the variable `{}` is nowhere", callable.name, variable.name);
                }
            }
            for function in &body.functions {
                if program.function(function).is_none() {
                    println!("    {}: the function `{function}` is nowhere", callable.name);
                }
            }
        }
    }
}
