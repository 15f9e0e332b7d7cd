//! Finds characters that the parser reads over and the assembler refuses: those that are not ASCII, outside of comments, and a few
//! control characters.

use super::{SyntaxErrorKind, error};
use crate::check::diagnostic::{Diagnostic, Fix};
use ptx_syntax::{Node, Snapshot, kinds};

/// The report on the first such character of a module: it ends the assembler's run.
pub fn foreign_character(snapshot: &Snapshot) -> Option<Diagnostic> {
    let rope = snapshot.rope();
    let (mut start, mut checked) = (0, 0);
    for chunk in rope.chunks() {
        let bytes = chunk.as_bytes();
        // Nearly all chunks have none, so look at all bytes at once, which the compiler makes vector instructions of.
        if bytes.iter().fold(false, |found, byte| found | is_foreign(*byte)) {
            for (index, character) in chunk.char_indices() {
                let at = start + index;
                if at < checked || !is_foreign(bytes[index]) {
                    continue;
                }
                match comment_or_error(snapshot, at) {
                    Some(end) if character != '\0' => checked = end,
                    _ => return Some(report(at, character)),
                }
            }
        }
        start += bytes.len();
    }
    None
}

/// Whether a character that begins with this byte is white space for the parser or allowed in a string, but not for the assembler.
fn is_foreign(byte: u8) -> bool {
    byte >= 0x7f || byte == 0x0b || byte == 0
}

/// The end of the comment, or of the syntax error, that contains the character at an offset.
fn comment_or_error(snapshot: &Snapshot, at: usize) -> Option<usize> {
    let node = snapshot.node_at(at)?;
    let excused = |node: &Node<'_>| node.is_error() || node.kind_id() == kinds().comment;
    let found = std::iter::successors(Some(node), Node::parent).find(excused)?;
    Some(found.end_byte().max(at + 1))
}

fn report(at: usize, character: char) -> Diagnostic {
    let range = at..at + character.len_utf8();
    let fix = Fix::replace("Remove it", range.clone(), "");
    error(range, SyntaxErrorKind::Foreign(character)).fix(fix)
}
