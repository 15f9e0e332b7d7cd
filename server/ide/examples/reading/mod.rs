//! PTX files as statements of tokens, by their text alone: for the programs that count what follows what and that measure completion.

#![allow(dead_code)]

use ptx_isa::ISA;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, with or without `%`; a special register with its component.
    Word,
    /// A word with a dot.
    Dot,
    /// A number.
    Number,
    /// A string.
    String,
    /// Any other character.
    Sign,
}

/// A token.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in the text.
    pub range: Range<usize>,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Outside of functions.
    Module,
    /// In a body.
    Body,
    /// In a section of debug information.
    Section,
}

/// A statement: an instruction, a declaration, a directive, the header of a function, a label, or a brace.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Where it stands.
    pub level: Level,
    /// Its tokens, without the `;`.
    pub tokens: Vec<Token>,
}

impl Statement {
    /// The text of a token; empty beyond the last one.
    pub fn at<'t>(&self, text: &'t str, index: usize) -> &'t str {
        self.tokens.get(index).and_then(|t| text.get(t.range.clone())).unwrap_or("")
    }

    /// The token that is the opcode, if this is an instruction.
    pub fn opcode(&self, text: &str) -> Option<usize> {
        let guard = match (self.at(text, 0), self.at(text, 1)) {
            ("@", "!") => 3,
            ("@", _) => 2,
            _ => 0,
        };
        let word = self.tokens.get(guard).is_some_and(|t| t.kind == Kind::Word);
        (self.level == Level::Body && word && ISA.opcode(self.at(text, guard)).is_some()).then_some(guard)
    }

    /// The opcode with its modifiers as they are written.
    pub fn mnemonic<'t>(&self, text: &'t str) -> Option<(&'t str, Vec<&'t str>)> {
        let opcode = self.opcode(text)?;
        Some((self.at(text, opcode), (opcode + 1..self.operands(text)?).map(|i| self.at(text, i)).collect()))
    }

    /// The token with which the operands of an instruction begin.
    pub fn operands(&self, text: &str) -> Option<usize> {
        let opcode = self.opcode(text)?;
        let touches = |i: usize| {
            self.tokens.get(i).is_some_and(|t| self.tokens.get(i - 1).is_some_and(|p| p.range.end == t.range.start))
        };
        let mut end = opcode + 1;
        while self.tokens.get(end).is_some_and(|t| t.kind == Kind::Dot) && touches(end) {
            end += 1;
        }
        Some(end)
    }
}

fn is_part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$')
}

fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| is_part(*b)) {
        at += 1;
    }
    at
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        let find = |what: &str| text.get(at..).and_then(|t| t.find(what)).map_or(bytes.len(), |n| at + n);
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with(b"//") || byte == b'#' {
            at = find("\n");
            continue;
        }
        if rest.starts_with(b"/*") {
            at = (find("*/") + 2).min(bytes.len());
            continue;
        }
        let kind = match byte {
            b'"' => {
                at = bytes.iter().skip(at + 1).position(|b| *b == b'"').map_or(bytes.len(), |n| start + n + 2);
                Kind::String
            }
            b'.' if rest.get(1).is_some_and(|b| is_part(*b)) => {
                at = word_end(bytes, at + 1);
                while bytes.get(at..at + 2) == Some(b"::") {
                    at = word_end(bytes, at + 2);
                }
                Kind::Dot
            }
            b'0'..=b'9' => {
                at = word_end(bytes, at);
                if bytes.get(at) == Some(&b'.') {
                    at = word_end(bytes, at + 1);
                }
                Kind::Number
            }
            b'%' => {
                at = word_end(bytes, at + 1);
                let name = text.get(start..at).unwrap_or("");
                if ISA.special_register(name).is_some_and(|r| !r.components.is_empty()) && bytes.get(at) == Some(&b'.')
                {
                    at = word_end(bytes, at + 1);
                }
                Kind::Word
            }
            b if is_part(b) => {
                at = word_end(bytes, at);
                Kind::Word
            }
            _ => {
                at += text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
                Kind::Sign
            }
        };
        out.push(Token { kind, range: start..at });
    }
    out
}

/// Directives that end with their line.
const LINES: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];

/// The statements of a file.
pub fn statements(text: &str) -> Vec<Statement> {
    let all = tokens(text);
    let mut out: Vec<Statement> = Vec::new();
    let mut current: Vec<Token> = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let level = |levels: &[Level]| levels.last().copied().unwrap_or(Level::Module);
    for (index, token) in all.iter().enumerate() {
        let word = text.get(token.range.clone()).unwrap_or("");
        let first = current.first().and_then(|t| text.get(t.range.clone())).unwrap_or("");
        // A directive that ends with its line, and has one before it.
        if LINES.contains(&first) {
            let between = current.last().map_or(0, |t| t.range.end)..token.range.start;
            let last = current.last().and_then(|t| text.get(t.range.clone()));
            if text.get(between).is_some_and(|t| t.contains('\n')) && last != Some(",") {
                out.push(Statement { level: level(&levels), tokens: std::mem::take(&mut current) });
            }
        }
        // The initial values of a variable may be many thousands.
        let header = || current.iter().take(16).any(|t| matches!(text.get(t.range.clone()), Some(".entry" | ".func")));
        match word {
            ";" => {
                if !current.is_empty() {
                    out.push(Statement { level: level(&levels), tokens: std::mem::take(&mut current) });
                }
            }
            "{" if current.is_empty() || header() || first == ".section" => {
                let inner =
                    if first == ".section" || level(&levels) == Level::Section { Level::Section } else { Level::Body };
                if !current.is_empty() {
                    out.push(Statement { level: level(&levels), tokens: std::mem::take(&mut current) });
                }
                levels.push(inner);
                out.push(Statement { level: inner, tokens: vec![token.clone()] });
            }
            "}" if !current.iter().rev().any(|t| text.get(t.range.clone()) == Some("{")) => {
                if !current.is_empty() {
                    out.push(Statement { level: level(&levels), tokens: std::mem::take(&mut current) });
                }
                out.push(Statement { level: level(&levels), tokens: vec![token.clone()] });
                levels.pop();
            }
            // A list that is closed within a statement is a part of it: its opening brace is forgotten.
            "}" => {
                if let Some(open) = current.iter_mut().rev().find(|t| text.get(t.range.clone()) == Some("{")) {
                    open.range.end = open.range.start;
                }
                current.push(token.clone());
            }
            ":" if current.len() == 1 && current.first().is_some_and(|t| t.kind == Kind::Word) => {
                current.push(token.clone());
                out.push(Statement { level: level(&levels), tokens: std::mem::take(&mut current) });
            }
            _ => current.push(all[index].clone()),
        }
    }
    if !current.is_empty() {
        out.push(Statement { level: level(&levels), tokens: current });
    }
    out
}

/// Whether a file is one that nothing is counted in: one of five, by the name up to its first dot, so that the variants of one source
/// stay together (FNV-1a).
pub fn is_held_out(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let stem = name.split('.').next().unwrap_or(name);
    let hash = stem.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) % 5 == 0
}

/// The files in folders, sorted; a file stands for itself.
pub fn files(paths: &[String]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|e| e.path())),
            Err(_) => out.push(path),
        }
    }
    out.sort();
    out
}
