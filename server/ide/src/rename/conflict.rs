//! Checks a new name for conflicts. Each message names the line of the conflict, since the user has to go there.

use super::RenameRefusal;
use crate::references::{DeclarationMeaning, NamePattern, Reference, declared, is_name, meaning, meant, own_name};
use ptx_analysis::{DeclarationKind, DeclarationNode, names};
use ptx_syntax::Snapshot;
use std::ops::Range;

/// Checks that every name still refers to the same declaration when `old` becomes `new`.
pub fn check(
    snapshot: &Snapshot,
    declaration: &DeclarationNode<'_>,
    references: &[Reference],
    old: &str,
    new: NamePattern<'_>,
) -> Result<(), RenameRefusal> {
    let conflict = ConflictCheck { snapshot, declaration, old, new };
    conflict.with_declarations(references)?;
    conflict.with_debugging_data(references)
}

struct ConflictCheck<'a, 't> {
    snapshot: &'a Snapshot,
    declaration: &'a DeclarationNode<'t>,
    old: &'a str,
    new: NamePattern<'a>,
}

impl ConflictCheck<'_, '_> {
    fn line(&self, range: &Range<usize>) -> usize {
        let rope = self.snapshot.rope();
        rope.byte_to_line(range.start.min(rope.len_bytes())) + 1
    }

    fn text(&self, range: &Range<usize>) -> String {
        self.snapshot.text(range.clone()).into_owned()
    }

    /// The declaration with its scope.
    fn own(&self) -> Option<DeclarationMeaning> {
        let node = self.snapshot.node_at(own_name(self.declaration)?.start)?;
        meaning(self.snapshot, node)
    }

    fn with_declarations(&self, references: &[Reference]) -> Result<(), RenameRefusal> {
        let Some(own) = self.own() else { return Ok(()) };
        // The parameters of a function share the block of its body, but precede it.
        let around = match self.declaration.scope {
            None => own.visible.clone(),
            Some(scope) => names::function_around(scope).unwrap_or(scope).byte_range(),
        };
        let others = declared(self.snapshot, around, self.new);
        if let Some(other) = others.iter().find(|o| o.visible == own.visible && o.overlaps(self.new)) {
            let (name, line) = (other.shown(), self.line(&other.name));
            return Err(format!("`{name}` is declared in the same block, on line {line}"));
        }
        let inside = |m: &DeclarationMeaning| own.visible.start <= m.visible.start && m.visible.end <= own.visible.end;
        for reference in references {
            let rest = self.text(&reference.range);
            let renamed = format!("{}{}", self.new.text, rest.get(self.old.len()..).unwrap_or(""));
            if let Some(inner) = meant(&others, &renamed, reference.range.start).filter(|m| inside(m)) {
                let (line, there) = (self.line(&reference.range), self.line(&inner.name));
                return Err(format!("on line {line} `{renamed}` would refer to the declaration on line {there}"));
            }
        }
        let mut captured = None;
        self.new.places(self.snapshot, own.visible.clone(), |place| {
            let node = self.snapshot.node_at(place.start).filter(|n| is_name(*n) && n.byte_range() == place);
            let name = self.text(&place);
            let used = node.is_some_and(|n| !names::in_debugging_data(n))
                && place.start >= own.since
                && self.new.covers(&name)
                && !others.iter().any(|m| m.name == place);
            // A name that refers to a declaration of an inner block continues to do so.
            if used && meant(&others, &name, place.start).is_none_or(|m| !inside(m)) {
                captured = Some(place);
            }
            captured.is_none()
        });
        captured.map_or(Ok(()), |place| {
            let (name, line) = (self.text(&place), self.line(&place));
            Err(format!("`{name}` is already used on line {line}, and would refer to this"))
        })
    }

    /// Debugging data refer to labels of any function, and to declarations of the module.
    fn with_debugging_data(&self, references: &[Reference]) -> Result<(), RenameRefusal> {
        let debugging = |offset: usize| self.snapshot.node_at(offset).is_some_and(names::in_debugging_data);
        let mut mention = references.iter().find(|r| debugging(r.range.start)).map(|r| r.range.clone());
        let other = names::debug_label(self.snapshot, self.new.text).map(|l| l.declarator);
        let other = other.or_else(|| names::all_in_module(self.snapshot, self.new.text).first().map(|d| d.declarator));
        if mention.is_none() && self.declaration.what == DeclarationKind::Label {
            // Debugging data would refer to the renamed label instead of their current target.
            self.new.places(self.snapshot, 0..self.snapshot.rope().len_bytes(), |place| {
                mention = Some(place.clone()).filter(|p| debugging(p.start));
                mention.is_none()
            });
        }
        match (mention, other) {
            (Some(mention), Some(other)) => {
                let (line, there) = (self.line(&mention), self.line(&other.byte_range()));
                Err(format!(
                    "the debugging data on line {line} could refer to this or to the declaration on line {there}"
                ))
            }
            _ => Ok(()),
        }
    }
}
