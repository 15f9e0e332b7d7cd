//! Flow lints of one function, which need control and data flow, and their cache.
//!
//! The lints of a function are cached by the hash of its text. They stay valid for the same version and target of the module,
//! the same functions that do not return, and the same symbols of the module names that it uses.

use super::list::ItemDiagnostics;
use crate::lints::Analysis;
use crate::lints::reached::FunctionSummary;
use crate::registry;
use ptx_flow::flow::{self, Graph, Lowered, LoweredBody, Module};
use ptx_flow::registers::facts::FunctionFacts;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::hash::{hash, mix};
use ptx_sema::hir::module::{Dependencies, Header, ModuleItem, is_function};
use ptx_syntax::{Node, SnapshotId, fields};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::sync::Arc;

/// The cached lints of a function.
#[derive(Debug)]
pub(super) struct CachedLints {
    pub(super) environment: u64,
    pub(super) dependencies: Dependencies,
    pub(super) found: ItemDiagnostics,
    /// The flow facts; only if `keeps_facts` is set.
    pub(super) facts: Option<Arc<FunctionFacts>>,
    /// What counts of the function for the kernels that reach it.
    pub(super) summary: FunctionSummary,
    /// The number of the last pass that used the entry.
    pub(super) pass: u32,
}

impl CachedLints {
    /// Whether the module names that the function uses still mean the same.
    pub(super) fn names_hold(&self, header: &Header, item: usize) -> bool {
        self.dependencies.iter().all(|(name, symbol)| header.look_up(name, item) == *symbol)
    }
}

/// The cache of the flow lints, by the hash of a function's text.
#[derive(Debug, Default)]
pub(super) struct Lints {
    pub(super) known: HashMap<u64, CachedLints>,
    pub(super) pass: u32,
    /// Whether flow facts are kept.
    pub(crate) keeps_facts: bool,
    /// Whether these contain the addresses of accesses.
    pub(crate) keeps_addresses: bool,
    /// Runs the lints of a function directly after its check; `None` if they run later.
    pub along: Option<LintsOfFunction>,
    /// A pass that is not finished: its snapshot, and the functions it has covered, by the hash of their text.
    pub(super) interrupted: Option<(SnapshotId, HashSet<u64>)>,
}

/// Returns whether the result is no longer needed; called from several threads.
pub(crate) type Cancelled<'a> = dyn Fn() -> bool + Sync + 'a;

/// The module data that the flow lints of a function read.
#[derive(Clone, Copy)]
pub(super) struct LintContext<'a> {
    pub header: &'a Header,
    pub module: &'a Module,
    pub(crate) keeps_facts: bool,
    pub(crate) keeps_addresses: bool,
    pub cancelled: &'a Cancelled<'a>,
    /// Runs the lints of one function.
    pub run: LintsOfFunction,
}

/// [`LintContext::function`]. The check calls it by this pointer, so that the part of the module for browsers that only checks does
/// not contain the lints.
pub(super) type LintsOfFunction = for<'t> fn(
    &LintContext<'_>,
    &ModuleItem<'_>,
    usize,
    &mut MnemonicCache,
    &'t str,
    LoweredBody<'t, '_>,
) -> Option<CachedLints>;

pub(super) fn lints_of<'t>(
    context: &LintContext<'_>,
    item: &ModuleItem<'_>,
    index: usize,
    mnemonics: &mut MnemonicCache,
    text: &'t str,
    body: LoweredBody<'t, '_>,
) -> Option<CachedLints> {
    context.function(item, index, mnemonics, text, body)
}

impl LintContext<'_> {
    /// Runs the lints of a function with this text. `body` has the statements that a check has lowered before, or nothing.
    /// Returns `None` if `cancelled` returned true.
    pub(super) fn function<'t>(
        &self,
        item: &ModuleItem<'_>,
        index: usize,
        mnemonics: &mut MnemonicCache,
        text: &'t str,
        body: LoweredBody<'t, '_>,
    ) -> Option<CachedLints> {
        let lowered = flow::lower_with(text, item, index, self.header, self.module, mnemonics, body);
        self.lowered(lowered)
    }

    fn lowered(&self, lowered: Lowered) -> Option<CachedLints> {
        let LintContext { header, module, .. } = self;
        let (function, dependencies) = (&lowered.function, lowered.dependencies);
        let nothing = CachedLints {
            environment: 0,
            dependencies,
            found: ItemDiagnostics::default(),
            facts: None,
            summary: FunctionSummary::default(),
            pass: 0,
        };
        if !function.complete {
            return Some(nothing);
        }
        let graph = Graph::new(function);
        let Some(analysis) = Analysis::new(function, &graph, &header.environment, module) else {
            return Some(nothing);
        };
        let found = registry::lint(&analysis, self.cancelled)?;
        let facts = self.keeps_facts.then(|| {
            let (liveness, across) = (analysis.liveness(), analysis.across());
            let addresses = if self.keeps_addresses { analysis.addresses_until(self.cancelled).cloned() } else { None };
            Arc::new(FunctionFacts::with(function, &graph, liveness, across, analysis.usage().clone(), addresses))
        });
        let summary = FunctionSummary::new(function);
        Some(CachedLints { found: ItemDiagnostics::new(found), facts, summary, ..nothing })
    }
}

/// Whether an item is a function with a body, which alone has flow lints.
pub(super) fn has_body(node: Node<'_>) -> bool {
    is_function(node) && node.child_by_field_id(fields().body).is_some()
}

pub(super) fn fingerprint(module: &Module) -> u64 {
    let mut names: Vec<&str> = module.noreturn.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names.iter().fold(u64::from(module.debugging), |all, name| mix(all, hash(name)))
}
