//! Error recovery: suppresses the consequences of an error, so that one mistake causes one diagnostic.
//!
//! A missing or extra brace or parenthesis moves whole functions to places at which statements are not allowed. The first
//! such place is reported; this module decides which diagnostics after it are suppressed.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::rules::{syntax_error, undeclared_name};
use ecow::EcoVec;
use ptx_sema::hir::directive_parts::list_kind;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{ModuleItem, is_function};
use ptx_syntax::trivia::is_endless_comment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{ForeignLanguage, Node, Snapshot, fields, foreign_language, kinds};
use rustc_hash::FxHashSet as HashSet;
use std::borrow::Cow;
use std::ops::Range;

/// Returns for each item of the module whether it is misplaced because of an earlier error.
pub(crate) fn followers(snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> Vec<bool> {
    let k = kinds();
    // At module level, an error affects only items that belong into a function; these kinds stay valid.
    let whole = [k.version_directive, k.target_directive, k.address_size_directive, k.section_directive];
    let mut lost = Lost::Nothing;
    let mut out = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let (node, kind) = (item.node, item.node.kind_id());
        let space = if kind == k.variable_declaration { space(snapshot, node) } else { Cow::Borrowed("") };
        let statement = kind == k.instruction || kind == k.block || (kind == k.label && !names_a_list(items, index));
        let mut follows = false;
        if is_function(node) {
            lost = match (node.is_error(), lacks_its_end(node)) {
                (true, _) => Lost::Function,
                (false, true) => Lost::Header,
                _ => Lost::Nothing,
            };
        } else if lost == Lost::Header && (statement || LOCAL.contains(&&*space) || node.is_error()) {
            // The error shows at the first item that cannot follow a declaration.
            lost = Lost::Function;
        } else if statement || space == ".param" {
            follows = lost > Lost::Header;
            lost = Lost::Function;
        } else if LOCAL.contains(&&*space) {
            follows = lost > Lost::Header;
        } else if node.is_error() {
            follows = lost > Lost::Header;
            lost = lost.max(Lost::Line);
        } else if kind == k.unknown_directive {
            follows = lost == Lost::Function;
            lost = lost.max(Lost::Line);
        } else if kind == k.variable_declaration {
            follows = lost > Lost::Header && node.has_error();
            // A complete item that is valid at module level: the parser has recovered.
            lost = if follows { lost } else { Lost::Nothing };
        } else if !whole.contains(&kind) {
            follows = lost == Lost::Function;
        }
        out.push(follows);
    }
    out
}

/// The state spaces of declarations in bodies and parameter lists.
const LOCAL: [&str; 3] = [".param", ".reg", ".local"];

/// The construct that an error has split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lost {
    /// Nothing: there was no error, or the parser has recovered.
    Nothing,
    /// A function header without a body or semicolon. (The assembler does not require the semicolon.)
    Header,
    /// A directive with a syntax error.
    Line,
    /// A function: its parameters and statements are at module level.
    Function,
}

