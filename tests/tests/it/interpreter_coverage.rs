//! a thread, its registers and memory. 2: a warp, a CTA and its barriers, atomic operations. 3: a cluster, asynchronous
//! bulk copies, barriers in memory. 4: matrices in registers, small integers in words, asynchronous stores. 5: textures
//! and surfaces, tensor maps, warpgroups, tensor memory, several devices.
//! targets that support them.

use expect_test::expect_file;
use ptx_interp::decode::{Executable, OpAction};
use ptx_interp::findings::InstructionSite;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form};
use ptx_tests::snippets::{declarations, judge};
use ptx_tests::suite;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::thread;

/// The part of a machine that instructions need, by the prefix of their semantics key; the longest matching prefix
/// counts.
const TIERS: &[(&str, u8)] = &[
    ("address", 1),
    ("address.getctarank", 3),
    ("address.mapa", 3),
    ("async", 2),
    ("async.mbarrier_arrive", 3),
    ("async.red", 4),
    ("async.st", 4),
    ("atomic", 2),
    ("barrier", 2),
    ("bulk", 3),
    ("bulk.applypriority", 5),
    ("cache", 1),
    ("cluster", 3),
    ("cluster.query_cancel", 5),
    ("cluster.try_cancel", 5),
    ("compare", 1),
    ("control", 1),
    ("convert", 1),
    ("extended", 1),
    ("fence", 1),
    ("float", 1),
    ("grid", 3),
    ("half", 1),
    ("integer", 1),
    ("logic", 1),
    ("matrix", 3),
    ("mbarrier", 3),
    ("memory", 1),
    ("misc", 1),
    ("mixed", 1),
    ("mma", 4),
    ("mma.sparse", 5),
    ("move", 1),
    ("multimem", 5),
    ("sparse", 4),
    ("stack", 2),
    ("surface", 5),
    ("tcgen05", 5),
    ("tensor", 5),
    ("tensormap", 5),
    ("texture", 5),
    ("video", 4),
    ("warp", 2),
    ("wgmma", 5),
    ("wmma", 4),
];

/// Versions and targets for statements that later versions no longer accept.
const FORMER: &[(&str, &str)] =
    &[("1.3", "sm_13"), ("1.0", "sm_10"), ("6.2", "sm_70"), ("7.0", "sm_75"), ("8.6", "sm_100"), ("9.5", "sm_100a")];

fn entries() -> impl Iterator<Item = &'static Entry> {
    ISA.opcodes.iter().flat_map(|o| o.entries)
}

/// The tier of a form; a form without semantics needs several devices.
fn tier(entry: &'static Entry, form: &'static Form) -> u8 {
    let key = entry.executed_of(form).key;
    if key.is_empty() {
        return 5;
    }
    let fits = |prefix: &str| {
        key.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
    };
    let best = TIERS.iter().filter(|(prefix, _)| fits(prefix)).max_by_key(|(prefix, _)| prefix.len());
    best.unwrap_or_else(|| panic!("{key} is of no tier")).1
}

/// The results for one form.
#[derive(Debug, Default)]
struct Tried {
    /// Number of statements that can be executed.
    executed: usize,
    /// Statements that cannot be executed, with the reasons.
    refused: BTreeMap<String, String>,
    /// The operands that have no effect.
    ignored: BTreeSet<&'static str>,
}

/// The result for one statement.
#[derive(Debug, Clone, Default, PartialEq)]
struct Decoded {
    /// The reason why it cannot be executed.
    refused: Option<String>,
    /// The operands that have no effect.
    ignored: Vec<&'static str>,
}

/// Decodes statements for a version and target.
fn decode(version: &str, target: &str, statements: &[&str]) -> Vec<Decoded> {
    let mut text = format!(".version {version}\n.target {target}\n");
    if !version.starts_with("1.") {
        text.push_str(".address_size 64\n");
    }
    let mut declared = declarations(version, target);
    if matches!(version, "1.0" | "1.3") {
        // Before PTX 1.4 kernels have no parameter list.
        declared = declared.replacen("(.param .u64 p, .param .align 16 .b8 q[64])", " ", 1);
    }
    text.push_str(&declared);
    text.push('\n');
    let first = text.matches('\n').count();
    for statement in statements {
        let _ = writeln!(text, "{{ {statement} }}");
    }
    text.push_str("L: ret;\n}\n");
    let snapshot = ptx_syntax::Document::new(text.as_str()).snapshot();
    let program = Arc::new(ptx_check::execution::CheckedProgram::new(&snapshot).program);
    assert!(program.errors.is_empty(), "{version} {target}: {:?}", program.errors.first());
    let executable = match Executable::new(program, "k") {
        Ok(executable) => executable,
        Err(why) => panic!("{version} {target}: {}", why.0),
    };
    let code = executable.code(executable.entry).expect("the kernel is decoded");
    let mut lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    lines.insert(0, 0);
    let mut out = vec![Decoded::default(); statements.len()];
    let mut seen = vec![false; statements.len()];
    for (index, op) in code.ops.iter().enumerate() {
        let range = executable.range(InstructionSite { function: executable.entry, instruction: index as u32 });
        let line = lines.partition_point(|at| *at <= range.start) - 1;
        let Some(at) = line.checked_sub(first).filter(|at| *at < statements.len()) else { continue };
        seen[at] = true;
        if let OpAction::Refused(why) = &op.action {
            out[at].refused = Some(why.0.clone());
        }
        out[at].ignored = op.ignored.iter().map(|name| name.name()).collect();
    }
    for (statement, seen) in statements.iter().zip(seen) {
        assert!(seen, "{statement} is not an instruction of the lowered kernel");
    }
    out
}

