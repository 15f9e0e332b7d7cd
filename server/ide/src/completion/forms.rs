//! Instruction forms as labels and as snippets.

use super::reach;
use super::topic::Topic;
use super::{Item, ItemKind, List};
use ptx_analysis::spec::operand_variants;
use ptx_analysis::{OperandPattern, OperandSpec, OperandVariant};
use ptx_isa::ISA;
use ptx_isa::tables::ValueKind;

/// Maximum number of forms listed per opcode when one letter is typed.
const FEW_FORMS: usize = 4;

/// A vector operand with more elements than this becomes a single snippet placeholder.
const LONGEST_LIST: u16 = 8;

/// The operands of a variant as labels: `d`, `[a]`, `d|p`.
pub fn operands(variant: &OperandVariant) -> Vec<String> {
    variant.operands.iter().map(|(_, shape)| operand(shape)).collect()
}

fn operand(shape: &OperandPattern) -> String {
    let name = |spec: &OperandSpec| spec.value.name;
    match shape {
        OperandPattern::Value(spec) if matches!(spec.value.kind, ValueKind::Address(_)) => format!("[{}]", name(spec)),
        OperandPattern::Value(spec) => name(spec).to_owned(),
        OperandPattern::Pair(both) => format!("{}|{}", name(&both.0), name(&both.1)),
        OperandPattern::Address(parts) => format!("[{}]", parts.iter().map(name).collect::<Vec<_>>().join(", ")),
        OperandPattern::Arguments(spec) => format!("({})", name(spec)),
        OperandPattern::Sink => "_".to_owned(),
    }
}

/// The operands of a variant as a snippet whose placeholders are numbered from `first` on.
pub fn snippet(variant: &OperandVariant, first: usize) -> String {
    let mut next = first;
    let all: Vec<String> = variant.operands.iter().map(|(_, shape)| places(shape, &mut next)).collect();
    all.join(", ")
}

fn places(shape: &OperandPattern, next: &mut usize) -> String {
    let mut one = |name: &str| {
        *next += 1;
        format!("${{{}:{name}}}", *next - 1)
    };
    let mut value = |spec: &OperandSpec| match spec.lengths.first() {
        Some(length) if (2..=LONGEST_LIST).contains(length) && !spec.lengths.contains(&1) => {
            let elements: Vec<String> = (0..*length).map(|i| one(&format!("{}{i}", spec.value.name))).collect();
            format!("{{{}}}", elements.join(", "))
        }
        Some(1) | None if !spec.any_length => one(spec.value.name),
        _ => format!("{{{}}}", one(spec.value.name)),
    };
    match shape {
        OperandPattern::Value(spec) if matches!(spec.value.kind, ValueKind::Address(_)) => format!("[{}]", value(spec)),
        OperandPattern::Value(spec) => value(spec),
        OperandPattern::Pair(both) => format!("{}|{}", value(&both.0), value(&both.1)),
        OperandPattern::Address(parts) => format!("[{}]", parts.iter().map(value).collect::<Vec<_>>().join(", ")),
        OperandPattern::Arguments(spec) => format!("({})", value(spec)),
        OperandPattern::Sink => "_".to_owned(),
    }
}

impl List<'_, '_> {
    /// Offers whole forms of the opcodes that begin with the typed word. After one letter, only [`FEW_FORMS`] forms of each
    /// opcode are listed. The list is then complete, and an editor need not send another request for the next letter.
    pub(super) fn whole_forms(&mut self) {
        let word = &self.place.word;
        if word.is_empty() {
            return;
        }
        let limit = if word.len() == 1 { FEW_FORMS } else { usize::MAX };
        let first = ISA.opcodes.partition_point(|o| o.name < word.as_str());
        let mut seen: Vec<String> = Vec::new();
        for opcode in ISA.opcodes.iter().skip(first).take_while(|o| o.name.starts_with(word.as_str())) {
            let mut listed = 0;
            for form in opcode.entries.iter().flat_map(|e| e.forms).filter(|form| !form.tolerated) {
                if listed == limit {
                    break;
                }
                let Some((values, status)) = reach::shortest(form, self.environment) else { continue };
                if status != reach::TargetSupport::Available {
                    continue;
                }
                let all = operand_variants(form, &values);
                let Some(variant) = all.iter().find(|a| a.is_offered(form, &values, self.environment)) else {
                    continue;
                };
                let slots = form.slots.iter().zip(&values).filter(|(slot, _)| slot.after_operand == 0);
                let head: String = slots.filter_map(|(_, value)| *value).collect();
                let label = format!("{}{head}", opcode.name);
                if seen.contains(&label) {
                    continue;
                }
                seen.push(label.clone());
                let operands = operands(variant).join(", ");
                if operands.is_empty() {
                    continue;
                }
                let mut item = Item::new(format!("{label} {operands}"), ItemKind::Snippet)
                    .detail(
                        opcode
                            .entries
                            .iter()
                            .find(|e| e.forms.iter().any(|f| std::ptr::eq(f, form)))
                            .map_or("", |e| e.summary),
                    )
                    .topic(Topic::Opcode(opcode.name.to_owned()))
                    .snippet(format!("{label} {};", snippet(variant, 1)));
                item.filter = Some(label);
                listed += 1;
                self.push(item);
            }
        }
    }
}
