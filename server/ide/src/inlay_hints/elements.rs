//! Hints with the array element at a byte offset: `[table+16]` is `table[4]`.

use super::{Hint, HintPart, Hints};
use ptx_analysis::{ConstantValue, Symbol, VariableSymbol, lower};
use ptx_syntax::{Node, fields};

impl<'t> Hints<'t> {
    /// The hint after an address with an offset; `None` unless the offset is the beginning of an element.
    pub(super) fn element(&mut self, node: Node<'t>, base: &str, amount: i128) -> Option<Hint> {
        let found = self.declaration(node, base)?;
        let Symbol::Variable(variable) = found.symbol(self.snapshot) else { return None };
        let sizes = self.with_source(found.statement, |source| {
            let declaration = lower::declaration(source, found.statement);
            let own = declaration.declarators.iter().find(|d| d.name.text == base)?;
            let size = |size: &Option<ConstantValue>| match size {
                Some(ConstantValue::Integer(Some(n))) => u64::try_from(*n).ok(),
                _ => None,
            };
            Some(own.dimensions.iter().map(|(_, d)| size(d)).collect::<Vec<_>>())
        })?;
        let indices = indices(&variable, &sizes, u64::try_from(amount).ok()?)?;
        let target = found.declarator.child_by_field_id(fields().name).map(|n| n.byte_range());
        let text = indices.iter().fold(base.to_owned(), |text, i| format!("{text}[{i}]"));
        let label = vec![HintPart { text: "= ".to_owned(), target: None }, HintPart { text: text.clone(), target }];
        let ty = variable.ty.map_or("", |t| t.name());
        let vector = if variable.elements > 1 { format!(".v{} ", variable.elements) } else { String::new() };
        let tooltip = format!("`{text}`: {amount} bytes into elements of `{vector}{ty}`");
        Some(Hint { label, tooltip, ..Hint::after(node.end_byte(), "") })
    }
}

/// The indices of the element that begins at an offset. `None` for one-dimensional byte arrays, where the index is the
/// offset.
fn indices(variable: &VariableSymbol, sizes: &[Option<u64>], offset: u64) -> Option<Vec<u64>> {
    let element = u64::from(variable.ty?.info().bits).div_ceil(8) * u64::from(variable.elements);
    if element == 0 || sizes.is_empty() || (element == 1 && sizes.len() == 1) || !offset.is_multiple_of(element) {
        return None;
    }
    let mut rest = offset / element;
    let mut out = Vec::with_capacity(sizes.len());
    // The indices are computed from the last dimension to the second. The quotient is the first index, so the first size
    // need not be known.
    for size in sizes.get(1..)?.iter().rev() {
        let size = size.filter(|s| *s > 0)?;
        out.push(rest % size);
        rest /= size;
    }
    out.push(rest);
    out.reverse();
    Some(out)
}
