//! An editable text and its syntax trees.

use crate::chunks::{ChunkTree, ChunkedParse, MIN_CHUNK, ParseSteps, point};
use crate::parser::parser;
use crate::rare::RareBytes;
use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tree_sitter::{InputEdit, Node, Parser};

/// A text and its tree, or the trees of its chunks. Cheap to clone: both parts are shared.
#[derive(Debug, Clone)]
pub struct Snapshot {
    rope: Rope,
    /// The trees of the chunks, at least one.
    trees: Arc<[ChunkTree]>,
    /// The number of the document, and of this snapshot in it.
    number: (u64, u64),
    /// The edits since the previous snapshot.
    edits: Arc<[SourceEdit]>,
}

/// One replacement: bytes `start..old_end` became `start..new_end`. In a list of edits, the offsets of each refer to the text
/// after the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceEdit {
    /// The start of the replaced text, as a byte offset.
    pub start: usize,
    /// The end of the replaced text.
    pub old_end: usize,
    /// The end of the new text.
    pub new_end: usize,
}

impl SourceEdit {
    /// Combines this replacement and a later one.
    fn followed_by(self, next: Self) -> Self {
        let beyond = next.old_end.saturating_sub(self.new_end);
        Self {
            start: self.start.min(next.start),
            old_end: self.old_end + beyond,
            new_end: self.new_end + beyond + next.new_end - next.old_end,
        }
    }
}

/// A new, unique document number.
fn new_number() -> u64 {
    static DOCUMENTS: AtomicU64 = AtomicU64::new(0);
    DOCUMENTS.fetch_add(1, Ordering::Relaxed)
}

impl Snapshot {
    /// Parses a whole text.
    pub fn new(text: &str) -> Self {
        Document::new(text).snapshot()
    }

    /// Parses a whole text; a large one in chunks, on `threads` threads.
    pub fn in_chunks(text: &str, threads: usize) -> Self {
        Document::in_chunks(text, threads).snapshot()
    }

    /// Like [`Snapshot::in_chunks`], with chunks of at least `min_chunk` bytes: for tests, which use small chunks.
    pub fn with_chunk_size(text: &str, threads: usize, min_chunk: usize) -> Self {
        Document::with_chunk_size(text, threads, min_chunk).snapshot()
    }

    /// A text that is not under edit, with its trees, at least one.
    pub(crate) fn of_trees(rope: Rope, trees: Vec<ChunkTree>) -> Self {
        Self { rope, trees: trees.into(), number: (new_number(), 1), edits: Arc::default() }
    }

    /// The text.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// The edits from the snapshot `earlier` to this one; `None` unless `earlier` is the directly preceding snapshot. Callers
    /// use them to update cached data.
    pub fn edits_since(&self, earlier: SnapshotId) -> Option<&[SourceEdit]> {
        (self.number.0 == earlier.0 && self.number.1 == earlier.1 + 1).then_some(&self.edits)
    }

    /// All edits from the snapshot `earlier` to this one, combined into one; `None` unless `earlier` is the directly
    /// preceding snapshot, `Some(None)` if there were no edits.
    pub fn change_since(&self, earlier: SnapshotId) -> Option<Option<SourceEdit>> {
        let edits = self.edits_since(earlier)?;
        Some(edits.iter().copied().reduce(SourceEdit::followed_by))
    }

    /// The id of this snapshot, for [`Snapshot::edits_since`].
    pub fn id(&self) -> SnapshotId {
        SnapshotId(self.number.0, self.number.1)
    }

    /// The root nodes of all chunks, in order; a single one for a small text. Together, their children are the items of the
    /// module.
    pub fn roots(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        self.trees.iter().map(|chunk| chunk.tree.root_node())
    }

    /// The root node of the chunk that contains an offset; at a boundary, that of the chunk that begins there.
    pub fn root_at(&self, offset: usize) -> Node<'_> {
        let index = self.trees.partition_point(|chunk| chunk.start <= offset).saturating_sub(1);
        self.trees[index].tree.root_node()
    }

    /// The smallest node, named or not, that covers a byte range; `None` if the range extends into another chunk or beyond
    /// the text.
    pub fn leaf(&self, range: Range<usize>) -> Option<Node<'_>> {
        self.root_at(range.start).descendant_for_byte_range(range.start, range.end)
    }

    /// Whether there is a syntax error anywhere.
    pub fn has_error(&self) -> bool {
        self.roots().any(|root| root.has_error())
    }

    /// The byte ranges of the chunks for which `has` returns true of their rare bytes, in order.
    pub fn chunks_with(&self, has: impl Fn(RareBytes) -> bool) -> impl Iterator<Item = Range<usize>> {
        let ends = self.trees.iter().skip(1).map(|next| next.start).chain([self.rope.len_bytes()]);
        self.trees.iter().zip(ends).filter(move |(chunk, _)| has(chunk.rare)).map(|(chunk, end)| chunk.start..end)
    }

    /// Whether a line of the text begins with `.file`. After an edit only the chunk around it is searched again.
    pub fn names_source_files(&self) -> bool {
        let ends = self.trees.iter().skip(1).map(|next| next.start).chain([self.rope.len_bytes()]);
        self.trees.iter().zip(ends).any(|(chunk, end)| chunk.source_files.named(&self.rope, chunk.start..end))
    }

    /// The byte offsets at which brackets begin to nest too deep, at most one per chunk. The trees do not contain those
    /// brackets. The assembler rejects such nesting, too, and the limit protects code that recurses into the trees.
    pub fn too_deep(&self) -> impl Iterator<Item = usize> {
        self.trees.iter().filter_map(|chunk| Some(chunk.start + chunk.too_deep?))
    }

    /// The text of a byte range, which must be on character boundaries, as ranges of nodes are; it is cut at the end of the
    /// text.
    pub fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        let end = range.end.min(self.rope.len_bytes());
        let start = range.start.min(end);
        // Most ranges lie within a chunk of the rope. Then a slice, which computes its size in characters and lines, is not needed.
        let (chunk, base, ..) = self.rope.chunk_at_byte(start);
        if let Some(text) = chunk.get(start - base..end - base) {
            return Cow::Borrowed(text);
        }
        self.rope.get_byte_slice(start..end).map_or(Cow::Borrowed(""), Cow::from)
    }

    /// The smallest named node at an offset; between two nodes, the one that begins there is preferred unless it is not
    /// named.
    pub fn node_at(&self, offset: usize) -> Option<Node<'_>> {
        let end = (offset + 1).min(self.rope.len_bytes());
        let start = offset.min(end);
        self.root_at(start).named_descendant_for_byte_range(start, end)
    }
}

