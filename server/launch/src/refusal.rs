//! The reason why a launch was not run, for people and for programs.

use super::choose::LaunchChoiceError;
use super::evaluate::EvaluationError;
use ptx_gate::words::visible;
use ptx_launch_syntax::LaunchMistake;
use std::ops::Range;

/// The reason why a launch was not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRefusal {
    /// Kind for programs: `not-open`, `no-kernel`, `launch`, `errors`, `kernel`, `off`.
    pub kind: &'static str,
    /// Message in one line, without unsafe characters.
    pub message: String,
    /// Related places as byte ranges, each with a message.
    pub places: Vec<(Range<usize>, String)>,
    /// Whether the places are in the module, not in a launch of the request.
    pub in_module: bool,
}

impl LaunchRefusal {
    /// Creates a refusal without places.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: visible(&message.into()).into_owned(), places: Vec::new(), in_module: true }
    }

    /// Creates the refusal for a query that selects no launch. `above`: the launch would be written in the module.
    pub fn not_chosen(why: LaunchChoiceError, above: bool) -> Self {
        match why {
            LaunchChoiceError::Kernel(message) => Self::new("no-kernel", message),
            LaunchChoiceError::Launch(mistakes) => Self::launch(&mistakes, above),
        }
    }

    /// Creates the refusal for a launch of `entry` that cannot be run.
    pub fn refused(why: EvaluationError, entry: &str, above: bool) -> Self {
        match why {
            EvaluationError::Launch(mistakes) => Self::launch(&mistakes, above),
            EvaluationError::Kernel(why) => Self::new("kernel", format!("`{entry}` cannot be run: {why}")),
            EvaluationError::Errors(errors) => {
                let first = errors.first().map_or_else(String::new, ptx_check::Diagnostic::message);
                let places = errors.iter().map(|e| (e.range.clone(), e.message())).collect();
                let message = format!("`{entry}` has errors and cannot be run: {first}");
                Self { kind: "errors", message, places, in_module: true }
            }
        }
    }

    /// Creates the refusal for a launch with mistakes. `in_module`: the launch is written in the module.
    pub fn launch(mistakes: &[LaunchMistake], in_module: bool) -> Self {
        let places: Vec<_> = mistakes.iter().map(|m| (m.range.clone(), mistake(m))).collect();
        let message = match &places[..] {
            [] => "the launch cannot be read".to_owned(),
            [(_, only)] => format!("the launch has a mistake: {only}"),
            [(_, first), more @ ..] => format!("the launch has mistakes: {first}, and {} more", more.len()),
        };
        Self { kind: "launch", message, places, in_module }
    }

    /// Returns one line: the name of the file with the first place, the line there, and the message. `line` maps an offset to
    /// its line.
    pub fn located(&self, name: &str, line: &dyn Fn(usize) -> usize) -> String {
        let first = self.places.first().filter(|(range, _)| !range.is_empty());
        let at = first.map_or_else(String::new, |(range, _)| format!(":{}", line(range.start)));
        format!("{name}{at}: {}", self.message)
    }
}

/// Formats a mistake in one line, without unsafe characters of the launch that it quotes.
pub fn mistake(mistake: &LaunchMistake) -> String {
    let text = match &mistake.help {
        Some(help) => format!("{} ({help})", mistake.message),
        None => mistake.message.clone(),
    };
    visible(&text).into_owned()
}
