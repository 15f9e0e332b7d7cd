//! The chunked parse of a text under edit.
//!
//! A small text has one tree. A large one is split into chunks before functions ([`crate::boundaries`]). Each chunk has its
//! own tree, whose nodes have offsets of the whole text. So chunks are parsed by several threads, and a keystroke affects
//! only one chunk.
//!
//! The history of the text determines how many functions share a chunk, but not the nodes. A chunk with an error holds one
//! function only, so that nothing around it affects error recovery. Chunks without an error have the nodes of a whole parse.
//! The grammar takes the header of a function inside another one for unknown directives; here that counts as an error.

use crate::boundaries::{begins_function, chunk_boundaries, may_end};
use crate::parser::{parser, slice};
use crate::rare::{RareBytes, SourceFiles};
use crate::threads::in_parallel;
use crate::trivia::is_endless_comment;
use crate::visible::visible;
use ropey::Rope;
use std::ops::Range;
use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

/// The minimum size of a chunk without errors, in bytes: below this, threads cost more than they save. Larger chunks cost
/// more if an error occurs in them, because they are split then.
pub const MIN_CHUNK: usize = 128 << 10;

/// The maximum size, in bytes, up to which a function with an error is parsed from scratch, because error recovery may depend
/// on the earlier tree. A larger function would keep the editor waiting, for the benefit of few texts.
const MAX_FRESH_PARSE: usize = 8 << 10;

/// The number of bytes of a chunk that are searched first for its first function.
const FIRST_FUNCTION_WINDOW: usize = 1 << 10;

/// The tree of a chunk. Node offsets count from the beginning of the text.
#[derive(Debug, Clone)]
pub struct ChunkTree {
    /// The byte offset of the chunk; it ends at the beginning of the next one.
    pub start: usize,
    pub tree: Tree,
    /// Whether parts of the text were hidden from the parser: see [`visible`].
    pub hides: bool,
    /// The byte offset, from the beginning of the chunk, at which brackets begin to nest too deep.
    pub too_deep: Option<usize>,
    /// The rare bytes of its text.
    pub rare: RareBytes,
    /// Whether its text names source files, once that has been asked for.
    pub source_files: SourceFiles,
}

/// A chunk of a text under edit.
#[derive(Debug)]
pub struct Chunk {
    pub tree: ChunkTree,
    /// The byte range that has to be parsed again.
    changed: Option<Range<usize>>,
    /// Whether the chunk is sound, see [`is_sound`].
    pub sound: bool,
    /// Whether it has no boundary inside, so that it cannot be split.
    single: bool,
}

/// The chunked parse of a text under edit: its chunks, at least one.
#[derive(Debug)]
pub struct ChunkedParse {
    chunks: Vec<Chunk>,
    /// The minimum size of a chunk in bytes. The text is split only if it has at least twice that size.
    min_chunk: usize,
}

impl ChunkedParse {
    /// Parses a whole text; a large one on `threads` threads.
    pub fn new(text: &str, rope: &Rope, threads: usize, min_chunk: usize) -> Self {
        let boundaries = boundaries(text, min_chunk);
        let groups = grouped(&boundaries, text.len(), min_chunk);
        let chunks = in_parallel(&groups, threads, parser, |parser, group| {
            let mut parse = |range: Range<usize>| parse_fresh(parser, text, rope, range);
            Chunk::parsed(group.range.clone(), group.boundaries, &mut parse)
        });
        Self { chunks: chunks.into_iter().flatten().collect(), min_chunk }
    }

    /// Begins to parse a whole text in steps.
    pub fn steps(text: &str, min_chunk: usize) -> ParseSteps {
        let boundaries = boundaries(text, min_chunk);
        let groups = grouped(&boundaries, text.len(), min_chunk);
        let groups: Vec<_> = groups.into_iter().map(|group| (group.range, group.boundaries.to_vec())).collect();
        ParseSteps { groups: groups.into_iter(), chunks: Vec::new(), parser: parser(), min_chunk }
    }

