//! A text that can be edited, and its tree.

use crate::chunks::{ChunkTree, ChunkedParse, MIN_CHUNK, point};
use crate::parser::parser;
use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tree_sitter::{InputEdit, Node, Parser};

/// A text and the tree of that very text, or the trees of its chunks. Cheap to clone: both parts are shared.
#[derive(Debug, Clone)]
pub struct Snapshot {
    rope: Rope,
    /// At least one.
    trees: Arc<[ChunkTree]>,
    /// Which snapshot of its document this is, and of which document.
    number: (u64, u64),
    /// The edits since the snapshot before.
    edits: Arc<[SourceEdit]>,
}

/// One replacement: bytes `start..old_end` became `start..new_end`. Of several, each counts in the text that the ones
/// before it left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceEdit {
    /// Where it begins.
    pub start: usize,
    /// Where the replaced text ended.
    pub old_end: usize,
    /// Where the new text ends.
    pub new_end: usize,
}

impl SourceEdit {
    /// This replacement and one after it as one.
    fn followed_by(self, next: Self) -> Self {
        let beyond = next.old_end.saturating_sub(self.new_end);
        Self {
            start: self.start.min(next.start),
            old_end: self.old_end + beyond,
            new_end: self.new_end + beyond + next.new_end - next.old_end,
        }
    }
}

/// Gives each document a number of its own.
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

    /// As [`Snapshot::in_chunks`], in chunks of at least `min_chunk` bytes: for tests, in which chunks are small.
    pub fn with_chunk_size(text: &str, threads: usize, min_chunk: usize) -> Self {
        Document::with_chunk_size(text, threads, min_chunk).snapshot()
    }

    /// The text.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// The edits that led here from an earlier snapshot, if `earlier` is the very one before: a hint for those who
    /// remember things of it.
    pub fn edits_since(&self, earlier: SnapshotId) -> Option<&[SourceEdit]> {
        (self.number.0 == earlier.0 && self.number.1 == earlier.1 + 1).then_some(&self.edits)
    }

    /// All edits that led here from an earlier snapshot as one replacement, if `earlier` is the very one before; `Some(None)` if there was
    /// none.
    pub fn change_since(&self, earlier: SnapshotId) -> Option<Option<SourceEdit>> {
        let edits = self.edits_since(earlier)?;
        Some(edits.iter().copied().reduce(SourceEdit::followed_by))
    }

    /// Names this snapshot for [`Snapshot::edits_since`].
    pub fn id(&self) -> SnapshotId {
        SnapshotId(self.number.0, self.number.1)
    }

    /// The root nodes of all chunks, in order; one for a text that was parsed as a whole. Together their children are the items of
    /// the module.
    pub fn roots(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        self.trees.iter().map(|chunk| chunk.tree.root_node())
    }

    /// The root node of the chunk in which an offset lies; where two meet, of that which begins there.
    pub fn root_at(&self, offset: usize) -> Node<'_> {
        let index = self.trees.partition_point(|chunk| chunk.start <= offset).saturating_sub(1);
        self.trees[index].tree.root_node()
    }

    /// The smallest node, named or not, that covers a byte range; nothing, if the range reaches into another chunk or beyond the text.
    pub fn leaf(&self, range: Range<usize>) -> Option<Node<'_>> {
        self.root_at(range.start).descendant_for_byte_range(range.start, range.end)
    }

    /// Whether there is a syntax error anywhere.
    pub fn has_error(&self) -> bool {
        self.roots().any(|root| root.has_error())
    }

    /// Where brackets begin to nest too deep, once for each chunk in which they do. The trees are of the text without those brackets: so deep
    /// that the assembler gives up there, too, and no deeper than code that recurses into them can go.
    pub fn too_deep(&self) -> impl Iterator<Item = usize> {
        self.trees.iter().filter_map(|chunk| Some(chunk.start + chunk.too_deep?))
    }

    /// The text of a byte range, which must lie on character boundaries, as ranges of nodes do; what lies
    /// beyond the end of the text is cut off.
    pub fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        let end = range.end.min(self.rope.len_bytes());
        let start = range.start.min(end);
        self.rope.get_byte_slice(start..end).map_or(Cow::Borrowed(""), Cow::from)
    }

    /// The smallest named node at an offset; where two nodes meet, the one that begins there is preferred unless it
    /// is not named.
    pub fn node_at(&self, offset: usize) -> Option<Node<'_>> {
        let end = (offset + 1).min(self.rope.len_bytes());
        let start = offset.min(end);
        self.root_at(start).named_descendant_for_byte_range(start, end)
    }
}

/// Names a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotId(u64, u64);

/// A text under edit. Edits are applied to the text at once and to the trees by [`Document::reparse`].
pub struct Document {
    rope: Rope,
    chunks: ChunkedParse,
    parser: Parser,
    stale: bool,
    /// Number of this document and of its last snapshot.
    number: (u64, u64),
    /// Edits since then.
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

    /// As [`Document::in_chunks`], in chunks of at least `min_chunk` bytes: for tests, in which chunks are small.
    pub fn with_chunk_size(text: &str, threads: usize, min_chunk: usize) -> Self {
        let rope = Rope::from_str(text);
        let chunks = ChunkedParse::new(text, &rope, threads, min_chunk);
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

    /// Brings the trees up to the text: incremental, in the size of the edits where the text is sound.
    pub fn reparse(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.chunks.reparse(&self.rope, &mut self.parser);
        }
    }

    /// The text with its trees, reparsed if need be.
    pub fn snapshot(&mut self) -> Snapshot {
        self.reparse();
        self.number.1 += 1;
        let edits = Arc::from(std::mem::take(&mut self.edits));
        let trees = self.chunks.trees().cloned().collect();
        Snapshot { rope: self.rope.clone(), trees, number: self.number, edits }
    }
}
