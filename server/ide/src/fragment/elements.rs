//! The single elements of matrix operands, for views that draw their values.

use super::operands;
use crate::excerpt::one_line;
use ptx_analysis::{ItemSource, Operand, OperandKind, Semantics, lower};
use ptx_isa::fragment::{LayoutLookup, MatrixElement, OperandMatrix};
use ptx_syntax::statements::instructions_of_lines;
use ptx_syntax::{Node, Snapshot};
use std::ops::Range;

/// Maximum number of elements of a reported matrix; larger matrices are left out.
const MAX_ELEMENTS: usize = 1 << 16;

/// The matrices of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrices {
    /// The text of the instruction.
    pub instruction: String,
    /// Its matrix operands, in order.
    pub matrices: Vec<OperandMatrix>,
}

/// The matrices of the first instruction that has any in a range of lines; `None` if none has.
pub fn matrices_in(snapshot: &Snapshot, range: Range<usize>) -> Option<Matrices> {
    let mut all = instructions_of_lines(snapshot, range).into_iter().filter_map(|node| matrices(snapshot, node));
    all.find(|found| !found.matrices.is_empty())
}

fn matrices(snapshot: &Snapshot, node: Node<'_>) -> Option<Matrices> {
    let text = snapshot.text(node.byte_range());
    let source = ItemSource { text: &text, base: node.start_byte() };
    let instruction = lower::instruction(source, node)?;
    let word = |operand: &Operand<'_>| one_line(&snapshot.text(source.absolute(operand.range.clone())));
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
            out.push(OperandMatrix {
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
