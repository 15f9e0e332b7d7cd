//! Where registers point, as far as the statements above the cursor say. The analysis of addresses knows more, but it takes a whole
//! function without errors, and longer than a keystroke.

use crate::completion::history::{BEFORE, statements};
use crate::completion::place::CompletionPlace;
use crate::completion::tokens::Tokens;
use crate::completion::usage;
use ptx_analysis::{NameLookup, OperandSpec, Symbol};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, FormPattern, Protocol, ValueKind, Verb};
use std::collections::HashMap;

/// The last value of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pointer {
    /// An address of this state space, which counts from its beginning.
    In(&'static str),
    /// A generic address.
    Generic,
    /// A value from memory.
    Loaded,
}

/// The last values of the registers that are written above the cursor.
#[derive(Debug, Default)]
pub struct Pointers {
    values: HashMap<String, Pointer>,
}

impl Pointers {
    /// Reads the statements of the function before a place.
    pub fn new(place: &CompletionPlace<'_>, names: &dyn NameLookup) -> Self {
        let rope = place.snapshot.rope();
        let start = place.start.saturating_sub(BEFORE).max(place.function.map_or(0, |f| f.start_byte()));
        let start = rope.line_to_byte(rope.byte_to_line(start.min(rope.len_bytes()))).min(place.start);
        let tokens = Tokens::new(place.snapshot.text(start..place.start).into_owned());
        let mut out = Self::default();
        for words in statements(&tokens) {
            out.enter(&words, names);
        }
        out
    }

    fn enter(&mut self, words: &[&str], names: &dyn NameLookup) {
        let step = usage::step(words);
        let Some(opcode) = ISA.opcode(&step.word).filter(|o| usage::writes(o.name)) else { return };
        let Some(from) = words.iter().position(|w| *w == step.word) else { return };
        let modifiers: Vec<&str> = words.iter().skip(from + 1).take_while(|w| w.starts_with('.')).copied().collect();
        let operands = words.get(from + 1 + modifiers.len()..).unwrap_or(&[]);
        let (Some(entry), Some(result)) = (opcode.entry(&modifiers), operands.first()) else { return };
        let sources = operands.iter().skip_while(|w| **w != ",");
        let source = |name: &&str| match names.look_up(name) {
            Some(Symbol::Variable(v)) => Some(Pointer::In(v.space)),
            _ => self.values.get(*name).copied(),
        };
        let value = match address_verb(entry) {
            Some(Verb::Passes | Verb::Adds) => sources.clone().find_map(source),
            Some(Verb::Widens) => Some(Pointer::Generic),
            Some(Verb::Narrows) => modifiers.iter().find_map(|m| ISA.space(m)).map(|space| Pointer::In(space.name)),
            _ if loads(entry) => Some(Pointer::Loaded),
            _ => None,
        };
        match value {
            Some(value) => drop(self.values.insert((*result).to_owned(), value)),
            None => drop(self.values.remove(*result)),
        }
    }

    /// Whether a register holds something else than an address that an operand takes.
    pub fn contradict(&self, register: &str, spec: &OperandSpec) -> bool {
        let is_window = |name: &str| ISA.space(name).is_some_and(|s| s.window);
        match (self.values.get(register), spec.spaces) {
            (None, _) | (Some(Pointer::Generic | Pointer::Loaded), None) => false,
            (Some(Pointer::In(space)), None) => is_window(space),
            (Some(Pointer::In(space)), Some(spaces)) => !spaces.iter().any(|s| base(s) == base(space)),
            // A kernel gets pointers to global memory from its parameters, none to windows.
            (Some(Pointer::Generic | Pointer::Loaded), Some(spaces)) => spaces.iter().all(|s| is_window(s)),
        }
    }
}

/// `.shared` of `.shared::cta`.
fn base(space: &str) -> &str {
    space.split("::").next().unwrap_or(space)
}

/// How the result of an instruction is an address.
fn address_verb(entry: &'static Entry) -> Option<Verb> {
    let mut effects = entry.forms.iter().flat_map(|f| f.effects);
    effects.find(|e| e.protocol == Protocol::Address).map(|e| e.verb)
}

/// Whether an instruction reads memory.
fn loads(entry: &'static Entry) -> bool {
    let is_address = |pattern: &FormPattern| match pattern {
        FormPattern::Value(value) => matches!(value.kind, ValueKind::Address(_)),
        FormPattern::Address(_) => true,
        _ => false,
    };
    entry.forms.iter().flat_map(|f| f.operands).any(|o| is_address(&o.pattern))
}
