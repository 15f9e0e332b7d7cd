//! The names that are visible at a place. A function may have tens of thousands of lines, and a walk over its tree would
//! take too long. So declarations in long blocks are found in the text, and the registers in use are collected from nearby
//! lines only.

use super::place::CompletionPlace;
use super::tokens::is_part;
use ptx_analysis::module::items;
use ptx_analysis::{ContentId, ItemSource, NameLookup, Symbol, VariableOrigin, declared, lower, names};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// A declared name.
#[derive(Debug, Clone)]
pub struct Name {
    /// The name; for a range, without the number.
    pub text: String,
    /// Number of names in a range: 10 for `%r<10>`.
    pub count: Option<u32>,
    /// The declared symbol.
    pub symbol: Symbol,
    /// Its declaration as a short text.
    pub detail: String,
}

/// Maximum size in bytes of a block whose tree is walked. Longer blocks are searched as text.
const WALKED: usize = 1 << 14;
/// Bytes of text before and after the cursor that are searched for names in use.
const NEAR_BEFORE: usize = 12 << 10;
const NEAR_AFTER: usize = 2 << 10;
/// Maximum size in bytes of a function that is searched for the highest register number in use.
const SEARCHED: usize = 1 << 17;

/// The registers, variables and parameters that the function declares before a place, those of the innermost block first.
pub fn locals(place: &CompletionPlace<'_>) -> Vec<Name> {
    let k = kinds();
    let mut out: Vec<Name> = Vec::new();
    for here in names::scopes_around(place.holder) {
        let kind = here.kind_id();
        if kind == k.block || here.is_error() {
            in_block(place, here, &mut out);
        }
        if kind == k.function || here.is_error() {
            let parameters = names::parameters(place.snapshot, here).into_iter();
            for parameter in parameters.take_while(|p| p.statement.start_byte() < place.offset) {
                declaration(place.snapshot, parameter.statement, parameter.origin(), &mut out);
            }
        }
    }
    // A declaration of an inner block hides the outer ones of the same name.
    let mut seen = std::collections::HashSet::new();
    out.retain(|n| seen.insert((n.text.clone(), n.count.is_some())));
    out
}

fn in_block(place: &CompletionPlace<'_>, block: Node<'_>, out: &mut Vec<Name>) {
    let k = kinds();
    if place.offset.saturating_sub(block.start_byte()) <= WALKED {
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more && cursor.node().start_byte() < place.start {
            if cursor.node().kind_id() == k.variable_declaration {
                declaration(place.snapshot, cursor.node(), VariableOrigin::Body, out);
            }
            more = cursor.goto_next_sibling();
        }
        return;
    }
    // Most inner blocks declare only the arguments of one call. If braces do not match, for example because a comment
    // contains one, the declarations of all inner blocks are included.
    if !by_text(place, block, true, out) {
        by_text(place, block, false, out);
    }
}

/// Finds the declarations of a block in its text. If `outer` is set, those of inner blocks are left out, as far as braces
/// tell. Returns false if `outer` is set and the braces do not match.
fn by_text(place: &CompletionPlace<'_>, block: Node<'_>, outer: bool, out: &mut Vec<Name>) -> bool {
    let k = kinds();
    let spaces: Vec<&str> = ptx_isa::ISA.spaces.iter().filter(|s| !s.declared.is_empty()).map(|s| s.name).collect();
    let mut depth = 0i32;
    let mut matching = true;
    each_piece(place.snapshot, block.start_byte()..place.start, &mut |base, text| {
        // Whitespace precedes the first word of a declaration, unlike a modifier.
        let bytes = text.as_bytes();
        for at in memchr::memchr3_iter(b'.', b'{', b'}', bytes) {
            match bytes.get(at) {
                Some(b'{') => depth += 1,
                Some(b'}') => depth -= 1,
                _ => {
                    let begins = at == 0 || bytes.get(at - 1).is_some_and(u8::is_ascii_whitespace);
                    let word = || text.get(at..).is_some_and(|rest| spaces.iter().any(|s| rest.starts_with(s)));
                    if !begins || (outer && depth != 1) || !word() {
                        continue;
                    }
                    let node = place.snapshot.node_at(base + at).and_then(|n| n.parent());
                    if let Some(node) =
                        node.filter(|n| n.kind_id() == k.variable_declaration && n.parent() == Some(block))
                    {
                        declaration(place.snapshot, node, VariableOrigin::Body, out);
                    }
                }
            }
            matching &= depth >= 1;
        }
    });
    matching
}

/// Maximum number of bytes of a declaration that is read, since an initializer may be megabytes long.
const MAX_DECLARATION: usize = 1 << 14;

