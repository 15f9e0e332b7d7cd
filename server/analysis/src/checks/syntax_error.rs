//! `syntax-error`: text that is not PTX. The parser recovers at the next statement, so each is reported by itself.

mod unfinished;

pub use unfinished::{
    is_opening_bracket, opening_brace, opening_parenthesis, register_before_bracket, swallowed_line, token_before,
};

use crate::ast::Word;
use crate::diagnostic::{Diagnostic, Fix};
use crate::lower::Source;
use ptx_syntax::{Node, kinds};
use std::ops::Range;

/// The code.
pub const CODE: &str = "syntax-error";

/// Reports every error node inside of a node. Costs next to nothing where there is none.
pub fn report(source: Source<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
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
pub fn report_inside(source: Source<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
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

/// Whether the parser met an error in a statement: an ERROR or MISSING node, or one that ends without its bracket or semicolon.
pub fn is_broken(node: Node<'_>) -> bool {
    node.has_error() || ends_unclosed(node)
}

/// Whether an instruction lacks something, whatever is declared: a separator, a bracket, its end. Nothing can be said about how it
/// would have been laid out.
pub fn is_unfinished(source: Source<'_>, instruction: Node<'_>) -> bool {
    let opcode = instruction.child_by_field_id(ptx_syntax::fields().opcode).map_or(0, |n| source.range(n).end);
    is_broken(instruction)
        || swallowed_line(source, instruction, opcode, &|_| false).is_some()
        || register_before_bracket(source, instruction).is_some()
}

/// Whether a list or a statement ends without its bracket, its semicolon, the operand after its last comma, or the value after
/// its equals sign.
pub fn ends_unclosed(node: Node<'_>) -> bool {
    let k = kinds();
    let unclosed =
        |node: Node<'_>| node.kind_id() == k.unclosed || (node.kind_id() == k.declarator && ends_unclosed(node));
    let mut cursor = node.walk();
    cursor.goto_last_child() && (unclosed(cursor.node()) || (cursor.goto_previous_sibling() && unclosed(cursor.node())))
}

fn collect<'tree>(source: Source<'_>, node: Node<'tree>, open: &mut Vec<Node<'tree>>, out: &mut Vec<Diagnostic>) {
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
    Diagnostic::error(
        CODE,
        bracket..bracket + 1,
        "brackets nest too deep here for the assembler: it runs out of memory",
    )
    .help("nest blocks, initializers and expressions less deep; brackets from here inwards are not checked")
}

/// A function without its closing brace. `last` is its last token, `header` the word and name that begin it.
pub fn unclosed_function(header: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `}`", last.end..last.end, "\n}").preferred();
    Diagnostic::error(CODE, last, "a `}` is missing after this: the next function begins inside of this one")
        .related(header, "this function is not closed")
        .fix(fix)
}

const END_OF_BLOCK: &str = "a `}` is missing at the end";

/// The closing brace of a block that the end of the file leaves open, behind its last character; with `count` blocks, of all of them.
pub fn end_of_block(last: Range<usize>, count: usize, header: Option<Range<usize>>) -> Diagnostic {
    let title = format!("Insert `{}`", "}".repeat(count));
    let fix = Fix::replace(title, last.end..last.end, "\n}".repeat(count)).preferred();
    let found = Diagnostic::error(CODE, last, END_OF_BLOCK).fix(fix);
    match header {
        Some(header) => found.related(header, "this function is not closed"),
        None => found,
    }
}

/// A list of parameters that the end of the file leaves open: its parenthesis, and the last character.
pub fn endless_list(open: Range<usize>, last: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Insert `)`", last.end..last.end, ")").preferred();
    Diagnostic::error(CODE, last, "a `)` is missing at the end of this list of parameters")
        .related(open, "this parenthesis is not closed")
        .fix(fix)
}

/// Whether a finding is that one.
pub fn is_end_of_block(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == CODE && diagnostic.message == END_OF_BLOCK
}

