//! Which CUDA release and driver take which PTX version.

use crate::describe::{self, MarkdownPage};
use crate::hover::version;
use ptx_isa::tables::Version;
use ptx_isa::{RELEASES, release_of};

/// The number of rows of a short table, the newest of them last.
const RECENT: usize = 10;

/// Words around a number that do not change what is asked.
const AROUND: &[&str] = &[
    "a",
    "added",
    "and",
    "branch",
    "by",
    "came",
    "changes",
    "compatible",
    "cuda",
    "do",
    "does",
    "driver",
    "feature",
    "features",
    "for",
    "has",
    "have",
    "i",
    "in",
    "introduced",
    "is",
    "isa",
    "latest",
    "minimum",
    "my",
    "need",
    "needs",
    "new",
    "nvcc",
    "nvidia",
    "of",
    "ptx",
    "ptxas",
    "r",
    "release",
    "required",
    "support",
    "supported",
    "supports",
    "takes",
    "the",
    "toolkit",
    "version",
    "versions",
    "what",
    "which",
    "with",
];

/// The page about a release, a PTX version or a driver: `CUDA 12.8`, `which PTX has CUDA 12.8`, `PTX 8.6`, `driver 570`.
pub fn page(query: &str) -> Option<MarkdownPage> {
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| c.is_whitespace() || matches!(c, '?' | ',' | ':')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_number = |word: &&str| word.trim_start_matches('r').starts_with(|c: char| c.is_ascii_digit());
    let mut numbers = words.iter().enumerate().filter(|(_, word)| is_number(word));
    let (at, number) = numbers.next().filter(|_| words.len() > 1)?;
    if numbers.next().is_some() || !words.iter().all(|word| is_number(word) || AROUND.contains(word)) {
        return None;
    }
    // The word beside the number says what it counts.
    let kind = words[..at].iter().rev().find(|word| matches!(**word, "cuda" | "ptx" | "driver" | "nvcc" | "ptxas"));
    match *kind? {
        "ptx" => describe::version(version(number)?),
        "driver" => driver(number.trim_start_matches('r').split('.').next()?.parse().ok()?),
        _ => release(number),
    }
}

/// `PTX 8.6 came with CUDA 12.7 (driver 565)`; `None` for a version that no release is known to have brought.
pub fn origin(version: Version) -> Option<String> {
    release_of(version).map(|release| format!("PTX {version} came with {release}"))
}

/// The newest releases, as a list.
pub fn recent() -> impl Iterator<Item = String> {
    RELEASES[RELEASES.len().saturating_sub(RECENT)..].iter().map(|release| format!("{release}: PTX {}", release.ptx))
}

fn release(number: &str) -> Option<MarkdownPage> {
    // An update, `12.8.1`, takes what its release takes.
    let number = number.split('.').take(2).collect::<Vec<_>>().join(".");
    let index = RELEASES.iter().position(|release| release.cuda == number)?;
    let release = RELEASES[index];
    let mut page = MarkdownPage::default();
    page.text(format!("# CUDA {}", release.cuda));
    let driver = release
        .driver
        .map_or("The driver that came with it".to_owned(), |driver| format!("Driver {driver}, which came with it,"));
    page.text(format!(
        "Its assembler accepts `.version` up to {0}. {driver} compiles PTX up to {0}, too; an older driver refuses it (`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`).",
        release.ptx
    ));
    let around = &RELEASES[index.saturating_sub(3)..(index + 4).min(RELEASES.len())];
    page.list("Neighbouring releases", around.iter().map(|release| format!("{release}: PTX {}", release.ptx)));
    page.text(format!("`ptx-analyzer explain \"PTX {}\"` shows what the version brought.", release.ptx));
    Some(page)
}

fn driver(branch: u16) -> Option<MarkdownPage> {
    let release = RELEASES.iter().rev().find(|release| release.driver.is_some_and(|driver| driver <= branch))?;
    let mut page = MarkdownPage::default();
    page.text(format!("# Driver {branch}"));
    page.text(format!(
        "It compiles PTX up to `.version` {}, as {release} does; newer PTX is `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.",
        release.ptx
    ));
    page.list("The newest releases", recent());
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::page;

    fn text(query: &str) -> String {
        page(query).unwrap_or_else(|| panic!("nothing about `{query}`")).finish()
    }

    #[test]
    fn numbers_are_releases_versions_or_drivers() {
        for query in ["CUDA 12.8", "which PTX version has CUDA 12.8?", "cuda toolkit 12.8.1", "PTX for CUDA 12.8"] {
            assert!(text(query).contains("up to 8.7") && text(query).contains("Driver 570"), "{query}");
        }
        assert!(text("PTX 8.6").contains("CUDA 12.7 (driver 565)"));
        assert!(text("PTX ISA version 8.6").contains("CUDA 12.7"));
        assert!(text("driver r572.16").contains("up to `.version` 8.7"), "{}", text("driver r572.16"));
        assert!(text("CUDA 13.5").contains("The driver that came with it"));
        for query in ["12.8", "CUDA", "CUDA 99.1", "mma 16 cuda", "cuda 12.8 12.9", "PTX loop 3"] {
            assert!(page(query).is_none(), "{query}");
        }
    }
}
