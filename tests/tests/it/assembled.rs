//! Our verdicts on code generation, compared with recorded ones of NVIDIA's assembler (`tests/oracle/assembled`).

use super::verdicts::{files, unpacked};
use flate2::Crc;
use ptx_tests::snippets::{BUILT_TOGETHER, Judged, built, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What was recorded of the statements that the assembler's parser accepts.
#[derive(Default)]
struct Record {
    /// The accepted statements, by version and target.
    accepted: Vec<Judged>,
    /// Those that are not built: the statement with version and target, and the word of the record.
    dead: BTreeMap<String, String>,
}

/// Reads the record that belongs to a file of `verdicts` or `variants`, and checks that it was made for these statements.
fn record(path: &Path) -> Record {
    let folder = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    let name = format!("{folder}-{}", path.file_name().expect("a name").to_string_lossy());
    let text = unpacked(&path.with_file_name("..").join("assembled").join(&name));
    let asked = text.lines().nth(1).unwrap_or_default();
    let accepted: Vec<Judged> = parse(&unpacked(path)).into_iter().filter(|judged| judged.accepted).collect();
    let all: String = accepted.iter().map(|judged| line(judged) + "\n").collect();
    let wanted = format!("# asked {} {:08x}", accepted.len(), sum(&all));
    assert!(asked == wanted, "assembled/{name} is about other statements: tests/oracle/assemble.py");
    let dead = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (statement, _) = line.split_once('\t').expect("a tab before the message");
        let (word, statement) = statement.split_once(' ').expect("a word before the statement");
        (statement.to_owned(), word.to_owned())
    });
    Record { accepted, dead: dead.collect() }
}

/// The CRC-32 of a text.
fn sum(text: &str) -> u32 {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    crc.sum()
}

fn line(judged: &Judged) -> String {
    let snippet = &judged.snippet;
    format!("{} {} {}", snippet.version, snippet.target, snippet.text)
}

/// The statements of one version and target that are checked together, as indices into `accepted`.
fn parts(record: &Record) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, judged) in record.accepted.iter().enumerate() {
        groups.entry((&judged.snippet.version, &judged.snippet.target)).or_default().push(index);
    }
    groups.values().flat_map(|group| group.chunks(BUILT_TOGETHER)).map(<[usize]>::to_vec).collect()
}

/// The statements of a part on which we and the assembler disagree, with our verdict first.
fn disagreements(record: &Record, part: &[usize]) -> BTreeSet<String> {
    let all = || part.iter().filter_map(|index| record.accepted.get(*index));
    let Some(first) = all().next() else { return BTreeSet::new() };
    let texts: Vec<&str> = all().map(|judged| judged.snippet.text.as_str()).collect();
    let ours = built(&first.snippet.version, &first.snippet.target, &texts);
    let compared = all().zip(ours).filter_map(|(judged, ours)| {
        let statement = line(judged);
        let theirs = record.dead.get(&statement).map_or("OK", String::as_str);
        (ours.word() != theirs).then(|| format!("{} {statement}", ours.word()))
    });
    compared.collect()
}

#[test]
fn the_records_are_of_the_release_that_messages_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/assembled");
    let release = format!("# ptxas {}.", ptx_isa::ISA.assembler);
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the records") {
        let path = entry.expect("a record").path();
        let text = unpacked(&path);
        assert!(text.starts_with(&release), "{}: {:?}", path.display(), text.lines().next());
        count += 1;
    }
    assert!(count > 30, "{count} records");
}

#[test]
fn assembled_statements_are_ours() {
    let records: Vec<Record> =
        ["verdicts", "variants"].iter().flat_map(|folder| files(folder)).map(|p| record(&p)).collect();
    let count: usize = records.iter().map(|record| record.accepted.len()).sum();
    assert!(count > 130_000, "only {count} statements are recorded");
    let parts: Vec<(&Record, Vec<usize>)> =
        records.iter().flat_map(|record| parts(record).into_iter().map(move |part| (record, part))).collect();
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut out = BTreeSet::new();
        while let Some((record, part)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            out.extend(disagreements(record, part));
        }
        out
    };
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let now: BTreeSet<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a lane ends")).collect()
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/unbuilt-disagreements.txt");
    let list = fs::read_to_string(path).expect("the list of disagreements");
    let mut known = BTreeSet::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (statement, reason) = line.split_once('\t').unwrap_or((line, ""));
        assert!(!reason.trim_matches('?').is_empty(), "a disagreement without a reason: {line}");
        known.insert(statement.to_owned());
    }
    let show = |lines: Vec<&String>| lines.iter().take(40).map(|line| line.as_str()).collect::<Vec<_>>().join("\n");
    let new: Vec<&String> = now.difference(&known).collect();
    assert!(new.is_empty(), "{} new disagreements with the assembler, ours first:\n{}", new.len(), show(new));
    let gone: Vec<&String> = known.difference(&now).collect();
    assert!(gone.is_empty(), "these agree now: take them out of unbuilt-disagreements.txt\n{}", show(gone));
}
