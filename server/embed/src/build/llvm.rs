//! `$` in the text of LLVM's inline assembly, and its constraints.

use super::common::{OperandFacts, Part, is_glued, missing_semicolon, module_names, template};
use super::placeholders;
use crate::constraints::{kind_of, letter_of_type};
use crate::definitions::Definitions;
use crate::literal::{HOLE, decode_julia, decode_llvm_ir, decode_python};
use crate::map::{Decoded, SegmentKind};
use crate::model::{Access, Constraint, Kind, Operand, Problem, ProblemKind, Statement, Variable};
use crate::raw::{Flaw, Form, Literal, Piece, Raw};
use crate::words::last_token;
use std::ops::Range;
use std::sync::Arc;

/// The name of an operand in the PTX text of its group.
fn variable_name(form: Form, number: usize, spelling: &str) -> String {
    match form {
        // `{$w0}` becomes `$w0`.
        Form::InlinePtx if number == 0 => spelling.trim_matches(['{', '}']).to_owned(),
        Form::InlinePtx => format!("{}_{number}", spelling.trim_matches(['{', '}'])),
        _ if number == 0 => spelling.to_owned(),
        _ => format!("${number}_{}", &spelling[1..]),
    }
}

/// Appends the text of a literal of a source.
type Decode = fn(&mut Decoded, &str, &Literal);

fn decoder(form: Form) -> Decode {
    match form {
        Form::LlvmIr => decode_llvm_ir,
        Form::Julia => decode_julia,
        _ => decode_python,
    }
}

/// Whether each input of the constraints is one argument of the host.
fn has_argument_per_input(form: Form) -> bool {
    matches!(form, Form::LlvmInlineAsm | Form::LlvmIr | Form::Julia)
}

/// Reads a statement whose text and constraints are those of LLVM.
pub(super) fn part(raw: &Arc<Raw>, source: &str, definitions: &Definitions, number: usize) -> Part {
    let mut problems = Vec::new();
    let (text, has_hole) = template(raw, source, definitions, decoder(raw.form));
    let mut flaws = raw.flaws.clone();
    if has_hole || text.map.segments().iter().any(|s| s.kind == SegmentKind::Hole) {
        flaws.push(Flaw::Hole);
    }
    let mut operands = Vec::new();
    let mut clobbers = Vec::new();
    let mut memory_clobber = false;
    let known = if raw.form == Form::InlinePtx {
        named_operands(raw, source, &text, &mut operands);
        true
    } else {
        constraints(raw, source, definitions, &mut operands, &mut clobbers, &mut memory_clobber)
    };
    if !known {
        flaws.push(Flaw::OperandHole);
    }
    flaws.sort_unstable();
    flaws.dedup();
    let mut facts: Vec<OperandFacts> = operands
        .iter()
        .map(|o: &NamedOperand| OperandFacts { kind: kind(&operands, &o.operand), used: false })
        .collect();
    let spelling = |index: usize| operands.get(index).map(|o| o.name.clone()).filter(|_| known);
    let text = placeholders::respelled(raw.form, &text, spelling, &mut problems).unwrap_or(text);
    let mut out = Decoded::default();
    let unclosed = flaws.contains(&Flaw::Unclosed);
    substitute(&text, &operands, &mut facts, raw.form, number, &mut out, known && !unclosed, &mut problems);
    if flaws.is_empty() && last_token(&text.text).is_some() {
        missing_semicolon(&out, &mut problems);
        // LLVM writes an operand that is read and written as an output and an input tied to it.
        let is_tied = |o: &Operand| o.constraint.text.bytes().all(|b| b.is_ascii_digit());
        // Triton needs an output also where the text has no result.
        let outputs = operands.iter().filter(|o| o.operand.access == Access::Output).count();
        let is_forced = |o: &Operand| raw.form == Form::Elementwise && outputs == 1 && o.access == Access::Output;
        for (NamedOperand { name: spelling, operand }, facts) in operands.iter().zip(&facts) {
            if !facts.used && !is_tied(operand) && !is_forced(operand) {
                problems.push(Problem {
                    kind: ProblemKind::UnusedOperand,
                    span: operand.span.clone(),
                    message: format!("the text never uses operand `{spelling}`"),
                    fixes: Vec::new(),
                });
            }
        }
    }
    if flaws.is_empty() && has_argument_per_input(raw.form) {
        counts(raw, &operands, &mut problems);
    }
    let holes = out.map.segments().iter().filter(|s| s.kind == SegmentKind::Hole).map(|s| s.ptx.clone());
    let mut opaque: Vec<Range<usize>> = holes.collect();
    if raw.form == Form::LlvmIr {
        opaque.extend(module_names(&out.text, definitions));
        opaque.sort_by_key(|range| range.start);
    }
    let variables = operands.iter().zip(&facts).enumerate().filter_map(
        |(index, (NamedOperand { name: spelling, operand }, facts))| {
            Some(Variable {
                name: variable_name(raw.form, number, spelling),
                spelling: spelling.clone(),
                kind: facts.kind?,
                access: operand.access,
                value: operand.value,
                operand: (number, index),
            })
        },
    );
    let variables = variables.collect();
    let literals: Vec<&Literal> =
        raw.template.iter().filter_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None }).collect();
    let add_memory = raw.constraints.iter().rev().find_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None });
    let add_memory = add_memory.filter(|_| known && !memory_clobber).map(|l| {
        let separator = if operands.is_empty() && clobbers.is_empty() { "" } else { "," };
        (l.body.end, format!("{separator}~{{memory}}"))
    });
    let uses_names =
        raw.form == Form::LlvmIr || raw.template.iter().chain(&raw.constraints).any(|p| matches!(p, Piece::Name(_)));
    let statement = Statement {
        form: raw.form,
        span: 0..raw.len,
        keyword: raw.keyword.clone(),
        volatile: raw.volatile,
        memory_clobber,
        in_define: false,
        operands: operands.into_iter().map(|o| o.operand).collect(),
        clobbers,
        literals: literals.iter().map(|l| l.body.clone()).collect(),
        ptx: 0..out.text.len(),
        writing: literals.iter().map(|l| l.writing).collect(),
        flaws,
        comment: raw.comment.clone(),
        add_memory,
    };
    Part { raw: raw.clone(), statement, ptx: out, variables, opaque, problems, uses_names }
}

