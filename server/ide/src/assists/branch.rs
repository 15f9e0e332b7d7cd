//! Inverts a conditional branch: `@%p bra L1; bra L2; L1:` becomes `@!%p bra L2; L1:`.

use super::assist::Assist;
use super::site::AssistSite;
use crate::TextEdit;
use ptx_analysis::{Instruction, OperandKind};
use ptx_isa::ISA;
use ptx_isa::tables::ControlTransfer;
use ptx_syntax::{fields, kinds};

/// Offers the assist at either of the two branches.
pub fn assists(site: &AssistSite<'_>, out: &mut Vec<Assist>) {
    let before = || site.node.prev_named_sibling().and_then(|n| AssistSite::of(site.snapshot, n));
    let edit = skip(site).or_else(|| skip(&before()?));
    if let Some((title, edit)) = edit {
        out.push(Assist::new("invert-branch", title, vec![edit]));
    }
}

fn skip(first: &AssistSite<'_>) -> Option<(String, TextEdit)> {
    let second = AssistSite::of(first.snapshot, first.node.next_named_sibling()?)?;
    let label = second.node.next_named_sibling().filter(|n| n.kind_id() == kinds().label)?;
    let label = first.snapshot.text(label.child_by_field_id(fields().name)?.byte_range()).into_owned();
    let between = first.snapshot.text(first.node.end_byte()..second.node.start_byte());
    if !between.trim().is_empty() {
        return None;
    }
    let target =
        second.matched(|m| target(m.instruction).filter(|_| m.instruction.guard.is_none()).map(str::to_owned))?;
    first.matched(|m| {
        let own = self::target(m.instruction)?;
        let guard = m.instruction.guard?;
        let operand = m.instruction.operands.first()?.range.clone();
        if own != label || own == target {
            return None;
        }
        let negated = first.guard(m.instruction).contains('!');
        let rest = first.with(operand, &target);
        let rest = rest.get(m.instruction.opcode.range().start..)?;
        let inverse = format!("@{}{} {rest}", if negated { "" } else { "!" }, guard.text);
        let title = format!("Branch to `{target}` on the opposite condition");
        let edit = TextEdit { range: first.base..second.node.end_byte(), text: inverse.clone() };
        first.is_clean(&inverse).then_some((title, edit))
    })
}

/// The target label of a branch with a single target.
fn target<'a>(instruction: &'a Instruction<'a>) -> Option<&'a str> {
    let entry = ISA.opcode(instruction.opcode.text)?.entries.first()?;
    match (entry.flow, instruction.operands.as_slice()) {
        (ControlTransfer::Branch, [operand]) => match operand.kind {
            OperandKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
