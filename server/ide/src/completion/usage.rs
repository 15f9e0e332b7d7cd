//! Likelihoods of opcodes, modifiers and directives, from counts in real files (`server/isa/data/usage.tsv`, docs/dev/usage.md)
//! and from the statements around the cursor.

use ptx_analysis::mnemonic;
use ptx_isa::tables::{FormPattern, ModifierSlot, Opcode, OperandAccess, TypeClass};
use ptx_isa::{ISA, USAGE, Weights};

/// A statement as context for the likelihoods of later statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementStep {
    /// Its class, a rough summary: `ld.param/64`, `@bra`, `.reg`, `:` for a label, `{`.
    pub class: String,
    /// The mnemonic as written; for other statements, the class.
    pub mnemonic: String,
    /// The opcode or the directive.
    pub word: String,
}

/// The class of an instruction. It consists of the opcode, the other words of the instruction's name, the first state space
/// and a suffix for the first type. The suffix is `/f` for floating-point types, `/p` for predicates and `/64` for other
/// types of at least 64 bits.
pub fn class(opcode: &str, modifiers: &[&str]) -> String {
    let mut out = opcode.to_owned();
    let path = ISA.opcode(opcode).and_then(|o| o.entry(modifiers)).map_or(&[][..], |e| e.path);
    out.extend(path.iter().copied());
    out.extend(modifiers.iter().find(|m| ISA.space(m).is_some() && !path.contains(m)).copied());
    if let Some(ty) = modifiers.iter().find_map(|m| ISA.ty(m)) {
        match ty.class {
            TypeClass::Float => out.push_str("/f"),
            TypeClass::Pred => out.push_str("/p"),
            _ if ty.bits >= 64 => out.push_str("/64"),
            _ => {}
        }
    }
    out
}

/// Summarizes a statement by its first words.
pub fn step(words: &[&str]) -> StatementStep {
    let plain = |word: &str| StatementStep { class: word.to_owned(), mnemonic: word.to_owned(), word: word.to_owned() };
    let guard = match words {
        ["@", "!", ..] => 3,
        ["@", ..] => 2,
        _ => 0,
    };
    let Some(first) = words.get(guard) else { return StatementStep::default() };
    if words.get(1) == Some(&":") || words.first() == Some(&"{") {
        return plain(if words.first() == Some(&"{") { "{" } else { ":" });
    }
    if ISA.opcode(first).is_none() {
        return if ISA.directive(first).is_some() { plain(first) } else { StatementStep::default() };
    }
    let modifiers: Vec<&str> = words.iter().skip(guard + 1).take_while(|w| w.starts_with('.')).copied().collect();
    let sign = if guard > 0 { "@" } else { "" };
    StatementStep {
        class: format!("{sign}{}", class(first, &modifiers)),
        mnemonic: format!("{sign}{first}{}", modifiers.concat()),
        word: (*first).to_owned(),
    }
}

/// Blends the counts of a narrower context into `scores`. The fewer counts the context has, the more of the earlier scores
/// remains; `doubt` is the count at which both weigh the same.
fn refine<'w>(scores: &mut Vec<(&'w str, f64)>, words: impl IntoIterator<Item = (&'w str, f64)>, doubt: f64) {
    let words: Vec<(&str, f64)> = words.into_iter().collect();
    let total: f64 = words.iter().map(|(_, w)| w).sum();
    if total <= 0.0 {
        return;
    }
    let share = total / (total + doubt);
    for (_, score) in scores.iter_mut() {
        *score *= 1.0 - share;
    }
    for (word, weight) in words {
        let score = share * weight / total;
        match scores.iter_mut().find(|(w, _)| *w == word) {
            Some((_, known)) => *known += score,
            None => scores.push((word, score)),
        }
    }
}

fn counted(words: Weights) -> impl Iterator<Item = (&'static str, f64)> {
    words.iter().map(|(word, weight)| (*word, f64::from(*weight)))
}

