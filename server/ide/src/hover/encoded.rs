//! Hover on values that become operands whose bits have a meaning, such as the descriptors of matrices.

use super::operands::Here;
use super::register::FlowFactsAt;
use super::{At, decode};
use crate::describe::MarkdownPage;
use crate::excerpt::{instruction, statement_at};
use crate::launches::launches_above;
use ptx_analysis::{EncodedOperand, KnownBits};
use ptx_launch_syntax::Launch;

/// An operand with what is known of its value.
struct KnownOperand<'a> {
    operand: &'a EncodedOperand,
    bits: KnownBits,
    /// Whether arguments of the launch above the kernel are a part of it.
    launched: bool,
}

impl KnownOperand<'_> {
    /// The page of its fields; empty if none of them is known.
    fn page(&self) -> MarkdownPage {
        let mut page = decode::known(self.operand, self.bits);
        if self.launched && !page.is_empty() {
            page.text("With the arguments of the launch above the kernel.");
        }
        page
    }
}

impl At<'_> {
    /// The fields of the operand at the hover that are known, if it is a register; empty if none is.
    pub(super) fn encoded(&self, here: &Here) -> MarkdownPage {
        let page = || {
            let flow = self.flow()?;
            let addresses = flow.facts.addresses()?;
            let index = self.instruction_index(&flow)?;
            let operand = addresses.encoded_of(index).find(|operand| operand.name == here.spec.value.name)?;
            Some(self.known(&flow, operand, None)?.page())
        };
        if here.spec.value.decodes.is_empty() { MarkdownPage::default() } else { page().unwrap_or_default() }
    }

    /// The operand of which the instruction at the hover makes a part, and its fields that are known.
    pub(super) fn made(&self) -> MarkdownPage {
        let page = || {
            let flow = self.flow()?;
            let addresses = flow.facts.addresses()?;
            let index = self.instruction_index(&flow)?;
            let all: Vec<&EncodedOperand> = addresses.encoded_by(index).collect();
            let first = all.iter().find(|operand| operand.instruction > index).or(all.first())?;
            self.becomes(&flow, first, Some(index), all.len() - 1)
        };
        page().unwrap_or_default()
    }

    /// The same for the kernel parameter with this name.
    pub(super) fn made_from(&self, parameter: &str) -> MarkdownPage {
        let page = || {
            let flow = self.flow()?;
            let addresses = flow.facts.addresses()?;
            let all: Vec<&EncodedOperand> = addresses.encoded_from(parameter).collect();
            self.becomes(&flow, all.first()?, None, all.len() - 1)
        };
        page().unwrap_or_default()
    }

    /// The page about an operand of which the instruction `maker` makes a part; `others` more come of it.
    fn becomes(
        &self,
        flow: &FlowFactsAt,
        operand: &EncodedOperand,
        maker: Option<u32>,
        others: usize,
    ) -> Option<MarkdownPage> {
        let mut page = MarkdownPage::default();
        let start = flow.facts.start(operand.instruction as usize)?;
        let others = match others {
            0 => String::new(),
            1 => " (and of 1 more)".to_owned(),
            n => format!(" (and of {n} more)"),
        };
        page.text(format!("The value becomes part of operand `{}`{others}:", operand.name));
        page.code(&statement_at(self.snapshot, flow.base + start));
        page.append(self.known(flow, operand, maker)?.page());
        Some(page)
    }

    /// What is known of the value of an operand, or of the value that one of its writers gives it.
    fn known<'a>(
        &self,
        flow: &FlowFactsAt,
        operand: &'a EncodedOperand,
        writer: Option<u32>,
    ) -> Option<KnownOperand<'a>> {
        let addresses = flow.facts.addresses()?;
        let always = addresses.known_bits(operand, writer, &|_, _, _| None);
        let launches = launches_above(self.snapshot, flow.base);
        let with = |launch| {
            addresses.known_bits(operand, writer, &|name, offset, width| argument(launch, name, offset, width))
        };
        let bits = launches.first().map_or(always, with);
        Some(KnownOperand { operand, bits, launched: bits != always })
    }

    fn instruction_index(&self, flow: &FlowFactsAt) -> Option<u32> {
        let start = instruction(self.leaf)?.start_byte().checked_sub(flow.base)?;
        u32::try_from(flow.facts.instruction_at(start)?).ok()
    }
}

/// The bits of a parameter at an offset in bytes, as a launch sets them.
fn argument(launch: &Launch, name: &str, offset: u32, width: u8) -> Option<u64> {
    let named = || launch.parameters.iter().filter(|argument| &*argument.name == name);
    let part = named().find(|argument| argument.offset == Some(offset.into()));
    if let Some(part) = part {
        return part.argument.integer();
    }
    let whole = named().find(|argument| argument.offset.is_none())?.argument.integer()?;
    let bits = whole.checked_shr(8 * offset)?;
    Some(if width < 64 { bits & ((1 << width) - 1) } else { bits })
}
