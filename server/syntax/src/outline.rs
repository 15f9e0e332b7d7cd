//! The outline of a large text: the module without the bodies of its functions.
//!
//! A tree takes about twenty times the memory of its text. A check that reads a text only once therefore reads it in parts: the outline
//! gives all declarations of the module, and the tree of each part exists only while that part is read. So it also stays in the cache of
//! the processor.

use crate::bodies::bodies;
use crate::chunks::{
    Chunk, ChunkGroup, ChunkTree, MIN_CHUNK, are_between_items, boundaries, grouped, parse_fresh, parse_ranges,
};
use crate::document::Snapshot;
use crate::kinds::fields;
use crate::parser::parser;
use crate::plain::{PlainStatement, PlainStatements};
use crate::rare::RareBytes;
use crate::threads::in_parallel;
use crate::visible::visible;
use ropey::Rope;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{Node, Parser, Tree};

/// The minimum size of a part in bytes. The trees of such a part fit into the second-level cache of a processor.
const MIN_PART: usize = 32 << 10;

/// The parser skips at most this many ranges of a part.
const MAX_RUNS: usize = 256;

/// A text with the trees of its outline.
///
/// Some parts have their complete trees in the outline: those with a syntax error outside of bodies, with brackets that nest too deep, with
/// a rare byte that checks of the whole text look for, or with hardly any body.
#[derive(Debug)]
pub struct Outline<'t> {
    text: &'t str,
    snapshot: Snapshot,
    parts: Vec<OutlinePart>,
}

/// A part of a text: successive functions, and the declarations between them.
#[derive(Debug)]
struct OutlinePart {
    range: Range<usize>,
    /// The chunk boundaries inside.
    boundaries: Vec<usize>,
    trees: PartTrees,
}

#[derive(Debug, Clone)]
enum PartTrees {
    /// The bodies of its functions are empty. Their byte ranges in the text, without the braces.
    Outline(ChunkTree, Arc<[Range<usize>]>),
    Complete(Vec<ChunkTree>),
}

/// A part of an outline that lacks the bodies of functions.
#[derive(Debug, Clone, Copy)]
pub struct OutlinedPart {
    /// Its number, for [`Outline::parse`].
    pub number: usize,
    /// Its size in bytes.
    pub size: usize,
    /// The index of its root node among the [roots](Snapshot::roots) of the outline.
    pub root: usize,
}

/// A part of an outline that has been parsed.
#[derive(Debug)]
pub enum ParsedPart {
    /// The part alone. Its items are those of the outline, with the bodies of functions; but the trees lack these statements.
    Sound(Snapshot, Vec<PlainStatement>),
    /// The part has a syntax error, so that its items may be others than in the outline. To be used with [`Outline::complete`].
    Broken(CompletePart),
}

/// The complete trees of a part.
#[derive(Debug)]
pub struct CompletePart(Vec<ChunkTree>);

impl<'t> Outline<'t> {
    /// Parses a text without the bodies of functions, on `threads` threads. A text that is not large is one part.
    pub fn new(text: &'t str, threads: usize) -> Self {
        // Below this size the server has one tree, too. The tree of a text with an error can depend on that.
        let large = text.len() >= 2 * MIN_CHUNK;
        Self::with_part_size(text, threads, if large { MIN_PART } else { MIN_CHUNK })
    }

    /// Like [`Outline::new`], with parts of at least `min_part` bytes: for tests, which use small parts.
    pub fn with_part_size(text: &'t str, threads: usize, min_part: usize) -> Self {
        let rope = Rope::from_str(text);
        let boundaries = boundaries(text, min_part);
        let groups = grouped(&boundaries, text.len(), min_part);
        let parts = in_parallel(&groups, threads, parser, |parser, group| {
            let outline = outline(parser, text, &rope, group);
            let trees = outline.unwrap_or_else(|| complete(parser, text, &rope, group));
            OutlinePart { range: group.range.clone(), boundaries: group.boundaries.to_vec(), trees }
        });
        let snapshot = Snapshot::of_trees(rope, trees(&parts));
        Self { text, snapshot, parts }
    }

