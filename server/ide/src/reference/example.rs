//! Example instructions generated from the forms, each in a module without diagnostics.

mod module;

use super::availability::{Availability, architectures, availability, versions};
use super::combination::{ModifierChoice, least, most};
use module::{Parts, Shell};
use ptx_analysis::spec::{applies, operand_variants};
use ptx_analysis::{Analyzer, Environment, OperandVariant, mnemonic};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, Gate, Opcode, TargetInfo, Version};
use ptx_syntax::Snapshot;

/// An example of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceExample {
    /// The instruction.
    pub statement: String,
    /// The version of the module: the lowest in which the target accepts the instruction.
    pub version: Version,
    /// The target of the module.
    pub target: &'static str,
    /// The whole module. It declares and initializes the inputs of the instruction and uses its results. It has no
    /// diagnostics.
    pub module: String,
}

/// Maximum number of targets and versions that are tried.
const TRIES: usize = 12;

/// A minimal example of a form, and a maximal one if it differs.
pub fn examples(entry: &'static Entry, form: &'static Form) -> Vec<ReferenceExample> {
    let mut out: Vec<ReferenceExample> = Vec::new();
    let short = least(form, &[]).and_then(|values| example(entry, form, &values, false));
    let long = most(form).and_then(|values| example(entry, form, &values, true));
    for found in short.into_iter().chain(long) {
        if out.iter().all(|e| e.statement != found.statement) {
            out.push(found);
        }
    }
    out
}

/// An example of a whole mnemonic; `None` if the manual has no form that takes it.
pub fn example_of(opcode: &'static Opcode, modifiers: &[&str]) -> Option<ReferenceExample> {
    let resolved = mnemonic::resolve(opcode, modifiers).filter(|m| m.mismatch.is_none())?;
    let documented = resolved.candidates.iter().filter(|c| c.form.documents(&c.values));
    documented.into_iter().find_map(|c| example(c.entry, c.form, &c.values, false))
}

fn example(
    entry: &'static Entry,
    form: &'static Form,
    values: &ModifierChoice,
    all_operands: bool,
) -> Option<ReferenceExample> {
    let plain = with_options(entry, form, values, all_operands, "");
    // Some instructions need an option of `.target`.
    let options = ISA.targets.iter().filter(|t| t.features.is_empty());
    plain.or_else(|| options.into_iter().find_map(|o| with_options(entry, form, values, all_operands, o.name)))
}

fn with_options(
    entry: &'static Entry,
    form: &'static Form,
    values: &ModifierChoice,
    all_operands: bool,
    option: &str,
) -> Option<ReferenceExample> {
    let comma = if option.is_empty() { "" } else { ", " };
    let sound = operand_variants(form, values).into_iter().filter(|a| a.broken.is_none());
    // Variants with the fewest operands come first.
    let mut sound: Vec<OperandVariant> = sound.collect();
    if all_operands {
        sound.reverse();
    }
    sound.sort_by_key(|variant| !variant.is_offered(form, values, &Environment::default()));
    let mut tries = TRIES;
    for variant in &sound {
        for (target, version) in homes(form, values, variant) {
            for shell in Shell::ALL {
                let Some(parts) = Parts::new(entry, form, values, variant, shell) else { continue };
                let module = parts.module(version, &format!("{}{comma}{option}", target.name));
                if is_clean(&module) {
                    return Some(ReferenceExample { statement: parts.statement, version, target: target.name, module });
                }
            }
            tries -= 1;
            if tries == 0 {
                return None;
            }
        }
    }
    None
}

/// Whether a module has no diagnostics at all, not even hints.
fn is_clean(module: &str) -> bool {
    let snapshot = Snapshot::new(module);
    let mut analyzer = Analyzer::default();
    analyzer.analyze(&snapshot).diagnostics.is_empty()
        && analyzer.lints(&snapshot, &|| false).is_some_and(|found| found.is_empty())
}

/// The targets and versions to try. The current common targets come first, then those with features of their own, then
/// older ones. Each is tried with the lowest and with the newest version.
fn homes(
    form: &'static Form,
    values: &ModifierChoice,
    variant: &OperandVariant,
) -> impl Iterator<Item = (&'static TargetInfo, Version)> {
    let types = values.iter().flatten().filter_map(|v| ISA.ty(v)).flat_map(|t| t.gates);
    let own = form.gates.iter().filter(|g| applies(g.when, values, variant));
    let gates: [Vec<&'static Gate>; 1] = [own.chain(types).collect()];
    let recent = |t: &&'static TargetInfo| versions(t).last() == Some(&ISA.newest()) && number(t) >= 75;
    let plain = |t: &&TargetInfo| t.name.ends_with(|c: char| c.is_ascii_digit());
    let mut targets: Vec<&'static TargetInfo> = architectures().collect();
    targets.sort_by_key(|t| (!recent(t), !plain(t), if recent(t) { number(t) } else { u32::MAX - number(t) }));
    let spans = targets.into_iter().filter_map(move |target| {
        let found = availability(&gates, target);
        let last = match found {
            Availability::Between(_, last) => last,
            _ => ISA.newest(),
        };
        Some((target, found.first(target)?, last))
    });
    spans.flat_map(|(target, first, last)| [first, last].map(|version| (target, version)))
}

fn number(target: &TargetInfo) -> u32 {
    target.name.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}
