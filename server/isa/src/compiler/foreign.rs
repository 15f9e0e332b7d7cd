//! Compiles the tables of words that are not PTX – `data/cuda.tsv`, `data/names.tsv`, `data/sass.tsv`, `data/search.tsv` – to Rust source.
//! The ISA must know what they are in PTX.

use super::error::Result;
use super::usage::{rows, unknown, unknown_word};
use crate::tables::Isa;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Compiles the table of CUDA names and their PTX spellings to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, out of order, or has a PTX name that the ISA tables do not have.
pub fn cuda(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let header = "/// Names of CUDA and what they are in PTX, sorted by name, as declared in `data/cuda.tsv`.\npub static CUDA: &[Cuda] = &[\n";
    Ok(item(header, &foreign(file, text, |spelling| unknown_word(isa, spelling))?))
}

/// Compiles the table of words of other languages and that of machine instructions, each a file with its text, to two Rust items: the
/// machine instructions with what they do, and the words of both without it.
///
/// # Errors
/// Returns the first row that is malformed, out of order, or has a PTX name that the ISA tables do not have.
pub fn names(names: (&str, &str), sass: (&str, &str), isa: &Isa) -> Result<String> {
    let unknown_spelling = |spelling: &str| {
        // A value: `0f7F800000`.
        let is_number = spelling.starts_with(|c: char| c.is_ascii_digit());
        if is_number { None } else { unknown(isa, spelling) }
    };
    let mut words = foreign(names.0, names.1, unknown_spelling)?;
    let instructions = foreign(sass.0, sass.1, unknown_spelling)?;
    for (row, columns) in rows(sass.0, sass.1) {
        let [name, ptx, does] = columns.as_slice() else { continue };
        if name.contains(|c: char| c.is_ascii_lowercase()) || does.is_empty() {
            return Err(row.error(format!("`{name}`: expected a mnemonic in upper case, and what it does")));
        }
        // Without PTX the words say what takes its place. What a word means in several languages, `sync`, is in the other table.
        let differs = if ["", "-"].contains(ptx) { does } else { "" };
        words.entry(name.to_lowercase()).or_insert((ptx, differs));
    }
    let header = "/// Words of other languages and assemblers and what they are in PTX, sorted by word, as declared in `data/names.tsv` and `data/sass.tsv`.\npub static OTHER_NAMES: &[Cuda] = &[\n";
    let sass_header = "/// Machine instructions, what they come from in PTX, and what they do, sorted by name, as declared in `data/sass.tsv`.\npub static SASS: &[Cuda] = &[\n";
    Ok(item(header, &words) + &item(sass_header, &instructions))
}

/// Compiles the table of words of questions to a Rust item.
///
/// # Errors
/// Returns the first row of an unknown kind.
pub fn search_words(file: &str, text: &str) -> Result<String> {
    let (mut stop, mut weak, mut compare, mut same) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, columns) in rows(file, text) {
        let [kind, words] = columns.as_slice() else {
            return Err(row.error("expected a kind and words, separated by a tab"));
        };
        let words: Vec<&str> = words.split_whitespace().collect();
        match *kind {
            "stop" => stop.extend(words),
            "weak" => weak.extend(words),
            "compare" => compare.extend(words),
            "same" => same.push(words),
            kind => return Err(row.error(format!("expected `stop`, `weak`, `compare` or `same`, not `{kind}`"))),
        }
    }
    let same: Vec<String> = same.iter().map(|words| format!("&{words:?}")).collect();
    Ok(format!(
        "/// Words of questions, as declared in `data/search.tsv`.\npub static SEARCH_WORDS: SearchWords = SearchWords{{stop:&{stop:?},weak:&{weak:?},compare:&{compare:?},same:&[{}]}};\n",
        same.join(",")
    ))
}

/// The rows of a table of foreign names: spelling in PTX and further words by name. `unknown` returns the word of a PTX spelling that the
/// ISA tables do not have.
fn foreign<'t>(
    file: &'t str,
    text: &'t str,
    unknown: impl Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, (&'t str, &'t str)>> {
    let mut out = BTreeMap::new();
    let mut last = "";
    for (row, columns) in rows(file, text) {
        let [name, ptx, words] = columns.as_slice() else {
            return Err(row.error("expected a name, a spelling in PTX and what differs, separated by tabs"));
        };
        if *name <= last {
            return Err(row.error(format!("`{name}` is not behind the row before it, in the order of bytes")));
        }
        last = name;
        if ["", "-"].contains(ptx) && words.is_empty() {
            return Err(row.error(format!("`{name}`: expected what to do where PTX has nothing like it")));
        }
        for spelling in ptx.split(" / ").filter(|spelling| !["", "-"].contains(spelling)) {
            if let Some(wrong) = unknown(spelling) {
                return Err(row.error(format!("`{name}`: the tables do not know `{wrong}` of `{spelling}`")));
            }
        }
        out.insert((*name).to_owned(), (*ptx, *words));
    }
    Ok(out)
}

/// A Rust item that begins with `header`.
fn item(header: &str, rows: &BTreeMap<String, (&str, &str)>) -> String {
    let mut out = header.to_owned();
    for (name, (ptx, words)) in rows {
        let _ = writeln!(out, "Cuda{{name:{name:?},ptx:{ptx:?},words:{words:?}}},");
    }
    out.push_str("];\n");
    out
}
