//! The targets and versions that support a table entry, according to its gates.

use ptx_analysis::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateKind, TargetInfo, Version};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The versions in which a target supports something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// No version.
    Never,
    /// Every version that knows the target.
    Always,
    /// From this version on.
    From(Version),
    /// From the first version to the last one. `None`: from the first version that knows the target.
    Between(Option<Version>, Version),
}

impl Availability {
    /// The first version in which the target supports it.
    pub fn first(self, target: &'static TargetInfo) -> Option<Version> {
        match self {
            Self::Never => None,
            Self::From(version) | Self::Between(Some(version), _) => Some(version),
            Self::Always | Self::Between(None, _) => versions(target).first().copied(),
        }
    }
}

/// The input for a row of a matrix.
#[derive(Debug, Clone)]
pub struct RowSource {
    /// The form, or the condition that follows the form above: `` with `.bf16` ``.
    pub label: String,
    /// The row is about a condition.
    pub condition: bool,
    /// Alternative lists of gates. The row is supported if all gates of one list are met.
    pub ways: Vec<Vec<&'static Gate>>,
}

/// The availability of one form, or of a form under a condition, on each target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailabilityRow {
    /// The form, or the condition that follows the form above: `` with `.bf16` ``.
    pub label: String,
    /// The row is about a condition on the form of an earlier row.
    pub condition: bool,
    /// The availability in each column.
    pub cells: Vec<Availability>,
}

/// The availability of forms by target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailabilityMatrix {
    /// The first and the last target of each column: neighbouring targets with the same availability share a column.
    pub columns: Vec<(&'static str, &'static str)>,
    /// The rows.
    pub rows: Vec<AvailabilityRow>,
}

/// The targets that are architectures, in the order of the tables.
pub fn architectures() -> impl Iterator<Item = &'static TargetInfo> {
    ISA.targets.iter().filter(|t| !t.features.is_empty())
}

/// The published versions that know a target, ascending.
pub fn versions(target: &'static TargetInfo) -> &'static [Version] {
    static KNOWN: LazyLock<HashMap<&str, Vec<Version>>> = LazyLock::new(|| {
        let published = || ISA.versions.iter().filter(|v| v.version == v.counts_as).map(|v| v.version);
        let of = |target: &'static TargetInfo| {
            let knows = |v: &Version| environment(target, *v, false).refused(target.gates, |_| true).is_none();
            (target.name, published().filter(knows).collect())
        };
        ISA.targets.iter().map(of).collect()
    });
    KNOWN.get(target.name).map_or(&[], Vec::as_slice)
}

/// The availability on a target of something that needs all gates of one of these lists.
pub fn availability(ways: &[Vec<&'static Gate>], target: &'static TargetInfo) -> Availability {
    // If an option of `.target` is required, the availability is that with the option.
    let with = |options| span(ways, target, options);
    match with(false) {
        Availability::Never => with(true),
        found => found,
    }
}

fn span(ways: &[Vec<&'static Gate>], target: &'static TargetInfo, options: bool) -> Availability {
    let known = versions(target);
    let taken = |version: &Version| {
        let environment = environment(target, *version, options);
        let through = |gate: &&'static Gate| environment.refused(std::slice::from_ref(*gate), |_| true).is_none();
        ways.iter().any(|gates| gates.iter().all(through))
    };
    let first = known.iter().position(taken);
    let last = known.iter().rposition(taken);
    match (first, last) {
        (Some(0), Some(last)) if last + 1 == known.len() => Availability::Always,
        (Some(first), Some(last)) if last + 1 == known.len() => Availability::From(known[first]),
        (Some(first), Some(last)) => Availability::Between((first > 0).then(|| known[first]), known[last]),
        _ => Availability::Never,
    }
}

fn environment(target: &'static TargetInfo, version: Version, options: bool) -> Environment {
    let all = ISA.targets.iter().filter(|t| t.features.is_empty()).map(|t| t.name);
    Environment {
        version: Some(version),
        target: Some(target),
        options: if options { all.collect() } else { Vec::new() },
        address_size: 64,
        ..Environment::default()
    }
}

/// Builds a matrix from rows, with as few columns as possible.
pub fn matrix(lines: &[RowSource]) -> AvailabilityMatrix {
    let targets: Vec<&'static TargetInfo> = architectures().collect();
    let mut whole: Vec<AvailabilityRow> = Vec::new();
    for RowSource { label, condition, ways } in lines {
        let cells = targets.iter().map(|target| availability(ways, target)).collect();
        let row = AvailabilityRow { label: label.clone(), condition: *condition, cells };
        // Skips forms that look the same as an earlier one, and conditions without further requirements.
        let form = whole.iter().rposition(|r| !r.condition).unwrap_or(0);
        let idle = row.condition && whole.get(form).is_some_and(|r| r.cells == row.cells);
        let known = if row.condition { whole.get(form..).unwrap_or_default() } else { &whole };
        if !idle && !known.contains(&row) {
            whole.push(row);
        }
    }
    let column = |index: usize| whole.iter().map(|r| r.cells[index]).collect::<Vec<_>>();
    let mut columns: Vec<(&'static str, &'static str)> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let same = index > 0 && column(index) == column(index - 1);
        match columns.last_mut().filter(|_| same) {
            Some(last) => last.1 = target.name,
            None => {
                columns.push((target.name, target.name));
                kept.push(index);
            }
        }
    }
    for row in &mut whole {
        row.cells = kept.iter().map(|index| row.cells[*index]).collect();
    }
    AvailabilityMatrix { columns, rows: whole }
}

/// The lowest version that the `needs` gates name: the version that introduced the element.
pub fn introduced(gates: &[Gate]) -> Option<Version> {
    let needs = gates.iter().filter(|g| g.kind == GateKind::Needs && g.when.is_empty());
    needs.filter_map(|g| g.alternatives.iter().map(|a| a.ptx).min().flatten()).max()
}
