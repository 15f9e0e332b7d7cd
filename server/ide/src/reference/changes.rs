//! The additions and removals of each version and target.

use super::availability::introduced;
use crate::describe::{condition, pretty};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Gate, GateKind, TargetInfo, Version};

/// Additions, removals and deprecations. Names are those of the tables.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Whole instructions.
    pub instructions: Vec<&'static str>,
    /// New forms of existing instructions: the instruction and the form.
    pub forms: Vec<(&'static str, String)>,
    /// New features of existing forms: the instruction and the condition (Markdown).
    pub parts: Vec<(&'static str, String)>,
    /// Types.
    pub types: Vec<&'static str>,
    /// State spaces.
    pub spaces: Vec<&'static str>,
    /// Special registers.
    pub registers: Vec<&'static str>,
    /// Directives.
    pub directives: Vec<&'static str>,
    /// Targets.
    pub targets: Vec<&'static str>,
    /// Removals and deprecations: the name and a description (Markdown).
    pub less: Vec<(&'static str, String)>,
}

impl Changes {
    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
            && self.forms.is_empty()
            && self.parts.is_empty()
            && self.types.is_empty()
            && self.spaces.is_empty()
            && self.registers.is_empty()
            && self.directives.is_empty()
            && self.targets.is_empty()
            && self.less.is_empty()
    }
}

/// The changes of a version.
pub fn of_version(version: Version) -> Changes {
    let came = |gates: &'static [Gate]| introduced(gates) == Some(version);
    let lowest = |g: &Gate| g.alternatives.iter().map(|a| a.ptx).min().flatten();
    let mut out = collect(
        &|gates| came(gates),
        &|all| all.iter().filter_map(|f| introduced(f.gates)).min() == Some(version),
        &|gate| lowest(gate) == Some(version),
    );
    out.targets = ISA.targets.iter().filter(|t| came(t.gates)).map(|t| t.name).collect();
    out.less = less(&|gate| lowest(gate) == Some(version));
    out
}

/// The additions of a target: the elements whose gates name it.
pub fn of_target(target: &TargetInfo) -> Changes {
    let names = |g: &Gate| g.kind == GateKind::Needs && g.alternatives.iter().any(|a| a.feature == Some(target.name));
    let came = |gates: &'static [Gate]| gates.iter().any(|g| g.when.is_empty() && names(g));
    let mut out = collect(&came, &|all| !all.is_empty() && all.iter().all(|f| came(f.gates)), &names);
    out.less = less(&|g| g.alternatives.iter().any(|a| a.feature == Some(target.name)));
    out
}

fn collect(
    came: &dyn Fn(&'static [Gate]) -> bool,
    whole: &dyn Fn(&[&'static Form]) -> bool,
    part: &dyn Fn(&Gate) -> bool,
) -> Changes {
    let mut out = Changes::default();
    for instruction in super::instruction::instructions() {
        let forms: Vec<&'static Form> = instruction.entries.iter().flat_map(|e| e.forms).collect();
        if whole(&forms) {
            out.instructions.push(instruction.name);
            continue;
        }
        for form in forms {
            let text = (instruction.name, pretty(form));
            if came(form.gates) {
                if !out.forms.contains(&text) {
                    out.forms.push(text);
                }
                continue;
            }
            for gate in form.gates.iter().filter(|g| !g.when.is_empty() && g.kind == GateKind::Needs && part(g)) {
                let said = (instruction.name, condition(gate.when, form));
                if !out.parts.contains(&said) {
                    out.parts.push(said);
                }
            }
        }
    }
    out.types = ISA.types.iter().filter(|t| came(t.gates)).map(|t| t.name).collect();
    out.spaces = ISA.spaces.iter().filter(|s| came(s.gates)).map(|s| s.name).collect();
    out.registers = ISA.special_registers.iter().filter(|r| came(r.gates)).map(|r| r.name).collect();
    out.directives = ISA.directives.iter().filter(|d| came(d.gates)).map(|d| d.name).collect();
    out
}

fn less(meant: &dyn Fn(&Gate) -> bool) -> Vec<(&'static str, String)> {
    let mut out: Vec<(&'static str, String)> = Vec::new();
    let mut add = |name: &'static str, gates: &'static [Gate], form: Option<&'static Form>| {
        for gate in gates.iter().filter(|g| g.kind != GateKind::Needs && meant(g)) {
            let when = form.map_or(String::new(), |f| condition(gate.when, f));
            let said = (name, crate::describe::gate(gate, &when, None));
            if !out.contains(&said) {
                out.push(said);
            }
        }
    };
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        entry.forms.iter().for_each(|f| add(entry.name, f.gates, Some(f)));
    }
    ISA.types.iter().for_each(|t| add(t.name, t.gates, None));
    ISA.special_registers.iter().for_each(|r| add(r.name, r.gates, None));
    ISA.directives.iter().for_each(|d| add(d.name, d.gates, None));
    ISA.targets.iter().for_each(|t| add(t.name, t.gates, None));
    out
}
