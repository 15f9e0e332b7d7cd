//! `ignored-modifier`: a modifier that the assembler accepts on any instruction and ignores.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// A modifier that the assembler ignores.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IgnoredModifier {
    /// The modifier, with its dot.
    pub modifier: Box<str>,
}

impl DiagnosticMessage for IgnoredModifier {
    fn message(&self) -> String {
        format!("`{}` has no effect on this instruction: the assembler ignores it", self.modifier)
    }

    fn help(&self) -> Option<String> {
        Some("remove it".to_owned())
    }
}

/// The warning about an ignored modifier, with the fix that removes it.
pub(crate) fn report(modifier: &SourceWord<'_>) -> Diagnostic {
    let fix = Fix::replace(format!("Remove `{}`", modifier.text), modifier.range(), "").preferred();
    Diagnostic::new(modifier.range(), IgnoredModifier { modifier: modifier.text.into() }).fix(fix).unnecessary()
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, mended, messages};
    use crate::{Code, Severity};

    #[test]
    fn it_is_removed() {
        let module =
            ".version 8.0\n.target sm_90\n.entry k()\n{\n.reg .f32 %f<3>;\nadd.finite.f32 %f0, %f1, %f2;\nret;\n}\n";
        let found = in_module(Code::IgnoredModifier, module);
        assert_eq!(messages(&found), ["`.finite` has no effect on this instruction: the assembler ignores it"]);
        assert!(found[0].severity == Severity::Warning && found[0].unnecessary);
        let mended = mended(Code::IgnoredModifier, module);
        assert_eq!(mended, module.replace(".finite", ""));
        assert!(in_module(Code::IgnoredModifier, &mended).is_empty());
    }
}
