//! Structured numbers: truth tables, selectors, descriptors, masks. The meaning of an operand's bits is in the tables
//! (`decodes` in docs/dev/isa-format.md).

use super::logic::{self, LogicInput};
use super::number;
use super::operands::{Here, WrittenOperand, given};
use crate::describe::MarkdownPage;
use ptx_analysis::{EncodedOperand, Instruction, KnownBits, OperandSpec, OperandVariant};
use ptx_isa::ISA;
use ptx_isa::tables::{BitField, Encoding};
use std::ops::Range;

/// The meaning of a number as the operand that it stands for; empty if it is a plain number.
pub fn page(here: &Here, number: i128) -> MarkdownPage {
    HoverContext { operands: &here.operands, modifiers: &here.modifiers }.page(&here.spec, number)
}

/// The meanings of the literals among the operands of an instruction.
pub fn all(operands: &[WrittenOperand], modifiers: &[&'static str]) -> MarkdownPage {
    let context = HoverContext { operands, modifiers };
    let mut page = MarkdownPage::default();
    for given in operands {
        if let Some(value) = given.value {
            page.append(context.page(&given.spec, value));
        }
    }
    page
}

/// Short meanings of the literals of an instruction, each with its range in the text of the instruction. Literals without a
/// short meaning are left out. `text` is the text of the instruction.
pub fn short(instruction: &Instruction<'_>, variant: &OperandVariant, text: &str) -> Vec<(Range<usize>, String)> {
    let operands = given(instruction, variant, text);
    let names = |name: &str| ISA.modifier(name).map(|m| m.name);
    let modifiers: Vec<&'static str> = instruction.modifiers.iter().filter_map(|m| names(m.text)).collect();
    let context = HoverContext { operands: &operands, modifiers: &modifiers };
    let one = |given: &WrittenOperand| Some((given.range.clone(), context.short(&given.spec, given.value?)?));
    operands.iter().filter_map(one).collect()
}

/// The bit fields of an operand whose value is not known.
pub fn layout(here: &Here) -> MarkdownPage {
    let context = HoverContext { operands: &here.operands, modifiers: &here.modifiers };
    let mut page = MarkdownPage::default();
    let Some(encoding) = ISA.encoding(here.spec.value.decodes).filter(|e| !e.fields.is_empty()) else { return page };
    let line = |field: &BitField| {
        let bits =
            if field.low == field.high { field.low.to_string() } else { format!("{}–{}", field.low, field.high) };
        let times = if field.times > 1 { format!(" / {}", field.times) } else { String::new() };
        let values: Vec<String> = field.values.iter().map(|v| format!("{} {}", v.number, v.words)).collect();
        let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
        format!("bits {bits} – {}{times}{values}", field.name)
    };
    page.list(&titled(encoding, here.spec.value.name), context.fields(encoding).map(line));
    page.text(encoding.doc);
    page
}

/// The bit fields of an operand that are known; empty if none of them is.
pub fn known(operand: &EncodedOperand, bits: KnownBits) -> MarkdownPage {
    let context = HoverContext { operands: &[], modifiers: &operand.modifiers };
    let mut page = MarkdownPage::default();
    let Some(encoding) = ISA.encoding(operand.encoding) else { return page };
    if bits.is_number(64) {
        context.decoded(encoding, operand.name, bits.value, &mut page);
        return page;
    }
    let is_known = |field: &&BitField| bits.known & field.mask() == field.mask();
    let (known, open): (Vec<&BitField>, Vec<&BitField>) = context.fields(encoding).partition(is_known);
    if known.is_empty() {
        return page;
    }
    page.list(&titled(encoding, operand.name), known.into_iter().filter_map(|field| decoded_field(field, bits.value)));
    let open: Vec<&str> = open.into_iter().map(|field| field.name).collect();
    page.text(format!("Known only at run time: {}.", open.join(", ")));
    page
}

/// A field with the meaning of a number; `None` for an option that is off.
fn decoded_field(field: &BitField, number: u64) -> Option<String> {
    let bits = field.of(number);
    match field.meaning(bits) {
        Some("no" | "none") => None,
        Some("yes") => Some(field.name.to_owned()),
        Some(words) => Some(format!("{}: {words}", field.name)),
        None if !field.values.is_empty() => Some(format!("{}: {bits}, which has no meaning", field.name)),
        None => Some(format!("{}: {}", field.name, bits * u64::from(field.times))),
    }
}

fn titled(encoding: &Encoding, operand: &str) -> String {
    format!("`{operand}`: {}", encoding.summary.trim_end_matches('.'))
}

/// The instruction that contains a number.
struct HoverContext<'h> {
    operands: &'h [WrittenOperand],
    modifiers: &'h [&'static str],
}

impl<'h> HoverContext<'h> {
    fn page(&self, spec: &OperandSpec, number: i128) -> MarkdownPage {
        let mut page = MarkdownPage::default();
        if spec.value.lanes {
            page.text(format!("`{}` names {}.", spec.value.name, number::lanes(number as u32)));
        }
        if let Some(encoding) = ISA.encoding(spec.value.decodes) {
            self.decoded(encoding, spec.value.name, number as u64, &mut page);
        }
        page
    }

    /// The operand with this name in the form.
    fn operand(&self, name: &str) -> Option<&WrittenOperand> {
        self.operands.iter().find(|o| o.name == name)
    }

