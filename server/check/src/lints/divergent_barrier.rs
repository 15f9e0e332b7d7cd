//! `divergent-barrier`: an instruction that all lanes of a warp must execute together is in code that only some of them reach.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::divergence::{DivergenceCause, splits};
use std::ops::Range;

/// An instruction for the whole warp that only some of its lanes execute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DivergentBarrier {
    /// The name of the instruction.
    pub instruction: &'static str,
    /// The predicate of its own guard, if that excludes lanes. `None` if a branch excludes them.
    pub guard: Option<Box<str>>,
    /// The number of further such instructions from which the same branch excludes lanes.
    pub others: usize,
}

impl DiagnosticMessage for DivergentBarrier {
    fn message(&self) -> String {
        let what = self.instruction;
        match &self.guard {
            Some(name) => {
                format!("all lanes of the warp must execute `{what}` together, but `{name}` differs from lane to lane")
            }
            None => {
                let others = match self.others {
                    0 => String::new(),
                    1 => "; the same is true of another such instruction".to_owned(),
                    others => format!("; the same is true of {others} more such instructions"),
                };
                format!("all lanes of the warp must execute `{what}` together, but only some of them reach it{others}")
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some("move it to where the lanes have reconverged".to_owned())
    }
}

/// How many of the instructions behind one branch are shown with the first.
const MAX_RELATED: usize = 16;

/// Reports instructions for the whole warp from which a guard or a branch excludes lanes. A branch, such as that of a loop whose number of
/// iterations differs, is one cause and has one report.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let together: Vec<usize> = (0..function.instructions.len()).filter(|i| function.converges(*i)).collect();
    if together.is_empty() {
        return;
    }
    let found = splits(function, analysis.graph, analysis.variances(), &together);
    let is_own = |(index, split): &(usize, DivergenceCause)| split.at == *index;
    for (at, (index, split)) in found.iter().copied().enumerate() {
        let same = |other: &&(usize, DivergenceCause)| other.1.at == split.at && !is_own(other);
        let own = is_own(&(index, split));
        if !own && found[..at].iter().any(|other| same(&other)) {
            continue;
        }
        let others: Vec<usize> =
            if own { Vec::new() } else { found[at + 1..].iter().filter(same).map(|(index, _)| *index).collect() };
        let range = |place: &Range<u32>| place.start as usize..place.end as usize;
        let cause = &function.instructions[split.at];
        let guard = cause.guard.as_ref().map_or(&cause.mnemonic, |g| &g.range);
        let name = function.register_name(split.predicate);
        let data = DivergentBarrier {
            instruction: function.entry(index).name,
            guard: own.then(|| name.as_str().into()),
            others: others.len(),
        };
        let mut found = Diagnostic::new(range(&function.instructions[index].mnemonic), data);
        if !own {
            found = found.related(range(guard), format!("`{name}` differs from lane to lane: the warp diverges here"));
        }
        for other in others.into_iter().take(MAX_RELATED) {
            let message = format!("this `{}` is also reached by only some lanes", function.entry(other).name);
            found = found.related(range(&function.instructions[other].mnemonic), message);
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
    use crate::diagnostic::Severity;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn barriers_for_a_part_of_the_warp() {
        let lanes = "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16;";
        let found = in_kernel(
            DivergentBarrier,
            &format!("{lanes} @%p1 bra Rest; barrier.sync.aligned 0; Rest: st.u32 [%rd0], 1;"),
        );
        let all = "all lanes of the warp must execute `barrier` together, but";
        assert_eq!(messages(&found), [format!("{all} only some of them reach it")]);
        assert_eq!(found[0].related[0].message(), "`%p1` differs from lane to lane: the warp diverges here");
        let found = in_kernel(DivergentBarrier, &format!("{lanes} @%p1 barrier.sync.aligned 0;"));
        assert_eq!(messages(&found), [format!("{all} `%p1` differs from lane to lane")]);
        assert_eq!(found[0].severity, Severity::Warning);
        let together = format!("{lanes} @%p1 bra Rest; st.u32 [%rd0], 1; Rest: barrier.sync.aligned 0;");
        assert!(in_kernel(DivergentBarrier, &together).is_empty());
    }

    #[test]
    fn one_report_for_one_branch() {
        let body = "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16;
            Loop: @%p1 bra Rest; bar.sync 0; st.u32 [%rd0], 1; bar.sync 1; bar.sync 2; bra Loop;
            Rest: bar.sync 3; st.u32 [%rd0], 2;";
        let found = in_kernel(DivergentBarrier, body);
        let message = "all lanes of the warp must execute `bar` together, but only some of them reach it; the same is true of 2 more such instructions";
        assert_eq!(messages(&found), [message]);
        assert_eq!(found[0].related.len(), 3);
        // Two branches are two causes.
        let lanes = "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16;";
        let two = "@%p1 bra One; bar.sync 0; bar.sync 0; One: st.u32 [%rd0], 1; @%p1 bra Two; bar.sync 0; Two: st.u32 [%rd0], 1;";
        let found = in_kernel(DivergentBarrier, &format!("{lanes} {two}"));
        assert_eq!(found.iter().map(|d| d.related.len()).collect::<Vec<_>>(), [2, 1]);
    }
}
