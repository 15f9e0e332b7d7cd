//! The statements around the cursor, and the names that they write and read.

use super::place::CompletionPlace;
use super::tokens::{CompletionTokenKind, Tokens};
use super::usage::{self, StatementStep};
use ptx_isa::ISA;
use std::collections::HashMap;

/// Bytes of text before and after the cursor that are read.
pub(super) const BEFORE: usize = 8 << 10;
const AFTER: usize = 4 << 10;

/// Distances from the cursor to uses of a name, in statements. `written` and `read` are the last uses before the cursor;
/// `next_written` and `next_read` are the first uses after it.
#[derive(Debug, Clone, Copy, Default)]
struct UseDistances {
    written: Option<usize>,
    read: Option<usize>,
    next_read: Option<usize>,
    next_written: Option<usize>,
    /// The last use as an address before the cursor.
    address: Option<usize>,
    /// Number of reads before the cursor since the last write.
    reads: usize,
}

/// The role of a name at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRole {
    /// The instruction reads the name.
    Read,
    /// The instruction writes the name.
    Written,
    /// The instruction reads the name as an address.
    Address,
}

/// The statements around the cursor.
#[derive(Debug, Default)]
pub struct History {
    /// The statements before the cursor, the nearest last.
    pub steps: Vec<StatementStep>,
    /// Special registers that these statements read, in order of their reads.
    pub special: Vec<String>,
    uses: HashMap<String, UseDistances>,
}

impl History {
    /// Reads the text around a place.
    pub fn new(place: &CompletionPlace<'_>) -> Self {
        let rope = place.snapshot.rope();
        let line = |at: usize| rope.line_to_byte(rope.byte_to_line(at.min(rope.len_bytes())));
        let around = place.function.map_or(0..rope.len_bytes(), |f| f.byte_range());
        let start = line(place.start.saturating_sub(BEFORE)).max(around.start.min(place.start));
        let mut out = Self::default();
        let before = Tokens::new(place.snapshot.text(start..place.start.max(start)).into_owned());
        let statements = statements(&before);
        let count = statements.len();
        for (index, words) in statements.iter().enumerate() {
            let step = usage::step(words);
            let distance = count - index;
            out.enter(words, &step, |uses, role| match role {
                NameRole::Written => (uses.written, uses.reads) = (Some(distance), 0),
                NameRole::Read | NameRole::Address => {
                    (uses.read, uses.reads) = (Some(distance), uses.reads + 1);
                    uses.address = if role == NameRole::Address { Some(distance) } else { uses.address };
                }
            });
            if !step.class.is_empty() {
                out.steps.push(step);
            }
        }
        // A name that this statement already reads is less likely to be meant again.
        let own: Vec<&str> = place.before.words(0).collect();
        out.enter(&own, &usage::step(&own), |uses, role| {
            if role != NameRole::Written {
                (uses.read, uses.reads) = (Some(0), uses.reads + 1);
            }
        });
        let next = line(place.replace.end) + 1;
        let from = (rope.byte_to_line(next.min(rope.len_bytes()).saturating_sub(1)) + 1).min(rope.len_lines());
        let from = rope.line_to_byte(from).min(rope.len_bytes());
        let end = line(from + AFTER).min(around.end).max(from);
        let after = Tokens::new(place.snapshot.text(from..end).into_owned());
        for (index, words) in self::statements(&after).iter().enumerate() {
            let step = usage::step(words);
            out.enter(words, &step, |uses, role| {
                let known = if role == NameRole::Written { &mut uses.next_written } else { &mut uses.next_read };
                *known = known.or(Some(index + 1));
            });
        }
        out
    }

