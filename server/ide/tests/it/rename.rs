//! Renaming.

use expect_test::{Expect, expect};
use ptx_analysis::Analyzer;
use ptx_ide::{Reach, Renaming, apply, prepare_rename, references_at, rename};
use ptx_syntax::Snapshot;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn cursor(marked: &str) -> (String, usize) {
    let offset = marked.find('‸').unwrap();
    (marked.replacen('‸', "", 1), offset)
}

/// A module around the body of a kernel.
fn kernel(body: &str) -> String {
    format!(".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n{body}\nret;\n}}\n")
}

fn renamed(text: &str, found: &Renaming) -> String {
    apply(text, &found.edits)
}

/// The lines that differ after a renaming at the cursor, or the reason of its refusal.
fn check(marked: &str, new: &str, expected: &Expect) {
    let (text, offset) = cursor(marked);
    let out = match rename(&Snapshot::new(&text), offset, new) {
        Err(refusal) => refusal,
        Ok(found) => {
            let new = renamed(&text, &found);
            let lines = text.lines().zip(new.lines()).filter(|(a, b)| a != b);
            let lines: String = lines.map(|(_, b)| format!("{b}\n")).collect();
            if found.reach == Reach::Module { lines } else { format!("{:?}\n{lines}", found.reach) }
        }
    };
    expected.assert_eq(&out);
}

fn prepared(marked: &str, expected: &Expect) {
    let (text, offset) = cursor(marked);
    let out = match prepare_rename(&Snapshot::new(&text), offset) {
        Err(refusal) => refusal,
        Ok(found) => {
            assert_eq!(text[found.range.clone()], found.name);
            format!("{}…{}", found.name, &text[found.range.end..(found.range.end + 6).min(text.len())])
        }
    };
    expected.assert_eq(&out);
}