    /// The text of the destination operand.
    fn target(&self) -> &str {
        self.operand("d").map_or("d", |d| d.text.as_str())
    }

    /// The fields of an encoding that exist with the modifiers of the instruction.
    fn fields(&self, encoding: &'static Encoding) -> impl Iterator<Item = &'static BitField> + use<'h> {
        let modifiers = self.modifiers;
        encoding.fields.iter().filter(|f| f.when.is_empty() || f.when.iter().any(|m| modifiers.contains(m)))
    }

    /// A mask of all lanes is the usual case and gets no short meaning.
    fn short(&self, spec: &OperandSpec, number: i128) -> Option<String> {
        if spec.value.lanes && number as u32 != u32::MAX {
            return Some(number::lanes(number as u32));
        }
        let (encoding, number) = (ISA.encoding(spec.value.decodes)?, number as u64);
        let meaning = encoding.values.iter().find(|v| v.number == number).map(|v| v.words.to_owned());
        let table = || self.truth(encoding, number as u8).map(|expression| format!("= {expression}"));
        let bytes = || self.bytes(encoding, number as u16).map(|bytes| format!("= {bytes}"));
        meaning.or_else(table).or_else(bytes).or_else(|| measure(encoding, number))
    }

    fn decoded(&self, encoding: &'static Encoding, name: &str, number: u64, page: &mut MarkdownPage) {
        if !encoding.table.is_empty() {
            self.truth_table(encoding, number as u8, page);
        }
        if !encoding.selects.is_empty() {
            self.selectors(encoding, number as u16, page);
        }
        if let Some(meaning) = encoding.values.iter().find(|v| v.number == number) {
            page.text(format!("`{name}` {number}: {}.", meaning.words));
        }
        if let Some(measured) = measure(encoding, number) {
            page.text(format!("`{name}`: {measured}."));
        }
        let lines = self.fields(encoding).filter_map(|field| decoded_field(field, number));
        page.list(&titled(encoding, name), lines.collect::<Vec<_>>());
    }

    /// Adds an expression for a truth table: `%r1 = (%r2 & %r3) | ~%r4`.
    fn truth_table(&self, encoding: &Encoding, table: u8, page: &mut MarkdownPage) {
        let Some(expression) = self.truth(encoding, table) else { return };
        page.code(&format!("{} = {expression}", self.target()));
        if let Some(called) = logic::called(table) {
            page.text(format!("Table 0x{table:02X}: {called}."));
        }
    }

    /// The expression for a truth table: `(%r2 & %r3) | ~%r4`.
    fn truth(&self, encoding: &Encoding, table: u8) -> Option<String> {
        let [a, b, c] = encoding.table else { return None };
        let inputs = [*a, *b, *c].map(|name| match self.operand(name) {
            Some(operand) => match operand.value.map(|v| v as u32) {
                Some(0) => LogicInput::Constant(false),
                Some(u32::MAX) => LogicInput::Constant(true),
                _ => LogicInput::Name(operand.text.clone()),
            },
            None => LogicInput::Name(name.to_owned()),
        });
        Some(logic::expression(table, &inputs))
    }

    /// Adds the bytes that a selector picks: `%r1 = {%r2.b3, sign(%r2.b3), …}`.
    fn selectors(&self, encoding: &Encoding, number: u16, page: &mut MarkdownPage) {
        if let Some(bytes) = self.bytes(encoding, number) {
            page.code(&format!("{} = {bytes}   // bytes from the top", self.target()));
        }
    }

    /// The bytes that a selector picks, the most significant first: `{%r2.b3, sign(%r2.b3), …}`.
    fn bytes(&self, encoding: &Encoding, number: u16) -> Option<String> {
        let [low, high] = encoding.selects else { return None };
        let byte = |which: u16| {
            let name = if which < 4 { low } else { high };
            let operand = self.operand(name);
            match operand.and_then(|o| o.value) {
                Some(value) => format!("0x{:02x}", value as u32 >> (8 * (which % 4)) & 0xff),
                None => format!("{}.b{}", operand.map_or(*name, |o| o.text.as_str()), which % 4),
            }
        };
        let pattern = encoding.patterns.iter().find(|p| self.modifiers.contains(&p.modifier));
        let parts: Vec<String> = match pattern {
            Some(pattern) => {
                let row = pattern.rows.get(usize::from(number) % pattern.rows.len().max(1)).copied().unwrap_or("");
                row.bytes().map(|b| byte(u16::from(b.saturating_sub(b'0')))).collect()
            }
            None => {
                let part = |place: u16| {
                    let selector = number >> (4 * place) & 15;
                    let picked = byte(selector & 7);
                    if selector & 8 == 0 { picked } else { format!("sign({picked})") }
                };
                (0..4).rev().map(part).collect()
            }
        };
        Some(format!("{{{}}}", parts.join(", ")))
    }
}

/// A number in the unit of the encoding: `4 warps`. `None` if it is not a multiple of the unit.
fn measure(encoding: &Encoding, number: u64) -> Option<String> {
    let unit = u64::from(encoding.measure);
    if unit == 0 || number == 0 || !number.is_multiple_of(unit) {
        return None;
    }
    let count = number / unit;
    Some(format!("{count} {}{}", encoding.unit, if count == 1 { "" } else { "s" }))
}
