//! Why nothing was run, for people and for programs.

use super::choose::LaunchChoiceError;
use super::evaluate::EvaluationError;
use ptx_interp::launch::LaunchMistake;
use std::ops::Range;

/// The reason why nothing was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRefusal {
    /// For programs: `not-open`, `no-kernel`, `launch`, `errors`, `kernel`, `off`.
    pub kind: &'static str,
    /// In one line.
    pub message: String,
    /// Places that have to do with it, in bytes, and what is wrong there.
    pub places: Vec<(Range<usize>, String)>,
    /// The places are in the module, and not in a launch that was sent along.
    pub in_module: bool,
}

impl LaunchRefusal {
    /// Without places.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), places: Vec::new(), in_module: true }
    }

    /// No launch was chosen. `above` says that it would stand in the module.
    pub fn not_chosen(why: LaunchChoiceError, above: bool) -> Self {
        match why {
            LaunchChoiceError::Kernel(message) => Self::new("no-kernel", message),
            LaunchChoiceError::Launch(mistakes) => Self::launch(&mistakes, above),
        }
    }

    /// A launch of an entry cannot be run.
    pub fn refused(why: EvaluationError, entry: &str, above: bool) -> Self {
        match why {
            EvaluationError::Launch(mistakes) => Self::launch(&mistakes, above),
            EvaluationError::Kernel(why) => Self::new("kernel", format!("`{entry}` cannot be run: {why}")),
            EvaluationError::Errors(errors) => {
                let first = errors.first().map_or_else(String::new, ptx_analysis::Diagnostic::message);
                let places = errors.iter().map(|e| (e.range.clone(), e.message())).collect();
                let message = format!("`{entry}` cannot be run before errors are mended: {first}");
                Self { kind: "errors", message, places, in_module: true }
            }
        }
    }

    /// A launch has mistakes. `in_module` says that it is written in the module.
    pub fn launch(mistakes: &[LaunchMistake], in_module: bool) -> Self {
        let places: Vec<_> = mistakes.iter().map(|m| (m.range.clone(), mistake(m))).collect();
        let message = match &places[..] {
            [] => "the launch cannot be understood".to_owned(),
            [(_, only)] => format!("the launch has a mistake: {only}"),
            [(_, first), more @ ..] => format!("the launch has mistakes: {first}, and {} more", more.len()),
        };
        Self { kind: "launch", message, places, in_module }
    }

    /// In one line, behind the name of what its first place is in, and the line there: `line` tells it of an offset.
    pub fn located(&self, name: &str, line: &dyn Fn(usize) -> usize) -> String {
        let first = self.places.first().filter(|(range, _)| !range.is_empty());
        let at = first.map_or_else(String::new, |(range, _)| format!(":{}", line(range.start)));
        format!("{name}{at}: {}", self.message)
    }
}

/// A mistake in one line.
pub fn mistake(mistake: &LaunchMistake) -> String {
    match &mistake.help {
        Some(help) => format!("{} ({help})", mistake.message),
        None => mistake.message.clone(),
    }
}
