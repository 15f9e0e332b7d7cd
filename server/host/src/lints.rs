//! What the statement of the host promises the compiler, compared with what its text does.

use crate::places::host_ranges;
use crate::problems::{fix, report};
use ptx_analysis::{Code, Diagnostic, InlineFindings};
use ptx_embed::{Access, Form, Group, SegmentKind, Statement};
use std::ops::Range;

/// Appends the diagnostics of a group, in host bytes.
pub(crate) fn find(group: &Group, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    input_written(group, findings, out);
    for index in 0..group.statements.len() {
        promises(group, index, findings, out);
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
                "the compiler takes its register to be unchanged; make it `out`, or `inout` if it is read too"
            }
            _ => "the compiler takes its register to be unchanged; make it an output: `=`, or `+` if it is read too",
        };
        let operand = group.statements.get(variable.operand.0).and_then(|s| s.operands.get(variable.operand.1));
        out.extend(report(Code::AsmInputWritten, range, message, help).map(|d| match operand {
            Some(operand) => d.related(operand.constraint.span.clone(), format!("`{name}` is declared here")),
            None => d,
        }));
    }
}

/// Side effects of which the compiler does not know.
fn promises(group: &Group, index: usize, findings: &InlineFindings, out: &mut Vec<Diagnostic>) {
    let Some(statement) = group.statements.get(index) else { return };
    let own = |ranges: &[Range<usize>]| ranges.iter().find(|r| contains(statement, r)).cloned();
    let actions = &findings.actions;
    let has_result = statement.operands.iter().any(|o| o.access != Access::Input);
    if has_result
        && !statement.volatile
        && !statement.memory_clobber
        && let Some(place) = own(&actions.side_effects)
        && let Some(range) = host(group, &place)
    {
        let message = format!(
            "`{}` does more than write its results, but {}",
            written(group, &place),
            match statement.form {
                Form::RustAsm => "the statement has the option `pure`",
                Form::PtxAsm => "the statement has the option `register_only`",
                Form::LlvmIr => "the statement is not `sideeffect`",
                _ => "the statement is not `volatile`",
            }
        );
        let help = "the compiler removes the statement where nothing uses its results";
        let found = report(Code::AsmVolatile, range, message, help);
        out.extend(found.map(|d| d.fixes(group.add_volatile(index).as_ref().map(fix))));
    }
    if statement.memory_clobber {
        return;
    }
    for (code, ranges) in [(Code::AsmFence, &actions.fences), (Code::AsmStore, &actions.stores)] {
        let Some(place) = own(ranges) else { continue };
        let Some(range) = host(group, &place) else { continue };
        let word = written(group, &place);
        let is_rust = statement.form == Form::RustAsm;
        let (message, help) = if code == Code::AsmFence {
            let message = format!("`{word}` orders accesses to memory, but the compiler does not know this");
            let help = if is_rust {
                "without `nomem` and `readonly` it moves no load or store across the statement"
            } else {
                "with the clobber `\"memory\"` it moves no load or store across the statement"
            };
            (message, help)
        } else {
            let message = format!("`{word}` writes memory, but the compiler does not know this");
            let help = if is_rust {
                "without `nomem` and `readonly` it keeps no value of memory in a register across the statement"
            } else {
                "with the clobber `\"memory\"` it keeps no value of memory in a register across the statement"
            };
            (message, help)
        };
        let found = report(code, range, message, help);
        out.extend(found.map(|d| d.fixes(group.add_memory_clobber(index).as_ref().map(fix))));
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
            format!("this {what} is outside of braces: where the statement is duplicated, the name is declared twice");
        let help = "put braces around the text; the compiler duplicates statements when it inlines or unrolls";
        out.extend(report(Code::AsmLabel, range, message, help));
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