    /// The trees, in order.
    pub fn trees(&self) -> impl ExactSizeIterator<Item = &ChunkTree> {
        self.chunks.iter().map(|chunk| &chunk.tree)
    }

    /// Records a change of the text; the trees follow with [`Self::reparse`].
    pub fn edit(&mut self, edit: &InputEdit) {
        let at = |offset: usize| self.chunks.partition_point(|p| p.tree.start <= offset).saturating_sub(1);
        let first = at(edit.start_byte);
        let last = at(edit.old_end_byte.saturating_sub(1).max(edit.start_byte));
        self.merge(first..=last, edit.old_end_byte);
        let moved = |offset: usize| match offset {
            _ if offset >= edit.old_end_byte => offset - edit.old_end_byte + edit.new_end_byte,
            _ => offset.min(edit.start_byte),
        };
        for (index, chunk) in self.chunks.iter_mut().enumerate().skip(first) {
            chunk.tree.tree.edit(edit);
            if index > first {
                chunk.tree.start = moved(chunk.tree.start);
            }
            chunk.changed = chunk.changed.take().map(|range| moved(range.start)..moved(range.end));
        }
        let touched = &mut self.chunks[first];
        touched.change(edit.start_byte..edit.new_end_byte);
        touched.single = false;
    }

    /// Merges neighbouring chunks into one, to be parsed again. `end` is at least the end of the last of them, if that is the
    /// last of all.
    fn merge(&mut self, chunks: std::ops::RangeInclusive<usize>, end: usize) {
        let (first, last) = (*chunks.start(), (*chunks.end()).min(self.chunks.len() - 1));
        if first >= last {
            return;
        }
        let end = self.chunks.get(last + 1).map_or(end, |next| next.tree.start);
        let starts: Vec<usize> = self.chunks[first..=last].iter().map(|p| p.tree.start).chain([end]).collect();
        // The largest chunk keeps its tree; the others have to be parsed again.
        let Some(kept) = (0..=last - first).max_by_key(|i| starts[i + 1].saturating_sub(starts[*i])) else { return };
        let mut merged: Vec<Chunk> = self.chunks.drain(first..=last).collect();
        let mut whole = merged.swap_remove(kept);
        for chunk in merged {
            if let Some(changed) = chunk.changed {
                whole.change(changed);
            }
        }
        for other in (0..=last - first).filter(|i| *i != kept) {
            whole.change(starts[other]..starts[other + 1]);
        }
        whole.tree.start = starts[0];
        whole.single = false;
        self.chunks.insert(first, whole);
    }

    /// Parses the changed chunks again; splits and merges chunks where boundaries changed.
    pub fn reparse(&mut self, rope: &Rope, parser: &mut Parser) {
        let large = rope.len_bytes() >= self.min_chunk.saturating_mul(2);
        if !large {
            self.merge(0..=self.chunks.len(), rope.len_bytes());
        }
        let mut index = 0;
        while let Some(chunk) = self.chunks.get(index) {
            if chunk.changed.is_none() && (chunk.single || chunk.sound || !large) {
                index += 1;
                continue;
            }
            let range = self.range(index, rope);
            let (follows, precedes) = (index > 0, index + 1 < self.chunks.len());
            if follows && (range.is_empty() || !begins_with_function(rope, range.clone())) {
                self.move_start_to_previous(index, range, rope);
                index -= 1;
                continue;
            }
            if precedes && !may_be_followed(rope, range.clone()) {
                self.merge(index..=index + 1, rope.len_bytes());
                continue;
            }
            let part = parse(parser, rope, range.clone(), &chunk.tree);
            if precedes && ends_in_comment(rope, range.clone(), &part.tree) {
                let last = self.end_of_comment(index, range.end, rope);
                self.merge(index..=last, rope.len_bytes());
                continue;
            }
            let chunk = &mut self.chunks[index];
            let changed = chunk.changed.take().unwrap_or(range.clone());
            chunk.sound = large && is_sound(rope, range.clone(), &part.tree);
            let old = std::mem::replace(&mut chunk.tree, part);
            index += if large && !chunk.sound { self.split(index, range, &changed, &old, rope, parser) } else { 1 };
        }
    }

