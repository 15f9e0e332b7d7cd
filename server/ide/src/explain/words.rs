//! Queries as words: what is pasted around a name is taken off, and forms of a word are made equal.

use ptx_isa::SEARCH_WORDS;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Endings that are cut off a word, with what stands in their place; the first that fits is taken. The site's search cuts the same.
pub const ENDINGS: &[(&str, &str)] = &[
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ing", ""),
    ("ion", ""),
    ("ed", ""),
    ("ss", "ss"),
    ("s", ""),
];

/// Characters that must be left of a word when its ending is cut.
pub const MIN_STEM: usize = 3;

/// A query without what is around it in a source, in a message or in Markdown.
pub fn cleaned(query: &str) -> String {
    let query = query.trim().trim_matches('`').trim();
    // The string of an `asm` statement.
    let text = match query.split_once('"') {
        Some((before, rest)) if before.contains("asm") => rest.split('"').next().unwrap_or(rest),
        _ => query,
    };
    text.replace("%%", "%").trim().trim_end_matches([';', '?', '!']).trim().to_owned()
}

/// The first word of a statement without its label, its guard and the brace before it; the word itself if there is nothing else.
pub fn head(query: &str) -> &str {
    let mut words = query.split_whitespace().map(|w| w.trim_start_matches('{').trim_end_matches(';'));
    let is_around = |w: &&str| w.is_empty() || w.ends_with(':') || w.starts_with("@%") || w.starts_with("@!");
    words.find(|w| !is_around(w)).unwrap_or_else(|| query.split_whitespace().next().unwrap_or(""))
}

/// Whether a query of several words is a statement with its operands, and not a phrase.
pub fn is_statement(query: &str) -> bool {
    let operands = query.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    query.starts_with('@')
        || operands.contains(['%', ',', '[', ';', '<'])
        || operands.starts_with(|c: char| c.is_ascii_digit())
}

/// Words that say nothing about the topic of a query.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| SEARCH_WORDS.stop.iter().copied().collect());

/// The stem that stands for a stem of the same meaning.
static SAME: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for group in SEARCH_WORDS.same {
        let mut stems = group.iter().map(|word| ending_cut(word));
        let Some(first) = stems.next() else { continue };
        out.extend(stems.filter(|stem| *stem != first).map(|stem| (stem, first.clone())));
    }
    out
});

/// Stems, and the one that stands for each.
pub fn same_stems() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAME.iter().map(|(stem, first)| (stem.as_str(), first.as_str()))
}

/// Whether a word says nothing.
pub fn is_stop(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// The words of a phrase in lower case. The site's search takes a query apart in the same way.
pub fn all_words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | ':' | '@');
    let lower = text.to_lowercase();
    let words = lower.split(|c| !is_part(c)).map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A word without its ending, or the one that stands for it: `lanes` and `lane`, `shuffling` and `shuffles`, `block` and `cta` are the same.
pub fn stem(word: &str) -> String {
    let stem = ending_cut(word);
    SAME.get(&stem).cloned().unwrap_or(stem)
}

/// A word without its ending.
fn ending_cut(word: &str) -> String {
    let mut word = word.replace("isation", "ization").replace("ising", "izing");
    for (british, american) in [("ise", "ize"), ("ised", "ized"), ("ises", "izes")] {
        if let Some(start) = word.strip_suffix(british) {
            word = format!("{start}{american}");
        }
    }
    if let Some((ending, instead)) = ENDINGS.iter().find(|(ending, _)| word.ends_with(ending)) {
        let kept = word.len() - ending.len();
        if word.is_char_boundary(kept) && kept + instead.len() >= MIN_STEM {
            word.truncate(kept);
            word.push_str(instead);
        }
    }
    if word.len() > MIN_STEM && word.ends_with('e') {
        word.pop();
    }
    word
}

/// The stems of the words of a phrase and of the parts of its names, each once.
pub fn stems_of(text: &str) -> Vec<String> {
    let parted = text.replace(['-', '_', '.', ':', '%', '@', '/'], " ");
    let mut out: Vec<String> = Vec::new();
    for word in all_words(&parted).iter().filter(|word| !is_stop(word)) {
        let stem = stem(word);
        if !out.contains(&stem) {
            out.push(stem);
        }
    }
    out
}

/// A phrase as a key: two phrases of the same words have the same.
pub fn key(text: &str) -> String {
    stems_of(text).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_equal() {
        for (one, other) in [
            ("lanes", "lane"),
            ("shuffling", "shuffles"),
            ("addresses", "address"),
            ("copies", "copy"),
            ("caches", "cache"),
            ("branches", "branch"),
            ("saturate", "saturation"),
            ("coalesced", "coalescing"),
            ("synchronisation", "synchronization"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("thing"), stem("then"));
        assert_eq!(key("How to shuffle Lanes?"), key("shuffle lane"));
        assert_eq!(key("bank-conflict"), key("bank conflicts"));
    }

    #[test]
    fn statements_lose_what_is_around_the_mnemonic() {
        for (query, word) in [
            ("@%p1 bra DONE;", "bra"),
            ("L1: add.u32 %r1, %r2, %r3;", "add.u32"),
            ("{ .reg .b32 %r<2>;", ".reg"),
            ("fma.rn.f32", "fma.rn.f32"),
            ("L1:", "L1:"),
        ] {
            assert_eq!(head(query), word, "{query}");
        }
        assert_eq!(cleaned(r#"asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));"#), "mov.u32 %0, %laneid");
        assert!(is_statement("bar.sync 0") && is_statement("@%p bra L") && !is_statement("bank conflict"));
    }
}
