//! Every word of the tables has a hover in a module.

use ptx_ide::hover;
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Opcode};
use ptx_syntax::Snapshot;
use std::collections::BTreeSet;

const HEADER: &str = ".version 8.7\n.target sm_100a\n.address_size 64\n";

/// The text of the hover at the mark `\u{1}`.
fn at(text: &str) -> Option<String> {
    let offset = text.find('\u{1}').expect("a mark");
    let found = hover(&Snapshot::new(&text.replacen('\u{1}', "", 1)), offset, None)?;
    assert!(!found.markdown.trim().is_empty(), "{text}");
    Some(found.markdown)
}

/// An instruction of a form in which one slot has the given value; other optional slots are omitted. The mark is before
/// this modifier or, without one, before the opcode.
fn instruction(opcode: &Opcode, form: &Form, wanted: Option<(usize, &str)>) -> String {
    let mut out = if wanted.is_none() { format!("\u{1}{}", opcode.name) } else { opcode.name.to_owned() };
    for (index, slot) in form.slots.iter().enumerate().filter(|(_, s)| s.after_operand == 0) {
        match wanted {
            Some((i, value)) if i == index => out.push_str(&format!("\u{1}{value}")),
            _ if slot.optional => {}
            _ => out.push_str(slot.values.first().unwrap_or(&"")),
        }
    }
    format!("{HEADER}.entry k() {{ {out} ; }}")
}

#[test]
fn every_opcode_has_a_hover_in_each_of_its_forms() {
    for opcode in ISA.opcodes {
        for form in opcode.entries.iter().flat_map(|e| e.forms) {
            let text = instruction(opcode, form, None);
            let found = at(&text).unwrap_or_else(|| panic!("nothing on {text}"));
            assert!(found.contains("```ptx\n") && found.contains("in the PTX manual]"), "{text}\n{found}");
        }
        assert!(at(&format!("{HEADER}.entry k() {{ \u{1}{}; }}", opcode.name)).is_some(), "{}", opcode.name);
    }
}

#[test]
fn every_modifier_has_a_hover_in_every_instruction_that_takes_it() {
    let mut seen: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for opcode in ISA.opcodes {
        for (entry, form) in opcode.entries.iter().flat_map(|e| e.forms.iter().map(move |f| (e, f))) {
            for (index, slot) in form.slots.iter().enumerate().filter(|(_, s)| s.after_operand == 0) {
                for value in slot.values {
                    if !seen.insert((entry.name, slot.name, value)) {
                        continue;
                    }
                    let text = instruction(opcode, form, Some((index, value)));
                    let found = at(&text).unwrap_or_else(|| panic!("nothing on {text}"));
                    assert!(found.starts_with(&format!("`{value}`")), "{text}\n{found}");
                    assert!(!found.contains("does not take it"), "{text}\n{found}");
                }
            }
        }
    }
    assert!(seen.len() > 2000, "{}", seen.len());
}

#[test]
fn every_special_register_has_a_hover() {
    for register in ISA.special_registers {
        let number = if register.count > 0 { "0" } else { "" };
        let component = if register.components.is_empty() { "" } else { ".x" };
        let text = format!("{HEADER}.entry k() {{ mov.u32 %r1, \u{1}{}{number}{component}; }}", register.name);
        assert!(at(&text).is_some_and(|h| h.contains(".sreg")), "{text}");
    }
}

#[test]
fn every_type_and_state_space_has_a_hover_in_a_declaration() {
    for ty in ISA.types {
        let text = format!("{HEADER}.global \u{1}{} x;", ty.name);
        assert!(at(&text).is_some_and(|h| h.contains(ty.summary)), "{text}");
    }
    for space in ISA.spaces {
        let text = format!("{HEADER}.entry k() {{ \u{1}{} .b32 x; }}", space.name);
        assert!(at(&text).is_some_and(|h| h.contains(space.summary)), "{text}");
    }
}

#[test]
fn every_target_and_version_has_a_hover() {
    for target in ISA.targets {
        let text = format!(".version 8.7\n.target \u{1}{}\n", target.name);
        assert!(at(&text).is_some_and(|h| h.contains(target.name)), "{text}");
    }
    for version in ISA.versions {
        let text = format!(".version \u{1}{}\n.target sm_90\n", version.version);
        assert!(at(&text).is_some_and(|h| h.contains("PTX")), "{text}");
    }
}

#[test]
fn every_directive_has_a_hover_where_it_stands() {
    let mut missing = Vec::new();
    for directive in ISA.directives {
        let name = directive.name;
        // The directive is legal in at least one of these contexts.
        let places = [
            format!("{HEADER}\u{1}{name} 1;\n"),
            format!("{HEADER}.entry k() \u{1}{name} 1 {{ ret; }}"),
            format!("{HEADER}.entry k() {{ \u{1}{name} 1; }}"),
            format!("{HEADER}.entry k() {{ L: \u{1}{name} a; }}"),
            format!("{HEADER}.entry k() {{ .pragma \u{1}{name}; }}"),
            format!("{HEADER}.section \u{1}{name} {{ }}"),
            format!("{HEADER}\u{1}{name} DWARF\n"),
            format!("{HEADER}.global .attribute(\u{1}{name}) .b32 x;"),
            format!("{HEADER}.entry k(.param .u64 \u{1}{name} .global x) {{ }}"),
            format!("{HEADER}.entry k() {{ .loc 1 1 1, function_name f, \u{1}{name} 1 1 1; }}"),
        ];
        if !places.iter().any(|text| at(text).is_some_and(|h| h.contains(directive.summary))) {
            missing.push(name);
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
}