/// How likely each word follows, blended from contexts of a table. `contexts` is sorted from the widest to the narrowest.
pub fn likely(kind: &str, contexts: &[&str]) -> Vec<(&'static str, f64)> {
    let mut out = Vec::new();
    for context in contexts {
        refine(&mut out, counted(USAGE.after(kind, context)), DOUBT);
    }
    out
}

/// The score of a word; 0 where it was never counted.
pub fn score(scores: &[(&str, f64)], word: &str) -> f64 {
    scores.iter().find(|(w, _)| *w == word).map_or(0.0, |(_, score)| *score)
}

/// The count at which a context weighs as much as the wider one.
const DOUBT: f64 = 60.0;
/// The same for contexts in the function itself, in statements.
const LOCAL_DOUBT: f64 = 6.0;

/// How likely each opcode and directive begins the next statement, given the two statements before it. The counts come from
/// real files and from this function.
pub fn next(history: &[StatementStep], guarded: bool) -> Vec<(&'static str, f64)> {
    let nothing = StatementStep::default();
    let last = history.last().unwrap_or(&nothing);
    let before = history.len().checked_sub(2).and_then(|i| history.get(i)).unwrap_or(&nothing);
    let kind = if guarded { "guarded" } else { "next" };
    let pair = format!("{} {}", before.class, last.class);
    let mut out = likely(kind, &["*", &last.class, &last.mnemonic, &pair]);
    // Statements that followed a statement of the same kind in this text.
    let known = |word: &str| ISA.opcode(word).map(|o| o.name).or_else(|| ISA.directive(word).map(|d| d.name));
    let follows = |same: &dyn Fn(&[StatementStep]) -> bool| -> Vec<(&'static str, f64)> {
        let fits = |w: &&[StatementStep]| w.last().is_some_and(|s| s.class.starts_with('@') == guarded) && same(w);
        history.windows(3).filter(fits).filter_map(|w| Some((known(&w.last()?.word)?, 1.0))).collect()
    };
    refine(&mut out, follows(&|w| w.get(1).is_some_and(|s| s.class == last.class)), LOCAL_DOUBT);
    refine(&mut out, follows(&|w| w.get(1) == Some(last) && w.first() == Some(before)), LOCAL_DOUBT / 2.0);
    out
}

/// The share of an opcode's uses in real files that have exactly these modifiers.
pub fn fits(opcode: &str, modifiers: &[&str]) -> f64 {
    let all = USAGE.mnemonics(opcode);
    let total: f64 = counted(all).map(|(_, w)| w).sum();
    let wanted = if modifiers.is_empty() { "-".to_owned() } else { modifiers.concat() };
    let exact: f64 = counted(all).filter(|(m, _)| *m == wanted).map(|(_, w)| w).sum();
    // If the opcode has all of the modifiers, the mnemonic is possible even though it was never counted.
    let takes = |m: &&str| {
        ISA.opcode(opcode)
            .is_some_and(|o| o.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots).any(|s| s.values.contains(m)))
    };
    let possible = !modifiers.is_empty() && modifiers.iter().all(takes);
    (exact + if possible { 0.5 } else { 0.001 }) / (total + 1.0)
}

/// The share of an opcode's uses that belongs to an instruction with a longer name: `cp.async` of `cp`.
pub fn share(name: &str) -> f64 {
    let Some((opcode, path)) = name.split_once('.') else { return 1.0 };
    let all = USAGE.mnemonics(opcode);
    let total: f64 = counted(all).map(|(_, w)| w).sum();
    let begins = |m: &str| {
        m.strip_prefix('.').and_then(|m| m.strip_prefix(path)).is_some_and(|r| r.is_empty() || r.starts_with('.'))
    };
    (counted(all).filter(|(m, _)| begins(m)).map(|(_, w)| w).sum::<f64>() + 0.01) / (total + 1.0)
}

