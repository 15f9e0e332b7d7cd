//! Inlay hints with the values of the selected lane.

use super::super::document::OpenDocument;
use super::super::handlers::Stretch;
use ptx_view::line_values::LineValue;

/// Returns the values in a stretch of a text; empty if the run was of another text.
pub fn hints(document: &OpenDocument, stretch: &Stretch) -> Vec<LineValue> {
    let Some(focus) = document.history.evaluation.focus() else { return Vec::new() };
    let Some(evaluation) = document.history.evaluation.fresh(&stretch.snapshot) else { return Vec::new() };
    let values = evaluation.values(&focus, &|| stretch.cancelled.is_set());
    let mut out = values.of_lane(&evaluation.done, focus.lane);
    out.retain(|v| stretch.range.start <= v.offset && v.offset <= stretch.range.end);
    // The hint is placed at the end of the line.
    let rope = stretch.snapshot.rope();
    for value in &mut out {
        let line = rope.byte_to_line(value.offset.min(rope.len_bytes()));
        let text = rope.line(line).to_string();
        value.offset = rope.line_to_byte(line) + text.trim_end().len();
    }
    out
}
