//! Properties of incremental parsing and of unusual input.
//!
//! An incremental parse equals a fresh parse, node for node, if neither tree has an ERROR or a MISSING node. For a
//! broken file tree-sitter guarantees only some tree, because its error recovery may depend on reused nodes. Here the
//! trees are nearly always equal, because most errors are `unclosed` nodes and need no recovery.

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

const ROUNDS: usize = 1200;

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the library reads this grammar's version");
    parser
}

fn parse(parser: &mut Parser, source: &[u8], old: Option<&Tree>) -> Tree {
    parser.parse(source, old).expect("no time limit is set")
}

/// A small random generator (xorshift): failures are reproducible, and no dependency is needed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn synthetic() -> String {
    let mut source = String::from(
        ".version 8.5\n.target sm_90a\n.address_size 64\n.file 1 \"a.cu\"\n\
         .extern .shared .align 16 .b8 smem[];\n\
         .global .align 4 .u32 table[2][2] = { {1, -2}, { 0x1F, 3+4*5 } };\n",
    );
    for function in 0..6 {
        source.push_str(&format!(
            ".visible .entry kernel_{function}(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .u32 n\n)\n\
             .maxntid 128, 1, 1\n{{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<10>;\n\tld.param.u64 %rd1, [a];\n"
        ));
        for block in 0..5 {
            source.push_str(&format!(
                "$L_{block}:\n\t.loc 1 {block} 3\n\tmov.u32 %r1, %tid.x; // lane\n\
                 \tsetp.ge.and.s32 %p1|%p2, %r1, %r2, !%p3;\n\t@%p1 bra $L_{block};\n\
                 \tld.global.v4.f32 {{%f1, %f2, _, %f4}}, [%rd1+{block}];\n\tadd.s32 %r3, %r1, (1<<4)-1;\n\
                 \t{{\n\t.param .b64 param0;\n\tst.param.b64 [param0], %rd1;\n\tcall.uni (retval0),\n\tf,\n\t(\n\tparam0\n\t);\n\t}}\n"
            ));
        }
        source.push_str("\tret;\n}\n");
    }
    source
}

fn point(source: &[u8], offset: usize) -> Point {
    let before = &source[..offset];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    Point { row: before.iter().filter(|byte| **byte == b'\n').count(), column: offset - line_start }
}

fn replace(source: &mut Vec<u8>, start: usize, end: usize, text: &[u8]) -> InputEdit {
    let start_position = point(source, start);
    let old_end_position = point(source, end);
    source.splice(start..end, text.iter().copied());
    let new_end = start + text.len();
    InputEdit {
        start_byte: start,
        old_end_byte: end,
        new_end_byte: new_end,
        start_position,
        old_end_position,
        new_end_position: point(source, new_end),
    }
}

/// The nodes of a tree: kind, byte range, field, and whether the node is missing.
fn flat(tree: &Tree) -> Vec<(u16, std::ops::Range<usize>, Option<u16>, bool)> {
    let mut cursor = tree.walk();
    let mut nodes = Vec::new();
    loop {
        let node = cursor.node();
        nodes.push((node.kind_id(), node.byte_range(), cursor.field_id().map(Into::into), node.is_missing()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
        }
    }
}

fn kinds<'tree>(node: Node<'tree>, kind: &str, found: &mut Vec<Node<'tree>>) {
    if node.kind() == kind {
        found.push(node);
    }
    for i in 0..node.child_count() {
        kinds(node.child(i).expect("within the count"), kind, found);
    }
}

#[test]
fn a_reparse_equals_a_fresh_parse() {
    const PIECES: [&str; 18] = [
        "7",
        "\n",
        " ",
        "%r5",
        "add.u32 %r1, %r2, %r3;\n",
        "ret;\n",
        "L_new:\n",
        "@%p1 ",
        ".reg .b32 %x;\n",
        ",",
        ";",
        "}",
        "{",
        "[",
        ")",
        ".unknown x\n",
        "// c\n",
        "foo.",
    ];
    let mut parser = parser();
    let mut random = Random(0x5EED_CAFE_F00D);
    let original = synthetic().into_bytes();
    let mut source = original.clone();
    let mut tree = parse(&mut parser, &source, None);
    assert!(!tree.root_node().has_error());
    let (mut clean, mut broken, mut broken_alike) = (0, 0, 0);
    for round in 0..ROUNDS {
        // Edits accumulate for a while, then the original file is restored.
        let edit = if round % 4 == 3 {
            let end = source.len();
            replace(&mut source, 0, end, &original)
        } else {
            let start = random.below(source.len());
            let end = (start + random.below(4)).min(source.len());
            let piece = if random.below(4) == 0 { "" } else { PIECES[random.below(PIECES.len())] };
            replace(&mut source, start, end, piece.as_bytes())
        };
        tree.edit(&edit);
        tree = parse(&mut parser, &source, Some(&tree));
        let fresh = parse(&mut parser, &source, None);
        let alike = flat(&tree) == flat(&fresh);
        if tree.root_node().has_error() || fresh.root_node().has_error() {
            broken += 1;
            broken_alike += usize::from(alike);
        } else {
            clean += 1;
            assert!(
                alike,
                "round {round}: a clean reparse differs from a fresh parse:\n{}",
                String::from_utf8_lossy(&source)
            );
        }
    }
    println!("{clean} clean and equal; {broken} broken, of which {broken_alike} equal");
    assert!(clean > ROUNDS / 4, "the edits break nearly everything: {clean} of {ROUNDS} are clean");
    assert!(
        broken_alike * 100 >= broken * 99,
        "repairs should hardly depend on history: {broken_alike} of {broken} are equal"
    );
}

