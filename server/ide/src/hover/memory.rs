//! Hover on variables and parameters: their state space, size and offset, and the text that they contain.

use super::{At, number};
use ptx_analysis::{DeclarationKind, DeclarationNode, ItemSource, Signature, Symbol, VariableSymbol, literal};
use ptx_isa::tables::TypeClass;
use ptx_syntax::walk::named_children;
use ptx_syntax::{fields, kinds};

/// Maximum length in bytes of an initializer that is read as text.
const LONGEST_TEXT: usize = 4096;
/// Maximum number of characters of a text that are shown.
const SHOWN_TEXT: usize = 200;

impl At<'_> {
    /// Size and place of a variable: `256 bytes in `.shared`, aligned to 16`.
    pub(super) fn memory(&self, found: &DeclarationNode<'_>, name: &str) -> Option<String> {
        let Symbol::Variable(variable) = found.symbol(self.snapshot) else { return None };
        let mut out = size(&variable);
        match found.what {
            DeclarationKind::Parameter | DeclarationKind::Result => {
                if let Some((offset, whole)) = self.offset(found, name) {
                    out.push_str(&format!(", at offset {offset} of {whole}"));
                }
            }
            _ => out.push_str(&format!(" in `{}`", variable.space)),
        }
        if let Some(align) = variable.align {
            out.push_str(&format!(", aligned to {align}"));
        }
        if variable.external && variable.space == ".shared" && variable.bytes.is_none() {
            out.push_str("; the launch sets its size");
        }
        Some(out)
    }

    /// Offset of a kernel parameter among the parameters of its kernel, and the total size of all of them, in bytes. `None`
    /// for parameters of other functions.
    fn offset(&self, found: &DeclarationNode<'_>, name: &str) -> Option<(u64, u64)> {
        let function = found.scope.filter(|_| found.kernel && found.what == DeclarationKind::Parameter)?;
        let text = self.snapshot.text(function.byte_range());
        let signature = Signature::of(ItemSource { text: &text, base: function.start_byte() }, function)?;
        let (mut end, mut own) = (0u64, None);
        for parameter in &signature.parameters {
            let align = u64::from(parameter.align.unwrap_or(1)).max(1);
            let start = end.next_multiple_of(align);
            if &*parameter.name == name {
                own = Some(start);
            }
            end = start + parameter.bytes()?;
        }
        own.map(|own| (own, end))
    }

    /// The text in the initializer of a byte array.
    pub(super) fn string_of(&self, found: &DeclarationNode<'_>) -> Option<String> {
        let k = kinds();
        let Symbol::Variable(VariableSymbol { ty: Some(ty), elements: 1, array: true, .. }) =
            found.symbol(self.snapshot)
        else {
            return None;
        };
        let info = ty.info();
        let integer = matches!(info.class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
        let value = found.declarator.child_by_field_id(fields().value)?;
        if info.bits != 8
            || !integer
            || value.byte_range().len() > LONGEST_TEXT
            || value.kind_id() != k.initializer_list
        {
            return None;
        }
        let mut bytes = Vec::new();
        for element in named_children(value) {
            if element.kind_id() != k.integer {
                return None;
            }
            bytes.push(u8::try_from(literal::integer(&self.text(element))?).ok()?);
        }
        let text = number::string(&bytes)?;
        Some(match text.char_indices().nth(SHOWN_TEXT) {
            Some((end, _)) => format!("{} …", text.get(..end).unwrap_or("")),
            None => text,
        })
    }
}

fn size(variable: &VariableSymbol) -> String {
    match variable.bytes {
        Some(1) => "1 byte".to_owned(),
        Some(bytes) => format!("{bytes} bytes"),
        None => "of a size that is not given here".to_owned(),
    }
}
