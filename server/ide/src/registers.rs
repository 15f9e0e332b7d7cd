//! What is said of the registers that functions need: in a few words above a function, as a page where its name is pointed at, and
//! instruction by instruction, for views.

mod pressure;
mod words;

pub(crate) use pressure::lines;
pub use pressure::{FunctionPressure, HeldValue, LinePressure, function_pressure, function_registers, held_values};
pub(crate) use words::{cost, live, page, title};

use ptx_analysis::registers::{Figure, RegisterReport};
use ptx_syntax::Snapshot;

/// The assembler gives out registers by eight to a thread, so fewer live registers do not matter.
pub(crate) const MIN_LIVE: u16 = 8;

/// The number of the line that an offset is in, as people count.
pub(crate) fn line(snapshot: &Snapshot, offset: usize) -> usize {
    snapshot.rope().byte_to_line(offset.min(snapshot.rope().len_bytes())) + 1
}

/// The instructions at which most registers hold a value: the first of each row of such instructions.
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

/// `1 register`, `3 registers`.
pub(crate) fn counted(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
