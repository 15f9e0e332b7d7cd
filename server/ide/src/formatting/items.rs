//! Formats the statements of a text.

use super::align::{AlignedRow, AlignmentBatch};
use super::line::{self, LeadingSpace, TextSegment, advance, is_plain};
use super::options::{FormatOptions, OperandColumns};
use crate::TextEdit;
use crate::walk::{roots_in, whole};
use ptx_analysis::ItemSource;
use ptx_syntax::{Node, Snapshot, TreeCursor, fields, kinds};
use std::ops::Range;

/// Maximum nesting depth of blocks that are formatted, since the walk is recursive.
const DEEPEST: usize = 64;

/// Maximum number of comment lines above a label that are indented like the label.
const MAX_COMMENTS: usize = 16;

/// The element before a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing: the beginning of the text.
    Nothing,
    /// An opening brace.
    Brace,
    /// A whole statement, or a comment on a line of its own.
    Statement,
    /// A comment that does not end its line.
    Inline,
    /// A label.
    Label,
    /// A statement with an error in it. The line break after it must stay.
    Broken,
    /// Text that is left unchanged together with its surrounding space, or text outside the window.
    Unknown,
}

/// The state of the walk over the statements.
pub struct LayoutState<'t> {
    /// The text of the window.
    text: &'t str,
    window: Range<usize>,
    protected: Vec<Range<usize>>,
    /// Number of `protected` ranges before the current position.
    passed: usize,
    pub options: &'t FormatOptions,
    line_end: &'static str,
    pub cursor: Option<TreeCursor<'t>>,
    /// Segments whose leading space may still change.
    pub pieces: Vec<TextSegment>,
    /// The current line.
    pub row: AlignedRow,
    pub batch: AlignmentBatch,
    edits: Vec<TextEdit>,
    /// Offset at which the last segment ended; `None` before the first segment.
    end: Option<usize>,
    /// The output column after the last segment.
    pub column: usize,
    pub before: Before,
    /// An unbalanced brace assigns later statements to the wrong block. They are left unchanged until the next function.
    lost: bool,
}

impl<'t> LayoutState<'t> {
    /// A walk that begins at the start of a window. `text` is the text of the window.
    pub fn new(text: &'t str, window: Range<usize>, protected: Vec<Range<usize>>, options: &'t FormatOptions) -> Self {
        let crlf = text.find('\n').is_some_and(|at| at > 0 && text.as_bytes().get(at - 1) == Some(&b'\r'));
        let begins = window.start == 0;
        Self {
            text,
            window,
            protected,
            passed: 0,
            options,
            line_end: if crlf { "\r\n" } else { "\n" },
            cursor: None,
            pieces: Vec::new(),
            row: AlignedRow::default(),
            batch: AlignmentBatch::default(),
            edits: Vec::new(),
            end: begins.then_some(0),
            column: 0,
            before: if begins { Before::Nothing } else { Before::Unknown },
            lost: false,
        }
    }

