//! `{0}` in the text of Rust's `asm!`, and `%0` in that of cuda-oxide's `ptx_asm!`.

use super::common::{OperandFacts, Part, is_glued, missing_semicolon, module_names, template};
use super::placeholders;
use crate::constraints::{self, kind_of, kind_of_class};
use crate::definitions::Definitions;
use crate::literal::{HOLE, decode_rust};
use crate::map::{Decoded, SegmentKind};
use crate::model::{Access, Constraint, HostEdit, HostFix, Kind, Operand, Problem, ProblemKind, Statement, Variable};
use crate::raw::{Direction, Flaw, Form, Literal, Piece, Raw, RawOperand};
use crate::words::last_token;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// How the text names an operand.
struct Names {
    /// In the host: `{0}`, `{x}` or `%0`.
    spelling: String,
    /// In PTX, if the statement is the first of its group.
    ptx: String,
}

/// The name of an operand in the PTX text of its group.
fn variable_name(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{}{number}_{}", &name[..1], &name[1..]) }
}

/// Reads a statement of Rust.
pub(super) fn part(raw: &Arc<Raw>, source: &str, definitions: &Definitions, number: usize) -> Part {
    let mut problems = Vec::new();
    let (text, has_hole) = template(raw, source, definitions, decode_rust);
    let mut flaws = raw.flaws.clone();
    if has_hole {
        flaws.push(Flaw::Hole);
        flaws.sort_unstable();
        flaws.dedup();
    }
    let (operands, names) = operands(raw, source);
    let kinds = operands.iter().zip(&raw.operands).map(|(operand, raw_operand)| match raw_operand {
        RawOperand::Rust { direction: Direction::Const, .. } => Some(Kind::Constant),
        RawOperand::Rust { direction: Direction::Symbol, .. } => None,
        _ if raw.form == Form::PtxAsm => kind_of(&operand.constraint.text),
        _ => kind_of_class(&operand.constraint.text),
    });
    let facts = kinds.map(|kind| OperandFacts { kind, used: false }).collect();
    for (operand, raw_operand) in operands.iter().zip(&raw.operands) {
        if let RawOperand::Rust { direction, quoted, .. } = raw_operand {
            constraint_problems(raw.form, operand, *direction, *quoted, &mut problems);
        }
    }
    let complete = !flaws.iter().any(|f| matches!(f, Flaw::Unclosed | Flaw::OperandHole));
    let spelling = |index: usize| names.get(index).map(|n| n.spelling.clone()).filter(|_| complete);
    let text = match is_plain(raw) {
        true => text,
        false => placeholders::respelled(raw.form, &text, spelling, &mut problems).unwrap_or(text),
    };
    let mut substitution = Substitution {
        form: raw.form,
        template: &text,
        operands: &operands,
        positional: positional(raw),
        named: named(raw, source),
        names: &names,
        facts,
        complete,
        number,
        next: 0,
        last_end: usize::MAX,
        out: Decoded::default(),
        problems: &mut problems,
    };
    substitution.run(raw);
    let (ptx, facts) = (substitution.out, substitution.facts);
    if flaws.is_empty() {
        missing_semicolon(&ptx, &mut problems);
        if last_token(&ptx.text).is_some() {
            let unused = operands.iter().zip(&names).zip(&facts).filter(|(_, facts)| !facts.used);
            problems.extend(unused.map(|((operand, names), _)| Problem {
                kind: ProblemKind::UnusedOperand,
                span: operand.span.clone(),
                message: format!("the text never uses operand `{}`", names.spelling),
                fixes: Vec::new(),
            }));
        }
    }
    let holes = ptx.map.segments().iter().filter(|s| s.kind == SegmentKind::Hole).map(|s| s.ptx.clone());
    let mut opaque: Vec<Range<usize>> = holes.chain(module_names(&ptx.text, definitions)).collect();
    opaque.sort_by_key(|range| range.start);
    let variables =
        operands.iter().zip(&names).zip(&facts).enumerate().filter_map(|(index, ((operand, names), facts))| {
            Some(Variable {
                name: variable_name(&names.ptx, number),
                spelling: names.spelling.clone(),
                kind: facts.kind?,
                access: operand.access,
                value: operand.value,
                operand: (number, index),
            })
        });
    let variables = variables.collect();
    let literals: Vec<&Literal> =
        raw.template.iter().filter_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None }).collect();
    let clobbers: Vec<Range<usize>> = raw.clobbers.iter().flatten().filter_map(body).collect();
    let memory_clobber = raw.memory || clobbers.iter().any(|c| source.get(c.clone()) == Some("memory"));
    let statement = Statement {
        form: raw.form,
        span: 0..raw.len,
        keyword: raw.keyword.clone(),
        volatile: raw.volatile,
        memory_clobber,
        in_define: raw.in_define,
        add_memory: add_memory(raw, source, memory_clobber),
        operands,
        clobbers,
        literals: literals.iter().map(|l| l.body.clone()).collect(),
        ptx: 0..ptx.text.len(),
        writing: literals.iter().map(|l| l.writing).collect(),
        flaws,
        comment: raw.comment.clone(),
    };
    Part { raw: raw.clone(), statement, ptx, variables, opaque, problems, uses_names: true }
}

