use super::{Extent, Opaque, is_endless_comment, may_continue_line, opaque, trivia};
use crate::parser::parser;
use tree_sitter::{Node, Parser};

/// Every text of up to `most` of these bytes.
fn texts(alphabet: &[u8], most: usize) -> Vec<Vec<u8>> {
    let mut out = vec![Vec::new()];
    let mut first = 0;
    for _ in 0..most {
        let end = out.len();
        for index in first..end {
            for byte in alphabet {
                let mut text = out[index].clone();
                text.push(*byte);
                out.push(text);
            }
        }
        first = end;
    }
    out
}

/// The length of the node that begins at `start` and has one of these kinds.
fn length_by_parser(parser: &mut Parser, text: &[u8], start: usize, kinds: [&str; 2]) -> usize {
    let tree = parser.parse(text, None).expect("a tree");
    let root = tree.root_node();
    let smallest = root.descendant_for_byte_range(start, start + 1).expect("a node");
    let is_it = |node: &Node<'_>| node.start_byte() == start && kinds.contains(&node.kind());
    let node = std::iter::successors(Some(smallest), |node| node.parent()).find(is_it);
    node.unwrap_or_else(|| panic!("{:?}: {}", String::from_utf8_lossy(text), root.to_sexp())).byte_range().len()
}

#[test]
fn the_parser_agrees_on_every_extent() {
    let mut parser = parser();
    let mut compared = 0;
    for (before, opening, alphabet, kinds) in [
        ("", "//", "a\r\n\0/\\", ["comment", "comment"]),
        ("", "/*", "a*/\n\0\r", ["comment", "comment"]),
        ("", "#", "a\\\r\n\0/", ["preprocessor_line", "preprocessor_line"]),
        (".file 1 ", "\"", "a\"\r\n\0\\", ["string", "string"]),
    ] {
        for inside in texts(alphabet.as_bytes(), 5) {
            let text = [before.as_bytes(), opening.as_bytes(), &inside].concat();
            let found = opaque(&text[before.len()..]).expect("it has an opening").exact();
            let expected = length_by_parser(&mut parser, &text, before.len(), kinds);
            assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(&text));
            compared += 1;
        }
    }
    assert!(compared > 30_000, "{compared}");
}

/// What is read in two pieces ends where it ends in one, unless its end depends on the last byte of the first piece.
#[test]
fn pieces_make_no_difference() {
    for (opening, alphabet) in [("//", "a\r\n\0"), ("/*", "a*/\0"), ("#", "a\\\r\n"), ("\"", "a\"\r\0")] {
        for inside in texts(alphabet.as_bytes(), 5) {
            let (start, _) = Opaque::beginning(opening.as_bytes()).expect("an opening");
            let whole = { start }.end_in(&inside);
            for middle in 0..=inside.len() {
                let (mut state, (first, second)) = (start, inside.split_at(middle));
                let pieces = match state.end_in(first) {
                    Some(length) => Some(length),
                    None => state.end_in(second).map(|length| middle + length),
                };
                let same = pieces == whole || whole.is_some_and(|end| end < middle && pieces == Some(middle));
                assert!(same, "{:?} at {middle}: {pieces:?}, {whole:?}", String::from_utf8_lossy(&inside));
            }
        }
    }
}

#[test]
fn an_extent_is_open_if_more_text_may_belong_to_it() {
    for (text, expected) in [
        ("// a", Extent::Open(4)),
        ("// a\r", Extent::Open(4)),
        ("// a\r\n", Extent::Ended(4)),
        ("// a\rb\nc", Extent::Ended(6)),
        ("/* a **", Extent::Open(5)),
        ("/* a */ b", Extent::Ended(7)),
        ("/**/", Extent::Ended(4)),
        ("/*/", Extent::Open(3)),
        ("# a\\", Extent::Open(3)),
        ("# a\\\r\nb\nc", Extent::Ended(7)),
        ("\"a\" b", Extent::Ended(3)),
        ("\"a\rb", Extent::Ended(2)),
        ("\"a", Extent::Open(2)),
    ] {
        assert_eq!(opaque(text.as_bytes()), Some(expected), "{text:?}");
    }
    assert_eq!(opaque(b"a"), None);
    assert_eq!(opaque(b"/ /"), None);
}

#[test]
fn white_space_is_that_of_the_grammar() {
    let mut parser = parser();
    let mut tree = |text: &str| parser.parse(text, None).expect("a tree").root_node().to_sexp();
    let blank = tree("ret ;");
    for code in (0..0x180).chain([0x2028, 0x3000, 0xfeff]) {
        let letter = char::from_u32(code).expect("a character");
        let continues_word = u8::try_from(letter).is_ok_and(super::is_word);
        let is_white = !continues_word && tree(&format!("ret{letter};")) == blank;
        let found = trivia(letter.to_string().as_bytes()).is_some_and(|(kind, _)| kind == super::Trivia::White);
        assert_eq!(found, is_white, "{letter:?}");
    }
}

#[test]
fn comments_without_an_end() {
    for (text, expected) in [("/* a", true), ("/*/", true), ("/* a */", false), ("// a", false), ("/**/", false)] {
        assert_eq!(is_endless_comment(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn a_backslash_continues_a_line() {
    for (text, expected) in [("# a\\\n", true), ("# a\\\r\n", true), ("# a\n", false), ("\\ a\n", false), ("", false)] {
        assert_eq!(may_continue_line(text.as_bytes()), expected, "{text:?}");
    }
}
