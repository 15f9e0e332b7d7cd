//! Code lenses.

use expect_test::expect;
use ptx_analysis::Figures;
use ptx_ide::{LensKind, LensOptions, code_lenses, resolve_lens};
use ptx_syntax::Snapshot;

const ALL: LensOptions = LensOptions { calls: true, uses: true, branches: true, registers: false, evaluate: false };

const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.global .u32 table[4], rest;
.shared .u32 unused;
.func g();
.func f(.reg .b32 a) {
    call g;
    ret;
}
.func g() { ret; }
.entry k() {
    .reg .b64 %rd<3>;
    .reg .pred p;
again:
    call f, (1);
    call f, (2);
    mov.u64 %rd1, f;
    ld.global.u64 %rd2, [table];
    @p bra again;
    T: .branchtargets again, done;
    bra again;
done:
    ret;
}
";

fn render(text: &str, options: &LensOptions) -> String {
    let snapshot = Snapshot::new(text);
    let mut out = String::new();
    for lens in code_lenses(&snapshot, options) {
        let says = resolve_lens(&snapshot, lens.kind, lens.range.start, &Figures::default()).expect("a text");
        let line = text[..lens.range.start].matches('\n').count() + 1;
        let name = &text[lens.range.clone()];
        assert!(says.places.iter().all(|p| text[p.clone()] == *name));
        out.push_str(&format!("{line} {name}: {} ({})\n", says.title, says.places.len()));
    }
    out
}

#[test]
fn what_is_said_of_functions_variables_and_labels() {
    expect![[r#"
        4 table: 1 use (1)
        4 rest: not used (0)
        5 unused: not used (0)
        6 g: 1 call (1)
        7 f: 2 calls, 1 mention (3)
        11 g: 1 call (1)
        15 again: 2 branches, 1 mention (3)
        23 done: no branch, 1 mention (1)
    "#]]
    .assert_eq(&render(TEXT, &ALL));
    expect![[r#"
        6 g: 1 call (1)
        7 f: 2 calls, 1 mention (3)
        11 g: 1 call (1)
    "#]]
    .assert_eq(&render(TEXT, &LensOptions { registers: false, evaluate: false, ..LensOptions::default() }));
}

#[test]
fn a_function_in_one_that_is_not_closed() {
    expect![[r#"
        6 g: 1 call (1)
        7 f: 2 calls, 1 mention (3)
        10 g: 1 call (1)
    "#]]
    .assert_eq(&render(
        &TEXT.replace("    ret;\n}\n.func g() {", "    ret;\n.func g() {"),
        &LensOptions { registers: false, evaluate: false, ..LensOptions::default() },
    ));
}

#[test]
fn nothing_is_said_of_what_is_gone() {
    let snapshot = Snapshot::new(TEXT);
    assert_eq!(resolve_lens(&snapshot, LensKind::Calls, 0, &Figures::default()), None);
    assert_eq!(resolve_lens(&snapshot, LensKind::Calls, TEXT.len() + 7, &Figures::default()), None);
    // A use is not a declaration, so it has no lens.
    assert_eq!(
        resolve_lens(&snapshot, LensKind::Calls, TEXT.find("f, (1)").expect("a call"), &Figures::default()),
        None
    );
    for kind in [LensKind::Calls, LensKind::Uses, LensKind::Branches] {
        assert_eq!(LensKind::named(kind.name()), Some(kind));
    }
}
