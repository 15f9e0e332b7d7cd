//! A host text in chunks. An edit scans only the chunks that it touches, and those after them until the scanner is in the
//! state that it had at the same place before.

use crate::build::Part;
use crate::cpp::{self, CppState};
use crate::julia::{self, JuliaState};
use crate::llvm_ir::{self, LlvmIrState};
use crate::model::{Edit, Group, Placed};
use crate::python::{self, PythonState};
use crate::raw::Item;
use crate::rust::{self, RustState};
use crate::targets::{Condition, Wanted};
use crate::words::Outline;
use std::ops::Range;
use std::sync::Arc;

/// Chunks end at the first safe line start after this many bytes.
const CHUNK_BYTES: usize = 4096;
/// A chunk that would end inside a function is extended to the function's end, but not further than this.
const MAX_CHUNK_BYTES: usize = 4 * CHUNK_BYTES;
/// A chunk after an edit has at least this many bytes, so that chunks do not crumble.
const MIN_CHUNK_BYTES: usize = 1024;

/// What the scanner of a language knows at a line start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Cpp(CppState),
    Python(PythonState),
    Rust(RustState),
    LlvmIr(LlvmIrState),
    Julia(JuliaState),
}

/// A part of the text.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub len: usize,
    /// The state at its start.
    pub state: State,
    pub items: Vec<Item>,
    /// The conditions around its start. `None` if it starts inside a function.
    pub entry: Option<Arc<Entry>>,
    /// What was made of each item. Only statements have something.
    pub made: Vec<Made>,
}

/// The conditions around a place outside functions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub conditionals: Vec<Conditional>,
    /// Conditionals that are open beyond the ones followed.
    pub beyond: usize,
}

/// An open `#if`.
#[derive(Debug, Clone)]
pub(crate) struct Conditional {
    /// A number of its own among those that are open together or follow in one function.
    pub number: usize,
    pub branch: usize,
    /// The conditions of the branches before this one, and of this one.
    pub before: Vec<Arc<Condition>>,
    /// What holds in this branch.
    pub holds: Vec<Arc<Condition>>,
}

impl PartialEq for Conditional {
    fn eq(&self, other: &Self) -> bool {
        self.branch == other.branch && self.before == other.before && self.holds == other.holds
    }
}

impl Eq for Conditional {}

/// What was made of a statement, while the statement stays as written.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The statement alone, with the revision of the definitions that it was read with.
    pub part: Option<(u64, Arc<Part>)>,
    pub outline: Option<Outline>,
    /// The groups of C++ in a literal, with offsets from its start.
    pub inside: Option<Arc<Vec<Placed>>>,
    /// The group that begins with the statement: the offsets of its members, what it was made of, and the result.
    pub group: Option<MadeGroup>,
}

/// A group with all that it was made of.
#[derive(Debug)]
pub(crate) struct MadeGroup {
    pub members: Vec<(usize, Arc<Part>)>,
    pub wanted: Arc<Wanted>,
    /// A statement in another branch is needed.
    pub lacks: bool,
    pub group: Arc<Group>,
}

