//! Comparison of the assembler's measurements of a module's functions with the estimates.

use super::output::{AssemblerFunction, AssemblerMessage, AssemblerSeverity};
use super::run::Runner;
use super::{AssemblerFailure, AssemblerOutput, Configuration, Task, ToolInfo};
use ptx_analysis::module::{definition, is_function, items};
use ptx_analysis::target::find_architecture;
use ptx_analysis::{Analyzer, Definition, ModuleFacts, registers};
use ptx_syntax::{Snapshot, fields};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// The comparison of one function that has a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonRow {
    /// Name of the function.
    pub name: String,
    /// Range of the name in bytes.
    pub range: Range<usize>,
    /// Line of the name, from 1.
    pub line: usize,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
    /// Estimated number of registers; `None` for a function that cannot be estimated.
    pub estimate: Option<u32>,
    /// Counted bytes of static shared memory.
    pub estimated_shared: Option<u64>,
    /// The assembler's measurement; `None` if it does not mention the function.
    pub measured: Option<AssemblerFunction>,
}

impl ComparisonRow {
    /// Returns the measured minus the estimated registers: positive if the estimate is too low.
    pub fn difference(&self) -> Option<i64> {
        Some(i64::from(self.measured.as_ref()?.registers?) - i64::from(self.estimate?))
    }
}

/// The comparison of a module with the output of the assembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblerComparison {
    /// The assembler.
    pub assembler: ToolInfo,
    /// Options in addition to those that are always passed.
    pub arguments: Vec<String>,
    /// The assembler's output for the module.
    pub assembled: AssemblerOutput,
    /// The functions in the order of the text.
    pub rows: Vec<ComparisonRow>,
}

