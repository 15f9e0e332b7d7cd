//! Finds characters that the parser reads over and the assembler refuses: those that are not ASCII, outside of comments, and a few
//! control characters.

use super::{SyntaxErrorKind, error};
use crate::check::diagnostic::{Diagnostic, Fix};
use ptx_syntax::{Snapshot, TreeCursor, kinds};

/// The report on the first such character of a module: it ends the assembler's run.
pub fn foreign_character(snapshot: &Snapshot) -> Option<Diagnostic> {
    let rope = snapshot.rope();
    let (mut start, mut checked) = (0, 0);
    let mut excuses = Excuses::new(snapshot);
    for chunk in rope.chunks() {
        let bytes = chunk.as_bytes();
        // Nearly all chunks have none, so look at all bytes at once, which the compiler makes vector instructions of.
        if bytes.iter().fold(false, |found, byte| found | is_foreign(*byte)) {
            for (index, character) in chunk.char_indices() {
                let at = start + index;
                if at < checked || !is_foreign(bytes[index]) {
                    continue;
                }
                match excuses.end(at) {
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

/// Finds what excuses a character, from the front of a text to its back. It goes through the tree once: looking each character up from the
/// root would pass all earlier siblings every time: 11 seconds for 50,000 comments that are not ASCII.
struct Excuses<'s> {
    snapshot: &'s Snapshot,
    /// The last node that was looked at.
    cursor: TreeCursor<'s>,
    /// The id of the root that the cursor started from.
    root: usize,
}

impl<'s> Excuses<'s> {
    fn new(snapshot: &'s Snapshot) -> Self {
        let root = snapshot.root_at(0);
        Excuses { snapshot, cursor: root.walk(), root: root.id() }
    }

    /// The end of the comment, or of the syntax error, that contains the character at an offset. Offsets must ascend.
    fn end(&mut self, at: usize) -> Option<usize> {
        let root = self.snapshot.root_at(at);
        if root.id() != self.root {
            (self.cursor, self.root) = (root.walk(), root.id());
        }
        loop {
            let node = self.cursor.node();
            if node.end_byte() <= at {
                while !self.cursor.goto_next_sibling() {
                    if !self.cursor.goto_parent() {
                        return None;
                    }
                }
            } else if node.start_byte() > at {
                return None;
            } else if node.is_error() || node.kind_id() == kinds().comment {
                return Some(node.end_byte());
            } else if !self.cursor.goto_first_child() {
                return None;
            }
        }
    }
}

fn report(at: usize, character: char) -> Diagnostic {
    let range = at..at + character.len_utf8();
    let fix = Fix::replace("Remove it", range.clone(), "");
    error(range, SyntaxErrorKind::Foreign(character)).fix(fix)
}

/// The word at the beginning of a text.
pub(super) fn first_word(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))).next().filter(|w| !w.is_empty())
}
