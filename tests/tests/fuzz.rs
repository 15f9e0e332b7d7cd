//! Replays inputs with which the fuzzer once found a bug (`tests/fuzz/regressions/TARGET/`), on the same targets.

#[path = "../fuzz/src/bytes.rs"]
mod bytes;
#[path = "../fuzz/src/check.rs"]
mod check;
#[path = "../fuzz/src/chunks.rs"]
mod chunks;
#[path = "../fuzz/src/dap.rs"]
mod dap;
#[path = "../fuzz/src/edits.rs"]
mod edits;
#[path = "../fuzz/src/format.rs"]
mod format;
#[path = "../fuzz/src/grammar.rs"]
mod grammar;
#[path = "../fuzz/src/interpreter.rs"]
mod interpreter;
#[path = "../fuzz/src/isa.rs"]
mod isa;
#[path = "../fuzz/src/launch.rs"]
mod launch;
#[path = "../fuzz/src/lsp.rs"]
mod lsp;
#[path = "../src/separators.rs"]
mod separators;
#[path = "../fuzz/src/wire.rs"]
mod wire;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A target with its name.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("check", check::run),
    ("dap", dap::run),
    ("edits", edits::run),
    ("format", format::run),
    ("grammar", |data| grammar::run(data, &mut |_, _| {})),
    ("interpreter", interpreter::run),
    ("isa", isa::run),
    ("launch", launch::run),
    ("lsp", lsp::run),
    ("chunks", chunks::run),
];

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics, including those that a server catches to keep running. The guard serialises the tests, because they
/// share the counter.
fn counted() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(panic);
        }));
    });
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn what_was_found_once_is_found_no_more() {
    let _alone = counted();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions");
    let mut number = 0;
    for entry in fs::read_dir(&folder).expect("a folder for each target").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (_, run) = TARGETS.iter().find(|(target, _)| *target == name).unwrap_or_else(|| panic!("no target {name}"));
        for file in fs::read_dir(entry.path()).expect("inputs").flatten() {
            let data = fs::read(file.path()).expect("an input");
            let before = PANICS.load(Ordering::SeqCst);
            run(&data);
            assert_eq!(PANICS.load(Ordering::SeqCst), before, "a panic in {name}: {}", file.path().display());
            number += 1;
        }
    }
    assert!(number > 0, "no input was found");
}

/// Random sessions with the debug adapter: about as many requests as steps.
#[test]
fn sessions_of_chance() {
    let _alone = counted();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..60 {
        // An empty text, and a client that waits for answers.
        let mut data = vec![bytes::SEPARATOR, 0];
        data.extend((0..400).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        }));
        let before = PANICS.load(Ordering::SeqCst);
        dap::run(&data);
        assert_eq!(PANICS.load(Ordering::SeqCst), before, "a panic in session {number}");
    }
}
