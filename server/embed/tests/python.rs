//! PTX in Python.

mod common;

use ptx_embed::{Access, Flaw, Form, Group, Host, Kind, Language, host_edit};
use std::sync::Arc;

fn host(text: &str) -> Host {
    Host::new(Language::Python, text)
}

fn only(text: &str) -> Arc<Group> {
    common::only(Language::Python, text)
}

fn codes(text: &str) -> Vec<&'static str> {
    common::codes(Language::Python, text)
}

#[test]
fn a_call_of_llvm() {
    let text = "def f(a, b):\n    return llvm.inline_asm(\n        T.i32(),\n        [a.ir_value(loc=loc, ip=ip), b],\n        \"add.s32 $0, $1, \"  # first\n        \"$2; mov.b32 $0, ${0};\",\n        \"=r,r,l,~{memory}\",\n        has_side_effects=True,\n    )\n";
    let group = only(text);
    assert_eq!(group.ptx, "add.s32 $0, $1, $2; mov.b32 $0, $0;");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    let statement = &group.statements[0];
    assert_eq!(statement.form, Form::LlvmInlineAsm);
    assert!(statement.volatile && statement.memory_clobber && statement.is_static());
    let kinds: Vec<_> = group.variables.iter().map(|v| (v.name.as_str(), v.kind, v.access)).collect();
    assert_eq!(
        kinds,
        [("$0", Kind::B32, Access::Output), ("$1", Kind::B32, Access::Input), ("$2", Kind::B64, Access::Input)]
    );
    let start = host(text).groups()[0].start;
    let expression = &statement.operands[1].expression;
    assert_eq!(&text[start + expression.start..start + expression.end], "a.ir_value(loc=loc, ip=ip)");
}

#[test]
fn other_calls() {
    let group = only(
        "y = tl.inline_asm_elementwise(\n  asm=\"\"\"\n  { cvt.rn.f16x2.f32 $0, $1, $2; }\n  \"\"\",\n  constraints=(\n    \"=r,\"\n    \"f,f\"),\n  args=[x, z], dtype=tl.float16, is_pure=True, pack=2)",
    );
    assert_eq!(group.ptx.trim(), "{ cvt.rn.f16x2.f32 $0, $1, $2; }");
    assert_eq!((group.variables.len(), group.statements[0].form), (3, Form::Elementwise));
    assert!(group.problems.is_empty() && !group.statements[0].volatile);
    let group =
        only("x = plgpu.elementwise_inline_asm(\"tanh.approx.f32 $0, $1;\", args=[x], constraints=\"=f,f\", pack=1)");
    assert_eq!((group.ptx.as_str(), group.variables.len()), ("tanh.approx.f32 $0, $1;", 2));
    let group = only("asm = ir.InlineAsm(fnty, \"mov.u32 $0, %laneid;\", \"=r\", True)");
    assert_eq!((group.ptx.as_str(), group.statements[0].volatile), ("mov.u32 $0, %laneid;", true));
    let group = only(
        "r = inline_ptx(\"ex2.approx.f32 {$w0}, 0f00000000; mov.b32 {$w1}, {$r0};\", write_only_types=[Float32, cutlass.Int32], read_only_args=[a])",
    );
    assert_eq!(group.ptx, "ex2.approx.f32 $w0, 0f00000000; mov.b32 $w1, _hole_;");
    let spellings: Vec<_> = group.variables.iter().map(|v| (v.spelling.as_str(), v.kind)).collect();
    assert_eq!(spellings, [("{$w0}", Kind::F32), ("{$w1}", Kind::B32)]);
    assert!(host("def inline_asm(a, b):\n    pass\n").groups().is_empty());
}

#[test]
fn a_call_that_a_comment_shows_is_no_statement_of_cpp() {
    let shown = "\"\"\"\n    asm(\n        \"ld.shared.u64 %0, [%1];\",\n        [\"=l\", \"l\"],\n        [ret, ptr]\n    )\n\"\"\"\n";
    assert!(host(shown).groups().is_empty());
    let cpp = "S = \"\"\"void f() { asm(\"ld.shared.u64 %0, [%1];\" : \"=l\"(x) : \"l\"(p), \"r\"(q)); }\"\"\"\n";
    assert_eq!(host(cpp).groups().len(), 1);
}

