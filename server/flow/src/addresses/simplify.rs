//! Operations on bits: simpler expressions of the same value, and the range of what remains.

use super::node::{Expressions, Node, NodeFacts, NodeId, Operation, Term, mask, up_to};

impl Expressions {
    /// The result of an operation on values of `width` bits. The distance of a shift may have another width.
    pub(crate) fn apply(&mut self, operation: Operation, arguments: &[NodeId], width: u8) -> Option<NodeId> {
        let numbers: Option<Vec<u64>> = arguments.iter().map(|a| self.number(*a)).collect();
        if let Some(value) = numbers.and_then(|n| operation.apply(&n, width)) {
            return Some(self.constant(value, width));
        }
        if let Some(simple) = self.simplified(operation, arguments, width) {
            return simple;
        }
        let depth = self.deepest(arguments.iter().copied())?;
        let inside = self.innermost(arguments.iter().copied());
        let (may, max) = self.range(operation, arguments, width);
        let node = Node::Apply(operation, arguments.into());
        Some(self.add_node(NodeFacts { node, width, depth, exact: true, may, max: max.min(up_to(may)), inside }))
    }

    /// The bits that may be 1, and the maximum, of the result of an operation.
    fn range(&self, operation: Operation, arguments: &[NodeId], width: u8) -> (u64, u64) {
        let all = mask(width);
        let facts = |at: usize| arguments.get(at).map(|a| self.facts(*a));
        let (Some(a), Some(b)) = (facts(0), facts(1)) else { return (all, all) };
        let number = self.number(arguments[1]);
        match operation {
            Operation::And => (a.may & b.may, a.max.min(b.max)),
            Operation::Or | Operation::Xor => (a.may | b.may, all),
            Operation::ShiftRight(false) => match number.and_then(|n| u32::try_from(n).ok()) {
                Some(by) => (a.may.checked_shr(by).unwrap_or(0), a.max.checked_shr(by).unwrap_or(0)),
                None => (up_to(a.max), a.max),
            },
            Operation::Quotient(false) => {
                let max = a.max / number.unwrap_or(1).max(1);
                (up_to(max), max)
            }
            Operation::Remainder(false) => {
                let max = number.map_or(a.max, |n| a.max.min(n.saturating_sub(1)));
                (up_to(max), max)
            }
            Operation::Minimum(false) => (up_to(a.max.min(b.max)), a.max.min(b.max)),
            Operation::Maximum(false) => (up_to(a.max.max(b.max)), a.max.max(b.max)),
            _ => (all, all),
        }
    }

    /// A simpler expression of the same value: `None` if there is none, `Some(None)` if it is too large.
    fn simplified(&mut self, operation: Operation, arguments: &[NodeId], width: u8) -> Option<Option<NodeId>> {
        let (a, b) = (*arguments.first()?, *arguments.get(1)?);
        let (x, y) = (self.number(a), self.number(b));
        let all = mask(width);
        let power = |n: u64| n.is_power_of_two().then(|| n.trailing_zeros());
        let positive = |id: NodeId| self.facts(id).max <= all >> 1;
        let apart = self.facts(a).may & self.facts(b).may == 0;
        match (operation, x, y) {
            (Operation::And | Operation::Or | Operation::Xor, Some(_), None) => {
                Some(self.apply(operation, &[b, a], width))
            }
            (Operation::And, _, Some(n)) if self.facts(a).may & !n == 0 => Some(Some(a)),
            (Operation::And, ..) if apart => Some(Some(self.constant(0, width))),
            (Operation::And | Operation::Or, ..) if a == b => Some(Some(a)),
            (Operation::Or | Operation::Xor, ..) if apart => Some(self.add(a, b)),
            (Operation::Xor, ..) if a == b => Some(Some(self.constant(0, width))),
            (Operation::Xor, _, Some(n)) if n == all => {
                // ~a = -a - 1
                let minus = self.scale(a, u64::MAX)?;
                let one = self.constant(u64::MAX, width);
                Some(self.add(minus, one))
            }
            (Operation::ShiftLeft, _, Some(n)) => Some(match n {
                n if n < u64::from(width) => self.scale(a, 1 << n),
                _ => Some(self.constant(0, width)),
            }),
            (Operation::ShiftRight(true), _, Some(_)) if positive(a) => {
                Some(self.apply(Operation::ShiftRight(false), &[a, b], width))
            }
            (Operation::ShiftRight(false), _, Some(n)) => {
                let by = u32::try_from(n).ok()?;
                if by == 0 {
                    return Some(Some(a));
                }
                if self.facts(a).max.checked_shr(by).unwrap_or(0) == 0 {
                    return Some(Some(self.constant(0, width)));
                }
                self.divided(a, by, width).map(Some)
            }
            (Operation::Quotient(signed), _, Some(n))
                if power(n).is_some() && (!signed || positive(a) && n <= all >> 1) =>
            {
                let by = self.constant(u64::from(power(n)?), 32);
                Some(self.apply(Operation::ShiftRight(false), &[a, by], width))
            }
            (Operation::Remainder(signed), _, Some(n))
                if power(n).is_some() && (!signed || positive(a) && n <= all >> 1) =>
            {
                let rest = self.constant(n - 1, width);
                Some(self.apply(Operation::And, &[a, rest], width))
            }
            _ => None,
        }
    }

    /// The sum with all coefficients divided by a power of two, if they are divisible and the sum cannot overflow.
    fn divided(&mut self, a: NodeId, by: u32, width: u8) -> Option<NodeId> {
        let facts = self.facts(a);
        let Node::Sum(constant, terms) = &facts.node else { return None };
        let divisible = |n: u64| n & (1u64.checked_shl(by).unwrap_or(0).wrapping_sub(1)) == 0;
        if !facts.exact
            || by >= u32::from(width)
            || !divisible(*constant)
            || !terms.iter().all(|t| divisible(t.coefficient))
        {
            return None;
        }
        let smaller = |t: &Term| Term { coefficient: t.coefficient >> by, factors: t.factors.clone() };
        let (constant, terms) = (constant >> by, terms.iter().map(smaller).collect());
        self.sum(constant, terms, width)
    }
}
