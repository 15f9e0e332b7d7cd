//! Pictures of the layouts of an instruction, for the reference.

use super::{picture, places, svg, title};
use ptx_isa::ISA;
use ptx_isa::fragment::{FragmentLayout, LayoutLookup};
use ptx_isa::tables::{Entry, Expr, Form, FormulaStep, FormulaVariable, ModifierSlot};

/// So many combinations of modifiers are looked at in each form.
const COMBINATIONS: usize = 4000;

/// A layout in words and as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentPicture {
    /// The operand's name in the forms.
    pub operand: &'static str,
    /// In one line: `A: 16×16 of .f16, 8 elements in 4 registers of each lane`.
    pub title: String,
    /// The modifiers of one combination that has it, in canonical order.
    pub modifiers: Vec<&'static str>,
    /// Markdown: how elements follow from threads.
    pub formula: String,
    /// One `<svg>` element (its style: [`super::FRAGMENT_CSS`]); empty where there is no picture.
    pub svg: String,
    /// The same in monospace.
    pub text: String,
    /// What else there is to know, Markdown; may be empty.
    pub note: String,
}

/// The layouts of an instruction's operands; those that differ only in how far a pattern goes on are there once.
pub fn fragment_pictures(entry: &'static Entry) -> Vec<FragmentPicture> {
    let mut out = Vec::new();
    let mut seen = Vec::new();
    for form in entry.forms {
        let names = || form.operands.iter().flat_map(|o| o.pattern.names());
        for values in combinations(form) {
            for operand in names() {
                let found = ISA.layout(entry.name, form, &values, operand, |_, _| None);
                let key = match &found {
                    Some(LayoutLookup::Layout(layout)) => key(layout),
                    Some(LayoutLookup::Unspecified(fragment)) => (fragment.name, vec![]),
                    None => continue,
                };
                if seen.contains(&key) {
                    continue;
                }
                seen.push(key);
                let modifiers = values.iter().copied().flatten().collect();
                out.extend(found.map(|found| made(operand, modifiers, &found)));
            }
        }
    }
    out
}

/// What tells layouts apart; how far a pattern repeats does not.
fn key(layout: &FragmentLayout) -> (&'static str, Vec<u32>) {
    let fragment = layout.fragment;
    let repeats = |expr: &Expr| {
        let number = |s: &FormulaStep| matches!(s, FormulaStep::Variable(FormulaVariable::N | FormulaVariable::Times));
        layout.fragment.threads > 32 && expr.steps.iter().any(number)
            || expr.steps.contains(&FormulaStep::Variable(FormulaVariable::Times))
    };
    let size = |expr: &Expr, size: u32| if repeats(expr) { 0 } else { size };
    let sizes = vec![
        layout.width,
        layout.per_register(),
        size(&fragment.rows, layout.rows),
        size(&fragment.columns, layout.columns),
    ];
    (fragment.name, sizes)
}

fn made(operand: &'static str, modifiers: Vec<&'static str>, found: &LayoutLookup) -> FragmentPicture {
    match found {
        LayoutLookup::Unspecified(fragment) => FragmentPicture {
            operand,
            title: fragment.matrix.to_owned(),
            modifiers,
            formula: String::new(),
            svg: String::new(),
            text: String::new(),
            note: fragment.unspecified.to_owned(),
        },
        LayoutLookup::Layout(layout) => {
            let title = title(layout);
            let picture = picture(layout, None);
            FragmentPicture {
                operand,
                modifiers,
                formula: places(layout, None),
                svg: picture.as_ref().map_or(String::new(), |(_, grid)| svg(grid, &title.replace('`', ""))),
                text: picture.map_or(String::new(), |(_, grid)| grid.text()),
                note: layout.fragment.doc.to_owned(),
                title,
            }
        }
    }
}

/// The combinations of modifiers of a form, as the values of its slots; what rules forbid is not left out.
fn combinations(form: &'static Form) -> Vec<Vec<Option<&'static str>>> {
    let choices = |slot: &'static ModifierSlot| -> Vec<Option<&'static str>> {
        let none = slot.optional.then_some(None);
        none.into_iter().chain(slot.values.iter().copied().map(Some)).collect()
    };
    let mut out: Vec<Vec<Option<&'static str>>> = vec![Vec::new()];
    for slot in form.slots {
        let mut choices = choices(slot);
        choices.truncate((COMBINATIONS / out.len().max(1)).max(1));
        out = out.iter().flat_map(|before| choices.iter().map(move |c| [before.as_slice(), &[*c]].concat())).collect();
    }
    out
}
