//! Mutants: files that NVIDIA's assembler accepts, with one line changed, and the assembler's verdict (recorded by
//! `tests/oracle/mutants.py`). Each mutant is one edit of its file, so a replay is also a long editing session.

use flate2::Crc;
use flate2::read::GzDecoder;
use ptx_check::{Analyzer, Diagnostic};
use ptx_syntax::Document;
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file, or the remaining part of it, with its mutants.
#[derive(Debug, Clone)]
pub struct Base {
    /// The path in the folder of the record.
    pub path: String,
    /// The CRC-32 of the file.
    pub checksum: u32,
    /// Removed parts of the file: begin and end in bytes, and whether a semicolon replaces the part.
    pub cuts: Vec<(usize, usize, bool)>,
    /// The mutants of the file.
    pub mutants: Vec<Mutant>,
}

/// One change in one line, with the assembler's verdict.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The line, from 1.
    pub line: usize,
    /// The byte offset in the line at which the change begins.
    pub column: usize,
    /// Number of deleted bytes.
    pub gone: usize,
    /// The inserted text.
    pub come: String,
    /// The kind of change.
    pub kind: String,
    /// True if it assembles.
    pub accepted: bool,
    /// True if the assembler stopped at a syntax error.
    pub fatal: bool,
    /// The lines that the assembler named in its errors.
    pub lines: Vec<usize>,
    /// Number of errors of the assembler.
    pub count: usize,
}

/// A mutant with our verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The path of the file.
    pub path: String,
    /// The mutant.
    pub mutant: Mutant,
    /// The changed line.
    pub text: String,
    /// The last line with text before the first line that the assembler names.
    pub before: usize,
    /// The lines that the assembler names, and the other lines of the same statements: a call or a function header may
    /// have several.
    pub same_statement: Vec<usize>,
    /// Our errors, each with line, code and message.
    pub errors: Vec<(usize, &'static str, String)>,
}

impl Judged {
    /// Whether both accept it or both reject it.
    pub fn agrees(&self) -> bool {
        self.mutant.accepted == self.errors.is_empty()
    }

    /// Whether both reject it.
    pub fn refused(&self) -> bool {
        !self.mutant.accepted && !self.errors.is_empty()
    }

    /// Whether one of our errors is on a line that the assembler names or in the same statement. True if the assembler
    /// names no line. For a syntax error the assembler names the first token that does not fit. Then the changed line,
    /// and the line before the named one, are correct positions too.
    pub fn placed(&self) -> bool {
        let named = &self.mutant.lines;
        let near = |line: &usize| self.mutant.fatal && (*line == self.mutant.line || *line == self.before);
        named.is_empty() || self.errors.iter().any(|(line, ..)| self.same_statement.contains(line) || near(line))
    }

    /// Whether one of our errors is on a line that the assembler names. True if the assembler names no line.
    pub fn on_line(&self) -> bool {
        self.mutant.lines.is_empty() || self.errors.iter().any(|(line, ..)| self.mutant.lines.contains(line))
    }

    /// Number of our errors that exceed those of the assembler.
    pub fn surplus(&self) -> usize {
        self.errors.len().saturating_sub(self.mutant.count.max(1))
    }

    /// The opcode of the changed line without its change, or the first word of the line.
    pub fn subject(&self) -> &str {
        let mut words = self.text.split_whitespace().filter(|w| !w.starts_with('@'));
        let first = words.next().unwrap_or("");
        if first.starts_with('.') {
            return first;
        }
        first.split(['.', ';', ':']).next().unwrap_or("")
    }

    /// The name of the mutant in the lists: one line of text.
    pub fn name(&self) -> String {
        let verdict = if self.errors.is_empty() { "OK" } else { "ERR" };
        format!("{verdict} {}:{} {} {}", self.path, self.mutant.line, self.mutant.kind, self.text.trim())
    }
}

