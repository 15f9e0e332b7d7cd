//! Layout formulas as readable text. Constants of the instruction and of the register are substituted and folded.

use ptx_isa::fragment::FragmentLayout;
use ptx_isa::tables::{Expr, FormulaOperation, FormulaStep, FormulaVariable};

/// A sum: atoms with their factors, and a constant.
#[derive(Debug, Clone, Default)]
struct Sum {
    terms: Vec<(i64, Atom)>,
    constant: i64,
}

/// A text that is not a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Atom {
    text: String,
    /// The text needs no parentheses in a larger formula.
    name: bool,
}

/// A part of a formula. If it does not depend on the thread, it also has the value for each element of the register.
type FormulaPart = (Sum, Option<Vec<i64>>);

/// The text of a layout formula: `lane/4 + 8`. It is for one register of the operand if `register` is set.
///
/// The formula calls an element of that register `j`, and an element of a single-register operand `i`.
pub fn written(layout: &FragmentLayout, expr: &Expr, register: Option<u32>) -> String {
    let register = if layout.registers == 1 { Some(0) } else { register };
    let mut stack: Vec<FormulaPart> = Vec::new();
    for step in expr.steps {
        let part = match step {
            FormulaStep::Operation(operation) => {
                let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else { return expr.text.to_owned() };
                operated(layout, *operation, a, b)
            }
            _ => leaf(layout, *step, register),
        };
        stack.push(part);
    }
    stack.pop().unwrap_or_default().0.text()
}

fn leaf(layout: &FragmentLayout, step: FormulaStep, register: Option<u32>) -> FormulaPart {
    let elements = i64::from(layout.per_register());
    if let Some(constant) = layout.constant(step, register) {
        return (Sum { terms: Vec::new(), constant }, Some(vec![constant; elements as usize]));
    }
    let first = match (step, register) {
        (FormulaStep::Variable(FormulaVariable::Element), Some(register)) => Some(i64::from(register) * elements),
        (FormulaStep::Variable(FormulaVariable::Within), _) => Some(0),
        _ => None,
    };
    match (first, step) {
        (Some(first), _) => {
            let values: Vec<i64> = (first..first + elements).collect();
            (folded(layout, &values).unwrap_or_default(), Some(values))
        }
        (None, FormulaStep::Variable(FormulaVariable::Group)) => (Sum::atom("lane/4".to_owned(), false), None),
        (None, FormulaStep::Variable(FormulaVariable::Quad)) => (Sum::atom("lane%4".to_owned(), false), None),
        (None, FormulaStep::Variable(variable)) => {
            let name = FormulaVariable::NAMES.iter().find(|v| v.1 == variable).map_or("?", |v| v.0);
            (Sum::atom(name.to_owned(), true), None)
        }
        (None, _) => (Sum::atom("?".to_owned(), true), None),
    }
}

fn operated(layout: &FragmentLayout, operation: FormulaOperation, a: FormulaPart, b: FormulaPart) -> FormulaPart {
    let values = match (&a.1, &b.1) {
        (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| operation.apply(*a, *b)).collect::<Option<Vec<i64>>>(),
        _ => None,
    };
    let sum = values.as_ref().and_then(|values| folded(layout, values)).unwrap_or_else(|| a.0.apply(operation, b.0));
    (sum, values)
}

/// Values that grow evenly with the element, as a sum: `2*j + 8`.
fn folded(layout: &FragmentLayout, values: &[i64]) -> Option<Sum> {
    let first = *values.first()?;
    let step = values.get(1).map_or(0, |second| second - first);
    let even = values.windows(2).all(|pair| pair[1] - pair[0] == step);
    let name = if layout.registers == 1 { "i" } else { "j" };
    let terms = if step == 0 { Vec::new() } else { vec![(step, Atom { text: name.to_owned(), name: true })] };
    even.then_some(Sum { terms, constant: first })
}

impl Sum {
    fn atom(text: String, name: bool) -> Self {
        Self { terms: vec![(1, Atom { text, name })], constant: 0 }
    }

    fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn apply(self, operation: FormulaOperation, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.number(), other.number())
            && let Some(constant) = operation.apply(a, b)
        {
            return Self { terms: Vec::new(), constant };
        }
        match (operation, self.number(), other.number()) {
            (FormulaOperation::Add, _, _) => self.plus(other, 1),
            (FormulaOperation::Subtract, _, _) => self.plus(other, -1),
            (FormulaOperation::Multiply, Some(factor), _) => other.times(factor),
            (FormulaOperation::Multiply, _, Some(factor)) => self.times(factor),
            (FormulaOperation::Divide, _, Some(1)) => self,
            (FormulaOperation::Remainder, _, Some(1)) => Self::default(),
            (FormulaOperation::Remainder, _, Some(by)) if self.narrowed(by).is_some() => {
                self.narrowed(by).unwrap_or_default()
            }
            _ => {
                let sign = operation.sign().0;
                let text = match operation {
                    FormulaOperation::Equal | FormulaOperation::Less => {
                        format!("{} {sign} {}", self.text(), other.text())
                    }
                    // In parentheses, since `&` binds less tightly than a sum.
                    FormulaOperation::And => {
                        return Self::atom(format!("({} {sign} {})", self.inner(), other.inner()), true);
                    }
                    _ => format!("{}{sign}{}", self.inner(), other.inner()),
                };
                Self::atom(text, false)
            }
        }
    }

    /// The remainder of a remainder, if `by` divides the first modulus: `lane%4` modulo 2 is `lane%2`.
    fn narrowed(&self, by: i64) -> Option<Self> {
        let [(1, atom)] = self.terms.as_slice() else { return None };
        let (name, before) = atom.text.split_once('%').filter(|_| self.constant == 0)?;
        let before: i64 = before.parse().ok()?;
        (before % by == 0 && name.chars().all(char::is_alphabetic)).then(|| Self::atom(format!("{name}%{by}"), false))
    }

    fn plus(mut self, other: Self, sign: i64) -> Self {
        self.constant += sign * other.constant;
        for (factor, atom) in other.terms {
            match self.terms.iter_mut().find(|t| t.1 == atom) {
                Some(known) => known.0 += sign * factor,
                None => self.terms.push((sign * factor, atom)),
            }
        }
        self.terms.retain(|t| t.0 != 0);
        self
    }

    fn times(mut self, factor: i64) -> Self {
        if factor == 0 {
            return Self::default();
        }
        self.constant *= factor;
        self.terms.iter_mut().for_each(|t| t.0 *= factor);
        self
    }

    /// The text as an operand of a larger formula, in parentheses if necessary.
    fn inner(&self) -> String {
        let plain = match (self.terms.as_slice(), self.constant) {
            ([], _) => true,
            ([(1, atom)], 0) => atom.name,
            _ => false,
        };
        if plain { self.text() } else { format!("({})", self.text()) }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (factor, atom) in &self.terms {
            let sign = match (*factor < 0, out.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            out.push_str(sign);
            let factor = factor.unsigned_abs();
            match (factor, atom.name) {
                (1, _) => out.push_str(&atom.text),
                (_, true) => out.push_str(&format!("{factor}*{}", atom.text)),
                (_, false) => out.push_str(&format!("{factor}*({})", atom.text)),
            }
        }
        match (self.constant, out.is_empty()) {
            (constant, true) => out.push_str(&constant.to_string()),
            (0, false) => {}
            (constant, false) if constant < 0 => out.push_str(&format!(" - {}", constant.unsigned_abs())),
            (constant, false) => out.push_str(&format!(" + {constant}")),
        }
        out
    }
}