    /// After an edit this chunk no longer begins with a function: moves its leading text to the previous chunk, or merges both if no function
    /// begins soon.
    fn move_start_to_previous(&mut self, index: usize, range: Range<usize>, rope: &Rope) {
        let glance = range.start..range.end.min(range.start + FIRST_FUNCTION_WINDOW);
        let bytes: Vec<u8> = rope.bytes_at(glance.start).take(glance.len()).collect();
        let Some(boundary) = chunk_boundaries(&bytes).first().map(|boundary| range.start + boundary) else {
            return self.merge(index - 1..=index, rope.len_bytes());
        };
        let chunk = &mut self.chunks[index];
        chunk.tree.start = boundary;
        chunk.single = false;
        chunk.change(boundary..boundary);
        let before = &mut self.chunks[index - 1];
        before.single = false;
        before.change(range.start..boundary);
    }

    /// Splits a chunk with an error; returns how many chunks it has become.
    fn split(
        &mut self,
        index: usize,
        range: Range<usize>,
        changed: &Range<usize>,
        old: &ChunkTree,
        rope: &Rope,
        parser: &mut Parser,
    ) -> usize {
        // If the only function keyword is at the beginning, there is no boundary inside, and the text need not be read.
        let alone = count_function_keywords(rope, range.clone()) == 1 && begins_with_function(rope, range.clone());
        let boundaries = if alone { Vec::new() } else { boundaries_in(rope, range.clone()) };
        if boundaries.is_empty() {
            self.chunks[index].single = true;
            return 1;
        }
        // Usually the error is in the changed range, and not around it.
        let before = boundaries.partition_point(|boundary| *boundary <= changed.start);
        let behind = boundaries.partition_point(|boundary| *boundary < changed.end).max(before);
        let (start, tail) = (boundaries[..before].last().copied(), boundaries.get(behind).copied());
        let mut out = Vec::new();
        let mut parse = |range: Range<usize>| parse(parser, rope, range, old);
        let mut add =
            |range: Range<usize>, boundaries: &[usize]| out.extend(Chunk::parsed(range, boundaries, &mut parse));
        if let Some(start) = start {
            add(range.start..start, &boundaries[..before - 1]);
        }
        add(start.unwrap_or(range.start)..tail.unwrap_or(range.end), &boundaries[before..behind]);
        if let Some(tail) = tail {
            add(tail..range.end, &boundaries[behind + 1..]);
        }
        let count = out.len();
        self.chunks.splice(index..=index, out);
        count
    }

    fn range(&self, index: usize, rope: &Rope) -> Range<usize> {
        let end = self.chunks.get(index + 1).map_or(rope.len_bytes(), |next| next.tree.start);
        self.chunks[index].tree.start..end
    }

    /// The index of the chunk, at least `index + 1`, that contains the first `*/` at or after byte `from`: the end of a
    /// comment that extends beyond chunk `index`.
    fn end_of_comment(&self, index: usize, from: usize, rope: &Rope) -> usize {
        let mut at = from;
        let mut star = false;
        for chunk in rope.byte_slice(from..).chunks() {
            let bytes = chunk.as_bytes();
            if star && bytes.first() == Some(&b'/') {
                break;
            }
            if let Some(end) = memchr::memmem::find(bytes, b"*/") {
                at += end;
                break;
            }
            star = bytes.last() == Some(&b'*');
            at += bytes.len();
        }
        self.chunks.partition_point(|p| p.tree.start <= at).saturating_sub(1).max(index + 1)
    }
}

/// A parse of a whole text in steps, a chunk in each.
pub struct ParseSteps {
    /// The ranges that are left, each with the chunk boundaries inside.
    groups: std::vec::IntoIter<(Range<usize>, Vec<usize>)>,
    chunks: Vec<Chunk>,
    parser: Parser,
    min_chunk: usize,
}

