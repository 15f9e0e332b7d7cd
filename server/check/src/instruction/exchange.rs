//! Finds operands in the wrong order: all would fit if two of them, or one, stood elsewhere. This is one mistake with a clear fix.

use crate::diagnostic::Diagnostic;
use crate::rules::operand_kind::{self, ExchangedOperand, MovedOperand};
use ptx_isa::tables::TypeClass;
use ptx_sema::forms::operands::{self, NameLookup};
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::{ConstantValue, Instruction, Operand, OperandKind};
use ptx_sema::hir::literal;

/// An order of the operands: for each place the index of the written operand.
type OperandOrder = Vec<usize>;

/// The report on operands in the wrong order, if another order is all that is needed. `text` is the source in which ranges count.
pub(super) fn report(
    instruction: &Instruction<'_>,
    variant: &OperandVariant,
    names: &dyn NameLookup,
    text: &str,
    mnemonic: &str,
) -> Option<Diagnostic> {
    let count = instruction.operands.len();
    let fits = |operand: usize, place: usize| {
        let mut found = Vec::new();
        let (Some(operand), Some((_, shape))) = (instruction.operands.get(operand), variant.operands.get(place)) else {
            return false;
        };
        operands::check(operand, shape, names, &mut found);
        found.is_empty()
    };
    // Nobody means to test a constant as a predicate. And where a conversion has its registers in the wrong order, perhaps its types are in the
    // wrong order instead.
    let is_meant = |order: &OperandOrder| {
        let tests_a_constant = |(place, index): (usize, &usize)| {
            place != *index && is_predicate(variant, place) && instruction.operands.get(*index).is_some_and(is_constant)
        };
        let moves_the_result = order.first() != Some(&0);
        !(order.iter().enumerate().any(tests_a_constant) || moves_the_result && converts(variant))
    };
    const MAX_WRONG: usize = 4;
    let wrong: Vec<usize> = (0..count).filter(|i| !fits(*i, *i)).collect();
    if wrong.is_empty() || wrong.len() > MAX_WRONG {
        return None;
    }
    // If the only wrong operand is a special register, another order is not what was meant.
    if let [only] = wrong[..]
        && instruction.operands.get(only).is_some_and(|operand| is_special(&operand.kind))
    {
        return None;
    }
    let all_fit = |order: &OperandOrder| {
        is_meant(order) && order.iter().enumerate().all(|(place, operand)| fits(*operand, place))
    };
    let mut orders: Vec<OperandOrder> = Vec::new();
    // One operand that moves keeps the others in their order, so it comes before an exchange.
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        let mut order: OperandOrder = (0..count).collect();
        let moved = order.remove(from);
        order.insert(to, moved);
        let touches = (from.min(to)..=from.max(to)).any(|place| wrong.contains(&place));
        if from != to && touches && !orders.contains(&order) && all_fit(&order) {
            orders.push(order);
        }
    }
    if orders.is_empty() && wrong.len() <= 2 {
        let pairs = wrong.iter().flat_map(|one| (0..count).map(move |other| (*one.min(&other), *one.max(&other))));
        for (one, other) in pairs.filter(|(one, other)| one != other) {
            let mut order: OperandOrder = (0..count).collect();
            order.swap(one, other);
            if !orders.contains(&order) && all_fit(&order) {
                orders.push(order);
            }
        }
    }
    let order = likeliest(orders, wrong.len() > 1, |order| usual_values(instruction, variant, order))?;
    let place = |index: usize| {
        let operand = instruction.operands.get(index)?;
        let (_, shape) = variant.operands.get(index)?;
        Some(ExchangedOperand {
            range: operand.range.clone(),
            text: text.get(operand.range.clone())?,
            name: name(shape)?,
        })
    };
    let displaced: Vec<usize> = (0..count).filter(|place| order[*place] != *place).collect();
    if let [first, second] = displaced[..] {
        return Some(operand_kind::exchanged(place(first)?, place(second)?, mnemonic));
    }
    // One operand moved past several.
    let (first, last) = (*displaced.first()?, *displaced.last()?);
    let from = if order[last] == first { first } else { last };
    let to = if from == first { last } else { first };
    let words: Vec<&str> =
        order.iter().map(|index| text.get(instruction.operands.get(*index)?.range.clone())).collect::<Option<_>>()?;
    let whole = instruction.operands.first()?.range.start..instruction.operands.last()?.range.end;
    let moved = MovedOperand {
        mnemonic: mnemonic.into(),
        operand: place(from)?.text.into(),
        name: place(to)?.name.into(),
        last: to + 1 == count,
        first: to == 0,
        written: words.join(", ").into(),
    };
    Some(operand_kind::moved(place(from)?.range, whole, moved))
}

