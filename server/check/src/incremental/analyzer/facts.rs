//! Flow facts of functions: those kept by the flow lints, or those of one function, computed on demand.

use super::Analyzer;
use crate::declarations::{self, CheckSettings};
use ptx_flow::flow::{self, Graph, Module};
use ptx_flow::registers::facts::FunctionFacts;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::module::{Header, ModuleItem, is_function, items};
use ptx_sema::hir::signature::Signatures;
use ptx_syntax::{Node, Snapshot};

/// The declarations of a module.
pub(crate) fn declarations(snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> Header {
    declarations::header(
        snapshot,
        items,
        &CheckSettings::default(),
        &mut Signatures::default(),
        &|_| None,
        &mut Vec::new(),
    )
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
        let header = declarations(snapshot, &items);
        let item = items.get(index)?;
        let text = snapshot.text(item.range.clone());
        let module = Module::new(snapshot, &items);
        let function = flow::lower(&text, item, index, &header, &module, &mut MnemonicCache::default()).function;
        function.complete.then_some((function, header))
    }
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;

    use ptx_flow::registers::{RegisterCount, report};
    use ptx_syntax::Snapshot;

    /// The live values at an instruction take as many registers as counted there: on kernels with guards, loops, vectors and
    /// predicates.
    #[test]
    fn what_is_held_takes_what_is_counted() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
        let mut instructions = 0;
        for entry in std::fs::read_dir(folder).expect("the kernels").flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "ptx") {
                continue;
            }
            let snapshot = Snapshot::new(&std::fs::read_to_string(&path).expect("a kernel"));
            let mut analyzer = Analyzer::default();
            analyzer.keep_facts();
            let target = analyzer.analyze(&snapshot).environment.target;
            analyzer.lints(&snapshot, &|| false).expect("nobody cancels");
            for kernel in report(&snapshot, &analyzer.facts(), target) {
                let pressure = &kernel.facts.usage().pressure;
                for (index, counted) in
                    pressure.at.iter().enumerate().filter(|(_, live)| **live != RegisterCount::default())
                {
                    let held = kernel.facts.held_at(index);
                    let sum: u16 = held.iter().map(|r| r.takes.b32).sum();
                    assert_eq!(sum, counted.b32, "{} of {}, {index}: {held:?}", kernel.name, path.display());
                    assert!(held.iter().map(|r| r.takes.predicates).sum::<u16>() <= counted.predicates);
                    instructions += 1;
                }
            }
        }
        assert!(instructions > 1000, "{instructions}");
    }
}
