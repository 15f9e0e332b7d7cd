//! Tests of launches with their kernels.

mod examples;
mod guesses;
mod kernels;

use ptx_launch_syntax::LaunchMistake;
use std::fmt::Write;

/// The errors of a text: the marked text, the message, the advice.
fn mistakes(text: &str, mistakes: &[LaunchMistake]) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let _ = writeln!(out, "`{}`: {}", &text[mistake.range.clone()], mistake.message);
        let _ = mistake.help.iter().try_for_each(|help| writeln!(out, "    {help}"));
    }
    out
}
