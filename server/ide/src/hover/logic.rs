//! Converts a truth table of three operands to the shortest equivalent expression.

use std::sync::LazyLock;

/// An operand of the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogicInput {
    /// An operand whose bits are all 0 or all 1.
    Constant(bool),
    /// Any other operand, by its text.
    Name(String),
}

/// A function of three bits: bit `4*a + 2*b + c` of the table is its value.
type TruthTable = u8;

/// The truth tables of the three operands themselves.
const LEAVES: [TruthTable; 3] = [0xf0, 0xcc, 0xaa];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Xor,
}

/// The composition of a function from simpler ones.
#[derive(Debug, Clone, Copy)]
enum LogicStep {
    Constant(bool),
    Leaf(usize),
    Not(TruthTable),
    Binary(Operator, TruthTable, TruthTable),
}

impl LogicStep {
    /// The preference among expressions of the same cost: `~(a ^ b)` before `a ^ ~b`, a disjunction before a conjunction.
    fn rank(self) -> u8 {
        match self {
            Self::Constant(_) | Self::Leaf(_) => 0,
            Self::Not(_) => 1,
            Self::Binary(Operator::Or, ..) => 2,
            Self::Binary(Operator::And, ..) => 3,
            Self::Binary(Operator::Xor, ..) => 4,
        }
    }

    /// Index of the leftmost operand in the written expression.
    fn first(self) -> usize {
        let of = |table: TruthTable| SHORTEST.get(usize::from(table)).map_or(0, |s| s.first());
        match self {
            Self::Constant(_) => LEAVES.len(),
            Self::Leaf(index) => index,
            Self::Not(inner) => of(inner),
            Self::Binary(_, x, y) => of(x).min(of(y)),
        }
    }
}

/// The cheapest expression for each function. Negation costs little, and exclusive or costs more than the other operators:
/// `a ? b : c` must not become `((b ^ c) & a) ^ c`.
static SHORTEST: LazyLock<Vec<LogicStep>> = LazyLock::new(|| {
    const UNKNOWN: u32 = 1000;
    let mut found = vec![(UNKNOWN, LogicStep::Constant(false)); 256];
    found[0x00] = (1, LogicStep::Constant(false));
    found[0xff] = (1, LogicStep::Constant(true));
    for (index, leaf) in LEAVES.into_iter().enumerate() {
        found[usize::from(leaf)] = (1, LogicStep::Leaf(index));
    }
    loop {
        let mut changed = false;
        let mut offer = |found: &mut Vec<(u32, LogicStep)>, table: TruthTable, cost: u32, step: LogicStep| {
            let best = &mut found[usize::from(table)];
            if (cost, step.rank()) < (best.0, best.1.rank()) {
                *best = (cost, step);
                changed = true;
            }
        };
        for x in 0..=255u8 {
            let cost = found[usize::from(x)].0;
            if cost >= UNKNOWN {
                continue;
            }
            offer(&mut found, !x, cost + 1, LogicStep::Not(x));
            for y in 0..x {
                let both = cost + found[usize::from(y)].0;
                offer(&mut found, x & y, both + 2, LogicStep::Binary(Operator::And, x, y));
                offer(&mut found, x | y, both + 2, LogicStep::Binary(Operator::Or, x, y));
                offer(&mut found, x ^ y, both + 3, LogicStep::Binary(Operator::Xor, x, y));
            }
        }
        if !changed {
            return found.into_iter().map(|f| f.1).collect();
        }
    }
});

/// The function of a truth table for these operands, as a C expression: `(%r1 & %r2) | ~%r3`.
pub fn expression(table: TruthTable, inputs: &[LogicInput; 3]) -> String {
    // The distinct names. An operand that occurs twice is a single input.
    let mut names: Vec<&str> = Vec::new();
    for input in inputs {
        if let LogicInput::Name(name) = input
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    let mut reduced: TruthTable = 0;
    for bits in 0..8u8 {
        // Bit 2 is the first name, like `a` in the table.
        let value = |name: &str| names.iter().position(|n| *n == name).is_some_and(|i| bits >> (2 - i) & 1 == 1);
        let index = inputs.iter().fold(0, |index, input| {
            let bit = match input {
                LogicInput::Constant(bit) => *bit,
                LogicInput::Name(name) => value(name),
            };
            index << 1 | u8::from(bit)
        });
        reduced |= (table >> index & 1) << bits;
    }
    let mut out = String::new();
    write(reduced, &names, None, &mut out);
    out
}

/// The common name of a function, if it has one.
pub fn called(table: TruthTable) -> Option<&'static str> {
    Some(match table {
        0x96 => "the parity of the three",
        0x69 => "the parity of the three, negated",
        0xe8 => "the majority of the three",
        0xca => "`a ? b : c`, bit by bit",
        0xd8 => "`c ? b : a`, bit by bit",
        0xe2 => "`b ? a : c`, bit by bit",
        0xb8 => "`b ? c : a`, bit by bit",
        0xac => "`a ? c : b`, bit by bit",
        0xe4 => "`c ? a : b`, bit by bit",
        _ => return None,
    })
}

