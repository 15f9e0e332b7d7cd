//! Input files: finding, reading and decoding them, and positions in them.

use super::files::complain;
use ptx_gate::files::{self, FolderSearch, FoundFile, ReadFailure, SearchItem};
use ptx_gate::names::{self, FileName};
use ptx_launch::files::{binary_format, decode, is_markup};
use ptx_syntax::{Rope, Snapshot};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// Bytes of a megabyte, as settings and options count them.
const MEGABYTE: u64 = 1_000_000;

/// Maximum size of a file found in a folder, in megabytes: that of files which the language server reads (`workspace.megabytes`).
const MAX_FOUND: u64 = 32;

/// Maximum size of a file that is named, and of standard input, in megabytes.
const MAX_NAMED: u64 = 256;

/// What to read in folders, and how much.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct InputLimits {
    /// Follow links in folders, wherever they lead; otherwise only links to files in the same folder are followed
    #[arg(long)]
    pub follow: bool,
    /// Maximum size of a file in megabytes [default: 32 for files in folders, 256 for files that are named]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub max_size: Option<u64>,
}

/// The origin of an input text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputOrigin {
    /// Named on the command line.
    Named(PathBuf),
    /// Found in a folder that was named on the command line.
    Found {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Standard input, written `-`.
    StandardInput,
}

impl InputOrigin {
    /// Its path; `None` for standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(path) | Self::Found { path, .. } => Some(path),
            Self::StandardInput => None,
        }
    }

    /// Its name in messages, with `/` on every system.
    pub fn name(&self) -> Cow<'_, str> {
        let Some(path) = self.path() else { return Cow::Borrowed("<stdin>") };
        if !cfg!(windows) {
            return path.to_string_lossy();
        }
        Cow::Owned(names::plain(path.to_owned()).to_string_lossy().replace('\\', "/"))
    }

    /// Reads the bytes of the input.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn read(&self, limits: InputLimits) -> Result<Vec<u8>, String> {
        let max = |usual: u64| limits.max_size.unwrap_or(usual) * MEGABYTE;
        let bytes = match self {
            Self::Named(path) => files::read_named(path, max(MAX_NAMED)),
            Self::Found { path, .. } => files::read(path, max(MAX_FOUND)),
            Self::StandardInput => files::read_stream(io::stdin().lock(), max(MAX_NAMED)),
        };
        bytes.map_err(|failure| reason(&failure))
    }
}

/// Why an input gives no text, and what to do about it.
fn reason(failure: &ReadFailure) -> String {
    let megabytes = |bytes: &u64| bytes.div_ceil(MEGABYTE);
    match failure {
        ReadFailure::TooLong { length: Some(length), max } => {
            let (length, max) = (megabytes(length), megabytes(max));
            format!("it has {length} MB, and at most {max} MB are read: --max-size {length} raises the limit")
        }
        ReadFailure::TooLong { length: None, max } => {
            format!("it has more than {} MB, which is the limit: --max-size raises it", megabytes(max))
        }
        failure => failure.to_string(),
    }
}

/// The content of an input file: a text, or what is made of it.
#[derive(Debug)]
pub enum InputContent<T> {
    /// A text; the flag is true if some of its bytes were not valid UTF-8.
    Text(T, bool),
    /// An XML document: PreTeXt files have the same extension.
    Markup,
    /// It cannot be read.
    Unreadable(String),
}

impl InputOrigin {
    /// Reads and decodes the input.
    pub fn text(&self, limits: InputLimits) -> InputContent<String> {
        let bytes = match self.read(limits) {
            Ok(bytes) => bytes,
            Err(reason) => return InputContent::Unreadable(reason),
        };
        if let Some(sentence) = binary_format(&bytes) {
            return InputContent::Unreadable(sentence.to_owned());
        }
        let (text, lossy) = decode(bytes);
        if is_markup(text.chars()) { InputContent::Markup } else { InputContent::Text(text, lossy) }
    }

    /// Reads and decodes the input, and parses it on one thread.
    pub fn open(&self, limits: InputLimits) -> InputContent<Snapshot> {
        self.open_in_pieces(limits, 1)
    }

