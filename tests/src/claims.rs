//! What hovers on modifiers claim: that a modifier may be left out, or that another one may stand in its place. Each claim makes a
//! statement of its own, which the checks and the assembler either accept or refuse.

use crate::snippets::{Judged, declarations, judge};
use ptx_ide::hover;
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::thread;

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimKind {
    /// The statement is accepted without the modifier.
    LeftOut,
    /// The statement is accepted with another modifier in place of this one.
    Alternative,
}

/// One claim of a hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The index of the statement.
    pub statement: usize,
    /// The modifier under the pointer.
    pub modifier: String,
    /// The statement as the claim would have it.
    pub edited: String,
}

/// The claims of the hovers on all modifiers of some statements of one version and target.
pub fn claims(version: &str, target: &str, texts: &[&str]) -> Vec<Claim> {
    let mut module =
        format!(".version {version}\n.target {target}\n.address_size 64\n{}\n", declarations(version, target));
    let mut starts = Vec::new();
    for text in texts {
        starts.push(module.len() + 2);
        module.push_str(&format!("{{ {text} }}\n"));
    }
    module.push_str("L: ret;\n}\n");
    let snapshot = Snapshot::new(&module);
    let mut out = Vec::new();
    for (statement, (text, start)) in texts.iter().zip(starts).enumerate() {
        let mut places = Vec::new();
        modifiers(snapshot.root_at(start), &(start..start + text.len()), &mut places);
        for place in places {
            let Some(hover) = hover(&snapshot, place.start, None).filter(|h| h.range == place) else { continue };
            let modifier = &module[place.clone()];
            let (before, after) = (&module[start..place.start], &module[place.end..start + text.len()]);
            let mut add = |kind, word: &str| {
                let edited = format!("{before}{word}{after}");
                out.push(Claim { kind, statement, modifier: modifier.to_owned(), edited });
            };
            let optional = ["It is the default, and may be left out.", "Without it: ", "It is optional."];
            if optional.iter().any(|sentence| hover.markdown.contains(sentence)) {
                add(ClaimKind::LeftOut, "");
            }
            for word in alternatives(&hover.markdown) {
                add(ClaimKind::Alternative, word);
            }
        }
    }
    out
}

/// The ranges of the modifiers within a range of the module.
fn modifiers(node: Node<'_>, within: &Range<usize>, out: &mut Vec<Range<usize>>) {
    if node.end_byte() <= within.start || node.start_byte() >= within.end {
        return;
    }
    if node.kind_id() == kinds().modifier {
        out.push(node.byte_range());
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        modifiers(child, within, out);
    }
}

/// The modifiers that a hover lists as alternatives: in a line or in a list.
fn alternatives(markdown: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut listed = false;
    for line in markdown.lines() {
        if let Some(words) = line.strip_prefix("Alternatives: ") {
            out.extend(words.split('`').filter(|w| w.starts_with('.')));
        }
        listed = line == "**Alternatives**" || listed && (line.is_empty() || line.starts_with(['-', ' ']));
        // A modifier that the module's version or target lacks is marked so.
        if listed
            && let Some(item) = line.strip_prefix("- `")
            && !line.contains("(**not for this module**)")
        {
            out.extend(item.split('`').next());
        }
    }
    out
}

/// A claim with what is said of its statement.
#[derive(Debug, Clone)]
pub struct JudgedClaim {
    /// The version of PTX.
    pub version: String,
    /// The target.
    pub target: String,
    /// The claim.
    pub claim: Claim,
    /// The first error of our checks.
    pub refusal: Option<String>,
    /// Whether the assembler accepts the statement, if that is recorded.
    pub recorded: Option<bool>,
}

/// Statements of one module.
const TOGETHER: usize = 100;

/// A version with a target, and some of its accepted statements.
type Work<'r> = ((&'r str, &'r str), Vec<&'r str>);

/// The claims of the hovers on every `step`-th accepted statement: how many statements those are, and their claims with the verdicts.
pub fn judged(recorded: &[Judged], step: usize) -> (usize, Vec<JudgedClaim>) {
    let mut verdicts: HashMap<(&str, &str), HashMap<&str, bool>> = HashMap::new();
    for Judged { snippet, accepted } in recorded {
        verdicts.entry((&snippet.version, &snippet.target)).or_default().insert(&snippet.text, *accepted);
    }
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    let plain = |j: &&Judged| j.accepted && !j.snippet.text.starts_with('@');
    for Judged { snippet, .. } in recorded.iter().filter(plain).step_by(step) {
        groups.entry((&snippet.version, &snippet.target)).or_default().push(&snippet.text);
    }
    let count = groups.values().map(Vec::len).sum();
    let cut = |(home, all): (_, Vec<_>)| all.chunks(TOGETHER).map(|some| (home, some.to_vec())).collect::<Vec<_>>();
    let work: Vec<Work<'_>> = groups.into_iter().flat_map(cut).collect();
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let (work, verdicts) = (&work, &verdicts);
    let one = move |((version, target), texts): &Work<'_>| -> Vec<JudgedClaim> {
        let claims = claims(version, target, texts);
        let edited: Vec<&str> = claims.iter().map(|c| c.edited.as_str()).collect();
        let refusals = judge(version, target, &edited);
        let known = verdicts.get(&(*version, *target));
        let recorded: Vec<Option<bool>> = edited.iter().map(|e| known.and_then(|k| k.get(e).copied())).collect();
        let both = claims.into_iter().zip(refusals).zip(recorded);
        both.map(|((claim, refusal), recorded)| JudgedClaim {
            version: (*version).to_owned(),
            target: (*target).to_owned(),
            claim,
            refusal,
            recorded,
        })
        .collect()
    };
    let claims = thread::scope(|scope| {
        let lane =
            |lane: usize| scope.spawn(move || work.iter().skip(lane).step_by(lanes).flat_map(one).collect::<Vec<_>>());
        let threads: Vec<_> = (0..lanes).map(lane).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a lane ends")).collect()
    });
    (count, claims)
}
