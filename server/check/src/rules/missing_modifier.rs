//! `missing-modifier`: an instruction does not have a required modifier.

use super::one_of;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, ModifierSlot};
use std::ops::Range;

/// An instruction that does not have a required modifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MissingModifier {
    /// The opcode with its modifiers, as written.
    pub written: Box<str>,
    /// Whether the missing modifier is a type.
    pub is_type: bool,
    /// The modifiers that may stand there, in all forms.
    pub expected: Box<[&'static str]>,
    /// All missing modifiers, if they are several and there is one choice for each.
    pub all: Box<[&'static str]>,
    /// The syntax of the form, unless several forms are possible.
    pub form: Option<&'static str>,
    /// What each of the expected modifiers means here, if they are few.
    pub meanings: Box<[(&'static str, &'static str)]>,
}

impl DiagnosticMessage for MissingModifier {
    fn message(&self) -> String {
        if self.all.len() > 1 {
            let all: Vec<String> = self.all.iter().map(|m| format!("`{m}`")).collect();
            return format!("`{}` lacks the modifiers {}", self.written, super::and(&all));
        }
        let modifier = if self.is_type { "a type" } else { "a modifier" };
        format!("`{}` lacks {modifier}: expected {}", self.written, one_of(&self.expected))
    }

    fn help(&self) -> Option<String> {
        let meanings: Vec<String> = self.meanings.iter().map(|(name, words)| super::meaning(name, words)).collect();
        let form = self.form.map(|form| format!("the form is `{form}`"));
        let parts: Vec<String> = meanings.into_iter().chain(form).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// The report. `mnemonic` is the byte range of the opcode with its modifiers.
/// `expected` are the modifiers that may stand there, in all forms of `entry`.
pub(crate) fn report(
    mnemonic: Range<usize>,
    written: &str,
    slot: &'static ModifierSlot,
    all: &[&'static str],
    expected: &[&'static str],
    form: &'static str,
    entry: Option<&'static Entry>,
) -> Diagnostic {
    /// The number of modifiers that are explained.
    const MAX_EXPLAINED: usize = 4;
    // If several forms are possible, the syntax of one of them is no help.
    let names_types = written.split('.').skip(1).any(|word| ISA.ty(&format!(".{word}")).is_some());
    let form = (expected.len() <= slot.values.len() || (slot.is_type && names_types)).then_some(form);
    let (written, is_type) = (written.into(), slot.is_type);
    let meaning = |name: &&'static str| {
        let note = entry?.modifiers.iter().find(|note| note.name == *name)?;
        Some((*name, note.doc.split(". ").next()?))
    };
    let is_few = (2..=MAX_EXPLAINED).contains(&expected.len()) && !is_type;
    let meanings: Vec<_> = expected.iter().filter(|_| is_few).filter_map(meaning).collect();
    let all: Box<[&'static str]> = all.into();
    let data = MissingModifier { written, is_type, expected: expected.into(), all, form, meanings: meanings.into() };
    Diagnostic::new(mnemonic, data)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn required_modifiers() {
        let found = in_kernel(Code::MissingModifier, "not %r1, %r2;");
        assert_eq!(messages(&found), ["`not` lacks a type: expected `.pred`, `.b16`, `.b32` or `.b64`"]);
        let found = in_kernel(Code::MissingModifier, "setp.s32 %p1, %r1, %r2;");
        assert_eq!(
            messages(&found),
            ["`setp.s32` lacks a modifier: expected `.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge`"]
        );
        assert!(in_kernel(Code::MissingModifier, "not.b32 %r1, %r2; setp.lt.s32 %p1, %r1, %r2;").is_empty());
    }

    #[test]
    fn what_is_not_built_is_not_expected() {
        let found = in_kernel(Code::MissingModifier, "cvta.to.global %rd1, %rd2;");
        assert_eq!(messages(&found), ["`cvta.to.global` lacks a type: expected `.u64`"]);
    }
}
