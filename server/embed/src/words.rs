//! Tokens of PTX, as far as groups need them: words, braces and declarations of registers.

use crate::constraints;
use crate::model::Group;
use ptx_syntax::trivia::{opaque, trivia};
use std::ops::Range;

/// What a statement's text means for its neighbours in the same function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Braces opened less braces closed.
    pub balance: i64,
    /// The lowest balance.
    pub lowest: i64,
    /// Registers declared, with the balance there. The name ends in `<` if it stands for a family.
    pub declared: Vec<(String, i64)>,
    /// Labels outside of braces.
    pub labels: Vec<String>,
}

impl Outline {
    /// Whether the statement neither needs nor gives anything.
    pub fn is_closed(&self) -> bool {
        self.is_balanced() && self.labels.is_empty() && self.declared.iter().all(|(_, depth)| *depth > 0)
    }

    /// Whether no brace is open or missing.
    pub fn is_balanced(&self) -> bool {
        self.balance == 0 && self.lowest >= 0
    }

    pub fn of(ptx: &str) -> Self {
        let mut out = Self::default();
        let mut in_registers = false;
        let mut at_start = true;
        let mut tokens = Tokens::new(ptx).peekable();
        while let Some(token) = tokens.next() {
            let word = &ptx[token];
            let is_first = std::mem::replace(&mut at_start, matches!(word, ";" | "{" | "}" | ":"));
            if is_first
                && out.balance == 0
                && is_name(word)
                && tokens.peek().is_some_and(|next| &ptx[next.clone()] == ":")
            {
                out.labels.push(word.to_owned());
            }
            match word {
                "{" => out.balance += 1,
                "}" => {
                    out.balance -= 1;
                    out.lowest = out.lowest.min(out.balance);
                    in_registers = false;
                }
                ";" => in_registers = false,
                ".reg" => in_registers = true,
                "<" if in_registers => {
                    if let Some((name, _)) = out.declared.last_mut().filter(|(n, _)| !n.ends_with('<')) {
                        name.push('<');
                    }
                }
                word if in_registers && is_name(word) => out.declared.push((word.to_owned(), out.balance)),
                _ => {}
            }
        }
        out
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'))
}

/// The registers that a text declares. A name ends in `<` if it stands for a family.
pub(crate) fn declared_registers(ptx: &str) -> Vec<String> {
    Outline::of(ptx).declared.into_iter().map(|(name, _)| name).collect()
}

/// The variables and functions that a text declares, apart from registers.
pub(crate) fn declared(ptx: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut at_start, mut in_declaration) = (true, false);
    let mut previous = "";
    for token in Tokens::new(ptx) {
        let word = &ptx[token];
        if std::mem::replace(&mut at_start, matches!(word, ";" | "{" | "}")) {
            in_declaration = word.starts_with('.') && word != ".reg";
        }
        if in_declaration && is_name(word) && (previous.starts_with('.') || matches!(previous, ")" | ",")) {
            out.push(word);
        }
        previous = word;
    }
    out
}

/// The names that a text uses.
pub(crate) fn names(ptx: &str) -> impl Iterator<Item = &str> {
    Tokens::new(ptx).map(|token| &ptx[token]).filter(|word| is_name(word))
}

/// Words (with a leading dot, if there is one) and single characters. Comments, lines for a preprocessor and strings are left out.
pub(crate) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(ptx: &'a str) -> Self {
        Self { text: ptx.as_bytes(), at: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.at;
            let b = *self.text.get(start)?;
            let rest = &self.text[start..];
            if let Some(extent) = trivia(rest).map(|(_, extent)| extent).or_else(|| opaque(rest)) {
                self.at += extent.exact();
                continue;
            }
            let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%') || b >= 0x80;
            self.at += 1;
            if word(b) || b == b'.' {
                self.at += self.text[self.at..].iter().take_while(|b| word(**b)).count();
            }
            return Some(start..self.at);
        }
    }
}

/// The end of the last token, and whether a `;`, a brace or a colon is that token. `None` without tokens.
pub(crate) fn last_token(ptx: &str) -> Option<(usize, bool)> {
    let last = Tokens::new(ptx).last()?;
    Some((last.end, matches!(&ptx[last], ";" | "{" | "}" | ":")))
}