/// Whether the text has no placeholders: `options(raw)`.
fn is_plain(raw: &Raw) -> bool {
    let is_format = |piece: &Piece| matches!(piece, Piece::Literal(l) if l.writing.format);
    raw.form == Form::RustAsm && !raw.template.iter().any(is_format)
}

fn body(piece: &Piece) -> Option<Range<usize>> {
    if let Piece::Literal(literal) = piece { Some(literal.body.clone()) } else { None }
}

/// Where `clobber("memory")` may be inserted. `asm!` has options instead, which only the author can judge.
fn add_memory(raw: &Raw, source: &str, memory: bool) -> Option<(usize, String)> {
    if memory || raw.flaws.contains(&Flaw::Unclosed) || raw.form != Form::PtxAsm {
        return None;
    }
    let before = source.get(..raw.close)?;
    let at = before.trim_end().len();
    let comma = if before[..at].ends_with(',') { " " } else { ", " };
    // A comment may stand before the bracket.
    (!before.get(raw.keyword.end..)?.contains("//")).then(|| (at, format!("{comma}clobber(\"memory\")")))
}

/// The operands before the first that a macro gives.
fn operands(raw: &Raw, source: &str) -> (Vec<Operand>, Vec<Names>) {
    let mut operands = Vec::new();
    let mut all_names = Vec::new();
    let mut position = 0;
    for operand in &raw.operands {
        let RawOperand::Rust { direction, span, name, constraint, expression, .. } = operand else { break };
        let source_of = |range: &Range<usize>| source.get(range.clone()).unwrap_or_default();
        let is_constant = *direction == Direction::Const || source_of(constraint) == "n";
        operands.push(Operand {
            span: span.clone(),
            constraint: Constraint { text: source_of(constraint).to_owned(), span: constraint.clone() },
            access: match direction {
                Direction::In | Direction::Const | Direction::Symbol => Access::Input,
                Direction::Out => Access::Output,
                Direction::InOut => Access::ReadWrite,
            },
            expression: expression.clone(),
            value: if is_constant { integer(source_of(expression)) } else { None },
        });
        all_names.push(match name {
            _ if raw.form == Form::PtxAsm => {
                let name = format!("%{}", all_names.len());
                Names { spelling: name.clone(), ptx: name }
            }
            Some(name) => {
                let name = source_of(name);
                Names { spelling: format!("{{{name}}}"), ptx: format!("${name}") }
            }
            None => {
                position += 1;
                let index = position - 1;
                Names { spelling: format!("{{{index}}}"), ptx: format!("${index}") }
            }
        });
    }
    (operands, all_names)
}

/// The indices of the operands that the text can name by number.
fn positional(raw: &Raw) -> Vec<usize> {
    let is_positional = |o: &RawOperand| match o {
        RawOperand::Rust { name, quoted, .. } => raw.form == Form::PtxAsm || name.is_none() && !quoted,
        _ => false,
    };
    let known = raw.operands.iter().take_while(|o| matches!(o, RawOperand::Rust { .. }));
    known.enumerate().filter(|(_, o)| is_positional(o)).map(|(index, _)| index).collect()
}

fn named<'s>(raw: &Raw, source: &'s str) -> HashMap<&'s str, usize> {
    let known = raw.operands.iter().take_while(|o| matches!(o, RawOperand::Rust { .. }));
    let entry = |(index, operand): (usize, &RawOperand)| match operand {
        RawOperand::Rust { name: Some(name), .. } => Some((source.get(name.clone())?, index)),
        _ => None,
    };
    known.enumerate().filter_map(entry).collect()
}

/// The value of an integer literal of Rust.
fn integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest.trim_start()));
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let suffix = digits.find(['u', 'i']).unwrap_or(digits.len());
    let types = ["", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];
    let digits = types.contains(&&digits[suffix..]).then(|| digits[..suffix].replace('_', ""))?;
    let value = i128::from(u64::from_str_radix(&digits, radix).ok()?);
    Some(if negative { -value } else { value })
}

