//! The semantics that the data files name for each form (`exec`), and the errors in such lines.

use ptx_isa::compiler::compile;
use ptx_isa::compiler::exec::keys;
use ptx_isa::tables::Isa;
use ptx_isa::{Exec, ISA};
use std::collections::BTreeMap;

#[test]
fn every_form_is_executed_or_refused_and_every_key_is_used() {
    let mut used = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|opcode| opcode.entries) {
        for form in entry.forms {
            let (exec, refusal) = (entry.exec_of(form), entry.refusal_of(form));
            assert!(exec.is_some() != refusal.is_some(), "{}: {exec:?}, {refusal:?}", form.source);
            used.extend(exec);
        }
    }
    used.sort();
    used.dedup();
    assert_eq!(used, Exec::ALL);
}

#[test]
fn keys_are_found_by_name() {
    assert!(Exec::ALL.is_sorted_by(|a, b| a.name() < b.name()), "look-up halves the list");
    assert!(Exec::ALL.iter().all(|exec| Exec::of(exec.name()) == Some(*exec)));
    assert_eq!(Exec::of("mbarrier.try_wait"), Some(Exec::MbarrierTryWait));
    assert_eq!((Exec::of(""), Exec::of("integer"), Exec::of("zoo.ape")), (None, None, None));
}

const HEAD: &str = "type u32 uint 32\ntype s32 sint 32\nmodifier .sat Saturates\nfamily f EntryFamily\n";

/// Compiles a fixture after [`HEAD`] (four lines).
fn isa(text: &str) -> Result<Isa, Vec<String>> {
    let files = [("x.isa".to_owned(), format!("{HEAD}{text}"))];
    compile(&files).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

fn mistake(text: &str) -> String {
    isa(text).map_or_else(|errors| errors.join("\n"), |_| "no mistake".to_owned())
}

const FORM: &str = "  form add.u32 d\n    d: write u32\n";

#[test]
fn a_form_says_it_or_its_entry_does() {
    let text = format!(
        "opcode add\n  summary Adds.\n  exec integer.add\n{FORM}  form add.sat.u32 d\n    exec integer.add_sat\n    d: write u32\n  \
         form add.s32 d\n    exec none | Nobody can.\n    d: write s32\n"
    );
    let isa = isa(&text).expect("a fixture without mistakes");
    let entry = &isa.opcodes[0].entries[0];
    let said: Vec<_> =
        entry.forms.iter().map(|form| (entry.executed_of(form).key, entry.executed_of(form).refused)).collect();
    assert_eq!(said, [("integer.add", ""), ("integer.add_sat", ""), ("", "Nobody can.")]);
    assert_eq!(keys(&isa), BTreeMap::from([("integer.add", vec!["add"]), ("integer.add_sat", vec!["add"])]));
}

#[test]
fn an_entry_without_is_a_mistake_with_its_place() {
    let text = format!("opcode add\n  summary Adds.\n{FORM}");
    assert_eq!(mistake(&text), "x.isa:5:1: `add` has no `exec`, nor has its form `add.u32 d`");
    let unchecked = "unchecked add\n  summary Adds.\n";
    assert_eq!(mistake(unchecked), "x.isa:5:1: `add` needs `exec none | why`: it has no forms that could be executed");
    assert!(isa(&format!("{unchecked}  exec none | Nobody can.\n")).is_ok());
}

#[test]
fn what_is_said_in_vain_or_badly_is_a_mistake() {
    let with = |line: &str| mistake(&format!("opcode add\n  summary Adds.\n{line}\n{FORM}"));
    assert_eq!(with("  exec none"), "x.isa:7:8: `exec none` needs a reason: ` | ` and text");
    let bad = "expected a key, `family.name` in lower case, or `none | why`";
    for key in ["add", "integer.Add", "integer.", "integer.add.more", "integer.2", ""] {
        let found = with(&format!("  exec {key}"));
        assert!(found.starts_with("x.isa:7:") && found.contains(bad), "{key}: {found}");
    }
    assert_eq!(with("  exec integer.add | why"), "x.isa:7:8: only `exec none` has a reason");
    assert_eq!(with("  exec integer.add\n  exec integer.sub"), "x.isa:8:3: `exec` is said twice");
    let own =
        "opcode add\n  summary Adds.\n  exec integer.sub\n  form add.u32 d\n    exec integer.add\n    d: write u32\n";
    assert_eq!(mistake(own), "x.isa:5:1: the `exec` of `add` is idle: all its forms have their own");
    let twice = "opcode add\n  summary Adds.\n  form add.u32 d\n    exec a.b\n    exec a.c\n    d: write u32\n";
    assert!(mistake(twice).starts_with("x.isa:9:5: `exec` is said twice"));
}
