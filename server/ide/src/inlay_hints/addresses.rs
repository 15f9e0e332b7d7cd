//! Hints with the traffic of accesses to memory: sectors of global memory, conflicts in the banks of shared memory.

use super::{AddressHints, Hint, Hints};
use crate::addresses::{ASSUMPTION, AccessView};
use ptx_analysis::Figures;

impl Hints<'_> {
    /// Adds the hints of all functions in the range.
    pub(super) fn addresses(&mut self, figures: &Figures) {
        if self.options.addresses == AddressHints::Off {
            return;
        }
        for figure in figures.iter() {
            let Some(place) = figure.place().cloned() else { continue };
            if place.end < self.range.start || place.start > self.range.end {
                continue;
            }
            let Some(kernel) = figure.kernel() else { continue };
            let Some(facts) = kernel.facts.addresses() else { continue };
            let view = AccessView::new(self.snapshot, place.start, facts);
            let mut last = None;
            let mut assumed = false;
            // Positions ascend with the accesses, also after edits.
            let first = facts.accesses.partition_point(|a| {
                figure
                    .instruction(a.instruction as usize)
                    .is_some_and(|offset| self.line_end(offset) < self.range.start)
            });
            for access in &facts.accesses[first.min(facts.accesses.len())..] {
                let instruction = access.instruction as usize;
                if last.replace(instruction) == Some(instruction) {
                    continue;
                }
                let Some(offset) = figure.instruction(instruction) else { continue };
                if offset > self.range.end {
                    break;
                }
                let (mut text, condition) = view.hint(instruction, self.options.addresses == AddressHints::All);
                if text.is_empty() {
                    continue;
                }
                if condition {
                    text.push('*');
                    assumed = true;
                }
                let tooltip = view.page(instruction, None, None).finish();
                self.out.push(Hint { tooltip, ..Hint::after(self.line_end(offset), format!("◀ {text}")) });
            }
            if assumed {
                let tooltip = "the condition for the hints with a `*` in this function; `.reqntid` or a launch above the kernel replaces it";
                let hint = Hint::after(self.line_end(place.start), format!("◀ * {ASSUMPTION}"));
                self.out.push(Hint { tooltip: tooltip.to_owned(), ..hint });
            }
        }
    }
}
