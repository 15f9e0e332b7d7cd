//! Reads the module header from the first items only, because hover must not wait for a check of the whole module.

use crate::hir::header::HeaderReader;
use crate::hir::lower::ItemSource;
use crate::target::Environment;
use ptx_syntax::walk::top;
use ptx_syntax::{Snapshot, kinds};

/// The maximum number of items that are searched for the header.
const MAX_ITEMS: usize = 64;

/// The version, target and address size of a module.
pub fn environment(snapshot: &Snapshot) -> Environment {
    let k = kinds();
    let mut out = Environment { address_size: 32, ..Environment::default() };
    // The check reports what is wrong in the header; a place needs only its values.
    let mut reader = HeaderReader::default();
    for node in top(snapshot).take(MAX_ITEMS) {
        let text = snapshot.text(node.start_byte()..node.end_byte().min(node.start_byte() + 4096));
        let source = ItemSource { text: &text, base: node.start_byte() };
        let kind = node.kind_id();
        if kind == k.version_directive {
            reader.version(source, node, &mut out, |_| ());
        } else if kind == k.target_directive {
            reader.target(source, node, &mut out, |_, _| ());
        } else if kind == k.address_size_directive {
            reader.address_size(source, node, &mut out, |_, _| ());
        } else if kind == k.function {
            break;
        }
    }
    out
}
