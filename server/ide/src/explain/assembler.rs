//! What `ptxas`, the driver and other tools say, and which of our diagnostics are about it.

use super::releases;
use crate::describe::{self, MarkdownPage};
use crate::explain::words;
use crate::hover::version;
use ptx_analysis::Code;
use ptx_isa::tables::{AssemblerMessage, Form, Gate, GateKind, SlotTest, Term, Version};
use ptx_isa::{ISA, tool_message};

/// The page about a message of a tool.
pub fn page(query: &str) -> Option<MarkdownPage> {
    let found = row(query)?;
    let mut page = MarkdownPage::default();
    page.text(format!("# {}", shown(query)));
    page.text(found.meaning);
    quoted(query, &mut page);
    versions(query, found, &mut page);
    let codes = found.codes.iter().filter_map(|name| Code::named(name));
    let line = |code: Code| format!("`{}` – {}", code.name(), describe::first_sentence(code.page()));
    page.list("Diagnostics for it", codes.map(line));
    Some(page)
}

/// Whether what a message fixes is more than half of a query: a question may only happen to have its words.
pub fn is_most_of(query: &str) -> bool {
    row(query).is_some_and(|row| row.weight() * 2 > shown(query).len()) || query.contains([':', '\''])
}

/// The row about a message of a tool; `None` for a single word that is not the name or number of an error.
pub fn row(query: &str) -> Option<&'static AssemblerMessage> {
    let text = shown(query);
    let is_number =
        |text: &str| text.len() == 5 && text.starts_with(['C', 'c']) && text[1..].bytes().all(|b| b.is_ascii_digit());
    let is_name = |text: &str| text.contains('_') || text.to_lowercase().starts_with("cudaerror") || is_number(text);
    (query.split_whitespace().count() > 1 || is_name(text)).then(|| tool_message(text))?
}

/// What the tables know about the words that a message quotes.
fn quoted(query: &str, page: &mut MarkdownPage) {
    let mut seen: Vec<&str> = Vec::new();
    for word in query.split('\'').skip(1).step_by(2).map(words::head).take(MAX_QUOTED) {
        if seen.contains(&word) {
            continue;
        }
        seen.push(word);
        if word.starts_with('.') {
            let takers = describe::takers(word);
            if let Some(first) = first_version(word).filter(|_| !takers.is_empty()) {
                let origin = releases::origin(first).map_or_else(String::new, |origin| format!(" {origin}."));
                let takers = describe::words(takers, MAX_TAKERS);
                page.text(format!("`{word}` needs PTX {first} or later; it is a modifier of {takers}.{origin}"));
            }
        } else if let Some(opcode) = word.split('.').next().and_then(|name| ISA.opcode(name)) {
            let forms = || opcode.entries.iter().flat_map(|entry| entry.forms);
            let first = forms().filter_map(|form| needed(form, |_| false)).min();
            let needs = first.filter(|first| *first > OLD).map_or_else(String::new, |first| {
                let origin = releases::origin(first).map_or_else(String::new, |origin| format!(" ({origin})"));
                format!(" It needs PTX {first} or later{origin}.")
            });
            let summary = opcode.entries.first().map_or("", |entry| entry.summary);
            page.text(format!("`ptx-analyzer explain {}` shows the forms: {summary}{needs}", opcode.name));
        }
    }
}

/// The maximum number of quoted words that are looked up, and of instructions that are named for one.
const MAX_QUOTED: usize = 6;
const MAX_TAKERS: usize = 8;

/// What needs no more than this version needs no word: every toolkit in use has it.
const OLD: Version = Version { major: 6, minor: 0 };

