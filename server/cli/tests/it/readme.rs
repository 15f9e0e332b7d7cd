//! Checks that the picture in the README shows the actual output of the command.

use std::path::Path;
use std::process::Command;

#[test]
fn the_picture_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let (_, rest) = readme.split_once("$ ptx-analyzer check docs/example.ptx\n").expect("the picture's command");
    let (shown, _) = rest.split_once("```").expect("the end of the picture");
    let run = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .args(["check", "docs/example.ptx"])
        .current_dir(&root)
        .output()
        .expect("the command runs");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim_end(), shown.trim_end());
    assert_eq!(run.status.code(), Some(1));
}
