//! Compiles `exec` lines: the semantics of instructions.

use super::common::prose;
use super::error::Result;
use super::leak::leak_str;
use super::lines::LogicalLine;
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
