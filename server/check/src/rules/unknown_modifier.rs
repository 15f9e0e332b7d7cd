//! `unknown-modifier`: a modifier that no instruction has.

use super::{did_you_mean, suggest, write_instead};
use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Opcode};
use ptx_sema::hir::ast::SourceWord;

/// A modifier that no instruction has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnknownModifier {
    /// The modifier, with its dot.
    pub name: Box<str>,
    /// The modifiers that are most likely meant; empty if none is similar enough.
    pub near: Box<[&'static str]>,
}

impl DiagnosticMessage for UnknownModifier {
    fn message(&self) -> String {
        format!("`{}` is not a modifier", self.name)
    }

    fn help(&self) -> Option<String> {
        did_you_mean(&self.near).or_else(|| super::in_ptx(&self.name))
    }
}

/// Whether any instruction has a modifier of this name.
pub(crate) fn is_known(name: &str) -> bool {
    ISA.modifier(name).is_some() || ISA.ty(name).is_some() || ISA.space(name).is_some()
}

/// The report on a modifier that no instruction has. `near` are the modifiers with which the opcode has a form.
pub(crate) fn report(modifier: SourceWord<'_>, opcode: &'static Opcode, near: &[&'static str]) -> Diagnostic {
    let mut near = near.to_vec();
    if near.is_empty() {
        // Those of other opcodes cannot be meant.
        let own = opcode.entries.iter().flat_map(|e| e.forms).flat_map(Form::documented_values);
        near.extend(suggest(modifier.text, own));
    }
    let foreign = super::foreign(modifier.text);
    let left_out = foreign.as_ref().is_some_and(|word| word.left_out);
    // Where the tables say what to do instead, a similar word is not what was meant.
    if foreign.is_some_and(|word| word.left_out || word.spellings.is_empty()) {
        near.clear();
    }
    let mut fixes: Vec<Fix> = near.iter().filter_map(|near| write_instead(modifier.range(), Some(near))).collect();
    fixes.extend(left_out.then(|| Fix::replace(format!("Remove `{}`", modifier.text), modifier.range(), "")));
    Diagnostic::new(modifier.range(), UnknownModifier { name: modifier.text.into(), near: near.into() }).fixes(fixes)
}

#[cfg(test)]
mod tests {
    use crate::Code::UnknownModifier;
    use crate::testing::{in_kernel, in_module, mended, messages};

    #[test]
    fn misspelt_modifiers() {
        let found = in_kernel(UnknownModifier, "ld.gloabl.u32 %r0, [%rd0];");
        assert_eq!(messages(&found), ["`.gloabl` is not a modifier"]);
        assert_eq!(found[0].help().as_deref(), Some("did you mean `.global`?"));
        assert!(in_kernel(UnknownModifier, "ld.global.u32 %r0, [%rd0];").is_empty());
        assert!(in_kernel(UnknownModifier, "ld.frobnicate.u32 %r0, [%rd0];")[0].help().is_none());
    }

    #[test]
    fn what_the_manual_does_not_have_is_not_meant() {
        let found = in_kernel(UnknownModifier, "bar.warp.sync.no_membermask_overla -1;");
        assert_eq!(
            (messages(&found), found[0].help()),
            (vec!["`.no_membermask_overla` is not a modifier".to_owned()], None)
        );
        assert!(found[0].fixes.is_empty());
    }

    #[test]
    fn operands_tell_which_type_is_meant() {
        let help = |body: &str| in_kernel(UnknownModifier, body)[0].help();
        assert_eq!(help("add.u6 %rd1, %rd1, 1;").as_deref(), Some("did you mean `.u64` or `.u16`?"));
        assert_eq!(help("add.u6 %r1, %r1, 1;").as_deref(), Some("did you mean `.u32` or `.u16`?"));
    }

    #[test]
    fn the_fix_writes_the_nearest_one() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .f32 %f; add.fzt.f32 %f, %f, %f; ret; }";
        let fixed = mended(UnknownModifier, text);
        assert_eq!(fixed, text.replace(".fzt", ".ftz"));
        assert!(in_module(UnknownModifier, &fixed).is_empty());
    }
}
