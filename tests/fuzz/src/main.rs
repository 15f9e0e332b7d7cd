//! The fuzz targets, in one program: `PTX_FUZZ` selects the target. See the README.

// libFuzzer contains `main`, and requires a certain section name for counters.
#![no_main]

#[cfg(feature = "all")]
mod bytes;
#[cfg(feature = "all")]
mod check;
#[cfg(feature = "all")]
mod dap;
#[cfg(feature = "all")]
mod edits;
#[cfg(feature = "all")]
mod format;
mod grammar;
#[cfg(feature = "all")]
mod interpreter;
#[cfg(feature = "all")]
mod isa;
#[cfg(feature = "all")]
mod launch;
#[cfg(feature = "all")]
mod lsp;
#[cfg(feature = "all")]
mod chunks;
#[cfg(feature = "all")]
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
    #[cfg(feature = "all")]
    "check" => check::run,
    #[cfg(feature = "all")]
    "dap" => dap::run,
    #[cfg(feature = "all")]
    "edits" => edits::run,
    #[cfg(feature = "all")]
    "format" => format::run,
    #[cfg(feature = "all")]
    "interpreter" => interpreter::run,
    #[cfg(feature = "all")]
    "isa" => isa::run,
    #[cfg(feature = "all")]
    "launch" => launch::run,
    #[cfg(feature = "all")]
    "lsp" => lsp::run,
    #[cfg(feature = "all")]
    "chunks" => chunks::run,
    other => panic!("there is no target {other:?}"),
});

fuzz_target!(|data: &[u8]| TARGET(data));
