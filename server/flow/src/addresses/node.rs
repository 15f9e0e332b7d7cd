//! Integer values as a graph of expressions. Equal expressions are one node; sums and products are polynomials.
//!
//! All arithmetic is modulo 2^width, as the machine computes. A polynomial is therefore exact whatever overflows. Conversions to
//! more bits are nodes of their own, and are moved into a sum only if the sum cannot overflow.

use ptx_isa::tables::SpecialRegister;
use rustc_hash::FxHashMap as HashMap;
use std::hash::{Hash, Hasher};

/// A value: index into the nodes of [`Expressions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The maximum number of products in a sum; a longer sum counts as unknown.
const MAX_TERMS: usize = 24;

/// The maximum number of factors in a product.
const MAX_FACTORS: usize = 6;

/// The maximum depth of an expression; a deeper one counts as unknown. It bounds the recursion of everything that reads expressions.
pub(crate) const MAX_DEPTH: u8 = 48;

/// The expression of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(u64),
    /// A sum of products, plus a constant.
    Sum(u64, Box<[Term]>),
    /// A value that is not computed from others.
    Symbol(Symbol),
    /// A value with more bits: with copies of the sign if the flag is set, else with zeros.
    Extend(NodeId, bool),
    /// The lowest bits of a value.
    Low(NodeId),
    /// An operation on bits.
    Apply(Operation, Box<[NodeId]>),
}

impl Node {
    /// The values from which it is computed.
    pub fn arguments(&self) -> Vec<NodeId> {
        match self {
            Self::Constant(_) | Self::Symbol(_) => Vec::new(),
            Self::Sum(_, terms) => terms.iter().flat_map(|t| t.factors.iter().copied()).collect(),
            Self::Extend(of, _) | Self::Low(of) => vec![*of],
            Self::Apply(_, arguments) => arguments.to_vec(),
        }
    }
}

/// A product in a sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// The factor that is a number.
    pub coefficient: u64,
    /// The other factors, sorted; at least one. None of them is a constant or a sum.
    pub factors: Box<[NodeId]>,
}

/// A value that is not computed from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A component of a special register.
    Special(SpecialName, u8),
    /// The bytes of a kernel parameter at an offset: index into [`crate::flow::FlowFunction::variables`].
    Parameter(u32, u32),
    /// The address of a variable in its state space: index into [`crate::flow::FlowFunction::variables`].
    Address(u32),
    /// The generic address at which the window of a state space begins.
    Window(&'static str),
    /// The value of a register at the beginning of a block, where several values meet: block and register slot.
    Meeting(u32, u32),
    /// The value that an instruction writes to a register slot.
    Result(u32, u32),
}

/// A special register, compared by its name.
#[derive(Debug, Clone, Copy)]
pub struct SpecialName(pub &'static SpecialRegister);

impl PartialEq for SpecialName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for SpecialName {}

impl Hash for SpecialName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

/// An operation that is not a sum or a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Bitwise AND.
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise XOR.
    Xor,
    /// Any bitwise function of three values, by its truth table.
    Table(u8),
    /// A shift to the left; distances of the width or more give 0.
    ShiftLeft,
    /// A shift to the right: with copies of the sign if the flag is set.
    ShiftRight(bool),
    /// A quotient; signed if the flag is set.
    Quotient(bool),
    /// A remainder; signed if the flag is set.
    Remainder(bool),
    /// The smaller value; signed if the flag is set.
    Minimum(bool),
    /// The larger value; signed if the flag is set.
    Maximum(bool),
}

