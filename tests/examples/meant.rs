//! What the checks report on a list of mistakes with what was meant, and where the fixes lead:
//! `cargo run -p ptx-tests --example meant FILE`. The format is that of `tests/meant`.

use ptx_tests::meant::{attempt, meaning_assembles, parse};

fn main() {
    let path = std::env::args().nth(1).expect("a list of mistakes");
    let list = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    for mistake in parse(&list) {
        let result = attempt(&mistake);
        let verdict = if result.errors.is_empty() {
            "no error"
        } else if result.first_is_meant() {
            "right"
        } else if result.fixes.is_empty() {
            "no fix"
        } else {
            "other"
        };
        println!("{} [{verdict}] {}", mistake.line, mistake.wrong.trim_end());
        for error in &result.errors {
            println!("    {} {}: {}", error.code(), error.range.len(), error.message());
            if let Some(help) = error.help() {
                println!("      help: {help}");
            }
        }
        for fix in &result.fixes {
            let mark = match (fix.allowed, fix.assembles) {
                (true, _) => "+",
                (false, true) => "ASTRAY",
                (false, false) => "-",
            };
            println!("      {mark} {} -> {}", fix.title, fix.text);
        }
        if !mistake.meant[0].contains('*') && !meaning_assembles(&mistake) {
            println!("    the meaning has errors: {}", mistake.meant[0]);
        }
    }
}
