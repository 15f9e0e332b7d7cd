//! Placeholders of another dialect: `$0` of LLVM or `{0}` of Rust in an `asm` statement of CUDA C++, and the like.

use crate::map::{Decoded, SegmentKind};
use crate::model::{HostEdit, HostFix, Problem, ProblemKind};
use crate::raw::Form;
use crate::words::{Tokens, declared_registers};
use std::ops::Range;

/// How a dialect names the operand with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// `%0`
    Percent,
    /// `$0`, `${0}` and `${0:c}`
    Dollar,
    /// `{0}`
    Braces,
}

impl Dialect {
    /// `None` where the text itself decides about the order of operands.
    fn of(form: Form) -> Option<Self> {
        match form {
            Form::Asm | Form::PtxAsm => Some(Self::Percent),
            Form::RustAsm => Some(Self::Braces),
            Form::LlvmIr | Form::LlvmInlineAsm | Form::Elementwise | Form::Julia => Some(Self::Dollar),
            Form::InlinePtx => None,
        }
    }

    /// Who writes so.
    fn author(self) -> &'static str {
        match self {
            Self::Percent => "CUDA C++",
            Self::Dollar => "LLVM",
            Self::Braces => "Rust",
        }
    }
}

/// A placeholder in a text.
struct Placeholder {
    dialect: Dialect,
    range: Range<usize>,
    index: usize,
    /// Whether PTX may have a name or a list that is spelled so.
    is_name: bool,
}

