//! Pictures of the matrix layouts of an instruction, for the reference.

use super::{picture, places, svg, title};
use ptx_isa::ISA;
use ptx_isa::fragment::{FragmentLayout, LayoutLookup};
use ptx_isa::tables::{Entry, Expr, Form, FormulaStep, FormulaVariable, ModifierSlot};

/// Maximum number of modifier combinations per form.
const COMBINATIONS: usize = 4000;

/// A layout as text and as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentPicture {
    /// The operand's name in the forms.
    pub operand: &'static str,
    /// One line: `A: 16×16 of .f16, 8 elements in 4 registers of each lane`.
    pub title: String,
    /// Modifiers of one combination with this layout, in canonical order.
    pub modifiers: Vec<&'static str>,
    /// Markdown: row and column of an element, as formulas of the thread and the register.
    pub formula: String,
    /// One `<svg>` element (its style: [`super::FRAGMENT_CSS`]); empty if there is no picture.
    pub svg: String,
    /// The same picture as monospaced text.
    pub text: String,
    /// Further notes as Markdown; may be empty.
    pub note: String,
}

/// The layouts of an instruction's operands. Layouts that differ only in the number of repetitions of a pattern appear
/// once.
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

/// The key of a layout. Layouts that differ only in the number of repetitions have the same key.
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

/// The combinations of modifiers of a form, as the values of its slots. Illegal combinations are included.
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
