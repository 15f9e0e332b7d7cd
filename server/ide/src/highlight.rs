//! Document highlights: other occurrences of the name at the cursor.

use crate::references::{self, Reference, ReferenceKind};
use ptx_analysis::names;
use ptx_isa::ISA;
use ptx_isa::tables::ControlTransfer;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Maximum number of highlights of a name. An editor requests them whenever the cursor rests, and displays only a screen of
/// them.
const MAX_HIGHLIGHTS: usize = 500;

/// The ranges to highlight for an offset. For a name, these are its uses with their kinds. For an instruction that leaves a
/// function, or for the keyword of a function, these are all exits of the function.
pub fn highlights(snapshot: &Snapshot, offset: usize) -> Vec<Reference> {
    let mut out = Vec::new();
    if let Some((declaration, node, name)) = references::declaration_at(snapshot, offset) {
        references::visit_near(snapshot, &declaration, &name, Some((node.start_byte(), MAX_HIGHLIGHTS)), |reference| {
            out.push(reference);
            true
        });
    } else if let Some(function) = leaving(snapshot, offset) {
        out = exits(snapshot, function);
    }
    out.sort_by_key(|r| r.range.start);
    out
}

/// The function whose exits are to be highlighted.
fn leaving(snapshot: &Snapshot, offset: usize) -> Option<Node<'_>> {
    let k = kinds();
    let before = offset.checked_sub(1);
    let leaf = [Some(offset), before].into_iter().flatten().find_map(|at| {
        let leaf = snapshot.leaf(at..at + 1)?;
        let kind = leaf.kind_id();
        let wanted = kind == k.function_kind || (kind == k.opcode && leaves(&snapshot.text(leaf.byte_range())));
        (wanted && leaf.byte_range().contains(&at)).then_some(leaf)
    })?;
    names::function_around(leaf)
}

/// Whether an opcode ends the function or the thread.
fn leaves(opcode: &str) -> bool {
    let mut flows = ISA.opcode(opcode).into_iter().flat_map(|o| o.entries).map(|e| e.flow);
    flows.any(|f| matches!(f, ControlTransfer::Return | ControlTransfer::Exit))
}

/// The keyword of a function, and every instruction that ends it.
fn exits(snapshot: &Snapshot, function: Node<'_>) -> Vec<Reference> {
    let k = kinds();
    let mut out = Vec::new();
    let mention = |range: Range<usize>| Reference { range, access: ReferenceKind::Mention };
    out.extend(
        ptx_syntax::walk::named_children(function)
            .find(|n| n.kind_id() == k.function_kind)
            .map(|n| mention(n.byte_range())),
    );
    for opcode in ISA.opcodes.iter().filter(|o| leaves(o.name)) {
        names::occurrences(snapshot, function.byte_range(), opcode.name, |offset| {
            let node = snapshot.node_at(offset).filter(|n| n.kind_id() == k.opcode);
            out.extend(node.map(|n| mention(n.byte_range())));
            true
        });
    }
    out
}
