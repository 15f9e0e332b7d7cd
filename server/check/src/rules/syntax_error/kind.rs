//! The kinds of syntax errors, and their words.

use super::characters;
use super::habit::Habit;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::rules::{first_word, in_ptx};
use std::ops::Range;

/// Text that is not PTX.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SyntaxError {
    /// What is wrong with it.
    pub kind: SyntaxErrorKind,
    /// The first word of the statement, if it is not an opcode. The error is most likely a consequence of that.
    pub(crate) unknown_opcode: Option<Box<str>>,
}

/// The kinds of syntax errors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SyntaxErrorKind {
    /// The text contains no PTX token.
    NotPtx,
    /// Unexpected tokens, as shown in the message; true if more of them follow.
    Unexpected(Box<str>, bool),
    /// An assignment to this name, as in other languages, and the instruction that it is in PTX.
    Assignment(Box<str>, Option<Box<str>>),
    /// A punctuation character is missing after a token. The token is `None` if it is too long to show.
    MissingAfter(char, Option<Box<str>>),
    /// An operand is missing after this operator.
    MissingOperand(Box<str>),
    /// Nothing follows a comma.
    MissingAfterComma,
    /// No value follows an equals sign.
    MissingValue,
    /// The parser expected this kind of token.
    Expected(Box<str>),
    /// This bracket is not closed on its line.
    Unclosed(char),
    /// A comment without an end.
    EndlessComment,
    /// A string without an end.
    EndlessString,
    /// A function has no closing brace before the next function.
    UnclosedFunction,
    /// Closing braces of blocks are missing at the end of the file.
    MissingEnd,
    /// A block in a text inside another language is not closed.
    UnclosedBlock,
    /// The closing parenthesis of a parameter list is missing at the end of the file.
    EndlessList,
    /// The opening brace of a function is missing.
    OpeningBrace,
    /// The opening parenthesis of a parameter list is missing.
    OpeningParenthesis,
    /// Brackets are nested deeper than the assembler can read.
    TooDeep,
    /// A word alone on its line, which may be a label without its colon.
    MissingColon(Box<str>),
    /// A guard without a predicate.
    GuardWithoutPredicate,
    /// A guard without an instruction.
    GuardWithoutInstruction,
    /// A statement stands outside of functions. The text describes it, for the message.
    OutsideOfFunction(&'static str),
    /// A misplaced directive, and its right place in words.
    MisplacedDirective(Box<str>, &'static str),
    /// A prototype with a name.
    NamedPrototype(Box<str>),
    /// A function or kernel (in words) without a name.
    NamelessFunction(&'static str),
    /// A parameter without a name; true if it is a prototype's.
    NamelessParameter(bool),
    /// A dot without a name after it.
    LoneDot,
    /// A word with a dot in the place of a type, and the most similar type.
    NotAType(Box<str>, Option<&'static str>),
    /// A declaration without a type.
    NoType,
    /// A part of a declaration must stand before the part described here in words.
    Order(&'static str),
    /// `.ptr` before the type.
    PointerOrder,
    /// A declaration has this part twice.
    GivenTwice(&'static str),
    /// This sign stands before an operand that cannot have one.
    MisplacedSign(Box<str>),
    /// A subscript after a register, or inside of brackets.
    Subscript,
    /// An offset is subtracted from an address; PTX only has `a+-4`.
    MinusOffset,
    /// A character that the assembler does not accept here.
    Foreign(char),
    /// A name with dots in it, as LLVM and Rust write them.
    DottedName(Box<str>),
    /// Syntax of another language.
    Habit(Habit),
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
            SyntaxErrorKind::Assignment(name, _) => format!("unexpected `{name} =`: PTX has no assignments"),
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
                "a `}` is missing after this: the next function begins inside this one".to_owned()
            }
            SyntaxErrorKind::MissingEnd => "a `}` is missing at the end".to_owned(),
            SyntaxErrorKind::UnclosedBlock => "this block is not closed: a `}` is missing".to_owned(),
            SyntaxErrorKind::EndlessList => "a `)` is missing at the end of this list of parameters".to_owned(),
            SyntaxErrorKind::OpeningBrace => "a `{` is missing after the header of this function".to_owned(),
            SyntaxErrorKind::OpeningParenthesis => "a `(` is missing before the parameters of this function".to_owned(),
            SyntaxErrorKind::TooDeep => {
                "brackets are nested too deeply here for the assembler: it runs out of memory".to_owned()
            }
            SyntaxErrorKind::MissingColon(word) => {
                format!("`{word}` is not an instruction: if it is a label, `:` is missing after it")
            }
            SyntaxErrorKind::GuardWithoutPredicate => "the predicate of this guard is missing".to_owned(),
            SyntaxErrorKind::GuardWithoutInstruction => "an instruction is missing after this guard".to_owned(),
            SyntaxErrorKind::OutsideOfFunction(what) => format!("{what} belongs in a function body"),
            SyntaxErrorKind::MisplacedDirective(directive, place) => {
                format!("`{directive}` is not allowed here: it belongs {place}")
            }
            SyntaxErrorKind::NamedPrototype(name) => format!("a prototype has no name: write `_` in place of `{name}`"),
            SyntaxErrorKind::NamelessFunction(what) => format!("the name of this {what} is missing"),
            SyntaxErrorKind::NamelessParameter(_) => "the name of the parameter is missing after this".to_owned(),
            SyntaxErrorKind::LoneDot => "a modifier is missing after the dot".to_owned(),
            SyntaxErrorKind::NotAType(word, _) => format!("`{word}` is not a type"),
            SyntaxErrorKind::NoType => "a type is missing here, such as `.b32`".to_owned(),
            SyntaxErrorKind::Order(before) => format!("this must come before {before}"),
            SyntaxErrorKind::PointerOrder => "`.ptr` must come after the type".to_owned(),
            SyntaxErrorKind::GivenTwice(what) => format!("a declaration has one {what}; this is the second"),
            SyntaxErrorKind::MisplacedSign(sign) => format!("`{sign}` is not allowed before this"),
            SyntaxErrorKind::Subscript => {
                "a subscript is allowed only after an array that is not in brackets".to_owned()
            }
            SyntaxErrorKind::MinusOffset => "an offset is added, never subtracted".to_owned(),
            SyntaxErrorKind::Foreign('\u{feff}') => {
                "the assembler refuses this byte order mark (U+FEFF), which editors do not show".to_owned()
            }
            SyntaxErrorKind::Foreign('\0') => {
                "the assembler refuses this NUL character, which NVRTC and the driver put at the end of a text"
                    .to_owned()
            }
            SyntaxErrorKind::Foreign('\x0b') => "a vertical tab is not white space for the assembler".to_owned(),
            SyntaxErrorKind::Foreign(character) => characters::message(*character).unwrap_or_else(|| {
                format!("`{}` is not ASCII: it is allowed only in comments", character.escape_debug())
            }),
            SyntaxErrorKind::DottedName(name) => format!("`{name}` has a dot, which a name cannot have"),
            SyntaxErrorKind::Habit(habit) => habit.message(),
        }
    }

    fn help(&self) -> Option<String> {
        let is_explained = matches!(self.kind, SyntaxErrorKind::Habit(_) | SyntaxErrorKind::Assignment(..));
        if let Some(word) = self.unknown_opcode.as_ref().filter(|_| !is_explained) {
            return Some(in_ptx(word).unwrap_or_else(|| format!("`{word}` is not an instruction")));
        }
        Some(match &self.kind {
            SyntaxErrorKind::Unexpected(shown, _) if &**shown == "}" => "no open `{` matches it".to_owned(),
            SyntaxErrorKind::Assignment(_, Some(statement)) => {
                format!("an instruction names its result first: write `{statement};`")
            }
            SyntaxErrorKind::Assignment(name, None) => {
                format!(
                    "an instruction computes one operation and names its result first, as in `add.s32 {name}, a, b;`"
                )
            }
            SyntaxErrorKind::TooDeep => {
                "nest blocks, initializers and expressions less deeply; nothing inside these brackets is checked"
                    .to_owned()
            }
            SyntaxErrorKind::NamedPrototype(_) => "calls use the label before the directive".to_owned(),
            SyntaxErrorKind::NamelessParameter(true) => "write `_`".to_owned(),
            SyntaxErrorKind::NamelessParameter(false) => {
                "write a name after the type, as in `.param .b32 name`".to_owned()
            }
            SyntaxErrorKind::NamelessFunction(what) => {
                let kind = if *what == "kernel" { ".entry" } else { ".func" };
                format!("write its name before the parameters, as in `{kind} name(…)`")
            }
            SyntaxErrorKind::NotAType(_, Some(near)) => format!("did you mean `{near}`?"),
            SyntaxErrorKind::Order(_) => {
                "the order is: `.align` and `.attribute`, state space, vector length, type, names".to_owned()
            }
            SyntaxErrorKind::GivenTwice(_) => "remove one of them".to_owned(),
            SyntaxErrorKind::GuardWithoutInstruction => "to guard a block, branch around it".to_owned(),
            SyntaxErrorKind::MissingAfterComma => "write the operand that follows it, or remove the comma".to_owned(),
            SyntaxErrorKind::MisplacedSign(sign) if &**sign == "+" => "remove it".to_owned(),
            SyntaxErrorKind::MisplacedSign(_) => "compute it first, in a separate instruction".to_owned(),
            SyntaxErrorKind::Subscript => "write an offset in bytes, `[a+4]`".to_owned(),
            SyntaxErrorKind::MinusOffset => "write `+-` in place of `-`".to_owned(),
            SyntaxErrorKind::Foreign('\u{feff}') => "save the file as UTF-8 without a byte order mark".to_owned(),
            SyntaxErrorKind::Foreign(character) => return characters::help(*character),
            SyntaxErrorKind::DottedName(name) => {
                format!(
                    "names have only letters, digits, `_` and `$`, unlike those of LLVM and Rust: write `{}`",
                    name.replace('.', "_")
                )
            }
            SyntaxErrorKind::Habit(habit) => return habit.help(),
            SyntaxErrorKind::Unexpected(shown, _) => return first_word(shown).and_then(in_ptx),
            _ => return None,
        })
    }
}

impl Diagnostic {
    /// The data of the syntax error, if the diagnostic is one.
    pub(crate) fn syntax_error(&self) -> Option<&SyntaxError> {
        self.finding.data()
    }

    /// Whether it reports that a block, a list of parameters, a comment or a string is not closed. Its place moves with text that is typed
    /// there.
    pub fn is_unclosed(&self) -> bool {
        use SyntaxErrorKind::{
            EndlessComment, EndlessList, EndlessString, MissingEnd, UnclosedBlock, UnclosedFunction,
        };
        let unclosed = |error: &SyntaxError| {
            let kind = &error.kind;
            matches!(kind, EndlessComment | EndlessList | EndlessString | MissingEnd | UnclosedBlock | UnclosedFunction)
        };
        self.syntax_error().is_some_and(unclosed)
    }
}

/// A diagnostic about a syntax error of this kind.
pub(super) fn error(range: Range<usize>, kind: SyntaxErrorKind) -> Diagnostic {
    Diagnostic::new(range, SyntaxError::from(kind))
}

/// Reports a subscript after a register or inside of brackets, as in `%r1[4]` and `[a[4]]`.
pub(crate) fn subscript(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::Subscript)
}
