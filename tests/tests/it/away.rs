//! Declarations change while their uses are missing: commented out, cut, or in broken text. When the uses return,
//! outdated cached diagnostics must not return with them.

use ptx_tests::generate::Random;
use ptx_tests::sessions::{Session, scribble, toggle};
use std::fs;
use std::path::Path;

/// The codes of the diagnostics after the last step.
fn codes(steps: &[&str]) -> Vec<&'static str> {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let mut session = Session::new(&format!("{head}{}", steps[0]), None);
    let mut found = Vec::new();
    for step in &steps[1..] {
        found = session.becomes(&format!("{head}{step}"));
    }
    found.iter().map(|d| d.code().name()).collect()
}

#[test]
fn a_variable_is_declared_while_its_use_is_a_comment() {
    let kernel = |declared: &str, at: &str| {
        format!(
            "{declared}.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<4>;\nmov.u32 %r2, 1;\n{at}ld.global.b32 %r1, [g];\nst.global.b32 [p], %r1;\nret;\n}}\n"
        )
    };
    let (without, with) = ("", ".global .b32 g;\n");
    let found = codes(&[&kernel(without, ""), &kernel(without, "//"), &kernel(with, "//"), &kernel(with, "")]);
    assert!(!found.contains(&"undeclared-name"), "{found:?}");
    // In the opposite order the error is correct.
    let found = codes(&[&kernel(with, ""), &kernel(with, "//"), &kernel(without, "//"), &kernel(without, "")]);
    assert!(found.contains(&"undeclared-name"), "{found:?}");
}

#[test]
fn a_function_gets_another_signature_while_its_call_is_away() {
    let module = |parameters: &str, call: &str| {
        format!(
            ".func f({parameters})\n{{\nret;\n}}\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\n{call}\nret;\n}}\n"
        )
    };
    let (none, one, call) = ("", ".reg .b32 a", "call f, (%r1);");
    let found = codes(&[&module(none, call), &module(none, ""), &module(one, ""), &module(one, call)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(one, call), &module(one, ""), &module(none, ""), &module(none, call)]);
    assert_eq!(found, ["call-arguments"]);
}

#[test]
fn a_function_appears_while_its_call_stands_in_broken_text() {
    let module = |function: &str, before: &str| {
        format!(
            "{function}.visible .entry k()\n{before}\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\ncall f, (%r1);\nret;\n}}\n"
        )
    };
    let function = ".func f(.reg .b32 a)\n{\nret;\n}\n";
    for broken in ["", "; {", "/* {", "{ x"] {
        let steps = [&module("", "{"), &module("", broken), &module(function, broken), &module(function, "{")];
        assert_eq!(codes(&steps.map(String::as_str)), Vec::<&str>::new(), "{broken}");
        let steps = [&module(function, "{"), &module(function, broken), &module("", broken), &module("", "{")];
        assert_eq!(codes(&steps.map(String::as_str)).first(), Some(&"undeclared-name"), "{broken}");
    }
}

#[test]
fn an_array_grows_while_its_access_is_away() {
    let module = |length: u32, access: &str| {
        format!(
            ".global .b32 t[{length}];\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\n{access}\nret;\n}}\n"
        )
    };
    let access = "st.global.b32 [t+64], %r1;";
    let found = codes(&[&module(4, access), &module(4, ""), &module(40, ""), &module(40, access)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(40, access), &module(40, ""), &module(4, ""), &module(4, access)]);
    assert_eq!(found, ["out-of-bounds"]);
}

#[test]
fn a_body_is_cut_and_comes_back() {
    let module = |declared: &str, body: &str| format!("{declared}.visible .entry k()\n{{\n{body}ret;\n}}\n");
    let body = ".reg .b32 %r<4>;\n{\nld.global.b32 %r1, [g];\nst.global.b32 [g], %r1;\n}\n";
    let declared = ".global .b32 g;\n";
    let found = codes(&[&module("", body), &module("", ""), &module(declared, ""), &module(declared, body)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(declared, body), &module(declared, ""), &module("", ""), &module("", body)]);
    assert_eq!(found, ["undeclared-name", "undeclared-name"]);
}

/// Asserts that an edit elsewhere does not change the diagnostics of a kernel with these statements.
fn undisturbed(before: &str, after: &str) {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let mut session = Session::new(&format!("{head}{before}"), None);
    session.becomes(&format!("{head}{after}"));
    session.becomes(&format!("{head}{before}"));
}

#[test]
fn the_rest_of_a_broken_line_is_skipped_each_time() {
    let kernel = |comment: &str| {
        let lines = "    add.u32 %a, %a, 1;\n]    st.global.u32 [%rd], %a;\n\n    ecord+8], %a;\n    ret;\n";
        format!("// {comment}\n.visible .entry k()\n{{\n    .reg .b32 %a;\n    .reg .b64 %rd;\n{lines}}}\n")
    };
    undisturbed(&kernel("a"), &kernel("a b"));
}

#[test]
fn a_word_that_may_be_a_label_is_met_each_time() {
    let kernel = |number: &str| {
        let lines = format!(
            "    mov.u32 %a, {number};\n    mov.u32 %b, stages;\n    add.u32 %b, %b, %a;\n stages yet.\n    mov.u32 %a, 0;\n"
        );
        format!(".visible .entry k()\n{{\n    .reg .b32 %a, %b;\n{lines}    ret;\n}}\n")
    };
    undisturbed(&kernel("1"), &kernel("12"));
}

#[test]
fn lines_that_go_and_come_back_mean_what_they_mean() {
    let mut random = Random::new(29);
    let folders = ["kernels", "fixtures/calls"].map(|f| Path::new(env!("CARGO_MANIFEST_DIR")).join(f));
    let mut paths: Vec<_> =
        folders.iter().flat_map(|f| fs::read_dir(f).expect("a folder")).flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    for path in paths {
        let text = fs::read_to_string(path).expect("a kernel").replace("\r\n", "\n");
        let steps = if text.len() < 6_000 { 90 } else { 24 };
        toggle(&text, None, steps, &mut random);
        toggle(&text, Some(300), steps / 3, &mut random);
        scribble(&text, [None, Some(300)][random.below(2)], steps / 2, &mut random);
    }
}