impl Operation {
    /// The result for numbers of `width` bits; `None` where the result is unspecified.
    pub fn apply(self, arguments: &[u64], width: u8) -> Option<u64> {
        let (a, b) = (*arguments.first()?, *arguments.get(1)?);
        let signed = |v: u64| sign_extended(v, width);
        let pick = |first: bool| if first { a } else { b };
        let result = match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Table(table) => combined(table, a, b, *arguments.get(2)?),
            Self::ShiftLeft => u32::try_from(b).ok().filter(|b| *b < u32::from(width)).map_or(0, |b| a << b),
            Self::ShiftRight(true) => (signed(a) >> b.min(u64::from(width) - 1).min(63)) as u64,
            Self::ShiftRight(false) => u32::try_from(b).ok().filter(|b| *b < u32::from(width)).map_or(0, |b| a >> b),
            Self::Quotient(true) => signed(a).checked_div(signed(b))? as u64,
            Self::Quotient(false) => a.checked_div(b)?,
            Self::Remainder(true) => signed(a).checked_rem(signed(b))? as u64,
            Self::Remainder(false) => a.checked_rem(b)?,
            Self::Minimum(true) => pick(signed(a) <= signed(b)),
            Self::Minimum(false) => a.min(b),
            Self::Maximum(true) => pick(signed(a) >= signed(b)),
            Self::Maximum(false) => a.max(b),
        };
        Some(result & mask(width))
    }

    /// The truth table of a bitwise function; the third argument, if it has none, counts as 0.
    pub fn table(self) -> Option<u8> {
        match self {
            Self::And => Some(0xf0 & 0xcc),
            Self::Or => Some(0xf0 | 0xcc),
            Self::Xor => Some(0xf0 ^ 0xcc),
            Self::Table(table) => Some(table),
            _ => None,
        }
    }
}

/// A bitwise function of three values: bit `4a + 2b + c` of the table is its value for the bits `a`, `b`, `c`.
pub(crate) fn combined(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let bit = |index: u8| if table >> index & 1 == 1 { u64::MAX } else { 0 };
    let side = |set: bool, value: u64| if set { value } else { !value };
    (0..8).fold(0, |all, index| {
        all | bit(index) & side(index & 4 != 0, a) & side(index & 2 != 0, b) & side(index & 1 != 0, c)
    })
}

/// The lowest `width` bits.
pub(crate) fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The value of a two's-complement number of `width` bits.
pub(crate) fn sign_extended(value: u64, width: u8) -> i64 {
    let left = 64 - u32::from(width.clamp(1, 64));
    ((value << left) as i64) >> left
}

/// All bits up to the highest one of a number.
pub(crate) fn up_to(max: u64) -> u64 {
    if max == 0 { 0 } else { u64::MAX >> max.leading_zeros() }
}

/// A node with properties of its value.
#[derive(Debug, Clone)]
pub struct NodeFacts {
    /// The expression.
    pub node: Node,
    /// The number of bits of the value.
    pub width: u8,
    /// The depth of the expression.
    pub depth: u8,
    /// Whether no sum or product in it can overflow, so that it is the same number in more bits.
    pub exact: bool,
    /// The bits that may be 1.
    pub may: u64,
    /// The maximum of the value, as an unsigned number.
    pub max: u64,
    /// The innermost loop in which the value may change.
    pub inside: Option<u32>,
}

/// The values of a function.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    nodes: Vec<NodeFacts>,
    known: HashMap<(Node, u8), NodeId>,
    /// The nesting depth of each loop.
    loop_depths: Vec<u32>,
}

impl Expressions {
    /// No values yet. `loop_depths` are the nesting depths of the loops, by number.
    pub(crate) fn new(loop_depths: Vec<u32>) -> Self {
        Self { loop_depths, ..Self::default() }
    }

    /// The number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Ends the construction: returns the nodes.
    pub(crate) fn into_nodes(self) -> Vec<NodeFacts> {
        self.nodes
    }

    /// The node and its properties.
    pub(crate) fn facts(&self, id: NodeId) -> &NodeFacts {
        &self.nodes[id.0 as usize]
    }

    /// The number of bits of a value.
    pub(crate) fn width(&self, id: NodeId) -> u8 {
        self.facts(id).width
    }

