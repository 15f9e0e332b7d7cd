//! Why nothing was run, for people and for programs.

use super::choose::NotChosen;
use super::evaluate::Refused;
use ptx_interp::launch::Mistake;
use std::ops::Range;

/// Why nothing was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// For programs: `not-open`, `no-kernel`, `launch`, `errors`, `kernel`, `off`.
    pub kind: &'static str,
    /// In one line.
    pub message: String,
    /// Places that have to do with it, in bytes, and what is wrong there.
    pub places: Vec<(Range<usize>, String)>,
    /// The places are in the module, and not in a launch that was sent along.
    pub in_module: bool,
}

impl Refusal {
    /// Without places.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), places: Vec::new(), in_module: true }
    }

    /// No launch was chosen. `above` says that it would stand in the module.
    pub fn not_chosen(why: NotChosen, above: bool) -> Self {
        match why {
            NotChosen::Kernel(message) => Self::new("no-kernel", message),
            NotChosen::Launch(mistakes) => Self::launch(&mistakes, above),
        }
    }

    /// A launch of an entry cannot be run.
    pub fn refused(why: Refused, entry: &str, above: bool) -> Self {
        match why {
            Refused::Launch(mistakes) => Self::launch(&mistakes, above),
            Refused::Kernel(why) => Self::new("kernel", format!("`{entry}` cannot be executed: {why}")),
            Refused::Errors(errors) => {
                let first = errors.first().map_or("", |e| e.message.as_str());
                let places = errors.iter().map(|e| (e.range.clone(), e.message.clone())).collect();
                let message = format!("`{entry}` cannot be executed before its errors are mended: {first}");
                Self { kind: "errors", message, places, in_module: true }
            }
        }
    }

    fn launch(mistakes: &[Mistake], in_module: bool) -> Self {
        let words = |m: &Mistake| match &m.help {
            Some(help) => format!("{} ({help})", m.message),
            None => m.message.clone(),
        };
        let first = mistakes.first().map_or_else(String::new, words);
        let places = mistakes.iter().map(|m| (m.range.clone(), words(m))).collect();
        Self { kind: "launch", message: format!("the launch has a mistake: {first}"), places, in_module }
    }
}