    /// The text of a range of the file.
    pub fn slice(&self, range: Range<usize>) -> &'t str {
        let base = self.window.start;
        self.text.get(range.start.saturating_sub(base)..range.end.saturating_sub(base)).unwrap_or("")
    }

    /// Whether a node is formatted: the window contains all of it.
    fn has(&self, node: Node<'_>) -> bool {
        self.window.start <= node.start_byte() && node.end_byte() <= self.window.end
    }

    /// The text between the last segment and `start`.
    pub fn gap_before(&self, start: usize) -> &'t str {
        self.end.map_or("", |end| self.slice(end..start))
    }

    /// Whether a range of the file is inside a protected range.
    fn is_protected(&mut self, start: usize, end: usize) -> bool {
        while self.protected.get(self.passed).is_some_and(|p| p.end < start) {
            self.passed += 1;
        }
        self.protected.get(self.passed).is_some_and(|p| p.start <= start && end <= p.end)
    }

    /// Adds a segment to the output.
    pub fn put(&mut self, start: usize, text: &str, mut space: LeadingSpace) {
        // A line for a preprocessor ends at `\n`: the `\r` before it belongs to the line end, which is not split.
        let behind = start + text.len();
        let text = text.strip_suffix('\r').filter(|_| self.slice(behind..behind + 1) == "\n").unwrap_or(text);
        let gap = self.gap_before(start);
        let from = self.end.unwrap_or(start);
        if self.end.is_none() || !is_plain(gap) || self.is_protected(from, start) {
            space = LeadingSpace::Keep;
        }
        match space {
            LeadingSpace::Lines { indent, pad, count } => {
                self.end_row(count > 1);
                self.column = indent + pad;
            }
            LeadingSpace::Blanks(count) => self.column += count,
            LeadingSpace::Keep => {
                if gap.contains('\n') {
                    self.end_row(true);
                }
                self.column = advance(self.column, gap, self.options);
            }
        }
        self.pieces.push(TextSegment { gap: (from, start), space });
        self.column = advance(self.column, text, self.options);
        self.end = Some(start + text.len());
        // What is aligned on the first line of a text moves nothing on its last one.
        if text.contains('\n') {
            self.end_row(true);
        }
    }

    /// Ends a line. `apart`: an empty line follows, which ends the alignment.
    fn end_row(&mut self, apart: bool) {
        let row = std::mem::take(&mut self.row);
        let goes_on = row.is_aligned();
        self.batch.add(row);
        if !goes_on || apart {
            self.flush();
        }
    }

    /// Aligns the waiting lines and turns all segments into edits.
    fn flush(&mut self) {
        self.batch.align(&mut self.pieces, self.options);
        for piece in std::mem::take(&mut self.pieces) {
            let (start, end) = piece.gap;
            self.edits.extend(line::edit(start, self.slice(start..end), piece.space, self.line_end, self.options));
        }
    }

    /// Ends the text and returns its edits.
    pub fn finish(mut self) -> Vec<TextEdit> {
        self.end_row(true);
        self.edits
    }

    /// The space before a statement. It keeps line breaks of the source, up to the maximum of blank lines.
    pub fn before_statement(&self, start: usize, indent: usize) -> LeadingSpace {
        let gap = self.gap_before(start);
        let found = gap.bytes().filter(|b| *b == b'\n').count();
        let most = self.options.blank_lines + 1;
        match self.before {
            Before::Nothing => LeadingSpace::Lines { count: 0, indent, pad: 0 },
            Before::Unknown => LeadingSpace::Keep,
            Before::Broken if found == 0 => LeadingSpace::Keep,
            Before::Brace => LeadingSpace::Lines { count: 1, indent, pad: 0 },
            Before::Inline if found == 0 => LeadingSpace::Blanks(1),
            _ => LeadingSpace::Lines { count: found.clamp(1, most), indent, pad: 0 },
        }
    }

    /// Formats the module.
    pub fn module(&mut self, snapshot: &'t Snapshot) {
        for root in roots_in(snapshot, self.window.clone()) {
            self.items(root, 0);
        }
        let end = whole(snapshot).end.max(self.window.end);
        // The root node may begin after blanks, and the text after the last statement belongs to no node.
        if self.window.end == end && self.end.is_some_and(|e| e > 0) {
            // An unclosed comment includes the white space at the end of the text.
            let open = self.gap_before(end).is_empty() && self.slice(end.saturating_sub(1)..end) == "\n";
            let keep = open || self.before == Before::Unknown;
            self.put(
                end,
                "",
                if keep { LeadingSpace::Keep } else { LeadingSpace::Lines { count: 1, indent: 0, pad: 0 } },
            );
        }
    }

    /// Formats the statements of a module or a block at nesting level `depth`.
    fn items(&mut self, container: Node<'t>, depth: usize) {
        let k = kinds();
        let mut cursor = container.walk();
        if cursor.goto_first_child_for_byte(self.window.start).is_none() {
            return;
        }
        let unclosed = depth > 0 && !is_closed(container);
        loop {
            let node = cursor.node();
            if node.start_byte() > self.window.end {
                break;
            }
            let kind = node.kind_id();
            let module_level =
                [k.function, k.version_directive, k.target_directive, k.address_size_directive, k.section_directive];
            if (unclosed && module_level.contains(&kind)) || (node.has_error() && self.is_unbalanced(node)) {
                self.lost = true;
            } else if depth == 0 && kind == k.function {
                self.lost = false;
            }
            let stray = depth == 0 && [k.instruction, k.label, k.block].contains(&kind);
            if !node.is_named() {
                // The braces of a block.
                if self.lost {
                    self.leave(node);
                } else if self.has(node) && node.end_byte() > node.start_byte() {
                    self.brace(node, depth);
                }
            } else if self.lost || stray || depth > DEEPEST {
                self.leave(node);
            } else {
                self.item(node, depth);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }

    /// Whether an erroneous statement has unbalanced braces. Blocks and functions are checked statement by statement.
    fn is_unbalanced(&self, node: Node<'_>) -> bool {
        let k = kinds();
        if node.kind_id() == k.block || node.kind_id() == k.function {
            return false;
        }
        let text = self.slice(node.byte_range());
        node.is_missing() || text.bytes().filter(|b| *b == b'{').count() != text.bytes().filter(|b| *b == b'}').count()
    }

    fn brace(&mut self, node: Node<'_>, depth: usize) {
        let text = self.slice(node.byte_range());
        let outer = depth.saturating_sub(1) * self.options.indent;
        if text == "}" {
            let space = match self.before {
                Before::Unknown => LeadingSpace::Keep,
                Before::Broken if !self.gap_before(node.start_byte()).contains('\n') => LeadingSpace::Keep,
                _ => LeadingSpace::Lines { count: 1, indent: outer, pad: 0 },
            };
            self.put(node.start_byte(), text, space);
            self.before = Before::Statement;
        } else {
            let space = self.before_statement(node.start_byte(), outer);
            self.put(node.start_byte(), text, space);
            self.before = Before::Brace;
        }
    }

    /// Formats one statement.
    fn item(&mut self, node: Node<'t>, depth: usize) {
        let k = kinds();
        let kind = node.kind_id();
        let indent = depth * self.options.indent;
        if kind == k.function {
            return self.function(node, depth);
        }
        if kind == k.block {
            if !node.has_error() && self.has(node) && self.inline(node, indent) {
                return;
            }
            return self.items(node, depth + 1);
        }
        if !self.has(node) {
            // A part of the node is outside the window.
            self.before = Before::Unknown;
            self.end = None;
            return;
        }
        if kind == k.comment {
            return self.comment(node, indent);
        }
        if kind == k.preprocessor_line || kind == k.unknown_directive || node.has_error() || self.is_unfinished(node) {
            return self.leave(node);
        }
        if kind == k.section_directive || kind == k.dwarf_directive {
            let space = self.before_statement(node.start_byte(), indent);
            self.put(node.start_byte(), self.slice(node.byte_range()), space);
            self.before = Before::Statement;
            return;
        }
        let Some(tokens) = self.tokens(node) else { return self.leave(node) };
        let outdented = indent.saturating_sub(self.options.indent);
        match kind {
            _ if kind == k.label => {
                let at = if self.options.outdent_labels { outdented } else { indent };
                let space = self.before_statement(node.start_byte(), at);
                self.flat(&tokens, space);
                self.before = Before::Label;
                return;
            }
            _ if kind == k.instruction => self.instruction(&tokens, indent),
            _ if kind == k.variable_declaration => self.declaration(&tokens, indent),
            _ => {
                // `T: .branchtargets A, B;` may be on one line.
                let named = [k.branch_targets_directive, k.call_targets_directive, k.call_prototype_directive];
                let beside = self.before == Before::Label
                    && named.contains(&kind)
                    && !self.gap_before(node.start_byte()).contains('\n');
                let space =
                    if beside { LeadingSpace::Blanks(1) } else { self.before_statement(node.start_byte(), indent) };
                self.lay_out(&tokens, space, indent, kind == k.call_prototype_directive);
            }
        }
        self.before = Before::Statement;
    }

    /// Whether an instruction is incomplete, so that the parser may have taken the next line for its operands.
    fn is_unfinished(&self, node: Node<'t>) -> bool {
        let source = ItemSource { text: self.slice(node.byte_range()), base: node.start_byte() };
        node.kind_id() == kinds().instruction && ptx_analysis::statement::is_unfinished(source, node)
    }

    /// Leaves a node unchanged, with its surrounding space.
    fn leave(&mut self, node: Node<'_>) {
        if self.has(node) {
            self.put(node.start_byte(), self.slice(node.byte_range()), LeadingSpace::Keep);
        } else {
            self.end = None;
        }
        let broken = self.has(node) && !self.lost && !node.is_error();
        self.before = if broken { Before::Broken } else { Before::Unknown };
    }

    /// Formats a comment between statements or at the end of a line.
    fn comment(&mut self, node: Node<'_>, indent: usize) {
        let (start, text) = (node.start_byte(), self.slice(node.byte_range()));
        let ends_line = text.starts_with("//");
        let gap = self.gap_before(start);
        if gap.contains('\n') || matches!(self.before, Before::Nothing | Before::Unknown) {
            let mut space = self.before_statement(start, self.comment_indent(node, indent));
            // A comment of several lines stays where it is, since moving its first line would misalign the others.
            if text.contains('\n') {
                space = LeadingSpace::Keep;
            }
            self.put(start, text, space);
            self.before = if ends_line { Before::Statement } else { Before::Inline };
            return;
        }
        self.trailing(start, text, ends_line);
        self.before = if !ends_line && self.before != Before::Brace { Before::Inline } else { self.before };
    }

    /// Formats a comment after code on the same line.
    pub fn trailing(&mut self, start: usize, text: &str, ends_line: bool) {
        let gap = self.gap_before(start);
        if ends_line && is_plain(gap) {
            let column = self.column_in_source(start);
            let blanks = gap.bytes().all(|b| b == b' ').then_some(gap.len());
            self.row.comment(self.pieces.len(), self.column, column, blanks);
        }
        self.put(start, text, LeadingSpace::Blanks(1));
    }

    /// The column of `start` in the source.
    fn column_in_source(&self, start: usize) -> usize {
        let before = self.slice(self.window.start..start);
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        advance(0, before.get(line..).unwrap_or(""), self.options)
    }

    /// The indentation of a comment, which follows the code below it. Above a label, it is outdented with the label unless
    /// it began further right in the source.
    fn comment_indent(&self, node: Node<'_>, indent: usize) -> usize {
        if !self.options.outdent_labels || indent == 0 {
            return indent;
        }
        // The text is searched instead of the tree, which is slow to find the next sibling.
        let below = self.slice(node.end_byte()..self.window.end);
        let next = below.lines().skip(1).take(MAX_COMMENTS).find(|line| !line.trim_start().starts_with("//"));
        let label = next.filter(|line| is_label(line));
        let column =
            |line: &str| advance(0, line.get(..line.len() - line.trim_start().len()).unwrap_or(""), self.options);
        match label {
            Some(label) if self.column_in_source(node.start_byte()) <= column(label) => {
                indent.saturating_sub(self.options.indent)
            }
            _ => indent,
        }
    }

    /// Formats a function: its header, then its body.
    fn function(&mut self, node: Node<'t>, depth: usize) {
        let indent = depth * self.options.indent;
        let body = node.child_by_field_id(fields().body);
        let head_end = body.map_or(node.end_byte(), |b| b.start_byte());
        if self.has(node) && !node.has_error() && self.inline(node, indent) {
            return;
        }
        if self.window.start <= node.start_byte() && head_end <= self.window.end {
            match self.head_tokens(node) {
                Some(tokens) => {
                    self.head(tokens, indent, body.is_some());
                    self.before = Before::Statement;
                }
                None => {
                    let end = node.children(&mut node.walk()).filter(|n| Some(*n) != body).last();
                    let end = end.map_or(node.start_byte(), |n| n.end_byte());
                    let text = self.slice(node.start_byte()..end);
                    self.put(node.start_byte(), text, LeadingSpace::Keep);
                    self.before = Before::Unknown;
                }
            }
        } else {
            self.before = Before::Unknown;
            self.end = None;
        }
        if let Some(body) = body {
            self.items(body, depth + 1);
        }
    }

    /// Keeps a whole block or function on one line if it is on one line in the source and fits. Returns whether it did.
    fn inline(&mut self, node: Node<'t>, indent: usize) -> bool {
        if node.start_position().row != node.end_position().row {
            return false;
        }
        let Some(tokens) = self.tokens(node) else { return false };
        if tokens.iter().any(|t| t.is_comment()) || indent + self.flat_width(&tokens) > self.options.width {
            return false;
        }
        let space = self.before_statement(node.start_byte(), indent);
        self.flat(&tokens, space);
        self.before = Before::Statement;
        true
    }

    /// Whether operands of instructions are aligned.
    pub fn aligns_operands(&self) -> bool {
        self.options.operands != OperandColumns::Off && self.options.operand_column > 0
    }
}

/// Whether a line begins with a label.
fn is_label(line: &str) -> bool {
    let line = line.trim_start();
    let name = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'));
    let rest = name.trim_start();
    name.len() < line.len() && rest.starts_with(':') && !rest.starts_with("::")
}

/// Whether a block has its closing brace.
fn is_closed(block: Node<'_>) -> bool {
    let last = block.child(block.child_count().saturating_sub(1));
    last.is_some_and(|n| n.kind() == "}" && !n.is_missing() && !n.byte_range().is_empty())
}
