//! Which registers stand for which types, and what converts to what.

use super::combination::least;
use crate::describe::pretty;
use ptx_analysis::types::{RegisterFit, TypeId, agreeing};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, TypeInfo};
use std::collections::BTreeMap;

/// The registers that may stand for an operand of a type.
#[derive(Debug, Clone)]
pub struct OperandRegisters {
    /// Usually.
    pub plain: Vec<&'static str>,
    /// Besides, where an instruction lets wider ones pass (loads, stores, conversions).
    pub wider: Vec<&'static str>,
}

/// The registers for a type.
pub fn registers(ty: &TypeInfo) -> OperandRegisters {
    let agreeing = |fit| TypeId::of(ty.name).map(|id| agreeing(id, fit)).unwrap_or_default();
    let plain = agreeing(RegisterFit::default());
    let mut wider = agreeing(RegisterFit { wider: true, ..RegisterFit::default() });
    wider.retain(|name| !plain.contains(name));
    OperandRegisters { plain, wider }
}

/// The types that a register of some type may stand for.
pub fn stands_for(register: &TypeInfo) -> Vec<&'static str> {
    ISA.types.iter().filter(|t| registers(t).plain.contains(&register.name)).map(|t| t.name).collect()
}

/// Conversions: from a type, to a type, with the shortest opcode and modifiers that do it.
pub type Conversions = BTreeMap<(&'static str, &'static str), String>;

/// What the instruction of a name converts: its forms' last two types are those of the result and of the source.
pub fn conversions(name: &str) -> Conversions {
    let mut out = Conversions::new();
    let entries = ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.name == name);
    for form in entries.flat_map(|e| e.forms) {
        let Some((to, from)) = ends(form) else { continue };
        let (targets, sources) = (form.slots[to].values, form.slots[from].values);
        for target in targets.iter().copied() {
            for source in sources.iter().copied() {
                if let Some(values) = least(form, &[(to, target), (from, source)]) {
                    let head = format!("{name}{}", values.into_iter().flatten().collect::<String>());
                    let known = out.entry((source, target)).or_insert_with(|| head.clone());
                    if head.len() < known.len() {
                        *known = head;
                    }
                }
            }
        }
    }
    out
}

/// The slots of the types of the result and of the source.
fn ends(form: &Form) -> Option<(usize, usize)> {
    let types: Vec<usize> = (0..form.slots.len()).filter(|i| form.slots[*i].is_type).collect();
    types.get(..2).map(|pair| (pair[0], pair[1]))
}

/// The instructions that have a type in their name or among their modifiers, with their forms.
pub fn takers(ty: &TypeInfo) -> Vec<(&'static str, usize)> {
    let mut out: Vec<(&'static str, usize)> = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        let takes = |f: &&Form| f.slots.iter().any(|s| s.is_type && s.values.contains(&ty.name));
        let forms: std::collections::BTreeSet<String> = entry.forms.iter().filter(takes).map(pretty).collect();
        if !forms.is_empty() {
            match out.iter_mut().find(|(name, _)| *name == entry.name) {
                Some(known) => known.1 += forms.len(),
                None => out.push((entry.name, forms.len())),
            }
        }
    }
    out.sort_unstable();
    out
}
