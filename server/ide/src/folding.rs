//! Folding ranges.

use crate::walk::{children, top};
use ptx_syntax::trivia::is_endless_comment;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// A folding range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The hidden range, in bytes. It begins after the text that stays visible.
    pub range: Range<usize>,
    /// The token at the end of the range closes it. If the editor folds whole lines, that token stays visible.
    pub closed: bool,
    /// The kind of the range.
    pub kind: FoldKind,
}

/// The kind of a folding range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// The body of a function.
    Function,
    /// A block, a list, a long instruction.
    Code,
    /// Consecutive comments.
    Comment,
    /// The text between `#region` and `#endregion`, or between `#if` and `#endif`.
    Region,
    /// Consecutive declarations.
    Declarations,
    /// The statements after a label, up to the next one.
    Label,
    /// A section, or lines of debugging data.
    Data,
}

/// Minimum number of lines of a run of declarations that can be folded.
const SHORTEST_RUN: usize = 3;

/// All folding ranges, in the order of the text.
pub fn folds(snapshot: &Snapshot) -> Vec<Fold> {
    let mut folding = Folding { snapshot, out: Vec::new(), comments: None, regions: Vec::new() };
    folding.statements(top(snapshot));
    folding.end_comments();
    folding.out.sort_by_key(|f| (f.range.start, std::cmp::Reverse(f.range.end)));
    folding.out
}

/// Consecutive statements that are folded together. `first` and `last` are rows.
struct FoldRun {
    kind: FoldKind,
    range: Range<usize>,
    first: usize,
    last: usize,
}

struct Folding<'t> {
    snapshot: &'t Snapshot,
    out: Vec<Fold>,
    /// The current run of line comments.
    comments: Option<FoldRun>,
    /// Start offsets of the open regions, and whether `#region` began them.
    regions: Vec<(usize, bool)>,
}

