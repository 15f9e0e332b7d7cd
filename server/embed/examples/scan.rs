//! Counts the PTX in the sources below some folders, and measures the scanner: `scan PATH…`, `scan --files PATH…` for a
//! line per file.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use ptx_embed::{Edit, Flaw, Host, Language};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The processor time of this thread, in steps of a few milliseconds: good for sums. Other programs do not count.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(first.unwrap_or_default())
}

/// Counts over all files of a language.
#[derive(Default)]
struct Counts {
    files: usize,
    bytes: usize,
    time: Duration,
    groups: usize,
    statements: usize,
    /// Statements that end and are not cut by directives.
    whole: usize,
    /// Whole statements whose text and operands are known.
    known: usize,
    problems: BTreeMap<String, usize>,
    /// Groups about whose targets the host says something.
    targets: usize,
    /// The times of edits by the clock.
    edits: Vec<Duration>,
    /// Their processor time together.
    edit_time: Duration,
}

fn files(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        inside.sort();
        inside.iter().filter(|p| !p.is_symlink()).for_each(|p| files(p, out));
    } else {
        out.push(path.to_owned());
    }
}

fn count(counts: &mut Counts, language: Language, text: &str) -> (usize, usize, usize) {
    let start = processor_time();
    let mut host = Host::new(language, text);
    counts.time += processor_time() - start;
    counts.files += 1;
    counts.bytes += text.len();
    counts.groups += host.groups().len();
    let (mut statements, mut whole, mut known) = (0, 0, 0);
    for placed in host.groups() {
        for problem in &placed.group.problems {
            *counts.problems.entry(format!("{:?}", problem.kind)).or_default() += 1;
            if std::env::var_os("SHOW").is_some() {
                let span = placed.start + problem.span.start..placed.start + problem.span.end;
                println!("{:?} {} {:?}", problem.kind, problem.message, text.get(span));
            }
        }
        counts.targets += usize::from(!placed.group.targets.is_anything());
        // Several texts of one statement are one statement.
        if placed.group.variant.as_ref().is_some_and(|v| v.number > 0) {
            continue;
        }
        for statement in &placed.group.statements {
            statements += 1;
            let is_whole = !statement.flaws.iter().any(|f| matches!(f, Flaw::Unclosed | Flaw::Directive));
            whole += usize::from(is_whole);
            known += usize::from(statement.is_static());
        }
    }
    counts.statements += statements;
    counts.whole += whole;
    counts.known += known;
    if std::env::var_os("NO_EDITS").is_some() {
        return (statements, whole, known);
    }
    // A keystroke in the text of up to 200 statements.
    let count = host.groups().len().min(200);
    let places: Vec<usize> = (0..count)
        .filter_map(|i| host.groups().get(i * host.groups().len() / count))
        .filter_map(|p| Some(p.start + p.group.statements.first()?.literals.first()?.start))
        .collect();
    let mut text = text.to_owned();
    for at in places {
        for (removed, inserted) in [(0, "x"), (1, "")] {
            text.replace_range(at..at + removed, inserted);
            let edit = Edit { start: at, old_end: at + removed, new_end: at + inserted.len() };
            let (processor, start) = (processor_time(), Instant::now());
            host.edit(&text, edit);
            counts.edits.push(start.elapsed());
            counts.edit_time += processor_time() - processor;
        }
    }
    (statements, whole, known)
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let each = arguments.iter().position(|a| a == "--files").map(|i| arguments.remove(i)).is_some();
    let mut all = Vec::new();
    arguments.iter().for_each(|a| files(Path::new(a), &mut all));
    let mut all_counts: Vec<(Language, Counts)> = Vec::new();
    for path in &all {
        let Some(language) = Language::of_file_name(&path.to_string_lossy()) else { continue };
        let Ok(bytes) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let index = all_counts.iter().position(|(l, _)| *l == language).unwrap_or_else(|| {
            all_counts.push((language, Counts::default()));
            all_counts.len() - 1
        });
        let (statements, whole, known) = count(&mut all_counts[index].1, language, &text);
        if each && statements > 0 {
            println!("{statements}\t{whole}\t{known}\t{}", path.display());
        }
    }
    for (language, counts) in all_counts {
        let rate = counts.bytes as f64 / 1e6 / counts.time.as_secs_f64().max(1e-9);
        let mut edits = counts.edits;
        edits.sort_unstable();
        let share = |percent: usize| edits.get(edits.len() * percent / 100).copied().unwrap_or_default();
        println!(
            "{language:?}: {} files, {:.1} MB, {rate:.0} MB/s; {} statements in {} groups, {} whole, {} static; problems {:?}, {} \
             groups with targets; {} edits, median {:?}, 95 % within {:?}, mean processor time {:?}",
            counts.files,
            counts.bytes as f64 / 1e6,
            counts.statements,
            counts.groups,
            counts.whole,
            counts.known,
            counts.problems,
            counts.targets,
            edits.len(),
            share(50),
            share(95),
            counts.edit_time / u32::try_from(edits.len().max(1)).unwrap_or(u32::MAX),
        );
    }
}
