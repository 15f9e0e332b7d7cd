//! PTX in Julia.

mod common;

use ptx_embed::{Access, Flaw, Form, Group, Host, Kind, Language, host_edit};
use std::sync::Arc;

fn host(text: &str) -> Host {
    Host::new(Language::Julia, text)
}

fn only(text: &str) -> Arc<Group> {
    common::only(Language::Julia, text)
}

fn texts(text: &str) -> Vec<String> {
    common::texts(Language::Julia, text)
}

fn codes(text: &str) -> Vec<&'static str> {
    common::codes(Language::Julia, text)
}

#[test]
fn a_call() {
    let text = "f(x, y) =\n    LLVM.Interop.@asmcall(\"add.u32 \\$0, \\$1, \\${2};\\n\\tmov.u32 \\$0, %laneid;\", # first\n        \"=r,r,l,~{memory}\", true,\n        UInt32, Tuple{UInt32, UInt64}, x % UInt32, g(y, 1))\n";
    let group = only(text);
    assert_eq!(group.ptx, "add.u32 $0, $1, $2;\n\tmov.u32 $0, %laneid;");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    let statement = &group.statements[0];
    assert_eq!(statement.form, Form::Julia);
    assert!(statement.volatile && statement.memory_clobber && statement.is_static());
    let kinds: Vec<_> = group.variables.iter().map(|v| (v.name.as_str(), v.kind, v.access)).collect();
    assert_eq!(
        kinds,
        [("$0", Kind::B32, Access::Output), ("$1", Kind::B32, Access::Input), ("$2", Kind::B64, Access::Input)]
    );
    let start = host(text).groups()[0].start;
    let of = |range: &std::ops::Range<usize>| &text[start + range.start..start + range.end];
    assert_eq!(of(&statement.keyword), "@asmcall");
    assert!(of(&statement.span).ends_with("g(y, 1))"));
    assert_eq!(of(&statement.operands[1].expression), "x % UInt32");
    assert_eq!(of(&statement.operands[2].expression), "g(y, 1)");
    assert_eq!(of(&group.map.to_host(8..10)[0]), "\\$0");
}

#[test]
fn arguments_may_be_missing() {
    let of = |arguments: &str| {
        let group = only(&format!("@asmcall({arguments})"));
        (group.ptx.clone(), group.variables.len(), group.statements[0].volatile)
    };
    assert_eq!(of(r#""membar.gl;""#), ("membar.gl;".to_owned(), 0, false));
    assert_eq!(of(r#""membar.gl;", "~{memory}", true"#), ("membar.gl;".to_owned(), 0, true));
    assert_eq!(of(r#""a \$0;", "=r", UInt32"#), ("a $0;".to_owned(), 1, false));
    assert_eq!(of(r#""a \$0;", "=r", false, UInt32, Tuple{}"#), ("a $0;".to_owned(), 1, false));
    assert_eq!(codes("@asmcall(\"exit;\", Nothing, Tuple{})"), [""; 0]);
    assert_eq!(codes("@asmcall(\"a \\$0, \\$1;\", \"=r,r\", UInt32, Tuple{UInt32}, x)"), [""; 0]);
    assert_eq!(codes("@asmcall(\"a \\$0, \\$1;\", \"=r,r\", UInt32, Tuple{UInt32})"), ["asm-operand-count"]);
    assert_eq!(codes("@asmcall(\"a \\$0, \\$1;\", \"=r,r\", UInt32, Tuple{UInt32}, x...)"), [""; 0]);
    assert_eq!(codes("@asmcall(\"a \\$0, \\$2;\", \"=r,0\", UInt32, Tuple{UInt32}, x)"), ["asm-operand-index"]);
}

#[test]
fn strings() {
    let text = |literal: &str| only(&format!("@asmcall({literal})")).ptx.clone();
    assert_eq!(text(r#""a\$\$b; \x41\u00e9 \\ \"c\"""#), "a$b; Aé \\ \"c\"");
    assert_eq!(text("\"\"\"\n    a \"b\";\n    \"\"\""), "\n    a \"b\";\n    ");
    assert_eq!(text("\"a; \\\n      b;\""), "a; b;");
    assert_eq!(text(r#"raw"a $$b;\n""#), "a $b;\\n");
    assert_eq!(text(r#""add.$type a;""#), "add._hole_ a;");
    assert_eq!(text(r#""add.$(f("x", (1))) a; b;""#), "add._hole_ a; b;");
    assert_eq!(text("$($asm), $($constraints), true"), "_hole_");
    assert_eq!(text("code"), "_hole_");
    assert_eq!(text(r#""a" * "b""#), "_hole_");
    let group = only("@asmcall(\"mov.b32 \\$0, 1;\", \"=r\", UInt32)");
    let edit = host_edit(&group, 12..13, "\"$x").expect("an edit");
    assert_eq!(edit.text, "\\\"\\$\\$x");
    assert_eq!(group.add_memory_clobber(0).expect("a fix").edits[0].text, ",~{memory}");
}

#[test]
fn tokens_that_hide_others() {
    let text = "# @asmcall(\"a;\")\n#= @asmcall(\"b;\") #= nested =# @asmcall(\"c;\") =#\n\"\"\"\n    @asmcall(\"d;\")\n\"\"\"\nx = a' * b'\nq = '\"'; r = '\\''; s = \"\\\"\"; t = \"$(g(\"@asmcall(\")))\"; u = `@asmcall(\"e;\")`; v = r\"\\\"\"\nexport @asmcall\n@asmcall(\"ret;\")\n";
    assert_eq!(texts(text), ["ret;"]);
}

#[test]
fn half_typed_statements() {
    assert_eq!(texts("f() = @asmcall(\"exit;\", \"\nend"), ["exit;"]);
    assert_eq!(texts("function f()\n  @asmcall(\"exit;\", \nend\n@asmcall(\"ret;\")"), ["exit;", "ret;"]);
    assert_eq!(texts("@asmcall(\"exit;\",\n@asmcall(\"ret;\")"), ["exit;", "ret;"]);
    assert_eq!(texts("(@asmcall(\"exit;\", [1) + @asmcall(\"ret;\")"), ["exit;", "ret;"]);
    let group = only("@asmcall(\"a \\$0;\", \"=r\", UInt32, Tuple{");
    assert_eq!(group.statements[0].flaws, [Flaw::Unclosed]);
    assert_eq!(only("@asmcall(\"a \\$0;\", x[end], UInt32)").statements[0].flaws, [Flaw::OperandHole]);
}

#[test]
fn a_comment_says_the_target() {
    let wanted = |text: &str| host(text).groups()[0].group.targets.comment.clone();
    let call = "@asmcall(\"ret;\")\n";
    assert!(wanted(&format!("# ptx: target=sm_90a version=8.7\n{call}")).is_some());
    assert!(wanted(&format!("# ptx: target=sm_90a\n@inline f() =\n    {call}")).is_some());
    assert!(wanted(&format!("# ptx: target=sm_90a\ng()\n{call}")).is_none());
}