/// Whether the label item at an index belongs to a list of targets or a prototype, which are allowed at module level.
pub(crate) fn names_a_list(items: &[ModuleItem<'_>], index: usize) -> bool {
    items.get(index + 1).is_some_and(|next| list_kind(next.node.kind_id()).is_some())
}

/// Whether a function's header ends before its body or semicolon: its parameters and body are then separate items.
pub(crate) fn lacks_its_end(node: Node<'_>) -> bool {
    node.child_by_field_id(fields().body).is_none() && lower::is_broken(node)
}

/// The state space of a declaration; empty if it is too long to be one in [`LOCAL`].
fn space<'s>(snapshot: &'s Snapshot, node: Node<'_>) -> Cow<'s, str> {
    let space = node.child_by_field_id(fields().space).map(|s| s.byte_range());
    space.filter(|range| range.len() <= ".param".len()).map_or(Cow::Borrowed(""), |range| snapshot.text(range))
}

/// Whether a diagnostic is about a statement that begins with a word that is not an opcode: a label, or a fragment of a
/// statement.
pub(crate) fn is_piece(diagnostic: &Diagnostic) -> bool {
    diagnostic.code() == Code::UnknownOpcode
        || syntax_error::lost_label(diagnostic).is_some()
        || syntax_error::is_in_unknown(diagnostic)
}

/// Whether a statement at `range` of a function's text is a whole instruction but for its opcode, so that it is neither a fragment of
/// another statement nor makes fragments of the next ones. Behind an error (`broken`) also prose looks so (`see below;`), unless it has
/// operands that only PTX has.
pub(crate) fn is_whole(found: &[Diagnostic], text: &str, range: Range<usize>, broken: bool) -> bool {
    let is_read = !found.iter().any(|d| d.code() == Code::SyntaxError || syntax_error::lost_label(d).is_some());
    let (Some(before), Some(statement)) = (text.get(..range.start), text.get(range)) else { return false };
    let before = before.trim_end_matches([' ', '\t']);
    let begins = before.is_empty() || before.ends_with(['\n', '\r', ';', ':', '{', '}']) || before.ends_with("*/");
    is_read && begins && statement.ends_with(';') && (!broken || statement.contains(['%', '[', '{']))
}

/// Whether a diagnostic says that the text before it, or a part of it, is not PTX.
pub(crate) fn is_syntax(diagnostic: &Diagnostic) -> bool {
    [Code::SyntaxError, Code::UnknownDirective, Code::UnknownOpcode].contains(&diagnostic.code())
}

/// The names in the items that an error displaced: the function before them may branch to such labels, and the one after them
/// may use such parameters.
pub(crate) fn lost_names(snapshot: &Snapshot, items: &[ModuleItem<'_>], follows: &[bool]) -> HashSet<String> {
    let mut out = HashSet::default();
    for (index, item) in items.iter().enumerate() {
        let follows = follows.get(index).copied().unwrap_or(false);
        let kind = item.node.kind_id();
        let unread = item.node.is_error() || kind == kinds().unknown_directive;
        if (follows && kind == kinds().variable_declaration) || (unread && !is_function(item.node)) {
            let text = snapshot.text(item.node.byte_range());
            out.extend(names_in(&text).into_iter().map(|(name, _)| name.to_owned()));
        } else if follows || kind == kinds().label || kind == kinds().block {
            labels_of(item.node, &mut |name| {
                out.insert(snapshot.text(name.byte_range()).into_owned());
            });
        }
    }
    out
}

/// Whether a text has a colon that is not part of `::`.
pub(crate) fn may_hold_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let double = |at: usize| bytes.get(at + 1) == Some(&b':') || (at > 0 && bytes[at - 1] == b':');
    memchr::memchr_iter(b':', bytes).any(|at| !double(at))
}

/// Calls `with` for the name node of every label in a node.
pub(crate) fn labels_of(node: Node<'_>, with: &mut dyn FnMut(Node<'_>)) {
    let kind = node.kind_id();
    if kind == kinds().label {
        if let Some(name) = node.child_by_field_id(fields().name) {
            with(name);
        }
    } else if kind == kinds().block || node.is_error() {
        named_children(node).for_each(|child| labels_of(child, with));
    }
}

/// The names that a function has lost to its syntax errors.
#[derive(Debug, Default)]
pub(crate) struct Losses<'t> {
    /// Labels that are in an inner block only because of an extra opening brace.
    pub inner: HashSet<&'t str>,
    /// First words of statements with a syntax error that may be labels.
    pub labels: Vec<&'t str>,
    /// Whether a declaration of registers has a syntax error.
    pub registers: bool,
    /// Names of registers that may be unfinished declarations of ranges.
    pub bases: Vec<&'t str>,
    /// The names of register ranges that are declared correctly: `%r` of `%r<10>`.
    pub ranges: Vec<&'t str>,
}