#[test]
fn odd_input_parses() {
    let mut parser = parser();
    let long_line = format!(".global .b8 x[] = {{{}}};", "1, ".repeat(133_000) + "2");
    let nested = format!("mov.u32 a, {}1{};", "(".repeat(500), ")".repeat(500));
    let sources = [
        String::new(),
        "\n".to_owned(),
        "\u{FEFF}.version 8.5\n.target sm_90\n".to_owned(),
        ".version 8.5\r\n.target sm_90\r\n// c\r\n.func f()\r\n{\r\n\tadd.u32 a,\r\n\tb, c;\r\n\tret;\r\n}\r\n"
            .to_owned(),
        ".version 8.5\r.target sm_90\r.global .u32 x;".to_owned(),
        ".func f() { ret; }".to_owned(),
        "// only a comment".to_owned(),
        long_line,
        nested,
    ];
    for source in &sources {
        let tree = parse(&mut parser, source.as_bytes(), None);
        assert!(!tree.root_node().has_error(), "{}", &source[..source.len().min(200)]);
        let mut unclosed = Vec::new();
        kinds(tree.root_node(), "unclosed", &mut unclosed);
        assert!(unclosed.is_empty(), "{}", &source[..source.len().min(200)]);
    }
}

#[test]
fn carriage_returns_belong_to_no_comment() {
    let mut parser = parser();
    let tree = parse(&mut parser, b"ret; // c\r\nret;\r\n", None);
    let comment = tree.root_node().named_child(1).expect("the comment");
    assert_eq!((comment.kind(), comment.byte_range()), ("comment", 5..9));
}

#[test]
fn an_unfinished_statement_keeps_its_parts_and_leaves_the_next_one_whole() {
    let mut parser = parser();
    let starts = [
        "add",
        "add.",
        "add.u32",
        "add.u32 %r1,",
        "add.u32 %r1, %",
        "add.u32 %r1, [",
        "add.u32 %r1, {%r2,",
        "add.u32 %r1, x[",
        "@%p add.u32 (a",
    ];
    let nexts = [
        "mov.u32 %r1, %r2;",
        "@%p ret;",
        "L1:",
        "%L1:",
        ".reg .b32 %r<2>;",
        ".loc 1 2 3",
        "bra L1;",
        "st.global.u32 [a], b;",
        ".func f() { }",
        ".pragma \"nounroll\";",
        ".visible .global .u32 x;",
    ];
    for start in starts {
        for next in nexts {
            let source = format!("{start}\n{next}\n");
            let tree = parse(&mut parser, source.as_bytes(), None);
            let root = tree.root_node();
            let first = root.child(0).expect("a statement");
            assert_eq!(first.kind(), "instruction", "{source}{}", root.to_sexp());
            assert_eq!(first.child_by_field_name("opcode").map(|node| node.kind()), Some("opcode"), "{source}");
            assert_eq!(first.end_byte(), start.len(), "{source}{}", root.to_sexp());
            let second = root.child(1).expect("the next statement");
            let alone = parse(&mut parser, next.as_bytes(), None);
            assert_eq!(second.to_sexp(), alone.root_node().child(0).expect("a statement").to_sexp(), "{source}");
        }
    }
}

#[test]
fn a_missing_parenthesis_is_one_missing_node() {
    let mut parser = parser();
    for source in [".entry foo(.param .u32 a\n{ ret; }", "call f, (a;\nret;"] {
        let tree = parse(&mut parser, source.as_bytes(), None);
        assert!(tree.root_node().to_sexp().contains("(MISSING \")\")"), "{}", tree.root_node().to_sexp());
        assert!(!tree.root_node().to_sexp().contains("ERROR"), "{}", tree.root_node().to_sexp());
    }
}
