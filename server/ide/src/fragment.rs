//! Matrix operands: the elements that each thread holds, and the registers that contain them. The layouts are in the tables
//! (`fragments.isa`). This module finds them for an instruction and presents them as text and pictures.

mod elements;
mod formula;
mod grid;
mod pictures;
mod svg;

pub use elements::{Matrices, matrices_in};
use grid::Grid;
pub use pictures::{FragmentPicture, fragment_pictures};
use ptx_analysis::{
    Anything, Candidate, ConstantValue, Instruction, ItemSource, Operand, OperandKind, OperandPattern, OperandVariant,
    Semantics, lower,
};
pub use svg::FRAGMENT_CSS;
use svg::svg;

use formula::written;
use ptx_isa::ISA;
use ptx_isa::fragment::{FragmentLayout, LayoutLookup};
use ptx_isa::tables::FragmentInfo;
use ptx_syntax::{Node, Snapshot};
use std::ops::Range;

/// A short label of a matrix operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentLabel {
    /// Byte range of the operand in the file.
    pub range: Range<usize>,
    /// `A 16×16`.
    pub text: String,
}

/// A matrix operand of an instruction.
pub(crate) struct MatrixOperand<'a, 't> {
    /// Its name in the form.
    pub name: &'static str,
    /// The operand.
    pub operand: &'a Operand<'t>,
    /// Its layout.
    pub found: LayoutLookup,
}

/// The labels of an instruction's matrix operands, such as `A 16×16`; empty if it has none.
pub fn fragment_labels(snapshot: &Snapshot, instruction: Node<'_>) -> Vec<FragmentLabel> {
    let text = snapshot.text(instruction.byte_range());
    let source = ItemSource { text: &text, base: instruction.start_byte() };
    let Some(instruction) = lower::instruction(source, instruction) else { return Vec::new() };
    let label = |found: &MatrixOperand<'_, '_>| {
        let LayoutLookup::Layout(layout) = &found.found else { return None };
        if layout.columns == 1 {
            return None;
        }
        let range = source.absolute(found.operand.range.clone());
        Some(FragmentLabel { range, text: short(layout) })
    };
    operands(&Semantics::new(snapshot), &instruction).iter().filter_map(label).collect()
}

/// The text of a label: `A 16×16`, `4× 8×8`.
fn short(layout: &FragmentLayout) -> String {
    let (rows, columns) = (layout.rows, layout.columns);
    let size = match layout.matrices {
        1 => format!("{rows}×{columns}"),
        many => format!("{many}× {rows}×{columns}"),
    };
    let fragment = layout.fragment;
    match (fragment.matrix.split_once(' '), fragment.unit) {
        (None, _) => format!("{} {size}", fragment.matrix),
        (Some((letter, _)), "element") if letter.len() == 1 && !fragment.spans.is_empty() => {
            format!("{letter} {size} kept")
        }
        (Some(_), "element" | "cell") => size,
        _ => fragment.matrix.to_owned(),
    }
}

/// The matrix operands of an instruction.
fn operands<'a, 't>(semantics: &Semantics<'_>, instruction: &'a Instruction<'t>) -> Vec<MatrixOperand<'a, 't>> {
    if !ISA.has_fragments(instruction.opcode.text) {
        return Vec::new();
    }
    let mnemonic = semantics.mnemonic(instruction);
    let Some(resolved) = mnemonic.choose(instruction, &Anything) else { return Vec::new() };
    operands_of(instruction, resolved.candidate, resolved.variant)
}

