//! A statement as written becomes PTX text with operands.

mod common;
mod llvm;
mod nvcc;
mod placeholders;
mod rust;

use crate::constraints::{self, kind_of};
use crate::definitions::Definitions;
use crate::literal::decode_cpp;
use crate::map::{Decoded, SegmentKind};
use crate::model::{Access, Constraint, Group, HostEdit, HostFix, Operand, Problem, ProblemKind, Statement, Variable};
use crate::raw::{Flaw, Form, Literal, Piece, Raw, RawOperand};
use crate::targets::Wanted;
use crate::words::last_token;
pub(crate) use common::Part;
use common::{OperandFacts, missing_semicolon, template, variable_name};
use std::ops::Range;
use std::sync::Arc;

/// Reads a statement. `source` is its text, `number` its index in the group, which decides about names of operands.
pub(crate) fn part(raw: &Arc<Raw>, source: &str, definitions: &Definitions, number: usize) -> Part {
    let mut problems = Vec::new();
    match raw.form {
        Form::Asm => {}
        Form::RustAsm | Form::PtxAsm => return rust::part(raw, source, definitions, number),
        _ => return llvm::part(raw, source, definitions, number),
    }
    let (template, has_hole) = template(raw, source, definitions, decode_cpp);
    let operands = operands(raw, source, definitions, &mut problems);
    let mut flaws = raw.flaws.clone();
    if has_hole {
        flaws.push(Flaw::Hole);
        flaws.sort_unstable();
        flaws.dedup();
    }
    let complete = !flaws.iter().any(|f| matches!(f, Flaw::Unclosed | Flaw::OperandHole));
    let spelling = |index: usize| operands.get(index).map(|_| format!("%{index}")).filter(|_| complete);
    let template = placeholders::respelled(raw.form, &template, spelling, &mut problems).unwrap_or(template);
    let mut facts: Vec<OperandFacts> =
        operands.iter().map(|o| OperandFacts { kind: kind_of(&o.constraint.text), used: false }).collect();
    let mut substitution = nvcc::Substitution {
        raw,
        source,
        template: &template,
        operands: &operands,
        facts: &mut facts,
        complete,
        number,
        out: Decoded::default(),
        opaque: Vec::new(),
        problems: &mut problems,
    };
    substitution.run();
    let (ptx, opaque) = (substitution.out, substitution.opaque);
    if flaws.is_empty() {
        missing_semicolon(&ptx, &mut problems);
        unused(&operands, &facts, &ptx, &mut problems);
    }
    let memory_clobber = clobbers(raw, source, &mut problems);
    let variables = variables(&operands, &facts, number);
    fn literal(piece: &Piece) -> Option<&Literal> {
        match piece {
            Piece::Literal(literal) => Some(literal),
            _ => None,
        }
    }
    let body = |piece: &Piece| literal(piece).map(|l| l.body.clone());
    let add_memory = add_memory(raw, memory_clobber);
    let statement = Statement {
        form: raw.form,
        span: 0..raw.len,
        keyword: raw.keyword.clone(),
        volatile: raw.volatile,
        memory_clobber,
        in_define: raw.in_define,
        operands,
        clobbers: raw.clobbers.iter().filter_map(|pieces| body(pieces.first()?)).collect(),
        literals: raw.template.iter().filter_map(body).collect(),
        ptx: 0..ptx.text.len(),
        writing: raw.template.iter().filter_map(|p| literal(p).map(|l| l.writing)).collect(),
        flaws,
        comment: raw.comment.clone(),
        add_memory,
    };
    let uses_names = raw.template.iter().any(|p| matches!(p, Piece::Name(_)))
        || statement.operands.iter().any(|o| matches!(o.constraint.text.as_str(), "n" | "i"));
    Part { raw: raw.clone(), statement, ptx, variables, opaque, problems, uses_names }
}

/// The operands before the first that a macro gives.
fn operands(raw: &Raw, source: &str, definitions: &Definitions, problems: &mut Vec<Problem>) -> Vec<Operand> {
    let mut out = Vec::new();
    for operand in &raw.operands {
        let RawOperand::Written { output, span, constraint, expression, .. } = operand else { break };
        let mut text = Decoded::default();
        let mut known = true;
        for piece in constraint {
            match piece {
                Piece::Literal(literal) => decode_cpp(&mut text, source, literal),
                Piece::Name(_) | Piece::Hole(_) | Piece::LineBreak(_) => known = false,
            }
        }
        let literal = constraint.iter().find_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None });
        let place = literal.map_or(span.start..span.start, |l| l.body.clone());
        let access = match text.text.as_bytes().first() {
            Some(b'=') => Access::Output,
            Some(b'+') => Access::ReadWrite,
            _ if *output => Access::Output,
            _ => Access::Input,
        };
        if known {
            constraint_problems(&text.text, &place, *output, problems);
        }
        let source_text = source.get(expression.clone()).unwrap_or_default();
        let value = if matches!(text.text.as_str(), "n" | "i") { constant(source_text, definitions) } else { None };
        out.push(Operand {
            span: span.clone(),
            constraint: Constraint { text: if known { text.text } else { String::new() }, span: place },
            access,
            expression: expression.clone(),
            value,
        });
    }
    out
}