/// Reports a register class or constraint that the compiler refuses.
fn constraint_problems(form: Form, operand: &Operand, direction: Direction, quoted: bool, problems: &mut Vec<Problem>) {
    let text = operand.constraint.text.as_str();
    let span = operand.constraint.span.clone();
    let mut report = |kind: ProblemKind, message: String, fixes: Vec<HostFix>| {
        problems.push(Problem { kind, span: span.clone(), message, fixes });
    };
    if form == Form::RustAsm {
        let is_register = !matches!(direction, Direction::Const | Direction::Symbol);
        if is_register && !text.is_empty() && kind_of_class(text).is_none() {
            let what = if quoted { "register" } else { "register class" };
            let classes = constraints::listed(&constraints::classes(), "or");
            let message = format!("nvptx targets have no {what} `{text}`; expected {classes}");
            report(ProblemKind::Constraint, message, Vec::new());
        }
        return;
    }
    let letters = text.trim_start_matches(['=', '+']);
    let (mark, place) = match direction {
        Direction::Out => ("=", "an `out` operand"),
        Direction::InOut => ("+", "an `inout` operand"),
        _ => ("", "an `in` operand"),
    };
    if &text[..text.len() - letters.len()] != mark {
        let message = format!("constraint `{text}` of {place} is wrong; expected `{mark}{letters}`");
        let start = operand.constraint.span.start;
        let edits = vec![HostEdit { span: start..start + text.len() - letters.len(), text: mark.to_owned() }];
        report(ProblemKind::Access, message, vec![HostFix { title: format!("Write `{mark}{letters}`"), edits }]);
    }
    let known = constraints::ptx_asm(!mark.is_empty());
    if !known.contains(&letters) {
        let list = constraints::listed(&known, "");
        report(
            ProblemKind::Constraint,
            format!("`ptx_asm!` does not know constraint `{letters}`; expected one of {list}"),
            Vec::new(),
        );
    }
}

struct Substitution<'a> {
    form: Form,
    template: &'a Decoded,
    operands: &'a [Operand],
    positional: Vec<usize>,
    named: HashMap<&'a str, usize>,
    names: &'a [Names],
    facts: Vec<OperandFacts>,
    /// Whether `operands` are all operands.
    complete: bool,
    number: usize,
    /// The position that the next `{}` names.
    next: usize,
    /// The end of the last placeholder.
    last_end: usize,
    out: Decoded,
    problems: &'a mut Vec<Problem>,
}

/// The longest placeholder, in bytes.
const MAX_PLACEHOLDER: usize = 200;

