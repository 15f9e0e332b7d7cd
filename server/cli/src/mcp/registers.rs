//! The tool `registers`: a line for each function.

use super::arguments::ToolArguments;
use super::call::{CallContext, cancelled};
use super::cut::{self, MAX_ANSWER};
use super::input::{self, InputText};
use crate::regs::{self, RegsEstimate, RegsFile};
use ptx_analysis::RegisterReport;
use ptx_gate::words::visible;
use ptx_mcp::ToolAnswer;
use serde_json::{Value, json};
use std::fmt::Write;

/// Maximum number of characters of a name that is shown.
const MAX_NAME: usize = 120;

/// Answers a call.
///
/// # Errors
/// If nothing can be estimated: the reason.
pub fn answer(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<ToolAnswer, String> {
    let (target, json) = (input::target(arguments)?, arguments.flag("json")?);
    let input = InputText::of_ptx(arguments, context)?;
    let estimate = regs::estimate_all(&input.text, target, 1, context.cancelled);
    if (context.cancelled)() {
        return Err(cancelled());
    }
    let (RegsEstimate { target, named, kernels, left_out }, snapshot) = estimate?;
    let name = visible(&input.name);
    let file = RegsFile { name: &name, snapshot: &snapshot, target, named, kernels: &kernels };
    let mut out = format!("{}{name} for {}", input.remark(), target.name);
    match named {
        Some(named) if named.name == target.name => {}
        Some(named) => out.push_str(&format!(", the oldest target with an estimate; the text says {}", named.name)),
        None => out.push_str(", because the text names no target"),
    }
    out.push('\n');
    kernels.iter().for_each(|kernel| function(&file, kernel, &mut out));
    for (at, why) in &left_out {
        let _ = writeln!(out, "line {}: {}", file.line(*at), cut::one_line(why, 300));
    }
    if kernels.is_empty() && left_out.is_empty() {
        out.push_str("it has no function with a body\n");
    }
    let mut answer = ToolAnswer::new(cut::lines(&out, MAX_ANSWER, "pass fewer kernels"));
    if json {
        let objects: Vec<Value> =
            kernels.iter().filter_map(|kernel| serde_json::to_value(regs::json::object(&file, kernel)).ok()).collect();
        answer.structured = cut::structured(json!({ "functions": objects }));
    }
    Ok(answer)
}

/// `saxpy (line 14): 12 registers (10–14); at most 9 live, at line 30; 64 of 64 warps (100 %), limited by threads`.
fn function(file: &RegsFile<'_>, kernel: &RegisterReport, out: &mut String) {
    let name = ptx_ide::demangle(&kernel.name).map_or_else(|| kernel.name.to_string(), |d| d.short);
    let kind = if kernel.kernel { "" } else { ".func " };
    let most = kernel.facts.usage().pressure.most;
    let range = kernel.likely_text();
    let _ = write!(
        out,
        "{kind}{} (line {}): {}{range} registers; at most {} live, at line {}",
        cut::one_line(&name, MAX_NAME),
        file.line(kernel.range.start),
        kernel.registers,
        most.b32,
        file.peak(kernel)
    );
    let shared =
        [(kernel.shared > 0).then(|| regs::bytes(kernel.shared)), kernel.dynamic_shared.then(|| "dynamic".to_owned())];
    let shared: Vec<String> = shared.into_iter().flatten().collect();
    if !shared.is_empty() {
        let _ = write!(out, "; {} shared memory", shared.join(" and "));
    }
    if let Some(occupancy) = &kernel.occupancy {
        let threads =
            if occupancy.assumed { format!(", if a CTA has {} threads", occupancy.threads) } else { String::new() };
        let (warps, all) = (occupancy.warps, occupancy.most_warps);
        let _ = write!(
            out,
            "; {warps} of {all} warps ({} %), limited by {}{threads}",
            occupancy.percent(),
            occupancy.limited_by.name()
        );
    }
    out.push('\n');
    for note in regs::notes(file, kernel) {
        let _ = writeln!(out, "  {note}");
    }
}
