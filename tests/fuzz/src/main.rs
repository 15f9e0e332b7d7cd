//! The fuzz targets, in one program: `PTX_FUZZ` selects the target. See the README.

// libFuzzer contains `main`, and requires a certain section name for counters.
#![no_main]

#[cfg(feature = "text")]
mod bytes;
#[cfg(feature = "text")]
mod check;
#[cfg(feature = "text")]
mod chunks;
#[cfg(feature = "machine")]
mod dap;
#[cfg(feature = "text")]
mod edits;
#[cfg(feature = "text")]
mod format;
mod grammar;
#[cfg(feature = "machine")]
mod interpreter;
#[cfg(feature = "text")]
mod isa;
#[cfg(feature = "machine")]
mod launch;
#[cfg(feature = "machine")]
mod lsp;
#[cfg(feature = "text")]
#[path = "../../src/separators.rs"]
mod separators;
#[cfg(feature = "machine")]
mod wire;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Number of counters for the node kinds that the parser has produced. Branch coverage of the parser says little,
/// because the parser is table-driven.
const COUNTERS: usize = 1 << 14;

/// libFuzzer treats this section like its own branch counters.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static SEEN: [AtomicU8; COUNTERS] = [const { AtomicU8::new(0) }; COUNTERS];

fn seen(parent: u16, child: u16) {
    let at = (usize::from(parent) * 577 + usize::from(child)) % COUNTERS;
    SEEN[at].fetch_add(1, Ordering::Relaxed);
}

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| match std::env::var("PTX_FUZZ").unwrap_or_default().as_str() {
    "grammar" => |data| grammar::run(data, &mut seen),
    #[cfg(feature = "text")]
    "check" => check::run,
    #[cfg(feature = "machine")]
    "dap" => dap::run,
    #[cfg(feature = "text")]
    "edits" => edits::run,
    #[cfg(feature = "text")]
    "format" => format::run,
    #[cfg(feature = "machine")]
    "interpreter" => interpreter::run,
    #[cfg(feature = "text")]
    "isa" => isa::run,
    #[cfg(feature = "machine")]
    "launch" => launch::run,
    #[cfg(feature = "machine")]
    "lsp" => lsp::run,
    #[cfg(feature = "text")]
    "chunks" => chunks::run,
    other => panic!("there is no target {other:?}"),
});

fuzz_target!(|data: &[u8]| TARGET(data));
