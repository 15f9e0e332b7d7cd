//! The search in the index: what has most of the rare words of a query, where it counts. The reference site ranks by the same rules
//! (`site.js`), with the numbers of [`RANKING`]; a test compares both.

use super::cuda;
use super::index::{IndexEntry, IndexKind, IndexedWords, PREPARED, begins_with};
use super::words::{self, stem};
use crate::completion::{TargetSupport, instruction_support};
use ptx_analysis::Environment;
use ptx_isa::tables::TargetInfo;
use ptx_isa::{ISA, OTHER_NAMES, SEARCH_WORDS};
use std::collections::{HashMap, HashSet};
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
    /// The part of the query that is its name or a synonym of it as a whole, in thousandths.
    pub cover: u32,
}

/// The numbers of the ranking.
#[derive(Debug, Clone, Copy)]
pub struct Ranking {
    /// Points of an entry one of whose phrases is the query.
    pub phrase: f64,
    /// Points of an entry one of whose phrases is spelled like the query.
    pub spelled: f64,
    /// Points of an entry one of whose phrases is in the query, times the part of the query that it is.
    pub cover: f64,
    /// Points of an entry whose best phrase is like the query, times how like it is.
    pub likeness: f64,
    /// Points of a word that is the name, and of one in a question that is so but for the character that marks its kind.
    pub name: (f64, f64),
    /// Points of a word that begins the name, less its length up to `max_length`.
    pub begins_name: f64,
    /// See `begins_name`.
    pub max_length: u32,
    /// Points of a word of the name, and the part of the word that counts as found.
    pub word: (f64, f64),
    /// The same of a word of the synonyms: they may be about different things.
    pub synonym: (f64, f64),
    /// Points of a word that the name contains, and the part of the word that counts as found.
    pub in_name: (f64, f64),
    /// The same of a word that begins one of the words of name and synonyms.
    pub begins_word: (f64, f64),
    /// The same of a word of the summary.
    pub summary: (f64, f64),
    /// The same of a word of the documentation.
    pub text: (f64, f64),
    /// Points of an entry that has the whole query.
    pub whole: f64,
    /// Points of a topic for a query of several words, which is a question more often than a name.
    pub topic: f64,
    /// The least share of a query, weighted by how rare its words are, that an answer has. Below it nothing is a better answer.
    pub min_share: f64,
    /// The part of its weight that a word has that says little of a topic.
    pub weak: f64,
    /// The number of entries that have a word that says little, at least: for its weight.
    pub weak_entries: u32,
    /// How many times its weight a word has that is written as a name of code, `__ffs`: the words around it describe it.
    pub code: f64,
    /// The part of its weight that a modifier behind the name of an instruction has.
    pub modifier: f64,
}

/// The numbers of the ranking.
pub const RANKING: Ranking = Ranking {
    phrase: 120.0,
    spelled: 1000.0,
    cover: 400.0,
    likeness: 400.0,
    name: (100.0, 20.0),
    begins_name: 60.0,
    max_length: 30,
    word: (26.0, 1.0),
    synonym: (26.0, 0.85),
    in_name: (20.0, 0.8),
    begins_word: (12.0, 0.65),
    summary: (6.0, 0.65),
    text: (2.0, 0.4),
    whole: 1000.0,
    topic: 15.0,
    min_share: 0.52,
    weak: 0.22,
    weak_entries: 40,
    code: 1.5,
    modifier: 0.6,
};

/// The least score with which the result of a query of one word counts as an answer.
pub const MIN_SINGLE: u32 = (RANKING.whole * RANKING.synonym.1 + RANKING.word.0) as u32;

/// A word of a query.
struct QueryWord {
    text: String,
    stem: String,
    /// How much it tells: words that many entries have tell little.
    weight: f64,
    /// Whether it says little of the topic.
    is_weak: bool,
    /// The stems of the parts of a name of several, `ld.global.nc`.
    parts: Vec<String>,
}

/// Where an entry has a word.
#[derive(Default)]
struct WordPlace {
    points: f64,
    /// The part of the word's weight that counts as found.
    strength: f64,
    in_name: bool,
}

/// A query with its words weighed.
struct Query {
    words: Vec<QueryWord>,
    /// The stems of all its words, with their weights.
    stems: HashMap<String, f64>,
    total: f64,
    /// Whether it has several words, so that it is a question more likely than a name.
    is_phrase: bool,
    /// The text in lower case.
    lower: String,
}

