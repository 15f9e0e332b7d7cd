//! Lines that entries of several kinds have, and what is read from any line.

use super::error::Result;
use super::leak::leak_str;
use super::lines::LogicalLine;
use super::rule;
use crate::tables::{Gate, GateKind, UniformExtent};

/// The lines common to most entries.
#[derive(Default)]
pub(super) struct CommonLines {
    pub summary: &'static str,
    pub manual: &'static str,
    pub doc: &'static str,
    pub notes: Vec<&'static str>,
    pub gates: Vec<Gate>,
    /// The lines with other keywords: keyword and rest.
    pub other: Vec<(String, String)>,
}

/// Reads the lines below an entry.
pub(super) fn common(body: &[LogicalLine]) -> Result<CommonLines> {
    let mut out = CommonLines::default();
    // Prose on the first line of an entry (`type x … | text`) is documentation.
    if let Some(text) = &body[0].prose {
        out.doc = leak_str(text);
    }
    for line in &body[1..] {
        let (word, rest) = line.keyword();
        match word {
            "summary" => out.summary = leak_str(rest),
            "manual" => out.manual = leak_str(rest),
            "doc" => out.doc = append(out.doc, prose(line)?),
            "note" => out.notes.push(leak_str(prose(line)?)),
            "needs" => out.gates.push(rule::gate(line, GateKind::Needs, rest, None)?),
            "until" => out.gates.push(rule::gate(line, GateKind::Until, rest, None)?),
            "deprecated" => out.gates.push(rule::gate(line, GateKind::Deprecated, rest, None)?),
            _ => out.other.push((word.to_owned(), rest.to_owned())),
        }
    }
    Ok(out)
}

pub(super) fn append(before: &str, more: &str) -> &'static str {
    if before.is_empty() { leak_str(more) } else { leak_str(&format!("{before}\n\n{more}")) }
}

pub(super) fn prose<'a>(line: &'a LogicalLine) -> Result<&'a str> {
    let text = line.prose.as_deref().unwrap_or("").trim();
    if text.is_empty() { Err(line.error(0, "expected ` | ` and text")) } else { Ok(text) }
}

/// Parses the extent of threads across which a value is the same.
pub(super) fn extent(line: &LogicalLine, word: &str) -> Result<UniformExtent> {
    Ok(match word.trim() {
        "cta" => UniformExtent::Cta,
        "warp" => UniformExtent::Warp,
        "none" => UniformExtent::None,
        _ => return Err(line.error(0, "expected `cta`, `warp` or `none`")),
    })
}

/// A text in which `{1}`, `{2}` … are replaced by the alternatives that a name has in place of a pattern's braces.
pub(super) fn filled(pattern: &str, name: &str, text: &'static str) -> &'static str {
    if !text.contains("{1}") {
        return text;
    }
    let choices = choices(pattern, name);
    let numbered = choices.iter().enumerate();
    numbered.fold(text, |text, (at, choice)| leak_str(&text.replace(&format!("{{{}}}", at + 1), choice)))
}

/// The alternatives that a name has in place of a pattern's braces: `16` and `8` for `.m16n8` and `.m{16,32}n{8,16}`.
fn choices<'p>(pattern: &'p str, name: &str) -> Vec<&'p str> {
    let mut rest = name.trim_start_matches('.');
    let mut out = Vec::new();
    for (at, piece) in pattern.trim_start_matches('.').split('{').enumerate() {
        let (alternatives, literal) = if at == 0 { ("", piece) } else { piece.split_once('}').unwrap_or(("", piece)) };
        if at > 0 {
            // Choose an alternative after which the rest of the pattern matches: `1` is also a prefix of `128`.
            let fits = |a: &&str| {
                rest.strip_prefix(*a)
                    .is_some_and(|after| after.starts_with(literal) && (!literal.is_empty() || after.is_empty()))
            };
            let Some(choice) = alternatives.split(',').find(fits) else { return out };
            out.push(choice);
            rest = rest.strip_prefix(choice).unwrap_or(rest);
        }
        rest = rest.strip_prefix(literal).unwrap_or(rest);
    }
    out
}