/// Identifies a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotId(u64, u64);

/// A text under edit. Edits are applied to the text at once and to the trees by [`Document::reparse`].
pub struct Document {
    rope: Rope,
    chunks: ChunkedParse,
    parser: Parser,
    stale: bool,
    /// The number of this document, and of its last snapshot.
    number: (u64, u64),
    /// The edits since the last snapshot.
    edits: Vec<SourceEdit>,
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").field("bytes", &self.rope.len_bytes()).field("stale", &self.stale).finish()
    }
}

impl Document {
    /// Parses a whole text.
    ///
    /// # Panics
    /// Only if the grammar was generated for another version of the tree-sitter runtime, which the tests rule out.
    pub fn new(text: &str) -> Self {
        Self::in_chunks(text, 1)
    }

    /// Parses a whole text; a large one in chunks, on `threads` threads.
    pub fn in_chunks(text: &str, threads: usize) -> Self {
        Self::with_chunk_size(text, threads, MIN_CHUNK)
    }

    /// Like [`Document::in_chunks`], with chunks of at least `min_chunk` bytes: for tests, which use small chunks.
    pub fn with_chunk_size(text: &str, threads: usize, min_chunk: usize) -> Self {
        let rope = Rope::from_str(text);
        let chunks = ChunkedParse::new(text, &rope, threads, min_chunk);
        Self::parsed(rope, chunks)
    }

    fn parsed(rope: Rope, chunks: ChunkedParse) -> Self {
        Self { rope, chunks, parser: parser(), stale: false, number: (new_number(), 0), edits: Vec::new() }
    }

    /// The text.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// Replaces a byte range. A range outside of the text is cut to it, and its ends are moved down to character
    /// boundaries, so that no edit is lost and none can panic.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        let len = self.rope.len_bytes();
        let start = self.rope.byte_to_char(range.start.min(len));
        let end = self.rope.byte_to_char(range.end.min(len)).max(start);
        let (start_byte, old_end_byte) = (self.rope.char_to_byte(start), self.rope.char_to_byte(end));
        let (start_position, old_end_position) = (point(&self.rope, start_byte), point(&self.rope, old_end_byte));
        self.rope.remove(start..end);
        self.rope.insert(start, new);
        let new_end_byte = start_byte + new.len();
        let new_end_position = point(&self.rope, new_end_byte);
        self.chunks.edit(&InputEdit {
            start_byte,
            old_end_byte,
            new_end_byte,
            start_position,
            old_end_position,
            new_end_position,
        });
        self.edits.push(SourceEdit { start: start_byte, old_end: old_end_byte, new_end: new_end_byte });
        self.stale = true;
    }

    /// Updates the trees to the current text. This is incremental: without syntax errors, the cost depends on the size of the
    /// edits.
    pub fn reparse(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.chunks.reparse(&self.rope, &mut self.parser);
        }
    }

    /// The text with its trees, reparsed if necessary.
    pub fn snapshot(&mut self) -> Snapshot {
        self.reparse();
        self.number.1 += 1;
        let edits = Arc::from(std::mem::take(&mut self.edits));
        let trees = self.chunks.trees().cloned().collect();
        Snapshot { rope: self.rope.clone(), trees, number: self.number, edits }
    }
}

/// The parse of a whole text in steps: other work can be done between two of them.
pub struct GradualParse<'t> {
    text: &'t str,
    /// Nothing after the end.
    state: Option<(Rope, ParseSteps)>,
}

impl std::fmt::Debug for GradualParse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GradualParse").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

impl<'t> GradualParse<'t> {
    /// Begins to parse a text.
    pub fn new(text: &'t str) -> Self {
        Self::with_chunk_size(text, MIN_CHUNK)
    }

    /// Like [`GradualParse::new`], with chunks of at least `min_chunk` bytes: for tests, which use small chunks.
    pub fn with_chunk_size(text: &'t str, min_chunk: usize) -> Self {
        Self { text, state: Some((Rope::from_str(text), ChunkedParse::steps(text, min_chunk))) }
    }

    /// Parses the next part of the text. Returns the whole, once, when that was the last part.
    pub fn step(&mut self) -> Option<Snapshot> {
        let (rope, steps) = self.state.as_mut()?;
        if !steps.step(self.text, rope) {
            return None;
        }
        let (rope, steps) = self.state.take()?;
        Some(Document::parsed(rope, steps.end()).snapshot())
    }
}
