//! Launches in the text of a module: `//!` lines above kernels.

use super::argument::arguments;
use super::expectation::expectations;
use super::launch::{Keyword, Launch, LineRange};
use super::mistake::{LaunchMistake, list, nearest};
use ptx_syntax::trivia::open_after;
use std::ops::Range;

/// The launches in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedLaunches {
    /// The launches, in the order of the text. Whether their names exist is not checked yet.
    pub launches: Vec<Launch>,
    /// The errors in the lines.
    pub mistakes: Vec<LaunchMistake>,
}

/// A function of a module, for the lines above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpan<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its byte range, from its linking directives to the end of its body.
    pub range: Range<usize>,
    /// Whether it is a kernel.
    pub kernel: bool,
}

/// A line of a launch.
struct LaunchLine<'t> {
    keyword: Keyword,
    text: &'t str,
    /// Byte offset of `text` in the file.
    base: usize,
    range: Range<usize>,
}

impl LaunchLine<'_> {
    /// Parses the line into a launch.
    fn read(&self, launch: &mut Launch, mistakes: &mut Vec<LaunchMistake>) {
        launch.lines.push(LineRange { keyword: self.keyword, range: self.range.clone() });
        if self.keyword == Keyword::Expect {
            let (expected, wrong) = expectations(self.text, self.base);
            launch.expectations.extend(expected);
            mistakes.extend(wrong);
        } else {
            mistakes.extend(arguments(self.text, self.base, self.keyword, launch));
        }
    }
}

/// Parses a single launch outside of a module: the same lines as above a kernel, with or without `//!`. The first one need not begin with
/// `launch:`. Ranges of errors refer to this text.
pub fn written(text: &str, entry: &str) -> (Launch, Vec<LaunchMistake>) {
    let mut launch = Launch { entry: entry.into(), ..Launch::default() };
    let mut mistakes = Vec::new();
    let mut start = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let begin = start;
        start += whole.len();
        let content = whole.trim_end();
        let bare = content.trim_start();
        let bare = bare.strip_prefix("//!").unwrap_or(bare);
        let at = begin + content.len() - bare.len();
        let range = at..begin + content.len();
        let before = mistakes.len();
        match keyword(bare, at, range.clone(), &mut mistakes) {
            Some(line) => line.read(&mut launch, &mut mistakes),
            None if mistakes.len() > before => {}
            None if bare.trim().is_empty() => {}
            None if index == 0 => {
                LaunchLine { keyword: Keyword::Launch, text: bare, base: at, range }.read(&mut launch, &mut mistakes)
            }
            None => {
                let wrong = LaunchMistake::new(range, "this is not a line of a launch");
                mistakes
                    .push(wrong.help(format!("a line begins with one of {}", list(Keyword::ALL.map(Keyword::name)))));
            }
        }
    }
    mistakes.sort_by_key(|m| m.range.start);
    (launch, mistakes)
}

/// Parses the launches above the kernels of a module. `text` is the module, or a part of it that begins at offset `base` outside of comments;
/// `functions` are those functions of the part, in order, that have a body or are kernels.
pub fn launches(text: &str, base: usize, functions: &[FunctionSpan<'_>]) -> ParsedLaunches {
    let mut out = ParsedLaunches::default();
    let mut current = None;
    for line in lines(text, base, &mut out.mistakes) {
        let next = functions.partition_point(|f| f.range.start < line.range.start);
        let around = next.checked_sub(1).and_then(|at| functions.get(at)).filter(|f| f.range.end > line.range.start);
        let kernel = match (around, functions.get(next)) {
            (Some(around), _) => {
                let words = format!("this line is inside `{}`", around.name);
                out.mistakes.push(LaunchMistake::new(line.range.clone(), words).help("launch lines go above a kernel"));
                continue;
            }
            (None, Some(function)) if function.kernel => function.name,
            (None, Some(function)) => {
                let words = format!("this line is above `{}`, which is not a kernel", function.name);
                let help = "only an `.entry` can be launched: put the line right above one";
                out.mistakes.push(LaunchMistake::new(line.range.clone(), words).help(help));
                continue;
            }
            (None, None) => {
                let wrong = LaunchMistake::new(line.range.clone(), "no kernel follows this line");
                out.mistakes.push(wrong.help("launch lines go above their kernel"));
                continue;
            }
        };
        if line.keyword == Keyword::Launch || current != Some(kernel) {
            if ![Keyword::Launch, Keyword::Expect].contains(&line.keyword) {
                let words =
                    format!("`{}:` extends a launch, but no `launch:` line comes before it", line.keyword.name());
                out.mistakes.push(LaunchMistake::new(line.range.clone(), words).help("write `//! launch:` first"));
            }
            out.launches.push(Launch { entry: kernel.into(), range: line.range.clone(), ..Launch::default() });
            current = Some(kernel);
        }
        let Some(launch) = out.launches.last_mut() else { continue };
        launch.range.end = line.range.end;
        line.read(launch, &mut out.mistakes);
    }
    out.mistakes.sort_by_key(|m| m.range.start);
    out
}

/// The `//!` lines that begin with a keyword. Other `//!` lines are comments; a misspelled keyword is an error.
fn lines<'t>(text: &'t str, base: usize, mistakes: &mut Vec<LaunchMistake>) -> Vec<LaunchLine<'t>> {
    let mut out = Vec::new();
    if !text.contains("//!") {
        return out;
    }
    let mut start = base;
    // The comment or the line for a preprocessor that goes on behind a line.
    let mut inside = None;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        let remark = content.get(indent..).and_then(|c| c.strip_prefix("//!"));
        match remark {
            Some(remark) if inside.is_none() => {
                let at = begin + content.len() - remark.len();
                out.extend(keyword(remark, at, begin + indent..begin + content.len(), mistakes));
            }
            _ => inside = open_after(line.as_bytes(), inside),
        }
    }
    out
}

fn keyword<'t>(
    remark: &'t str,
    at: usize,
    range: Range<usize>,
    mistakes: &mut Vec<LaunchMistake>,
) -> Option<LaunchLine<'t>> {
    let (before, text) = remark.split_once(':')?;
    let word = before.trim();
    if let Some(keyword) = Keyword::ALL.into_iter().find(|k| k.name() == word) {
        return Some(LaunchLine { keyword, text, base: at + before.len() + 1, range });
    }
    // Prose may contain a colon, too. A misspelled keyword is therefore reported only if an assignment follows.
    let meant = nearest(word, Keyword::ALL.map(Keyword::name)).filter(|_| text.contains('=') && !word.contains(' '))?;
    let start = at + before.len() - before.trim_start().len();
    let wrong = LaunchMistake::new(start..start + word.len(), format!("`{word}:` is not a line of a launch"));
    mistakes.push(wrong.help(format!("did you mean `{meant}:`?")));
    None
}
