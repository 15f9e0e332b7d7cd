//! Renames some of the uses of a register: those of one register of a range, or of one of its independent live ranges. A
//! declaration is added next to the existing one, which does not change.

use super::{Reach, RenameRefusal, Renaming, check_name, conflict};
use crate::references::{NamePattern, Reference, own_name, references};
use crate::text_edit::TextEdit;
use ptx_analysis::{DeclarationNode, names};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, fields, kinds};
use std::ops::Range;

/// Some uses of a register that get a name of their own.
pub(crate) struct Separation<'a, 't> {
    /// The register's declaration.
    pub declaration: &'a DeclarationNode<'t>,
    /// Its current name, with its number if it is from a range.
    pub old: &'a str,
    /// The ranges of these uses, in order.
    pub places: &'a [Range<usize>],
}

/// Renames one register of a range.
pub(super) fn renaming(
    snapshot: &Snapshot,
    declaration: &DeclarationNode<'_>,
    old: &str,
    new: &str,
) -> Result<Renaming, RenameRefusal> {
    let places = uses(snapshot, declaration, old);
    let edits = separate(snapshot, &Separation { declaration, old, places: &places }, new)?;
    Ok(Renaming { edits, old: old.to_owned(), reach: Reach::Module })
}

/// The ranges of all uses of a register, without its declaration.
pub(crate) fn uses(snapshot: &Snapshot, declaration: &DeclarationNode<'_>, name: &str) -> Vec<Range<usize>> {
    let own = own_name(declaration);
    let found = references(snapshot, declaration, name).into_iter().map(|r| r.range);
    found.filter(|r| own.as_ref() != Some(r) && r.len() == name.len()).collect()
}

/// The edits that give some uses of a register another name and declare it.
///
/// # Errors
/// A message for the user: the new name is not a valid name, is taken, or would refer to something else somewhere.
pub(crate) fn separate(
    snapshot: &Snapshot,
    what: &Separation<'_, '_>,
    new: &str,
) -> Result<Vec<TextEdit>, RenameRefusal> {
    if new == what.old {
        return Ok(Vec::new());
    }
    check_name(new, false)?;
    let own = own_name(what.declaration).map(|r| snapshot.text(r)).unwrap_or_default();
    if let Some(count) = what.declaration.count
        && names::numbered(new, &own).is_some_and(|n| n >= count)
    {
        return Err(format!(
            "`{new}` looks like one of the registers that `{own}<{count}>` declares: choose another name"
        ));
    }
    let access = crate::references::ReferenceKind::Mention;
    let references: Vec<Reference> =
        what.places.iter().map(|range| Reference { range: range.clone(), access }).collect();
    conflict::check(snapshot, what.declaration, &references, what.old, NamePattern { text: new, count: None })?;
    let declared = declaring(snapshot, what.declaration, new).ok_or("its declaration has an error")?;
    let replaced = what.places.iter().map(|range| TextEdit { range: range.clone(), text: new.to_owned() });
    let mut edits: Vec<TextEdit> = std::iter::once(declared).chain(replaced).collect();
    edits.sort_by_key(|e| (e.range.start, e.range.end));
    Ok(edits)
}

/// Declares another register of the same type on the next line, or directly after the statement if more follows on its
/// line.
fn declaring(snapshot: &Snapshot, declaration: &DeclarationNode<'_>, new: &str) -> Option<TextEdit> {
    let statement = declaration.statement;
    if statement.has_error() || statement.kind_id() != kinds().variable_declaration {
        return None;
    }
    let first = named_children(statement).find(|n| n.kind_id() == kinds().declarator)?;
    let name = first.child_by_field_id(fields().name)?;
    // Keeps the author's white space between the type and the name.
    let head = snapshot.text(statement.start_byte()..name.start_byte()).into_owned();
    let rope = snapshot.rope();
    let line = rope.byte_to_line(statement.end_byte());
    let end = rope.line_to_byte((line + 1).min(rope.len_lines()));
    let rest = snapshot.text(statement.end_byte()..end).into_owned();
    let behind = rest.trim_end_matches(['\n', '\r']);
    let after = behind.trim_start();
    if head.contains('\n') || !(after.is_empty() || after.starts_with("//")) {
        let at = statement.end_byte();
        let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
        return Some(TextEdit { range: at..at, text: format!(" {head} {new};") });
    }
    let at = statement.end_byte() + behind.len();
    let line_end = if rest.ends_with("\r\n") { "\r\n" } else { "\n" };
    let start = rope.line_to_byte(rope.byte_to_line(statement.start_byte()));
    let before = snapshot.text(start..statement.start_byte());
    let indent: String = before.chars().take_while(|c| c.is_whitespace()).collect();
    Some(TextEdit { range: at..at, text: format!("{line_end}{indent}{head}{new};") })
}
