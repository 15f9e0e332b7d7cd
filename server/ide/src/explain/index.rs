//! The index of everything that has a page, and the search in it.

use super::words::{self, key, stem};
use crate::describe::{self, FormUsage};
use ptx_analysis::Code;
use ptx_isa::tables::Passage;
use ptx_isa::{CUDA, ISA, OTHER_NAMES};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// What an entry of the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IndexKind {
    /// An instruction of the manual: `mbarrier.try_wait`.
    Instruction,
    /// A topic: `Bank conflict`.
    Concept,
    /// A family of instructions: `Integer arithmetic`.
    Family,
    /// A special register.
    Register,
    /// A directive or a pragma.
    Directive,
    /// A state space.
    Space,
    /// A type.
    Type,
    /// A predefined constant.
    Constant,
    /// A modifier.
    Modifier,
    /// The code of a diagnostic.
    Diagnostic,
    /// A target.
    Target,
    /// A version of PTX.
    Version,
    /// A name of CUDA C++.
    Cuda,
}

/// Something that a user may look for.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// What it is.
    pub kind: IndexKind,
    /// Its name, or the title of a topic.
    pub name: &'static str,
    /// One line, Markdown.
    pub summary: String,
    /// Other words for it.
    pub synonyms: Vec<&'static str>,
    /// How often an instruction is used, compared with others.
    pub uses: u32,
}

/// An entry with its words, so that a search need not take it apart.
pub struct IndexedWords {
    /// The entry.
    pub entry: IndexEntry,
    /// Its name in lower case.
    pub name: String,
    /// Its name and synonyms as keys.
    pub keys: Vec<String>,
    /// The stems of the words of its name and synonyms.
    pub stems: Vec<String>,
    /// Those of its summary.
    pub summary: Vec<String>,
    /// Those of its documentation.
    pub text: Vec<String>,
}

/// Everything that has a page, by kind.
pub fn index() -> impl Iterator<Item = &'static IndexEntry> {
    PREPARED.iter().map(|p| &p.entry)
}

/// All entries with their words.
pub static PREPARED: LazyLock<Vec<IndexedWords>> = LazyLock::new(|| entries().into_iter().map(prepared).collect());

fn prepared(entry: IndexEntry) -> IndexedWords {
    let spelled: Vec<&str> = std::iter::once(entry.name).chain(entry.synonyms.iter().copied()).collect();
    let keys: Vec<String> = spelled.iter().map(|s| key(s)).filter(|k| !k.is_empty()).collect();
    let mut stems: Vec<String> = keys.iter().flat_map(|k| k.split(' ')).map(str::to_owned).collect();
    // `mbarrier.try_wait` is found by its parts too.
    stems.extend(entry.name.split(['.', '_', ':', '%', '-']).filter(|w| w.len() > 1).map(|w| stem(&w.to_lowercase())));
    stems.sort();
    stems.dedup();
    let summary = stems_of(&entry.summary);
    let text = stems_of(&documentation(&entry));
    IndexedWords { name: entry.name.to_lowercase(), keys, stems, summary, text, entry }
}

fn stems_of(text: &str) -> Vec<String> {
    let mut out: Vec<String> = words::words(text).iter().map(|w| stem(w)).collect();
    out.sort();
    out.dedup();
    out
}

/// The text of topics and of instructions.
fn documentation(entry: &IndexEntry) -> String {
    match entry.kind {
        IndexKind::Concept => ISA.concepts.iter().filter(|c| c.title == entry.name).map(|c| c.doc).collect(),
        IndexKind::Instruction => {
            let own = ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.name == entry.name);
            own.map(|e| Passage::join(e.doc)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// Whether a spelling, `fma.rn.f32`, is the name or has modifiers behind it.
pub(super) fn begins_with(spelling: &str, name: &str) -> bool {
    spelling.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Gives what a phrase stands for, `fused multiply add`, that phrase as a synonym. Of several instructions the one with the longest name
/// is meant: `mbarrier.init` and not `mbarrier`.
fn name_phrases(entries: &mut [IndexEntry]) {
    for phrase in OTHER_NAMES.iter().filter(|other| other.name.contains(' ')) {
        let Some(spelling) = phrase.spellings().next() else { continue };
        let is_meant = |entry: &IndexEntry| {
            !matches!(entry.kind, IndexKind::Cuda | IndexKind::Family) && begins_with(spelling, entry.name)
        };
        let meant = entries.iter_mut().filter(|entry| is_meant(entry)).max_by_key(|entry| entry.name.len());
        if let Some(entry) = meant {
            entry.synonyms.push(phrase.name);
        }
    }
}

fn entries() -> Vec<IndexEntry> {
    let mut out: Vec<IndexEntry> = Vec::new();
    let mut add = |kind, name, summary: String, synonyms: Vec<&'static str>| {
        out.push(IndexEntry { kind, name, summary, synonyms, uses: 0 })
    };
    let mut instructions: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    let mut families: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        instructions.entry(entry.name).or_default().push(entry.summary);
        let members = families.entry(entry.family_title).or_default();
        if !members.contains(&entry.name) {
            members.push(entry.name);
        }
    }
    for (name, summaries) in instructions {
        add(IndexKind::Instruction, name, summaries.join(" "), Vec::new());
    }
    for c in ISA.concepts {
        add(IndexKind::Concept, c.title, describe::first_sentence(c.doc), c.synonyms.to_vec());
    }
    for (title, members) in families {
        add(IndexKind::Family, title, describe::words(members, 6), Vec::new());
    }
    for r in ISA.special_registers {
        add(IndexKind::Register, r.name, r.summary.to_owned(), Vec::new());
    }
    for d in ISA.directives {
        add(IndexKind::Directive, d.name, d.summary.to_owned(), Vec::new());
    }
    for s in ISA.spaces {
        add(IndexKind::Space, s.name, s.summary.to_owned(), Vec::new());
    }
    for t in ISA.types {
        add(IndexKind::Type, t.name, t.summary.to_owned(), Vec::new());
    }
    for c in ISA.constants {
        add(IndexKind::Constant, c.name, c.summary.to_owned(), Vec::new());
    }
    for m in ISA.modifiers.iter().filter(|m| ISA.ty(m.name).is_none() && ISA.space(m.name).is_none()) {
        add(IndexKind::Modifier, m.name, m.summary.to_owned(), Vec::new());
    }
    for code in Code::ALL {
        add(IndexKind::Diagnostic, code.name(), describe::first_sentence(code.page()), Vec::new());
    }
    for t in ISA.targets {
        add(IndexKind::Target, t.name, t.summary.to_owned(), Vec::new());
    }
    for c in CUDA {
        let spellings: Vec<String> = c.spellings().map(|s| format!("`{s}`")).collect();
        add(IndexKind::Cuda, c.name, spellings.join(" or "), Vec::new());
    }
    let mut used: HashMap<&'static str, u32> = HashMap::new();
    for opcode in ISA.opcodes {
        let usage = FormUsage::of(opcode);
        used.extend(opcode.entries.iter().map(|entry| (entry.name, usage.of_name(opcode, entry.name))));
    }
    for entry in out.iter_mut().filter(|entry| entry.kind == IndexKind::Instruction) {
        entry.uses = used.get(entry.name).copied().unwrap_or(0);
    }
    name_phrases(&mut out);
    out
}
