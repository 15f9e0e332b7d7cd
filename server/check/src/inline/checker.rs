//! Checks texts for the targets of a set.

use super::scan::{Scan, scan};
use super::wrap::Wrapped;
use super::{InlineFindings, InlineTarget, InlineText, TargetSet};
use super::{findings, outputs};
use crate::actions::Actions;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::incremental::analyzer::{Fragment, Outside};
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::module::is_function;
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::target::Environment;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Checks texts inside another language. It remembers mnemonics, nothing of the texts: equal texts have equal findings.
#[derive(Debug, Default)]
pub struct InlineChecker {
    targets: Vec<Prepared>,
    /// The indices of the targets of a set, by its key.
    sets: FxHashMap<u64, Arc<[usize]>>,
    /// Indices of `targets` that accepted a text, the latest first.
    recent: Vec<usize>,
}

/// A target for which something was checked.
#[derive(Debug)]
struct Prepared {
    target: InlineTarget,
    environment: Environment,
    mnemonics: MnemonicCache,
}

/// The number of targets that are asked first because they accepted the texts before.
const MAX_RECENT: usize = 4;

/// The result of the check for one target.
#[derive(Debug)]
struct Verdict {
    diagnostics: Vec<Diagnostic>,
    actions: Actions,
}

impl Verdict {
    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity == severity).count()
    }

    /// How far the text is from one without diagnostics.
    fn distance(&self) -> (usize, usize, usize) {
        (self.count(Severity::Error), self.count(Severity::Warning), self.diagnostics.len())
    }

    /// Whether no other target can be nearer: all that is wrong is wrong for each of them.
    fn is_final(&self) -> bool {
        self.diagnostics.iter().all(|d| is_independent(d.code()))
    }
}

/// Whether a diagnostic with this code does not depend on version and target.
fn is_independent(code: Code) -> bool {
    matches!(
        code,
        Code::ConstantExpression
            | Code::DuplicateModifier
            | Code::DuplicateName
            | Code::GuardPredicate
            | Code::IllegalCombination
            | Code::MalformedNumber
            | Code::MisplacedDeclaration
            | Code::MisplacedDirective
            | Code::MissingModifier
            | Code::ModifierNotAllowed
            | Code::ModifierOrder
            | Code::OperandCount
            | Code::OperandRange
            | Code::OperandType
            | Code::SyntaxError
            | Code::UndeclaredName
            | Code::UnknownDirective
            | Code::UnknownModifier
            | Code::UnknownOpcode
            | Code::UnusualModifierOrder
    )
}

impl InlineChecker {
    /// Checks a text. An error is one for every target of the set: reported are the diagnostics for the target that comes
    /// nearest to accepting the text. An empty set checks nothing.
    pub fn check(&mut self, text: &InlineText<'_>) -> InlineFindings {
        self.check_until(text, &|| false).unwrap_or_default()
    }

    /// Like [`Self::check`], but gives up between two targets if `stop` returns true.
    pub fn check_until(&mut self, text: &InlineText<'_>, stop: &dyn Fn() -> bool) -> Option<InlineFindings> {
        let scan = scan(text);
        if !scan.has_text || text.targets.is_empty() {
            return Some(InlineFindings::default());
        }
        let wrapped = Wrapped::new(text, &scan);
        let snapshot = Snapshot::new(&wrapped.text);
        let indices = self.prepared(text.targets);
        let first = self.targets[indices[0]].environment.clone();
        let mut fragment = Fragment::new(&snapshot, outside(text), &first);
        let mut out = InlineFindings { missing_semicolon: scan.missing_semicolon, ..InlineFindings::default() };
        if text.opaque.is_empty() {
            loose(&fragment, &wrapped, &mut out);
        }
        // The order of these decides nothing but time: a text without diagnostics has none.
        let mut asked: Vec<(usize, Verdict)> = Vec::new();
        for index in self.recent.clone().into_iter().filter(|index| indices.contains(index)) {
            let verdict = self.ask(index, &mut fragment, (text, &scan, &wrapped));
            if verdict.is_final() {
                self.accepted(index);
                return Some(finish(out, verdict, text, &wrapped, self.targets[index].target));
            }
            asked.push((index, verdict));
        }
        let mut best: Option<((usize, usize, usize), usize, Verdict)> = None;
        for index in indices.iter().copied() {
            if stop() {
                return None;
            }
            let known = asked.iter().position(|(other, _)| *other == index).map(|at| asked.swap_remove(at).1);
            let verdict = known.unwrap_or_else(|| self.ask(index, &mut fragment, (text, &scan, &wrapped)));
            let distance = verdict.distance();
            let end = verdict.is_final();
            if best.as_ref().is_none_or(|(nearest, ..)| distance < *nearest) {
                best = Some((distance, index, verdict));
            }
            if end {
                break;
            }
        }
        let (distance, index, verdict) = best?;
        if distance.0 == 0 {
            self.accepted(index);
        }
        Some(finish(out, verdict, text, &wrapped, self.targets[index].target))
    }

