//! Hover on numbers.

use super::operands::integer;
use super::{At, HoverResult, decode, number};
use crate::describe::MarkdownPage;
use crate::excerpt::{local, short};
use ptx_analysis::{ConstantValue, ItemSource, OperandKind, TypeId, lower};
use ptx_isa::tables::ValueKind;
use ptx_syntax::{Node, fields, kinds};

impl At<'_> {
    /// The hover on a number, or on the constant expression that ends with it: the interpretations of its bits at the width
    /// of the operand.
    pub(super) fn literal(&self) -> HoverResult {
        let whole = self.expression();
        let here = self.here_at(whole.byte_range());
        // A number added to an address is a number of bytes, whatever the type of the operand.
        let value = here.as_ref().filter(|h| !matches!(h.spec.value.kind, ValueKind::Address(_)));
        let ty = value.and_then(|h| h.spec.ty).or_else(|| self.declared_type());
        let text = self.text(whole);
        let base = whole.start_byte();
        let operand = lower::operand(ItemSource { text: &text, base }, whole);
        let mut page = MarkdownPage::default();
        let readings = match operand.kind {
            OperandKind::Float(text) => number::float(text, ty),
            OperandKind::Constant(ConstantValue::Float(value)) => {
                vec![format!("{value:?}"), format!("`0d{:016X}`", value.to_bits())]
            }
            _ => number::integer(integer(&operand)?, &text, ty),
        };
        page.code(&short(&text));
        if let Some((here, value)) = here.as_ref().zip(integer(&operand)) {
            page.append(decode::page(here, value));
        }
        let mut title = ty.filter(|_| !readings.is_empty()).map_or(String::new(), |t| format!("As `{}`", t.name()));
        if text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") || text.starts_with("0D") {
            title.clear();
        }
        if !title.is_empty() {
            page.text(title);
        }
        page.list("", readings);
        if let Some(here) = &here {
            page.text(here.role());
            page.append(self.made());
        }
        Some((whole.byte_range(), page))
    }

    /// The constant expression that contains a literal, with its sign and its other operands.
    fn expression(&self) -> Node<'_> {
        let k = kinds();
        let around = [
            k.unary_expression,
            k.binary_expression,
            k.ternary_expression,
            k.cast_expression,
            k.parenthesized_expression,
        ];
        let mut node = self.leaf;
        while let Some(parent) = node.parent().filter(|p| around.contains(&p.kind_id())) {
            node = parent;
        }
        node
    }

    /// The type of the variable whose initializer contains the literal.
    fn declared_type(&self) -> Option<TypeId> {
        let k = kinds();
        let declaration = self.around(k.variable_declaration)?;
        let declarator = ptx_syntax::walk::named_children(declaration).find(|n| {
            let range = n.byte_range();
            n.kind_id() == k.declarator && range.contains(&self.leaf.start_byte())
        })?;
        let value = declarator.child_by_field_id(fields().value)?;
        local(&self.leaf.byte_range(), value.start_byte())?;
        let ty = ptx_syntax::walk::named_children(declaration).find(|n| n.kind_id() == k.ty)?;
        TypeId::of(&self.text(ty))
    }
}
