//! Flow facts of functions: those kept by the flow lints, or those of one function, computed on demand.

use super::{Analyzer, header};
use crate::flow::{self, Graph, Module};
use crate::forms::mnemonics::MnemonicCache;
use crate::hir::module::{Header, ModuleItem, is_function, items};
use crate::hir::signature::Signatures;
use crate::incremental::analyzer::lints::module_facts;
use crate::registers::facts::FunctionFacts;
use ptx_syntax::{Node, Snapshot};

/// The header and module properties of a module, for callers that lower all of its functions.
pub(crate) fn module_of(snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> (Header, Module) {
    let header =
        header(snapshot, items, &super::Asked::default(), (&mut Signatures::default(), &|_| None), &mut Vec::new());
    (header, module_facts(snapshot, items))
}

impl Analyzer {
    /// Computes the flow facts of one function; `None` if it could not be lowered completely, or is too large. This reads the declarations of
    /// the whole module, so it suits only modules that are not large.
    pub fn facts_of(snapshot: &Snapshot, function: Node<'_>) -> Option<FunctionFacts> {
        let (function, header) = Self::lowered(snapshot, function)?;
        FunctionFacts::new(&function, &Graph::new(&function), &header.environment)
    }

    /// One lowered function with its control-flow graph; `None` if it could not be lowered completely. Like
    /// [`Self::facts_of`], it suits only modules that are not large.
    pub fn flow_of(snapshot: &Snapshot, function: Node<'_>) -> Option<(flow::FlowFunction, Graph)> {
        let (function, _) = Self::lowered(snapshot, function)?;
        let graph = Graph::new(&function);
        Some((function, graph))
    }

    fn lowered(snapshot: &Snapshot, function: Node<'_>) -> Option<(flow::FlowFunction, Header)> {
        let items = items(snapshot);
        let index = items.iter().position(|i| i.node == function && !i.unclosed && is_function(i.node))?;
        let analyzer = &mut Self::default();
        let header = header(snapshot, &items, &analyzer.asked, (&mut analyzer.signatures, &|_| None), &mut Vec::new());
        let item = items.get(index)?;
        let text = snapshot.text(item.range.clone());
        let module = module_facts(snapshot, &items);
        let function = flow::lower(&text, item, index, &header, &module, &mut MnemonicCache::default()).function;
        function.complete.then_some((function, header))
    }
}
