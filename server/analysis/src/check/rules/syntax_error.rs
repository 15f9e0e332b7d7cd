//! `syntax-error`: text that is not PTX. The parser recovers at the next statement, so each is reported by itself.

#[cfg(test)]
mod tests;
mod unfinished;

pub use unfinished::{
    is_opening_bracket, opening_brace, opening_parenthesis, register_before_bracket, swallowed_line, token_before,
};

use crate::check::codes::{DiagnosticMessage, Finding};
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::SourceWord;
use crate::hir::lower::ItemSource;
use crate::hir::lower::is_broken;
use ptx_syntax::{Node, kinds};
use std::ops::Range;

/// Text that is not PTX.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// What is wrong with it.
    pub kind: SyntaxErrorKind,
    /// The word that the statement begins with, if that is no instruction: the error most likely follows from it.
    pub unknown_opcode: Option<Box<str>>,
}

/// Ways of not being PTX.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// Something that is no token of PTX.
    NotPtx,
    /// Tokens that do not belong there, and whether more of them follow than are shown.
    Unexpected(Box<str>, bool),
    /// An assignment to that name, as other languages have them.
    Assignment(Box<str>),
    /// A punctuation character that is missing after a token; without the token where that is too long to show.
    MissingAfter(char, Option<Box<str>>),
    /// An operand is missing after that operator.
    MissingOperand(Box<str>),
    /// Nothing follows a comma.
    MissingAfterComma,
    /// No value follows an equals sign.
    MissingValue,
    /// The parser expected this kind of token.
    Expected(Box<str>),
    /// A bracket that its line leaves open.
    Unclosed(char),
    /// A comment without an end.
    EndlessComment,
    /// A string without an end.
    EndlessString,
    /// A function that the next one interrupts.
    UnclosedFunction,
    /// The closing braces of blocks at the end of the file.
    MissingEnd,
    /// The closing parenthesis of a parameter list at the end of the file.
    EndlessList,
    /// The opening brace of a function.
    OpeningBrace,
    /// The opening parenthesis of a parameter list.
    OpeningParenthesis,
    /// Deeper than the assembler reads.
    TooDeep,
    /// A word alone on its line, which may be a label.
    MissingColon(Box<str>),
    /// A guard without a predicate.
    GuardWithoutPredicate,
    /// A guard without an instruction.
    GuardWithoutInstruction,
    /// Something, in words, that stands outside of functions.
    OutsideOfFunction(&'static str),
    /// A directive, and where it belongs.
    MisplacedDirective(Box<str>, &'static str),
    /// A prototype with a name.
    NamedPrototype(Box<str>),
    /// A function or kernel without a name.
    NamelessFunction(&'static str),
    /// A parameter without a name; of a prototype or not.
    NamelessParameter(bool),
    /// A dot with nothing after it.
    LoneDot,
    /// A dot-word in the place of a type, and the nearest type.
    NotAType(Box<str>, Option<&'static str>),
    /// A declaration without a type.
    NoType,
    /// A part of a declaration that stands behind what it must precede.
    Order(&'static str),
    /// `.ptr` before the type.
    PointerOrder,
    /// A part of a declaration that is there twice.
    GivenTwice(&'static str),
    /// A sign before something that has none.
    MisplacedSign(Box<str>),
    /// A subscript of a register, or in brackets.
    Subscript,
    /// An offset that is subtracted.
    MinusOffset,
}

impl From<SyntaxErrorKind> for SyntaxError {
    fn from(kind: SyntaxErrorKind) -> Self {
        Self { kind, unknown_opcode: None }
    }
}

impl DiagnosticMessage for SyntaxError {
    fn message(&self) -> String {
        match &self.kind {
            SyntaxErrorKind::NotPtx => "this is not PTX".to_owned(),
            SyntaxErrorKind::Unexpected(shown, false) => format!("unexpected `{shown}`"),
            SyntaxErrorKind::Unexpected(shown, true) => format!("unexpected `{shown}` …"),
            SyntaxErrorKind::Assignment(name) => format!("unexpected `{name} =`: PTX has no assignments"),
            SyntaxErrorKind::MissingAfter(what, Some(token)) => format!("a `{what}` is missing after `{token}`"),
            SyntaxErrorKind::MissingAfter(what, None) => format!("a `{what}` is missing after this"),
            SyntaxErrorKind::MissingOperand(operator) => format!("an operand is missing after this `{operator}`"),
            SyntaxErrorKind::MissingAfterComma => "something is missing after this comma".to_owned(),
            SyntaxErrorKind::MissingValue => "a value is missing after this".to_owned(),
            SyntaxErrorKind::Expected(what) => match &**what {
                "identifier" | "register" => "expected a name here".to_owned(),
                "integer" => "expected a number here".to_owned(),
                word if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    format!("expected {} here", word.replace('_', " "))
                }
                punctuation => format!("expected `{punctuation}` here"),
            },
            SyntaxErrorKind::Unclosed(bracket) => format!("`{bracket}` is not closed before the end of the line"),
            SyntaxErrorKind::EndlessComment => "this comment is not closed: `*/` is missing".to_owned(),
            SyntaxErrorKind::EndlessString => "this string is not closed before the end of the line".to_owned(),
            SyntaxErrorKind::UnclosedFunction => {
                "a `}` is missing after this: the next function begins inside of this one".to_owned()
            }
            SyntaxErrorKind::MissingEnd => "a `}` is missing at the end".to_owned(),
            SyntaxErrorKind::EndlessList => "a `)` is missing at the end of this list of parameters".to_owned(),
            SyntaxErrorKind::OpeningBrace => "a `{` is missing after the header of this function".to_owned(),
            SyntaxErrorKind::OpeningParenthesis => "a `(` is missing before the parameters of this function".to_owned(),
            SyntaxErrorKind::TooDeep => {
                "brackets nest too deep here for the assembler: it runs out of memory".to_owned()
            }
            SyntaxErrorKind::MissingColon(word) => {
                format!("`{word}` is no instruction: if it is a label, `:` is missing after it")
            }
            SyntaxErrorKind::GuardWithoutPredicate => "the predicate of this guard is missing".to_owned(),
            SyntaxErrorKind::GuardWithoutInstruction => "an instruction is missing after this guard".to_owned(),
            SyntaxErrorKind::OutsideOfFunction(what) => format!("{what} must stand inside of a function"),
            SyntaxErrorKind::MisplacedDirective(directive, place) => {
                format!("`{directive}` cannot stand here: it belongs {place}")
            }
            SyntaxErrorKind::NamedPrototype(name) => format!("a prototype has no name: write `_` in place of `{name}`"),
            SyntaxErrorKind::NamelessFunction(what) => format!("the name of this {what} is missing"),
            SyntaxErrorKind::NamelessParameter(_) => "the name of the parameter is missing after this".to_owned(),
            SyntaxErrorKind::LoneDot => "a modifier is missing after the dot".to_owned(),
            SyntaxErrorKind::NotAType(word, _) => format!("`{word}` is not a type"),
            SyntaxErrorKind::NoType => "a type is missing here, such as `.b32`".to_owned(),
            SyntaxErrorKind::Order(before) => format!("this must stand before {before}"),
            SyntaxErrorKind::PointerOrder => "`.ptr` must stand behind the type".to_owned(),
            SyntaxErrorKind::GivenTwice(what) => format!("a declaration has one {what}, and this is the second"),
            SyntaxErrorKind::MisplacedSign(sign) => format!("`{sign}` cannot stand before this"),
            SyntaxErrorKind::Subscript => {
                "a subscript stands only behind a variable without brackets around it".to_owned()
            }
            SyntaxErrorKind::MinusOffset => "an offset is added, never subtracted".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        if let Some(word) = &self.unknown_opcode {
            return Some(format!("`{word}` is not an instruction either"));
        }
        Some(match &self.kind {
            SyntaxErrorKind::Unexpected(shown, _) if &**shown == "}" => "there is no `{` that it closes".to_owned(),
            SyntaxErrorKind::Assignment(name) => {
                format!("an instruction names its result first, as in `add.s32 {name}, …`")
            }
            SyntaxErrorKind::TooDeep => {
                "nest blocks, initializers and expressions less deep; brackets from here inwards are not checked"
                    .to_owned()
            }
            SyntaxErrorKind::NamedPrototype(_) => "calls name the label before the directive".to_owned(),
            SyntaxErrorKind::NamelessParameter(true) => "write `_`".to_owned(),
            SyntaxErrorKind::NotAType(_, Some(near)) => format!("did you mean `{near}`?"),
            SyntaxErrorKind::Order(_) => {
                "the order is: `.align` and `.attribute`, state space, vector length, type, names".to_owned()
            }
            SyntaxErrorKind::GivenTwice(_) => "remove one of them".to_owned(),
            SyntaxErrorKind::MisplacedSign(sign) if &**sign == "+" => "remove it".to_owned(),
            SyntaxErrorKind::MisplacedSign(_) => "compute it with an instruction of its own first".to_owned(),
            SyntaxErrorKind::Subscript => "write an offset in bytes, `[a+4]`".to_owned(),
            SyntaxErrorKind::MinusOffset => "write `+-` in place of `-`".to_owned(),
            _ => return None,
        })
    }
}

impl Diagnostic {
    /// The syntax error that this is.
    pub fn syntax_error(&self) -> Option<&SyntaxError> {
        if let Finding::SyntaxError(error) = &self.finding { Some(error) } else { None }
    }
}

/// A finding of that kind.
fn error(range: Range<usize>, kind: SyntaxErrorKind) -> Diagnostic {
    Diagnostic::new(range, SyntaxError::from(kind))
}

/// Reports every error node inside of a node. Costs next to nothing where there is none.
pub fn report(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    if node.is_error() {
        return unexpected(source, node, out);
    }
    if node.is_missing() {
        return out.push(missing(source, node));
    }
    if is_broken(node) {
        report_inside(source, node, out);
    }
}

/// Reports what is wrong inside of a node of which it is known that something is.
pub fn report_inside(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut open = Vec::new();
    let mut found = Vec::new();
    collect(source, node, &mut open, &mut found);
    // A bracket that is not closed lacks the semicolon too; the innermost bracket is the one to report.
    if let Some(innermost) = open.last() {
        found.push(unclosed(source, *innermost));
    }
    if node.kind_id() == kinds().section_directive {
        // Its lines are statements of their own.
        return out.append(&mut found);
    }
    // A statement has one syntax error: what comes after it is the parser's way back.
    out.extend(found.into_iter().min_by_key(|d| d.range.start));
}

/// Whether an instruction lacks something, whatever is declared: a separator, a bracket, its end. Nothing can be said about how it
/// would have been laid out.
pub fn is_unfinished(source: ItemSource<'_>, instruction: Node<'_>) -> bool {
    let opcode = instruction.child_by_field_id(ptx_syntax::fields().opcode).map_or(0, |n| source.range(n).end);
    is_broken(instruction)
        || swallowed_line(source, instruction, opcode, &|_| false).is_some()
        || register_before_bracket(source, instruction).is_some()
}

fn collect<'tree>(source: ItemSource<'_>, node: Node<'tree>, open: &mut Vec<Node<'tree>>, out: &mut Vec<Diagnostic>) {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    let mut own = None;
    while more {
        let child = cursor.node();
        if child.kind_id() == kinds().unclosed {
            own = Some(child);
        } else if child.is_error() {
            unexpected(source, child, out);
        } else if child.is_missing() {
            out.push(missing(source, child));
        } else {
            collect(source, child, open, out);
        }
        more = cursor.goto_next_sibling();
    }
    // Only if nothing inside is open is this the place.
    if open.is_empty() {
        open.extend(own);
    }
}

/// A bracket that stands deeper in others than the assembler can read. This and all deeper ones are ignored.
pub fn too_deep(bracket: usize) -> Diagnostic {
    error(bracket..bracket + 1, SyntaxErrorKind::TooDeep)
}

/// A function without its closing brace. `last` is its last token, `header` the word and name that begin it.
pub fn unclosed_function(header: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `}`", last.end..last.end, "\n}").preferred();
    error(last, SyntaxErrorKind::UnclosedFunction).related(header, "this function is not closed").fix(fix)
}

/// The closing brace of a block that the end of the file leaves open, behind its last character; with `count` blocks, of all of them.
pub fn end_of_block(last: Range<usize>, count: usize, header: Option<Range<usize>>) -> Diagnostic {
    let title = format!("Insert `{}`", "}".repeat(count));
    let fix = Fix::replace(title, last.end..last.end, "\n}".repeat(count)).preferred();
    let found = error(last, SyntaxErrorKind::MissingEnd).fix(fix);
    match header {
        Some(header) => found.related(header, "this function is not closed"),
        None => found,
    }
}

/// A list of parameters that the end of the file leaves open: its parenthesis, and the last character.
pub fn endless_list(open: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `)`", last.end..last.end, ")").preferred();
    error(last, SyntaxErrorKind::EndlessList).related(open, "this parenthesis is not closed").fix(fix)
}

/// Whether a finding is that one.
pub fn is_end_of_block(diagnostic: &Diagnostic) -> bool {
    diagnostic.syntax_error().is_some_and(|e| e.kind == SyntaxErrorKind::MissingEnd)
}

/// A word that stands alone on its line: a label whose colon is missing.
pub fn missing_colon(word: SourceWord<'_>) -> Diagnostic {
    let end = word.range().end;
    let title = format!("Make `{}` a label", word.text);
    error(word.range(), SyntaxErrorKind::MissingColon(word.text.into())).fix(Fix::replace(title, end..end, ":"))
}

/// The label that a finding says has lost its colon.
pub fn lost_label(diagnostic: &Diagnostic) -> Option<&str> {
    match &diagnostic.syntax_error()?.kind {
        SyntaxErrorKind::MissingColon(name) => Some(name),
        _ => None,
    }
}

/// A syntax error in a statement that begins with a word that is no instruction.
pub fn in_unknown(mut found: Diagnostic, word: &str) -> Diagnostic {
    if let Finding::SyntaxError(error) = &mut found.finding {
        error.unknown_opcode = Some(word.into());
    }
    found
}

/// Whether a finding is one of [`in_unknown`].
pub fn is_in_unknown(diagnostic: &Diagnostic) -> bool {
    diagnostic.syntax_error().is_some_and(|e| e.unknown_opcode.is_some())
}

/// Something that stands outside of a function.
pub fn outside_of_function(range: Range<usize>, what: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::OutsideOfFunction(what))
}

/// A directive where only statements may stand.
pub fn misplaced(range: Range<usize>, directive: &str, place: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::MisplacedDirective(directive.into(), place))
}