    /// Like `open`, but parses chunks on several threads if that is faster, for callers that read the whole file.
    pub fn open_in_pieces(&self, limits: InputLimits, threads: usize) -> InputContent<Snapshot> {
        match self.text(limits) {
            InputContent::Text(text, lossy) => InputContent::Text(Snapshot::in_chunks(&text, threads), lossy),
            InputContent::Markup => InputContent::Markup,
            InputContent::Unreadable(why) => InputContent::Unreadable(why),
        }
    }
}

/// An argument, or something in a folder, that gives no input.
#[derive(Debug)]
pub struct InputProblem {
    /// Its path.
    pub place: String,
    /// Why it gives none.
    pub reason: String,
    /// It is a folder without PTX files: there was nothing to read.
    pub is_empty: bool,
}

/// The files that a command searches folders for.
#[derive(Debug, Clone, Copy)]
pub struct WantedFiles {
    /// Their name in messages, in the singular.
    pub name: &'static str,
    /// Whether a file of this path is one.
    pub is_wanted: fn(&Path) -> bool,
}

/// PTX files.
pub const PTX_FILES: WantedFiles = WantedFiles { name: ".ptx file", is_wanted: is_ptx };

/// The files that the arguments mean, and what gives no input. A file is listed once, in the order of the arguments;
/// folders are searched in alphabetical order. Complains of links to other folders.
pub fn find(arguments: &[PathBuf], wanted: &WantedFiles, limits: InputLimits) -> (Vec<InputOrigin>, Vec<InputProblem>) {
    let (mut origins, mut problems, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for path in arguments {
        if path.as_os_str() == "-" {
            origins.push(InputOrigin::StandardInput);
        } else if files::is_named_folder(path) {
            let before = (origins.len(), problems.len());
            let search = FolderSearch {
                is_wanted: wanted.is_wanted,
                follow_links: limits.follow,
                skip_ignored: false,
                excluded: None,
            };
            let problem = |place: &Path, reason: String| InputProblem {
                place: place.display().to_string(),
                reason,
                is_empty: false,
            };
            match search.run(path) {
                Ok(items) => items.for_each(|item| match item {
                    SearchItem::File(FoundFile { path: file, .. }) => {
                        origins.push(InputOrigin::Found { path: file, folder: path.clone() });
                    }
                    SearchItem::LinkOut { path, is_folder: true } => links.push(path),
                    SearchItem::LinkOut { path, is_folder: false } => {
                        let reason = "this link leads out of the folder and is not followed: --follow follows links";
                        problems.push(problem(&path, reason.to_owned()));
                    }
                    SearchItem::Unreadable { path, reason } => problems.push(problem(&path, reason)),
                    SearchItem::Other => {}
                }),
                Err(error) => problems.push(problem(path, error.to_string())),
            }
            if before == (origins.len(), problems.len()) {
                let reason = format!("there is no {} in this folder", wanted.name);
                problems.push(InputProblem { place: path.display().to_string(), reason, is_empty: true });
            }
        } else {
            origins.push(InputOrigin::Named(path.clone()));
        }
    }
    complain_of_links(&links);
    let mut seen = HashSet::new();
    origins.retain(|origin| seen.insert(origin.path().map(identity)));
    (origins, problems)
}

/// The file that an argument or a search names. Links before `..` are followed, since they may lead elsewhere.
fn identity(path: &Path) -> FileName {
    let goes_up = path.components().any(|component| component == Component::ParentDir);
    let real = goes_up.then(|| files::real(path).ok()).flatten();
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    FileName::of_path(&real.unwrap_or_else(absolute))
}

/// Says that links to folders were not followed.
fn complain_of_links(links: &[PathBuf]) {
    let Some(first) = links.first() else { return };
    let what = match links.len() {
        1 => "this link leads to another folder and is not followed".to_owned(),
        all => format!("this link and {} more lead to other folders and are not followed", all - 1),
    };
    complain(&format!("{}: {what}: --follow follows links", first.display()));
}

fn is_ptx(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ptx"))
}

/// A position as line and column, both from 1; columns count bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// The line and column of a byte offset.
pub fn place(rope: &Rope, offset: usize) -> LineColumn {
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    LineColumn { line: line + 1, column: offset - rope.line_to_byte(line) + 1 }
}

/// A part of a line around a token.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, shortened if the line is long.
    pub text: String,
    /// The byte range of the token in `text`.
    pub token: Range<usize>,
}