/// A word that stands alone on its line: a label whose colon is missing.
pub fn missing_colon(word: Word<'_>) -> Diagnostic {
    let message = format!("`{}` is no instruction: if it is a label, `:` is missing after it", word.text);
    let end = word.range().end;
    let title = format!("Make `{}` a label", word.text);
    Diagnostic::error(CODE, word.range(), message).fix(Fix::replace(title, end..end, ":"))
}

/// The label that a finding says has lost its colon.
pub fn lost_label(diagnostic: &Diagnostic) -> Option<&str> {
    let (name, rest) = diagnostic.message.strip_prefix('`')?.split_once('`')?;
    (diagnostic.code == CODE && rest.ends_with("`:` is missing after it")).then_some(name)
}

/// A syntax error in a statement that begins with a word that is no instruction.
pub fn in_unknown(found: Diagnostic, word: &str) -> Diagnostic {
    let help = format!("`{word}`{IN_UNKNOWN}");
    Diagnostic { help: Some(help), ..found }
}

/// How the help of [`in_unknown`] ends.
const IN_UNKNOWN: &str = " is not an instruction either";

/// Whether a finding is one of [`in_unknown`].
pub fn is_in_unknown(diagnostic: &Diagnostic) -> bool {
    diagnostic.help.as_ref().is_some_and(|h| h.ends_with(IN_UNKNOWN))
}

/// Something that stands outside of a function.
pub fn outside_of_function(range: Range<usize>, what: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("{what} must stand inside of a function"))
}

/// A directive where only statements may stand.
pub fn misplaced(range: Range<usize>, directive: &str, place: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{directive}` cannot stand here: it belongs {place}"))
}

/// A prototype with a name of its own.
pub fn named_prototype(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("a prototype has no name: write `_` in place of `{}`", word.text))
        .help("calls name the label before the directive")
        .fix(Fix::replace("Write `_`", word.range(), "_"))
}

/// A function without a name; the word is `.func` or `.entry`.
pub fn nameless_function(kind: Word<'_>) -> Diagnostic {
    let what = if kind.text == ".entry" { "kernel" } else { "function" };
    Diagnostic::error(CODE, kind.range(), format!("the name of this {what} is missing"))
}

/// A dot with nothing after it.
pub fn lone_dot(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), "a modifier is missing after the dot")
}

/// A dot-word in the place of a type.
pub fn not_a_type(word: Word<'_>) -> Diagnostic {
    let found = Diagnostic::error(CODE, word.range(), format!("`{}` is not a type", word.text));
    super::did_you_mean(found, super::suggest(word.text, ptx_isa::ISA.types.iter().map(|t| t.name)))
}

/// A part of a declaration that stands too late.
pub fn order(range: Range<usize>, before: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("this must stand before {before}"))
        .help("the order is: `.align` and `.attribute`, state space, vector length, type, names")
}

/// A parameter without a name.
pub fn no_name(range: Range<usize>, prototype: bool) -> Diagnostic {
    let found = Diagnostic::error(CODE, range, "the name of the parameter is missing after this");
    if prototype { found.help("write `_`") } else { found }
}

/// `.param .ptr .u64 p`.
pub fn pointer_order(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "`.ptr` must stand behind the type")
}

/// Two state spaces, types or vector lengths in one declaration.
pub fn given_twice(range: Range<usize>, what: &str) -> Diagnostic {
    Diagnostic::error(CODE, range.clone(), format!("a declaration has one {what}, and this is the second"))
        .help("remove one of them")
        .fix(Fix::replace("Remove the second", range, ""))
}

/// A declaration without a type.
pub fn no_type(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a type is missing here, such as `.b32`")
}

/// `+%r1`.
pub fn misplaced_sign(range: Range<usize>, sign: &str) -> Diagnostic {
    let found = Diagnostic::error(CODE, range, format!("`{sign}` cannot stand before this"));
    match sign {
        "+" => found.help("remove it"),
        _ => found.help("compute it with an instruction of its own first"),
    }
}

/// `[a[4]]`, `%r1[4]`.
pub fn subscript(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a subscript stands only behind a variable without brackets around it")
        .help("write an offset in bytes, `[a+4]`")
}

/// `a-4`.
pub fn minus_offset(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "an offset is added, never subtracted").help("write `+-` in place of `-`")
}

/// What the parser could not place: the tokens that stand directly in an error node, since whatever it did understand in
/// there is looked at by itself.
fn unexpected(source: Source<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
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
        return out.push(Diagnostic::error(CODE, range, "this is not PTX"));
    }
    let more = if shown.len() < text.len() { " …" } else { "" };
    let separator = unfinished::separator(source, node, &shown).or_else(|| unfinished::operator(source, node, &shown));
    if let Some(found) = separator.or_else(|| unfinished::assignment(range.clone(), &shown)) {
        return out.push(found);
    }
    let diagnostic = Diagnostic::error(CODE, range, format!("unexpected `{shown}`{more}"));
    let start = diagnostic.range.start;
    let remove = || Fix::replace(format!("Remove `{shown}`"), start..start + shown.len(), "");
    out.push(match shown.as_str() {
        "}" => diagnostic.help("there is no `{` that it closes").fix(remove()),
        ";" | "," | ")" | "]" if more.is_empty() => diagnostic.fix(remove()),
        _ => diagnostic,
    });
}

/// A comment that never ends; `line` is where its first line ends.
pub fn endless_comment(range: Range<usize>, line: usize) -> Diagnostic {
    Diagnostic::error(CODE, range.start..range.start + 2, "this comment is not closed: `*/` is missing")
        .fix(Fix::replace("Insert `*/` at the end of this line", line..line, " */"))
}

/// A string that does not end on its line.
pub fn endless_string(range: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Add `\"`", range.end..range.end, "\"");
    Diagnostic::error(CODE, range, "this string is not closed before the end of the line").fix(fix)
}

