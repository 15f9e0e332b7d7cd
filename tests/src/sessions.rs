//! Editing sessions: after every edit, the incremental results must equal those of a fresh check.

use crate::generate::Random;
use ptx_check::{Analyzer, Diagnostic};
use ptx_flow::registers::report;
use ptx_syntax::{Document, Snapshot};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A document that is checked incrementally after each edit, as in an editor.
#[derive(Debug)]
pub struct Session {
    document: Document,
    analyzer: Analyzer,
    chunks: Option<usize>,
    texts: Vec<String>,
    /// Number of edits.
    pub edits: usize,
}

/// The compared results: diagnostics and flow lints, and the register reports.
fn everything(analyzer: &mut Analyzer, snapshot: &Snapshot) -> (Vec<Diagnostic>, String) {
    let first = analyzer.analyze(snapshot);
    let mut out = first.diagnostics;
    out.extend(analyzer.lints(snapshot, &|| false).unwrap_or_default());
    (out, format!("{:?}", report(snapshot, &analyzer.facts(), first.environment.target)))
}

fn analyzer() -> Analyzer {
    let mut out = Analyzer::default();
    out.keep_addresses();
    out
}

impl Session {
    /// Opens a text, as a whole or in chunks with this minimum number of bytes.
    pub fn new(text: &str, chunks: Option<usize>) -> Self {
        let document = match chunks {
            Some(size) => Document::with_chunk_size(text, 1, size),
            None => Document::new(text),
        };
        let mut out = Self { document, analyzer: analyzer(), chunks, texts: vec![text.to_owned()], edits: 0 };
        everything(&mut out.analyzer, &out.document.snapshot());
        out
    }

    /// The current text.
    pub fn text(&self) -> &str {
        self.texts.last().map_or("", |text| text)
    }

    /// The shortest sequence of recent texts that reproduces the difference.
    fn shortest(&self) -> Vec<String> {
        let shows = |texts: &[String]| {
            let mut session = Self::new(&texts[0], self.chunks);
            catch_unwind(AssertUnwindSafe(|| {
                for text in &texts[1..] {
                    let snapshot = session.replaced(text);
                    everything(&mut session.analyzer, &snapshot);
                }
                let snapshot = session.document.snapshot();
                everything(&mut session.analyzer, &snapshot) != everything(&mut analyzer(), &snapshot)
            }))
            .unwrap_or(true)
        };
        let last = self.texts.len();
        let mut out =
            (2..=last).map(|n| &self.texts[last - n..]).find(|texts| shows(texts)).unwrap_or(&self.texts).to_vec();
        let mut at = 1;
        while at + 1 < out.len() {
            let mut fewer = out.clone();
            fewer.remove(at);
            if shows(&fewer) { out = fewer } else { at += 1 }
        }
        out
    }

    /// Replaces the text by one edit, without checking it.
    fn replaced(&mut self, text: &str) -> Snapshot {
        let (old, new) = (self.text().as_bytes(), text.as_bytes());
        let mut start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let most = old.len().min(new.len()) - start;
        let mut same = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(new.len() - same) {
            same -= 1;
        }
        let end = old.len() - same;
        self.document.edit(start..end, &text[start..text.len() - same]);
        self.texts.push(text.to_owned());
        self.edits += 1;
        self.document.snapshot()
    }

    /// Replaces the text by one edit and checks it.
    ///
    /// # Panics If the incremental results differ from those of a fresh check.
    pub fn becomes(&mut self, text: &str) -> Vec<Diagnostic> {
        let snapshot = self.replaced(text);
        assert_eq!(snapshot.rope().to_string(), text);
        let remembered = everything(&mut self.analyzer, &snapshot);
        let fresh = everything(&mut analyzer(), &snapshot);
        if remembered != fresh {
            let steps = self.shortest();
            panic!(
                "{remembered:?}\nis remembered, and a fresh check finds\n{fresh:?}\nThe last texts:\n{}",
                steps.join("\n~~~~\n")
            );
        }
        remembered.0
    }
}

