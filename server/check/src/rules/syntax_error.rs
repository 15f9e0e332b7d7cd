//! `syntax-error`: text that is not PTX. The parser recovers at the next statement, so each statement has its own report.

mod assignments;
mod characters;
mod declarations;
mod dotted;
mod foreign;
mod habit;
mod habits;
mod headers;
mod kind;
mod look_alikes;
mod misordered;
mod places;
mod slips;
mod statements;
#[cfg(test)]
mod tests;
mod unfinished;

pub use characters::{LookAlike, look_alike};
pub(crate) use declarations::{given_twice, no_name, no_type, not_a_type, order, pointer_order};
pub use dotted::dotted_name;
pub(crate) use dotted::join as join_dotted;
pub(crate) use foreign::foreign_character;
pub(crate) use habits::{comment, guard_behind, other_language, preprocessor_line, second_guard};
pub(crate) use headers::cut_at_semicolon;
use kind::error;
pub(crate) use kind::{SyntaxError, SyntaxErrorKind, subscript};
pub(crate) use slips::{body_after_semicolon, dotted_label, of_dotted_label, register_range, wrong_brackets};
pub(crate) use statements::doubled_brackets;
pub(crate) use unfinished::{
    is_opening_bracket, opening_brace, opening_parenthesis, register_before_bracket, swallowed_line, token_before,
    unclosed_block, unopened,
};

use crate::diagnostic::{Diagnostic, Fix};
use ptx_sema::hir::ast::{Instruction, SourceWord};
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::hir::lower::is_broken;
use ptx_syntax::{Node, kinds};
use std::ops::Range;

/// Reports the syntax errors in a node. Takes almost no time if there are none.
pub(crate) fn report(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
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

/// Reports the syntax errors inside of a node that is known to have some.
pub(crate) fn report_inside(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut open = Vec::new();
    let mut found = Vec::new();
    // Each line of a section is a statement, so all of its errors are reported.
    let all = node.kind_id() == kinds().section_directive;
    collect(source, node, all, &mut open, &mut found);
    // An unclosed bracket also makes the semicolon missing. Only the innermost unclosed bracket is reported.
    if let Some(innermost) = open.last() {
        found.push(unclosed(source, *innermost));
    }
    if all {
        return out.append(&mut found);
    }
    // Report only the first syntax error of a statement: later ones come from the parser's recovery.
    out.extend(found.into_iter().min_by_key(|d| d.range.start));
}

/// Whether a separator, a bracket or the end of an instruction is missing, regardless of which names are declared. The formatter
/// cannot lay out such an instruction.
pub fn is_unfinished(source: ItemSource<'_>, instruction: Node<'_>) -> bool {
    let opcode = instruction.child_by_field_id(ptx_syntax::fields().opcode).map_or(0, |n| source.range(n).end);
    is_broken(instruction)
        || swallowed_line(source, instruction, opcode, &|_| false).is_some()
        || register_before_bracket(source, instruction).is_some()
}

/// The maximum number of errors that are collected of a statement of which one is reported.
const MAX_COLLECTED: usize = 16;

fn collect<'tree>(
    source: ItemSource<'_>,
    node: Node<'tree>,
    all: bool,
    open: &mut Vec<Node<'tree>>,
    out: &mut Vec<Diagnostic>,
) {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    let mut own = None;
    while more {
        let child = cursor.node();
        if child.kind_id() == kinds().unclosed {
            own = Some(child);
        } else if out.len() >= MAX_COLLECTED && !all {
            // Each look at what stands before an error takes as long as the statement is.
        } else if child.is_error() {
            unexpected(source, child, out);
        } else if child.is_missing() {
            out.push(missing(source, child));
        } else {
            collect(source, child, all, open, out);
        }
        more = cursor.goto_next_sibling();
    }
    // `open` gets the innermost unclosed bracket, so this one only if none inside of it is open.
    if open.is_empty() {
        open.extend(own);
    }
}