/// The value that nvcc writes for a constant: the upper half of 32-bit unsigned integers becomes negative.
fn constant(expression: &str, definitions: &Definitions) -> Option<i128> {
    let value = definitions.evaluate(expression)?;
    let wide = expression.contains("ll") || expression.contains("LL") || expression.contains("64");
    let upper = (1i128 << 31..1i128 << 32).contains(&value);
    Some(if upper && !wide { value - (1i128 << 32) } else { value })
}

/// Whether a constraint ties the operand to the output with this index, as GCC and LLVM have it: `"0"`.
fn is_tie(constraint: &str) -> bool {
    !constraint.is_empty() && constraint.bytes().all(|b| b.is_ascii_digit())
}

/// Reports a constraint that nvcc refuses.
fn constraint_problems(text: &str, place: &Range<usize>, output: bool, problems: &mut Vec<Problem>) {
    let edit = |span: Range<usize>, text: &str| HostEdit { span, text: text.to_owned() };
    let marked = text.starts_with(['=', '+']);
    if output && !marked {
        let insert = |mark: &str| HostFix {
            title: format!("Insert `{mark}`"),
            edits: vec![edit(place.start..place.start, mark)],
        };
        problems.push(Problem {
            kind: ProblemKind::Access,
            span: place.clone(),
            message: format!(
                "constraint `{text}` of an output must begin with `=` (written) or `+` (read and written)"
            ),
            fixes: vec![insert("="), insert("+")],
        });
    } else if !output && marked {
        let remove = edit(place.start..place.start + 1, "");
        problems.push(Problem {
            kind: ProblemKind::Access,
            span: place.clone(),
            message: format!("constraint `{text}` stands among the inputs, where `=` and `+` are not allowed"),
            fixes: vec![HostFix { title: format!("Remove `{}`", &text[..1]), edits: vec![remove] }],
        });
    }
    let letters = text.trim_start_matches(['=', '+', '&']);
    if is_tie(letters) {
        let message = format!(
            "nvcc has no tied operands: write `+` in the constraint of output {letters}, and remove `{letters}` here"
        );
        problems.push(Problem { kind: ProblemKind::Constraint, span: place.clone(), message, fixes: Vec::new() });
        return;
    }
    let one = letters.chars().count() == 1;
    if !constraints::is_nvcc(letters) {
        let known = constraints::nvcc();
        let message = if letters.is_empty() {
            format!("the constraint has no letter; nvcc expects one of {}", constraints::listed(&known, ""))
        } else if one {
            format!("nvcc does not know constraint `{letters}`; it expects {}", constraints::listed(&known, "or"))
        } else {
            format!("constraint `{letters}` has {} letters; nvcc expects one", letters.chars().count())
        };
        problems.push(Problem { kind: ProblemKind::Constraint, span: place.clone(), message, fixes: Vec::new() });
    }
}

/// Reports clobbers that nvcc refuses. Returns whether memory is one.
fn clobbers(raw: &Raw, source: &str, problems: &mut Vec<Problem>) -> bool {
    let mut memory = false;
    let span_of = |pieces: &[Piece]| {
        let span = |piece: &Piece| match piece {
            Piece::Literal(literal) => literal.span.clone(),
            Piece::Name(range) | Piece::Hole(range) => range.clone(),
            Piece::LineBreak(at) => *at..*at,
        };
        pieces.first().map_or(0, |p| span(p).start)..pieces.last().map_or(0, |p| span(p).end)
    };
    for (index, pieces) in raw.clobbers.iter().enumerate() {
        let mut text = Decoded::default();
        for piece in pieces {
            if let Piece::Literal(literal) = piece {
                decode_cpp(&mut text, source, literal);
            }
        }
        if text.text == "memory" {
            memory = true;
            continue;
        }
        if !pieces.iter().all(|p| matches!(p, Piece::Literal(_))) {
            continue;
        }
        let own = span_of(pieces);
        // With the comma before or after.
        let span = match (index.checked_sub(1).and_then(|i| raw.clobbers.get(i)), raw.clobbers.get(index + 1)) {
            (Some(before), _) => span_of(before).end..own.end,
            (None, Some(after)) => own.start..span_of(after).start,
            (None, None) => own.clone(),
        };
        problems.push(Problem {
            kind: ProblemKind::Clobber,
            span: own,
            message: format!("nvcc does not know clobber `{}`; only `memory` is allowed", text.text),
            fixes: vec![HostFix {
                title: format!("Remove `{}`", text.text),
                edits: vec![HostEdit { span, text: String::new() }],
            }],
        });
    }
    memory
}

