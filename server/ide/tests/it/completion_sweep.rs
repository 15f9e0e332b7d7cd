//! Offered items are legal in their context. At positions in the kernels the tests accept the first items as an editor
//! would, and check the resulting text.
//!
//! - They delete modifiers of the kernels' instructions: each accepted item must lead to a complete mnemonic, possibly
//!   with further items.
//! - They delete operands and keep the rest of the statement: no item may cause an error in the statement.
//! - They write statements between others from items only, word by word: a complete statement must have no error.
//!
//! The sample is the same in every run. `SWEEP=N` takes a larger one: `SWEEP=20 cargo test -p ptx-ide --test it
//! completion_sweep`.

#[path = "../../examples/reading/mod.rs"]
mod reading;

use crate::completion_reach::Random;
use ptx_analysis::{Analyzer, Code, Diagnostic};
use ptx_ide::reference::kernels::KERNELS;
use ptx_ide::{CompletionOptions, Completions, Item, completion};
use ptx_isa::ISA;
use ptx_syntax::Document;
use reading::{Kind, Level, Statement};
use std::collections::BTreeSet;
use std::ops::Range;

/// Number of items accepted per list, from its top.
const FIRST: usize = 6;

/// Maximum number of modifiers added to complete a mnemonic.
const DEEPEST: usize = 12;

/// Maximum number of operands of an instruction.
const MAX_OPERANDS: usize = 10;

