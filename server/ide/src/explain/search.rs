//! The search in the index: what has most of the rare words of a query, where it counts.

use super::cuda;
use super::index::{IndexEntry, IndexKind, IndexedWords, PREPARED, begins_with};
use super::words::{self, key, stem};
use crate::completion::{TargetSupport, instruction_support};
use ptx_analysis::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A found entry.
#[derive(Debug, Clone, Copy)]
pub struct IndexHit {
    /// The entry.
    pub entry: &'static IndexEntry,
    /// Greater is better: the share of the query that the entry has, in thousandths, and points for where it has it.
    pub score: u32,
    /// Whether all words of the query are in the name or the synonyms, and not in the summary only.
    pub by_name: bool,
}

/// Points of a word for where an entry has it.
mod points {
    pub const PHRASE: f32 = 120.0;
    pub const NAME: f32 = 100.0;
    pub const BEGINS_NAME: f32 = 60.0;
    pub const MAX_LENGTH: usize = 30;
    pub const WORD: f32 = 26.0;
    pub const IN_NAME: f32 = 20.0;
    pub const BEGINS_WORD: f32 = 12.0;
    pub const SUMMARY: f32 = 6.0;
    pub const TEXT: f32 = 2.0;
    /// Points of an entry that has the whole query.
    pub const WHOLE: f32 = 1000.0;
    /// Points of a topic for a query of several words, which is a question more often than a name.
    pub const TOPIC: f32 = 15.0;
}

/// The least share of a query, weighted by how rare its words are, that an answer has. Below it nothing is a better answer.
const MIN_SHARE: f32 = 0.55;

/// The least score with which the result of a query of one word counts as an answer.
pub const MIN_SINGLE: u32 = (points::WHOLE + points::WORD) as u32;

/// A word of a query.
struct QueryWord {
    text: String,
    stem: String,
    /// How much it tells: words that many entries have tell little.
    weight: f32,
    /// Whether any entry has it.
    is_known: bool,
}

/// The part of its weight that a word has which no entry has: it may be beside the point, or all of it.
const UNKNOWN: f32 = 0.7;

/// How many times its weight a word has that is written as a name of code, `__ffs`: the words around it describe it.
const NAME_OF_CODE: f32 = 2.0;

/// Words that say where a name was read.
const CONTEXT: &[&str] = &[
    "assembly",
    "cuda",
    "disassembly",
    "dump",
    "equivalent",
    "instruction",
    "instructions",
    "mean",
    "means",
    "nvidia",
    "opcode",
    "ptx",
    "sass",
    "triton",
];

/// Where an entry has a word.
struct WordPlace {
    points: f32,
    /// The part of the word's weight that counts as found.
    strength: f32,
    in_name: bool,
}

/// The entries that have most of a query, the best first. The name of a generation, `Hopper`, leaves out the instructions that its
/// targets do not have.
pub fn search(query: &str) -> Vec<IndexHit> {
    let mut words: Vec<QueryWord> = words::words(query).into_iter().map(QueryWord::new).collect();
    if words.iter().any(QueryWord::is_name) && words.iter().any(|word| !word.is_context()) {
        words.retain(|word| !word.is_context());
    }
    let generations: Vec<Vec<&TargetInfo>> = words.iter().map(|word| generation(&word.text)).collect();
    let targets: Vec<&TargetInfo> = generations.iter().flatten().copied().collect();
    // What nothing knows does not make a name a filter.
    let is_topic = |(word, own): (&QueryWord, &Vec<&TargetInfo>)| own.is_empty() && word.is_known;
    if words.iter().zip(&generations).any(is_topic) {
        let mut named = generations.iter();
        words.retain(|_| named.next().is_some_and(Vec::is_empty));
    }
    let total: f32 = words.iter().map(|word| word.weight).sum();
    if words.is_empty() {
        return Vec::new();
    }
    // A generation is not part of the phrase.
    let phrase = key(&words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
    let mut hits: Vec<IndexHit> = PREPARED.iter().filter_map(|entry| fit(entry, &words, total, &phrase)).collect();
    if !targets.is_empty() {
        hits.retain(|hit| is_in(hit.entry, &targets));
    }
    hits.sort_by(|a, b| {
        let by_use = || b.entry.uses.cmp(&a.entry.uses);
        b.score
            .cmp(&a.score)
            .then(a.entry.kind.cmp(&b.entry.kind))
            .then_with(by_use)
            .then(a.entry.name.cmp(b.entry.name))
    });
    hits
}

/// How many entries have a stem.
static FREQUENCIES: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut out: HashMap<&'static str, u32> = HashMap::new();
    for entry in PREPARED.iter() {
        let mut stems: Vec<&str> =
            [&entry.stems, &entry.summary, &entry.text].into_iter().flatten().map(String::as_str).collect();
        stems.sort_unstable();
        stems.dedup();
        stems.into_iter().for_each(|stem| *out.entry(stem).or_default() += 1);
    }
    out
});