    /// The value, if it is a number.
    pub(crate) fn number(&self, id: NodeId) -> Option<u64> {
        match self.facts(id).node {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn add_node(&mut self, facts: NodeFacts) -> NodeId {
        let key = (facts.node.clone(), facts.width);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.known.insert(key, id);
        self.nodes.push(facts);
        id
    }

    pub(super) fn innermost(&self, of: impl Iterator<Item = NodeId>) -> Option<u32> {
        let depth = |l: &u32| self.loop_depths.get(*l as usize).copied().unwrap_or(0);
        of.filter_map(|id| self.facts(id).inside).max_by_key(depth)
    }

    pub(super) fn deepest(&self, of: impl Iterator<Item = NodeId>) -> Option<u8> {
        let depth = of.map(|id| self.facts(id).depth).max().unwrap_or(0) + 1;
        (depth <= MAX_DEPTH).then_some(depth)
    }

    /// A number.
    pub(crate) fn constant(&mut self, value: u64, width: u8) -> NodeId {
        let value = value & mask(width);
        let node = Node::Constant(value);
        self.add_node(NodeFacts { node, width, depth: 0, exact: true, may: value, max: value, inside: None })
    }

    /// A symbol with a maximum and its lowest bits that are 0.
    pub(crate) fn symbol(&mut self, symbol: Symbol, width: u8, max: u64, zeros: u32, inside: Option<u32>) -> NodeId {
        let max = max.min(mask(width));
        let may = up_to(max) & u64::MAX.checked_shl(zeros).unwrap_or(0);
        self.add_node(NodeFacts { node: Node::Symbol(symbol), width, depth: 0, exact: true, may, max, inside })
    }

    /// A symbol of which nothing is known.
    pub(crate) fn opaque(&mut self, symbol: Symbol, width: u8, inside: Option<u32>) -> NodeId {
        self.symbol(symbol, width, u64::MAX, 0, inside)
    }

    /// The value as a constant and products.
    pub(crate) fn terms(&self, id: NodeId) -> (u64, Vec<Term>) {
        match &self.facts(id).node {
            Node::Constant(value) => (*value, Vec::new()),
            Node::Sum(constant, terms) => (*constant, terms.to_vec()),
            _ => (0, vec![Term { coefficient: 1, factors: Box::new([id]) }]),
        }
    }

    /// The sum of products; `None` if it has too many.
    pub(super) fn sum(&mut self, constant: u64, mut terms: Vec<Term>, width: u8) -> Option<NodeId> {
        let bits = mask(width);
        terms.sort_by(|a, b| a.factors.cmp(&b.factors));
        let mut merged: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            match merged.last_mut().filter(|last| last.factors == term.factors) {
                Some(last) => last.coefficient = last.coefficient.wrapping_add(term.coefficient) & bits,
                None => merged.push(Term { coefficient: term.coefficient & bits, ..term }),
            }
        }
        merged.retain(|t| t.coefficient != 0);
        let constant = constant & bits;
        match merged.as_slice() {
            [] => return Some(self.constant(constant, width)),
            [Term { coefficient: 1, factors }] if constant == 0 && factors.len() == 1 => return Some(factors[0]),
            all if all.len() > MAX_TERMS || all.iter().any(|t| t.factors.len() > MAX_FACTORS) => return None,
            _ => {}
        }
        let all = || merged.iter().flat_map(|t| t.factors.iter().copied());
        let (depth, inside) = (self.deepest(all())?, self.innermost(all()));
        let mut exact = all().all(|id| self.facts(id).exact);
        let mut max = u128::from(constant);
        let mut zeros = if constant == 0 { 64 } else { constant.trailing_zeros() };
        for term in &merged {
            let factors = term.factors.iter().map(|id| self.facts(*id));
            let product =
                factors.clone().try_fold(u128::from(term.coefficient), |p, f| p.checked_mul(u128::from(f.max)));
            max = product.and_then(|p| p.checked_add(max)).unwrap_or(u128::MAX);
            zeros = zeros.min(term.coefficient.trailing_zeros() + factors.map(|f| f.may.trailing_zeros()).sum::<u32>());
        }
        let fits = max <= u128::from(bits);
        exact &= fits;
        let max = if fits { max as u64 } else { bits };
        let may = up_to(max) & u64::MAX.checked_shl(zeros).unwrap_or(0);
        let node = Node::Sum(constant, merged.into());
        Some(self.add_node(NodeFacts { node, width, depth, exact, may, max, inside }))
    }

    /// The sum of two values of the same width.
    pub(crate) fn add(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        let width = self.same_width(a, b)?;
        let ((first, mut terms), (second, more)) = (self.terms(a), self.terms(b));
        terms.extend(more);
        self.sum(first.wrapping_add(second), terms, width)
    }

    /// The product of a value and a number.
    pub(crate) fn scale(&mut self, a: NodeId, by: u64) -> Option<NodeId> {
        let (constant, terms) = self.terms(a);
        let scaled = |t: Term| Term { coefficient: t.coefficient.wrapping_mul(by), ..t };
        let width = self.width(a);
        self.sum(constant.wrapping_mul(by), terms.into_iter().map(scaled).collect(), width)
    }

    /// The difference of two values of the same width.
    pub(crate) fn subtract(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        let minus = self.scale(b, u64::MAX)?;
        self.add(a, minus)
    }

    /// The lower half of the product of two values of the same width.
    pub(crate) fn multiply(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        let width = self.same_width(a, b)?;
        let ((first, left), (second, right)) = (self.terms(a), self.terms(b));
        if left.len() * right.len() > MAX_TERMS {
            return None;
        }
        let scaled = |all: &[Term], by: u64| -> Vec<Term> {
            all.iter()
                .map(|t| Term { coefficient: t.coefficient.wrapping_mul(by), factors: t.factors.clone() })
                .collect()
        };
        let mut terms = scaled(&left, second);
        terms.extend(scaled(&right, first));
        for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
            let mut factors = [&*x.factors, &*y.factors].concat();
            factors.sort_unstable();
            terms.push(Term { coefficient: x.coefficient.wrapping_mul(y.coefficient), factors: factors.into() });
        }
        self.sum(first.wrapping_mul(second), terms, width)
    }

