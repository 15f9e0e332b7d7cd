//! `branch-target`: the target of a branch is not a label.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::symbols::{Symbol, TargetListKind};
use std::ops::Range;

/// A name that a branch cannot go to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct BranchTarget {
    /// The name.
    pub name: Box<str>,
    /// What it stands for.
    pub symbol: Symbol,
    /// The branch is indirect, so the name must be the label of a `.branchtargets` list.
    pub indirect: bool,
}

impl DiagnosticMessage for BranchTarget {
    fn message(&self) -> String {
        let (name, symbol) = (&self.name, self.symbol);
        match (symbol, self.indirect) {
            (Symbol::Targets { list: TargetListKind::Prototype, .. }, false) => {
                format!("`{name}` is the label of a prototype, not of a place in the code")
            }
            (Symbol::Targets { .. }, false) => {
                format!("`{name}` is the label of a list of targets, not of a place in the code")
            }
            (_, false) => format!("`{name}` is {}, but a branch goes to a label", symbol.describe()),
            (Symbol::Targets { list: TargetListKind::Branches, .. }, true) => {
                format!("`{name}` comes after this branch, but must come before it")
            }
            (Symbol::Targets { .. }, true) => format!("`{name}` lists functions, not labels"),
            (Symbol::Label, true) => format!("`{name}` is a label in the code, not the label of a list of targets"),
            (_, true) => format!("`{name}` is {}, not the label of a list of targets", symbol.describe()),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match (self.symbol, self.indirect) {
            (Symbol::Function { kernel: false, .. }, false) => "use `call` to reach a function",
            (Symbol::Targets { list: TargetListKind::Branches, .. }, false) => {
                "`brx.idx` chooses from a list of labels"
            }
            (Symbol::Register { .. }, false) => {
                "`brx.idx` branches by a register: its value is an index in a list of labels (`.branchtargets`)"
            }
            (Symbol::Function { .. }, false) => {
                "a kernel cannot be entered from PTX: write the label of an instruction"
            }
            (_, false) => {
                "write the label of the instruction to jump to, as in `bra L;` with `L:` before that instruction"
            }
            (Symbol::Targets { list: TargetListKind::Branches, .. }, true) => {
                "move the label and its `.branchtargets` directive up"
            }
            (_, true) => "`brx.idx` takes the label of a `.branchtargets` directive: `targets: .branchtargets L0, L1;`",
        };
        Some(help.to_owned())
    }
}

/// The report on a branch operand, or an entry of `.branchtargets`, that is not a label.
pub(crate) fn not_a_label(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    Diagnostic::new(range, BranchTarget { name: name.into(), symbol, indirect: false })
}

/// The report on the target list of an indirect branch that is not the label of an earlier `.branchtargets`.
pub(crate) fn not_a_list(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    Diagnostic::new(range, BranchTarget { name: name.into(), symbol, indirect: true })
}

#[cfg(test)]
mod tests {
    use crate::testing::in_kernel;
    use crate::{Code, Diagnostic};

    fn of(body: &str) -> Vec<String> {
        in_kernel(Code::BranchTarget, body).iter().map(Diagnostic::text).collect()
    }

    #[test]
    fn branches_go_to_labels() {
        assert!(of("bra.uni done; done:").is_empty());
        let register = "`%r1` is a `.b32` register, but a branch goes to a label\n`brx.idx` branches by a register: its value is \
                        an index in a list of labels (`.branchtargets`)";
        assert_eq!(of("bra.uni %r1;"), [register]);
        let list = "`list` is the label of a list of targets, not of a place in the code\n`brx.idx` chooses from a list of labels";
        assert_eq!(of("list: .branchtargets done; bra.uni list; done:"), [list]);
    }

    #[test]
    fn indirect_branches_take_an_earlier_list() {
        assert!(of("list: .branchtargets done; brx.idx %r1, list; done:").is_empty());
        let late = "`list` comes after this branch, but must come before it\n\
                    move the label and its `.branchtargets` directive up";
        assert_eq!(of("brx.idx %r1, list; list: .branchtargets done; done:"), [late]);
        let label = "`done` is a label in the code, not the label of a list of targets\n\
                     `brx.idx` takes the label of a `.branchtargets` directive: `targets: .branchtargets L0, L1;`";
        assert_eq!(of("brx.idx %r1, done; done:"), [label]);
    }
}
