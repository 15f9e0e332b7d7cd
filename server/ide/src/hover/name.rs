//! Hover on names that the module declares.

use super::At;
use crate::demangle::demangle;
use crate::describe::MarkdownPage;
use crate::excerpt::{AnnotatedLine, annotated, done, function, instruction, statement_at, times};
use crate::references::{self, Reference, ReferenceKind};
use crate::registers;
use ptx_analysis::{DeclarationKind, DeclarationNode, names};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Maximum number of uses that are counted.
const MAX_USES: usize = 100;
/// Maximum size in bytes of a scope that is searched for uses.
const MAX_SCOPE: usize = 4 << 20;
/// Maximum number of bytes of source that are shown.
const MAX_LENGTH: usize = 2000;

/// The description of a name: a short part, and details that follow the rest of the hover.
#[derive(Default)]
pub(super) struct NameDescription {
    /// The declaration, and a sentence or two.
    pub short: MarkdownPage,
    /// The uses of the name.
    pub details: MarkdownPage,
}

impl At<'_> {
    /// The description of a declared name that is used at a node.
    pub(super) fn declaration(&self, at: Node<'_>, name: &str) -> Option<NameDescription> {
        let snapshot = self.snapshot;
        // The node is fetched again from the snapshot, because the declaration needs its lifetime.
        let at = snapshot.leaf(at.start_byte()..at.end_byte())?;
        let found = names::find(snapshot, at, name)?;
        let mut told = NameDescription::default();
        if let Some(demangled) = demangle(name) {
            told.short.text(format!("`{}`", demangled.full));
        }
        told.short.code(&source(snapshot, &found));
        self.about(&found, name, &mut told);
        Some(told)
    }

    /// Adds what a name stands for and how it is used.
    fn about(&self, found: &DeclarationNode<'_>, name: &str, told: &mut NameDescription) {
        let snapshot = self.snapshot;
        let mut what = what(snapshot, found, name);
        let own = own_name(found).map_or_else(String::new, |r| snapshot.text(r).into_owned());
        // The base name of a register range is not a register.
        if found.count.is_some() && own == name {
            return told.short.text(format!("{what}."));
        }
        match found.what {
            DeclarationKind::Register if self.register(found, name, &what, told).is_some() => return,
            DeclarationKind::Variable | DeclarationKind::Parameter | DeclarationKind::Result => {
                if let Some(place) = self.memory(found, &own) {
                    what.push_str(&format!(": {place}"));
                }
            }
            _ => {}
        }
        let uses = uses(snapshot, found, name);
        let count = uses.as_ref().map_or_else(String::new, |u| u.words(found));
        told.short.text(format!("{what}{count}."));
        if found.what == DeclarationKind::Parameter {
            told.short.append(self.made_from(&own));
        }
        if found.what == DeclarationKind::Function
            && let Some(figure) = self.figures.and_then(|f| f.of(snapshot, found.statement))
        {
            told.short.append(registers::page(snapshot, figure));
        }
        if found.what == DeclarationKind::Variable
            && let Some(text) = self.string_of(found)
        {
            told.short.text(format!("Text: `{}`", text.replace('`', "'")));
        }
        let Some(uses) = uses else { return };
        told.details.code(&annotated(&self.statements(&uses, found.scope.is_none())));
    }

    /// The first statements that use a name, without the one at the hover. For a module-level name, each has the name of
    /// its function.
    fn statements(&self, uses: &NameUses, of_module: bool) -> Vec<AnnotatedLine> {
        let own = instruction(self.leaf).map(|n| n.start_byte());
        let mut lines: Vec<AnnotatedLine> = Vec::new();
        let mut last = None;
        for reference in &uses.references {
            let Some(node) = self.snapshot.node_at(reference.range.start) else { continue };
            let start = instruction(node).or_else(|| node.parent()).map_or(reference.range.start, |n| n.start_byte());
            if Some(start) == own || last == Some(start) {
                continue;
            }
            last = Some(start);
            if lines.len() == MAX_SHOWN {
                lines.push(AnnotatedLine { text: "// …".to_owned(), note: String::new() });
                break;
            }
            let mut note = match reference.access {
                ReferenceKind::Read => "reads",
                ReferenceKind::Write => "writes",
                ReferenceKind::ReadWrite => "reads and writes",
                _ => "",
            }
            .to_owned();
            let name = function(node).filter(|_| of_module).and_then(|f| f.child_by_field_id(fields().name));
            if let Some(name) = name {
                let blank = if note.is_empty() { "" } else { " " };
                note.push_str(&format!("{blank}in {}", self.text(name)));
            }
            lines.push(AnnotatedLine { text: statement_at(self.snapshot, start), note });
        }
        lines
    }
}

