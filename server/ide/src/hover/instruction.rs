//! Hover on opcodes and modifiers, and what an operand is to its instruction.

use super::{At, Found};
use crate::describe::{self, Chosen, Page};
use crate::names::{Anything, Around};
use ptx_analysis::ast::Instruction;
use ptx_analysis::head::{self, Head};
use ptx_analysis::lower::{self, Source};
use ptx_analysis::operands::{self, Names};
use ptx_analysis::spec::{Arrangement, Shape, Spec};
use ptx_isa::ISA;
use ptx_isa::tables::{Access, Opcode};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// The candidate and the arrangement that an instruction fits best, by index. Where nothing fits, those that come near.
pub fn choose(instruction: &Instruction<'_>, head: &Head, names: &dyn Names) -> Option<(usize, usize)> {
    let mut best: Option<(u32, usize, usize)> = None;
    let mut found = Vec::new();
    for (c, candidate) in head.candidates.iter().enumerate() {
        for (a, arrangement) in candidate.arrangements.iter().enumerate() {
            let given = instruction.operands.len();
            // A count that is wrong is worse than any operand that is.
            let mut cost = 1000 * arrangement.operands.len().abs_diff(given) as u32;
            if arrangement.broken.is_some() {
                cost += 500;
            }
            if cost == 0 {
                found.clear();
                for (operand, (_, shape)) in instruction.operands.iter().zip(&arrangement.operands) {
                    operands::check(operand, shape, names, &mut found);
                }
                cost = found.iter().map(|m| m.what.cost()).sum();
            }
            if best.is_none_or(|(least, _, _)| cost < least) {
                best = Some((cost, c, a));
            }
            if cost == 0 {
                return Some((c, a));
            }
        }
    }
    best.map(|(_, c, a)| (c, a))
}

fn resolve(opcode: &'static Opcode, instruction: &Instruction<'_>) -> Option<Head> {
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    head::resolve(opcode, &modifiers)
}

/// The operand that covers a range, as its form has it.
fn spec_at(instruction: &Instruction<'_>, arrangement: &Arrangement, range: &Range<usize>) -> Option<Spec> {
    let covers = |r: &Range<usize>| r.start <= range.start && range.end <= r.end;
    let index = instruction.operands.iter().position(|o| covers(&o.range))?;
    let operand = &instruction.operands[index];
    match &arrangement.operands.get(index)?.1 {
        Shape::Value(spec) => Some(*spec),
        Shape::Pair(both) => match &operand.kind {
            ptx_analysis::ast::OperandKind::Pair(given) if covers(&given.1.range) => Some(both.1),
            _ => Some(both.0),
        },
        Shape::Address(parts) => match &operand.kind {
            ptx_analysis::ast::OperandKind::Address(given) => {
                let part = given.iter().position(|o| covers(&o.range))?;
                parts.get(part).copied()
            }
            _ => parts.first().copied(),
        },
        Shape::Arguments(_) | Shape::Sink => None,
    }
}

/// Whether an instruction node writes what stands at a range of the file.
pub fn writes(snapshot: &Snapshot, node: Node<'_>, range: &Range<usize>) -> bool {
    let text = snapshot.text(node.byte_range());
    let source = Source { text: &text, base: node.start_byte() };
    let written = || {
        let instruction = lower::instruction(source, node)?;
        let head = resolve(ISA.opcode(instruction.opcode.text)?, &instruction)?;
        let (c, a) = choose(&instruction, &head, &Anything)?;
        let local = range.start.checked_sub(source.base)?..range.end.checked_sub(source.base)?;
        let spec = spec_at(&instruction, &head.candidates[c].arrangements[a], &local)?;
        let address = matches!(spec.value.kind, ptx_isa::tables::Kind::Address(_));
        Some(!address && spec.value.access != Access::Read)
    };
    written().unwrap_or(false)
}

