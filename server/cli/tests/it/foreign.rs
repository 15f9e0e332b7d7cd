//! What is given where PTX is expected and is not PTX: other languages, programs, archives; and logs of builds.

use crate::cli::run_with;
use std::path::Path;

/// Runs the program; returns the exit status, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let out = run_with(folder, arguments, input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

const CUDA: &[u8] = b"// k\n#include <x.h>\n__global__ void k(int a) { asm(\"add.u3 %0, %0, 1;\" : \"+r\"(a)); }\n";

#[test]
fn other_languages_are_read_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, language) in [
        ("k.cu", CUDA, "CUDA C++"),
        ("k.ptx", CUDA, "CUDA C++"),
        ("noted.txt", CUDA, "CUDA C++"),
        ("k.py", &b"import x\nllvm.inline_asm(t, [a], \"add.u3 $0, $1, 1;\", \"=r,r\")\n"[..], "Python"),
        (
            "k",
            b"; ModuleID = 'k'\ndefine void @f(i32 %x) {\n  call void asm sideeffect \"bar.synx 0;\", \"\"()\n",
            "LLVM IR",
        ),
        ("k.rs", b"use core::arch::asm;\nfn f() { unsafe { asm!(\"bar.synx 0;\"); } }\n", "Rust"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        let (status, out, err) = run(folder.path(), &["check", name], b"");
        assert!(
            err.contains(&format!("{name}: this is {language}, not PTX: the PTX in its strings is checked")),
            "{err}"
        );
        assert_eq!(status, 1, "{out}{err}");
        assert!(out.contains("error[unknown-") && !out.contains("module begins"), "{out}");
    }
    let (status, out, err) = run(folder.path(), &["check", "-"], CUDA);
    assert_eq!((status, out.matches("error[").count()), (1, 1), "{out}{err}");
    let (status, _, err) = run(folder.path(), &["check", "-"], b"import this\n");
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("this is Python, not PTX: it has no PTX in strings, so nothing is checked"), "{err}");
}

#[test]
fn programs_and_archives_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, word) in [
        ("a.ptx", &b"\x7fELF\x02\x01\x01\0\0"[..], "this is an ELF file"),
        ("b.ptx", b"\x50\xed\x55\xba\x01\0\x10\0", "this is a fatbin"),
        ("c.ptx.gz", b"\x1f\x8b\x08\0\0", "this is a gzip archive"),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        for command in [&["check"][..], &["regs"], &["check", "--inline"]] {
            let (status, out, err) = run(folder.path(), &[command, &[name]].concat(), b"");
            assert_eq!((status, out.as_str()), (2, ""), "{command:?} {name}: {err}");
            assert!(err.contains(word), "{command:?} {name}: {err}");
        }
    }
}

#[test]
fn a_text_of_nvrtc_ends_in_nul() {
    let folder = tempfile::tempdir().unwrap();
    let text = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n\0";
    let (status, out, err) = run(folder.path(), &["check", "-"], text);
    assert_eq!((status, out.matches("error[").count()), (1, 1), "ptxas refuses it: {out}{err}");
    assert!(out.contains("NVRTC"), "{out}");
}

#[test]
fn logs_are_explained_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<3>;\n\tadd.f32 %r1, %r2;\n\tret;\n}\n";
    std::fs::write(folder.path().join("k.ptx"), ptx).unwrap();
    let log = b"nvcc -c k.cu\nptxas k.ptx, line 7; error   : Arguments mismatch for instruction 'add'\nptxas fatal   : Ptx assembly aborted due to errors\n";
    std::fs::write(folder.path().join("log"), log).unwrap();
    let (status, out, err) = run(folder.path(), &["explain", "--log", "log", "k.ptx"], b"");
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("## Line 2 of the log: k.ptx:7: error: Arguments mismatch"), "{out}");
    assert!(out.contains("add.f32 %r1, %r2;") && out.contains("`operand-count`"), "{out}");
    let (_, piped, _) = run(folder.path(), &["explain", "-"], log);
    assert!(piped.contains("## Line 3 of the log: fatal: Ptx assembly aborted"), "{piped}");
    let (_, query, _) = run(folder.path(), &["explain", "-"], b"CUDA 12.8\n");
    assert!(query.contains("8.7"), "{query}");
    let (status, _, err) = run(folder.path(), &["explain", "--log", "-"], b"make: nothing to be done\n");
    assert_eq!(status, 2);
    assert!(err.contains("no line of the log"), "{err}");
}
