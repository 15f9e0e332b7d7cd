//! `duplicate-modifier`: the same modifier twice.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// A modifier that an instruction has twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DuplicateModifier {
    /// The modifier, with its dot.
    pub modifier: Box<str>,
}

impl DiagnosticMessage for DuplicateModifier {
    fn message(&self) -> String {
        format!("`{}` is written twice", self.modifier)
    }

    fn help(&self) -> Option<String> {
        Some("remove one of them".to_owned())
    }
}

/// The report on the second occurrence of a modifier.
pub(crate) fn report(modifier: SourceWord<'_>) -> Diagnostic {
    let fix = Fix::replace(format!("Remove the second `{}`", modifier.text), modifier.range(), "").preferred();
    Diagnostic::new(modifier.range(), DuplicateModifier { modifier: modifier.text.into() }).fix(fix)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, mended, messages};

    #[test]
    fn the_second_one_is_removed() {
        let module =
            ".version 8.5\n.target sm_90\n.entry k()\n{\n.reg .f32 %f<3>;\nadd.rn.rn.f32 %f0, %f1, %f2;\nret;\n}\n";
        assert_eq!(messages(&in_module(Code::DuplicateModifier, module)), ["`.rn` is written twice"]);
        assert_eq!(mended(Code::DuplicateModifier, module), module.replace(".rn.rn", ".rn"));
        assert!(in_kernel(Code::DuplicateModifier, "cvt.f32.f32 %f1, %f2;").is_empty());
    }
}
