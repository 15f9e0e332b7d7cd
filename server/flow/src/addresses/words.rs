//! Expressions as text: `x + 4·(ctaid.x·ntid.x + tid.x)`.

use super::node::{Node, NodeId, Operation, Symbol, Term, mask, sign_extended};
use super::values::Values;
use crate::flow::addresses::is_window;
use crate::flow::{FlowFunction, FlowVariable, RegisterSlot};
use ptx_isa::tables::GridRole;

/// The maximum length of a text in characters.
const MAX_LENGTH: usize = 140;

/// The maximum depth of an expression that becomes text.
const MAX_DEPTH: u32 = 24;

/// The names of iterations of nested loops, the outermost first.
const ITERATIONS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// A variable or parameter.
#[derive(Debug)]
struct VariableName {
    name: Box<str>,
    space: &'static str,
    /// The state space of what a pointer parameter points to.
    points_to: Option<&'static str>,
}

/// The names of the symbols of a function.
#[derive(Debug, Default)]
pub(crate) struct SymbolNames {
    /// Indexed by variable.
    variables: Box<[VariableName]>,
    /// Indexed by slot: the name of the register.
    registers: Box<[Box<str>]>,
}

fn variable_name(variable: &FlowVariable) -> VariableName {
    let symbol = &variable.symbol;
    VariableName { name: variable.name.clone(), space: symbol.space, points_to: symbol.points_to_space }
}

impl SymbolNames {
    /// The names of a function.
    pub(crate) fn of(function: &FlowFunction) -> Self {
        let slots = (0..function.registers.len() as u32).map(RegisterSlot);
        Self {
            variables: function.variables.iter().map(variable_name).collect(),
            registers: slots.map(|s| function.register_name(s).into()).collect(),
        }
    }

    /// The name of a variable or parameter.
    pub(super) fn variable(&self, variable: u32) -> Option<&str> {
        self.variables.get(variable as usize).map(|v| &*v.name)
    }

    /// The variable or parameter with a name.
    pub(super) fn variable_named(&self, name: &str) -> Option<u32> {
        self.variables.iter().position(|v| &*v.name == name).map(|index| index as u32)
    }

    /// The name of the register of a slot.
    pub(super) fn register(&self, slot: u32) -> Option<&str> {
        self.registers.get(slot as usize).map(|name| &**name)
    }
}

/// A part of an expression as text.
struct Written {
    text: String,
    /// How strongly its parts are bound: 2 for a name or number, 1 for a product, 0 for a sum.
    binding: u8,
}

fn atom(text: impl Into<String>) -> Written {
    Written { text: text.into(), binding: 2 }
}

/// An expression as text; `None` for a register whose value is unknown, and if the text would be long.
pub(crate) fn text(values: &Values, names: &SymbolNames, id: NodeId) -> Option<String> {
    if let Node::Symbol(Symbol::Meeting(..) | Symbol::Result(..)) = values.facts(id).node
        && values.counter(id).is_none()
    {
        return None;
    }
    let writer = Writer { values, names };
    writer.node(id, 0).map(|w| w.text).filter(|t| t.chars().count() <= MAX_LENGTH)
}

struct Writer<'a> {
    values: &'a Values,
    names: &'a SymbolNames,
}

