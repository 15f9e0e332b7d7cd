//! Hover on names that the module declares.

use super::At;
use super::statement::{annotated, instruction, statement_at};
use crate::describe::Page;
use crate::names::{self, Declaration, What};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// How many uses are counted before it is many.
const MOST_USES: usize = 1000;
/// How many of the first uses are remembered.
const TRIED: usize = 16;
/// Longest text that is searched for uses.
const LONGEST_SCOPE: usize = 4 << 20;
/// Longest piece of source that is shown.
const LONGEST: usize = 2000;

impl At<'_> {
    /// The declaration of a name that stands at a node.
    pub(super) fn declaration(&self, at: Node<'_>, name: &str) -> Option<Page> {
        let snapshot = self.snapshot;
        // The node again from the snapshot, whose lifetime the declaration has.
        let at = snapshot.root().descendant_for_byte_range(at.start_byte(), at.end_byte())?;
        let found = names::find(snapshot, at, name)?;
        let mut page = Page::default();
        page.code(&source(snapshot, &found));
        self.about(&found, name, &mut page);
        Some(page)
    }

    /// What a name stands for, and who uses it.
    fn about(&self, found: &Declaration<'_>, name: &str, page: &mut Page) {
        let snapshot = self.snapshot;
        let mut what = what(snapshot, found, name);
        let own = own_name(found).map_or_else(String::new, |r| snapshot.text(r).into_owned());
        // The name of a range is no register.
        if found.count.is_some() && own == name {
            return page.text(format!("{what}."));
        }
        match found.what {
            What::Register => {
                let mut facts = Page::default();
                if self.register(found, name, &mut facts).is_some() {
                    page.text(format!("{what}."));
                    return page.append(facts);
                }
            }
            What::Variable | What::Parameter | What::Result => {
                if let Some(place) = self.memory(found, &own) {
                    what.push_str(&format!(": {place}"));
                }
            }
            _ => {}
        }
        let uses = uses(snapshot, found, name);
        let count = uses.as_ref().map_or_else(String::new, |u| match found.what {
            What::Label => String::new(),
            _ => used(u.count, found.scope.is_none()),
        });
        page.text(format!("{what}{count}."));
        if found.what == What::Variable
            && let Some(text) = self.string_of(found)
        {
            page.text(format!("Text: `{}`", text.replace('`', "'")));
        }
        let Some(uses) = uses else { return };
        match found.what {
            What::Label => self.branches(found, &uses, page),
            What::Function | What::Alias => {
                self.mentions("Called or named by", &uses, |n| instruction(n).is_some(), page);
            }
            What::Variable | What::Parameter | What::Result => {
                self.mentions("", &uses, |n| instruction(n).is_some(), page);
            }
            _ => {}
        }
    }

    /// Who branches to a label.
    fn branches(&self, found: &Declaration<'_>, uses: &Uses, page: &mut Page) {
        let place = found.statement.start_byte();
        let back = uses.places.iter().filter(|p| **p > place).count();
        page.text(match (uses.count, back) {
            (0, _) => "Nothing names it.".to_owned(),
            (1, 1) => "The head of a loop: what names it stands below.".to_owned(),
            (1, _) => "Named once.".to_owned(),
            (n, 0) => format!("Named {n} times."),
            (n, back) => format!("Named {n} times, {back} of them below: the head of a loop."),
        });
        self.mentions("", uses, |_| true, page);
    }

    /// The first statements that use a name.
    fn mentions(&self, title: &str, uses: &Uses, wanted: impl Fn(Node<'_>) -> bool, page: &mut Page) {
        let own = instruction(self.leaf).map(|n| n.start_byte());
        let mut lines: Vec<(String, &str)> = Vec::new();
        let mut last = None;
        for place in &uses.places {
            let Some(node) = self.snapshot.node_at(*place).filter(|n| wanted(*n)) else { continue };
            let start = instruction(node).or_else(|| node.parent()).map_or(*place, |n| n.start_byte());
            if Some(start) == own || last == Some(start) || lines.len() >= MOST_SHOWN {
                continue;
            }
            last = Some(start);
            lines.push((statement_at(self.snapshot, start), ""));
        }
        if !lines.is_empty() && !title.is_empty() {
            page.text(title);
        }
        page.code(&annotated(&lines));
    }
}

/// How many statements that use a name are shown.
const MOST_SHOWN: usize = 4;

