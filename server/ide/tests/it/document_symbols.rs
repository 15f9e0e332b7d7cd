//! Document symbols (the outline).

use expect_test::{Expect, expect};
use ptx_ide::{OutlineSymbol, document_symbols};
use ptx_syntax::Snapshot;

fn check(text: &str, expected: &Expect) {
    let symbols = document_symbols(&Snapshot::new(text));
    let mut out = String::new();
    print(text, &symbols, 0, &mut out);
    expected.assert_eq(&out);
}

fn print(text: &str, symbols: &[OutlineSymbol], depth: usize, out: &mut String) {
    for s in symbols {
        assert!(s.range.start <= s.selection.start && s.selection.end <= s.range.end, "{s:?}");
        let first = text[s.range.clone()].lines().next().unwrap_or("");
        let line = format!("{}{:?} {} | {} | {first}", "  ".repeat(depth), s.kind, s.name, s.detail);
        out.push_str(line.trim_end());
        out.push('\n');
        print(text, &s.children, depth + 1, out);
    }
}

#[test]
fn a_module() {
    check(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .global .align 8 .f32 a[4][2], b = 1.0;\n\
         .extern .func (.param .b32 r) helper(.param .b32 x, .param .align 8 .b8 y[16]);\n\
         .visible .entry k(.param .u64 .ptr .global p)\n.maxntid 128\n{\n\
         .reg .b32 %r<4>;\n.shared .align 4 .b8 buffer[1024];\nL0: { L1: bra L0; }\nret;\n}\n\
         .alias other, helper;\n.section .debug_info { .b8 1 }\n",
        &expect![[r#"
            Variable a | .global .align 8 .f32 [4][2] | .global .align 8 .f32 a[4][2], b = 1.0;
            Variable b | .global .align 8 .f32 | b = 1.0
            Function helper | .extern .func | .extern .func (.param .b32 r) helper(.param .b32 x, .param .align 8 .b8 y[16]);
              Parameter r | .param .b32 | .param .b32 r
              Parameter x | .param .b32 | .param .b32 x
              Parameter y | .param .align 8 .b8 [16] | .param .align 8 .b8 y[16]
            Kernel k | .visible .entry | .visible .entry k(.param .u64 .ptr .global p)
              Parameter p | .param .u64 .ptr .global | .param .u64 .ptr .global p
              Variable buffer | .shared .align 4 .b8 [1024] | .shared .align 4 .b8 buffer[1024];
              Label L0 |  | L0:
              Label L1 |  | L1:
            Alias other | = helper | .alias other, helper;
            Section .debug_info |  | .section .debug_info { .b8 1 }
        "#]],
    );
}

#[test]
fn a_missing_brace_hides_no_function() {
    check(
        ".version 8.5\n.target sm_90\n.entry first()\n{\nA: ret;\n\n.entry second()\n{\nB: ret;\n}\n.func third() { }\n",
        &expect![[r#"
            Kernel first | .entry | .entry first()
              Label A |  | A:
            Kernel second | .entry | .entry second()
              Label B |  | B:
            Function third | .func | .func third() { }
        "#]],
    );
}

#[test]
fn a_function_that_is_being_typed() {
    check(
        ".version 8.5\n.target sm_90\n.entry {\nA: ret;\n}\n",
        &expect![[r#"
            Kernel .entry | .entry | .entry {
              Label A |  | A:
        "#]],
    );
}

#[test]
fn functions_that_the_parser_could_not_put_together() {
    let text = ".version 8.5\n.target sm_90\n.visible .entry first(.param .u32 n)\n{\nA: add.\n.entry second() {\nB: ret;\n.func third() { C: ret; }\n";
    let symbols = document_symbols(&Snapshot::new(text));
    let names: Vec<&str> = symbols.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(symbols[0].children.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["n", "A"]);
}

#[test]
fn what_compilers_name_is_left_out() {
    check(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry _Z1kIfLi4EEvPT_()\n{\n$L__BB0_1: LBB0_2: BB0_3: $Lt_0_4: BB_MINE: LOOP:\n\
         { .param .b64 param0;\n.param .b32 retval0; .shared .b32 s; }\nret;\n}\n",
        &expect![[r#"
            Kernel k<float, 4> | .visible .entry _Z1kIfLi4EEvPT_ | .visible .entry _Z1kIfLi4EEvPT_()
              Label BB_MINE |  | BB_MINE:
              Label LOOP |  | LOOP:
              Variable s | .shared .b32 | .shared .b32 s;
        "#]],
    );
}

/// Two kernels of a template whose short forms are equal.
#[test]
fn kernels_of_a_template_have_different_names() {
    let policies = "N1a6PolicyILi128ELi256ELi512EEE".repeat(4);
    let kernel = |ty: &str| format!(".visible .entry _Z6reduceI{policies}{ty}EvPv()\n{{ ret; }}\n");
    let kernels: String = ["f", "d", "i"].map(kernel).concat();
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{kernels}");
    let names: Vec<String> = document_symbols(&Snapshot::new(&text)).into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["reduce<…> · float", "reduce<…> · double", "reduce<…> · int"]);
}
