//! Scopes: which releases an acquire sees, and which operation was too narrow if it does not see one.
//!
//! A release is stored for the threads of each scope that it includes: those of the CTA, of the cluster, of the grid. An acquire reads what
//! is stored for the scopes that it includes. What one of the two leaves out is stored as well, marked as *beyond scope*: if an access needs
//! it, the operation that was too narrow is the cause of the race.

use super::detector::own;
use crate::findings::{FaultKind, InstructionSite};
use crate::machine::state::races::MAX_LOCATIONS;
use crate::machine::state::scopes::{BEYOND, Domain, NarrowAccesses, ScopeState};
use crate::machine::state::{Knowledge, Races, SyncKind, SyncOperation};
use crate::machine::{ExecContext, Machine, Scope};
use std::sync::Arc;

impl SyncOperation {
    /// The operation that the instruction executes.
    pub(super) fn of(context: &mut ExecContext<'_>, kind: SyncKind, scope: Scope) -> Self {
        Self { kind, scope, site: context.site, cta: context.cta().number }
    }
}

/// Whether scopes differ in this program: some operation has a scope that is narrower than `.gpu`.
pub(super) fn differ(context: &ExecContext<'_>) -> bool {
    context.executable().scoped
}

/// The domain of the threads in a scope around the own CTA.
pub(super) fn domain(context: &mut ExecContext<'_>, scope: Scope) -> Domain {
    match scope {
        Scope::Gpu => 0,
        Scope::Cluster if context.machine.shape.cluster_ctas() > 1 => 2 * context.cluster().number + 1,
        _ => of_cta(context.cta().number),
    }
}

/// The domain of the threads of a CTA.
pub(super) fn of_cta(number: u64) -> Domain {
    2 * number + 2
}

/// The scopes up to `scope` whose threads differ.
pub(super) fn up_to(context: &ExecContext<'_>, scope: Scope) -> impl Iterator<Item = Scope> + use<> {
    let clusters = context.machine.shape.cluster_ctas() > 1;
    Scope::ALL.into_iter().filter(move |s| *s <= scope && (clusters || *s != Scope::Cluster))
}

/// Stores which operation released a word last.
pub(super) fn note_release(races: &mut Races, key: (u64, u64), operation: SyncOperation) {
    let released = &mut races.scopes.released;
    if released.len() < MAX_LOCATIONS || released.contains_key(&key) {
        Arc::make_mut(released).insert(key, operation);
    }
}

/// Gains the knowledge that was released at a word: for a lane, or for the whole warp. `now`: at once, else at the next fence.
pub(super) fn acquire(
    context: &mut ExecContext<'_>,
    key: (u64, u64),
    operation: SyncOperation,
    lane: Option<usize>,
    now: bool,
) {
    let own = own(context);
    let mut work = 0;
    for scope in up_to(context, Scope::Gpu) {
        let domain = domain(context, scope);
        let Some(told) = context.machine.races.locations.get(&(key.0, key.1, domain)) else { continue };
        let live = context.lanes.present & !context.lanes.exited;
        let clock = &mut context.lanes.clock;
        work += match (scope <= operation.scope, now) {
            (true, true) => match lane {
                Some(lane) => clock.learn_of(lane, told, own, live),
                None => clock.learn(told, own),
            },
            (true, false) => clock.sync().heard[scope as usize].join(told),
            (false, true) => clock.known.join(&told.out_of_scope()),
            (false, false) => clock.sync().heard[0].join(&told.out_of_scope()),
        };
    }
    if let Some(told) = context.machine.races.locations.get(&(key.0, key.1, BEYOND)) {
        let told = told.out_of_scope();
        let clock = &mut context.lanes.clock;
        work += if now { clock.known.join(&told) } else { clock.sync().heard[0].join(&told) };
    }
    context.machine.races.spend(work);
    let Some(released) = context.machine.races.scopes.released.get(&key).copied() else { return };
    let needed = context.machine.shape.scope_of(released.cta, own.cta);
    let sites = [released.site, operation.site];
    if released.scope < needed {
        context.machine.races.scopes.add(released.cta, own.cta, released, sites);
    } else if operation.scope < needed {
        context.machine.races.scopes.add(released.cta, own.cta, operation, sites);
    } else if !now {
        context.lanes.clock.sync().heard_from = Some(released);
    }
}

/// Gains, at a fence, the knowledge of relaxed reads. What the scope of the fence leaves out is gained as beyond scope.
pub(super) fn listen(context: &mut ExecContext<'_>, operation: SyncOperation) {
    let own = own(context);
    let clock = &mut context.lanes.clock;
    let mut work = clock.listen(operation.scope, own);
    let Some(sync) = clock.synced() else { return context.machine.races.spend(work) };
    let heard = sync.heard_from;
    let left: Vec<Knowledge> = sync.heard.iter().filter(|h| !h.is_empty()).map(Knowledge::out_of_scope).collect();
    for told in left {
        work += clock.known.join(&told);
    }
    context.machine.races.spend(work);
    if let Some(released) = heard
        && operation.scope < context.machine.shape.scope_of(released.cta, own.cta)
    {
        let sites = [released.site, operation.site];
        context.machine.races.scopes.add(released.cta, own.cta, operation, sites);
    }
}

impl Machine {
    /// Reports, at the end of a run, strong accesses whose scopes do not include each other, unless a finding has named them as the cause of
    /// another race.
    pub(crate) fn report_narrow_accesses(&mut self) {
        let ScopeState { kept, named, .. } = std::mem::take(&mut self.races.scopes);
        for NarrowAccesses { sites, fault } in kept.iter() {
            let known = |site: &InstructionSite| named.contains(site) || self.findings.has(FaultKind::Race, *site);
            if !sites.iter().any(known) && self.settings.checks.has(FaultKind::Race) {
                self.findings.add(FaultKind::Race, fault.site, || fault.clone());
            }
        }
    }
}
