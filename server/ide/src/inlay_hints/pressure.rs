//! Hints with the number of live registers, after the lines with the maximum or after all lines.

use super::{Hint, Hints, PressureHints};
use crate::registers::{MIN_LIVE, counted, lines, live, peaks};
use ptx_analysis::{Figure, Figures, RegisterCount};

/// If more places than this have the maximum, only the first is marked.
const MAX_PEAKS: usize = 3;

impl Hints<'_> {
    /// Adds the hints of all functions in the range.
    pub(super) fn pressure(&mut self, figures: &Figures) {
        for figure in figures.iter() {
            let Some(place) = figure.place() else { continue };
            if place.end < self.range.start || place.start > self.range.end {
                continue;
            }
            match self.options.registers {
                PressureHints::Off => {}
                PressureHints::Peaks => self.peaks(figure),
                PressureHints::All => self.all(figure),
            }
        }
    }

    fn peaks(&mut self, figure: &Figure) {
        let most = figure.kernel().map_or_else(RegisterCount::default, |k| k.facts.usage().pressure.most);
        if most.b32 < MIN_LIVE {
            return;
        }
        let mut found = peaks(figure);
        let others = if found.len() > MAX_PEAKS { found.len() - 1 } else { 0 };
        if others > 0 {
            found.truncate(1);
        }
        for index in found {
            if let Some(offset) = figure.instruction(index) {
                self.mark(offset, most.b32, others, figure);
            }
        }
    }

    fn mark(&mut self, offset: usize, count: u16, others: usize, figure: &Figure) {
        let mut tooltip =
            format!("{} of 32 bits hold a value here, the maximum in `{}`", counted(count, "register"), figure.name());
        if others > 0 {
            tooltip.push_str(&format!("; the same number is live in {}", counted(others as u64, "other place")));
        }
        let text = format!("◀ peak: {count} live");
        self.out.push(Hint { tooltip, ..Hint::after(self.line_end(offset), text) });
    }

    fn all(&mut self, figure: &Figure) {
        let most = figure.kernel().map_or_else(RegisterCount::default, |k| k.facts.usage().pressure.most);
        // A line is in the range if its end is.
        let rope = self.snapshot.rope();
        let from = rope.line_to_byte(rope.byte_to_line(self.range.start.min(rope.len_bytes())));
        for line in lines(self.snapshot, figure, from..self.range.end + 1) {
            if line.live.b32 == most.b32 && most.b32 >= MIN_LIVE {
                self.mark(line.offset, most.b32, 0, figure);
                continue;
            }
            let tooltip = format!("{} hold a value here", live(line.live));
            let text = format!("◀ {} live", line.live.b32);
            self.out.push(Hint { tooltip, ..Hint::after(self.line_end(line.offset), text) });
        }
    }

    /// Offset of the end of the line, without trailing white space.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let rope = self.snapshot.rope();
        let line = rope.byte_to_line(offset.min(rope.len_bytes()));
        let end = rope.line_to_byte((line + 1).min(rope.len_lines()));
        let text = self.snapshot.text(offset..end);
        offset + text.trim_end().len()
    }
}
