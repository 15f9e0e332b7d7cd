//! What is reported of statements, and where.

use ptx_analysis::inline::TargetSet;
use ptx_analysis::{Code, Diagnostic, FixEdit};
use ptx_host::{Edit, Host, HostChecker, HostTargets, Language};

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

#[test]
fn text_that_conditions_decide_is_not_checked() {
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
    assert_eq!(
        found("asm(\"add.u32 %0, %1, 1;\" : \"=r\"(a) :\n#if A\n\"r\"(a)\n#else\n\"r\"(l)\n#endif\n);"),
        [""; 0]
    );
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
    assert_eq!(found(r#"asm("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p));"#), [""; 0]);
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
    assert!(fixed("unknown-modifier").contains("R\"(add.u16 %0, %1, 1;)\""), "{}", fixed("unknown-modifier"));
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
    let edits = ["x", "%", "\"", ";", "{", "\n", " asm(\"mov.b32 %0, %1;\");", "/*", "*/", "é"];
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
