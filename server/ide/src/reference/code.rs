//! PTX as tokens, for whoever shows it in colours.

use ptx_isa::ISA;
use ptx_syntax::{Node, Snapshot, kinds};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The first word of an instruction.
    Opcode,
    /// A modifier that is no type and no state space.
    Modifier,
    /// A type.
    Type,
    /// A state space.
    Space,
    /// A directive.
    Directive,
    /// A register.
    Register,
    /// A special register, with its component.
    Special,
    /// A target.
    Target,
    /// A number.
    Number,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// A label where it stands.
    Label,
    /// Everything else: names, punctuation, blanks.
    Plain,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// As written.
    pub text: String,
    /// What it is.
    pub class: Class,
}

/// The whole text in pieces, nothing left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let snapshot = Snapshot::new(text);
    let mut found = Vec::new();
    leaves(snapshot.root(), text, &mut found);
    let mut out: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut push = |text: Option<&str>, class| {
        let text = text.unwrap_or("");
        match out.last_mut() {
            Some(last) if class == Class::Plain && last.class == Class::Plain => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => out.push(Token { text: text.to_owned(), class }),
        }
    };
    for (start, end, class) in found {
        if start >= at {
            push(text.get(at..start), Class::Plain);
            push(text.get(start..end), class);
            at = end;
        }
    }
    push(text.get(at..), Class::Plain);
    out
}

fn leaves(node: Node<'_>, text: &str, out: &mut Vec<(usize, usize, Class)>) {
    let (start, end) = (node.start_byte(), node.end_byte());
    let word = text.get(start..end).unwrap_or("");
    if let Some(class) = class(node, word) {
        out.push((start, end, class));
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        leaves(child, text, out);
    }
}

/// What a node is shown as; nothing if its parts are to be looked at.
fn class(node: Node<'_>, word: &str) -> Option<Class> {
    let (kinds, kind) = (kinds(), node.kind_id());
    let is = |wanted: &[u16]| wanted.contains(&kind);
    if kind == kinds.opcode {
        return Some(Class::Opcode);
    }
    if kind == kinds.modifier || kind == kinds.ty || kind == kinds.vector_type || kind == kinds.state_space {
        let class = if ISA.ty(word).is_some() {
            Class::Type
        } else if ISA.space(word).is_some() {
            Class::Space
        } else {
            Class::Modifier
        };
        return Some(class);
    }
    if is(&[kinds.comment]) {
        return Some(Class::Comment);
    }
    if is(&[kinds.integer, kinds.float, kinds.version_number, kinds.bank]) {
        return Some(Class::Number);
    }
    if kind == kinds.string {
        return Some(Class::String);
    }
    if kind == kinds.target_name {
        return Some(Class::Target);
    }
    // `%tid.x` is a member of a register.
    let base = word.split('.').next().unwrap_or(word);
    if is(&[kinds.register, kinds.member]) && word.starts_with('%') {
        let special = ISA.special_register(base).is_some();
        return Some(if special { Class::Special } else { Class::Register });
    }
    if kind == kinds.label {
        return Some(Class::Label);
    }
    (node.child_count() == 0 && word.len() > 1 && word.starts_with(['.', '@']) && ISA.directive(word).is_some())
        .then_some(Class::Directive)
}
