//! Links from a document to the outside: source files, included files, and web addresses in comments.

use crate::definition::path_of;
use crate::walk::top;
use memchr::memmem;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// A text with a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Byte range of the text.
    pub range: Range<usize>,
    /// The target of the link.
    pub target: LinkTarget,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// The path of a file as the text has it; the file need not exist.
    File(String),
    /// A web address.
    Address(String),
}

/// Maximum number of links of a document.
const MAX_LINKS: usize = 1000;

/// All links, in the order of the text.
pub fn links(snapshot: &Snapshot) -> Vec<Link> {
    let mut out = files(snapshot);
    out.extend(addresses(snapshot));
    out.sort_by_key(|l| l.range.start);
    out.truncate(MAX_LINKS);
    out
}

/// Links of `.file 1 "a.cu"` and `#include "a.ptx"`.
fn files(snapshot: &Snapshot) -> Vec<Link> {
    let k = kinds();
    let mut out = Vec::new();
    for node in top(snapshot) {
        if out.len() >= MAX_LINKS {
            break;
        }
        if node.kind_id() == k.file_directive {
            let string = ptx_syntax::walk::named_children(node).find(|n| n.kind_id() == k.string);
            out.extend(string.and_then(|s| quoted(snapshot, s.byte_range(), path_of(snapshot, node)?)));
        } else if node.kind_id() == k.preprocessor_line {
            out.extend(included(snapshot, node));
        }
    }
    out
}

/// A link on the path inside the quotes.
fn quoted(snapshot: &Snapshot, string: Range<usize>, path: String) -> Option<Link> {
    let start = string.start + snapshot.text(string).find(path.as_str())?;
    Some(Link { range: start..start + path.len(), target: LinkTarget::File(path) })
}

fn included(snapshot: &Snapshot, line: Node<'_>) -> Option<Link> {
    let text = snapshot.text(line.byte_range());
    let rest = text.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let path = rest.strip_prefix('"')?.split('"').next().filter(|p| !p.is_empty())?;
    quoted(snapshot, line.byte_range(), path.to_owned())
}

/// Links of web addresses in comments.
fn addresses(snapshot: &Snapshot) -> Vec<Link> {
    const SIGN: &str = "://";
    let rope = snapshot.rope();
    let finder = memmem::Finder::new(SIGN);
    let mut out = Vec::new();
    let mut base = 0;
    let mut before: Vec<u8> = Vec::new();
    // The rope is searched chunk by chunk. The last bytes of the previous chunk are included, so that a match across a
    // chunk boundary is found.
    for chunk in rope.chunks() {
        let start = base - before.len();
        before.extend_from_slice(chunk.as_bytes());
        let found: Vec<usize> = finder.find_iter(&before).map(|at| start + at).collect();
        out.extend(found.into_iter().filter_map(|at| address(snapshot, at)));
        if out.len() >= MAX_LINKS {
            break;
        }
        base += chunk.len();
        let keep = before.len().saturating_sub(SIGN.len() - 1);
        before.drain(..keep);
    }
    out
}

/// The web address around a `://` at an offset.
fn address(snapshot: &Snapshot, at: usize) -> Option<Link> {
    let comment = snapshot.node_at(at).filter(|n| n.kind_id() == kinds().comment)?;
    let text = snapshot.text(comment.byte_range());
    let sign = at - comment.start_byte();
    let scheme = ["https", "http"].into_iter().find(|s| text.get(..sign).is_some_and(|t| t.ends_with(s)))?;
    let start = sign - scheme.len();
    let rest = text.get(start..)?;
    let end = rest
        .find(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`' | '\'' | '|' | '\\'));
    let mut found = rest.get(..end.unwrap_or(rest.len()))?;
    // Excludes the punctuation at the end of a sentence, and a closing bracket that was opened before the address.
    loop {
        let unbalanced = |open: char, close: char| {
            found.ends_with(close) && found.matches(close).count() > found.matches(open).count()
        };
        let sentence = found.ends_with(['.', ',', ';', ':', '!', '?', '*']);
        if !sentence && !unbalanced('(', ')') && !unbalanced('[', ']') && !found.ends_with("*/") {
            break;
        }
        let mut chars = found.chars();
        chars.next_back();
        found = chars.as_str();
    }
    let start = comment.start_byte() + start;
    (found.len() > scheme.len() + 3)
        .then(|| Link { range: start..start + found.len(), target: LinkTarget::Address(found.to_owned()) })
}
