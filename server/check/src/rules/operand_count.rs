//! `operand-count`: too few or too many operands.

use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::OperandAccess;
use ptx_sema::forms::align::{Alignment, AlignmentEdit};
use ptx_sema::forms::choose::ResolvedInstruction;
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::Instruction;
use std::ops::Range;

/// An instruction with too few or too many operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct OperandCount {
    /// The opcode with its modifiers, as written.
    pub mnemonic: Box<str>,
    /// The numbers of operands that it may have, ascending.
    pub expected: Box<[usize]>,
    /// The number that it has.
    pub actual: usize,
    /// The difference to the nearest legal operands.
    pub difference: CountDifference,
    /// The form.
    pub form: &'static str,
}

/// How operands differ from the nearest legal ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CountDifference {
    /// In several ways.
    Several,
    /// Expected operands are missing: their names and what they are for, as the tables say it (Markdown, may be empty).
    Missing(Box<[(&'static str, &'static str)]>),
    /// Written operands are too many.
    Extra(Box<[Box<str>]>),
    /// The instruction returns nothing, and this is a destination.
    NoResult(Box<str>),
    /// The elements of an operand are written side by side.
    Elements {
        /// The name of the operand.
        operand: &'static str,
        /// The elements as one list.
        list: Box<str>,
    },
    /// With another modifier the instruction has this number of operands.
    LacksModifier {
        /// The modifier.
        modifier: &'static str,
        /// The mnemonic with it.
        whole: Box<str>,
    },
    /// The predicate of a branch is an operand; this is the branch with a guard.
    GuardAsOperand(Box<str>),
    /// A part of an address stands outside of its brackets.
    OutsideBrackets {
        /// The part.
        part: Box<str>,
        /// The address with it.
        address: Box<str>,
    },
}

impl DiagnosticMessage for OperandCount {
    fn message(&self) -> String {
        let mnemonic = &self.mnemonic;
        match &self.difference {
            CountDifference::Missing(missing) => {
                let names: Vec<String> = missing.iter().map(|(name, _)| format!("`{name}`")).collect();
                match names.as_slice() {
                    [one] => format!("operand {one} of `{mnemonic}` is missing"),
                    _ => format!("operands {} of `{mnemonic}` are missing", super::and(&names)),
                }
            }
            CountDifference::NoResult(written) => format!("`{mnemonic}` returns nothing: remove `{written}`"),
            CountDifference::Elements { operand, list } => {
                format!("`{operand}` of `{mnemonic}` is one list: `{list}`")
            }
            CountDifference::OutsideBrackets { part, address } => {
                format!("`{part}` belongs inside the brackets: `{address}`")
            }
            CountDifference::GuardAsOperand(_) => {
                format!("`{mnemonic}` takes only a label: the predicate of a conditional branch is its guard")
            }
            CountDifference::LacksModifier { modifier, whole } => {
                let count = if self.actual == 1 { "1 operand".to_owned() } else { format!("{} operands", self.actual) };
                format!("`{modifier}` is missing: `{whole}` has {count}, `{mnemonic}` takes {}", self.expected())
            }
            CountDifference::Extra(extra) => {
                let names: Vec<String> = extra.iter().map(|name| format!("`{name}`")).collect();
                let many = if extra.len() == 1 { "is one too many" } else { "are too many" };
                format!("`{mnemonic}` takes {}; {} {many}", self.expected(), super::and(&names))
            }
            CountDifference::Several => {
                let verb = if self.actual == 1 { "is" } else { "are" };
                format!("`{mnemonic}` takes {}; {} {verb} given", self.expected(), self.actual)
            }
        }
    }

    fn help(&self) -> Option<String> {
        let form = format!("the form is `{}`", self.form);
        match &self.difference {
            CountDifference::LacksModifier { whole, .. } | CountDifference::GuardAsOperand(whole) => {
                Some(format!("write `{whole}`"))
            }
            CountDifference::Missing(missing) => {
                let known = missing.iter().filter(|(_, doc)| !doc.is_empty());
                let docs: Vec<String> = known.map(|(name, doc)| super::meaning(name, doc)).collect();
                Some(docs.into_iter().chain([form]).collect::<Vec<_>>().join("; "))
            }
            _ => Some(form),
        }
    }
}

impl OperandCount {
    /// `2 or 3 operands`.
    fn expected(&self) -> String {
        match &*self.expected {
            [] | [0] => "no operands".to_owned(),
            [1] => "1 operand".to_owned(),
            [n] => format!("{n} operands"),
            [rest @ .., last] => {
                let rest: Vec<String> = rest.iter().map(usize::to_string).collect();
                format!("{} or {last} operands", rest.join(", "))
            }
        }
    }
}

/// How the operands of an instruction differ in number from those of the nearest variants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherCount<'a> {
    /// What offsets count in.
    pub text: &'a str,
    /// The opcode with its modifiers, as written.
    pub mnemonic: &'a str,
    /// The form to show.
    pub form: &'static str,
    /// The numbers of operands that there are, ascending.
    pub counts: &'a [usize],
    pub alignment: &'a Alignment,
}

