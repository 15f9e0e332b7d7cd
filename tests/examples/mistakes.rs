//! What ptx-analyzer reports on a list of mistakes, with its fixes: `cargo run -p ptx-tests --example mistakes [--json] [FILE]`. The
//! format of the file is that of `tests/oracle/mistakes.txt`, which is the default.

use ptx_tests::mistakes::{Mistake, changed_lines, parse, report};
use serde_json::json;

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle/mistakes.txt").to_owned();
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = arguments.first().is_some_and(|a| a == "--json");
    arguments.drain(..usize::from(json));
    let path = arguments.pop().unwrap_or(default);
    let list = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    for mistake in parse(&list) {
        if json { print_json(&mistake) } else { print(&mistake) }
    }
}

fn print_json(mistake: &Mistake) {
    let module = mistake.module();
    let fixes: Vec<_> = report(&module)
        .into_iter()
        .flat_map(|found| found.fixes)
        .map(|(_, after)| json!({"lines": changed_lines(&module, &after), "module": after}))
        .collect();
    println!("{}", json!({"title": mistake.title, "target": mistake.target, "module": module, "fixes": fixes}));
}

fn print(mistake: &Mistake) {
    println!("## {} @ {} {}\n{}", mistake.title, mistake.version, mistake.target, mistake.text.trim_end());
    let module = mistake.module();
    for found in report(&module) {
        let place = module.get(found.diagnostic.range.clone()).unwrap_or("");
        println!("   `{place}` {}: {}", found.diagnostic.code(), found.diagnostic.message());
        if let Some(help) = found.diagnostic.help() {
            println!("   help: {help}");
        }
        for (fix, after) in found.fixes {
            let preferred = if fix.preferred { "*" } else { "-" };
            println!("     {preferred} {}: {}", fix.title, changed_lines(&module, &after));
        }
    }
    println!();
}
