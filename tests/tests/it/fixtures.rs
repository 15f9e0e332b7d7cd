//! Every fixture reports exactly the annotated diagnostics. The hand-written kernels and the corrected examples of the
//! diagnostics' pages report none.

use ptx_host::Language;
use ptx_tests::annotations::{LINTS, compare, expected, found, found_in_host, revisions};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// All files below a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            out.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn check(name: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for revision in revisions(text) {
        let wrong = compare(&expected(&revision), &found(&revision.text));
        out.extend(wrong.into_iter().map(|w| format!("{name} {}: {w}", revision.name)));
    }
    out
}

fn check_all(paths: &[PathBuf]) {
    assert!(!paths.is_empty(), "there are no files");
    let wrong: Vec<String> = paths
        .iter()
        .flat_map(|p| check(&p.display().to_string(), &fs::read_to_string(p).expect("a readable fixture")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixtures_report_what_they_are_annotated_with() {
    check_all(&files(&root().join("fixtures"), "ptx"));
}

#[test]
fn hand_written_kernels_are_clean() {
    let kernels = files(&root().join("kernels"), "ptx");
    assert!(kernels.len() >= 12);
    check_all(&kernels);
    for path in kernels {
        let text = fs::read_to_string(&path).expect("a readable kernel");
        let wrong = check(&path.display().to_string(), &format!("{text}{LINTS}"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn line_endings_change_nothing() {
    for path in files(&root().join("fixtures"), "ptx") {
        let text = fs::read_to_string(&path).expect("a readable fixture");
        for revision in revisions(&text) {
            let windows = revision.text.replace('\n', "\r\n");
            assert_eq!(found(&revision.text), found(&windows), "{}", path.display());
        }
    }
}

#[test]
fn examples_of_the_diagnostics_pages_are_true() {
    let mut pages = files(&root().join("../docs/diagnostics"), "md");
    // The README is the list of all pages.
    pages.retain(|p| p.file_name().is_some_and(|n| n != "README.md"));
    let codes: Vec<&str> = ptx_check::Code::ALL.iter().map(|c| c.name()).collect();
    let mut wrong = Vec::new();
    for page in &pages {
        let code = page.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        let text = fs::read_to_string(page).expect("a readable page");
        if !codes.contains(&code) {
            wrong.push(format!("{code}: no diagnostic has this page"));
        }
        let host = code.starts_with("asm-");
        // Some mistakes exist in one language only.
        let (fence, language) = match host {
            true if text.contains("```llvm\n") => ("```llvm\n", Language::LlvmIr),
            true => ("```cuda\n", Language::Cpp),
            false => ("```ptx\n", Language::Cpp),
        };
        let examples: Vec<&str> = text.split(fence).skip(1).filter_map(|t| t.split("```").next()).collect();
        if examples.len() < 2 {
            wrong.push(format!("{code}: a page needs a wrong and a corrected example"));
        }
        let shown = examples.iter().flat_map(|e| revisions(e)).flat_map(|r| expected(&r)).any(|f| f.code == code);
        if !shown {
            wrong.push(format!("{code}: no example shows it"));
        }
        for (index, example) in examples.iter().enumerate() {
            if host {
                let [revision] = &revisions(example)[..] else { panic!("{code}: a C++ text has no revisions") };
                let differ = compare(&expected(revision), &found_in_host(language, example, code));
                wrong.extend(differ.into_iter().map(|w| format!("{code}, example {}: {w}", index + 1)));
                continue;
            }
            let lints = if ptx_check::Code::named(code).is_some_and(ptx_check::Code::is_lint) { LINTS } else { "" };
            wrong.extend(check(&format!("{code}, example {}", index + 1), &format!("{example}{lints}")));
        }
    }
    assert_eq!(pages.len(), codes.len(), "every diagnostic has a page");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
