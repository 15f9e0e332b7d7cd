//! A matrix as a table of the registers that hold it. Regular rows and columns are left out.

use ptx_isa::fragment::{FragmentLayout, Holder, MatrixPosition};

/// Maximum width of the text, in characters.
const WIDTH: usize = 96;
/// Maximum number of cells in a row; further columns are left out.
const CELLS: usize = 8;
/// Maximum number of rows with the same pattern that are all shown.
const PATTERN: usize = 4;
/// Number of patterns that are shown before the last one.
const PATTERNS: usize = 2;

/// A part of a matrix.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The column headings: columns of the matrix, such as `0-1`. An empty heading marks columns that are left out.
    pub heads: Vec<String>,
    /// The rows.
    pub lines: Vec<GridLine>,
}

/// A row, or a gap of omitted rows.
#[derive(Debug, Clone)]
pub enum GridLine {
    /// The row heading, `0` or `0-1`, and one cell per column heading. `None` marks columns that are left out.
    Row(String, Vec<Option<GridCell>>),
    /// Omitted rows that follow the pattern.
    Gap,
}

/// A run of elements along a row or column that one register of one thread holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridCell {
    /// Index of the thread.
    pub thread: u32,
    /// Index of the register, if the operand has several.
    pub register: Option<u32>,
    /// The lowest and the highest bit of the run in the register, unless it fills the register.
    pub bits: Option<(u32, u32)>,
    /// The register is the one to be marked.
    pub marked: bool,
}

impl GridCell {
    /// The text of the cell: `T4:2`, `T4 bits 0-15`.
    pub fn text(&self) -> String {
        let register = self.register.map_or(String::new(), |r| format!(":{r}"));
        let bits = self.bits.map_or(String::new(), |(low, high)| format!(" bits {low}-{high}"));
        format!("T{}{register}{bits}", self.thread)
    }

    /// The length of that text.
    fn len(&self) -> usize {
        let digits = |number: u32| number.checked_ilog10().map_or(1, |n| n as usize + 1);
        let bits = self.bits.map_or(0, |(low, high)| 7 + digits(low) + digits(high));
        1 + digits(self.thread) + self.register.map_or(0, |r| 1 + digits(r)) + bits
    }
}

impl Grid {
    /// The grid of one matrix of a layout; the cells of `register` are marked.
    pub fn new(layout: &FragmentLayout, matrix: u32, register: Option<u32>) -> Option<Self> {
        let (rows, columns) = (layout.rows as usize, layout.columns as usize);
        let mut holders: Vec<Option<Holder>> = vec![None; rows.checked_mul(columns)?];
        for (place, holder) in layout.elements().filter(|(place, _)| place.matrix == matrix) {
            let MatrixPosition { row, column, .. } = place;
            *holders.get_mut(row as usize * columns + column as usize)? = Some(holder);
        }
        let table = HolderTable { layout, columns, holders };
        let edges = table.edges(rows, columns, |a, b| (a, b));
        // If no run is longer than one element along the rows, runs may lie along the columns, as in B of `mma`.
        let bands =
            if edges.len() > columns { table.edges(columns, rows, |a, b| (b, a)) } else { (0..=rows).collect() };
        let cells = |band: &[usize]| -> Vec<Option<GridCell>> {
            edges.windows(2).map(|edge| table.cell(band, edge, register)).collect()
        };
        let all: Vec<Vec<Option<GridCell>>> = bands.windows(2).map(cells).collect();
        let head = |edge: &[usize]| match edge[1] - edge[0] {
            1 => edge[0].to_string(),
            _ => format!("{}-{}", edge[0], edge[1] - 1),
        };
        let heads: Vec<String> = edges.windows(2).map(head).collect();
        let names: Vec<String> = bands.windows(2).map(head).collect();
        let shown = window(&heads, &all);
        let pick = |cells: &[Option<GridCell>]| {
            shown.iter().map(|i| i.and_then(|i| cells.get(i).cloned().flatten())).collect()
        };
        let heads = shown.iter().map(|i| i.and_then(|i| heads.get(i).cloned()).unwrap_or_default()).collect();
        let lines = lines(&all).into_iter().map(|row| match row {
            Some(row) => GridLine::Row(names[row].clone(), pick(&all[row])),
            None => GridLine::Gap,
        });
        Some(Self { heads, lines: lines.collect() })
    }

