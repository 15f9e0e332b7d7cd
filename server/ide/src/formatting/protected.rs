//! Ranges between `// ptx-fmt: off` and `// ptx-fmt: on`.

use memchr::memmem;
use ptx_syntax::{Snapshot, kinds};
use std::ops::Range;

const MARK: &str = "ptx-fmt:";

/// The byte ranges before `end` that are not formatted, in order.
pub fn ranges(snapshot: &Snapshot, end: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut begun = None;
    for at in marks(snapshot, end) {
        let Some(node) = snapshot.leaf(at..at + 1) else { continue };
        if node.kind_id() != kinds().comment {
            continue;
        }
        let text = snapshot.text(node.byte_range());
        let words = text.trim_start_matches(['/', '*']).trim_end_matches(['*', '/']);
        match (words.trim().strip_prefix(MARK).map(str::trim), begun) {
            (Some("off"), None) => begun = Some(node.end_byte()),
            (Some("on"), Some(start)) => {
                out.push(start..node.start_byte());
                begun = None;
            }
            _ => {}
        }
    }
    out.extend(begun.map(|start| start..usize::MAX));
    out
}

/// Offsets of the mark before `end`. The rope stores text in chunks, and a mark may cross a chunk boundary.
fn marks(snapshot: &Snapshot, end: usize) -> Vec<usize> {
    let finder = memmem::Finder::new(MARK);
    let mut out = Vec::new();
    let mut tail: Vec<u8> = Vec::new();
    let mut offset = 0;
    for chunk in snapshot.rope().chunks() {
        if offset >= end {
            break;
        }
        let bytes = chunk.as_bytes();
        let before = tail.len();
        tail.extend(bytes.iter().take(MARK.len() - 1));
        out.extend(finder.find(&tail).map(|at| offset - before + at));
        out.extend(finder.find_iter(bytes).map(|at| offset + at));
        // Bytes that the next chunk may continue; a chunk may be shorter than the mark.
        let keep = MARK.len() - 1;
        if bytes.len() >= keep {
            tail = bytes[bytes.len() - keep..].to_vec();
        } else {
            tail.drain(..tail.len().saturating_sub(keep));
        }
        offset += bytes.len();
    }
    out.dedup();
    out
}
