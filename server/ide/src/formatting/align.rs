//! What stands in columns over several lines.

use super::FormatOptions;
use super::line::{LeadingSpace, TextSegment};

/// What of a line is aligned with others.
#[derive(Debug, Default)]
pub struct AlignedRow {
    /// Which lines it is aligned with: those that have the same.
    shape: Option<AlignmentKey>,
    /// Pieces that are moved to a column, and the widths of what stands between them.
    cells: Vec<(usize, usize)>,
    comment: Option<Comment>,
}

/// What lines have in common that are aligned with each other.
#[derive(Debug, PartialEq, Eq)]
pub enum AlignmentKey {
    /// Declarations with the same parts, a letter for each.
    Declaration(String),
    /// Instructions.
    Operands,
    /// Instructions with opcodes that are too long for the column of operands.
    LongOperands,
}

/// What differs more than that in width is not brought to one column.
const NEAR: usize = 10;

/// A comment behind a line.
#[derive(Debug)]
struct Comment {
    piece: usize,
    /// The column at which the line ends before it.
    code: usize,
    /// The column at which it stands now.
    found: usize,
    /// The blanks that part it from the code now.
    blanks: Option<usize>,
}

/// Lines that wait for those that follow them.
#[derive(Debug, Default)]
pub struct AlignmentBatch {
    rows: Vec<AlignedRow>,
}

impl AlignedRow {
    /// Notes what of a line is aligned.
    pub fn align(&mut self, shape: AlignmentKey, cells: Vec<(usize, usize)>) {
        self.shape = Some(shape);
        self.cells = cells;
    }

    /// Notes a comment behind a line.
    pub fn comment(&mut self, piece: usize, code: usize, found: usize, blanks: Option<usize>) {
        self.comment = Some(Comment { piece, code, found, blanks });
    }

    /// Whether the next lines matter for it.
    pub fn is_aligned(&self) -> bool {
        self.shape.is_some() || self.comment.is_some()
    }
}

impl AlignmentBatch {
    /// Adds a line.
    pub fn add(&mut self, row: AlignedRow) {
        self.rows.push(row);
    }

    /// Aligns the lines that wait.
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

/// Brings the cells of lines of one shape to the same columns.
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

/// Brings comments to one column: theirs if they have one, else behind the longest line.
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
