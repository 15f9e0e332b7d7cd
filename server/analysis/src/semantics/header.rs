//! Reads the module header from the first items only, because hover must not wait for a check of the whole module.

use super::walk::top;
use crate::check::rules::module_header::HeaderProgress;
use crate::hir::lower::ItemSource;
use crate::target::Environment;
use ptx_syntax::{Snapshot, kinds};

/// The maximum number of items that are searched for the header.
const MAX_ITEMS: usize = 64;

/// The version, target and address size of a module.
pub fn environment(snapshot: &Snapshot) -> Environment {
    let k = kinds();
    let mut out = Environment { address_size: 32, ..Environment::default() };
    let mut progress = HeaderProgress::default();
    // Discarded: the analysis reports errors in the header.
    let mut unused = Vec::new();
    for node in top(snapshot).take(MAX_ITEMS) {
        let text = snapshot.text(node.start_byte()..node.end_byte().min(node.start_byte() + 4096));
        let source = ItemSource { text: &text, base: node.start_byte() };
        let kind = node.kind_id();
        if kind == k.version_directive {
            progress.version(source, node, &mut out, &mut unused);
        } else if kind == k.target_directive {
            progress.target(source, node, &mut out, &mut unused);
        } else if kind == k.address_size_directive {
            progress.address_size(source, node, &mut out, &mut unused);
        } else if kind == k.function {
            break;
        }
    }
    out
}
