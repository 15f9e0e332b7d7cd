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

#[cfg(all(test, not(feature = "live")))]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_executed_or_refused_and_every_key_is_used() {
        let mut used = Vec::new();
        for entry in crate::ISA.opcodes.iter().flat_map(|opcode| opcode.entries) {
            for form in entry.forms {
                let (exec, refusal) = (entry.exec_of(form), entry.refusal_of(form));
                assert!(exec.is_some() != refusal.is_some(), "{}: {exec:?}, {refusal:?}", form.source);
                used.extend(exec);
            }
        }
        used.sort();
        used.dedup();
        assert_eq!(used, Exec::ALL);
    }

    #[test]
    fn keys_are_found_by_name() {
        assert!(Exec::ALL.is_sorted_by(|a, b| a.name() < b.name()), "look-up halves the list");
        assert!(Exec::ALL.iter().all(|exec| Exec::of(exec.name()) == Some(*exec)));
        assert_eq!(Exec::of("mbarrier.try_wait"), Some(Exec::MbarrierTryWait));
        assert_eq!((Exec::of(""), Exec::of("integer"), Exec::of("zoo.ape")), (None, None, None));
    }
}
