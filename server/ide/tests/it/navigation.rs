//! Navigation between positions.

use expect_test::{Expect, expect};
use ptx_ide::{
    Calls, DefinitionTargets, LinkTarget, SourcePosition, callables, declaration, definition, exported, fitness,
    highlights, implementation, incoming_calls, links, module_symbols, outgoing_calls, selections, source_position,
};
use ptx_syntax::Snapshot;
use std::ops::Range;

fn cursor(marked: &str) -> (String, usize) {
    let offset = marked.find('‸').unwrap();
    (marked.replacen('‸', "", 1), offset)
}

fn line(text: &str, range: &Range<usize>) -> String {
    let number = text[..range.start].matches('\n').count() + 1;
    format!("{number}: {}", text.lines().nth(number - 1).unwrap().trim())
}

/// A module around the body of a kernel.
fn kernel(body: &str) -> String {
    format!(".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n{body}\nret;\n}}\n")
}

const MODULE: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"/src/a.cu\"\n.file 2 \"b.h\"\n\
.extern .global .u32 x;\n.global .u32 x = 1;\n.extern .global .u32 y;\n.global .u64 table[2] = { f, e };\n\
.extern .func (.param .b32 r) e(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) g(.param .b32 a);\n\
.alias g, f;\n.func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r;\n.loc 2 7 3\nld.param.b32 %r, [a];\nst.param.b32 [r], %r;\nret;\n}\n\
.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r;\n.reg .b64 %rd;\n.param .b32 out, in;\n\
ld.global.u32 %r, [x];\nld.global.u32 %r, [y];\ncall (out), f, (in);\ncall (out), g, (in);\ncall (out), e, (in);\n\
T: .calltargets f, e;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (out), %rd, (in), T;\ncall (out), %rd, (in), P;\n\
call (out), %rd, (in), table;\nret;\n}\n";

fn at(text: &str, marked: &str) -> (String, usize) {
    assert!(MODULE.contains(text), "{text}");
    cursor(&MODULE.replacen(text, marked, 1))
}

fn shown(text: &str, found: Option<DefinitionTargets>) -> String {
    let Some(found) = found else { return "nothing".to_owned() };
    let mut out = format!("from {}", &text[found.origin]);
    for target in found.targets {
        assert!(target.range.start <= target.selection.start && target.selection.end <= target.range.end);
        out.push_str(&format!("\n{} [{}]", line(text, &target.selection), &text[target.selection]));
    }
    if let Some(name) = found.elsewhere {
        out.push_str(&format!("\nelsewhere: {name}"));
    }
    out
}

fn check((text, offset): (String, usize), ask: fn(&Snapshot, usize) -> Option<DefinitionTargets>, expected: &Expect) {
    expected.assert_eq(&shown(&text, ask(&Snapshot::new(&text), offset)));
}

