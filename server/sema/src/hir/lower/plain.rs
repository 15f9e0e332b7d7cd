//! Lowers an instruction in its usual form, without a syntax node.

use super::constant::{finish, literal_of};
use crate::hir::ast::{Instruction, Operand, OperandKind, SourceWord};
use crate::hir::constant::unary;
use ptx_isa::ISA;
use ptx_syntax::{LeafKind, PlainLeaf, PlainList, PlainPart, plain_instruction};
use std::ops::Range;

/// Lowers the instruction at the beginning of a text, as [`super::instruction`] would do with its node. `None` if it is not in its usual
/// form. Offsets count from the beginning of the text.
pub fn instruction_without_node(text: &str) -> Option<Instruction<'_>> {
    let mut reader = PlainLowering { text, lists: Vec::new(), readable: true };
    let mut out = Instruction {
        range: 0..0,
        guard: None,
        opcode: SourceWord { text: "", start: 0 },
        modifiers: Vec::with_capacity(4),
        operands: Vec::with_capacity(4),
        suffixes: Vec::new(),
        broken: false,
    };
    let length = plain_instruction(text.as_bytes(), &mut |part| reader.part(part, &mut out))?;
    out.range = 0..length;
    reader.readable.then_some(out)
}

struct PlainLowering<'t> {
    text: &'t str,
    /// The lists that are not closed yet: kind, position, and elements.
    lists: Vec<(PlainList, usize, Vec<Operand<'t>>)>,
    /// False after a part that has another meaning than its shape suggests.
    readable: bool,
}

impl<'t> PlainLowering<'t> {
    fn part(&mut self, part: PlainPart, out: &mut Instruction<'t>) {
        let operand = match part {
            PlainPart::Guard(name) => {
                out.guard = Some(self.word(&name));
                return;
            }
            PlainPart::Opcode(word) => {
                out.opcode = self.word(&word);
                return;
            }
            PlainPart::Modifier(word) => {
                out.modifiers.push(self.word(&word));
                return;
            }
            PlainPart::Open(list, start) => {
                self.lists.push((list, start, Vec::new()));
                return;
            }
            PlainPart::Close(end) => {
                let Some((list, start, elements)) = self.lists.pop() else { return };
                let kind = match list {
                    PlainList::Address => OperandKind::Address(elements),
                    PlainList::Vector => OperandKind::Vector(elements),
                };
                Operand { range: start..end, kind }
            }
            PlainPart::Leaf(leaf) => self.leaf(leaf),
            PlainPart::Not(range, name) => Operand { range, kind: OperandKind::Not(Box::new(self.leaf(name))) },
            PlainPart::Pair(first, second) => {
                let range = first.range.start..second.range.end;
                Operand { range, kind: OperandKind::Pair(Box::new((self.leaf(first), self.leaf(second)))) }
            }
            PlainPart::Offset(base, amount, minus) => {
                // A named constant has no address: the sum is a constant too.
                self.readable &= base.kind != LeafKind::Name || ISA.constant(self.word(&base.range).text).is_none();
                let range = base.range.start..amount.range.end;
                Operand { range, kind: OperandKind::Offset(Box::new((self.leaf(base), self.leaf(amount))), minus) }
            }
        };
        self.lists.last_mut().map_or(&mut out.operands, |(_, _, elements)| elements).push(operand);
    }

    fn word(&self, range: &Range<usize>) -> SourceWord<'t> {
        SourceWord { text: self.text.get(range.clone()).unwrap_or(""), start: range.start as u32 }
    }

    fn leaf(&mut self, leaf: PlainLeaf) -> Operand<'t> {
        let PlainLeaf { range, kind } = leaf;
        let text = self.word(&range).text;
        let kind = match kind {
            LeafKind::Register | LeafKind::Name => OperandKind::Name(text),
            LeafKind::Sink => OperandKind::Sink,
            LeafKind::Integer => OperandKind::Integer(text),
            LeafKind::Float => OperandKind::Float(text),
            LeafKind::Member => {
                let dot = range.start + text.find('.').unwrap_or(text.len());
                OperandKind::Member(self.word(&(range.start..dot)), self.word(&(dot..range.end)))
            }
            LeafKind::Negative => {
                let value = literal_of(text.get(1..).unwrap_or("")).and_then(|value| unary("-", value)?.ok());
                self.readable &= value.is_some();
                OperandKind::Constant(finish(Ok(value)))
            }
        };
        Operand { range, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::instruction_without_node;
    use crate::hir::lower::{self, ItemSource};
    use ptx_syntax::{Snapshot, kinds};

    const OPERANDS: [&str; 26] = [
        "%r1",
        "name",
        "_",
        "%tid.x",
        "name.b0",
        "0",
        "017U",
        "0x7f",
        "0b101",
        "-1",
        "-0x10U",
        "-017",
        "0f3F800000",
        "0dBFF0000000000000",
        "!%p1",
        "%p1|%p2",
        "%p1 | _",
        "name+4",
        "%rd1 - 0x10",
        "name+-4",
        "[%rd1]",
        "[ name , {%r1, -1} ]",
        "{%f1, _, 3}",
        "[{%f1}, %rd1+8]",
        "WARP_SZ",
        "[%rd1+-8]",
    ];

    /// Lowers the instruction both ways, and returns whether it has a usual form.
    fn compare(text: &str) -> bool {
        let module = format!(".func f() {{ {text} }}");
        let snapshot = Snapshot::new(&module);
        let start = module.find('{').unwrap_or(0) + 2;
        let node = snapshot.node_at(start).and_then(|node| {
            std::iter::successors(Some(node), |node| node.parent()).find(|n| n.kind_id() == kinds().instruction)
        });
        let expected = node.and_then(|node| lower::instruction(ItemSource { text, base: start }, node));
        let found = instruction_without_node(text);
        if found.is_some() {
            assert_eq!(format!("{found:#?}"), format!("{expected:#?}"));
        }
        found.is_some()
    }

    #[test]
    fn an_instruction_is_the_same_without_its_node() {
        for head in ["ld", "@%p1 ld.global.L1::evict_last", "@!%p1\tld.v4.f32"] {
            assert!(compare(&format!("{head};")));
            for first in OPERANDS {
                assert!(compare(&format!("{head} {first};")), "{first}");
                for second in OPERANDS {
                    assert!(compare(&format!("{head}  {first},\t{second} , %r3;")), "{first} and {second}");
                }
            }
        }
    }

    #[test]
    fn a_named_constant_has_no_address() {
        assert!(!compare("mov.u32 %r1, WARP_SZ+1;"));
        assert!(!compare("mov.u32 %r1, [WARP_SZ-1];"));
    }
}
