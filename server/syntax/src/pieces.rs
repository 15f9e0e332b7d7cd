//! Large texts in pieces, which several threads parse at the same time.
//!
//! A text is cut behind the `}` that ends a function. Each piece gets a tree of its own, whose nodes stand where they stand in the
//! whole text. What parses without an error in pieces parses to the same nodes as a whole, since the grammar is unambiguous and a
//! module is a sequence of items; a text in which any piece has an error is parsed as a whole, since how the parser recovers depends
//! on everything around.

use crate::document::Part;
use crate::threads::in_parallel;
use std::ops::Range;
use tree_sitter::{Parser, Point, Tree};

/// Pieces have at least so many bytes: below this, threads cost more than they save.
pub const LEAST: usize = 96 << 10;

/// The trees of the pieces of a text, in its order; nothing if it is better parsed as a whole.
pub fn parse(text: &str, threads: usize, least: usize) -> Option<Vec<Part>> {
    if threads < 2 || text.len() < 2 * least {
        return None;
    }
    let pieces = pieces(text, (text.len() / (threads * 16)).max(least))?;
    let trees = in_parallel(&pieces, threads, crate::document::parser, |parser, piece| {
        let tree = parse_piece(parser, text, piece).filter(|tree| !tree.root_node().has_error())?;
        Some(Part { start: piece.bytes.start, tree })
    });
    trees.into_iter().collect()
}

fn parse_piece(parser: &mut Parser, text: &str, piece: &Piece) -> Option<Tree> {
    let range = tree_sitter::Range {
        start_byte: piece.bytes.start,
        end_byte: piece.bytes.end,
        start_point: Point { row: piece.rows.start, column: 0 },
        end_point: Point { row: piece.rows.end, column: text.get(piece.bytes.clone())?.len() - last_line(text, piece) },
    };
    parser.set_included_ranges(&[range]).ok()?;
    parser.parse(text, None)
}

/// Where the last line of a piece begins in it.
fn last_line(text: &str, piece: &Piece) -> usize {
    text.as_bytes()[piece.bytes.clone()].iter().rposition(|b| matches!(b, b'\n')).map_or(0, |at| at + 1)
}

/// A part of a text that begins at the beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    bytes: Range<usize>,
    /// As the parser counts them: by line feeds.
    rows: Range<usize>,
}

/// Cuts a text into at least two pieces of about so many bytes, if there are places for that: between the `}` of a block that is no
/// initializer and a directive at the beginning of a later line.
fn pieces(text: &str, size: usize) -> Option<Vec<Piece>> {
    let bytes = text.as_bytes();
    let mut out: Vec<Piece> = Vec::new();
    let (mut at, mut depth, mut row) = (0, 0_usize, 0);
    let mut start = (0, 0);
    // The last byte outside of blocks, and where it may be cut if a directive comes next.
    let (mut before, mut initializer, mut cut) = (b'\n', false, None);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\n' => {
                row += 1;
                if cut == Some(None) {
                    cut = Some(Some((at, row)));
                }
            }
            b'/' if bytes.get(at) == Some(&b'/') => {
                at += bytes[at..].iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                let length = text.get(at + 1..)?.find("*/")?;
                row += bytes[at..at + 1 + length].iter().filter(|b| **b == b'\n').count();
                at += length + 3;
            }
            b' ' | b'\t' | b'\r' => {}
            b'"' => {
                let end = bytes[at..].iter().position(|b| matches!(b, b'"' | b'\r' | b'\n'));
                // It ends with its line, if nothing else ends it.
                at += end.map_or(0, |n| n + usize::from(bytes[at + n] == b'"'));
            }
            b'{' => {
                initializer = if depth == 0 { before == b'=' } else { initializer };
                depth += 1;
            }
            b'}' => {
                // More are closed than opened: something is wrong.
                depth = depth.checked_sub(1)?;
                cut = (depth == 0 && !initializer && at - start.0 >= size).then_some(None);
            }
            _ if depth > 0 => {}
            _ => {
                if let (b'.', Some(Some(place))) = (byte, cut) {
                    out.push(Piece { bytes: start.0..place.0, rows: start.1..place.1 });
                    start = place;
                }
                (before, cut) = (*byte, None);
            }
        }
    }
    if depth > 0 || out.is_empty() {
        return None;
    }
    out.push(Piece { bytes: start.0..text.len(), rows: start.1..row });
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Snapshot;

    const KERNEL: &str = ".visible .entry k()\n{\n// }\n/* } \n */ .pragma \"}\";\n{ ret; }\n}\n";

    fn cut(text: &str) -> Vec<&str> {
        pieces(text, 1).unwrap_or_default().into_iter().map(|p| &text[p.bytes]).collect()
    }

    #[test]
    fn texts_are_cut_behind_functions() {
        assert_eq!(cut(&KERNEL.repeat(3)), [KERNEL; 3]);
        let tail = format!("{KERNEL}{KERNEL}.global .u32 x = {{ 1 }};\n");
        assert_eq!(cut(&tail), [KERNEL, KERNEL, ".global .u32 x = { 1 };\n"]);
        let crlf = KERNEL.replace('\n', "\r\n");
        assert_eq!(cut(&crlf.repeat(2)), [&crlf, &crlf]);
    }

    #[test]
    fn what_cannot_be_cut_is_left_whole() {
        for text in [
            "",
            KERNEL,
            ".func a() { ret; } .func b() { ret; }",
            ".func a()\n{\n.func b()\n{\n}\n",
            "}\n.func a()\n{\n}\n.func b()\n{\n}\n",
            ".func a()\n{\n}\n/*\n.func b()\n{\n}\n",
            ".global .u32 a[2] = {\n1, 2 }\n;\n.global .u32 b = 1;",
            ".global .u32 a[2] = {\n1, 2 }\n.global .u32 b = 1;",
            ".func a()\n{\n} // more\n label: ret;\n",
        ] {
            assert_eq!(cut(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn rows_are_those_of_the_whole_text() {
        let text = format!("{KERNEL}.pragma \"open\n;{KERNEL}\r\n{KERNEL}{KERNEL}");
        for piece in pieces(&text, 1).unwrap() {
            assert_eq!(piece.rows.start, text[..piece.bytes.start].matches('\n').count());
            assert_eq!(piece.rows.end, text[..piece.bytes.end].matches('\n').count());
        }
    }

    /// Each node with its place, a line each.
    fn nodes(snapshot: &Snapshot) -> Vec<String> {
        let mut out = Vec::new();
        for root in snapshot.roots() {
            let mut cursor = root.walk();
            let mut stack: Vec<_> = root.children(&mut cursor).collect();
            stack.reverse();
            while let Some(node) = stack.pop() {
                out.push(format!("{} {:?}", node.kind(), node.range()));
                let mut children: Vec<_> = node.children(&mut node.walk()).collect();
                children.reverse();
                stack.extend(children);
            }
        }
        out
    }

    #[test]
    fn pieces_have_the_nodes_of_the_whole() {
        let body = "    fma.rn.f32 %f1, %f2, %f3, %f4; // é\n".repeat(400);
        let kernel = format!("// before\n.visible .entry k(.param .u64 p)\n{{\n{body}}}\n\n");
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", kernel.repeat(40));
        let (whole, pieces) = (Snapshot::new(&text), Snapshot::in_pieces(&text, 3));
        assert!(pieces.roots().count() > 3);
        assert_eq!(nodes(&pieces), nodes(&whole));
        let broken = text.replacen("fma.rn", "fma rn (", 1);
        assert_eq!(Snapshot::in_pieces(&broken, 3).roots().count(), 1, "an error is for the whole to recover from");
    }
}