/// An operand with the name that the text has for it, such as `$0` or `{$w0}`.
struct NamedOperand {
    name: String,
    operand: Operand,
}

/// The kind of an operand. A digit ties it to another.
fn kind(operands: &[NamedOperand], operand: &Operand) -> Option<Kind> {
    let letters = operand.constraint.text.trim_start_matches(['=', '+', '&']);
    match letters.parse::<usize>() {
        Ok(index) => operands
            .get(index)
            .map(|o| &o.operand)
            .filter(|o| o.access != Access::Input)
            .and_then(|o| kind_of(&o.constraint.text)),
        Err(_) => kind_of(letters),
    }
}

/// Reads the list of constraints. Returns whether it is known.
fn constraints(
    raw: &Raw,
    source: &str,
    definitions: &Definitions,
    operands: &mut Vec<NamedOperand>,
    clobbers: &mut Vec<Range<usize>>,
    memory: &mut bool,
) -> bool {
    let mut text = Decoded::default();
    for piece in &raw.constraints {
        match piece {
            Piece::Literal(literal) => decoder(raw.form)(&mut text, source, literal),
            Piece::Name(range) => match definitions.text(source.get(range.clone()).unwrap_or_default()) {
                Some(value) => text.push(range.clone(), value, SegmentKind::Escape),
                None => return false,
            },
            Piece::Hole(_) | Piece::LineBreak(_) => return false,
        }
    }
    if raw.constraints.is_empty() || text.map.segments().iter().any(|s| s.kind == SegmentKind::Hole) {
        return false;
    }
    let mut at = 0;
    let mut inputs = 0;
    for entry in text.text.split(',') {
        let start = at + (entry.len() - entry.trim_start().len());
        let word = entry.trim();
        at += entry.len() + 1;
        if word.is_empty() {
            continue;
        }
        let place = text.map.to_host(start..start + word.len()).into_iter().next().unwrap_or(0..0);
        if word.starts_with('~') {
            *memory |= word == "~{memory}";
            clobbers.push(place);
            continue;
        }
        let output = word.starts_with(['=', '+']);
        let mut expression = 0..0;
        // `!i` is a label of `callbr`, which is no argument.
        if !output && !word.starts_with('!') {
            let argument = raw.arguments.as_ref().and_then(|list| list.get(inputs));
            // With `pack` or wide values an argument has several constraints.
            if let Some(argument) = argument.filter(|_| has_argument_per_input(raw.form)) {
                expression = argument.clone();
            }
            inputs += 1;
        }
        let value = constant(raw.form, word, source.get(expression.clone()).unwrap_or_default());
        operands.push(NamedOperand {
            name: format!("${}", operands.len()),
            operand: Operand {
                span: if expression.is_empty() { place.clone() } else { expression.clone() },
                constraint: Constraint { text: word.to_owned(), span: place },
                access: if word.starts_with('+') {
                    Access::ReadWrite
                } else if output {
                    Access::Output
                } else {
                    Access::Input
                },
                expression,
                value,
            },
        });
    }
    // An output to which an input is tied begins with the value of that input.
    for index in 0..operands.len() {
        if let Some(output) =
            operands[index].operand.constraint.text.parse::<usize>().ok().and_then(|i| operands.get_mut(i))
            && output.operand.access == Access::Output
        {
            output.operand.access = Access::ReadWrite;
        }
    }
    true
}

