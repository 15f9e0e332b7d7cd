//! Names for one register of a range, and for one live range of a register.

use expect_test::{Expect, expect};
use ptx_ide::{Assist, apply, assists, prepare_rename, rename};
use ptx_syntax::Snapshot;

fn cursor(marked: &str) -> (String, usize) {
    let offset = marked.find('‸').unwrap();
    (marked.replacen('‸', "", 1), offset)
}

/// A module around the body of a kernel.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data, .param .u32 n)\n{{\n{body}\nret;\n}}\n"
    )
}

/// The lines that differ after a change.
fn changed(text: &str, new: &str) -> String {
    let old: Vec<&str> = text.lines().collect();
    new.lines().filter(|line| !old.contains(line)).map(|line| format!("{}\n", line.trim_start())).collect()
}

fn check(marked: &str, new: &str, expected: &Expect) {
    let (text, offset) = cursor(marked);
    let out = match rename(&Snapshot::new(&text), offset, new) {
        Err(refusal) => refusal,
        Ok(found) => changed(&text, &apply(&text, &found.edits)),
    };
    expected.assert_eq(&out);
}

fn names(marked: &str) -> (String, Vec<Assist>) {
    let (text, offset) = cursor(marked);
    let mut found = assists(&Snapshot::new(&text), offset..offset);
    found.retain(|a| a.id.starts_with("name-"));
    (text, found)
}

/// The titles of the offered assists, and the lines that each changes.
fn check_assists(marked: &str, expected: &Expect) {
    let (text, found) = names(marked);
    let one = |a: &Assist| format!("{}\n{}", a.title, changed(&text, &apply(&text, &a.edits)));
    expected.assert_eq(&found.iter().map(one).collect::<Vec<_>>().join("---\n"));
}

const BODY: &str = "\t.reg .b32 \t%r<4>;  // numbers\n\t.reg .pred p;\n\tmov.u32 %r1, %ctaid.x;\n\t@p add.u32 %r2, %r1, %r1;\n\
    \t{ .reg .b32 inner; mov.u32 inner, %r1; }\n\tmov.u32 %r1, %tid.x;\n\tadd.u32 %r3, %r1, %r2;\n";

