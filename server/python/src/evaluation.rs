//! Launches that are written above kernels, for the plugin of pytest.

use crate::guard::{Interruption, detached, exception};
use crate::kernel::{Finding, checks, time_limit};
use crate::lines::Lines;
use ptx_gate::words::visible_lines;
use ptx_interp::machine::Settings;
use ptx_launch::evaluate::LaunchModule;
use ptx_launch::refusal::{LaunchRefusal, mistake};
use ptx_launch_syntax::{Launch, LineText};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A launch that is written above a kernel.
#[pyclass(frozen, get_all, module = "ptx_analyzer._native")]
#[derive(Debug, Clone)]
pub struct WrittenLaunch {
    kernel: String,
    line: usize,
    text: String,
    expectations: usize,
}

/// Launches, and the mistakes in their lines, each with its line.
pub type WrittenLaunches = (Vec<WrittenLaunch>, Vec<(usize, String)>);

/// An expectation of a launch, and whether it holds.
#[pyclass(frozen, get_all, module = "ptx_analyzer._native")]
#[derive(Debug, Clone)]
pub struct Expectation {
    name: String,
    ok: bool,
    message: Option<String>,
}

/// The result of a launch that is written above a kernel.
#[pyclass(frozen, get_all, module = "ptx_analyzer._native")]
#[derive(Debug, Clone)]
pub struct Evaluation {
    passed: bool,
    status: &'static str,
    warp_instructions: u64,
    seconds: f64,
    expectations: Vec<Expectation>,
    unexpected: Vec<Finding>,
    printed: String,
}

/// The lines of a launch without expectations.
fn text(launch: &Launch) -> String {
    let lines: Vec<String> = launch.definition().iter().map(LineText::to_string).collect();
    visible_lines(&lines.join("\n")).into_owned()
}

/// Returns the launches above the kernels, and the mistakes in their lines, each with its line.
pub fn written(module: &LaunchModule, lines: &Lines) -> WrittenLaunches {
    let (launches, mistakes) = module.launches();
    let launches = launches.iter().map(|launch| WrittenLaunch {
        kernel: launch.entry.to_string(),
        line: lines.place(launch.range.start).0,
        text: text(launch),
        expectations: launch.expectations.len(),
    });
    let mistakes = mistakes.iter().map(|m| (lines.place(m.range.start).0, mistake(m)));
    (launches.collect(), mistakes.collect())
}

/// Runs the launch with this number.
///
/// # Errors
/// If there is no such launch, it cannot be run, or the user interrupts it.
#[expect(clippy::too_many_arguments, reason = "those of Python's method, and the module")]
pub fn evaluate(
    py: Python<'_>,
    module: &LaunchModule,
    lines: &Lines,
    number: usize,
    folder: Option<PathBuf>,
    find: &[String],
    without: &[String],
    max_steps: Option<u64>,
    max_seconds: Option<f64>,
) -> PyResult<Evaluation> {
    let usual = Settings::default();
    let time = time_limit(py, max_seconds)?;
    let settings = Settings { checks: checks(find, without)?, limit: max_steps.unwrap_or(usual.limit), ..usual };
    let done = detached(py, || {
        let (launches, _) = module.launches();
        let Some(launch) = launches.into_iter().nth(number) else {
            return Err((format!("there is no launch {number}"), None));
        };
        let entry = launch.entry.clone();
        let interruption = Interruption::new();
        let done = module.evaluate(launch, settings, time, folder.as_deref(), &|| interruption.is_raised());
        if let Some(error) = interruption.into_error() {
            return Err((String::new(), Some(error)));
        }
        let done = done.map_err(|why| {
            let refusal = LaunchRefusal::refused(why, &entry, true);
            let first = refusal.places.first().filter(|(range, _)| !range.is_empty());
            let at = first.map_or_else(String::new, |(range, _)| format!("line {}: ", lines.place(range.start).0));
            (format!("{at}{}", refusal.message), None)
        })?;
        let expectations = done.verdicts.iter().map(|verdict| Expectation {
            name: verdict.name.clone(),
            ok: verdict.ok,
            message: verdict.message.clone(),
        });
        let machine = &done.run.machine;
        let finding = |fault| Finding::new(&machine.executable, fault, lines);
        Ok(Evaluation {
            passed: done.passed(),
            status: done.run.status.name(),
            warp_instructions: machine.steps,
            seconds: done.time.as_secs_f64(),
            expectations: expectations.collect(),
            unexpected: done.unexpected().into_iter().map(finding).collect(),
            printed: String::from_utf8_lossy(&machine.printed).into_owned(),
        })
    })?;
    done.map_err(|(message, error)| error.unwrap_or_else(|| exception(py, "LaunchError", (message,))))
}
