//! Declares a register in the function that needs it.

use crate::text_edit::TextEdit;
use ptx_analysis::names::occurrences;
use ptx_analysis::types::agrees;
use ptx_analysis::{RegisterFit, TypeId, literal};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Maximum number of statements of a function that are searched for declarations.
const MAX_STATEMENTS: usize = 2000;
/// Maximum number of registers by which a fix extends a range, unless the range is larger. A larger number is probably a
/// typo.
const MAX_GROWTH: u32 = 64;

/// A range of registers: `%r<10>` in `.reg .b32 %r<10>;`.
struct Numbered {
    base: String,
    count: u32,
    /// Byte range of the count.
    place: Range<usize>,
    ty: Option<TypeId>,
}

/// The edit that declares a register in the function around an offset. It extends a range that the name fits, or adds a
/// declaration after the existing ones.
pub fn declare(snapshot: &Snapshot, at: usize, name: &str, ty: &str) -> Option<TextEdit> {
    let body = body(snapshot, at)?;
    let wanted = TypeId::of(ty);
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if let Some(number) = name.get(digits..).and_then(|d| d.parse::<u32>().ok())
        && let Some(range) = ranges(snapshot, body, at).into_iter().find(|r| {
            name.get(..digits) == Some(&r.base)
                && number >= r.count
                && number - r.count < MAX_GROWTH.max(r.count)
                && same_kind(wanted, r.ty)
        })
    {
        return Some(TextEdit { range: range.place, text: (number + 1).to_string() });
    }
    let declaration = format!(".reg {ty} {name};");
    let line_end = if snapshot.text(0..4096).contains("\r\n") { "\r\n" } else { "\n" };
    let place = match last_declaration(body) {
        Some(last) => {
            after(snapshot, last.end_byte(), &indentation(snapshot, last.start_byte()), line_end, &declaration)
        }
        None => {
            let open = body.start_byte() + 1;
            let first = named_children(body).next();
            let indent = first.map_or_else(|| "    ".to_owned(), |n| indentation(snapshot, n.start_byte()));
            after(snapshot, open, &indent, line_end, &declaration)
        }
    };
    Some(place)
}

/// An unused register name in the function around an offset: the next of a range of the right type, else `%t1`, `%t2` …
pub fn fresh(snapshot: &Snapshot, at: usize, ty: &str) -> Option<String> {
    let body = body(snapshot, at)?;
    let wanted = TypeId::of(ty);
    let used = |name: &str| {
        let mut found = false;
        occurrences(snapshot, body.byte_range(), name, |_| {
            found = true;
            false
        });
        found
    };
    let next = ranges(snapshot, body, at).into_iter().filter(|r| r.ty == wanted || same_kind(wanted, r.ty));
    let mut next = next.map(|r| format!("{}{}", r.base, r.count));
    next.find(|name| !used(name)).or_else(|| (1..100).map(|n| format!("%t{n}")).find(|name| !used(name)))
}

/// Whether a register of the declared type can be used for a wanted type.
fn same_kind(wanted: Option<TypeId>, declared: Option<TypeId>) -> bool {
    match (wanted, declared) {
        (Some(wanted), Some(declared)) => wanted == declared || agrees(wanted, declared, RegisterFit::default()),
        _ => false,
    }
}

/// The body of the function around an offset.
fn body(snapshot: &Snapshot, at: usize) -> Option<Node<'_>> {
    let mut node = snapshot.leaf(at..at)?;
    loop {
        if node.kind_id() == kinds().function {
            return node.child_by_field_id(fields().body);
        }
        node = node.parent()?;
    }
}

/// The `.reg` ranges that a block declares before an offset.
fn ranges(snapshot: &Snapshot, body: Node<'_>, at: usize) -> Vec<Numbered> {
    let (k, f) = (kinds(), fields());
    let mut out = Vec::new();
    for statement in named_children(body).take(MAX_STATEMENTS).take_while(|n| n.end_byte() <= at) {
        if !is_registers(snapshot, statement) {
            continue;
        }
        let ty = statement.child_by_field_id(f.ty).and_then(|n| TypeId::of(&snapshot.text(n.byte_range())));
        for declarator in named_children(statement).filter(|n| n.kind_id() == k.declarator) {
            let range = named_children(declarator).find(|n| n.kind_id() == k.register_range);
            let count = range.and_then(|n| n.child_by_field_id(f.count));
            let (Some(name), Some(count)) = (declarator.child_by_field_id(f.name), count) else { continue };
            let number = literal::integer(&snapshot.text(count.byte_range())).and_then(|n| n.try_into().ok());
            out.extend(number.map(|number| Numbered {
                base: snapshot.text(name.byte_range()).into_owned(),
                count: number,
                place: count.byte_range(),
                ty,
            }));
        }
    }
    out
}

fn is_registers(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let space = || node.child_by_field_id(fields().space).map(|n| snapshot.text(n.byte_range()));
    node.kind_id() == kinds().variable_declaration && space().is_some_and(|s| s == ".reg")
}

/// The last of the declarations at the beginning of a block.
fn last_declaration(body: Node<'_>) -> Option<Node<'_>> {
    named_children(body).take_while(|n| n.kind_id() == kinds().variable_declaration && !n.has_error()).last()
}

/// Inserts a declaration on a line of its own below an offset. If code follows the offset on its line, the declaration is
/// inserted before that code.
fn after(snapshot: &Snapshot, end: usize, indent: &str, line_end: &str, declaration: &str) -> TextEdit {
    let rope = snapshot.rope();
    let line = rope.byte_to_line(end.min(rope.len_bytes()));
    let next = if line + 1 < rope.len_lines() { rope.line_to_byte(line + 1) } else { rope.len_bytes() };
    let rest = snapshot.text(end..next);
    let trimmed = rest.trim_end_matches(['\r', '\n']);
    if trimmed.trim().is_empty() || trimmed.trim_start().starts_with("//") {
        let place = end + trimmed.len();
        return TextEdit { range: place..place, text: format!("{line_end}{indent}{declaration}") };
    }
    TextEdit { range: end..end, text: format!(" {declaration}") }
}

/// The blanks at the beginning of the line of an offset.
pub fn indentation(snapshot: &Snapshot, at: usize) -> String {
    let rope = snapshot.rope();
    let start = rope.line_to_byte(rope.byte_to_line(at.min(rope.len_bytes())));
    let before = snapshot.text(start..at);
    before.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}
