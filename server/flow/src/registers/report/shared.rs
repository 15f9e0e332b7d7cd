//! Computes the assembler's layout of static shared memory.
//!
//! The layout of a kernel: its own variables, those of the module that any function of the kernel names, those of the other
//! functions, each in declaration order, and last the memory whose size is set at launch.

mod sets;

use super::calls::CallGraph;
use crate::registers::{FunctionUsage, SharedVariable};
use ptx_sema::hir::module::ModuleItem;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, fields, kinds};
use sets::{Placed, VariableSet, VariableSets};
use std::collections::HashMap;

/// The static shared memory of each function with its callees, in bytes, and whether there is memory whose size is set at
/// launch.
pub(super) fn shared_memory(
    snapshot: &Snapshot,
    items: &[ModuleItem<'_>],
    usages: &[&FunctionUsage],
    calls: &CallGraph<'_>,
) -> Vec<(u64, bool)> {
    if usages.iter().all(|usage| usage.shared.is_empty()) {
        return vec![(0, false); usages.len()];
    }
    let named = ModuleVariables::new(snapshot, items, usages);
    let mut sets = VariableSets::new(named.variables.len() + usages.len());
    for (place, variable) in named.variables.iter().enumerate() {
        sets.define(place, vec![placed(variable)]);
    }
    for (index, usage) in usages.iter().enumerate() {
        sets.define(named.variables.len() + index, own(usage).collect());
    }
    // What a function needs of the module, and the largest alignment of the memory whose size is set at launch.
    let of_function = |sets: &mut VariableSets, index: usize| {
        let mut set = sets.single(named.variables.len() + index);
        for place in usages[index].shared.iter().filter_map(|v| named.place(v)) {
            let one = sets.single(place);
            set = sets.union(set, one);
        }
        let dynamic = usages[index].shared.iter().filter(|v| v.dynamic).map(|v| placed(v).align).max();
        (set, dynamic)
    };
    let sets = std::cell::RefCell::new(sets);
    let reached = calls.join(
        &(VariableSet::EMPTY, None),
        |index| of_function(&mut sets.borrow_mut(), index),
        |a, b| (sets.borrow_mut().union(a.0, b.0), a.1.max(b.1)),
    );
    let mut sets = sets.into_inner();
    let of_kernel = |(index, usage): (usize, &&FunctionUsage)| {
        let (set, dynamic) = reached[calls.component(index)];
        let end = own(usage).fold(0, |end, variable| variable.behind(end));
        let end = sets.behind(set, Some(named.variables.len() + index), end);
        (dynamic.map_or(end, |align| Placed { align, bytes: 0 }.behind(end)), dynamic.is_some())
    };
    usages.iter().enumerate().map(of_kernel).collect()
}

/// The variables that a function declares itself.
fn own(usage: &FunctionUsage) -> impl Iterator<Item = Placed> {
    usage.shared.iter().filter(|v| v.module.is_none() && !v.dynamic).map(placed)
}

fn placed(variable: &SharedVariable) -> Placed {
    // Other alignments than powers of two are errors.
    Placed { align: u64::from(variable.align).next_power_of_two(), bytes: variable.bytes }
}

/// The variables of the module that its functions name, in declaration order.
struct ModuleVariables<'u> {
    variables: Vec<&'u SharedVariable>,
    places: HashMap<&'u str, usize>,
}

impl<'u> ModuleVariables<'u> {
    fn new(snapshot: &Snapshot, items: &[ModuleItem<'_>], usages: &[&'u FunctionUsage]) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut variables: Vec<&SharedVariable> = Vec::new();
        for variable in usages.iter().flat_map(|u| &u.shared).filter(|v| !v.dynamic) {
            if let Some(name) = &variable.module {
                places.entry(name).or_insert_with(|| {
                    variables.push(variable);
                    0
                });
            }
        }
        if !variables.is_empty() {
            let declared = declared(snapshot, items);
            let position = |v: &SharedVariable| v.module.as_deref().and_then(|name| declared.get(name).copied());
            variables.sort_by_key(|v| position(v).unwrap_or(usize::MAX));
        }
        places.extend(variables.iter().enumerate().filter_map(|(place, v)| Some((v.module.as_deref()?, place))));
        Self { variables, places }
    }

    /// The index of a variable of the module; `None` for other variables.
    fn place(&self, variable: &SharedVariable) -> Option<usize> {
        let name = variable.module.as_deref().filter(|_| !variable.dynamic)?;
        self.places.get(name).copied()
    }
}

/// The index of each variable among those that the module declares.
fn declared(snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> HashMap<String, usize> {
    let (k, f) = (kinds(), fields());
    let mut order = HashMap::new();
    for item in items.iter().filter(|i| i.node.kind_id() == k.variable_declaration) {
        for declarator in named_children(item.node).filter(|n| n.kind_id() == k.declarator) {
            if let Some(name) = declarator.child_by_field_id(f.name) {
                let next = order.len();
                order.entry(snapshot.text(name.byte_range()).into_owned()).or_insert(next);
            }
        }
    }
    order
}
