//! File names, arguments and output of kernels, on a terminal and in a pipe.

use crate::cli::run_with;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// An escape sequence that changes the window title.
const TITLE: &str = "\x1b]0;TITLE\x07";

/// The visible form of `TITLE`.
const SEEN: &str = "␛]0;TITLE␇";

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Runs the program on a pseudo-terminal and returns its output.
pub fn on_terminal(folder: &Path, arguments: &[&str]) -> String {
    on_terminal_with(folder, arguments, &[], None)
}

/// The same with variables of the environment, on a terminal of so many rows and columns.
fn on_terminal_with(
    folder: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    size: Option<(u16, u16)>,
) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = || {
        let flags = OFlags::NOCTTY.bits() as i32;
        File::options().read(true).write(true).custom_flags(flags).open(&name).unwrap()
    };
    if let Some((ws_row, ws_col)) = size {
        let size = rustix::termios::Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(terminal(), size).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("PTX_ANALYZER_LOG")
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(terminal())
        .stderr(terminal())
        .spawn()
        .unwrap();
    let mut reader = File::from(master);
    let (mut text, mut piece) = (Vec::new(), [0; 4096]);
    // Reading fails after the last writer has closed the terminal.
    while let Ok(read @ 1..) = reader.read(&mut piece) {
        text.extend_from_slice(&piece[..read]);
    }
    child.wait().unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

/// Runs the program on a terminal of 10 rows and 60 columns.
fn on_small_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    on_terminal_with(Path::new("."), arguments, environment, Some((10, 60)))
}

#[test]
fn explanations_are_laid_out() {
    let shown = on_small_terminal(&["explain", "--no-pager", "bank", "conflict"], &[]);
    assert!(shown.starts_with("\x1b[1;36mBank conflict\x1b[0m\r\n"), "{shown:?}");
    assert!(shown.contains("• \x1b[36m.shared\x1b[0m – ") && !shown.contains("**"), "{shown:?}");
    let plain = on_small_terminal(&["explain", "--no-pager", "bank", "conflict"], &[("NO_COLOR", "1")]);
    assert!(plain.starts_with("Bank conflict\r\n") && !plain.contains('\x1b'), "{plain:?}");
    assert!(plain.lines().all(|l| l.chars().count() <= 60), "{plain}");
    let raw = on_small_terminal(&["explain", "--no-pager", "--format", "markdown", "bank", "conflict"], &[]);
    assert!(raw.starts_with("# Bank conflict\r\n"), "{raw:?}");
    let isa = on_small_terminal(&["isa", "--no-pager", "shfl.sync"], &[]);
    assert!(isa.contains("\x1b[1;34mshfl\x1b[0m") && !isa.contains("```"), "{isa:?}");
}

#[test]
fn what_is_longer_than_the_screen_goes_to_the_pager() {
    let pager = [("PAGER", "sed s/^/paged:/")];
    let long = on_small_terminal(&["explain", "bank conflict"], &pager);
    assert!(long.lines().all(|l| l.starts_with("paged:")), "{long:?}");
    for arguments in [&["explain", "--no-pager", "bank conflict"][..], &["explain", "0b1"]] {
        assert!(!on_small_terminal(arguments, &pager).contains("paged:"), "{arguments:?}");
    }
    // Without the program of that name the text is printed.
    let none = on_small_terminal(&["explain", "bank conflict"], &[("PAGER", "no-such-pager-x")]);
    assert!(none.contains("Bank conflict"), "{none:?}");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wrong = format!("{HEAD}.visible .entry k()\n{{\n    bad.u32 %r1;\n    ret;\n}}\n");
    std::fs::write(folder.path().join(format!("n{TITLE}\n.ptx")), wrong).unwrap();
    let right = format!("{HEAD}.visible .entry k()\n{{\n  ret;\n}}\n");
    std::fs::write(folder.path().join(format!("r{TITLE}.ptx")), right).unwrap();
    folder
}