/// The report on two results in the wrong order, `%p1|%r1`, if nothing else is wrong for one of the variants.
pub(super) fn results(
    instruction: &Instruction<'_>,
    variants: &[OperandVariant],
    names: &dyn NameLookup,
    text: &str,
    mnemonic: &str,
) -> Option<Diagnostic> {
    let mut operands = instruction.operands.iter().enumerate();
    let (place, written) = operands.find_map(|(place, operand)| match &operand.kind {
        OperandKind::Pair(written) => Some((place, written)),
        _ => None,
    })?;
    let kind = OperandKind::Pair(Box::new((written.1.clone(), written.0.clone())));
    let swapped = Operand { range: instruction.operands.get(place)?.range.clone(), kind };
    let variant = variants.iter().find(|variant| {
        let mut mismatches = Vec::new();
        for (index, (operand, (_, shape))) in instruction.operands.iter().zip(&variant.operands).enumerate() {
            operands::check(if index == place { &swapped } else { operand }, shape, names, &mut mismatches);
        }
        variant.broken.is_none() && variant.operands.len() == instruction.operands.len() && mismatches.is_empty()
    })?;
    let Some((_, OperandPattern::Pair(specs))) = variant.operands.get(place) else { return None };
    let part = |operand: &Operand<'_>, name: &str| {
        let range = operand.range.clone();
        Some(ExchangedOperand { text: text.get(range.clone())?, range, name: name.to_owned() })
    };
    let (first, second) = (part(&written.0, specs.0.value.name)?, part(&written.1, specs.1.value.name)?);
    Some(operand_kind::exchanged(first, second, mnemonic))
}

/// Whether a variant takes a predicate at a place.
fn is_predicate(variant: &OperandVariant, place: usize) -> bool {
    let spec = variant.operands.get(place).and_then(|(_, pattern)| match pattern {
        OperandPattern::Value(spec) => spec.ty,
        _ => None,
    });
    spec.is_some_and(|ty| ty.info().class == TypeClass::Pred)
}

/// Whether a variant makes a value of one type of a value of another.
fn converts(variant: &OperandVariant) -> bool {
    match &variant.operands[..] {
        [(_, OperandPattern::Value(result)), (_, OperandPattern::Value(source))] => result.ty != source.ty,
        _ => false,
    }
}

fn is_constant(operand: &Operand<'_>) -> bool {
    matches!(operand.kind, OperandKind::Integer(_) | OperandKind::Float(_) | OperandKind::Constant(_))
}

fn is_special(kind: &OperandKind<'_>) -> bool {
    match kind {
        OperandKind::Name(name) => operands::special(name).is_some(),
        OperandKind::Member(name, _) => operands::special(name.text).is_some(),
        _ => false,
    }
}

/// The order in which more operands have a usual value than in all others; of those, if several operands do not fit where they stand, the
/// one that moves fewest. `None` if two are as likely.
fn likeliest(
    mut orders: Vec<OperandOrder>,
    several: bool,
    usual: impl Fn(&OperandOrder) -> usize,
) -> Option<OperandOrder> {
    if orders.len() > 1 {
        let most = orders.iter().map(&usual).max()?;
        orders.retain(|order| usual(order) == most);
    }
    let displaced = |order: &OperandOrder| order.iter().enumerate().filter(|(place, index)| place != *index).count();
    if orders.len() > 1 && several {
        let least = orders.iter().map(displaced).min()?;
        orders.retain(|order| displaced(order) == least);
    }
    orders.pop().filter(|_| orders.is_empty())
}

/// The number of constants at places where they are usual: 0xffffffff is the mask of `shfl.sync`.
fn usual_values(instruction: &Instruction<'_>, variant: &OperandVariant, order: &OperandOrder) -> usize {
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let mnemonic: String = std::iter::once(instruction.opcode.text).chain(modifiers.iter().copied()).collect();
    let rows: Vec<_> = ptx_isa::VALUES.iter().filter(|row| row.is_of(&mnemonic, &modifiers)).collect();
    let is_usual = |index: &usize, pattern: &OperandPattern| {
        let (Some(operand), OperandPattern::Value(spec)) = (instruction.operands.get(*index), pattern) else {
            return false;
        };
        let value = match &operand.kind {
            OperandKind::Integer(text) => literal::integer(text),
            OperandKind::Constant(ConstantValue::Integer(value)) => *value,
            _ => None,
        };
        let same = |text: &str| value.is_some() && literal::integer(text) == value;
        rows.iter().any(|row| row.operand == spec.value.name && same(row.value))
    };
    order.iter().zip(&variant.operands).filter(|(index, (_, pattern))| is_usual(index, pattern)).count()
}

/// The name of an operand in the manual; `None` for `_`.
fn name(shape: &OperandPattern) -> Option<String> {
    Some(match shape {
        OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => spec.value.name.to_owned(),
        OperandPattern::Address(parts) => {
            format!("[{}]", parts.iter().map(|p| p.value.name).collect::<Vec<_>>().join(", "))
        }
        OperandPattern::Pair(both) => format!("{}|{}", both.0.value.name, both.1.value.name),
        OperandPattern::Sink => return None,
    })
}
