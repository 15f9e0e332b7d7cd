//! Short names that differ where the whole names differ.
//!
//! Kernels of one template differ only in their arguments, which the short form cuts: a list of forty `_kernel_agent<…>` is no list.

use super::{Demangled, MAX_SHORT, shorten, without_arguments};
use std::collections::{HashMap, HashSet};

/// Maximum length in characters of the arguments that are added to a short form.
const MAX_ADDED: usize = 100;

/// Maximum number of names with the same short form that are told apart.
const MAX_GROUP: usize = 500;

/// The short forms of names, in their order. Where several have the same one, each is followed by the template arguments that the others do
/// not all have: `reduce<…> · float, 128`.
pub fn distinct_names(names: &[Demangled]) -> Vec<String> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        groups.entry(&name.short).or_default().push(index);
    }
    let mut out: Vec<String> = names.iter().map(|name| name.short.clone()).collect();
    for members in groups.into_values().filter(|members| (2..=MAX_GROUP).contains(&members.len())) {
        let wholes: Vec<&str> = members.iter().map(|index| &*names[*index].whole).collect();
        for (index, added) in members.iter().zip(differences(&wholes)) {
            if !added.is_empty() {
                let name = shorten(&without_arguments(&names[*index].whole), MAX_SHORT);
                out[*index] = format!("{name} · {added}");
            }
        }
    }
    out
}

/// For each name, the words that tell it from the others.
fn differences(names: &[&str]) -> Vec<String> {
    let whole: Vec<Vec<&str>> = names.iter().map(|name| words(name)).collect();
    // The last parts of qualified names usually suffice.
    let brief: Vec<Vec<&str>> = whole.iter().map(|of| of.iter().map(|word| last_part(word)).collect()).collect();
    let distinct = names.iter().collect::<HashSet<_>>().len();
    let lists = [&brief, &whole].map(|words| {
        let telling = telling(words);
        let own = |of: &Vec<&str>| listed(of.iter().copied().filter(|word| telling.contains(word)));
        words.iter().map(own).collect::<Vec<String>>()
    });
    let tells_all = |list: &Vec<String>| list.iter().collect::<HashSet<_>>().len() == distinct;
    // Names of the same words in another order.
    let ordered = || whole.iter().map(|of| after_common(of, &whole)).collect();
    lists.into_iter().find(tells_all).unwrap_or_else(ordered)
}

/// Words whose numbers of occurrences tell the names apart, as far as such words do. Each one splits the names further than any other
/// would.
fn telling<'n>(names: &[Vec<&'n str>]) -> HashSet<&'n str> {
    let count = |word: &str, of: &[&str]| of.iter().filter(|w| **w == word).count();
    let mut candidates: Vec<&str> = names.iter().flatten().copied().collect();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|word| names.iter().any(|of| count(word, of) != count(word, &names[0])));
    let mut classes = vec![0; names.len()];
    let mut out = HashSet::new();
    loop {
        let number = classes.iter().collect::<HashSet<_>>().len();
        let split = |word: &str| -> Vec<(usize, usize)> {
            classes.iter().zip(names).map(|(class, of)| (*class, count(word, of))).collect()
        };
        let size = |word: &str| split(word).into_iter().collect::<HashSet<_>>().len();
        // Of words that split as far, a short one.
        let best = candidates.iter().max_by_key(|word| (size(word), std::cmp::Reverse(word.len())));
        let Some(best) = best.copied().filter(|word| size(word) > number) else { break };
        let mut numbers = HashMap::new();
        classes = split(best)
            .into_iter()
            .map(|class| {
                let next = numbers.len();
                *numbers.entry(class).or_insert(next)
            })
            .collect();
        out.insert(best);
    }
    // A name that only lacks the words of others says something of its own.
    for of in names {
        if of.iter().any(|word| out.contains(word)) {
            continue;
        }
        let own = of.iter().filter(|word| candidates.binary_search(word).is_ok()).min_by_key(|word| word.len());
        out.extend(own);
    }
    out
}

/// The words of a name from the first one that not all names have.
fn after_common(words: &[&str], all: &[Vec<&str>]) -> String {
    let differs = |at: &usize| all.iter().any(|of| of.get(*at) != words.get(*at));
    let at = (0..words.len()).find(differs).unwrap_or(words.len());
    listed(words[at..].iter().copied())
}

/// Words in a list of limited length.
fn listed<'n>(words: impl Iterator<Item = &'n str>) -> String {
    let mut out = String::new();
    for word in words {
        if out.chars().count() + word.chars().count() > MAX_ADDED && !out.is_empty() {
            out.push_str(", …");
            break;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(word);
    }
    out
}

/// The words of a name: what stands between brackets and commas.
fn words(name: &str) -> Vec<&str> {
    name.split(|c| "<>,(){}[]".contains(c))
        .map(|word| word.trim().trim_matches(':'))
        .filter(|word| !word.is_empty())
        .collect()
}

/// A name without its namespaces.
fn last_part(word: &str) -> &str {
    word.rsplit("::").next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wholes: &[&str]) -> Vec<String> {
        let demangled = |whole: &&str| Demangled {
            full: (*whole).to_owned(),
            short: "k<…>".to_owned(),
            whole: (*whole).to_owned(),
        };
        distinct_names(&wholes.iter().map(demangled).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_that_not_all_names_have() {
        assert_eq!(names(&["n::k<float, 128>"]), ["k<…>"]);
        assert_eq!(names(&["n::k<float, 128>", "n::k<double, 128>"]), ["n::k<…> · float", "n::k<…> · double"]);
        let namespaces = names(&["k<a::X<int>, 1>", "k<a::X<int>, 2>", "k<b::X<int>, 2>"]);
        assert_eq!(namespaces, ["k<…> · 1", "k<…> · 2", "k<…> · b::X, 2"]);
        // One word is enough, whatever else differs.
        let types = names(&["k<unsigned long, a::Policy<1, 2>, 4>", "k<unsigned int, b::Policy<3, 4>, 5>"]);
        assert_eq!(types.iter().collect::<HashSet<_>>().len(), 2);
        assert!(types.iter().all(|name| name.chars().count() <= 10 && name.contains('·')), "{types:?}");
        // The same words in another order.
        assert_eq!(names(&["k<int, float>", "k<float, int>"]), ["k<…> · int, float", "k<…> · float, int"]);
        // Nothing tells them apart.
        assert_eq!(names(&["k<int>", "k<int>"]), ["k<…>", "k<…>"]);
    }
}
