//! Statements that are still being typed. The parser has no instruction node for them, only words in an error node. Their
//! opcode and modifiers are read from the text, so that a statement is highlighted from its first word on.

use super::legend::{TokenKind, TokenModifiers};
use super::scopes::NameClass;
use super::{HighlightToken, Walk, heads};
use ptx_isa::ISA;
use ptx_syntax::{Node, kinds};

impl<'t> Walk<'t> {
    /// Pushes the tokens of an unfinished instruction or function, and returns true, if the name is its opcode or its name.
    pub(super) fn unfinished(&mut self, node: Node<'t>) -> bool {
        let k = kinds();
        let in_error = node.parent().is_some_and(|parent| parent.is_error());
        if in_error && node.prev_sibling().is_some_and(|before| before.kind_id() == k.function_kind) {
            let name = self.text(node.byte_range()).into_owned();
            self.scopes.declare(name, NameClass::of(TokenKind::Function));
            self.push(node, TokenKind::Function, TokenModifiers::DECLARATION);
            return true;
        }
        let name = self.text(node.byte_range()).into_owned();
        if ISA.opcode(&name).is_none() || self.scopes.find(&name, node).is_some() {
            return false;
        }
        let modifiers = self.dotted_words(node.end_byte());
        // The parser may take the word for an operand of the line before. Then it is an opcode only if it has modifiers and
        // begins its line.
        let begins = if in_error {
            self.follows_statement(node.start_byte())
        } else {
            !modifiers.is_empty() && self.first_in_line(node.start_byte())
        };
        if !begins {
            return false;
        }
        let end = modifiers.last().map_or(node.end_byte(), |word| word.1);
        let written = self.text(node.start_byte()..end).into_owned();
        let head = self.heads.get(&written);
        self.push(node, TokenKind::Opcode, head.as_ref().map_or(TokenModifiers::NONE, |head| head.opcode));
        for (place, (start, end)) in modifiers.iter().copied().enumerate() {
            let known = head.as_ref().and_then(|head| head.modifiers.get(place).copied());
            let (kind, modifiers) = known.unwrap_or_else(|| heads::modifier(&self.text(start..end)));
            if start < self.range.end {
                self.out.push(HighlightToken { range: start..end, kind, modifiers });
            }
        }
        // The parser may have parsed the modifiers as other nodes.
        self.read_until = end;
        if let Some(frame) = self.stack.last_mut() {
            (frame.head, frame.next) = (head, (0, 0));
        }
        true
    }

    /// Offsets of the start and end of each dotted word right after `from`.
    fn dotted_words(&self, from: usize) -> Vec<(usize, usize)> {
        let rope = self.snapshot.rope();
        let line_end = rope.line_to_byte((rope.byte_to_line(from) + 1).min(rope.len_lines()));
        let text = self.text(from..line_end.max(from));
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| rest.starts_with('.')) {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
            let length = rest.get(1..).map_or(0, |rest| rest.find(|c| !word(c)).unwrap_or(rest.len()));
            out.push((from + at, from + at + 1 + length));
            at += 1 + length;
        }
        out
    }

    /// The text between the beginning of the line and an offset.
    fn before_in_line(&self, offset: usize) -> String {
        let rope = self.snapshot.rope();
        let start = rope.line_to_byte(rope.byte_to_line(offset));
        self.snapshot.text(start..offset).into_owned()
    }

    fn first_in_line(&self, offset: usize) -> bool {
        self.before_in_line(offset).trim().is_empty()
    }

    /// Whether a statement may begin at an offset: at the start of a line, or after another statement, a label or a guard.
    fn follows_statement(&self, offset: usize) -> bool {
        let before = self.before_in_line(offset);
        let before = before.trim_end();
        let guard = before.rsplit([';', '{', '}', ':']).next().unwrap_or_default().trim_start();
        let guarded = guard.starts_with('@') && !guard.contains(char::is_whitespace);
        before.is_empty() || before.ends_with([';', '{', '}', ':', '/']) || guarded
    }
}
