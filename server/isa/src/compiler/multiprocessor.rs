//! Compiles `multiprocessor NAME for TARGET…` entries: the resources of a multiprocessor.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use crate::tables::{Assembler, Multiprocessor, TargetInfo};

pub(super) const KEYWORDS: &[&str] = &["registers", "holds", "shared", "carve-outs", "assembler", "calls"];

/// Builds the entry of a `multiprocessor` line and the lines under it.
pub(super) fn build(name: &'static str, summary: &'static str, body: &[LogicalLine]) -> Result<Multiprocessor> {
    let head = &body[0];
    let mut words = head.text.split_whitespace().skip(2);
    if words.next() != Some("for") {
        return Err(head.error(0, "expected `multiprocessor NAME for TARGET…`"));
    }
    let targets = leak(words.map(leak_str).collect());
    let [registers, cta_registers, thread_registers, register_unit] =
        numbers(body, "registers", ["", "cta", "thread", "unit"])?;
    let [warps, ctas, partitions, cta_threads] = numbers(body, "holds", ["warps", "ctas", "partitions", "threads"])?;
    let [shared, shared_opt_in, shared_unit, shared_reserved] =
        numbers(body, "shared", ["", "opt-in", "unit", "reserved"])?;
    let [least, bound, step, parts] = numbers(body, "assembler", ["least", "bound", "step", "parts"])?;
    let [call, saved_from, saved_first, saved_gap, saved_run] =
        numbers(body, "calls", ["least", "from", "first", "gap", "run"])?;
    let mut carve_outs = Vec::new();
    if let Some(line) = body[1..].iter().find(|l| l.keyword().0 == "carve-outs") {
        for word in line.keyword().1.split_whitespace() {
            let wrong = || line.error(line.offset(word), format!("`{word}` is not a number"));
            carve_outs.push(number(word).ok_or_else(wrong)?);
        }
        if carve_outs.last() != Some(&shared) || !carve_outs.is_sorted() {
            return Err(line.error(0, "`carve-outs` ascend to what `shared` says"));
        }
    }
    // These numbers are divisors.
    if let Some(zero) = [partitions, register_unit, shared_unit, step, parts].iter().position(|n| *n == 0) {
        let name = ["partitions", "unit of registers", "unit of shared memory", "step", "parts"][zero];
        return Err(head.error(0, format!("the {name} cannot be 0")));
    }
    Ok(Multiprocessor {
        name,
        targets,
        summary,
        registers,
        cta_registers,
        thread_registers,
        register_unit,
        warps,
        ctas,
        partitions,
        cta_threads,
        shared,
        shared_opt_in,
        shared_unit,
        shared_reserved,
        carve_outs: leak(carve_outs),
        assembler: Assembler { least, bound, step, parts, call, saved_from, saved_first, saved_gap, saved_run },
    })
}

/// The numbers of the line with this keyword. Each name comes before its number; an empty name stands for a first number
/// without a name.
fn numbers<const N: usize>(body: &[LogicalLine], keyword: &str, names: [&str; N]) -> Result<[u32; N]> {
    let found = body[1..].iter().find(|l| l.keyword().0 == keyword);
    let line = found.ok_or_else(|| body[0].error(0, format!("there is no line `{keyword}`")))?;
    let mut words = line.keyword().1.split_whitespace();
    let mut out = [0; N];
    for (name, out) in names.iter().zip(&mut out) {
        if !name.is_empty() && words.next() != Some(*name) {
            return Err(line.error(0, format!("expected `{keyword}` with {}", names.join(" N ").trim())));
        }
        let value = words.next().and_then(number);
        *out = value.ok_or_else(|| line.error(0, format!("expected a number after `{keyword} {name}`")))?;
    }
    match words.next() {
        Some(word) => Err(line.error(line.offset(word), format!("unexpected `{word}`"))),
        None => Ok(out),
    }
}

/// Parses `228K` or `65536`.
fn number(word: &str) -> Option<u32> {
    match word.strip_suffix('K') {
        Some(kilo) => kilo.parse::<u32>().ok()?.checked_mul(1024),
        None => word.parse().ok(),
    }
}

/// Checks that each named target is declared, and has only one multiprocessor.
pub(super) fn check(all: &[Multiprocessor], targets: &[TargetInfo]) -> std::result::Result<(), String> {
    let mut seen = Vec::new();
    for (processor, target) in all.iter().flat_map(|m| m.targets.iter().map(move |t| (m, *t))) {
        if !targets.iter().any(|t| t.name == target) {
            return Err(format!("`{}` is for `{target}`, which is not a target", processor.name));
        }
        if seen.contains(&target) {
            return Err(format!("two multiprocessors are for `{target}`"));
        }
        seen.push(target);
    }
    Ok(())
}