/// Returns the functions of a module with their estimates for a target. `known` are flow facts for the module's own target,
/// possibly of an earlier text. If they are not sufficient, or the target is another one, the module is analysed again. Returns
/// `None` if the work was cancelled.
pub fn estimates(
    snapshot: &Snapshot,
    known: &ModuleFacts,
    target: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<ComparisonRow>> {
    let mut rows = functions(snapshot);
    let found = estimate(snapshot, known, target, &mut rows);
    let own = ptx_ide::environment(snapshot).target.is_some_and(|t| t.name == target);
    if found < rows.len() || !own {
        let mut analyzer = Analyzer::for_one_check();
        analyzer.keep_facts();
        // An unknown target is estimated as the module's own.
        let _ = analyzer.set_target(Some(target));
        analyzer.check_with_lints(snapshot, stop)?;
        estimate(snapshot, &analyzer.facts(), target, &mut rows);
    }
    Some(rows)
}

/// Assembles a module, and compares the measurements with the estimates.
///
/// # Errors
/// If the assembler fails. A rejected module is an answer, not an error.
pub fn compare(
    assembler: &ToolInfo,
    configuration: &Configuration,
    task: Task<'_>,
    mut rows: Vec<ComparisonRow>,
    runner: &Runner,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<AssemblerComparison, AssemblerFailure> {
    let assembled = assembler.assemble(configuration, task, runner, stop)?;
    for row in &mut rows {
        row.measured = assembled.listing.functions.iter().find(|f| f.name == row.name).cloned();
    }
    Ok(AssemblerComparison {
        assembler: assembler.clone(),
        arguments: configuration.arguments.clone(),
        assembled,
        rows,
    })
}

/// Returns the function with a body whose header contains the beginning of a range.
pub fn function_headed_at(snapshot: &Snapshot, range: &Range<usize>) -> Option<String> {
    let f = fields();
    let headed = |item: &ptx_analysis::ModuleItem<'_>| {
        let body = item.node.child_by_field_id(f.body).filter(|_| is_function(item.node) && !item.unclosed);
        body.is_some_and(|body| (item.range.start..=body.start_byte()).contains(&range.start))
    };
    let item = items(snapshot).into_iter().find(headed)?;
    Some(snapshot.text(item.node.child_by_field_id(f.name)?.byte_range()).into_owned())
}

fn functions(snapshot: &Snapshot) -> Vec<ComparisonRow> {
    let row = |Definition { name, range, kernel }| ComparisonRow {
        line: snapshot.rope().byte_to_line(range.start) + 1,
        name,
        range,
        kernel,
        estimate: None,
        estimated_shared: None,
        measured: None,
    };
    items(snapshot).iter().filter_map(|item| definition(snapshot, item)).map(row).collect()
}

/// Enters the estimates; returns the number of functions that have one.
fn estimate(snapshot: &Snapshot, facts: &ModuleFacts, target: &str, rows: &mut [ComparisonRow]) -> usize {
    let report = registers::report(snapshot, facts, find_architecture(target));
    let by_place: HashMap<usize, _> = report.iter().map(|k| (k.range.start, k)).collect();
    let mut found = 0;
    for row in rows {
        if let Some(kernel) = by_place.get(&row.range.start) {
            found += 1;
            row.estimate = Some(kernel.registers);
            row.estimated_shared = Some(kernel.shared);
        }
    }
    found
}

impl AssemblerComparison {
    /// The requested rows.
    fn rows(&self, entry: Option<&str>) -> impl Iterator<Item = &ComparisonRow> {
        self.rows.iter().filter(move |r| entry.is_none_or(|name| r.name == name))
    }

    /// Returns the errors of a rejected module, without the assembler's general statement that it was rejected.
    fn errors(&self) -> Vec<&AssemblerMessage> {
        let all: Vec<&AssemblerMessage> = self.assembled.listing.errors().collect();
        let more = all.iter().any(|m| m.severity == AssemblerSeverity::Error || m.line.is_some());
        all.into_iter().filter(|m| !more || m.severity == AssemblerSeverity::Error || m.line.is_some()).collect()
    }

    fn warnings(&self) -> impl Iterator<Item = &AssemblerMessage> {
        self.assembled.listing.messages.iter().filter(|m| m.severity < AssemblerSeverity::Error)
    }

    /// Returns the comparison, or its part for one function, as JSON for programs; `markdown` is the version for people.
    pub fn json(&self, entry: Option<&str>) -> Value {
        let function = |row: &ComparisonRow| {
            let measured = row.measured.as_ref();
            json!({
                "name": row.name,
                "line": row.line,
                "kernel": row.kernel,
                "estimate": row.estimate,
                "estimated_shared": row.estimated_shared,
                "registers": measured.and_then(|m| m.registers),
                "difference": row.difference(),
                "spill_stores": measured.and_then(|m| m.spill_stores),
                "spill_loads": measured.and_then(|m| m.spill_loads),
                "stack": measured.and_then(|m| m.stack),
                "cumulative_stack": measured.and_then(|m| m.cumulative_stack),
                "shared": measured.and_then(|m| m.shared),
                "constant": measured.and_then(|m| m.constant),
                "barriers": measured.and_then(|m| m.barriers),
            })
        };
        let message = |m: &AssemblerMessage| {
            let mut message = json!({ "line": m.line, "severity": m.severity.name(), "message": m.text });
            if let Some(meaning) = ptx_ide::tool_meaning(&m.text) {
                message["meaning"] = meaning.into();
            }
            message
        };
        json!({
            "assembler": {
                "path": self.assembler.path.to_string_lossy(),
                "release": self.assembler.release,
                "version": self.assembler.version,
                "arguments": self.arguments,
            },
            "target": self.assembled.target,
            "functions": self.rows(entry).map(function).collect::<Vec<_>>(),
            "errors": self.errors().into_iter().map(message).collect::<Vec<_>>(),
            "warnings": self.warnings().map(message).collect::<Vec<_>>(),
            "notes": self.assembled.notes,
            "seconds": self.assembled.time.as_millis() as f64 / 1e3,
            "markdown": self.markdown(entry),
        })
    }

    /// Returns a table and the assembler's messages as Markdown.
    pub fn markdown(&self, entry: Option<&str>) -> String {
        let ToolInfo { version, .. } = &self.assembler;
        let mut out = format!("# Registers on {} by ptxas {version}\n\n", self.assembled.target);
        let errors = self.errors();
        // If the user turns warnings into errors, there are measurements nevertheless.
        if errors.is_empty() || self.rows(entry).any(|r| r.measured.as_ref().is_some_and(|m| m.registers.is_some())) {
            let heads =
                ["function", "line", "registers", "estimate", "off by", "spilled", "stack", "shared", "barriers"];
            let mut rows = vec![heads.map(str::to_owned)];
            rows.extend(self.rows(entry).map(cells));
            table(&rows, &mut out);
            out.push_str("\nSpilled, stack and shared are bytes; `+` is more than estimated.");
            if self.rows(entry).any(|r| !r.kernel) {
                out.push_str("\nThe registers of a function are counted with the kernels that call it.");
            }
            out.push('\n');
        }
        if !errors.is_empty() {
            out.push_str(if out.ends_with("\n\n") { "" } else { "\n" });
            out.push_str("ptxas refuses the module:\n");
        }
        for (message, kind) in
            errors.into_iter().map(|m| (m, "")).chain(self.warnings().map(|m| (m, m.severity.name())))
        {
            let line = message.line.map_or_else(String::new, |n| format!("line {n}: "));
            let kind = if kind.is_empty() { String::new() } else { format!("{kind}: ") };
            let _ = write!(out, "\n- {line}{kind}{}", message.text);
            if let Some(meaning) = ptx_ide::tool_meaning(&message.text) {
                let _ = write!(out, "\n  {meaning}");
            }
        }
        for note in &self.assembled.notes {
            let _ = write!(out, "\n- {note}");
        }
        if !self.arguments.is_empty() {
            let _ = write!(out, "\n- with `{}`", self.arguments.join(" "));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// Returns one line, for editors that show nothing longer.
    pub fn summary(&self, entry: Option<&str>) -> String {
        if let Some(first) = self.errors().first() {
            let line = first.line.map_or_else(String::new, |n| format!(" on line {n}"));
            return format!("ptxas refuses the module{line}: {}", first.text);
        }
        let one = |row: &ComparisonRow| {
            let measured = row.measured.as_ref()?;
            let mut out = format!("{}: {} registers", row.name, measured.registers?);
            if let Some(estimate) = row.estimate {
                let _ = write!(out, " (estimated {estimate})");
            }
            let spilled = measured.spill_stores.unwrap_or(0) + measured.spill_loads.unwrap_or(0);
            if spilled > 0 {
                let _ = write!(out, ", {spilled} bytes spilled");
            }
            Some(out)
        };
        let all: Vec<String> = self.rows(entry).filter_map(one).collect();
        let what = if all.is_empty() { "no kernels".to_owned() } else { all.join("; ") };
        format!("{what} – ptxas {} for {}", self.assembler.release, self.assembled.target)
    }
}

fn cells(row: &ComparisonRow) -> [String; 9] {
    let none = || "–".to_owned();
    let number = |n: Option<u64>| n.map_or_else(none, |n| n.to_string());
    let measured = row.measured.as_ref();
    let spilled = |m: &AssemblerFunction| Some(m.spill_stores? + m.spill_loads?);
    [
        format!("`{}`", row.name),
        row.line.to_string(),
        number(measured.and_then(|m| m.registers).map(u64::from)),
        number(row.estimate.map(u64::from)),
        row.difference().map_or_else(none, |d| if d == 0 { "0".to_owned() } else { format!("{d:+}") }),
        number(measured.and_then(spilled)),
        number(measured.and_then(|m| m.stack)),
        number(measured.and_then(|m| m.shared)),
        number(measured.and_then(|m| m.barriers).map(u64::from)),
    ]
}

/// Writes a table with aligned columns, so that it is readable as text too.
fn table(rows: &[[String; 9]], out: &mut String) {
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0).max(3);
    let widths: [usize; 9] = std::array::from_fn(width);
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let w = widths[column];
            let _ = if column == 0 { write!(out, "| {cell:<w$} ") } else { write!(out, "| {cell:>w$} ") };
        }
        out.push_str("|\n");
        if index == 0 {
            let _ = write!(out, "|{}", "-".repeat(widths[0] + 2));
            for w in &widths[1..] {
                let _ = write!(out, "|{}:", "-".repeat(w + 1));
            }
            out.push_str("|\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;
    use crate::output::Listing;
    use expect_test::expect;
    use std::path::PathBuf;
    use std::time::Duration;

    const MODULE: &str = "\
.version 7.8
.target sm_80
.address_size 64
.extern .func outside();
.func inner() { ret; }
.visible .entry one(.param .u64 p)
{
    .shared .b8 s[64];
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    st.shared.u64 [s], %rd1;
    ret;
}
.entry unclosed() { ret;
";

    fn compared(printed: &str) -> AssemblerComparison {
        let snapshot = ptx_syntax::Document::new(MODULE).snapshot();
        let mut rows = estimates(&snapshot, &ModuleFacts::default(), "sm_80", &|| false).unwrap();
        let listing = Listing::read(printed);
        for row in &mut rows {
            row.measured = listing.functions.iter().find(|f| f.name == row.name).cloned();
        }
        let (path, release, version) = (PathBuf::from("/ptxas"), "13.5".to_owned(), "13.5.37".to_owned());
        let (notes, time) = (vec!["measured for another".to_owned()], Duration::from_millis(20));
        let assembled = AssemblerOutput { listing, target: "sm_80".to_owned(), notes, time };
        AssemblerComparison {
            assembler: ToolInfo { tool: Tool::Ptxas, path, release, version },
            arguments: vec!["-O1".to_owned()],
            assembled,
            rows,
        }
    }

    #[test]
    fn estimates_come_without_facts() {
        let snapshot = ptx_syntax::Document::new(MODULE).snapshot();
        let rows = estimates(&snapshot, &ModuleFacts::default(), "sm_80", &|| false).unwrap();
        let found: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.line, r.kernel, r.estimated_shared)).collect();
        assert_eq!(found[..2], [("inner", 5, false, Some(0)), ("one", 6, true, Some(64))]);
        assert!(rows[1].estimate.is_some_and(|n| (1..64).contains(&n)), "{rows:?}");
        assert_eq!(estimates(&snapshot, &ModuleFacts::default(), "sm_80", &|| true), None);
    }

    #[test]
    fn headers() {
        let snapshot = ptx_syntax::Document::new(MODULE).snapshot();
        let at = |word: &str| {
            let offset = MODULE.find(word).unwrap();
            function_headed_at(&snapshot, &(offset..offset))
        };
        for (word, name) in
            [(".entry one", Some("one")), ("{\n    .shared", Some("one")), (".b64 %rd", None), ("outside", None)]
        {
            assert_eq!(at(word).as_deref(), name, "{word}");
        }
    }

    #[test]
    fn as_a_table() {
        let mut comparison = compared(
            "\
ptxas warning : something odd
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 64 bytes smem, 360 bytes cmem[0]
ptxas info    : Function properties for inner
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
",
        );
        // This test does not check the estimates.
        for row in &mut comparison.rows {
            row.estimate = Some(16);
        }
        let wanted = expect![[r#"
            # Registers on sm_80 by ptxas 13.5.37

            | function   | line | registers | estimate | off by | spilled | stack | shared | barriers |
            |------------|-----:|----------:|---------:|-------:|--------:|------:|-------:|---------:|
            | `inner`    |    5 |         – |       16 |      – |       0 |     0 |      – |        – |
            | `one`      |    6 |        14 |       16 |     -2 |      16 |     8 |     64 |        1 |
            | `unclosed` |   14 |         – |       16 |      – |       – |     – |      – |        – |

            Spilled, stack and shared are bytes; `+` is more than estimated.
            The registers of a function are counted with the kernels that call it.

            - warning: something odd
            - measured for another
            - with `-O1`
        "#]];
        wanted.assert_eq(&comparison.markdown(None));
        assert!(!comparison.markdown(Some("one")).contains("inner"));
        let wanted = expect!["one: 14 registers (estimated 16), 16 bytes spilled – ptxas 13.5 for sm_80"];
        wanted.assert_eq(&comparison.summary(None));
        let json = comparison.json(Some("one"));
        assert_eq!((&json["functions"][0]["difference"], &json["functions"][1]), (&json!(-2), &Value::Null));
        assert_eq!(json["warnings"][0], json!({ "line": null, "severity": "warning", "message": "something odd" }));
    }

    #[test]
    fn a_refused_module() {
        let comparison = compared(
            "ptxas module.ptx, line 13; error   : Unknown modifier '.u33'\nptxas fatal   : Ptx assembly aborted due to errors\n",
        );
        assert_eq!(comparison.summary(None), "ptxas refuses the module on line 13: Unknown modifier '.u33'");
        assert!(comparison.markdown(None).contains("\n- line 13: Unknown modifier '.u33'\n"));
        let json = comparison.json(None);
        let meaning = &json["errors"][0]["meaning"];
        assert!(meaning.as_str().is_some_and(|meaning| meaning.contains("misspelt")), "{meaning}");
        let error =
            json!({ "line": 13, "severity": "error", "message": "Unknown modifier '.u33'", "meaning": meaning });
        assert_eq!(json["errors"], json!([error]));
        // `-Werror`: recorded from 12.9.86.
        let comparison = compared(
            "ptxas error   : Registers are spilled to local memory in function 'one', 4 bytes spill stores, 4 bytes spill loads\n\
             ptxas info    : Compiling entry function 'one' for 'sm_80'\nptxas info    : Used 32 registers, used 0 barriers\n",
        );
        let markdown = comparison.markdown(None);
        let (table, refused) =
            (markdown.find("| `one`"), markdown.find("\n\nptxas refuses the module:\n\n- Registers are spilled"));
        assert!(table.is_some() && table < refused, "{markdown}");
        // A single message is the whole output.
        let comparison = compared("ptxas fatal   : Unsupported .version\n");
        assert_eq!(comparison.summary(None), "ptxas refuses the module: Unsupported .version");
    }

    /// The stored flow facts are those of the module's own target, and so is the limit of registers.
    #[test]
    fn another_target_is_estimated_as_such() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "ptx") {
                is_told_apart(&std::fs::read_to_string(path).unwrap());
            }
        }
        // Two CTAs of 1024 threads leave 32 registers on sm_80. A multiprocessor of sm_120 has room for one.
        let loads: String = (0..48).map(|i| format!("ld.volatile.global.u32 %r{i}, [p+{}];\n", 4 * i)).collect();
        let stores: String = (0..48).map(|i| format!("st.volatile.global.u32 [p+{}], %r{i};\n", 4 * i)).collect();
        let header = ".version 8.7\n.target sm_80\n.address_size 64\n.global .align 4 .b8 p[256];\n";
        let kernel =
            format!(".entry k()\n.maxntid 1024\n.minnctapersm 2\n{{\n.reg .b32 %r<48>;\n{loads}{stores}ret;\n}}\n");
        assert!(is_told_apart(&format!("{header}{kernel}")), "other registers on sm_120");
    }

    /// Whether the estimate for sm_120 is another one than that for the module's own target.
    fn is_told_apart(text: &str) -> bool {
        let snapshot = Snapshot::new(text);
        let facts = |target: Option<&str>| {
            let mut analyzer = Analyzer::default();
            analyzer.keep_facts();
            analyzer.set_target(target).unwrap();
            analyzer.lints(&snapshot, &|| false).unwrap();
            analyzer.facts()
        };
        let wanted = registers::report(&snapshot, &facts(Some("sm_120")), find_architecture("sm_120"));
        let target = Analyzer::default().analyze(&snapshot).environment.target;
        let own = registers::report(&snapshot, &facts(None), target);
        let rows = estimates(&snapshot, &facts(None), "sm_120", &|| false).unwrap();
        for (row, wanted) in rows.iter().zip(&wanted) {
            assert_eq!(row.estimate, Some(wanted.registers));
        }
        wanted.iter().zip(&own).any(|(wanted, own)| wanted.registers != own.registers)
    }
}