fn declaration(snapshot: &Snapshot, node: Node<'_>, origin: VariableOrigin, out: &mut Vec<Name>) {
    if node.end_byte() - node.start_byte() > MAX_DECLARATION && origin != VariableOrigin::Module {
        return;
    }
    let text = snapshot.text(node.byte_range());
    let source = ItemSource { text: &text, base: node.start_byte() };
    let lowered = lower::declaration(source, node);
    let first = lowered.declarators.first().map_or(text.len(), |d| d.range.start);
    let head = text.get(..first).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
    for name in declared::names(&lowered, origin) {
        let declarator = lowered.declarators.iter().find(|d| d.name == name.name);
        let sizes: String = declarator
            .iter()
            .flat_map(|d| &d.dimensions)
            .map(|(range, _)| text.get(range.clone()).unwrap_or("").to_owned())
            .collect();
        let detail = if sizes.is_empty() { head.clone() } else { format!("{head} {sizes}") };
        out.push(Name { text: name.name.text.to_owned(), count: name.count, symbol: name.symbol, detail });
    }
}

/// The variables and functions of the module that are declared before a place.
pub fn of_module(place: &CompletionPlace<'_>) -> Vec<Name> {
    let (k, f) = (kinds(), fields());
    let snapshot = place.snapshot;
    let mut out: Vec<Name> = Vec::new();
    for item in items(snapshot) {
        if item.range.start >= place.start && place.function.is_none_or(|own| item.node != own) {
            break;
        }
        let kind = item.node.kind_id();
        if kind == k.variable_declaration {
            declaration(snapshot, item.node, VariableOrigin::Module, &mut out);
        } else if kind == k.function || kind == k.alias_directive {
            let Some(name) = item.node.child_by_field_id(f.name) else { continue };
            let text = snapshot.text(name.byte_range()).into_owned();
            let word = item.node.child_by_field_id(f.kind).map(|n| snapshot.text(n.byte_range()).into_owned());
            let kernel = word.as_deref() == Some(".entry");
            let symbol = Symbol::Function { kernel, signature: ContentId::UNKNOWN };
            let detail = signature(snapshot, item.node).unwrap_or_else(|| "an alias of a function".to_owned());
            out.push(Name { text, count: None, symbol, detail });
        }
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|n| seen.insert(n.text.clone()));
    out
}

/// The header of a function on one line: `.func (.param .b32 r) f (.param .b32 a)`.
pub fn signature(snapshot: &Snapshot, function: Node<'_>) -> Option<String> {
    let f = fields();
    let kind = function.child_by_field_id(f.kind)?;
    let end = function
        .child_by_field_id(f.parameters)
        .or_else(|| function.child_by_field_id(f.name))
        .map_or(kind.end_byte(), |n| n.end_byte());
    let text = snapshot.text(kind.start_byte()..end.min(kind.start_byte() + MAX_DECLARATION));
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A label.
#[derive(Debug, Clone)]
pub struct Label {
    /// The label as a name.
    pub name: Name,
    /// Its offset, in bytes.
    pub at: usize,
    /// No statement follows it in its block, so it is an unlikely branch target.
    pub last: bool,
}

/// The labels of the enclosing blocks, in source order.
pub fn labels(place: &CompletionPlace<'_>) -> Vec<Label> {
    let k = kinds();
    let snapshot = place.snapshot;
    let Some(function) = place.function else { return Vec::new() };
    let mut out: Vec<Label> = Vec::new();
    each_piece(snapshot, function.byte_range(), &mut |base, text| {
        for at in memchr::memchr_iter(b':', text.as_bytes()) {
            // A colon of `::` belongs to a modifier.
            let bytes = text.as_bytes();
            if bytes.get(at + 1) == Some(&b':') || (at > 0 && bytes.get(at - 1) == Some(&b':')) {
                continue;
            }
            let node = snapshot.leaf(base + at..base + at + 1).and_then(|n| n.parent());
            let Some(label) = node.filter(|n| n.kind_id() == k.label) else { continue };
            let around = label.parent().filter(|block| {
                let range = block.byte_range();
                range.start <= place.offset && (place.offset <= range.end || block.is_error())
            });
            let Some(name) = label.child_by_field_id(fields().name).filter(|_| around.is_some()) else { continue };
            let symbol = match names::listed_by(label) {
                Some(list) => Symbol::Targets { list, content: ContentId::UNKNOWN },
                None => Symbol::Label,
            };
            let line = snapshot.rope().byte_to_line(label.start_byte()) + 1;
            let what = if symbol == Symbol::Label { "label".to_owned() } else { symbol.describe() };
            let text = snapshot.text(name.byte_range()).into_owned();
            let name = Name { text, count: None, symbol, detail: format!("{what}, line {line}") };
            out.push(Label { name, at: label.start_byte(), last: label.next_named_sibling().is_none() });
        }
    });
    out
}

/// Calls `f` with the offset and the text of each chunk of a range. Each chunk begins at the beginning of a line.
fn each_piece(snapshot: &Snapshot, range: Range<usize>, f: &mut dyn FnMut(usize, &str)) {
    let rope = snapshot.rope();
    let end = range.end.min(rope.len_bytes());
    let mut at = range.start.min(end);
    while at < end {
        let line = rope.byte_to_line((at + (1 << 16)).min(end));
        let stop = rope.line_to_byte(line).min(end);
        let stop = if stop <= at { end } else { stop };
        f(at, &snapshot.text(at..stop));
        at = stop;
    }
}

/// The names in use near the cursor.
pub struct Near {
    /// Distance of each name from the cursor, in bytes and weighted: see [`Near::new`].
    distances: HashMap<String, usize>,
    /// The register numbers in use in the whole function.
    pub used: Used,
}

impl Near {
    /// Reads the lines around the cursor.
    pub fn new(place: &CompletionPlace<'_>) -> Self {
        let rope = place.snapshot.rope();
        let around = place.function.map_or(0..rope.len_bytes(), |f| f.byte_range());
        let line = |at: usize| rope.line_to_byte(rope.byte_to_line(at.min(rope.len_bytes())));
        let start = line(place.offset.saturating_sub(NEAR_BEFORE).max(around.start.min(place.offset)));
        let end = line((place.offset + NEAR_AFTER).min(around.end.max(place.offset))).max(place.replace.end);
        let text = place.snapshot.text(start..end);
        let mut out: HashMap<String, usize> = HashMap::new();
        let mut word_start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match word_start {
                None if c == '%' || (is_part(c) && !c.is_ascii_digit()) => word_start = Some(at),
                // Part of a longer word is not a name.
                Some(from) if !is_part(c) => {
                    let own = start + from == place.insert.start;
                    let statement = (place.start..place.offset).contains(&(start + from));
                    if let Some(word) = text.get(from..at).filter(|_| !own) {
                        let place_of = start + from;
                        // A name used after the cursor is less likely to be meant than one used before it.
                        let distance = match place_of < place.offset {
                            // A name in the statement at the cursor is least likely to be meant again.
                            true if statement => NEAR_BEFORE,
                            true => place.offset - place_of,
                            false => 2 * (place_of - place.offset) + 64,
                        };
                        let known = out.entry(word.to_owned()).or_insert(distance);
                        *known = distance.min(*known);
                    }
                    word_start = (c == '%').then_some(at);
                }
                _ => {}
            }
        }
        Self { distances: out, used: Used::new(place) }
    }

    /// The weighted distance at which a name is used, or `None` if it is not in use nearby.
    pub fn distance(&self, name: &str) -> Option<usize> {
        self.distances.get(name).copied()
    }

    /// The numbers of a register range that are in use nearby, each with its distance, the nearest first.
    pub fn of_range(&self, base: &str, count: u32) -> Vec<(u32, usize)> {
        let number = |name: &str| name.strip_prefix(base).filter(|d| is_plain(d)).and_then(|d| d.parse::<u32>().ok());
        let mut out: Vec<(u32, usize)> = self
            .distances
            .iter()
            .filter_map(|(name, d)| Some((number(name)?, *d)))
            .filter(|(n, _)| *n < count)
            .collect();
        out.sort_by_key(|(number, distance)| (*distance, *number));
        out
    }
}