fn missing(source: Source<'_>, node: Node<'_>) -> Diagnostic {
    let range = before(source, node);
    let token = last_token(source, node).unwrap_or_else(|| range.clone());
    let wanted = match node.kind() {
        // One character can be meant in one way only.
        text if text.len() == 1 => return unfinished::missing_after(source, token, text),
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            return unfinished::operand_after(source, token);
        }
        "identifier" | "register" => "a name".to_owned(),
        "integer" => "a number".to_owned(),
        kind if node.is_named() => kind.replace('_', " "),
        kind => format!("`{kind}`"),
    };
    Diagnostic::error(CODE, range, format!("expected {wanted} here"))
}

fn unclosed(source: Source<'_>, node: Node<'_>) -> Diagnostic {
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
            unfinished::not_closed(open, bracket)
                .fix(Fix::replace(format!("Add `{closing}`"), end..end, closing).preferred())
        }
        _ if parent.kind_id() == kinds().guard => {
            Diagnostic::error(CODE, token, "the predicate of this guard is missing")
        }
        _ if previous.is_some_and(|p| p.kind_id() == kinds().guard) => {
            let guard = previous.map_or(token, |p| source.range(p));
            Diagnostic::error(CODE, guard, "an instruction is missing after this guard")
        }
        _ if previous.is_some_and(|p| p.kind() == ",") => unfinished::after_comma(before(source, node)),
        _ if previous.is_some_and(|p| p.kind() == "=") => {
            Diagnostic::error(CODE, before(source, node), "a value is missing after this")
        }
        _ if unfinished::is_operator(source.text.get(token.clone()).unwrap_or("")) => {
            unfinished::operand_after(source, token)
        }
        _ => unfinished::missing_after(source, token, ";"),
    }
}

/// The last token before a node of no width, where it stands in the same text.
fn last_token(source: Source<'_>, node: Node<'_>) -> Option<Range<usize>> {
    let previous = unfinished::sibling(node, Node::prev_sibling)?;
    let token = token_before(previous, previous.end_byte())?;
    Some(source.range(token)).filter(|range| !range.is_empty())
}

/// The last character of what stands before a node of no width, comments aside, so that there is something to underline; the first
/// character of the source where nothing stands before it.
fn before(source: Source<'_>, node: Node<'_>) -> Range<usize> {
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
