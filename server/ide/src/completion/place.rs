//! The place of the cursor: the part of the module, the statement, and the word within the statement.

use super::cuda_names::is_begun;
use super::tokens::{CompletionTokenKind, Tokens, is_part};
use ptx_syntax::trivia::is_endless_comment;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// A part of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModulePart {
    /// Outside of functions.
    Module,
    /// Between the first word of a function and its body.
    Header,
    /// In a body.
    Body,
    /// In a section of data.
    Section,
}

/// The place of the cursor in a module.
#[derive(Debug)]
pub struct CompletionPlace<'t> {
    /// The text and its tree.
    pub snapshot: &'t Snapshot,
    /// Offset of the cursor, in bytes.
    pub offset: usize,
    /// The part of the module that contains the cursor.
    pub level: ModulePart,
    /// The enclosing function.
    pub function: Option<Node<'t>>,
    /// The node that directly contains the statement: the innermost block, a section or the file.
    pub holder: Node<'t>,
    /// Offset at which the statement at the cursor begins.
    pub start: usize,
    /// Tokens of the statement before the word at the cursor. Their text also includes that word.
    pub before: Tokens,
    /// The word at the cursor, up to the cursor; may be empty.
    pub word: String,
    /// Token kind of the word; `None` if the word is empty.
    pub kind: Option<CompletionTokenKind>,
    /// No blank separates the word from the token before it.
    pub touches: bool,
    /// The statement follows a label.
    pub labelled: bool,
    /// The range that an item replaces when it is inserted: the word up to the cursor.
    pub insert: Range<usize>,
    /// The range that an item replaces when it overwrites: the whole word.
    pub replace: Range<usize>,
    /// The tokens from the end of the word to the end of the statement or line.
    pub after: Tokens,
}

/// Limits for the search by text, which applies where the syntax tree does not help: lines searched backwards, and bytes of
/// a statement.
const MAX_LINES: usize = 64;
const MAX_STATEMENT: usize = 1 << 16;

impl<'t> CompletionPlace<'t> {
    /// The place at a byte offset; `None` in comments and preprocessor lines.
    pub fn new(snapshot: &'t Snapshot, offset: usize) -> Option<Self> {
        let rope = snapshot.rope();
        let offset = rope.char_to_byte(rope.byte_to_char(offset.min(rope.len_bytes())));
        let end = end_of_code(snapshot, offset)?;
        let found = StatementAtCursor::find(snapshot, offset, end);
        if offset - found.start > MAX_STATEMENT {
            return None;
        }
        let mut before = Tokens::new(snapshot.text(found.start..offset).into_owned());
        let mut word = String::new();
        let mut kind = None;
        let mut touches = false;
        let mut insert = offset..offset;
        if let Some(last) = before.list.last().filter(|t| t.range.end == before.text.len()).cloned() {
            if last.kind == CompletionTokenKind::Open {
                return None;
            }
            if last.kind != CompletionTokenKind::Sign && !is_closed_string(&before, last.range.clone()) {
                touches = before.touches(before.len() - 1);
                word = before.at(before.len() - 1).to_owned();
                kind = Some(last.kind);
                insert.start = found.start + last.range.start;
                before.list.pop();
                // `threadIdx.x` of CUDA C++ counts as one word, although it is not PTX.
                if let Some(joined) = before.list.last().filter(|t| t.kind == CompletionTokenKind::Word).cloned()
                    && is_begun(&before.text, joined.range.start..last.range.end)
                {
                    word = before.text.get(joined.range.start..last.range.end).unwrap_or("").to_owned();
                    kind = Some(CompletionTokenKind::Word);
                    insert.start = found.start + joined.range.start;
                    before.list.pop();
                    touches = before.list.last().is_some_and(|t| t.range.end == joined.range.start);
                }
            }
        }
        let rest = rest_of_word(snapshot, offset, kind);
        let line_end = end_of_line(snapshot, offset);
        let after = snapshot.text(offset + rest..line_end).into_owned();
        let mut after = Tokens::new(after);
        if let Some(stop) =
            (0..after.len()).find(|i| matches!(after.at(*i), ";") || after.kind(*i) == Some(CompletionTokenKind::Open))
        {
            after.list.truncate(stop);
        }
        Some(Self {
            snapshot,
            offset,
            level: found.level,
            function: found.function,
            holder: found.holder,
            start: found.start,
            before,
            word,
            kind,
            touches,
            labelled: found.labelled,
            replace: insert.start..offset + rest,
            insert,
            after,
        })
    }

