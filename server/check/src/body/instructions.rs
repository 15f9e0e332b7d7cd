//! Checks instructions: reuses cached results, else checks them against the tables.

use super::children::Children;
use super::names::Surroundings;
use super::{Body, BodyState};
use crate::diagnostic::Diagnostic;
use crate::instruction;
use crate::rules::{guard_predicate, missing_directive, syntax_error};
use ptx_sema::forms::mnemonics::{LoweredInstruction, ResolvedMnemonic};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::hash::{hash, mix};
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::opaque;
use ptx_syntax::{Node, fields};
use std::ops::Range;
use std::sync::Arc;

impl<'t> Body<'_, 't> {
    /// Checks an instruction.
    pub(super) fn instruction(&mut self, children: &mut Children<'_>, index: usize, before: BodyState) {
        let BodyState { state, own } = before;
        let Some(known) = children.get(index).copied() else { return };
        let text = self.source.text.get(known.range()).unwrap_or("");
        let start = known.start as usize;
        // The parser's error recovery depends on more than this text, so the result is not cached.
        let hash_of = |children: &mut Children<'_>| {
            let node = children.node(index)?;
            (!node.has_error()).then(|| hash(text))
        };
        // What is before and behind a statement on its line does not change while the statement is known.
        let is_known = known.text.is_some();
        let whole = match known.text {
            None if self.statements.is_forgetful() => None,
            None => hash_of(children),
            known => known,
        };
        // A comment that begins with the semicolon before it.
        let comment = if is_known { None } else { self.comment_behind_semicolon(start, text) };
        let guarded = !is_known && self.precedes_guard(start, text);
        let behind = if is_known { None } else { self.guard_behind(start, text) };
        let alone = !is_known && self.is_behind(start, text);
        let whole = whole.filter(|_| comment.is_none() && !guarded && behind.is_none() && !alone);
        let key = whole.map(|text| mix(self.environment, text));
        if let Some(key) = key {
            let surroundings =
                Surroundings { scope: &self.scope, lost: &self.lost.inner, header: self.header, item: self.item };
            if let Some(recalled) = self.statements.recall(key, state, &|name| surroundings.meaning(name)) {
                self.out.extend(recalled.found.iter().map(|d| d.clone().shifted(start)));
                self.lost.labels.extend(lost_label(recalled.found, text));
                // The function still depends on these names, although this check did not look them up.
                let dependencies = self.dependencies.get_mut();
                for name in recalled.of_module() {
                    if !dependencies.contains_key(name) {
                        dependencies.insert(name.into(), self.header.look_up(name, self.item));
                    }
                }
                let silent = recalled.is_silent();
                return children.note(index, whole, if silent { own } else { 0 });
            }
        }
        let node = children.node(index);
        // Offsets count from the statement, so that the result stays valid wherever the statement is.
        let source = ItemSource { text, base: self.source.base + start };
        let mut found = Vec::new();
        self.statements.begin_statement();
        let mut lowered = match node {
            Some(node) => lower::instruction(source, node),
            None => lower::instruction_without_node(text),
        };
        if let (Some(unknown), Some(lowered)) = (&self.header.inline, &mut lowered) {
            opaque::substitute(lowered, text, &|name| unknown.contains(name));
        }
        if lowered.as_ref().is_none_or(|l| l.broken) {
            match node {
                Some(node) => syntax_error::report_inside(source, node, &mut found),
                None => self.needs_nodes = true,
            }
        }
        match lowered {
            Some(l) if is_lost_label(&l, text) => found = vec![syntax_error::missing_colon(l.opcode)],
            Some(l) if l.broken && !found.is_empty() && is_unknown(&l) => {
                found = vec![syntax_error::in_unknown(found.swap_remove(0), &l, text)];
            }
            Some(l) if l.modifiers.iter().any(|m| m.text == ".") => {
                found.clear();
                self.check(&l, text, &mut found);
            }
            // After a syntax error in the mnemonic, the mnemonic cannot be checked.
            Some(l) if found.first().is_some_and(|d| d.range.start < l.mnemonic_range().end) => {}
            Some(instruction) => {
                let mnemonic = self.check(&instruction, text, &mut found);
                self.note_actions(&instruction, text, start);
                if let Some(all) = &mut self.lowered {
                    let instruction = instruction.shifted(known.start);
                    all.push(LoweredInstruction { instruction, mnemonic });
                }
            }
            None => {}
        }
        if let Some(comment) = comment.filter(|_| !found.is_empty()) {
            found = vec![syntax_error::comment(comment)];
        } else if let Some(guard) = behind.filter(|_| !found.is_empty()) {
            let written = self.source.text.get(start + guard.start..start + guard.end).unwrap_or("").trim_start();
            found = vec![syntax_error::guard_behind(0, guard, written)];
        } else if alone {
            found.clear();
        } else if guarded && !found.is_empty() {
            found = vec![syntax_error::second_guard(0..text.trim_end().len())];
        } else if let Some(node) = node
            && !found.is_empty()
            && !found.iter().any(|d| syntax_error::lost_label(d).is_some())
        {
            self.what_is_missing(source, node, &mut found);
        }
        self.out.extend(found.iter().map(|d| d.clone().shifted(start)));
        self.lost.labels.extend(lost_label(&found, text));
        let silent = key.is_some_and(|key| self.statements.remember(key, found, state));
        children.note(index, whole, if silent { own } else { 0 });
    }

    /// If the parser merged the next line into a statement, or two operands into one, replaces its diagnostics by the one for
    /// the missing token.
    fn what_is_missing(&self, source: ItemSource<'t>, node: Node<'_>, found: &mut Vec<Diagnostic>) {
        let is_declared = |name: &str| self.look_up(name).is_some();
        let opcode = node.child_by_field_id(fields().opcode).map_or(0, |n| source.range(n).end);
        let missing = syntax_error::swallowed_line(source, node, opcode, &is_declared);
        if let Some(missing) = missing.or_else(|| syntax_error::register_before_bracket(source, node)) {
            *found = vec![missing];
        }
    }

    /// The guard behind the opcode or the operands of a statement on the same line, with the blanks before it.
    fn guard_behind(&self, start: usize, text: &str) -> Option<Range<usize>> {
        if text.ends_with(';') || text.starts_with('@') {
            return None;
        }
        let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let statement = text.trim_end();
        let rest = self.source.text.get(start + statement.len()..)?;
        let guard = rest.get(blank(rest)..)?.strip_prefix('@')?;
        let name = guard.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '!' | '%' | '_' | '$')))?;
        let after = guard.get(name..)?;
        let mut end = statement.len() + blank(rest) + 1 + name;
        if after.get(blank(after)..)?.starts_with(',') {
            end += blank(after) + 1;
        }
        (ends_with_guard(after) && !statement.contains('\n')).then_some(statement.len()..end)
    }

    /// Whether a statement begins with such a guard: it is reported with the statement before it.
    fn is_behind(&self, start: usize, text: &str) -> bool {
        if !text.starts_with('@') {
            return false;
        }
        let name = text.get(1..).unwrap_or("");
        let name = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '!' | '%' | '_' | '$'));
        let before = self.source.text.get(..start).unwrap_or("").trim_end_matches([' ', '\t']);
        let apart = before.is_empty() || before.ends_with(['\n', ';', '{', '}', ':', '/']);
        let guarded = before.rsplit(['\n', ';', '{', '}', ':']).next().unwrap_or("").trim_start().starts_with('@');
        !apart && !guarded && ends_with_guard(name)
    }

    /// Whether a statement is a guard that another guard follows on the same line.
    fn precedes_guard(&self, start: usize, text: &str) -> bool {
        let rest = || self.source.text.get(start + text.len()..).unwrap_or("");
        text.starts_with('@') && !text.ends_with(';') && rest().trim_start_matches([' ', '\t']).starts_with('@')
    }

    /// The range in a statement that stands behind another one on the same line, and does not end there: most likely a comment that
    /// begins with the semicolon, as in other assemblers.
    fn comment_behind_semicolon(&self, start: usize, text: &str) -> Option<Range<usize>> {
        let before = self.source.text.get(..start)?.trim_end_matches([' ', '\t']);
        let line = text.lines().next().unwrap_or("").trim_end();
        if !before.ends_with(';') || line.contains([';', '%', '[', '{']) {
            return None;
        }
        // A statement that only lacks its semicolon is not a comment: `ret`, `add.u32 x, y, z`.
        let end = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let stands_alone = |opcode: &ptx_isa::tables::Opcode| {
            opcode.entries.iter().any(|e| !matches!(e.flow, ptx_isa::tables::ControlTransfer::Next))
        };
        let is_word = !word.is_empty() && (rest.is_empty() || rest.starts_with(' '));
        if !is_word || ptx_isa::ISA.opcode(word).is_some_and(stands_alone) {
            return None;
        }
        // The line must end here: its rest is another statement.
        let rest = self.source.text.get(start + line.len()..)?;
        rest.lines().next().is_none_or(|rest| rest.trim().is_empty()).then_some(0..line.len())
    }

    fn check(&mut self, lowered: &Instruction<'t>, text: &str, out: &mut Vec<Diagnostic>) -> Arc<ResolvedMnemonic> {
        if let Some(guard) = lowered.guard {
            guard_predicate::check(guard, self, out);
        }
        let mnemonic = self.mnemonics.resolve(lowered, text, &self.header.environment);
        instruction::check(lowered, text, &mnemonic, self, out);
        if self.kernel {
            missing_directive::check(lowered, &self.given, out);
        }
        mnemonic
    }
}

