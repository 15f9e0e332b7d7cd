//! Finds the missing part of an unfinished statement: a separator, bracket or operand.
//!
//! It is reported at the end of the last token before it: the next line is another statement without an error.

use super::habit::Habit;
use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::{Diagnostic, Fix};
use ptx_isa::ISA;
use ptx_sema::hir::lower::ItemSource;
use ptx_syntax::{Node, kinds};
use std::ops::Range;

/// Maximum length, in bytes, of a token that a message quotes.
const MAX_QUOTED: usize = 32;

/// The report on a `;`, `,`, bracket or brace (`what`) that is missing after a token, with the fix that inserts it.
pub(super) fn missing_after(source: ItemSource<'_>, token: Range<usize>, what: char) -> Diagnostic {
    let text = source.text.get(token.clone()).unwrap_or("");
    if let Some(found) = super::look_alikes::report(text, token.start) {
        return found;
    }
    if what == ';'
        && let Some(found) = super::dotted::around(source.text, token.end)
    {
        return found;
    }
    let shown = quotable(text).then(|| text.into());
    let fix = Fix::replace(format!("Insert `{what}`"), token.end..token.end, what.to_string()).preferred();
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    // A missing comma is reported at the whole operand before it; other characters at the last character of the token.
    let range = if what == ',' { token.clone() } else { token.start + last..token.end.max(token.start + 1) };
    error(range, SyntaxErrorKind::MissingAfter(what, shown)).fix(fix)
}

fn quotable(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_QUOTED && !text.contains(['\n', '`'])
}

/// The report on an operand that is missing after an operator.
pub(super) fn operand_after(source: ItemSource<'_>, token: Range<usize>) -> Diagnostic {
    let text = source.text.get(token.clone()).unwrap_or("");
    let pointer = (text == "*").then(|| pointer_type(source.text, &token)).flatten();
    pointer.unwrap_or_else(|| error(token, SyntaxErrorKind::MissingOperand(text.into())))
}

/// The report on a pointer type, `.f32*`: its `*` has this byte range.
fn pointer_type(text: &str, star: &Range<usize>) -> Option<Diagnostic> {
    let before = text.get(..star.start)?.trim_end();
    let ty = before.rsplit(|c: char| c.is_whitespace() || c == '(').next()?;
    ISA.ty(ty)?;
    let range = before.len() - ty.len()..star.end;
    let kind = SyntaxErrorKind::Habit(Habit::PointerType(format!("{ty}*").into()));
    // `.f32 *p`: the blank before the name goes with the star.
    let is_apart = text.get(star.end..).is_none_or(|rest| rest.starts_with(char::is_whitespace));
    let written = if is_apart { ".u64" } else { ".u64 " };
    Some(error(range.clone(), kind).fix(Fix::replace("Write `.u64`", range, written).preferred()))
}

/// The report on a missing `;`, if a line inside of a statement begins with an opcode. The search begins at offset `after`. A word is
/// no opcode if it is a declared name, or if a comma, closing bracket or `=` follows it: then it may be an operand.
pub(crate) fn swallowed_line(
    source: ItemSource<'_>,
    node: Node<'_>,
    after: usize,
    is_declared: &dyn Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let whole = source.range(node);
    let text = source.text.get(..whole.end.min(source.text.len()))?;
    let mut at = after.max(whole.start);
    while let Some(line) = text.get(at..)?.find('\n') {
        let rest = text.get(at + line..)?;
        at += line + rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let word = leading_word(rest);
        let behind = rest.get(word.len()..).unwrap_or("");
        let behind = behind.trim_start_matches(|c: char| c == '.' || c == ':' || c.is_ascii_alphanumeric() || c == '_');
        let listed = behind.trim_start().starts_with([',', ')', ']', '}', '=']);
        if !listed
            && ISA.opcode(word).is_some()
            && is_code(node, source.base + at..source.base + at + word.len())
            && !is_declared(word)
        {
            let token = token_before(node, source.base + at)?.byte_range();
            return Some(end_of_statement(source, source.relative(token)));
        }
    }
    None
}

/// The report on the part that is missing after the last token of a statement: an operand, a bracket or the `;`.
fn end_of_statement(source: ItemSource<'_>, token: Range<usize>) -> Diagnostic {
    match source.text.get(token.clone()).unwrap_or("") {
        "," => after_comma(token),
        ":" => colon_at_end(token),
        text if is_operator(text) => operand_after(source, token),
        "[" => not_closed(token, '['),
        "(" => not_closed(token, '('),
        "{" => not_closed(token, '{'),
        _ => missing_after(source, token, ';'),
    }
}

/// The report on a comma that nothing follows.
pub(super) fn after_comma(comma: Range<usize>) -> Diagnostic {
    error(comma, SyntaxErrorKind::MissingAfterComma)
}