#[test]
fn one_register_of_a_range() {
    let at = |text: &str, marked: &str| kernel(&BODY.replacen(text, marked, 1));
    check(
        &at("%r1, %r1;", "%r1, ‸%r1;"),
        "%block",
        &expect![[r#"
            	.reg .b32 	%block;
            	mov.u32 %block, %ctaid.x;
            	@p add.u32 %r2, %block, %block;
            	{ .reg .b32 inner; mov.u32 inner, %block; }
            	mov.u32 %block, %tid.x;
            	add.u32 %r3, %block, %r2;
        "#]],
    );
    check(
        &at("%r3", "%r3‸"),
        "sum",
        &expect![[r#"
            	.reg .b32 	sum;
            	add.u32 sum, %r1, %r2;
        "#]],
    );
    check(&at("%r3", "%r3‸"), "%r3", &expect![""]);
    check(&at("%r3", "%r3‸"), "%r2", &expect!["`%r<4>` is declared in the same block, on line 6"]);
    check(
        &at("%r3", "%r3‸"),
        "%r7",
        &expect!["`%r7` looks like one of the registers that `%r<4>` declares: choose another name"],
    );
    check(&at("%r3", "%r3‸"), "%r", &expect!["`%r<4>` is declared in the same block, on line 6"]);
    check(&at("%r3", "%r3‸"), "p", &expect!["`p` is declared in the same block, on line 7"]);
    check(&at("%r3", "%r3‸"), "%tid", &expect!["`%tid` would hide the special register `%tid`"]);
    check(&at("%r1,", "‸%r1,"), "inner", &expect!["on line 10 `inner` would refer to the declaration on line 10"]);
    let (text, offset) = cursor(&at("%r3", "%r3‸"));
    assert_eq!(prepare_rename(&Snapshot::new(&text), offset).unwrap().name, "%r3");
}

#[test]
fn where_the_declaration_goes() {
    // Insert after the statement if more code follows in the line.
    check(
        &kernel(".reg .b32 %r<4>; .reg .pred p;\nmov.u32 ‸%r1, 0;"),
        "x",
        &expect![[r#"
            .reg .b32 %r<4>; .reg .b32 x; .reg .pred p;
            mov.u32 x, 0;
        "#]],
    );
    check(
        &kernel(".reg .pred p, q<4>; /* a\n*/ @‸q1 bra L; L:"),
        "x",
        &expect![[r#"
            .reg .pred p, q<4>; .reg .pred x; /* a
            */ @x bra L; L:
        "#]],
    );
    check(
        &kernel(".reg .v2\n.f32 v<4>;\nmov.f32 ‸v1.x, 0f00000000;"),
        "x",
        &expect![[r#"
            .f32 v<4>; .reg .v2 .f32 x;
            mov.f32 x.x, 0f00000000;
        "#]],
    );
    let (text, offset) = cursor(&kernel(".reg .b32 %r<4>;\nmov.u32 ‸%r1, 0;").replace('\n', "\r\n"));
    let found = rename(&Snapshot::new(&text), offset, "x").unwrap();
    assert!(apply(&text, &found.edits).contains(".reg .b32 %r<4>;\r\n.reg .b32 x;\r\nmov.u32 x, 0;\r\n"));
}

#[test]
fn the_family() {
    check(
        &kernel(&BODY.replacen("%r<", "‸%r<", 1)),
        "%value",
        &expect![[r#"
            	.reg .b32 	%value<4>;  // numbers
            	mov.u32 %value1, %ctaid.x;
            	@p add.u32 %value2, %value1, %value1;
            	{ .reg .b32 inner; mov.u32 inner, %value1; }
            	mov.u32 %value1, %tid.x;
            	add.u32 %value3, %value1, %value2;
        "#]],
    );
}

#[test]
fn lives() {
    let at = |text: &str, marked: &str| kernel(&BODY.replacen(text, marked, 1));
    check_assists(
        &at("%r1, %ctaid", "‸%r1, %ctaid"),
        &expect![[r#"
            Give `%r1` a name: `%r1_a`
            .reg .b32 	%r1_a;
            mov.u32 %r1_a, %ctaid.x;
            @p add.u32 %r2, %r1_a, %r1_a;
            { .reg .b32 inner; mov.u32 inner, %r1_a; }
            mov.u32 %r1_a, %tid.x;
            add.u32 %r3, %r1_a, %r2;
            ---
            Give this live range of `%r1` a name: `%ctaid_x`
            .reg .b32 	%ctaid_x;
            mov.u32 %ctaid_x, %ctaid.x;
            @p add.u32 %r2, %ctaid_x, %ctaid_x;
            { .reg .b32 inner; mov.u32 inner, %ctaid_x; }
        "#]],
    );
    check_assists(
        &at("%r1, %r2", "‸%r1, %r2"),
        &expect![[r#"
            Give `%r1` a name: `%r1_a`
            .reg .b32 	%r1_a;
            mov.u32 %r1_a, %ctaid.x;
            @p add.u32 %r2, %r1_a, %r1_a;
            { .reg .b32 inner; mov.u32 inner, %r1_a; }
            mov.u32 %r1_a, %tid.x;
            add.u32 %r3, %r1_a, %r2;
            ---
            Give this live range of `%r1` a name: `%tid_x`
            .reg .b32 	%tid_x;
            mov.u32 %tid_x, %tid.x;
            add.u32 %r3, %tid_x, %r2;
        "#]],
    );
    // The register has only one value.
    check_assists(
        &at("%r3", "‸%r3"),
        &expect![[r#"
            Give `%r3` a name: `%r3_a`
            .reg .b32 	%r3_a;
            add.u32 %r3_a, %r1, %r2;
        "#]],
    );
    // The register already has a name of its own and only one value: rename handles it.
    check_assists(&at("mov.u32 inner", "mov.u32 ‸inner"), &expect![""]);
    check_assists(&at("%r<4>", "‸%r<4>"), &expect![""]);
    check_assists(&at("%tid", "‸%tid"), &expect![""]);
    check_assists(
        &kernel(".reg .u32 t, u;\nmov.u32 t, 1;\nadd.u32 u, t, 1;\nmov.u32 ‸t, 2;\nadd.u32 u, u, t;"),
        &expect![[r#"
            Give this live range of `t` a name: `t_b`
            .reg .u32 t_b;
            mov.u32 t_b, 2;
            add.u32 u, u, t_b;
        "#]],
    );
}

#[test]
fn suggestions() {
    let title = |body: &str| names(&kernel(body)).1.into_iter().map(|a| a.title).collect::<Vec<_>>().join("; ");
    assert_eq!(title(".reg .b64 %rd<2>;\nld.param.u64 ‸%rd1, [data];"), "Give `%rd1` a name: `%ptr_data`");
    assert_eq!(title(".reg .b32 %r<2>;\nld.param.u32 ‸%r1, [n];"), "Give `%r1` a name: `%n`");
    assert_eq!(title(".reg .b32 r<2>, n;\nld.param.u32 ‸r1, [n];"), "Give `r1` a name: `r1_a`");
    assert_eq!(title(".reg .b32 %r<2>;\nmov.u32 ‸%r1, %laneid;"), "Give `%r1` a name: `%laneid_r`");
    assert_eq!(title(".shared .b32 tile;\n.reg .b32 %r<2>;\nmov.u32 ‸%r1, tile;"), "Give `%r1` a name: `%ptr_tile`");
    assert_eq!(
        title(".reg .b32 %r<2>, %n;\nld.param.u32 ‸%r1, [n];"),
        "Give `%r1` a name: `%n_r`",
        "the name is taken"
    );
    // Two writes that suggest different names.
    assert_eq!(
        title(".reg .b32 %r<3>;\n.reg .pred p;\nmov.u32 %r1, %tid.x;\n@p mov.u32 %r1, %tid.y;\nmov.u32 %r2, ‸%r1;"),
        "Give `%r1` a name: `%r1_a`"
    );
}
