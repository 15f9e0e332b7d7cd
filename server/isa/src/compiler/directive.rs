//! Compiles the lines specific to `directive` entries: arguments, places and relations to other directives.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::rule;
use crate::tables::{ArgumentKind, DataType, Directive, DirectivePart, GateKind, LaunchBound, NamedValue, Takes};

/// The keywords under `directive`, besides those common to all entries.
pub(super) const KEYWORDS: &[&str] = &[
    "syntax",
    "where",
    "takes",
    "limit",
    "excludes",
    "requires",
    "idle",
    "before",
    "part",
    "value",
    "data",
    "spaces",
    "words",
    "system",
    "registers",
    "bounds",
    "keeps-loops",
];

/// The places that `where` may name.
const PLACES: &[&str] = &[
    "module",
    "header",
    "entry",
    "func",
    "declaration",
    "prototype",
    "body",
    "entry-body",
    "variable",
    "parameter",
    "section",
];

/// Builds a directive without the lines common to all entries.
pub(super) fn build(name: &'static str, body: &[LogicalLine]) -> Result<Directive> {
    let mut out = Directive {
        name,
        syntax: "",
        places: &[],
        summary: "",
        manual: "",
        doc: "",
        notes: &[],
        gates: &[],
        takes: None,
        limit: 0,
        limit_note: "",
        excludes: &[],
        requires: &[],
        idle_without: &[],
        before: &[],
        parts: &[],
        values: &[],
        data: &[],
        spaces: &[],
        words: &[],
        system: &[],
        registers: false,
        keeps_loops: false,
        bounds: None,
    };
    let (mut parts, mut values, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for line in &body[1..] {
        let (word, rest) = line.keyword();
        match word {
            "syntax" => out.syntax = leak_str(rest),
            "where" => {
                if let Some(wrong) = rest.split_whitespace().find(|place| !PLACES.contains(place)) {
                    return Err(line.error(line.offset(wrong), format!("`{wrong}` is not a place")));
                }
                out.places = words(Some(rest));
            }
            "takes" => out.takes = Some(takes(line, rest)?),
            "limit" => {
                out.limit = rest.parse().map_err(|_| line.error(0, "expected `limit NUMBER | words`"))?;
                out.limit_note = leak_str(line.prose.as_deref().unwrap_or(""));
            }
            "system" => out.system = words(Some(rest)),
            "registers" => out.registers = true,
            "keeps-loops" => out.keeps_loops = true,
            "bounds" => out.bounds = Some(bound(line, rest)?),
            "excludes" => out.excludes = words(Some(rest)),
            "requires" => out.requires = words(Some(rest)),
            "idle" => {
                let others = rest.strip_prefix("without ");
                let others = others.ok_or_else(|| line.error(0, "expected `idle without .NAME …`"))?;
                out.idle_without = words(Some(others));
            }
            "before" => out.before = words(Some(rest)),
            "part" => {
                let (name, gate) = rest.split_once(" needs ").unwrap_or((rest, ""));
                let gate = rule::gate(line, GateKind::Needs, gate, None)?;
                parts.push(DirectivePart { name: leak_str(name.trim()), gates: leak(vec![gate]) });
            }
            "value" => {
                let value = rest.split_once(' ').and_then(|(number, name)| Some((number.parse().ok()?, name.trim())));
                let (number, name) = value.ok_or_else(|| line.error(0, "expected `value NUMBER NAME`"))?;
                values.push(NamedValue { number, name: leak_str(name) });
            }
            "spaces" => out.spaces = leak(rest.split_whitespace().map(|s| leak_str(&format!(".{s}"))).collect()),
            "words" => out.words = words(Some(rest)),
            "data" => data.push(data_type(line, rest)?),
            _ => {}
        }
    }
    (out.parts, out.values, out.data) = (leak(parts), leak(values), leak(data));
    Ok(out)
}

fn bound(line: &LogicalLine, text: &str) -> Result<LaunchBound> {
    Ok(match text {
        "registers" => LaunchBound::Registers,
        "threads" => LaunchBound::Threads,
        "all threads" => LaunchBound::AllThreads,
        "ctas" => LaunchBound::Ctas,
        "cluster" => LaunchBound::Cluster,
        "whole cluster" => LaunchBound::WholeCluster,
        _ => {
            let expected = "expected `bounds registers`, `{all} threads`, `ctas` or `{whole} cluster`";
            return Err(line.error(line.offset(text), expected));
        }
    })
}

/// Names separated by white space.
pub(super) fn words(text: Option<&str>) -> &'static [&'static str] {
    leak(text.unwrap_or("").split_whitespace().map(leak_str).collect())
}

/// Parses a `takes` line: `nothing`, `1..3 integer in 1..100`, `1.. string`, `1 integer late`.
fn takes(line: &LogicalLine, text: &str) -> Result<Takes> {
    let wrong = || line.error(0, "expected `takes COUNT integer|value|string {in LEAST..MOST}` or `takes nothing`");
    let mut words = text.split_whitespace();
    let count = words.next().ok_or_else(wrong)?;
    if count == "nothing" {
        return Ok(Takes { kind: ArgumentKind::Nothing, least: 0, most: 0, from: 0, to: 0, late: false });
    }
    let (least, most) = count.split_once("..").unwrap_or((count, count));
    let most = if most.is_empty() { "0" } else { most };
    let (least, most) = (least.parse().map_err(|_| wrong())?, most.parse().map_err(|_| wrong())?);
    let kind = match words.next() {
        Some("integer") => ArgumentKind::Integer,
        Some("value") => ArgumentKind::Value,
        Some("string") => ArgumentKind::String,
        _ => return Err(wrong()),
    };
    let mut out = Takes { kind, least, most, from: 0, to: u64::MAX, late: false };
    while let Some(word) = words.next() {
        match word {
            "late" => out.late = true,
            "in" => {
                let (from, to) = words.next().and_then(|range| range.split_once("..")).ok_or_else(wrong)?;
                (out.from, out.to) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
            }
            _ => return Err(wrong()),
        }
    }
    Ok(out)
}

/// Parses a `data` line: `.b8 8 checked`, `.b64 64 labels`.
fn data_type(line: &LogicalLine, text: &str) -> Result<DataType> {
    let wrong = || line.error(0, "expected `data .TYPE BITS {checked} {labels}`");
    let mut words = text.split_whitespace();
    let name = leak_str(words.next().ok_or_else(wrong)?);
    let bits = words.next().and_then(|w| w.parse().ok()).ok_or_else(wrong)?;
    let mut out = DataType { name, bits, checked: false, labels: false };
    for word in words {
        match word {
            "checked" => out.checked = true,
            "labels" => out.labels = true,
            _ => return Err(wrong()),
        }
    }
    Ok(out)
}
