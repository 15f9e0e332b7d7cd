//! Inlay hints with the values of the selected lane.

use super::EvaluationSlot;
use ptx_syntax::Snapshot;
use ptx_view::line_values::LineValue;
use std::ops::Range;

/// Returns the values in a range of a text; empty if the run was of another text.
pub fn hints(
    slot: &EvaluationSlot,
    snapshot: &Snapshot,
    range: &Range<usize>,
    cancelled: &dyn Fn() -> bool,
) -> Vec<LineValue> {
    let Some(focus) = slot.focus() else { return Vec::new() };
    let Some(evaluation) = slot.fresh(snapshot) else { return Vec::new() };
    let values = evaluation.values(&focus, cancelled);
    let mut out = values.of_lane(&evaluation.done, focus.lane);
    out.retain(|v| range.start <= v.offset && v.offset <= range.end);
    // The hint is placed at the end of the line.
    let rope = snapshot.rope();
    for value in &mut out {
        let line = rope.byte_to_line(value.offset.min(rope.len_bytes()));
        let text = rope.line(line).to_string();
        value.offset = rope.line_to_byte(line) + text.trim_end().len();
    }
    out
}