/// A few words: what it is.
fn what(snapshot: &Snapshot, found: &Declaration<'_>, name: &str) -> String {
    let declared = own_name(found).map(|r| snapshot.text(r));
    let whole_range = found.count.is_some() && declared.is_some_and(|d| d == name);
    let what = match (found.what, found.count) {
        (What::Register, Some(0)) => "No registers".to_owned(),
        (What::Register, Some(1)) => format!("One register, `{}0`", base_of(snapshot, found)),
        (What::Register, Some(count)) if whole_range => {
            format!("{count} registers, `{name}0` to `{name}{}`", count - 1)
        }
        (What::Register, Some(count)) => format!("One of {count} registers"),
        (What::Register, None) => "A register".to_owned(),
        (What::Variable, _) => "A variable".to_owned(),
        (What::Parameter, _) if found.kernel => "A parameter of the kernel".to_owned(),
        (What::Parameter, _) => "A parameter of the function".to_owned(),
        (What::Result, _) => "A result of the function".to_owned(),
        (What::Label, _) => "A label".to_owned(),
        (What::Targets, _) => "The label of a list of targets or of a prototype".to_owned(),
        (What::Function, _) if body(found).is_none() => "A function that is declared here".to_owned(),
        (What::Function, _) => "A function".to_owned(),
        (What::Alias, _) => "Another name of a function".to_owned(),
    };
    match found.what {
        What::Function if is_kernel(snapshot, found) => what.replace("function", "kernel"),
        _ => what,
    }
}

/// How often something is used, as the end of a sentence.
fn used(count: usize, exported: bool) -> String {
    match count {
        // What the module declares may be used from outside.
        0 if exported => String::new(),
        0 => "; not used".to_owned(),
        1 => "; used once".to_owned(),
        n if n > MOST_USES => format!("; used more than {MOST_USES} times"),
        n => format!("; used {n} times"),
    }
}

fn base_of(snapshot: &Snapshot, found: &Declaration<'_>) -> String {
    own_name(found).map_or_else(String::new, |r| snapshot.text(r).into_owned())
}

fn is_kernel(snapshot: &Snapshot, found: &Declaration<'_>) -> bool {
    matches!(found.symbol(snapshot), ptx_analysis::symbols::Symbol::Function { kernel: true, .. })
}

fn body<'t>(found: &Declaration<'t>) -> Option<Node<'t>> {
    found.statement.child_by_field_id(fields().body)
}

struct Uses {
    count: usize,
    /// Where the first ones stand.
    places: Vec<usize>,
}

/// Counts the uses in the scope of a declaration, unless that is too long to be searched while somebody waits.
fn uses(snapshot: &Snapshot, found: &Declaration<'_>, name: &str) -> Option<Uses> {
    let k = kinds();
    let scope = found.scope.map_or(0..snapshot.rope().len_bytes(), |n| n.byte_range());
    if scope.len() > LONGEST_SCOPE {
        return None;
    }
    let own = own_name(found).unwrap_or_else(|| found.declarator.byte_range());
    let mut uses = Uses { count: 0, places: Vec::new() };
    names::occurrences(snapshot, scope, name, |offset| {
        if offset == own.start {
            return true;
        }
        let Some(node) = snapshot.node_at(offset) else { return true };
        let kind = node.kind_id();
        if kind != k.register && kind != k.identifier {
            return true;
        }
        uses.count += 1;
        if uses.places.len() < TRIED {
            uses.places.push(offset);
        }
        uses.count <= MOST_USES
    });
    Some(uses)
}

fn own_name(found: &Declaration<'_>) -> Option<Range<usize>> {
    found.declarator.child_by_field_id(fields().name).map(|n| n.byte_range())
}

/// The source of a declaration, without what else the statement declares.
fn source(snapshot: &Snapshot, found: &Declaration<'_>) -> String {
    let statement = found.statement;
    match found.what {
        What::Register | What::Variable => {
            let first = ptx_analysis::lower::named_children(statement).find(|n| n.kind_id() == kinds().declarator);
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
        What::Function => {
            let end = body(found).map_or(statement.end_byte(), |b| b.start_byte());
            cut(snapshot, statement.start_byte()..end)
        }
        What::Targets => {
            let end = statement.next_named_sibling().map_or(statement.end_byte(), |n| n.end_byte());
            cut(snapshot, statement.start_byte()..end)
        }
        What::Parameter | What::Result | What::Label | What::Alias => one_line(snapshot, statement.byte_range()),
    }
}

fn one_line(snapshot: &Snapshot, range: Range<usize>) -> String {
    let text = cut(snapshot, range);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Source as it is, but not too much of it.
fn cut(snapshot: &Snapshot, range: Range<usize>) -> String {
    let rope = snapshot.rope();
    let most = range.start + LONGEST;
    if range.end <= most {
        return snapshot.text(range).trim_end().to_owned();
    }
    // An end that is a character boundary.
    let end = rope.char_to_byte(rope.byte_to_char(most.min(rope.len_bytes())));
    format!("{} …", snapshot.text(range.start..end).trim_end())
}