    /// The text with the trees of the outline.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The parts that lack the bodies of functions.
    pub fn parts(&self) -> Vec<OutlinedPart> {
        let mut root = 0;
        let mut out = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            match &part.trees {
                PartTrees::Outline(..) => {
                    out.push(OutlinedPart { number, size: part.range.len(), root });
                    root += 1;
                }
                PartTrees::Complete(trees) => root += trees.len(),
            }
        }
        out
    }

    /// Parses a part, without the statements that can be read without a tree. `None` if there is no such part, or if the outline has its
    /// complete trees.
    pub fn parse(&self, number: usize) -> Option<ParsedPart> {
        let OutlinePart { range, boundaries, trees: PartTrees::Outline(outline, bodies) } = self.parts.get(number)?
        else {
            return None;
        };
        let mut plain = PlainStatements::default();
        for body in bodies.iter() {
            plain.add(self.text.as_bytes(), body.clone());
        }
        plain.keep_longest(MAX_RUNS);
        if plain.runs.is_empty() {
            return self.parse_all(number);
        }
        let runs: Vec<Range<usize>> = plain.runs.iter().map(|run| run.range.clone()).collect();
        let seen = between(range, &runs);
        let tree = parse_ranges(&mut parser(), self.text, self.snapshot.rope(), &seen, outline.rare);
        let sound = !tree.tree.root_node().has_error()
            && are_between_items(&tree.tree, boundaries)
            && are_same_items(&outline.tree, &tree.tree);
        if !sound {
            return self.parse_all(number);
        }
        Some(ParsedPart::Sound(Snapshot::of_trees(self.snapshot.rope().clone(), vec![tree]), plain.all))
    }

    /// Like [`Outline::parse`], but the trees have all statements.
    pub fn parse_all(&self, number: usize) -> Option<ParsedPart> {
        let trees = self.trees(number)?;
        let PartTrees::Outline(outline, _) = &self.parts.get(number)?.trees else { return None };
        Some(match &trees[..] {
            [chunk] if chunk.sound && are_same_items(&outline.tree, &chunk.tree.tree) => {
                let tree = chunk.tree.clone();
                ParsedPart::Sound(Snapshot::of_trees(self.snapshot.rope().clone(), vec![tree]), Vec::new())
            }
            _ => ParsedPart::Broken(CompletePart(trees.into_iter().map(|chunk| chunk.tree).collect())),
        })
    }

    /// The complete trees of a part, for [`Outline::complete`]. `None` if there is no such part, or if the outline has them.
    pub fn complete_part(&self, number: usize) -> Option<CompletePart> {
        Some(CompletePart(self.trees(number)?.into_iter().map(|chunk| chunk.tree).collect()))
    }

    fn trees(&self, number: usize) -> Option<Vec<Chunk>> {
        let OutlinePart { range, boundaries, trees: PartTrees::Outline(outline, _) } = self.parts.get(number)? else {
            return None;
        };
        let (rope, mut parser) = (self.snapshot.rope(), parser());
        let mut parse = |range: Range<usize>| parse_ranges(&mut parser, self.text, rope, &[range], outline.rare);
        Some(Chunk::parsed(range.clone(), boundaries, &mut parse))
    }

    /// Puts the complete trees of some parts into the outline.
    pub fn complete(&mut self, parts: impl IntoIterator<Item = (usize, CompletePart)>) {
        for (number, CompletePart(trees)) in parts {
            if let Some(part) = self.parts.get_mut(number) {
                part.trees = PartTrees::Complete(trees);
            }
        }
        self.snapshot = Snapshot::of_trees(self.snapshot.rope().clone(), trees(&self.parts));
    }
}

/// The trees of all parts, in order.
fn trees(parts: &[OutlinePart]) -> Vec<ChunkTree> {
    let of = |part: &OutlinePart| match &part.trees {
        PartTrees::Outline(tree, _) => vec![tree.clone()],
        PartTrees::Complete(trees) => trees.clone(),
    };
    parts.iter().flat_map(of).collect()
}

/// The complete trees of a part.
fn complete(parser: &mut Parser, text: &str, rope: &Rope, group: &ChunkGroup<'_>) -> PartTrees {
    let mut parse = |range: Range<usize>| parse_fresh(parser, text, rope, range);
    let chunks = Chunk::parsed(group.range.clone(), group.boundaries, &mut parse);
    PartTrees::Complete(chunks.into_iter().map(|chunk| chunk.tree).collect())
}

/// The tree of a part without the bodies of functions; `None` if something in the part is unusual.
fn outline(parser: &mut Parser, text: &str, rope: &Rope, group: &ChunkGroup<'_>) -> Option<PartTrees> {
    let range = group.range.clone();
    let rare = RareBytes::of(rope, range.clone());
    if rare != RareBytes::default() || visible(rope, range.clone()).is_some() {
        return None;
    }
    let bodies = bodies(text.get(range.clone())?.as_bytes())?;
    // Most of the part would be parsed twice.
    if bodies.iter().map(Range::len).sum::<usize>() < range.len() / 2 {
        return None;
    }
    let bodies: Arc<[_]> = bodies.into_iter().map(|body| range.start + body.start..range.start + body.end).collect();
    let tree = parse_ranges(parser, text, rope, &between(&range, &bodies), rare);
    (!tree.tree.root_node().has_error()).then_some(PartTrees::Outline(tree, bodies))
}

/// What of a range lies before, between and behind the given ranges in it, which are in order.
fn between(whole: &Range<usize>, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let starts = std::iter::once(whole.start).chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain([whole.end]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// Whether two trees of a part have the same items, except for what is inside the bodies of functions.
fn are_same_items(outline: &Tree, complete: &Tree) -> bool {
    let (mut a, mut b) = (outline.walk(), complete.walk());
    let (mut in_a, mut in_b) = (a.goto_first_child(), b.goto_first_child());
    while in_a && in_b && is_same_item(a.node(), b.node()) {
        (in_a, in_b) = (a.goto_next_sibling(), b.goto_next_sibling());
    }
    !in_a && !in_b
}

fn is_same_item(a: Node<'_>, b: Node<'_>) -> bool {
    let place = |node: Node<'_>| (node.kind_id(), node.byte_range());
    let body = |node: Node<'_>| node.child_by_field_id(fields().body).map(place);
    place(a) == place(b) && body(a) == body(b)
}

#[cfg(test)]
mod tests;
