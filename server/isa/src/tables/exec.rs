//! Which semantics an instruction has: what `exec` says in the notation (`docs/dev/isa-format.md`).

use super::{Emit, Entry, Form};
use crate::emit::table;
use crate::ids::Exec;

table! {
    /// What the interpreter does with an instruction; a key or a reason to refuse it, or neither.
    #[derive(Default)]
    struct Executed {
        /// The key of the semantics, `integer.add`; empty: nothing is said here, or it is refused.
        key: &'static str,
        /// The variant of that key; `None` without a key, and for a key that only tables read at run time have.
        exec: Option<Exec>,
        /// Why it is not executed, Markdown; empty: it is, or nothing is said here.
        refused: &'static str,
    }
}

impl Executed {
    /// Nothing is said.
    pub const UNSAID: Self = Self { key: "", exec: None, refused: "" };

    /// Whether something is said.
    pub fn is_said(&self) -> bool {
        !(self.key.is_empty() && self.refused.is_empty())
    }
}

impl Entry {
    /// What is said of one of its forms: by the form itself, else by the entry.
    pub fn executed_of(&self, form: &Form) -> Executed {
        if form.executed.is_said() { form.executed } else { self.executed }
    }

    /// What is said of it and of its forms, in their order; what is said twice comes twice.
    pub fn all_executed(&self) -> impl Iterator<Item = Executed> {
        let forms = self.forms.iter().map(|form| form.executed);
        std::iter::once(self.executed).chain(forms).filter(Executed::is_said)
    }
}