    /// The grid as monospaced text.
    pub fn text(&self) -> String {
        let width = |i: usize| {
            let cell = |line: &GridLine| match line {
                GridLine::Row(_, cells) => cells.get(i).and_then(Option::as_ref).map_or(1, |c| c.len() + 2),
                GridLine::Gap => 0,
            };
            let widest = self.lines.iter().map(cell).max().unwrap_or(0);
            widest.max(self.heads.get(i).map_or(0, |h| if h.is_empty() { 1 } else { h.len() + 2 }))
        };
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let rows = self
            .lines
            .iter()
            .map(|line| if let GridLine::Row(row, _) = line { row.len() } else { 1 })
            .max()
            .unwrap_or(1)
            + 1;
        let mut out = " ".repeat(rows);
        for (head, width) in self.heads.iter().zip(&widths) {
            out.push_str(&format!(" {:^width$}", if head.is_empty() { "…" } else { head }));
        }
        for line in &self.lines {
            out.truncate(out.trim_end().len());
            out.push('\n');
            match line {
                GridLine::Gap => out.push_str(&format!("{:>rows$}", "⋮")),
                GridLine::Row(row, cells) => {
                    out.push_str(&format!("{row:>rows$}"));
                    for ((cell, head), width) in cells.iter().zip(&self.heads).zip(&widths) {
                        let text = match cell {
                            Some(cell) if cell.marked => format!("[{}]", cell.text()),
                            Some(cell) => format!(" {} ", cell.text()),
                            None if head.is_empty() => "…".to_owned(),
                            None => "·".to_owned(),
                        };
                        out.push_str(&format!(" {text:^width$}"));
                    }
                }
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// The holder of each element of one matrix, row by row.
struct HolderTable<'a> {
    layout: &'a FragmentLayout,
    columns: usize,
    holders: Vec<Option<Holder>>,
}

impl HolderTable<'_> {
    fn at(&self, row: usize, column: usize) -> Option<Holder> {
        self.holders.get(row * self.columns + column).copied().flatten()
    }

    /// The positions at which a register or a run of its elements begins in any line, and the end. A line is a row or a
    /// column. `at` converts a line and a position in it to a row and a column.
    fn edges(&self, lines: usize, places: usize, at: impl Fn(usize, usize) -> (usize, usize)) -> Vec<usize> {
        let holder = |line, place| {
            let (row, column) = at(line, place);
            self.at(row, column)
        };
        let joined = |line: usize, place: usize| match (holder(line, place - 1), holder(line, place)) {
            (Some(a), Some(b)) => {
                let of = |h: Holder| self.layout.bits(h.element).map(|bits| bits.register);
                a.thread == b.thread && a.element + 1 == b.element && of(a) == of(b)
            }
            (a, b) => a == b,
        };
        let starts = (1..places).filter(|place| (0..lines).any(|line| !joined(line, *place)));
        std::iter::once(0).chain(starts).chain(std::iter::once(places)).collect()
    }

    /// The cell between two row edges and two column edges: a run of elements in one register.
    fn cell(&self, rows: &[usize], columns: &[usize], register: Option<u32>) -> Option<GridCell> {
        let ([top, bottom], [left, right]) = (rows, columns) else { return None };
        let (first, last) = (self.at(*top, *left)?, self.at(bottom.checked_sub(1)?, right.checked_sub(1)?)?);
        let (low, high) = (self.layout.bits(first.element)?, self.layout.bits(last.element)?);
        let end = high.low + high.width;
        let whole = low.low == 0 && end == self.layout.register_bits;
        Some(GridCell {
            thread: first.thread,
            register: (self.layout.registers > 1).then_some(low.register),
            bits: (!whole).then_some((low.low, end.saturating_sub(1))),
            marked: register == Some(low.register) && self.layout.registers > 1,
        })
    }
}

/// The indices of the cells of a row that are shown: those around the marked cell, and the last one. `None` marks omitted
/// cells.
fn window(heads: &[String], all: &[Vec<Option<GridCell>>]) -> Vec<Option<usize>> {
    let texts = all.iter().flatten().flatten().map(|c| c.len() + 3);
    let widest = texts.chain(heads.iter().map(|h| h.len() + 3)).max().unwrap_or(4);
    let fit = (WIDTH.saturating_sub(8) / widest).max(2);
    if heads.len() <= fit.min(CELLS + 1) {
        return (0..heads.len()).map(Some).collect();
    }
    let most = fit.min(CELLS);
    let marked = all.iter().filter_map(|row| row.iter().position(|c| c.as_ref().is_some_and(|c| c.marked))).min();
    let start = (marked.unwrap_or(0) / most * most).min(heads.len() - 1);
    let end = (start + most).min(heads.len());
    let mut out: Vec<Option<usize>> = Vec::new();
    if start > 0 {
        out.push(None);
    }
    out.extend((start..end).map(Some));
    if end + 1 < heads.len() {
        out.push(None);
    }
    // The last one, if there is room for it.
    if end < heads.len() && (fit > most || end + 1 == heads.len()) {
        out.push(Some(heads.len() - 1));
    }
    out
}

/// The indices of the rows that are shown; `None` marks omitted rows of a pattern.
fn lines(all: &[Vec<Option<GridCell>>]) -> Vec<Option<usize>> {
    // Rows follow the same pattern if only the threads change, each time by the same amount.
    let mut patterns: Vec<(usize, usize)> = Vec::new();
    let mut step: Option<i64> = None;
    for row in 0..all.len() {
        let distance = row.checked_sub(1).and_then(|before| distance(&all[before], &all[row]));
        match (patterns.last_mut(), distance) {
            (Some(last), Some(found)) if step.is_none_or(|step| step == found) => {
                step = Some(found);
                last.1 = row + 1;
            }
            _ => {
                step = None;
                patterns.push((row, row + 1));
            }
        }
    }
    let mut out = Vec::new();
    let count = patterns.len();
    for (index, (from, to)) in patterns.into_iter().enumerate() {
        if count > PATTERNS + 2 && index >= PATTERNS && index + 1 < count {
            if index == PATTERNS {
                out.push(None);
            }
        } else if to - from > PATTERN {
            out.extend([Some(from), Some(from + 1), None, Some(to - 1)]);
        } else {
            out.extend((from..to).map(Some));
        }
    }
    out
}

/// The difference between the threads of two rows; `None` if the rows differ in anything else.
fn distance(a: &[Option<GridCell>], b: &[Option<GridCell>]) -> Option<i64> {
    let mut found = None;
    for (a, b) in a.iter().zip(b) {
        match (a, b) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                let same = (a.register, a.bits, a.marked) == (b.register, b.bits, b.marked);
                let step = i64::from(b.thread) - i64::from(a.thread);
                if !same || found.is_some_and(|f| f != step) {
                    return None;
                }
                found = Some(step);
            }
            _ => return None,
        }
    }
    found
}