/// Reads a record.
pub fn read(path: &Path) -> Vec<Base> {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut out: Vec<Base> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        if let Some(base) = line.strip_prefix("@ ") {
            out.push(parse_base(base).unwrap_or_else(|| panic!("no base: {line}")));
        } else {
            let mutant = parse_mutant(line).unwrap_or_else(|| panic!("no mutant: {line}"));
            out.last_mut().unwrap_or_else(|| panic!("a mutant before its base: {line}")).mutants.push(mutant);
        }
    }
    out
}

fn parse_base(line: &str) -> Option<Base> {
    let (rest, cuts) = line.rsplit_once(' ')?;
    let (path, checksum) = rest.rsplit_once(' ')?;
    let cut = |text: &str| {
        let (start, end) = text.trim_end_matches(';').split_once('-')?;
        Some((start.parse().ok()?, end.parse().ok()?, text.ends_with(';')))
    };
    Some(Base {
        path: path.to_owned(),
        checksum: u32::from_str_radix(checksum, 16).ok()?,
        cuts: cuts.split(',').filter(|c| !c.is_empty()).map(cut).collect::<Option<_>>()?,
        mutants: Vec::new(),
    })
}

fn parse_mutant(line: &str) -> Option<Mutant> {
    let (what, come) = line.split_once('\t')?;
    let mut words = what.split(' ');
    let mut number = || words.next()?.parse::<usize>().ok();
    let (line, column, gone) = (number()?, number()?, number()?);
    let kind = words.next()?.to_owned();
    let verdict = words.next()?;
    let accepted = verdict == "ok";
    let (named, count) = verdict.split_once('#').unwrap_or((verdict, ""));
    let lines: Vec<usize> = named.trim_start_matches(['e', 'f']).split(',').filter_map(|l| l.parse().ok()).collect();
    let count = count.parse().unwrap_or(if accepted { 0 } else { lines.len().max(1) });
    Some(Mutant {
        line,
        column,
        gone,
        come: come.to_owned(),
        kind,
        accepted,
        fatal: verdict.starts_with('f'),
        lines,
        count,
    })
}

impl Base {
    /// The text that the mutants change: the file without its removed parts, whose line breaks stay. `None` if the file
    /// does not exist or has changed since the recording.
    pub fn text(&self, folder: &Path) -> Option<String> {
        let bytes = fs::read(folder.join(&self.path)).ok()?;
        let mut checksum = Crc::new();
        checksum.update(&bytes);
        if checksum.sum() != self.checksum {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end, semicolon) in &self.cuts {
            out.push_str(&text[at..*start]);
            out.push_str(if *semicolon { ";" } else { "" });
            out.extend(text[*start..*end].chars().filter(|c| *c == '\n'));
            at = *end;
        }
        out.push_str(&text[at..]);
        Some(out)
    }

    /// Our verdict on each mutant.
    pub fn replay(&self, text: &str) -> Vec<Judged> {
        let mut document = Document::new(text);
        let mut analyzer = Analyzer::default();
        analyzer.analyze(&document.snapshot());
        self.mutants.iter().map(|mutant| self.judge(mutant, &mut document, &mut analyzer)).collect()
    }

    fn judge(&self, mutant: &Mutant, document: &mut Document, analyzer: &mut Analyzer) -> Judged {
        let start = document.rope().line_to_byte(mutant.line - 1) + mutant.column;
        let old = document.rope().byte_slice(start..start + mutant.gone).to_string();
        document.edit(start..start + mutant.gone, &mutant.come);
        let snapshot = document.snapshot();
        let rope = snapshot.rope();
        let report = analyzer.analyze(&snapshot);
        let errors = report.diagnostics.into_iter().filter(Diagnostic::is_parse_error);
        let line_of = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes())) + 1;
        let errors = errors.map(|d| (line_of(d.range.start), d.code().name(), d.message())).collect();
        let text = rope.line(mutant.line - 1).to_string();
        let first = mutant.lines.first().map_or(0, |l| l - 1).min(rope.len_lines());
        let filled = |line: &usize| {
            let text = rope.line(*line).to_string();
            !text.trim().is_empty() && !text.trim_start().starts_with("//")
        };
        let before = (0..first).rev().find(filled).map_or(0, |line| line + 1);
        let ends = |line: usize| {
            let text = rope.get_line(line.wrapping_sub(1)).map(|l| l.to_string()).unwrap_or_default();
            text.split("//").next().unwrap_or("").contains([';', '{', '}', ':'])
        };
        let last = rope.len_lines();
        let same_statement = mutant.lines.iter().flat_map(|line| statement(&ends, *line, last)).collect();
        document.edit(start..start + mutant.come.len(), &old);
        document.reparse();
        Judged { path: self.path.clone(), mutant: mutant.clone(), text, before, same_statement, errors }
    }
}