/// A prototype with a name of its own.
pub fn named_prototype(word: SourceWord<'_>) -> Diagnostic {
    error(word.range(), SyntaxErrorKind::NamedPrototype(word.text.into())).fix(Fix::replace(
        "Write `_`",
        word.range(),
        "_",
    ))
}

/// A function without a name; the word is `.func` or `.entry`.
pub fn nameless_function(kind: SourceWord<'_>) -> Diagnostic {
    let what = if kind.text == ".entry" { "kernel" } else { "function" };
    error(kind.range(), SyntaxErrorKind::NamelessFunction(what))
}

/// A dot with nothing after it.
pub fn lone_dot(word: SourceWord<'_>) -> Diagnostic {
    error(word.range(), SyntaxErrorKind::LoneDot)
}

/// A dot-word in the place of a type.
pub fn not_a_type(word: SourceWord<'_>) -> Diagnostic {
    let near = super::suggest(word.text, ptx_isa::ISA.types.iter().map(|t| t.name));
    error(word.range(), SyntaxErrorKind::NotAType(word.text.into(), near))
        .fixes(super::write_instead(word.range(), near))
}

/// A part of a declaration that stands too late.
pub fn order(range: Range<usize>, before: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::Order(before))
}

/// A parameter without a name.
pub fn no_name(range: Range<usize>, prototype: bool) -> Diagnostic {
    error(range, SyntaxErrorKind::NamelessParameter(prototype))
}

