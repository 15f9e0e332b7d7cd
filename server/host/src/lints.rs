//! What the statement of the host promises the compiler, compared with what its text does.

use crate::places::host_ranges;
use crate::problems::{fix, report};
use ptx_analysis::{AsmCode, Diagnostic, Fix, FixEdit, InlineFindings, Severity};
use ptx_embed::{Access, Form, Group, Operand, SegmentKind, Statement, Variable};
use std::ops::Range;

/// Appends the diagnostics of a group, in host bytes.
pub(crate) fn find(group: &Group, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    input_written(group, findings, out);
    undefined_outputs(group, findings, out);
    for index in 0..group.statements.len() {
        promises(group, index, findings, out);
        carries(group, index, findings, out);
    }
    loose(group, findings, out);
}

fn host(group: &Group, ptx: &Range<usize>) -> Option<Range<usize>> {
    host_ranges(&group.map, ptx).map(|(range, _)| range)
}

/// Inputs that are written. Each is reported where it is written first.
fn input_written(group: &Group, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    for variable in group.variables.iter().filter(|v| v.access == Access::Input) {
        let Some((_, place)) = findings.actions.written.iter().find(|(name, _)| **name == variable.name) else {
            continue;
        };
        let Some(range) = host(group, place) else { continue };
        let name = &variable.spelling;
        let message = format!("`{name}` is an input, but this instruction writes it");
        let form = group.statements.get(variable.operand.0).map(|s| s.form);
        let help = match form {
            Some(Form::RustAsm | Form::PtxAsm) => {
                "the compiler assumes that its register is unchanged; make it `out`, or `inout` if it is read too"
            }
            _ => {
                "the compiler assumes that its register is unchanged; make it an output: `=`, or `+` if it is read too"
            }
        };
        let operand = group.statements.get(variable.operand.0).and_then(|s| s.operands.get(variable.operand.1));
        let diagnostic = report(AsmCode::InputWritten, range, message, help);
        out.push(match operand {
            Some(operand) => diagnostic.related(operand.constraint.span.clone(), format!("`{name}` is declared here")),
            None => diagnostic,
        });
    }
}

/// Outputs that the text reads before it writes them, or does not write on every path.
fn undefined_outputs(group: &Group, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    for output in &findings.undefined_outputs {
        let Some(variable) = group.variables.iter().find(|v| *v.name == *output.name) else { continue };
        let Some(statement) = group.statements.get(variable.operand.0) else { continue };
        let Some(operand) = statement.operands.get(variable.operand.1) else { continue };
        let name = &variable.spelling;
        let (as_both, fix) = read_and_written(statement.form, operand);
        let declared = operand.constraint.span.clone();
        let report = match &output.read {
            Some(read) => {
                let Some(range) = host(group, read) else { continue };
                let message = if output.always {
                    format!(
                        "`{name}` is read here, but it is only an output: it holds no value before the text writes it"
                    )
                } else {
                    format!(
                        "`{name}` is read here, but it is only an output, and some paths have not written it before"
                    )
                };
                let help = format!("{as_both} if the text begins with the value of the variable");
                report(AsmCode::OutputRead, range, message, &help)
                    .related(declared, format!("`{name}` is declared here"))
            }
            None => {
                let message = format!("`{name}` is an output, but some paths through the text do not write it");
                let help = format!("write it on every path, or {as_both}, so that it keeps its value there");
                // Another output may tell whether this one holds a value.
                let tells = |index: usize| {
                    let access = statement.operands.get(index).map(|o| o.access);
                    let is_undefined = |v: &Variable| findings.undefined_outputs.iter().any(|o| *o.name == *v.name);
                    let mut variables = group.variables.iter().filter(|v| v.operand == (variable.operand.0, index));
                    access.is_some_and(|a| a != Access::Input) && !variables.any(is_undefined)
                };
                let severity =
                    if (0..statement.operands.len()).any(tells) { Severity::Hint } else { Severity::Warning };
                report(AsmCode::OutputUnwritten, declared, message, &help).severity(severity)
            }
        };
        out.push(report.fixes(fix));
    }
}