/// Reports a bracket, given by its offset, that is nested deeper than the assembler can read. It and all deeper ones are ignored.
pub(crate) fn too_deep(bracket: usize) -> Diagnostic {
    error(bracket..bracket + 1, SyntaxErrorKind::TooDeep)
}

/// Reports a function without its closing brace. `last` is its last token, `header` its first word (`.func` or `.entry`) and name.
pub(crate) fn unclosed_function(header: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `}`", last.end..last.end, "\n}").preferred();
    error(last, SyntaxErrorKind::UnclosedFunction).related(header, "this function is not closed").fix(fix)
}

/// Reports missing closing braces at the end of the file, whose last character is `last`. `count` is the number of open blocks; `header`
/// is the function that is not closed.
pub(crate) fn end_of_block(last: Range<usize>, count: usize, header: Option<Range<usize>>) -> Diagnostic {
    let title = format!("Insert `{}`", "}".repeat(count));
    let fix = Fix::replace(title, last.end..last.end, "\n}".repeat(count)).preferred();
    let found = error(last, SyntaxErrorKind::MissingEnd).fix(fix);
    match header {
        Some(header) => found.related(header, "this function is not closed"),
        None => found,
    }
}

/// Reports a list of parameters that is not closed. `open` is its parenthesis, `last` the last character of the file.
pub(crate) fn endless_list(open: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `)`", last.end..last.end, ")").preferred();
    error(last, SyntaxErrorKind::EndlessList).related(open, "this parenthesis is not closed").fix(fix)
}

/// Whether a diagnostic is from [`end_of_block`].
pub(crate) fn is_end_of_block(diagnostic: &Diagnostic) -> bool {
    diagnostic.syntax_error().is_some_and(|e| e.kind == SyntaxErrorKind::MissingEnd)
}

/// Reports a word alone on its line, which may be a label without its colon.
pub(crate) fn missing_colon(word: SourceWord<'_>) -> Diagnostic {
    let end = word.range().end;
    let title = format!("Make `{}` a label", word.text);
    error(word.range(), SyntaxErrorKind::MissingColon(word.text.into())).fix(Fix::replace(title, end..end, ":"))
}

/// The name of the label, if the diagnostic is from [`missing_colon`].
pub(crate) fn lost_label(diagnostic: &Diagnostic) -> Option<&str> {
    match &diagnostic.syntax_error()?.kind {
        SyntaxErrorKind::MissingColon(name) => Some(name),
        _ => None,
    }
}

/// Adds to a syntax error that its statement begins with the opcode of `instruction`, which is none. If that is a word of another
/// language, the word is reported, not what follows it. `text` is the statement.
pub(crate) fn in_unknown(mut found: Diagnostic, instruction: &Instruction<'_>, text: &str) -> Diagnostic {
    let word = instruction.opcode;
    if super::foreign(word.text).is_some() {
        let mut found = super::unknown_opcode::report(instruction);
        super::unknown_opcode::add_condition(&mut found, assignments::condition(text, word.range().end));
        let fix = habits::statement(text, word.text, word.range().start);
        return Diagnostic { fixes: fix.into_iter().collect(), ..found };
    }
    if let Some(error) = found.finding.data_mut::<SyntaxError>() {
        error.unknown_opcode = Some(word.text.into());
    }
    found
}

/// Whether a diagnostic is from [`in_unknown`].
pub(crate) fn is_in_unknown(diagnostic: &Diagnostic) -> bool {
    diagnostic.syntax_error().is_some_and(|e| e.unknown_opcode.is_some())
}

/// Reports a statement outside of functions. `what` describes it.
pub(crate) fn outside_of_function(range: Range<usize>, what: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::OutsideOfFunction(what))
}

