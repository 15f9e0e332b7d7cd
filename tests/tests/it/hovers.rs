//! Hovers over the statements of the recorded suite and over our kernels: each exists, fits on a screen, and shows code
//! and tables for its own form only. The example `hover_lines` counts the lines for all statements of the suite.

use crate::verdicts::{files, unpacked};
use ptx_ide::hover;
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;
use ptx_syntax::{Node, Snapshot, kinds};
use ptx_tests::snippets::{declarations, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;

/// The test hovers over every `STEP`-th accepted statement.
const STEP: usize = 6;
/// Maximum number of statements per module.
const TOGETHER: usize = 100;

/// The number of displayed lines, with long lines wrapped.
fn lines(markdown: &str) -> usize {
    let shown = markdown.lines().filter(|l| !l.trim().is_empty());
    shown.map(|l| without_addresses(l).chars().count().div_ceil(100)).sum()
}

/// A line without the addresses of its links, which clients do not show.
fn without_addresses(line: &str) -> String {
    let mut parts = line.split("](");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |out, part| out + part.split_once(')').map_or("", |(_, rest)| rest))
}

fn limit(opcode: &str) -> usize {
    if ISA.has_fragments(opcode) { 40 } else { 25 }
}

/// The code blocks and tables of a hover, without the first block, which shows the syntax of the form.
fn blocks(markdown: &str) -> Vec<&str> {
    markdown.split("\n\n").skip(1).filter(|p| p.starts_with("```\n") || p.starts_with('|')).collect()
}

/// The words in a code block or table that are modifiers of the instruction.
fn modifiers<'m>(block: &'m str, known: &BTreeSet<&str>) -> Vec<&'m str> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
    let words = block.split(|c| !part(c)).filter(|w| w.starts_with('.'));
    words.map(|w| w.trim_end_matches([':', '.'])).filter(|w| known.contains(w)).collect()
}

/// The modifiers of an opcode: all of them, and the implied ones.
struct Modifiers {
    known: BTreeSet<&'static str>,
    implied: Vec<&'static str>,
}

impl Modifiers {
    fn of(opcode: &'static Opcode) -> Self {
        let forms = || opcode.entries.iter().flat_map(|e| e.forms);
        Self {
            known: forms().flat_map(|f| f.slots).flat_map(|s| s.values).copied().collect(),
            implied: forms().flat_map(|f| f.implied).map(|i| i.value).collect(),
        }
    }
}

/// A message that says what is wrong with the hover on a statement.
fn wrong(snapshot: &Snapshot, start: usize, statement: &str, all: &BTreeMap<&str, Modifiers>) -> Option<String> {
    let Some(hover) = hover(snapshot, start, None).filter(|h| !h.markdown.trim().is_empty()) else {
        return Some(format!("nothing on {statement}"));
    };
    let head = statement.split_whitespace().next().unwrap_or("").trim_end_matches(';');
    let name = head.split('.').next().unwrap_or("");
    let text = &hover.markdown;
    if lines(text) > limit(name) {
        return Some(format!("{} lines on {statement}", lines(text)));
    }
    let Modifiers { known, implied } = all.get(name)?;
    let mut written: Vec<String> = ptx_split(head);
    // An implied modifier counts as written.
    written.extend(implied.iter().map(|value| (*value).to_owned()));
    for block in blocks(text) {
        // A row or line may name other modifiers beside a written one: `.f16` or `.bf16`.
        for line in block.lines().filter(|l| !l.starts_with("```")) {
            // `without .add` describes a statement that has no `.add`.
            let found = modifiers(line.split("without").next().unwrap_or(""), known);
            if !found.is_empty() && !found.iter().any(|m| written.iter().any(|w| w == m)) {
                return Some(format!("`{line}` on {statement}"));
            }
        }
    }
    None
}

/// The modifiers of a mnemonic: `.rn` and `.f32` for `fma.rn.f32`.
fn ptx_split(head: &str) -> Vec<String> {
    head.split('.').skip(1).map(|m| format!(".{m}")).collect()
}

