//! The index of everything that has a page, and the search in it.

use super::words::{self, key, stem};
use crate::describe;
use ptx_analysis::Code;
use ptx_isa::tables::Passage;
use ptx_isa::{CUDA, ISA};
use std::collections::BTreeMap;
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
}

/// A found entry.
#[derive(Debug, Clone, Copy)]
pub struct IndexHit {
    /// The entry.
    pub entry: &'static IndexEntry,
    /// Greater is better.
    pub score: u32,
    /// How many words of the query fit.
    pub matched: usize,
    /// Whether all words of the query are in the name or the synonyms, and not in the summary only.
    pub by_name: bool,
}

/// An entry with its words, so that a search need not take it apart.
struct Prepared {
    entry: IndexEntry,
    name: String,
    keys: Vec<String>,
    stems: Vec<String>,
    summary: Vec<String>,
    /// The words of the documentation.
    text: Vec<String>,
}

/// Everything that has a page, by kind.
pub fn index() -> impl Iterator<Item = &'static IndexEntry> {
    PREPARED.iter().map(|p| &p.entry)
}

static PREPARED: LazyLock<Vec<Prepared>> = LazyLock::new(|| entries().into_iter().map(prepared).collect());

fn prepared(entry: IndexEntry) -> Prepared {
    let spelled: Vec<&str> = std::iter::once(entry.name).chain(entry.synonyms.iter().copied()).collect();
    let keys: Vec<String> = spelled.iter().map(|s| key(s)).filter(|k| !k.is_empty()).collect();
    let mut stems: Vec<String> = keys.iter().flat_map(|k| k.split(' ')).map(str::to_owned).collect();
    // `mbarrier.try_wait` is found by its parts too.
    stems.extend(entry.name.split(['.', '_', ':', '%', '-']).filter(|w| w.len() > 1).map(|w| stem(&w.to_lowercase())));
    stems.sort();
    stems.dedup();
    let summary = stems_of(&entry.summary);
    let text = stems_of(&documentation(&entry));
    Prepared { name: entry.name.to_lowercase(), keys, stems, summary, text, entry }
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

fn entries() -> Vec<IndexEntry> {
    let mut out: Vec<IndexEntry> = Vec::new();
    let mut add = |kind, name, summary: String, synonyms: Vec<&'static str>| {
        out.push(IndexEntry { kind, name, summary, synonyms })
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
    out
}

/// Points of a word for how it fits; the site's search has the same.
mod points {
    pub const PHRASE: u32 = 120;
    pub const NAME: u32 = 100;
    pub const BEGINS_NAME: u32 = 60;
    pub const MAX_LENGTH: usize = 30;
    pub const WORD: u32 = 26;
    pub const IN_NAME: u32 = 20;
    pub const BEGINS_WORD: u32 = 12;
    pub const SUMMARY: u32 = 6;
    pub const TEXT: u32 = 2;
    /// More than all words of a query can have: another word counts more than how well words fit.
    pub const MATCHED: u32 = 1000;
}

/// The least score with which the result of a query of one word counts as an answer.
pub const MIN_SINGLE: u32 = points::MATCHED + points::WORD;

/// What fits all words of a query, the best first; what fits most of them if nothing fits all.
pub fn search(query: &str) -> Vec<IndexHit> {
    let words = words::words(query);
    let phrase = key(query);
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<IndexHit> = PREPARED.iter().filter_map(|p| p.fit(&words, &phrase)).collect();
    let most = found.iter().map(|hit| hit.matched).max().unwrap_or(0);
    // Of several words at least half must be there.
    found.retain(|hit| hit.matched * 2 >= words.len() && (most < words.len() || hit.matched == words.len()));
    found.sort_by(|a, b| {
        b.score.cmp(&a.score).then(a.entry.kind.cmp(&b.entry.kind)).then(a.entry.name.cmp(b.entry.name))
    });
    found
}

impl Prepared {
    fn fit(&'static self, words: &[String], phrase: &str) -> Option<IndexHit> {
        let whole = self.keys.iter().any(|k| k == phrase);
        let (mut score, mut matched, mut named) = (if whole { points::PHRASE } else { 0 }, 0, 0);
        for word in words {
            let (points, in_name) = self.points(word);
            score += points;
            matched += usize::from(points > 0 || whole);
            named += usize::from(in_name || whole);
        }
        score += points::MATCHED * matched as u32;
        (matched > 0).then_some(IndexHit { entry: &self.entry, score, matched, by_name: named == words.len() })
    }

    /// How well a word fits, and whether the name or a synonym has it.
    fn points(&self, word: &str) -> (u32, bool) {
        let bare = self.name.trim_start_matches(['.', '%', '"', '@', '_']);
        if word == self.name || word == bare {
            return (points::NAME, true);
        }
        if word.len() > 2 && (self.name.starts_with(word) || bare.starts_with(word)) {
            return (points::BEGINS_NAME - self.name.len().min(points::MAX_LENGTH) as u32, true);
        }
        let stem = stem(word);
        if self.stems.contains(&stem) {
            return (points::WORD, true);
        }
        if word.len() > 2 && self.name.contains(word) {
            return (points::IN_NAME, true);
        }
        if word.len() > 2 && self.stems.iter().any(|s| s.starts_with(&stem)) {
            return (points::BEGINS_WORD, true);
        }
        if self.summary.contains(&stem) {
            return (points::SUMMARY, false);
        }
        if self.text.binary_search(&stem).is_ok() { (points::TEXT, false) } else { (0, false) }
    }
}
