//! The statements that the assembler's parser accepts and its code generator does not build.

use crate::forms::mnemonic::{Filling, holds_so_far};
use crate::forms::spec::{OperandPattern, OperandVariant, applies};
use crate::target::Environment;
use ptx_isa::tables::{Form, Unbuilt};

/// Why the assembler does not build a statement of a form with these values in its slots and these operands.
///
/// For a module of 32-bit addresses it generates no code at all, so none of its statements differs from the others.
pub fn unbuilt(
    form: &Form,
    values: &[Option<&'static str>],
    variant: &OperandVariant,
    environment: &Environment,
) -> Option<&'static Unbuilt> {
    let applying = |unbuilt: &&Unbuilt| applies(unbuilt.when, values, variant);
    form.unbuilt.iter().find(applying).filter(|_| environment.generates_code())
}

/// Why the assembler builds no statement of a form whose slots are filled in this way, whatever the open slots and the operands
/// will be.
pub fn unbuilt_so_far<'v>(
    form: &Form,
    filling: &impl Fn(usize) -> Filling<'v>,
    environment: &Environment,
) -> Option<&'static Unbuilt> {
    let applying = |unbuilt: &&Unbuilt| holds_so_far(unbuilt.when, filling, None) == Some(true);
    form.unbuilt.iter().find(applying).filter(|_| environment.generates_code())
}

impl OperandVariant {
    /// Whether the variant can be suggested: no rule forbids it, the manual documents its operands, and the assembler builds it. `values` are
    /// those in the slots of the form.
    pub fn is_offered(&self, form: &Form, values: &[Option<&'static str>], environment: &Environment) -> bool {
        let tolerated = |(index, _): &(u8, OperandPattern)| form.operands[usize::from(*index)].tolerated;
        self.broken.is_none()
            && !self.operands.iter().any(tolerated)
            && unbuilt(form, values, self, environment).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::{unbuilt, unbuilt_so_far};
    use crate::forms::mnemonic::{Candidate, Filling, resolve};
    use crate::target::Environment;
    use ptx_isa::ISA;

    fn candidates(opcode: &str, modifiers: &[&str]) -> Vec<Candidate> {
        resolve(ISA.opcode(opcode).unwrap(), modifiers).unwrap().candidates
    }

    #[test]
    fn operands_decide_where_the_tables_say_so() {
        let environment = Environment::default();
        let candidates = candidates("atom", &[".shared", ".and", ".b32"]);
        let verdicts = candidates.iter().flat_map(|c| {
            c.variants.iter().map(|v| (v.operands.len(), unbuilt(c.form, &c.values, v, &environment).is_some()))
        });
        let mut verdicts: Vec<(usize, bool)> = verdicts.collect();
        verdicts.sort_unstable();
        verdicts.dedup();
        assert!(verdicts.contains(&(3, false)) && verdicts.contains(&(4, true)), "{verdicts:?}");
    }

    #[test]
    fn modules_of_32_bits_are_not_built_anyway() {
        let candidates = candidates("cvta", &[".to", ".global", ".u32"]);
        let [candidate] = candidates.as_slice() else { panic!("{candidates:?}") };
        let verdict = |environment: &Environment| {
            unbuilt(candidate.form, &candidate.values, &candidate.variants[0], environment).map(|u| u.note)
        };
        assert!(verdict(&Environment::default()).is_some_and(|note| note.contains(".u64")));
        assert_eq!(verdict(&Environment { sized: true, address_size: 32, ..Environment::default() }), None);
    }

    #[test]
    fn open_slots_leave_the_verdict_open() {
        let candidates = candidates("cvta", &[".to", ".global", ".u32"]);
        let candidate = &candidates[0];
        let size = candidate.values.iter().position(|value| *value == Some(".u32")).unwrap();
        let environment = Environment::default();
        let verdict = |value: Filling<'static>| {
            let filling = |slot: usize| if slot == size { value } else { Filling::Open };
            unbuilt_so_far(candidate.form, &filling, &environment).is_some()
        };
        assert!(verdict(Filling::Value(".u32")));
        assert!(!verdict(Filling::Value(".u64")) && !verdict(Filling::Open));
    }
}