/// How the host says that an operand is read and written, and the fix that writes it where a mark is enough.
fn read_and_written(form: Form, operand: &Operand) -> (String, Option<Fix>) {
    let constraint = &operand.constraint;
    match form {
        Form::Asm => {
            let new = constraint.text.replacen('=', "+", 1);
            let place = constraint.span.start..constraint.span.start + 1;
            let fix = constraint
                .text
                .starts_with('=')
                .then(|| Fix::new(format!("Write `{new}`"), vec![FixEdit::Replace(place, "+".to_owned())]));
            (format!("write `\"{new}\"`"), fix)
        }
        Form::RustAsm | Form::PtxAsm => ("make it `inout`".to_owned(), None),
        Form::InlinePtx => ("write `$rw` for `$w`".to_owned(), None),
        _ => ("tie an input to it with its index as the constraint".to_owned(), None),
    }
}

/// Carries that another statement would have to set or to use: the compiler may put other code between two statements.
fn carries(group: &Group, index: usize, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    let Some(statement) = group.statements.get(index) else { return };
    let carries: Vec<_> = findings.actions.carries.iter().filter(|c| contains(statement, &c.range)).collect();
    let first = carries.first().filter(|c| c.reads).map(|c| {
        let word = written(group, &c.range);
        (c, format!("`{word}` reads a carry that no instruction of this statement sets"))
    });
    let last = carries.last().filter(|c| c.sets).map(|c| {
        let word = written(group, &c.range);
        (c, format!("the carry of `{word}` is lost: no instruction after it in this statement reads it"))
    });
    // One of the two says it all.
    let Some((carry, message)) = first.or(last) else { return };
    let Some(range) = host(group, &carry.range) else { return };
    let help = "nothing keeps the carry between two statements: write the chain in one statement";
    let severity = if is_kept(statement) { Severity::Hint } else { Severity::Warning };
    out.push(report(AsmCode::Carry, range, message, help).severity(severity));
}

/// Whether the compiler keeps the statement, and its order among those like it: it is `volatile`, or it has no result.
fn is_kept(statement: &Statement) -> bool {
    statement.volatile || !statement.operands.iter().any(|o| o.access != Access::Input)
}

/// What an instruction does of which the compiler does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnknownEffect {
    /// It does more than write its results.
    Action,
    /// It reads a clock or a counter.
    Clock,
    /// It must read memory each time.
    StrongLoad,
    /// It reads memory.
    Load,
}

impl UnknownEffect {
    fn describe(self) -> &'static str {
        match self {
            Self::Action => "does more than write its results",
            Self::Clock => "gives another value each time",
            Self::StrongLoad => "must read memory each time",
            Self::Load => "reads memory",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Action => "the compiler removes the statement where nothing uses its results",
            Self::Clock => {
                "the compiler may use one of two equal statements for both, and move a statement: it then measures something else"
            }
            Self::StrongLoad => {
                "the compiler may read once for two equal statements, or before a loop that waits for another value"
            }
            Self::Load => {
                "the compiler may read once for two equal statements; write `volatile` unless nothing writes the memory"
            }
        }
    }
}

/// That a statement lacks the mark by which the compiler keeps it.
fn without_volatile(form: Form) -> &'static str {
    match form {
        Form::RustAsm => "the statement has the option `pure`",
        Form::PtxAsm => "the statement has the option `register_only`",
        Form::LlvmIr => "the statement is not `sideeffect`",
        _ => "the statement is not `volatile`",
    }
}

