//! PTX in C++.

mod common;

use ptx_embed::{Access, Flaw, Group, Host, Kind, Language, Placed};
use std::ops::Range;
use std::sync::Arc;

fn host(text: &str) -> Host {
    Host::new(Language::Cpp, text)
}

fn only(text: &str) -> Arc<Group> {
    let host = host(text);
    assert_eq!(host.groups().len(), 1, "{text}");
    host.groups()[0].group.clone()
}

fn codes(text: &str) -> Vec<&'static str> {
    common::codes(Language::Cpp, text)
}

/// The text after the first fix of the first problem with a code.
fn fixed(text: &str, code: &str) -> String {
    let host = host(text);
    let mut groups = host.groups().iter();
    let (placed, problem) =
        groups.find_map(|g| Some((g, g.group.problems.iter().find(|p| common::code(p.kind) == code)?))).expect(code);
    let mut out = text.to_owned();
    for edit in problem.fixes[0].edits.iter().rev() {
        out.replace_range(placed.start + edit.span.start..placed.start + edit.span.end, &edit.text);
    }
    out
}

#[test]
fn a_statement_with_operands() {
    let text = r#"__device__ int f(int a) { int r;
  asm volatile("add.s32 %0, %1, 1;\n\t"
               "mov.b32 %0, %%laneid;" : "=r"(r) : "r"(a + g(1, 2)) : "memory");
  return r; }"#;
    let group = only(text);
    assert_eq!(group.ptx, "add.s32 %0, %1, 1;\n\tmov.b32 %0, %laneid;");
    let statement = &group.statements[0];
    assert!(statement.volatile && statement.memory_clobber && statement.is_static());
    let names: Vec<_> = group.variables.iter().map(|v| (v.name.as_str(), v.kind, v.access)).collect();
    assert_eq!(names, [("%0", Kind::B32, Access::Output), ("%1", Kind::B32, Access::Input)]);
    let start = host(text).groups()[0].start;
    let operand = &statement.operands[1];
    assert_eq!(&text[start + operand.expression.start..start + operand.expression.end], "a + g(1, 2)");
    assert!(group.problems.is_empty(), "{:?}", group.problems);
    // `laneid` maps to its own bytes, the escape to two.
    let at = group.ptx.find("%laneid").expect("there");
    let place = group.map.to_host(at..at + 7);
    assert_eq!(place.len(), 1);
    assert_eq!(&text[start + place[0].start..start + place[0].end], "%%laneid");
}