    /// Whether the enclosing function is a kernel.
    pub fn in_kernel(&self) -> bool {
        let words = || self.before.words(0).any(|w| w == ".entry");
        match self.function {
            Some(function) => is_kernel(self.snapshot, function),
            None => words(),
        }
    }
}

fn is_kernel(snapshot: &Snapshot, function: Node<'_>) -> bool {
    let kind = function.child_by_field_id(fields().kind).or_else(|| kind_child(function));
    kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry")
}

fn kind_child(node: Node<'_>) -> Option<Node<'_>> {
    ptx_syntax::walk::named_children(node).find(|n| n.kind_id() == kinds().function_kind)
}

fn is_closed_string(tokens: &Tokens, range: Range<usize>) -> bool {
    let text = tokens.text.get(range).unwrap_or("");
    text.len() > 1 && text.starts_with('"') && text.ends_with('"')
}

/// The end of the last token before an offset, or `None` if the offset is in a comment.
fn end_of_code(snapshot: &Snapshot, offset: usize) -> Option<usize> {
    let k = kinds();
    let rope = snapshot.rope();
    let mut end = offset;
    loop {
        let blank = |end: usize| end > 0 && rope.get_byte(end - 1).is_some_and(|b| b.is_ascii_whitespace());
        while blank(end) {
            end -= 1;
        }
        if end == 0 {
            return Some(0);
        }
        let node = snapshot.leaf(end - 1..end)?;
        let kind = node.kind_id();
        if kind != k.comment && kind != k.preprocessor_line {
            return Some(end);
        }
        let text = snapshot.text(node.byte_range());
        let closed = text.starts_with("/*") && !is_endless_comment(text.as_bytes());
        let line = |at: usize| rope.byte_to_line(at.min(rope.len_bytes()));
        if offset < node.end_byte() || (!closed && line(offset) == line(node.end_byte().saturating_sub(1))) {
            return None;
        }
        end = node.start_byte();
    }
}

fn end_of_line(snapshot: &Snapshot, offset: usize) -> usize {
    let rope = snapshot.rope();
    let line = rope.byte_to_line(offset);
    let end = if line + 1 < rope.len_lines() { rope.line_to_byte(line + 1) } else { rope.len_bytes() };
    end.min(rope.char_to_byte(rope.byte_to_char(offset + MAX_STATEMENT.min(rope.len_bytes() - offset))))
}

/// Number of bytes of the current word after an offset.
fn rest_of_word(snapshot: &Snapshot, offset: usize, kind: Option<CompletionTokenKind>) -> usize {
    let rope = snapshot.rope();
    let Some(kind) = kind else { return 0 };
    let chars: Vec<char> = rope.chars_at(rope.byte_to_char(offset)).take(256).collect();
    if kind == CompletionTokenKind::String {
        let end = chars.iter().position(|c| matches!(c, '"' | '\n' | '\r'));
        let quote = end.and_then(|at| chars.get(at)) == Some(&'"');
        let length: usize = chars.iter().take(end.unwrap_or(0)).map(|c| c.len_utf8()).sum();
        return if quote { length + 1 } else { 0 };
    }
    let mut length = 0;
    while let Some(c) = chars.get(length) {
        // `.shared::cta` is one word.
        let pair = kind == CompletionTokenKind::Dot && chars.get(length..length + 2) == Some(&[':', ':']);
        match (is_part(*c), pair) {
            (true, _) => length += 1,
            (false, true) => length += 2,
            _ => break,
        }
    }
    length
}

/// The statement at the cursor, found by the syntax tree or, after syntax errors, by the text.
struct StatementAtCursor<'t> {
    start: usize,
    level: ModulePart,
    function: Option<Node<'t>>,
    holder: Node<'t>,
    labelled: bool,
}