/// Reports an instruction outside of functions, or a word of another language that seems to be one. `word` is its first word.
pub(crate) fn statement_outside(text: &str, word: Range<usize>) -> Diagnostic {
    if let Some(directive) = slips::without_dot(text, word.clone()) {
        return directive;
    }
    match text.get(word.clone()) {
        Some(name) if ptx_isa::ISA.opcode(name).is_none() && super::foreign(name).is_some() => {
            error(word, SyntaxErrorKind::Unexpected(name.into(), false))
        }
        _ => outside_of_function(word, "an instruction"),
    }
}

/// Reports a directive that is not allowed here. `place` is its right place in words.
pub(crate) fn misplaced(range: Range<usize>, directive: &str, place: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::MisplacedDirective(directive.into(), place))
}

/// Reports a prototype with a name, with the fix that writes `_`.
pub(crate) fn named_prototype(word: SourceWord<'_>) -> Diagnostic {
    error(word.range(), SyntaxErrorKind::NamedPrototype(word.text.into())).fix(Fix::replace(
        "Write `_`",
        word.range(),
        "_",
    ))
}

/// Reports a function without a name. `kind` is the word `.func` or `.entry`.
pub(crate) fn nameless_function(kind: SourceWord<'_>) -> Diagnostic {
    let what = if kind.text == ".entry" { "kernel" } else { "function" };
    error(kind.range(), SyntaxErrorKind::NamelessFunction(what))
}

/// Reports a dot without a name after it.
pub(crate) fn lone_dot(word: SourceWord<'_>) -> Diagnostic {
    error(word.range(), SyntaxErrorKind::LoneDot)
}

/// Reports a sign before an operand that cannot have one, as in `+%r1`.
pub(crate) fn misplaced_sign(range: Range<usize>, sign: &str) -> Diagnostic {
    error(range, SyntaxErrorKind::MisplacedSign(sign.into()))
}

/// Reports an offset that is subtracted from an address, as in `a-4`.
pub(crate) fn minus_offset(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::MinusOffset)
}

