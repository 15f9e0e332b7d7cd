//! The diagnostics that a user sees while typing. Kernels are typed key by key; the tests count the states that show an
//! error on a line other than the edited one.

use ptx_check::{Analyzer, Diagnostic, Severity};
use ptx_ide::holding::{Holding, PAUSE};
use ptx_syntax::{Document, Snapshot};
use std::ops::{AddAssign, Range};
use std::time::Duration;

/// The pause after which the server runs the flow lints.
const LINTS: Duration = Duration::from_millis(250);

/// How a kernel is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The kernel is typed from top to bottom into an empty document.
    Plain,
    /// Like `Plain`, in an editor that inserts closing brackets.
    Closed,
}

/// Number of states in a session, by the diagnostics that they show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All states.
    pub states: usize,
    /// States with an error.
    pub errors: usize,
    /// States with an error on the edited line.
    pub here: usize,
    /// States with an error on another line.
    pub elsewhere: usize,
    /// States with an error more than one line away.
    pub far: usize,
    /// States with a warning on another line.
    pub warnings: usize,
    /// Maximum number of errors on other lines in one state.
    pub most: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.errors += other.errors;
        self.here += other.here;
        self.elsewhere += other.elsewhere;
        self.far += other.far;
        self.warnings += other.warnings;
        self.most = self.most.max(other.most);
    }
}

impl Counts {
    /// The share of states with an error on another line, in percent.
    pub fn share_elsewhere(&self) -> f64 {
        self.elsewhere as f64 * 100.0 / self.states.max(1) as f64
    }
}

/// An editor with the checks and the publication policy of the server, without a process or a clock.
pub struct Editor {
    document: Document,
    analyzer: Analyzer,
    holding: Option<Holding>,
    /// The current text.
    pub text: String,
    /// The byte offset at which the user types.
    pub caret: usize,
    /// The diagnostics published last.
    pub shown: Vec<Diagnostic>,
}

impl Editor {
    /// Opens a text and waits until everything is published. With `holds`, the server's delay of diagnostics is active.
    pub fn open(text: &str, holds: bool) -> Self {
        let mut editor = Self {
            document: Document::new(text),
            analyzer: Analyzer::default(),
            holding: holds.then(Holding::default),
            text: text.to_owned(),
            caret: text.len(),
            shown: Vec::new(),
        };
        editor.publish(Duration::ZERO);
        editor.pause(PAUSE);
        editor
    }

    /// Replaces a range, and publishes the diagnostics that are not delayed.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        if let Some(holding) = &mut self.holding {
            holding.edit(self.document.rope(), &range, new);
        }
        self.document.edit(range.clone(), new);
        if let Some(holding) = &mut self.holding {
            holding.settle(self.document.rope());
        }
        self.text.replace_range(range, new);
        self.publish(Duration::ZERO);
    }

    /// Types at the caret.
    pub fn insert(&mut self, new: &str) {
        let at = self.caret;
        self.caret += new.len();
        self.edit(at..at, new);
    }

    /// Saves the document.
    pub fn save(&mut self) {
        if let Some(holding) = &mut self.holding {
            holding.stop();
        }
        self.publish(LINTS);
    }

    /// Pauses: the server publishes the diagnostics that are due by then.
    pub fn pause(&mut self, pause: Duration) {
        for due in [LINTS, PAUSE] {
            if pause >= due {
                self.publish(due);
            }
        }
    }

    fn publish(&mut self, quiet: Duration) {
        let snapshot: Snapshot = self.document.snapshot();
        let mut found = self.analyzer.analyze(&snapshot).diagnostics;
        let complete = quiet >= LINTS;
        found.extend(if complete {
            self.analyzer.lints(&snapshot, &|| false).unwrap_or_default()
        } else {
            self.analyzer.remembered_lints().to_vec()
        });
        found.sort_by_key(|d| (d.range.start, d.range.end));
        if let Some(holding) = &mut self.holding {
            let split = holding.split(&snapshot, &found, quiet);
            holding.published(&found, &split, complete);
            let mut held = split.held.into_iter();
            found.retain(|_| held.next() == Some(false));
        }
        self.shown = found;
    }

    /// Counts the diagnostics that are currently shown.
    pub fn count(&self) -> Counts {
        let line = |offset: usize| self.text[..offset.min(self.text.len())].matches('\n').count();
        let here = line(self.caret);
        let mut out = Counts { states: 1, ..Counts::default() };
        for found in &self.shown {
            let (first, last) = (line(found.range.start), line(found.range.end.max(found.range.start + 1) - 1));
            let distance = if here < first { first - here } else { here.saturating_sub(last) };
            match found.severity {
                Severity::Error => {
                    out.errors = 1;
                    out.here |= usize::from(distance == 0);
                    out.elsewhere |= usize::from(distance > 0);
                    out.far |= usize::from(distance > 1);
                    out.most += usize::from(distance > 0);
                }
                Severity::Warning => out.warnings |= usize::from(distance > 0),
                _ => {}
            }
        }
        out
    }
}

