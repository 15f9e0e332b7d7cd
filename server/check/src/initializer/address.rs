//! Checks addresses as initial values: of variables (`x`, `generic(x)`) and functions, and single bytes of them (`0xff(x)`).

use super::{InitializerChecker, takes};
use crate::rules::{constant_expression, initializer as words, syntax_error, truncated_value, undeclared_name};
use ptx_isa::ISA;
use ptx_isa::tables::TypeInfo;
use ptx_sema::forms::operands::special;
use ptx_sema::hir::ast::ConstantValue;
use ptx_sema::hir::literal;
use ptx_sema::hir::lower;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_syntax::{Node, fields, kinds};

impl<'t> InitializerChecker<'_, 't> {
    /// Checks an address, or the sum of an address and a number. `masked` if a mask such as `0xff(x)` selects one of its bytes.
    /// False if the node is neither.
    pub(super) fn address(&mut self, node: Node<'_>, ty: &'static TypeInfo, masked: bool) -> bool {
        let (k, source) = (kinds(), self.place.source);
        if lower::named_constant(source, node).is_some() {
            return false;
        }
        let (base, sum) = lower::leftmost(source, node).map_or((node, None), |(base, sum)| (base, Some(sum)));
        let kind = base.kind_id();
        if kind == k.member || kind == k.index {
            let range = source.range(base);
            self.push(words::not_a_value(range, source.word(base).text));
            return true;
        }
        let name = kind == k.identifier || kind == k.register;
        if !name && kind != k.generic_address {
            return false;
        }
        if let Some(sum) = sum {
            if lower::operator(source, sum) == "-" {
                let operator = sum.child_by_field_id(fields().operator).unwrap_or(sum);
                self.push(syntax_error::minus_offset(source.range(operator)));
                return true;
            }
            match lower::constant(source, node) {
                ConstantValue::Wrong(problem) => {
                    self.push(constant_expression::report(problem, source.text));
                    return true;
                }
                ConstantValue::Float(_) => {
                    let amount = sum.child_by_field_id(fields().amount).unwrap_or(sum);
                    self.push(words::offset_not_whole(source.range(amount), source.word(amount).text));
                    return true;
                }
                ConstantValue::Integer(_) => {}
            }
        }
        if name {
            self.named(base, ty, sum.is_some(), masked);
        } else {
            self.generic(base, ty, masked);
        }
        true
    }

    /// Checks a name that is used as an address; `sum` if a number is added to it.
    fn named(&mut self, node: Node<'_>, ty: &'static TypeInfo, sum: bool, masked: bool) {
        let word = self.place.source.word(node);
        let Some(symbol) = self.look_up(word.text) else {
            return self.push(match special(word.text) {
                Some(_) => words::not_a_value(word.range(), word.text),
                None => undeclared_name::report(word.range(), word.text),
            });
        };
        match symbol {
            Symbol::Unknown => {}
            Symbol::Variable(variable) => self.variable(node, variable, ty, "address", masked),
            Symbol::Function { .. } if sum => self.push(words::sum_with_function(word.range(), word.text)),
            Symbol::Function { kernel, .. } => {
                if self.typed("function", node, ty, masked) {
                    let kind = if kernel { "kernel" } else { "function" };
                    self.gate(if masked { "mask" } else { kind }, word.range());
                }
            }
            _ => self.push(words::wrong_symbol(word.range(), word.text, &symbol)),
        }
    }

    fn variable(
        &mut self,
        node: Node<'_>,
        variable: VariableSymbol,
        ty: &'static TypeInfo,
        kind: &'static str,
        masked: bool,
    ) {
        let word = self.place.source.word(node);
        if ISA.initial(kind).is_some_and(|i| !i.to.contains(&variable.space)) {
            return self.push(words::variable_space(word.range(), word.text, variable.space));
        }
        if !self.typed(kind, node, ty, masked) {
            return;
        }
        self.gate(if masked { "mask" } else { kind }, word.range());
        if !masked && ty.bits < self.place.environment.address_size {
            self.push(truncated_value::address(word.range(), word.text, ty.name));
        }
    }

    /// Whether the variable's type accepts an address of this `kind`, or one byte of it (`masked`). Reports it if not.
    fn typed(&mut self, kind: &'static str, node: Node<'_>, ty: &'static TypeInfo, masked: bool) -> bool {
        let kind = if masked { "mask" } else { kind };
        if takes(kind, ty) {
            return true;
        }
        let types = ISA.initial(kind).map_or(&[] as &[_], |i| i.types);
        let range = self.place.source.range(node);
        self.push(words::address_type(range, self.name(), ty.name, types));
        false
    }

    /// Checks `generic(x)`: the generic address of a variable.
    fn generic(&mut self, node: Node<'_>, ty: &'static TypeInfo, masked: bool) {
        let (k, f, source) = (kinds(), fields(), self.place.source);
        let Some(operator) = node.child_by_field_id(f.operator).map(|n| source.word(n)) else { return };
        if operator.text != "generic" {
            return self.push(words::unknown_operator(operator));
        }
        let Some(value) = node.child_by_field_id(f.value) else { return };
        let word = source.word(value);
        let base = lower::leftmost(source, value).map(|(base, _)| source.word(base));
        if value.kind_id() != k.identifier && value.kind_id() != k.register {
            return self.push(words::generic_of(word, source.word(node), base));
        }
        match self.look_up(word.text) {
            Some(Symbol::Unknown) => {}
            Some(Symbol::Variable(variable)) => self.variable(value, variable, ty, "generic", masked),
            Some(symbol) => self.push(words::generic_of_symbol(word.range(), word.text, &symbol)),
            None if special(word.text).is_some() => self.push(words::not_a_value(word.range(), word.text)),
            None => self.push(undeclared_name::report(word.range(), word.text)),
        }
    }

    /// Checks `0xff(x)`: one byte of an address or a number.
    pub(super) fn mask(&mut self, node: Node<'_>, ty: &'static TypeInfo) {
        let (f, source) = (fields(), self.place.source);
        let (Some(mask), Some(value)) = (node.child_by_field_id(f.mask), node.child_by_field_id(f.value)) else {
            return;
        };
        let word = source.word(mask);
        if let ConstantValue::Wrong(problem) = lower::constant(source, mask) {
            return self.push(constant_expression::report(problem, source.text));
        }
        let byte = |bits: u64| (0..8).any(|place| bits == 0xff << (8 * place));
        if !literal::parse_integer(word.text).is_ok_and(|n| byte(n.bits)) {
            return self.push(words::mask(word));
        }
        if self.address(value, ty, true) {
            return;
        }
        match lower::constant(source, value) {
            ConstantValue::Wrong(problem) => self.push(constant_expression::report(problem, source.text)),
            ConstantValue::Float(_) => self.push(words::mask_of_float(source.range(value), source.word(value).text)),
            ConstantValue::Integer(_) if takes("mask-number", ty) => self.gate("mask-number", word.range()),
            ConstantValue::Integer(_) => {
                let types = ISA.initial("mask-number").map_or(&[] as &[_], |i| i.types);
                self.push(words::mask_type(source.range(node), self.name(), ty.name, types));
            }
        }
    }
}
