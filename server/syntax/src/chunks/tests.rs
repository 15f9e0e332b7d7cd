//! Tests that edits give the nodes of a fresh parse, whatever the chunks.

use crate::{Document, GradualParse, Node, Snapshot, is_foreign};

const HEAD: &str = "// A module\n.version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter;\n\n";

fn kernel(number: usize) -> String {
    format!(
        "// Kernel {number}: é\n.visible .entry k{number}(.param .u64 p)\n{{\n    .reg .b32 %r<4>;\n    // {{ \" }}\n    \
         mov.u32 %r1, {number}; /* and\n so */\n    {{ add.s32 %r2, %r1, 1; }}\n$l: @%p bra $l;\n    ret;\n}}\n\n"
    )
}

fn module(kernels: usize) -> String {
    let bodies: Vec<String> = (0..kernels).map(kernel).collect();
    format!("{HEAD}{}.const .u32 last = 1;\n", bodies.join(".global .f32 between;\n"))
}

/// One line per node, with its position.
fn nodes(snapshot: &Snapshot) -> Vec<String> {
    snapshot.roots().flat_map(|root| root.children(&mut root.walk()).collect::<Vec<_>>()).flat_map(nodes_of).collect()
}

/// The nodes of the items in chunks without an error; error recovery may depend on the earlier text.
fn sound_nodes(snapshot: &Snapshot) -> Vec<String> {
    let sound = |item: &Node<'_>| item.kind() != "comment" && !item.to_sexp().contains("unclosed");
    let roots = snapshot.roots().filter(|root| !root.has_error());
    roots
        .flat_map(|root| root.children(&mut root.walk()).filter(sound).collect::<Vec<_>>())
        .flat_map(nodes_of)
        .collect()
}

fn nodes_of(item: Node<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let mut stack = vec![item];
    while let Some(node) = stack.pop() {
        let missing = if node.is_missing() { " missing" } else { "" };
        out.push(format!("{}{missing} {:?}", node.kind(), node.range()));
        let mut children: Vec<_> = node.children(&mut node.walk()).collect();
        children.reverse();
        stack.extend(children);
    }
    out
}

fn assert_same(left: &[String], right: &[String], round: usize, text: &str) {
    if let Some(at) = (0..left.len().max(right.len())).find(|i| left.get(*i) != right.get(*i)) {
        let near = |nodes: &[String]| nodes[at.min(nodes.len())..nodes.len().min(at + 6)].join("\n  ");
        panic!("round {round}:\n  {}\nis to be\n  {}\nin\n{text}", near(left), near(right));
    }
}

/// Fails if a chunk does not remember exactly the rare bytes that it has.
fn assert_rare(snapshot: &Snapshot, text: &str) {
    let with = |has: fn(u8) -> bool| {
        let chunks = snapshot.chunks_with(|_| true);
        chunks.filter(|range| text.as_bytes()[range.clone()].iter().any(|byte| has(*byte))).collect::<Vec<_>>()
    };
    assert_eq!(snapshot.chunks_with(|rare| rare.foreign).collect::<Vec<_>>(), with(is_foreign), "{text}");
    assert_eq!(snapshot.chunks_with(|rare| rare.number_sign).collect::<Vec<_>>(), with(|byte| byte == b'#'), "{text}");
}

fn whole(text: &str) -> Snapshot {
    Snapshot::with_chunk_size(text, 1, usize::MAX)
}

#[test]
fn pieces_have_the_nodes_of_the_whole() {
    let text = module(40);
    assert_eq!(whole(&text).roots().count(), 1);
    for (least, threads) in [(1, 1), (1, 3), (1000, 2)] {
        let chunks = Snapshot::with_chunk_size(&text, threads, least);
        assert!(chunks.roots().count() > 3);
        assert!(!chunks.has_error());
        assert_eq!(nodes(&chunks), nodes(&whole(&text)));
    }
}

#[test]
fn a_parse_in_steps_gives_the_same_chunks() {
    let texts = [String::new(), module(1), module(40), module(40).replacen("ret;\n}", "ret;\n", 1)];
    for text in &texts {
        for least in [1, 300, 1000, usize::MAX] {
            let expected = Snapshot::with_chunk_size(text, 1, least);
            let mut parse = GradualParse::with_chunk_size(text, least);
            let mut steps = 1;
            let snapshot = loop {
                if let Some(snapshot) = parse.step() {
                    break snapshot;
                }
                steps += 1;
                assert!(steps <= expected.roots().count(), "each step parses a chunk");
            };
            assert_eq!(nodes(&snapshot), nodes(&expected), "in chunks of {least}");
            assert_eq!(snapshot.roots().count(), expected.roots().count());
            assert!(least != 1 || text.len() < 1000 || steps > 3, "{steps} steps");
            assert!(parse.step().is_none(), "there is one result");
        }
    }
}

#[test]
fn an_error_stays_in_its_function() {
    let text = module(9);
    for (good, bad) in [
        ("    ret;\n}", "    ret;\n"),
        ("(.param .u64 p)\n{", "(.param .u64 p)\n"),
        ("mov.u32", "mov u32 ("),
        (";", " {"),
    ] {
        let text = text.replacen(kernel(4).as_str(), &kernel(4).replacen(good, bad, 1), 1);
        let at = text.find("k4").unwrap();
        let expected = nodes(&Snapshot::with_chunk_size(&text, 1, 1));
        for least in [1, 300, 700] {
            let snapshot = Snapshot::with_chunk_size(&text, 2, least);
            assert_eq!(nodes(&snapshot), expected, "in chunks of {least}");
            let wrong: Vec<_> = snapshot.roots().filter(|root| root.has_error()).collect();
            assert_eq!(wrong.len(), 1, "{bad}");
            assert_eq!(wrong[0], snapshot.root_at(at), "{bad}");
        }
    }
}

