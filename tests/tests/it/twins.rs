//! Our own files, as they are and with other separators, read with and without the parser.

use ptx_tests::generate::Random;
use ptx_tests::separators::respaced;
use ptx_tests::twins::difference;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            out.push(path);
        }
    }
}

#[test]
fn both_readers_agree_on_our_files() {
    let mut paths = Vec::new();
    for folder in ["kernels", "fixtures"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut paths);
    }
    paths.sort();
    assert!(paths.len() > 90, "{}", paths.len());
    let mut random = Random::new(29);
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let others: Vec<String> = [1, 1, 2, 4, 6].map(|most| respaced(&text, most, &mut |n| random.below(n))).into();
        for text in others.iter().chain([&text]) {
            let different = difference(text, [1, 400][random.below(2)]);
            assert!(different.is_none(), "{}: {}\n{text}", path.display(), different.unwrap_or_default());
        }
    }
}

/// What once made a difference.
#[test]
fn both_readers_agree_on_odd_separators() {
    let bodies = [
        "mov.u32 %r1, 1; // was:\r mov.u32 %r9, 1;",
        "ret; // c\rL:\nL:",
        "ret; /* c\r */ L: // \r\r\nL2:",
        "ret; @_ mov.u32 %r1, 1;",
        "ret; @1 mov.u32 %r1, 1;",
        "ret; # c\\\n mov.u32 %r9, 1;",
        "ret; # /*\n mov.u32 %r9, 1;",
        "ret; .b\"\rmov.u32 %r9, 1; ret;",
    ];
    for body in bodies {
        let function = format!(".visible .entry k() {{\n.reg .b32 %r<4>;\n{body}\nret;\n}}\n");
        for header in ["", ".version 8.5\n.target sm_90\n.address_size 64\n"] {
            let text = format!("{header}{function}");
            assert_eq!(difference(&text, 1), None, "{text}");
        }
    }
}