impl ParseSteps {
    /// Parses the next chunk of the text; returns whether that was the last one.
    pub fn step(&mut self, text: &str, rope: &Rope) -> bool {
        if let Some((range, boundaries)) = self.groups.next() {
            let parser = &mut self.parser;
            let mut parse = |range: Range<usize>| parse_fresh(parser, text, rope, range);
            self.chunks.extend(Chunk::parsed(range, &boundaries, &mut parse));
        }
        self.groups.as_slice().is_empty()
    }

    /// Returns the result of the last step.
    pub fn end(self) -> ChunkedParse {
        ChunkedParse { chunks: self.chunks, min_chunk: self.min_chunk }
    }
}

/// The chunk boundaries of a text; none if it is too small to be split.
pub fn boundaries(text: &str, min_chunk: usize) -> Vec<usize> {
    if text.len() < min_chunk.saturating_mul(2) { Vec::new() } else { chunk_boundaries(text.as_bytes()) }
}

impl Chunk {
    /// Parses a range: as one chunk if that is sound, else as one chunk per range between boundaries.
    pub fn parsed(
        range: Range<usize>,
        boundaries: &[usize],
        parse: &mut impl FnMut(Range<usize>) -> ChunkTree,
    ) -> Vec<Self> {
        let chunk = |part: ChunkTree, boundaries: &[usize]| {
            let sound = !part.tree.root_node().has_error() && are_between_items(&part.tree, boundaries);
            Self { tree: part, changed: None, sound, single: boundaries.is_empty() }
        };
        let whole = chunk(parse(range.clone()), boundaries);
        if whole.sound || whole.single {
            return vec![whole];
        }
        drop(whole);
        let starts = std::iter::once(range.start).chain(boundaries.iter().copied());
        let ends = boundaries.iter().copied().chain([range.end]);
        starts.zip(ends).map(|(start, end)| chunk(parse(start..end), &[])).collect()
    }

    fn change(&mut self, range: Range<usize>) {
        let all = self.changed.take().unwrap_or(range.clone());
        self.changed = Some(all.start.min(range.start)..all.end.max(range.end));
    }
}

/// A group of functions that are parsed together.
pub struct ChunkGroup<'c> {
    pub range: Range<usize>,
    /// The chunk boundaries between them.
    pub boundaries: &'c [usize],
}

/// Groups the functions of a text into chunks of at least `min_chunk` bytes.
pub fn grouped(boundaries: &[usize], length: usize, min_chunk: usize) -> Vec<ChunkGroup<'_>> {
    let mut out = Vec::new();
    let (mut start, mut first) = (0, 0);
    for (index, boundary) in boundaries.iter().enumerate() {
        if boundary - start >= min_chunk {
            out.push(ChunkGroup { range: start..*boundary, boundaries: &boundaries[first..index] });
            (start, first) = (*boundary, index + 1);
        }
    }
    out.push(ChunkGroup { range: start..length, boundaries: &boundaries[first..] });
    out
}

/// Whether no boundary lies within an item or directly after an item without an end, whose actual end depends on the
/// following text.
pub fn are_between_items(tree: &Tree, boundaries: &[usize]) -> bool {
    let mut boundaries = boundaries.iter().peekable();
    let root = tree.root_node();
    let mut cursor = root.walk();
    root.children(&mut cursor).all(|item| {
        while boundaries.next_if(|boundary| **boundary <= item.start_byte()).is_some() {}
        boundaries.peek().is_none_or(|boundary| **boundary >= item.end_byte() && !is_unclosed(item))
    })
}

/// Whether an item ends with a missing token.
fn is_unclosed(item: Node<'_>) -> bool {
    let mut cursor = item.walk();
    while cursor.goto_last_child() {}
    cursor.node().byte_range().is_empty()
}

