//! Conditions of the preprocessor inside a statement, and the texts that they leave.

use super::lex::{is_word, number, quoted, skip_blank, string, word};
use super::line::{blanks, condition, directive_end, first_word};
use crate::targets::{Condition, identified};
use std::ops::Range;
use std::sync::Arc;

/// The most texts of one statement. Each is read and checked on its own.
const MAX_VARIANTS: usize = 8;
/// The most directives of one statement.
pub(super) const MAX_DIRECTIVES: usize = 64;
/// The most branches that are tried. Some of them leave no text.
const MAX_STEPS: usize = 512;

/// A directive inside a statement.
pub(super) struct Directive {
    pub span: Range<usize>,
    kind: Kind,
}

enum Kind {
    If(Test),
    Elif(Test),
    Else,
    Endif,
    /// `#error`: a text that contains it is never compiled.
    Error,
    /// It changes no text: `#pragma` and its like.
    Plain,
    /// It may change what follows.
    Other,
}

struct Test {
    condition: Arc<Condition>,
    /// Equal conditions of one statement have equal values.
    name: String,
    positive: bool,
}

/// Branches that are compiled together.
#[derive(Clone, Default)]
pub(super) struct Choice {
    /// The directives that begin them.
    pub branches: Vec<Range<usize>>,
    /// What is left out: other branches, and all directives.
    pub without: Vec<Range<usize>>,
    /// What holds where they are compiled, as far as it says something.
    pub conditions: Vec<Condition>,
}