/// The entries that have most of a query, the best first. The name of a generation, `Hopper`, leaves out the instructions that its
/// targets do not have. Where two things are compared that no page compares, the best entry for each comes first.
pub fn search(query: &str) -> Vec<IndexHit> {
    // A call stands for its function.
    let call = query.trim().split_once('(').filter(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace));
    let query = call.map_or(query, |(name, _)| name);
    let hits = ranked(query);
    if hits.first().is_some_and(|best| best.entry.kind == IndexKind::Concept && best.by_name) {
        return hits;
    }
    let Some([left, right]) = sides(query) else { return hits };
    let rest = hits.into_iter().filter(|hit| ![left.entry, right.entry].iter().any(|e| std::ptr::eq(*e, hit.entry)));
    [left, right].into_iter().chain(rest).collect()
}

/// The best entries for the two names that a query compares.
pub fn sides(query: &str) -> Option<[IndexHit; 2]> {
    // Names are compared, not phrases.
    let best = |side: &str| ranked(side).into_iter().next().filter(|hit| hit.by_name && hit.score >= SIDE_SCORE);
    let (left, right) = compared(query)?;
    let (left, right) = (best(&left)?, best(&right)?);
    (!std::ptr::eq(left.entry, right.entry)).then_some([left, right])
}

/// The least score of the best entry for one side of a comparison.
const SIDE_SCORE: u32 = (RANKING.whole + RANKING.name.1) as u32;

/// The two sides of a query that compares them: `bfe vs prmt`, `difference between bfe and prmt`.
fn compared(query: &str) -> Option<(String, String)> {
    let words: Vec<&str> = query.split_whitespace().map(|word| word.trim_end_matches([',', '?', '.'])).collect();
    // A difference is a comparison where it is one between things.
    let is_comparing = |at: &usize| {
        let word = words[*at].to_lowercase();
        let is_between = words.get(at + 1).is_some_and(|next| next.eq_ignore_ascii_case("between"));
        COMPARING.contains(&word.as_str()) || word.starts_with(DIFFERENCE) && is_between
    };
    let first = (0..words.len()).find(is_comparing)?;
    let middle = words.iter().rposition(|word| BETWEEN.contains(&word.to_lowercase().as_str()))?;
    let (left, right) = (&words[..middle], &words[middle + 1..]);
    let side = |words: &[&str]| {
        let own = words.iter().filter(|word| {
            let lower = word.to_lowercase();
            !words::is_stop(&lower) && !SEARCH_WORDS.compare.contains(&lower.as_str())
        });
        own.copied().collect::<Vec<_>>().join(" ")
    };
    let (left, right) = (side(left), side(right));
    (first <= middle && !left.is_empty() && !right.is_empty()).then_some((left, right))
}

/// Words that announce a comparison.
pub const COMPARING: &[&str] = &["vs", "versus", "differ", "differs", "compare", "compared"];
/// How a word begins that announces one before `between`.
pub const DIFFERENCE: &str = "difference";
/// Words between the two things that are compared.
pub const BETWEEN: &[&str] = &["vs", "versus", "and", "or", "from", "with", "to"];

fn ranked(text: &str) -> Vec<IndexHit> {
    let Some(query) = Query::new(text) else { return Vec::new() };
    let mut hits: Vec<IndexHit> = WEIGHED.iter().filter_map(|entry| query.fit(entry)).collect();
    let targets: Vec<&TargetInfo> = words::all_words(text).iter().flat_map(|word| generation(word)).collect();
    if !targets.is_empty() && query.words.iter().any(|word| !word.is_weak) {
        hits.retain(|hit| is_in(hit.entry, &targets));
    }
    // The entries are in the order in which equals stand.
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

/// How many entries have a stem.
static FREQUENCIES: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut out: HashMap<&'static str, u32> = HashMap::new();
    for entry in PREPARED.iter() {
        let own: HashSet<&str> =
            [&entry.stems, &entry.summary, &entry.text].into_iter().flatten().map(String::as_str).collect();
        own.into_iter().for_each(|stem| *out.entry(stem).or_default() += 1);
    }
    out
});

