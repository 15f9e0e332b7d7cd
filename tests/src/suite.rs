//! The cases of the conformance suite, generated from the tables: legal statements and negative cases.
//! `tests/oracle/record.py` records the assembler's verdicts.

use crate::combinations::{self, Values};
use crate::generate::{Random, modifiers, operands, print};
use crate::snippets::judge;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form};
use ptx_sema::forms::spec::{OperandPattern, OperandVariant, operand_variants};
use std::collections::BTreeSet;

/// Operands that replace a correct one in negative cases.
const STRANGERS: &[&str] = &[
    "%r7",
    "%rd7",
    "%h7",
    "%c7",
    "%f7",
    "%d7",
    "%p7",
    "%u7",
    "%s7",
    "%uh3",
    "%sh3",
    "%ud3",
    "%sd3",
    "%hf7",
    "%hx7",
    "%q7",
    "1",
    "-1",
    "200",
    "1.5",
    "0f3f800000",
    "0d3ff0000000000000",
    "_",
    "!%p7",
    "%tid.x",
    "%clock64",
    "sm",
    "gl+4",
    "k",
    "{%r6,%r7}",
    "{%r4,%r5,%r6,%r7}",
    "[gl]",
    "[sm]",
    "[%rd7]",
    "[%rd7+8]",
    "tx",
    "%r7|%p7",
    "%v2",
    "%v4.y",
    "%r7.b0",
];

/// Modifiers added to instructions that do not support them.
const INTRUDERS: &[&str] =
    &[".ftz", ".sat", ".rn", ".u32", ".f16", ".sync", ".global", ".v2", ".relu", ".gpu", ".volatile", ".lo"];

/// Versions and targets to try an instruction on; the first that accepts it is its home.
const HOMES: &[(&str, &str)] = &[
    ("9.5", "sm_100a"),
    ("9.5", "sm_90a"),
    ("9.5", "sm_120a"),
    ("9.5", "sm_107a"),
    ("9.5", "sm_103a"),
    ("9.5", "sm_110a"),
    ("9.5", "sm_90,texmode_independent"),
    ("8.5", "sm_80"),
    ("6.3", "sm_70"),
    ("6.3", "sm_60"),
    ("6.0", "sm_35"),
    ("3.0", "sm_20"),
    ("1.4", "sm_13"),
];

/// A case: version, target, statement.
pub type Case = (&'static str, &'static str, String);

/// The legal statements of an entry, and negative cases for some of them. The legal ones are, for each form, each legal
/// combination of modifiers (or all pairs of them) with each variant of optional operands.
pub fn statements(entry: &'static Entry) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut good, mut near) = (BTreeSet::new(), BTreeSet::new());
    let word = entry.name.split('.').next().unwrap_or(entry.name);
    for (index, form) in entry.forms.iter().enumerate() {
        let mut random = Random::new(seed(form, index));
        for values in combinations::legal(form, &mut random) {
            for variant in sound(form, &values) {
                good.insert(print(word, &modifiers(form, &values), &operands(form, &values, &variant)));
            }
        }
        let mut bases = combinations::representative(form, &mut random);
        while bases.len() > 6 {
            bases.remove(1 + random.below(bases.len() - 1));
        }
        for (number, values) in bases.iter().enumerate() {
            for variant in sound(form, values) {
                let base = Base { word, form, values, variant: &variant, entry };
                base.operand_misses(number == 0, &mut random, &mut near);
                base.modifier_misses(&mut random, &mut near);
            }
        }
    }
    near.retain(|n| !good.contains(n));
    (good, near)
}

/// Statements in which each value of each slot of each form occurs once. Their availability is measured.
pub fn representatives(entry: &'static Entry) -> BTreeSet<String> {
    entry.forms.iter().enumerate().flat_map(|(index, form)| statements_of(entry, form, index)).collect()
}

/// Like `representatives`, for one form, given with its index in the entry.
pub fn statements_of(entry: &'static Entry, form: &'static Form, index: usize) -> BTreeSet<String> {
    let word = entry.name.split('.').next().unwrap_or(entry.name);
    let mut out = BTreeSet::new();
    let mut random = Random::new(seed(form, index));
    for values in combinations::representative(form, &mut random) {
        for variant in sound(form, &values) {
            out.insert(print(word, &modifiers(form, &values), &operands(form, &values, &variant)));
        }
    }
    out
}

/// Assigns each statement the first home that accepts it. Also returns the statements without a home, whose gates
/// exclude each other.
pub fn at_home(statements: &BTreeSet<String>) -> (Vec<Case>, BTreeSet<String>) {
    let mut open: Vec<&str> = statements.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for (version, target) in HOMES {
        let verdicts = judge(version, target, &open);
        let mut left = Vec::new();
        for (text, verdict) in open.into_iter().zip(verdicts) {
            match verdict {
                None => out.push((*version, *target, text.to_owned())),
                Some(_) => left.push(text),
            }
        }
        open = left;
    }
    (out, open.into_iter().map(str::to_owned).collect())
}

