//! The modifiers that a wrong modifier may stand for.

use crate::forms::assembly::unbuilt;
use crate::forms::mnemonic::{Candidate, resolve_fitting};
use crate::forms::spec::applies;
use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Opcode};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Spellings that are tried against the forms of an opcode. Some opcodes have hundreds of modifiers.
const MAX_TRIED: usize = 24;
/// Words that one modifier may have been split into: `.mbarrier.complete_tx.bytes`.
const MAX_PARTS: usize = 4;

/// A modifier that may be meant by one or several written ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction {
    /// The modifier.
    pub value: &'static str,
    /// Index of the last written modifier that it replaces.
    pub last: usize,
}

/// The modifiers that may be meant at an index, the most similar first: those of the opcode that look like the written one, or that are
/// it with `::` for a dot, and with which a form has all modifiers.
pub fn corrections(opcode: &'static Opcode, modifiers: &[&str], index: usize) -> Vec<Correction> {
    let own = OWN_MODIFIERS.get(opcode.name).map_or(&[][..], Vec::as_slice);
    let mut found: Vec<((u8, u32), Correction)> = Vec::new();
    for last in index..modifiers.len().min(index + MAX_PARTS) {
        let joined = modifiers[index..=last].concat().replace('.', "::").replacen("::", ".", 1);
        let wanted = Wanted::new(&joined);
        let similar = |value: &&'static str| {
            let rank = if last > index {
                (*value == joined || value.strip_prefix(joined.as_str()).is_some_and(|rest| rest.starts_with("::")))
                    .then_some((0, value.len().abs_diff(joined.len()) as u32))
            } else {
                wanted.similarity(value)
            };
            rank.map(|rank| (rank, Correction { value, last }))
        };
        found.extend(own.iter().filter_map(similar));
    }
    found.sort_by_key(|(rank, correction)| (*rank, correction.value));
    // A modifier in capital letters, or a word of another language, is no misspelling.
    if found.first().is_some_and(|(rank, correction)| *rank == (0, 0) && correction.last == index) {
        found.truncate(1);
    }
    found.truncate(MAX_TRIED);
    let fits = |correction: &Correction| {
        let mut with = modifiers.to_vec();
        with.splice(index..=correction.last, [correction.value]);
        resolve_fitting(opcode, &with).is_some()
    };
    found.into_iter().map(|(_, correction)| correction).filter(fits).collect()
}

/// The documented modifiers of each opcode, in alphabetical order.
static OWN_MODIFIERS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let own = |opcode: &'static Opcode| {
        let mut own: Vec<_> = forms(opcode).flat_map(Form::documented_values).collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    ISA.opcodes.iter().map(|opcode| (opcode.name, own(opcode))).collect()
});

/// A written word that is compared with all modifiers of an opcode.
struct Wanted<'w> {
    word: &'w str,
    /// What it is in PTX, if it is a word of another language.
    spellings: Vec<&'static str>,
    /// The word with `0` for each number in it, and the numbers.
    parted: (String, Vec<u64>),
}

impl<'w> Wanted<'w> {
    fn new(word: &'w str) -> Self {
        let spellings = ptx_isa::OTHER_NAMES.iter().filter(|n| n.name == word).flat_map(|n| n.spellings()).collect();
        Wanted { word, spellings, parted: parted(word) }
    }

    /// How like a modifier is to the word, less is more; `None` if it is not. A longer form of the word comes first, then a number
    /// that is near, then a spelling that is near.
    fn similarity(&self, value: &str) -> Option<(u8, u32)> {
        let word = self.word;
        if word == value || word.len() < 2 {
            return None;
        }
        if word.eq_ignore_ascii_case(value) || self.spellings.contains(&value) {
            return Some((0, 0));
        }
        let longer = |long: &str, short: &str| {
            let rest = long.strip_prefix(short)?;
            rest.starts_with(['_', ':']).then_some(rest.len() as u32)
        };
        if let Some(rest) = longer(value, word) {
            return Some((0, rest));
        }
        // `.wait` for `.try_wait`.
        let ending = word.strip_prefix('.').and_then(|w| value.strip_suffix(w)).filter(|rest| rest.ends_with('_'));
        if let Some(rest) = ending {
            return Some((1, rest.len() as u32));
        }
        let (letters, numbers) = &self.parted;
        if !numbers.is_empty() && letters.len() > 1 {
            let (value_letters, value_numbers) = parted(value);
            if *letters == value_letters {
                let distance: u64 = numbers.iter().zip(&value_numbers).map(|(a, b)| a.abs_diff(*b)).sum();
                return Some((1, u32::try_from(distance).unwrap_or(u32::MAX)));
            }
        }
        if let Some(rest) = longer(word, value) {
            return Some((3, rest));
        }
        let limit = (word.len() / 3).clamp(1, 3);
        // No spelling is nearer than the lengths are.
        if word.len().abs_diff(value.len()) > limit && word.is_ascii() {
            return None;
        }
        let distance = strsim::damerau_levenshtein(word, value);
        (distance <= limit).then_some((2, distance as u32))
    }
}