impl Body<'_, '_> {
    /// Notes what an instruction of a text inside another language does; it begins at `start`.
    fn note_actions(&mut self, lowered: &Instruction<'_>, text: &str, start: usize) {
        if self.header.inline.is_none() {
            return;
        }
        let mut actions = std::mem::take(&mut self.actions);
        let mnemonic = self.mnemonics.resolve(lowered, text, &self.header.environment);
        actions.note(lowered, &mnemonic, self, start);
        self.actions = actions;
    }
}

/// Whether a text behind a guard is not an instruction of its own: the end of the statement that the guard is in, or its operands.
fn ends_with_guard(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    let word = after.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).next().unwrap_or("");
    after.starts_with([';', ',', '%', '['])
        || !word.is_empty() && ptx_isa::ISA.opcode(word).is_none() && !after[word.len()..].starts_with([':', '('])
}

/// The first word of a statement, if it may be a label that the diagnostics report as unreadable.
fn lost_label<'t>(found: &[Diagnostic], text: &'t str) -> Option<&'t str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '%')).unwrap_or(text.len());
    found.iter().any(syntax_error::is_in_unknown).then(|| text.get(..end)).flatten()
}

/// Whether a statement begins with a bare word that is not an opcode.
fn is_unknown(instruction: &Instruction<'_>) -> bool {
    let bare = instruction.guard.is_none() && instruction.modifiers.is_empty();
    bare && ptx_isa::ISA.opcode(instruction.opcode.text).is_none()
}

/// Whether a statement is such a word alone on its line: the text on the next line is not its operand.
fn is_lost_label(instruction: &Instruction<'_>, text: &str) -> bool {
    let alone = instruction.operands.first().is_some_and(|first| {
        text.get(instruction.opcode.range().end..first.range.start).is_some_and(|between| between.contains('\n'))
    });
    let empty = |o: &Operand<'_>| match &o.kind {
        OperandKind::Vector(list) | OperandKind::Arguments(list) => list.is_empty(),
        _ => false,
    };
    let bare = instruction.broken && instruction.operands.iter().all(empty);
    is_unknown(instruction) && (alone || bare)
}
