//! Checks one instruction outside of its module, to see whether a rewritten statement would be accepted.

pub use crate::rules::syntax_error::is_unfinished;

use crate::diagnostic::Diagnostic;
use crate::instruction;
use crate::rules::{guard_predicate, syntax_error};
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, kinds};

/// The diagnostics of one instruction, given as text from its guard to its semicolon. Ranges are byte offsets into that text.
pub fn check(text: &str, environment: &Environment, names: &dyn NameLookup) -> Vec<Diagnostic> {
    let snapshot = Snapshot::new(text);
    let source = ItemSource { text, base: 0 };
    let mut out = Vec::new();
    let root = snapshot.root_at(0);
    let mut nodes = named_children(root);
    let (first, second) = (nodes.next(), nodes.next());
    let Some(node) = first.filter(|n| n.kind_id() == kinds().instruction && second.is_none()) else {
        syntax_error::report(source, root, &mut out);
        if out.is_empty() {
            out.push(syntax_error::misplaced(0..text.len(), text, "elsewhere"));
        }
        return out;
    };
    syntax_error::report(source, root, &mut out);
    if let Some(lowered) = lower::instruction(source, node) {
        if let Some(predicate) = lowered.guard {
            guard_predicate::check(predicate, names, &mut out);
        }
        let mnemonic = MnemonicCache::default().resolve(&lowered, text, environment);
        instruction::check(&lowered, text, &mnemonic, names, &mut out);
    }
    out
}