/// Types a kernel from top to bottom, with a pause after each line.
pub fn type_whole(text: &str, mode: Mode, holds: bool, pause: Duration) -> Counts {
    let mut editor = Editor::open("", holds);
    let mut out = Counts::default();
    // Closing brackets that the editor has inserted after the caret.
    let mut closers: Vec<char> = Vec::new();
    for (at, key) in text.char_indices() {
        let rest = &editor.text[editor.caret..];
        let closer = closers.last().copied();
        let closes = |text: &str| closer.is_some_and(|c| text.trim_start().starts_with(c));
        let comment = text[..at].rsplit('\n').next().is_some_and(|line| line.contains("//"));
        // Enter opens a block only right after its bracket; within a list it is a plain line break.
        let opens = editor.text[..editor.caret].ends_with(['(', '[', '{']);
        let closing = match key {
            _ if mode == Mode::Plain || comment => None,
            '(' => Some(')'),
            '[' => Some(']'),
            '{' => Some('}'),
            _ => None,
        };
        if let Some(closing) = closing {
            editor.edit(editor.caret..editor.caret, &format!("{key}{closing}"));
            editor.caret += 1;
            closers.push(closing);
        } else if Some(key) == closer && rest.starts_with(key) && !comment {
            editor.caret += 1;
            closers.pop();
        } else if key == '\n' && rest.starts_with('\n') && closes(rest) && closes(&text[at..]) {
            editor.caret += 1;
        } else if key == '\n' && opens && closer.is_some_and(|c| rest.starts_with(c)) {
            editor.edit(editor.caret..editor.caret, "\n\n");
            editor.caret += 1;
        } else {
            editor.insert(key.encode_utf8(&mut [0; 4]));
        }
        out += editor.count();
        if key == '\n' && !pause.is_zero() {
            editor.pause(pause);
            out += editor.count();
        }
    }
    assert_eq!(editor.text, text, "what was typed");
    out
}

/// Whether a line contains a declaration, a parameter, or the header of a function.
pub fn declares(line: &str) -> bool {
    let line = line.trim_start();
    [".reg", ".param", ".shared", ".global", ".const", ".local", ".visible", ".entry", ".func", ".extern", ".weak"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// Whether a line contains an instruction.
pub fn instructs(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(|c: char| c.is_ascii_lowercase() || c == '@') && !line.ends_with(':')
}

/// Deletes the text of one line, keeps its line break, and types it again. Less than [`PAUSE`] passes between two keys;
/// before the first key there is no time limit.
pub fn retype_line(text: &str, line: Range<usize>, holds: bool) -> Counts {
    let mut editor = Editor::open(text, holds);
    let mut out = Counts::default();
    let indent = text[line.clone()].len() - text[line.clone()].trim_start().len();
    let start = line.start + indent;
    editor.caret = start;
    editor.edit(start..line.end, "");
    out += editor.count();
    for key in text[start..line.end].chars() {
        editor.insert(key.encode_utf8(&mut [0; 4]));
        out += editor.count();
    }
    assert_eq!(editor.text, text, "what was typed");
    out
}

/// The byte ranges of the lines of a text, without their line breaks.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}
