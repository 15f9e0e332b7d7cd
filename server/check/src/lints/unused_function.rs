//! `unused-function`: a function that nothing can call.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::CheckedItem;
use ptx_sema::hir::module::{ModuleItem, is_function};
use ptx_sema::hir::statements::children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// A function that nothing can call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnusedFunction {
    /// The name of the function.
    pub name: Box<str>,
}

impl DiagnosticMessage for UnusedFunction {
    fn message(&self) -> String {
        format!("nothing calls `{}`", self.name)
    }

    fn help(&self) -> Option<String> {
        let help = "it is not `.visible`, so no other module can; remove it, or write `.visible` before `.func`";
        Some(help.to_owned())
    }
}

/// Reports functions that cannot be called from outside of the module, and that only other unused functions name. `checked` are the items whose
/// contents were checked.
pub(crate) fn find<'c, 's: 'c>(
    snapshot: &Snapshot,
    items: &[ModuleItem<'_>],
    checked: impl Iterator<Item = CheckedItem<'c, 's>>,
) -> Vec<Diagnostic> {
    if snapshot.roots().any(|root| root.is_error() || root.children(&mut root.walk()).any(|n| n.is_error())) {
        return Vec::new();
    }
    let (mut waiting, mut candidates): (Vec<&str>, Vec<(&str, Range<usize>)>) = (Vec::new(), Vec::new());
    let mut mentions: HashMap<&str, Vec<&str>> = HashMap::default();
    for CheckedItem { item, name, names } in checked {
        if !is_function(item.node) || is_root(snapshot, item.node) {
            waiting.push(name);
            waiting.extend(names);
        } else if let Some(node) = item.node.child_by_field_id(fields().name)
            && item.node.child_by_field_id(fields().body).is_some()
        {
            candidates.push((name, node.byte_range()));
            mentions.entry(name).or_default().extend(names);
        }
    }
    if candidates.is_empty() {
        return Vec::new();
    }
    // Items other than functions also use names: initializers, aliases and lists of targets.
    let texts = items.iter().filter(|i| !is_function(i.node)).map(|i| snapshot.text(i.range.clone()));
    let texts: Vec<_> = texts.collect();
    waiting.extend(texts.iter().flat_map(|text| words(text)));
    let mut used: HashSet<&str> = HashSet::default();
    while let Some(name) = waiting.pop() {
        if used.insert(name) {
            waiting.extend(mentions.get(name).into_iter().flatten());
        }
    }
    let unused = candidates.into_iter().filter(|(name, _)| !used.contains(name));
    unused.map(|(name, range)| Diagnostic::new(range, UnusedFunction { name: name.into() }).unnecessary()).collect()
}

/// Whether a function can be called from outside of the module.
fn is_root(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let f = fields();
    let kernel = node.child_by_field_id(f.kind).is_some_and(|n| snapshot.text(n.byte_range()) == ".entry");
    kernel || children(node).iter().any(|c| c.kind == kinds().linkage)
}

/// The words of a text that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%');
    text.split(move |c| !name(c)).filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use crate::Code::UnusedFunction;
    use crate::testing::{in_module, messages};

    #[test]
    fn functions_that_nothing_calls() {
        let module = |linkage: &str, call: &str| {
            let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
            format!("{header}{linkage} .func f() {{ ret; }}\n.visible .entry k() {{ {call} ret; }}\n")
        };
        let found = in_module(UnusedFunction, &module("", ""));
        assert_eq!(messages(&found), ["nothing calls `f`"]);
        assert!(found[0].unnecessary);
        assert!(in_module(UnusedFunction, &module("", "call f;")).is_empty());
        assert!(in_module(UnusedFunction, &module(".visible", "")).is_empty());
    }
}
