//! Checks `.pragma` and its strings.

use super::common::{first_word, gates};
use crate::diagnostic::Diagnostic;
use crate::rules::{pragma, syntax_error, unknown_pragma};
use ptx_isa::ISA;
use ptx_isa::tables::{ArgumentKind, Directive};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, kinds};

/// Checks a `.pragma`. `place` is its place in the tables: `module`, a header (`entry`, `func`, `declaration`), or a body (`body`,
/// `entry-body`).
pub(crate) fn check(
    source: ItemSource<'_>,
    node: Node<'_>,
    place: &str,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let word = first_word(source, node);
    if let Some(directive) = ISA.directive(word.text) {
        let header = !matches!(place, "module" | "body" | "entry-body");
        if header && !directive.places.contains(&place) {
            return out.push(pragma::in_function_header(word));
        }
        if !gates(word.range(), word.text, directive.gates, environment, out) {
            return;
        }
    }
    for string in named_children(node).filter(|n| n.kind_id() == kinds().string) {
        let word = source.word(string);
        match word.text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            Some(text) => check_string(SourceWord { text, start: word.start + 1 }, place, environment, out),
            None => out.push(syntax_error::endless_string(word.range())),
        }
    }
}

fn check_string(string: SourceWord<'_>, place: &str, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let Some((directive, rest)) = find(string.text) else {
        return out.push(unknown_pragma::report(string, place));
    };
    let name = directive.name.trim_matches('"');
    let in_body = matches!(place, "body" | "entry-body");
    let fits = directive.places.contains(&place) || place == "entry-body" && directive.places.contains(&"body");
    if !fits {
        return out.push(pragma::misplaced(string, name, in_body));
    }
    if !gates(string.range(), name, directive.gates, environment, out) {
        return;
    }
    let Some(takes) = directive.takes else { return };
    match takes.kind {
        ArgumentKind::Integer if rest.is_empty() || !rest.starts_with([' ', '\t']) => {
            out.push(pragma::no_argument(string, name, takes.late));
        }
        ArgumentKind::Integer => {
            let argument = rest.trim_start_matches([' ', '\t']);
            let start = string.start + (string.text.len() - argument.len()) as u32;
            let fits = number(argument).is_some_and(|(negative, n)| takes.from == 0 || !negative && n >= takes.from);
            if !fits {
                out.push(pragma::argument(SourceWord { text: argument, start }, name, takes.from, takes.late));
            }
        }
        _ => {}
    }
}

/// The pragma that a string names, and the text after the name. Pragmas that are allowed in the module must match the whole string;
/// those for bodies only need to match its beginning.
fn find(text: &str) -> Option<(&'static Directive, &str)> {
    ISA.directives.iter().filter(|d| d.name.starts_with('"')).find_map(|directive| {
        let rest = text.strip_prefix(directive.name.trim_matches('"'))?;
        (rest.is_empty() || !directive.places.contains(&"module")).then_some((directive, rest))
    })
}

/// The value of a C integer literal (decimal, octal or hexadecimal, with an optional sign): whether it is negative, and its magnitude.
/// A magnitude that does not fit is `u64::MAX`.
fn number(text: &str) -> Option<(bool, u64)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(rest) => (rest, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| (negative, u64::from_str_radix(digits, radix).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_read_as_in_c() {
        assert_eq!(number("12"), Some((false, 12)));
        assert_eq!(number("0x1F"), Some((false, 31)));
        assert_eq!(number("010"), Some((false, 8)));
        assert_eq!(number("-1"), Some((true, 1)));
        assert_eq!(number("18446744073709551616"), Some((false, u64::MAX)));
        assert!(["", "5U", "5 ", "1 2", "0b1", "08", "x", "-"].iter().all(|t| number(t).is_none()));
    }
}
