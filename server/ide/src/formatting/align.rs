//! Alignment of columns over several lines.

use super::line::{LeadingSpace, TextSegment};
use super::options::FormatOptions;

/// The parts of a line that are aligned with other lines.
#[derive(Debug, Default)]
pub struct AlignedRow {
    /// Consecutive lines with the same key are aligned with each other.
    shape: Option<AlignmentKey>,
    /// Segments that are moved to a column: index of the segment, and width in columns of the text before it.
    cells: Vec<(usize, usize)>,
    comment: Option<Comment>,
}

/// The key of lines that are aligned with each other.
#[derive(Debug, PartialEq, Eq)]
pub enum AlignmentKey {
    /// Declarations with the same parts; the string has a letter for each part.
    Declaration(String),
    /// Instructions.
    Operands,
    /// Instructions whose mnemonics are too long for the operand column.
    LongOperands,
}

/// Cells whose widths differ by more columns than this are not aligned.
const NEAR: usize = 10;

/// A comment at the end of a line.
#[derive(Debug)]
struct Comment {
    piece: usize,
    /// Column at which the code before the comment ends.
    code: usize,
    /// Column of the comment in the source.
    found: usize,
    /// Number of blanks between the code and the comment in the source, if there is nothing but blanks.
    blanks: Option<usize>,
}

/// Consecutive lines that will be aligned together.
#[derive(Debug, Default)]
pub struct AlignmentBatch {
    rows: Vec<AlignedRow>,
}

impl AlignedRow {
    /// Sets the cells of the line.
    pub fn align(&mut self, shape: AlignmentKey, cells: Vec<(usize, usize)>) {
        self.shape = Some(shape);
        self.cells = cells;
    }

    /// Sets the trailing comment of the line.
    pub fn comment(&mut self, piece: usize, code: usize, found: usize, blanks: Option<usize>) {
        self.comment = Some(Comment { piece, code, found, blanks });
    }

    /// Whether the alignment of the line depends on the next lines.
    pub fn is_aligned(&self) -> bool {
        self.shape.is_some() || self.comment.is_some()
    }
}

impl AlignmentBatch {
    /// Adds a line.
    pub fn add(&mut self, row: AlignedRow) {
        self.rows.push(row);
    }

    /// Aligns the lines of the batch and empties it.
    pub fn align(&mut self, pieces: &mut [TextSegment], options: &FormatOptions) {
        let mut rows = std::mem::take(&mut self.rows);
        for group in rows.chunk_by_mut(|a, b| a.shape.is_some() && a.shape == b.shape) {
            columns(group, pieces);
        }
        let beside =
            |row: &AlignedRow| row.comment.as_ref().is_some_and(|c| c.code <= options.width && options.align_comments);
        for group in rows.chunk_by(|a, b| beside(a) && beside(b)) {
            comments(group, pieces);
        }
    }
}

/// Aligns the cells of lines with the same key.
fn columns(rows: &mut [AlignedRow], pieces: &mut [TextSegment]) {
    let most = rows.iter().map(|r| r.cells.len()).max().unwrap_or(0);
    for cell in 0..most {
        let widths = || rows.iter().filter_map(|r| r.cells.get(cell)).map(|c| c.1);
        let (Some(width), Some(least)) = (widths().max(), widths().min()) else { continue };
        if width - least > NEAR && rows.iter().any(|r| r.shape != Some(AlignmentKey::Operands)) {
            continue;
        }
        for row in rows.iter_mut() {
            let Some((piece, own)) = row.cells.get(cell).copied() else { continue };
            if let Some(TextSegment { space: LeadingSpace::Blanks(count), .. }) = pieces.get_mut(piece) {
                *count += width - own;
                if let Some(comment) = &mut row.comment {
                    comment.code += width - own;
                }
            }
        }
    }
}

/// Aligns comments: they keep their column if they share one, otherwise they go to the right of the longest line.
fn comments(rows: &[AlignedRow], pieces: &mut [TextSegment]) {
    let comments: Vec<&Comment> = rows.iter().filter_map(|r| r.comment.as_ref()).collect();
    let Some(first) = comments.first() else { return };
    let longest = comments.iter().map(|c| c.code).max().unwrap_or(0);
    let alone = comments.len() == 1;
    let close = first.blanks.filter(|b| alone && (1..=2).contains(b));
    let column = if let Some(blanks) = close {
        longest + blanks
    } else if comments.iter().all(|c| c.found == first.found) && first.found > longest {
        first.found
    } else {
        longest + 2
    };
    for comment in comments {
        if let Some(TextSegment { space: space @ LeadingSpace::Blanks(_), .. }) = pieces.get_mut(comment.piece) {
            *space = LeadingSpace::Blanks(column - comment.code);
        }
    }
}
