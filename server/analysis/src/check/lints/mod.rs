//! One file for each diagnostic that looks at the flow of a function: what it finds and in which words. Their pages are `docs/diagnostics/*.md`.

pub mod cp_async_wait;
pub mod dead_store;
pub mod divergent_barrier;
pub mod idle_bound;
pub mod ineffective_setmaxnreg;
pub mod mbarrier_protocol;
pub mod membermask;
pub mod missing_exit;
pub mod mixed_cta_groups;
pub mod proxy_fence;
pub mod repeated_destination;
pub mod shared_memory_limit;
pub mod spill_likely;
pub mod tensor_memory_allocation;
pub mod uninitialized_register;
pub mod unreachable_code;
pub mod unused_function;
pub mod unused_label;
pub mod unused_register;
pub mod wgmma_order;
pub mod wrong_state_space;

use crate::check::codes::LINTS;
use crate::check::diagnostic::Diagnostic;
use crate::flow::dominance::{self, Tree};
use crate::flow::liveness::Liveness;
use crate::flow::variance::Variances;
use crate::flow::{FlowFunction, Graph, Module};
use crate::registers::FunctionUsage;
use crate::target::Environment;
use std::cell::OnceCell;

/// A function with what is computed of it. Costly analyses run on first use.
pub struct Analysis<'a> {
    /// The function; all of it was understood, and it has a body.
    pub function: &'a FlowFunction,
    /// Its blocks.
    pub graph: &'a Graph,
    /// Version, target and address size of the module.
    pub environment: &'a Environment,
    /// What of the module matters besides.
    pub module: &'a Module,
    liveness: OnceCell<Liveness>,
    dominators: OnceCell<Tree>,
    post_dominators: OnceCell<Tree>,
    variances: OnceCell<Variances<'a>>,
    usage: OnceCell<FunctionUsage>,
}

/// Looks for something in a function; ranges count from the start of the item.
pub type Lint = fn(&Analysis<'_>, &mut Vec<Diagnostic>);

impl<'a> Analysis<'a> {
    /// Of a function.
    pub fn new(function: &'a FlowFunction, graph: &'a Graph, environment: &'a Environment, module: &'a Module) -> Self {
        Self {
            function,
            graph,
            environment,
            module,
            liveness: OnceCell::new(),
            dominators: OnceCell::new(),
            post_dominators: OnceCell::new(),
            variances: OnceCell::new(),
            usage: OnceCell::new(),
        }
    }

    /// Which registers are live.
    pub fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::new(self.function, self.graph))
    }

    /// The dominators of the blocks.
    pub fn dominators(&self) -> &Tree {
        self.dominators.get_or_init(|| dominance::dominators(self.graph))
    }

    /// The post-dominators of the blocks; the number of blocks stands for having left the function.
    pub fn post_dominators(&self) -> &Tree {
        self.post_dominators.get_or_init(|| dominance::post_dominators(self.graph, |b| self.graph.blocks[b].leaves))
    }

    /// Across which threads values are the same.
    pub fn variances(&self) -> &Variances<'a> {
        self.variances.get_or_init(|| Variances::new(self.function, self.graph))
    }

    /// How many registers it needs.
    pub fn usage(&self) -> &FunctionUsage {
        self.usage.get_or_init(|| FunctionUsage::new(self.function, self.graph, self.liveness(), self.environment))
    }

    /// Runs all lints; nothing if it was cancelled.
    pub fn run(&self, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        let mut out = Vec::new();
        for lint in LINTS {
            if cancelled() {
                return None;
            }
            lint(self, &mut out);
        }
        // A function whose end is reached without `ret` or `exit` is not finished: what has no use yet may get one.
        if self.graph.falls_off.is_some() {
            out.retain(|d| !d.unnecessary);
        }
        Some(out)
    }
}
