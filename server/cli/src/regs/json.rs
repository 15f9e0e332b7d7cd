//! Register reports as JSON, one object per line.

use super::RegsFile;
use ptx_analysis::RegisterReport;
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RegsJsonLine<'a> {
    file: &'a str,
    entry: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<String>,
    line: usize,
    target: &'a str,
    kind: &'static str,
    registers: u32,
    max_live: MaxLive,
    occupancy: Option<OccupancyLine>,
    unlimited: u32,
    limit: LimitLine,
    spill_likely: bool,
    shared: u64,
    dynamic_shared: bool,
    likely: LikelyRange,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LikelyRange {
    low: u32,
    high: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MaxLive {
    b32: u16,
    pred: u16,
    peak_line: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LimitLine {
    registers: u32,
    line: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OccupancyLine {
    warps_per_sm: u32,
    percent: u32,
    limited_by: &'static str,
    most_warps: u32,
    ctas_per_sm: u32,
    threads: u32,
    threads_assumed: bool,
    fewer: Option<Fewer>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fewer {
    registers: u32,
    warps: u32,
}

/// The functions of a file, each followed by a line break.
pub(super) fn render(file: &RegsFile<'_>) -> String {
    let mut out = String::new();
    for kernel in file.kernels {
        match serde_json::to_string(&object(file, kernel)) {
            Ok(line) => out.extend([line.as_str(), "\n"]),
            Err(error) => tracing::error!("{}: a function cannot be written as JSON: {error}", file.name),
        }
    }
    out
}

/// A function as an object.
pub fn object<'a>(file: &RegsFile<'a>, kernel: &'a RegisterReport) -> impl Serialize + use<'a> {
    let most = kernel.facts.usage().pressure.most;
    let occupancy = kernel.occupancy.map(|o| OccupancyLine {
        warps_per_sm: o.warps,
        percent: o.percent(),
        limited_by: o.limited_by.name(),
        most_warps: o.most_warps,
        ctas_per_sm: o.ctas,
        threads: o.threads,
        threads_assumed: o.assumed,
        fewer: o.fewer.map(|(registers, warps)| Fewer { registers, warps }),
    });
    let limit = &kernel.limit;
    RegsJsonLine {
        file: file.name,
        entry: &kernel.name,
        demangled: ptx_ide::demangle(&kernel.name).map(|d| d.full),
        line: file.line(kernel.range.start),
        target: file.target.name,
        kind: if kernel.kernel { "entry" } else { "func" },
        registers: kernel.registers,
        max_live: MaxLive { b32: most.b32, pred: most.predicates, peak_line: file.peak(kernel) },
        occupancy,
        unlimited: kernel.unlimited,
        limit: LimitLine { registers: limit.registers, line: limit.directive.as_ref().map(|d| file.line(d.start)) },
        spill_likely: kernel.spills(),
        shared: kernel.shared,
        dynamic_shared: kernel.dynamic_shared,
        likely: LikelyRange { low: *kernel.likely.start(), high: *kernel.likely.end() },
    }
}