/// The matrix operands of an instruction whose form is known.
pub(crate) fn operands_of<'a, 't>(
    instruction: &'a Instruction<'t>,
    candidate: &Candidate,
    variant: &OperandVariant,
) -> Vec<MatrixOperand<'a, 't>> {
    if !ISA.has_fragments(instruction.opcode.text) {
        return Vec::new();
    }
    let mut operands: Vec<(&'static str, &'a Operand<'t>)> = Vec::new();
    for (operand, (_, shape)) in instruction.operands.iter().zip(&variant.operands) {
        match (shape, &operand.kind) {
            (OperandPattern::Value(spec), _) => operands.push((spec.value.name, operand)),
            (OperandPattern::Address(specs), OperandKind::Address(parts)) => {
                operands.extend(specs.iter().zip(parts).map(|(spec, part)| (spec.value.name, part)));
            }
            _ => {}
        }
    }
    let input = |name: &str, element: usize| {
        let (_, operand) = operands.iter().find(|(known, _)| *known == name)?;
        integer(operand, element)
    };
    let matrix = |(name, operand): &(&'static str, &'a Operand<'t>)| {
        let layout = ISA.layout(candidate.entry.name, candidate.form, &candidate.values, name, input)?;
        Some(MatrixOperand { name, operand, found: layout })
    };
    operands.iter().filter_map(matrix).collect()
}

/// The value of an immediate, or of an element of a list.
fn integer(operand: &Operand<'_>, element: usize) -> Option<i64> {
    match &operand.kind {
        OperandKind::Integer(text) => text.parse().ok(),
        OperandKind::Constant(ConstantValue::Integer(Some(value))) => i64::try_from(*value).ok(),
        OperandKind::Vector(list) => integer(list.get(element)?, 0),
        _ => None,
    }
}

/// Index of the register at a range within an operand; `None` if the operand is not a list.
pub(crate) fn register_at(operand: &Operand<'_>, range: &Range<usize>) -> Option<u32> {
    let OperandKind::Vector(list) = &operand.kind else { return None };
    let at = list.iter().position(|o| o.range.start <= range.start && range.end <= o.range.end)?;
    u32::try_from(at).ok()
}

/// A one-line summary of a layout: `A: 16×16 of .f16, 8 elements in 4 registers of each lane`.
fn title(layout: &FragmentLayout) -> String {
    let fragment = layout.fragment;
    let (rows, columns, count) = (layout.rows, layout.columns, layout.count);
    let of = match layout.matrices {
        1 => String::new(),
        many => format!("{many} matrices of "),
    };
    let of_which = match (layout.threads, (0..layout.threads).all(|t| layout.holds(t))) {
        (32, true) => "of each lane",
        (32, false) => "of each lane that takes part",
        (_, true) => "of each thread of the warpgroup",
        (_, false) => "of each thread that takes part",
    };
    if layout.columns == 1 {
        return format!(
            "{}: {of}{rows} {}, one {}",
            fragment.matrix,
            fragment.units,
            of_which.replace("of each", "for each")
        );
    }
    let units = if count == 1 { fragment.unit } else { fragment.units };
    let registers =
        if layout.registers == 1 { "a register".to_owned() } else { format!("{} registers", layout.registers) };
    let ty = match layout.ty {
        Some(ty) if ISA.ty(ty).is_some_and(|t| u32::from(t.bits) <= layout.width) => format!("`{ty}`"),
        _ => format!("{} bits", layout.width),
    };
    if fragment.unit == "element" {
        format!("{}: {of}{rows}×{columns} of {ty}, {count} {units} in {registers} {of_which}", fragment.matrix)
    } else {
        let width = layout.width;
        format!("{}: {of}{rows}×{columns} {units} of {width} bits, {count} in {registers} {of_which}", fragment.matrix)
    }
}

/// Row and column of an element, as formulas: `row lane/4 + 8, column 2*(lane%4) + j`.
fn places(layout: &FragmentLayout, register: Option<u32>) -> String {
    let fragment = layout.fragment;
    let formula = |expr| format!("`{}`", written(layout, expr, register));
    let mut out = String::new();
    if layout.matrices > 1 {
        out.push_str(&format!("matrix {}, ", formula(&fragment.part)));
    }
    out.push_str(&format!("row {}", formula(&fragment.row)));
    if layout.columns > 1 {
        out.push_str(&format!(", column {}", formula(&fragment.column)));
    }
    out
}

/// An explanation of the variables in the formulas other than the thread.
fn letters(layout: &FragmentLayout, register: Option<u32>) -> String {
    let e = layout.per_register();
    let last = e.saturating_sub(1);
    let width = layout.width;
    if layout.count <= 1 {
        return String::new();
    }
    let bits = match layout.bits(0) {
        Some(bits) if bits.low > 0 => format!("from bit {} on, {width} bits each", bits.low),
        _ => format!("{width} bits each, the first lowest"),
    };
    match (layout.registers, register) {
        (1, _) => format!("`i` = 0 … {}: {bits}", layout.count - 1),
        (_, Some(_)) if e == 1 => String::new(),
        (_, Some(_)) => format!("`j` = 0 … {last}: {bits}"),
        (n, None) if e == 1 => format!("register `r` = 0 … {} of the list holds element `i` = `r`", n - 1),
        (n, None) => {
            format!("register `r` = 0 … {} of the list, `j` = 0 … {last} in it: {bits}; `i` = {e}`r` + `j`", n - 1)
        }
    }
}

/// One line of Markdown about a matrix operand: `` 16×16 of `.f16`, 8 elements in …; row `…`, column `…` ``.
pub(crate) fn summary(found: &LayoutLookup) -> String {
    match found {
        LayoutLookup::Layout(layout) => {
            let letters = letters(layout, None);
            let letters = if letters.is_empty() { letters } else { format!("; {letters}") };
            format!("{}; {}{letters}", title(layout), places(layout, None))
        }
        LayoutLookup::Unspecified(fragment) => format!("{}: {}", fragment.matrix, fragment.unspecified),
    }
}

/// A Markdown description of a matrix operand or, if `register` is set, of one of its registers: index and name.
pub(crate) fn describe(found: &LayoutLookup, register: Option<(u32, &str)>) -> String {
    let layout = match found {
        LayoutLookup::Layout(layout) => layout,
        LayoutLookup::Unspecified(fragment) => return unspecified(fragment),
    };
    let fragment = layout.fragment;
    let number = register.map(|r| r.0).filter(|r| *r < layout.registers);
    let line = title(layout);
    let (name, detail) = line.split_once(": ").unwrap_or((&line, ""));
    let mut out = format!("**{}** – {detail}", capital(name, true));
    let subject = match register.filter(|_| number.is_some()) {
        Some((number, name)) if layout.registers > 1 => format!("`{name}`, register {number}: "),
        _ => String::new(),
    };
    let elements = match (0..layout.threads).all(|t| layout.holds(t)) {
        true => String::new(),
        false => format!("; only lanes with `{}`", written(layout, &fragment.held, number)),
    };
    out.push_str(&format!("\n\n{subject}{}{elements}", capital(&places(layout, number), subject.is_empty())));
    let letters = letters(layout, number);
    if !letters.is_empty() {
        out.push_str(&format!("  \n{letters}"));
    }
    if !fragment.spans.is_empty() {
        let (first, last) = (written(layout, &fragment.first, None), written(layout, &fragment.last, None));
        let range = if first == last { format!("`{first}`") } else { format!("`{first}` … `{last}`") };
        out.push_str(&format!("  \nEach {} {} {range}", fragment.unit, fragment.spans));
    }
    if !fragment.doc.is_empty() {
        out.push_str(&format!("\n\n{}", fragment.doc));
    }
    if let Some((caption, grid)) = picture(layout, number) {
        out.push_str(&format!("\n\n```text\n{}\n```\n\n{caption}", grid.text()));
    }
    out
}

/// The picture of a layout, and an explanation of its cells.
fn picture(layout: &FragmentLayout, register: Option<u32>) -> Option<(String, Grid)> {
    if layout.columns == 1 {
        return None;
    }
    let element = register.map_or(0, |r| r.saturating_mul(layout.per_register()));
    let matrix = (0..layout.threads).find_map(|t| layout.element(t, element)).map_or(0, |p| p.matrix);
    let grid = Grid::new(layout, matrix, register)?;
    let thread = if layout.threads == 32 { "lane 4" } else { "thread 4 of the warpgroup" };
    let mut caption = match layout.registers {
        1 => format!("`T4`: {thread}"),
        _ => format!("`T4:1`: {thread}, register 1 of the list"),
    };
    if layout.matrices > 1 {
        caption.push_str(&format!("; matrix {matrix} of {}", layout.matrices));
    }
    Some((caption, grid))
}

fn unspecified(fragment: &FragmentInfo) -> String {
    format!("**{}** – {}", capital(fragment.matrix, true), fragment.unspecified)
}

fn capital(text: &str, wanted: bool) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if wanted => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
