//! `divergent-barrier`: an instruction that all lanes of a warp must execute together is in code that only some of them reach.

use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::{Diagnostic, Severity};
use crate::check::lints::Analysis;
use crate::flow::divergence::splits;

/// An instruction for the whole warp that only some of its lanes execute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DivergentBarrier {
    /// The name of the instruction.
    pub instruction: &'static str,
    /// The predicate of its own guard, if that excludes lanes. `None` if a branch excludes them.
    pub guard: Option<Box<str>>,
}

impl DiagnosticMessage for DivergentBarrier {
    fn message(&self) -> String {
        let what = self.instruction;
        match &self.guard {
            Some(name) => {
                format!("all lanes of the warp must execute `{what}` together, but `{name}` differs from lane to lane")
            }
            None => format!("all lanes of the warp must execute `{what}` together, but only some of them get here"),
        }
    }

    fn help(&self) -> Option<String> {
        Some("move it to where the lanes have come together again".to_owned())
    }
}

/// Reports instructions for the whole warp from which a guard or a branch excludes lanes.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let together: Vec<usize> = (0..function.instructions.len()).filter(|i| function.converges(*i)).collect();
    if together.is_empty() {
        return;
    }
    for (index, split) in splits(function, analysis.graph, analysis.variances(), &together) {
        let head = &function.instructions[index].mnemonic;
        let at = &function.instructions[split.at];
        let guard = at.guard.as_ref().map_or(&at.mnemonic, |g| &g.range);
        let name = function.register_name(split.predicate);
        let own = (split.at == index).then(|| name.as_str().into());
        let data = DivergentBarrier { instruction: function.entry(index).name, guard: own };
        let mut found = Diagnostic::new(head.start as usize..head.end as usize, data);
        if split.at != index {
            let place = guard.start as usize..guard.end as usize;
            found = found.related(place, format!("`{name}` differs from lane to lane: the warp parts here"));
        }
        if split.perhaps {
            found.severity = Severity::Hint;
        }
        out.push(found);
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::DivergentBarrier;
    use crate::check::diagnostic::Severity;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn barriers_for_a_part_of_the_warp() {
        let lanes = "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16;";
        let found = in_kernel(
            DivergentBarrier,
            &format!("{lanes} @%p1 bra Rest; barrier.sync.aligned 0; Rest: st.u32 [%rd0], 1;"),
        );
        let all = "all lanes of the warp must execute `barrier` together, but";
        assert_eq!(messages(&found), [format!("{all} only some of them get here")]);
        assert_eq!(found[0].related[0].message, "`%p1` differs from lane to lane: the warp parts here");
        let found = in_kernel(DivergentBarrier, &format!("{lanes} @%p1 barrier.sync.aligned 0;"));
        assert_eq!(messages(&found), [format!("{all} `%p1` differs from lane to lane")]);
        assert_eq!(found[0].severity, Severity::Warning);
        let together = format!("{lanes} @%p1 bra Rest; st.u32 [%rd0], 1; Rest: barrier.sync.aligned 0;");
        assert!(in_kernel(DivergentBarrier, &together).is_empty());
    }
}