    fn enter(&mut self, words: &[&str], step: &StatementStep, mut note: impl FnMut(&mut UseDistances, NameRole)) {
        if ISA.opcode(&step.word).is_none() {
            return;
        }
        let from = words.iter().position(|w| *w == step.word).map_or(0, |at| at + 1);
        let writes = usage::writes(&step.word);
        let mut depth = 0usize;
        let mut first = true;
        let mut special = "";
        let mut brackets = 0usize;
        let mut found: Vec<(&str, NameRole)> = Vec::new();
        for (index, word) in words.iter().enumerate() {
            match *word {
                "[" => brackets += 1,
                "]" => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            match *word {
                "[" | "{" | "(" => depth += 1,
                "]" | "}" | ")" => depth = depth.saturating_sub(1),
                "," if depth == 0 && index > from => first = false,
                _ if index + 1 == from => {}
                name if ISA.special_register(name).is_some() => special = name,
                component if !special.is_empty() && component.starts_with('.') => {
                    self.special.push(format!("{special}{component}"));
                    special = "";
                }
                name if name.starts_with(['%', '_', '$']) || name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    let role = match brackets {
                        0 if writes && first && index >= from => NameRole::Written,
                        0 => NameRole::Read,
                        _ => NameRole::Address,
                    };
                    found.push((name, role));
                }
                _ => {}
            }
        }
        // An instruction reads its sources before it writes its results.
        found.sort_by_key(|(_, role)| *role == NameRole::Written);
        for (name, role) in found {
            note(self.uses.entry(name.to_owned()).or_default(), role);
        }
    }

    /// Whether a name occurs in the surrounding statements.
    pub fn mentions(&self, name: &str) -> bool {
        self.uses.contains_key(name)
    }

    /// The cost of a name in a role: a smaller cost is likelier. `None` if the name does not occur.
    pub fn cost(&self, name: &str, role: NameRole) -> Option<usize> {
        let uses = self.uses.get(name)?;
        let written = role == NameRole::Written;
        let read_later = uses.next_read.filter(|r| uses.next_written.is_none_or(|w| *r <= w));
        let cost = if written {
            match (uses.written, read_later) {
                // A later statement reads a register that no statement before the cursor has written.
                (None, Some(read)) => read,
                (Some(at), Some(read)) => 40 + at.min(read),
                (Some(at), None) => 60 + at,
                (None, None) => 200,
            }
        } else {
            match (uses.written, uses.reads, read_later) {
                (Some(at), 0, None) => at,
                (Some(at), 0, Some(_)) => at * 2 + 6,
                (Some(at), reads, _) => at.min(uses.read.unwrap_or(at) + 2) * 2 + 10 + reads.min(4),
                (None, _, _) => 60 + uses.read.unwrap_or(100).min(uses.next_written.map_or(400, |n| n + 20)),
            }
        };
        // One address often serves several accesses in a row.
        let again = uses.address.filter(|_| role == NameRole::Address).map_or(usize::MAX, |at| at + 2);
        Some(cost.min(again))
    }
}

/// The words of each statement of a body.
pub(super) fn statements(tokens: &Tokens) -> Vec<Vec<&str>> {
    const MAX_WORDS: usize = 200;
    let mut out: Vec<Vec<&str>> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for index in 0..tokens.len() {
        let word = tokens.at(index);
        let lines = matches!(words.first(), Some(&".loc" | &".file"));
        let begins = ISA.opcode(word).is_some() || word == "@" || tokens.kind(index) == Some(CompletionTokenKind::Dot);
        if lines && begins {
            out.push(std::mem::take(&mut words));
        }
        match word {
            ";" => out.push(std::mem::take(&mut words)),
            "{" if words.is_empty() => out.push(vec!["{"]),
            "{" if words.iter().any(|w| matches!(*w, ".entry" | ".func")) => {
                words.clear();
                out.push(vec!["{"]);
            }
            "}" if words.is_empty() => {}
            ":" if words.len() == 1 => {
                words.push(word);
                out.push(std::mem::take(&mut words));
            }
            _ if words.len() < MAX_WORDS => words.push(word),
            _ => {}
        }
    }
    out
}
