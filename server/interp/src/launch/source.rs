//! Launches in the text of a module: `//!` lines above kernels.

use super::argument::{LineKind, arguments};
use super::{Launch, LaunchMistake, expectations, list, nearest};
use ptx_flow::program::{ModuleProgram, ProgramFunction};
use ptx_syntax::trivia::open_after;
use std::ops::Range;

/// The launches in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedLaunches {
    /// The launches, in the order of the text. Their names are not checked yet: [`super::settle`] does that.
    pub launches: Vec<Launch>,
    /// The errors in the lines.
    pub mistakes: Vec<LaunchMistake>,
}

const LAUNCH: &str = "launch";
const PARAMETERS: &str = "params";
const GLOBALS: &str = "globals";
const BUFFERS: &str = "buffers";
const EXPECT: &str = "expect";
const KEYWORDS: [&str; 5] = [LAUNCH, PARAMETERS, GLOBALS, BUFFERS, EXPECT];

/// A line of a launch.
struct LaunchLine<'t> {
    keyword: &'t str,
    text: &'t str,
    /// Byte offset of `text` in the file.
    base: usize,
    range: Range<usize>,
}

impl LaunchLine<'_> {
    /// Parses the line into a launch.
    fn read(&self, launch: &mut Launch, mistakes: &mut Vec<LaunchMistake>) {
        let names = match self.keyword {
            EXPECT => {
                let (expected, wrong) = expectations(self.text, self.base);
                launch.expectations.extend(expected);
                return mistakes.extend(wrong);
            }
            PARAMETERS => LineKind::Parameters,
            GLOBALS => LineKind::Globals,
            BUFFERS => LineKind::Buffers,
            _ => LineKind::Launch,
        };
        mistakes.extend(arguments(self.text, self.base, names, launch));
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
                LaunchLine { keyword: LAUNCH, text: bare, base: at, range }.read(&mut launch, &mut mistakes)
            }
            None => {
                let wrong = LaunchMistake::new(range, "this is no line of a launch");
                mistakes.push(wrong.help(format!("a line begins with one of {}", list(KEYWORDS))));
            }
        }
    }
    mistakes.sort_by_key(|m| m.range.start);
    (launch, mistakes)
}

/// Parses the launches of a module. `program` must be made from the same text: it gives the positions of functions.
pub fn launches(text: &str, program: &ModuleProgram) -> ParsedLaunches {
    let mut out = ParsedLaunches::default();
    let lines = lines(text, &mut out.mistakes);
    if lines.is_empty() {
        return out;
    }
    let mut functions: Vec<&ProgramFunction> =
        program.functions.iter().filter(|c| c.body.is_some() || c.kernel).collect();
    functions.sort_by_key(|c| c.start);
    let mut current: Option<(&str, bool)> = None;
    for line in &lines {
        let next = functions.partition_point(|c| c.start < line.range.start);
        let around = functions.get(next.wrapping_sub(1)).filter(|c| {
            let end = c.body.as_ref().map_or(0, |b| b.body.end as usize);
            c.start + end > line.range.start
        });
        let kernel = match (around, functions.get(next)) {
            (Some(around), _) => {
                let words = format!("this line stands in `{}`", around.name);
                out.mistakes
                    .push(LaunchMistake::new(line.range.clone(), words).help("lines of a launch stand above a kernel"));
                continue;
            }
            (None, Some(callable)) if callable.kernel => &*callable.name,
            (None, Some(callable)) => {
                let words = format!("`{}`, above which this line stands, is no kernel", callable.name);
                let help = "only an `.entry` can be launched: put the line right above one";
                out.mistakes.push(LaunchMistake::new(line.range.clone(), words).help(help));
                continue;
            }
            (None, None) => {
                let wrong = LaunchMistake::new(line.range.clone(), "no kernel follows that could be launched");
                out.mistakes.push(wrong.help("lines of a launch stand above the kernel that they are for"));
                continue;
            }
        };
        let begins = line.keyword == LAUNCH || current.is_none_or(|(name, _)| name != kernel);
        if begins {
            if ![LAUNCH, EXPECT].contains(&line.keyword) {
                let words = format!("`{}:` adds to a launch, but no `launch:` stands before it", line.keyword);
                out.mistakes.push(LaunchMistake::new(line.range.clone(), words).help("write `//! launch:` first"));
            }
            out.launches.push(Launch { entry: kernel.into(), range: line.range.clone(), ..Launch::default() });
            current = Some((kernel, true));
        }
        let Some(launch) = out.launches.last_mut() else { continue };
        launch.range.end = line.range.end;
        line.read(launch, &mut out.mistakes);
    }
    out.mistakes.sort_by_key(|m| m.range.start);
    out
}

/// The `//!` lines that begin with a keyword. Other `//!` lines are comments; a misspelled keyword is an error.
fn lines<'t>(text: &'t str, mistakes: &mut Vec<LaunchMistake>) -> Vec<LaunchLine<'t>> {
    let mut out = Vec::new();
    if !text.contains("//!") {
        return out;
    }
    let mut start = 0;
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
    if let Some(keyword) = KEYWORDS.iter().find(|k| **k == word) {
        return Some(LaunchLine { keyword, text, base: at + before.len() + 1, range });
    }
    // Prose may contain a colon, too. A misspelled keyword is therefore reported only if an assignment follows.
    let meant = nearest(word, KEYWORDS).filter(|_| text.contains('=') && !word.contains(' '))?;
    let start = at + before.len() - before.trim_start().len();
    let wrong = LaunchMistake::new(start..start + word.len(), format!("`{word}:` is no line of a launch"));
    mistakes.push(wrong.help(format!("did you mean `{meant}:`?")));
    None
}