impl Losses<'_> {
    /// Removes the diagnostics of a function that are consequences of others: the uses of labels and registers whose
    /// declaration could not be read.
    pub(crate) fn prune(&self, found: &mut Vec<Diagnostic>) {
        let named = found.iter().filter_map(|d| syntax_error::lost_label(d).map(str::to_owned));
        let labels: HashSet<String> = named.chain(self.labels.iter().map(|l| (*l).to_owned())).collect();
        let (ranges, bases) = (names(&self.ranges), names(&self.bases));
        if labels.is_empty() && !self.registers && self.bases.is_empty() {
            return;
        }
        let register = |name: &str| {
            let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let broken = self.registers && name.starts_with('%') && !ranges.contains(base);
            broken || (base.len() < name.len() && bases.contains(base))
        };
        let follows = |name: &str| register(name) || labels.contains(name);
        found.retain(|d| !undeclared_name::name(d).is_some_and(follows));
    }
}

fn names<'t>(all: &[&'t str]) -> HashSet<&'t str> {
    all.iter().copied().collect()
}

/// The names in text with a syntax error, each with the number of registers after it (`%r<10>`).
pub(crate) fn names_in(text: &str) -> Vec<(&str, Option<u32>)> {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut out = Vec::new();
    let mut remaining = text;
    while let Some(at) = remaining.find(name) {
        let end = remaining[at..].find(|c| !name(c)).map_or(remaining.len(), |n| at + n);
        let (word, after) = (&remaining[at..end], &remaining[end..]);
        let count = after.strip_prefix('<').map(|a| {
            let count = a.split_once('>').and_then(|(n, _)| n.trim().parse().ok());
            count.unwrap_or(u32::MAX)
        });
        // `1x` is a mistyped name.
        let tail = word.trim_start_matches(|c: char| c.is_ascii_digit());
        if !tail.is_empty() {
            out.push((tail, count));
        }
        remaining = after;
    }
    out
}

/// Whether a name occurs as a whole word anywhere in a text.
pub(crate) fn is_named_in(text: &str, name: &str) -> bool {
    let continues =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%'));
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, name).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !continues(before) && !continues(bytes.get(at + name.len()))
    })
}

/// Whether the closing brace of a function's outermost block is missing, which leaves later labels in an inner block.
pub(crate) fn ends_open(node: Node<'_>) -> bool {
    let Some(body) = node.child_by_field_id(fields().body).filter(|_| node.has_error()) else { return false };
    let mut cursor = body.walk();
    cursor.goto_last_child() && cursor.node().is_missing()
}

/// The range from the keyword to the name of the function that contains a node.
pub(crate) fn header_of(source: ItemSource<'_>, node: Node<'_>) -> Option<Range<usize>> {
    let f = fields();
    let mut around = Some(node);
    while let Some(function) = around.filter(|n| n.kind_id() != kinds().function) {
        around = function.parent();
    }
    let kind = around?.child_by_field_id(f.kind)?;
    let name = around?.child_by_field_id(f.name).unwrap_or(kind);
    Some(source.range(kind).start..source.range(name).end.max(source.range(kind).end))
}

/// The range of the last character in a node before a byte offset `end` of the file, ignoring comments.
pub(crate) fn last_character(source: ItemSource<'_>, node: Node<'_>, end: usize) -> Range<usize> {
    let token = syntax_error::token_before(node, end).unwrap_or(node);
    let end = source.range(token).end;
    let last = source.text.get(..end).and_then(|t| t.char_indices().next_back()).map_or(0, |(at, _)| at);
    last..end.max(last + 1)
}

/// The diagnostic for a closing brace missing at the end of the file.
pub(crate) fn end_of_block(source: ItemSource<'_>, brace: Node<'_>) -> Diagnostic {
    let block = brace.parent().unwrap_or(brace);
    syntax_error::end_of_block(last_character(source, block, brace.start_byte()), 1, header_of(source, block))
}

