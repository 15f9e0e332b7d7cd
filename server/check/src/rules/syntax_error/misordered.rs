//! Declarations whose parts are in another order than PTX has them, or spelled as in C: read in any order, and written again.

use super::habit::Habit;
use super::habits::{habit, is_name, type_of_c};
use crate::diagnostic::{Diagnostic, Fix};
use ptx_isa::ISA;
use ptx_isa::tables::Directive;
use std::ops::Range;

/// A part of a declaration. The order is that of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Linkage,
    Space,
    Align,
    Vector,
    Type,
    Pointer,
    PointerSpace,
    PointerAlign,
    Name,
    Dimensions,
}

/// A part as written: its byte range in the text of the declaration, and how PTX spells it.
#[derive(Debug, Clone)]
struct WrittenPart {
    part: Part,
    range: Range<usize>,
    spelling: String,
}

/// Where a declaration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationPlace {
    /// Among the parameters or results of a function.
    Parameters,
    /// A statement of a body or of the module.
    Statement,
}

/// A declaration read in any order.
pub(super) struct ReadDeclaration {
    parts: Vec<WrittenPart>,
    place: DeclarationPlace,
    /// Whether a type is one of C.
    foreign: bool,
}

/// The longest declaration that is read, in bytes.
const MAX_LENGTH: usize = 256;

/// Reads a declaration up to its value. `None` if it has a word that is no part of one, or a part twice.
pub(super) fn read(text: &str, place: DeclarationPlace) -> Option<ReadDeclaration> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut parts: Vec<WrittenPart> = Vec::new();
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut star = false;
    let mut at = 0;
    let has = |parts: &[WrittenPart], part: Part| parts.iter().any(|p| p.part == part);
    while let Some(rest) = text.get(at..).map(str::trim_start).filter(|rest| !rest.is_empty()) {
        let start = text.len() - rest.len();
        let first = rest.chars().next()?;
        if first == '*' {
            star = true;
            at = start + 1;
            continue;
        }
        if first == '[' {
            let end = start + rest.find(']')? + 1;
            let spelling = text.get(start..end)?.to_owned();
            let again = has(&parts, Part::Dimensions);
            match parts.last_mut().filter(|last| last.part == Part::Dimensions) {
                Some(last) => {
                    last.spelling.push_str(&spelling);
                    last.range.end = end;
                }
                None if again => return None,
                None => parts.push(WrittenPart { part: Part::Dimensions, range: start..end, spelling }),
            }
            at = end;
            continue;
        }
        let length = word_length(rest);
        if length == 0 {
            return None;
        }
        let end = start + length;
        let word = text.get(start..end)?;
        at = end;
        let pointed = has(&parts, Part::Pointer);
        let part = if word == ".align" {
            let number = text.get(end..)?.trim_start();
            let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let begin = text.len() - number.len();
            at = begin + digits;
            let part = if pointed { Part::PointerAlign } else { Part::Align };
            if digits == 0 || has(&parts, part) {
                return None;
            }
            let spelling = format!(".align {}", number.get(..digits)?);
            parts.push(WrittenPart { part, range: start..at, spelling });
            continue;
        } else if word == ".ptr" {
            Part::Pointer
        } else if ISA.space(word).is_some() {
            let second = has(&parts, Part::Space) && place == DeclarationPlace::Parameters;
            if second { Part::PointerSpace } else { Part::Space }
        } else if ISA.ty(word).is_some() {
            Part::Type
        } else if matches!(word, ".v2" | ".v4" | ".v8") {
            Part::Vector
        } else if ISA.directive(word).is_some_and(Directive::is_linkage) {
            Part::Linkage
        } else if is_name(word.split('<').next()?) {
            words.push(start..end);
            continue;
        } else {
            return None;
        };
        if has(&parts, part) {
            return None;
        }
        parts.push(WrittenPart { part, range: start..end, spelling: word.to_owned() });
    }
    let name = words.pop()?;
    let spelling = text.get(name.clone())?.to_owned();
    parts.push(WrittenPart { part: Part::Name, range: name, spelling });
    let foreign = !words.is_empty();
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        let range = first.start..last.end;
        let written: Vec<&str> = words.iter().filter_map(|word| text.get(word.clone())).collect();
        let ty = type_of_c(&written.join(" "))?;
        if has(&parts, Part::Type) {
            return None;
        }
        let ty = if star { ".u64" } else { ty };
        parts.push(WrittenPart { part: Part::Type, range, spelling: ty.to_owned() });
    } else if star {
        return None;
    }
    if !has(&parts, Part::Space) && place == DeclarationPlace::Parameters {
        parts.push(WrittenPart { part: Part::Space, range: 0..0, spelling: ".param".to_owned() });
    }
    // `.global` of a pointer without `.ptr`.
    if has(&parts, Part::PointerSpace) && !has(&parts, Part::Pointer) {
        parts.push(WrittenPart { part: Part::Pointer, range: 0..0, spelling: ".ptr".to_owned() });
    }
    parts.sort_by_key(|part| (part.range.start, part.part));
    (has(&parts, Part::Space) && has(&parts, Part::Type)).then_some(ReadDeclaration { parts, place, foreign })
}

