use super::{PlainKind, PlainPart, PlainRun, PlainStatements, plain_instruction};
use crate::{Node, Snapshot, kinds};

/// Whether the parser reads a text between braces as one instruction without an error.
fn is_instruction(text: &str) -> bool {
    let snapshot = Snapshot::new(&format!(".func f() {{\n{text}\n}}"));
    let root = snapshot.root_at(0);
    let body = root.child(0).and_then(|function| function.child_by_field_name("body"));
    let statements: Vec<Node<'_>> = body.map_or(Vec::new(), |body| body.named_children(&mut body.walk()).collect());
    let unclosed = root.to_sexp().contains("unclosed");
    !root.has_error() && !unclosed && statements.len() == 1 && statements[0].kind_id() == kinds().instruction
}

/// Whether the parser finds an error in a function body.
pub fn has_syntax_error(body: &str) -> bool {
    let root = Snapshot::new(&format!(".func f() {{\n{body}\n}}"));
    root.root_at(0).has_error() || root.root_at(0).to_sexp().contains("unclosed")
}

fn is_plain(text: &str) -> bool {
    plain_instruction(text.as_bytes(), &mut |_| {}) == Some(text.len())
}

#[test]
fn usual_instructions() {
    let instructions = [
        "ret;",
        "add.s32 \t%r1, %r2, -5;",
        "@%p1 bra \t$L__BB0_2;",
        "@!%p1 ld.global.nc.L1::evict_last.v4.f32 {%f1, %f2, _, %f4} , [ %rd1 + 16 ] ;",
        "mov.u32 %r1, %tid.x;",
        "setp.lt.s32 %p1|%p2, a, 0f3F800000;",
        "st.param.b64 [param0+0], 0d3FF0000000000000;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];",
        "ld.u8 %rs1, [%rd1+-4];",
        "and.pred p, !%p2, %p1;",
        "mov.b64 %rd1, 0xFFFFFFFFU;",
        "mov.b32 %r1, x-4;",
        "mov.b32 %r1, 017;",
    ];
    for text in instructions {
        assert!(is_plain(text), "{text}");
        assert!(is_instruction(text), "{text}");
    }
}

#[test]
fn what_else_is_left_to_the_parser() {
    let others = [
        "",
        ";",
        "add.s32 %r1, %r2",
        "add.s32 %r1, %r2\n;",
        "add.s32 %r1, %r2,;",
        "add.s32 %r1, %r2 %r3;",
        "add.s32 %r1, %r2 /* */;",
        "add . s32 %r1, %r2;",
        "Add.s32 %r1;",
        "add.s32[0] %r1;",
        "add.s32: %r1;",
        "add.u32::1 %r1;",
        "call.uni (r), f, (p);",
        "mov.f32 %f1, 1.5;",
        "mov.f32 %f1, 1e5;",
        "mov.f32 %f1, 0f3F8;",
        "mov.f32 %f1, -0f3F800000;",
        "mov.b64 %rd1, 1234567890123456789;",
        "mov.b32 %r1, 08;",
        "mov.b32 %r1, 1+2;",
        "mov.b32 %r1, (1);",
        "mov.b32 %r1, -%r2;",
        "mov.b32 %r1, - 1;",
        "mov.b32 %r1, x--1;",
        "mov.b32 %r1, x+%r2;",
        "mov.b32 %r1, a[1];",
        "mov.b32 %r1, %;",
        "mov.b32 %r1, $;",
        "mov.b32 %r1, %v .x;",
        "mov.b32 %r1, %v.5;",
        "mov.b32 %r1, !a;",
        "mov.b32 a|b, %r1;",
        "ld.u8 %rs1, [];",
        "ld.u8 %rs1, [%rd1;",
        "ld.u8 %rs1, [%rd1}.unified;",
        "ld.u8 %rs1, [%rd1].unified;",
        "mov.b32 %r1, {{{{{%r1}}}}};",
        "@p;",
        "@ p add %r1;",
        "@padd;",
        "@p.x add %r1;",
        "é %r1;",
    ];
    for text in others {
        assert!(!is_plain(text), "{text}");
    }
}

