//! Compares the claims about the addresses of a kernel with a run of it: with the accesses that the interpreter makes, and its transactions.

use ptx_flow::addresses::evaluate::Assumptions;
use ptx_flow::addresses::traffic::{Pattern, patterns};
use ptx_flow::addresses::{Access, AccessEffect, AddressFacts, BlockShape, Traffic};
use ptx_interp::findings::Checks;
use ptx_interp::inspect::{Transaction, parameters, transactions};
use ptx_interp::machine::{AccessKind, Detail, Settings};
use ptx_launch::evaluate::LaunchModule;
use ptx_launch_syntax::Launch;
use ptx_syntax::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The counts of comparisons.
#[derive(Debug, Default)]
pub struct Tally {
    /// Instructions that access global or shared memory, once for each address.
    pub accesses: usize,
    /// Of these: with an address that is more than a register.
    pub with_form: usize,
    /// Of these: with known traffic.
    pub with_traffic: usize,
    /// Of these: with at least twice the necessary traffic.
    pub costly: usize,
    /// Runs.
    pub runs: usize,
    /// Transactions of runs whose access has known traffic.
    pub checked: usize,
    /// Of these: by all 32 lanes.
    pub full: usize,
    /// Of these: with an aligned pointer.
    pub aligned: usize,
    /// Transactions of runs without a claim.
    pub unclaimed: usize,
    /// Instructions (file, function, index) with at least one checked transaction.
    pub reached: BTreeSet<(String, String, u32)>,
    /// Claims that a run contradicts.
    pub contradictions: Vec<String>,
}

/// The maximum number of steps of a run that are compared.
const MAX_STEPS: usize = 60_000;

/// A module ready for launches.
pub fn module(text: &str) -> LaunchModule {
    LaunchModule::new(&Snapshot::new(text))
}

/// The addresses of all functions with a body, by index.
pub fn all_addresses(module: &LaunchModule) -> BTreeMap<u32, AddressFacts> {
    let functions = module.program.functions.iter().enumerate();
    functions
        .filter_map(|(index, f)| {
            Some((index as u32, AddressFacts::of_function(f.body.as_ref().filter(|b| b.complete)?)?))
        })
        .collect()
}

impl Tally {
    /// The counts in one line.
    pub fn summary(&self) -> String {
        let Self {
            accesses,
            with_form,
            with_traffic,
            costly,
            runs,
            checked,
            full,
            aligned,
            unclaimed,
            reached,
            contradictions,
        } = self;
        format!(
            "{accesses} accesses, {with_form} with an address, {with_traffic} with traffic, {costly} of them costly; {runs} runs, {checked} claims compared ({full} of \
             whole warps, {aligned} with an aligned pointer) at {} instructions, {unclaimed} transactions without a claim, {} contradicted",
            reached.len(),
            contradictions.len()
        )
    }

    /// Counts the accesses of a module.
    pub fn count(&mut self, facts: &BTreeMap<u32, AddressFacts>) {
        for facts in facts.values() {
            for (access, traffic) in facts.accesses.iter().zip(&facts.traffic) {
                if matches!(facts.space(access), None | Some(".global" | ".shared")) {
                    self.accesses += 1;
                    self.with_form += usize::from(facts.address(access).is_some());
                    self.with_traffic += usize::from(traffic.is_some());
                    self.costly += usize::from(traffic.as_ref().is_some_and(Traffic::is_costly));
                }
            }
        }
    }

    /// Runs a launch and compares its transactions with the claims.
    pub fn run(
        &mut self,
        name: &str,
        module: &LaunchModule,
        facts: &BTreeMap<u32, AddressFacts>,
        launch: Launch,
        limit: u64,
    ) {
        // Races and unwritten memory do not matter here.
        let settings = Settings { limit, checks: Checks::none(), ..Settings::default() };
        let Ok(done) = module.evaluate(launch, settings, None, None, &|| false) else { return };
        self.runs += 1;
        let machine = &done.run.machine;
        let block = machine.shape.block;
        let values: BTreeMap<String, u64> = parameters(machine)
            .into_iter()
            .filter_map(|p| Some((p.name, u64::from_le_bytes(p.bytes.try_into().ok()?))))
            .collect();
        let mut known: BTreeMap<(u32, usize, bool), Option<Claim>> = BTreeMap::new();
        for step in done.run.events(0, MAX_STEPS, Detail { registers: false, accesses: true }, &|| false) {
            if step.more_accesses {
                continue;
            }
            let Some(facts) = facts.get(&step.site.function) else { continue };
            for transaction in transactions(&step.accesses) {
                let found = facts.of_instruction(step.site.instruction as usize);
                let Some((at, access)) = found.into_iter().find(|(_, a)| is_of(a, &transaction)) else { continue };
                // The assumption without a launch, and the block of the launch.
                let mut shapes = vec![BlockShape::Known(block)];
                if facts.shape != BlockShape::Rows || block[0].is_multiple_of(32) {
                    shapes.push(facts.shape);
                }
                for (number, shape) in shapes.into_iter().enumerate() {
                    let key = (step.site.function, at, number == 1);
                    let claim = known.entry(key).or_insert_with(|| Claim::new(facts, access, shape));
                    let Some(claim) = claim else {
                        self.unclaimed += 1;
                        continue;
                    };
                    let base = facts.base(access).and_then(|b| values.get(b)).copied();
                    self.compare(claim, access, &transaction, base, &|| {
                        let function = &module.program.functions[step.site.function as usize];
                        format!("{name}: {} instruction {} {shape:?}", function.name, step.site.instruction)
                    });
                    let function = module.program.functions[step.site.function as usize].name.to_string();
                    self.reached.insert((name.to_owned(), function, step.site.instruction));
                }
            }
        }
    }

