use super::*;
use crate::kinds::kinds;
use crate::plain::PlainKind;

const HEADER: &str = ".version 8.0\n.target sm_80\n.global .b8 a[2] = {1, 2}; // {\n";
const FUNCTION: &str = "// first\n.visible .entry k()\n.maxntid 1\n{\n    .reg .b32 %r<9>;\n    { mov.b64 {%r1, %r2}, %rd1; } // }\n    ret;\n}\n\n";

/// The items of the outline as text, and for each part whether it is parsed later, and then sound.
fn outlined(text: &str) -> (Vec<String>, Vec<(usize, bool)>) {
    let outline = Outline::with_part_size(text, 1, 1);
    let snapshot = outline.snapshot();
    let items = snapshot.roots().flat_map(|root| root.children(&mut root.walk()).collect::<Vec<_>>());
    let items = items.map(|item| item.to_sexp()).collect();
    let sound = |number: usize| matches!(outline.parse(number), Some(ParsedPart::Sound(..)));
    (items, outline.parts().into_iter().map(|part| (part.number, sound(part.number))).collect())
}

#[test]
fn an_outline_lacks_bodies() {
    let (items, parts) = outlined(&format!("{HEADER}{FUNCTION}{FUNCTION}"));
    assert_eq!(items.len(), 3 + 2 + 2 + 1, "{items:?}");
    let function = "(function (linkage) kind: (function_kind) name: (identifier) parameters: (parameter_list) \
                    (performance_directive name: (directive_name) value: (integer)) body: (block))";
    assert_eq!(items.iter().filter(|item| *item == function).count(), 2, "{items:?}");
    // The part before the first function has hardly anything else.
    assert_eq!(parts, [(1, true), (2, true)]);
}

#[test]
fn parts_that_are_unusual_are_complete() {
    // A lost brace, a character that the assembler refuses, a line for a preprocessor.
    for (from, to) in [("{ mov", "mov"), ("first", "erste für"), ("    ret", "#line 5\n    ret")] {
        let (items, parts) = outlined(&format!("{HEADER}{FUNCTION}{}{FUNCTION}", FUNCTION.replace(from, to)));
        assert_eq!(items.iter().filter(|item| item.contains("body: (block (")).count(), 1, "{items:?}");
        assert_eq!(parts, [(1, true), (3, true)], "{to}");
    }
    // A text of one part too.
    assert_eq!(outlined(FUNCTION).1, [(0, true)]);
}

#[test]
fn a_part_with_a_syntax_error_is_broken() {
    let text = format!("{HEADER}{FUNCTION}{}{FUNCTION}", FUNCTION.replace("ret;", "ret, ret )"));
    assert_eq!(outlined(&text).1, [(1, true), (2, false), (3, true)]);
    let mut outline = Outline::with_part_size(&text, 1, 1);
    let broken = outline.parts().into_iter().filter_map(|part| match outline.parse(part.number)? {
        ParsedPart::Sound(..) => None,
        ParsedPart::Broken(trees) => Some((part.number, trees)),
    });
    let broken: Vec<_> = broken.collect();
    assert!(!outline.snapshot().has_error());
    outline.complete(broken);
    assert!(outline.snapshot().has_error());
    assert_eq!(outline.parts().iter().map(|part| part.number).collect::<Vec<_>>(), [1, 3]);
}

/// The kinds and ranges of all statements in function bodies, without comments.
fn statements(snapshot: &Snapshot) -> Vec<(u16, Range<usize>)> {
    let k = kinds();
    let (mut out, mut blocks) = (Vec::new(), Vec::new());
    for root in snapshot.roots() {
        let functions = root.named_children(&mut root.walk()).collect::<Vec<_>>();
        blocks.extend(functions.iter().filter_map(|function| function.child_by_field_id(fields().body)));
    }
    while let Some(block) = blocks.pop() {
        for node in block.named_children(&mut block.walk()).filter(|node| node.kind_id() != k.comment) {
            if node.kind_id() == k.block {
                blocks.push(node);
            } else {
                out.push((node.kind_id(), node.byte_range()));
            }
        }
    }
    out.sort_by_key(|(_, range)| range.start);
    out
}

/// Reads a function body both ways and fails at a difference. Returns how many of its statements are plain.
fn compare(body: &str) -> usize {
    let k = kinds();
    let text = format!(".func f() {{\n{body}\n}}\n");
    let outline = Outline::with_part_size(&text, 1, 1);
    let mut count = 0;
    for part in outline.parts() {
        match (outline.parse(part.number), outline.parse_all(part.number)) {
            (Some(ParsedPart::Sound(without, plain)), Some(ParsedPart::Sound(complete, _))) => {
                let kind = |plain: &PlainStatement| match plain.kind {
                    PlainKind::Instruction => k.instruction,
                    PlainKind::Label => k.label,
                    PlainKind::Location => k.loc_directive,
                };
                let mut found = statements(&without);
                found.extend(plain.iter().map(|plain| (kind(plain), plain.range.clone())));
                found.sort_by_key(|(_, range)| range.start);
                assert_eq!(found, statements(&complete), "{text:?}");
                count += plain.len();
            }
            (Some(ParsedPart::Broken(_)), Some(ParsedPart::Broken(_))) => {}
            (without, complete) => panic!("{without:?} is not {complete:?} in {text:?}"),
        }
    }
    count
}

/// Every body with up to three of these tokens behind a statement.
#[test]
fn a_body_is_the_same_without_its_plain_statements() {
    const TOKENS: [&str; 29] = [
        "a",
        "%r",
        "_",
        "1",
        " ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\u{c}",
        "//",
        "// c\n",
        "/*",
        "*/",
        "\\",
        "\"",
        "@",
        "!",
        ":",
        ";",
        ",",
        ".b",
        ".loc 1 2 3",
        "{",
        "}",
        "[",
        "]",
        "|",
        "+",
    ];
    let (mut bodies, mut plain) = (0, 0);
    for first in TOKENS {
        for second in TOKENS {
            for third in TOKENS {
                bodies += 1;
                plain += compare(&format!("a;{first}{second}{third}b; c;"));
            }
        }
    }
    assert!(plain > 2_000, "{plain} plain statements in {bodies} bodies");
}

/// Pairs of statements with everything that may stand between and behind them.
#[test]
fn separators_make_no_difference() {
    const STATEMENTS: [&str; 12] = [
        "ret;",
        "add.s32 %r1, %r2, -5;",
        "@%p1 bra L;",
        "@_ ret;",
        "@!p ld.v2.u32 {%r1, _}, [%rd1+4];",
        "L:",
        "%l:",
        "_:",
        ".loc 1 2 3",
        "setp.eq.u32 %p1|_, %r1, 0x1F;",
        "call f;",
        "{ ret; }",
    ];
    const SEPARATORS: [&str; 26] = [
        "",
        " ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "\r\r\n",
        "\u{c}",
        "//\n",
        "// c\r\n",
        "// c\rret;\n",
        "// c\r;\r\n",
        "// \r\r\n",
        "// c\\\nret;",
        "// \" /*\n",
        "/**/",
        "/* c */",
        "/* \r\n */",
        "/* // */",
        "/* ; \" */",
        "/***/ ",
        "\\\n",
        ";",
        ",",
        "\"",
    ];
    let mut plain = 0;
    for first in STATEMENTS {
        for second in STATEMENTS {
            for separator in SEPARATORS {
                plain += compare(&format!("ret;\n{first}{separator}{second}{separator}ret;"));
                plain += compare(&format!("ret;{separator}{first}{separator}\n{second}\nret;"));
            }
        }
    }
    assert!(plain > 10_000, "{plain}");
}
