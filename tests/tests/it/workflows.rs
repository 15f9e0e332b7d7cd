//! Permissions of the repository's workflows.

use std::fs;
use std::path::Path;

/// The jobs of a workflow, each with its name and lines. A job is indented by two blanks below `jobs:`.
fn jobs(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines().skip_while(|l| *l != "jobs:").skip(1) {
        let code = line.split(" #").next().unwrap_or_default().trim_end();
        match code.strip_prefix("  ").filter(|l| !l.starts_with([' ', '#'])).and_then(|l| l.strip_suffix(':')) {
            Some(name) => out.push((name.to_owned(), Vec::new())),
            None => out.last_mut().into_iter().for_each(|(_, lines)| lines.push(code.trim().to_owned())),
        }
    }
    out
}

/// An install script of a dependency has the permissions of its job.
#[test]
fn jobs_that_sign_run_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows");
    let (mut signing, mut installing) = (0, 0);
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display();
        // Permissions of the workflow would apply to every job.
        assert!(text.lines().any(|l| l == "permissions: {}"), "{name}");
        for (job, lines) in jobs(&text) {
            let install = |l: &&String| ["npm ci", "npm install", "npm i "].iter().any(|c| l.contains(c));
            for line in lines.iter().filter(install) {
                installing += 1;
                assert!(line.contains("--ignore-scripts"), "{name}, {job}: {line}");
            }
            if lines.iter().any(|l| ["id-token: write", "attestations: write"].contains(&l.as_str())) {
                signing += 1;
                let runs = |l: &&String| ["run:", "- run:"].iter().any(|r| l.starts_with(r)) || l.contains("checkout@");
                assert_eq!(lines.iter().find(runs), None, "{name}, {job}");
            }
        }
    }
    assert!(signing > 0 && installing > 0, "{signing} jobs sign, {installing} lines install");
}
