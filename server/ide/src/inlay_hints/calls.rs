//! Hints with parameter names before the arguments of a call.

use super::instruction::Resolved;
use super::{Hint, HintPart, Hints};
use ptx_analysis::{DeclarationKind, OperandKind, OperandPattern};
use ptx_isa::tables::{OperandAccess, ValueKind};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};

impl<'t> Hints<'t> {
    pub(super) fn arguments(&mut self, resolved: &Resolved<'_, 't>) {
        if !self.options.arguments {
            return;
        }
        let operands = || resolved.instruction.operands.iter().zip(&resolved.variant.operands);
        let callee = operands().find_map(|(operand, (_, shape))| match (shape, &operand.kind) {
            (OperandPattern::Value(spec), OperandKind::Name(name)) if spec.value.kind == ValueKind::Function => {
                Some(*name)
            }
            _ => None,
        });
        let Some(callee) = callee else { return };
        let found = self.declaration(resolved.node, callee).filter(|d| d.what == DeclarationKind::Function);
        let Some(function) = found.map(|d| d.statement) else { return };
        for (operand, (_, shape)) in operands() {
            let (OperandPattern::Arguments(spec), OperandKind::Arguments(given)) = (shape, &operand.kind) else {
                continue;
            };
            let field = if spec.value.access == OperandAccess::Read { fields().parameters } else { fields().returns };
            let names = self.parameters(function, field);
            for (number, (argument, name)) in given.iter().zip(names).enumerate() {
                let Some((name, target)) = name else { continue };
                let written =
                    self.snapshot.text(resolved.base + argument.range.start..resolved.base + argument.range.end);
                if written == name || is_number_only(&name, callee, number) {
                    continue;
                }
                let label = vec![HintPart { text: format!("{name}:"), target: Some(target) }];
                self.out.push(Hint { label, ..Hint::before(resolved.base + argument.range.start, "") });
            }
        }
    }

    /// The names and ranges of the parameters in a list of a function; `None` for an unnamed parameter.
    fn parameters(&self, function: Node<'t>, field: u16) -> Vec<Option<(String, std::ops::Range<usize>)>> {
        let Some(list) = function.child_by_field_id(field) else { return Vec::new() };
        let name = |parameter: Node<'_>| {
            let name = parameter.child_by_field_id(fields().name).filter(|n| n.kind_id() != kinds().sink)?;
            Some((self.snapshot.text(name.byte_range()).into_owned(), name.byte_range()))
        };
        named_children(list).filter(|n| n.kind_id() == kinds().parameter).map(name).collect()
    }
}

/// Whether a name says no more than the index of the parameter, as compilers name them: `f_param_0`, `func_retval0`.
fn is_number_only(name: &str, callee: &str, number: usize) -> bool {
    let rest = name.strip_prefix(callee).unwrap_or(name);
    let word = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    rest.get(word.len()..).is_some_and(|digits| digits.parse() == Ok(number))
        && ["_param_", "param", "func_retval"].contains(&word)
}