impl Group {
    /// Whether the text is PTX and not the assembly of another processor. `is_known` says whether PTX has an opcode
    /// (`mov`) or directive (`.reg`) of a name, `is_modifier` whether it has a modifier (`.sync`).
    ///
    /// Other processors have a `mov` and an `add`, too, but without types, so an opcode counts only with a modifier or
    /// without operands. A word that has a PTX type (`mvo.u32`) counts although it is unknown: it is misspelt. In a text that
    /// no semicolon ends, one of the modifiers must be known: RISC-V has `fence.i`, LoongArch `ld.d`.
    #[must_use]
    pub fn is_ptx(&self, is_known: impl Fn(&str) -> bool, is_modifier: impl Fn(&str) -> bool) -> bool {
        let text = &self.ptx;
        let ends = last_token(text).is_some_and(|(_, ends)| ends);
        if self.targets.device && self.is_of_device(&is_known) {
            return true;
        }
        let mut tokens = Tokens::new(text).peekable();
        let mut at_start = true;
        while let Some(token) = tokens.next() {
            let word = &text[token.clone()];
            let next = tokens.peek().map(|t| &text[t.clone()]);
            if !std::mem::take(&mut at_start) {
                at_start = matches!(word, ";" | "{" | "}");
                continue;
            }
            match word {
                "{" | "}" | ";" => at_start = true,
                "@" => {
                    // The guard: `@p` or `@!p`.
                    if next == Some("!") {
                        tokens.next();
                    }
                    tokens.next();
                    at_start = true;
                }
                _ if word.ends_with('%') && next == Some("=") => {
                    tokens.next();
                    tokens.next_if(|token| &text[token.clone()] == ":");
                    at_start = true;
                }
                _ if next == Some(":") => {
                    tokens.next();
                    at_start = true;
                }
                _ if word.starts_with('.') => {
                    if is_known(word) {
                        return true;
                    }
                }
                // Other processors have a `bra`, too, but no text of theirs ends it with a semicolon.
                "bra" if next.is_some_and(is_name) => {
                    tokens.next();
                    if tokens.peek().is_some_and(|t| &text[t.clone()] == ";") {
                        return true;
                    }
                }
                _ if is_known(word) => match next {
                    Some(";") => return true,
                    None if self.targets.device => return true,
                    _ => {
                        let mut modifiers =
                            std::iter::from_fn(|| tokens.next_if(|token| text[token.clone()].starts_with('.')));
                        if modifiers.any(|token| ends || is_modifier(&text[token])) {
                            return true;
                        }
                    }
                },
                _ => {
                    let mut next = next;
                    while let Some(modifier) = next.and_then(|n| n.strip_prefix('.')) {
                        if is_type(modifier) && !word.starts_with('v') {
                            return true;
                        }
                        tokens.next();
                        next = tokens.peek().map(|t| &text[t.clone()]);
                    }
                }
            }
        }
        false
    }
}

impl Group {
    /// Whether a text in a device function of CUDA has nothing of another processor for which such functions are compiled (HIP), and
    /// is no prose: names of instructions with `_`, unknown ones without modifiers before an operand, constraints that nvcc does
    /// not know, an instruction without a semicolon.
    fn is_of_device(&self, is_known: impl Fn(&str) -> bool) -> bool {
        let is_nvcc = |constraint: &str| constraints::nvcc().contains(&constraints::letters(constraint));
        let mut constraints = self.statements.iter().flat_map(|s| &s.operands).map(|o| o.constraint.text.as_str());
        let ends = last_token(&self.ptx).is_some_and(|(_, ends)| ends);
        ends && constraints.all(is_nvcc)
            && self.mnemonics().all(|(word, next)| {
                let is_plain = next.is_none_or(|next| next == ";" || next.starts_with('.'));
                !word.contains('_') && (is_plain || word.starts_with('.') || is_known(word))
            })
    }

    /// The first word of each statement, without guards and labels, and the token behind it.
    fn mnemonics(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let mut tokens = Tokens::new(&self.ptx).map(|token| &self.ptx[token]).peekable();
        let mut at_start = true;
        std::iter::from_fn(move || {
            loop {
                let word = tokens.next()?;
                let next = tokens.peek().copied();
                match word {
                    ";" | "{" | "}" => at_start = true,
                    _ if !at_start => {}
                    "@" => {
                        if next == Some("!") {
                            tokens.next();
                        }
                        tokens.next();
                    }
                    // `L%=:`, where the compiler writes a number.
                    _ if word.ends_with('%') && next == Some("=") => {
                        tokens.next();
                        tokens.next_if_eq(&":");
                    }
                    _ if next == Some(":") => {
                        tokens.next();
                    }
                    _ => {
                        at_start = false;
                        return Some((word, next));
                    }
                }
            }
        })
    }
}

/// `b32` and the like.
fn is_type(modifier: &str) -> bool {
    let digits = modifier.trim_start_matches(['b', 'u', 's', 'f']);
    digits.len() + 1 == modifier.len() && matches!(digits, "8" | "16" | "32" | "64" | "128")
}
