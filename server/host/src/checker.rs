//! Checks the groups of a host text.

use crate::places::host_ranges;
use crate::result::GroupResult;
use crate::targets::HostTargets;
use crate::{is_ptx, lints, problems, variants};
use ptx_analysis::{
    Code, Diagnostic, Finding, FixEdit, InlineChecker, InlineConstant, InlineFindings, InlineRegister, InlineText,
    Related, Severity, TargetSet, Text, TypeId,
};
use ptx_embed::{Access, Group, Kind, Placed, host_edit};
use ptx_syntax::in_parallel;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Checks host texts, and caches the results of groups by their keys.
#[derive(Debug)]
pub struct HostChecker {
    targets: HostTargets,
    /// A checker for each thread.
    inline: Vec<InlineChecker>,
    threads: usize,
    known: FxHashMap<u64, Known>,
    /// The number of the current check.
    check: u32,
}

#[derive(Debug)]
struct Known {
    result: GroupResult,
    /// The number of the last check in which a group had this key.
    check: u32,
}

/// The number of checks for which the results of a group that disappeared stay cached.
const MAX_UNUSED_CHECKS: u32 = 8;

/// Below this total size of PTX, in bytes, one thread finishes sooner.
const MIN_SHARED: usize = 32 << 10;

impl Default for HostChecker {
    fn default() -> Self {
        Self::new(HostTargets::default())
    }
}

impl HostChecker {
    /// A checker for these targets.
    pub fn new(targets: HostTargets) -> Self {
        Self { targets, inline: Vec::new(), threads: 1, known: FxHashMap::default(), check: 0 }
    }

    /// Sets the maximum number of threads for a text with much PTX; the default is one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
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

    /// The result for each group, in order; `None` if `cancelled` returned true before the end. What was checked until then stays
    /// cached.
    pub fn check(&mut self, groups: &[Placed], cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<GroupResult>> {
        self.check_until(groups, &|| false, cancelled)
    }

    /// As [`Self::check`], and also returns `None` between two groups when `stop` returns true. The next call continues there. Each
    /// call checks at least one group.
    pub fn check_until(
        &mut self,
        groups: &[Placed],
        stop: &(dyn Fn() -> bool + Sync),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<GroupResult>> {
        // The parts of an interrupted check have the same number.
        let check = self.check.wrapping_add(1);
        self.learn(groups, check, stop, cancelled);
        let of_group = |placed: &Placed| {
            let known = self.known.get_mut(&placed.group.key)?;
            known.check = check;
            Some(known.result.clone())
        };
        let mut out: Vec<GroupResult> = groups.iter().map(of_group).collect::<Option<_>>()?;
        variants::settle(groups, &mut out);
        self.known.retain(|_, known| check.wrapping_sub(known.check) <= MAX_UNUSED_CHECKS);
        self.check = check;
        Some(out)
    }

    /// Checks the groups whose results are not cached.
    fn learn(
        &mut self,
        groups: &[Placed],
        check: u32,
        stop: &(dyn Fn() -> bool + Sync),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) {
        let mut new: Vec<&Group> = Vec::new();
        let mut size = 0;
        let mut keys = FxHashSet::default();
        for placed in groups {
            if !self.known.contains_key(&placed.group.key) && keys.insert(placed.group.key) {
                size += placed.group.ptx.len();
                new.push(&placed.group);
            }
        }
        let targets = &self.targets;
        let begun = AtomicBool::new(false);
        let ends = || (begun.swap(true, Ordering::Relaxed) && stop()) || cancelled();
        let results: Vec<(u64, Option<GroupResult>)> = if self.threads > 1 && new.len() > 1 && size >= MIN_SHARED {
            let pool = Mutex::new(std::mem::take(&mut self.inline));
            let lend = || Lent {
                checker: pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default(),
                pool: &pool,
            };
            let results = in_parallel(&new, self.threads, lend, |lent: &mut Lent<'_>, group: &&Group| {
                (group.key, if ends() { None } else { checked(group, targets, &mut lent.checker, cancelled) })
            });
            self.inline = pool.into_inner().unwrap_or_else(PoisonError::into_inner);
            results
        } else {
            if self.inline.is_empty() {
                self.inline.push(InlineChecker::default());
            }
            let inline = &mut self.inline;
            let work = |group: &&Group| {
                let checker = inline.first_mut().filter(|_| !ends())?;
                Some((group.key, checked(group, targets, checker, cancelled)))
            };
            new.iter().map_while(work).collect()
        };
        for (key, result) in results {
            if let Some(result) = result {
                self.known.insert(key, Known { result, check });
            }
        }
    }

    /// The diagnostics of a host text, in text order and in host bytes.
    pub fn diagnostics(&mut self, groups: &[Placed]) -> Vec<Diagnostic> {
        let found = self.check(groups, &|| false).unwrap_or_default();
        in_text(groups, &found)
    }
}

/// The diagnostics of all groups, in text order and in host bytes. What several texts of one statement have, is said once.
pub fn in_text(groups: &[Placed], results: &[GroupResult]) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    let mut fences = FencesOnce { reported: FxHashSet::default() };
    for (index, (placed, result)) in groups.iter().zip(results).enumerate() {
        let new = result.diagnostics.iter().filter(|d| !variants::is_known(groups, results, index, d));
        let new = new.filter(|d| fences.is_new(placed, d));
        out.extend(new.map(|d| d.clone().shifted(placed.start)));
    }
    out.sort_by_key(|d| (d.range.start, d.range.end));
    out
}

/// Keeps the first `asm-fence` of each function and severity: one says what all of them say.
struct FencesOnce {
    reported: FxHashSet<(usize, Severity)>,
}