/// A word with `0` for each number in it, and the numbers.
fn parted(word: &str) -> (String, Vec<u64>) {
    let mut letters = String::new();
    let mut numbers = Vec::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            letters.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            letters.push('0');
            numbers.push(rest[..digits].parse().unwrap_or(u64::MAX));
            rest = &rest[digits..];
        }
    }
    (letters, numbers)
}

/// Whether version and target allow a form with these values, and the assembler builds it, in at least one operand variant.
pub fn is_allowed(candidate: &Candidate, environment: &Environment) -> bool {
    let Candidate { form, values, variants, .. } = candidate;
    variants.iter().any(|variant| {
        environment.refused(form.gates, |gate| applies(gate.when, values, variant)).is_none()
            && unbuilt(form, values, variant, environment).is_none()
    })
}

/// A place among the modifiers of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct ModifierPlace {
    /// The index of a modifier.
    pub index: usize,
    /// In the place of that modifier, rather than before it.
    pub replace: bool,
}

/// Those of some modifiers that version, target and assembler allow at a place.
pub fn allowed(
    opcode: &'static Opcode,
    modifiers: &[&str],
    place: ModifierPlace,
    values: &[&'static str],
    environment: &Environment,
) -> Vec<&'static str> {
    let ModifierPlace { index, replace } = place;
    let is_refused = |value: &&'static str| {
        let mut with = modifiers.to_vec();
        with.splice(index..index + usize::from(replace), [*value]);
        resolve_fitting(opcode, &with).is_some_and(|m| !m.candidates.iter().any(|c| is_allowed(c, environment)))
    };
    let kept: Vec<&'static str> = values
        .iter()
        .copied()
        .enumerate()
        .filter(|(at, v)| *at >= MAX_TRIED || !is_refused(v))
        .map(|(_, v)| v)
        .collect();
    // A module whose header allows none of them has another problem.
    if kept.is_empty() { values.to_vec() } else { kept }
}

/// The opcode with its modifiers but for types: the operation that a type does not suit.
pub fn operation(opcode: &'static Opcode, modifiers: &[&str]) -> String {
    let kept = modifiers.iter().filter(|m| ISA.ty(m).is_none());
    std::iter::once(opcode.name).chain(kept.copied()).collect()
}

fn forms(opcode: &'static Opcode) -> impl Iterator<Item = &'static Form> {
    opcode.entries.iter().flat_map(|e| e.forms)
}

#[cfg(test)]
mod tests {
    use super::corrections;
    use ptx_isa::ISA;

    fn of(mnemonic: &str, index: usize) -> Vec<&'static str> {
        let mut words = mnemonic.split('.');
        let opcode = ISA.opcode(words.next().unwrap_or("")).expect("an opcode");
        let modifiers: Vec<String> = words.map(|w| format!(".{w}")).collect();
        let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        corrections(opcode, &modifiers, index).into_iter().map(|c| c.value).collect()
    }

    #[test]
    fn a_longer_word_comes_first() {
        assert_eq!(of("wgmma.commit.sync.aligned", 0), [".commit_group"]);
        assert_eq!(of("griddepcontrol.launch", 0), [".launch_dependents"]);
    }

    #[test]
    fn words_with_another_one_before_them() {
        assert_eq!(of("mbarrier.wait.shared::cta.b64", 0), [".try_wait", ".test_wait"]);
    }

    #[test]
    fn colons_for_a_dot() {
        assert_eq!(of("tcgen05.wait.ld.sync.aligned", 0).first(), Some(&".wait::ld"));
    }

    #[test]
    fn numbers_that_are_near() {
        let found = of("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16", 3);
        assert_eq!(found[..2], [".m64n16k16", ".m64n8k16"]);
    }
}
