//! Scopes: which releases an acquire sees, and which operation was too narrow if it does not see one.
//!
//! A release is stored for the threads of each scope that it includes: those of the CTA, of the cluster, of the grid. An acquire reads what
//! is stored for the scopes that it includes. What one of the two leaves out is stored as well, marked as *beyond scope*: if an access needs
//! it, the operation that was too narrow is the cause of the race.

use super::{Knowledge, MAX_LOCATIONS, Races, SyncKind, SyncOperation, own};
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::machine::{ExecContext, Machine, Scope};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Maximum number of pairs of CTAs for which the operation that is too narrow is stored.
const MAX_NARROW: usize = 1 << 12;

/// The threads for which a release is stored: 0 for all of them.
pub(super) type Domain = u64;

/// The domain of releases that some thread may not see, because their scope is narrow.
pub(super) const BEYOND: Domain = u64::MAX;

impl SyncOperation {
    /// The operation that the instruction executes.
    pub(super) fn of(context: &mut ExecContext<'_>, kind: SyncKind, scope: Scope) -> Self {
        Self { kind, scope, site: context.site, cta: context.cta().number }
    }
}

/// A release and an acquire that do not synchronize, because the scope of one of them does not include the other thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct NarrowSync {
    /// The operation whose scope is too narrow.
    pub(super) operation: SyncOperation,
    /// The release and the acquire.
    sites: [InstructionSite; 2],
}

/// Two strong accesses whose scopes do not include each other.
#[derive(Debug, Clone)]
struct NarrowAccesses {
    sites: [InstructionSite; 2],
    fault: Fault,
}

/// State of the detector for programs that name scopes.
#[derive(Debug, Clone, Default)]
pub(super) struct ScopeState {
    /// The last release of each word; keys as in [`Races::locations`].
    released: Arc<HashMap<(u64, u64), SyncOperation>>,
    /// For two CTAs, the last operation whose scope was too narrow for the second one to see what the first one released.
    narrow: Arc<BTreeMap<(u64, u64), NarrowSync>>,
    /// Strong accesses that race, to be reported at the end of the run.
    kept: Arc<Vec<NarrowAccesses>>,
    /// Operations that a finding has named as too narrow, and those with which they do not synchronize.
    named: Arc<BTreeSet<InstructionSite>>,
}

impl ScopeState {
    /// Whether no release of a location is stored.
    pub(super) fn has_no_releases(&self) -> bool {
        self.released.is_empty()
    }

    /// Forgets the releases of words in shared memory of CTAs that have ended.
    pub(super) fn retain(&mut self, stays: impl Fn(u64) -> bool) {
        Arc::make_mut(&mut self.released).retain(|(space, _), _| stays(*space));
    }

    /// The operation because of which CTA `to` does not see what CTA `from` released.
    pub(super) fn cause(&self, from: u64, to: u64) -> Option<NarrowSync> {
        self.narrow.get(&(from, to)).copied()
    }

    fn add(&mut self, from: u64, to: u64, operation: SyncOperation, sites: [InstructionSite; 2]) {
        if self.narrow.len() < MAX_NARROW || self.narrow.contains_key(&(from, to)) {
            Arc::make_mut(&mut self.narrow).insert((from, to), NarrowSync { operation, sites });
        }
    }

    /// Records that a finding names this operation. Returns whether it is the first one.
    pub(super) fn name(&mut self, narrow: NarrowSync) -> bool {
        let named = Arc::make_mut(&mut self.named);
        let first = named.insert(narrow.operation.site);
        named.extend(narrow.sites);
        first
    }

    /// Whether a finding on these two instructions is kept for the end of the run.
    pub(super) fn is_kept(&self, here: InstructionSite, there: InstructionSite) -> bool {
        self.kept.iter().any(|k| k.sites == [here, there] || k.sites == [there, here])
    }

    /// Keeps a finding on two strong accesses for the end of the run.
    pub(super) fn keep(&mut self, here: InstructionSite, there: InstructionSite, fault: Fault) {
        Arc::make_mut(&mut self.kept).push(NarrowAccesses { sites: [here, there], fault });
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
    let needed = context.machine.shape.scope_of(released.cta, own.0);
    let sites = [released.site, operation.site];
    if released.scope < needed {
        context.machine.races.scopes.add(released.cta, own.0, released, sites);
    } else if operation.scope < needed {
        context.machine.races.scopes.add(released.cta, own.0, operation, sites);
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
        && operation.scope < context.machine.shape.scope_of(released.cta, own.0)
    {
        let sites = [released.site, operation.site];
        context.machine.races.scopes.add(released.cta, own.0, operation, sites);
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