/// The text with the placeholders of other dialects as this one spells them, and the report on the first; `None` if it has none.
/// `spelling` gives the spelling of an operand by its index, if there is such an operand.
pub(super) fn respelled(
    form: Form,
    template: &Decoded,
    spelling: impl Fn(usize) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Option<Decoded> {
    let dialect = Dialect::of(form)?;
    spelling(0)?;
    let all = placeholders(&template.text);
    if all.iter().all(|p| p.dialect == dialect) {
        return None;
    }
    let is_named = |index: usize| all.iter().any(|p| p.dialect == dialect && p.index == index);
    let names_any = all.iter().any(|p| p.dialect == dialect) || names_by_word(form, &template.text);
    let declares = declared_names(&template.text);
    // `{%0` would begin with an escaped brace.
    let is_beside_brace = |p: &Placeholder| {
        let (before, after) = (&template.text[..p.range.start], &template.text[p.range.end..]);
        before.ends_with(['{', '}']) || after.starts_with(['{', '}'])
    };
    let is_meant = |p: &&Placeholder| {
        if dialect == Dialect::Braces && is_beside_brace(p) {
            return false;
        }
        let written = &template.text[p.range.clone()];
        // A list with one number is PTX, and so is a declared name.
        if p.is_name { !is_named(p.index) && !declares.contains(written) } else { !names_any }
    };
    let foreign = all.iter().filter(|p| p.dialect != dialect && spelling(p.index).is_some());
    let chosen: Vec<&Placeholder> = foreign.filter(is_meant).collect();
    let first = chosen.first()?;
    let place = template.map.to_host(first.range.clone()).into_iter().next()?;
    let own = spelling(first.index)?;
    let written = &template.text[first.range.clone()];
    let author = first.dialect.author();
    let host = match form {
        Form::Asm => "CUDA C++",
        Form::PtxAsm => "`ptx_asm!`",
        Form::RustAsm => "Rust",
        _ => "LLVM",
    };
    problems.push(Problem {
        kind: ProblemKind::OperandName,
        span: place,
        message: format!("`{written}` is how {author} names this operand; {host} names it `{own}`"),
        fixes: fix(form, template, &chosen, &spelling, &own).into_iter().collect(),
    });
    let mut out = Decoded::default();
    let (mut cursor, mut at) = (0, 0);
    for placeholder in chosen {
        out.copy(template, at..placeholder.range.start, &mut cursor);
        let own = spelling(placeholder.index).unwrap_or_default();
        out.replace(template, placeholder.range.clone(), &own, SegmentKind::Escape);
        at = placeholder.range.end;
    }
    out.copy(template, at..template.text.len(), &mut cursor);
    Some(out)
}

/// The fix that spells all of them as the host does. `None` where a literal does not hold one of them as it stands.
fn fix(
    form: Form,
    template: &Decoded,
    placeholders: &[&Placeholder],
    spelling: &impl Fn(usize) -> Option<String>,
    first: &str,
) -> Option<HostFix> {
    let segments = template.map.segments();
    let edit = |placeholder: &&Placeholder| {
        let range = placeholder.range.clone();
        let start = segments.partition_point(|s| s.ptx.end <= range.start);
        let mut touched = segments[start..].iter().take_while(|s| s.ptx.start < range.end);
        if touched.any(|s| s.kind != SegmentKind::Verbatim) {
            return None;
        }
        let own = spelling(placeholder.index)?;
        // Julia reads a `$` itself.
        let text = if form == Form::Julia { own.replace('$', "\\$") } else { own };
        match template.map.to_host(range).as_slice() {
            [span] => Some(HostEdit { span: span.clone(), text }),
            _ => None,
        }
    };
    let edits: Vec<HostEdit> = placeholders.iter().map(edit).collect::<Option<_>>()?;
    let title = match edits.len() {
        1 => format!("Write `{first}`"),
        _ => format!("Write `{first}`, and all operands of the text like it"),
    };
    Some(HostFix { title, edits })
}

/// The placeholders of all dialects, in order. Linear in the length of the text.
fn placeholders(text: &str) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%'));
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'%', b'$', b'{', &bytes[at..]) {
        let start = at + found;
        at = start + 1;
        let before = start.checked_sub(1).and_then(|i| bytes.get(i));
        let sign = bytes[start];
        let bracketed = sign == b'$' && bytes.get(start + 1) == Some(&b'{');
        let from = start + 1 + usize::from(bracketed);
        let to = digits(from);
        let Some(index) = text.get(from..to).and_then(|number| number.parse::<usize>().ok()) else { continue };
        let (dialect, end, is_name) = match sign {
            b'%' => (Dialect::Percent, to, true),
            b'$' if !bracketed => (Dialect::Dollar, to, true),
            sign => {
                // `${0:c}`
                let modifier = usize::from(sign == b'$' && bytes.get(to) == Some(&b':')) * 2;
                if bytes.get(to + modifier) != Some(&b'}') {
                    continue;
                }
                (if sign == b'$' { Dialect::Dollar } else { Dialect::Braces }, to + modifier + 1, false)
            }
        };
        // `%%0`, `$L$0`, `%0x`
        if is_name && (is_word(before) || is_word(bytes.get(end))) {
            continue;
        }
        out.push(Placeholder { dialect, range: start..end, index, is_name });
        at = end;
    }
    out
}

/// Whether a text of Rust names operands by words, or in order: `{x}`, `{}`.
fn names_by_word(form: Form, text: &str) -> bool {
    let is_word = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let mut braces = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    form == Form::RustAsm && braces.any(|(word, _)| is_word(word))
}

/// The registers and labels that a text declares.
struct DeclaredNames {
    registers: Vec<String>,
    labels: Vec<String>,
}

impl DeclaredNames {
    fn contains(&self, name: &str) -> bool {
        let is_of = |register: &String| match register.strip_suffix('<') {
            Some(stem) => {
                name.strip_prefix(stem).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            }
            None => register == name,
        };
        self.registers.iter().any(is_of) || self.labels.iter().any(|label| label == name)
    }
}

fn declared_names(text: &str) -> DeclaredNames {
    let tokens: Vec<Range<usize>> = Tokens::new(text).collect();
    let is_label = |pair: &&[Range<usize>]| matches!(pair, [_, colon] if &text[colon.clone()] == ":");
    let labels = tokens.windows(2).filter(is_label).map(|pair| text[pair[0].clone()].to_owned()).collect();
    DeclaredNames { registers: declared_registers(text), labels }
}
