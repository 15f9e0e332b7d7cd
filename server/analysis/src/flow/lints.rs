//! Which lints look at the flow of a function, and what they get to see.

use super::dominance::{self, Tree};
use super::function::Function;
use super::graph::Graph;
use super::liveness::Liveness;
use super::lowering::Module;
use super::variance::Variances;
use crate::checks::{
    cp_async_wait, dead_store, divergent_barrier, idle_bound, ineffective_setmaxnreg, mbarrier_protocol, membermask,
    missing_exit, mixed_cta_groups, proxy_fence, repeated_destination, shared_memory_limit, spill_likely,
    tensor_memory_allocation, uninitialized_register, unreachable_code, unused_function, unused_label, unused_register,
    wgmma_order, wrong_state_space,
};
use crate::diagnostic::Diagnostic;
use crate::registers::Usage;
use crate::target::Environment;
use std::cell::OnceCell;

/// A function with what is computed of it. Costly analyses run on first use.
pub struct Analysis<'a> {
    /// The function; all of it was understood, and it has a body.
    pub function: &'a Function,
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
    usage: OnceCell<Usage>,
}

/// Looks for something in a function; ranges count from the start of the item.
pub type Lint = fn(&Analysis<'_>, &mut Vec<Diagnostic>);

/// All of them.
pub const LINTS: &[Lint] = &[
    uninitialized_register::find,
    uninitialized_register::find_copies,
    dead_store::find,
    unused_register::find,
    unused_label::find,
    unreachable_code::find,
    missing_exit::find,
    repeated_destination::find,
    divergent_barrier::find,
    membermask::find,
    cp_async_wait::lint,
    idle_bound::lint,
    ineffective_setmaxnreg::lint,
    mbarrier_protocol::lint,
    mixed_cta_groups::lint,
    proxy_fence::lint,
    shared_memory_limit::lint,
    spill_likely::lint,
    tensor_memory_allocation::lint,
    wgmma_order::lint,
    wrong_state_space::lint,
];

/// Their codes, sorted, and those of the lints that look at the module as a whole.
pub const CODES: &[&str] = &[
    cp_async_wait::CODE,
    dead_store::CODE,
    divergent_barrier::CODE,
    idle_bound::CODE,
    ineffective_setmaxnreg::CODE,
    mbarrier_protocol::CODE,
    membermask::CODE,
    missing_exit::CODE,
    mixed_cta_groups::CODE,
    proxy_fence::CODE,
    repeated_destination::CODE,
    shared_memory_limit::CODE,
    spill_likely::CODE,
    tensor_memory_allocation::CODE,
    uninitialized_register::CODE,
    unreachable_code::CODE,
    unused_function::CODE,
    unused_label::CODE,
    unused_register::CODE,
    wgmma_order::CODE,
    wrong_state_space::CODE,
];

impl<'a> Analysis<'a> {
    /// Of a function.
    pub fn new(function: &'a Function, graph: &'a Graph, environment: &'a Environment, module: &'a Module) -> Self {
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
    pub fn usage(&self) -> &Usage {
        self.usage.get_or_init(|| Usage::new(self.function, self.graph, self.liveness(), self.environment))
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