    fn same_width(&self, a: NodeId, b: NodeId) -> Option<u8> {
        (self.width(a) == self.width(b)).then(|| self.width(a))
    }

    /// The value with more bits.
    pub(crate) fn extend(&mut self, of: NodeId, signed: bool, width: u8) -> Option<NodeId> {
        let NodeFacts { width: from, exact, max, may, inside, .. } = *self.facts(of);
        if from >= width {
            return (from == width).then_some(of);
        }
        let positive = max <= mask(from) >> 1;
        let signed = signed && !positive;
        match self.facts(of).node.clone() {
            Node::Constant(value) => {
                let value = if signed { sign_extended(value, from) as u64 } else { value };
                return Some(self.constant(value, width));
            }
            Node::Sum(constant, terms) if exact && !signed => {
                let mut wide = Vec::with_capacity(terms.len());
                for term in &terms {
                    let mut factors = Vec::with_capacity(term.factors.len());
                    for factor in &term.factors {
                        factors.push(self.extend(*factor, false, width)?);
                    }
                    // A factor may become a sum; then the product is left as it is.
                    if factors.iter().any(|f| matches!(self.facts(*f).node, Node::Sum(..) | Node::Constant(_))) {
                        return self.extension(of, false, width, may, max, inside);
                    }
                    factors.sort_unstable();
                    wide.push(Term { coefficient: term.coefficient, factors: factors.into() });
                }
                return self.sum(constant, wide, width);
            }
            Node::Extend(inner, inner_signed) if inner_signed == signed || !inner_signed => {
                return self.extend(inner, inner_signed, width);
            }
            _ => {}
        }
        let (may, max) = if signed { (may | mask(width) & !(mask(from) >> 1), mask(width)) } else { (may, max) };
        self.extension(of, signed, width, may, max, inside)
    }

    fn extension(
        &mut self,
        of: NodeId,
        signed: bool,
        width: u8,
        may: u64,
        max: u64,
        inside: Option<u32>,
    ) -> Option<NodeId> {
        let depth = self.deepest(std::iter::once(of))?;
        let node = Node::Extend(of, signed);
        Some(self.add_node(NodeFacts { node, width, depth, exact: !signed, may, max, inside }))
    }

