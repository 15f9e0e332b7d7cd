//! Machine code with its text: made from a module, and given as JSON.

use super::machine::{MachineCode, ObjectFile, Toolchain};
use super::output::{AssemblerFunction, AssemblerMessage, AssemblerSeverity};
use super::run::Runner;
use super::text::CodeText;
use super::ties::PtxFunction;
use super::{AssemblerFailure, Task, ToolInfo};
use ptx_analysis::module::{definition, items};
use ptx_analysis::registers::report;
use ptx_analysis::{Analyzer, Definition, ModuleFacts, RegisterReport};
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::time::Duration;

/// Machine code and the text that shows it.
#[derive(Debug)]
pub struct TiedCode {
    /// The machine code.
    pub code: MachineCode,
    /// The text.
    pub text: CodeText,
    /// The object file, if the numbers of live registers are still missing.
    object: Option<ObjectFile>,
}

impl TiedCode {
    /// Assembles and disassembles a module. `known` are flow facts of the module, possibly of an earlier text. Without `live` the
    /// numbers of live registers are left out.
    ///
    /// # Errors
    /// If a program fails. A rejected module is an answer, not an error.
    pub fn new(
        tools: Toolchain<'_>,
        task: Task<'_>,
        snapshot: &Snapshot,
        known: &ModuleFacts,
        live: bool,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, AssemblerFailure> {
        let reports = reports(snapshot, known, stop).ok_or(AssemblerFailure::Cancelled)?;
        let functions = PtxFunction::all(snapshot, &reports);
        let (code, object) = MachineCode::new(tools, task, functions, live, runner, stop)?;
        Ok(Self { text: CodeText::new(&code), code, object })
    }

    /// Adds the numbers of live registers; `None` if that needs the assembler again.
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn with_live(
        &self,
        limit: Duration,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, AssemblerFailure> {
        let Some(object) = &self.object else { return Ok(None) };
        let code = self.code.with_live(object, limit, runner, stop)?;
        Ok(Some(Self { text: CodeText::new(&code), code, object: None }))
    }

    /// Whether there is nothing to add: the numbers of live registers are known, or there is no code.
    pub fn is_complete(&self) -> bool {
        self.code.live || self.code.code.functions.is_empty()
    }

    /// Returns the answer as JSON for programs; with `instructions`, also a list of all instructions.
    pub fn json(&self, instructions: bool) -> Value {
        let Self { code, text, .. } = self;
        let listing = &code.assembled.listing;
        let message =
            |m: &AssemblerMessage| json!({ "line": m.line, "severity": m.severity.name(), "message": m.text });
        let (errors, warnings): (Vec<_>, Vec<_>) =
            listing.messages.iter().partition(|m| m.severity >= AssemblerSeverity::Error);
        let functions = code.code.functions.iter().zip(&text.functions).map(|(function, (first, last))| {
            let measured = listing.functions.iter().find(|f| f.name == function.name);
            let number = |get: fn(&AssemblerFunction) -> Option<u64>| measured.and_then(get);
            let ptx = code.functions.iter().find(|f| f.name == function.name);
            json!({
                "name": function.name,
                "line": ptx.map(|f| f.line),
                "kernel": ptx.map(|f| f.kernel),
                "registers": measured.and_then(|m| m.registers),
                "spill_stores": number(|m| m.spill_stores),
                "spill_loads": number(|m| m.spill_loads),
                "stack": number(|m| m.stack),
                "shared": number(|m| m.shared),
                "barriers": measured.and_then(|m| m.barriers),
                "instructions": function.instructions.len(),
                "most_live": function.peak().map(|(most, _)| most),
                "first": first,
                "last": last,
            })
        });
        let lines = code.ties.lines.iter().map(|line| {
            json!({
                "line": line.line,
                "end_line": line.end_line,
                "instructions": line.instructions,
                "fate": line.fate.name(),
                "words": line.words(),
            })
        });
        let tool = |tool: &ToolInfo| json!({ "path": tool.path.to_string_lossy(), "release": tool.release, "version": tool.version });
        let seconds = |time: Duration| time.as_millis() as f64 / 1e3;
        let mut out = json!({
            "assembler": tool(&code.assembler),
            "disassembler": tool(&code.disassembler),
            "arguments": code.arguments,
            "target": code.assembled.target,
            "live": self.is_complete(),
            "functions": functions.collect::<Vec<_>>(),
            "text": if code.code.functions.is_empty() { None } else { Some(&text.text) },
            "rows": text.rows,
            "lines": text.lines,
            "ptx": lines.collect::<Vec<_>>(),
            "errors": errors.into_iter().map(message).collect::<Vec<_>>(),
            "warnings": warnings.into_iter().map(message).collect::<Vec<_>>(),
            "notes": code.assembled.notes,
            "seconds": { "ptxas": seconds(code.assembled.time), "nvdisasm": seconds(code.disassembly) },
        });
        if instructions {
            out["instructions"] = code.code.json();
        }
        out
    }
}

/// Returns the kernel to assemble: the named one, or the one that contains a line. The assembler takes only names of kernels; for
/// other functions the whole module is assembled.
///
/// # Errors
/// The name, if the module has no such function.
pub fn kernel_of(snapshot: &Snapshot, named: Option<String>, line: Option<usize>) -> Result<Option<String>, String> {
    let items = items(snapshot);
    let mut all = items.iter().filter_map(|item| Some((item, definition(snapshot, item)?)));
    if let Some(name) = named {
        let found = all.find(|(_, Definition { name: own, .. })| *own == name);
        let (_, Definition { kernel, .. }) = found.ok_or_else(|| name.clone())?;
        return Ok(Some(name).filter(|_| kernel));
    }
    let rope = snapshot.rope();
    let Some(line) = line.map(|line| (line - 1).min(rope.len_lines().saturating_sub(1))) else { return Ok(None) };
    let (start, end) = (rope.line_to_byte(line), rope.line_to_byte((line + 1).min(rope.len_lines())));
    let around = all.find(|(item, _)| item.range.start < end.max(start + 1) && start < item.range.end);
    Ok(around.and_then(|(_, Definition { name, kernel, .. })| Some(name).filter(|_| kernel)))
}

/// Returns the reports of the functions of a module. `known` are flow facts, possibly of an earlier text; if they are not
/// sufficient, the module is analysed again. Returns `None` if the work was cancelled.
fn reports(snapshot: &Snapshot, known: &ModuleFacts, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<RegisterReport>> {
    let found = report(snapshot, known, None);
    let count = items(snapshot).iter().filter_map(|item| definition(snapshot, item)).count();
    if found.len() == count {
        return Some(found);
    }
    let mut analyzer = Analyzer::for_one_check();
    analyzer.keep_facts();
    analyzer.check_with_lints(snapshot, stop)?;
    Some(report(snapshot, &analyzer.facts(), None))
}

/// Returns one line about an answer.
pub fn summary(answer: &Value) -> String {
    if let Some(error) = answer["errors"].as_array().and_then(|e| e.first()) {
        let line = error["line"].as_u64().map_or_else(String::new, |n| format!(" on line {n}"));
        return format!("ptxas refuses the module{line}: {}", error["message"].as_str().unwrap_or_default());
    }
    let one = |function: &Value| {
        let name = function["name"].as_str().unwrap_or_default();
        let registers = function["registers"].as_u64().map_or_else(String::new, |n| format!("{n} registers, "));
        format!("{name}: {registers}{} instructions", function["instructions"])
    };
    let all: Vec<String> = answer["functions"].as_array().into_iter().flatten().map(one).collect();
    let target = answer["target"].as_str().unwrap_or_default();
    format!("{} – ptxas {} for {target}", all.join("; "), answer["assembler"]["release"].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_a_line() {
        let text = ".version 7.8\n.target sm_80\n.func f()\n{ ret; }\n.entry k()\n{\nret;\n}\n\n.entry l() { ret; }";
        let snapshot = Snapshot::new(text);
        let kernels: Vec<Option<String>> =
            (1..=11).map(|line| kernel_of(&snapshot, None, Some(line)).unwrap()).collect();
        let k = || Some("k".to_owned());
        // A function is not a kernel. Behind the text is its last line.
        let l = || Some("l".to_owned());
        assert_eq!(kernels, [None, None, None, None, k(), k(), k(), k(), None, l(), l()]);
        let named = |name: &str| kernel_of(&snapshot, Some(name.to_owned()), Some(10));
        assert_eq!((named("k"), named("f"), named("none")), (Ok(k()), Ok(None), Err("none".to_owned())));
        assert_eq!(kernel_of(&snapshot, None, None), Ok(None));
    }
}
