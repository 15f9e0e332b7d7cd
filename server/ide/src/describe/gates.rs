//! Gates as sentences.

use super::page::MarkdownPage;
use ptx_analysis::Environment;
use ptx_analysis::target::{describe_needs, is_option};
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateAlternative, GateKind, TargetInfo, Version};

/// The requirement of a gate, and whether the module meets it.
pub fn gate(gate: &'static Gate, condition: &str, environment: Option<&Environment>) -> String {
    let needs = coded(&grouped(gate));
    let condition = if condition.is_empty() { String::new() } else { format!(" {condition}") };
    let note = if gate.note.is_empty() { String::new() } else { format!(": {}", gate.note) };
    match gate.kind {
        GateKind::Needs => {
            let has = match environment.filter(|e| lacks(e, gate)) {
                Some(e) => format!(" – **not met**: this module has {}", coded(&e.describe())),
                None => String::new(),
            };
            let bound = if is_bound(gate) { "; later architectures may not have it" } else { "" };
            format!("Needs {needs}{condition}{has}{bound}{note}")
        }
        GateKind::Until if of_options(gate) => format!("Not with {needs}{condition}{note}"),
        GateKind::Until => format!("Removed from {needs} on{condition}{note}"),
        GateKind::Deprecated => format!("Deprecated from {needs} on{condition}{note}"),
    }
}

/// Whether the alternatives of a gate are options of `.target`, which no version or architecture brings.
pub fn of_options(gate: &Gate) -> bool {
    gate.alternatives.iter().all(|alternative| alternative.feature.is_some_and(is_option))
}

/// The alternatives of a gate, grouped by PTX version: `PTX 8.6 and sm_100a or sm_101a, or PTX 8.8 and sm_100f`.
fn grouped(gate: &Gate) -> String {
    let mut groups: Vec<(Version, Vec<&str>)> = Vec::new();
    for alternative in gate.alternatives {
        let (Some(version), Some(feature)) = (alternative.ptx, alternative.feature.filter(|f| f.starts_with("sm_")))
        else {
            return describe_needs(gate);
        };
        match groups.last_mut().filter(|(last, _)| *last == version) {
            Some((_, features)) => features.push(feature),
            None => groups.push((version, vec![feature])),
        }
    }
    let group = |(version, features): &(Version, Vec<&str>)| format!("PTX {version} and {}", features.join(" or "));
    groups.iter().map(group).collect::<Vec<_>>().join(", or ")
}

/// Puts words with a `_`, such as targets, in backticks: Markdown would render them as emphasis.
fn coded(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', ';', '.', ':']);
        match word.strip_prefix(bare) {
            Some(end) if bare.contains('_') && !bare.contains('`') => format!("`{bare}`{end}"),
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Whether every alternative of a gate names one architecture (`sm_90a`) or one family (`sm_100f`).
pub(super) fn is_bound(gate: &Gate) -> bool {
    let specific = |f: &str| f.starts_with("sm_") && f.ends_with(['a', 'f']);
    !gate.alternatives.is_empty() && gate.alternatives.iter().all(|a| a.feature.is_some_and(specific))
}

/// Whether a gate requires nothing but the first version of PTX.
pub fn always(gate: &Gate) -> bool {
    let first = ISA.versions.first().map(|v| v.version);
    gate.kind == GateKind::Needs && gate.alternatives.iter().any(|a| a.ptx <= first && a.feature.is_none())
}

/// Whether everything that meets the requirement of a gate meets that of another.
pub fn includes(gate: &Gate, other: &Gate) -> bool {
    let has = |feature: &str, needed: &str| {
        let with = |target: &&TargetInfo| target.features.contains(&feature);
        feature == needed || ISA.targets.iter().filter(with).all(|target| target.features.contains(&needed))
    };
    let enough = |alternative: &GateAlternative, needed: &GateAlternative| {
        needed.ptx <= alternative.ptx
            && needed.feature.is_none_or(|needed| alternative.feature.is_some_and(|feature| has(feature, needed)))
    };
    let both = gate.kind == GateKind::Needs && other.kind == GateKind::Needs;
    both && gate.alternatives.iter().all(|a| other.alternatives.iter().any(|needed| enough(a, needed)))
}

/// Whether the module does not meet the requirement of a gate.
pub(super) fn lacks(environment: &Environment, gate: &'static Gate) -> bool {
    environment.refused(std::slice::from_ref(gate), |_| true).is_some()
}

/// Whether a gate is worth a line. A requirement that the module meets is not, unless few targets meet it; deprecations and
/// removals always are.
pub(super) fn is_worth_a_line(gate: &'static Gate, environment: Option<&Environment>) -> bool {
    let open = |e: &Environment| lacks(e, gate) || is_bound(gate) || gate.kind != GateKind::Needs;
    !always(gate) && environment.is_none_or(open)
}

/// Adds the gates of an element without conditions, if they are worth a line.
pub(super) fn gates(page: &mut MarkdownPage, gates: &'static [Gate], environment: Option<&Environment>) {
    let lines: Vec<String> =
        gates.iter().filter(|g| is_worth_a_line(g, environment)).map(|g| gate(g, "", environment)).collect();
    match lines.as_slice() {
        [one] => page.text(format!("{one}.")),
        _ => page.list("", lines),
    }
}
