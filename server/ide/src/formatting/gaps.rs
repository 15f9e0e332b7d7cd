//! The white space between two tokens of a statement.

use ptx_syntax::{is_named, kinds};

/// A token of a statement.
#[derive(Debug, Clone, Copy)]
pub struct StatementToken<'t> {
    /// Offset in the file at which it begins.
    pub start: usize,
    /// Its text in the source.
    pub text: &'t str,
    /// Its node kind.
    pub kind: u16,
    /// The node kind of its parent.
    pub parent: u16,
    /// Whether it must begin a line, whatever the source has.
    pub line: LineStart,
}

impl StatementToken<'_> {
    /// Offset in the file at which it ends.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether the line must end after it.
    pub fn ends_line(&self) -> bool {
        self.kind == kinds().comment && self.text.starts_with("//")
    }

    pub fn is_comment(&self) -> bool {
        self.kind == kinds().comment
    }

    fn is_operator_of(&self, parents: &[u16]) -> bool {
        !is_named(self.kind) && parents.contains(&self.parent)
    }
}

/// Whether a token has to begin a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineStart {
    /// As in the source.
    #[default]
    Any,
    /// At the indentation of its statement.
    Level,
    /// One level deeper than its statement.
    Deeper,
}

/// The white space between two tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// There is a blank.
    pub blank: bool,
    /// A line break in the source may stay.
    pub may_break: bool,
}

const GLUE: Gap = Gap { blank: false, may_break: false };
const BLANK: Gap = Gap { blank: true, may_break: false };
const BREAK: Gap = Gap { blank: false, may_break: true };
const BLANK_OR_BREAK: Gap = Gap { blank: true, may_break: true };

/// The white space between two tokens of a statement, neither of which is a comment. `apart`: the source has white space
/// there.
pub fn between(a: &StatementToken<'_>, b: &StatementToken<'_>, apart: bool) -> Gap {
    let wanted = wanted(a, b);
    // Tokens without space between them may stay so. Tokens with space between them must not merge into one token.
    if !wanted.blank && apart && would_merge(a, b) { Gap { blank: true, ..wanted } } else { wanted }
}

fn wanted(a: &StatementToken<'_>, b: &StatementToken<'_>) -> Gap {
    let k = kinds();
    let block = |t: &StatementToken<'_>| t.parent == k.block;
    match b.text {
        "," | ";" => return GLUE,
        "}" if block(b) => return BLANK,
        ")" | "]" | "}" => return BREAK,
        ":" if b.parent == k.label => return GLUE,
        "<" | ">" if b.parent == k.register_range => return GLUE,
        "[" if b.parent == k.index || b.parent == k.array_suffix => return GLUE,
        "(" if b.parent == k.parameter_list => {
            // `f(…)`, but `.func (…)`, and `_ (…)` in a prototype.
            return if a.kind == k.identifier || a.kind == k.register { GLUE } else { BLANK };
        }
        "(" if [k.attribute_list, k.attribute, k.generic_address, k.mask_initializer].contains(&b.parent) => {
            return GLUE;
        }
        _ => {}
    }
    if b.kind == k.bank || b.kind == k.member_name || (b.kind == k.modifier && b.parent == k.instruction) {
        return GLUE;
    }
    match a.text {
        "{" if block(a) => return BLANK,
        "(" | "[" | "{" => return BREAK,
        "," => return BLANK_OR_BREAK,
        "<" if a.parent == k.register_range => return GLUE,
        "@" | "!" => return GLUE,
        ")" if a.parent == k.cast_expression => return GLUE,
        _ => {}
    }
    let tight = [k.offset, k.pair];
    if a.is_operator_of(&tight) || b.is_operator_of(&tight) || a.is_operator_of(&[k.unary_expression, k.negation]) {
        return GLUE;
    }
    // The operands of an instruction may begin on the next line, and so may an initializer.
    let opens = b.text == "{" || a.parent == k.instruction;
    Gap { blank: true, may_break: opens }
}

/// Whether two adjacent tokens could be read as other tokens.
fn would_merge(a: &StatementToken<'_>, b: &StatementToken<'_>) -> bool {
    let (Some(left), Some(right)) = (a.text.chars().next_back(), b.text.chars().next()) else { return true };
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | '.' | ':' | '"' | '#') || !c.is_ascii();
    let operator = |c: char| "<>=!&|+-*/^~?@".contains(c);
    if right == '.' {
        // A modifier or a member joins the word before it, unless that is a number or a dot.
        let number = a.text.starts_with(|c: char| c.is_ascii_digit());
        return number || matches!(left, '.' | ':' | '"') || !left.is_ascii();
    }
    let pair = |l, r| left == l && right == r;
    (word(left) && word(right)) || (operator(left) && operator(right) && !pair('@', '!') && !pair('+', '-'))
}
