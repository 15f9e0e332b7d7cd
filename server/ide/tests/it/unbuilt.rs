//! What the assembler parses and does not build: hovers and `explain` say so, completion and signature help do not offer it.

use crate::completion::{at, kernel};
use crate::hover::hover_at;
use ptx_ide::reference::instruction::{facts, form};
use ptx_ide::{explain, signature_help};
use ptx_isa::ISA;
use ptx_syntax::Snapshot;

/// A module with a kernel. The registers are those of [`kernel`].
fn module(statements: &str) -> String {
    kernel("9.0", "sm_100a", statements)
}

fn hover_text(statements: &str) -> String {
    hover_at(&module(statements)).expect("a hover").1.markdown
}

fn offered(statements: &str) -> Vec<String> {
    at(&module(statements)).1.items.into_iter().map(|item| item.label).collect()
}

#[test]
fn hovers_begin_with_it() {
    let refused = |why: &str| format!("Here: **ptxas {} does not build this** – {why}.", ISA.assembler);
    let crash = |why: &str| format!("Here: **ptxas {} crashes on this** – {why}.", ISA.assembler);
    let wide = refused("code is generated for 64-bit addresses only: write `.u64`");
    let narrow = refused("`%r2` has 32 bits, but an address in `.global` has 64");
    let vectors = crash("the manual gives `.v8` to types of 32 bits");
    let operand = crash("leave the last operand out");
    let list = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}";
    for (statement, first) in [
        // The opcode: below its form. Modifiers and operands: at the top.
        ("cv$0ta.to.global.u32 %r1, %r2;".to_owned(), &wide),
        ("cvta.to.glo$0bal.u32 %r1, %r2;".to_owned(), &wide),
        ("cvta.to.global.u$032 %r1, %r2;".to_owned(), &wide),
        ("cvta.to.global.u32 %r1, %r$02;".to_owned(), &wide),
        ("l$0d.global.b32 %r1, [%r2];".to_owned(), &narrow),
        ("ld.global.b32 %r1, [%r$02];".to_owned(), &narrow),
        (format!(".reg .b16 %h<8>; ld.global.v$08.b16 {}, [table];", list.replace('r', "h")), &vectors),
        ("atom.shared.an$0d.b32 %r0, [tile], %r1, %r2;".to_owned(), &operand),
    ] {
        let text = hover_text(&statement);
        let page = text.split("```\n\n").find(|part| part.starts_with("Here: ")).unwrap_or(&text);
        assert!(page.starts_with(first.as_str()), "{statement}:\n{text}");
    }
    for built in [
        "cv$0ta.to.global.u64 %rd1, %rd2;",
        "cvta.to.global.u$064 %rd1, %rd2;",
        "ld.global.b32 %r1, [%rd$02];",
        "l$0d.shared.b32 %r1, [%r2];",
        "ato$0m.shared.and.b32 %r0, [tile], %r1;",
        // What is not even parsed is not said to be parsed.
        "cv$0ta.to.global.u32 %r1, %rd2;",
    ] {
        assert!(!hover_text(built).contains("ptxas"), "{built}:\n{}", hover_text(built));
    }
}

#[test]
fn alternatives_are_built() {
    let types = hover_text("cvta.to.global.u$064 %rd1, %rd2;");
    assert!(!types.contains(".u32"), "{types}");
    // Where the statement is not built as it is, its alternatives are those that are parsed.
    let spaces = hover_text("cvta.to.glo$0bal.u32 %r1, %r2;");
    assert!(spaces.contains("`.shared`"), "{spaces}");
}