/// The first version in which some instruction has a modifier. Forms that cannot be without it say more than others, where
/// another modifier may be what is new.
fn first_version(modifier: &str) -> Option<Version> {
    let forms = || ISA.opcodes.iter().flat_map(|opcode| opcode.entries).flat_map(|entry| entry.forms);
    let of_form = |form: &'static Form, required: bool| {
        let slot =
            form.slots.iter().position(|slot| slot.values.contains(&modifier) && (!required || !slot.optional))?;
        needed(form, |test| {
            let is_it = test.values.is_empty() || test.values.contains(&modifier);
            usize::from(test.slot) == slot && !test.negated && is_it
        })
    };
    let first = |required| forms().filter_map(|form| of_form(form, required)).min();
    first(true).or_else(|| first(false))
}

/// The version that a form needs, with the conditions that hold.
fn needed(form: &Form, holds: impl Fn(&SlotTest) -> bool) -> Option<Version> {
    let applies = |gate: &&Gate| {
        gate.kind == GateKind::Needs && gate.when.iter().all(|term| matches!(term, Term::Slot(test) if holds(test)))
    };
    let least = |gate: &Gate| gate.alternatives.iter().map(|a| a.ptx).min().flatten();
    form.gates.iter().filter(applies).filter_map(least).max()
}

/// Which release brought the versions that a message names, or a table where it is about versions and names none.
fn versions(query: &str, found: &AssemblerMessage, page: &mut MarkdownPage) {
    if found.codes.first() != Some(&"requires-version") && !query.contains("version") {
        return;
    }
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = query.split(|c: char| !is_part(c)).map(|word| word.trim_matches('.'));
    let known = |version: &Version| ISA.versions.iter().any(|v| v.version == *version);
    let mut named: Vec<Version> = words.filter_map(version).filter(known).collect();
    named.dedup();
    let lines: Vec<String> = named.into_iter().filter_map(releases::origin).collect();
    if lines.is_empty() && found.codes.first() == Some(&"requires-version") {
        page.list("Which release takes which PTX", releases::recent());
    } else {
        page.list("Releases", lines);
    }
}

/// A message without the file, the line and the severity before it.
fn shown(query: &str) -> &str {
    let lower = query.to_lowercase();
    let marks =
        ["error   :", "error :", "error:", "fatal   :", "fatal :", "fatal:", "warning :", "warning:", "info    :"];
    let end = marks.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).max();
    end.and_then(|at| query.get(at..)).unwrap_or(query).trim()
}

#[cfg(test)]
mod tests {
    use super::{Code, page, row};
    use ptx_isa::ASSEMBLER_MESSAGES;

    #[test]
    fn every_row_names_diagnostics_that_exist_and_is_found() {
        for message in ASSEMBLER_MESSAGES {
            for code in message.codes {
                assert!(Code::named(code).is_some(), "`{}`: there is no diagnostic `{code}`", message.pattern);
            }
            let said = format!("ptxas a.ptx, line 3; error   : {}", message.pattern.replace('*', "'x'"));
            let found = row(&said).map(|row| row.pattern);
            assert_eq!(found, Some(message.pattern), "`{said}`");
            if !message.number.is_empty() {
                assert_eq!(row(message.number).map(|row| row.pattern), Some(message.pattern));
            }
        }
    }

    #[test]
    fn quoted_words_and_versions_are_looked_up() {
        let text = |query: &str| page(query).unwrap_or_else(|| panic!("nothing about `{query}`")).finish();
        let unknown = text("ptxas k.ptx, line 7; error   : Unknown modifier '.mmio'");
        assert!(unknown.contains("`.mmio` needs PTX 8.2") && unknown.contains("CUDA 12.2 (driver 535)"), "{unknown}");
        let opcode = text("Not a name of any known instruction: 'wgmma.fence'");
        assert!(opcode.contains("PTX 8.0 or later"), "{opcode}");
        let version = text("Unsupported .version 8.6; current version is '8.4'");
        assert!(version.contains("PTX 8.6 came with CUDA 12.7 (driver 565)"), "{version}");
        assert!(text("CUDA_ERROR_UNSUPPORTED_PTX_VERSION").contains("CUDA 13.0 (driver 580): PTX 9.0"));
        assert!(page("unused registers").is_none() && page("mov").is_none());
    }
}
