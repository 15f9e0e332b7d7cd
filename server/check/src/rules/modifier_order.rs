//! `modifier-order`: two modifiers are in an order that the assembler refuses.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// Two modifiers in the wrong order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ModifierOrder {
    /// The modifier that must come before the other but stands after it.
    pub first: Box<str>,
    /// The other modifier.
    pub second: Box<str>,
    /// The syntax of the form.
    pub form: &'static str,
    /// The opcode, if both are state spaces: the other order is another operation, which it does not have.
    pub copy: Option<&'static str>,
}

impl DiagnosticMessage for ModifierOrder {
    fn message(&self) -> String {
        let Self { first, second, .. } = self;
        match self.copy {
            Some(opcode) => format!(
                "`{opcode}` cannot copy from `{first}` to `{second}`: the destination comes first, as in `{first}{second}`"
            ),
            None => format!("`{first}` must come before `{second}`"),
        }
    }

    fn help(&self) -> Option<String> {
        Some(format!("the form is `{}`", self.form))
    }
}

/// The report: `first` stands after `second` but must come before it.
pub(crate) fn report(first: SourceWord<'_>, second: SourceWord<'_>, form: &'static str) -> Diagnostic {
    new(first, second, form, None)
}

/// The report on the state spaces of a copy that the opcode does not have in this direction.
pub(crate) fn spaces(
    first: SourceWord<'_>,
    second: SourceWord<'_>,
    opcode: &'static str,
    form: &'static str,
) -> Diagnostic {
    new(first, second, form, Some(opcode))
}

fn new(first: SourceWord<'_>, second: SourceWord<'_>, form: &'static str, copy: Option<&'static str>) -> Diagnostic {
    let found = ModifierOrder { first: first.text.into(), second: second.text.into(), form, copy };
    Diagnostic::new(first.range(), found)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn the_type_comes_last() {
        let found = in_kernel(Code::ModifierOrder, "mul.u32.lo %r1, %r2, %r3;");
        assert_eq!(messages(&found), ["`.lo` must come before `.u32`"]);
        assert!(in_kernel(Code::ModifierOrder, "mul.lo.u32 %r1, %r2, %r3;").is_empty());
    }
}