/// The value of a constant operand, such as `i32 42` of LLVM IR.
fn constant(form: Form, constraint: &str, expression: &str) -> Option<i128> {
    let value = expression.split_ascii_whitespace().next_back().filter(|_| form == Form::LlvmIr)?;
    matches!(constraint, "n" | "i").then(|| value.parse::<i64>().ok().map(i128::from))?
}

/// `{$w0}`, `{$r0}` and `{$rw0}` of `inline_ptx`, in the order of their first use. Only the types of what is written are
/// in the text.
fn named_operands(raw: &Raw, source: &str, text: &Decoded, operands: &mut Vec<NamedOperand>) {
    let mut at = 0;
    while let Some((range, spelling)) = next_named(&text.text, at) {
        at = range.end;
        if operands.len() >= 64 || operands.iter().any(|o| o.name == spelling) {
            continue;
        }
        let name = spelling.trim_matches(['{', '}', '$']);
        let access = match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "w" => Access::Output,
            "rw" => Access::ReadWrite,
            _ => Access::Input,
        };
        let index = name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<usize>().ok();
        let of_type = index.filter(|_| access == Access::Output).and_then(|i| raw.types.get(i));
        let letter = of_type.and_then(|t| source.get(t.clone())).and_then(letter_of_type).unwrap_or("");
        let place = text.map.to_host(range).into_iter().next().unwrap_or(0..0);
        let place = of_type.cloned().unwrap_or(place);
        operands.push(NamedOperand {
            name: spelling.to_owned(),
            operand: Operand {
                span: place.clone(),
                constraint: Constraint { text: letter.to_owned(), span: place },
                access,
                expression: 0..0,
                value: None,
            },
        });
    }
}

/// The next `{$w0}` at or after an offset.
fn next_named(text: &str, mut at: usize) -> Option<(Range<usize>, &str)> {
    loop {
        let start = at + text.get(at..)?.find("{$")?;
        let rest = &text.as_bytes()[start + 2..];
        let letters = rest.iter().take_while(|b| matches!(b, b'r' | b'w')).count();
        let digits = rest[letters..].iter().take_while(|b| b.is_ascii_digit()).count();
        if letters > 0 && digits > 0 && rest.get(letters + digits) == Some(&b'}') {
            let range = start..start + 2 + letters + digits + 1;
            return Some((range.clone(), &text[range]));
        }
        at = start + 2;
    }
}

