//! Whole instructions as items: those that real files use, each of which assembles once its operands are filled in.

use crate::completion::{at, in_kernel, kernel};
use ptx_ide::reference::example::{ReferenceExample, example_of};
use ptx_ide::{Completions, Item, ItemKind};
use ptx_isa::tables::UsedMnemonic;
use ptx_isa::{ISA, TEMPLATES};
use std::fmt::Write;

/// Mnemonics that whoever writes kernels by hand types all day, of all parts of the instruction set.
const USUAL: &[&str] = &[
    "ld.global.u32",
    "ld.global.f32",
    "ld.global.u64",
    "ld.param.u64",
    "ld.param.u32",
    "ld.shared.f32",
    "ld.shared.u32",
    "st.global.u32",
    "st.global.f32",
    "st.shared.f32",
    "st.shared.b32",
    "st.global.v4.f32",
    "add.s32",
    "add.u32",
    "add.s64",
    "add.f32",
    "sub.s32",
    "mul.lo.s32",
    "mul.wide.u32",
    "mul.f32",
    "mad.lo.s32",
    "fma.rn.f32",
    "mov.u32",
    "mov.b32",
    "mov.b64",
    "and.b32",
    "shl.b32",
    "shr.u32",
    "setp.lt.u32",
    "setp.lt.s32",
    "setp.eq.s32",
    "setp.ge.u32",
    "selp.b32",
    "cvt.u64.u32",
    "cvta.to.global.u64",
    "bar.sync",
    "shfl.sync.bfly.b32",
    "atom.global.add.u32",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "cp.async.cg.shared.global",
];

fn templates(found: &Completions) -> impl Iterator<Item = &Item> {
    found.items.iter().filter(|i| i.kind == ItemKind::Snippet && i.filter.is_some())
}

fn mnemonic(used: &UsedMnemonic) -> String {
    format!("{}{}", used.opcode, used.modifiers)
}

/// The list for the first letter of a mnemonic, in a module that has all instructions of a recent architecture.
fn list(mnemonic: &str, target: &str) -> Completions {
    at(&kernel("9.0", target, &format!("{}$0", &mnemonic[..1]))).1
}