impl Substitution<'_> {
    /// Writes the text. Linear in its length.
    fn run(&mut self, raw: &Raw) {
        let template = self.template;
        let bytes = template.text.as_bytes();
        let is_plain = is_plain(raw);
        let mut cursor = 0;
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let mark = match self.form {
                _ if is_plain => None,
                Form::PtxAsm => memchr::memchr(b'%', rest),
                _ => memchr::memchr2(b'{', b'}', rest),
            };
            let mark = mark.map_or(bytes.len(), |i| at + i);
            self.out.copy(template, at..mark, &mut cursor);
            if mark == bytes.len() {
                return;
            }
            at = if self.form == Form::PtxAsm { self.percent(mark) } else { self.brace(mark) };
        }
    }

    /// `{` or `}` of `asm!`. Returns the offset after what it stands for.
    fn brace(&mut self, at: usize) -> usize {
        let template = self.template;
        let text = template.text.as_str();
        let bytes = text.as_bytes();
        let brace = bytes[at];
        if bytes.get(at + 1) == Some(&brace) {
            self.out.replace(template, at..at + 2, &text[at..=at], SegmentKind::Escape);
            return at + 2;
        }
        let end = if brace == b'{' {
            memchr::memchr2(b'}', b'\n', &bytes[at..bytes.len().min(at + MAX_PLACEHOLDER)])
                .map(|i| at + i)
                .filter(|end| bytes[*end] == b'}')
        } else {
            None
        };
        let Some(end) = end else { return self.lone_brace(at) };
        let content = &text[at + 1..end];
        let name = content.split(':').next().unwrap_or_default().trim();
        let range = at..end + 1;
        let index = if name.is_empty() {
            self.next += 1;
            self.positional.get(self.next - 1).copied()
        } else if name.bytes().all(|b| b.is_ascii_digit()) {
            name.parse::<usize>().ok().and_then(|i| self.positional.get(i)).copied()
        } else if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80) {
            self.named.get(name).copied()
        } else {
            // `{ .reg .b32 t; }`, the commonest mistake.
            return self.lone_brace(at);
        };
        match index {
            Some(index) => self.operand(range, index),
            None => {
                if self.complete {
                    let spelling = if name.is_empty() { format!("{}", self.next - 1) } else { name.to_owned() };
                    self.report(
                        ProblemKind::OperandIndex,
                        range.clone(),
                        self.missing(&format!("{{{spelling}}}")),
                        Vec::new(),
                    );
                }
                self.hole(range);
            }
        }
        end + 1
    }

    /// `%` of `ptx_asm!`. Returns the offset after what it stands for.
    fn percent(&mut self, at: usize) -> usize {
        let template = self.template;
        let text = template.text.as_str();
        let rest = &text.as_bytes()[at + 1..];
        match rest.first() {
            Some(b'%') => {
                self.out.replace(template, at..at + 2, "%", SegmentKind::Escape);
                at + 2
            }
            Some(b'0'..=b'9') => {
                let end = at + 1 + rest.iter().take_while(|b| b.is_ascii_digit()).count();
                let index = text[at + 1..end].parse::<usize>().ok().and_then(|i| self.positional.get(i)).copied();
                match index {
                    Some(index) => self.operand(at..end, index),
                    None => {
                        if self.complete {
                            self.report(ProblemKind::OperandIndex, at..end, self.missing(&text[at..end]), Vec::new());
                        }
                        self.hole(at..end);
                    }
                }
                end
            }
            _ => {
                let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')).count();
                let name = &text[at..at + 1 + name];
                let message =
                    format!("`ptx_asm!` refuses `{name}`; write `%{name}` for a register or `%%` for the sign");
                let fixes = self.replacement(at..at + 1, "%%", format!("Write `%{name}`"));
                self.report(ProblemKind::Percent, at..at + name.len(), message, fixes);
                self.copy(at..at + 1);
                at + 1
            }
        }
    }

    fn missing(&self, name: &str) -> String {
        let count = self.operands.len();
        let s = if count == 1 { "" } else { "s" };
        format!("`{name}` does not exist: the statement has {count} operand{s}")
    }

    fn operand(&mut self, range: Range<usize>, index: usize) {
        let template = self.template;
        let bytes = template.text.as_bytes();
        let follows = std::mem::replace(&mut self.last_end, range.end) == range.start;
        let (Some(facts), Some(operand)) = (self.facts.get_mut(index), self.operands.get(index)) else {
            return self.hole(range);
        };
        facts.used = true;
        let glued = is_glued(bytes, &range)
            || bytes[..range.start].ends_with(b"%")
            || follows
            // `{0}{1}`
            || bytes.get(range.end) == Some(&b'{') && bytes.get(range.end + 1) != Some(&b'{');
        match (facts.kind, operand.value) {
            (None, _) => self.hole(range),
            (Some(Kind::Constant), Some(value)) if glued => {
                self.out.replace(template, range, &value.to_string(), SegmentKind::Escape);
            }
            (Some(_), _) if glued => self.hole(range),
            (Some(_), _) if self.form == Form::PtxAsm && self.number == 0 => {
                self.copy(range);
            }
            (Some(_), _) => {
                let name = variable_name(&self.names[index].ptx, self.number);
                self.out.replace(template, range, &name, SegmentKind::Escape);
            }
        }
    }

    fn hole(&mut self, range: Range<usize>) {
        self.out.replace(self.template, range, HOLE, SegmentKind::Hole);
    }

    /// A brace that should be doubled. Returns the offset after it.
    fn lone_brace(&mut self, at: usize) -> usize {
        let brace = &self.template.text[at..=at];
        let twice = brace.repeat(2);
        let fixes = self.replacement(at..at + 1, &twice, format!("Write `{twice}`"));
        let message = format!("`asm!` reads `{brace}` as a part of a placeholder; write `{twice}` for a brace of PTX");
        self.report(ProblemKind::OperandIndex, at..at + 1, message, fixes);
        self.copy(at..at + 1);
        at + 1
    }

    /// Copies a range as it stands.
    fn copy(&mut self, range: Range<usize>) {
        let mut cursor = self.template.map.segments().partition_point(|s| s.ptx.end < range.start);
        self.out.copy(self.template, range, &mut cursor);
    }

    /// A fix that replaces a byte of the text, where a literal of the statement holds it.
    fn replacement(&self, range: Range<usize>, text: &str, title: String) -> Vec<HostFix> {
        let segments = self.template.map.segments();
        let first = segments.partition_point(|s| s.ptx.end <= range.start);
        if segments.get(first).is_none_or(|s| s.kind != SegmentKind::Verbatim) {
            return Vec::new();
        }
        match self.template.map.to_host(range).as_slice() {
            [span] => vec![HostFix { title, edits: vec![HostEdit { span: span.clone(), text: text.to_owned() }] }],
            _ => Vec::new(),
        }
    }

    fn report(&mut self, kind: ProblemKind, range: Range<usize>, message: String, fixes: Vec<HostFix>) {
        let Some(span) = self.template.map.to_host(range).into_iter().next() else { return };
        self.problems.push(Problem { kind, span, message, fixes });
    }
}
