//! Checks the groups of a host text.

use crate::targets::HostTargets;
use crate::{is_ptx, lints, problems};
use ptx_analysis::inline::{InlineChecker, InlineConstant, InlineFindings, InlineRegister, InlineText, TargetSet};
use ptx_analysis::types::TypeId;
use ptx_analysis::{Diagnostic, FixEdit, Related};
use ptx_embed::{Group, Kind, Placed, SegmentMap, host_edit};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The diagnostics of a group, in host bytes relative to its start.
pub type GroupDiagnostics = Arc<[Diagnostic]>;

/// Checks host texts, and caches the diagnostics of groups by their keys.
#[derive(Debug, Default)]
pub struct HostChecker {
    targets: HostTargets,
    inline: InlineChecker,
    known: FxHashMap<u64, Known>,
    /// The number of the current check.
    check: u32,
}

#[derive(Debug)]
struct Known {
    diagnostics: GroupDiagnostics,
    /// The number of the last check in which a group had this key.
    check: u32,
}

/// The number of checks for which the diagnostics of a group that disappeared stay cached.
const MAX_UNUSED_CHECKS: u32 = 8;

impl HostChecker {
    /// A checker for these targets.
    pub fn new(targets: HostTargets) -> Self {
        Self { targets, ..Self::default() }
    }

    /// The targets.
    pub fn targets(&self) -> &HostTargets {
        &self.targets
    }

    /// Changes the targets; what is cached then says nothing.
    pub fn set_targets(&mut self, targets: HostTargets) {
        if self.targets != targets {
            self.targets = targets;
            self.known.clear();
        }
    }

    /// The diagnostics of each group, in order; `None` if `stop` returned true before the end. What was checked until then
    /// stays cached.
    pub fn check(&mut self, groups: &[Placed], stop: &dyn Fn() -> bool) -> Option<Vec<GroupDiagnostics>> {
        self.check = self.check.wrapping_add(1);
        let mut out = Vec::with_capacity(groups.len());
        for placed in groups {
            out.push(self.group(&placed.group, stop)?);
        }
        let check = self.check;
        self.known.retain(|_, known| check.wrapping_sub(known.check) <= MAX_UNUSED_CHECKS);
        Some(out)
    }

    fn group(&mut self, group: &Group, stop: &dyn Fn() -> bool) -> Option<GroupDiagnostics> {
        if let Some(known) = self.known.get_mut(&group.key) {
            known.check = self.check;
            return Some(Arc::clone(&known.diagnostics));
        }
        if stop() {
            return None;
        }
        let diagnostics: GroupDiagnostics = diagnostics(group, &self.targets, &mut self.inline, stop)?.into();
        self.known.insert(group.key, Known { diagnostics: Arc::clone(&diagnostics), check: self.check });
        Some(diagnostics)
    }

    /// The diagnostics of a host text, in text order and in host bytes.
    pub fn diagnostics(&mut self, groups: &[Placed]) -> Vec<Diagnostic> {
        let found = self.check(groups, &|| false).unwrap_or_default();
        let mut out: Vec<Diagnostic> = Vec::new();
        for (placed, found) in groups.iter().zip(found) {
            out.extend(found.iter().map(|d| d.clone().shifted(placed.start)));
        }
        out.sort_by_key(|d| (d.range.start, d.range.end));
        out
    }
}

/// Lends a group to the checker as a text with operands.
pub(crate) fn with_text<R>(group: &Group, targets: &TargetSet, answer: impl FnOnce(&InlineText<'_>) -> R) -> R {
    let (mut registers, mut constants) = (Vec::new(), Vec::new());
    for variable in &group.variables {
        match register_type(variable.kind) {
            Some(ty) => registers.push(InlineRegister { name: &variable.name, ty }),
            None => constants.push(InlineConstant { name: &variable.name, value: variable.value }),
        }
    }
    answer(&InlineText {
        ptx: &group.ptx,
        registers: &registers,
        constants: &constants,
        opaque: &group.opaque,
        targets,
    })
}

/// The type of the register that an operand gets; `None` for a constant.
pub(crate) fn register_type(kind: Kind) -> Option<TypeId> {
    let name = match kind {
        Kind::B16 => ".b16",
        Kind::B32 => ".b32",
        Kind::B64 => ".b64",
        Kind::B128 => ".b128",
        Kind::F32 => ".f32",
        Kind::F64 => ".f64",
        Kind::Pred => ".pred",
        Kind::Constant => return None,
    };
    TypeId::of(name)
}

fn diagnostics(
    group: &Group,
    targets: &HostTargets,
    inline: &mut InlineChecker,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Diagnostic>> {
    if !is_ptx(group) {
        return Some(Vec::new());
    }
    let targets = targets.of(&group.targets);
    let findings = with_text(group, &targets, |text| inline.check_until(text, stop))?;
    let mut out: Vec<Diagnostic> = group.problems.iter().filter_map(problems::of_host).collect();
    let host = out.iter().map(|d| d.range.clone()).collect::<Vec<_>>();
    lints::find(group, &findings, &mut out);
    let InlineFindings { diagnostics, .. } = findings;
    let found = diagnostics.into_iter().filter_map(|d| in_host(d, group));
    // What is wrong with the statement of the host is not wrong with the PTX too.
    out.extend(found.filter(|d| !host.iter().any(|range| overlap(range, &d.range))));
    out.sort_by_key(|d| (d.range.start, d.range.end));
    Some(out)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The host range of a range of PTX, with those in further literals.
pub(crate) fn host_ranges(map: &SegmentMap, ptx: &Range<usize>) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let mut ranges = map.to_host(ptx.clone()).into_iter();
    Some((ranges.next()?, ranges.collect()))
}

/// A diagnostic of PTX in host bytes; `None` if no byte of the host stands for its place.
fn in_host(mut diagnostic: Diagnostic, group: &Group) -> Option<Diagnostic> {
    let (range, rest) = host_ranges(&group.map, &diagnostic.range)?;
    diagnostic.range = range;
    diagnostic.related.retain_mut(|related| match host_ranges(&group.map, &related.range) {
        Some((range, _)) => {
            related.range = range;
            true
        }
        None => false,
    });
    let more = |range| Related { range, message: "it continues here".to_owned(), declares: None };
    diagnostic.related.extend(rest.into_iter().map(more));
    diagnostic.fixes.retain_mut(|fix| {
        fix.edits.iter_mut().all(|edit| {
            let FixEdit::Replace(range, new) = edit else { return false };
            match host_edit(group, range.clone(), new) {
                Some(host) => {
                    *edit = FixEdit::Replace(host.span, host.text);
                    true
                }
                None => false,
            }
        })
    });
    Some(diagnostic)
}