impl Writer<'_> {
    fn node(&self, id: NodeId, depth: u32) -> Option<Written> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = self.values.facts(id);
        Some(match &facts.node {
            Node::Constant(value) => atom(number(sign_extended(*value, facts.width))),
            Node::Symbol(symbol) => self.symbol(id, *symbol, depth)?,
            Node::Sum(constant, terms) => self.sum(*constant, terms, facts.width, depth)?,
            // More or fewer bits make no difference to a reader unless something overflows.
            Node::Extend(of, _) => self.node(*of, depth + 1)?,
            Node::Low(of) => match facts.width {
                32 => self.node(*of, depth + 1)?,
                width => atom(format!("low{width}({})", self.node(*of, depth + 1)?.text)),
            },
            Node::Apply(operation, arguments) => self.operation(*operation, arguments, facts.width, depth)?,
        })
    }

    fn symbol(&self, id: NodeId, symbol: Symbol, depth: u32) -> Option<Written> {
        Some(match symbol {
            Symbol::Special(name, component) => {
                let short = name.0.name.trim_start_matches('%');
                match name.0.components.chars().nth(component.into()) {
                    Some(letter) => atom(format!("{short}.{letter}")),
                    None => atom(short),
                }
            }
            Symbol::Parameter(variable, offset) => {
                let name = self.names.variable(variable)?;
                if offset == 0 { atom(name) } else { atom(format!("{name}[{offset}]")) }
            }
            Symbol::Address(variable) => atom(self.names.variable(variable)?),
            Symbol::Window(_) => atom(""),
            Symbol::Result(_, slot) => atom(self.names.register(slot)?),
            Symbol::Meeting(_, slot) => {
                let Some(counter) = self.values.counter(id) else {
                    return Some(atom(self.names.register(slot)?));
                };
                let depth_of_loop = self.values.loops().all.get(counter.natural_loop as usize)?.depth;
                let iteration = ITERATIONS.get(depth_of_loop as usize)?;
                let start = self.node(counter.start, depth + 1)?;
                let step = self.values.facts(counter.step);
                let (minus, grown) = match step.node {
                    Node::Constant(value) => {
                        let value = sign_extended(value, step.width);
                        (value < 0, factor(value.unsigned_abs(), (*iteration).to_owned()))
                    }
                    _ => {
                        let step = self.node(counter.step, depth + 1)?;
                        (false, format!("{}·{iteration}", bound(step, 1)))
                    }
                };
                match (start.text.as_str(), minus) {
                    ("0", false) => Written { text: grown, binding: 1 },
                    ("0", true) => Written { text: format!("−{grown}"), binding: 0 },
                    (start, false) => Written { text: format!("{start} + {grown}"), binding: 0 },
                    (start, true) => Written { text: format!("{start} − {grown}"), binding: 0 },
                }
            }
        })
    }

    /// The place of a factor in a product and of its product in a sum: values of the whole grid come first, values of threads later, loop
    /// counters last.
    fn rank(&self, id: NodeId) -> u8 {
        let facts = self.values.facts(id);
        match &facts.node {
            Node::Symbol(Symbol::Parameter(..)) => 2,
            Node::Symbol(Symbol::Special(name, _)) => match name.0.grid {
                GridRole::Cta => 0,
                GridRole::Size => 1,
                GridRole::CtaSize => 2,
                _ => 4,
            },
            Node::Extend(of, _) | Node::Low(of) if matches!(self.values.facts(*of).node, Node::Symbol(_)) => {
                self.rank(*of)
            }
            _ if self.values.counter(id).is_some() => 5,
            _ => 3,
        }
    }

    fn rank_of(&self, term: &Term) -> u8 {
        let ranks = || term.factors.iter().map(|f| self.rank(*f));
        // A product that contains a loop counter comes last; others come in the order of their first factor.
        if ranks().any(|r| r == 5) { 5 } else { ranks().min().unwrap_or(0) }
    }

    fn sum(&self, constant: u64, terms: &[Term], width: u8, depth: u32) -> Option<Written> {
        // Products with the same number are written once: 4·(a + b).
        let mut groups: Vec<(i64, Vec<&Term>)> = Vec::new();
        for term in terms {
            let coefficient = sign_extended(term.coefficient, width);
            match groups.iter_mut().find(|(c, _)| *c == coefficient) {
                Some((_, group)) => group.push(term),
                None => groups.push((coefficient, vec![term])),
            }
        }
        // Pointers and variables first, then the largest distances.
        let is_base = |t: &&Term| {
            t.factors.iter().any(|f| {
                let facts = self.values.facts(*f);
                matches!(facts.node, Node::Symbol(Symbol::Parameter(..)) if facts.width == 64)
                    || matches!(facts.node, Node::Symbol(Symbol::Address(_)))
            })
        };
        groups.sort_by_key(|(c, group)| (!(*c == 1 && group.iter().any(is_base)), std::cmp::Reverse(c.unsigned_abs())));
        let mut parts: Vec<(bool, String)> = Vec::new();
        for (coefficient, mut group) in groups {
            group.sort_by_key(|t| (!is_base(t), self.rank_of(t), std::cmp::Reverse(t.factors.len())));
            let mut products = Vec::with_capacity(group.len());
            for term in &group {
                let mut factors = Vec::with_capacity(term.factors.len());
                let alone = term.factors.len() == 1;
                let mut sorted = term.factors.to_vec();
                sorted.sort_by_key(|f| self.rank(*f));
                for factor in &sorted {
                    let written = self.node(*factor, depth + 1)?;
                    if !written.text.is_empty() {
                        factors.push(if alone { written } else { atom(bound(written, 1)) });
                    }
                }
                match <[Written; 1]>::try_from(factors) {
                    Ok([one]) => products.push(one),
                    Err(several) if several.is_empty() => {}
                    Err(several) => {
                        let text = several.into_iter().map(|f| f.text).collect::<Vec<_>>().join("·");
                        products.push(Written { text, binding: 1 });
                    }
                }
            }
            let size = coefficient.unsigned_abs();
            match <[Written; 1]>::try_from(products) {
                Ok([one]) if size == 1 && coefficient > 0 => parts.push((false, one.text)),
                Ok([one]) if size == 1 => parts.push((true, bound(one, 1))),
                Ok([one]) => parts.push((coefficient < 0, factor(size, bound(one, 1)))),
                Err(several) if several.is_empty() => {}
                Err(several) if size == 1 => {
                    parts.extend(
                        several
                            .into_iter()
                            .map(|p| (coefficient < 0, if coefficient < 0 { bound(p, 1) } else { p.text })),
                    );
                }
                Err(several) => {
                    let inner = several.into_iter().map(|p| p.text).collect::<Vec<_>>().join(" + ");
                    parts.push((coefficient < 0, factor(size, format!("({inner})"))));
                }
            }
        }
        let constant = sign_extended(constant, width);
        if constant != 0 || parts.is_empty() {
            parts.push((constant < 0, number_of(constant.unsigned_abs())));
        }
        let single = parts.len() == 1;
        let mut out = String::new();
        for (index, (minus, text)) in parts.iter().enumerate() {
            match (index, *minus) {
                (0, false) => {}
                (0, true) => out.push('−'),
                (_, false) => out.push_str(" + "),
                (_, true) => out.push_str(" − "),
            }
            out.push_str(text);
        }
        Some(Written { binding: if single && !parts[0].0 && !out.contains(" + ") { 1 } else { 0 }, text: out })
    }

    fn operation(&self, operation: Operation, arguments: &[NodeId], width: u8, depth: u32) -> Option<Written> {
        let mut written = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let one = match self.values.facts(*argument).node {
                // A mask is easier to read in hexadecimal, and so is a number with its top bit set.
                Node::Constant(value) if operation.table().is_some() && value > 9 => atom(format!("0x{value:x}")),
                _ => self.node(*argument, depth + 1)?,
            };
            written.push(one);
        }
        let infix = match operation {
            Operation::And => "&",
            Operation::Or => "|",
            Operation::Xor => "^",
            Operation::ShiftLeft => "<<",
            Operation::ShiftRight(_) => ">>",
            Operation::Quotient(_) => "/",
            Operation::Remainder(_) => "%",
            Operation::Table(table) => {
                let all: Vec<String> = written.into_iter().map(|w| w.text).collect();
                return Some(atom(format!("lop3({}, 0x{table:x})", all.join(", "))));
            }
            Operation::Minimum(_) | Operation::Maximum(_) => {
                let name = if matches!(operation, Operation::Minimum(_)) { "min" } else { "max" };
                let all: Vec<String> = written.into_iter().map(|w| w.text).collect();
                return Some(atom(format!("{name}({})", all.join(", "))));
            }
        };
        let [a, b] = <[Written; 2]>::try_from(written).ok()?;
        let b = match (self.values.facts(arguments[1]).node.clone(), infix) {
            (Node::Constant(value), "&") if value == mask(width) - 1 => atom("−2"),
            _ => b,
        };
        Some(Written { text: format!("({} {infix} {})", bound(a, 1), bound(b, 2)), binding: 2 })
    }
}

