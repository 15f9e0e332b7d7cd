//! `odd-element`: an element of a list that the assembler treats as an ordinary register, although it is most likely a mistake.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{OperandAccess, TypeClass};
use ptx_sema::forms::operands::{NameLookup, special};
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::symbols::Symbol;

/// An element of a list that the assembler treats as an ordinary register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum OddElement {
    /// A predicate of this name in a list of values.
    Predicate(Box<str>),
    /// A register with a selector, such as `%r1.b0`. The assembler ignores the selector.
    Selector {
        /// The register.
        register: Box<str>,
        /// The selector.
        selector: Box<str>,
    },
    /// A special register of this name as a result.
    SpecialRegister(Box<str>),
    /// A list of this length for a single value.
    List(usize),
}

impl DiagnosticMessage for OddElement {
    fn message(&self) -> String {
        match self {
            Self::Predicate(name) => format!("`{name}` is a predicate, which cannot be in a list of values"),
            Self::Selector { register, selector } => {
                format!("the selector `{selector}` is ignored in a list: all of `{register}` is used")
            }
            Self::SpecialRegister(name) => format!("`{name}` is a special register, which cannot be written"),
            Self::List(length) => format!("a list of {length} elements is used as a single value"),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Predicate(_) => "the assembler accepts it here; turn it into a number with `selp` first",
            Self::Selector { .. } => "remove it, or extract the part with `bfe` or `prmt` first",
            Self::SpecialRegister(_) => {
                "the assembler accepts it in a list; use a register, or `_` where the instruction allows it"
            }
            Self::List(_) => "the assembler accepts it here, but uses only one element; write that one without a list",
        };
        Some(help.to_owned())
    }
}

/// Reports odd elements in the lists of an instruction whose operands fit the variant `chosen`.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    chosen: &OperandVariant,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    for (operand, (_, shape)) in instruction.operands.iter().zip(&chosen.operands) {
        let (OperandKind::Vector(list), OperandPattern::Value(spec)) = (&operand.kind, shape) else { continue };
        if !spec.value.mixed && !spec.value.lists {
            continue;
        }
        if spec.lengths.is_empty() && list.len() > 1 {
            out.push(Diagnostic::new(operand.range.clone(), OddElement::List(list.len())));
        }
        let written = spec.value.access != OperandAccess::Read;
        let pred = spec.ty.is_some_and(|t| t.info().class == TypeClass::Pred);
        let found = |element: &Operand<'_>| {
            odd(element, written, pred, names).map(|odd| Diagnostic::new(element.range.clone(), odd))
        };
        out.extend(list.iter().filter_map(found));
    }
}

fn odd(element: &Operand<'_>, written: bool, pred: bool, names: &dyn NameLookup) -> Option<OddElement> {
    match &element.kind {
        OperandKind::Name(name) => match names.look_up(name) {
            Some(Symbol::Register { ty, .. }) if !pred && ty.info().class == TypeClass::Pred => {
                Some(OddElement::Predicate((*name).into()))
            }
            None if written && special(name).is_some() => Some(OddElement::SpecialRegister((*name).into())),
            _ => None,
        },
        OperandKind::Member(object, member) => match names.look_up(object.text) {
            Some(Symbol::Register { elements: 1, .. }) => {
                Some(OddElement::Selector { register: object.text.into(), selector: member.text.into() })
            }
            None if written && special(object.text).is_some() => Some(OddElement::SpecialRegister(object.text.into())),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn elements_that_pass_for_registers() {
        let found = |list: &str| messages(&in_kernel(Code::OddElement, &format!("st.global.v2.b32 [%rd1], {list};")));
        assert_eq!(found("{%r1, %p1}"), ["`%p1` is a predicate, which cannot be in a list of values"]);
        assert_eq!(found("{%r1.b0, %r2}"), ["the selector `.b0` is ignored in a list: all of `%r1` is used"]);
        assert!(found("{%r1, %r2}").is_empty());
        let result = in_kernel(Code::OddElement, "ld.global.v2.b32 {%r1, %laneid}, [%rd1];");
        assert_eq!(messages(&result), ["`%laneid` is a special register, which cannot be written"]);
    }
}
