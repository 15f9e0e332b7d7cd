//! The semantics of an instruction: `exec` in the notation (`docs/dev/isa-format.md`).

use super::{Emit, Entry, Form};
use crate::emit::table;
use crate::ids::Exec;

table! {
    /// The semantics of an instruction in the interpreter: a key, a reason why it is not supported, or neither.
    #[derive(Default)]
    struct Executed {
        /// The key of the semantics, `integer.add`; empty: not declared here, or not supported.
        key: &'static str,
        /// The variant of that key; `None` without a key, and for a key that only exists in tables read at run time.
        exec: Option<Exec>,
        /// The reason, in Markdown, why it is not supported; empty: it is supported, or not declared here.
        refused: &'static str,
    }
}

impl Executed {
    /// No semantics declared.
    pub const UNSAID: Self = Self { key: "", exec: None, refused: "" };

    /// Whether semantics, or a reason for their absence, are declared.
    pub fn is_said(&self) -> bool {
        !(self.key.is_empty() && self.refused.is_empty())
    }
}

impl Entry {
    /// The semantics of one of its forms: those of the form itself, else those of the entry.
    pub fn executed_of(&self, form: &Form) -> Executed {
        if form.executed.is_said() { form.executed } else { self.executed }
    }

    /// The declared semantics of the entry and of its forms, in order, including repetitions.
    pub fn all_executed(&self) -> impl Iterator<Item = Executed> {
        let forms = self.forms.iter().map(|form| form.executed);
        std::iter::once(self.executed).chain(forms).filter(Executed::is_said)
    }
}
