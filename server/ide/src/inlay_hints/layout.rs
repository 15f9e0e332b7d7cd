//! Hints with the offsets of kernel parameters, which a launch with a parameter buffer must know.

use super::{Hint, Hints};
use ptx_analysis::{ItemSource, Parameter, lower};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};

impl Hints<'_> {
    pub(super) fn parameter_offsets(&mut self, function: Node<'_>) {
        let (k, f) = (kinds(), fields());
        let kind = function.child_by_field_id(f.kind).map(|n| self.snapshot.text(n.byte_range()));
        let list = function.child_by_field_id(f.parameters).filter(|_| kind.is_some_and(|k| k == ".entry"));
        let Some(list) = list.filter(|l| self.options.offsets && l.start_byte() <= self.range.end && !l.has_error())
        else {
            return;
        };
        let mut offset = 0u64;
        for node in named_children(list).filter(|n| n.kind_id() == k.parameter) {
            let text = self.snapshot.text(node.byte_range());
            let parameter =
                Parameter::of(&lower::declaration(ItemSource { text: &text, base: node.start_byte() }, node));
            let (Some(bytes), Some(align)) = (parameter.bytes(), parameter.align) else { return };
            offset = offset.next_multiple_of(u64::from(align.max(1)));
            let tooltip = format!("{bytes} bytes at offset {offset} of the parameters, aligned to {align}");
            self.out.push(Hint { tooltip, ..Hint::after(node.end_byte(), format!("@{offset}")) });
            offset = offset.saturating_add(bytes);
        }
    }
}