impl Folding<'_> {
    fn add(&mut self, range: Range<usize>, closed: bool, kind: FoldKind) {
        if range.start < range.end {
            self.out.push(Fold { range, closed, kind });
        }
    }

    /// Adds the folds of the children of a block, a section or an error node.
    fn children(&mut self, node: Node<'_>) {
        self.statements(children(node));
    }

    /// Adds the folds of consecutive statements.
    fn statements<'n>(&mut self, nodes: impl Iterator<Item = Node<'n>>) {
        let k = kinds();
        let mut run: Option<FoldRun> = None;
        let mut label: Option<FoldRun> = None;
        // The row in which the last node ended that is not a comment.
        let mut row = usize::MAX;
        for child in nodes {
            let kind = child.kind_id();
            if kind == k.comment {
                self.comment(child, row);
                continue;
            }
            if kind == k.preprocessor_line {
                self.preprocessor_line(child);
                continue;
            }
            if kind == k.instruction {
                // Instructions are by far the most common nodes.
                if let Some(run) = run.take() {
                    self.end_run(run);
                }
            } else {
                self.run(&mut run, child, kind);
            }
            row = child.end_position().row;
            if kind == k.label {
                if let Some(label) = label.take() {
                    self.end_label(label);
                }
                let range = child.end_byte()..child.end_byte();
                label = Some(FoldRun { kind: FoldKind::Label, range, first: row, last: row });
            } else if let Some(label) = &mut label
                && child.is_named()
            {
                (label.range.end, label.last) = (child.end_byte(), row);
            }
            if row > child.start_position().row {
                self.long(child, kind);
            }
        }
        if let Some(run) = run {
            self.end_run(run);
        }
        if let Some(label) = label {
            self.end_label(label);
        }
    }

    /// Adds the folds of a statement of several lines.
    fn long(&mut self, node: Node<'_>, kind: u16) {
        let k = kinds();
        if kind == k.function {
            self.function(node);
        } else if kind == k.block {
            self.braces(node, node.start_byte() + 1, FoldKind::Code);
            self.children(node);
        } else if kind == k.section_directive {
            if let Some(open) = opening(node) {
                self.braces(node, open, FoldKind::Data);
            }
            self.children(node);
        } else if node.is_error() {
            self.children(node);
        } else if kind == k.instruction || kind == k.variable_declaration {
            // The first line stays visible.
            let end = self.end_of_line(node.start_byte());
            self.add(end..node.end_byte(), false, FoldKind::Code);
        }
    }

    /// Offset of the end of the line that contains `offset`, without trailing blanks.
    fn end_of_line(&self, offset: usize) -> usize {
        let rope = self.snapshot.rope();
        let line = rope.byte_to_line(offset.min(rope.len_bytes()));
        let (start, next) = (rope.line_to_byte(line), rope.line_to_byte(line + 1));
        start + self.snapshot.text(start..next).trim_end().len()
    }

    /// Adds a fold from `start`, after an opening brace, to its closing brace.
    fn braces(&mut self, node: Node<'_>, start: usize, kind: FoldKind) {
        let closed = self.snapshot.text(node.end_byte().saturating_sub(1)..node.end_byte()) == "}";
        let end = if closed { node.end_byte() - 1 } else { node.end_byte() };
        self.add(start..end, closed, kind);
    }

    fn function(&mut self, node: Node<'_>) {
        let k = kinds();
        let mut header = node.start_byte();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let kind = child.kind_id();
            if kind == k.block {
                let first = self.end_of_line(node.start_byte());
                if first < header {
                    // One fold from the first line to the end of the function, and one for the body alone.
                    self.braces(child, first, FoldKind::Function);
                    self.braces(child, header, FoldKind::Code);
                } else {
                    // A brace on a line of its own is hidden with the block that it opens.
                    self.braces(child, header, FoldKind::Function);
                }
                self.children(child);
            } else if kind == k.comment {
                self.comment(child, usize::MAX);
            } else {
                if kind == k.parameter_list && child.end_position().row > child.start_position().row {
                    let end = child.end_byte() - usize::from(!child.has_error());
                    self.add(child.start_byte() + 1..end, !child.has_error(), FoldKind::Code);
                }
                header = child.end_byte();
            }
            more = cursor.goto_next_sibling();
        }
    }

    /// Adds to the current run of declarations or of debugging data, or begins a new run.
    fn run(&mut self, run: &mut Option<FoldRun>, node: Node<'_>, kind: u16) {
        let k = kinds();
        let run_kind = if kind == k.variable_declaration {
            Some(FoldKind::Declarations)
        } else if kind == k.dwarf_directive || kind == k.file_directive {
            Some(FoldKind::Data)
        } else {
            None
        };
        let (first, last) = (node.start_position().row, node.end_position().row);
        match (run_kind, &mut *run) {
            (Some(run_kind), Some(run)) if run.kind == run_kind && first <= run.last + 1 => {
                (run.range.end, run.last) = (node.end_byte(), last);
                return;
            }
            _ => {}
        }
        if let Some(ended) = run.take() {
            self.end_run(ended);
        }
        *run = run_kind.map(|kind| FoldRun { kind, range: node.byte_range(), first, last });
    }

    fn end_run(&mut self, run: FoldRun) {
        if run.last + 1 >= run.first + SHORTEST_RUN {
            let start = self.end_of_line(run.range.start);
            self.add(start..run.range.end, false, run.kind);
        }
    }

    fn end_label(&mut self, label: FoldRun) {
        if label.last > label.first + 1 {
            self.add(label.range, false, FoldKind::Label);
        }
    }

    fn comment(&mut self, node: Node<'_>, before: usize) {
        let (first, last) = (node.start_position().row, node.end_position().row);
        let text = self.snapshot.text(node.start_byte()..node.end_byte().min(node.start_byte() + 64));
        if let Some(word) = text.strip_prefix("//").map(str::trim_start) {
            if word.starts_with("#region") {
                self.end_comments();
                self.regions.push((node.end_byte(), true));
                return;
            }
            if word.starts_with("#endregion") {
                self.end_comments();
                return self.end_region(node.end_byte(), true);
            }
        }
        if text.starts_with("/*") {
            if last > first {
                let closed = !is_endless_comment(self.snapshot.text(node.byte_range()).as_bytes());
                let end = if closed { node.end_byte() - 2 } else { node.end_byte() };
                let start = self.end_of_line(node.start_byte());
                self.add(start..end.max(start), false, FoldKind::Comment);
            }
            return;
        }
        // A comment after a statement on the same line belongs to that statement.
        if before == first {
            return;
        }
        match &mut self.comments {
            Some(run) if run.last + 1 == first => (run.range.end, run.last) = (node.end_byte(), last),
            _ => {
                self.end_comments();
                self.comments = Some(FoldRun { kind: FoldKind::Comment, range: node.byte_range(), first, last });
            }
        }
    }

    fn end_comments(&mut self) {
        if let Some(run) = self.comments.take()
            && run.last > run.first
        {
            let start = self.end_of_line(run.range.start);
            self.add(start..run.range.end, false, FoldKind::Comment);
        }
    }

    fn preprocessor_line(&mut self, node: Node<'_>) {
        let text = self.snapshot.text(node.start_byte()..node.end_byte().min(node.start_byte() + 64));
        let word = text.trim_start_matches('#').trim_start();
        if word.starts_with("if") {
            self.regions.push((node.end_byte(), false));
        } else if word.starts_with("endif") {
            self.end_region(node.end_byte(), false);
        }
    }

    /// Closes the innermost region of a kind. Regions inside it that are still open are dropped.
    fn end_region(&mut self, end: usize, named: bool) {
        if let Some(at) = self.regions.iter().rposition(|(_, n)| *n == named) {
            let start = self.regions[at].0;
            self.regions.truncate(at);
            self.add(start..end, false, FoldKind::Region);
        }
    }
}

/// Offset after the opening brace of a node.
fn opening(node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if cursor.node().kind() == "{" {
            return Some(cursor.node().end_byte());
        }
        more = cursor.goto_next_sibling();
    }
    None
}
