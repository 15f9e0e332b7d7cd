//! Suggestions for an unknown word: the nearest names of the tables.

use ptx_analysis::Code;
use ptx_isa::ISA;

/// Maximum number of suggestions.
const MAX_NAMES: usize = 5;
/// Maximum number of words of a query that may be a name with operands.
const MAX_NAME_WORDS: usize = 2;
/// Maximum length in characters of a word that gets suggestions.
const MAX_LENGTH: usize = 64;

/// The names that a misspelt word may stand for, the nearest first. They include opcodes, modifiers, types, state spaces,
/// special registers, directives, targets, diagnostic codes and words for topics, and CUDA C++ names if the word looks like one.
pub fn nearest(query: &str) -> Vec<String> {
    let phrase = query.trim().to_lowercase();
    if phrase.contains(char::is_whitespace) && phrase.chars().count() <= MAX_LENGTH {
        let topics = nearest_topics(&phrase);
        // The first word of a question is not a name.
        if !topics.is_empty() || phrase.split_whitespace().count() > MAX_NAME_WORDS {
            return topics;
        }
    }
    let word = query.trim().trim_matches('`').trim_end_matches(';').split_whitespace().next().unwrap_or("");
    let plain = |name: &str| name.trim_start_matches(['.', '%', '"', '@']).trim_end_matches('"').to_ascii_lowercase();
    let wanted = plain(word);
    if wanted.is_empty() || wanted.chars().count() > MAX_LENGTH {
        return Vec::new();
    }
    // For `fmaa.rn.f32`, the opcode is compared too.
    let opcode = wanted.split('.').next().unwrap_or("").to_owned();
    let sign = word.chars().next().filter(|c| !c.is_ascii_alphanumeric());
    let mut found: Vec<(usize, bool, &str)> = Vec::new();
    // No PTX name begins with an underscore or has a capital letter inside.
    let is_cuda = word.starts_with('_') || word.chars().skip(1).any(char::is_uppercase);
    let cuda = ptx_isa::CUDA.iter().filter(|_| is_cuda).map(|c| c.name);
    let topics = topics().filter(|t| !t.contains(' '));
    for name in names().chain(cuda).chain(topics) {
        let own = plain(name);
        let near = |word: &str| {
            let distance = strsim::damerau_levenshtein(word, &own);
            (distance <= (word.chars().count() / 3).min(3)).then_some(distance)
        };
        let first = || if sign.is_none() && !own.contains('.') { near(&opcode) } else { None };
        // The word is a prefix or suffix of the name.
        let part = wanted.chars().count() >= 3 && (own.starts_with(&wanted) || own.ends_with(&wanted));
        if let Some(distance) = near(&wanted).or_else(first).or(part.then_some(2)) {
            let other_sign = name.chars().next().filter(|c| !c.is_ascii_alphanumeric()) != sign;
            found.push((distance, other_sign, name));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|f| f.2);
    found.into_iter().take(MAX_NAMES).map(|f| f.2.to_owned()).collect()
}

/// The words for topics that are nearest to several words.
fn nearest_topics(phrase: &str) -> Vec<String> {
    let max = (phrase.chars().count() / 4).min(3);
    let distance = |topic: &&'static str| strsim::damerau_levenshtein(phrase, &topic.to_lowercase());
    let mut found: Vec<(usize, &str)> = topics().map(|t| (distance(&t), t)).filter(|(d, _)| *d <= max).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(MAX_NAMES).map(|(_, topic)| topic.to_owned()).collect()
}

/// The titles of topics and other words for them.
fn topics() -> impl Iterator<Item = &'static str> {
    ISA.concepts.iter().flat_map(|c| [c.title].into_iter().chain(c.synonyms.iter().copied()))
}

fn names() -> impl Iterator<Item = &'static str> {
    let opcodes = ISA.opcodes.iter().flat_map(|o| o.entries).map(|e| e.name);
    let words = ISA.opcodes.iter().map(|o| o.name);
    let modifiers = ISA.modifiers.iter().map(|m| m.name);
    let types = ISA.types.iter().map(|t| t.name);
    let spaces = ISA.spaces.iter().map(|s| s.name);
    let registers = ISA.special_registers.iter().map(|r| r.name);
    let directives = ISA.directives.iter().map(|d| d.name);
    let targets = ISA.targets.iter().map(|t| t.name);
    let pages = Code::ALL.iter().map(|c| c.name());
    words
        .chain(opcodes)
        .chain(modifiers)
        .chain(types)
        .chain(spaces)
        .chain(registers)
        .chain(directives)
        .chain(targets)
        .chain(pages)
}