/// Asserts that the only escape sequences are colours.
fn assert_safe(text: &str, what: &[&str]) {
    assert!(text.contains(SEEN), "{what:?}: {text:?}");
    for (at, _) in text.match_indices('\x1b') {
        let rest = text[at + 1..].trim_start_matches(|c: char| c == '[' || c == ';' || c.is_ascii_digit());
        assert!(text[at + 1..].starts_with('[') && rest.starts_with(['m', 'K']), "{what:?}: {text:?}");
    }
    assert!(!text.contains('\x07'), "{what:?}: {text:?}");
}

#[test]
fn names_and_arguments() {
    let folder = folder();
    let missing = format!("none{TITLE}");
    let level = format!("{TITLE}=off");
    let right = format!("r{TITLE}.ptx");
    for arguments in [
        &["check", "."][..],
        &["check", &missing],
        &["check", "--level", &level, "."],
        &["regs", "."],
        &["eval", &right],
        &["eval", "."],
        &["fmt", "--check", "."],
        &["explain", &missing],
        &["isa", &missing],
        &["isa", "--format", "html", &format!("{right}/x")],
        &[&missing],
    ] {
        assert_safe(&on_terminal(folder.path(), arguments), arguments);
    }
    assert!(on_terminal(folder.path(), &["check", "."]).contains(&format!("n{SEEN}␊.ptx:6:5")));
}

#[test]
fn what_kernels_print() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<String> = format!("{TITLE}\x1b[31mred\ttab\n\0").bytes().map(|b| b.to_string()).collect();
    let text = format!(
        "{HEAD}.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n\
         .global .align 1 .b8 words[{}] = {{{}}};\n\
         .visible .entry k()\n{{\n    .reg .b64 %rd<3>;\n    mov.u64 %rd1, words;\n    cvta.global.u64 %rd2, %rd1;\n    {{\n    \
         .param .b64 p0;\n    st.param.b64 [p0], %rd2;\n    .param .b64 p1;\n    st.param.b64 [p1], 0;\n    .param .b32 r0;\n    \
         call.uni (r0), vprintf, (p0, p1);\n    }}\n    ret;\n}}\n",
        bytes.len(),
        bytes.join(", ")
    );
    std::fs::write(folder.path().join("k.ptx"), text).unwrap();
    let shown = on_terminal(folder.path(), &["eval", "k.ptx"]);
    assert_safe(&shown, &["eval"]);
    assert!(shown.contains("| ␛]0;TITLE␇␛[31mred\ttab\r\n"), "{shown:?}");
    let piped = run_with(folder.path(), &["eval", "--format", "json", "k.ptx"], b"");
    assert!(String::from_utf8_lossy(&piped.stdout).contains(r"\u001b]0;TITLE\u0007"), "{piped:?}");
}

#[test]
fn pipes_get_visible_names_too() {
    // Whoever reads a pipe may show it later: a log of a build, an assistant.
    let folder = folder();
    for arguments in [&["regs", "."][..], &["fmt", "--check", "."], &["explain", &format!("none{TITLE}")]] {
        let out = run_with(folder.path(), arguments, b"");
        let all = [out.stdout, out.stderr].concat();
        let all = String::from_utf8_lossy(&all);
        assert!(all.contains(SEEN) && !all.contains('\x1b'), "{arguments:?}: {all:?}");
    }
    let fmt = run_with(folder.path(), &["fmt", "--check", "."], b"");
    assert!(String::from_utf8_lossy(&fmt.stdout).contains(&format!("./r{SEEN}.ptx:")), "{fmt:?}");
    // Programs get the name itself from JSON.
    let json = run_with(folder.path(), &["check", "--format", "json", "."], b"");
    assert!(String::from_utf8_lossy(&json.stdout).contains(r"n\u001b]0;TITLE\u0007\n.ptx"), "{json:?}");
}
