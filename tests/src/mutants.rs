//! Mutants: files that NVIDIA's assembler accepts, with one line changed, and what it says of them (recorded by
//! `tests/oracle/mutants.py`). Each is one edit of its file, so a replay is also a long session of an editor.

use flate2::Crc;
use flate2::read::GzDecoder;
use ptx_analysis::{Analyzer, Severity};
use ptx_syntax::Document;
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file, or what is left of it, with its mutants.
#[derive(Debug, Clone)]
pub struct Base {
    /// Path in the folder of the record.
    pub path: String,
    /// CRC-32 of the file.
    pub checksum: u32,
    /// Byte ranges that are left out, and whether a semicolon takes the place.
    pub cuts: Vec<(usize, usize, bool)>,
    /// Its mutants.
    pub mutants: Vec<Mutant>,
}

/// One change of one line, with the assembler's verdict.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Line, from 1.
    pub line: usize,
    /// Byte in the line at which the change begins.
    pub column: usize,
    /// How many bytes go.
    pub gone: usize,
    /// What comes.
    pub come: String,
    /// The kind of change.
    pub kind: String,
    /// Whether it assembles.
    pub accepted: bool,
    /// The assembler stopped at what it calls a syntax error.
    pub fatal: bool,
    /// The lines that the assembler named.
    pub lines: Vec<usize>,
    /// How many errors it reported.
    pub count: usize,
}

/// A mutant with our verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Path of the file.
    pub path: String,
    /// The mutant.
    pub mutant: Mutant,
    /// The changed line.
    pub text: String,
    /// The last line with any text before the first that the assembler names.
    pub before: usize,
    /// The lines that the assembler names, and those of the same statements: a call or the header of a function has several.
    pub same_statement: Vec<usize>,
    /// Our errors: line, code, message.
    pub errors: Vec<(usize, &'static str, String)>,
}

impl Judged {
    /// Both accept it, or both refuse it.
    pub fn agrees(&self) -> bool {
        self.mutant.accepted == self.errors.is_empty()
    }

    /// Both refuse it.
    pub fn refused(&self) -> bool {
        !self.mutant.accepted && !self.errors.is_empty()
    }

    /// One of our errors stands on a line that the assembler names or in the same statement, or it names none. Of a syntax error
    /// it names the first token that does not fit; where the mistake was made, or what it should have followed, is as good.
    pub fn placed(&self) -> bool {
        let named = &self.mutant.lines;
        let near = |line: &usize| self.mutant.fatal && (*line == self.mutant.line || *line == self.before);
        named.is_empty() || self.errors.iter().any(|(line, ..)| self.same_statement.contains(line) || near(line))
    }

    /// One of our errors stands on a line that the assembler names, or it names none.
    pub fn on_line(&self) -> bool {
        self.mutant.lines.is_empty() || self.errors.iter().any(|(line, ..)| self.mutant.lines.contains(line))
    }

    /// Our errors beyond those that the assembler reports.
    pub fn surplus(&self) -> usize {
        self.errors.len().saturating_sub(self.mutant.count.max(1))
    }

    /// Opcode of the changed line as it was meant, or what else it begins with.
    pub fn subject(&self) -> &str {
        let mut words = self.text.split_whitespace().filter(|w| !w.starts_with('@'));
        let first = words.next().unwrap_or("");
        if first.starts_with('.') {
            return first;
        }
        first.split(['.', ';', ':']).next().unwrap_or("")
    }

    /// The mutant in one line, by which a list names it.
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
    /// The text that was changed; `None` where the file is gone or another one now.
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
        let errors = report.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
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

/// The lines, from 1, of the statement that a line is a part of.
fn statement(ends: &dyn Fn(usize) -> bool, line: usize, last: usize) -> std::ops::RangeInclusive<usize> {
    let first = (1..line).rev().take_while(|l| !ends(*l)).last().unwrap_or(line);
    let end = (line..=last).find(|l| ends(*l)).unwrap_or(line);
    first..=end
}

/// How well we agree with the assembler.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Mutants.
    pub all: usize,
    /// Those on which both say the same.
    pub agreed: usize,
    /// We refuse what the assembler takes.
    pub false_errors: usize,
    /// Both refuse.
    pub refused: usize,
    /// Of these: at the place that the assembler names ([`Judged::placed`]).
    pub placed: usize,
    /// Of these: on a line that the assembler names, taken strictly.
    pub on_line: usize,
    /// Of these: all our errors.
    pub errors: usize,
    /// Of these: all errors of the assembler.
    pub theirs: usize,
    /// Of these: not on the very line, but in the same statement, which has several.
    pub in_statement: usize,
    /// Of these: our errors beyond as many as the assembler reports.
    pub surplus: usize,
}

impl Figures {
    /// The figures of some mutants.
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

    /// Share of agreement, in percent.
    pub fn agreement(&self) -> f64 {
        percent(self.agreed, self.all)
    }

    /// Share of the refused with an error on the assembler's line, in percent.
    pub fn placement(&self) -> f64 {
        percent(self.placed, self.refused)
    }

    /// Our errors for each mistake that both refuse, where those count once that the assembler reports as well.
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
