//! Look-up of the semantics of instructions.

use crate::ids::Exec;
use crate::tables::{Entry, Form};

impl Entry {
    /// The semantics of one of the entry's forms; `None` if the interpreter does not support it ([`Entry::refusal_of`]).
    pub fn exec_of(&self, form: &Form) -> Option<Exec> {
        self.executed_of(form).exec
    }

    /// The reason, in Markdown, why the interpreter does not support one of the entry's forms; `None` if it does.
    pub fn refusal_of(&self, form: &Form) -> Option<&'static str> {
        Some(self.executed_of(form).refused).filter(|reason| !reason.is_empty())
    }
}
