//! Assignments and expressions, as other languages have them, and the instruction that each is in PTX.

use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::{Diagnostic, Fix};
use crate::rules::{first_name, foreign, foreign_operand};
use ptx_isa::ISA;
use ptx_isa::tables::TypeClass;
use ptx_sema::forms::mnemonic::resolve_fitting;
use ptx_sema::hir::types::TypeId;

/// The operators that join two operands, the longest first. What each is in PTX, `data/names.tsv` says.
const OPERATORS: [&str; 10] = ["<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^"];

/// The operators that compare two operands, the longest first.
const COMPARISONS: [&str; 6] = ["<=", ">=", "==", "!=", "<", ">"];

/// An assignment as written.
struct Assignment<'t> {
    result: &'t str,
    /// The first source, and the operator with the second one.
    first: &'t str,
    second: Option<(&'static str, &'t str)>,
}

/// The report on an assignment; `whole` is the text around it, which declares its registers, `start` its offset there.
pub(super) fn read(whole: &str, text: &str, start: usize) -> Option<Diagnostic> {
    let assignment = Assignment::read(text)?;
    let statement = assignment.in_ptx(whole);
    let range = start..start + text.len();
    let name = assignment.result;
    let found = SyntaxErrorKind::Assignment(name.into(), statement.as_ref().map(|s| s.text.as_str().into()));
    let fix = statement.filter(|s| s.certain).map(|s| {
        let end = usize::from(!whole.get(range.end..).is_some_and(|rest| rest.trim_start().starts_with(';')));
        let text = if end == 1 { format!("{};", s.text) } else { s.text };
        Fix::replace(format!("Write `{text}`"), range.clone(), text)
    });
    Some(error(range, found).fixes(fix))
}

/// An instruction for an assignment.
struct Translation {
    text: String,
    /// Whether this instruction is certain. For a `.b32` register, addition is the same signed and unsigned; division is not.
    certain: bool,
}

impl<'t> Assignment<'t> {
    fn read(text: &'t str) -> Option<Self> {
        if let Some((name, operator)) = ["++", "--"].into_iter().find_map(|o| Some((text.strip_suffix(o)?, o))) {
            let sign = if operator == "++" { "+" } else { "-" };
            let name = name.trim_end();
            return is_operand(name).then_some(Self { result: name, first: name, second: Some((sign, "1")) });
        }
        let (left, right) = text.split_once('=')?;
        let right = right.trim();
        if right.is_empty() || right.starts_with('=') {
            return None;
        }
        let compound = OPERATORS.into_iter().find_map(|o| Some((left.strip_suffix(o)?.trim_end(), o)));
        if let Some((name, operator)) = compound {
            let fits = is_operand(name) && is_operand(right);
            return fits.then_some(Self { result: name, first: name, second: Some((operator, right)) });
        }
        let result = left.trim();
        if !is_operand(result) {
            return None;
        }
        if is_operand(right) {
            return Some(Self { result, first: right, second: None });
        }
        let shifts = OPERATORS.into_iter().take(2);
        shifts.chain(COMPARISONS).chain(OPERATORS.into_iter().skip(2)).find_map(|operator| {
            // A `%` may begin a register.
            right.match_indices(operator).find_map(|(at, _)| {
                let first = right.get(..at)?.trim();
                let second = right.get(at + operator.len()..)?.trim();
                (is_operand(first) && is_operand(second)).then_some(Self {
                    result,
                    first,
                    second: Some((operator, second)),
                })
            })
        })
    }

    /// The instruction, if the result is a register whose declaration says what it is.
    fn in_ptx(&self, whole: &str) -> Option<Translation> {
        let compares = self.second.is_some_and(|(operator, _)| COMPARISONS.contains(&operator));
        let ty = declared_type(whole, if compares { self.first } else { self.result })?.info();
        let is_float = matches!(ty.class, TypeClass::Float);
        let numbers = [Some(self.first), self.second.map(|(_, second)| second)].into_iter().flatten();
        let mut numbers = numbers.filter(|operand| operand.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        // An integer such as `1` cannot be an operand of a float instruction, nor `1.0` one of an integer instruction.
        if numbers.any(|number| number.contains('.') != is_float) {
            return None;
        }
        let Some((operator, second)) = self.second else {
            let mnemonic = format!("mov{}", if ty.class == TypeClass::Pred { ".pred" } else { ty.name });
            let text = format!("{mnemonic} {}, {}", self.result, self.first);
            return Some(Translation { text, certain: false });
        };
        let word = foreign(operator)?;
        let spelling = if is_float { word.spellings.last()? } else { word.spellings.first()? };
        let mut parts = spelling.split('.');
        let opcode = ISA.opcode(parts.next()?)?;
        let modifiers: Vec<String> = parts.map(|part| format!(".{part}")).collect();
        let signed = match ty.class {
            TypeClass::Bits => ty.name.replace('b', "s"),
            _ => ty.name.to_owned(),
        };
        let bits = format!(".b{}", ty.bits);
        let takes = |last: &String| {
            let all: Vec<&str> = modifiers.iter().map(String::as_str).chain([last.as_str()]).collect();
            resolve_fitting(opcode, &all).is_some()
        };
        let last = [signed, bits].into_iter().find(takes)?;
        let text = format!("{spelling}{last} {}, {}, {second}", self.result, self.first);
        if compares {
            return Some(Translation { text, certain: ty.class != TypeClass::Bits });
        }
        let certain = ty.class != TypeClass::Bits || !word.words.contains("sign");
        Some(Translation { text, certain })
    }
}

/// The comparison in the parentheses that follow an offset, as an instruction without its type: `if (%r1 < %r2) …`.
pub(super) fn condition(text: &str, at: usize) -> Option<String> {
    let inner = text.get(at..)?.trim_start().strip_prefix('(')?.split_once(')')?.0;
    COMPARISONS.into_iter().find_map(|operator| {
        let (first, second) = inner.split_once(operator)?;
        let (first, second) = (first.trim(), second.trim());
        let mnemonic = *foreign(operator)?.spellings.first()?;
        let fits = is_operand(first) && is_operand(second);
        fits.then(|| format!("{mnemonic}.type %p1, {}, {}", in_ptx(first), in_ptx(second)))
    })
}

/// An operand with the special register for a name of CUDA: `%tid.x` for `threadIdx.x`.
fn in_ptx(operand: &str) -> String {
    let name = first_name(operand);
    let spelling = foreign_operand(name).and_then(|word| word.spellings.first().copied());
    spelling
        .map_or_else(|| operand.to_owned(), |spelling| format!("{spelling}{}", operand.get(name.len()..).unwrap_or("")))
}

/// Whether a text is a name, perhaps with a component, or a number.
fn is_operand(text: &str) -> bool {
    let word = text.strip_prefix(['%', '-']).unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    !word.is_empty()
        && word.chars().all(is_part)
        && (!text.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The type of a register in the `.reg` declarations of a text.
fn declared_type(text: &str, name: &str) -> Option<TypeId> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let declares = |names: &str| {
        names.split(',').map(str::trim).any(|declared| match declared.split_once('<') {
            Some((base, _)) => base == stem && stem.len() < name.len(),
            None => declared == name,
        })
    };
    text.match_indices(".reg").find_map(|(at, word)| {
        let rest = text.get(at + word.len()..)?;
        let rest: &str = rest.get(..rest.find(';')?)?.trim_start();
        let (ty, names) = rest.split_once(char::is_whitespace)?;
        declares(names).then(|| TypeId::of(ty)).flatten()
    })
}
