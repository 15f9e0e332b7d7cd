//! PTX in Rust.

mod common;

use ptx_embed::{Access, Edit, Flaw, Form, Group, Host, Kind, Language, host_edit};
use std::sync::Arc;

fn host(text: &str) -> Host {
    Host::new(Language::Rust, text)
}

fn only(text: &str) -> Arc<Group> {
    common::only(Language::Rust, text)
}

fn texts(text: &str) -> Vec<String> {
    common::texts(Language::Rust, text)
}

fn codes(text: &str) -> Vec<&'static str> {
    common::codes(Language::Rust, text)
}

/// Names, kinds and accesses of the operands.
fn variables(group: &Group) -> Vec<(&str, &str, Kind, Access)> {
    group.variables.iter().map(|v| (v.name.as_str(), v.spelling.as_str(), v.kind, v.access)).collect()
}

#[test]
fn positional_operands() {
    let text = "fn f(x: u32) -> u64 {\n    let y: u64;\n    unsafe { core::arch::asm!(\"cvt.u64.u32 {0}, {1};\", out(reg64) y, in(reg32) x + 1, options(pure, nomem, nostack)) };\n    y\n}\n";
    let group = only(text);
    assert_eq!(group.ptx, "cvt.u64.u32 $0, $1;");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    assert_eq!(variables(&group), [("$0", "{0}", Kind::B64, Access::Output), ("$1", "{1}", Kind::B32, Access::Input)]);
    let statement = &group.statements[0];
    assert_eq!(statement.form, Form::RustAsm);
    assert!(!statement.volatile && !statement.memory_clobber && statement.is_static() && !statement.in_define);
    let start = host(text).groups()[0].start;
    let of = |range: &std::ops::Range<usize>| &text[start + range.start..start + range.end];
    assert_eq!(of(&statement.span), &text[text.find("asm!").expect("there")..text.find(" };\n").expect("there")]);
    assert_eq!(of(&statement.keyword), "asm");
    assert_eq!(of(&statement.operands[1].span), "in(reg32) x + 1");
    assert_eq!(of(&statement.operands[1].expression), "x + 1");
    assert_eq!(of(&statement.operands[0].constraint.span), "reg64");
    let place = group.map.to_host(12..14);
    assert_eq!(of(&place[0]), "{0}");
}

#[test]
fn named_and_implicit_operands() {
    let group = only(
        "asm!(\"atom.global.add.u32 {out}, [{ptr}], {val};\", out = out(reg32) r, ptr = in(reg64) p, val = in(reg32) v,);",
    );
    assert_eq!(group.ptx, "atom.global.add.u32 $out, [$ptr], $val;");
    assert_eq!(variables(&group)[1], ("$ptr", "{ptr}", Kind::B64, Access::Input));
    assert!(group.statements[0].volatile && group.statements[0].memory_clobber);
    let group = only("asm!(\"add.u32 {}, {}, {};\", lateout(reg32) a, in(reg32) b, in(reg32) c)");
    assert_eq!(group.ptx, "add.u32 $0, $1, $2;");
    let group = only("asm!(\"add.u32 {}, {1:x}, {x};\", out(reg32) a, in(reg32) b, x = in(reg32) c)");
    assert_eq!(group.ptx, "add.u32 $0, $1, $x;");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    // The count of `{}` goes on in the next string.
    let group = only("asm!(\"mov.b32 {}, 1;\", \"mov.b32 {}, 2;\", out(reg32) a, out(reg32) b)");
    assert_eq!(group.ptx, "mov.b32 $0, 1;\nmov.b32 $1, 2;");
}

#[test]
fn directions_and_classes() {
    let group = only(
        "asm!(\"{a} {b} {c} {d} {e}\", a = inout(reg16) x, b = inlateout(reg32) y => z, c = out(reg32) _, d = const -0x1_0i32, e = sym path::of::it)",
    );
    let of = |name: &str| group.variables.iter().find(|v| v.name == name).map(|v| (v.kind, v.access, v.value));
    assert_eq!(of("$a"), Some((Kind::B16, Access::ReadWrite, None)));
    assert_eq!(of("$b"), Some((Kind::B32, Access::ReadWrite, None)));
    assert_eq!(of("$c"), Some((Kind::B32, Access::Output, None)));
    assert_eq!(of("$d"), Some((Kind::Constant, Access::Input, Some(-16))));
    assert_eq!(of("$e"), None);
    assert_eq!(group.ptx, "$a $b $c $d _hole_");
    let value = |text: &str| only(&format!("asm!(\"{{0}}\", const {text})")).variables[0].value;
    assert_eq!(value("5u64"), Some(5));
    assert_eq!(value("0b101"), Some(5));
    assert_eq!(value("1_000"), Some(1000));
    assert_eq!(value("N"), None);
    assert_eq!(value("1 + 1"), None);
    // A constant is text, so it may be a part of a word.
    assert_eq!(only("asm!(\"mma.m16n8k{}.a;\", const 16)").ptx, "mma.m16n8k16.a;");
    assert_eq!(only("asm!(\"mma.m16n8k{}.a;\", const K)").ptx, "mma.m16n8k_hole_.a;");
    assert_eq!(only("asm!(\"{0}{1};\", in(reg32) a, in(reg32) b)").ptx, "_hole__hole_;");
}

