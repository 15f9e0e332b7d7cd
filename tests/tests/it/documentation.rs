//! Every entry of the tables has documentation.

use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Passage};
use std::collections::BTreeSet;

fn entries() -> impl Iterator<Item = &'static Entry> {
    ISA.opcodes.iter().flat_map(|o| o.entries)
}

/// Operands that need no description: the destination and sources, which the text of the instruction explains.
const PLAIN: &[&str] = &["d", "a", "b", "c", "p", "q"];

fn report(what: &str, missing: &BTreeSet<String>) {
    let list: Vec<&str> = missing.iter().map(String::as_str).collect();
    assert!(missing.is_empty(), "{} {what}:\n{}", missing.len(), list.join("\n"));
}

#[test]
fn every_instruction_says_what_it_computes() {
    let mut missing = BTreeSet::new();
    for entry in entries() {
        let doc = Passage::join(entry.doc);
        for (what, text) in [("summary", entry.summary), ("doc", &doc), ("manual", entry.manual)] {
            // An instruction that is not in the manual (`cctl`) has no anchor, and is marked as unsettled.
            let unknown = what == "manual" && !entry.unsettled.is_empty();
            if text.trim().is_empty() && !unknown {
                missing.insert(format!("{} has no {what} ({})", entry.name, entry.source));
            }
        }
        assert!(entry.summary.ends_with('.') && entry.summary.len() < 120, "summary of {}", entry.name);
    }
    report("gaps", &missing);
}

#[test]
fn every_modifier_of_every_form_is_explained() {
    let mut missing = BTreeSet::new();
    for entry in entries() {
        for value in entry.forms.iter().flat_map(|f| f.slots).flat_map(|s| s.values) {
            let here = entry.modifiers.iter().any(|m| m.name == *value);
            let name = entry.path.contains(value);
            let known = ISA.modifier(value).is_some_and(|m| !m.summary.is_empty())
                || ISA.ty(value).is_some()
                || ISA.space(value).is_some();
            if !here && !name && !known {
                missing.insert(format!("{value} of {}", entry.name));
            }
        }
        for note in entry.modifiers {
            let used = entry.forms.iter().flat_map(|f| f.slots).any(|s| s.values.contains(&note.name));
            assert!(used || !entry.checked, "{} explains {}, which none of its forms has", entry.name, note.name);
        }
    }
    report("modifiers without an explanation", &missing);
}

#[test]
fn every_special_operand_is_explained() {
    let mut missing = BTreeSet::new();
    for entry in entries() {
        for operand in entry.forms.iter().flat_map(|f| f.operands) {
            for name in operand.pattern.names() {
                if !PLAIN.contains(&name) && !entry.operands.iter().any(|o| o.name == name) {
                    missing.insert(format!("{name} of {}", entry.name));
                }
            }
        }
    }
    report("operands without an explanation", &missing);
}

#[test]
fn everything_else_is_explained() {
    let mut missing = BTreeSet::new();
    let mut check = |kind: &str, name: &str, texts: &[(&str, &str)]| {
        for (what, text) in texts {
            if text.trim().is_empty() {
                missing.insert(format!("{kind} {name} has no {what}"));
            }
        }
    };
    for m in ISA.modifiers {
        check("modifier", m.name, &[("summary", m.summary), ("doc", m.doc)]);
    }
    for t in ISA.types {
        check("type", t.name, &[("summary", t.summary), ("doc", t.doc)]);
    }
    for s in ISA.spaces {
        check("space", s.name, &[("summary", s.summary), ("doc", s.doc)]);
    }
    for r in ISA.special_registers {
        check("special register", r.name, &[("summary", r.summary), ("doc", r.doc), ("manual", r.manual)]);
    }
    for d in ISA.directives {
        let texts = [("summary", d.summary), ("doc", d.doc), ("syntax", d.syntax), ("manual", d.manual)];
        check("directive", d.name, &texts);
    }
    for c in ISA.constants {
        check("constant", c.name, &[("summary", c.summary), ("doc", c.doc), ("manual", c.manual)]);
    }
    for v in ISA.versions {
        check("version", &v.version.to_string(), &[("summary", v.summary)]);
    }
    for t in ISA.targets {
        check("target", t.name, &[("summary", t.summary)]);
    }
    for m in ISA.multiprocessors {
        check("multiprocessor", m.name, &[("summary", m.summary)]);
    }
    report("gaps", &missing);
}