/// Where `"memory"` may be inserted.
fn add_memory(raw: &Raw, memory: bool) -> Option<(usize, String)> {
    if memory || raw.flaws.contains(&Flaw::Unclosed) || raw.form != Form::Asm {
        return None;
    }
    let last = raw
        .clobbers
        .iter()
        .flatten()
        .last()
        .and_then(|p| if let Piece::Literal(l) = p { Some(l.span.end) } else { None });
    let (at, before) = match (last, raw.colons) {
        (Some(end), 3) => (end, ", "),
        (None, 3) => (raw.close, " "),
        (None, 2) => (raw.close, " : "),
        (None, 1) => (raw.close, " :: "),
        (None, 0) => (raw.close, " ::: "),
        _ => return None,
    };
    Some((at, format!("{before}\"memory\"")))
}

/// Reports operands that the text does not name.
fn unused(operands: &[Operand], facts: &[OperandFacts], ptx: &Decoded, problems: &mut Vec<Problem>) {
    if last_token(&ptx.text).is_none() {
        return;
    }
    for (index, (operand, facts)) in operands.iter().zip(facts).enumerate() {
        if !facts.used && !is_tie(&operand.constraint.text) {
            problems.push(Problem {
                kind: ProblemKind::UnusedOperand,
                span: operand.span.clone(),
                message: format!("the text never uses operand `%{index}`"),
                fixes: Vec::new(),
            });
        }
    }
}

fn variables(operands: &[Operand], facts: &[OperandFacts], number: usize) -> Vec<Variable> {
    let one = |(index, (operand, facts)): (usize, (&Operand, &OperandFacts))| {
        Some(Variable {
            name: variable_name(number, index),
            spelling: format!("%{index}"),
            kind: facts.kind?,
            access: operand.access,
            value: operand.value,
            operand: (number, index),
        })
    };
    operands.iter().zip(facts).enumerate().filter_map(one).collect()
}

/// Puts statements together. Each has its offset from the first.
/// `conditional` is [`Group::conditional`] where the statements around decide it.
pub(crate) fn group(parts: Vec<(usize, Part)>, targets: Arc<Wanted>, conditional: bool) -> Group {
    let mut ptx = Decoded::default();
    let mut out = Group {
        statements: Vec::with_capacity(parts.len()),
        ptx: String::new(),
        map: Default::default(),
        variables: Vec::new(),
        opaque: Vec::new(),
        targets,
        problems: Vec::new(),
        foreign: false,
        conditional,
        variant: None,
        key: 0,
    };
    let several = parts.len() > 1;
    for (offset, mut part) in parts {
        // With other statements, each text of this one would be a text of all of them.
        out.conditional |= several && part.raw.variant.is_some();
        out.variant = part.raw.variant.clone().filter(|_| !several);
        let moved = |range: &Range<usize>| range.start + offset..range.end + offset;
        if !out.statements.is_empty() {
            ptx.push(offset..offset, "\n", SegmentKind::Glue);
        }
        let start = ptx.text.len();
        part.ptx.map.shift_host(offset);
        ptx.append(&part.ptx);
        let statement = &mut part.statement;
        statement.span = moved(&statement.span);
        statement.keyword = moved(&statement.keyword);
        statement.ptx = start..ptx.text.len();
        statement.add_memory = statement.add_memory.take().map(|(at, text)| (at + offset, text));
        for range in statement.clobbers.iter_mut().chain(&mut statement.literals) {
            *range = moved(range);
        }
        for operand in &mut statement.operands {
            operand.span = moved(&operand.span);
            operand.constraint.span = moved(&operand.constraint.span);
            operand.expression = moved(&operand.expression);
        }
        for problem in &mut part.problems {
            problem.span = moved(&problem.span);
            for edit in problem.fixes.iter_mut().flat_map(|f| &mut f.edits) {
                edit.span = moved(&edit.span);
            }
        }
        out.conditional |= part.statement.flaws.contains(&Flaw::Directive);
        out.opaque.extend(part.opaque.iter().map(|r| r.start + start..r.end + start));
        out.statements.push(part.statement);
        out.variables.append(&mut part.variables);
        out.problems.append(&mut part.problems);
    }
    out.ptx = ptx.text;
    out.map = ptx.map;
    out.foreign = last_token(&out.ptx).is_none();
    out.seal()
}