/// `.param .ptr .u64 p`.
pub fn pointer_order(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::PointerOrder)
}

/// Two state spaces, types or vector lengths in one declaration.
pub fn given_twice(range: Range<usize>, what: &'static str) -> Diagnostic {
    error(range.clone(), SyntaxErrorKind::GivenTwice(what)).fix(Fix::replace("Remove the second", range, ""))
}

/// A declaration without a type.
pub fn no_type(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::NoType)
}

/// `+%r1`.
pub fn misplaced_sign(range: Range<usize>, sign: &str) -> Diagnostic {
    error(range, SyntaxErrorKind::MisplacedSign(sign.into()))
}

/// `[a[4]]`, `%r1[4]`.
pub fn subscript(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::Subscript)
}

/// `a-4`.
pub fn minus_offset(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::MinusOffset)
}

/// What the parser could not place: the tokens that stand directly in an error node, since whatever it did understand in
/// there is looked at by itself.
fn unexpected(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let range = source.range(node);
    if let Some(number) = super::malformed_number::around(source.text, &range) {
        // The parser may have met it in two places.
        if !out.contains(&number) {
            out.push(number);
        }
        return;
    }
    let whole = source.text.get(range.clone()).unwrap_or("");
    let text = whole.trim();
    let first = text.lines().next().unwrap_or("");
    let shown: String = first.chars().take(40).collect();
    // The first line is enough to point at; where there is none, the next character.
    let next = source.text.get(range.start..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    let blanks = whole.len() - whole.trim_start().len();
    let range = range.start..range.start + if first.is_empty() { next } else { blanks + first.len() };
    if shown.is_empty() {
        return out.push(error(range, SyntaxErrorKind::NotPtx));
    }
    let more = shown.len() < text.len();
    let separator = unfinished::separator(source, node, &shown).or_else(|| unfinished::operator(source, node, &shown));
    if let Some(found) = separator.or_else(|| unfinished::assignment(range.clone(), &shown)) {
        return out.push(found);
    }
    let diagnostic = error(range, SyntaxErrorKind::Unexpected(shown.as_str().into(), more));
    let start = diagnostic.range.start;
    let remove = || Fix::replace(format!("Remove `{shown}`"), start..start + shown.len(), "");
    out.push(match shown.as_str() {
        "}" => diagnostic.fix(remove()),
        ";" | "," | ")" | "]" if !more => diagnostic.fix(remove()),
        _ => diagnostic,
    });
}

/// A comment that never ends; `line` is where its first line ends.
pub fn endless_comment(range: Range<usize>, line: usize) -> Diagnostic {
    error(range.start..range.start + 2, SyntaxErrorKind::EndlessComment).fix(Fix::replace(
        "Insert `*/` at the end of this line",
        line..line,
        " */",
    ))
}

/// A string that does not end on its line.
pub fn endless_string(range: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Add `\"`", range.end..range.end, "\"");
    error(range, SyntaxErrorKind::EndlessString).fix(fix)
}