/// The text in parentheses, unless its parts are bound at least as strongly as this.
fn bound(written: Written, binding: u8) -> String {
    if written.binding < binding { format!("({})", written.text) } else { written.text }
}

fn factor(size: u64, text: String) -> String {
    if size == 1 { text } else { format!("{}·{text}", number_of(size)) }
}

fn number(value: i64) -> String {
    if value < 0 { format!("−{}", number_of(value.unsigned_abs())) } else { number_of(value.unsigned_abs()) }
}

/// A number: large ones in hexadecimal.
fn number_of(value: u64) -> String {
    if value > 0xf_ffff { format!("0x{value:x}") } else { value.to_string() }
}

/// Collects the symbols whose sum is an address; for a loop counter, those of its start.
fn bases(values: &Values, id: NodeId, out: &mut Vec<Symbol>, depth: u32) {
    if depth > MAX_DEPTH {
        return;
    }
    match &values.facts(id).node {
        Node::Symbol(symbol) => match values.counter(id) {
            Some(counter) => bases(values, counter.start, out, depth + 1),
            None => out.push(*symbol),
        },
        Node::Sum(_, terms) => {
            for term in terms.iter().filter(|t| t.factors.len() == 1 && t.coefficient == 1) {
                bases(values, term.factors[0], out, depth + 1);
            }
        }
        Node::Extend(of, _) => bases(values, *of, out, depth + 1),
        _ => {}
    }
}

/// The state space of the variable or window to which a generic address points, if there is only one.
pub(super) fn space_of(values: &Values, names: &SymbolNames, id: NodeId) -> Option<&'static str> {
    let mut symbols = Vec::new();
    bases(values, id, &mut symbols, 0);
    let space = |symbol: &Symbol| match symbol {
        Symbol::Window(space) => Some(*space),
        // The name of a variable in a window is not a generic address.
        Symbol::Address(variable) => names.variables.get(*variable as usize).map(|v| v.space).filter(|s| !is_window(s)),
        Symbol::Parameter(variable, 0) => names.variables.get(*variable as usize)?.points_to.filter(|s| !is_window(s)),
        _ => None,
    };
    let mut spaces = symbols.iter().filter_map(space);
    spaces.next().filter(|_| spaces.next().is_none())
}