#[test]
fn completion_leaves_it_out() {
    let sizes = offered("cvta.to.global.$0");
    assert!(sizes.contains(&".u64".to_owned()) && !sizes.contains(&".u32".to_owned()), "{sizes:?}");
    let types = offered("ld.global.v8.$0");
    assert!(types.contains(&".b32".to_owned()) && !types.contains(&".b16".to_owned()), "{types:?}");
    // Without a space in which it is built, or between modifiers that are written already.
    let between = offered("ld.global.$0.b8 %r1, [table];");
    assert!(between.contains(&".v4".to_owned()) && !between.contains(&".v8".to_owned()), "{between:?}");
    let constant = offered("ld.const.v8.$0");
    assert!(constant.contains(&".b8".to_owned()), "{constant:?}");
    let forms = offered("cvta$0");
    assert!(forms.iter().any(|label| label.starts_with("cvta.to.") && label.contains(".u64 p")), "{forms:?}");
    assert!(!forms.iter().any(|label| label.contains(".u32")), "{forms:?}");
    // It depends on a modifier that is written before.
    let modes = |dim: &str| {
        let marked = kernel("9.5", "sm_107a", &format!("applypriority.async.bulk.tensor.{dim}.global.$0"));
        at(&marked).1.items.into_iter().any(|item| item.label == ".im2col_no_offs")
    };
    assert!(modes("3d") && !modes("1d"));
    // What is written leads to nothing else.
    let written = at(&module("cvta.$0.global.u32 %r1, %r2;")).1.items;
    let to = written.iter().find(|item| item.label == ".to").unwrap_or_else(|| panic!("{written:?}"));
    assert_eq!(to.unavailable, Some(format!("ptxas {} does not build it", ISA.assembler)));
    // For a module of 32-bit addresses no code is generated at all.
    let narrow = at(&module("cvta.to.global.$0").replace(".address_size 64", ".address_size 32")).1.items;
    assert!(narrow.iter().any(|item| item.label == ".u32" && item.unavailable.is_none()), "{narrow:?}");
}

#[test]
fn signatures_leave_it_out() {
    let help = |statements: &str| {
        let marked = module(statements);
        let offset = marked.find("$0").unwrap();
        signature_help(&Snapshot::new(&marked.replacen("$0", "", 1)), offset).unwrap()
    };
    let labels = |statements: &str| -> Vec<String> {
        help(statements).signatures.into_iter().map(|signature| signature.label).collect()
    };
    assert_eq!(labels("atom.shared.and.b32 $0"), ["atom.shared.and.b32 d, [a], b"]);
    assert!(labels("atom.global.cas.b32 $0").contains(&"atom.global.cas.b32 d, [a], b, c".to_owned()));
    let written = help("cvta.to.global.u32 $0");
    let [only] = written.signatures.as_slice() else { panic!("{written:?}") };
    assert!(only.documentation.starts_with("Here: **ptxas "), "{}", only.documentation);
}

#[test]
fn explain_and_the_reference_say_it() {
    let statement = explain("cvta.to.global.u32").unwrap();
    assert!(statement.contains("\n\nHere: **ptxas "), "{statement}");
    assert!(!explain("cvta.to.global.u64").unwrap().contains("Here: "));
    let chapter = explain("cvta").unwrap();
    let line = format!("\n    // ptxas {} does not build it with .u32 – ", ISA.assembler);
    assert!(chapter.contains(&line), "{chapter}");
    let crash = explain("applypriority.async.bulk.tensor").unwrap();
    assert!(crash.contains(&format!("\n    // ptxas {} crashes on it with .1d or .2d\n", ISA.assembler)), "{crash}");
    let opcode = ISA.opcode("cvta").unwrap();
    for one in opcode.entries.iter().flat_map(|entry| entry.forms.iter().map(move |f| form(entry, f))) {
        let [line] = one.unbuilt.as_slice() else { panic!("{one:?}") };
        assert!(line.contains("does not build it with `.u32`"), "{line}");
    }
    let entry = |name: &str| ISA.opcodes.iter().flat_map(|o| o.entries).find(|e| e.name == name).unwrap();
    let tells = |name: &str| facts(entry(name)).iter().any(|fact| fact.contains("address in a 32-bit register"));
    assert!(tells("mbarrier.init") && tells("cp.async") && !tells("add"));
}
