//! `registers`.

use crate::check::architecture;
use crate::guard::detached;
use crate::lines::Lines;
use ptx_analysis::registers::{OLDEST, left_out, number, report};
use ptx_analysis::{Analyzer, RegisterReport};
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use ptx_syntax::Snapshot;
use pyo3::prelude::*;

/// The registers of a kernel or a function, estimated for one architecture.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Registers {
    name: String,
    kernel: bool,
    line: usize,
    target: &'static str,
    registers: u32,
    low: u32,
    high: u32,
    unlimited: u32,
    limit: u32,
    max_live: u16,
    peak_line: usize,
    spill_likely: bool,
    shared: u64,
    dynamic_shared: bool,
    occupancy: Option<Occupancy>,
}

/// How many warps of a kernel run on a multiprocessor at a time.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Occupancy {
    warps_per_sm: u32,
    max_warps: u32,
    ctas_per_sm: u32,
    percent: u32,
    threads: u32,
    threads_assumed: bool,
    limited_by: &'static str,
}

/// The estimates of functions, and for each function without one its name, and why.
type Estimates = (Vec<Registers>, Vec<(String, String)>);

#[pymethods]
impl Registers {
    fn __repr__(&self) -> String {
        let Self { name, registers, low, high, target, .. } = self;
        format!("<Registers {name}: {registers} ({low} to {high}) on {target}>")
    }
}

#[pymethods]
impl Occupancy {
    fn __repr__(&self) -> String {
        let Self { warps_per_sm, max_warps, limited_by, .. } = self;
        format!("<Occupancy {warps_per_sm} of {max_warps} warps, limited by {limited_by}>")
    }
}

/// Estimates the registers of the functions of a text. Also returns for each function without an estimate its name, and why.
#[pyfunction]
pub fn registers(py: Python<'_>, text: &str, target: Option<&str>) -> PyResult<Estimates> {
    let target = architecture(target)?;
    detached(py, || estimated(text, target))
}

fn estimated(text: &str, target: Option<&'static TargetInfo>) -> Estimates {
    let snapshot = Snapshot::new(text);
    let lines = Lines::new(text);
    let mut analyzer = Analyzer::default();
    analyzer.keep_facts();
    // The tables contain the name.
    let _ = analyzer.set_target(target.map(|t| t.name));
    let checked = analyzer.analyze(&snapshot);
    analyzer.lints(&snapshot, &|| false);
    let facts = analyzer.facts();
    let is_old = |t: &&TargetInfo| number(t).is_some_and(|n| n < OLDEST);
    let own = checked.environment.target.filter(|t| !is_old(t));
    let Some(target) = own.or_else(|| ISA.target(&format!("sm_{}", OLDEST))) else {
        return (Vec::new(), Vec::new());
    };
    let functions = report(&snapshot, &facts, Some(target));
    let errors = || checked.diagnostics.iter().filter(|d| d.is_parse_error());
    let without = left_out(&snapshot, &facts).into_iter().map(|(function, range)| {
        let error = errors().find(|d| range.contains(&d.range.start));
        let why = match error {
            Some(error) => format!("line {}: {}", lines.place(error.range.start).0, error.message()),
            None => "it could not be analysed".to_owned(),
        };
        (function, why)
    });
    let without = without.collect();
    (functions.iter().map(|function| Registers::new(function, target, &lines)).collect(), without)
}

impl Registers {
    fn new(function: &RegisterReport, target: &'static TargetInfo, lines: &Lines) -> Self {
        let pressure = &function.facts.usage().pressure;
        let peak = function.facts.start(pressure.peak as usize).map_or(function.range.start, |at| function.start + at);
        let occupancy = function.occupancy.map(|o| Occupancy {
            warps_per_sm: o.warps,
            max_warps: o.most_warps,
            ctas_per_sm: o.ctas,
            percent: o.percent(),
            threads: o.threads,
            threads_assumed: o.assumed,
            limited_by: o.limited_by.name(),
        });
        Self {
            name: function.name.clone(),
            kernel: function.kernel,
            line: lines.place(function.range.start).0,
            target: target.name,
            registers: function.registers,
            low: *function.likely.start(),
            high: *function.likely.end(),
            unlimited: function.unlimited,
            limit: function.limit.registers,
            max_live: pressure.most.b32,
            peak_line: lines.place(peak).0,
            spill_likely: function.spills(),
            shared: function.shared,
            dynamic_shared: function.dynamic_shared,
            occupancy,
        }
    }
}