    /// The lowest bits of a value.
    pub(crate) fn low(&mut self, of: NodeId, width: u8) -> Option<NodeId> {
        let NodeFacts { width: from, may, max, inside, .. } = *self.facts(of);
        if from <= width {
            return (from == width).then_some(of);
        }
        match self.facts(of).node.clone() {
            Node::Constant(value) => return Some(self.constant(value, width)),
            Node::Sum(constant, terms) => {
                let mut all = self.constant(constant, width);
                for term in &terms {
                    let mut product = self.constant(term.coefficient, width);
                    for factor in &term.factors {
                        let factor = self.low(*factor, width)?;
                        product = self.multiply(product, factor)?;
                    }
                    all = self.add(all, product)?;
                }
                return Some(all);
            }
            Node::Extend(inner, signed) => {
                return match self.width(inner) {
                    w if w >= width => self.low(inner, width),
                    _ => self.extend(inner, signed, width),
                };
            }
            Node::Apply(operation, arguments) if operation.table().is_some() => {
                let mut low = Vec::with_capacity(arguments.len());
                for argument in &arguments {
                    low.push(self.low(*argument, width)?);
                }
                return self.apply(operation, &low, width);
            }
            _ => {}
        }
        let depth = self.deepest(std::iter::once(of))?;
        let max = if max <= mask(width) { max } else { mask(width) };
        let (node, may) = (Node::Low(of), may & mask(width));
        Some(self.add_node(NodeFacts { node, width, depth, exact: true, may, max: max.min(up_to(may)), inside }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Expressions, Node, Operation, Symbol};

    fn symbol(all: &mut Expressions, number: u32, max: u64) -> super::NodeId {
        all.symbol(Symbol::Result(number, 0), 32, max, 0, None)
    }

    #[test]
    fn sums_are_one_node_whatever_their_order() {
        let mut all = Expressions::default();
        let (a, b) = (symbol(&mut all, 1, u64::MAX), symbol(&mut all, 2, u64::MAX));
        let product = all.multiply(a, b).expect("a product");
        let one = all.add(product, a).expect("a sum");
        let other = all.add(a, product).expect("a sum");
        assert_eq!(one, other);
        let nothing = all.subtract(one, other).expect("a difference");
        assert_eq!(all.number(nothing), Some(0));
        let four = all.constant(4, 32);
        let wide = all.multiply(one, four).expect("a product");
        let two = all.constant(2, 32);
        // The sum may overflow, so a shift does not undo the product.
        let back = all.apply(Operation::ShiftRight(false), &[wide, two], 32).expect("a shift");
        assert!(matches!(all.facts(back).node, Node::Apply(..)));
    }

    #[test]
    fn small_values_are_extended_and_shifted_exactly() {
        let mut all = Expressions::default();
        let tid = symbol(&mut all, 1, 1023);
        let bytes = all.scale(tid, 4).expect("a product");
        let two = all.constant(2, 32);
        assert_eq!(all.apply(Operation::ShiftRight(false), &[bytes, two], 32), Some(tid));
        let signed = all.extend(bytes, true, 64).expect("more bits");
        assert!(matches!(all.facts(signed).node, Node::Sum(..)));
        assert_eq!(all.low(signed, 32), Some(bytes));
        let one = all.constant(1, 32);
        let odd = all.apply(Operation::Or, &[bytes, one], 32).expect("a sum");
        assert_eq!(all.add(bytes, one), Some(odd));
        let rest = all.constant(3, 32);
        let nothing = all.apply(Operation::And, &[bytes, rest], 32).expect("a number");
        assert_eq!(all.number(nothing), Some(0));
    }

    #[test]
    fn operations_follow_the_manual() {
        let of = |operation: Operation, a: u64, b: u64| operation.apply(&[a, b], 32);
        assert_eq!(of(Operation::ShiftRight(true), 0x8000_0000, 40), Some(0xffff_ffff));
        assert_eq!(of(Operation::ShiftLeft, 1, 32), Some(0));
        assert_eq!(of(Operation::Quotient(true), 0xffff_fff9, 2), Some(0xffff_fffd));
        assert_eq!(of(Operation::Remainder(true), 0xffff_fff9, 2), Some(0xffff_ffff));
        assert_eq!(of(Operation::Quotient(false), 5, 0), None);
        assert_eq!(of(Operation::Maximum(true), 0xffff_ffff, 3), Some(3));
        assert_eq!(Operation::Table(0x96).apply(&[0b1100, 0b1010, 0b1111], 32), Some(0b1001));
    }
}
