//! `mixed-cta-groups`: tensor-core instructions for one CTA (`.cta_group::1`) and for a pair of CTAs (`.cta_group::2`) in one function.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::FlowFunction;
use ptx_flow::flow::effects::{effects, mentions};
use ptx_isa::Modifier;
use ptx_isa::tables::Protocol;

/// Tensor-core instructions of both CTA groups.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MixedCtaGroups {
    /// An instruction whose CTA group differs from those before it in the same function.
    Function {
        /// Its modifier, such as `.cta_group::2`.
        group: Modifier,
        /// The modifier of the instructions before it.
        before: Modifier,
    },
    /// A kernel that reaches instructions of both groups in different functions.
    Reached {
        /// The kernel.
        kernel: Box<str>,
        /// A function with `.cta_group::1`.
        single: Box<str>,
        /// A function with `.cta_group::2`.
        pair: Box<str>,
    },
}

impl DiagnosticMessage for MixedCtaGroups {
    fn message(&self) -> String {
        match self {
            Self::Function { group, before } => {
                format!("`{}` in a function that uses `{}` above", group.name(), before.name())
            }
            Self::Reached { kernel, single, pair } => {
                let [first, second] = GROUPS.map(Modifier::name);
                format!("`{kernel}` reaches `{first}` in `{single}` and `{second}` in `{pair}`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = "the tensor-core instructions of a kernel and of its callees must all use one CTA group; ptxas refuses this";
        Some(help.to_owned())
    }
}

/// The modifiers for a single CTA and for a pair of CTAs.
const GROUPS: [Modifier; 2] = [Modifier::CtaGroup1, Modifier::CtaGroup2];

/// The CTA group of an instruction on tensor memory.
fn group_of(function: &FlowFunction, index: usize) -> Option<Modifier> {
    let tensor = effects(function, index).any(|e| e.protocol == Protocol::TensorMemory);
    GROUPS.into_iter().find(|m| tensor && function.has(index, *m))
}

/// The CTA groups of the instructions of a function.
pub(crate) fn groups(function: &FlowFunction) -> Vec<Modifier> {
    if !mentions(function, Protocol::TensorMemory) {
        return Vec::new();
    }
    let all = 0..function.instructions.len();
    GROUPS.into_iter().filter(|group| all.clone().any(|index| group_of(function, index) == Some(*group))).collect()
}

/// Reports the first instruction whose CTA group differs from those before it.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, Protocol::TensorMemory) {
        return;
    }
    let mut before: Option<(usize, Modifier)> = None;
    for index in 0..function.instructions.len() {
        let Some(group) = group_of(function, index) else { continue };
        let head = |index: usize| {
            let head = &function.instructions[index].mnemonic;
            head.start as usize..head.end as usize
        };
        match before {
            None => before = Some((index, group)),
            Some((_, other)) if other == group => {}
            Some((first, before)) => {
                let found = Diagnostic::new(head(index), MixedCtaGroups::Function { group, before });
                out.push(found.severity(analysis.severity()).related(head(first), "the first"));
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
        assert_eq!(messages(&found(2)), ["`.cta_group::2` in a function that uses `.cta_group::1` above"]);
        assert_eq!(found(2)[0].related[0].message(), "the first");
        assert!(found(1).is_empty());
    }
}