#[test]
fn definitions() {
    check(
        at("f, (in)", "‸f, (in)"),
        definition,
        &expect![[r#"
        from f
        14: .func (.param .b32 r) f(.param .b32 a) [f]"#]],
    );
    check(
        at("e, (in)", "‸e, (in)"),
        definition,
        &expect![[r#"
        from e
        10: .extern .func (.param .b32 r) e(.param .b32 a); [e]
        elsewhere: e"#]],
    );
    check(
        at("g, (in)", "‸g, (in)"),
        definition,
        &expect![[r#"
        from g
        13: .alias g, f; [g]"#]],
    );
    check(
        at("[x]", "[‸x]"),
        definition,
        &expect![[r#"
        from x
        7: .global .u32 x = 1; [x]"#]],
    );
    check(
        at("[y]", "[‸y]"),
        definition,
        &expect![[r#"
        from y
        8: .extern .global .u32 y; [y]
        elsewhere: y"#]],
    );
    check(
        at("%r, [x]", "%‸r, [x]"),
        definition,
        &expect![[r#"
        from %r
        24: .reg .b32 %r; [%r]"#]],
    );
    check(
        at("(in), T", "(in), ‸T"),
        definition,
        &expect![[r#"
        from T
        32: T: .calltargets f, e; [T]"#]],
    );
    check(at("st.param", "‸st.param"), definition, &expect!["nothing"]);
    check(
        cursor(&kernel(".reg .b32 %r<4>;\nmov.u32 %r‸1, 1;")),
        definition,
        &expect![[r#"
        from %r1
        6: .reg .b32 %r<4>; [%r]"#]],
    );
    check(
        cursor(&kernel("T: .branchtargets ‸N<2>;\nN0:\nN1:")),
        definition,
        &expect![[r#"
        from N
        7: N0: [N0]"#]],
    );
}

#[test]
fn declarations() {
    check(
        at("f, (in)", "‸f, (in)"),
        declaration,
        &expect![[r#"
        from f
        11: .func (.param .b32 r) f(.param .b32 a); [f]"#]],
    );
    check(
        at("[x]", "[‸x]"),
        declaration,
        &expect![[r#"
        from x
        6: .extern .global .u32 x; [x]"#]],
    );
    check(
        at("entry k", "entry ‸k"),
        declaration,
        &expect![[r#"
        from k
        22: .visible .entry k(.param .u64 p) [k]"#]],
    );
}

#[test]
fn what_stands_behind_a_name() {
    check(
        at("f, (in)", "‸f, (in)"),
        implementation,
        &expect![[r#"
        from f
        14: .func (.param .b32 r) f(.param .b32 a) [f]"#]],
    );
    check(
        at("g, (in)", "‸g, (in)"),
        implementation,
        &expect![[r#"
        from g
        14: .func (.param .b32 r) f(.param .b32 a) [f]"#]],
    );
    check(
        at("e, (in)", "‸e, (in)"),
        implementation,
        &expect![[r#"
        from e
        elsewhere: e"#]],
    );
    check(
        at("(in), T", "(in), ‸T"),
        implementation,
        &expect![[r#"
        from T
        14: .func (.param .b32 r) f(.param .b32 a) [f]
        10: .extern .func (.param .b32 r) e(.param .b32 a); [e]"#]],
    );
    check(at("[x]", "[‸x]"), implementation, &expect!["nothing"]);
}

#[test]
fn what_other_modules_see() {
    let text = ".version 8.5\n.target sm_90\n.func hidden() { ret; }\n.visible .func seen() { ret; }\n.extern .func other();\n\
                .weak .global .u32 w;\n.func seen_not();\n";
    let snapshot = Snapshot::new(text);
    let of = |name: &str| exported(&snapshot, name).len();
    assert_eq!(["hidden", "seen", "other", "w", "seen_not", "none"].map(of), [0, 1, 0, 1, 0, 0]);
}

#[test]
fn sources() {
    let found = |marked: (String, usize)| source_position(&Snapshot::new(&marked.0), marked.1);
    let position = |path: &str, line, column| Some((path.to_owned(), line, column));
    let parts = |found: Option<SourcePosition>| found.map(|f| (f.path, f.line, f.column));
    assert_eq!(parts(found(at(".loc 2", ".lo‸c 2"))), position("b.h", 7, 3));
    assert_eq!(parts(found(at("2 7 3", "2 7‸ 3"))), position("b.h", 7, 3));
    assert_eq!(parts(found(at("\"/src", "\"‸/src"))), position("/src/a.cu", 0, 0));
    assert_eq!(parts(found(at("ld.param", "‸ld.param"))), None);
    let inlined = MODULE.replacen("2 7 3", "1 5 6, function_name $n, inlined_at 2 8 9", 1);
    let found = |text: &str| source_position(&Snapshot::new(&inlined), inlined.find(text).unwrap());
    assert_eq!(parts(found("5 6")), position("/src/a.cu", 5, 6));
    assert_eq!(parts(found("8 9")), position("b.h", 8, 9));
    assert_eq!(parts(found("$n")), None);
}

fn highlighted((text, offset): (String, usize), expected: &Expect) {
    let found = highlights(&Snapshot::new(&text), offset);
    let lines =
        found.iter().map(|r| format!("{:?} {} | {}\n", r.access, &text[r.range.clone()], line(&text, &r.range)));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn highlights_of_a_name_and_of_the_ways_out() {
    highlighted(
        at("%r, [x]", "‸%r, [x]"),
        &expect![[r#"
        Declaration %r | 24: .reg .b32 %r;
        Write %r | 27: ld.global.u32 %r, [x];
        Write %r | 28: ld.global.u32 %r, [y];
    "#]],
    );
    let exits = ".reg .pred p;\n@p exit;\n@p ret;\nL: bra L;";
    highlighted(
        cursor(&kernel(&exits.replacen("exit", "‸exit", 1))),
        &expect![[r#"
        Mention .entry | 4: .visible .entry k(.param .u64 p)
        Mention exit | 7: @p exit;
        Mention ret | 8: @p ret;
        Mention ret | 10: ret;
    "#]],
    );
    highlighted(
        cursor(&kernel(exits).replacen(".entry", ".en‸try", 1)),
        &expect![[r#"
        Mention .entry | 4: .visible .entry k(.param .u64 p)
        Mention exit | 7: @p exit;
        Mention ret | 8: @p ret;
        Mention ret | 10: ret;
    "#]],
    );
    highlighted(cursor(&kernel("bra‸ L;\nL:")), &expect![[""]]);
}

fn shown_calls(text: &str, calls: &[Calls]) -> String {
    let one = |c: &Calls| {
        let places: Vec<String> = c.places.iter().map(|p| line(text, p)).collect();
        format!("{} | {}\n", c.other.signature, places.join(" | "))
    };
    calls.iter().map(one).collect()
}

#[test]
fn callers() {
    let snapshot = Snapshot::new(MODULE);
    expect![[r#"
        .visible .entry k(.param .u64 p) | 29: call (out), f, (in); | 30: call (out), g, (in); | 34: call (out), %rd, (in), T; | 36: call (out), %rd, (in), table;
    "#]].assert_eq(&shown_calls(MODULE, &incoming_calls(&snapshot, "f")));
    expect![[r#"
        .visible .entry k(.param .u64 p) | 31: call (out), e, (in); | 34: call (out), %rd, (in), T; | 36: call (out), %rd, (in), table;
    "#]].assert_eq(&shown_calls(MODULE, &incoming_calls(&snapshot, "e")));
    assert_eq!(incoming_calls(&snapshot, "k"), []);
    assert_eq!(incoming_calls(&snapshot, "nothing"), []);
}

#[test]
fn callees() {
    let snapshot = Snapshot::new(MODULE);
    expect![[r#"
        .func (.param .b32 r) f(.param .b32 a) | 29: call (out), f, (in); | 30: call (out), g, (in); | 34: call (out), %rd, (in), T; | 36: call (out), %rd, (in), table;
        .extern .func (.param .b32 r) e(.param .b32 a) | 31: call (out), e, (in); | 34: call (out), %rd, (in), T; | 36: call (out), %rd, (in), table;
    "#]].assert_eq(&shown_calls(MODULE, &outgoing_calls(&snapshot, "k")));
    assert_eq!(outgoing_calls(&snapshot, "f"), []);
}

#[test]
fn where_the_hierarchy_of_calls_begins() {
    let names = |marked: (String, usize)| -> String {
        let found = callables(&Snapshot::new(&marked.0), marked.1);
        found.iter().map(|c| format!("{}{} ", c.name, if c.elsewhere { "?" } else { "" })).collect()
    };
    assert_eq!(names(at("entry k", "entry ‸k")), "k ");
    assert_eq!(names(at("f, (in)", "‸f, (in)")), "f ");
    assert_eq!(names(at("e, (in)", "‸e, (in)")), "e? ");
    assert_eq!(names(at("call (out), %rd, (in), T", "ca‸ll (out), %rd, (in), T")), "f e? ");
    assert_eq!(names(at("call (out), %rd, (in), P", "ca‸ll (out), %rd, (in), P")), "");
    assert_eq!(names(at("[x]", "[‸x]")), "");
}

fn selected(marked: &str, expected: &Expect) {
    let (text, offset) = cursor(marked);
    let found = selections(&Snapshot::new(&text), offset);
    let mut last = offset..offset;
    let mut out = String::new();
    for range in found {
        assert!(range.start <= last.start && last.end <= range.end && range.len() > last.len(), "{range:?} {last:?}");
        out.push_str(&text[range.clone()].replace('\n', "⏎"));
        out.push('\n');
        last = range;
    }
    assert_eq!(last, 0..text.len());
    expected.assert_eq(&out);
}

#[test]
fn ever_larger_selections() {
    selected(
        ".func f() {\n.reg .b32 a;\nL:\nmov.b32 a, 1;\n@p ld.global.v2.u32 {a, ‸b}, [c+4];\nM: ret;\n}\n",
        &expect![[r#"
            b
            a, b
            {a, b}
            {a, b}, [c+4]
            ld.global.v2.u32 {a, b}, [c+4];
            @p ld.global.v2.u32 {a, b}, [c+4];
            mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];
            L:⏎mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];
            .reg .b32 a;⏎L:⏎mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];⏎M: ret;
            {⏎.reg .b32 a;⏎L:⏎mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];⏎M: ret;⏎}
            .func f() {⏎.reg .b32 a;⏎L:⏎mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];⏎M: ret;⏎}
            .func f() {⏎.reg .b32 a;⏎L:⏎mov.b32 a, 1;⏎@p ld.global.v2.u32 {a, b}, [c+4];⏎M: ret;⏎}⏎
        "#]],
    );
    selected(
        ".func f() {\n@p ld.glo‸bal.u32 a, [c+4];\nret;\n}",
        &expect![[r#"
        .global
        ld.global.u32
        ld.global.u32 a, [c+4];
        @p ld.global.u32 a, [c+4];
        @p ld.global.u32 a, [c+4];⏎ret;
        {⏎@p ld.global.u32 a, [c+4];⏎ret;⏎}
        .func f() {⏎@p ld.global.u32 a, [c+4];⏎ret;⏎}
    "#]],
    );
    selected(
        ".version 8.5\n// some ‸words\n",
        &expect![[r#"
        some words
        // some words
        .version 8.5⏎// some words⏎
    "#]],
    );
    selected(
        "/* one\n   t‸wo\n*/\n",
        &expect![[r#"
        two
        one⏎   two
        /* one⏎   two⏎*/
        /* one⏎   two⏎*/⏎
    "#]],
    );
    selected(
        ".reg .b32 a, ‸b;",
        &expect![[r#"
        b
        a, b
        .reg .b32 a, b;
    "#]],
    );
    selected("‸", &expect![[""]]);
}

#[test]
fn links_to_files_and_addresses() {
    let text = "// See https://docs.nvidia.com/cuda/ptx (and http://a.b/c_(d)).\n.version 8.5\n#include \"x/y.ptx\"\n.file 1 \"/src/a.cu\"\n\
                .file 2 \"\"\n/* https://e.f/g*/\n// no ://link, ftp://h\n";
    let mut out = String::new();
    for link in links(&Snapshot::new(text)) {
        let (LinkTarget::File(target) | LinkTarget::Address(target)) = &link.target;
        assert_eq!(&text[link.range.clone()], target);
        out.push_str(&format!("{:?}\n", link.target));
    }
    expect![[r#"
        Address("https://docs.nvidia.com/cuda/ptx")
        Address("http://a.b/c_(d)")
        File("x/y.ptx")
        File("/src/a.cu")
        Address("https://e.f/g")
    "#]]
    .assert_eq(&out);
}

#[test]
fn names_by_some_of_their_letters() {
    let names = ["tile_load", "load", "load_tile", "preload", "_Z4loadPf", "LOAD", "lxoxaxd", "unrelated"];
    let best = |query: &str| {
        let mut found: Vec<(u32, &str)> = names.iter().filter_map(|n| Some((fitness(query, n)?, *n))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, n)| n).collect::<Vec<_>>().join(" ")
    };
    expect!["load LOAD load_tile tile_load _Z4loadPf preload lxoxaxd"].assert_eq(&best("load"));
    expect!["tile_load load_tile"].assert_eq(&best("tl"));
    assert_eq!(best("zzz"), "");
    assert_eq!(best("").split(' ').count(), names.len());
}

#[test]
fn symbols_for_other_documents() {
    let names: Vec<String> = module_symbols(&Snapshot::new(MODULE)).into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["x", "x", "y", "table", "e", "f", "g", "g", "f", "k"]);
}