/// Assigns the negative cases a home that accepts their form.
pub fn near_home(entry: &'static Entry, good: &[Case], near: BTreeSet<String>) -> Vec<Case> {
    let mut counts: Vec<(usize, (&'static str, &'static str))> =
        HOMES.iter().map(|home| (good.iter().filter(|c| (c.0, c.1) == *home).count(), *home)).collect();
    counts.sort_by_key(|c| std::cmp::Reverse(c.0));
    let home = counts.first().filter(|_| !entry.forms.is_empty()).map_or(HOMES[0], |c| c.1);
    near.into_iter().map(|text| (home.0, home.1, text)).collect()
}

fn seed(form: &Form, index: usize) -> u64 {
    form.text.bytes().fold(index as u64 + 1, |a, b| a.wrapping_mul(31).wrapping_add(b.into()))
}

/// The operand variants that violate no rule.
fn sound(form: &'static Form, values: &Values) -> Vec<OperandVariant> {
    operand_variants(form, values).into_iter().filter(|a| a.broken.is_none()).collect()
}

/// A legal statement from which negative cases are derived.
struct Base<'b> {
    word: &'static str,
    form: &'static Form,
    values: &'b Values,
    variant: &'b OperandVariant,
    entry: &'static Entry,
}

impl Base<'_> {
    /// Adds negative cases of operands: one of the wrong class, an immediate out of range, a list of another length,
    /// one operand too many or too few.
    fn operand_misses(&self, many: bool, random: &mut Random, out: &mut BTreeSet<String>) {
        let modifiers = modifiers(self.form, self.values);
        let good = operands(self.form, self.values, self.variant);
        let mut with = |place: usize, text: String| {
            let mut other = good.clone();
            other[place] = text;
            out.insert(print(self.word, &modifiers, &other));
        };
        for (place, (_, shape)) in self.variant.operands.iter().enumerate() {
            for _ in 0..if many { 14 } else { 2 } {
                with(place, STRANGERS[random.below(STRANGERS.len())].to_owned());
            }
            if let OperandPattern::Value(spec) = shape {
                for range in spec.value.ranges {
                    with(place, range.low.saturating_sub(1).to_string());
                    with(place, range.high.saturating_add(1).to_string());
                    with(place, range.low.saturating_add(range.step / 2).to_string());
                    with(place, range.high.to_string());
                }
            }
            if let Some(list) = good[place].strip_prefix('{').and_then(|l| l.strip_suffix('}')) {
                let elements: Vec<&str> = list.split(',').collect();
                with(place, format!("{{{}}}", elements[..elements.len() - 1].join(",")));
                with(place, format!("{{{list},{}}}", elements[0]));
                with(place, elements[0].to_owned());
                with(place, format!("{{_,{}}}", elements[1..].join(",")));
                with(place, format!("{{{}}}", list.replacen('%', "%x", 1).replacen("%xr", "%f", 1).replace("%x", "%")));
            }
            if let Some(inner) = good[place].strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                with(place, inner.to_owned());
                with(place, format!("[{inner}+4]"));
            }
        }
        let mut more = good.clone();
        more.push("%r7".to_owned());
        out.insert(print(self.word, &modifiers, &more));
        if let Some((_, fewer)) = good.split_last() {
            out.insert(print(self.word, &modifiers, fewer));
        }
        if good.len() > 2 {
            let mut other = good.clone();
            other.swap(1, 2);
            out.insert(print(self.word, &modifiers, &other));
        }
    }

    /// Adds negative cases of modifiers: one dropped, repeated, moved, replaced by another value, or added.
    fn modifier_misses(&self, random: &mut Random, out: &mut BTreeSet<String>) {
        let good = modifiers(self.form, self.values);
        let operands = operands(self.form, self.values, self.variant);
        let mut put = |modifiers: &[&str]| out.insert(print(self.word, modifiers, &operands));
        let siblings: Vec<&'static str> =
            self.entry.forms.iter().flat_map(|f| f.slots).flat_map(|s| s.values).copied().collect();
        for i in 0..good.len() {
            let mut less = good.clone();
            less.remove(i);
            put(&less);
            let mut twice = good.clone();
            twice.insert(i, good[i]);
            put(&twice);
            if i + 1 < good.len() {
                let mut swapped = good.clone();
                swapped.swap(i, i + 1);
                put(&swapped);
            }
            let kin: Vec<&str> =
                if ISA.ty(good[i]).is_some() { ISA.types.iter().map(|t| t.name).collect() } else { siblings.clone() };
            for _ in 0..2 {
                let mut exchanged = good.clone();
                exchanged[i] = kin[random.below(kin.len())];
                put(&exchanged);
            }
        }
        for _ in 0..3 {
            for pool in [&siblings[..], INTRUDERS] {
                if !pool.is_empty() {
                    let mut more = good.clone();
                    more.insert(random.below(good.len() + 1), pool[random.below(pool.len())]);
                    put(&more);
                }
            }
        }
    }
}