    fn compare(
        &mut self,
        claim: &Claim,
        access: &Access,
        transaction: &Transaction,
        base: Option<u64>,
        place: &dyn Fn() -> String,
    ) {
        self.checked += 1;
        self.full += usize::from(transaction.lanes == u32::MAX);
        let fits = claim.patterns.iter().any(|p| follows(p, transaction));
        let (mask, bytes) = (transaction.lanes, access.bytes);
        let counted = match (&claim.traffic, &transaction.sectors, &transaction.banks) {
            (Traffic::Sectors(claimed), Some(sectors), _) => {
                let touched = u32::try_from(sectors.touched).unwrap_or(u32::MAX);
                let aligned = claimed.aligned.as_ref().filter(|_| base.is_some_and(|b| b.is_multiple_of(256)));
                self.aligned += usize::from(aligned.is_some());
                holds(&claimed.sectors, touched, mask)
                    && aligned.is_none_or(|a| holds(a, touched, mask))
                    && within(&claim.patterns, mask, touched, |p| p.sectors(mask, bytes))
            }
            (Traffic::Banks(claimed), _, Some(banks)) => {
                let update = access.effect == AccessEffect::Update;
                holds(&claimed.conflict, banks.conflict, mask)
                    && holds(&claimed.wavefronts, banks.wavefronts, mask)
                    && within(&claim.patterns, mask, banks.conflict, |p| Some(p.banks(mask, bytes, update)?.conflict))
            }
            // A claim about another memory than the one that is reached.
            _ => false,
        };
        if (!fits || !counted) && self.contradictions.len() < 50 {
            let lanes: Vec<_> = transaction.accesses.iter().map(|a| a.map(|a| a.address)).collect();
            self.contradictions.push(format!(
                "{}: lanes {mask:#x}, {bytes} bytes, pattern {fits}, counts {counted}: {:?}, touched {:?}, conflict {:?}\n{lanes:x?}\n{:?}",
                place(),
                claim.traffic,
                transaction.sectors.map(|s| s.touched),
                transaction.banks.map(|b| b.conflict),
                claim.patterns.first()
            ));
        }
    }
}

/// The claims about an access.
struct Claim {
    patterns: Vec<Pattern>,
    traffic: Traffic,
}

impl Claim {
    fn new(facts: &AddressFacts, access: &Access, shape: BlockShape) -> Option<Self> {
        let traffic = facts.traffic_of(access, shape)?;
        let patterns = patterns(&facts.values, access, shape, Assumptions::default())?;
        Some(Self { patterns, traffic })
    }
}

/// Whether a transaction is made through an access.
fn is_of(access: &Access, transaction: &Transaction) -> bool {
    let effect = match transaction.kind {
        AccessKind::Load => AccessEffect::Load,
        AccessKind::Store => AccessEffect::Store,
        AccessKind::Update => AccessEffect::Update,
    };
    access.effect == effect
        && match access.space {
            Some(".global") => transaction.sectors.is_some(),
            Some(".shared") => transaction.banks.is_some(),
            None => transaction.sectors.is_some() || transaction.banks.is_some(),
            Some(_) => false,
        }
}

/// Whether a count agrees with a claim. The claim is about all lanes, and an upper bound for some of them.
fn holds(claimed: &RangeInclusive<u32>, actual: u32, mask: u32) -> bool {
    if mask == u32::MAX { claimed.contains(&actual) } else { actual <= *claimed.end() }
}

/// Whether some pattern explains the addresses of all lanes.
fn follows(pattern: &Pattern, transaction: &Transaction) -> bool {
    if transaction.lanes & !pattern.active != 0 {
        return false;
    }
    let lanes = || (0..32).filter_map(|l| Some((l, transaction.accesses[l]?.address)));
    let Some((first, start)) = lanes().next() else { return true };
    let origin = start.wrapping_sub(pattern.distances[first] as u64);
    lanes().all(|(l, address)| origin.wrapping_add(pattern.distances[l] as u64) == address)
        && pattern.starts.contains(&(origin % 32))
}

/// Whether a count agrees with some pattern for these lanes.
fn within(all: &[Pattern], mask: u32, actual: u32, count: impl Fn(&Pattern) -> Option<RangeInclusive<u32>>) -> bool {
    all.iter().filter(|p| mask & !p.active == 0).filter_map(count).any(|claimed| claimed.contains(&actual))
}