/// The line as a comment, deleted, or with a different type, size or bracket.
fn other_version(line: &str, random: &mut Random) -> String {
    let swaps = [
        (".b32", ".b64"),
        (".u32", ".f32"),
        (".u64", ".u32"),
        ("sm_80", "sm_50"),
        ("7.8", "6.0"),
        ("{", ""),
        ("}", ""),
    ];
    match random.below(5) {
        0 | 1 => format!("//{line}"),
        2 => String::new(),
        3 => line.replace(char::is_numeric, "2"),
        _ => {
            let at = random.below(swaps.len());
            let fitting = swaps.iter().cycle().skip(at).take(swaps.len()).find(|(from, _)| line.contains(from));
            fitting.map_or_else(|| format!("/*{line}*/"), |(from, to)| line.replace(from, to))
        }
    }
}

fn is_declaration(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('.') || line.starts_with("//.") || line.starts_with('{') || line.starts_with('}')
}

/// Changes and restores random lines, declarations as often as their uses. Returns the number of edits.
pub fn toggle(text: &str, chunks: Option<usize>, steps: usize, random: &mut Random) -> usize {
    let original: Vec<&str> = text.lines().collect();
    let mut lines: Vec<String> = original.iter().map(|l| (*l).to_owned()).collect();
    let of = |declarations: bool| -> Vec<usize> {
        let all =
            original.iter().enumerate().filter(|(_, l)| !l.trim().is_empty() && is_declaration(l) == declarations);
        all.map(|(i, _)| i).collect()
    };
    let (declarations, uses) = (of(true), of(false));
    let mut session = Session::new(text, chunks);
    for _ in 0..steps {
        let from = if random.below(2) == 0 || uses.is_empty() { &declarations } else { &uses };
        let at = from[random.below(from.len())];
        let changed = lines[at] != original[at];
        // At most five lines are changed at a time.
        let away: Vec<usize> = (0..lines.len()).filter(|i| lines[*i] != original[*i]).collect();
        if changed || away.len() > 4 {
            let at = if changed { at } else { away[random.below(away.len())] };
            lines[at] = original[at].to_owned();
        } else {
            lines[at] = other_version(original[at], random);
        }
        session.becomes(&(lines.join("\n") + "\n"));
    }
    session.edits
}

/// Texts inserted at random positions.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "\n",
    "//",
    "/*",
    "*/",
    "\"",
    "%",
    "@%p1 ",
    ".b64",
    "x",
    "7",
    ".reg .b32 %r<3>;\n",
    ".reg .pred %p1;\n",
    ".global .b32 g;\n",
    ".func f();\n",
    ".target sm_100a\n",
    "bar.sync 0;\n",
    "ret;\n",
    "{ .reg .f32 %r1; ",
];

/// Deletes, inserts and moves text at random positions, and occasionally restores the original. Returns the number of
/// edits.
pub fn scribble(text: &str, chunks: Option<usize>, steps: usize, random: &mut Random) -> usize {
    let mut session = Session::new(text, chunks);
    for step in 1..=steps {
        let now = session.text();
        let place = |random: &mut Random| {
            let mut at = random.below(now.len() + 1);
            while !now.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (from, to) = (place(random), place(random));
        let near = (from + 1 + random.below(30)).min(now.len());
        let near = (near..=now.len()).find(|at| now.is_char_boundary(*at)).unwrap_or(now.len());
        let next = match random.below(10) {
            _ if step % 40 == 0 => text.to_owned(),
            0..4 => format!("{}{}{}", &now[..from], PIECES[random.below(PIECES.len())], &now[from..]),
            4..8 => format!("{}{}", &now[..from], &now[near..]),
            // Move a part to another position.
            8 if !(from..near).contains(&to) => {
                let cut = format!("{}{}", &now[..from], &now[near..]);
                let to = if to >= near { to - (near - from) } else { to };
                format!("{}{}{}", &cut[..to], &now[from..near], &cut[to..])
            }
            _ => format!("{}{}{}", &now[..near], &now[from..near], &now[near..]),
        };
        session.becomes(&next);
    }
    session.edits
}
