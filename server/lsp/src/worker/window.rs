//! Chooses the diagnostics of a text that the client may be shown.
//!
//! A text may have many more diagnostics than the client is sent. Only those that may be sent are copied, so a publication costs
//! no more for a text with a million errors.

use ptx_analysis::{Code, Diagnostic, DiagnosticList, PlacedDiagnostic, Severity};
use ptx_ide::holding::LastShown;

/// Diagnostics of a text, the most severe ones first of all, then those at the top.
pub struct Window {
    /// In text order, with the severities of the user's settings.
    pub found: Vec<Diagnostic>,
    /// The last and least severe of them, if others were left out.
    pub last: Option<LastShown>,
}

impl Window {
    /// Chooses at most `places` diagnostics. `level` returns the severity of a code with a default severity, `None` if the user does
    /// not want it.
    pub fn new(all: &DiagnosticList, places: usize, level: impl Fn(Code, Severity) -> Option<Severity>) -> Self {
        let mut found: [Vec<(usize, PlacedDiagnostic<'_>)>; SEVERITIES.len()] = Default::default();
        let mut cut = false;
        for (order, diagnostic) in all.iter().enumerate() {
            if found[0].len() >= places {
                // Nothing is more severe than these.
                cut = true;
                break;
            }
            let Some(severity) = level(diagnostic.code(), diagnostic.severity()) else { continue };
            let Some(list) = SEVERITIES.iter().position(|s| *s == severity).and_then(|at| found.get_mut(at)) else {
                continue;
            };
            match list.len() < places {
                true => list.push((order, diagnostic)),
                false => cut = true,
            }
        }
        let (mut chosen, mut last) = (Vec::new(), None);
        for (severity, mut list) in SEVERITIES.into_iter().zip(found) {
            cut |= list.len() > places - chosen.len();
            list.truncate(places - chosen.len());
            last = list.last().map(|(_, d)| LastShown { severity, start: d.range().start }).or(last);
            chosen.extend(list.into_iter().map(|(order, d)| (order, severity, d)));
        }
        chosen.sort_by_key(|(order, ..)| *order);
        let found = chosen.into_iter().map(|(_, severity, d)| d.to_diagnostic().severity(severity)).collect();
        Self { found, last: last.filter(|_| cut) }
    }
}

/// The most severe first.
const SEVERITIES: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_analysis::{Finding, Text};
    use ptx_ide::holding::LastShown;

    /// A list of diagnostics, one for each letter, at successive offsets.
    fn list(severities: &str) -> DiagnosticList {
        let found = severities.chars().enumerate().map(|(at, severity)| {
            let severity = match severity {
                'e' => Severity::Error,
                'w' => Severity::Warning,
                'i' => Severity::Information,
                _ => Severity::Hint,
            };
            Diagnostic::new(at..at + 1, Finding::run("any", Text::default())).severity(severity)
        });
        found.collect::<Vec<_>>().into()
    }

    fn window(severities: &str, places: usize) -> (Vec<usize>, Option<LastShown>) {
        let Window { found, last } = Window::new(&list(severities), places, |_, severity| Some(severity));
        (found.iter().map(|d| d.range.start).collect(), last)
    }

    #[test]
    fn the_most_severe_diagnostics_are_chosen_first() {
        assert_eq!(window("hwei", 9), (vec![0, 1, 2, 3], None));
        assert_eq!(window("hwei", 4).0, [0, 1, 2, 3]);
        let last = |severity, start| Some(LastShown { severity, start });
        assert_eq!(window("hwewe", 3), (vec![1, 2, 4], last(Severity::Warning, 1)));
        assert_eq!(window("hwewe", 2), (vec![2, 4], last(Severity::Error, 4)));
        assert_eq!(window("eeee", 2), (vec![0, 1], last(Severity::Error, 1)));
        assert_eq!(window("", 2), (vec![], None));
    }

    #[test]
    fn levels_choose_too() {
        let quiet = |_, severity| (severity != Severity::Warning).then_some(Severity::Hint);
        let Window { found, last } = Window::new(&list("wewhe"), 2, quiet);
        assert_eq!(found.iter().map(|d| d.range.start).collect::<Vec<_>>(), [1, 3]);
        assert!(found.iter().all(|d| d.severity == Severity::Hint) && last.is_some());
    }
}