/// Appends an expression, in parentheses if it is an operand of another operator.
fn write(table: TruthTable, names: &[&str], around: Option<Operator>, out: &mut String) {
    match SHORTEST.get(usize::from(table)) {
        Some(LogicStep::Constant(value)) => out.push_str(if *value { "-1" } else { "0" }),
        Some(LogicStep::Leaf(index)) => out.push_str(names.get(*index).copied().unwrap_or("?")),
        Some(LogicStep::Not(inner)) => {
            out.push('~');
            let binary = matches!(SHORTEST.get(usize::from(*inner)), Some(LogicStep::Binary(..)));
            if binary {
                out.push('(');
            }
            write(*inner, names, None, out);
            if binary {
                out.push(')');
            }
        }
        Some(LogicStep::Binary(operator, x, y)) => {
            let parentheses = around.is_some_and(|a| a != *operator);
            if parentheses {
                out.push('(');
            }
            // The operands are in the order of the instruction.
            let first = |table: &TruthTable| SHORTEST.get(usize::from(*table)).map_or(0, |s| s.first());
            let (x, y) = if first(y) < first(x) { (y, x) } else { (x, y) };
            write(*x, names, Some(*operator), out);
            out.push_str(match operator {
                Operator::And => " & ",
                Operator::Or => " | ",
                Operator::Xor => " ^ ",
            });
            write(*y, names, Some(*operator), out);
            if parentheses {
                out.push(')');
            }
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAVES, LogicInput, expression};

    fn abc() -> [LogicInput; 3] {
        ["a", "b", "c"].map(|n| LogicInput::Name(n.to_owned()))
    }

    /// Parses an expression that `expression` has written.
    fn value(text: &str) -> u8 {
        fn sum(text: &[u8], at: &mut usize) -> u8 {
            let mut left = factor(text, at);
            while let Some(b' ') = text.get(*at) {
                let operator = text[*at + 1];
                *at += 3;
                let right = factor(text, at);
                left = match operator {
                    b'&' => left & right,
                    b'|' => left | right,
                    _ => left ^ right,
                };
            }
            left
        }
        fn factor(text: &[u8], at: &mut usize) -> u8 {
            let byte = text[*at];
            *at += 1;
            match byte {
                b'~' => !factor(text, at),
                b'(' => {
                    let inner = sum(text, at);
                    assert_eq!(text[*at], b')');
                    *at += 1;
                    inner
                }
                b'0' => 0,
                b'-' => {
                    *at += 1;
                    0xff
                }
                name => LEAVES[usize::from(name - b'a')],
            }
        }
        let mut at = 0;
        let out = sum(text.as_bytes(), &mut at);
        assert_eq!(at, text.len(), "{text}");
        out
    }

    #[test]
    fn every_table_is_what_its_expression_computes() {
        for table in 0..=255 {
            let text = expression(table, &abc());
            assert_eq!(value(&text), table, "{text}");
            assert!(text.len() <= 40, "{text}");
        }
    }

    #[test]
    fn expressions_look_as_people_write_them() {
        let cases = [
            (0x80, "a & b & c"),
            (0xfe, "a | b | c"),
            (0x96, "a ^ b ^ c"),
            (0x40, "a & b & ~c"),
            (0xea, "(a & b) | c"),
            (0xca, "(a & b) | (~a & c)"),
            (0xe8, "(a & b) | ((a | b) & c)"),
            (0x01, "~(a | b | c)"),
            (0x3c, "a ^ b"),
            (0x0f, "~a"),
            (0xf8, "a | (b & c)"),
            (0x00, "0"),
            (0xff, "-1"),
        ];
        for (table, expected) in cases {
            assert_eq!(expression(table, &abc()), expected, "0x{table:02x}");
        }
    }

    #[test]
    fn operands_that_are_equal_or_constant_shorten_it() {
        let name = |n: &str| LogicInput::Name(n.to_owned());
        assert_eq!(expression(0xea, &[name("x"), name("x"), name("y")]), "x | y");
        assert_eq!(expression(0x96, &[name("x"), name("y"), LogicInput::Constant(true)]), "~(x ^ y)");
        assert_eq!(expression(0xca, &[LogicInput::Constant(false), name("x"), name("y")]), "y");
        assert_eq!(expression(0x80, &[name("x"), name("y"), LogicInput::Constant(false)]), "0");
        assert_eq!(expression(0x3c, &[name("x"), name("x"), name("z")]), "0");
    }
}