/// The character that a text of one character is.
fn only(text: &str) -> char {
    text.chars().next().unwrap_or_default()
}

fn missing(source: ItemSource<'_>, node: Node<'_>) -> Diagnostic {
    let range = before(source, node);
    let token = last_token(source, node).unwrap_or_else(|| range.clone());
    match node.kind() {
        // One character can be meant in one way only.
        text if text.len() == 1 => unfinished::missing_after(source, token, only(text)),
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            unfinished::operand_after(source, token)
        }
        kind => error(range, SyntaxErrorKind::Expected(kind.into())),
    }
}

fn unclosed(source: ItemSource<'_>, node: Node<'_>) -> Diagnostic {
    let Some(parent) = node.parent() else { return missing(source, node) };
    let start = source.range(parent).start;
    let open = start..start + 1;
    let token = last_token(source, node).unwrap_or_else(|| before(source, node));
    let previous = unfinished::sibling(node, Node::prev_sibling);
    match source.text.get(open.clone()).unwrap_or("") {
        bracket @ ("[" | "{" | "(") => {
            let closing = match bracket {
                "[" => "]",
                "{" => "}",
                _ => ")",
            };
            let end = before(source, node).end;
            let rest = source.text.get(end..).and_then(|r| r.lines().next()).unwrap_or("");
            let closing = if rest.contains(';') { closing.to_owned() } else { format!("{closing};") };
            unfinished::not_closed(open, only(bracket))
                .fix(Fix::replace(format!("Add `{closing}`"), end..end, closing).preferred())
        }
        _ if parent.kind_id() == kinds().guard => error(token, SyntaxErrorKind::GuardWithoutPredicate),
        _ if previous.is_some_and(|p| p.kind_id() == kinds().guard) => {
            let guard = previous.map_or(token, |p| source.range(p));
            error(guard, SyntaxErrorKind::GuardWithoutInstruction)
        }
        _ if previous.is_some_and(|p| p.kind() == ",") => unfinished::after_comma(before(source, node)),
        _ if previous.is_some_and(|p| p.kind() == "=") => error(before(source, node), SyntaxErrorKind::MissingValue),
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            unfinished::operand_after(source, token)
        }
        _ => unfinished::missing_after(source, token, ';'),
    }
}

/// The last token before a node of no width, where it stands in the same text.
fn last_token(source: ItemSource<'_>, node: Node<'_>) -> Option<Range<usize>> {
    let previous = unfinished::sibling(node, Node::prev_sibling)?;
    let token = token_before(previous, previous.end_byte())?;
    Some(source.range(token)).filter(|range| !range.is_empty())
}

/// The last character of what stands before a node of no width, comments aside, so that there is something to underline; the first
/// character of the source where nothing stands before it.
fn before(source: ItemSource<'_>, node: Node<'_>) -> Range<usize> {
    let k = kinds();
    let mut previous = node.prev_sibling();
    while let Some(extra) = previous.filter(|p| p.kind_id() == k.comment || p.kind_id() == k.preprocessor_line) {
        previous = extra.prev_sibling();
    }
    let at = previous.map_or_else(|| source.range(node).start, |p| source.range(p).end);
    let text = source.text.get(..at).unwrap_or("").trim_end();
    match text.char_indices().next_back() {
        Some((start, _)) => start..text.len(),
        None => 0..source.text.chars().next().map_or(0, char::len_utf8),
    }
}
