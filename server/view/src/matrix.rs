//! The matrices of an instruction, with the values of their elements.

use crate::lane_values::LaneValues;
use crate::reading::element_text;
use ptx_interp::inspect::{self, RegisterView};
use ptx_interp::machine::{Machine, WarpId};
use ptx_isa::fragment::{MatrixElement, OperandMatrix};
use serde::Serialize;

/// A matrix with its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Matrix {
    /// The text of the operand.
    pub operand: String,
    /// The name of the matrix: `A`, `D`.
    pub matrix: &'static str,
    /// The type of its elements, with the dot.
    #[serde(rename = "type")]
    pub ty: Option<&'static str>,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Number of threads that hold the matrix.
    pub threads: u32,
    /// Whether the values are those after the step: those of its result. Of other operands they are those before.
    pub result: bool,
    /// The names of the registers.
    pub registers: Vec<String>,
    /// For each element its lane (in a warpgroup the number of the thread), register, part of the register, row and column.
    pub elements: Vec<[u32; 5]>,
    /// The texts of the elements, in the same order; `null` where nothing was written, and in another warp.
    pub texts: Vec<Option<String>>,
}

/// Fills matrices with the values of a warp: the first, which is the result, after a step, the others before it.
pub fn matrices(layouts: &[OperandMatrix], before: &Machine, after: &Machine, target: WarpId) -> Vec<Matrix> {
    let registers = |machine: &Machine| {
        let next = inspect::groups(machine, target).and_then(|view| view.next).unwrap_or(0);
        inspect::registers(machine, target, next, 0).unwrap_or_default()
    };
    let (before, after) = (registers(before), registers(after));
    let fill =
        |(at, layout): (usize, &OperandMatrix)| matrix(layout, if at == 0 { &after } else { &before }, at == 0, target);
    layouts.iter().enumerate().map(fill).collect()
}

fn matrix(layout: &OperandMatrix, registers: &[RegisterView], result: bool, target: WarpId) -> Matrix {
    let find = |name: &String| registers.iter().find(|register| register.name == *name && register.ty != ".pred");
    let own: Vec<Option<&RegisterView>> = layout.registers.iter().map(find).collect();
    // The warps of a warpgroup hold a quarter each.
    let first = target.warp % (layout.threads / 32).max(1) * 32;
    let text = |&MatrixElement { lane, register, part, .. }: &MatrixElement| {
        let lane = lane.checked_sub(first).filter(|lane| *lane < 32)?;
        let register = own.get(register as usize).copied().flatten()?;
        (register.known >> lane & 1 != 0).then(|| {
            let bits = LaneValues::of_register(register).bits(lane as usize) >> (part * layout.bits).min(127);
            let ty = layout.ty.unwrap_or(".b32");
            element_text(ty, bits & (u128::MAX >> (128 - layout.bits.clamp(1, 128))))
        })
    };
    Matrix {
        operand: layout.operand.clone(),
        matrix: layout.name,
        ty: layout.ty,
        rows: layout.rows,
        columns: layout.columns,
        threads: layout.threads,
        result,
        registers: layout.registers.clone(),
        texts: layout.elements.iter().map(text).collect(),
        elements: layout.elements.iter().map(MatrixElement::numbers).collect(),
    }
}