/// The diagnostic for a function in an error node that ends before `end`: its parameter list or its body is not closed.
pub(crate) fn endless(
    source: ItemSource<'_>,
    error: Node<'_>,
    end: usize,
    header: Option<Range<usize>>,
) -> Option<Diagnostic> {
    let mut cursor = error.walk();
    let mut more = cursor.goto_first_child();
    let (mut parenthesis, mut body, mut braces) = (None, false, 0_usize);
    while more {
        match cursor.node().kind() {
            "{" if cursor.node().start_byte() < end => (body, braces) = (true, braces + 1),
            "}" if cursor.node().start_byte() < end => braces = braces.saturating_sub(1),
            "(" => parenthesis = Some(source.range(cursor.node())),
            ")" => parenthesis = None,
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    let last = last_character(source, error, end);
    if body {
        return Some(syntax_error::end_of_block(last, braces.max(1), header));
    }
    Some(match parenthesis {
        Some(open) => syntax_error::endless_list(open, last),
        None => syntax_error::opening_brace(last),
    })
}

/// The diagnostic for a missing opening brace after a header, if the parser took the statement `child` for a part of the
/// header.
pub(crate) fn opening_brace_in(source: ItemSource<'_>, function: Node<'_>, child: Node<'_>) -> Option<Diagnostic> {
    if !child.is_error() || ptx_isa::ISA.opcode(source.word(child).text.split(['.', ' ', ';']).next()?).is_none() {
        return None;
    }
    let diagnostic = syntax_error::opening_brace(last_character(source, function, child.start_byte()));
    // After this error it is unknown whether the closing brace exists, so no fix is offered.
    Some(Diagnostic { fixes: EcoVec::new(), ..diagnostic })
}

/// Whether an item is a statement, or a declaration that is only allowed in bodies and parameter lists.
pub(crate) fn belongs_into_body(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let (k, kind) = (kinds(), node.kind_id());
    kind == k.instruction
        || kind == k.label
        || (kind == k.variable_declaration && LOCAL.contains(&&*space(snapshot, node)))
}

/// The diagnostic for a missing opening bracket after a header, if `next` is a statement or the first parameter.
pub(crate) fn opening_bracket(snapshot: &Snapshot, header: &ModuleItem<'_>, next: Node<'_>) -> Diagnostic {
    let text = snapshot.text(header.range.clone());
    let source = ItemSource { text: &text, base: header.range.start };
    /// The longest list of parameters that is read, in bytes.
    const MAX_LIST: usize = 4096;
    let end = snapshot.rope().len_bytes().min(header.range.end + MAX_LIST);
    let parameters = snapshot.text(header.range.end..snapshot.rope().char_to_byte(snapshot.rope().byte_to_char(end)));
    if let Some(semicolon) = syntax_error::cut_at_semicolon(&text, &parameters) {
        return semicolon.shifted(header.range.start);
    }
    let last = last_character(source, header.node, header.range.end);
    let listed = header.node.child_by_field_id(fields().parameters).is_some();
    let parameter = next.kind_id() == kinds().variable_declaration && &*space(snapshot, next) == ".param";
    let diagnostic = match (listed, parameter) {
        (false, true) => syntax_error::opening_parenthesis(last),
        _ => syntax_error::opening_brace(last),
    };
    diagnostic.shifted(header.range.start)
}

/// What hides diagnostics all over a module: missing opening brackets, an unclosed comment, lines for a preprocessor.
pub(crate) struct Pruning<'s> {
    snapshot: &'s Snapshot,
    /// Functions whose opening bracket is missing.
    headers: Vec<Range<usize>>,
    /// The reports on lines for a preprocessor.
    lines: Vec<Diagnostic>,
    comment: Option<Range<usize>>,
    /// The language of the text, if it is not PTX.
    language: Option<ForeignLanguage>,
}

impl<'s> Pruning<'s> {
    /// `brackets` are the offsets at which an opening bracket is missing.
    pub(crate) fn new(snapshot: &'s Snapshot, items: &[ModuleItem<'_>], brackets: impl Iterator<Item = usize>) -> Self {
        let headers = brackets
            .filter_map(|start| {
                let at = items.partition_point(|i| i.range.end <= start);
                items.get(at).filter(|i| i.range.contains(&start)).map(|_| at)
            })
            .filter_map(|at| {
                // If the parser took the body for a part of the header, the closing brace of the body is a separate item.
                let brace = |i: &&ModuleItem<'_>| i.node.is_error() && snapshot.text(i.node.byte_range()).trim() == "}";
                let last = items.get(at + 1).filter(brace).or(items.get(at))?;
                Some(items.get(at)?.range.start..last.range.end)
            })
            .collect();
        Self {
            snapshot,
            headers,
            lines: preprocessor_lines(snapshot),
            comment: endless_comment(snapshot),
            language: foreign_language(snapshot.rope().lines().map(Cow::from)),
        }
    }

    /// Whether no diagnostic is hidden, and none is to be added.
    pub(crate) fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.lines.is_empty() && self.comment.is_none() && self.language.is_none()
    }

    /// Removes the consequences, and reports the comment and the lines.
    pub(crate) fn apply(mut self, found: &mut Vec<Diagnostic>) {
        let snapshot = self.snapshot;
        if let Some(language) = self.language {
            // Whatever else is reported follows from this.
            found.clear();
            let line = snapshot.rope().lines().next().map_or(0, |line| Cow::from(line).trim_end().len());
            return found.push(syntax_error::other_language(0..line, language));
        }
        if !self.headers.is_empty() {
            // Of each header its start, and how far it and those before it reach.
            let mut reach: Vec<(usize, usize)> = self.headers.iter().map(|h| (h.start, h.end)).collect();
            reach.sort_unstable();
            let mut furthest = 0;
            for (_, end) in &mut reach {
                furthest = furthest.max(*end);
                *end = furthest;
            }
            found.retain(|d| {
                let follows = d.code() == Code::SyntaxError || d.code() == Code::UndefinedFunction;
                let begun = reach.partition_point(|(start, _)| *start <= d.range.start);
                let inside = begun.checked_sub(1).is_some_and(|last| d.range.start < reach[last].1);
                !(follows && inside) || syntax_error::is_opening_bracket(d)
            });
        }
        if !self.lines.is_empty() {
            // What is missing right before such a line is a consequence of it.
            found.retain(|d| {
                let before = |line: &Diagnostic| {
                    d.range.end <= line.range.start && snapshot.text(d.range.end..line.range.start).trim().is_empty()
                };
                d.code() != Code::SyntaxError || !self.lines.iter().any(before)
            });
            found.append(&mut self.lines);
        }
        if let Some(comment) = self.comment {
            let text = snapshot.text(comment.clone());
            found.retain(|d| {
                // A name or header inside the comment is not missing.
                let hidden = undeclared_name::name(d).is_some_and(|name| is_named_in(&text, name))
                    || (d.code() == Code::ModuleHeader && d.range.start >= comment.start);
                let before =
                    || d.range.end <= comment.start && snapshot.text(d.range.end..comment.start).trim().is_empty();
                !(hidden || (d.code() == Code::SyntaxError && before()))
            });
            let line = text.find('\n').map_or(comment.end, |at| comment.start + text[..at].trim_end().len());
            found.push(syntax_error::endless_comment(comment, line));
        }
    }
}