/// The directives from the one at an offset to its `#endif`; it alone, if it is no `#if`. `Err` if there is no `#endif` in the
/// statement: the offset to which the text was read.
pub(super) fn directives(text: &[u8], mut at: usize) -> Result<Vec<Directive>, usize> {
    let mut out = Vec::new();
    let mut depth = 0usize;
    loop {
        let found = directive(text, at);
        at = found.span.end;
        match found.kind {
            Kind::If(_) => depth += 1,
            Kind::Endif => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.push(found);
        if depth == 0 {
            return Ok(out);
        }
        if out.len() >= MAX_DIRECTIVES {
            return Err(at);
        }
        at = next(text, at)?;
    }
}

/// The directive whose `#` is at an offset.
fn directive(text: &[u8], start: usize) -> Directive {
    let end = directive_end(text, start);
    let line = &text[..end];
    let name = blanks(line, start + 1).min(end);
    let stop = word(line, name);
    let test = |kind: &[u8]| {
        let rest = String::from_utf8_lossy(&line[stop..]);
        let (name, positive) = match kind {
            b"def" => (format!("defined {}", first_word(&rest)), true),
            b"ndef" => (format!("defined {}", first_word(&rest)), false),
            _ => identified(&rest),
        };
        Test { condition: condition(kind, &rest), name, positive }
    };
    let kind = match &line[name..stop] {
        name @ (b"if" | b"ifdef" | b"ifndef") => Kind::If(test(&name[2..])),
        name @ (b"elif" | b"elifdef" | b"elifndef") => Kind::Elif(test(&name[4..])),
        b"else" => Kind::Else,
        b"endif" => Kind::Endif,
        b"error" => Kind::Error,
        b"" | b"pragma" | b"warning" | b"line" => Kind::Plain,
        _ => Kind::Other,
    };
    Directive { span: start..end, kind }
}

/// The offset of the next directive. `Err` where the statement may end before it.
fn next(text: &[u8], mut at: usize) -> Result<usize, usize> {
    loop {
        at = skip_blank(text, at);
        let Some(b) = text.get(at) else { return Err(at) };
        if let Some((literal, closed)) = string(text, at) {
            at = literal.span.end;
            if !closed {
                return Err(at);
            }
            continue;
        }
        match b {
            b'#' => return Ok(at),
            b';' | b'{' | b'}' => return Err(at + 1),
            b'\'' => at = quoted(text, at).0,
            b'0'..=b'9' => at = number(text, at),
            _ if is_word(*b) => {
                let end = word(text, at);
                if matches!(&text[at..end], b"asm" | b"__asm" | b"__asm__" | b"return") {
                    return Err(end);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// All combinations of branches, in the order of the text. `None` if there are too many, or if directives do not fit together.
pub(super) fn choices(directives: &[Directive]) -> Option<Vec<Choice>> {
    let mut search = Search { directives, out: Vec::new(), steps: 0 };
    search.follow(0, State::default())?;
    Some(search.out)
}

struct Search<'a> {
    directives: &'a [Directive],
    out: Vec<Choice>,
    steps: usize,
}

/// The branches taken so far.
#[derive(Clone, Default)]
struct State<'a> {
    choice: Choice,
    /// The values of conditions.
    values: Vec<(&'a str, bool)>,
}

impl<'a> State<'a> {
    /// Takes a condition to be true or false. Returns whether it can be.
    fn assume(&mut self, test: &'a Test, value: bool) -> bool {
        if let Some(constant) = test.condition.constant() {
            return constant == value;
        }
        let named = value == test.positive;
        if let Some((_, known)) = self.values.iter().find(|(name, _)| *name == test.name) {
            return *known == named;
        }
        self.values.push((&test.name, named));
        let holds = if value { test.condition.clone() } else { Condition::negated(&test.condition) };
        if !holds.is_unknown() {
            self.choice.conditions.push((*holds).clone());
        }
        true
    }
}

impl<'a> Search<'a> {
    /// Follows the text from a directive on. `None` ends the search.
    fn follow(&mut self, mut index: usize, mut state: State<'a>) -> Option<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let directives = self.directives;
        while let Some(directive) = directives.get(index) {
            let start = directive.span.start;
            match &directive.kind {
                Kind::Plain => state.choice.without.push(directive.span.clone()),
                Kind::Error => return Some(()),
                Kind::Other => return None,
                // The branch that was taken ends here.
                Kind::Elif(_) | Kind::Else | Kind::Endif => {
                    index = *branches(directives, index)?.last()?;
                    state.choice.without.push(start..directives[index].span.end);
                }
                Kind::If(_) => return self.branch(index, state),
            }
            index += 1;
        }
        self.out.push(state.choice);
        (self.out.len() <= MAX_VARIANTS).then_some(())
    }

    /// Follows each branch of an `#if`.
    fn branch(&mut self, index: usize, mut state: State<'a>) -> Option<()> {
        let directives = self.directives;
        let start = directives[index].span.start;
        let all = branches(directives, index)?;
        let (end, all) = all.split_last()?;
        for (number, branch) in all.iter().enumerate() {
            let Directive { span, kind } = &directives[*branch];
            let mut taken = state.clone();
            let test = match kind {
                Kind::If(test) | Kind::Elif(test) => Some(test),
                // Nothing may follow.
                _ => {
                    if number + 1 < all.len() {
                        return None;
                    }
                    None
                }
            };
            if test.is_none_or(|test| taken.assume(test, true)) {
                taken.choice.branches.push(span.clone());
                taken.choice.without.push(start..span.end);
                self.follow(branch + 1, taken)?;
            }
            if test.is_none_or(|test| !state.assume(test, false)) {
                return Some(());
            }
        }
        state.choice.without.push(start..directives[*end].span.end);
        self.follow(end + 1, state)
    }
}

/// The directive at an index and those of the same `#if` that follow it, up to `#endif`.
fn branches(directives: &[Directive], index: usize) -> Option<Vec<usize>> {
    let mut out = vec![index];
    let mut depth = 0usize;
    let ends = |index: usize| matches!(directives[index].kind, Kind::Endif);
    if ends(index) {
        return Some(out);
    }
    for (at, directive) in directives.iter().enumerate().skip(index + 1) {
        match directive.kind {
            Kind::If(_) => depth += 1,
            Kind::Endif if depth > 0 => depth -= 1,
            Kind::Elif(_) | Kind::Else | Kind::Endif if depth == 0 => {
                out.push(at);
                if ends(at) {
                    return Some(out);
                }
            }
            _ => {}
        }
    }
    None
}
