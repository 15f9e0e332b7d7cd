//! Descriptions of all table entries other than instructions: modifiers, types, state spaces, special registers,
//! directives, targets, versions.

use super::gates::gates;
use super::page::MarkdownPage;
use super::words::words;
use ptx_analysis::Environment;
use ptx_analysis::target::find_target;
use ptx_isa::ISA;
use ptx_isa::tables::{
    Directive, Entry, ModifierInfo, Multiprocessor, PredefinedConstant, SpaceInfo, SpecialRegister, TargetInfo,
    TypeInfo, Version,
};

/// The general meaning of a modifier: a type, a state space or a modifier of the shared table.
pub fn meaning(name: &str, environment: Option<&Environment>) -> MarkdownPage {
    if let Some(t) = ISA.ty(name) {
        return ty(t, environment);
    }
    if let Some(modifier) = ISA.modifier(name) {
        return modifier_alone(modifier);
    }
    ISA.space(name).map_or_else(MarkdownPage::default, |s| space(s, environment))
}

/// A one-line description of a modifier, a type or a state space.
pub fn summary(name: &str) -> Option<&'static str> {
    let modifier = ISA.modifier(name).map(|m| m.summary).filter(|s| !s.is_empty());
    modifier.or_else(|| Some(ISA.ty(name)?.summary)).or_else(|| Some(ISA.space(name)?.summary))
}

/// The page about a modifier of the shared table.
pub fn modifier_alone(modifier: &'static ModifierInfo) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(titled(modifier.name, modifier.summary));
    page.text(modifier.doc);
    page
}

/// A name with its summary: `` `.rn` – Round to nearest ``.
fn titled(name: &str, summary: &str) -> String {
    if summary.is_empty() { format!("`{name}`") } else { format!("`{name}` – {summary}") }
}

/// The page about a type.
pub fn ty(ty: &'static TypeInfo, environment: Option<&Environment>) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(titled(ty.name, ty.summary));
    page.text(ty.doc);
    gates(&mut page, ty.gates, environment);
    page.manual(&format!("`{}`", ty.name), ty.manual);
    page
}

/// The page about a state space.
pub fn space(space: &'static SpaceInfo, environment: Option<&Environment>) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(titled(space.name, space.summary));
    page.text(space.doc);
    gates(&mut page, space.gates, environment);
    page.manual(&format!("`{}`", space.name), space.manual);
    page
}

/// The page about a special register. `name` is as written, with a number or a component.
pub fn special_register(
    register: &'static SpecialRegister,
    name: &str,
    environment: Option<&Environment>,
) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let elements = register.components.len();
    let written_component = name.contains('.');
    let ty = match elements {
        0 => register.ty.to_owned(),
        _ if written_component => register.ty.to_owned(),
        n => format!(".v{n} {}", register.ty),
    };
    let count = if register.count == 0 { String::new() } else { format!("<{}>", register.count) };
    let shown = if register.count == 0 { name } else { register.name };
    page.code(&format!(".sreg {ty} {shown}{count};"));
    page.text(register.summary);
    page.text(register.doc);
    if elements > 0 && !written_component {
        let components: Vec<String> = register.components.chars().map(|c| format!(".{c}")).collect();
        page.text(format!("Components: {}", words(components.iter().map(String::as_str), 8)));
    }
    gates(&mut page, register.gates, environment);
    page.list("Notes", register.notes);
    page.manual(&format!("`{}`", register.name), register.manual);
    page
}

/// The page about a directive.
pub fn directive(directive: &'static Directive, environment: Option<&Environment>) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.code(if directive.syntax.is_empty() { directive.name } else { directive.syntax });
    page.text(directive.summary);
    page.text(directive.doc);
    gates(&mut page, directive.gates, environment);
    page.list("Notes", directive.notes);
    page.manual(&format!("`{}`", directive.name), directive.manual);
    page
}

/// The page about a predefined constant.
pub fn constant(constant: &'static PredefinedConstant, environment: Option<&Environment>) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.code(&format!("{} = {}", constant.name, constant.value));
    page.text(constant.summary);
    page.text(constant.doc);
    gates(&mut page, constant.gates, environment);
    page.manual(&format!("`{}`", constant.name), constant.manual);
    page
}

/// The page about a word with a dot that is not a modifier of an instruction. All meanings are included, the directive
/// first.
pub fn dot_word(name: &str, environment: Option<&Environment>) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    if let Some(d) = ISA.directive(name) {
        page.page(directive(d, environment));
    }
    if let Some(s) = ISA.space(name) {
        page.page(space(s, environment));
    }
    if let Some(t) = ISA.ty(name) {
        page.page(ty(t, environment));
    }
    if page.is_empty() {
        page.page(meaning(name, environment));
    }
    page
}

