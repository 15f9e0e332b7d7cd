//! The reference: the tables as pages.

use expect_test::{Expect, expect};
use ptx_analysis::Analyzer;
use ptx_ide::reference::availability::{Availability, matrix};
use ptx_ide::reference::changes::{of_target, of_version};
use ptx_ide::reference::code::tokens;
use ptx_ide::reference::example::examples;
use ptx_ide::reference::instruction::{self, instructions, rows, takers};
use ptx_ide::reference::kernels::{KERNELS, uses};
use ptx_ide::reference::types::{conversions, registers};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Version};
use ptx_syntax::Snapshot;
use std::collections::BTreeSet;

fn entries(name: &str) -> Vec<&'static Entry> {
    ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.name == name).collect()
}

/// The modifiers before the operands of a statement.
fn modifiers(statement: &str) -> Vec<String> {
    let head = statement.split([' ', '\n', ';']).next().unwrap();
    head.split('.').skip(1).map(|m| format!(".{m}")).collect()
}

#[test]
fn every_form_has_an_example_that_uses_it_and_in_which_nothing_is_found() {
    let mut count = 0;
    for opcode in ISA.opcodes {
        for (entry, form) in opcode.entries.iter().flat_map(|e| e.forms.iter().map(move |f| (e, f))) {
            let all = examples(entry, form);
            // No statement of such a form is built.
            if form.unbuilt.iter().any(|unbuilt| unbuilt.when.is_empty()) {
                continue;
            }
            assert!(!all.is_empty(), "{} has none: {}", entry.name, form.text);
            for example in all {
                count += 1;
                let snapshot = Snapshot::new(&example.module);
                let mut analyzer = Analyzer::default();
                let found = analyzer.analyze(&snapshot).diagnostics;
                assert!(found.is_empty(), "{found:?}\n{}", example.module);
                let hints = analyzer.lints(&snapshot, &|| false).unwrap();
                assert!(hints.is_empty(), "{hints:?}\n{}", example.module);
                let lines: Vec<&str> = example.module.lines().map(str::trim).collect();
                let own = example.statement.lines().next().unwrap();
                assert!(lines.contains(&own), "{own}\n{}", example.module);
                let modifiers = modifiers(&example.statement);
                let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
                let head = ptx_analysis::mnemonic::resolve(opcode, &modifiers).unwrap();
                let uses = head.candidates.iter().any(|c| std::ptr::eq(c.form, form));
                assert!(uses, "{} does not use {}", example.statement, form.text);
            }
        }
    }
    assert!(count > 1500, "{count}");
}

