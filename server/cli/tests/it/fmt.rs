//! Tests of `ptx-analyzer fmt`.

use expect_test::expect;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const UGLY: &[u8] = b".version 8.0\n.target sm_90\n.visible .entry k()\n{\nadd.u32 a,b,c;\nret;\n}\n";
const NEAT: &[u8] =
    b".version 8.0\n.target sm_90\n.visible .entry k()\n{\n    add.u32             a, b, c;\n    ret;\n}\n";

/// Exit status, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .arg("fmt")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn files_are_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("ugly.ptx"), UGLY).unwrap();
    std::fs::write(path("neat.ptx"), NEAT).unwrap();
    let (status, out, err) = run(folder.path(), &["--check", "."], b"");
    expect![[r#"
        ./ugly.ptx:5:
        - add.u32 a,b,c;
        +     add.u32             a, b, c;
    "#]]
    .assert_eq(&String::from_utf8(out).unwrap());
    assert_eq!((status, err.as_str()), (1, "1 of 2 files not formatted\n"));
    assert_eq!(std::fs::read(path("ugly.ptx")).unwrap(), UGLY);
    let (status, out, err) = run(folder.path(), &["ugly.ptx", "neat.ptx", "missing.ptx"], b"");
    assert_eq!((status, out.len()), (2, 0));
    assert!(err.starts_with("missing.ptx: ") && err.ends_with("1 of 3 files formatted\n"), "{err}");
    assert_eq!(std::fs::read(path("ugly.ptx")).unwrap(), NEAT);
    assert_eq!(run(folder.path(), &["--check", "."], b""), (0, vec![], String::new()));
    // No temporary file is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn standard_input_and_options() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["-"], UGLY), (0, NEAT.to_vec(), String::new()));
    let (status, out, _) = run(folder.path(), &["--check", "-"], UGLY);
    assert!(status == 1 && out.starts_with(b"<stdin>:5:\n"));
    let (_, out, _) = run(folder.path(), &["--tabs", "--operands", "run", "--indent", "8", "-"], UGLY);
    assert!(String::from_utf8(out).unwrap().contains("\n\tadd.u32 a, b, c;\n\tret;\n"));
    assert_eq!(run(folder.path(), &[], b"").0, 2);
}

#[test]
fn bytes_and_line_ends_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin1.ptx");
    std::fs::write(&path, b".version 8.0\r\n// caf\xe9\xff\r\n.target  sm_90 // \xfc\r\n").unwrap();
    assert_eq!(run(folder.path(), &["latin1.ptx"], b"").0, 0);
    assert_eq!(std::fs::read(&path).unwrap(), b".version 8.0\r\n// caf\xe9\xff\r\n.target sm_90 // \xfc\r\n");
    // PreTeXt, another language with the same file extension.
    std::fs::write(folder.path().join("book.ptx"), "<?xml version=\"1.0\"?>\n<pretext>   </pretext>\n").unwrap();
    let (status, _, err) = run(folder.path(), &["book.ptx"], b"");
    assert_eq!((status, err.as_str()), (0, "book.ptx: this is XML (PreTeXt), not PTX\n"));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("real.ptx");
    std::fs::write(&path, UGLY).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real.ptx", folder.path().join("link.ptx")).unwrap();
    assert_eq!(run(folder.path(), &["link.ptx"], b"").0, 0);
    assert!(folder.path().join("link.ptx").is_symlink());
    assert_eq!(std::fs::read(&path).unwrap(), NEAT);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    std::fs::write(&path, UGLY).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o440)).unwrap();
    let (status, _, err) = run(folder.path(), &["real.ptx"], b"");
    assert_eq!((status, err.as_str()), (2, "real.ptx: it cannot be written: it is read-only\n"));
}
