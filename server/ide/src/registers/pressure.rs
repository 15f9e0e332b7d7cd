//! Registers instruction by instruction.

use super::line;
use ptx_analysis::registers::facts::RegisterFacts;
use ptx_analysis::registers::{Figure, Figures, RegisterCount, RegisterReport};
use ptx_analysis::semantics::names::range_of;
use ptx_syntax::{Snapshot, kinds};
use std::ops::Range;
use std::sync::Arc;

/// The registers of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePressure {
    /// Where the first of its instructions begins.
    pub offset: usize,
    /// As many hold a value at one of them at most, of each kind.
    pub live: RegisterCount,
}

/// The registers of a function.
#[derive(Debug, Clone)]
pub struct FunctionPressure {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub start: usize,
    /// What is known of it.
    pub kernel: Arc<RegisterReport>,
    /// The function has changed since that was found out, or has an error.
    pub stale: bool,
    /// The lines in sight with instructions that control reaches, in order.
    pub lines: Vec<LinePressure>,
    /// Where most general registers hold a value, if there still is that place.
    pub peak: Option<usize>,
    /// Where the directive begins that holds the function to fewer registers than the target does.
    pub bound: Option<usize>,
}

/// What is said of a function, as Markdown.
pub fn function_registers(snapshot: &Snapshot, figures: &Figures, name: &str) -> Option<String> {
    let figure = figures.named(name)?;
    figure.kernel()?;
    Some(super::page(snapshot, figure).finish())
}

/// The registers of the functions with a body that are in a range, in the order of the text, or of the one with a name. Functions of which
/// nothing is known are left out.
pub fn function_pressure(
    snapshot: &Snapshot,
    figures: &Figures,
    name: Option<&str>,
    range: Range<usize>,
) -> Vec<FunctionPressure> {
    let overlaps = |f: &Figure| f.place().is_some_and(|p| p.start < range.end && range.start < p.end);
    let wanted = figures.iter().filter(|f| name.is_none_or(|name| f.name() == name) && overlaps(f));
    let one = |figure: &Figure| {
        let kernel = figure.kernel()?;
        let peak = figure.instruction(kernel.facts.usage().pressure.peak as usize);
        Some(FunctionPressure {
            name: figure.name().to_owned(),
            start: figure.start()?,
            kernel: Arc::clone(kernel),
            stale: !figure.exact(),
            lines: lines(snapshot, figure, range.clone()),
            peak,
            bound: super::bound(kernel, figure),
        })
    };
    wanted.filter_map(one).collect()
}

/// The lines of a function in a range.
pub(crate) fn lines(snapshot: &Snapshot, figure: &Figure, range: Range<usize>) -> Vec<LinePressure> {
    let Some(kernel) = figure.kernel() else { return Vec::new() };
    let at = &kernel.facts.usage().pressure.at;
    let instructions = if figure.exact() {
        // Nothing has moved within the function: those in sight are found by where they begin.
        let local = |at: usize| at.saturating_sub(figure.start().unwrap_or(0));
        let first = kernel.facts.instruction_at(local(range.start)).unwrap_or(0);
        let last = kernel.facts.instruction_at(local(range.end)).map_or(0, |last| last + 1);
        first..last.min(at.len())
    } else {
        0..at.len()
    };
    let mut out: Vec<LinePressure> = Vec::new();
    let mut end = 0;
    for index in instructions {
        let live = at.get(index).copied().unwrap_or_default();
        let Some(offset) = figure.instruction(index).filter(|o| range.contains(o)) else { continue };
        if live == RegisterCount::default() {
            continue;
        }
        match out.last_mut().filter(|_| offset < end) {
            Some(before) => before.live = before.live.max(live),
            None => {
                let rope = snapshot.rope();
                let line = rope.byte_to_line(offset.min(rope.len_bytes()));
                end = rope.line_to_byte((line + 1).min(rope.len_lines()));
                out.push(LinePressure { offset, live });
            }
        }
    }
    out
}

