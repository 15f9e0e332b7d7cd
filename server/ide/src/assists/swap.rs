//! Exchanges two operands whose order does not matter; a comparison is turned.

use super::assist::Assist;
use super::site::{AssistSite, Matched};
use crate::TextEdit;
use ptx_analysis::{OperandPattern, OperandVariant};
use ptx_isa::tables::Commutation;

/// Offers the assist at an instruction with such operands.
pub fn assists(site: &AssistSite<'_>, out: &mut Vec<Assist>) {
    out.extend(site.matched(|matched| swap(site, matched)));
}

fn swap(site: &AssistSite<'_>, matched: &Matched<'_>) -> Option<Assist> {
    let Commutation { first, second, turned } = matched.candidate.entry.commutes?;
    let operand = |name: &str| matched.instruction.operands.get(place(matched.variant, name)?);
    let (first, second) = (operand(first)?, operand(second)?);
    let text = |range: &std::ops::Range<usize>| site.text.get(range.clone());
    let (one, other) = (text(&first.range)?, text(&second.range)?);
    if one == other {
        return None;
    }
    let mut edits = vec![(first.range.clone(), other.to_owned()), (second.range.clone(), one.to_owned())];
    let mut title = format!("Exchange `{one}` and `{other}`");
    for modifier in &matched.instruction.modifiers {
        let Some(at) = turned.iter().position(|turned| *turned == modifier.text) else { continue };
        let turned = turned.get(at ^ 1)?;
        edits.push((modifier.range(), (*turned).to_owned()));
        title.push_str(&format!(", and compare with `{turned}`"));
    }
    edits.sort_by_key(|(range, _)| range.start);
    let after = edits.iter().rev().fold(site.text.clone(), |mut text, (range, new)| {
        text.replace_range(range.clone(), new);
        text
    });
    let edits: Vec<TextEdit> = edits.into_iter().map(|(range, new)| site.replace(range, new)).collect();
    site.is_clean(&after).then(|| Assist::new("swap-operands", title, edits))
}

/// The index of an operand by its name in the forms.
fn place(variant: &OperandVariant, name: &str) -> Option<usize> {
    let is_it = |pattern: &OperandPattern| matches!(pattern, OperandPattern::Value(spec) if spec.value.name == name);
    variant.operands.iter().position(|(_, pattern)| is_it(pattern))
}