/// The report on an instruction whose nearest variant has another number of operands.
pub(crate) fn report(
    instruction: &Instruction<'_>,
    resolved: &ResolvedInstruction<'_>,
    other: OtherCount<'_>,
) -> Diagnostic {
    let OtherCount { text, mnemonic, form, counts, alignment } = other;
    let (range, difference, fix) = difference(instruction, text, resolved, alignment)
        .unwrap_or_else(|| (place(instruction, counts), CountDifference::Several, None));
    let actual = instruction.operands.len();
    let data = OperandCount { mnemonic: mnemonic.into(), expected: counts.into(), actual, difference, form };
    Diagnostic::new(range, data).fixes(fix)
}

/// A modifier that would make the number of operands right.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MissingModifier {
    pub modifier: &'static str,
    /// How many written modifiers come before it.
    pub at: usize,
}

/// The report on an instruction whose number of operands fits with a modifier more, and with no other one.
pub(crate) fn lacks_modifier(
    instruction: &Instruction<'_>,
    mnemonic: &str,
    form: &'static str,
    counts: &[usize],
    missing: MissingModifier,
) -> Diagnostic {
    let MissingModifier { modifier, at } = missing;
    let end = match at.checked_sub(1).and_then(|before| instruction.modifiers.get(before)) {
        Some(before) => before.range().end,
        None => instruction.opcode.range().end,
    };
    let start = instruction.mnemonic_range().start;
    let mut whole = mnemonic.to_owned();
    whole.insert_str((end - start).min(whole.len()), modifier);
    let difference = CountDifference::LacksModifier { modifier, whole: whole.into() };
    let actual = instruction.operands.len();
    let data = OperandCount { mnemonic: mnemonic.into(), expected: counts.into(), actual, difference, form };
    let fix = Fix::replace(format!("Add `{modifier}`"), end..end, modifier).preferred();
    Diagnostic::new(instruction.mnemonic_range(), data).fix(fix)
}

/// The report on a branch whose predicate is an operand. `operands` is the range of its operands.
pub(crate) fn guard_as_operand(
    instruction: &Instruction<'_>,
    operands: Range<usize>,
    predicate: &str,
    label: &str,
) -> Option<Diagnostic> {
    let head = instruction.mnemonic_range();
    let mnemonic: String =
        std::iter::once(instruction.opcode.text).chain(instruction.modifiers.iter().map(|m| m.text)).collect();
    let whole = format!("@{predicate} {mnemonic} {label};");
    let edits = vec![
        FixEdit::Replace(head.start..head.start, format!("@{predicate} ")),
        FixEdit::Replace(operands.clone(), label.to_owned()),
    ];
    let difference = CountDifference::GuardAsOperand(whole.as_str().into());
    let data = OperandCount { mnemonic: mnemonic.into(), expected: [1].into(), actual: 2, difference, form: "" };
    let fix = Fix { title: format!("Write `{whole}`"), edits, preferred: true };
    Some(Diagnostic::new(operands, data).fix(fix))
}