/// The length of a word, a name with its number of registers, or a directive.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let sign = usize::from(text.starts_with(['.', '%']));
    let end = text.get(sign..).and_then(|rest| rest.find(|c| !is_part(c))).map_or(text.len(), |end| sign + end);
    if end == sign {
        return 0;
    }
    let count = text.get(end..).filter(|rest| rest.starts_with('<')).and_then(|rest| rest.find('>'));
    end + count.map_or(0, |close| close + 1)
}

impl ReadDeclaration {
    /// The declaration as PTX has it.
    pub(super) fn canonical(&self) -> String {
        let mut parts: Vec<&WrittenPart> = self.parts.iter().collect();
        parts.sort_by_key(|part| part.part);
        let mut out = String::new();
        for part in parts {
            if !out.is_empty() && part.part != Part::Dimensions {
                out.push(' ');
            }
            out.push_str(&part.spelling);
        }
        out
    }

    /// The report on the first part that is in the wrong place or has the wrong spelling. `start` is the offset of the declaration, `text`
    /// what is written.
    pub(super) fn report(&self, text: &str, start: usize) -> Option<Diagnostic> {
        let written = self.canonical();
        let length = text.trim_end().len();
        let fix = |found: Diagnostic| {
            found.fix(Fix::replace(format!("Write `{written}`"), start..start + length, written.as_str()).preferred())
        };
        let foreign = self.parts.iter().any(|part| part.range.is_empty()) || self.foreign;
        if foreign {
            let declaration = written.as_str().into();
            let found = match self.place {
                DeclarationPlace::Parameters => Habit::Parameter(declaration),
                DeclarationPlace::Statement => Habit::ForeignDeclaration(declaration),
            };
            return Some(fix(habit(start..start + length, found)));
        }
        let pairs = self.parts.iter().enumerate();
        let late = pairs.skip(1).find_map(|(index, part)| {
            let before = self.parts.get(..index)?.iter().find(|earlier| earlier.part > part.part)?;
            Some((part, before))
        });
        let (part, before) = late?;
        let word = |part: &WrittenPart| text.get(part.range.clone()).unwrap_or("").into();
        let found = Habit::PartOrder { part: word(part), before: word(before), written: written.as_str().into() };
        Some(fix(habit(start + part.range.start..start + part.range.end, found)))
    }
}

/// The report on the declaration around an offset at which the parser stopped.
pub(super) fn around(text: &str, at: usize) -> Option<Diagnostic> {
    let before = text.get(..at)?;
    let mut begin = before.rfind([';', '{', '}', '\n']).map_or(0, |end| end + 1);
    // The parser may stop at the first word itself.
    let blank = text.get(begin..)?;
    begin += blank.len() - blank.trim_start().len();
    let statement = text.get(begin..)?;
    let end = statement.find([';', '=', '{', '\n']).unwrap_or(statement.len());
    let statement = statement.get(..end)?;
    if begin + end < at || statement.contains(['(', ')', ',']) {
        return None;
    }
    let first = statement.split_whitespace().next()?;
    let declares = ISA.space(first).is_some() || ISA.directive(first).is_some_and(Directive::is_linkage);
    let read = read(statement, DeclarationPlace::Statement).filter(|_| declares)?;
    read.report(statement, begin)
}