/// Removes the diagnostics of a module that are consequences of a missing opening bracket or of an unclosed comment, and
/// reports the latter.
pub(crate) fn prune(snapshot: &Snapshot, items: &[ModuleItem<'_>], found: &mut Vec<Diagnostic>) {
    let brackets = found.iter().filter(|d| syntax_error::is_opening_bracket(d)).map(|d| d.range.start);
    Pruning::new(snapshot, items, brackets).apply(found);
}

/// Reports the lines for a preprocessor that the assembler does not take.
fn preprocessor_lines(snapshot: &Snapshot) -> Vec<Diagnostic> {
    /// Reports of one text.
    const MAX_REPORTED: usize = 64;
    let mut reported: Vec<Diagnostic> = Vec::new();
    let rope = snapshot.rope();
    let pieces = snapshot.chunks_with(|rare| rare.number_sign).flat_map(|range| {
        let mut start = range.start;
        rope.byte_slice(range).chunks().map(move |piece| {
            start += piece.len();
            (start - piece.len(), piece.as_bytes())
        })
    });
    // In most texts that have the character, it stands in comments.
    let mut end_of_comment = 0;
    for (start, bytes) in pieces {
        for offset in memchr::memchr_iter(b'#', bytes).map(|at| start + at) {
            if offset < end_of_comment {
                continue;
            }
            let Some(node) = snapshot.node_at(offset) else { continue };
            if node.kind_id() == kinds().comment {
                end_of_comment = node.end_byte();
            } else if node.kind_id() == kinds().preprocessor_line && node.start_byte() == offset {
                let ended = node.end_byte() < rope.len_bytes();
                reported.extend(syntax_error::preprocessor_line(&snapshot.text(node.byte_range()), offset, ended));
                if reported.len() >= MAX_REPORTED {
                    return reported;
                }
            }
        }
    }
    reported
}

/// The range of an unclosed block comment, which extends to the end of the text.
fn endless_comment(snapshot: &Snapshot) -> Option<Range<usize>> {
    let last = snapshot.rope().len_bytes().checked_sub(1)?;
    let node = snapshot.node_at(last).filter(|n| n.kind_id() == kinds().comment)?;
    is_endless_comment(snapshot.text(node.byte_range()).as_bytes()).then(|| node.byte_range())
}

/// The diagnostics about signs that may stand anywhere in a text.
fn anywhere(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = snapshot.too_deep().map(syntax_error::too_deep).collect();
    out.extend(syntax_error::foreign_character(snapshot));
    out
}

/// Adds the diagnostics about signs that may stand anywhere, and joins those that are about one name with dots.
pub(crate) fn complete(snapshot: &Snapshot, outside: &mut Vec<Diagnostic>) {
    outside.extend(anywhere(snapshot));
    let length = snapshot.rope().len_bytes();
    let rope = snapshot.rope();
    // A range of bytes need not begin or end at a character.
    let bounded = |at: usize| rope.char_to_byte(rope.byte_to_char(at.min(length)));
    let text = |range: Range<usize>| snapshot.text(bounded(range.start)..bounded(range.end)).into_owned();
    syntax_error::join_dotted(&text, outside);
}

/// Adds the report on a function whose closing brace is missing, or improves it: if more of the text follows, the end of the file is not its
/// place.
pub(crate) fn close(source: ItemSource<'_>, item: &ModuleItem<'_>, followed: bool, out: &mut Vec<Diagnostic>) {
    let open = out.iter_mut().find(|d| syntax_error::is_end_of_block(d)).filter(|_| followed && !item.unclosed);
    if let Some(open) = open {
        *open = unclosed(source, item);
    } else if item.unclosed || (followed && lacks_brace(item.node)) {
        out.push(unclosed(source, item));
    }
}

/// Whether the closing brace of a function's body is missing. After an earlier syntax error, the check of the body does not say so: the
/// parser may have lost the brace. The beginning of another function is evidence enough, in the same tree or in the next one.
fn lacks_brace(function: Node<'_>) -> bool {
    let body = function.child_by_field_id(fields().body);
    let last = body.and_then(|body| body.child(body.child_count().saturating_sub(1)));
    last.is_some_and(|last| last.is_missing() && last.kind() == "}")
}

/// The diagnostic for a function without a closing brace, placed after its last token, because the next function is another
/// item.
fn unclosed(source: ItemSource<'_>, item: &ModuleItem<'_>) -> Diagnostic {
    let header = header_of(source, item.node).unwrap_or(0..1);
    syntax_error::unclosed_function(header, last_character(source, item.node, item.range.end))
}

/// Whether a diagnostic reports a missing opening bracket, which makes all that follows unreadable.
pub(crate) fn lacks_bracket(diagnostic: &Diagnostic) -> bool {
    syntax_error::is_opening_bracket(diagnostic)
}