/// A factor for the size of the samples.
fn times() -> usize {
    std::env::var("SWEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// A kernel that is edited and checked.
struct Sheet {
    name: &'static str,
    text: String,
    document: Document,
    analyzer: Analyzer,
}

impl Sheet {
    fn new(name: &'static str, text: &str) -> Self {
        Self { name, text: text.to_owned(), document: Document::new(text), analyzer: Analyzer::default() }
    }

    fn edit(&mut self, range: Range<usize>, new: &str) {
        self.document.edit(range.clone(), new);
        self.text.replace_range(range, new);
    }

    fn list(&mut self, offset: usize) -> Completions {
        completion(&self.document.snapshot(), offset, CompletionOptions::default())
    }

    /// Accepts an item in place of `range`; returns the new cursor position.
    fn accept(&mut self, range: Range<usize>, item: &Item) -> usize {
        let new = if item.snippet { filled(item.new_text()) } else { item.new_text().to_owned() };
        self.edit(range.clone(), &new);
        range.start + new.len()
    }

    /// The errors of the parser whose range touches the given one.
    fn errors(&mut self, range: &Range<usize>) -> Vec<Diagnostic> {
        let report = self.analyzer.analyze(&self.document.snapshot());
        let mut found = report.diagnostics;
        found.retain(|d| {
            d.is_parse_error() && d.range.start < range.end && range.start < d.range.end.max(d.range.start + 1)
        });
        found
    }

    /// The line around an offset.
    fn line(&self, offset: usize) -> &str {
        let start = self.text[..offset].rfind('\n').map_or(0, |n| n + 1);
        self.text[start..].lines().next().unwrap_or("")
    }
}

/// A snippet with its placeholders filled in: `${1:a}` becomes `a`, `$1` the text of the first placeholder, `${1|a,b|}`
/// becomes `a`, `$0` is empty.
fn filled(snippet: &str) -> String {
    let mut values: Vec<(String, String)> = Vec::new();
    let mut out = String::new();
    let mut rest = snippet.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '$' {
            out.push(c);
            continue;
        }
        let value = match rest.next() {
            Some('{') => {
                let inner: String = rest.by_ref().take_while(|c| *c != '}').collect();
                let digits = inner.find(|c: char| !c.is_ascii_digit()).unwrap_or(inner.len());
                let (number, rest) = (inner[..digits].to_owned(), &inner[digits..]);
                let value = match rest.strip_prefix('|') {
                    Some(choices) => choices.split([',', '|']).next().unwrap_or("").to_owned(),
                    None => rest.strip_prefix(':').unwrap_or("").to_owned(),
                };
                values.push((number, value.clone()));
                value
            }
            Some(number) => {
                values.iter().find(|(n, _)| *n == number.to_string()).map_or(String::new(), |(_, v)| v.clone())
            }
            None => String::new(),
        };
        out.push_str(&value);
    }
    out
}

#[test]
fn snippets_are_filled_in() {
    assert_eq!(filled("a ${1:b}, $1 ${2|c,d|}${10:e}$0;"), "a b, b ce;");
}

/// A random sample of a list, the same in every run.
fn sample<T>(mut all: Vec<T>, count: usize, random: &mut Random) -> Vec<T> {
    while all.len() > count {
        all.swap_remove(random.below(all.len()));
    }
    all
}

fn statements_of(text: &str) -> Vec<Statement> {
    reading::statements(text)
}

/// The mnemonic of an instruction that begins at an offset.
fn mnemonic(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(rest.len());
    &rest[..end]
}

/// Whether a mnemonic is complete.
fn is_whole(mnemonic: &str) -> bool {
    let mut words = mnemonic.split('.');
    let Some(opcode) = words.next().and_then(|o| ISA.opcode(o)) else { return false };
    let modifiers: Vec<String> = words.map(|m| format!(".{m}")).collect();
    let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
    ptx_analysis::mnemonic::resolve(opcode, &modifiers).is_some_and(|h| h.mismatch.is_none() && h.ignored.is_empty())
}

/// Whether accepting items at `cursor`, each after a dot, completes the mnemonic that begins at `start`.
fn leads(sheet: &mut Sheet, start: usize, cursor: usize, depth: usize) -> bool {
    if is_whole(mnemonic(&sheet.text, start)) {
        return true;
    }
    if depth == 0 {
        return false;
    }
    sheet.edit(cursor..cursor, ".");
    let found = sheet.list(cursor + 1);
    let mut leads_on = false;
    // The first item is the most likely one, but does not always fit the rest of the mnemonic. So try several.
    for item in found
        .items
        .iter()
        .filter(|i| i.unavailable.is_none())
        .take(2)
        .chain(found.items.iter().filter(|i| i.unavailable.is_some()).take(1))
    {
        let old = sheet.text[found.insert.clone()].to_owned();
        let end = sheet.accept(found.insert.clone(), item);
        leads_on = leads(sheet, start, end, depth - 1);
        sheet.edit(found.insert.start..end, &old);
        if leads_on {
            break;
        }
    }
    sheet.edit(cursor..cursor + 1, "");
    leads_on
}

#[test]
fn every_modifier_that_is_listed_leads_to_a_form() {
    let mut random = Random(0x0dd5);
    let mut places: Vec<(usize, usize, Range<usize>, bool)> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (number, kernel) in KERNELS.iter().enumerate() {
        for statement in statements_of(kernel.text) {
            let (Some(opcode), Some(end)) = (statement.opcode(kernel.text), statement.operands(kernel.text)) else {
                continue;
            };
            let start = statement.tokens[opcode].range.start;
            if !seen.insert(mnemonic(kernel.text, start).to_owned()) {
                continue;
            }
            let last = statement.tokens[end - 1].range.end;
            for token in &statement.tokens[opcode + 1..end] {
                places.push((number, start, token.range.start + 1..token.range.end, true));
                places.push((number, start, token.range.start + 1..last, false));
            }
        }
    }
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for (number, start, hole, kept) in sample(places, 90 * times(), &mut random) {
        let mut sheet = Sheet::new(KERNELS[number].name, KERNELS[number].text);
        let whole = mnemonic(&sheet.text, start).to_owned();
        sheet.edit(hole.clone(), "");
        let found = sheet.list(hole.start);
        assert!(!found.items.is_empty(), "nothing is listed in `{whole}` at {}", hole.start - start);
        let some =
            if found.items.len() > FIRST { vec![FIRST + random.below(found.items.len() - FIRST)] } else { Vec::new() };
        for at in (0..found.items.len().min(FIRST)).chain(some) {
            let item = &found.items[at];
            let old = sheet.text[found.insert.clone()].to_owned();
            let end = sheet.accept(found.insert.clone(), item);
            accepted += 1;
            if !leads(&mut sheet, start, end, DEEPEST) {
                wrong.push(format!(
                    "{}: `{}` in place of `{whole}`, behind it {kept}",
                    sheet.name,
                    mnemonic(&sheet.text, start)
                ));
            }
            sheet.edit(found.insert.start..end, &old);
        }
    }
    assert!(accepted > 300, "{accepted}");
    assert!(wrong.is_empty(), "{} of {accepted}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether all errors concern only the module's version and target.
fn are_gates(errors: &[Diagnostic]) -> bool {
    errors.iter().all(|d| [Code::RequiresTarget, Code::RequiresVersion, Code::Removed].contains(&d.code()))
}

fn shown(errors: &[Diagnostic]) -> String {
    errors.iter().map(|d| format!("{}: {}", d.code(), d.message())).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_operand_that_is_listed_passes_the_checks() {
    let mut random = Random(0xbeef);
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for kernel in KERNELS {
        let mut sheet = Sheet::new(kernel.name, kernel.text);
        let mut places: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for statement in statements_of(kernel.text) {
            let (Some(opcode), Some(end)) = (statement.opcode(kernel.text), statement.operands(kernel.text)) else {
                continue;
            };
            let range = statement.tokens[opcode].range.start..statement.tokens.last().expect("a token").range.end;
            // A guard predicate is an operand position too.
            let guard = statement.tokens[..opcode].iter().filter(|t| t.kind == Kind::Word);
            let operands = statement.tokens[end..].iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number));
            places.extend(guard.chain(operands).map(|t| (range.clone(), t.range.clone())));
        }
        for (statement, hole) in sample(places, 14 * times(), &mut random) {
            let word = sheet.text[hole.clone()].to_owned();
            let line = sheet.line(hole.start).trim().to_owned();
            sheet.edit(hole.clone(), "");
            let found = sheet.list(hole.start);
            for item in found.items.iter().take(FIRST) {
                let old = sheet.text[found.insert.clone()].to_owned();
                let end = sheet.accept(found.insert.clone(), item);
                accepted += 1;
                let begin = statement.start.min(hole.start);
                let errors = sheet.errors(&(begin..(statement.end - word.len() + end - found.insert.start).max(end)));
                let fine = match &item.unavailable {
                    Some(_) => are_gates(&errors),
                    None => errors.is_empty(),
                };
                if !fine {
                    wrong.push(format!(
                        "{}: `{}` for `{word}` in `{line}`: {}",
                        sheet.name,
                        item.label,
                        shown(&errors)
                    ));
                }
                sheet.edit(found.insert.start..end, &old);
            }
            sheet.edit(hole.start..hole.start, &word);
        }
        assert_eq!(sheet.text, kernel.text);
    }
    assert!(accepted > 800, "{accepted}");
    assert!(wrong.is_empty(), "{} of {accepted}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Possible ends of an unfinished statement that is not an instruction.
const ENDS: [&str; 30] = [
    " 7.0",
    " sm_50",
    " .u32 zz9;",
    "",
    ";",
    " zz9;",
    " zz9[4];",
    " .b32 zz9;",
    " .b32 zz9[4];",
    " .b8 zz9[16];",
    " 16 .b8 zz9[4];",
    " 16 .b32 zz9;",
    " .global .b32 zz9;",
    " .global .texref zz9;",
    " (.managed) .b32 zz9;",
    " (.managed) .global .b32 zz9;",
    ") .b32 zz9;",
    " .func zz9() { ret; }",
    " zz9() { ret; }",
    " zz9();",
    "zz9() { ret; }",
    " 9 \"zz9.cu\"",
    " .debug_zz9 { .b8 0 }",
    " 1 1 1",
    " \"nounroll\";",
    " \"zz9\";",
    " _ ();",
    " zz9, zz8;",
    "\"zz9\" ;",
    " 32",
];

/// A statement that is written by accepting items.
struct Walk<'s> {
    sheet: &'s mut Sheet,
    start: usize,
    cursor: usize,
    /// True if an accepted item is unavailable in the module's version or on its target.
    lacking: bool,
}

impl Walk<'_> {
    fn statement(&self) -> &str {
        &self.sheet.text[self.start..self.cursor]
    }

    fn write(&mut self, text: &str) {
        self.sheet.edit(self.cursor..self.cursor, text);
        self.cursor += text.len();
    }

    /// The errors of the statement when `end` is appended.
    fn errors_with(&mut self, end: &str) -> Vec<Diagnostic> {
        self.sheet.edit(self.cursor..self.cursor, end);
        let mut found = self.sheet.errors(&(self.start..self.cursor + end.len()));
        self.sheet.edit(self.cursor..self.cursor + end.len(), "");
        if self.lacking && are_gates(&found) {
            found.clear();
        }
        found
    }

    /// Accepts one of the first items; `None` if the list is empty.
    fn step(&mut self, random: &mut Random) -> Option<Item> {
        let found = self.sheet.list(self.cursor);
        let count = found.items.len().min(FIRST);
        if count == 0 {
            return None;
        }
        // Occasionally take an item from the rest of the list.
        let at = if random.below(8) == 0 { random.below(found.items.len()) } else { random.below(count) };
        let item = found.items[at].clone();
        self.lacking |= item.unavailable.is_some();
        self.cursor = self.sheet.accept(found.insert, &item);
        Some(item)
    }

    /// Writes a statement. An error is a message with its diagnostics.
    fn run(&mut self, random: &mut Random) -> Result<(), String> {
        let mut operands = 0;
        let mut wrong = String::new();
        for _ in 0..16 {
            let Some(item) = self.step(random) else {
                // More operands are missing, but the kernel declares nothing that fits. The written part must be
                // correct.
                return if wrong.is_empty() { Ok(()) } else { Err(wrong) };
            };
            let instruction = ISA.opcode(self.statement().split(['.', ' ']).next().unwrap_or("")).is_some();
            // The equivalent of a CUDA name is a snippet without placeholders.
            if item.snippet && item.new_text().contains(['$', ';']) {
                // The placeholders contain names of operands, which may coincide with names of the kernel.
                let mut errors = self.errors_with("");
                errors.retain(|e| ![Code::UndeclaredName, Code::StateSpace].contains(&e.code()));
                return if errors.is_empty() { Ok(()) } else { Err(shown(&errors)) };
            }
            if !instruction {
                let mut least: Option<Vec<Diagnostic>> = None;
                for end in ENDS {
                    // `.alias` names functions of the module, which may have none.
                    let mut errors = self.errors_with(end);
                    errors.retain(|e| ![Code::UndeclaredName, Code::Alias].contains(&e.code()));
                    if least.as_ref().is_none_or(|l| errors.len() < l.len()) {
                        least = Some(errors);
                    }
                    if least.as_ref().is_some_and(Vec::is_empty) {
                        break;
                    }
                }
                let least = least.unwrap_or_default();
                if !least.is_empty() {
                    return Err(shown(&least));
                }
                if !self.statement().ends_with(' ') {
                    self.write(" ");
                }
                continue;
            }
            let head = self.statement().split(' ').next().unwrap_or("").to_owned();
            if !self.statement().contains(' ') {
                if !leads(self.sheet, self.start, self.cursor, DEEPEST) {
                    return Err("leads to no form".to_owned());
                }
                if self.errors_with(";").is_empty() {
                    return Ok(());
                }
                let more = !is_whole(&head) || random.below(4) == 0;
                self.write(if more { "." } else { " " });
                // The dot may be wrong: no modifier follows the complete mnemonic.
                if more && is_whole(&head) && self.sheet.list(self.cursor).items.is_empty() {
                    self.sheet.edit(self.cursor - 1..self.cursor, " ");
                }
                continue;
            }
            operands += 1;
            let errors = self.errors_with(";");
            if errors.is_empty() {
                return Ok(());
            }
            if operands > MAX_OPERANDS {
                return Err(shown(&errors));
            }
            // While operands are missing, the checker may compare with a different form than the intended one. Later
            // items may fix the other errors: a further modifier can select a supported form (`mad.f32.rn`), and an
            // operand may be required by a modifier.
            let missing =
                |d: &Diagnostic| [Code::OperandCount, Code::Removed, Code::IllegalCombination].contains(&d.code());
            wrong = if errors.iter().all(missing) { String::new() } else { shown(&errors) };
            // The second half of a pair, `d|p`, or the next operand.
            let pair = errors.iter().any(|d| d.code() == Code::OperandKind) && !self.statement().contains('|');
            if pair && operands > 1 {
                // Only now the checker can identify the form, whose first operand is a pair.
                return Ok(());
            }
            self.write("|");
            if !pair || self.sheet.list(self.cursor).items.is_empty() {
                self.sheet.edit(self.cursor - 1..self.cursor, "");
                self.cursor -= 1;
                self.write(", ");
            }
        }
        Ok(())
    }
}

#[test]
fn every_statement_that_is_made_of_items_passes_the_checks() {
    let mut random = Random(0xf00d);
    let mut wrong = Vec::new();
    let mut written = 0;
    for kernel in KERNELS {
        let mut sheet = Sheet::new(kernel.name, kernel.text);
        let statements = statements_of(kernel.text);
        let starts = |level: Level, count: usize, random: &mut Random| {
            let all = statements.iter().filter(|s| s.level == level && !matches!(s.at(kernel.text, 0), "{" | "}"));
            sample(all.map(|s| s.tokens[0].range.start).collect(), count, random)
        };
        let mut places = starts(Level::Body, 8 * times(), &mut random);
        places.extend(starts(Level::Module, 2 * times(), &mut random));
        for start in places {
            let before = sheet.text[..start].to_owned();
            sheet.edit(start..start, "\n");
            let mut walk = Walk { sheet: &mut sheet, start, cursor: start, lacking: false };
            let found = walk.run(&mut random);
            let statement = walk.statement().to_owned();
            let end = walk.cursor;
            written += usize::from(!statement.is_empty());
            if let Err(why) = found {
                wrong.push(format!("{} line {}: `{statement}`: {why}", kernel.name, before.matches('\n').count() + 1));
            }
            sheet.edit(start..end + 1, "");
        }
        assert_eq!(sheet.text, kernel.text);
    }
    assert!(written > 150, "{written}");
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
}
