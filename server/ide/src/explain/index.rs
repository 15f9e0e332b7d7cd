//! The index of everything that has a page, and the search in it.

use super::words;
use crate::describe::{self, FormUsage};
use ptx_analysis::Code;
use ptx_isa::tables::Passage;
use ptx_isa::{CUDA, ISA, OTHER_NAMES, SASS};
use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// A machine instruction: `LDGSTS`.
    Sass,
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
    /// The same without the character that marks its kind.
    pub bare: String,
    /// The title of a topic and its synonyms in lower case.
    pub spelled: HashSet<String>,
    /// The stems of its name, and of each synonym.
    pub keys: Vec<Vec<String>>,
    /// The stems of all of these.
    pub stems: HashSet<String>,
    /// Those of its summary.
    pub summary: HashSet<String>,
    /// Those of its documentation.
    pub text: HashSet<String>,
}

impl IndexedWords {
    /// Whether its name is a word, and not the title of a topic.
    pub fn is_named(&self) -> bool {
        !matches!(self.entry.kind, IndexKind::Concept | IndexKind::Family)
    }
}

/// Everything that has a page with its words: first by kind, then by use, then by name. Of two entries that fit a query equally well the
/// first is the better.
pub fn indexed_words() -> &'static [IndexedWords] {
    &PREPARED
}

/// All entries with their words.
pub static PREPARED: LazyLock<Vec<IndexedWords>> = LazyLock::new(|| {
    let mut entries = entries();
    entries.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.uses.cmp(&a.uses)).then(a.name.cmp(b.name)));
    entries.into_iter().map(prepared).collect()
});

fn prepared(entry: IndexEntry) -> IndexedWords {
    let phrases = std::iter::once(entry.name).chain(entry.synonyms.iter().copied());
    let keys: Vec<Vec<String>> = phrases.map(words::stems_of).filter(|stems| !stems.is_empty()).collect();
    let stems = keys.iter().flatten().cloned().collect();
    let summary = words::stems_of(&entry.summary).into_iter().collect();
    let text = words::stems_of(&documentation(&entry)).into_iter().collect();
    let name = entry.name.to_lowercase();
    let is_topic = entry.kind == IndexKind::Concept;
    let titles = entry.synonyms.iter().copied().chain([entry.name]).filter(|_| is_topic);
    let spelled = titles.map(str::to_lowercase).collect();
    let bare = name.trim_start_matches(MARKS).to_owned();
    IndexedWords { name, bare, spelled, keys, stems, summary, text, entry }
}

/// Characters in front of names, which may be left out.
const MARKS: [char; 5] = ['.', '%', '"', '@', '_'];

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
            !matches!(entry.kind, IndexKind::Cuda | IndexKind::Sass | IndexKind::Family)
                && begins_with(spelling, entry.name)
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
    for machine in SASS {
        let spellings: Vec<String> = machine.spellings().map(|s| format!("`{s}`")).collect();
        let origin = if spellings.is_empty() { String::new() } else { format!(": {}", spellings.join(" or ")) };
        add(IndexKind::Sass, machine.name, format!("{}{origin}", machine.words), Vec::new());
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