fn is_plain(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
}

/// The highest register numbers in use in a function.
#[derive(Debug, Default)]
pub struct Used {
    /// Next unused number of each register range. The key is the name without `%` and number.
    next: HashMap<String, u32>,
    /// Whether the function was searched; it may be too long.
    searched: bool,
}

impl Used {
    /// Searches the enclosing function.
    pub fn new(place: &CompletionPlace<'_>) -> Self {
        let mut out = Self::default();
        let Some(function) = place.function.filter(|f| f.byte_range().len() <= SEARCHED) else { return out };
        out.searched = true;
        each_piece(place.snapshot, function.byte_range(), &mut |start, text| {
            for at in memchr::memchr_iter(b'%', text.as_bytes()) {
                if (place.insert.start..place.replace.end).contains(&(start + at)) {
                    continue;
                }
                let rest = text.get(at + 1..).unwrap_or("");
                let word = rest.get(..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())).unwrap_or("");
                let base = word.trim_end_matches(|c: char| c.is_ascii_digit());
                let digits = word.get(base.len()..).unwrap_or("");
                let Some(number) = Some(digits).filter(|d| is_plain(d)).and_then(|d| d.parse::<u32>().ok()) else {
                    continue;
                };
                match out.next.get_mut(base) {
                    Some(next) => *next = (*next).max(number.saturating_add(1)),
                    None => drop(out.next.insert(base.to_owned(), number.saturating_add(1))),
                }
            }
        });
        out
    }

    /// The first number of a range above all numbers in use. `None` if no number is left or the function was not searched.
    pub fn unused(&self, name: &str, count: u32) -> Option<u32> {
        let base = name.strip_prefix('%').filter(|_| self.searched)?;
        Some(self.next.get(base).copied().unwrap_or(0)).filter(|next| *next < count)
    }
}

/// A lookup that adds one name to others, for the checks.
pub struct One<'a> {
    /// The name.
    pub name: &'a str,
    /// Its symbol.
    pub symbol: Symbol,
    /// All other names.
    pub others: &'a dyn NameLookup,
}

impl NameLookup for One<'_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        if name == self.name { Some(self.symbol) } else { self.others.look_up(name) }
    }

    fn has_option(&self, name: &str) -> bool {
        self.others.has_option(name)
    }
}
