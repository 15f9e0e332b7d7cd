//! Files that other programs keep open. Only Windows lets them keep others out.

#![cfg(windows)]

use std::fs;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

/// The exit code of a command about a folder, and what it says.
fn ran(command: &str, folder: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg(command).arg(folder).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Another program keeps the file open without sharing it, as some editors do.
#[test]
fn a_locked_file_is_reported_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (locked, free) = (folder.path().join("locked.ptx"), folder.path().join("free.ptx"));
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    for file in [&locked, &free] {
        fs::write(file, text).unwrap();
    }
    // First others may read it, then they may not.
    for share in [1, 0] {
        let held = fs::File::options().read(true).share_mode(share).open(&locked).unwrap();
        let (code, said) = ran("fmt", folder.path());
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("locked.ptx") && !said.contains("free.ptx: "), "{said}");
        let checked = ran("check", folder.path());
        assert_eq!(checked.0, Some(if share == 0 { 2 } else { 0 }), "{}", checked.1);
        drop(held);
        assert_eq!(fs::read_to_string(&locked).unwrap(), text);
        assert_ne!(fs::read_to_string(&free).unwrap(), text, "the other file is formatted");
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["free.ptx", "locked.ptx"]);
    }
}
