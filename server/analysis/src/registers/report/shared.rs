//! Computes the assembler's layout of static shared memory.

use crate::hir::lower::named_children;
use crate::hir::module::ModuleItem;
use crate::registers::{FunctionUsage, SharedVariable};
use ptx_syntax::{Snapshot, fields, kinds};
use std::cell::OnceCell;
use std::collections::HashMap;

/// The layout of the shared variables of a module.
pub(super) struct SharedLayout<'s, 't> {
    snapshot: &'s Snapshot,
    items: &'s [ModuleItem<'t>],
    order: OnceCell<HashMap<String, usize>>,
}

impl<'s, 't> SharedLayout<'s, 't> {
    pub(super) fn new(snapshot: &'s Snapshot, items: &'s [ModuleItem<'t>]) -> Self {
        Self { snapshot, items, order: OnceCell::new() }
    }

    /// The static shared memory of the functions of one kernel, in bytes, and whether there is memory whose size is set at
    /// launch. `usages` begins with the kernel. The layout: the variables of the kernel, those of the module that any
    /// function names, those of the other functions, each in declaration order, and last the dynamic memory.
    pub(super) fn bytes<'u>(&self, usages: impl Iterator<Item = &'u FunctionUsage>) -> (u64, bool) {
        let (mut own, mut others, mut dynamic) = (Vec::new(), Vec::new(), Vec::new());
        let mut module: Vec<(usize, &SharedVariable)> = Vec::new();
        for (number, usage) in usages.enumerate() {
            for variable in &usage.shared {
                match &variable.module {
                    _ if variable.dynamic => dynamic.push(variable),
                    Some(_) if module.iter().any(|(_, m)| m.module == variable.module) => {}
                    Some(name) => module.push((self.position(name), variable)),
                    None if number == 0 => own.push(variable),
                    None => others.push(variable),
                }
            }
        }
        module.sort_by_key(|(position, _)| *position);
        let all = own.into_iter().chain(module.into_iter().map(|(_, v)| v)).chain(others);
        let align = |end: u64, align: u32| end.next_multiple_of(align.max(1).into());
        let end = all.fold(0, |end: u64, v| align(end, v.align).saturating_add(v.bytes));
        (dynamic.iter().fold(end, |end, v| align(end, v.align)), !dynamic.is_empty())
    }

    /// The index of a variable among the variables that the module declares.
    fn position(&self, name: &str) -> usize {
        let order = self.order.get_or_init(|| {
            let (k, f) = (kinds(), fields());
            let mut order = HashMap::new();
            for item in self.items.iter().filter(|i| i.node.kind_id() == k.variable_declaration) {
                for declarator in named_children(item.node).filter(|n| n.kind_id() == k.declarator) {
                    if let Some(name) = declarator.child_by_field_id(f.name) {
                        let next = order.len();
                        order.entry(self.snapshot.text(name.byte_range()).into_owned()).or_insert(next);
                    }
                }
            }
            order
        });
        order.get(name).copied().unwrap_or(usize::MAX)
    }
}