/// A pseudo-random number generator (xorshift).
struct XorShift(u64);

impl XorShift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Applies the same edit to a document and to the plain text.
fn edit(document: &mut Document, text: &mut String, range: std::ops::Range<usize>, new: &str) {
    let floor = |text: &String, mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(text, range.start.min(text.len()));
    let end = floor(text, range.end.min(text.len())).max(start);
    document.edit(start..end, new);
    text.replace_range(start..end, new);
}

#[test]
fn edits_of_sound_texts_give_the_nodes_of_a_fresh_parse() {
    let mut random = XorShift(0x5eed);
    for round in 0..60 {
        let mut text = module(6);
        let mut document = Document::with_chunk_size(&text, 1, 200);
        for _ in 0..12 {
            let whole_lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
            let at = whole_lines[random.below(whole_lines.len())];
            match random.below(6) {
                // Insert another function before one.
                0 => {
                    let starts: Vec<usize> = text.match_indices("// Kernel").map(|(at, _)| at).collect();
                    let at = starts[random.below(starts.len())];
                    edit(&mut document, &mut text, at..at, &kernel(random.below(99)));
                }
                1 => edit(&mut document, &mut text, at..at, "// a comment } {\n"),
                2 => edit(&mut document, &mut text, at..at, "\n\n"),
                3 => {
                    let starts: Vec<usize> = text.match_indices("// Kernel").map(|(at, _)| at).collect();
                    let index = random.below(starts.len() - 1);
                    edit(&mut document, &mut text, starts[index]..starts[index + 1], "");
                    if starts.len() < 5 {
                        let end = text.len();
                        edit(&mut document, &mut text, end..end, &module(3)[HEAD.len()..]);
                    }
                }
                4 => {
                    let at = text.find("ret;").unwrap();
                    edit(&mut document, &mut text, at..at, "add.s32 %r1, %r1, 1;\n");
                }
                _ => {
                    let at = text.rfind(".const").unwrap();
                    edit(&mut document, &mut text, at..at, ".func f()\n{\n}\n");
                }
            }
            let snapshot = document.snapshot();
            assert_eq!(snapshot.rope().to_string(), text);
            assert_rare(&snapshot, &text);
            assert_same(&nodes(&snapshot), &nodes(&whole(&text)), round, &text);
        }
    }
}

#[test]
fn whatever_is_broken_and_mended_the_nodes_are_those_of_a_fresh_parse() {
    let mut random = XorShift(0xb0de);
    let chunks = [
        "}",
        "{",
        "/*",
        "*/",
        "\n",
        ".visible\n",
        ".func f()\n{\n}\n",
        "\"",
        "// ",
        " x",
        ";",
        "é",
        "#",
        "\u{b}",
        "\0",
        "/*\0",
        "// \0 /*",
        ".visible .entry k()\n{\n",
    ];
    for round in 0..300 {
        let mut text = module(5);
        let mut document = Document::with_chunk_size(&text, 1, 150);
        let sound = nodes(&whole(&text));
        let mut undo = Vec::new();
        for _ in 0..1 + random.below(4) {
            let before = text.clone();
            let start = random.below(text.len());
            let end = start + [0, 0, 1, 2, 30, 400][random.below(6)];
            edit(&mut document, &mut text, start..end, chunks[random.below(chunks.len())]);
            undo.push(before);
            if random.below(2) == 0 {
                document.snapshot();
            }
        }
        let (broken, fresh) = (document.snapshot(), Snapshot::with_chunk_size(&text, 1, 150));
        assert_rare(&broken, &text);
        assert_rare(&fresh, &text);
        assert_same(&sound_nodes(&broken), &sound_nodes(&fresh), round, &text);
        for (step, before) in undo.into_iter().enumerate().rev() {
            let common = text.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
            edit(&mut document, &mut text, common..usize::MAX, &before[floor(&before, common)..]);
            assert_eq!(text, before, "round {round}, step {step}");
        }
        let mended = document.snapshot();
        assert_eq!(mended.rope().to_string(), text);
        assert_rare(&mended, &text);
        assert_eq!(nodes(&mended), sound, "round {round}");
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[test]
fn what_is_hidden_comes_back() {
    let function = |name: &str, body: &str| format!(".func {name}()\n{{\n{body}\nret;\n}}\n");
    let deep = format!("{}{}", "{\n".repeat(1_662), "}\n".repeat(1_662));
    for body in [&deep, &format!("mov.u32 %r1, 1;{}", ";".repeat(9_999))] {
        let text = [function("a", "ret;"), function("b", body), function("c", "ret;")].concat();
        for least in [usize::MAX / 4, 16] {
            let mut document = Document::with_chunk_size(&text, 1, least);
            let place = text.find(&**body).unwrap() + 1;
            for (range, new) in
                [(place..place, "{;"), (place..place + 1, ""), (place..place, "{"), (place..place + 2, "")]
            {
                document.edit(range, new);
                let edited = document.snapshot();
                let fresh = Snapshot::with_chunk_size(&edited.rope().to_string(), 1, least);
                let trees = |s: &Snapshot| s.roots().map(|root| root.to_sexp()).collect::<String>();
                assert!(trees(&edited) == trees(&fresh), "{new:?} {least}");
                assert_eq!(edited.too_deep().collect::<Vec<_>>(), fresh.too_deep().collect::<Vec<_>>());
            }
        }
    }
}
