//! Compiles the places at which variables of a state space may be declared, and the capacity of the space.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::rule;
use crate::tables::{Capacity, DeclarationPlace, Gate, GateKind};

/// Parses the `declared` and `holds` lines of a space.
pub(super) fn declared(body: &[LogicalLine]) -> Result<(&'static [DeclarationPlace], &'static [Capacity])> {
    let (mut places, mut capacities) = (Vec::new(), Vec::new());
    for line in &body[1..] {
        let (word, rest) = line.keyword();
        match word {
            "declared" => places.push(place(line, rest)?),
            "holds" => capacities.push(capacity(line, rest)?),
            _ => {}
        }
    }
    Ok((leak(places), leak(capacities)))
}

/// The places at which variables may be declared. Numbered banks and open arrays of parameters are separate places, because
/// they have their own gates.
const PLACES: [&str; 8] =
    ["module", "body", "kernel-parameter", "parameter", "result", "open-parameter", "bank", "external-bank"];

/// Parses a `declared` line: `module body align 128 needs ptx 2.0`.
fn place(line: &LogicalLine, text: &str) -> Result<DeclarationPlace> {
    let (text, gates) = gates(line, text)?;
    let (mut names, mut align) = (Vec::new(), 0);
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if word == "align" {
            let number = words.next().and_then(|n| n.parse().ok());
            align = number.ok_or_else(|| line.error(line.offset(word), "expected a number after `align`"))?;
        } else if PLACES.contains(&word) {
            names.push(leak_str(word));
        } else {
            return Err(line.error(line.offset(word), format!("`{word}` is none of {}", PLACES.join(", "))));
        }
    }
    Ok(DeclarationPlace { names: leak(names), align, gates })
}

/// Parses a `holds` line: `4352 needs ptx 1.5`.
fn capacity(line: &LogicalLine, text: &str) -> Result<Capacity> {
    let (number, gates) = gates(line, text)?;
    let bytes = number.trim().parse().map_err(|_| line.error(line.offset(text), "expected a number of bytes"))?;
    Ok(Capacity { bytes, gates })
}

/// Splits a text into the part before a gate, and the gate.
fn gates<'l>(line: &LogicalLine, text: &'l str) -> Result<(&'l str, &'static [Gate])> {
    for (word, kind) in [(" needs ", GateKind::Needs), (" until ", GateKind::Until)] {
        if let Some((before, gate)) = text.split_once(word) {
            return Ok((before, leak(vec![rule::gate(line, kind, gate, None)?])));
        }
    }
    Ok((text, &[]))
}
