//! Tests of the command line.

use expect_test::{Expect, expect};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }
    folder
}

/// Runs the program with this standard input.
pub fn run_with(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("PTX_ANALYZER_LOG")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may have ended without reading its input: ignore the error.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    run_with(folder.path(), arguments, b"")
}

/// What this system says of a file that is not there.
pub fn no_such_file() -> String {
    std::fs::metadata("no such file").unwrap_err().to_string()
}

/// Exit status, standard output and standard error as one text. The system's words for a missing file are `(no such file)`.
fn seen(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace(&no_such_file(), "(no such file)");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    format!("{out}--- status {}\n{err}", output.status.code().unwrap())
}

fn check(folder: &TempDir, arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&seen(&run(folder, &[&["check"], arguments].concat())));
}

fn with_body(body: &str) -> String {
    format!("{HEAD}.visible .entry k()\n{{\n{body}\n    ret;\n}}\n")
}

fn two_errors() -> String {
    with_body("    .reg .b32 %r<2>;\n    bad.u32 %r1; // é\n\t/* ü */ .reg .b32 %r<3>;")
}

#[test]
fn for_people() {
    let folder = folder(&[("a.ptx", two_errors().as_bytes())]);
    check(
        &folder,
        &["a.ptx"],
        &expect![[r#"
            error[unknown-opcode]: `bad` is not an instruction
             --> a.ptx:7:5
              |
            7 |     bad.u32 %r1; // é
              |     ^^^

            error[duplicate-name]: `%r` is declared twice in this block
             --> a.ptx:8:21
              |
            8 |     /* ü */ .reg .b32 %r<3>;
              |                       ^^
              |
            note: the first declaration is here
             --> a.ptx:6:15
              |
            6 |     .reg .b32 %r<2>;
              |               --

            --- status 1
            1 file checked: 2 errors
            explain a code: ptx-analyzer explain unknown-opcode
        "#]],
    );
}

#[test]
fn as_json() {
    let folder = folder(&[("a.ptx", two_errors().as_bytes())]);
    check(
        &folder,
        &["--format", "json", "a.ptx"],
        &expect![[r#"
            {"file":"a.ptx","line":7,"column":5,"end_line":7,"end_column":8,"severity":"error","code":"unknown-opcode","message":"`bad` is not an instruction"}
            {"file":"a.ptx","line":8,"column":21,"end_line":8,"end_column":23,"severity":"error","code":"duplicate-name","message":"`%r` is declared twice in this block","related":[{"line":6,"column":15,"message":"the first declaration is here"}]}
            --- status 1
            1 file checked: 2 errors
        "#]],
    );
}

#[test]
fn as_sarif() {
    let folder = folder(&[("a b.ptx", two_errors().as_bytes())]);
    check(
        &folder,
        &["--format=sarif", "a b.ptx", "missing.ptx"],
        &expect![[r#"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "runs": [
                {
                  "columnKind": "unicodeCodePoints",
                  "invocations": [
                    {
                      "executionSuccessful": false,
                      "toolExecutionNotifications": [
                        {
                          "level": "error",
                          "locations": [
                            {
                              "physicalLocation": {
                                "artifactLocation": {
                                  "uri": "missing.ptx"
                                }
                              }
                            }
                          ],
                          "message": {
                            "text": "missing.ptx: (no such file)"
                          }
                        }
                      ]
                    }
                  ],
                  "results": [
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "a%20b.ptx"
                            },
                            "region": {
                              "endColumn": 8,
                              "endLine": 7,
                              "startColumn": 5,
                              "startLine": 7
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "`bad` is not an instruction"
                      },
                      "ruleId": "unknown-opcode"
                    },
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "a%20b.ptx"
                            },
                            "region": {
                              "endColumn": 22,
                              "endLine": 8,
                              "startColumn": 20,
                              "startLine": 8
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "`%r` is declared twice in this block"
                      },
                      "relatedLocations": [
                        {
                          "message": {
                            "text": "the first declaration is here"
                          },
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "a%20b.ptx"
                            },
                            "region": {
                              "endColumn": 17,
                              "endLine": 6,
                              "startColumn": 15,
                              "startLine": 6
                            }
                          }
                        }
                      ],
                      "ruleId": "duplicate-name"
                    }
                  ],
                  "tool": {
                    "driver": {
                      "informationUri": "https://github.com/ptx-analyzer/ptx-analyzer",
                      "name": "ptx-analyzer",
                      "rules": [
                        {
                          "helpUri": "https://github.com/ptx-analyzer/ptx-analyzer/blob/main/docs/diagnostics/duplicate-name.md",
                          "id": "duplicate-name"
                        },
                        {
                          "helpUri": "https://github.com/ptx-analyzer/ptx-analyzer/blob/main/docs/diagnostics/unknown-opcode.md",
                          "id": "unknown-opcode"
                        }
                      ],
                      "version": "0.1.0"
                    }
                  }
                }
              ],
              "version": "2.1.0"
            }
            --- status 2
            missing.ptx: (no such file)
            1 file checked: 2 errors; 1 could not be read
        "#]],
    );
}

