//! Placeholders of one dialect in the text of another.

mod common;

use ptx_embed::{Host, Language, ProblemKind};

/// What is found in a text: the PTX, the problems and the text after the first fix.
struct Reading {
    ptx: String,
    messages: Vec<String>,
    codes: Vec<&'static str>,
    fixed: Option<String>,
}

fn read(language: Language, text: &str) -> Reading {
    let host = Host::new(language, text);
    let [placed] = host.groups() else { panic!("{text}") };
    let problems = &placed.group.problems;
    let misnamed = problems.iter().find(|p| p.kind == ProblemKind::OperandName);
    let fixed = misnamed.and_then(|p| p.fixes.first()).map(|fix| {
        let mut out = text.to_owned();
        for edit in fix.edits.iter().rev() {
            out.replace_range(placed.start + edit.span.start..placed.start + edit.span.end, &edit.text);
        }
        out
    });
    Reading {
        ptx: placed.group.ptx.clone(),
        messages: problems.iter().map(|p| p.message.clone()).collect(),
        codes: problems.iter().map(|p| common::code(p.kind)).collect(),
        fixed,
    }
}

fn cuda(ptx: &str) -> Reading {
    read(Language::Cpp, &format!("__device__ void f(int a) {{ int d; asm(\"{ptx}\" : \"=r\"(d) : \"r\"(a)); }}"))
}

fn rust(ptx: &str) -> Reading {
    read(Language::Rust, &format!("fn f() {{ asm!(\"{ptx}\", out(reg32) d, in(reg32) a); }}"))
}

fn llvm(ptx: &str) -> Reading {
    read(
        Language::LlvmIr,
        &format!("define void @f(i32 %a) {{ %d = call i32 asm \"{ptx}\", \"=r,r\"(i32 %a) ret void }}"),
    )
}

#[test]
fn placeholders_of_llvm_in_cuda() {
    for text in ["add.u32 $0, $1, 1;", "add.u32 ${0}, ${1:n}, 1;", "add.u32 {0}, {1}, 1;"] {
        let reading = cuda(text);
        assert_eq!(reading.ptx, "add.u32 %0, %1, 1;", "{text}");
        assert_eq!(reading.codes, ["asm-operand-name"], "{text}");
        assert!(reading.fixed.as_deref().is_some_and(|t| t.contains("\"add.u32 %0, %1, 1;\"")), "{:?}", reading.fixed);
    }
    assert_eq!(cuda("add.u32 $0, $1, 1;").messages, ["`$0` is how LLVM names this operand; CUDA C++ names it `%0`"]);
    // One of them only.
    let mixed = cuda("add.u32 %0, $1, 1;");
    assert_eq!((mixed.ptx.as_str(), mixed.codes.len()), ("add.u32 %0, %1, 1;", 1));
    assert_eq!(cuda("ld.u32 $0, [$1+4];").ptx, "ld.u32 %0, [%1+4];");
}

#[test]
fn names_of_ptx_stay() {
    for text in [
        "{ .reg .b32 $1; mov.u32 $1, %1; mov.u32 %0, $1; }",
        "{ .reg .b32 $<2>; mov.u32 $1, 3; mov.u32 $0, $1; }",
        "mov.u32 %0, %1; bra $0; $0:",
        "mov.u32 %0, %1; bra $L$1; $L$1: bra $0x; $0x:",
        "mov.b32 %0, {%1, 0}; st.v1.b32 [%1], {0};",
        // There is no such operand.
        "mov.u32 %0, $7;",
    ] {
        assert_eq!(cuda(text).ptx, text);
        assert!(!cuda(text).codes.contains(&"asm-operand-name"), "{text}");
    }
}

#[test]
fn placeholders_of_cuda_elsewhere() {
    let of_llvm = llvm("add.u32 %0, %1, 1;");
    assert_eq!(of_llvm.ptx, "add.u32 $0, $1, 1;");
    assert_eq!(of_llvm.messages, ["`%0` is how CUDA C++ names this operand; LLVM names it `$0`"]);
    assert_eq!(llvm("{ .reg .b32 %<2>; mov.u32 %0, $1; mov.u32 $0, %0; }").codes, [""; 0]);
    for text in ["add.u32 %0, %1, 1;", "add.u32 $0, $1, 1;"] {
        let reading = rust(text);
        assert_eq!(reading.codes, ["asm-operand-name"], "{text}");
        assert!(
            reading.fixed.as_deref().is_some_and(|t| t.contains("\"add.u32 {0}, {1}, 1;\"")),
            "{:?}",
            reading.fixed
        );
    }
    let python = "x = tl.inline_asm_elementwise('add.u32 %0, %1, 1;', '=r,r', [a], dtype=t, is_pure=True, pack=1)";
    let of_triton = read(Language::Python, python);
    assert_eq!(of_triton.ptx, "add.u32 $0, $1, 1;");
    assert_eq!(of_triton.fixed, Some(python.replace("%0, %1", "$0, $1")));
}

#[test]
fn a_julia_string_escapes_the_sign() {
    let text = "@asmcall(\"add.u32 %0, %1, 1;\", \"=r,r\", false, UInt32, Tuple{UInt32}, a)";
    let reading = read(Language::Julia, text);
    assert_eq!(reading.ptx, "add.u32 $0, $1, 1;");
    assert_eq!(reading.fixed, Some(text.replace("%0, %1", "\\$0, \\$1")));
}