/// Every text of up to five of these tokens that counts as an instruction is one for the parser.
#[test]
fn the_parser_agrees() {
    let tokens =
        ["a", ".b", " ", "%r", ",", "-", "1", "_", "[", "]", "{", "}", "+", "|", "!", ";", "@", ":", "0f00000000"];
    let (mut plain, mut all) = (0, 0);
    let mut number = 0_usize;
    loop {
        let (mut text, mut rest) = (String::from("a "), number);
        while rest > 0 {
            text.push_str(tokens[(rest - 1) % tokens.len()]);
            rest = (rest - 1) / tokens.len();
        }
        text.push(';');
        if text.matches(';').count() == 1 {
            all += 1;
            if is_plain(&text) {
                plain += 1;
                assert!(is_instruction(&text), "{text}");
            }
        }
        number += 1;
        if number > tokens.len().pow(5) {
            break;
        }
    }
    assert!(plain > 1000, "{plain} of {all}");
}

#[test]
fn parts_come_in_text_order() {
    let text = "@!%p add.x::y %r1, {a, -1}, [b+2], !%q, %p|_, %t.x;";
    let mut parts = Vec::new();
    plain_instruction(text.as_bytes(), &mut |part| {
        let range = match part {
            PlainPart::Guard(range)
            | PlainPart::Opcode(range)
            | PlainPart::Modifier(range)
            | PlainPart::Not(range, _) => range,
            PlainPart::Leaf(leaf) => leaf.range,
            PlainPart::Pair(first, second) | PlainPart::Offset(first, second, _) => first.range.start..second.range.end,
            PlainPart::Open(_, start) => start..start + 1,
            PlainPart::Close(end) => end - 1..end,
        };
        parts.push(&text[range]);
    });
    assert_eq!(parts, ["%p", "add", ".x::y", "%r1", "{", "a", "-1", "}", "[", "b+2", "]", "!%q", "%p|_", "%t.x"]);
}

fn plain_in(body: &str) -> (Vec<(&str, PlainKind)>, Vec<&str>) {
    let mut found = PlainStatements::default();
    found.add(body.as_bytes(), 0..body.len());
    let all = found.all.iter().map(|s| (&body[s.range.clone()], s.kind)).collect();
    (all, found.runs.into_iter().map(|run| &body[run.range]).collect())
}

#[test]
fn statements_stand_behind_others() {
    use PlainKind::{Instruction, Label, Location};
    let body = "a; b; // c\n.loc 1 2 3 // d\n e.f g;\nL: h;{ i; j; }\n k; l;\n.loc 1 2\n m; n;";
    let (all, runs) = plain_in(body);
    let expected = [
        ("b;", Instruction),
        (".loc 1 2 3", Location),
        ("e.f g;", Instruction),
        ("L:", Label),
        ("h;", Instruction),
        ("j;", Instruction),
        ("l;", Instruction),
        ("n;", Instruction),
    ];
    assert_eq!(all, expected);
    assert_eq!(runs, ["b; // c\n.loc 1 2 3 // d\n e.f g;\nL: h;", "j;", "l;", "n;"]);
}

#[test]
fn the_longest_runs_are_kept() {
    let body = "a; b; c; { d; e; f; g; } { h; i; } { j; k; l; }";
    let mut found = PlainStatements::default();
    found.add(body.as_bytes(), 0..body.len());
    let runs = |found: &PlainStatements| -> Vec<&str> {
        let statements =
            |run: &PlainRun| found.all[run.statements.start].range.start..found.all[run.statements.end - 1].range.end;
        assert!(found.runs.iter().all(|run| run.range == statements(run)));
        found.runs.iter().map(|run| &body[run.range.clone()]).collect()
    };
    assert_eq!(runs(&found), ["b; c;", "e; f; g;", "i;", "k; l;"]);
    found.keep_longest(3);
    assert_eq!(runs(&found), ["b; c;", "e; f; g;", "k; l;"]);
    found.keep_longest(2);
    assert_eq!((runs(&found), found.all.len()), (vec!["e; f; g;"], 3));
}

#[test]
fn what_could_continue_a_statement_makes_the_parser_read_all() {
    for body in ["a; b; , c;", "a; .loc 1 2 3\n4;", "a; .loc 1 2 3\nb; /* */ 4;", "a; b; .func f() .pragma \"c\"; d;"] {
        assert_eq!(plain_in(body).0, [], "{body}");
    }
    // Strings and comments hide semicolons.
    assert_eq!(plain_in(".pragma \"; b;\" /* ; c; */; d;").0, [("d;", PlainKind::Instruction)]);
    assert_eq!(plain_in("").0, []);
}