#[test]
fn nothing_found() {
    let folder = folder(&[("good.ptx", with_body("").as_bytes()), ("empty.ptx", b"")]);
    check(
        &folder,
        &["good.ptx", "--format", "json"],
        &expect![[r#"
        --- status 0
        1 file checked: nothing found
    "#]],
    );
    check(
        &folder,
        &["empty.ptx", "--format", "json"],
        &expect![[r#"
        {"file":"empty.ptx","line":1,"column":1,"end_line":1,"end_column":1,"severity":"error","code":"module-header","message":"a module begins with `.version`","help":"write `.version 9.5` and `.target sm_90` first"}
        --- status 1
        1 file checked: 1 error
    "#]],
    );
}

#[test]
fn folders_and_several_files() {
    let bad = with_body("    bad;");
    let folder = folder(&[
        ("x/b.ptx", bad.as_bytes()),
        ("x/a/c.PTX", bad.as_bytes()),
        ("x/pretext.ptx", b"\xef\xbb\xbf\n<pretext/>"),
        ("x/notes.txt", b"not PTX"),
        ("named.txt", bad.as_bytes()),
        ("nothing/here.txt", b""),
    ]);
    let arguments = ["--format", "json", "-j", "3", "named.txt", "missing.ptx", "x", "x/b.ptx", "nothing"];
    let output = run(&folder, &[&["check"], &arguments[..]].concat());
    let names: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()["file"].as_str().unwrap().to_owned())
        .collect();
    // Files are listed in the order of the arguments, each once.
    assert_eq!(names, ["named.txt", "x/a/c.PTX", "x/b.ptx"]);
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("missing.ptx: "), "{err}");
    assert!(err.contains("nothing: there is no .ptx file in this folder"), "{err}");
    check(
        &folder,
        &["x/pretext.ptx"],
        &expect![[r#"
        --- status 0
        x/pretext.ptx: this is XML (PreTeXt), not PTX
        0 files checked: nothing found
    "#]],
    );
}

#[test]
fn standard_input() {
    let folder = folder(&[]);
    let output = run_with(folder.path(), &["check", "--format", "json", "-"], with_body("    bad;").as_bytes());
    expect![[r#"
        {"file":"<stdin>","line":6,"column":5,"end_line":6,"end_column":8,"severity":"error","code":"unknown-opcode","message":"`bad` is not an instruction"}
        --- status 1
        1 file checked: 1 error
    "#]].assert_eq(&seen(&output));
}

#[test]
fn warnings_can_be_denied() {
    let text = with_body("    .reg .b32 %r<2>;\n    shfl.down.b32 %r1, %r1, 16, 31;");
    let text = text.replace("8.0", "6.0").replace("sm_80", "sm_60");
    let folder = folder(&[("a.ptx", text.as_bytes())]);
    let output = run(&folder, &["check", "a.ptx"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("warning[deprecated]"));
    assert_eq!(output.status.code(), Some(0));
    let denied = run(&folder, &["check", "--deny", "warnings", "a.ptx"]);
    assert_eq!((denied.status.code(), denied.stdout), (Some(1), output.stdout));
}

#[test]
fn bytes_that_are_no_text() {
    let mut bytes = with_body("    // caf\u{1}\n    /* \u{1} */ bad;").into_bytes();
    bytes.iter_mut().filter(|b| **b == 1).for_each(|b| *b = 0xe9);
    let folder = folder(&[("latin.ptx", &bytes)]);
    check(
        &folder,
        &["--format", "json", "latin.ptx"],
        &expect![[r#"
            {"file":"latin.ptx","line":7,"column":13,"end_line":7,"end_column":16,"severity":"error","code":"unknown-opcode","message":"`bad` is not an instruction"}
            --- status 1
            latin.ptx: some bytes are not UTF-8 text
            1 file checked: 1 error
        "#]],
    );
    check(
        &folder,
        &["latin.ptx"],
        &expect![[r#"
            error[unknown-opcode]: `bad` is not an instruction
             --> latin.ptx:7:13
              |
            7 |     /* ␚ */ bad;
              |             ^^^

            --- status 1
            latin.ptx: some bytes are not UTF-8 text
            1 file checked: 1 error
            explain a code: ptx-analyzer explain unknown-opcode
        "#]],
    );
}

#[test]
fn line_breaks_of_each_kind() {
    let text = with_body("    bad;");
    let folder =
        folder(&[("crlf.ptx", text.replace('\n', "\r\n").as_bytes()), ("cr.ptx", text.replace('\n', "\r").as_bytes())]);
    check(
        &folder,
        &["crlf.ptx", "cr.ptx"],
        &expect![[r#"
            error[unknown-opcode]: `bad` is not an instruction
             --> crlf.ptx:6:5
              |
            6 |     bad;
              |     ^^^

            error[unknown-opcode]: `bad` is not an instruction
             --> cr.ptx:6:5
              |
            6 |     bad;
              |     ^^^

            --- status 1
            2 files checked: 2 errors
            explain a code: ptx-analyzer explain unknown-opcode
        "#]],
    );
}

#[test]
fn long_lines_are_cut() {
    let folder = folder(&[("long.ptx", with_body(&"add.u32 %r1, %r1, %r1; ".repeat(20_000)).as_bytes())]);
    let json = run(&folder, &["check", "--format", "json", "long.ptx"]);
    assert!(json.stdout.len() > 1000);
    let line = with_body(&format!("{}bad;{}", "/* é */ ".repeat(50_000), " /**/".repeat(1000)));
    std::fs::write(folder.path().join("long.ptx"), line).unwrap();
    check(
        &folder,
        &["long.ptx"],
        &expect![[r#"
            error[unknown-opcode]: `bad` is not an instruction
             --> long.ptx:6:450001
              |
            6 | …é */ /* é */ /* é */ /* é */ /* é */ /* é */ /* é */ bad; /**/ /**/ /**/ /**/ /**/ /**/ /**/ /**/ /**/ /**/ /**/ /**…
              |                                                       ^^^

            --- status 1
            1 file checked: 1 error
            explain a code: ptx-analyzer explain unknown-opcode
        "#]],
    );
}

#[test]
fn usage() {
    let folder = folder(&[]);
    for (arguments, status) in [
        (&["check"][..], 2),
        (&["check", "--format", "xml", "a.ptx"], 2),
        (&["check", "-j", "0", "a.ptx"], 2),
        (&["regs", "a.ptx"], 2),
        (&["--nonsense"], 2),
        (&["--version"], 0),
        (&["--help"], 0),
        (&["check", "--help"], 0),
    ] {
        assert_eq!(run(&folder, arguments).status.code(), Some(status), "{arguments:?}");
    }
}

#[test]
fn explanations() {
    let folder = folder(&[]);
    let output = run(&folder, &["explain", "add.u32"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("add.u32"));
    expect![[r#"
        --- status 2
        nothing is known about `no such thing`; ask for an opcode (`fma.rn.f32`), a modifier (`.ftz`), a special register (`%laneid`), a directive (`.maxntid`), a diagnostic code (`operand-type`), a name of CUDA C++ (`__shfl_sync`) or a topic (`bank conflict`)
    "#]].assert_eq(&seen(&run(&folder, &["explain", "no such thing"])));
}

#[test]
fn explanations_of_several_words() {
    let folder = folder(&[]);
    let out = |arguments: &[&str]| {
        let output = run(&folder, &[&["explain"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(out(&["bank", "conflict"]).starts_with("# Bank conflict\n"));
    assert!(out(&["Unknown", "symbol", "'%r9'"]).starts_with("# Unknown symbol '%r9'\n"));
    assert!(out(&["-1"]).contains("4294967295"));
    let (short, all) = (out(&["mbarrier"]), out(&["mbarrier", "--all"]));
    assert!(short.len() * 3 < all.len() && all.contains("```ptx"), "{short}");
    // Laid out, without colours where it is not asked for them.
    let laid_out = out(&["--format", "human", "bank conflict"]);
    assert!(
        laid_out.starts_with("Bank conflict\n\n") && !laid_out.contains('\u{1b}') && laid_out.contains("\n• `"),
        "{laid_out}"
    );
    assert!(
        out(&["--format", "human", "--color", "always", "bank conflict"])
            .starts_with("\u{1b}[1;36mBank conflict\u{1b}[0m\n")
    );
    assert!(out(&["--format", "markdown", "--color", "always", "bank conflict"]).starts_with("# Bank conflict\n"));
}

/// Simulates the shell command `ptx-analyzer check … | head`.
#[test]
#[cfg(unix)]
fn a_reader_may_stop() {
    let folder = folder(&[("a.ptx", with_body(&"    bad;\n".repeat(5000)).as_bytes())]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .args(["check", "a.ptx"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(output.status.code(), Some(1), "{err}");
}

#[test]
fn other_targets_levels_and_projects() {
    let text = with_body(
        "    .reg .b32 %r<4>;\n    mov.b32 %r1, 1;\n    add.u16x2 %r2, %r1, %r1;\n    redux.sync.add.s32 %r3, %r2, -1;",
    );
    let folder = folder(&[("a.ptx", text.as_bytes())]);
    // Check for the file's own target, and for two others, one of which supports everything.
    check(
        &folder,
        &["--format", "json", "a.ptx"],
        &expect![[r#"
        {"file":"a.ptx","line":8,"column":8,"end_line":8,"end_column":14,"severity":"error","code":"requires-target","message":"`add.u16x2` needs PTX 8.0 and sm_90; this module says PTX 8.0 and sm_80"}
        --- status 1
        1 file checked: 1 error
    "#]],
    );
    check(
        &folder,
        &["--format", "json", "--target", "sm_75,sm_90", "a.ptx"],
        &expect![[r#"
        {"file":"a.ptx","line":8,"column":8,"end_line":8,"end_column":14,"severity":"error","code":"requires-target","message":"`add.u16x2` needs PTX 8.0 and sm_90; this module says PTX 8.0 and is checked for sm_75"}
        {"file":"a.ptx","line":9,"column":5,"end_line":9,"end_column":23,"severity":"error","code":"requires-target","message":"`redux.sync.add.s32` needs PTX 7.0 and sm_80; this module says PTX 8.0 and is checked for sm_75"}
        --- status 1
        1 file checked: 2 errors
    "#]],
    );
    check(
        &folder,
        &["--format", "json", "--target", "sm_90", "--project-target", "sm_80", "--project-version", "7.0", "a.ptx"],
        &expect![[r#"
            {"file":"a.ptx","line":1,"column":10,"end_line":1,"end_column":13,"severity":"warning","code":"project-version","message":"PTX 8.0 is newer than PTX 7.0, the newest that the project allows","help":"a driver refuses a module whose `.version` is newer than the newest it knows"}
            {"file":"a.ptx","line":8,"column":8,"end_line":8,"end_column":14,"severity":"warning","code":"project-target","message":"`add.u16x2` needs PTX 8.0 and sm_90; the project also targets sm_80"}
            --- status 0
            1 file checked: 2 warnings
        "#]],
    );
    check(
        &folder,
        &[
            "--format",
            "json",
            "--target",
            "sm_90",
            "--project-target",
            "sm_80",
            "--level",
            "project-target=off",
            "a.ptx",
        ],
        &expect![[r#"
            --- status 0
            1 file checked: nothing found
        "#]],
    );
    let wrong = run(&folder, &["check", "--level", "no-such=off", "a.ptx"]);
    assert_eq!(wrong.status.code(), Some(2));
    let wrong = run(&folder, &["check", "--target", "sm_90,sm_9000", "a.ptx"]);
    assert_eq!(wrong.status.code(), Some(2));
}