/// The line in which a range begins, shortened to fit on a screen: lines of generated PTX can be hundreds of kilobytes.
pub fn excerpt(rope: &Rope, range: &Range<usize>) -> Excerpt {
    const AROUND: usize = 60;
    const TOKEN: usize = 80;
    let boundary = |byte: usize| rope.char_to_byte(rope.byte_to_char(byte.min(rope.len_bytes())));
    let text = |range: Range<usize>| Cow::<str>::from(rope.byte_slice(range));
    let start = boundary(range.start);
    let line = rope.byte_to_line(start);
    let line_start = rope.line_to_byte(line);
    let next = rope.line_to_byte((line + 1).min(rope.len_lines()));
    // Exclude the line break.
    let tail = text(boundary(next.saturating_sub(2)).max(line_start)..next);
    let line_end = (next - (tail.len() - tail.trim_end_matches(['\r', '\n']).len())).max(start);
    let end = boundary(range.end).clamp(start, line_end);
    let (mut from, mut to) = (line_start, line_end);
    if to - from > 2 * AROUND + TOKEN {
        from = boundary(start.saturating_sub(AROUND)).max(line_start);
        to = boundary(end.min(start + TOKEN) + AROUND).min(line_end);
    }
    let end = end.min(to);
    let (before, after) = (if from > line_start { "…" } else { "" }, if to < line_end { "…" } else { "" });
    let shift = before.len();
    let text = format!("{before}{}{after}", text(from..to));
    Excerpt { text, token: start - from + shift..end - from + shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_listed_once_in_whichever_spelling() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        std::fs::write(folder.path().join("a.ptx"), "").unwrap();
        let file = folder.path().join("a.ptx");
        let mut names = vec![file.clone(), folder.path().to_owned(), folder.path().join("./a.ptx")];
        names.push(folder.path().join("deep/../a.ptx"));
        if cfg!(windows) {
            let text = file.to_str().unwrap();
            names.extend([text.to_uppercase().into(), text.replace('\\', "/").into(), file.canonicalize().unwrap()]);
        }
        let limits = InputLimits { max_size: None, follow: false };
        let (origins, problems) = find(&names, &PTX_FILES, limits);
        assert_eq!(origins.iter().filter_map(InputOrigin::path).collect::<Vec<_>>(), [&*file]);
        assert!(problems.is_empty());
    }

    #[test]
    fn excerpts() {
        let excerpt = |text: &str, range| {
            let excerpt = excerpt(&Rope::from_str(text), &range);
            (excerpt.text.clone(), excerpt.text[excerpt.token].to_owned())
        };
        assert_eq!(excerpt("ab\r\ncde\r\nf", 5..6), ("cde".into(), "d".into()));
        assert_eq!(excerpt("ab ü\nc", 0..1), ("ab ü".into(), "a".into()));
        assert_eq!(excerpt("ab\ncde", 6..6), ("cde".into(), String::new()));
        assert_eq!(excerpt("ab\n", 3..3), (String::new(), String::new()));
        assert_eq!(excerpt("ab\ncd", 1..5), ("ab".into(), "b".into()));
        assert_eq!(excerpt("", 0..0), (String::new(), String::new()));
        assert_eq!(excerpt("ab\n", 2..3), ("ab".into(), String::new()));
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}é{}", "ü".repeat(100_000), "ß".repeat(100_000));
        let excerpt = excerpt(&Rope::from_str(&text), &(200_000..200_002));
        assert_eq!(&excerpt.text[excerpt.token.clone()], "é");
        assert!(excerpt.text.len() < 300, "{}", excerpt.text);
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
    }
}