/// Checks the hovers on statements of one version and target.
fn sweep((version, target): &(String, String), statements: &[String], all: &BTreeMap<&str, Modifiers>) -> Vec<String> {
    let mut module =
        format!(".version {version}\n.target {target}\n.address_size 64\n{}\n", declarations(version, target));
    let mut starts = Vec::new();
    for statement in statements {
        starts.push(module.len() + 2);
        module.push_str(&format!("{{ {statement} }}\n"));
    }
    module.push_str("L: ret;\n}\n");
    let snapshot = Snapshot::new(&module);
    let each = statements.iter().zip(starts);
    each.filter_map(|(statement, start)| wrong(&snapshot, start, statement, all)).collect()
}

/// A version with a target, and the statements that it accepts.
type Work = ((String, String), Vec<String>);

fn work() -> Vec<Work> {
    let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for path in files("verdicts") {
        let accepted = parse(&unpacked(&path)).into_iter().filter(|j| j.accepted && !j.snippet.text.starts_with('@'));
        for judged in accepted.step_by(STEP) {
            groups.entry((judged.snippet.version, judged.snippet.target)).or_default().push(judged.snippet.text);
        }
    }
    let cut = |(home, all): (_, Vec<String>)| -> Vec<Work> {
        all.chunks(TOGETHER).map(|some| (Clone::clone(&home), some.to_vec())).collect()
    };
    groups.into_iter().flat_map(cut).collect()
}

#[test]
fn each_statement_has_a_hover_of_its_own_on_one_screen() {
    let work = work();
    let count: usize = work.iter().map(|w| w.1.len()).sum();
    assert!(count >= 20_000, "{count}");
    let modifiers: BTreeMap<&str, Modifiers> = ISA.opcodes.iter().map(|o| (o.name, Modifiers::of(o))).collect();
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<String> = thread::scope(|scope| {
        let lane = |lane: usize| {
            let mine: Vec<&Work> = work.iter().skip(lane).step_by(lanes).collect();
            let modifiers = &modifiers;
            scope
                .spawn(move || mine.into_iter().flat_map(|(home, all)| sweep(home, all, modifiers)).collect::<Vec<_>>())
        };
        let threads: Vec<_> = (0..lanes).map(lane).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a lane ends")).collect()
    });
    // Show one example of each kind.
    let kinds: BTreeMap<&str, &str> =
        found.iter().map(|f| (f.split(" on ").next().unwrap_or(""), f.as_str())).collect();
    let shown: Vec<&str> = kinds.into_values().take(80).collect();
    assert!(found.is_empty(), "{} of {count}:\n{}", found.len(), shown.join("\n"));
}

fn instructions<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.kind_id() == kinds().instruction {
        out.push(node);
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        instructions(child, out);
    }
}

/// Collects the leaves of a node.
fn leaves<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.child_count() == 0 {
        out.push(node);
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        leaves(child, out);
    }
}

#[test]
fn each_word_of_our_kernels_has_a_hover_on_one_screen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut count = 0;
    let mut found = Vec::new();
    for path in fs::read_dir(folder).expect("the kernels").flatten().map(|e| e.path()) {
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a kernel");
        let snapshot = Snapshot::new(&text);
        let mut all = Vec::new();
        instructions(snapshot.root_at(0), &mut all);
        for node in all {
            let statement = &text[node.byte_range()];
            let mut words = Vec::new();
            leaves(node, &mut words);
            let opcode = words.iter().find(|w| w.kind_id() == kinds().opcode).map_or("", |w| &text[w.byte_range()]);
            let figures = |w: &&Node<'_>| w.is_named() && w.kind_id() != kinds().comment;
            for word in words.iter().filter(figures) {
                let Some(hover) = hover(&snapshot, word.start_byte(), None) else { continue };
                count += 1;
                if lines(&hover.markdown) > limit(opcode) || hover.markdown.trim().is_empty() {
                    let name = &text[word.byte_range()];
                    found.push(format!("{} lines on `{name}` of {statement}", lines(&hover.markdown)));
                }
            }
        }
    }
    assert!(count > 5_000, "{count}");
    assert!(found.is_empty(), "{} of {count}:\n{}", found.len(), found.join("\n"));
}