/// The names of entries, with and without the characters that mark their kind, and whether all of them are machine instructions.
static NAMES: LazyLock<HashMap<&'static str, bool>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for entry in PREPARED.iter().filter(|entry| entry.is_named()) {
        let is_sass = entry.entry.kind == IndexKind::Sass;
        for name in [entry.name.as_str(), entry.bare.as_str()] {
            out.entry(name).and_modify(|all| *all &= is_sass).or_insert(is_sass);
        }
    }
    out
});

/// Words of other languages that no entry has, and the name of the instruction or register that each is in PTX: `popcnt` is `popc`.
static FOREIGN: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let is_known = |word: &str| NAMES.contains_key(word) || FREQUENCIES.contains_key(stem(word).as_str());
    let words = OTHER_NAMES.iter().filter(|other| !other.name.contains(' ') && !is_known(other.name));
    let of_ptx = words.filter_map(|other| {
        let spelling = other.spellings().next()?.split_whitespace().next()?;
        let named = PREPARED.iter().filter(|entry| !matches!(entry.entry.kind, IndexKind::Cuda | IndexKind::Sass));
        let names = named
            .filter(|entry| entry.is_named() && begins_with(spelling, &entry.name))
            .map(|entry| entry.name.as_str());
        Some((other.name, names.max_by_key(|name| name.len())?))
    });
    of_ptx.collect()
});

/// Pairs of a word of another language and the name of PTX that it stands for.
pub fn foreign_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    FOREIGN.iter().map(|(word, name)| (*word, *name))
}

/// The stems of words that say little.
static WEAK: LazyLock<HashSet<String>> = LazyLock::new(|| SEARCH_WORDS.weak.iter().map(|word| stem(word)).collect());

/// An entry with the weights of its keys.
struct WeighedEntry {
    entry: &'static IndexedWords,
    keys: Vec<f64>,
}

static WEIGHED: LazyLock<Vec<WeighedEntry>> = LazyLock::new(|| {
    let weight = |stem: &String| stem_weight(stem);
    let keys = |entry: &IndexedWords| entry.keys.iter().map(|key| key.iter().map(weight).sum()).collect();
    PREPARED.iter().map(|entry| WeighedEntry { entry, keys: keys(entry) }).collect()
});

/// How much a stem tells: those that many entries have, and those of general words, tell little.
fn stem_weight(stem: &str) -> f64 {
    let entries = FREQUENCIES.get(stem).copied().unwrap_or(0);
    let all = PREPARED.len() as u64;
    if WEAK.contains(stem) {
        return RANKING.weak * rarity(all, u64::from(entries.max(RANKING.weak_entries)));
    }
    rarity(all, u64::from(entries))
}

/// What a word of a query is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// A word like others.
    Word,
    /// The name of an entry.
    Name,
    /// A modifier behind a name.
    Modifier,
}

impl Query {
    /// `None` if it has no word that says anything.
    fn new(text: &str) -> Option<Self> {
        let mut words: Vec<QueryWord> = Vec::new();
        for word in words::all_words(text).into_iter().filter(|word| !words::is_stop(word)) {
            let word = word.strip_prefix("compute_").map_or_else(|| word.clone(), |number| format!("sm_{number}"));
            for (part, written) in parts(&word, is_upper(text, &word)) {
                let Some(own) = QueryWord::new(part, written) else { continue };
                if words.iter().all(|other| other.stem != own.stem) {
                    words.push(own);
                }
            }
        }
        // The name of a generation is a filter where something else is asked for.
        let is_target: Vec<bool> = words.iter().map(|word| !generation(&word.text).is_empty()).collect();
        if words.iter().zip(&is_target).any(|(word, is_target)| !is_target && !word.is_weak) {
            for (word, _) in words.iter_mut().zip(is_target).filter(|(_, is_target)| *is_target) {
                word.weight *= RANKING.weak;
            }
        }
        let total: f64 = words.iter().map(|word| word.weight).sum();
        let mut stems: HashMap<String, f64> = words::stems_of(text).into_iter().map(|stem| (stem, 0.0)).collect();
        stems.extend(words.iter().map(|word| (word.stem.clone(), word.weight)));
        let is_phrase = text.trim().contains(char::is_whitespace);
        (!words.is_empty()).then_some(Self { words, stems, total, is_phrase, lower: text.trim().to_lowercase() })
    }