#[test]
fn braces_and_strings() {
    let text = |arguments: &str| only(&format!("asm!({arguments}, out(reg32) x)")).ptx.clone();
    assert_eq!(text(r#""{{ .reg .b32 t; mov.b32 {0}, t; }}""#), "{ .reg .b32 t; mov.b32 $0, t; }");
    assert_eq!(text(r#""mov.v2 {{{0}, a}};""#), "mov.v2 {$0, a};");
    assert_eq!(text(r##"r"a\n {0}", r#"b "c" {0}"#"##), "a\\n $0\nb \"c\" $0");
    assert_eq!(text(r#""a;\n\tb\x41\u{e9}\"\\{0}""#), "a;\n\tbAé\"\\$0");
    assert_eq!(text("\"a; \\\n      b; {0}\""), "a; b; $0");
    assert_eq!(text("\"a;\n   b; {0}\""), "a;\n   b; $0");
    assert_eq!(text(r#"concat!("mov.b32 ", "{0}, 1;")"#), "mov.b32 $0, 1;");
    assert_eq!(text(r#"concat!("mov.", stringify!(b32), " {0}, ", 1, ";")"#), "mov._hole_ $0, _hole_;");
    assert_eq!(text(r#"include_str!("x.ptx")"#), "_hole_");
    assert_eq!(text(r#""a;", TEXT, "b {0};""#), "a;\n_hole_\nb $0;");
    assert_eq!(
        only("asm!(\"{ .reg .b32 %r; mov.b32 %r, 1; }\", options(raw, nostack))").ptx,
        "{ .reg .b32 %r; mov.b32 %r, 1; }"
    );
    let group = only("asm! { r\"{{ bar.sync 0; }}\", options(preserves_flags, readonly, att_syntax) }");
    assert_eq!((group.ptx.as_str(), group.statements[0].memory_clobber), ("{ bar.sync 0; }", false));
    assert_eq!(only("asm![\"ret;\"]").ptx, "ret;");
}

#[test]
fn other_processors() {
    assert!(texts("unsafe { asm!(\"mov {0}, 5\", out(reg) x); }").is_empty());
    assert!(texts("asm!(\"cpuid\", inout(\"eax\") 1 => a, out(\"ebx\") _)").is_empty());
    assert!(texts("asm!(\"vaddps {0}, {0}\", in(xmm_reg) x, clobber_abi(\"C\"))").is_empty());
    assert!(texts("global_asm!(\"ret;\"); llvm_asm!(\"ret;\"); use core::arch::asm;").is_empty());
    // What has no operands is left to the check of the text.
    assert_eq!(texts("asm!(\"cli\")"), ["cli"]);
}

#[test]
fn mistakes() {
    let of = |text: &str| codes(&format!("asm!({text})"));
    assert_eq!(of(r#""add.u32 {0}, {1}, 1;", out(reg32) x, in(reg32) y"#), [""; 0]);
    assert_eq!(of(r#""add.u32 {0}, {1}, 1;", out(reg32) x"#), ["asm-operand-index"]);
    assert_eq!(of(r#""add.u32 {}, {}, 1;", out(reg32) x"#), ["asm-operand-index"]);
    assert_eq!(
        of(r#""add.u32 {0}, {y}, 1;", out(reg32) x, z = in(reg32) y"#),
        ["asm-operand-index", "asm-unused-operand"]
    );
    // An operand with a name has no index.
    assert_eq!(of(r#""mov.u32 {0}, 1;", x = out(reg32) x"#), ["asm-operand-index", "asm-unused-operand"]);
    assert_eq!(of(r#""mov.u32 {0}, 1", out(reg32) x"#), ["asm-missing-semicolon"]);
    assert_eq!(of(r#""add.u32 {0}, {1}, 1;", out(reg32) x, in(reg31) y"#), ["asm-constraint"]);
    assert_eq!(of(r#""{ .reg .b32 t; }""#), ["asm-operand-index", "asm-operand-index"]);
    let text = "asm!(\"{ .reg .b32 t; }\")";
    let group = only(text);
    let fix = &group.problems[0].fixes[0].edits[0];
    assert_eq!((&text[fix.span.clone()], fix.text.as_str()), ("{", "{{"));
    // What a macro may add is not missing.
    assert_eq!(of(r#""add.u32 {0}, {1}, 1;", out(reg32) x, $($more)*"#), [""; 0]);
}

#[test]
fn ptx_asm_of_cuda_oxide() {
    let text = "ptx_asm!(\"{ .reg .pred p; setp.ne.u32 p, %1, %2; mov.u32 %0, %%laneid; $L: }\", out(\"=r\") x, in(\"r\") y, in(\"n\") 7u32, in(\"C\") M, clobber(\"memory\"))";
    let group = only(text);
    assert_eq!(group.ptx, "{ .reg .pred p; setp.ne.u32 p, %1, %2; mov.u32 %0, %laneid; $L: }");
    assert_eq!(codes(text), ["asm-unused-operand"]);
    let statement = &group.statements[0];
    assert!(statement.volatile && statement.memory_clobber && statement.form == Form::PtxAsm);
    assert_eq!(variables(&group)[0], ("%0", "%0", Kind::B32, Access::Output));
    assert_eq!(group.variables[2].value, Some(7));
    assert_eq!(group.variables.len(), 3);
    let of = |text: &str| codes(&format!("cuda_device::ptx_asm!({text})"));
    assert_eq!(of(r#""mov.u32 %0, %laneid;", out("=r") x"#), ["asm-percent"]);
    assert_eq!(of(r#""mov.u32 %1, 1;", out("=r") x"#), ["asm-operand-index", "asm-unused-operand"]);
    assert_eq!(of(r#""mov.u32 %0, %1;", out("r") x, in("=r") y"#), ["asm-access", "asm-access"]);
    assert_eq!(of(r#""mov.u32 %0, %1;", inout("+f") x, in("z") y"#), ["asm-constraint"]);
    let pure =
        only("ptx_asm!(\"ex2.approx.f32 %0, %1;\", out(\"=f\") x, in(\"f\") y, options(register_only, may_diverge),)");
    assert!(!pure.statements[0].volatile && !pure.statements[0].memory_clobber);
    let text = "ptx_asm!(\"membar.gl;\")";
    let fix = only(text).add_memory_clobber(0).expect("a fix");
    assert_eq!((fix.edits[0].span.start, fix.edits[0].text.as_str()), (text.len() - 1, ", clobber(\"memory\")"));
}

#[test]
fn tokens_that_hide_others() {
    let hidden = "// asm!(\"a;\")\n/* asm!(\"b;\") /* nested */ asm!(\"c;\") */\nfn f<'a>(x: &'a str) {\n    let q = '\"';\n    let r = '\\'';\n    let s = b'\"';\n    let t = \"asm!(\\\"d;\\\")\";\n    let u = r#\"asm!(\"e;\")\"#;\n    let v = br\"\\\";\n    let w: &'static str = c\"\";\n    asm!(\"ret;\");\n}\n";
    assert_eq!(texts(hidden), ["ret;"]);
    assert_eq!(texts("asm!(/* \"a\" */ \"b;\" // \"c\"\n, in(reg32) f(',', \")\", '\\''), options(nomem))"), ["b;"]);
    let group = only("asm!(\"{0} {1} {2};\", in(reg32) f::<A, B>(x), in(reg32) { let a = [0; 4]; a[0] }, in(reg32) x)");
    assert_eq!(group.variables.len(), 3);
    assert!(group.statements[0].is_static());
}

#[test]
fn half_typed_statements() {
    let open = "fn f() {\n    unsafe { asm!(\"mov.b32 {0}, 1;\", out(reg32) x }\n    asm!(\"ret;\");\n}\n";
    assert_eq!(texts(open), ["mov.b32 $0, 1;", "ret;"]);
    assert_eq!(texts("asm!(\"mov.b32 {0}, 1;\", out(reg32) x;\nasm!(\"ret;\");"), ["mov.b32 $0, 1;", "ret;"]);
    assert_eq!(texts("asm!(\"mov.b32 {0}, 1;\",\nasm!(\"ret;\");"), ["mov.b32 _hole_, 1;", "ret;"]);
    assert_eq!(texts("asm!(\"exit;\", out(reg32)\nfn g() { asm!(\"ret;\") }"), ["exit;", "ret;"]);
    let group = only("asm!(\"mov.b32 {0}, 1;\", out(reg32) ");
    assert!(group.statements[0].flaws.contains(&Flaw::Unclosed) && group.problems.is_empty());
    assert_eq!(texts("asm!(\"a {0"), ["a {0"]);
}

#[test]
fn macros() {
    let text = "macro_rules! m {\n    ($op:literal, $x:expr) => {\n        asm!($op, \"add.u32 {0}, {1}, 1;\", out(reg32) $x, in(reg32) $x)\n    };\n}\nfn f() { asm!(concat!(\"st.\", $ty, \" [{0}], {1};\"), in(reg64) p, $($rest)*) }\n";
    let host = host(text);
    let groups: Vec<_> = host.groups().iter().map(|p| &p.group).collect();
    assert_eq!(groups[0].ptx, "_hole_\nadd.u32 $0, $1, 1;");
    assert!(groups[0].statements[0].in_define && !groups[1].statements[0].in_define);
    assert_eq!(groups[1].ptx, "st._hole_ [$0], _hole_;");
    assert_eq!(groups[1].statements[0].flaws, [Flaw::Hole, Flaw::OperandHole]);
    assert!(groups[1].problems.is_empty());
}

#[test]
fn statements_of_one_function() {
    let text = "pub unsafe fn f(a: [u8; 4]) {\n    asm!(\".reg .b32 q;\");\n    if x { asm!(\"mov.b32 q, {0};\", in(reg32) a); }\n}\nfn g() {\n    asm!(\"mov.b32 q, 1;\");\n}\n";
    assert_eq!(texts(text), [".reg .b32 q;\nmov.b32 q, $1_0;", "mov.b32 q, 1;"]);
    let host = host(text);
    let group = &host.groups()[0].group;
    assert_eq!((group.variables[0].name.as_str(), group.variables[0].spelling.as_str()), ("$1_0", "{0}"));
    let at = group.ptx.find("$1_0").expect("there");
    let edit = host_edit(group, at - 3..at - 2, "{$1_0}, ").expect("an edit");
    assert_eq!(edit.text, "{{{0}}}, ");
}

#[test]
fn names_of_the_module_are_opaque() {
    let opaque = |text: &str| -> Vec<String> {
        host(text)
            .groups()
            .iter()
            .flat_map(|p| p.group.opaque.iter().map(|r| p.group.ptx[r.clone()].to_owned()))
            .collect()
    };
    let call = "fn f() { asm!(\"mov.u32 {0}, scratch; call (b), twice, (a);\", out(reg32) x); }\n";
    let module = "global_asm!(\".extern .shared .align 4 .b8 scratch[];\", \".func (.param .b32 r) twice (.param .b32 p) { mov.u32 %r1, 1; }\");\n";
    assert_eq!(opaque(call), [""; 0]);
    assert_eq!(opaque(&format!("{call}{module}")), ["scratch", "twice"]);
    let mut host = host(call);
    let text = format!("{call}{module}");
    host.edit(&text, Edit { start: call.len(), old_end: call.len(), new_end: text.len() });
    assert_eq!(host.groups(), Host::new(Language::Rust, &text).groups());
}

#[test]
fn a_comment_says_the_target() {
    let wanted = |text: &str| host(text).groups()[0].group.targets.comment.clone();
    let call = "asm!(\"ret;\");";
    assert!(
        wanted(&format!("fn f() {{\n    // ptx: target=sm_90a version=8.7\n    unsafe {{ {call} }}\n}}")).is_some()
    );
    assert!(
        wanted(&format!("// ptx: target=sm_90a\n#[inline]\npub unsafe fn f(x: [u8; 4]) {{\n    g();\n    {call}\n}}"))
            .is_some()
    );
    assert!(wanted(&format!("fn f() {{\n    // ptx: target=sm_90a\n    let x = core::arch::{call}\n}}")).is_some());
    assert!(wanted(&format!("fn f() {{\n    // ptx: target=sm_90a\n    g();\n    {call}\n}}")).is_none());
    assert!(wanted(&format!("// ptx: target=sm_90a\nfn f() {{}}\nfn g() {{ {call} }}")).is_none());
}