/// The report on a comma that nothing follows up to the end of the statement.
pub(super) fn comma_before_end(text: &str, comma: Range<usize>) -> Diagnostic {
    let ends = text.get(comma.end..).is_some_and(|rest| rest.trim_start().starts_with(';'));
    let fix = ends.then(|| Fix::replace("Remove `,`", comma.clone(), ""));
    after_comma(comma).fixes(fix)
}

/// The report on a `:` in the place of the `;` at the end of a statement.
pub(super) fn colon_at_end(colon: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Write `;`", colon.clone(), ";").preferred();
    error(colon, SyntaxErrorKind::Habit(Habit::ColonAtEnd)).fix(fix)
}

/// The report on a bracket that is not closed on its line.
pub(super) fn not_closed(open: Range<usize>, bracket: char) -> Diagnostic {
    error(open, SyntaxErrorKind::Unclosed(bracket))
}

/// Whether a text begins with an opcode.
pub(super) fn begins_with_opcode(text: &str) -> bool {
    ISA.opcode(leading_word(text)).is_some()
}

fn leading_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Whether a byte range of the file is outside of comments, preprocessor lines and strings.
fn is_code(node: Node<'_>, range: Range<usize>) -> bool {
    let k = kinds();
    let leaf = node.descendant_for_byte_range(range.start, range.end);
    leaf.is_some_and(|n| n.kind_id() != k.comment && n.kind_id() != k.preprocessor_line && n.kind_id() != k.string)
}

/// The last token of a node that ends at or before the file offset `end`. Comments do not count as tokens.
pub(crate) fn token_before(node: Node<'_>, end: usize) -> Option<Node<'_>> {
    let k = kinds();
    let mut cursor = node.walk();
    let mut more = cursor.goto_last_child();
    if !more {
        return (node.end_byte() <= end && node.end_byte() > node.start_byte()).then_some(node);
    }
    while more {
        let child = cursor.node();
        let extra = child.kind_id() == k.comment || child.kind_id() == k.preprocessor_line;
        if !extra
            && child.start_byte() < end
            && let Some(token) = token_before(child, end)
        {
            return Some(token);
        }
        more = cursor.goto_previous_sibling();
    }
    None
}

/// The nearest sibling in one direction that is not a comment or preprocessor line.
pub(super) fn sibling<'t>(node: Node<'t>, next: impl Fn(&Node<'t>) -> Option<Node<'t>>) -> Option<Node<'t>> {
    let k = kinds();
    let mut found = next(&node);
    while let Some(extra) = found.filter(|n| n.kind_id() == k.comment || n.kind_id() == k.preprocessor_line) {
        found = next(&extra);
    }
    found
}

/// The report on a missing separator, if an error node has an operand or a statement that no separator divides from its neighbour.
pub(super) fn separator(source: ItemSource<'_>, error: Node<'_>, text: &str) -> Option<Diagnostic> {
    let k = kinds();
    if !text.starts_with(|c: char| c.is_alphanumeric() || "%$_[{".contains(c)) {
        return None;
    }
    let parent = error.parent()?.kind_id();
    let in_list = [k.vector, k.address, k.argument_list].contains(&parent);
    if parent != k.instruction && !in_list {
        return None;
    }
    let previous = sibling(error, Node::prev_sibling)?;
    let head = [k.opcode, k.modifier, k.guard].contains(&previous.kind_id());
    if previous.is_named() && !head {
        let token = token_before(previous, previous.end_byte()).unwrap_or(previous);
        let before = previous.prev_sibling().filter(|n| n.kind_id() == k.opcode).map(|n| source.range(n));
        if let Some(label) = before
            && !source.text.get(label.clone()).is_some_and(begins_with_opcode)
            && source.text.get(source.range(previous)).is_some_and(begins_with_opcode)
        {
            // `loop mov.u32 %r1, 0;`
            return Some(missing_after(source, label, ':'));
        }
        let what = if !in_list && begins_with_opcode(text) { ';' } else { ',' };
        let range = source.relative(token.byte_range());
        // Mark only the last token before it: a bracketed operand as a whole would be underlined twice.
        return Some(missing_after(source, range, what));
    }
    // `setp.lt.s32 %p1 %r1, %r2`: the parser drops the first of the two operands into the error node.
    let next = sibling(error, Node::next_sibling).filter(Node::is_named)?;
    let first = error.child(0).filter(|_| parent == k.instruction && head)?;
    let operand = [k.register, k.identifier, k.sink, k.integer, k.float].contains(&first.kind_id());
    let apart = source.text.get(source.range(error).end..source.range(next).start).is_some_and(|t| !t.contains('\n'));
    (operand && apart).then(|| missing_after(source, source.range(first), ','))
}