/// Reports the text of an error node, which the parser could not fit into a statement. The parts of the node that the parser did
/// recognize are checked separately.
fn unexpected(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let range = source.range(node);
    if let Some(target) = slips::numbered_target(source.text, range.start) {
        return out.push(target);
    }
    if let Some(number) = super::malformed_number::around(source.text, &range) {
        // The parser may have two error nodes for one number.
        if !out.contains(&number) {
            out.push(number);
        }
        return;
    }
    let whole = source.text.get(range.clone()).unwrap_or("");
    let text = whole.trim();
    // ptxas: the character that ended files of DOS is white space.
    // NUL is reported where characters are.
    if !text.is_empty() && text.chars().all(|c| matches!(c, '\u{1a}' | '\0')) {
        return;
    }
    if let Some(found) = look_alikes::report(whole, range.start).or_else(|| dotted::around(source.text, range.start)) {
        return out.push(found);
    }
    let first = text.lines().next().unwrap_or("");
    let shown: String = first.chars().take(40).collect();
    // Mark the first line only or, if that is empty, the next character.
    let next = source.text.get(range.start..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    let blanks = whole.len() - whole.trim_start().len();
    let range = range.start..range.start + if first.is_empty() { next } else { blanks + first.len() };
    if shown.is_empty() {
        return out.push(error(range, SyntaxErrorKind::NotPtx));
    }
    let misplaced = misarranged(source.text, range.start)
        .or_else(|| places::unexpected(source.text, range.start))
        .or_else(|| slips::unexpected(source.text, range.start));
    if let Some(found) = misplaced.or_else(|| habits::unexpected(source, node, &range)) {
        return out.push(found);
    }
    let more = shown.len() < text.len();
    let separator = unfinished::separator(source, node, &shown).or_else(|| unfinished::operator(source, node, &shown));
    if let Some(found) = separator.or_else(|| unfinished::assignment(source, range.clone(), &shown)) {
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

/// Replaces the reports about the order of a declaration, which know its parts alone, by those that know its text.
pub(crate) fn with_text(text: &str, reports: &mut [Diagnostic]) {
    let is_about_order = |error: &SyntaxError| {
        use SyntaxErrorKind::{GivenTwice, Order, PointerOrder};
        matches!(error.kind, Order(_) | PointerOrder | GivenTwice(_))
    };
    for report in reports.iter_mut().filter(|d| d.syntax_error().is_some_and(is_about_order)) {
        if let Some(better) = misarranged(text, report.range.start) {
            *report = better;
        }
    }
}

/// The report on a header, a declaration or a statement that is read as a whole, because a part of it is at the wrong place. The parser
/// stopped at offset `at`.
fn misarranged(text: &str, at: usize) -> Option<Diagnostic> {
    headers::around(text, at).or_else(|| misordered::around(text, at)).or_else(|| statements::around(text, at))
}

/// Reports a comment that is not closed. `line` is the offset at which its first line ends.
pub(crate) fn endless_comment(range: Range<usize>, line: usize) -> Diagnostic {
    error(range.start..range.start + 2, SyntaxErrorKind::EndlessComment).fix(Fix::replace(
        "Insert `*/` at the end of this line",
        line..line,
        " */",
    ))
}

/// Reports a string that is not closed on its line.
pub(crate) fn endless_string(range: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Add `\"`", range.end..range.end, "\"");
    error(range, SyntaxErrorKind::EndlessString).fix(fix)
}

/// The first character of a text.
fn only(text: &str) -> char {
    text.chars().next().unwrap_or_default()
}

fn missing(source: ItemSource<'_>, node: Node<'_>) -> Diagnostic {
    let range = before(source, node);
    if let Some(found) = dotted::around(source.text, range.end) {
        return found;
    }
    let token = last_token(source, node).unwrap_or_else(|| range.clone());
    if let Some(found) = misarranged(source.text, token.end) {
        return found;
    }
    match node.kind() {
        ":" if habits::guard(source, &token).is_some() => {
            habits::guard(source, &token).unwrap_or_else(|| unfinished::missing_after(source, token, ':'))
        }
        "," => places::offset_before(source.text, token.end)
            .unwrap_or_else(|| unfinished::missing_after(source, token, ',')),
        // A missing token of one character is punctuation.
        text if text.len() == 1 => unfinished::missing_after(source, token, only(text)),
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            unfinished::operand_after(source, token)
        }
        "function_kind" => error(range, SyntaxErrorKind::Habit(habit::Habit::FunctionKind)),
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
            let is_block = parent.next_named_sibling().is_some_and(|next| next.kind_id() == kinds().block);
            match places::guarded_block(source.text, guard.start) {
                Some(found) => found,
                None if is_block => error(guard, SyntaxErrorKind::Habit(habit::Habit::GuardedBlock)),
                None => error(guard, SyntaxErrorKind::GuardWithoutInstruction),
            }
        }
        _ if previous.is_some_and(|p| p.kind() == ",") => {
            let comma = before(source, node);
            misarranged(source.text, comma.end).unwrap_or_else(|| unfinished::comma_before_end(source.text, comma))
        }
        _ if previous.is_some_and(|p| p.kind() == "=") => error(before(source, node), SyntaxErrorKind::MissingValue),
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            unfinished::operand_after(source, token)
        }
        _ => unfinished::missing_after(source, token, ';'),
    }
}

/// The byte range of the last token before a zero-width node, if the token is in the same text.
fn last_token(source: ItemSource<'_>, node: Node<'_>) -> Option<Range<usize>> {
    let previous = unfinished::sibling(node, Node::prev_sibling)?;
    let token = token_before(previous, previous.end_byte())?;
    Some(source.range(token)).filter(|range| !range.is_empty())
}

/// The byte range of the last character before a zero-width node (not counting comments), so that an editor has something to underline.
/// If nothing stands before the node, it is the first character of the source.
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
