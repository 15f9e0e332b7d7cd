//! `state-space`: a variable in a state space that the instruction does not access.

use super::one_of;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::forms::spec::OperandSpec;
use std::ops::Range;

/// A variable that the instruction cannot access, because of its state space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum StateSpace {
    /// The instruction accesses other state spaces.
    Other {
        /// The variable.
        variable: Box<str>,
        /// Its state space, with the dot.
        space: &'static str,
        /// The state spaces that the instruction accesses.
        accessed: &'static [&'static str],
        /// The mnemonic as written.
        mnemonic: Box<str>,
    },
    /// The address is generic, and generic addresses do not reach this state space.
    Generic {
        /// The variable.
        variable: Box<str>,
        /// Its state space, with the dot.
        space: &'static str,
    },
}

impl DiagnosticMessage for StateSpace {
    fn message(&self) -> String {
        match self {
            Self::Other { variable, space, accessed, mnemonic } => {
                format!("`{variable}` is a `{space}` variable, but `{mnemonic}` accesses {}", one_of(accessed))
            }
            Self::Generic { variable, space } => {
                format!("`{variable}` is a `{space}` variable, which a generic address does not reach")
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Other { space: ".param", variable, .. } => format!(
                "`ld.param` reads `{variable}`; if its value is an address, access the memory with what that gives"
            ),
            Self::Other { space, .. } => format!("use `{space}` in the instruction, or another variable"),
            Self::Generic { space, .. } => format!("name the state space: add `{space}` to the instruction"),
        })
    }
}

/// The report. `mnemonic` is the mnemonic as written.
pub(crate) fn report(
    range: Range<usize>,
    variable: &str,
    space: &'static str,
    spec: Option<&OperandSpec>,
    mnemonic: &str,
) -> Diagnostic {
    let variable = variable.into();
    let found = match spec.and_then(|s| s.spaces) {
        Some(accessed) => StateSpace::Other { variable, space, accessed, mnemonic: mnemonic.into() },
        None => StateSpace::Generic { variable, space },
    };
    Diagnostic::new(range, found)
}

#[cfg(test)]
mod tests {
    use crate::Code::StateSpace;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn variables_of_other_spaces() {
        let found = in_kernel(StateSpace, ".shared .b32 s; ld.global.u32 %r0, [s];");
        assert_eq!(messages(&found), ["`s` is a `.shared` variable, but `ld.global.u32` accesses `.global`"]);
        assert_eq!(found[0].help().as_deref(), Some("use `.shared` in the instruction, or another variable"));
        assert!(in_kernel(StateSpace, ".shared .b32 s; ld.shared.u32 %r0, [s];").is_empty());
    }

    #[test]
    fn generic_addresses() {
        let found = in_kernel(StateSpace, "ld.u32 %r0, [p];");
        assert_eq!(messages(&found), ["`p` is a `.param` variable, which a generic address does not reach"]);
        assert!(in_kernel(StateSpace, "ld.param.u32 %r0, [p];").is_empty());
    }
}
