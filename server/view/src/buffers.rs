//! The buffers of a launch after a run, beside what they held before.

use ptx_interp::inspect::{BufferSnapshot, PlacedBuffer};
use ptx_launch::evaluate::LaunchRun;
use serde::Serialize;

/// Number of elements in a row.
const ROW: u64 = 8;

/// Maximum number of rows of a buffer.
const MAX_ROWS: usize = 512;

/// Maximum number of elements that are compared with those before.
const MAX_COMPARED: u64 = 1 << 20;

/// A buffer after a run.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferView {
    /// Its name.
    pub name: String,
    /// The type of its elements, without the dot.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Number of elements.
    pub count: u64,
    /// Number of elements that the run has changed.
    pub changed: u64,
    /// The rows in which something has changed, or, if nothing has, all; the first of them if there are many.
    pub rows: Vec<BufferRow>,
    /// Number of rows that are left out.
    pub more: u64,
}

/// Some elements of a buffer in a row.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferRow {
    /// Index of the first element.
    pub first: u64,
    /// The texts of the elements; `null` where nothing was written.
    pub values: Vec<Option<String>>,
    /// For elements that have changed the text before; `null` for the others.
    pub before: Vec<Option<String>>,
}

/// The buffers of a launch, in its order, and variables that have changed.
pub fn buffers(done: &LaunchRun) -> Vec<BufferView> {
    let machine = &done.run.machine;
    let mut views: Vec<BufferView> = Vec::new();
    for (placed, before) in done.buffers.iter().zip(&done.before) {
        let after = placed.snapshot(machine);
        let is_variable = machine.executable.variables.contains_key(&placed.name);
        let is_told = views.iter().any(|view| *view.name == *placed.name);
        let is_untouched = is_variable && after.is_same(before);
        if !is_told && !is_untouched {
            views.push(view(placed, before, &after));
        }
    }
    views
}

fn view(placed: &PlacedBuffer, before: &BufferSnapshot, after: &BufferSnapshot) -> BufferView {
    let element = placed.element;
    let count = element.count(placed.bytes);
    let bits = |snapshot: &BufferSnapshot, index: u64| snapshot.element(element, index).0;
    let is_changed = |index: u64| bits(before, index) != bits(after, index);
    let changed = if after.is_same(before) {
        Vec::new()
    } else {
        (0..count.min(MAX_COMPARED)).filter(|index| is_changed(*index)).collect()
    };
    let mut rows: Vec<u64> = changed.iter().map(|index| index / ROW).collect();
    rows.dedup();
    if rows.is_empty() {
        rows = (0..count.div_ceil(ROW).min(MAX_ROWS as u64)).collect();
    }
    let all = if changed.is_empty() { count.div_ceil(ROW) } else { rows.len() as u64 };
    let text = |snapshot: &BufferSnapshot, index: u64| bits(snapshot, index).map(|bits| element.text(bits));
    let row = |row: &u64| {
        let indices = || row * ROW..((row + 1) * ROW).min(count);
        let before_text = |index: u64| {
            let is_changed = changed.binary_search(&index).is_ok();
            is_changed.then(|| text(before, index).unwrap_or_else(|| "?".to_owned()))
        };
        BufferRow {
            first: row * ROW,
            values: indices().map(|index| text(after, index)).collect(),
            before: indices().map(before_text).collect(),
        }
    };
    let rows: Vec<BufferRow> = rows.iter().take(MAX_ROWS).map(row).collect();
    BufferView {
        name: placed.name.to_string(),
        ty: element.name(),
        count,
        changed: changed.len() as u64,
        more: all - rows.len() as u64,
        rows,
    }
}
