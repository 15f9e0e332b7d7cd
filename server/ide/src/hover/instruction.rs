//! Hover on opcodes and modifiers, and the role of an operand in its instruction.

use super::fragment::{lanes, matrix};
use super::operands::{Here, element_index, given};
use super::{At, HoverResult, decode};
use crate::addresses::AccessView;
use crate::describe::{self, Chosen, EditVerdict, MarkdownPage, Slotted, Written};
use ptx_analysis::{
    Code, Instruction, ItemSource, LocalNames, Operand, OperandKind, OperandPattern, OperandSpec, OperandVariant,
    ResolvedInstruction, lower, statement,
};
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;
use ptx_syntax::kinds;
use std::ops::Range;

/// The spec of the operand that contains a range.
fn spec_at(instruction: &Instruction<'_>, variant: &OperandVariant, range: &Range<usize>) -> Option<OperandSpec> {
    let covers = |r: &Range<usize>| r.start <= range.start && range.end <= r.end;
    let index = instruction.operands.iter().position(|o| covers(&o.range))?;
    let operand = &instruction.operands[index];
    match &variant.operands.get(index)?.1 {
        OperandPattern::Value(spec) => Some(*spec),
        OperandPattern::Pair(both) => match &operand.kind {
            OperandKind::Pair(given) if covers(&given.1.range) => Some(both.1),
            _ => Some(both.0),
        },
        OperandPattern::Address(parts) => match &operand.kind {
            OperandKind::Address(given) => {
                let part = given.iter().position(|o| covers(&o.range))?;
                parts.get(part).copied()
            }
            _ => parts.first().copied(),
        },
        OperandPattern::Arguments(_) | OperandPattern::Sink => None,
    }
}