impl<'t> StatementAtCursor<'t> {
    /// The statement at an offset; `end` is the end of the last token before it.
    fn find(snapshot: &'t Snapshot, offset: usize, end: usize) -> Self {
        let Some(leaf) = end.checked_sub(1).and_then(|at| snapshot.leaf(at..end)) else {
            let holder = snapshot.root_at(0);
            return Self { start: offset, level: ModulePart::Module, function: None, holder, labelled: false };
        };
        let k = kinds();
        let holds = |n: Node<'_>| {
            let kind = n.kind_id();
            kind == k.block || kind == k.source_file || kind == k.section_directive || n.is_error()
        };
        let new = |holder: Node<'t>| Self::new(offset, holder);
        // A brace that opens or closes a block begins a new statement.
        let parent = leaf.parent();
        if let Some(block) = parent.filter(|p| holds(*p) && !p.is_error()) {
            match leaf.kind() {
                "{" => return new(block),
                "}" => return Self::closed(offset, block),
                _ => {}
            }
        }
        let mut here = leaf;
        let holder = loop {
            let Some(parent) = here.parent() else { break here };
            if holds(parent) {
                break parent;
            }
            here = parent;
        };
        if here.is_error() || holder.is_error() || holder == here {
            return Self::by_text(snapshot, offset, end, here);
        }
        let kind = here.kind_id();
        let last = snapshot.text(end - 1..end);
        // `.extern .`: after an error, the parser takes an incomplete statement for several.
        let line = |at: usize| snapshot.rope().byte_to_line(at);
        let broken = here.prev_sibling().is_some_and(|n| n.is_error() && line(n.end_byte()) == line(here.start_byte()));
        if broken && kind != k.function {
            return Self::by_text(snapshot, offset, end, here);
        }
        // The empty node of a missing token may be on the next line.
        let rest = end..here.end_byte().max(end);
        let ended = rest.len() < MAX_STATEMENT && snapshot.text(rest).trim().is_empty();
        if (last == ";" && ended) || (kind == k.label && last == ":") {
            return Self { labelled: kind == k.label, ..new(holder) };
        }
        if kind == k.function && last == "}" && ended {
            return new(holder);
        }
        // If code follows the cursor on its line, the statement above does not continue there.
        let alone = snapshot.text(offset..end_of_line(snapshot, offset)).trim().is_empty();
        let goes_on = alone && last.ends_with([',', '(', '[', '{', '|', '=', '@', '!', '+']);
        if ended && line(offset) > line(end) && !goes_on && kind != k.function {
            return new(holder);
        }
        let mut out = new(holder);
        out.start = here.start_byte();
        out.labelled = here.prev_named_sibling().is_some_and(|n| n.kind_id() == k.label);
        if kind == k.function {
            out.level = ModulePart::Header;
            out.function = Some(here);
        }
        out
    }

    /// A new statement in a block, a section or the module.
    fn new(offset: usize, holder: Node<'t>) -> Self {
        let k = kinds();
        let mut function = None;
        let mut node = Some(holder);
        while let Some(here) = node {
            if here.kind_id() == k.function || kind_child_of_error(here) {
                function = Some(here);
                break;
            }
            node = here.parent();
        }
        let level = if holder.kind_id() == k.section_directive {
            ModulePart::Section
        } else if holder.kind_id() == k.block {
            ModulePart::Body
        } else {
            ModulePart::Module
        };
        Self { start: offset, level, function, holder, labelled: false }
    }

    /// The statement after the brace that closes a block.
    fn closed(offset: usize, block: Node<'t>) -> Self {
        let mut holder = block.parent().unwrap_or(block);
        while holder.kind_id() == kinds().function {
            match holder.parent() {
                Some(parent) => holder = parent,
                None => break,
            }
        }
        Self::new(offset, holder)
    }

    /// Finds the statement from lines and punctuation where the syntax tree has an error.
    fn by_text(snapshot: &'t Snapshot, offset: usize, end: usize, here: Node<'t>) -> Self {
        let k = kinds();
        let rope = snapshot.rope();
        let line_of = |at: usize| rope.byte_to_line(at.min(rope.len_bytes()));
        // The error is in a function, or it includes the beginning of a function.
        let mut around = Some(here);
        let mut body = None;
        let mut header = None;
        while let Some(node) = around {
            let kind = node.kind_id();
            if kind == k.block && body.is_none() {
                body = Some(node);
            }
            if node.is_error() && body.is_none() {
                let word = ptx_syntax::walk::named_children(node)
                    .filter(|n| n.kind_id() == k.function_kind && n.start_byte() < end)
                    .last();
                if let Some(word) = word {
                    header = Some((node, word));
                    break;
                }
            }
            if kind == k.function && body.is_none() {
                header = kind_child(node).map(|word| (node, word));
                break;
            }
            around = node.parent();
        }
        let mut level = if body.is_some() { ModulePart::Body } else { ModulePart::Module };
        let mut function = None;
        if let Some((node, word)) = header {
            let from = rope.line_to_byte(line_of(word.start_byte()));
            let open =
                Tokens::new(snapshot.text(word.start_byte()..end.min(word.start_byte() + MAX_STATEMENT)).into_owned());
            function = Some(node);
            if open.words(0).any(|w| w == "{") {
                level = ModulePart::Body;
            } else {
                return Self {
                    start: from.min(offset),
                    level: ModulePart::Header,
                    function,
                    holder: here,
                    labelled: false,
                };
            }
        }
        let holder = body.or(function).unwrap_or_else(|| snapshot.root_at(here.start_byte()));
        let function = function.or_else(|| Self::new(offset, holder).function);
        let mut line = line_of(end.saturating_sub(1));
        if line_of(offset) > line && !snapshot.text(end - 1..end).ends_with([',', '(', '|']) {
            return Self { start: offset, level, function, holder, labelled: false };
        }
        for _ in 0..MAX_LINES {
            if line == 0 {
                break;
            }
            let above = snapshot.text(rope.line_to_byte(line - 1)..rope.line_to_byte(line)).into_owned();
            let tokens = Tokens::new(above);
            let goes_on = tokens.len().checked_sub(1).is_some_and(|i| matches!(tokens.at(i), "," | "(" | "|"));
            if !goes_on {
                break;
            }
            line -= 1;
        }
        let from = rope.line_to_byte(line);
        let tokens = Tokens::new(snapshot.text(from..offset).into_owned());
        let start = last_statement(&tokens);
        let labelled = tokens.text.get(..start).is_some_and(|t| t.ends_with(':'));
        Self { start: from + start, level, function, holder, labelled }
    }
}

fn kind_child_of_error(node: Node<'_>) -> bool {
    node.is_error() && kind_child(node).is_some()
}

/// Offset at which the last statement of a text begins.
fn last_statement(tokens: &Tokens) -> usize {
    let mut start = 0;
    let mut depth = 0usize;
    for (index, token) in tokens.list.iter().enumerate() {
        match tokens.at(index) {
            ";" => (start, depth) = (token.range.end, 0),
            // A brace that opens a list has a token of its statement before it.
            "{" if depth == 0 && tokens.list.get(index.wrapping_sub(1)).is_none_or(|t| t.range.end <= start) => {
                start = token.range.end;
            }
            "{" => depth += 1,
            "}" if depth == 0 => start = token.range.end,
            "}" => depth -= 1,
            ":" if depth == 0 && index > 0 && tokens.kind(index - 1) == Some(CompletionTokenKind::Word) => {
                start = token.range.end
            }
            _ => {}
        }
    }
    start
}