impl At<'_> {
    /// Calls `f` with the instruction around the place.
    pub(super) fn with_instruction<R>(&self, f: impl FnOnce(&Instruction<'_>, usize) -> Option<R>) -> Option<R> {
        let node = self.around(kinds().instruction)?;
        let text = self.snapshot.text(node.byte_range());
        let source = Source { text: &text, base: node.start_byte() };
        f(&lower::instruction(source, node)?, source.base)
    }

    pub(super) fn opcode(&self) -> Found {
        let name = self.text(self.leaf);
        let opcode = ISA.opcode(&name)?;
        let all = || (self.leaf.byte_range(), describe::entries(opcode, |_| true, Some(&self.environment)));
        let found = self.with_instruction(|instruction, base| {
            let range = instruction.head();
            let range = base + range.start..base + range.end;
            Some((range, self.resolved(opcode, instruction)?))
        });
        Some(found.unwrap_or_else(all))
    }

    fn resolved(&self, opcode: &'static Opcode, instruction: &Instruction<'_>) -> Option<Page> {
        let head = resolve(opcode, instruction)?;
        if !head.entry.checked {
            return Some(describe::unchecked(head.entry));
        }
        if let Some(mismatch) = &head.mismatch {
            return Some(describe::mismatch(opcode, &head, mismatch));
        }
        let (c, a) = choose(instruction, &head, &Around::new(self.snapshot, self.leaf))?;
        let candidate = &head.candidates[c];
        let chosen = Chosen { candidate, arrangement: &candidate.arrangements[a] };
        Some(describe::instruction(opcode, &head, chosen, Some(&self.environment)))
    }

    pub(super) fn modifier(&self) -> Found {
        let name = self.text(self.leaf);
        let range = self.leaf.byte_range();
        let found = self.with_instruction(|instruction, base| {
            let opcode = ISA.opcode(instruction.opcode.text)?;
            let head = resolve(opcode, instruction)?;
            let suffix = instruction.suffixes.iter().any(|(_, w)| w.start as usize + base == range.start);
            let chosen = choose(instruction, &head, &Around::new(self.snapshot, self.leaf)).and_then(|(c, _)| {
                let candidate = &head.candidates[c];
                // The same type may stand twice: `cvt.rn.f32.f32`; the first of them fills the first slot.
                let before =
                    |w: &&ptx_analysis::ast::Word<'_>| w.text == name && (w.start as usize + base) < range.start;
                let nth = instruction.modifiers.iter().filter(before).count();
                let slots = candidate.form.slots.iter().enumerate();
                let mut filled = slots.filter(|(i, s)| {
                    if suffix {
                        s.after_operand != 0 && s.values.contains(&&*name)
                    } else {
                        candidate.values[*i] == Some(&name)
                    }
                });
                let slot = if suffix { filled.next() } else { filled.nth(nth) };
                slot.map(|(index, _)| (candidate, index))
            });
            Some(describe::modifier(opcode, head.entry, &name, chosen, Some(&self.environment)))
        });
        let page = found.unwrap_or_else(|| describe::dot_word(&name, Some(&self.environment)));
        Some((range, page))
    }

    /// What the word is to the instruction that it stands in: `` `a` of `add.f32`: read, `.f32` ``.
    pub(super) fn role(&self) -> Option<String> {
        let range = self.leaf.byte_range();
        self.with_instruction(|instruction, base| {
            let opcode = ISA.opcode(instruction.opcode.text)?;
            let head = resolve(opcode, instruction)?;
            let (c, a) = choose(instruction, &head, &Around::new(self.snapshot, self.leaf))?;
            let arrangement = &head.candidates[c].arrangements[a];
            let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
            let spec = spec_at(instruction, arrangement, &local)?;
            let mut written = instruction.opcode.text.to_owned();
            instruction.modifiers.iter().for_each(|m| written.push_str(m.text));
            Some(format!("Here: `{}` of `{written}` – {}", spec.value.name, describe::operand(&spec)))
        })
    }
}
