//! PTX in LLVM IR.

mod common;

use ptx_embed::{Access, Flaw, Form, Group, Host, Kind, Language, host_edit};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn host(text: &str) -> Host {
    Host::new(Language::LlvmIr, text)
}

fn only(text: &str) -> Arc<Group> {
    common::only(Language::LlvmIr, text)
}

fn texts(text: &str) -> Vec<String> {
    common::texts(Language::LlvmIr, text)
}

fn codes(text: &str) -> Vec<&'static str> {
    common::codes(Language::LlvmIr, text)
}

#[test]
fn a_call() {
    let text = "define i32 @f(i32 %x) {\nentry:\n  %0 = tail call i32 asm sideeffect \"add.u32 $0, $1, ${2:x};\\0A\\09mov.u32 $0, %laneid;\", \"=r,r,l,~{memory}\"(i32 noundef %x, ptr addrspace(1) @g) #5, !srcloc !4\n  ret i32 %0\n}\n";
    let group = only(text);
    assert_eq!(group.ptx, "add.u32 $0, $1, $2;\n\tmov.u32 $0, %laneid;");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    let statement = &group.statements[0];
    assert_eq!(statement.form, Form::LlvmIr);
    assert!(statement.volatile && statement.memory_clobber && statement.is_static());
    let kinds: Vec<_> = group.variables.iter().map(|v| (v.name.as_str(), v.kind, v.access)).collect();
    assert_eq!(
        kinds,
        [("$0", Kind::B32, Access::Output), ("$1", Kind::B32, Access::Input), ("$2", Kind::B64, Access::Input)]
    );
    let start = host(text).groups()[0].start;
    let of = |range: &std::ops::Range<usize>| &text[start + range.start..start + range.end];
    assert!(of(&statement.span).starts_with("asm sideeffect") && of(&statement.span).ends_with("@g)"));
    assert_eq!(of(&statement.operands[1].expression), "i32 noundef %x");
    assert_eq!(of(&statement.operands[2].expression), "ptr addrspace(1) @g");
    assert_eq!(of(&statement.operands[2].constraint.span), "l");
    assert_eq!(of(&group.map.to_host(19..20)[0]), "\\0A");
}

#[test]
fn forms_of_calls() {
    assert_eq!(texts("call void asm \"ret;\", \"\"()"), ["ret;"]);
    let group = only("call void asm sideeffect alignstack inteldialect unwind \"bar.sync 0;\", \"~{memory}\"()");
    assert!(group.statements[0].volatile && group.statements[0].memory_clobber);
    assert_eq!(texts("invoke void asm \"exit;\", \"\"()\n  to label %a unwind label %b"), ["exit;"]);
    let group = only("callbr void asm \"bra $0; mov.b32 $1, 1;\", \"!i\"()\n  to label %a [label %b]");
    assert_eq!(group.ptx, "bra _hole_; mov.b32 _hole_, 1;");
    assert_eq!(codes("callbr void asm \"bra $0;\", \"!i\"()"), [""; 0]);
    // Another callee, names, comments, strings and the assembly of a module.
    assert!(texts("; call void asm \"a;\", \"\"()\nmodule asm \"b;\"\n@asm = constant [9 x i8] c\"asm \\22c;\\22\"\n  call void @asm(i32 %asm)\n").is_empty());
    assert_eq!(texts("call { i32, i32 } asm \"a $0, $1, $2;\", \"=r,=r,r\"({ i32, <2 x i32> } %s)"), ["a $0, $1, $2;"]);
}

#[test]
fn escapes() {
    let text = |body: &str| only(&format!("call void asm \"{body}\", \"\"()")).ptx.clone();
    assert_eq!(text("a\\22b\\22;\\0Ac\\5Cd\\\\e"), "a\"b\";\nc\\d\\e");
    assert_eq!(text("// \\C3\\A9 \\e2\\82\\ac \\F0\\9F\\98\\80 \\C3 \\qé"), "// é € 😀 \u{fffd} \\qé");
    assert_eq!(text("a$$b; $(x$|y$);"), "a$b; _hole_x_hole_y_hole_;");
    let group = only("call i32 asm \"mov.b32 $0, 1;\", \"=r\"()");
    let edit = host_edit(&group, 12..13, "\"\n\\$L").expect("an edit");
    assert_eq!(edit.text, "\\22\\0A\\5C$$L");
    let fix = group.add_memory_clobber(0).expect("a fix");
    assert_eq!(fix.edits[0].text, ",~{memory}");
}

