//! Availability: for a statement and a target, the lowest PTX version that accepts it and, if a newer version rejects
//! it again, the highest. `tests/oracle/floors.py` records the assembler's answers in `tests/oracle/floors.txt`.

use crate::snippets::judge;
use ptx_isa::ISA;
use std::collections::BTreeMap;

/// Targets with recorded availability, in the order of the tables.
pub fn targets() -> Vec<&'static str> {
    ISA.targets.iter().map(|t| t.name).filter(|name| name.starts_with("sm_")).collect()
}

/// The versions that support a target, ascending from 1.4; before 1.4 kernels have no parameter list.
pub fn versions(target: &str) -> Vec<String> {
    let first = ISA.target(target).and_then(|t| t.gates.first()?.alternatives.first()?.ptx);
    let last = ISA.target(target).and_then(|t| {
        let until = t.gates.iter().find(|g| g.kind == ptx_isa::tables::GateKind::Until)?;
        until.alternatives.first()?.ptx
    });
    let versions = ISA.versions.iter().map(|v| v.version);
    versions
        .filter(|v| (v.major, v.minor) >= (1, 4) && first.is_none_or(|f| *v >= f) && last.is_none_or(|l| *v < l))
        .map(|v| v.to_string())
        .collect()
}

/// The lowest and the highest version that accept a statement.
pub type Span = (String, String);

/// A version and a target, with the verdict that the recorded availability implies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The PTX version, such as `9.1`.
    pub version: String,
    /// The target, such as `sm_90a`.
    pub target: String,
    /// True if the statement is accepted there.
    pub accepted: bool,
}

/// The points that a span implies: accepted at both ends, rejected just beyond them. Without a span, the newest version
/// rejects the statement.
pub fn points(target: &str, span: Option<&Span>) -> Vec<Point> {
    let versions = versions(target);
    let at = |version: &str| versions.iter().position(|v| v == version);
    let mut out = Vec::new();
    let mut add = |index: usize, accepted: bool| {
        out.push(Point { version: versions[index].clone(), target: target.to_owned(), accepted });
    };
    match span.and_then(|(low, high)| at(low).zip(at(high))) {
        None => {
            if let Some(newest) = versions.len().checked_sub(1) {
                add(newest, false);
            }
        }
        Some((low, high)) => {
            add(low, true);
            if low > 0 {
                add(low - 1, false);
            }
            if high + 1 < versions.len() {
                add(high, true);
                add(high + 1, false);
            }
        }
    }
    out
}

/// Parses recorded availability: for each statement, the span by target.
pub fn parse(text: &str) -> Vec<(String, BTreeMap<String, Span>)> {
    let mut signatures: BTreeMap<&str, BTreeMap<String, Span>> = BTreeMap::new();
    let mut out = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        if let Some((name, spans)) = line.split_once(" = ") {
            let parse = |word: &str| -> Option<(String, Span)> {
                let (target, span) = word.split_once(':')?;
                let (low, high) = span.split_once("..").unwrap_or((span, ""));
                let high = if high.is_empty() { versions(target).last()?.clone() } else { high.to_owned() };
                Some((target.to_owned(), (low.to_owned(), high)))
            };
            signatures.insert(name, spans.split_whitespace().filter_map(parse).collect());
        } else if let Some((name, statement)) = line.split_once(' ') {
            out.push((statement.to_owned(), signatures.get(name).cloned().unwrap_or_default()));
        }
    }
    out
}

/// The recorded points with a different verdict of ours, each as `ours VERSION TARGET STATEMENT`.
pub fn differences(recorded: &[(String, BTreeMap<String, Span>)]) -> Vec<String> {
    let mut asked: BTreeMap<(String, String), Vec<(&str, bool)>> = BTreeMap::new();
    for target in targets() {
        for (statement, spans) in recorded {
            for point in points(target, spans.get(target)) {
                asked.entry((point.version, point.target)).or_default().push((statement, point.accepted));
            }
        }
    }
    let mut out = Vec::new();
    for ((version, target), statements) in asked {
        let texts: Vec<&str> = statements.iter().map(|s| s.0).collect();
        for ((text, accepted), ours) in statements.iter().zip(judge(&version, &target, &texts)) {
            if *accepted == ours.is_some() {
                let word = if ours.is_some() { "ERR" } else { "OK" };
                out.push(format!("{word} {version} {target} {text}"));
            }
        }
    }
    out
}
