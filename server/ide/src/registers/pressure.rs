//! Live registers per instruction and per line.

use super::line;
use ptx_analysis::names::range_of;
use ptx_analysis::{Figure, Figures, RegisterCount, RegisterFacts, RegisterReport};
use ptx_syntax::{Snapshot, kinds};
use std::ops::Range;
use std::sync::Arc;

/// The live registers of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePressure {
    /// Offset of the first instruction of the line.
    pub offset: usize,
    /// The maximum number of live registers at one of its instructions, for each kind.
    pub live: RegisterCount,
}

/// The register report of a function.
#[derive(Debug, Clone)]
pub struct FunctionPressure {
    /// Its name.
    pub name: String,
    /// Offset at which it begins.
    pub start: usize,
    /// The report.
    pub kernel: Arc<RegisterReport>,
    /// The function has changed since the analysis, or has an error.
    pub stale: bool,
    /// The lines of the range that have reachable instructions, in order.
    pub lines: Vec<LinePressure>,
    /// Offset at which most general registers are live, if that place still exists.
    pub peak: Option<usize>,
    /// Offset of the directive that allows the function fewer registers than the target does.
    pub bound: Option<usize>,
}

/// The register reports of functions in a range, in the order of the text. If `name` is set, only that function is
/// included. Functions without a report are left out.
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
        // The text of the function is unchanged, so the instructions of the range are found by their offsets.
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

/// A live register at an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldValue {
    /// Its name.
    pub name: String,
    /// The number of registers it occupies, for each kind.
    pub takes: RegisterCount,
    /// Offset of the instruction that last wrote the value, in text order; `None` if the caller provides the value.
    pub since: Option<usize>,
    /// Offset of the next instruction that reads it, in text order; `None` if there is none.
    pub next: Option<usize>,
    /// Number of instructions in the current live range.
    pub instructions: usize,
}

/// The live registers at the instruction at an offset, or at the last instruction before it. The registers with the largest
/// product of size and live range come first. `None` outside of functions.
pub fn held_values(snapshot: &Snapshot, figures: &Figures, offset: usize) -> Option<Vec<HeldValue>> {
    let inside = |f: &&Figure| f.start().is_some_and(|start| start <= offset);
    let figure = figures.iter().filter(inside).last()?;
    let facts = &figure.kernel()?.facts;
    let mut index = if figure.exact() {
        facts.instruction_at(offset.checked_sub(figure.start()?)?)?
    } else {
        (0..facts.count()).rev().find(|i| figure.instruction(*i).is_some_and(|o| o <= offset))?
    };
    // On a line with several instructions, the one with the most live registers counts, because the hint shows its number.
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

/// The live registers at an instruction, those with the largest product of size and live range first.
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

/// The name of a register as instructions use it.
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