    /// The indices of the targets of a set in `targets`.
    fn prepared(&mut self, set: &TargetSet) -> Arc<[usize]> {
        if let Some(known) = self.sets.get(&set.key()) {
            return Arc::clone(known);
        }
        let indices: Arc<[usize]> = set.targets().iter().map(|target| self.prepare(*target)).collect();
        self.sets.insert(set.key(), Arc::clone(&indices));
        indices
    }

    /// The index of a target in `targets`.
    fn prepare(&mut self, target: InlineTarget) -> usize {
        if let Some(index) = self.targets.iter().position(|p| p.target == target) {
            return index;
        }
        let environment = target.environment();
        self.targets.push(Prepared { target, environment, mnemonics: MnemonicCache::default() });
        self.targets.len() - 1
    }

    fn accepted(&mut self, index: usize) {
        self.recent.retain(|other| *other != index);
        self.recent.insert(0, index);
        self.recent.truncate(MAX_RECENT);
    }

    fn ask(
        &mut self,
        index: usize,
        fragment: &mut Fragment<'_>,
        (text, scan, wrapped): (&InlineText<'_>, &Scan, &Wrapped),
    ) -> Verdict {
        let Prepared { environment, mnemonics, .. } = &mut self.targets[index];
        let (found, actions) = fragment.check(environment, mnemonics);
        Verdict { diagnostics: findings::in_text(found, text, scan, wrapped), actions }
    }
}

fn finish(
    out: InlineFindings,
    verdict: Verdict,
    text: &InlineText<'_>,
    wrapped: &Wrapped,
    target: InlineTarget,
) -> InlineFindings {
    let is_correct = verdict.count(Severity::Error) == 0;
    let Verdict { diagnostics, mut actions } = verdict;
    actions.ranges_mut().for_each(|range| *range = wrapped.in_text(range));
    let undefined_outputs = if is_correct { outputs::find(text, &actions, target) } else { Vec::new() };
    InlineFindings { diagnostics, actions, undefined_outputs, target: Some(target), ..out }
}

/// The names of the operands.
fn outside(text: &InlineText<'_>) -> Outside {
    let register = |r: &super::InlineRegister<'_>| (r.name.to_owned(), Symbol::Register { ty: r.ty, elements: 1 });
    let unknown = text.constants.iter().filter(|c| c.value.is_none());
    Outside {
        symbols: text.registers.iter().map(register).collect(),
        unknown: unknown.map(|c| c.name.into()).collect(),
    }
}

/// Finds labels and declarations outside of braces.
fn loose(fragment: &Fragment<'_>, wrapped: &Wrapped, out: &mut InlineFindings) {
    let place = |node: Node<'_>| wrapped.in_text(&node.byte_range());
    for item in fragment.items().iter().filter(|item| is_function(item.node)) {
        let Some(block) = item.node.child_by_field_id(fields().body) else { continue };
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let node = cursor.node();
            if node.kind_id() == kinds().label {
                out.labels.push(place(node.child_by_field_id(fields().name).unwrap_or(node)));
            } else if node.kind_id() == kinds().variable_declaration {
                out.declarations.push(place(node));
            }
            more = cursor.goto_next_sibling();
        }
    }
    let inside = |range: &Range<usize>| !range.is_empty();
    out.labels.retain(inside);
    out.declarations.retain(inside);
}
