//! Every record of the assembler's answers names the version of the assembler.

use flate2::read::GzDecoder;
use std::fs;
use std::io::Read;
use std::path::Path;

fn first_line(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = if path.extension().is_some_and(|e| e == "gz") {
        let mut text = String::new();
        GzDecoder::new(&*bytes).read_to_string(&mut text).expect("a compressed text");
        text
    } else {
        String::from_utf8(bytes).expect("a text")
    };
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn records_name_their_assembler() {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle");
    let files = |folder: &str| {
        let entries = fs::read_dir(oracle.join(folder)).expect("a folder of records");
        entries.map(|e| e.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = ["assembled", "verdicts", "floors", "mutants"].into_iter().flat_map(files).collect();
    all.extend(["fixtures.txt", "constants.txt", "registers.txt", "shared.txt"].map(|name| oracle.join(name)));
    let nameless = |path: &&std::path::PathBuf| {
        let line = first_line(path);
        let version = line.split_once("ptxas ").map_or("", |(_, rest)| rest);
        !(line.starts_with('#') && version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let nameless: Vec<_> = all.iter().filter(nameless).collect();
    assert!(nameless.is_empty(), "record these again, so that they say which assembler: {nameless:#?}");
}