/// How likely each modifier is between `before` and `after`, from mnemonics of real files and of the text around the
/// cursor.
pub fn modifiers(opcode: &str, before: &[&str], after: &[&str], history: &[StatementStep]) -> Vec<(String, f64)> {
    let mut out: Vec<(String, f64)> = Vec::new();
    let all = USAGE.mnemonics(opcode);
    let total: f64 = counted(all).map(|(_, w)| w).sum::<f64>().max(1.0);
    for (mnemonic, weight) in counted(all) {
        enter(&mut out, mnemonic, before, after, weight / total);
    }
    let own = |s: &StatementStep| s.word == opcode;
    let here = history.iter().filter(|s| own(s)).count().max(1) as f64;
    for step in history.iter().filter(|s| own(s)) {
        let mnemonic = step.mnemonic.trim_start_matches('@');
        let mnemonic = mnemonic.get(opcode.len()..).unwrap_or("");
        enter(&mut out, mnemonic, before, after, here / (here + LOCAL_DOUBT) / here);
    }
    out
}

/// Adds the modifiers of one mnemonic to `out`. A modifier weighs most if its neighbours match `before` and `after`.
fn enter(out: &mut Vec<(String, f64)>, mnemonic: &str, before: &[&str], after: &[&str], weight: f64) {
    // Factors for a different adjacent modifier and for a different modifier further away.
    const NEAR: f64 = 0.02;
    const FAR: f64 = 0.2;
    let Some(mnemonic) = mnemonic.strip_prefix('.') else { return };
    let parts: Vec<&str> = mnemonic.split('.').collect();
    let same = |part: &str, word: &str| word.strip_prefix('.') == Some(part);
    for (at, part) in parts.iter().enumerate() {
        let mut fit = 1.0;
        let (left, right) = (parts.get(..at).unwrap_or(&[]), parts.get(at + 1..).unwrap_or(&[]));
        for (distance, word) in before.iter().rev().enumerate() {
            let there = distance.checked_add(1).and_then(|d| left.len().checked_sub(d)).and_then(|i| left.get(i));
            if !there.is_some_and(|p| same(p, word)) {
                fit *= if left.iter().any(|p| same(p, word)) {
                    0.5
                } else if distance == 0 {
                    NEAR
                } else {
                    FAR
                };
            }
        }
        for _ in before.len()..left.len() {
            fit *= NEAR;
        }
        for (distance, word) in after.iter().enumerate() {
            if !right.get(distance).is_some_and(|p| same(p, word)) {
                fit *= if right.iter().any(|p| same(p, word)) {
                    0.5
                } else if distance == 0 {
                    NEAR
                } else {
                    FAR
                };
            }
        }
        if !after.is_empty() && right.len() > after.len() {
            fit *= NEAR;
        }
        let name = format!(".{part}");
        match out.iter_mut().find(|(n, _)| *n == name) {
            Some((_, known)) => *known += fit * weight,
            None => out.push((name, fit * weight)),
        }
    }
}

/// A mnemonic as the manual writes it: its modifiers in the order of the form, and those that the manual always has. `None` if no form
/// takes these modifiers, or the manual has no such form.
pub fn notation(opcode: &'static Opcode, modifiers: &[&str]) -> Option<String> {
    let resolved = mnemonic::resolve(opcode, modifiers).filter(|m| m.mismatch.is_none() && m.ignored.is_empty())?;
    let candidate = resolved.candidates.iter().find(|c| c.form.documents(&c.values))?;
    let written = |(slot, value): (&ModifierSlot, &Option<&'static str>)| {
        value.or_else(|| slot.documented().next().filter(|_| slot.expected)).filter(|_| slot.after_operand == 0)
    };
    let mnemonic: String = candidate.form.slots.iter().zip(&candidate.values).filter_map(written).collect();
    Some(format!("{}{mnemonic}", opcode.name))
}

/// Whether an opcode writes its first operand.
pub fn writes(opcode: &str) -> bool {
    let form = ISA.opcode(opcode).and_then(|o| o.entries.first()).and_then(|e| e.forms.first());
    match form.and_then(|f| f.operands.first()).map(|o| &o.pattern) {
        Some(FormPattern::Value(v) | FormPattern::Arguments(v)) => {
            v.access != OperandAccess::Read && !matches!(v.kind, ptx_isa::tables::ValueKind::Address(_))
        }
        Some(FormPattern::Pair(pair)) => pair.first.access != OperandAccess::Read,
        _ => false,
    }
}
