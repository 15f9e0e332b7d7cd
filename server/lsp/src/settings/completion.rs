//! `completion.*`

use super::Reader;
use ptx_ide::CompletionOptions;
use serde_json::Value;

/// Settings of completion and of signature help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Whether to answer at all.
    pub enable: bool,
    /// What is offered; snippets only to clients that take them.
    pub options: CompletionOptions,
    /// Whether to show the forms of the instruction whose operands are written.
    pub signatures: bool,
}

impl Default for Completion {
    fn default() -> Self {
        Self { enable: true, options: CompletionOptions::default(), signatures: true }
    }
}

impl Reader {
    pub(super) fn completion(&mut self, value: &Value, out: &mut Completion) {
        for (key, value) in self.object(value, "completion").into_iter().flatten() {
            let name = format!("completion.{key}");
            match key.as_str() {
                "enable" => self.bool(value, &name, &mut out.enable),
                "signatures" => self.bool(value, &name, &mut out.signatures),
                "snippets" => self.bool(value, &name, &mut out.options.snippets),
                "unavailable" => self.bool(value, &name, &mut out.options.unavailable),
                _ => self.unknown(&name),
            }
        }
    }
}