/// A register that holds a value at an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldValue {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub takes: RegisterCount,
    /// The instruction that wrote the value, the last one before in the text; nothing for what the caller gives.
    pub since: Option<usize>,
    /// The instruction that reads it next in the text; nothing where the one at hand is the last.
    pub next: Option<usize>,
    /// Across so many instructions the value is held, of this one piece of its life.
    pub instructions: usize,
}

/// The registers that hold a value at the instruction that is at an offset, or the last one before it on the way; those that hold most
/// for longest first. Nothing outside of functions.
pub fn held_values(snapshot: &Snapshot, figures: &Figures, offset: usize) -> Option<Vec<HeldValue>> {
    let inside = |f: &&Figure| f.start().is_some_and(|start| start <= offset);
    let figure = figures.iter().filter(inside).last()?;
    let facts = &figure.kernel()?.facts;
    let mut index = if figure.exact() {
        facts.instruction_at(offset.checked_sub(figure.start()?)?)?
    } else {
        (0..facts.count()).rev().find(|i| figure.instruction(*i).is_some_and(|o| o <= offset))?
    };
    // Of a line with several instructions the one with most is meant: its number is what is shown.
    let here = line(snapshot, figure.instruction(index)?);
    let at = &facts.usage().pressure.at;
    let mut other = index;
    while let Some(before) = other.checked_sub(1)
        && figure.instruction(before).is_some_and(|o| line(snapshot, o) == here)
    {
        other = before;
        if at.get(before)?.b32 >= at.get(index)?.b32 {
            index = before;
        }
    }
    Some(held(snapshot, figure, index))
}

/// The registers that hold a value at an instruction, those that hold most for longest first.
pub(crate) fn held(snapshot: &Snapshot, figure: &Figure, index: usize) -> Vec<HeldValue> {
    let Some(kernel) = figure.kernel() else { return Vec::new() };
    let facts = &kernel.facts;
    let value = |register: &RegisterFacts| {
        let accesses = facts.accesses(register);
        let after = |at: &Range<usize>| at.contains(&index) || at.end == index;
        let piece = facts.lives(register).find(after).unwrap_or(index..index + 1);
        let written = accesses.iter().rev().find(|a| a.writes() && a.instruction() <= index);
        let next = accesses.iter().find(|a| a.reads() && a.instruction() > index);
        Some(HeldValue {
            name: name(snapshot, figure, register)?,
            takes: register.takes,
            since: written.and_then(|a| figure.instruction(a.instruction())),
            next: next.and_then(|a| figure.instruction(a.instruction())),
            instructions: piece.len(),
        })
    };
    let mut out: Vec<HeldValue> = facts.held_at(index).into_iter().filter_map(value).collect();
    out.sort_by_key(|v| std::cmp::Reverse((v.takes.b32 > 0, usize::from(v.takes.b32.max(1)) * v.instructions)));
    out
}

/// The name of a register as instructions write it.
fn name(snapshot: &Snapshot, figure: &Figure, register: &RegisterFacts) -> Option<String> {
    let k = kinds();
    let node = snapshot.node_at(figure.follow(register.declaration as usize)?)?;
    let mut name = snapshot.text(node.byte_range()).into_owned();
    let mut around = node.parent();
    while let Some(declarator) = around.filter(|n| n.kind_id() != k.declarator && n.kind_id() != k.block) {
        around = declarator.parent();
    }
    if around.is_some_and(|n| range_of(snapshot, n).is_some()) {
        name.push_str(&register.number.to_string());
    }
    let elements = figure.kernel()?.facts.registers_of(register.declaration as usize);
    if elements.iter().any(|r| r.element > 0) {
        let element = ['x', 'y', 'z', 'w'].get(usize::from(register.element))?;
        name.push_str(&format!(".{element}"));
    }
    Some(name)
}