#[test]
fn examples_declare_set_and_use_what_the_instruction_needs() {
    let show = |name: &str, expect: Expect| {
        let entry = entries(name)[0];
        let all: Vec<String> = entry.forms.iter().take(1).flat_map(|f| examples(entry, f)).map(|e| e.module).collect();
        expect.assert_eq(&all.join("----\n"));
    };
    show(
        "shfl.sync",
        expect![[r#"
            .version 6.3
            .target sm_75
            .address_size 64

            .visible .func (.reg .b32 %d) example(.reg .b32 %a, .reg .b32 %b, .reg .b32 %c)
            {
                shfl.sync.up.b32 %d, %a, %b, %c, 0xffffffff;
                ret;
            }
            ----
            .version 6.3
            .target sm_75
            .address_size 64

            .visible .func example(.reg .b64 %out, .reg .b32 %a, .reg .b32 %b, .reg .b32 %c)
            {
                .reg .b32 %d;
                .reg .pred %p;
                .reg .b32 %p_bit;

                shfl.sync.up.b32 %d|%p, %a, %b, %c, 0xffffffff;

                st.global.b32 [%out], %d;
                selp.b32 %p_bit, 1, 0, %p;
                st.global.b32 [%out+16], %p_bit;
                ret;
            }
        "#]],
    );
    show(
        "wgmma.mma_async",
        expect![[r#"
            .version 8.0
            .target sm_90a
            .address_size 64

            .visible .func example(.reg .b64 %d_at, .reg .u64 %adesc, .reg .u64 %bdesc)
            {
                .reg .f16x2 %d<2>;
                ld.global.v2.b32 {%d0, %d1}, [%d_at];
                wgmma.fence.sync.aligned;

                wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16
                    {%d0, %d1},
                    %adesc,
                    %bdesc,
                    0,
                    -1,
                    -1,
                    0,
                    0;

                wgmma.commit_group.sync.aligned;
                wgmma.wait_group.sync.aligned 0;
                st.global.v2.b32 [%d_at], {%d0, %d1};
                ret;
            }
        "#]],
    );
    show(
        "brx.idx",
        expect![[r#"
        .version 6.3
        .target sm_75
        .address_size 64

        .visible .func example(.reg .u32 %index)
        {
            T: .branchtargets L;

            brx.idx %index, T;
        L:
            ret;
        }
        ----
        .version 6.3
        .target sm_75
        .address_size 64

        .visible .func example(.reg .u32 %index)
        {
            T: .branchtargets L;

            brx.idx.uni %index, T;
        L:
            ret;
        }
    "#]],
    );
}

fn cells(name: &str) -> String {
    let mut out = String::new();
    for entry in entries(name) {
        let matrix = matrix(&rows(entry));
        let columns: Vec<String> = matrix.columns.iter().map(|(a, b)| format!("{a}…{b}")).collect();
        out.push_str(&format!("{}\n", columns.join(" | ")));
        for row in matrix.rows {
            let cell = |c: &Availability| match c {
                Availability::Never => "–".to_owned(),
                Availability::Always => "✓".to_owned(),
                Availability::From(v) => format!("{v}+"),
                Availability::Between(first, last) => {
                    format!("{}–{last}", first.map_or(String::new(), |v| v.to_string()))
                }
            };
            let cells: Vec<String> = row.cells.iter().map(cell).collect();
            let indent = if row.condition { "  " } else { "" };
            out.push_str(&format!("{indent}{}: {}\n", row.label, cells.join(" | ")));
        }
    }
    out
}

#[test]
fn the_matrix_tells_from_which_version_on_a_target_has_a_form() {
    expect![[r#"
        sm_10…sm_72 | sm_75…sm_87 | sm_88…sm_121a
        movmatrix.sync.aligned.m8n8.trans.b16 d, a: – | 7.8+ | ✓
    "#]]
    .assert_eq(&cells("movmatrix"));
    expect![[r#"
        sm_10…sm_11 | sm_12…sm_13 | sm_20…sm_62 | sm_70…sm_75 | sm_80…sm_121a
        vote.mode.pred d, {!}a: – | ✓ | ✓ | –6.3 | –
        vote.ballot.b32 d, {!}a: – | – | ✓ | –6.3 | –
    "#]]
    .assert_eq(&cells("vote"));
    expect![[r#"
        sm_10…sm_72 | sm_75…sm_75 | sm_80…sm_121a
        tanh.approx.f32 d, a: – | 7.0+ | ✓
        sm_10…sm_72 | sm_75…sm_75 | sm_80…sm_89 | sm_90…sm_121a
        tanh.approx.type d, a: – | 7.0+ | ✓ | ✓
          with `.bf16` or `.bf16x2`: – | – | – | ✓
    "#]]
    .assert_eq(&cells("tanh"));
}

#[test]
fn forms_are_put_into_words() {
    let entry = entries("shfl.sync")[0];
    let article = instruction::form(entry, &entry.forms[0]);
    let operands: Vec<String> = article.operands.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    expect![[r#"
        shfl.sync.mode.b32 d{|p}, a, b, c, membermask
        d: The value of the source lane; written: `.b32`
        |p: Whether the source lane is in range; written: `.pred`; `_` discards it
        a: The value that this lane offers; read: `.b32`
        b: The distance to the source lane, its number, or the bits of the lane number to flip; read: `.b32`
        c: Clamp and segments: `0x1f` for the whole warp, `0` with `.up`; read: `.b32`
        membermask: The lanes that take part; bit i is lane i; read: `.u32`
        Needs PTX 6.0 and `sm_30`
        Needs PTX 8.4 and `sm_50` with `.no_membermask_overlap`"#]]
    .assert_eq(&format!("{}\n{}\n{}", article.text, operands.join("\n"), article.gates.join("\n")));
    let rules = |name: &str| -> BTreeSet<String> {
        entries(name).into_iter().flat_map(|e| e.forms.iter().flat_map(|f| instruction::form(e, f).rules)).collect()
    };
    expect![[r#"
        {
            "A cache operator and an eviction priority for L1 exclude each other.",
            "A cache policy needs `.global` or generic addressing.",
            "A prefetch size needs `.global` or generic addressing.",
            "A vector of `.b128` is wider than any access.",
            "Accesses of 256 bits need `.global` or generic addressing.",
            "An eviction priority for L2 needs an access of 256 bits (`.v8` of 32-bit, `.v4` of 64-bit elements).",
            "Eight times 64 bits are more than the 256 bits of the widest access.",
            "Eviction priorities need `.global` or generic addressing.",
            "Operand `policy` if and only if there is `.L2::cache_hint`.",
            "`.unified` needs `.global` or generic addressing.",
        }
    "#]]
    .assert_debug_eq(&rules("ld"));
}

#[test]
fn every_instruction_is_there_once_with_all_of_its_entries() {
    let all = instructions();
    let entries: usize = all.iter().map(|i| i.entries.len()).sum();
    assert_eq!(entries, ISA.opcodes.iter().map(|o| o.entries.len()).sum::<usize>());
    let names: BTreeSet<&str> = all.iter().map(|i| i.name).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn versions_and_targets_say_what_they_brought() {
    let changes = of_version(Version { major: 8, minor: 0 });
    assert!(changes.instructions.contains(&"wgmma.mma_async") && changes.targets == ["sm_90a"]);
    assert!(!changes.instructions.contains(&"fma"));
    let hopper = of_target(ISA.target("sm_90a").unwrap());
    assert!(hopper.instructions.contains(&"setmaxnreg") && !hopper.instructions.contains(&"elect.sync"));
    let less = of_version(Version { major: 6, minor: 0 }).less;
    assert!(less.iter().any(|(name, _)| *name == "vote"), "{less:?}");
}

#[test]
fn modifiers_know_who_takes_them() {
    let names = |modifier: &str| takers(modifier).iter().map(|t| t.head.clone()).collect::<Vec<_>>();
    expect![[r#"
        [
            "cvt.rn.relu.f16.f32",
            "fma.rn.relu.f16",
            "max.relu.s32",
            "min.relu.s32",
        ]
    "#]]
    .assert_debug_eq(&names(".relu"));
    assert!(takers(".nonsense").is_empty());
}

#[test]
fn types_know_their_registers_and_conversions() {
    let u8 = registers(ISA.ty(".u8").unwrap());
    assert!(u8.plain.contains(&".b8") && !u8.plain.contains(&".b32") && u8.wider.contains(&".b32"));
    let all = conversions("cvt");
    assert_eq!(all[&(".f32", ".f16")], "cvt.rn.f16.f32");
    assert_eq!(all[&(".f16", ".f32")], "cvt.f32.f16");
    assert!(!all.contains_key(&(".f16", ".tf32")));
}

#[test]
fn the_kernels_are_those_of_the_folder() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels");
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let ptx = files.filter(|p| p.extension().is_some_and(|e| e == "ptx"));
    let names: BTreeSet<String> = ptx.map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, KERNELS.iter().map(|k| k.name.to_owned()).collect());
    assert!(KERNELS.iter().all(|k| !k.summary().is_empty()));
}

#[test]
fn snippets_of_kernels_show_the_instruction() {
    let uses = uses();
    assert!(uses.len() > 60, "{}", uses.len());
    for (name, all) in &uses {
        for one in all {
            let (first, tokens) = one.snippet();
            let text: String = tokens.into_iter().map(|t| t.text).collect();
            let opcode = name.split('.').next().unwrap();
            let line = text.lines().nth(one.line - first).unwrap_or("");
            assert!(line.contains(opcode), "{name} in {}: {text}", one.kernel.name);
        }
    }
}

#[test]
fn tokens_leave_nothing_out() {
    for text in ["", "add.u32 %r1, %r2, 1;", "// é\r\n\tld.global.v4.f32 {%f1}, [%rd1+8]; }", ".version 99.9 \u{0}<b>"]
    {
        let whole: String = tokens(text).into_iter().map(|t| t.text).collect();
        assert_eq!(whole, text);
    }
}