impl<'t> At<'t> {
    fn names(&self) -> LocalNames<'t> {
        self.semantics.names_at(self.leaf)
    }

    /// Calls `f` with the instruction around the hover and its offset in the file.
    fn with_instruction<R>(&self, f: impl FnOnce(&Instruction<'_>, usize) -> Option<R>) -> Option<R> {
        let node = self.around(kinds().instruction)?;
        let text = self.snapshot.text(node.byte_range());
        let source = ItemSource { text: &text, base: node.start_byte() };
        f(&lower::instruction(source, node)?, source.base)
    }

    /// The index of the operand that contains the word at the hover, if it is an address.
    pub(super) fn address_operand(&self) -> Option<u8> {
        let range = self.leaf.byte_range();
        self.with_instruction(|instruction, base| {
            let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
            let covers = |o: &&Operand<'_>| o.range.start <= local.start && local.end <= o.range.end;
            let index = instruction.operands.iter().position(|o| covers(&o))?;
            let is_address = matches!(instruction.operands[index].kind, OperandKind::Address(_));
            u8::try_from(index).ok().filter(|_| is_address)
        })
    }

    /// A passage about the addresses of the instruction around the hover.
    fn addresses(&self) -> Option<MarkdownPage> {
        let flow = self.flow()?;
        let start = self.around(kinds().instruction)?.start_byte().checked_sub(flow.base)?;
        let index = flow.facts.instruction_at(start)?;
        let view = AccessView::new(self.snapshot, flow.base, flow.facts.addresses()?);
        Some(view.page(index, None, None))
    }

    pub(super) fn opcode(&self) -> HoverResult {
        let name = self.text(self.leaf);
        let opcode = ISA.opcode(&name)?;
        let all = || (self.leaf.byte_range(), describe::reachable(opcode, &[], None));
        let found = self.with_instruction(|instruction, base| {
            let range = instruction.mnemonic_range();
            let range = base + range.start..base + range.end;
            let mut page = self.resolved(opcode, instruction, base)?;
            if let Some(addresses) = self.addresses() {
                page.append(addresses);
            }
            Some((range, page))
        });
        Some(found.unwrap_or_else(all))
    }

    fn resolved(&self, opcode: &'static Opcode, instruction: &Instruction<'_>, base: usize) -> Option<MarkdownPage> {
        let resolved = self.semantics.mnemonic(instruction);
        let head = resolved.mnemonic.as_ref()?;
        if !head.entry.checked {
            return Some(describe::unchecked(head.entry));
        }
        if let Some(mismatch) = &head.mismatch {
            let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
            return Some(describe::reachable(opcode, &modifiers, Some((head, mismatch))));
        }
        let ResolvedInstruction { candidate, variant, .. } = resolved.choose(instruction, &self.names())?;
        let text = self.snapshot.text(base..base + instruction.range.end);
        let given = given(instruction, variant, &text);
        let names: Vec<(&str, &str)> = given.iter().map(|g| (g.name, g.text.as_str())).collect();
        let modifiers: Vec<&str> = candidate.values.iter().flatten().copied().collect();
        let mut decoded = decode::all(&given, &modifiers);
        decoded.append(self.made());
        let lanes = lanes(instruction, candidate, variant);
        let chosen = Chosen { candidate, variant };
        let written = Written { operands: &names, lanes: &lanes, decoded, unbuilt: self.unbuilt() };
        Some(describe::statement(opcode, head, chosen, written, self.semantics.environment()))
    }

    pub(super) fn modifier(&self) -> HoverResult {
        let name = self.text(self.leaf);
        let range = self.leaf.byte_range();
        let found = self.with_instruction(|instruction, base| {
            let opcode = ISA.opcode(instruction.opcode.text)?;
            if name == "." {
                // Not typed yet: the forms that have the other modifiers.
                let written: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).filter(|m| *m != ".").collect();
                return Some(describe::reachable(opcode, &written, None));
            }
            let resolved = self.semantics.mnemonic(instruction);
            let head = resolved.mnemonic.as_ref()?;
            let suffix = instruction.suffixes.iter().any(|(_, w)| w.start as usize + base == range.start);
            let chosen = resolved.choose(instruction, &self.names()).and_then(|resolved| {
                let candidate = resolved.candidate;
                // The same type may occur twice: `cvt.rn.f32.f32`. The first occurrence fills the first slot.
                let before =
                    |w: &&ptx_analysis::SourceWord<'_>| w.text == name && (w.start as usize + base) < range.start;
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
            let is_built = self.unbuilt().is_none();
            let verdict = |word: &str| match self.with_word(instruction, base, &range, word) {
                // What is not built as it is written may be wrong elsewhere.
                EditVerdict::Unbuilt if !is_built => EditVerdict::Accepted,
                verdict => verdict,
            };
            let slotted = chosen.map(|(candidate, index)| Slotted { candidate, index, verdict: &verdict });
            Some(describe::modifier(opcode, head.entry, &name, slotted, Some(self.semantics.environment())))
        });
        let page = found.unwrap_or_else(|| describe::dot_word(&name, Some(self.semantics.environment())));
        Some((range, page))
    }

    /// That the assembler does not build the instruction around the hover, and why.
    pub(super) fn unbuilt(&self) -> Option<String> {
        self.with_instruction(|instruction, base| {
            let text = self.snapshot.text(base..base + instruction.range.end);
            describe::unbuilt_by(&statement::check(&text, self.semantics.environment(), &self.names()))
        })
    }

    /// The verdict of the checks on the instruction with another word at a range.
    fn with_word(&self, instruction: &Instruction<'_>, base: usize, range: &Range<usize>, word: &str) -> EditVerdict {
        let end = base + instruction.range.end;
        let (before, after) = (self.snapshot.text(base..range.start), self.snapshot.text(range.end..end));
        let text = format!("{before}{word}{after}");
        let found = statement::check(&text, self.semantics.environment(), &self.names());
        let errors: Vec<_> = found.iter().filter(|d| d.is_parse_error()).collect();
        if errors.is_empty() && describe::unbuilt_by(&found).is_some() {
            EditVerdict::Unbuilt
        } else if errors.is_empty() {
            EditVerdict::Accepted
        } else if errors.iter().all(|d| matches!(d.code(), Code::RequiresVersion | Code::RequiresTarget)) {
            EditVerdict::Unavailable
        } else {
            EditVerdict::Refused
        }
    }

    /// The role of the word at the hover in its instruction.
    pub(super) fn here(&self) -> Option<Here> {
        self.here_at(self.leaf.byte_range())
    }

    /// The role of the operand at a range in the instruction around the hover.
    pub(super) fn here_at(&self, range: Range<usize>) -> Option<Here> {
        self.with_instruction(|instruction, base| {
            let resolved = self.semantics.mnemonic(instruction);
            let ResolvedInstruction { candidate, variant, .. } = resolved.choose(instruction, &self.names())?;
            let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
            let spec = spec_at(instruction, variant, &local)?;
            let text = self.snapshot.text(base..base + instruction.range.end);
            let operands = given(instruction, variant, &text);
            let is_written = |name: &str| {
                candidate.values.contains(&Some(name)) || operands.iter().any(|operand| operand.name == name)
            };
            let element = element_index(instruction, &local).and_then(|index| {
                let lists = candidate.entry.elements.iter().filter(|list| list.operand == spec.value.name);
                lists.into_iter().find(|list| list.applies(is_written))?.names.get(index).copied()
            });
            Some(Here {
                written: head_text(instruction, candidate.entry.name),
                note: candidate.entry.operands.iter().find(|o| o.name == spec.value.name).map(|o| o.doc),
                element,
                modifiers: candidate.values.iter().flatten().copied().collect(),
                matrix: text.get(local.clone()).and_then(|name| matrix(instruction, candidate, variant, &local, name)),
                operands,
                spec,
            })
        })
    }
}

/// The mnemonic as written, `fma.rn.f32`; if it is long, only the instruction's name.
fn head_text(instruction: &Instruction<'_>, name: &str) -> String {
    let mut written = instruction.opcode.text.to_owned();
    instruction.modifiers.iter().for_each(|m| written.push_str(m.text));
    if written.len() <= LONGEST_HEAD { written } else { name.to_owned() }
}

/// Maximum length in bytes of a mnemonic that is repeated in a sentence.
const LONGEST_HEAD: usize = 32;
