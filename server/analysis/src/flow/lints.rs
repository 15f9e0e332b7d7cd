//! Which lints look at the flow of a function, and what they get to see.

use super::dominance::{self, Tree};
use super::function::Function;
use super::graph::Graph;
use super::liveness::Liveness;
use crate::diagnostic::Diagnostic;
use crate::target::Environment;
use std::cell::OnceCell;

/// A function with what is computed of it. What is costly is computed when somebody asks first.
pub struct Analysis<'a> {
    /// The function; all of it was understood, and it has a body.
    pub function: &'a Function,
    /// Its blocks.
    pub graph: &'a Graph,
    /// Version, target and address size of the module.
    pub environment: &'a Environment,
    liveness: OnceCell<Liveness>,
    dominators: OnceCell<Tree>,
    post_dominators: OnceCell<Tree>,
}

/// Looks for something in a function; ranges count from the start of the item.
pub type Lint = fn(&Analysis<'_>, &mut Vec<Diagnostic>);

/// All of them.
pub const LINTS: &[Lint] = &[];

impl<'a> Analysis<'a> {
    /// Of a function.
    pub fn new(function: &'a Function, graph: &'a Graph, environment: &'a Environment) -> Self {
        Self {
            function,
            graph,
            environment,
            liveness: OnceCell::new(),
            dominators: OnceCell::new(),
            post_dominators: OnceCell::new(),
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

    /// Runs all lints; nothing if it was cancelled.
    pub fn run(&self, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        let mut out = Vec::new();
        for lint in LINTS {
            if cancelled() {
                return None;
            }
            lint(self, &mut out);
        }
        Some(out)
    }
}
