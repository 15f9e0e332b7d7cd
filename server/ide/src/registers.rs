//! Register reports: a title above a function, a page for hovers on its name, and the live registers of each instruction
//! for views.

mod pressure;
mod words;

pub(crate) use pressure::lines;
pub use pressure::{FunctionPressure, HeldValue, LinePressure, function_pressure, held_values};
pub use words::function_registers;
pub(crate) use words::{cost, live, page, title};

use ptx_analysis::{Figure, RegisterReport};
use ptx_syntax::Snapshot;

/// The assembler allocates registers to a thread in multiples of 8, so fewer live registers do not matter.
pub(crate) const MIN_LIVE: u16 = 8;

/// The 1-based line number of an offset.
pub(crate) fn line(snapshot: &Snapshot, offset: usize) -> usize {
    snapshot.rope().byte_to_line(offset.min(snapshot.rope().len_bytes())) + 1
}

/// The instructions with the most live registers: the index of the first one of each run of such instructions.
pub(crate) fn peaks(figure: &Figure) -> Vec<usize> {
    let Some(kernel) = figure.kernel() else { return Vec::new() };
    let pressure = &kernel.facts.usage().pressure;
    if pressure.most.b32 == 0 {
        return Vec::new();
    }
    let most = |index: usize| pressure.at.get(index).is_some_and(|l| l.b32 == pressure.most.b32);
    (0..pressure.at.len()).filter(|i| most(*i) && !i.checked_sub(1).is_some_and(most)).collect()
}

/// Byte offset of the directive that limits the registers of a function.
pub(crate) fn bound(kernel: &RegisterReport, figure: &Figure) -> Option<usize> {
    figure.follow(kernel.limit.directive.as_ref()?.start.checked_sub(kernel.start)?)
}

/// A count with its noun: `1 register`, `3 registers`.
pub(crate) fn counted(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
