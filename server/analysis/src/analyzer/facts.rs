//! Flow facts of functions: those that the flow lints have kept, or those of one function, computed at once.

use super::{Analyzer, hash_range, header};
use crate::analyzer::lints::module_facts;
use crate::flow::facts::Facts;
use crate::flow::{self, Graph, Module};
use crate::mnemonics::Heads;
use crate::module::{Header, Item, is_function, items};
use crate::signature::Signatures;
use ptx_syntax::{Node, Snapshot, kinds};
use rustc_hash::FxHashMap as HashMap;
use std::sync::Arc;

/// The facts of functions, by their text: they hold wherever it stands, and however old they are.
#[derive(Debug, Clone, Default)]
pub struct ModuleFacts {
    pub(super) by_text: HashMap<u64, Arc<Facts>>,
}

impl ModuleFacts {
    /// Of a function, if it still has the text that the facts were found in; hashing it is all that this costs.
    pub fn of(&self, snapshot: &Snapshot, function: Node<'_>) -> Option<Arc<Facts>> {
        if self.by_text.is_empty() || function.kind_id() != kinds().function {
            return None;
        }
        self.by_text.get(&hash_range(snapshot, function.byte_range())).cloned()
    }

    /// How many bytes all of them take, about.
    pub fn size(&self) -> usize {
        self.by_text.values().map(|f| f.size()).sum()
    }
}

/// What a module says of itself and declares, for those who lower all of it.
pub(crate) fn module_of(snapshot: &Snapshot, items: &[Item<'_>]) -> (Header, Module) {
    let header = header(snapshot, items, &super::Asked::default(), &mut Signatures::default(), &mut Vec::new());
    (header, module_facts(snapshot, items))
}

impl Analyzer {
    /// Finds out the facts of one function at once; nothing if not all of it is understood. It reads what the whole module
    /// declares, so it is for modules that are not large.
    pub fn facts_of(snapshot: &Snapshot, function: Node<'_>) -> Option<Facts> {
        let (function, header) = Self::lowered(snapshot, function)?;
        Some(Facts::new(&function, &Graph::new(&function), &header.environment))
    }

    /// One function with its blocks and edges; nothing if not all of it is understood. As [`Self::facts_of`], it is for modules that are
    /// not large.
    pub fn flow_of(snapshot: &Snapshot, function: Node<'_>) -> Option<(flow::Function, Graph)> {
        let (function, _) = Self::lowered(snapshot, function)?;
        let graph = Graph::new(&function);
        Some((function, graph))
    }

    fn lowered(snapshot: &Snapshot, function: Node<'_>) -> Option<(flow::Function, Header)> {
        let items = items(snapshot);
        let index = items.iter().position(|i| i.node == function && !i.unclosed && is_function(i.node))?;
        let analyzer = &mut Self::default();
        let header = header(snapshot, &items, &analyzer.asked, &mut analyzer.signatures, &mut Vec::new());
        let item = items.get(index)?;
        let text = snapshot.text(item.range.clone());
        let module = module_facts(snapshot, &items);
        let function = flow::lower(&text, item, index, &header, &module, &mut Heads::default()).function;
        function.complete.then_some((function, header))
    }
}
