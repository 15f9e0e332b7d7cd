//! Selection ranges, from small to large: a word, an operand, all operands, the instruction, the statements between two
//! labels, the block, the function.

use crate::walk::{children, whole};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Maximum number of selections before the last one, which is the whole text. The client gets them nested and reads them
/// recursively.
const MAX_STEPS: usize = 64;

/// The selection ranges around an offset, each within the next.
pub fn selections(snapshot: &Snapshot, offset: usize) -> Vec<Range<usize>> {
    let len = snapshot.rope().len_bytes();
    let mut out = Selections { out: Vec::new(), offset: offset.min(len) };
    if let Some(leaf) = leaf_at(snapshot, offset) {
        out.within(snapshot, leaf);
        let mut child = leaf;
        while out.out.len() < MAX_STEPS
            && let Some(parent) = child.parent()
        {
            out.add(child.byte_range());
            out.between(parent, child);
            child = parent;
        }
    }
    // Chunks of a text are not units that a user would select.
    out.add(whole(snapshot));
    out.add(0..len);
    out.out
}

/// The word at an offset, or else the word that ends there, or else any token there.
fn leaf_at(snapshot: &Snapshot, offset: usize) -> Option<Node<'_>> {
    let word = |at: usize| {
        let leaf = snapshot.leaf(at..at + 1)?;
        (leaf.child_count() == 0 && leaf.byte_range().contains(&at)).then_some(leaf)
    };
    let here = word(offset);
    let before = offset.checked_sub(1).and_then(word).filter(Node::is_named);
    match here {
        Some(leaf) if leaf.is_named() => Some(leaf),
        _ => before.or(here).or_else(|| snapshot.leaf(offset..offset)),
    }
}

struct Selections {
    out: Vec<Range<usize>>,
    offset: usize,
}

impl Selections {
    /// Adds a range if it contains the previous one and is larger.
    fn add(&mut self, range: Range<usize>) {
        let last = self.out.last().cloned().unwrap_or(self.offset..self.offset);
        let holds = range.start <= last.start && last.end <= range.end;
        if holds && (self.out.is_empty() || range.len() > last.len()) && !range.is_empty() {
            self.out.push(range);
        }
    }

    /// Adds ranges within one token: the text of a comment or a string.
    fn within(&mut self, snapshot: &Snapshot, leaf: Node<'_>) {
        let k = kinds();
        let range = leaf.byte_range();
        let kind = leaf.kind_id();
        if kind != k.comment && kind != k.string {
            return;
        }
        let text = snapshot.text(range.clone());
        let inner = text.trim_start_matches(['/', '*', '"']).trim_start();
        let start = range.start + (text.len() - inner.len());
        let inner = inner.trim_end_matches(['/', '*', '"']).trim_end();
        if kind == k.comment
            && let Some(line) = self.line_of(&text, range.start)
        {
            self.add(line);
        }
        self.add(start..start + inner.len());
    }

    /// The line of a block comment.
    fn line_of(&self, text: &str, base: usize) -> Option<Range<usize>> {
        let at = self.offset.checked_sub(base).filter(|at| *at <= text.len() && text.contains('\n'))?;
        let start = text.get(..at)?.rfind('\n').map_or(0, |i| i + 1);
        let end = text.get(at..)?.find('\n').map_or(text.len(), |i| at + i);
        let line = text.get(start..end)?;
        let indent = line.len() - line.trim_start().len();
        (line.trim() != "").then(|| base + start + indent..base + start + line.trim_end().len())
    }

    /// Adds parts of a node that are not nodes themselves.
    fn between(&mut self, parent: Node<'_>, child: Node<'_>) {
        let k = kinds();
        let kind = parent.kind_id();
        if kind == k.instruction {
            self.of_instruction(parent, child);
        } else if kind == k.block || kind == k.section_directive {
            self.of_block(parent, child);
        } else if [k.vector, k.address, k.argument_list, k.initializer_list, k.parameter_list].contains(&kind) {
            self.inside(parent);
        } else if kind == k.variable_declaration || kind == k.label {
            // All declarators, without the type.
            let declarators = children(parent).filter(|n| n.kind_id() == k.declarator);
            self.span(declarators);
        }
    }

    /// Adds the mnemonic, or all operands.
    fn of_instruction(&mut self, instruction: Node<'_>, child: Node<'_>) {
        let k = kinds();
        let opcode = children(instruction).position(|n| n.kind_id() == k.opcode);
        let operand = |n: &Node<'_>| n.is_named() && ![k.guard, k.opcode, k.comment, k.unclosed].contains(&n.kind_id());
        let first = children(instruction)
            .filter(|n| operand(n) && n.kind_id() != k.modifier && n.kind_id() != k.bank)
            .map(|n| n.start_byte())
            .next();
        let first = first.unwrap_or(instruction.end_byte());
        if child.start_byte() >= first {
            self.span(children(instruction).filter(|n| operand(n) && n.start_byte() >= first));
        } else if child.kind_id() != k.guard {
            self.span(
                children(instruction).skip(opcode.unwrap_or(0)).filter(|n| n.is_named() && n.start_byte() < first),
            );
        }
        // The instruction without its guard.
        let start = children(instruction).nth(opcode.unwrap_or(0)).map(|n| n.start_byte());
        self.add(start.unwrap_or(instruction.start_byte())..instruction.end_byte());
    }

    /// Adds the statements between two labels, the same with the first label, and all statements of the block.
    fn of_block(&mut self, block: Node<'_>, child: Node<'_>) {
        let k = kinds();
        let mut run: Option<Range<usize>> = None;
        let mut label = None;
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let node = cursor.node();
            let named = ptx_syntax::is_named(node.kind_id());
            if node.kind_id() == k.label {
                if node.start_byte() > child.start_byte() {
                    break;
                }
                (label, run) = (Some(node.start_byte()), None);
            } else if named {
                let range = node.byte_range();
                run = Some(run.map_or(range.clone(), |r| r.start..range.end));
            }
            more = cursor.goto_next_sibling();
        }
        if let Some(run) = run {
            self.add(run.clone());
            self.add(label.unwrap_or(run.start)..run.end);
        }
        self.inside(block);
    }

    /// Adds the content of a node's brackets.
    fn inside(&mut self, node: Node<'_>) {
        self.span(children(node).filter(Node::is_named));
    }

    /// Adds the range from the first to the last of some nodes.
    fn span<'t>(&mut self, nodes: impl Iterator<Item = Node<'t>>) {
        let mut span: Option<Range<usize>> = None;
        for node in nodes {
            let range = node.byte_range();
            span = Some(span.map_or(range.clone(), |s| s.start..range.end));
        }
        if let Some(span) = span {
            self.add(span);
        }
    }
}