/// Writes the PTX text. Linear in its length.
#[expect(clippy::too_many_arguments, reason = "one step of `part`, in a function of its own for its length")]
fn substitute(
    template: &Decoded,
    operands: &[NamedOperand],
    facts: &mut [OperandFacts],
    form: Form,
    number: usize,
    out: &mut Decoded,
    complete: bool,
    problems: &mut Vec<Problem>,
) {
    let text = template.text.as_str();
    let bytes = text.as_bytes();
    let mut cursor = 0;
    let mut at = 0;
    let named = form == Form::InlinePtx;
    loop {
        let mark = if named {
            next_named(text, at).map_or(bytes.len(), |(range, _)| range.start)
        } else {
            memchr::memchr(b'$', &bytes[at..]).map_or(bytes.len(), |i| at + i)
        };
        out.copy(template, at..mark, &mut cursor);
        if mark == bytes.len() {
            return;
        }
        if named {
            let Some((range, spelling)) = next_named(text, mark) else { return };
            at = range.end;
            let index = operands.iter().position(|o| o.name == spelling);
            match index.filter(|i| facts[*i].kind.is_some()) {
                Some(_) => out.replace(template, range, &variable_name(form, number, spelling), SegmentKind::Escape),
                None => out.replace(template, range, HOLE, SegmentKind::Hole),
            }
            if let Some(index) = index {
                facts[index].used = true;
            }
            continue;
        }
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let (end, index) = match bytes.get(mark + 1) {
            Some(b'$') => {
                out.replace(template, mark..mark + 2, "$", SegmentKind::Escape);
                at = mark + 2;
                continue;
            }
            Some(b'0'..=b'9') => (digits(mark + 1), text.get(mark + 1..digits(mark + 1))),
            Some(b'{') => {
                let end = memchr::memchr(b'}', &bytes[mark..]).map_or(bytes.len(), |i| mark + i + 1);
                if &text[mark..end] == "${:uid}" {
                    out.replace(template, mark..end, &(number + 1).to_string(), SegmentKind::Escape);
                    at = end;
                    continue;
                }
                let stop = digits(mark + 2);
                (end, text.get(mark + 2..stop).filter(|d| !d.is_empty()))
            }
            _ => {
                // `$(`, `$|`, `$)` and a lone `$`.
                let two = matches!(bytes.get(mark + 1), Some(b'(' | b'|' | b')'));
                let end = mark + 1 + usize::from(two);
                out.replace(template, mark..end, HOLE, SegmentKind::Hole);
                at = end;
                continue;
            }
        };
        at = end;
        let range = mark..end;
        let Some(index) = index.and_then(|i| i.parse::<usize>().ok()) else {
            out.replace(template, range, HOLE, SegmentKind::Hole);
            continue;
        };
        if index >= operands.len() {
            if complete && let Some(span) = template.map.to_host(range.clone()).into_iter().next() {
                let count = operands.len();
                let message =
                    format!("`${index}` does not exist: the constraints name {count} operand{}", plural(count));
                problems.push(Problem { kind: ProblemKind::OperandIndex, span, message, fixes: Vec::new() });
            }
            out.replace(template, range, HOLE, SegmentKind::Hole);
            continue;
        }
        facts[index].used = true;
        let glued = is_glued(bytes, &range);
        let plain = bytes[mark + 1] != b'{' && number == 0;
        match facts[index].kind {
            None => out.replace(template, range, HOLE, SegmentKind::Hole),
            Some(Kind::Constant) if glued && operands[index].operand.value.is_some() => {
                let value = operands[index].operand.value.unwrap_or_default();
                out.replace(template, range, &value.to_string(), SegmentKind::Escape);
            }
            Some(_) if glued => out.replace(template, range, HOLE, SegmentKind::Hole),
            Some(_) if plain => out.copy(template, range, &mut cursor),
            Some(_) => {
                let name = variable_name(form, number, &operands[index].name);
                out.replace(template, range, &name, SegmentKind::Escape);
            }
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Compares the number of operands with that of the constraints.
fn counts(raw: &Raw, operands: &[NamedOperand], problems: &mut Vec<Problem>) {
    let Some(arguments) = &raw.arguments else { return };
    // An indirect output is an argument, too.
    if operands.iter().any(|o| o.operand.constraint.text.contains('*')) {
        return;
    }
    let is_input = |o: &Operand| o.access == Access::Input && !o.constraint.text.starts_with('!');
    let inputs = operands.iter().filter(|o| is_input(&o.operand)).count();
    let read = operands.iter().filter(|o| o.operand.access != Access::Output).count();
    if arguments.len() == inputs || arguments.len() == read {
        return;
    }
    let Some(place) = raw.constraints.iter().find_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None })
    else {
        return;
    };
    problems.push(Problem {
        kind: ProblemKind::OperandCount,
        span: place.body.clone(),
        message: format!(
            "the constraints name {inputs} input{}; {} operand{} {} given",
            plural(inputs),
            arguments.len(),
            plural(arguments.len()),
            if arguments.len() == 1 { "is" } else { "are" }
        ),
        fixes: Vec::new(),
    });
}