/// The lines, from 1, of the statement that contains a line.
fn statement(ends: &dyn Fn(usize) -> bool, line: usize, last: usize) -> std::ops::RangeInclusive<usize> {
    let first = (1..line).rev().take_while(|l| !ends(*l)).last().unwrap_or(line);
    let end = (line..=last).find(|l| ends(*l)).unwrap_or(line);
    first..=end
}

/// Measures of our agreement with the assembler.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Number of mutants.
    pub all: usize,
    /// Mutants with the same verdict.
    pub agreed: usize,
    /// Mutants that only we reject.
    pub false_errors: usize,
    /// Mutants that both reject.
    pub refused: usize,
    /// Of `refused`: those with an error at the position that the assembler names ([`Judged::placed`]).
    pub placed: usize,
    /// Of `refused`: those with an error on a line that the assembler names ([`Judged::on_line`]).
    pub on_line: usize,
    /// All our errors in `refused`.
    pub errors: usize,
    /// All errors of the assembler in `refused`.
    pub theirs: usize,
    /// Of `refused`: those with an error in the same statement of several lines, but not on the named line.
    pub in_statement: usize,
    /// Number of our errors in `refused` that exceed those of the assembler.
    pub surplus: usize,
}

impl Figures {
    /// The measures of a set of mutants.
    pub fn of<'j>(judged: impl IntoIterator<Item = &'j Judged>) -> Self {
        let mut out = Self::default();
        for one in judged {
            out.all += 1;
            out.agreed += usize::from(one.agrees());
            out.false_errors += usize::from(one.mutant.accepted && !one.errors.is_empty());
            if one.refused() {
                out.refused += 1;
                out.placed += usize::from(one.placed());
                out.on_line += usize::from(one.on_line());
                out.errors += one.errors.len();
                out.theirs += one.mutant.count.max(1);
                let within = one.errors.iter().any(|(line, ..)| one.same_statement.contains(line));
                out.in_statement += usize::from(within && !one.on_line());
                out.surplus += one.surplus();
            }
        }
        out
    }

    /// Mutants with the same verdict, in percent.
    pub fn agreement(&self) -> f64 {
        percent(self.agreed, self.all)
    }

    /// Rejected mutants with an error at the assembler's position, in percent.
    pub fn placement(&self) -> f64 {
        percent(self.placed, self.refused)
    }

    /// Average number of our errors per rejected mutant, where errors that the assembler reports too count as one.
    pub fn errors_each(&self) -> f64 {
        1.0 + percent(self.surplus, self.refused) / 100.0
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:>6} mutants, agreement {:6.2} %, {:>4} false errors, {:>4} missed; refused {:>6}, at the place {:6.2} % \
             (on the very line {:6.2} %, elsewhere in the statement {:.2} %), errors each {:.3} (all counted {:.3}, the assembler's {:.3})",
            self.all,
            self.agreement(),
            self.false_errors,
            self.all - self.agreed - self.false_errors,
            self.refused,
            self.placement(),
            percent(self.on_line, self.refused),
            percent(self.in_statement, self.refused),
            self.errors_each(),
            percent(self.errors, self.refused) / 100.0,
            percent(self.theirs, self.refused) / 100.0
        )
    }
}
