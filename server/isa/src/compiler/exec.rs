//! Compiles `exec` lines: the semantics of instructions.

use super::lines::LogicalLine;
use super::opcode::prose;
use super::{Result, leak_str};
use crate::ids::Exec;
use crate::tables::{Executed, Form, Isa};
use std::collections::BTreeMap;

/// Parses `exec integer.add` or `exec none | why`.
pub(super) fn parse(line: &LogicalLine, rest: &str) -> Result<Executed> {
    let at = line.offset(rest);
    if rest == "none" {
        let why = prose(line).map_err(|_| line.error(at, "`exec none` needs a reason: ` | ` and text"))?;
        return Ok(Executed { refused: leak_str(why), ..Executed::UNSAID });
    }
    if line.prose.is_some() {
        return Err(line.error(at, "only `exec none` has a reason"));
    }
    let word = |w: &str| {
        w.starts_with(|c: char| c.is_ascii_lowercase())
            && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    match rest.split_once('.') {
        Some((family, name)) if word(family) && word(name) => {
            let key = leak_str(rest);
            Ok(Executed { key, exec: Exec::of(key), ..Executed::UNSAID })
        }
        _ => Err(line.error(at, "expected a key, `family.name` in lower case, or `none | why`")),
    }
}

/// Sets the `exec` of an entry; a second `exec` line is an error.
pub(super) fn once(said: &mut Executed, line: &LogicalLine, rest: &str) -> Result<()> {
    if said.is_said() {
        return Err(line.error(0, "`exec` is said twice"));
    }
    *said = parse(line, rest)?;
    Ok(())
}

/// Checks that every form has an `exec`, its own or that of its entry, and that no `exec` is without effect.
pub(super) fn check(head: &LogicalLine, path: &str, said: Executed, forms: &[Form]) -> Result<()> {
    let silent = forms.iter().find(|form| !form.executed.is_said());
    match silent {
        Some(form) if !said.is_said() => {
            Err(head.error(0, format!("`{path}` has no `exec`, nor has its form `{}`", form.text)))
        }
        None if !forms.is_empty() && said.is_said() => {
            Err(head.error(0, format!("the `exec` of `{path}` is idle: all its forms have their own")))
        }
        None if forms.is_empty() && said.refused.is_empty() => {
            Err(head.error(0, format!("`{path}` needs `exec none | why`: it has no forms that could be executed")))
        }
        _ => Ok(()),
    }
}

/// For each semantics key, the names of its instructions; both are sorted.
pub fn keys(isa: &Isa) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut out: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for entry in isa.opcodes.iter().flat_map(|opcode| opcode.entries) {
        for said in entry.all_executed().filter(|said| !said.key.is_empty()) {
            let names = out.entry(said.key).or_default();
            if !names.contains(&entry.name) {
                names.push(entry.name);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::compile;
    use super::*;

    const HEAD: &str = "type u32 uint 32\ntype s32 sint 32\nmodifier .sat Saturates\nfamily f EntryFamily\n";

    /// Compiles a fixture after [`HEAD`] (four lines).
    fn isa(text: &str) -> std::result::Result<Isa, Vec<String>> {
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
        assert_eq!(
            mistake(unchecked),
            "x.isa:5:1: `add` needs `exec none | why`: it has no forms that could be executed"
        );
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
        let own = "opcode add\n  summary Adds.\n  exec integer.sub\n  form add.u32 d\n    exec integer.add\n    d: write u32\n";
        assert_eq!(mistake(own), "x.isa:5:1: the `exec` of `add` is idle: all its forms have their own");
        let twice = "opcode add\n  summary Adds.\n  form add.u32 d\n    exec a.b\n    exec a.c\n    d: write u32\n";
        assert!(mistake(twice).starts_with("x.isa:9:5: `exec` is said twice"));
    }
}
