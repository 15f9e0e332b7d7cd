//! Rename. The meaning of the code does not change: a rename is refused if a name would then refer to another declaration.

mod conflict;
mod single;

use crate::definition::{declarations, is_definition, linkage};
use crate::references::{NamePattern, Reference, ReferenceKind, declaration_at, name_at, own_name, references};
use crate::text_edit::TextEdit;
use ptx_analysis::names::{self, ReservedName};
use ptx_analysis::{DeclarationKind, DeclarationNode, DiagnosticMessage};
use ptx_isa::ISA;
use ptx_syntax::Snapshot;
use std::ops::Range;

pub(crate) use single::{Separation, separate, uses};

/// The name that can be renamed at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamable {
    /// The range that the new name replaces.
    pub range: Range<usize>,
    /// That text.
    pub name: String,
}

/// The visibility of a name in other modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Not visible: the name is local to the module.
    Module,
    /// It is `.visible`, `.weak` or `.common`: other modules and the host may use it.
    Exported,
    /// It is `.extern`: another module defines it.
    Imported,
}

/// The result of a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// The edits, in order.
    pub edits: Vec<TextEdit>,
    /// The old name.
    pub old: String,
    /// The visibility of the name: other modules may have to change too.
    pub reach: Reach,
}

/// A message for the user: why a name cannot be renamed.
pub type RenameRefusal = String;

/// The name that can be renamed at an offset.
///
/// # Errors
/// A message for the user, if there is nothing to rename.
pub fn prepare_rename(snapshot: &Snapshot, offset: usize) -> Result<Renamable, RenameRefusal> {
    let subject = RenameSubject::at(snapshot, offset)?;
    let range = subject.place.start..subject.place.start + subject.name.len();
    Ok(Renamable { range, name: subject.name })
}

/// Renames the name at an offset in all places where it refers to the same declaration.
///
/// # Errors
/// A message for the user: the new name is not a valid name, is taken, or would change what a use refers to.
pub fn rename(snapshot: &Snapshot, offset: usize, new: &str) -> Result<Renaming, RenameRefusal> {
    let subject = RenameSubject::at(snapshot, offset)?;
    if subject.single {
        return single::renaming(snapshot, &subject.declaration, &subject.name, new);
    }
    renaming(snapshot, &subject, new)
}

/// Renames a module-level name, which the caller knows from another module.
///
/// # Errors
/// As [`rename`].
pub fn rename_in_module(snapshot: &Snapshot, name: &str, new: &str) -> Result<Renaming, RenameRefusal> {
    let declaration = names::all_in_module(snapshot, name).into_iter().next();
    let declaration = declaration.ok_or_else(|| format!("`{name}` is not declared here"))?;
    let place = own_name(&declaration).unwrap_or_else(|| declaration.declarator.byte_range());
    renaming(snapshot, &RenameSubject { declaration, place, name: name.to_owned(), single: false }, new)
}

/// The name at an offset, if it is visible in other modules.
pub fn linked_at(snapshot: &Snapshot, offset: usize) -> Option<(String, Reach)> {
    let (declaration, _, name) = declaration_at(snapshot, offset)?;
    let reach = reach(snapshot, &declaration, &name);
    (reach != Reach::Module).then_some((name, reach))
}

/// The visibility of a module-level name; [`Reach::Module`] if there is no such name.
pub fn reach_of(snapshot: &Snapshot, name: &str) -> Reach {
    let declaration = names::all_in_module(snapshot, name).into_iter().next();
    declaration.map_or(Reach::Module, |d| reach(snapshot, &d, name))
}

impl Reach {
    /// Whether the same name in two modules refers to the same object: one of the modules must declare that it is defined
    /// elsewhere. Two modules that both define the name are independent.
    pub fn joins(self, other: Self) -> bool {
        matches!((self, other), (Self::Imported, Self::Imported | Self::Exported) | (Self::Exported, Self::Imported))
    }
}

