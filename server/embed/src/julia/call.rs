//! One call of `@asmcall`.

use super::lex::{character, is_word, skip_blank, string, word};
use crate::raw::{Flaw, Form, Literal, Piece, Raw};
use std::ops::Range;

/// An argument of a call.
struct Argument {
    span: Range<usize>,
    /// The only token, if it is a string.
    literal: Option<Literal>,
}

/// Reads the call whose `@` is at `start` and whose bracket is at `open`. Also gives the offset after it.
pub(super) fn call(text: &[u8], start: usize, open: usize) -> (Raw, usize) {
    let mut reader = Reader { text, at: open + 1, arguments: Vec::new() };
    let is_closed = reader.arguments().is_some();
    let Reader { arguments, at: after, .. } = reader;
    let relative = |range: &Range<usize>| range.start - start..range.end - start;
    let piece = |argument: &Argument| match &argument.literal {
        Some(literal) => Piece::Literal(Literal {
            span: relative(&literal.span),
            body: relative(&literal.body),
            writing: literal.writing,
        }),
        None => Piece::Hole(relative(&argument.span)),
    };
    let source = |argument: &Argument| &text[argument.span.clone()];
    let is_value =
        |argument: &Argument| matches!(source(argument), b"true" | b"false") || source(argument).starts_with(b"$");
    // The text, then the constraints and side effects, which may be missing, two types, and the arguments.
    let mut rest = arguments.iter().peekable();
    let template = rest.next().map(piece);
    let constraints = rest.next_if(|a| a.literal.is_some() || source(a).starts_with(b"$")).map(piece);
    let side_effects = rest.next_if(|a| is_value(a));
    let mut flaws = Vec::new();
    let values: Vec<Range<usize>> = rest.skip(2).map(|a| relative(&a.span)).collect();
    let is_list_known = !arguments.iter().any(|a| source(a).ends_with(b"..."));
    if !is_closed {
        flaws.push(Flaw::Unclosed);
    }
    let raw = Raw {
        form: Form::Julia,
        len: after - start,
        keyword: 0..open - start,
        // What a macro puts in is not known, and then nothing is reported.
        volatile: side_effects.is_some_and(|a| source(a) != b"false"),
        goto: false,
        in_define: false,
        template: template.into_iter().collect(),
        constraints: constraints.into_iter().collect(),
        operands: Vec::new(),
        arguments: is_list_known.then_some(values),
        types: Vec::new(),
        variant: None,
        clobbers: Vec::new(),
        has_clobbers: false,
        memory: false,
        colons: 0,
        close: after.saturating_sub(usize::from(is_closed)) - start,
        flaws,
        comment: None,
    };
    (raw, after)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    arguments: Vec<Argument>,
}

impl Reader<'_> {
    /// Reads to the closing bracket. `None` where the call cannot go on.
    fn arguments(&mut self) -> Option<()> {
        let text = self.text;
        let mut current: Option<Argument> = None;
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.at = skip_blank(text, self.at);
            let at = self.at;
            let b = match text.get(at) {
                Some(b) => *b,
                None => {
                    self.arguments.extend(current);
                    return None;
                }
            };
            let mut literal = None;
            match b {
                b')' if open.is_empty() => {
                    self.arguments.extend(current);
                    self.at += 1;
                    return Some(());
                }
                b',' if open.is_empty() => {
                    self.arguments.extend(current.take());
                    self.at += 1;
                    continue;
                }
                b'(' | b'[' | b'{' => {
                    open.push(match b {
                        b'(' => b')',
                        b'[' => b']',
                        _ => b'}',
                    });
                    self.at += 1;
                }
                b')' | b']' | b'}' if open.last() == Some(&b) => {
                    open.pop();
                    self.at += 1;
                }
                // Another statement begins.
                b')' | b']' | b'}' => {
                    self.arguments.extend(current);
                    return None;
                }
                b'\'' => self.at = character(text, at, text[at - 1]),
                b'@' if text[at..].starts_with(b"@asmcall") => {
                    self.arguments.extend(current);
                    return None;
                }
                _ => match string(text, at) {
                    Some((found, is_closed)) => {
                        self.at = found.span.end;
                        let is_text = matches!(
                            &text[found.span.start..found.body.start],
                            b"\"" | b"\"\"\"" | b"raw\"" | b"raw\"\"\""
                        );
                        literal = Some(found).filter(|_| is_closed && is_text);
                    }
                    None if is_word(b) => {
                        let end = word(text, at);
                        let begins_statement = matches!(
                            &text[at..end],
                            b"function"
                                | b"struct"
                                | b"module"
                                | b"macro"
                                | b"end"
                                | b"return"
                                | b"using"
                                | b"import"
                                | b"export"
                        );
                        // `a[end]` is an index.
                        if begins_statement && !open.contains(&b']') {
                            self.arguments.extend(current);
                            return None;
                        }
                        self.at = end;
                    }
                    None => self.at += 1,
                },
            }
            let end = self.at;
            current = Some(match current {
                None => Argument { span: at..end, literal },
                Some(argument) => Argument { span: argument.span.start..end, literal: None },
            });
        }
    }
}