#[test]
fn what_can_be_renamed() {
    let body = ".reg .b32 %r<4>, x;\nmov.u32 %r1, %tid.x;\nadd.u32 x, %r1, WARP_SZ;\nbra L;\nL:\nsub.u32 y, x, x;";
    let at = |text: &str, marked: &str| kernel(&body.replacen(text, marked, 1));
    prepared(&at("%r1", "%r‸1"), &expect!["%r1…, %tid"]);
    prepared(&at("%r<", "‸%r<"), &expect!["%r…<4>, x"]);
    prepared(&at("u32 x", "u32 x‸"), &expect!["x…, %r1,"]);
    prepared(
        &at("L;", "‸L;"),
        &expect![[r#"
        L…;
        L:
        s"#]],
    );
    prepared(&at("%tid", "‸%tid"), &expect!["`%tid` is a special register"]);
    prepared(&at("WARP", "WA‸RP"), &expect!["`WARP_SZ` is a constant of the language"]);
    prepared(&at("y, x", "‸y, x"), &expect!["`y` is not declared here"]);
    prepared(&at("add", "‸add"), &expect!["nothing here can be renamed: the module declares no such name"]);
    prepared(
        &kernel("T: .branchtargets ‸N<2>;\nN0:\nN1:"),
        &expect![[r#"
        N…<2>;
        N"#]],
    );
}

#[test]
fn registers() {
    let body = ".reg .b32 %r<4>, x;\n.reg .pred p;\nmov.u32 %r1, 1;\n@p add.u32 x, %r1, %r2;\n{ .reg .b32 x; mov.u32 x, 2; }\n@!p mov.u32 x, x;";
    let at = |text: &str, marked: &str| kernel(&body.replacen(text, marked, 1));
    check(
        &at("x, %r1", "‸x, %r1"),
        "sum",
        &expect![[r#"
        .reg .b32 %r<4>, sum;
        @p add.u32 sum, %r1, %r2;
        @!p mov.u32 sum, sum;
    "#]],
    );
    check(
        &at("p;", "‸p;"),
        "%p",
        &expect![[r#"
        .reg .pred %p;
        @%p add.u32 x, %r1, %r2;
        @!%p mov.u32 x, x;
    "#]],
    );
    check(
        &at("%r<", "‸%r<"),
        "%value",
        &expect![[r#"
        .reg .b32 %value<4>, x;
        mov.u32 %value1, 1;
        @p add.u32 x, %value1, %value2;
    "#]],
    );
}

#[test]
fn names_that_are_none() {
    let text = kernel(".reg .b32 ‸x, y<2>;");
    for new in ["", "1x", "_", "%", "a b", "a.b", "ä", "%%", "WARP_SZ", "%tid", "%ntid"] {
        let (text, offset) = cursor(&text);
        let refused = rename(&Snapshot::new(&text), offset, new);
        assert!(refused.is_err(), "{new}: {refused:?}");
    }
    check(
        &text,
        "1x",
        &expect![
            "`1x` is not a name: a name is a letter and any letters, digits, `_` and `$`, or one of `%`, `_`, `$` and at least one of those"
        ],
    );
    check(&text, "%tid", &expect!["`%tid` would hide the special register `%tid`"]);
    check(&text, "WARP_SZ", &expect!["`WARP_SZ` is a keyword, so it cannot be a name"]);
    check(
        &kernel(".reg .b32 x, ‸y<2>;"),
        "y1",
        &expect!["`y1` ends in a digit, so the numbers of its registers could not be separated from the name"],
    );
    // Renaming to the same name changes nothing.
    check(&text, "x", &expect![[""]]);
    // The name of an instruction is a valid name.
    check(
        &text,
        "add",
        &expect![[r#"
        .reg .b32 add, y<2>;
    "#]],
    );
}

#[test]
fn what_would_mean_something_else() {
    // The new name is declared in the same block, whose names include parameters and labels.
    check(&kernel(".reg .b32 ‸x, y;"), "y", &expect!["`y` is declared in the same block, on line 6"]);
    check(&kernel(".reg .b32 ‸x;"), "p", &expect!["`p` is declared in the same block, on line 4"]);
    check(&kernel(".reg .b32 ‸x;\nL:"), "L", &expect!["`L` is declared in the same block, on line 7"]);
    check(&kernel(".reg .b32 ‸x, %r<4>;"), "%r2", &expect!["`%r<4>` is declared in the same block, on line 6"]);
    check(
        &kernel(".reg .b32 ‸x, %r<4>;"),
        "%r4",
        &expect![[r#"
        .reg .b32 %r4, %r<4>;
    "#]],
    );
    check(&kernel(".reg .b32 ‸%a<4>, %r;"), "%r", &expect!["`%r` is declared in the same block, on line 6"]);
    check(&kernel(".reg .b32 %a<4>, ‸%r;"), "%a", &expect!["`%a<4>` is declared in the same block, on line 6"]);
    check(&kernel(".reg .b32 ‸%a<4>, %r3;"), "%r", &expect!["`%r3` is declared in the same block, on line 6"]);
    check(
        &kernel(".reg .b32 ‸%a<4>, %r4;"),
        "%r",
        &expect![[r#"
        .reg .b32 %r<4>, %r4;
    "#]],
    );
    // A declaration in an inner block would hide the new name.
    check(
        &kernel(".reg .b32 ‸x;\n{ .reg .b32 y;\nmov.u32 x, 1; }"),
        "y",
        &expect!["on line 8 `y` would refer to the declaration on line 7"],
    );
    check(
        &kernel(".reg .b32 ‸x;\n{ mov.u32 x, 1;\n.reg .b32 y; }"),
        "y",
        &expect![[r#"
        .reg .b32 y;
        { mov.u32 y, 1;
    "#]],
    );
    // The new name would hide a name of an outer block.
    check(
        &kernel(".reg .b32 y;\n{ .reg .b32 ‸x;\nmov.u32 x, y; }"),
        "y",
        &expect!["`y` is already used on line 8, and would refer to this"],
    );
    check(
        &kernel(".reg .b32 y;\n{ mov.u32 y, 1;\n.reg .b32 ‸x; mov.u32 x, 1; }"),
        "y",
        &expect![[r#"
        .reg .b32 y; mov.u32 y, 1; }
    "#]],
    );
    check(
        &kernel(".shared .u32 s;\n{ .reg .b32 ‸x; mov.u32 x, s; }"),
        "s",
        &expect!["`s` is already used on line 7, and would refer to this"],
    );
    // An undeclared name would refer to the renamed declaration.
    check(
        &kernel(".reg .b32 ‸x;\nmov.u32 nowhere, 1;"),
        "nowhere",
        &expect!["`nowhere` is already used on line 7, and would refer to this"],
    );
}

const MODULE: &str = ".version 8.5\n.target sm_90\n.address_size 64\n\
.extern .global .u32 ext;\n.visible .global .u32 vis = 1;\n.global .u64 where = generic(vis);\n.global .u64 table[2] = { f, f };\n\
.extern .func (.param .b32 r) e(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) g(.param .b32 a);\n\
.func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r;\nld.param.b32 %r, [a];\nst.param.b32 [r], %r;\nret;\n}\n.alias g, f;\n\
.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r;\n.reg .b64 %rd;\n.param .b32 out, in;\n\
ld.global.u32 %r, [vis];\nst.global.u32 [ext+4], %r;\n\
st.param.b32 [in], %r;\ncall (out), f, (in);\ncall (out), g, (in);\ncall (out), e, (in);\n\
mov.u64 %rd, f;\nT: .calltargets f, g;\ncall (out), %rd, (in), T;\nret;\n}\n";

#[test]
fn names_of_the_module() {
    let at = |text: &str, marked: &str| MODULE.replacen(text, marked, 1);
    check(
        &at("[vis]", "[‸vis]"),
        "counter",
        &expect![[r#"
        Exported
        .visible .global .u32 counter = 1;
        .global .u64 where = generic(counter);
        ld.global.u32 %r, [counter];
    "#]],
    );
    check(
        &at("[ext", "[‸ext"),
        "other",
        &expect![[r#"
        Imported
        .extern .global .u32 other;
        st.global.u32 [other+4], %r;
    "#]],
    );
    check(
        &at("mov.u64 %rd, f", "mov.u64 %rd, ‸f"),
        "first",
        &expect![[r#"
        .global .u64 table[2] = { first, first };
        .func (.param .b32 r) first(.param .b32 a);
        .func (.param .b32 r) first(.param .b32 a)
        .alias g, first;
        call (out), first, (in);
        mov.u64 %rd, first;
        T: .calltargets first, g;
    "#]],
    );
    check(
        &at(".alias g", ".alias ‸g"),
        "second",
        &expect![[r#"
        .func (.param .b32 r) second(.param .b32 a);
        .alias second, f;
        call (out), second, (in);
        T: .calltargets f, second;
    "#]],
    );
    check(
        &at("call (out), e", "call (out), ‸e"),
        "vprintf",
        &expect![[r#"
        Imported
        .extern .func (.param .b32 r) vprintf(.param .b32 a);
        call (out), vprintf, (in);
    "#]],
    );
    check(
        &at("entry k", "entry ‸k"),
        "kernel",
        &expect![[r#"
        Exported
        .visible .entry kernel(.param .u64 p)
    "#]],
    );
    check(&at("table[", "‸table["), "where", &expect!["`where` is declared in the same block, on line 6"]);
    check(
        &at("table[", "‸table["),
        "out",
        &expect![[r#"
        .global .u64 out[2] = { f, f };
    "#]],
    );
    check(&at("[vis]", "[‸vis]"), "out", &expect!["on line 24 `out` would refer to the declaration on line 23"]);
    check(
        &at("where", "‸where"),
        "p",
        &expect![[r#"
        .global .u64 p = generic(vis);
    "#]],
    );
}

#[test]
fn labels() {
    check(
        &kernel(".reg .pred q;\n‸L: @q bra L;\n{ L: bra L; }"),
        "loop",
        &expect![[r#"
        loop: @q bra loop;
    "#]],
    );
    check(
        &kernel(".reg .b32 i;\nT: .branchtargets N<2>;\nbrx.idx i, T;\nN0: bra N1;\n‸N1: ret;"),
        "last",
        &expect!["`N1` is one of the labels that `N<…>` lists by their numbers; name them there one by one first"],
    );
    let debugging = format!("{}.section .debug_info\n{{\n.b64 A\n}}\n", kernel("A:\nB:"));
    check(
        &debugging.replacen("A:", "‸A:", 1),
        "C",
        &expect![[r#"
        C:
        .b64 C
    "#]],
    );
    check(&debugging.replacen("A:", "‸A:", 1), "B", &expect!["`B` is declared in the same block, on line 7"]);
    check(
        &format!("{debugging}.func f() {{ ‸C: ret; }}"),
        "A",
        &expect!["the debugging data on line 12 could refer to this or to the declaration on line 6"],
    );
}

/// A module with everything that can hide a name: nested blocks, a use before the hiding declaration, labels,
/// parameters, debugging data.
const HIDING: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n.global .u32 a, b, c;\n\
.func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 x, %r<3>;\nld.param.u32 x, [a];\n\
{\nmov.u32 %r1, x;\n.reg .b32 %r<2>, %s<2>;\nmov.u32 %r1, x;\nmov.u32 %r2, %r1;\nmov.u32 %s1, b;\nst.global.u32 [c], %s1;\n}\n\
st.param.b32 [r], %r1;\n.loc 1 1 1\nA:\n{\n.reg .pred p;\nsetp.eq.u32 p, x, 0;\n@p bra A;\nB:\n@!p bra B;\n}\nret;\n}\n\
.visible .entry k(.param .u64 q)\n{\n.reg .b32 b, %s;\n.param .b32 x;\nA:\nB: mov.u32 b, %tid.x;\nst.global.u32 [a], b;\n\
{ .reg .b32 a, c; mov.u32 a, b; mov.u32 c, a; bra A; }\nld.global.u32 %s, [c];\nret;\n}\n\
.section .debug_info\n{\n.b64 D\nD:\n.b32 1\n}\n";

/// The kernels without diagnostics, with their file names.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let paths = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    paths.sort();
    let mut out = vec![("hiding".to_owned(), HIDING.to_owned()), ("module".to_owned(), MODULE.to_owned())];
    out.extend(paths.iter().map(|p| (p.display().to_string(), std::fs::read_to_string(p).unwrap())));
    out
}

/// The diagnostics of a text: code and line of each.
fn findings(text: &str) -> Vec<(&'static str, usize)> {
    let snapshot = Snapshot::new(text);
    let mut analyzer = Analyzer::default();
    let mut found = analyzer.analyze(&snapshot).diagnostics;
    found.extend(analyzer.lints(&snapshot, &|| false).unwrap());
    let mut out: Vec<_> =
        found.iter().map(|d| (d.code().name(), text[..d.range.start].matches('\n').count() + 1)).collect();
    out.sort_unstable();
    out
}

/// The first occurrence of every name or, if there are many names, of a sample.
fn names(text: &str) -> Vec<(usize, String)> {
    let snapshot = Snapshot::new(text);
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for offset in 0..text.len() {
        let starts = text.is_char_boundary(offset)
            && !text[..offset].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'));
        if starts
            && let Ok(found) = prepare_rename(&snapshot, offset)
            && found.range.start == offset
            && let Some(first) = references_at(&snapshot, offset).first()
            && seen.insert((first.range.start, found.name.clone()))
        {
            out.push((offset, found.name));
        }
    }
    // For each renaming the whole file is checked again.
    let each = if text == HIDING || text == MODULE { 1 } else { out.len() / 10 + 1 };
    out.into_iter().step_by(each).collect()
}

/// Whether the renaming takes a register out of its range. It then inserts a declaration, so it cannot be reverted, and
/// lines move.
fn declares(renaming: &Renaming) -> bool {
    renaming.edits.iter().any(|e| e.range.is_empty())
}

/// The codes without the hint that the rest of the range is unused.
fn codes(findings: &[(&'static str, usize)]) -> Vec<&'static str> {
    findings.iter().map(|(code, _)| *code).filter(|code| *code != "unused-register").collect()
}

#[test]
fn there_and_back_again_and_nothing_is_found_that_was_not_before() {
    for (path, text) in files() {
        let before = findings(&text);
        let snapshot = Snapshot::new(&text);
        let all = names(&text);
        assert!(!all.is_empty(), "{}", path);
        for (offset, name) in &all {
            let sign = if name.starts_with('%') { "%" } else { "" };
            let fresh = format!("{sign}fresh_");
            let found = rename(&snapshot, *offset, &fresh).unwrap_or_else(|e| panic!("{}: {name}: {e}", path));
            let new = renamed(&text, &found);
            if declares(&found) {
                assert_eq!(codes(&findings(&new)), codes(&before), "{}: {name}", path);
                continue;
            }
            assert_eq!(findings(&new), before, "{}: {name}", path);
            let first = found.edits.iter().filter(|e| e.range.start < *offset).count();
            let there = offset + first * fresh.len() - first * name.len();
            let back = rename(&Snapshot::new(&new), there, name).unwrap_or_else(|e| panic!("{}: {name}: {e}", path));
            assert_eq!(renamed(&new, &back), text, "{}: {name}", path);
        }
    }
}

#[test]
fn a_name_that_exists_is_refused_or_changes_no_meaning() {
    let (mut refused, mut taken) = (0, 0);
    for (path, text) in files() {
        let before = findings(&text);
        let snapshot = Snapshot::new(&text);
        let all = names(&text);
        let words: BTreeSet<&String> = all.iter().map(|(_, name)| name).collect();
        for (index, (offset, name)) in all.iter().enumerate() {
            // Try a few of the other names, different ones each time.
            for new in words.iter().skip(index % 5).step_by(words.len() / 3 + 1).filter(|n| **n != name) {
                let Ok(found) = rename(&snapshot, *offset, new) else {
                    refused += 1;
                    continue;
                };
                taken += 1;
                let text = renamed(&text, &found);
                if declares(&found) {
                    assert_eq!(codes(&findings(&text)), codes(&before), "{}: {name} -> {new}", path);
                    continue;
                }
                assert_eq!(findings(&text), before, "{}: {name} -> {new}", path);
                let found_before: Vec<_> = references_at(&snapshot, *offset).iter().map(|r| r.access).collect();
                let first = found.edits.iter().filter(|e| e.range.start < *offset).count();
                let there = (offset + first * new.len()) - first * name.len();
                let after: Vec<_> = references_at(&Snapshot::new(&text), there).iter().map(|r| r.access).collect();
                assert_eq!(after, found_before, "{}: {name} -> {new}", path);
            }
        }
    }
    assert!(refused > 100 && taken > 50, "{refused} {taken}");
}