#[test]
fn literals() {
    let text = |literal: &str| only(&format!("llvm.inline_asm(t, [], {literal}, \"\")")).ptx.clone();
    assert_eq!(text(r#""a;\n\tb; $$x""#), "a;\n\tb; $x");
    assert_eq!(text(r#"r"a\n;""#), "a\\n;");
    assert_eq!(text(r#"'a;' "b;" '''c;'''"#), "a;b;c;");
    assert_eq!(text(r#""a;" + "b;""#), "a;b;");
    assert_eq!(
        text(
            r#"("a;"
        "b;")"#
        ),
        "a;b;"
    );
    assert_eq!(text(r#"f"{{ a{x['}']}; }}""#), "{ a_hole_']}; }");
    assert_eq!(text(r#"f"{{ add.{ty} a; }}""#), "{ add._hole_ a; }");
    assert_eq!(text(r#""a.%s;" % x"#), "_hole_");
    assert_eq!(text("CODE"), "_hole_");
    assert_eq!(only("CODE = \"a;\"\nllvm.inline_asm(t, [], CODE, \"\")").ptx, "a;");
    let flaws = &only("llvm.inline_asm(t, [], f\"{x}\", \"\")").statements[0].flaws;
    assert!(flaws.contains(&Flaw::Hole));
}

#[test]
fn mistakes() {
    let one = |text: &str, operands: &str, constraints: &str| {
        codes(&format!("llvm.inline_asm(t, [{operands}], \"{text}\", \"{constraints}\")"))
    };
    assert_eq!(one("add.s32 $0, $1, $2;", "a, b", "=r,r,r"), [""; 0]);
    assert_eq!(one("add.s32 $0, $1, $3;", "a, b", "=r,r,r"), ["asm-operand-index", "asm-unused-operand"]);
    assert_eq!(one("add.s32 $0, $1, $2;", "a", "=r,r,r"), ["asm-operand-count"]);
    assert_eq!(one("add.s32 $0, $1, $0;", "a, b", "=r,r,0"), [""; 0], "an input that is tied to an output");
    assert_eq!(one("add.s32 $0, $1, $0;", "a, b", "=r,r,r"), ["asm-unused-operand"]);
    assert_eq!(one("add.s32 $0, $1, $2", "a, b", "=r,r,r"), ["asm-missing-semicolon"]);
    let triton = |outputs: &str, text: &str| {
        codes(&format!("tl.inline_asm_elementwise(\"{text}\", \"{outputs}\", [a], dtype=t, is_pure=False, pack=1)"))
    };
    assert_eq!(triton("=r,r", "nanosleep.u32 $1;"), [""; 0], "Triton needs an output");
    assert_eq!(triton("=r,=r,r", "mov.b32 $0, $2;"), ["asm-unused-operand"]);
    assert_eq!(one("add.s32 $0, $1, $2;", "*a", "=r,r,r"), [""; 0]);
}

#[test]
fn cpp_in_literals() {
    let text = "KERNEL = r'''\nvoid f() {\n  asm(\"add.u32 %0, %1, %%laneid;\\n\" : \"=r\"(a) : \"r\"(b));\n}\n'''\n";
    let group = only(text);
    assert_eq!(group.ptx, "add.u32 %0, %1, %laneid;\n");
    let start = host(text).groups()[0].start;
    assert!(text[start..].starts_with("asm("));
    let place = group.map.to_host(12..14);
    assert_eq!(&text[start + place[0].start..start + place[0].end], "%1");
    for piece in ["assert 'asm volatile(\"st.' in src", "x = 'asm(\"{ mov.b32 %0, 1;\"'\ny = '\"}\" : \"=r\"(a));'"] {
        assert!(host(piece).groups().is_empty(), "{piece}: a piece of a statement");
    }
    // Escapes of both languages.
    let text = "KERNEL = \"void f() {\\n  asm(\\\"add.u32 %0, %1, 1;\\\\n\\\" : \\\"=r\\\"(a) : \\\"r\\\"(b));\\n}\"\n";
    let group = only(text);
    assert_eq!(group.ptx, "add.u32 %0, %1, 1;\n");
    let start = host(text).groups()[0].start;
    let place = group.map.to_host(18..19);
    assert_eq!(&text[start + place[0].start..start + place[0].end], "\\\\n");
    let fix = group.add_memory_clobber(0).expect("a fix");
    assert_eq!(fix.edits[0].text, " : \\\"memory\\\"");
    let edit = host_edit(&group, 16..17, "\n").expect("an edit");
    assert_eq!((edit.text.as_str(), &text[start + edit.span.start..start + edit.span.end]), ("\\\\n", "1"));
}

#[test]
fn a_comment_says_the_target() {
    let wanted = |text: &str| host(text).groups()[0].group.targets.comment.clone();
    let call = "x = inline_ptx(\"ret;\")";
    assert!(wanted(&format!("# ptx: target=sm_90a version=8.7\n{call}\n")).is_some());
    assert!(wanted(&format!("# ptx: target=sm_90a\n@jit\ndef f():\n    y = 1\n    {call}\n")).is_some());
    assert!(wanted(&format!("# ptx: target=sm_90a\ny = 1\n{call}\n")).is_none());
    assert!(wanted(&format!("# ptx: target=sm_90a\ndef f():\n    y = 1\n{call}\n")).is_none());
}

#[test]
fn a_bracket_without_end_reaches_to_the_next_statement() {
    let texts = |text: &str| -> Vec<String> { host(text).groups().iter().map(|g| g.group.ptx.clone()).collect() };
    let open = "def f():\n    llvm.inline_asm(t, [a], \"mov.b32 $0, 1;\", \ndef g():\n    inline_ptx(\"ret;\")\n";
    assert_eq!(texts(open), ["mov.b32 _hole_, 1;", "ret;"]);
    assert_eq!(texts("x = (1\ndef g():\n    inline_ptx(\"ret;\")\n"), ["ret;"]);
    assert_eq!(texts("x = \"abc\ny = inline_ptx(\"ret;\")\n"), ["ret;"]);
}