/// Decodes statements of each form for the first version and target that support them.
fn try_all(entries: &[&'static Entry]) -> BTreeMap<(&'static str, usize), Tried> {
    let mut owners: BTreeMap<String, Vec<(&'static str, usize)>> = BTreeMap::new();
    let mut tried: BTreeMap<(&'static str, usize), Tried> = BTreeMap::new();
    for entry in entries {
        for (index, form) in entry.forms.iter().enumerate() {
            tried.entry((entry.name, index)).or_default();
            for statement in suite::statements_of(entry, form, index) {
                owners.entry(statement).or_default().push((entry.name, index));
            }
        }
    }
    let statements: BTreeSet<String> = owners.keys().cloned().collect();
    let (mut cases, left) = suite::at_home(&statements);
    // Some forms accept only addresses in registers, but the generator writes variables.
    let mut left: BTreeSet<String> = left
        .into_iter()
        .map(|text| {
            let other = text.replace("[sm]", "[%rd7]");
            if let Some(of) = owners.get(&text).cloned() {
                owners.entry(other.clone()).or_default().extend(of);
            }
            other
        })
        .collect();
    for (version, target) in FORMER {
        let texts: Vec<String> = std::mem::take(&mut left).into_iter().collect();
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let verdicts = judge(version, target, &lines);
        for (text, verdict) in texts.into_iter().zip(verdicts) {
            match verdict {
                None => cases.push((version, target, text)),
                Some(_) => {
                    left.insert(text);
                }
            }
        }
    }
    let mut homes: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (version, target, text) in &cases {
        homes.entry((version, target)).or_default().push(text);
    }
    for ((version, target), texts) in homes {
        for (text, decoded) in texts.iter().zip(decode(version, target, &texts)) {
            for owner in &owners[*text] {
                let tried = tried.entry(*owner).or_default();
                tried.ignored.extend(&decoded.ignored);
                match &decoded.refused {
                    None => tried.executed += 1,
                    Some(why) => {
                        tried.refused.insert((*text).to_owned(), why.clone());
                    }
                }
            }
        }
    }
    tried
}

#[test]
fn the_coverage_page_is_true() {
    let all: Vec<&'static Entry> = entries().collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    // Neighbouring entries are similar, so each thread gets some of each family.
    let shares: Vec<Vec<&'static Entry>> =
        (0..threads).map(|t| all.iter().copied().skip(t).step_by(threads).collect()).collect();
    let tried: BTreeMap<(&'static str, usize), Tried> = thread::scope(|scope| {
        let running: Vec<_> = shares.iter().map(|share| scope.spawn(|| try_all(share))).collect();
        running.into_iter().flat_map(|r| r.join().expect("it is decoded without a panic")).collect()
    });

    // Numbers of forms by family and by tier: all, executed, partly executed.
    let mut families: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut tiers: BTreeMap<u8, [usize; 4]> = BTreeMap::new();
    let mut reasons: BTreeMap<(&str, String), (usize, BTreeSet<usize>, String)> = BTreeMap::new();
    let mut ignored: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut untried = Vec::new();
    let mut statements = 0;
    for entry in &all {
        let family = families.entry(entry.family_title).or_default();
        family[0] += 1;
        for (index, form) in entry.forms.iter().enumerate() {
            let found = &tried[&(entry.name, index)];
            statements += found.executed + found.refused.len();
            for operand in &found.ignored {
                ignored.entry(operand).or_default().insert(entry.name);
            }
            let place = match (found.executed, found.refused.len()) {
                (0, 0) if entry.refusal_of(form).is_none() => {
                    untried.push(format!("`{}`", form.text));
                    3
                }
                (_, 0) if entry.refusal_of(form).is_none() => 1,
                (0, _) => 3,
                _ => 2,
            };
            family[1] += 1;
            family[1 + place] += 1;
            let tier = tiers.entry(tier(entry, form)).or_default();
            tier[0] += 1;
            tier[place] += 1;
            if found.refused.is_empty() && entry.refusal_of(form).is_some() {
                let why = entry.refusal_of(form).unwrap_or_default();
                let reason = reasons.entry((entry.name, why.to_owned())).or_insert((0, BTreeSet::new(), String::new()));
                reason.1.insert(index);
            }
            for (text, why) in &found.refused {
                let why = entry.refusal_of(form).unwrap_or(why);
                let reason = reasons.entry((entry.name, why.to_owned())).or_insert((0, BTreeSet::new(), text.clone()));
                reason.0 += 1;
                reason.1.insert(index);
                if std::env::var_os("UPDATE_EXPECT").is_some() {
                    println!("{text}\t{why}");
                }
            }
        }
    }

    let sum = |place: usize| tiers.values().map(|t| t[place]).sum::<usize>();
    let mut out = format!(
        "# What the interpreter executes\n\n\
         Made from the tables and from what the interpreter says when it decodes \
         (`UPDATE_EXPECT=1 cargo test -p ptx-tests --test it interpreter_coverage`); do not edit.\n\n\
         {} instructions with {} forms. Of each form there are statements in which every value of every modifier stands at least once \
         ({statements} in all), decoded for a target that has them. *Executed*: all of them can be executed. *In part*: some can. \
         *Refused*: none can; a kernel that comes to one stops there and says why.\n\n\
         | | Instructions | Forms | executed | in part | refused |\n|---|--:|--:|--:|--:|--:|\n",
        all.len(),
        sum(0)
    );
    for (family, [instructions, forms, executed, part, refused]) in &families {
        let _ = writeln!(out, "| {family} | {instructions} | {forms} | {executed} | {part} | {refused} |");
    }
    let _ = writeln!(out, "| **All** | {} | {} | {} | {} | {} |", all.len(), sum(0), sum(1), sum(2), sum(3));
    out.push_str(
        "\nBy what an instruction needs:\n\n| | Forms | executed | in part | refused |\n|---|--:|--:|--:|--:|\n",
    );
    let titles = [
        "a thread: registers, memory, control flow",
        "a warp and a CTA: exchange between lanes, barriers, atomic operations, `cp.async`",
        "a cluster: asynchronous copies in bulk, barriers in memory, `ldmatrix`",
        "`mma` and `wmma`, video instructions, asynchronous stores, compression",
        "textures and surfaces, tensor maps, sparse `mma`, `wgmma`, `tcgen05`, several devices",
    ];
    for (tier, [forms, executed, part, refused]) in &tiers {
        let title = titles[usize::from(*tier) - 1];
        let _ = writeln!(out, "| {tier}: {title} | {forms} | {executed} | {part} | {refused} |");
    }
    out.push_str("\n## What is refused\n\n");
    if reasons.is_empty() {
        out.push_str("Nothing.\n");
    } else {
        out.push_str("| | Forms | Statements | Why | Such as |\n|---|--:|--:|---|---|\n");
    }
    for ((name, why), (count, forms, example)) in &reasons {
        let why = why.replace('\n', " ").replace('|', "\\|");
        let example = if example.is_empty() { "–".to_owned() } else { format!("`{}`", example.replace('|', "\\|")) };
        let _ = writeln!(out, "| `{name}` | {} | {count} | {why} | {example} |", forms.len());
    }
    out.push_str(
        "\n## Operands without effect\n\nNo decoder looks at them: hints for caches, and numbers that the machine does not need.\n\n\
         | Operand | Instructions |\n|---|---|\n",
    );
    for (operand, names) in &ignored {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "| `{operand}` | {} |", names.join(", "));
    }
    if !untried.is_empty() {
        let _ = writeln!(out, "\nNot tried, for no target at hand has them: {}.", untried.join(", "));
    }
    expect_file!["../../../docs/dev/interpreter-coverage.md"].assert_eq(&out);
}

#[test]
fn every_form_has_a_tier() {
    let mut counts = [0; 5];
    for entry in entries() {
        for form in entry.forms {
            counts[usize::from(tier(entry, form)) - 1] += 1;
        }
    }
    assert!(counts.iter().all(|c| *c > 10), "{counts:?}");
    // Every entry of the lists must be used.
    for (prefix, _) in TIERS {
        let used = entries().flat_map(|e| e.all_executed()).any(|e| e.key.starts_with(prefix));
        assert!(used, "{prefix}");
    }
}

#[test]
fn what_is_refused_is_found() {
    let refused = decode("9.5", "sm_100a", &["mov.u32 %r1, %r2;", "cvt.rn.f32.s32 %f1, %r2;"]);
    assert_eq!(refused, [Decoded::default(), Decoded::default()]);
    let statement =
        suite::representatives(entries().find(|e| e.name.starts_with("fabric.")).expect("it is in the data"));
    let (cases, _) = suite::at_home(&statement);
    let (version, target, text) = cases.first().expect("a target has it");
    assert!(decode(version, target, &[text])[0].refused.as_ref().is_some_and(|why| why.contains("not executed")));
}
