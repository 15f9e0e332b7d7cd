//! Flow lints: one file for each diagnostic that analyses the control or data flow of a function, with its data, message and search.
//! The pages about them are `docs/diagnostics/*.md`.

pub(crate) mod call_sequence;
pub(crate) mod costly_access;
pub(crate) mod cp_async_wait;
pub(crate) mod dead_store;
pub(crate) mod divergent_barrier;
pub(crate) mod idle_bound;
pub(crate) mod ineffective_setmaxnreg;
pub(crate) mod mbarrier_protocol;
pub(crate) mod membermask;
pub(crate) mod missing_exit;
pub(crate) mod mixed_cta_groups;
pub(crate) mod proxy_fence;
pub(crate) mod reached;
pub(crate) mod repeated_destination;
pub(crate) mod shared_memory_limit;
pub(crate) mod spill_likely;
pub(crate) mod tensor_memory_allocation;
pub(crate) mod uninitialized_register;
pub(crate) mod unreachable_code;
pub(crate) mod unused_function;
pub(crate) mod unused_label;
pub(crate) mod unused_register;
pub(crate) mod wgmma_order;
pub(crate) mod wrong_state_space;

use crate::diagnostic::{Diagnostic, Severity};
use ptx_flow::addresses::{AddressFacts, Flow};
use ptx_flow::flow::dominance::{self, Tree};
use ptx_flow::flow::liveness::Liveness;
use ptx_flow::flow::uniformity::{self, Across};
use ptx_flow::flow::variance::Variances;
use ptx_flow::flow::{FlowFunction, Graph, Module};
use ptx_flow::registers::FunctionUsage;
use ptx_sema::hir::module::ModuleItem;
use ptx_sema::target::Environment;
use std::cell::OnceCell;
use std::sync::Arc;

/// A function with the results of its flow analyses. Costly analyses run on first use.
pub(crate) struct Analysis<'a> {
    /// The function. It has a body without syntax errors.
    pub function: &'a FlowFunction,
    /// Its control-flow graph.
    pub graph: &'a Graph,
    /// Version, target and address size of the module.
    pub environment: &'a Environment,
    /// The properties of the module that lints need.
    pub module: &'a Module,
    liveness: Liveness,
    dominators: OnceCell<Tree>,
    post_dominators: OnceCell<Tree>,
    variances: OnceCell<Variances<'a>>,
    across: OnceCell<Option<Vec<Across>>>,
    usage: OnceCell<FunctionUsage>,
    addresses: OnceCell<Option<Arc<AddressFacts>>>,
}

/// An item whose contents were checked, for lints about the functions of a module together.
pub(crate) struct CheckedItem<'c, 's> {
    /// The item.
    pub item: &'c ModuleItem<'s>,
    /// Its name.
    pub name: &'c str,
    /// The names of the module that its contents use.
    pub names: Vec<&'c str>,
}

/// A flow lint: appends its diagnostics about a function. Their ranges count from the start of the item.
pub(crate) type Lint = fn(&Analysis<'_>, &mut Vec<Diagnostic>);

impl<'a> Analysis<'a> {
    /// Prepares the analysis of a function; only liveness is computed yet. `None` for a function that is too large.
    pub(crate) fn new(
        function: &'a FlowFunction,
        graph: &'a Graph,
        environment: &'a Environment,
        module: &'a Module,
    ) -> Option<Self> {
        Some(Self {
            function,
            graph,
            environment,
            module,
            liveness: Liveness::new(function, graph)?,
            dominators: OnceCell::new(),
            post_dominators: OnceCell::new(),
            variances: OnceCell::new(),
            across: OnceCell::new(),
            usage: OnceCell::new(),
            addresses: OnceCell::new(),
        })
    }

    /// The level of what the assembler refuses when it builds the function. It builds the kernels of a module, and what they reach; whether a kernel
    /// reaches this function is not known here ([`reached`]).
    pub(crate) fn severity(&self) -> Severity {
        if self.function.kernel { Severity::Error } else { Severity::Warning }
    }

    /// The live registers at each instruction.
    pub(crate) fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    /// The dominator tree of the blocks.
    pub(crate) fn dominators(&self) -> &Tree {
        self.dominators.get_or_init(|| dominance::dominators(self.graph))
    }

    /// The post-dominator tree of the blocks. Its root is a virtual exit, whose index is the number of blocks.
    pub(crate) fn post_dominators(&self) -> &Tree {
        self.post_dominators.get_or_init(|| dominance::post_dominators(self.graph, |b| self.graph.blocks[b].leaves))
    }

    /// For each value, the threads across which it is the same.
    pub(crate) fn variances(&self) -> &Variances<'a> {
        self.variances.get_or_init(|| Variances::new(self.function, self.graph))
    }

    /// For each register, the threads across which it is always the same; `None` for a function that is too large to know.
    pub(crate) fn across(&self) -> Option<&[Across]> {
        let across = self
            .across
            .get_or_init(|| uniformity::across(self.function, self.graph, self.liveness(), self.post_dominators()));
        across.as_deref()
    }

    /// The registers that the function needs, by the estimate of the register report.
    pub(crate) fn usage(&self) -> &FunctionUsage {
        self.usage.get_or_init(|| FunctionUsage::new(self.function, self.graph, self.liveness(), self.environment))
    }

    /// The addresses of its accesses; `None` for a function that is too large.
    pub(crate) fn addresses(&self) -> Option<&Arc<AddressFacts>> {
        self.addresses_until(&|| false)
    }

    /// The same; also `None` if `cancelled` returns true.
    pub(crate) fn addresses_until(&self, cancelled: &dyn Fn() -> bool) -> Option<&Arc<AddressFacts>> {
        let compute = || {
            let flow = Flow {
                function: self.function,
                graph: self.graph,
                liveness: self.liveness(),
                dominators: self.dominators(),
                post_dominators: self.post_dominators(),
                across: self.across()?,
            };
            AddressFacts::new(&flow, cancelled).map(Arc::new)
        };
        self.addresses.get_or_init(compute).as_ref()
    }
}