/// The page about a target or an option of `.target`; `name` is as written.
pub fn target(name: &str, environment: Option<&Environment>) -> Option<MarkdownPage> {
    let target: &'static TargetInfo = find_target(name)?;
    let mut page = MarkdownPage::default();
    page.text(titled(target.name, target.summary));
    if name != target.name {
        page.text(format!("`{name}` is an alias of `{}`.", target.name));
    }
    // Gates are compared with the module's version only, since its own target does not matter for this one.
    let version_only = environment.map(|e| Environment { target: None, ..e.clone() });
    gates(&mut page, target.gates, version_only.as_ref());
    let features: Vec<&str> = target.features.iter().copied().filter(|f| *f != target.name).collect();
    if !features.is_empty() {
        page.text(format!("Has the features of {}.", words(features, 40)));
    }
    if let Some(m) = ISA.multiprocessor(target.name) {
        page.text(multiprocessor(m));
    }
    Some(page)
}

/// The resources of a multiprocessor, as a list.
fn multiprocessor(m: &Multiprocessor) -> String {
    let kilo = |bytes: u32| bytes / 1024;
    let mut shared = format!("{} KB of shared memory", kilo(m.shared));
    if let [others @ .., _] = m.carve_outs {
        let others: Vec<String> = others.iter().map(|b| kilo(*b).to_string()).collect();
        shared.push_str(&format!(" (configurable as {} KB; the rest is L1 cache)", others.join(", ")));
    }
    if m.shared_opt_in > 48 << 10 {
        shared.push_str(&format!("; a CTA gets 48 KB, {} KB if the launch asks for it", kilo(m.shared_opt_in)));
    }
    if m.shared_reserved > 0 {
        shared.push_str(&format!("; the driver reserves {} KB per CTA", kilo(m.shared_reserved)));
    }
    let cta = if m.cta_registers < m.registers { format!(", {} for a CTA", m.cta_registers) } else { String::new() };
    format!(
        "A multiprocessor has\n- room for {} warps and {} CTAs of at most {} threads\n- {} registers of 32 bits{cta}, at most {} for a thread, in units \
         of {} for a warp\n- {shared}",
        m.warps, m.ctas, m.cta_threads, m.registers, m.thread_registers, m.register_unit,
    )
}

/// The page about a PTX version.
pub fn version(version: Version) -> Option<MarkdownPage> {
    let known = ISA.versions.iter().find(|v| v.version == version)?;
    let mut page = MarkdownPage::default();
    page.text(titled(&format!("PTX {version}"), known.summary));
    if let Some(release) = ptx_isa::release_of(version) {
        page.text(format!("Came with {release}; older assemblers and drivers refuse it."));
    }
    let first = |gates: &'static [ptx_isa::tables::Gate]| {
        gates.iter().flat_map(|g| g.alternatives).filter_map(|a| a.ptx).min() == Some(version)
    };
    let targets: Vec<&str> = ISA.targets.iter().filter(|t| first(t.gates)).map(|t| t.name).collect();
    if !targets.is_empty() {
        page.text(format!("Brought {}.", words(targets, 40)));
    }
    Some(page)
}

/// Whether a form of an instruction has a modifier.
fn takes(entry: &Entry, name: &str) -> bool {
    entry.forms.iter().flat_map(|f| f.slots).any(|s| s.values.contains(&name))
}

/// The opcodes that have a modifier in a form.
pub fn takers(name: &str) -> Vec<&'static str> {
    ISA.opcodes.iter().filter(|o| o.entries.iter().any(|e| takes(e, name))).map(|o| o.name).collect()
}

/// The instructions that have a modifier in a form: what it means in those that give it a meaning of their own, then the opcodes
/// of the others.
pub fn uses_of(name: &str) -> MarkdownPage {
    let mut meanings: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    let mut others: Vec<&'static str> = Vec::new();
    for opcode in ISA.opcodes {
        for entry in opcode.entries.iter().filter(|entry| takes(entry, name)) {
            let own = entry.modifiers.iter().find(|note| note.name == name);
            match own.map(|note| (note.doc, meanings.iter_mut().find(|(doc, _)| *doc == note.doc))) {
                Some((_, Some((_, names)))) if names.contains(&entry.name) => {}
                Some((_, Some((_, names)))) => names.push(entry.name),
                Some((doc, None)) => meanings.push((doc, vec![entry.name])),
                None if others.contains(&opcode.name) => {}
                None => others.push(opcode.name),
            }
        }
    }
    let mut page = MarkdownPage::default();
    page.list("", meanings.into_iter().map(|(doc, names)| format!("In {}: {doc}", words(names, MAX_TAKERS))));
    if !others.is_empty() {
        page.text(format!("Used by {}.", words(others, MAX_TAKERS)));
    }
    page
}

/// Maximum number of instructions that are named for one meaning of a modifier.
const MAX_TAKERS: usize = 40;