impl QueryWord {
    fn new(text: String) -> Self {
        let frequency = |word: &str| FREQUENCIES.get(word).copied();
        let text = match (frequency(&stem(&text)), text.strip_prefix("compute_")) {
            (None, Some(number)) => format!("sm_{number}"),
            // `ffma` of SASS, which no entry names, is `fma` in PTX.
            (None, _) if text.len() > 2 => in_ptx(&text).unwrap_or(text),
            _ => text,
        };
        let stem = stem(&text);
        let frequency = frequency(&stem);
        // The underscores of a name are no part of its stems.
        let is_known = frequency.is_some() || PREPARED.iter().any(|entry| entry.name == text);
        let factor = match is_known {
            true if text.contains(['_', '%']) => NAME_OF_CODE,
            true => 1.0,
            false => UNKNOWN,
        };
        let weight = factor * rarity(PREPARED.len() as u64, u64::from(frequency.unwrap_or(0)));
        Self { text, stem, weight, is_known }
    }

    /// Whether it says where a name was read.
    fn is_context(&self) -> bool {
        CONTEXT.contains(&self.text.as_str())
    }

    /// Whether it is the whole name of an entry.
    fn is_name(&self) -> bool {
        PREPARED.iter().any(|entry| entry.name.trim_start_matches(['.', '%', '_']) == self.text.trim_start_matches('_'))
    }
}

/// The name of the instruction that a word of another assembler stands for.
fn in_ptx(word: &str) -> Option<String> {
    let spelling = cuda::other(word)?.spellings().next()?;
    let names = PREPARED.iter().filter(|entry| entry.entry.kind == IndexKind::Instruction).map(|entry| &entry.name);
    names.filter(|name| begins_with(spelling, name)).max_by_key(|name| name.len()).cloned()
}

/// The logarithm to base 2 of how many entries there are for each that has a word, in quarters, and at least a half. It is made of
/// integers: logarithms of floats differ between platforms.
fn rarity(entries: u64, with_word: u64) -> f32 {
    /// Bits behind the point of the ratio.
    const FRACTION: u32 = 16;
    let ratio = u128::from((entries << FRACTION) / (with_word + 1)).max(1);
    let quarters = ratio.pow(4).ilog2() as f32 / 4.0 - FRACTION as f32;
    quarters.max(0.5)
}

/// The targets of a generation, `Hopper`, or the one of a name, `sm_90a`.
fn generation(word: &str) -> Vec<&'static TargetInfo> {
    let is_named = |target: &&TargetInfo| {
        if target.name == word {
            return true;
        }
        let first = target.summary.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        !target.features.is_empty() && first.eq_ignore_ascii_case(word)
    };
    ISA.targets.iter().filter(is_named).collect()
}

/// Whether one of the targets has an entry. Only instructions are left out.
fn is_in(entry: &IndexEntry, targets: &[&'static TargetInfo]) -> bool {
    let opcode = entry.name.split('.').next().and_then(|name| ISA.opcode(name));
    let Some(opcode) = opcode.filter(|_| entry.kind == IndexKind::Instruction) else { return true };
    let version = ISA.versions.last().map(|newest| newest.version);
    opcode.entries.iter().filter(|own| own.name == entry.name).any(|own| {
        targets.iter().any(|target| {
            let environment = Environment { version, target: Some(target), ..Environment::default() };
            !matches!(instruction_support(opcode, own, &environment), TargetSupport::Lacking(_))
        })
    })
}

fn fit(entry: &'static IndexedWords, words: &[QueryWord], total: f32, phrase: &str) -> Option<IndexHit> {
    let whole = entry.keys.iter().any(|k| k == phrase);
    let (mut share, mut score, mut by_name) = (0.0, 0.0, true);
    for word in words {
        let place = place(entry, word).unwrap_or(WordPlace { points: 0.0, strength: 0.0, in_name: false });
        share += place.strength * word.weight / total;
        score += place.points * word.weight / total;
        by_name &= place.in_name;
    }
    if whole {
        (share, by_name) = (1.0, true);
        score += points::PHRASE;
    }
    if words.len() > 1 && entry.entry.kind == IndexKind::Concept {
        score += points::TOPIC;
    }
    let score = (score + share * points::WHOLE + 0.5) as u32;
    (share >= MIN_SHARE || words.len() == 1 && share > 0.0).then_some(IndexHit { entry: &entry.entry, score, by_name })
}

/// Where an entry has a word, best place first.
fn place(entry: &IndexedWords, word: &QueryWord) -> Option<WordPlace> {
    let at = |points: f32, strength: f32, in_name: bool| Some(WordPlace { points, strength, in_name });
    let QueryWord { text, stem, .. } = word;
    let bare = entry.name.trim_start_matches(['.', '%', '"', '@', '_']);
    let long = text.len() > 2;
    if *text == entry.name || text == bare {
        return at(points::NAME, 1.0, true);
    }
    if long && (entry.name.starts_with(text) || bare.starts_with(text)) {
        return at(points::BEGINS_NAME - entry.name.len().min(points::MAX_LENGTH) as f32, 1.0, true);
    }
    if entry.stems.contains(stem) {
        return at(points::WORD, 1.0, true);
    }
    if long && entry.name.contains(text) {
        return at(points::IN_NAME, 0.8, true);
    }
    if long && entry.stems.iter().any(|s| s.starts_with(stem)) {
        return at(points::BEGINS_WORD, 0.8, true);
    }
    if entry.summary.contains(stem) {
        return at(points::SUMMARY, 0.8, false);
    }
    if entry.text.binary_search(stem).is_ok() { at(points::TEXT, 0.5, false) } else { None }
}
