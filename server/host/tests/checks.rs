//! What is reported of statements, and where.

use ptx_analysis::{Code, Diagnostic, FixEdit, Severity, TargetSet};
use ptx_host::{Edit, GroupView, Host, HostChecker, HostTargets, Language, answers, group_at, group_in, repeats};

fn checked(text: &str, targets: HostTargets) -> Vec<Diagnostic> {
    HostChecker::new(targets).diagnostics(Host::new(Language::Cpp, text).groups())
}

/// Code and text of each diagnostic of a statement in a function, but for those that are off by default.
fn found(statement: &str) -> Vec<String> {
    let text = format!("__device__ void f(unsigned a, unsigned long long l, unsigned *p) {{\n    {statement}\n}}\n");
    let all = checked(&text, HostTargets::default());
    let shown = all.iter().filter(|d| d.code() != Code::AsmStore);
    shown.map(|d| format!("{} `{}`", d.code(), &text[d.range.clone()])).collect()
}

#[test]
fn good_statements_have_no_diagnostics() {
    for statement in [
        r#"asm("add.u32 %0, %1, %1;" : "=r"(a) : "r"(a));"#,
        r#"asm volatile("bar.sync %0, %1;" :: "r"(a), "n"(X) : "memory");"#,
        r#"asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %1, 0;\n\t@p st.global.u32 [%0], %1;\n}" :: "l"(p), "r"(a));"#,
        r#"asm volatile("mov.u32 %0, %%laneid;" : "=r"(a));"#,
        r#"asm volatile("wgmma.fence.sync.aligned;" ::: "memory");"#,
        r#"asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");"#,
        r#"asm volatile("" ::: "memory");"#,
        r#"asm("mov %0, %%eax" : "=m"(a));"#,
    ] {
        assert_eq!(found(statement), [""; 0], "{statement}");
    }
}

/// The help of the first diagnostic with a code.
fn help(language: Language, text: &str, code: Code) -> String {
    let found = HostChecker::default().diagnostics(Host::new(language, text).groups());
    let diagnostic = found.iter().find(|d| d.code() == code).unwrap_or_else(|| panic!("{text}: {found:?}"));
    diagnostic.help().unwrap_or_default()
}