fn renaming(snapshot: &Snapshot, subject: &RenameSubject<'_>, new: &str) -> Result<Renaming, RenameRefusal> {
    let reach = reach(snapshot, &subject.declaration, &subject.name);
    let old = subject.name.clone();
    if new == old {
        return Ok(Renaming { edits: Vec::new(), old, reach });
    }
    check_name(new, subject.declaration.count.is_some())?;
    let found = references(snapshot, &subject.declaration, &subject.name);
    let listed = |r: &&Reference| r.access == ReferenceKind::Mention && r.range.len() < old.len();
    if let Some(list) = found.iter().find(listed) {
        let base = snapshot.text(list.range.clone());
        return Err(format!(
            "`{old}` is one of the labels that `{base}<…>` lists by their numbers; name them there one by one first"
        ));
    }
    let word = NamePattern { text: new, count: subject.declaration.count };
    conflict::check(snapshot, &subject.declaration, &found, &old, word)?;
    let replace = |r: Reference| TextEdit { range: r.range.start..r.range.start + old.len(), text: new.to_owned() };
    Ok(Renaming { edits: found.into_iter().map(replace).collect(), old, reach })
}

/// The name that is to be renamed.
struct RenameSubject<'t> {
    declaration: DeclarationNode<'t>,
    /// Range of the name at the requested offset.
    place: Range<usize>,
    /// The name; for a range, the base name of all its registers.
    name: String,
    /// It is one register of a range, which gets a declaration of its own.
    single: bool,
}

impl<'t> RenameSubject<'t> {
    fn at(snapshot: &'t Snapshot, offset: usize) -> Result<Self, RenameRefusal> {
        let Some((declaration, node, name)) = declaration_at(snapshot, offset) else {
            return Err(nothing(snapshot, offset));
        };
        let place = node.byte_range();
        let own = own_name(&declaration).filter(|_| declaration.count.is_some());
        let single = declaration.what == DeclarationKind::Register && own.as_ref().is_some_and(|own| *own != place);
        // The names of a range other than registers can only be renamed together.
        let name = match own {
            Some(own) if !single => snapshot.text(own).into_owned(),
            _ => name,
        };
        if !snapshot.text(place.clone()).starts_with(&name) {
            let listed = snapshot.text(place);
            return Err(format!("`{listed}<…>` means several labels: rename each one at its declaration"));
        }
        Ok(Self { declaration, place, name, single })
    }
}

/// The reason why there is nothing to rename.
fn nothing(snapshot: &Snapshot, offset: usize) -> RenameRefusal {
    let Some(name) = name_at(snapshot, offset) else {
        return "nothing here can be renamed: the module declares no such name".to_owned();
    };
    let text = snapshot.text(name.byte_range());
    if ISA.special_register(&text).is_some() {
        return format!("`{text}` is a special register");
    }
    if ISA.constant(&text).is_some() {
        return format!("`{text}` is a constant of the language");
    }
    if names::in_debugging_data(name) {
        return format!("no label `{text}` is in this file");
    }
    format!("`{text}` is not declared here")
}

/// Whether `new` is a valid name.
fn check_name(new: &str, range: bool) -> Result<(), RenameRefusal> {
    let mut rest = new.chars();
    let first = rest.next();
    let begins = first.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    let sign_alone = matches!(new, "_" | "$" | "%");
    if !begins || sign_alone || !rest.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$')) {
        return Err(format!(
            "`{new}` is not a name: a name is a letter and any letters, digits, `_` and `$`, or one of `%`, `_`, `$` and at least one of those"
        ));
    }
    if range && new.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "`{new}` ends in a digit, so the numbers of its registers could not be separated from the name"
        ));
    }
    match names::reserved(new, range) {
        None => Ok(()),
        Some(ReservedName::SpecialRegister(name)) => Err(format!("`{new}` would hide the special register `{name}`")),
        Some(found) => Err(found.message()),
    }
}

/// The visibility of a name in other modules.
fn reach(snapshot: &Snapshot, declaration: &DeclarationNode<'_>, name: &str) -> Reach {
    if declaration.scope.is_some()
        || !matches!(declaration.what, DeclarationKind::Function | DeclarationKind::Variable | DeclarationKind::Alias)
    {
        return Reach::Module;
    }
    let all = declarations(snapshot, declaration, name);
    let linkages: Vec<String> = all.iter().filter_map(|d| linkage(snapshot, d)).collect();
    let exported = linkages.iter().any(|l| l != ".extern");
    let here = all.iter().any(|d| is_definition(snapshot, d));
    match (exported, here || linkages.is_empty()) {
        (true, _) => Reach::Exported,
        (false, true) => Reach::Module,
        (false, false) => Reach::Imported,
    }
}
