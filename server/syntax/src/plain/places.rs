//! Which leaves may stand at which place of a statement in its usual form.
//!
//! The tests hold each place against the grammar's own list of node types, and read an example of every leaf at every place both ways.

use super::LeafKind;

/// The leaves that may stand at a place of a statement: a bit for each.
#[derive(Debug)]
pub struct LeafPlace(u8);

impl LeafPlace {
    const fn of(leaves: &[LeafKind]) -> Self {
        let (mut bits, mut rest) = (0, leaves);
        while let [leaf, others @ ..] = rest {
            bits |= 1 << *leaf as u8;
            rest = others;
        }
        Self(bits)
    }

    /// Whether a leaf may stand here.
    #[inline]
    pub fn takes(&self, leaf: LeafKind) -> bool {
        self.0 & (1 << leaf as u8) != 0
    }
}

use LeafKind::{Float, Integer, Member, Name, Negative, Register, Sink};

/// All leaves.
const ANY: &[LeafKind] = &[Register, Name, Sink, Integer, Negative, Float, Member];

/// `@p`. The grammar takes more, which is an error of another kind.
pub const GUARD: LeafPlace = LeafPlace::of(&[Register, Name]);
/// `L:`.
pub const LABEL: LeafPlace = LeafPlace::of(&[Register, Name]);
/// An operand of an instruction.
pub const OPERAND: LeafPlace = LeafPlace::of(ANY);
/// An element of `[a, b]`.
pub const ADDRESS: LeafPlace = LeafPlace::of(ANY);
/// An element of `{a, b}`.
pub const VECTOR: LeafPlace = LeafPlace::of(ANY);
/// `!%p`. The parser may read `!name` as an expression.
pub const NEGATED: LeafPlace = LeafPlace::of(&[Register]);
/// The first of `%p|%q`. The parser may read `name|name` as an expression.
pub const FIRST: LeafPlace = LeafPlace::of(&[Register, Sink]);
/// The second of them.
pub const SECOND: LeafPlace = LeafPlace::of(&[Register, Sink]);
/// The first of `a+4`.
pub const BASE: LeafPlace = LeafPlace::of(&[Register, Name]);
/// The second of them.
pub const AMOUNT: LeafPlace = LeafPlace::of(&[Integer, Negative]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::{PlainStatements, tests::has_syntax_error};
    use serde_json::Value;

    /// Each place with the node of the grammar that is around it, the field of that node if it has a name, and a statement with a `#` there.
    const PLACES: [(&LeafPlace, &str, Option<&str>, &str); 10] = [
        (&GUARD, "guard", Some("predicate"), "@# a;"),
        (&LABEL, "label", Some("name"), "#:"),
        (&OPERAND, "instruction", Some("operand"), "a #;"),
        (&ADDRESS, "address", None, "a [#];"),
        (&VECTOR, "vector", None, "a {#};"),
        (&NEGATED, "negation", Some("operand"), "a !#;"),
        (&FIRST, "pair", Some("first"), "a #|%r;"),
        (&SECOND, "pair", Some("second"), "a %r|#;"),
        (&BASE, "offset", Some("base"), "a [#+4];"),
        (&AMOUNT, "offset", Some("amount"), "a [%r+#];"),
    ];

    /// Each leaf with an example, and the node that the parser makes of it.
    const LEAVES: [(LeafKind, &str, &str); 7] = [
        (Register, "%r", "register"),
        (Name, "name", "identifier"),
        (Sink, "_", "sink"),
        (Integer, "7", "integer"),
        (Negative, "-7", "unary_expression"),
        (Float, "0f00000000", "float"),
        (Member, "%r.x", "member"),
    ];

    /// The kinds of node that the grammar allows in a field of a node, or among its children.
    fn allowed(node: &str, field: Option<&str>) -> Vec<String> {
        let types: Value = serde_json::from_str(tree_sitter_ptx::NODE_TYPES).expect("JSON");
        let all = types.as_array().expect("a list");
        let entry = all.iter().find(|entry| entry["type"] == node).unwrap_or_else(|| panic!("no node {node}"));
        let place = field.map_or(&entry["children"], |field| &entry["fields"][field]);
        let kinds = place["types"].as_array().unwrap_or_else(|| panic!("no {field:?} in {node}"));
        kinds.iter().filter_map(|kind| Some(kind["type"].as_str()?.to_owned())).collect()
    }

    #[test]
    fn the_grammar_allows_each_leaf_at_its_places() {
        for (place, node, field, _) in PLACES {
            let allowed = allowed(node, field);
            for (leaf, _, kind) in LEAVES {
                assert!(!place.takes(leaf) || allowed.iter().any(|name| name == kind), "{kind} in {node}: {allowed:?}");
            }
        }
    }

    #[test]
    fn a_statement_is_plain_if_its_leaf_may_stand_there() {
        for (place, node, _, example) in PLACES {
            for (leaf, text, _) in LEAVES {
                let statement = example.replace('#', text);
                let body = format!("a; {statement} b;");
                let mut plain = PlainStatements::default();
                plain.add(body.as_bytes(), 0..body.len());
                let is_plain = plain.all.iter().any(|found| body[found.range.clone()] == statement);
                assert_eq!(is_plain, place.takes(leaf), "{statement} of {node}");
                assert!(!is_plain || !has_syntax_error(&body), "{statement} of {node}");
            }
        }
    }
}