impl FencesOnce {
    fn is_new(&mut self, placed: &Placed, diagnostic: &Diagnostic) -> bool {
        let Some(function) = placed.function.filter(|_| diagnostic.code() == Code::AsmFence) else { return true };
        self.reported.insert((function, diagnostic.severity))
    }
}

/// The checker that one thread borrows from the pool; it is returned on drop.
struct Lent<'a> {
    checker: InlineChecker,
    pool: &'a Mutex<Vec<InlineChecker>>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.checker));
    }
}

/// Lends a group to the checker as a text with operands.
pub(crate) fn with_text<R>(group: &Group, targets: &TargetSet, answer: impl FnOnce(&InlineText<'_>) -> R) -> R {
    let (mut registers, mut constants) = (Vec::new(), Vec::new());
    for variable in &group.variables {
        match register_type(variable.kind) {
            Some(ty) => registers.push(InlineRegister {
                name: &variable.name,
                ty,
                written_only: variable.access == Access::Output,
            }),
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
    kind.register_type().and_then(TypeId::of)
}

fn checked(
    group: &Group,
    targets: &HostTargets,
    inline: &mut InlineChecker,
    stop: &dyn Fn() -> bool,
) -> Option<GroupResult> {
    if !is_ptx(group) || group.conditional {
        return Some(GroupResult::default());
    }
    let targets = targets.of(&group.targets);
    let findings = with_text(group, &targets, |text| inline.check_until(text, stop))?;
    let mut out: Vec<Diagnostic> = group.problems.iter().map(problems::of_host).collect();
    // An operand that seems unused is most likely the one that was meant.
    let misnamed =
        |d: &Diagnostic| matches!(d.code(), Code::AsmOperandIndex | Code::AsmOperandName | Code::AsmOperandModifier);
    if out.iter().any(misnamed) {
        out.retain(|d| d.code() != Code::AsmUnusedOperand);
    }
    let errors = out.iter().filter(|d| d.severity == Severity::Error);
    let host = errors.map(|d| d.range.clone()).collect::<Vec<_>>();
    lints::find(group, &findings, &mut out);
    let InlineFindings { diagnostics, target, .. } = findings;
    let found = diagnostics.into_iter().filter(|d| !may_be_of_module(d, group)).filter_map(|d| in_host(d, group));
    // What is wrong with the statement of the host is not wrong with the PTX too.
    out.extend(found.filter(|d| !host.iter().any(|range| overlap(range, &d.range))));
    out.sort_by_key(|d| (d.range.start, d.range.end));
    Some(GroupResult { diagnostics: out.into(), target })
}

/// Whether the name that a diagnostic calls undeclared may be a variable of the module, as `__device__` variables are: it is an
/// address, and no register, since the text declares none.
fn may_be_of_module(diagnostic: &Diagnostic, group: &Group) -> bool {
    let is_symbol = || group.ptx.get(diagnostic.range.clone()).is_some_and(|name| !name.starts_with(['%', '$']));
    let is_address = || group.ptx.get(..diagnostic.range.start).is_some_and(|before| before.trim_end().ends_with('['));
    diagnostic.code() == Code::UndeclaredName && is_symbol() && is_address() && !group.ptx.contains(".reg")
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Writes the names of operands as the host does: in a group of several statements, `%0` of the second one is another register
/// than that of the first.
fn translate(diagnostic: &mut Diagnostic, group: &Group) {
    if group.variables.iter().all(|v| v.name == v.spelling) {
        return;
    }
    let message = diagnostic.message();
    let translated = |text: &str| {
        let others = group.variables.iter().filter(|v| v.name != v.spelling);
        others.fold(text.to_owned(), |text, v| text.replace(&format!("`{}`", v.name), &format!("`{}`", v.spelling)))
    };
    let (new, help) = (translated(&message), diagnostic.help());
    let new_help = help.as_deref().map(translated);
    if new != message || new_help != help {
        diagnostic.finding = Finding::translated(diagnostic.code(), Text { message: new, help: new_help });
    }
}

/// Says in the words of the host how an operand gets the size that it should have.
fn ask_for_size(diagnostic: &mut Diagnostic, group: &Group) {
    let Some(required) = diagnostic.required_size() else { return };
    let Some(variable) = group.variables.iter().find(|v| v.name == required.register) else { return };
    let Some(statement) = group.statements.get(variable.operand.0) else { return };
    let Some(operand) = statement.operands.get(variable.operand.1) else { return };
    let bits = required.bits;
    let Some(word) = statement.sized_operand(operand, bits, required.float) else { return };
    let help = match required.consequence {
        Some(consequence) => format!("give the operand an address of {bits} bits, with {word}: {consequence}"),
        None => format!("the result has {bits} bits: give the operand a variable of {bits} bits, with {word}"),
    };
    let text = Text { message: diagnostic.message(), help: Some(help) };
    diagnostic.finding = Finding::translated(diagnostic.code(), text);
}

/// A diagnostic of PTX in host bytes; `None` if no byte of the host stands for its place.
fn in_host(mut diagnostic: Diagnostic, group: &Group) -> Option<Diagnostic> {
    let (range, rest) = host_ranges(&group.map, &diagnostic.range)?;
    diagnostic.range = range;
    ask_for_size(&mut diagnostic, group);
    translate(&mut diagnostic, group);
    diagnostic.related.retain(|related| match host_ranges(&group.map, &related.range) {
        Some((range, _)) => {
            related.range = range;
            true
        }
        None => false,
    });
    let more = |range| Related::new(range, "it continues here");
    diagnostic.related.extend(rest.into_iter().map(more));
    diagnostic.fixes.retain(|fix| {
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
