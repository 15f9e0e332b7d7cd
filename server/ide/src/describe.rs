//! The tables in words: Markdown for hover and for `explain`.

mod form;
mod instruction;
mod tables;

pub use form::describe as operand;
pub use form::{condition, pretty, range};
pub use instruction::{Chosen, Written, entries, instruction, mismatch, modifier, unchecked};
pub use tables::{constant, directive, dot_word, modifier_alone, space, special_register, takers, target, ty, version};

use ptx_analysis::target::{Environment, describe_needs};
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateKind};

/// Where the manual's anchors are.
pub const MANUAL: &str = "https://docs.nvidia.com/cuda/parallel-thread-execution/";

/// A text in paragraphs.
#[derive(Debug, Default)]
pub struct Page {
    parts: Vec<String>,
}

impl Page {
    /// A paragraph; nothing if it is empty.
    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.parts.push(text.trim().to_owned());
        }
    }

    /// PTX.
    pub fn code(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(format!("```ptx\n{}\n```", text.trim_end()));
        }
    }

    /// A list, with a title in bold unless that is empty.
    pub fn list<S: AsRef<str>>(&mut self, title: &str, items: impl IntoIterator<Item = S>) {
        let items: Vec<String> = items.into_iter().map(|i| format!("- {}", indented(i.as_ref()))).collect();
        if items.is_empty() {
            return;
        }
        let list = items.join("\n");
        self.parts.push(if title.is_empty() { list } else { format!("**{title}**\n\n{list}") });
    }

    /// A link to the manual.
    pub fn manual(&mut self, title: &str, anchor: &str) {
        if !anchor.is_empty() {
            self.parts.push(format!("[{title} in the PTX manual]({MANUAL}#{anchor})"));
        }
    }

    /// Another page below a line; nothing if it is empty.
    pub fn page(&mut self, other: Page) {
        if other.parts.is_empty() {
            return;
        }
        if !self.parts.is_empty() {
            self.parts.push("---".to_owned());
        }
        self.parts.extend(other.parts);
    }

    /// Another page right behind this one.
    pub fn append(&mut self, other: Page) {
        self.parts.extend(other.parts);
    }

    /// Whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The Markdown.
    pub fn finish(self) -> String {
        self.parts.join("\n\n")
    }
}

/// An item of a list may have several lines.
fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}

/// `` `.a` `.b` ``; a long list is cut.
pub fn words<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(most).map(|n| format!("`{n}`")).collect();
    let rest = names.len().saturating_sub(most);
    let shown = shown.join(" ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

/// What a gate asks for, and whether the module has it.
pub fn gate(gate: &'static Gate, condition: &str, environment: Option<&Environment>) -> String {
    let needs = coded(&describe_needs(gate));
    let condition = if condition.is_empty() { String::new() } else { format!(" {condition}") };
    let note = if gate.note.is_empty() { String::new() } else { format!(": {}", gate.note) };
    match gate.kind {
        GateKind::Needs => {
            let known = environment.filter(|e| e.version.is_some() || e.target.is_some());
            let has = match known {
                None => String::new(),
                Some(e) if e.refused(std::slice::from_ref(gate), |_| true).is_some() => {
                    format!(" – **not met**: this module has {}", coded(&e.describe()))
                }
                Some(e) => format!(" – met: this module has {}", coded(&e.describe())),
            };
            let bound = if is_bound(gate) { "; later architectures need not have it" } else { "" };
            format!("Needs {needs}{condition}{has}{bound}{note}")
        }
        GateKind::Until => format!("Removed from {needs} on{condition}{note}"),
        GateKind::Deprecated => format!("Deprecated from {needs} on{condition}{note}"),
    }
}

/// A plain text for Markdown: words with a `_`, such as targets, would be emphasis.
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
fn is_bound(gate: &Gate) -> bool {
    let specific = |f: &str| f.starts_with("sm_") && f.ends_with(['a', 'f']);
    !gate.alternatives.is_empty() && gate.alternatives.iter().all(|a| a.feature.is_some_and(specific))
}

/// Whether a gate asks for nothing but the first version of PTX.
pub fn always(gate: &Gate) -> bool {
    let first = ISA.versions.first().map(|v| v.version);
    gate.kind == GateKind::Needs && gate.alternatives.iter().any(|a| a.ptx <= first && a.feature.is_none())
}

/// All gates of something that has no conditions.
fn gates(page: &mut Page, gates: &'static [Gate], environment: Option<&Environment>) {
    let lines: Vec<String> = gates.iter().filter(|g| !always(g)).map(|g| gate(g, "", environment)).collect();
    match lines.as_slice() {
        [one] => page.text(format!("{one}.")),
        _ => page.list("", lines),
    }
}
