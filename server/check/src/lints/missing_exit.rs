//! `missing-exit`: control runs off the end of a body.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;

/// A body whose end control can reach without `ret` or `exit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MissingExit {
    /// Whether it is the body of a kernel.
    pub kernel: bool,
}

impl DiagnosticMessage for MissingExit {
    fn message(&self) -> String {
        let what = if self.kernel { "the kernel" } else { "the function" };
        format!("control reaches the end of {what} without `ret` or `exit`")
    }

    fn help(&self) -> Option<String> {
        Some("the assembler adds a return here; write `ret;` to make it explicit".to_owned())
    }
}

/// Reports the closing brace of the body if control can reach it.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if analysis.graph.falls_off.is_none() {
        return;
    }
    let end = function.body.end as usize;
    let brace = end.saturating_sub(1)..end;
    let fix = Fix::replace("Write `ret;` before the brace", brace.clone(), "    ret;\n}").preferred();
    out.push(Diagnostic::new(brace, MissingExit { kernel: function.kernel }).fix(fix));
}

#[cfg(test)]
mod tests {
    use crate::Code::MissingExit;
    use crate::testing::{in_module, mended, messages};

    #[test]
    fn bodies_without_an_end() {
        let module = |body: &str| format!(".version 9.0\n.target sm_90a\n.address_size 64\n.entry k()\n{{\n{body}}}\n");
        let found = in_module(MissingExit, &module(""));
        assert!(found.is_empty(), "an empty body: {found:?}");
        let text = module("    bar.sync 0;\n");
        let found = in_module(MissingExit, &text);
        assert_eq!(messages(&found), ["control reaches the end of the kernel without `ret` or `exit`"]);
        assert_eq!(mended(MissingExit, &text), module("    bar.sync 0;\n    ret;\n"));
        assert!(in_module(MissingExit, &module("    bar.sync 0;\n    ret;\n")).is_empty());
        let function = messages(&in_module(MissingExit, &text.replace(".entry", ".visible .func")));
        assert_eq!(function, ["control reaches the end of the function without `ret` or `exit`"]);
    }
}