/// A state that a scanner has now.
enum StateNow<'a> {
    Cpp(&'a CppState),
    Python(&'a PythonState),
    Rust(&'a RustState),
    LlvmIr(&'a LlvmIrState),
    Julia,
}

impl StateNow<'_> {
    fn is(&self, state: &State) -> bool {
        match (self, state) {
            (Self::Cpp(now), State::Cpp(state)) => *now == state,
            (Self::Python(now), State::Python(state)) => *now == state,
            (Self::Rust(now), State::Rust(state)) => *now == state,
            (Self::LlvmIr(now), State::LlvmIr(state)) => *now == state,
            (Self::Julia, State::Julia(_)) => true,
            _ => false,
        }
    }

    /// Whether a chunk of a length should end here.
    fn ends(&self, length: usize) -> bool {
        let outside = match self {
            Self::Cpp(state) => state.is_outside(),
            Self::Python(state) => state.is_outside(),
            Self::Rust(state) => state.is_outside(),
            Self::LlvmIr(state) => state.is_outside(),
            Self::Julia => true,
        };
        length >= CHUNK_BYTES && outside || length >= MAX_CHUNK_BYTES
    }
}

fn scan(
    text: &[u8],
    start: usize,
    state: &State,
    stop: &mut dyn FnMut(usize, StateNow<'_>) -> bool,
) -> (usize, Vec<Item>, State) {
    match state {
        State::Cpp(state) => {
            let (end, items, state) = cpp::scan(text, start, state, &mut |at, state| stop(at, StateNow::Cpp(state)));
            (end, items, State::Cpp(state))
        }
        State::Python(state) => {
            let (end, items, state) =
                python::scan(text, start, state, &mut |at, state| stop(at, StateNow::Python(state)));
            (end, items, State::Python(state))
        }
        State::Rust(state) => {
            let (end, items, state) = rust::scan(text, start, state, &mut |at, state| stop(at, StateNow::Rust(state)));
            (end, items, State::Rust(state))
        }
        State::LlvmIr(state) => {
            let (end, items, state) =
                llvm_ir::scan(text, start, state, &mut |at, state| stop(at, StateNow::LlvmIr(state)));
            (end, items, State::LlvmIr(state))
        }
        State::Julia(state) => {
            let (end, items, state) = julia::scan(text, start, state, &mut |at, _| stop(at, StateNow::Julia));
            (end, items, State::Julia(state))
        }
    }
}

fn chunk(len: usize, state: State, items: Vec<Item>) -> Chunk {
    let made = items.iter().map(|_| Made::default()).collect();
    Chunk { len, state, items, entry: None, made }
}

/// Scans a whole text.
pub(crate) fn scan_all(text: &str, mut state: State) -> Vec<Chunk> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let (end, items, after) = scan(bytes, start, &state, &mut |at, state| state.ends(at - start));
        out.push(chunk(end - start, state, items));
        (start, state) = (end, after);
    }
    out
}

/// What `rescan` changed.
pub(crate) struct Rescanned {
    /// The chunks that are new.
    pub new: Range<usize>,
    /// Whether definitions may have changed.
    pub definitions: bool,
}

/// Brings chunks up to date after an edit.
pub(crate) fn rescan(chunks: &mut Vec<Chunk>, text: &str, edit: Edit, initial: State) -> Rescanned {
    let bytes = text.as_bytes();
    // The chunk that contains the byte before the edit: that byte and the first new one may form a token.
    let mut first = 0;
    let mut start = 0;
    while let Some(chunk) = chunks.get(first) {
        if start + chunk.len >= edit.start.max(1) {
            break;
        }
        start += chunk.len;
        first += 1;
    }
    let mut state = chunks.get(first).map_or(initial, |c| c.state.clone());
    // Ends of old chunks after the edit, in the new text.
    let mut next = first;
    let mut next_at = start;
    let moved = |old: usize| (old + edit.new_end) - edit.old_end;
    let mut new = Vec::new();
    let begin = start;
    while start < bytes.len() {
        let mut met = false;
        let (end, items, after) = scan(bytes, start, &state, &mut |at, state| {
            while next < chunks.len() && (next_at < edit.old_end || moved(next_at) < at || next == first) {
                next_at += chunks[next].len;
                next += 1;
            }
            let length = at - start;
            if length >= MIN_CHUNK_BYTES
                && next < chunks.len()
                && next_at > edit.old_end
                && moved(next_at) == at
                && state.is(&chunks[next].state)
            {
                met = true;
                return true;
            }
            state.ends(length)
        });
        new.push(chunk(end - start, state, items));
        (start, state) = (end, after);
        if met {
            break;
        }
    }
    let last = if start < bytes.len() { next } else { chunks.len() };
    debug_assert!(begin <= start);
    let has_definition = |chunks: &[Chunk]| {
        chunks.iter().flat_map(|c| &c.items).any(|i| matches!(i.kind, crate::raw::ItemKind::Define(..)))
    };
    let definitions = has_definition(&chunks[first..last]) || has_definition(&new);
    // Nothing before the first new chunk changed.
    if let (Some(new), Some(old)) = (new.first_mut(), chunks.get_mut(first)) {
        new.entry = old.entry.take();
    }
    let range = first..first + new.len();
    chunks.splice(first..last, new);
    Rescanned { new: range, definitions }
}