#[test]
fn without_operands_the_text_stays() {
    assert_eq!(only(r#"void f(){ asm("mov.u32 r, %%laneid;" ::: "memory"); }"#).ptx, "mov.u32 r, %%laneid;");
    assert_eq!(codes(r#"void f(){ asm("mov.u32 r, %%laneid;"); }"#), ["asm-percent"]);
    assert_eq!(fixed(r#"void f(){ asm("mov.u32 r, %%l;"); }"#, "asm-percent"), r#"void f(){ asm("mov.u32 r, %l;"); }"#);
}

#[test]
fn mistakes_of_the_host() {
    let one = |text: &str, operands: &str| codes(&format!("void f(){{ asm volatile(\"{text}\" {operands}); }}"));
    assert_eq!(one("mov.b32 %0, %1;", r#": "=r"(a) : "r"(b)"#), [""; 0]);
    assert_eq!(one("mov.b32 %0, %2;", r#": "=r"(a) : "r"(b)"#), ["asm-operand-index", "asm-unused-operand"]);
    assert_eq!(one("mov.b32 %0, %[b];", r#": "=r"(a) : [b] "r"(b)"#), ["asm-operand-name", "asm-unused-operand"]);
    assert_eq!(one("mov.b32 %0, %r1;", r#": "=r"(a)"#), ["asm-operand-modifier"]);
    assert_eq!(one("mov.b32 %0, %laneid;", r#": "=r"(a)"#), ["asm-unescaped-name"]);
    assert_eq!(one("mov.b32 %0, 1; %", r#": "=r"(a)"#)[0], "asm-percent");
    assert_eq!(one("mov.b32 %0, 1", r#": "=r"(a)"#), ["asm-missing-semicolon"]);
    assert_eq!(one("mov.b32 %0, 1;", r#": "r"(a)"#), ["asm-access"]);
    assert_eq!(one("st.b32 [%0], 1;", r#":: "=l"(a)"#), ["asm-access"]);
    assert_eq!(one("mov.b32 %0, 1;", r#": "=ri"(a)"#), ["asm-constraint"]);
    assert_eq!(one("mov.b32 %0, 1;", r#": "=x"(a)"#), ["asm-constraint"]);
    assert_eq!(one("mov.b32 %0, 1;", r#": "=r"(a) :: "memory", "cc""#), ["asm-clobber"]);
    assert_eq!(one("mov.b32 %0, 1;", r#": "=r"(a) :: "mem" "ory""#), [""; 0]);
    let text = r#"void f(){ asm("mov.b32 %0, 1; // x\n" : "=r"(a) :: "cc", "memory"); }"#;
    assert_eq!(fixed(text, "asm-clobber"), text.replace(r#""cc", "#, ""));
    let text = r#"void f(){ asm("mov.b32 %0, 1 // x\n" : "r"(a)); }"#;
    assert_eq!(fixed(text, "asm-missing-semicolon"), text.replace("1 //", "1; //"));
    assert_eq!(fixed(text, "asm-access"), text.replace("\"r\"", "\"=r\""));
    let text = r#"void f(){ asm("mov.b32 %0, %[b];" : "=r"(a) : [b] "r"(b)); }"#;
    assert_eq!(fixed(text, "asm-operand-name"), text.replace("%[b]", "%1"));
}

#[test]
fn forms_of_statements() {
    for text in [
        r##"void f() { __asm__ __volatile__("ret;"); }"##,
        r##"void f() { asm R"(ret;)"; asm(R"x(ret;)x"); }"##,
        "#define F(x) asm volatile(\"ret;\" \\\n  :: \"r\"(x))\n",
        "void f() { /* asm(\"exit;\") */ // asm(\"exit;\")\n asm /* x */ (\"r\\\net;\"); }",
        "#define T \"re\" \"t;\"\nvoid f() { asm(T); }",
        r#"void f() { asm("ret;" :: "r"(a) "r"(b)); }"#,
        r#"void f() { asm("ret;" :: "r"("x)"), "r"(')') "n"(1'000)); }"#,
    ] {
        assert_eq!(only(text).ptx, "ret;", "{text}");
        assert!(only(text).statements[0].is_static(), "{text}");
    }
}

#[test]
fn holes() {
    let group = only("#define F(x, T) asm(\"add.\" #T \" %0, %0, 1;\" : \"+r\"(x))\n");
    assert_eq!(group.statements[0].flaws, [Flaw::Hole]);
    assert_eq!(group.ptx, "add._hole_ %0, %0, 1;");
    assert_eq!(group.opaque, std::slice::from_ref(&(4..10)));
    let group = only("void f() { asm(\"add.u32 %0, %1, %2;\" : \"=r\"(x) : OPERANDS(y) : \"memory\"); }");
    assert_eq!(group.statements[0].flaws, [Flaw::OperandHole]);
    assert_eq!(group.ptx, "add.u32 %0, _hole_, _hole_;");
}

#[test]
fn constants() {
    let value = |text: &str| only(text).variables[0].value;
    let with = |e: &str| value(&format!("void f() {{ asm(\"bar.sync %0;\" :: \"n\"({e})); }}"));
    assert_eq!(with("7"), Some(7));
    assert_eq!(with("true"), Some(1));
    assert_eq!(with("(1 << 4) | 0x3u"), Some(19));
    assert_eq!(with("0xffffffffu"), Some(-1));
    assert_eq!(with("int32_t(5)"), Some(5));
    assert_eq!(with("static_cast<int>(-5)"), Some(-5));
    assert_eq!(with("N"), None);
    assert_eq!(with("sizeof(x)"), None);
    assert_eq!(value("#define N 4\nvoid f() { asm(\"bar.sync %0;\" :: \"n\"(N + 1)); }"), Some(5));
    assert_eq!(value("constexpr int N = 4;\nvoid f() { asm(\"bar.sync %0;\" :: \"n\"(N)); }"), Some(4));
    assert_eq!(value("#define N 4\n#define N 5\nvoid f() { asm(\"bar.sync %0;\" :: \"n\"(N)); }"), None);
    let group = only("void f() { asm(\"wgmma.m64n%1k16 %0;\" : \"+r\"(x) : \"n\"(8)); }");
    assert_eq!(group.ptx, "wgmma.m64n8k16 %0;");
}

#[test]
fn statements_that_need_each_other_are_one_group() {
    let host = host(
        "void f() {\n asm(\"{ .reg .pred p;\");\n asm(\"setp.eq.u32 p, %0, 0;\" :: \"r\"(a));\n asm(\"}\");\n asm(\"ret;\");\n}\n\
         void g() {\n asm(\".reg .b32 t<4>;\");\n asm(\"ret;\");\n asm(\"mov.b32 t2, %0; mov.b32 %1, %0;\" :: \"r\"(a), \"r\"(b));\n}\n\
         void h() { asm(\"mov.b32 t2, 0;\"); }",
    );
    let texts: Vec<&str> = host.groups().iter().map(|g| g.group.ptx.as_str()).collect();
    assert_eq!(
        texts,
        [
            "{ .reg .pred p;\nsetp.eq.u32 p, %1_0, 0;\n}",
            "ret;",
            ".reg .b32 t<4>;\nmov.b32 t2, %1_0; mov.b32 %1_1, %1_0;",
            "ret;",
            "mov.b32 t2, 0;"
        ]
    );
    assert_eq!(host.groups()[0].group.variables[0].spelling, "%0");
}

#[test]
fn branches_of_one_condition_do_not_meet() {
    let host = host(
        "void f() {\n#if A\n asm(\"{ .reg .pred p;\");\n#else\n asm(\"{ .reg .pred q;\");\n#endif\n asm(\"}\");\n}\n",
    );
    let counts: Vec<usize> = host.groups().iter().map(|g| g.group.statements.len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 3);
    assert!(host.groups().iter().all(|g| g.group.statements.len() < 3));
}

#[test]
fn targets_of_comments_and_conditions() {
    let wanted = |text: &str| host(text).groups().last().expect("a statement").group.targets.clone();
    let excluded = |text: &str| -> Vec<u32> {
        let wanted = wanted(text);
        [70, 75, 80, 90, 100].into_iter().filter(|n| wanted.excludes(*n, Some('a'), (9, 0))).collect()
    };
    let asm = "asm(\"ret;\");";
    assert_eq!(excluded(&format!("void f() {{ {asm} }}")), [0; 0]);
    assert_eq!(excluded(&format!("void f() {{\n#if __CUDA_ARCH__ >= 900\n{asm}\n#endif\n}}")), [70, 75, 80]);
    assert_eq!(excluded(&format!("void f() {{\n#if __CUDA_ARCH__ >= 900\n#else\n{asm}\n#endif\n}}")), [90, 100]);
    let chain = format!("void f() {{\n#if __CUDA_ARCH__ >= 900\n#elif (__CUDA_ARCH__ >= 800)\n{asm}\n#endif\n}}");
    assert_eq!(excluded(&chain), [70, 75, 90, 100]);
    let macros = format!("void f() {{\n#if defined(CUTE_ARCH_MMA_SM90A_ENABLED) && X\n{asm}\n#endif\n}}");
    assert_eq!(excluded(&macros), [70, 75, 80]);
    assert!(wanted(&macros).excludes(90, None, (9, 0)));
    let nv = format!("void f() {{ NV_IF_TARGET(NV_PROVIDES_SM_80, (g(1, 2); {asm}), (h();)) }}");
    assert_eq!(excluded(&nv), [70, 75]);
    let nv = format!("void f() {{ NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (g(1, 2);), ({asm})) }}");
    assert_eq!(excluded(&nv), [80, 90, 100]);
    let nv = format!("void f() {{ NV_DISPATCH_TARGET(NV_PROVIDES_SM_80, (g();), NV_PROVIDES_SM_75, ({asm})) }}");
    assert_eq!(excluded(&nv), [70, 80, 90, 100]);
    let nv = format!("void f() {{ NV_IF_TARGET(NV_PROVIDES_SM_80, (g();)) {asm} }}");
    assert_eq!(excluded(&nv), [0; 0]);
    let bits = format!("void f() {{\n#if defined(__LP64__) || ON_WIN64\n#else\n{asm}\n#endif\n}}");
    assert_eq!(excluded(&bits), [70, 75, 80, 90, 100]);
    let above = format!("// ptx: target=sm_90a,sm_100a version=8.7\nvoid f() {{ {asm} }}\nvoid g() {{ }}");
    let comment = wanted(&above).comment.clone().expect("a comment");
    assert_eq!((comment.targets.len(), comment.version), (2, Some((8, 7))));
    let beside = format!("void f() {{ int x;\n // ptx: target=sm_90a\n // more\n {asm} }}");
    assert!(wanted(&beside).comment.is_some());
    let elsewhere = format!("void f() {{\n // ptx: target=sm_90a\n int x; {asm} }}");
    assert!(wanted(&elsewhere).comment.is_none());
    assert!(wanted(&format!("#if 0 || __cccl_ptx_isa >= 860ULL\nvoid f() {{ {asm} }}\n#endif")).excludes(
        90,
        None,
        (8, 5)
    ));
}

#[test]
fn half_typed_statements_end() {
    let text = "void f() {\n asm(\"add.u32 %0, %1\n int x = 1;\n asm(\"ret;\");\n}\nvoid g() { asm volatile(\"exit;\" : \"=r\"(a; asm(\"trap;\"); }";
    let host = host(text);
    let texts: Vec<&str> = host.groups().iter().map(|g| g.group.ptx.as_str()).collect();
    assert_eq!(texts, ["add.u32 _hole_, _hole_", "ret;", "exit;", "trap;"]);
    assert_eq!(host.groups()[0].group.statements[0].flaws, [Flaw::Unclosed]);
    assert!(host.groups().iter().all(|g| g.group.problems.is_empty()));
}

#[test]
fn another_processor() {
    let is_ptx = |text: &str| {
        let known = |word: &str| ["mov", "add", "ret", ".reg", "bar"].contains(&word);
        only(&format!("void f() {{ asm({text}); }}")).is_ptx(known, |word| word == ".sync")
    };
    assert!(is_ptx(r#""bar.sync 0""#));
    assert!(is_ptx(r#""mov.v32 %0, 1;" : "=r"(x)"#), "a mistake in PTX, which ends with a semicolon");
    for text in [
        r#""mov.m.x m0, x0, 0xFF""#,
        r#""bar.i\n" ::: "memory""#,
        r#""add.w %0, %1, %2" : "=r"(x) : "r"(a), "r"(b)"#,
        r#""add.4s %0, %1, %2\n\tret\n" : "=w"(x) : "w"(a), "w"(b)"#,
        r#""ret\n""#,
    ] {
        assert!(!is_ptx(text), "{text}");
    }
    assert!(is_ptx(r#""mov.u32 %0, 1;" : "=r"(x)"#));
    assert!(is_ptx(r#""ret;""#));
    assert!(is_ptx(r#""{ .reg .pred p; @!p mvo.u32 %0, 1; }" : "=r"(x)"#));
    assert!(is_ptx(r#""mvo.u32 %0, 1;" : "=r"(x)"#));
    assert!(!is_ptx(r#""mov %0, %%eax" : "=m"(x)"#));
    assert!(!is_ptx(r#""yield" ::: "memory""#));
    assert!(!is_ptx(r#""" ::: "memory""#));
}

/// The texts of the only statement, with the directives whose branches they contain.
fn texts(statement: &str) -> Vec<(String, Vec<String>)> {
    let text = format!("void f() {{\n{statement}\n}}\n");
    let host = host(&text);
    let groups = host.groups();
    assert!(groups.iter().all(|g| g.start == groups[0].start && !g.group.conditional), "{text}");
    let branch = |placed: &Placed, range: &Range<usize>| {
        text[placed.start + range.start..placed.start + range.end].trim_start_matches('#').to_owned()
    };
    let one = |placed: &Placed| {
        let branches = placed.group.variant.as_ref().map(|v| v.branches.iter().map(|b| branch(placed, b)).collect());
        (placed.group.ptx.clone(), branches.unwrap_or_default())
    };
    groups.iter().map(one).collect()
}

fn only_texts(statement: &str) -> Vec<String> {
    texts(statement).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn each_combination_of_branches_is_a_text() {
    assert_eq!(
        texts("asm(\"a; \"\n#if X\n\"b; \"\n#elif Y\n\"c; \"\n#else\n\"d; \"\n#endif\n\"e;\" :: \"r\"(a));"),
        [
            ("a; b; e;".to_owned(), vec!["if X".to_owned()]),
            ("a; c; e;".to_owned(), vec!["elif Y".to_owned()]),
            ("a; d; e;".to_owned(), vec!["else".to_owned()])
        ]
    );
    // Without `#else`, none may be compiled.
    assert_eq!(only_texts("asm(\n#ifdef X\n\"b; \"\n#endif\n\"e;\");"), ["b; e;", "e;"]);
    // Nested ones, and two after each other.
    assert_eq!(
        only_texts("asm(\n#if X\n\"a;\"\n#if Y\n\"b;\"\n#endif\n#endif\n#if Z\n\"c;\"\n#else\n\"d;\"\n#endif\n);"),
        ["a;b;c;", "a;b;d;", "a;c;", "a;d;", "c;", "d;"]
    );
    // Operands may be in branches; colons of one branch open no section in another.
    let groups = "void f() { asm(\n#if X\n\"mov.b32 %0, %1;\" : \"=r\"(a) : \"r\"(b),\n#else\n\"mov.b64 %0, %1;\" : \"=l\"(a) : \"l\"(b),\n#endif\n\"r\"(c) : \"memory\"); }";
    let host = host(groups);
    let kinds = |i: usize| host.groups()[i].group.variables.iter().map(|v| v.kind).collect::<Vec<_>>();
    assert_eq!(host.groups().len(), 2);
    assert_eq!((kinds(0), kinds(1)), (vec![Kind::B32; 3], vec![Kind::B64, Kind::B64, Kind::B32]));
}

#[test]
fn equal_conditions_have_equal_values() {
    let both = |second: &str| {
        only_texts(&format!("asm(\"a;\"\n#if defined(X)\n\"b;\"\n#endif\n\"c;\"\n{second}\n\"d;\"\n#endif\n);"))
    };
    for second in ["#ifdef X", "#if defined X // again", "#if (defined(X))", "#if !(!defined(X))"] {
        assert_eq!(both(second), ["a;b;c;d;", "a;c;"], "{second}");
    }
    assert_eq!(both("#ifndef X"), ["a;b;c;", "a;c;d;"]);
    assert_eq!(both("#ifdef Y"), ["a;b;c;d;", "a;b;c;", "a;c;d;", "a;c;"]);
    // What is never compiled is not a text.
    assert_eq!(only_texts("asm(\"a;\"\n#if 0\n\"b;\"\n#endif\n);"), ["a;"]);
    assert_eq!(only_texts("asm(\n#ifdef __CUDA_ARCH__\n\"a;\"\n#else\n\"b;\"\n#endif\n);"), ["a;"]);
    assert_eq!(
        only_texts("asm(\n#if X\n\"a;\"\n#elif Y\n\"b;\"\n#else\n#error \"it's no text\"\n#endif\n);"),
        ["a;", "b;"]
    );
    assert_eq!(only_texts("asm(\"a;\"\n#pragma once\n\"b;\");"), ["a;b;"]);
}

#[test]
fn branches_say_for_which_targets_a_text_is() {
    let text = "void f() { asm(\n#if __CUDA_ARCH__ >= 900\n\"a;\"\n#elif __CUDA_ARCH__ >= 800 && X\n\"b;\"\n#else\n\"c;\"\n#endif\n); }";
    let host = host(text);
    let excluded = |i: usize| [75, 80, 90].map(|n| host.groups()[i].group.targets.excludes(n, None, (9, 0)));
    assert_eq!(excluded(0), [true, true, false]);
    assert_eq!(excluded(1), [true, false, true]);
    assert_eq!(excluded(2), [false, false, true]);
}

#[test]
fn texts_that_are_not_made() {
    let flaws = |statement: &str| {
        let group = only(&format!("void f() {{\n{statement}\n}}"));
        assert!(group.conditional && group.variant.is_none());
        group.statements[0].flaws.clone()
    };
    let two = |name: usize| format!("#if X{name}\n\"a;\"\n#else\n\"b;\"\n#endif\n");
    let many = |count: usize| (0..count).map(two).collect::<String>();
    assert_eq!(only_texts(&format!("asm(\n{});", many(3))).len(), 8);
    assert_eq!(flaws(&format!("asm(\n{});", many(4))), [Flaw::Directive], "sixteen texts");
    assert!(flaws("asm(\"a;\"\n#if X\n\"b;\");\n#endif").contains(&Flaw::Directive), "it ends in a branch");
    assert_eq!(flaws("asm(\"a;\"\n#define X\n);"), [Flaw::Directive]);
    assert_eq!(flaws("asm(\"a;\"\n#else\n\"b;\"\n#if X\n);"), [Flaw::Directive]);
    // With other statements each text would be a text of all of them.
    let text =
        "void f() {\n asm(\"{ .reg .b32 t;\"\n#if X\n\"a;\"\n#else\n\"b;\"\n#endif\n);\n asm(\"mov.b32 t, 0; }\");\n}";
    assert!(host(text).groups().iter().all(|g| g.group.conditional));
    let text = "void f() {\n asm(\".reg .b32 t;\"\n#if X\n\"a;\"\n#endif\n);\n asm(\"mov.b32 s, 0;\");\n}";
    assert!(host(text).groups().iter().all(|g| !g.group.conditional));
}

#[test]
fn a_place_is_in_a_text_that_contains_it() {
    let text = "void f() { asm(\"a;\"\n#if X\n\"b;\"\n#else\n\"c;\"\n#endif\n\"d;\"); }";
    let host = host(text);
    let at = |what: &str| {
        let at = text.find(what).expect("there");
        let (placed, statement) = host.at(at).expect("a statement");
        let ptx = placed.group.map.to_ptx(at - placed.start).map(|ptx| &placed.group.ptx[ptx..=ptx]);
        (placed.group.variant.as_ref().map(|v| v.number), statement, ptx.map(str::to_owned))
    };
    for (what, number) in [("a;", 0), ("b;", 0), ("c;", 1), ("d;", 0)] {
        assert_eq!(at(what), (Some(number), 0, Some(what[..1].to_owned())));
    }
    assert_eq!(at("#else").2, None);
}

#[test]
fn names_for_the_assembler_are_not_statements() {
    for label in [
        "extern \"C\" float load(int) __asm(\"llvm.amdgcn.raw.buffer.load.f32\");",
        "float f4(float) asm(\"ret\");",
        "namespace n { struct s { int g(int) const asm(\"exit\"); }; }",
        "extern int x asm(\"bar.sync\");",
        "void f() {\n    extern int g(int) asm(\"trap\");\n}",
    ] {
        assert!(host(label).groups().is_empty(), "{label}");
    }
    for statement in [
        "void f() { if (x) asm(\"trap\"); }",
        "void f(int a) { if (a)\n asm(\"exit\"); else asm(\"exit\"); }",
        "asm(\"ret\");",
        "void f() { } asm(\"ret;\");",
        "int f() asm(\"mov.b32 %0, 1;\" : \"=r\"(x));",
    ] {
        assert!(!host(statement).groups().is_empty(), "{statement}");
    }
}

#[test]
fn constants_after_two_colons_are_parts_of_words() {
    let ptx = |value: &str| {
        only(&format!("void f() {{ asm(\"tcgen05.shift.cta_group::%1.down [%0];\" :: \"r\"(a), \"n\"({value})); }}"))
            .ptx
            .clone()
    };
    assert_eq!(ptx("2"), "tcgen05.shift.cta_group::2.down [%0];");
    assert_eq!(ptx("N"), "tcgen05.shift.cta_group::_hole_.down [%0];");
    let label = only("void f() { asm(\"{ L:%0; }\" :: \"n\"(N)); }");
    assert_eq!(label.ptx, "{ L:%0; }", "one colon is not a part of a word");
}

#[test]
fn texts_of_device_functions() {
    let is_ptx = |text: &str| only(text).is_ptx(|word| matches!(word, "bra" | "mov" | "ret" | ".reg"), |_| false);
    for text in [
        "void f() { asm(\"WAIT: bra WAIT;\" :: \"r\"(m)); }",
        "void f() { asm(\"bra DONE; DONE:\"); }",
        "__device__ void f() { asm(\"LABEL:\"); }",
        "__global__ void f() { asm(\"retx;\"); }",
        "void f() { asm(\"L%=: bra.uni D%=; D%=:\"::); }",
        "__device__ void f() { asm(\"cpasync.ca [%0], %1;\" :: \"r\"(a), \"l\"(p)); }",
    ] {
        assert!(is_ptx(text), "{text}");
    }
    for text in [
        "void f() { asm(\"bra 1f\"); }",
        "void f() { asm(\"LABEL:\"); }",
        "__device__ void f() { asm(\"this is prose;\"); }",
        "__device__ void f() { asm(\"movl %0, %%eax;\" :: \"r\"(a)); }",
        "__device__ void f() { asm(\"s_nop 0;\"); }",
        "__device__ void f() { asm(\"nop; s_waitcnt vmcnt(0);\"); }",
        "__device__ void f() { asm(\"fma %0, %1, %1;\" : \"=v\"(a) : \"v\"(b)); }",
        "__device__ void f() { asm(\"s_barrier\"); }",
    ] {
        assert!(!is_ptx(text), "{text}");
    }
}

#[test]
fn digits_tie_nothing_for_nvcc() {
    let codes = codes("void f() { asm(\"add.u32 %0, %0, 1;\" : \"=r\"(r) : \"0\"(x)); }");
    assert_eq!(codes, ["asm-constraint"]);
}

#[test]
fn a_label_of_another_statement_joins_it() {
    let groups = |text: &str| host(text).groups().len();
    assert_eq!(groups("void f() { asm(\"bra LATER;\"); asm(\"mov.b32 a, 1;\"); asm(\"LATER:\"); }"), 2);
    assert_eq!(groups("void f() { asm(\"L: mov.b32 a, 1;\"); asm(\"bra L;\"); }"), 1);
    assert_eq!(groups("void f() { asm(\"{ L: bra L; }\"); asm(\"{ L: bra L; }\"); }"), 2, "each in its braces");
    assert_eq!(groups("void f() { asm(\"L: bra L;\"); } void g() { asm(\"bra L;\"); }"), 2);
}
