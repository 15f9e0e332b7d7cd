//! Hover on the registers of matrix operands.

use super::At;
use crate::fragment::{describe, operands, register_at};
use crate::names::Around;
use ptx_isa::ISA;
use ptx_syntax::kinds;

impl At<'_> {
    /// Which elements of a matrix the operand at the place holds, by thread.
    pub(super) fn fragment(&self) -> Option<String> {
        let opcode = self.around(kinds().instruction)?.child_by_field_id(ptx_syntax::fields().opcode)?;
        if !ISA.has_fragments(&self.text(opcode)) {
            return None;
        }
        let range = self.leaf.byte_range();
        self.with_instruction(|instruction, base| {
            let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
            let all = operands(instruction, &Around::new(self.snapshot, self.leaf));
            let covers = |r: &std::ops::Range<usize>| r.start <= local.start && local.end <= r.end;
            let operand = all.iter().find(|o| covers(&o.operand.range))?;
            let name = self.text(self.leaf);
            let register = register_at(operand.operand, &local).map(|number| (number, name.as_str()));
            Some(describe(&operand.found, register))
        })
    }
}