/// Maximum number of statements that are shown.
const MAX_SHOWN: usize = 4;

/// A phrase that says what a name is.
fn what(snapshot: &Snapshot, found: &DeclarationNode<'_>, name: &str) -> String {
    let declared = own_name(found).map(|r| snapshot.text(r));
    let whole_range = found.count.is_some() && declared.is_some_and(|d| d == name);
    let what = match (found.what, found.count) {
        (DeclarationKind::Register, Some(0)) => "No registers".to_owned(),
        (DeclarationKind::Register, Some(1)) => format!("One register, `{}0`", base_of(snapshot, found)),
        (DeclarationKind::Register, Some(count)) if whole_range => {
            format!("{count} registers, `{name}0` to `{name}{}`", count - 1)
        }
        (DeclarationKind::Register, Some(count)) => format!("One of {count} registers"),
        (DeclarationKind::Register, None) => "A register".to_owned(),
        (DeclarationKind::Variable, _) => "A variable".to_owned(),
        (DeclarationKind::Parameter, _) if found.kernel => "A parameter of the kernel".to_owned(),
        (DeclarationKind::Parameter, _) => "A parameter of the function".to_owned(),
        (DeclarationKind::Result, _) => "A result of the function".to_owned(),
        (DeclarationKind::Label, _) => "A label".to_owned(),
        (DeclarationKind::Targets(_), _) => "The label of a list of targets or of a prototype".to_owned(),
        (DeclarationKind::Function, _) if body(found).is_none() => "A function that is declared here".to_owned(),
        (DeclarationKind::Function, _) => "A function".to_owned(),
        (DeclarationKind::Alias, _) => "An alias of a function".to_owned(),
    };
    match found.what {
        DeclarationKind::Function if is_kernel(snapshot, found) => what.replace("function", "kernel"),
        _ => what,
    }
}

fn base_of(snapshot: &Snapshot, found: &DeclarationNode<'_>) -> String {
    own_name(found).map_or_else(String::new, |r| snapshot.text(r).into_owned())
}

fn is_kernel(snapshot: &Snapshot, found: &DeclarationNode<'_>) -> bool {
    matches!(found.symbol(snapshot), ptx_analysis::Symbol::Function { kernel: true, .. })
}

fn body<'t>(found: &DeclarationNode<'t>) -> Option<Node<'t>> {
    found.statement.child_by_field_id(fields().body)
}

/// The uses of a name, without its declarations.
struct NameUses {
    references: Vec<Reference>,
    /// The list is not complete.
    cut: bool,
}

/// The uses in the scope of a declaration; `None` if the scope is too large to be searched during a request.
fn uses(snapshot: &Snapshot, found: &DeclarationNode<'_>, name: &str) -> Option<NameUses> {
    let scope = found.scope.map_or(0..snapshot.rope().len_bytes(), |n| n.byte_range());
    if scope.len() > MAX_SCOPE {
        return None;
    }
    let mut uses = NameUses { references: Vec::new(), cut: false };
    references::visit(snapshot, found, name, |reference| {
        if reference.access == ReferenceKind::Declaration {
            return true;
        }
        uses.cut = uses.references.len() == MAX_USES;
        if !uses.cut {
            uses.references.push(reference);
        }
        !uses.cut
    });
    Some(uses)
}