/// Side effects of which the compiler does not know.
fn promises(group: &Group, index: usize, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    let Some(statement) = group.statements.get(index) else { return };
    let own = |ranges: &[Range<usize>]| ranges.iter().find(|r| contains(statement, r)).cloned();
    let actions = &findings.actions;
    let has_result = statement.operands.iter().any(|o| o.access != Access::Input);
    if has_result && !statement.volatile && !statement.memory_clobber {
        let kinds = [
            (UnknownEffect::Action, &actions.side_effects),
            (UnknownEffect::Clock, &actions.clocks),
            (UnknownEffect::StrongLoad, &actions.strong_loads),
            (UnknownEffect::Load, &actions.loads),
        ];
        // One effect says it all.
        let first = kinds.into_iter().find_map(|(effect, ranges)| Some((effect, own(ranges)?)));
        if let Some((effect, place)) = first
            && let Some(range) = host(group, &place)
        {
            let word = written(group, &place);
            let message = format!("`{word}` {}, but {}", effect.describe(), without_volatile(statement.form));
            let found = report(AsmCode::Volatile, range, message, effect.advice());
            let severity = if effect == UnknownEffect::Load { Severity::Hint } else { found.severity };
            out.push(found.severity(severity).fixes(group.add_volatile(index).as_ref().map(fix)));
        }
    }
    if statement.memory_clobber {
        return;
    }
    for (code, ranges) in [(AsmCode::Fence, &actions.fences), (AsmCode::Store, &actions.stores)] {
        let Some(place) = own(ranges) else { continue };
        let Some(range) = host(group, &place) else { continue };
        let word = written(group, &place);
        let is_rust = statement.form == Form::RustAsm;
        let clobber = match statement.form {
            Form::Asm => "the clobber `\"memory\"`",
            Form::PtxAsm => "the clobber `memory`",
            _ => "the clobber `~{memory}`",
        };
        let (message, help) = match (code, is_rust) {
            (AsmCode::Fence, true) => (
                format!("`{word}` orders accesses to memory, but `nomem` or `readonly` denies it"),
                "remove the option: it lets the compiler move loads and stores across the statement".to_owned(),
            ),
            (AsmCode::Fence, false) => (
                format!("`{word}` orders accesses to memory, but the statement has no memory clobber"),
                match statement.form {
                    _ if !is_kept(statement) => {
                        format!("add {clobber}: without it the compiler may move loads and stores across the statement")
                    }
                    Form::Asm | Form::PtxAsm => format!(
                        "CUDA's guide to inline PTX asks for {clobber} here; `volatile` alone does not promise an order"
                    ),
                    _ => format!("add {clobber}: side effects alone do not promise an order of loads and stores"),
                },
            ),
            (_, true) => (
                format!("`{word}` writes memory, but the compiler does not know this"),
                "without `nomem` and `readonly` it keeps no memory value in a register across the statement".to_owned(),
            ),
            (_, false) => (
                format!("`{word}` writes memory, but the compiler does not know this"),
                format!("with {clobber} it keeps no memory value in a register across the statement"),
            ),
        };
        let quiet = code == AsmCode::Fence && is_kept(statement) && !is_rust;
        let found = report(code, range, message, &help);
        let severity = if quiet { Severity::Hint } else { found.severity };
        out.push(found.severity(severity).fixes(group.add_memory_clobber(index).as_ref().map(fix)));
    }
}

/// Names that are declared again where the compiler duplicates the statement.
fn loose(group: &Group, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    // Statements that share names cannot have braces of their own.
    if group.statements.len() > 1 {
        return;
    }
    let all =
        findings.labels.iter().map(|r| (r, "label")).chain(findings.declarations.iter().map(|r| (r, "declaration")));
    if let Some((place, what)) =
        all.filter(|(place, _)| !is_numbered(group, place)).min_by_key(|(place, _)| place.start)
        && let Some(range) = host(group, place)
    {
        let message =
            format!("this {what} is outside braces: if the statement is duplicated, the name is declared twice");
        let help = "put the text in braces; the compiler duplicates statements when it inlines or unrolls";
        out.push(report(AsmCode::LooseLabel, range, message, help));
    }
}

/// Whether the compiler writes another name for each copy of the statement: the name contains `%=`.
fn is_numbered(group: &Group, ptx: &Range<usize>) -> bool {
    group.map.segments().iter().any(|segment| {
        let number =
            group.ptx.get(segment.ptx.clone()).is_some_and(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()));
        let touches = segment.ptx.start < ptx.end && ptx.start < segment.ptx.end;
        segment.kind == SegmentKind::Escape && number && touches
    })
}

fn contains(statement: &Statement, ptx: &Range<usize>) -> bool {
    statement.ptx.start <= ptx.start && ptx.end <= statement.ptx.end
}

/// The text of a range of PTX, for a message.
fn written<'g>(group: &'g Group, ptx: &Range<usize>) -> &'g str {
    group.ptx.get(ptx.clone()).unwrap_or("")
}
