//! Reads texts with and without the parser and prints the first difference: `twins SEED TEXTS PATH…`.
//!
//! Each path is a PTX file or a folder with such files. Every file is read as it is, then TEXTS texts with other separators at random places.
//! The exit status is 1 if there is a difference.

use ptx_syntax::Outline;
use ptx_tests::generate::Random;
use ptx_tests::separators::respaced;
use ptx_tests::twins::difference;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Larger files are read as they are, and not changed: most of the time would be theirs.
const MAX_CHANGED: usize = 200 << 10;

fn files(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut inside: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| files(path, out));
    } else if path.extension().is_some_and(|extension| extension == "ptx") {
        out.push(path.to_owned());
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|n| n.parse::<usize>().ok());
    let (Some(seed), Some(most)) = (number(), number()) else {
        eprintln!("usage: twins SEED TEXTS PATH…");
        return ExitCode::from(2);
    };
    let mut paths = Vec::new();
    arguments.for_each(|path| files(Path::new(&path), &mut paths));
    let read = |path: PathBuf| Some((path.display().to_string(), String::from_utf8(std::fs::read(path).ok()?).ok()?));
    let texts: Vec<(String, String)> = paths.into_iter().filter_map(read).collect();
    let begin = Instant::now();
    let (mut compared, mut bytes, mut parts) = (0_usize, 0_usize, 0_usize);
    let mut compare = |name: &str, text: &str, min_part: usize| {
        compared += 1;
        bytes += text.len();
        parts += Outline::with_part_size(text, 1, min_part).parts().len();
        let different = difference(text, min_part);
        if let Some(words) = &different {
            let kept = std::env::temp_dir().join("twins.ptx");
            let written = std::fs::write(&kept, text);
            println!("{name}, parts of {min_part} bytes: {words}\nthe text is in {} ({written:?})", kept.display());
        }
        different.is_some()
    };
    for (name, text) in &texts {
        if [usize::MAX, 32 << 10].into_iter().any(|min_part| compare(name, text, min_part)) {
            return ExitCode::FAILURE;
        }
    }
    let mut random = Random::new(seed as u64 * 2 + 1);
    let small: Vec<_> = texts.iter().filter(|(_, text)| text.len() <= MAX_CHANGED && !text.is_empty()).collect();
    for _ in 0..most {
        let Some((name, text)) = small.get(random.below(small.len())) else { break };
        let text = respaced(text, 6, &mut |n| random.below(n));
        let min_part = [1, 300, 32 << 10][random.below(3)];
        if compare(name, &text, min_part) {
            return ExitCode::FAILURE;
        }
    }
    let (seconds, megabytes) = (begin.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    println!("{compared} texts, {megabytes:.0} MB, {parts} parts without bodies, {seconds:.0} s: no difference");
    ExitCode::SUCCESS
}