#[test]
fn a_host_says_in_its_words_how_an_operand_gets_its_size() {
    let cuda = |text: &str| format!("__device__ void f(unsigned a) {{ unsigned v; {text} }}");
    let load = cuda(r#"asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "r"(a));"#);
    let rust = r#"fn f() { asm!("ld.global.u32 {0}, [{a}];", out(reg32) v, a = in(reg32) a); }"#;
    let oxide = r#"fn f() { ptx_asm!("ld.global.u32 %0, [%1];", out("=r") v, in("r") a); }"#;
    let llvm = r#"define i32 @f(i32 %a) { %1 = call i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,r"(i32 %a) ret i32 %1 }"#;
    let triton =
        "x = tl.inline_asm_elementwise('ld.global.u32 $0, [$1];', '=r,r', [a], dtype=t, is_pure=False, pack=1)";
    let julia = "@asmcall(\"ld.global.u32 \\$0, [\\$1];\", \"=r,r\", true, UInt32, Tuple{UInt32}, a)";
    for (language, text, word) in [
        (Language::Cpp, load.as_str(), r#"the constraint `"l"`"#),
        (Language::Rust, rust, "the register class `reg64`"),
        (Language::Rust, oxide, r#"the constraint `"l"`"#),
        (Language::LlvmIr, llvm, "the constraint `l`"),
        (Language::Python, triton, "the constraint `l`"),
        (Language::Julia, julia, "the constraint `l`"),
    ] {
        let expected = format!(
            "give the operand an address of 64 bits, with {word}: ptxas generates code for 64-bit addresses only"
        );
        assert_eq!(help(language, text, Code::NarrowAddress), expected, "{text}");
    }
    let result = |statement: &str| help(Language::Cpp, &cuda(statement), Code::OperandType);
    assert_eq!(
        result(r#"asm("mov.u64 %0, 5;" : "=r"(v));"#),
        "the result has 64 bits: give the operand a variable of 64 bits, with the constraint `\"=l\"`"
    );
    assert_eq!(
        result(r#"asm("sqrt.rn.f64 %0, %1;" : "=r"(v) : "d"(a));"#),
        "the result has 64 bits: give the operand a variable of 64 bits, with the constraint `\"=d\"`"
    );
    let class = r#"fn f() { asm!("mov.u64 {0}, 5;", out(reg32) v); }"#;
    let expected = "the result has 64 bits: give the operand a variable of 64 bits, with the register class `reg64`";
    assert_eq!(help(Language::Rust, class, Code::OperandType), expected);
}

#[test]
fn placeholders_of_another_language_are_reported_once() {
    assert_eq!(found(r#"asm volatile("add.u32 $0, $1, $2;" : "=r"(a) : "r"(a), "r"(a));"#), ["asm-operand-name `$0`"]);
    // What the operands are is checked as well.
    assert_eq!(
        found(r#"asm volatile("add.u32 $0, $1, 1;" : "=r"(a) : "l"(l));"#),
        ["asm-operand-name `$0`", "operand-type `$1`"]
    );
}

#[test]
fn an_interrupted_check_continues() {
    let statement = |i: usize| format!("asm(\"add.u32 %0, %1, {i}; bad;\" : \"=r\"(a) : \"r\"(a));\n");
    let text = format!("__device__ void f(unsigned a) {{\n{}}}\n", (0..20).map(statement).collect::<String>());
    let host = Host::new(Language::Cpp, &text);
    let mut checker = HostChecker::default();
    let mut calls = 1;
    let found = loop {
        if let Some(found) = checker.check_until(host.groups(), &|| true, &|| false) {
            break found;
        }
        calls += 1;
        assert!(calls <= 20, "each call checks a statement");
    };
    assert_eq!(calls, 20);
    let whole = HostChecker::default().check(host.groups(), &|| false).unwrap();
    let all = |found: &[ptx_host::GroupResult]| ptx_host::in_text(host.groups(), found);
    assert_eq!(all(&found), all(&whole));
    assert!(all(&found).len() >= 20);
    assert!(checker.check_until(host.groups(), &|| true, &|| true).is_some(), "everything is cached");
    assert!(HostChecker::default().check_until(host.groups(), &|| false, &|| true).is_none());
}

#[test]
fn text_that_other_branches_need_is_not_checked() {
    let branches = r#"
void f(unsigned long long l, unsigned a) {
    asm volatile("{ .reg .b64 q;");
#if A
    asm volatile("mov.b64 q, %0;" :: "l"(l));
#else
    asm volatile("mov.b64 q, {%0, %0};" :: "r"(a));
#endif
    asm volatile("st.shared.b64 [%0], q; }" :: "r"(a) : "memory");
}
"#;
    assert_eq!(checked(branches, HostTargets::default()), []);
}

#[test]
fn names_of_the_module_are_no_mistakes() {
    assert_eq!(found(r#"asm volatile("ld.global.u32 %0, [counter];" : "=r"(a) :: "memory");"#), [""; 0]);
    let local = r#"asm volatile("{ .reg .b32 t; mov.b32 t, s; }" ::: "memory");"#;
    assert_eq!(found(local), ["undeclared-name `s`"]);
}

#[test]
fn errors_are_at_their_characters() {
    assert_eq!(found(r#"asm("add.u32 %0, "  /* between */ "%1, 1.5;" : "=r"(a) : "r"(a));"#), ["operand-type `1.5`"]);
    assert_eq!(found(r#"asm("add.f32 %0, %1, %1;" : "=f"(a) : "l"(l));"#), ["operand-type `%1`"]);
    // One mistake, one diagnostic: nothing is said of PTX where the statement itself is wrong.
    assert_eq!(found(r#"asm("add.u32 %0, %1, %5;" : "=r"(a) : "r"(a));"#), ["asm-operand-index `%5`"]);
    assert_eq!(found(r#"asm("add.u32 %0, %1, 1" : "=r"(a) : "r"(a));"#), ["asm-missing-semicolon `1`"]);
}

#[test]
fn inputs_that_are_written() {
    assert_eq!(found(r#"asm("cvt.u64.u32 %0, %1;" :: "l"(l), "r"(a));"#), ["asm-input-written `%0`"]);
    assert_eq!(found(r#"asm("add.u32 %0, %0, %1;" : "+r"(a) : "r"(a));"#), [""; 0]);
    // A register in an address is read.
    assert_eq!(found(r#"asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(a));"#), [""; 0]);
}

#[test]
fn effects_that_the_compiler_does_not_know() {
    let atom = r#"asm("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : "l"(p), "r"(a));"#;
    assert_eq!(found(atom), ["asm-volatile `atom.global.add.u32`"]);
    assert_eq!(found(&atom.replace("asm(", "asm volatile(")), [""; 0]);
    assert_eq!(found(&atom.replace("\"r\"(a));", "\"r\"(a) : \"memory\");")), [""; 0]);
    assert_eq!(found(r#"asm volatile("membar.gl;");"#), ["asm-fence `membar.gl`"]);
    let load = r#"asm("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p));"#;
    assert_eq!(found(load), ["asm-volatile `ld.global.u32`"]);
    assert_eq!(found(&load.replace(".global", ".global.nc")), [""; 0]);
    assert_eq!(found(&load.replace(".global", ".const")), [""; 0]);
    assert_eq!(found(&load.replace("ld.", "ld.relaxed.gpu.")), ["asm-volatile `ld.relaxed.gpu.global.u32`"]);
    assert_eq!(found(&load.replace("asm(", "asm volatile(")), [""; 0]);
    let clock = r#"asm("mov.u32 %0, %%clock;" : "=r"(a));"#;
    assert_eq!(found(clock), ["asm-volatile `mov.u32`"]);
    assert_eq!(found(&clock.replace("clock", "laneid")), [""; 0]);
    assert_eq!(found(&clock.replace("asm(", "asm volatile(")), [""; 0]);
}

#[test]
fn names_outside_of_braces() {
    assert_eq!(found(r#"asm("L: bra.uni L;");"#), ["asm-label `L`"]);
    assert_eq!(found(r#"asm("{ L: bra.uni L; }");"#), [""; 0]);
    assert_eq!(found(r#"asm(".reg .b32 t%=; mov.b32 t%=, %0;" :: "r"(a));"#), [""; 0], "each copy has its own name");
    // Another statement uses the register, so braces around the first would not help.
    assert_eq!(found(r#"asm(".reg .b32 t;"); asm("mov.b32 t, %0;" :: "r"(a));"#), [""; 0]);
}

#[test]
fn fixes_are_written_as_the_literal_writes_them() {
    let text =
        "void f(unsigned a) { asm(R\"(add.u3 %0, %1, 1;)\" : \"=r\"(a) : \"r\"(a)); asm volatile(\"bar.sync 0;\"); }";
    let all = checked(text, HostTargets::default());
    let fixed = |code: &str| {
        let diagnostic = all.iter().find(|d| d.code().name() == code).expect("a diagnostic");
        let mut out = text.to_owned();
        for edit in diagnostic.fixes.first().expect("a fix").edits.iter().rev() {
            let FixEdit::Replace(range, new) = edit else { panic!("not a text edit") };
            out.replace_range(range.clone(), new);
        }
        out
    };
    assert!(fixed("unknown-modifier").contains("R\"(add.u32 %0, %1, 1;)\""), "{}", fixed("unknown-modifier"));
    assert!(fixed("asm-fence").contains("asm volatile(\"bar.sync 0;\" ::: \"memory\");"));
}

#[test]
fn targets_of_files_conditions_and_comments() {
    let only = |name: &str| HostTargets { targets: TargetSet::named([name], None).expect("a target"), forced: false };
    let codes = |text: &str, targets: HostTargets| {
        let found = checked(text, targets);
        found.iter().map(|d| d.code().name()).filter(|code| *code != "asm-fence").collect::<Vec<_>>()
    };
    let text = "void f() { asm volatile(\"cp.async.wait_all;\"); }\n";
    assert_eq!(codes(text, only("sm_75")), ["requires-target"]);
    let guarded = format!("#if __CUDA_ARCH__ >= 800\n{text}#endif\n");
    assert_eq!(codes(&guarded, only("sm_75")), [""; 0], "it is never compiled");
    let asked = format!("// ptx: target=sm_80\n{text}");
    assert_eq!(codes(&asked, only("sm_75")), [""; 0]);
    let forced = HostTargets::forced(only("sm_75").targets);
    assert_eq!(
        (codes(&asked, forced.clone()), codes(&guarded, forced)),
        (vec!["requires-target"], vec!["requires-target"])
    );
    let odd = format!("// ptx: target=sm_8000 version=6.0\n{text}");
    assert_eq!(codes(&odd, only("sm_80")), ["requires-version"], "an unknown name says nothing, the version does");
}

#[test]
fn a_check_after_edits_equals_a_fresh_one() {
    let mut text = String::new();
    for n in 0..40 {
        text.push_str(&format!("void f{n}(unsigned a) {{ asm(\"add.u32 %0, %1, {n};\" : \"=r\"(a) : \"r\"(a)); }}\n"));
    }
    let mut host = Host::new(Language::Cpp, &text);
    let mut checker = HostChecker::default();
    checker.set_threads(3);
    checker.diagnostics(host.groups());
    let branches = "\nasm(\n#if X\n\"a.u32 q;\"\n#else\n\"add.u3 a;\"\n#endif\n\"mov.b32 z, 1;\");\n";
    let edits = [
        "x",
        "%",
        "\"",
        ";",
        "{",
        "\n",
        " asm(\"mov.b32 %0, %1;\");",
        "/*",
        "*/",
        "é",
        branches,
        "\n#endif\n",
        "\n#else\n",
    ];
    let mut seed = 7_usize;
    for step in 0..200 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut at = (seed >> 16) % text.len();
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + (seed >> 40) % 4).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let new = edits[step % edits.len()];
        text.replace_range(at..end, new);
        host.edit(&text, Edit { start: at, old_end: end, new_end: at + new.len() });
        assert_eq!(checker.diagnostics(host.groups()), checked(&text, HostTargets::default()), "step {step}");
    }
}

#[test]
fn messages_name_operands_as_the_host_does() {
    let text = "void f(unsigned a, float b) {\n    asm volatile(\"{ .reg .b32 t; mov.b32 t, %0;\" :: \"r\"(a));\n\
        \x20   asm volatile(\"add.u32 t, %0, t; }\" :: \"d\"(b));\n}\n";
    let found = checked(text, HostTargets::default());
    let message = found.iter().find(|d| d.code() == Code::OperandType).expect("a wrong operand").text();
    assert!(message.contains("`%0`") && !message.contains("%1_0"), "{message}");
}

#[test]
fn a_hint_about_the_statement_hides_no_error_of_its_ptx() {
    let text = "void f(unsigned a) {\n    asm volatile(\"mov.u32 %0, %clusterid.x;\" : \"=r\"(a));\n}\n";
    let old = TargetSet::named(["sm_75"], None).expect("a target");
    let codes: Vec<Code> = checked(text, HostTargets::forced(old)).iter().map(Diagnostic::code).collect();
    assert!(codes.contains(&Code::AsmUnescapedName) && codes.len() > 1, "{codes:?}");
}

/// A statement with text in branches, as a file; `errors` gives what is wrong with it: line and text.
fn branches(text: &str) -> String {
    format!("__device__ void f(unsigned a, unsigned long long l) {{\nasm volatile(\n{text});\n}}\n")
}

fn errors(text: &str, targets: HostTargets) -> Vec<(usize, String)> {
    let errors = checked(text, targets).into_iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| (text[..d.range.start].matches('\n').count() - 1, text[d.range.clone()].to_owned())).collect()
}

#[test]
fn an_error_in_one_branch_is_at_its_place() {
    let text = branches("\"{ .reg .b32 t;\"\n#if X\n\"mov.b32 t, 1;\"\n#else\n\"mov.b32 t, 1.5q;\"\n#endif\n\"}\"\n");
    assert_eq!(errors(&text, HostTargets::default()), [(5, "1.5q".to_owned())]);
    let good = text.replace("1.5q", "2");
    assert_eq!(errors(&good, HostTargets::default()), []);
    // Three branches, operands in them.
    let text = branches(
        "#if X\n\"add.u32 %0, %1, 1;\" : \"=r\"(a) : \"r\"(a)\n#elif Y\n\"add.u32 %0, %1, 1;\" : \"=r\"(a) : \"l\"(l)\n#else\n\"add.u64 %0, %1, 1;\" : \"=l\"(l) : \"l\"(l)\n#endif\n",
    );
    assert_eq!(errors(&text, HostTargets::default()), [(4, "%1".to_owned())]);
}

#[test]
fn an_error_of_all_branches_is_one_diagnostic() {
    let text = branches(
        "#if X\n\"add.u32 %0, %0, 1;\"\n#else\n\"add.u32 %0, %0, 2;\"\n#endif\n\"add.u3 %0, %0, 3;\" : \"+r\"(a)\n",
    );
    let found = checked(&text, HostTargets::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].related, []);
    assert_eq!(&text[found[0].range.clone()], ".u3");
    // The same mistake in both branches is two mistakes.
    let twice = branches("#if X\n\"add.u3 %0, %0, 1;\"\n#else\n\"add.u3 %0, %0, 2;\"\n#endif\n: \"+r\"(a)\n");
    assert_eq!(errors(&twice, HostTargets::default()).len(), 2);
}

#[test]
fn conditions_narrow_the_targets_of_a_branch() {
    let text =
        branches("#if __CUDA_ARCH__ >= 900\n\"fence.proxy.async;\"\n#else\n\"membar.gl;\"\n#endif\n::: \"memory\"\n");
    let only = |name: &str| HostTargets { targets: TargetSet::named([name], None).expect("a target"), forced: false };
    for targets in [HostTargets::default(), only("sm_75"), only("sm_90")] {
        assert_eq!(errors(&text, targets), []);
    }
    let wrong = text.replace(">= 900", ">= 800");
    assert_eq!(errors(&wrong, only("sm_80")), [(2, "fence.proxy.async".to_owned())]);
    assert_eq!(errors(&wrong, only("sm_75")), []);
    assert_eq!(errors(&wrong, HostTargets::default()), [], "some target of the branch accepts it");
    let never = text.replace(">= 900", "< 900");
    assert_eq!(errors(&never, HostTargets::default()), [(2, "fence.proxy.async".to_owned())]);
}

#[test]
fn what_no_branch_surely_leads_to_is_not_reported() {
    // Without `p`, the last line is wrong; but none of the branches may never be compiled.
    let neither = branches(
        "\"{ .reg .b32 t;\"\n#if X\n\".reg .pred p; setp.ne.b32 p, %0, 0;\"\n#endif\n\"@p mov.b32 t, 0; }\" :: \"r\"(a)\n",
    );
    assert_eq!(errors(&neither, HostTargets::default()), []);
    // Here `#else` begins a branch, so the error is reported, and a note names the branch.
    let written = neither.replace("#endif", "#else\n\"mov.b32 t, 1;\"\n#endif");
    let found = checked(&written, HostTargets::default());
    let error = found.iter().find(|d| d.severity == Severity::Error).expect("an error");
    assert_eq!(&written[error.range.clone()], "p");
    let related: Vec<_> = error.related.iter().map(|r| &written[r.range.clone()]).collect();
    assert_eq!(related, ["#else"]);
    // The condition of both branches is one.
    let same = branches(
        "\"{ .reg .b32 t;\"\n#if X\n\".reg .pred p; setp.ne.b32 p, %0, 0;\"\n#endif\n\"mov.b32 t, %0;\"\n#if X\n\"@p \"\n#else\n\"\"\n#endif\n\"mov.b32 t, 0; }\" :: \"r\"(a)\n",
    );
    assert_eq!(errors(&same, HostTargets::default()), []);
    // An operand that one text does not use is used by another.
    let unused = branches("#if X\n\"mov.b32 %0, %1;\"\n#else\n\"mov.b32 %0, 1;\"\n#endif\n: \"=r\"(a) : \"r\"(a)\n");
    assert_eq!(checked(&unused, HostTargets::default()), []);
}

#[test]
fn too_many_branches_are_not_checked() {
    let many = |count: usize| {
        let one = |n: usize| format!("#if X{n}\n\"add.u3 %0, %0, 1;\"\n#else\n\"mov.b32 %0, 1;\"\n#endif\n");
        branches(&((0..count).map(one).collect::<String>() + ": \"+r\"(a)\n"))
    };
    assert_eq!(errors(&many(3), HostTargets::default()).len(), 3);
    assert_eq!(errors(&many(4), HostTargets::default()), []);
}

#[test]
fn answers_in_a_branch_are_about_its_text() {
    let text = branches(
        "#if X\n\"add.u32 %0, %0, 1;\"\n#else\n\"mul.lo.u32 %0, %0, 2;\"\n#endif\n\"abs.s32 %0, %0;\" : \"+r\"(a)\n",
    );
    let host = Host::new(Language::Cpp, &text);
    let groups = host.groups();
    for (word, number) in [("add.u32", 0), ("mul.lo", 1), ("abs.s32", 0)] {
        let at = text.find(word).expect("there");
        let (group, _) = group_at(groups, at).expect("a statement");
        assert_eq!(groups[group].group.variant.as_ref().map(|v| v.number), Some(number), "{word}");
        let view = GroupView::new(&groups[group].group, None);
        let hover = answers::hover(&view, at - groups[group].start, &|_| String::new()).expect(word);
        assert_eq!(text[hover.range.start + groups[group].start..].split(['.', ' ']).next(), word.split('.').next());
        let line = text[..at].rfind('\n').map_or(0, |i| i + 1)..at + 8;
        assert_eq!(group_in(groups, &line), Some(group), "{word}");
        let found = answers::completion(&view, at + word.find('.').expect("a dot") + 1 - groups[group].start, None);
        assert!(!found.expect(word).items.is_empty());
    }
    let shared = text.find("abs").expect("there") - groups[0].start;
    let branch = text.find("mul").expect("there") - groups[0].start;
    assert_eq!(
        (repeats(groups, 0, shared), repeats(groups, 1, shared), repeats(groups, 1, branch)),
        (false, true, false)
    );
}

fn severities(text: &str, code: Code) -> Vec<Severity> {
    let all = checked(text, HostTargets::default());
    all.iter().filter(|d| d.code() == code).map(|d| d.severity).collect()
}

#[test]
fn outputs_have_no_value_before_they_are_written() {
    assert_eq!(found(r#"asm("add.s32 %0, %0, %1;" : "=r"(a) : "r"(b));"#), ["asm-output-read `%0`"]);
    assert_eq!(found(r#"asm("add.s32 %0, %0, %1;" : "+r"(a) : "r"(b));"#), [""; 0]);
    assert_eq!(found(r#"asm("mov.b32 %0, %1; add.s32 %0, %0, %1;" : "=r"(a) : "r"(b));"#), [""; 0]);
    assert_eq!(found(r#"asm("xor.b32 %0, %0, %0;" : "=r"(a));"#), [""; 0], "the value does not matter");
    // Only the first element of the list is read before.
    let list = r#"asm("{ .reg .b64 t; mov.b64 t, {%0, %1}; mov.b32 %0, %1; }" : "=r"(a) : "r"(b));"#;
    assert_eq!(found(list), ["asm-output-read `%0`"]);
    // A register of the text with the name of nothing else.
    assert_eq!(found(r#"asm("{ .reg .b32 %%t; mov.b32 %%t, 1; mov.b32 %0, %%t; }" : "=r"(a));"#), [""; 0]);
    let text = "void f(int d, int a) { asm(\"add.s32 %0, %0, %1;\" : \"=&r\"(d) : \"r\"(a)); }";
    let all = checked(text, HostTargets::default());
    let FixEdit::Replace(range, new) = &all[0].fixes[0].edits[0] else { panic!("a text edit") };
    assert_eq!((&text[range.clone()], new.as_str()), ("=", "+"));
}

#[test]
fn outputs_are_written_on_every_path() {
    let guarded =
        |body: &str| format!(r#"asm("{{ .reg .pred p; setp.eq.u32 p, %1, 0; {body} }}" : "=r"(a) : "r"(b));"#);
    let unwritten = ["asm-output-unwritten `=r`"];
    assert_eq!(found(&guarded("@p mov.b32 %0, 1;")), unwritten);
    assert_eq!(found(&guarded("@p mov.b32 %0, 1; @!p mov.b32 %0, 2;")), [""; 0]);
    assert_eq!(found(&guarded("@p bra L; mov.b32 %0, 1; L:")), unwritten);
    assert_eq!(found(&guarded("@p bra L; mov.b32 %0, 1; bra M; L: mov.b32 %0, 2; M:")), [""; 0]);
    assert_eq!(found(&guarded("@p mov.b32 %0, 1; @!p exit;")), [""; 0], "the others never come to the end");
    assert_eq!(found(&guarded("L: @p mov.b32 %0, 1; @!p bra L;")), [""; 0], "a loop that waits");
    // Another output may say whether it holds a value.
    let flag = r#"void f(int a, int b, int c) { asm("{ .reg .pred p; setp.eq.u32 p, %2, 0; selp.b32 %1, 1, 0, p; @p mov.b32 %0, 1; }" : "=r"(a), "=r"(b) : "r"(c)); }"#;
    assert_eq!(severities(flag, Code::AsmOutputUnwritten), [Severity::Hint]);
}

#[test]
fn the_carry_does_not_cross_statements() {
    let both = r#"asm("add.cc.u32 %0, %0, %1; addc.u32 %0, %0, 0;" : "+r"(a) : "r"(b));"#;
    assert_eq!(found(both), [""; 0]);
    assert_eq!(found(r#"asm("add.cc.u32 %0, %0, %1;" : "+r"(a) : "r"(b));"#), ["asm-carry `add.cc.u32`"]);
    assert_eq!(found(r#"asm("addc.u32 %0, %0, %1;" : "+r"(a) : "r"(b));"#), ["asm-carry `addc.u32`"]);
    assert_eq!(found(r#"asm("madc.lo.cc.u32 %0, %0, %1, 0;" : "+r"(a) : "r"(b));"#), ["asm-carry `madc.lo.cc.u32`"]);
    let kept = "void f(int a) { asm volatile(\"addc.u32 %0, %0, 1;\" : \"+r\"(a)); }";
    assert_eq!(severities(kept, Code::AsmCarry), [Severity::Hint]);
}

#[test]
fn fences_are_reported_once_for_each_function() {
    let text = "void f() { asm volatile(\"bar.sync 0;\"); asm volatile(\"membar.gl;\"); asm(\"bar.red.popc.u32 %0, 0, 1;\" : \"=r\"(a)); }\n\
        void g() { asm volatile(\"bar.sync 1;\"); }";
    assert_eq!(severities(text, Code::AsmFence), [Severity::Hint, Severity::Warning, Severity::Hint]);
    for quiet in ["griddepcontrol.launch_dependents;", "barrier.cluster.arrive.relaxed.aligned;"] {
        assert_eq!(found(&format!("asm volatile(\"{quiet}\");")), [""; 0], "it orders nothing");
    }
    assert_eq!(found("asm volatile(\"griddepcontrol.wait;\");"), ["asm-fence `griddepcontrol.wait`"]);
}

#[test]
fn no_fix_reads_an_output() {
    let text = "void f(int d, int a) { asm(\"add.s32 %0, %1;\" : \"=r\"(d) : \"r\"(a)); }";
    let fixed = |text: &str| {
        let host = Host::new(Language::Cpp, text);
        let placed = &host.groups()[0];
        let targets = HostTargets::default().of(&placed.group.targets);
        let results = HostChecker::default().check(host.groups(), &|| false).expect("a result");
        let view = GroupView::new(&placed.group, results[0].target);
        let range = 0..text.len() - placed.start;
        let actions = answers::fixes(&view, &range, &targets);
        actions.iter().flat_map(|action| &action.edits).map(|edit| edit.text.clone()).collect::<Vec<_>>()
    };
    assert!(!fixed(text).iter().any(|new| new.contains("%0")), "{:?}", fixed(text));
    assert!(!fixed(&text.replace("add.s32", "mov.b3")).is_empty());
}