    fn fit(&self, weighed: &WeighedEntry) -> Option<IndexHit> {
        let entry = weighed.entry;
        let (mut share, mut score, mut by_name) = (0.0, 0.0, true);
        for word in &self.words {
            let place = self.place(entry, word);
            share += place.strength * word.weight / self.total;
            score += place.points * word.weight / self.total;
            by_name &= place.in_name;
        }
        let (mut cover, mut likeness): (f64, f64) = (0.0, 0.0);
        for (key, key_weight) in entry.keys.iter().zip(&weighed.keys) {
            let common: f64 = key.iter().filter_map(|stem| self.stems.get(stem)).sum();
            likeness = likeness.max(common / (self.total + key_weight - common).max(common));
            let Some(weights) = key.iter().map(|stem| self.stems.get(stem)).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let mut part = weights.into_iter().sum::<f64>() / self.total;
            if key.len() == self.stems.len() {
                (part, share, by_name) = (1.0, 1.0, true);
                score += RANKING.phrase;
            }
            cover = cover.max(part);
            if cover >= 1.0 {
                likeness = 1.0;
                break;
            }
        }
        if self.is_phrase && entry.spelled.contains(&self.lower) {
            (share, by_name) = (1.0, true);
            score += RANKING.spelled;
        }
        score += cover * RANKING.cover + likeness * RANKING.likeness;
        if self.is_phrase && entry.entry.kind == IndexKind::Concept {
            score += RANKING.topic;
        }
        let is_answer = share >= RANKING.min_share || self.words.len() == 1 && share > 0.0;
        let score = (score + share * RANKING.whole + 0.5) as u32;
        let cover = (cover * 1000.0 + 0.5) as u32;
        is_answer.then_some(IndexHit { entry: &entry.entry, score, by_name, cover })
    }

    /// Where an entry has a word, best place first.
    fn place(&self, entry: &IndexedWords, word: &QueryWord) -> WordPlace {
        let at = |points: f64, strength: f64, in_name: bool| WordPlace { points, strength, in_name };
        let QueryWord { text, stem, .. } = word;
        let is_code = text.contains(['_', ':', '.']);
        if *text == entry.name || *text == entry.bare && (is_code || !self.is_phrase) {
            return at(RANKING.name.0, 1.0, true);
        }
        if *text == entry.bare {
            return at(RANKING.name.1, 1.0, true);
        }
        let long = text.chars().count() > 2;
        if long && (entry.name.starts_with(text) || entry.bare.starts_with(text)) {
            let length = entry.name.chars().count().min(RANKING.max_length as usize) as f64;
            return at(RANKING.begins_name - length, 1.0, true);
        }
        let has_all =
            |stems: &dyn Fn(&String) -> bool| stems(stem) || !word.parts.is_empty() && word.parts.iter().all(stems);
        if has_all(&|stem| entry.keys.first().is_some_and(|name| name.contains(stem))) {
            return at(RANKING.word.0, RANKING.word.1, true);
        }
        if has_all(&|stem| entry.stems.contains(stem)) {
            return at(RANKING.synonym.0, RANKING.synonym.1, true);
        }
        if long && entry.name.contains(text) {
            return at(RANKING.in_name.0, RANKING.in_name.1, true);
        }
        if long && entry.stems.iter().any(|own| own.starts_with(stem)) {
            return at(RANKING.begins_word.0, RANKING.begins_word.1, true);
        }
        if entry.summary.contains(stem) {
            return at(RANKING.summary.0, RANKING.summary.1, false);
        }
        let has = |part: &String| [&entry.stems, &entry.summary, &entry.text].iter().any(|stems| stems.contains(part));
        if entry.text.contains(stem) || !word.parts.is_empty() && word.parts.iter().all(has) {
            return at(RANKING.text.0, RANKING.text.1, false);
        }
        WordPlace::default()
    }
}

/// Whether a word is in upper case in a text, as machine instructions are.
fn is_upper(text: &str, word: &str) -> bool {
    text.contains(&word.to_uppercase()) && !text.contains(word)
}

