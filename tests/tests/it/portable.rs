//! Every launch of our kernels writes the same bytes on every computer: tests/portable/results.tsv has their digests, for this test on each
//! platform that runs it, and for server/web/tests/kernels.test.mjs.

use ptx_interp::machine::{RunStatus, Settings};
use ptx_launch::evaluate::LaunchModule;
use ptx_launch::report::report;
use ptx_syntax::Snapshot;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const RESULTS: &str = include_str!("../../portable/results.tsv");

/// FNV-1a of 64 bits, which is easily written in any language.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The buffers of a run as a text: name and hexadecimal digits of each.
fn written(buffers: &BTreeMap<String, String>) -> String {
    buffers.iter().map(|(name, bytes)| format!("{name}={bytes}\n")).collect()
}

/// The lines of a file's launches: file, kernel, index of the launch among those of the kernel, warp instructions, digest of all buffers.
fn lines_of(name: &str, text: &str) -> String {
    let module = LaunchModule::new(&Snapshot::new(text));
    let (launches, mistakes) = module.launches();
    assert!(mistakes.is_empty() && !launches.is_empty(), "{name}: {mistakes:?}");
    let mut lines = String::new();
    let mut indices: BTreeMap<String, u32> = BTreeMap::new();
    for launch in launches {
        let entry = launch.entry.to_string();
        let done = module.evaluate(launch, Settings::default(), None, None, &|| false).expect("it runs");
        assert_eq!(done.run.status, RunStatus::Finished, "{name} {entry}");
        let report = report(&done, &|_| (0, 0), None, &mut u64::MAX.clone());
        let buffers = report.buffers.expect("all buffers");
        assert!(report.omitted.is_empty() && !buffers.is_empty(), "{name} {entry}");
        let index = indices.entry(entry.clone()).or_default();
        let digest = digest(&written(&buffers));
        writeln!(lines, "{name}\t{entry}\t{index}\t{}\t{digest:016x}", report.warp_instructions).expect("a string");
        *index += 1;
    }
    lines
}

#[test]
fn all_launches_write_the_same_bytes_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = String::from(
        "# file, kernel, launch, warp instructions, digest of its buffers; written by tests/it/portable.rs\n",
    );
    for part in ["kernels", "portable"] {
        let mut files: Vec<_> =
            folder.join(part).read_dir().expect("a folder").map(|f| f.expect("a file").file_name()).collect();
        files.sort();
        for name in files.iter().filter_map(|name| name.to_str()).filter(|name| name.ends_with(".ptx")) {
            let text = std::fs::read_to_string(folder.join(part).join(name)).expect("a kernel");
            found += &lines_of(&format!("{part}/{name}"), &text);
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(folder.join("portable/results.tsv"), &found).expect("the file");
        return;
    }
    let differences: Vec<(&str, &str)> = found.lines().zip(RESULTS.lines()).filter(|(a, b)| a != b).collect();
    assert!(differences.is_empty(), "found and recorded: {differences:#?}");
    assert_eq!(
        found.lines().count(),
        RESULTS.lines().count(),
        "launches were added or removed: run this with UPDATE_EXPECT=1"
    );
}