/// Whether a chunk has neither an error, nor a function inside another one, nor a function after an item without an end.
fn is_sound(rope: &Rope, range: Range<usize>, tree: &Tree) -> bool {
    let root = tree.root_node();
    if root.has_error() {
        return false;
    }
    let k = crate::kinds();
    let mut cursor = root.walk();
    let (mut functions, mut open) = (0, false);
    for item in root.children(&mut cursor).filter(|item| item.kind_id() != k.comment) {
        if item.kind_id() == k.function {
            functions += 1;
            if open {
                return false;
            }
        }
        open = is_unclosed(item);
    }
    // Each function header has one of the words. Further ones may be in comments or names.
    count_function_keywords(rope, range.clone()) == functions || are_between_items(tree, &boundaries_in(rope, range))
}

/// The number of function keywords in a range, including those in comments. Much faster than searching for boundaries.
fn count_function_keywords(rope: &Rope, range: Range<usize>) -> usize {
    let words = [".entry", ".func"].map(memchr::memmem::Finder::new);
    let count = |chunk: &str| -> usize { words.iter().map(|word| word.find_iter(chunk.as_bytes()).count()).sum() };
    rope.byte_slice(range).chunks().map(count).sum()
}

/// The chunk boundaries in a range that begins at a boundary.
fn boundaries_in(rope: &Rope, range: Range<usize>) -> Vec<usize> {
    chunk_boundaries(&slice(rope, range.clone())).into_iter().map(|boundary| boundary + range.start).collect()
}

/// Whether a chunk begins with a function.
fn begins_with_function(rope: &Rope, range: Range<usize>) -> bool {
    let glance = range.start..range.end.min(range.start + FIRST_FUNCTION_WINDOW);
    // Only bytes are compared, so a character may be cut.
    let bytes: Vec<u8> = rope.bytes_at(glance.start).take(glance.len()).collect();
    begins_function(&bytes).or_else(|| begins_function(&slice(rope, range))).unwrap_or(false)
}

/// Whether another chunk may begin at the end of a chunk.
fn may_be_followed(rope: &Rope, range: Range<usize>) -> bool {
    let from = range.start.max(range.end.saturating_sub(FIRST_FUNCTION_WINDOW));
    let bytes: Vec<u8> = rope.bytes_at(from).take(range.end - from).collect();
    may_end(&bytes)
}

/// Whether a chunk ends within a block comment. Tokens that the parser inserts after it are ignored.
fn ends_in_comment(rope: &Rope, range: Range<usize>, tree: &Tree) -> bool {
    let Some(last) = tree.root_node().descendant_for_byte_range(range.end - 1, range.end) else { return false };
    if last.kind_id() != crate::kinds().comment {
        return false;
    }
    is_endless_comment(&slice(rope, last.byte_range()))
}

/// Parses `range` from scratch, reading the contiguous `text` instead of the rope.
pub fn parse_fresh(parser: &mut Parser, text: &str, rope: &Rope, range: Range<usize>) -> ChunkTree {
    if let Some(part) = parse_visible(parser, rope, range.clone()) {
        return part;
    }
    let rare = RareBytes::of(rope, range.clone());
    parse_ranges(parser, text, rope, &[range], rare)
}

/// Parses the text in some ranges, which are in order, from scratch. Nothing in them is hidden; they have these rare bytes.
pub fn parse_ranges(
    parser: &mut Parser,
    text: &str,
    rope: &Rope,
    ranges: &[Range<usize>],
    rare: RareBytes,
) -> ChunkTree {
    include(parser, rope, ranges);
    // `parse` gives `None` only when cancelled or without a language.
    #[allow(clippy::expect_used)]
    let tree = parser.parse(text, None).expect("an uncancelled parse gives a tree");
    let start = ranges.first().map_or(0, |range| range.start);
    ChunkTree { start, tree, hides: false, too_deep: None, rare, source_files: SourceFiles::default() }
}

