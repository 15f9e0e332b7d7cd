//! What ptx-analyzer reports on a list of mistakes, with its fixes: `cargo run -p ptx-tests --example mistakes [FILE]`. The format of the
//! file is that of `tests/oracle/mistakes.txt`, which is the default.

use ptx_tests::mistakes::{parse, report};

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle/mistakes.txt").to_owned();
    let path = std::env::args().nth(1).unwrap_or(default);
    let list = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    for mistake in parse(&list) {
        println!("## {} @ {} {}\n{}", mistake.title, mistake.version, mistake.target, mistake.text.trim_end());
        let module = mistake.module();
        for found in report(&module) {
            let range = found.diagnostic.range.clone();
            let place = module.get(range).unwrap_or("");
            println!("   `{place}` {}: {}", found.diagnostic.code(), found.diagnostic.message());
            if let Some(help) = found.diagnostic.help() {
                println!("   help: {help}");
            }
            for (fix, after) in found.fixes {
                let changed: Vec<&str> = after.lines().filter(|l| !module.lines().any(|m| m == *l)).collect();
                let preferred = if fix.preferred { "*" } else { "-" };
                println!("     {preferred} {}: {}", fix.title, changed.join(" ⏎ "));
            }
        }
        println!();
    }
}
