//! The elements of matrix operands one by one, for views that draw their values.

use super::operands;
use crate::walk::roots_in;
use ptx_analysis::ast::{Operand, OperandKind};
use ptx_analysis::lower::{self, ItemSource};
use ptx_analysis::semantics::Semantics;
use ptx_isa::fragment::LayoutLookup;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Elements of a matrix that are told; a larger one is left out.
const MAX_ELEMENTS: usize = 1 << 16;

/// The matrices of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrices {
    /// The instruction, as it is written.
    pub instruction: String,
    /// Its operands that are matrices, in their order.
    pub matrices: Vec<FragmentMatrix>,
}

/// A matrix that lanes hold in registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentMatrix {
    /// The operand, as it is written.
    pub operand: String,
    /// What it is called: `A`, `D`.
    pub name: &'static str,
    /// The type of its elements, with the dot.
    pub ty: Option<&'static str>,
    /// Bits of an element.
    pub bits: u32,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Threads that hold it together: 32, or 128 of a warpgroup.
    pub threads: u32,
    /// The registers of the operand, in their order.
    pub registers: Vec<String>,
    /// Who holds what.
    pub elements: Vec<MatrixElement>,
}

/// An element of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixElement {
    /// The lane; of a warpgroup the thread in it.
    pub lane: u32,
    /// The register among those of the operand.
    pub register: u32,
    /// Which part of the register, counted from its lowest bits in elements.
    pub part: u32,
    /// The row.
    pub row: u32,
    /// The column.
    pub column: u32,
}

/// The matrices of the first instruction in a range that has any; nothing if none has.
pub fn matrices_in(snapshot: &Snapshot, range: Range<usize>) -> Option<Matrices> {
    roots_in(snapshot, range.clone()).find_map(|root| matrices_of_piece(snapshot, root, &range))
}

fn matrices_of_piece(snapshot: &Snapshot, root: Node<'_>, range: &Range<usize>) -> Option<Matrices> {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let inside = node.start_byte() < range.end && node.end_byte() > range.start;
        if inside && node.kind_id() == kinds().instruction && node.start_byte() >= range.start {
            let found = matrices(snapshot, node);
            if found.as_ref().is_some_and(|f| !f.matrices.is_empty()) {
                return found;
            }
        } else if inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

fn matrices(snapshot: &Snapshot, node: Node<'_>) -> Option<Matrices> {
    let text = snapshot.text(node.byte_range());
    let source = ItemSource { text: &text, base: node.start_byte() };
    let instruction = lower::instruction(source, node)?;
    let word = |operand: &Operand<'_>| snapshot.text(source.absolute(operand.range.clone())).into_owned();
    let mut out = Vec::new();
    for found in operands(&Semantics::new(snapshot), &instruction) {
        let LayoutLookup::Layout(layout) = &found.found else { continue };
        let registers = match &found.operand.kind {
            OperandKind::Vector(list) => list.iter().map(word).collect(),
            _ => vec![word(found.operand)],
        };
        let size = (layout.rows as usize).saturating_mul(layout.columns as usize);
        if size > MAX_ELEMENTS || layout.columns < 2 {
            continue;
        }
        for matrix in 0..layout.matrices {
            let all = layout.elements().filter(|(place, _)| place.matrix == matrix);
            let element = |(place, holder): (ptx_isa::fragment::MatrixPosition, ptx_isa::fragment::Holder)| {
                let bits = layout.bits(holder.element)?;
                let part = bits.low / bits.width.max(1);
                let (row, column) = (place.row, place.column);
                Some(MatrixElement { lane: holder.thread, register: bits.register, part, row, column })
            };
            let elements: Vec<MatrixElement> = all.filter_map(element).take(MAX_ELEMENTS).collect();
            if elements.is_empty() {
                continue;
            }
            out.push(FragmentMatrix {
                operand: word(found.operand),
                name: layout.fragment.matrix,
                ty: layout.ty,
                bits: layout.width,
                rows: layout.rows,
                columns: layout.columns,
                threads: layout.threads,
                registers: Vec::clone(&registers),
                elements,
            });
        }
    }
    Some(Matrices { instruction: text.trim().to_owned(), matrices: out })
}
