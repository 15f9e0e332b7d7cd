//! Tests of shell completions and manual pages.

use crate::cli::run_with;
use std::collections::BTreeSet;

fn printed(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = run_with(folder.path(), arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let words = list.lines().take_while(|l| !l.is_empty()).filter_map(|l| l.split_whitespace().next());
    words.filter(|word| *word != "help").map(str::to_owned).collect()
}

/// The completions that a real bash offers for the last of these words.
#[cfg(unix)]
fn offered(words: &[&str]) -> BTreeSet<String> {
    const ASK: &str = r#"
        eval "$SCRIPT"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        before=; [ $# -lt 2 ] || before=${COMP_WORDS[COMP_CWORD - 1]}
        # What is called for the program is what bash has been told to call.
        handler=$(complete -p ptx-analyzer | sed 's/.*-F \([^ ]*\).*/\1/')
        "$handler" "$1" "${COMP_WORDS[COMP_CWORD]}" "$before"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", ASK, "bash"])
        .args(words)
        .env("SCRIPT", printed(&["completions", "bash"]))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().filter(|l| !l.is_empty()).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes() {
    let set = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(offered(&["ptx-analyzer", "che"]), set(&["check"]));
    assert_eq!(offered(&["ptx-analyzer", "check", "--format", "s"]), set(&["sarif"]));
    assert_eq!(offered(&["ptx-analyzer", "regs", "--target", "sm_90"]), set(&["sm_90", "sm_90a"]));
    assert!(offered(&["ptx-analyzer", "eval", "--l"]).is_superset(&set(&["--launch", "--limit"])));
    let all: BTreeSet<String> = commands().into_iter().collect();
    assert!(offered(&["ptx-analyzer", ""]).is_superset(&all));
}

#[test]
fn every_shell_has_a_script_with_all_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn pages_of_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("pages/man1");
    assert_eq!(printed(&["man", into.to_str().unwrap()]), "");
    let names: BTreeSet<String> =
        std::fs::read_dir(&into).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    let mut expected: BTreeSet<String> = commands().iter().map(|c| format!("ptx-analyzer-{c}.1")).collect();
    expected.insert("ptx-analyzer.1".into());
    assert_eq!(names, expected);

    let page = std::fs::read_to_string(into.join("ptx-analyzer-check.1")).unwrap();
    assert!(page.is_ascii() && page.contains("\\[u2026]"), "{page}");
    let page = std::fs::read_to_string(into.join("ptx-analyzer.1")).unwrap();
    assert_eq!(page, printed(&["man"]));
    assert!(page.lines().any(|l| l.starts_with(".TH PTX-ANALYZER 1 \"\" \"ptx-analyzer ")), "{page}");
    for word in [".SH SYNOPSIS", ".SH \"EXIT STATUS\"", "PTX_ANALYZER_LOG", "ptx\\-analyzer\\-check(1)"] {
        assert!(page.contains(word), "{word} is not in\n{page}");
    }
}

#[test]
fn a_folder_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let output = run_with(folder.path(), &["man", "file/pages"], b"");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("file/pages: ") || said.starts_with("file\\pages: "), "{said}");
}

#[test]
fn a_wrong_architecture_is_named_shortly() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_with(folder.path(), &["check", "--target", "sm_1", "x.ptx"], b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("`sm_1` is not an architecture such as `sm_90a`"), "{said}");
    assert!(!printed(&["check", "--help"]).contains("sm_100f"), "the help lists all architectures");
}
