//! `mixed-cta-groups`: tensor-core instructions for one CTA (`.cta_group::1`) and for a pair of CTAs (`.cta_group::2`) in one function.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::effects::{effects, mentions};
use ptx_isa::Modifier;
use ptx_isa::tables::Protocol;

/// A tensor-core instruction whose CTA group differs from those before it in the same function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MixedCtaGroups {
    /// Its modifier, such as `.cta_group::2`.
    pub group: Modifier,
    /// The modifier of the instructions before it.
    pub before: Modifier,
}

impl DiagnosticMessage for MixedCtaGroups {
    fn message(&self) -> String {
        format!("`{}` in a function that has `{}` before", self.group.name(), self.before.name())
    }

    fn help(&self) -> Option<String> {
        let help = "all tensor-core instructions of a kernel and of what it calls are of one kind; ptxas refuses this";
        Some(help.to_owned())
    }
}

/// Reports the first instruction whose CTA group differs from those before it.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, Protocol::TensorMemory) {
        return;
    }
    let mut before: Option<(usize, Modifier)> = None;
    for index in 0..function.instructions.len() {
        if !effects(function, index).any(|e| e.protocol == Protocol::TensorMemory) {
            continue;
        }
        let group = [Modifier::CtaGroup1, Modifier::CtaGroup2].into_iter().find(|m| function.has(index, *m));
        let Some(group) = group else { continue };
        let head = |index: usize| {
            let head = &function.instructions[index].mnemonic;
            head.start as usize..head.end as usize
        };
        match before {
            None => before = Some((index, group)),
            Some((_, other)) if other == group => {}
            Some((first, before)) => {
                let found = Diagnostic::new(head(index), MixedCtaGroups { group, before });
                out.push(found.related(head(first), "the first"));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::MixedCtaGroups;
    use crate::testing::{in_module, messages};

    #[test]
    fn instructions_of_one_cta_and_of_two() {
        let found = |group: u8| {
            let header = ".version 8.8\n.target sm_100a\n.address_size 64\n";
            let allocate = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;";
            let free = format!("tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %r1, 64;");
            let body = format!(".reg .b32 %r1; .shared .b32 where; {allocate} ld.shared.u32 %r1, [where]; {free} ret;");
            in_module(MixedCtaGroups, &format!("{header}.visible .entry k() {{ {body} }}"))
        };
        assert_eq!(messages(&found(2)), ["`.cta_group::2` in a function that has `.cta_group::1` before"]);
        assert_eq!(found(2)[0].related[0].message(), "the first");
        assert!(found(1).is_empty());
    }
}
