//! Instruction forms as labels and as snippets.

use super::head::opcodes_from;
use super::reach::{self, TargetSupport};
use super::topic::Topic;
use super::{Item, ItemKind, List};
use ptx_analysis::spec::operand_variants;
use ptx_analysis::{Candidate, Environment, OperandPattern, OperandSpec, OperandVariant, mnemonic};
use ptx_isa::tables::{Entry, Form, Opcode, UsedMnemonic, ValueKind};
use ptx_isa::{ISA, TEMPLATES};
use std::sync::{LazyLock, OnceLock};

/// Maximum number of forms listed of an instruction that no counted file has.
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

/// The forms of the mnemonics in [`TEMPLATES`], each looked up once: they are the same for all modules.
static CANDIDATES: LazyLock<Vec<OnceLock<Vec<Candidate>>>> =
    LazyLock::new(|| TEMPLATES.iter().map(|_| OnceLock::new()).collect());

/// The forms that a mnemonic has in the manual.
fn candidates(used: &'static UsedMnemonic) -> &'static [Candidate] {
    let look_up = || {
        let modifiers: Vec<&str> = used.split().collect();
        let resolved = ISA.opcode(used.opcode).and_then(|opcode| mnemonic::resolve(opcode, &modifiers));
        let mut all = resolved.map_or_else(Vec::new, |mnemonic| mnemonic.candidates);
        all.retain(|c| c.form.documents(&c.values));
        all
    };
    let index = TEMPLATES.iter().position(|t| std::ptr::eq(t, used));
    index.and_then(|at| CANDIDATES.get(at)).map_or(&[], |slot| slot.get_or_init(look_up))
}

impl List<'_, '_> {
    /// Offers whole instructions of the opcodes that begin with the typed word: those that real files use most, most used first. An
    /// instruction without any of those has a few forms of the tables. The list after another letter has no others, so an editor
    /// may filter this one.
    pub(super) fn whole_forms(&mut self) {
        let word = self.place.word.clone();
        if word.is_empty() {
            return;
        }
        let mut used: Vec<&'static UsedMnemonic> =
            TEMPLATES.iter().filter(|t| t.opcode.starts_with(word.as_str())).collect();
        used.sort_by_key(|t| std::cmp::Reverse(t.weight));
        let mut entries: Vec<&'static Entry> = Vec::new();
        let mut templates: Vec<Item> = Vec::new();
        for used in used {
            let Some(template) = Template::of_used(used, self.environment) else { continue };
            if !entries.iter().any(|e| std::ptr::eq(*e, template.entry)) {
                entries.push(template.entry);
            }
            templates.extend(template.item(""));
        }
        for opcode in opcodes_from(&word) {
            // Instructions with shorter names, such as `mma` and `mma.sp`, come first.
            let mut unused: Vec<&'static Entry> = opcode.entries.iter().collect();
            unused.retain(|entry| !entries.iter().any(|e| e.name == entry.name));
            unused.sort_by_key(|entry| entry.path.len());
            for entry in unused {
                let of_entry = Template::of_entry(opcode, entry, self.environment).filter_map(|t| t.item(""));
                templates.extend(of_entry.take(FEW_FORMS));
            }
        }
        for item in templates {
            if !self.items.iter().any(|i| i.label == item.label) {
                self.push(item);
            }
        }
    }

    /// Offers the whole instructions that real files use and whose mnemonic begins with the modifiers before the cursor.
    pub(super) fn templates_behind(&mut self, opcode: &'static Opcode, before: &[&str]) {
        let start = before.concat();
        let begins = |t: &&'static UsedMnemonic| {
            t.opcode == opcode.name
                && t.modifiers.strip_prefix(start.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let mut used: Vec<&'static UsedMnemonic> = TEMPLATES.iter().filter(begins).collect();
        used.sort_by_key(|t| std::cmp::Reverse(t.weight));
        for used in used {
            let template = Template::of_used(used, self.environment);
            if let Some(item) = template.and_then(|t| t.item(&format!("{}{start}", opcode.name))) {
                self.push(item);
            }
        }
    }
}

/// A whole instruction that the module supports.
struct Template {
    entry: &'static Entry,
    mnemonic: String,
    variant: OperandVariant,
}

impl Template {
    fn new(
        opcode: &'static Opcode,
        entry: &'static Entry,
        form: &'static Form,
        values: &[Option<&'static str>],
        environment: &Environment,
    ) -> Option<Self> {
        if form.tolerated || TargetSupport::of_values(form, values, environment) != TargetSupport::Available {
            return None;
        }
        let variant = operand_variants(form, values).into_iter().find(|v| v.is_offered(form, values, environment))?;
        let slots = form.slots.iter().zip(values).filter(|(slot, _)| slot.after_operand == 0);
        let modifiers: String = slots.filter_map(|(_, value)| *value).collect();
        Some(Self { entry, mnemonic: format!("{}{modifiers}", opcode.name), variant })
    }

    /// The instruction with a mnemonic that real files use.
    fn of_used(used: &'static UsedMnemonic, environment: &Environment) -> Option<Self> {
        let opcode = ISA.opcode(used.opcode)?;
        let new = |c: &Candidate| Self::new(opcode, c.entry, c.form, &c.values, environment);
        candidates(used).iter().find_map(new)
    }

    /// The forms of an instruction, each with as few modifiers as it needs.
    fn of_entry<'e>(
        opcode: &'static Opcode,
        entry: &'static Entry,
        environment: &'e Environment,
    ) -> impl Iterator<Item = Self> + use<'e> {
        entry.forms.iter().filter(|form| !form.tolerated).filter_map(move |form| {
            let (values, _) = reach::shortest(form, environment)?;
            Self::new(opcode, entry, form, &values, environment)
        })
    }

    /// The item behind the part of the mnemonic that is written. `None` if the instruction has no operands: then it is not more
    /// than its mnemonic.
    fn item(&self, written: &str) -> Option<Item> {
        let ending = self.mnemonic.strip_prefix(written)?;
        let operands = operands(&self.variant).join(", ");
        if operands.is_empty() && (written.is_empty() || ending.matches('.').count() < 2) {
            return None;
        }
        let blank = if operands.is_empty() { "" } else { " " };
        let mut item = Item::new(format!("{ending}{blank}{operands}"), ItemKind::Snippet)
            .detail(self.entry.summary)
            .topic(Topic::Opcode(self.entry.name.to_owned()))
            .snippet(format!("{ending}{blank}{};", snippet(&self.variant, 1)));
        item.filter = Some(ending.to_owned());
        Some(item)
    }
}