/// The report on a last operand that is too many.
pub(crate) fn surplus(
    range: Range<usize>,
    (mnemonic, form): (&str, &'static str),
    expected: usize,
    operand: &str,
) -> Diagnostic {
    let difference = CountDifference::Extra([operand.into()].into());
    let data =
        OperandCount { mnemonic: mnemonic.into(), expected: [expected].into(), actual: expected + 1, difference, form };
    Diagnostic::new(range, data)
}

type Difference = (Range<usize>, CountDifference, Option<Fix>);

/// The difference as data, with its place and its fix; `None` if the operands differ in more than one way.
fn difference(
    instruction: &Instruction<'_>,
    text: &str,
    resolved: &ResolvedInstruction<'_>,
    alignment: &Alignment,
) -> Option<Difference> {
    let operands = &instruction.operands;
    let range_of = |index: usize| operands.get(index).map(|o| o.range.clone());
    let written = |range: Range<usize>| text.get(range).unwrap_or("");
    let first = alignment.edits.first()?;
    // A fix is offered only if nothing else is wrong.
    let alone = alignment.rest_fits && alignment.edits.len() == 1;
    let fix = |title: String, edits: Vec<FixEdit>| alone.then_some(Fix { title, edits, preferred: true });
    let all_missing = alignment.edits.iter().all(|e| matches!(e, AlignmentEdit::Missing { .. }));
    let all_extra = alignment.edits.iter().all(|e| matches!(e, AlignmentEdit::Extra(_)));
    match *first {
        AlignmentEdit::Missing { .. } if all_missing => {
            let expected = alignment.edits.iter().filter_map(|edit| match edit {
                AlignmentEdit::Missing { expected, .. } => resolved.variant.operands.get(*expected),
                _ => None,
            });
            let docs = resolved.candidate.entry.operands;
            let named = expected.map(|(_, pattern)| {
                let name = pattern_name(pattern);
                (name, docs.iter().find(|o| o.name == name).map_or("", |o| o.doc))
            });
            Some((instruction.mnemonic_range(), CountDifference::Missing(named.collect()), None))
        }
        AlignmentEdit::Extra(0) if alignment.edits.len() == 1 && !writes(resolved.variant) && operands.len() > 1 => {
            let (own, next) = (range_of(0)?, range_of(1)?);
            let removal = FixEdit::Replace(own.start..next.start, String::new());
            let name = written(own.clone());
            Some((own, CountDifference::NoResult(name.into()), fix(format!("Remove `{name}`"), vec![removal])))
        }
        AlignmentEdit::Extra(index) if all_extra => {
            let extra = alignment
                .edits
                .iter()
                .filter_map(|e| if let AlignmentEdit::Extra(i) = e { range_of(*i) } else { None });
            let ranges: Vec<Range<usize>> = extra.collect();
            let whole = ranges.first()?.start..ranges.last()?.end;
            let names = ranges.into_iter().map(|range| written(range).into()).collect();
            let removed = match index.checked_sub(1).and_then(range_of) {
                Some(before) => before.end..range_of(index)?.end,
                None => range_of(0)?.start..range_of(1).map_or(range_of(0)?.end, |next| next.start),
            };
            let title = format!("Remove `{}`", written(range_of(index)?));
            let fix = fix(title, vec![FixEdit::Replace(removed, String::new())]);
            Some((whole, CountDifference::Extra(names), fix))
        }
        AlignmentEdit::List { first, count, expected } if alignment.edits.len() == 1 => {
            let whole = range_of(first)?.start..range_of(first + count - 1)?.end;
            let list = format!("{{{}}}", written(whole.clone()));
            let operand = resolved.variant.operands.get(expected).map_or("", |(_, pattern)| pattern_name(pattern));
            let fix = fix(format!("Write `{list}`"), vec![FixEdit::Replace(whole.clone(), list.clone())]);
            Some((whole, CountDifference::Elements { operand, list: list.into() }, fix))
        }
        AlignmentEdit::Bracket { address } if alignment.edits.len() == 1 => {
            let (own, next) = (range_of(address)?, range_of(address + 1)?);
            let part = written(next.clone());
            let inner = written(own.clone()).strip_suffix(']')?.trim_end();
            let address = format!("{inner}, {part}]");
            let fix = fix(format!("Write `{address}`"), vec![FixEdit::Replace(own.start..next.end, address.clone())]);
            let data = CountDifference::OutsideBrackets { part: part.into(), address: address.into() };
            Some((next, data, fix))
        }
        _ => None,
    }
}

/// The name of an operand in the form; of the address for the parts of an address.
fn pattern_name(pattern: &OperandPattern) -> &'static str {
    match pattern {
        OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => spec.value.name,
        OperandPattern::Address(parts) => parts.first().map_or("", |spec| spec.value.name),
        OperandPattern::Pair(both) => both.0.value.name,
        OperandPattern::Sink => "_",
    }
}

/// Whether the first operand of a variant is a destination.
fn writes(variant: &OperandVariant) -> bool {
    match variant.operands.first() {
        Some((_, OperandPattern::Value(spec))) => spec.value.access != OperandAccess::Read,
        Some((_, OperandPattern::Pair(_) | OperandPattern::Sink)) => true,
        _ => false,
    }
}

/// The first operand too many, or the mnemonic where operands are missing.
fn place(instruction: &Instruction<'_>, counts: &[usize]) -> Range<usize> {
    let most = counts.last().copied().unwrap_or(0);
    match (instruction.operands.get(most), instruction.operands.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => instruction.mnemonic_range(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn too_few_and_too_many() {
        let found = |body: &str| messages(&in_kernel(Code::OperandCount, body));
        assert_eq!(found("add.u32 %r1, %r2;"), ["operand `b` of `add.u32` is missing"]);
        assert_eq!(found("add.u32 %r1, %r2, %r3, %r4;"), ["`add.u32` takes 3 operands; `%r4` is one too many"]);
        assert_eq!(found("bar.warp.sync;"), ["operand `membermask` of `bar.warp.sync` is missing"]);
        assert!(found("add.u32 %r1, %r2, %r3; bar.warp.sync -1;").is_empty());
    }

    #[test]
    fn what_the_manual_does_not_have_is_shown_where_it_is_written() {
        let help = |body: &str| in_kernel(Code::OperandCount, body)[0].help().unwrap_or_default();
        assert!(help("bar.warp.sync;").ends_with("; the form is `bar.warp.sync membermask`"));
        let written = help("bar.warp.sync.no_membermask_overlap;");
        assert!(written.ends_with("; the form is `bar.warp.sync{.no_membermask_overlap} membermask`"), "{written}");
        assert!(help("shfl.sync.up.b32 %r1, %r2, 1;").ends_with("`shfl.sync.mode.b32 d{|p}, a, b, c, membermask`"));
        // In shared memory a third source is parsed, and not built.
        let shared = messages(&in_kernel(Code::OperandCount, "atom.shared.and.b32 %r1, [%r2], %r3, %r4, %r5, %r6;"));
        assert!(shared[0].starts_with("`atom.shared.and.b32` takes 3 operands; "), "{shared:?}");
    }
}