#[test]
fn what_is_used_most_is_a_template_for_the_first_letter() {
    let mut used: Vec<&UsedMnemonic> = TEMPLATES.iter().collect();
    used.sort_by_key(|t| std::cmp::Reverse(t.weight));
    // `ret` and the like are complete without operands, and opcodes already.
    let with_operands = used.into_iter().filter(|t| !["ret", "exit", "trap"].contains(&t.opcode));
    let most: Vec<String> = with_operands.take(60).map(mnemonic).collect();
    assert_eq!(most.len(), 60);
    let usual = USUAL.iter().map(|m| (*m).to_owned());
    let missing: Vec<String> = most
        .into_iter()
        .chain(usual)
        .filter(|m| !templates(&list(m, "sm_90a")).any(|i| i.filter.as_deref() == Some(m)))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_most_used_comes_first_and_dense_before_sparse() {
    let labels = |typed: &str| {
        let (_, found) = at(&kernel("9.0", "sm_90a", typed));
        templates(&found).map(|i| i.label.clone()).collect::<Vec<String>>()
    };
    assert_eq!(labels("ld$0")[0], "ld.param.u64 d, [a]");
    assert_eq!(labels("setp$0")[0], "setp.eq.s32 p, a, b");
    assert_eq!(labels("mma$0")[0], "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c");
    for opcode in ["mma$0", "wgmma$0"] {
        let all = labels(opcode);
        let sparse = all.iter().position(|l| l.contains(".sp")).expect("sparse ones are offered");
        assert!(all[sparse..].iter().all(|l| l.contains(".sp")), "{all:?}");
    }
    // What the manual always has, although ptxas does without it.
    for label in labels("wgmma$0") {
        assert!(label.contains(".sync.aligned"), "{label}");
    }
    // The text of an item is that of its own form.
    let detail = |label: &str| {
        let found = in_kernel("add$0");
        found.items.iter().find(|i| i.label == label).map(|i| i.detail.clone()).unwrap_or_else(|| panic!("{label}"))
    };
    assert!(detail("add.s32 d, a, b").contains("integers"), "{}", detail("add.s32 d, a, b"));
    assert!(detail("add.f32 d, a, b").contains("floating-point"), "{}", detail("add.f32 d, a, b"));
}

#[test]
fn accepting_a_modifier_opens_the_list_of_what_follows() {
    let found = in_kernel("mma.$0");
    let sync = found.items.iter().find(|i| i.label == ".sync").expect("`.sync`");
    assert!(sync.goes_on && sync.new_text() == ".sync", "{sync:?}");
    let complete = in_kernel("add.$0");
    let complete = complete.items.iter().find(|i| i.label == ".s32").expect("`.s32`");
    assert!(!complete.goes_on, "{complete:?}");
    for (typed, follow) in [
        ("mma.sync$0", ".sync.aligned"),
        ("cp.async$0", ".async.ca"),
        ("cp.async$0", ".async.cg.shared.global [d], [a], size"),
        ("ld.global$0", ".global.nc"),
        ("mma.sync.aligned$0", ".aligned.m16n8k16"),
        // Nobody has counted this one.
        ("tensormap.replace$0", ".replace.tile"),
    ] {
        let (_, found) = at(&kernel("9.0", "sm_90a", typed));
        let labels: Vec<&str> = found.items.iter().map(|i| i.label.as_str()).collect();
        assert!(labels.contains(&follow), "{typed}: {labels:?}");
    }
}

#[test]
fn an_address_of_the_state_space_comes_before_a_pointer_of_another() {
    const BUFFER: &str =
        ".shared .align 128 .b8 buf[1024];\n    ld.param.u64 %rd1, [out];\n    mov.u32 %r1, buf;\n    ";
    let labels = |statement: &str| {
        let (_, found) = at(&kernel("9.0", "sm_90a", &format!("{BUFFER}{statement}")));
        found.items.iter().map(|i| i.label.clone()).collect::<Vec<String>>()
    };
    let place = |labels: &[String], label: &str| labels.iter().position(|l| l == label).unwrap_or(usize::MAX);
    let load = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    let destination = labels(&format!("{load} $0"));
    for good in ["[%r1]", "[buf]"] {
        assert!(place(&destination, good) < place(&destination, "[%rd1]"), "{good}: {destination:?}");
    }
    // The map is where the pointer belongs.
    let map = labels(&format!("{load} [%r1], [$0"));
    assert!(place(&map, "%rd1") < place(&map, "%r1"), "{map:?}");
    // A sum keeps the state space, and a conversion gives another.
    let sum = labels("add.u32 %r2, %r1, 16;\n    st.shared.u32 $0");
    assert!(place(&sum, "[%r2]") < place(&sum, "[%rd1]"), "{sum:?}");
    let global = labels("cvta.to.global.u64 %rd2, %rd1;\n    ld.global.u32 %r3, $0");
    assert!(place(&global, "[%rd2]") < place(&global, "[%r1]"), "{global:?}");
}

/// An example of each template with operands.
fn examples() -> Vec<(String, ReferenceExample)> {
    let example = |used: &UsedMnemonic| {
        let modifiers: Vec<&str> = used.split().collect();
        Some((mnemonic(used), example_of(ISA.opcode(used.opcode)?, &modifiers)?))
    };
    TEMPLATES.iter().filter_map(example).collect()
}

/// The number of operands of an instruction, or of the label of a template.
fn operands(statement: &str) -> usize {
    let mut depth = 0i32;
    let text = statement.trim_end_matches(';').split_once(' ').map_or("", |(_, rest)| rest).trim();
    let commas = text.chars().filter(|c| {
        depth += i32::from("[{(".contains(*c)) - i32::from("]})".contains(*c));
        *c == ',' && depth == 0
    });
    if text.is_empty() { 0 } else { commas.count() + 1 }
}

/// `completion_templates.tsv` has what ptxas said of each: mnemonic, target, version, statement, verdict. When a template changes,
/// write the modules with `PTX_TEMPLATES=FOLDER`, ask ptxas with `-arch` of each target, and record its answer.
#[test]
fn each_template_assembles_once_its_operands_are_filled_in() {
    let recorded = include_str!("completion_templates.tsv");
    let examples = examples();
    let mut rows = String::new();
    for (mnemonic, example) in &examples {
        let ReferenceExample { statement, version, target, .. } = example;
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(rows, "{mnemonic}\t{target}\t{version}\t{statement}\tbuilt");
    }
    if let Ok(folder) = std::env::var("PTX_TEMPLATES") {
        for (mnemonic, example) in &examples {
            let name = mnemonic.replace("::", "+");
            std::fs::write(format!("{folder}/{name}@{}.ptx", example.target), &example.module).unwrap();
        }
        std::fs::write(format!("{folder}/rows.tsv"), &rows).unwrap();
    }
    let without: Vec<&str> = recorded.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(rows.lines().collect::<Vec<_>>(), without);
    assert!(examples.len() >= 300, "{} of {}", examples.len(), TEMPLATES.len());
    // The item has as many operands as the statement that was assembled.
    for (mnemonic, example) in examples {
        let opcode = mnemonic.split('.').next().unwrap_or("");
        let (_, found) = at(&kernel(&example.version.to_string(), example.target, &format!("{opcode}$0")));
        let Some(item) = templates(&found).find(|i| i.filter.as_deref() == Some(&mnemonic)) else { continue };
        assert_eq!(operands(&item.label), operands(&example.statement), "{} and {}", item.label, example.statement);
    }
}