/// Whether a token is an operator of an expression.
pub(super) fn is_operator(text: &str) -> bool {
    matches!(text, "+" | "-" | "!" | "~" | "*" | "/" | "%" | "|" | "&" | "^" | "?" | ":" | "<<" | ">>" | "&&" | "||")
}

/// The report on a missing operand, if an error node stands where an operator needs one: `1+;`.
pub(super) fn operator(source: ItemSource<'_>, error: Node<'_>, text: &str) -> Option<Diagnostic> {
    let token =
        |node: Node<'_>| Some(source.range(node)).filter(|r| is_operator(source.text.get(r.clone()).unwrap_or("")));
    let ends = matches!(text, ";" | "," | ")" | "]");
    if ends {
        let previous = sibling(error, Node::prev_sibling)?;
        // A colon ends a label: nothing is missing after it.
        if previous.kind_id() == kinds().label {
            return None;
        }
        return token(token_before(previous, previous.end_byte())?).map(|range| operand_after(source, range));
    }
    // A colon is not only an operator: it also ends labels.
    (is_operator(text) && text != ":").then(|| token(error)).flatten().map(|range| operand_after(source, range))
}

/// The report on a missing comma, as in `%r1 [%rd2]`: a register has no elements, so these are two operands.
pub(crate) fn register_before_bracket(source: ItemSource<'_>, instruction: Node<'_>) -> Option<Diagnostic> {
    let (k, f) = (kinds(), ptx_syntax::fields());
    let mut cursor = instruction.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        if child.kind_id() == k.index
            && let Some(object) = child.child_by_field_id(f.object).filter(|o| o.kind_id() == k.register)
            && source.text.get(source.range(object).end..).is_some_and(|rest| rest.starts_with([' ', '\t']))
        {
            return Some(missing_after(source, source.range(object), ','));
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// The report on an assignment, `%r1 = …`, as other languages have it.
pub(super) fn assignment(source: ItemSource<'_>, range: Range<usize>, text: &str) -> Option<Diagnostic> {
    let operators = ['+', '-', '*', '/', '%', '&', '|', '^', '<', '>'];
    let name = text.split_once('=')?.0.trim_end_matches(operators).trim_end();
    let word = name.strip_prefix('%').unwrap_or(name);
    let is_name = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'));
    is_name.then(|| {
        let start = range.start;
        error(range, SyntaxErrorKind::Assignment(name.into(), None)).fixes(result_first(source, start, name))
    })
}

/// The fix that writes `%r1 = add.u32 %r2, %r3;` as PTX has it.
fn result_first(source: ItemSource<'_>, start: usize, name: &str) -> Option<Fix> {
    let statement = source.text.get(start..)?;
    let statement = statement.get(..statement.find([';', '\n'])?)?;
    let (result, rest) = statement.split_once('=')?;
    let rest = rest.trim();
    let (mnemonic, operands) = rest.split_once(char::is_whitespace)?;
    (result.trim() == name && begins_with_opcode(mnemonic)).then(|| {
        let text = format!("{mnemonic} {name}, {}", operands.trim());
        Fix::replace(format!("Write `{text}`"), start..start + statement.len(), text).preferred()
    })
}

/// The report on a missing `{`: statements follow a function header directly. `last` is the last character of the header.
pub(crate) fn opening_brace(last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `{`", last.end..last.end, "\n{").preferred();
    error(last, SyntaxErrorKind::OpeningBrace).fix(fix)
}

/// The report on a missing `(`: parameters follow a function header directly. `last` is the last character before them.
pub(crate) fn opening_parenthesis(last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `(`", last.end..last.end, "(").preferred();
    error(last, SyntaxErrorKind::OpeningParenthesis).fix(fix)
}

/// Whether a diagnostic is from [`opening_brace`] or [`opening_parenthesis`], or about a `;` that cuts the parameters off.
pub(crate) fn is_opening_bracket(diagnostic: &Diagnostic) -> bool {
    use SyntaxErrorKind::{OpeningBrace, OpeningParenthesis};
    let cuts = |habit: &Habit| matches!(habit, Habit::ParameterSemicolon { .. });
    diagnostic.syntax_error().is_some_and(|e| match &e.kind {
        OpeningBrace | OpeningParenthesis => true,
        SyntaxErrorKind::Habit(habit) => cuts(habit),
        _ => false,
    })
}

/// Reports a closing brace that closes nothing.
pub(crate) fn unopened(brace: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Remove `}`", brace.clone(), "");
    error(brace, SyntaxErrorKind::Unexpected("}".into(), false)).fix(fix)
}

/// Reports the opening brace of a block that is not closed before the text around it ends.
pub(crate) fn unclosed_block(brace: Range<usize>) -> Diagnostic {
    error(brace, SyntaxErrorKind::UnclosedBlock)
}
