//! The registers for each type, and the conversions between types.

use super::combination::least;
use crate::describe::pretty;
use ptx_analysis::types::agreeing;
use ptx_analysis::{RegisterFit, TypeId};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, TypeInfo};
use std::collections::BTreeMap;

/// The register types that are legal for an operand of a type.
#[derive(Debug, Clone)]
pub struct OperandRegisters {
    /// Register types that every instruction accepts.
    pub plain: Vec<&'static str>,
    /// Further register types for instructions that accept wider registers (loads, stores, conversions).
    pub wider: Vec<&'static str>,
}

/// The register types for a type.
pub fn registers(ty: &TypeInfo) -> OperandRegisters {
    let agreeing = |fit| TypeId::of(ty.name).map(|id| agreeing(id, fit)).unwrap_or_default();
    let plain = agreeing(RegisterFit::default());
    let mut wider = agreeing(RegisterFit { wider: true, ..RegisterFit::default() });
    wider.retain(|name| !plain.contains(name));
    OperandRegisters { plain, wider }
}

/// The operand types for which a register of a type is legal.
pub fn stands_for(register: &TypeInfo) -> Vec<&'static str> {
    ISA.types.iter().filter(|t| registers(t).plain.contains(&register.name)).map(|t| t.name).collect()
}

/// Conversions: from source type and destination type to the shortest mnemonic.
pub type Conversions = BTreeMap<(&'static str, &'static str), String>;

/// The conversions of an instruction with this name. The first two types of its forms are those of the result and of the
/// source.
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

/// The slots of the destination type and the source type.
fn ends(form: &Form) -> Option<(usize, usize)> {
    let types: Vec<usize> = (0..form.slots.len()).filter(|i| form.slots[*i].is_type).collect();
    types.get(..2).map(|pair| (pair[0], pair[1]))
}

/// The instructions that have a type in a slot, with the number of their forms that do.
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
