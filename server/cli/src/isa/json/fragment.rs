//! Layouts of matrices as JSON.

use super::common::list;
use ptx_isa::tables::{Expr, FormulaInput, FragmentInfo, FragmentUse, Let, LetValue};
use serde_json::{Value, json};

/// A layout, with its formulas as text.
pub fn fragment(f: &'static FragmentInfo) -> Value {
    let FragmentInfo {
        name,
        matrix,
        uses,
        threads,
        unit,
        units,
        ty,
        lets,
        inputs,
        matrices,
        rows,
        columns,
        count,
        part,
        row,
        column,
        held,
        position,
        width,
        spans,
        first,
        last,
        unspecified,
        manual,
        doc,
        source,
    } = *f;
    let used = |u: &FragmentUse| {
        let FragmentUse { instructions, operands, with, without, elements } = *u;
        json!({"instructions": instructions, "operands": operands, "with": with, "without": without, "elements": elements})
    };
    let value = |v: &LetValue| {
        let LetValue { value, with } = *v;
        json!({"value": value, "with": with})
    };
    let bound = |l: &Let| {
        let Let { name, values } = *l;
        json!({"name": name, "values": list(values, value)})
    };
    let input = |i: &FormulaInput| {
        let FormulaInput { name, operand, element } = *i;
        json!({"name": name, "operand": operand, "element": element})
    };
    json!({
        "name": name, "matrix": matrix, "uses": list(uses, used), "threads": threads, "unit": unit, "units": units,
        "type": ty, "lets": list(lets, bound), "inputs": list(inputs, input), "matrices": text(matrices),
        "rows": text(rows), "columns": text(columns), "count": text(count), "part": text(part), "row": text(row),
        "column": text(column), "held": text(held), "position": text(position), "width": text(width), "spans": spans,
        "first": text(first), "last": text(last), "unspecified": unspecified, "manual": manual, "doc": doc,
        "source": source,
    })
}

/// The text of a formula; its compiled steps are equivalent.
fn text(expr: Expr) -> &'static str {
    let Expr { text, steps: _ } = expr;
    text
}