#[test]
fn operands() {
    // An input that is tied to an output.
    let text = "call i32 asm \"add.u32 $0, $0, $1;\", \"=r,n,0\"(i32 42, i32 %x)";
    let group = only(text);
    assert_eq!(codes(text), [""; 0]);
    let variables: Vec<_> = group.variables.iter().map(|v| (v.kind, v.access, v.value)).collect();
    assert_eq!(
        variables,
        [
            (Kind::B32, Access::ReadWrite, None),
            (Kind::Constant, Access::Input, Some(42)),
            (Kind::B32, Access::Input, None)
        ]
    );
    let one = |text: &str, constraints: &str, arguments: &str| {
        codes(&format!("call i32 asm \"{text}\", \"{constraints}\"({arguments})"))
    };
    assert_eq!(one("add.s32 $0, $1, $2;", "=r,r,r", "i32 %a, i32 %b"), [""; 0]);
    assert_eq!(one("add.s32 $0, $1, $3;", "=r,r,r", "i32 %a, i32 %b"), ["asm-operand-index", "asm-unused-operand"]);
    assert_eq!(one("add.s32 $0, $1, $2;", "=r,r,r", "i32 %a"), ["asm-operand-count"]);
    assert_eq!(one("ld.b32 $0, [$1];", "=r,=*m", "ptr elementtype(i32) %a"), [""; 0]);
    assert_eq!(one("ld.b32 $0, [$1];", "=r,l", "ptr getelementptr (i8, ptr @g, i64 4)"), [""; 0]);
}

#[test]
fn half_typed_statements() {
    let of = |text: &str| {
        let text = format!("  %1 = call i32 {text}\n  call void asm \"ret;\", \"\"()\n");
        texts(&text).join("|")
    };
    assert_eq!(of("asm \"mov.b32 $0, 1;"), "mov.b32 _hole_, 1;|ret;");
    assert_eq!(of("asm \"mov.b32 $0, 1;\","), "mov.b32 _hole_, 1;|ret;");
    assert_eq!(of("asm \"mov.b32 $0, 1;\", \"=r"), "mov.b32 $0, 1;|ret;");
    assert_eq!(of("asm \"mov.b32 $0, 1;\", \"=r\"("), "mov.b32 $0, 1;|ret;");
    assert_eq!(of("asm \"mov.b32 $0, 1;\", \"=r\"(i32 %x,\n  %2 = add i32 1, 1"), "mov.b32 $0, 1;|ret;");
    assert_eq!(of("asm sideeffect"), "ret;");
    let group = only("call i32 asm \"mov.b32 $0, 1;\", \"=r\"(");
    assert_eq!(group.statements[0].flaws, [Flaw::Unclosed]);
}

#[test]
fn statements_of_one_function() {
    let text = "define void @f() {\n  call void asm \".reg .b32 q;\", \"\"()\n  call void asm \"mov.b32 q, $0;\", \"r\"(i32 1)\n}\ndefine void @g() {\n  call void asm \"mov.b32 q, 1;\", \"\"()\n}\n";
    assert_eq!(texts(text), [".reg .b32 q;\nmov.b32 q, $1_0;", "mov.b32 q, 1;"]);
}

#[test]
fn names_of_the_module_are_opaque() {
    let group = only(
        "module asm \".extern .shared .align 4 .b8 \\22scratch[];\"\nmodule asm \".global .b32 g;\"\n  %1 = call i32 asm \"mov.u32 $0, g;\", \"=r\"()\n",
    );
    let opaque: Vec<&str> = group.opaque.iter().map(|r| &group.ptx[r.clone()]).collect();
    assert_eq!(opaque, ["g"]);
}

#[test]
fn a_comment_says_the_target() {
    let wanted = |text: &str| host(text).groups()[0].group.targets.comment.clone();
    let call = "  call void asm \"ret;\", \"\"()\n";
    assert!(wanted(&format!("; ptx: target=sm_90a version=8.7\n{call}")).is_some());
    assert!(
        wanted(&format!("; ptx: target=sm_90a\n; Function Attrs\ndefine void @f() {{\n  ret void\n{call}}}\n"))
            .is_some()
    );
    assert!(wanted(&format!("; ptx: target=sm_90a\n  ret void\n{call}")).is_none());
    assert!(
        wanted(&format!("; ptx: target=sm_90a\ndefine void @f() {{\n}}\ndefine void @g() {{\n{call}}}\n")).is_none()
    );
}

#[test]
fn a_large_file_takes_little_time() {
    let function = "define i32 @g(i32 %a) {\n  %b = add nsw i32 %a, 1, !dbg !1234\n  ret i32 %b\n}\n\n";
    let mut text = function.repeat(400_000);
    text.push_str("call void asm \"ret;\", \"\"()\n");
    let start = Instant::now();
    assert_eq!(texts(&text), ["ret;"]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