impl NameUses {
    /// The numbers and kinds of uses, as the end of a sentence.
    fn words(&self, found: &DeclarationNode<'_>) -> String {
        let count = |wanted: &[ReferenceKind]| self.references.iter().filter(|r| wanted.contains(&r.access)).count();
        let all = self.references.len();
        if self.cut {
            return format!("; used more than {all} times");
        }
        match found.what {
            // A module-level name may be used by other modules.
            _ if all == 0 && found.scope.is_none() => String::new(),
            _ if all == 0 => "; not used".to_owned(),
            DeclarationKind::Label => {
                let back = self.references.iter().filter(|r| r.range.start > found.statement.start_byte()).count();
                let head = if back > 0 && count(&[ReferenceKind::Jump]) > 0 { ", the head of a loop" } else { "" };
                let jumps = count(&[ReferenceKind::Jump]);
                match jumps {
                    0 => format!("; named {}", times(all)),
                    n => format!("{head}; branched to {}", times(n)),
                }
            }
            DeclarationKind::Function | DeclarationKind::Alias => match count(&[ReferenceKind::Call]) {
                0 => format!("; named {}", times(all)),
                calls if calls == all => format!("; called {}", times(calls)),
                calls => format!("; called {}, also named {}", times(calls), times(all - calls)),
            },
            DeclarationKind::Register => {
                let (reads, writes) = (
                    count(&[ReferenceKind::Read, ReferenceKind::ReadWrite]),
                    count(&[ReferenceKind::Write, ReferenceKind::ReadWrite]),
                );
                format!("; {}, {}", done("written", writes), done("read", reads))
            }
            _ => format!("; used {}", times(all)),
        }
    }
}

fn own_name(found: &DeclarationNode<'_>) -> Option<Range<usize>> {
    found.declarator.child_by_field_id(fields().name).map(|n| n.byte_range())
}

/// The source of one declaration, without the other names in its statement.
fn source(snapshot: &Snapshot, found: &DeclarationNode<'_>) -> String {
    let statement = found.statement;
    match found.what {
        DeclarationKind::Register | DeclarationKind::Variable => {
            let first = ptx_syntax::walk::named_children(statement).find(|n| n.kind_id() == kinds().declarator);
            let head = statement.start_byte()..first.map_or(found.declarator.start_byte(), |n| n.start_byte());
            let value = found.declarator.child_by_field_id(fields().value);
            let own = found.declarator.byte_range();
            match value {
                // An initializer may be megabytes long.
                Some(value) if value.byte_range().len() > 60 => {
                    let own = one_line(snapshot, own.start..value.start_byte());
                    format!("{} {own} …;", one_line(snapshot, head))
                }
                _ => format!("{} {};", one_line(snapshot, head), one_line(snapshot, own)),
            }
        }
        DeclarationKind::Function => {
            let end = body(found).map_or(statement.end_byte(), |b| b.start_byte());
            cut(snapshot, statement.start_byte()..end)
        }
        DeclarationKind::Targets(_) => {
            let end = statement.next_named_sibling().map_or(statement.end_byte(), |n| n.end_byte());
            cut(snapshot, statement.start_byte()..end)
        }
        DeclarationKind::Parameter | DeclarationKind::Result | DeclarationKind::Label | DeclarationKind::Alias => {
            one_line(snapshot, statement.byte_range())
        }
    }
}

fn one_line(snapshot: &Snapshot, range: Range<usize>) -> String {
    let text = cut(snapshot, range);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The source of a range, cut to [`MAX_LENGTH`] bytes.
fn cut(snapshot: &Snapshot, range: Range<usize>) -> String {
    let rope = snapshot.rope();
    let most = range.start + MAX_LENGTH;
    if range.end <= most {
        return snapshot.text(range).trim_end().to_owned();
    }
    // The cut must be at a character boundary.
    let end = rope.char_to_byte(rope.byte_to_char(most.min(rope.len_bytes())));
    format!("{} …", snapshot.text(range.start..end).trim_end())
}