/// Parses a part of a text, reusing an earlier tree that may belong to another range.
fn parse(parser: &mut Parser, rope: &Rope, range: Range<usize>, old: &ChunkTree) -> ChunkTree {
    if let Some(part) = parse_visible(parser, rope, range.clone()) {
        return part;
    }
    // A tree of a text with hidden parts does not match the real text, so it cannot be reused.
    let old = (!old.hides).then_some(&old.tree);
    let mut tree = parse_again(parser, rope, range.clone(), old);
    if tree.root_node().has_error() && range.len() <= MAX_FRESH_PARSE {
        tree = parse_again(parser, rope, range.clone(), None);
    }
    let rare = RareBytes::of(rope, range.clone());
    ChunkTree { start: range.start, tree, hides: false, too_deep: None, rare, source_files: SourceFiles::default() }
}

/// Parses a part of a text with its hidden parts blanked; `None` if nothing is hidden.
fn parse_visible(parser: &mut Parser, rope: &Rope, range: Range<usize>) -> Option<ChunkTree> {
    let visible = visible(rope, range.clone())?;
    let start = range.start;
    let rare = RareBytes::of(rope, range.clone());
    include(parser, rope, &[range]);
    let mut rest = |offset: usize, _: Point| visible.text.get(offset.saturating_sub(start)..).unwrap_or_default();
    #[allow(clippy::expect_used)]
    let tree = parser.parse_with_options(&mut rest, None, None).expect("an uncancelled parse gives a tree");
    let too_deep = visible.too_deep;
    Some(ChunkTree { start, tree, hides: true, too_deep, rare, source_files: SourceFiles::default() })
}

fn parse_again(parser: &mut Parser, rope: &Rope, range: Range<usize>, old: Option<&Tree>) -> Tree {
    let ends = |old: &Tree| old.included_ranges().last().map_or(range.end, |r| r.end_byte.min(rope.len_bytes()));
    let ended = old.map_or(range.end, ends);
    let mut old = old.map(std::borrow::Cow::Borrowed);
    if let Some(old) = old.as_mut().filter(|_| ended != range.end) {
        // Nodes whose parse looked beyond their end must not be reused; but the parser checks only positions of nodes, not
        // how far they looked. Marking one byte as edited is enough: nothing after it is reused, and all marked nodes are
        // copied.
        let shrunk = ended > range.end;
        let start_byte = ended.min(range.end);
        let old_end_byte = if shrunk { start_byte + 1 } else { start_byte };
        let new_end_byte = if shrunk { old_end_byte } else { range.end };
        old.to_mut().edit(&InputEdit {
            start_byte,
            old_end_byte,
            new_end_byte,
            start_position: point(rope, start_byte),
            old_end_position: point(rope, old_end_byte),
            new_end_position: point(rope, new_end_byte),
        });
    }
    include(parser, rope, &[range]);
    let mut chunk = |offset: usize, _: Point| read(rope, offset);
    #[allow(clippy::expect_used)]
    parser.parse_with_options(&mut chunk, old.as_deref(), None).expect("an uncancelled parse gives a tree")
}

/// Restricts a parser to ranges of the text, which are in order.
fn include(parser: &mut Parser, rope: &Rope, ranges: &[Range<usize>]) {
    let point = |byte| point(rope, byte);
    let included = |range: &Range<usize>| tree_sitter::Range {
        start_byte: range.start,
        end_byte: range.end,
        start_point: point(range.start),
        end_point: point(range.end),
    };
    let whole = matches!(ranges, [range] if *range == (0..rope.len_bytes()));
    let ranges: Vec<_> = if whole { Vec::new() } else { ranges.iter().map(included).collect() };
    // It refuses only ranges that are not in order.
    let _ = parser.set_included_ranges(&ranges);
}

/// The line and the column, in bytes, of an offset.
pub fn point(rope: &Rope, byte: usize) -> Point {
    let row = rope.byte_to_line(byte);
    Point { row, column: byte - rope.line_to_byte(row) }
}

/// The text from an offset to the end of the rope's chunk there.
fn read(rope: &Rope, offset: usize) -> &[u8] {
    if offset >= rope.len_bytes() {
        return &[];
    }
    let (text, start, _, _) = rope.chunk_at_byte(offset);
    &text.as_bytes()[offset - start..]
}

#[cfg(test)]
mod tests;