/// The parts of a word for which entries are looked up. A name is one; of a mnemonic, `mul.lo.u32`, the name of the instruction and
/// the modifiers behind it. The suffixes of machine instructions, `STG.E.128`, say nothing.
fn parts(word: &str, is_upper: bool) -> Vec<(&str, Written)> {
    let is_plain = word.bytes().all(|b| b.is_ascii_lowercase());
    if !is_plain && NAMES.contains_key(word) {
        return vec![(word, Written::Name)];
    }
    // A version says nothing: releases are looked up before.
    if word.contains('.') && word.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Vec::new();
    }
    if let Some(name) = FOREIGN.get(word) {
        return vec![(name, Written::Name)];
    }
    let dots = word.match_indices('.').map(|(at, _)| at).rev();
    for at in dots.filter(|at| *at > 0) {
        if let Some(is_sass) = NAMES.get(&word[..at]).filter(|is_sass| is_upper || !**is_sass) {
            // PTX has no modifier of `BAR.SYNC.DEFER_BLOCKING`.
            let is_machine = is_upper && cuda::machine(word).is_some();
            let is_known = |part: &str| !is_machine || FREQUENCIES.contains_key(stem(part).as_str());
            let rest = word[at..].split(['.', '_', ':']).filter(|part| !part.is_empty() && !is_sass && is_known(part));
            let head = std::iter::once((&word[..at], Written::Name));
            return head.chain(rest.map(|part| (part, Written::Modifier))).collect();
        }
    }
    if word.contains(['.', '_', ':', '%', '@']) {
        let parts = word.split(['.', '_', ':', '%', '@']).filter(|part| part.chars().count() > 1);
        return parts.map(|part| (part, Written::Word)).collect();
    }
    vec![(word, Written::Word)]
}

impl QueryWord {
    fn new(text: &str, written: Written) -> Option<Self> {
        if text.is_empty() || words::is_stop(text) && written != Written::Name {
            return None;
        }
        let stem = stem(text.trim_start_matches(['.', '%', '@']));
        let is_weak = WEAK.contains(&stem);
        let factor = match written {
            _ if is_weak => 1.0,
            Written::Modifier => RANKING.modifier,
            Written::Name if text.contains(['_', '%', '.']) => RANKING.code,
            _ => 1.0,
        };
        let weight = factor * stem_weight(&stem);
        let parts = if written == Written::Name { words::stems_of(text) } else { Vec::new() };
        let parts = if parts.len() > 1 { parts } else { Vec::new() };
        Some(Self { text: text.to_owned(), stem, weight, is_weak, parts })
    }
}

/// The logarithm to base 2 of how many entries there are for each that has a word, in quarters, and at least a half. It is made of
/// integers: logarithms of floats differ between platforms.
fn rarity(entries: u64, with_word: u64) -> f64 {
    /// Bits behind the point of the ratio.
    const FRACTION: u32 = 16;
    let ratio = u128::from((entries << FRACTION) / (with_word + 1)).max(1);
    let quarters = f64::from(ratio.pow(4).ilog2()) / 4.0 - f64::from(FRACTION);
    quarters.max(0.5)
}

/// What a word that names targets leaves out.
#[derive(Debug)]
pub struct TargetFilter {
    /// The name of a generation or of a target, in lower case.
    pub word: String,
    /// The places in the index of the instructions that none of its targets has.
    pub without: Vec<usize>,
}

/// The words that name targets.
pub fn target_filters() -> Vec<TargetFilter> {
    let mut words: Vec<String> =
        ISA.targets.iter().flat_map(|target| [target.name.to_owned(), first_word(target.summary)]).collect();
    words.sort();
    words.dedup();
    let without = |targets: &[&'static TargetInfo]| {
        let entries = PREPARED.iter().enumerate().filter(|(_, entry)| !is_in(&entry.entry, targets));
        entries.map(|(place, _)| place).collect()
    };
    let filters = words.into_iter().map(|word| (generation(&word), word)).filter(|(targets, _)| !targets.is_empty());
    filters.map(|(targets, word)| TargetFilter { without: without(&targets), word }).collect()
}

/// The first word of a summary, in lower case.
fn first_word(summary: &str) -> String {
    summary.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

/// The targets of a generation, `hopper`, or the one of a name, `sm_90a`.
fn generation(word: &str) -> Vec<&'static TargetInfo> {
    let is_named =
        |target: &&TargetInfo| target.name == word || !target.features.is_empty() && first_word(target.summary) == word;
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
