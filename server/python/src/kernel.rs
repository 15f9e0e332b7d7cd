//! A kernel, its parameters, and its launches.

use crate::arguments::{DescribedArgument, Memory, argument};
use crate::check::Related;
use crate::guard::{Interruption, detached, exception, guarded};
use crate::lines::Lines;
use ptx_analysis::Array;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Checks, Fault, FaultKind};
use ptx_interp::machine::Settings;
use ptx_interp::memory::ByteState;
use ptx_isa::tables::TypeClass;
use ptx_launch::direct::{DirectResult, PreparedKernel};
use ptx_launch::evaluate::EvaluationError;
use ptx_launch::limit::{self, RunLimit};
use ptx_launch::refusal::{LaunchRefusal, mistake};
use ptx_launch::report;
use ptx_launch_syntax::{Launch, LaunchMistake, NamedArgument};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// A kernel that is ready for launches.
#[pyclass(frozen, module = "ptx_analyzer._native")]
pub struct Kernel {
    kernel: PreparedKernel,
    lines: Arc<Lines>,
}

/// A parameter of a kernel, and how the kernel uses it.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Parameter {
    name: String,
    declaration: String,
    #[pyo3(name = "type")]
    ty: &'static str,
    #[pyo3(name = "class_")]
    class: &'static str,
    bytes: Option<u64>,
    aggregate: bool,
    pointer: bool,
    element: Option<&'static str>,
    loaded: Option<&'static str>,
    written: bool,
    image: bool,
    tensor_map: bool,
}

/// Something that a run found: a fault that ended it, or a race, an uninitialized value and the like.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Finding {
    kind: &'static str,
    message: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    lanes: u32,
    cta: (u32, u32, u32),
    warp: u32,
    fatal: bool,
    count: u64,
    step: u64,
    related: Option<Related>,
}

/// Ranges of bytes.
type ByteRanges = Vec<(u64, u64)>;

/// The result of a launch.
#[pyclass(frozen, get_all, module = "ptx_analyzer._native")]
#[derive(Debug, Clone)]
pub struct RunResult {
    status: &'static str,
    /// The limit that ended the run: `steps`, `effort` or `time`.
    limited_by: Option<&'static str>,
    warp_instructions: u64,
    seconds: f64,
    findings: Vec<Finding>,
    printed: Vec<u8>,
    /// For each array with marked bytes: its index, the unspecified and the approximate ones.
    marks: Vec<(usize, ByteRanges, ByteRanges)>,
    /// Variables of the module that the launch changed and that belong to no array: their bytes after it.
    variables: Vec<(String, Vec<u8>)>,
}

/// Maximum number of ranges of marked bytes of an array.
const MAX_RANGES: usize = 1 << 20;

/// Returns the time that a run may take.
///
/// # Errors
/// If that is not a number of seconds.
pub fn time_limit(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let wrong = |why| exception(py, "LaunchError", (format!("`max_seconds` is wrong: {why}"),));
    seconds.map(|seconds| limit::seconds(seconds).map_err(wrong)).transpose()
}

#[pymethods]
impl Parameter {
    fn __repr__(&self) -> String {
        format!("<Parameter {}>", self.declaration)
    }
}

#[pymethods]
impl Finding {
    fn __str__(&self) -> String {
        let Self { line, kind, message, cta: (x, y, z), warp, count, .. } = self;
        let times = if *count > 1 { format!(", {count} times") } else { String::new() };
        let lanes = ptx_launch::words::lanes(self.lanes);
        let related = self.related.as_ref().map_or_else(String::new, |r| format!(" (line {}: {})", r.line, r.message));
        format!("line {line}: {kind}: {message}: {lanes} of warp {warp} in CTA {x},{y},{z}{times}{related}")
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.__str__())
    }
}

impl Finding {
    /// Converts a fault of a run.
    pub fn new(executable: &Executable, fault: &Fault, lines: &Lines) -> Self {
        let found = report::fault(executable, fault, &|offset| lines.place(offset));
        Self {
            kind: found.kind,
            message: found.message,
            line: found.line,
            column: found.column,
            end_line: found.end_line,
            end_column: found.end_column,
            lanes: found.lanes,
            cta: found.cta.into(),
            warp: found.warp,
            fatal: found.fatal,
            count: found.count,
            step: found.step,
            related: found.related.map(|r| Related { line: r.line, column: r.column, message: r.message }),
        }
    }
}

/// The kinds of findings to look for.
///
/// # Errors
/// If a name is not that of a kind that can be turned on and off.
pub fn checks(find: &[String], without: &[String]) -> PyResult<Checks> {
    let mut checks = Checks::default();
    for (names, wanted) in [(find, true), (without, false)] {
        for name in names {
            let kind = FaultKind::optional_named(name);
            let kind =
                kind.map_err(|why| PyValueError::new_err(format!("`{name}` is not a kind of finding here: {why}")));
            checks = checks.with(kind?, wanted);
        }
    }
    Ok(checks)
}

/// Returns the names of the kinds of findings that can be turned off; those that are off by default too, if `all`.
#[pyfunction]
pub fn check_kinds(all: bool) -> Vec<&'static str> {
    FaultKind::optional().filter(|kind| all || Checks::default().has(*kind)).map(FaultKind::name).collect()
}

/// The mistakes of a launch in one text.
pub fn mistakes(all: &[LaunchMistake]) -> String {
    all.iter().map(mistake).collect::<Vec<_>>().join("; ")
}

#[pymethods]
impl Kernel {
    /// Returns the parameters in the order of the declaration.
    fn parameters(&self) -> Vec<Parameter> {
        let declared = self.kernel.function().map(|f| f.parameters.as_slice()).unwrap_or_default();
        let uses = self.kernel.uses();
        let of = |(index, parameter): (usize, &ptx_analysis::Parameter)| {
            let uses = uses.get(index).cloned().unwrap_or_default();
            Parameter {
                name: parameter.name.to_string(),
                declaration: parameter.to_string(),
                ty: parameter.ty.map_or("", |ty| ty.name()),
                class: match parameter.ty.map(|ty| ty.info().class) {
                    Some(TypeClass::Float) => "float",
                    Some(TypeClass::Sint) => "signed",
                    Some(TypeClass::Uint) => "unsigned",
                    Some(TypeClass::Opaque) => "opaque",
                    _ => "bits",
                },
                bytes: parameter.bytes(),
                aggregate: parameter.array != Array::No || parameter.elements > 1,
                pointer: uses.pointer,
                element: uses.element.map(|element| element.name()),
                loaded: uses.loaded.map(|element| element.name()),
                written: uses.written,
                image: uses.image,
                tensor_map: uses.tensor_map,
            }
        };
        declared.iter().enumerate().map(of).collect()
    }

    /// The size of an address in bytes.
    #[getter]
    fn address_bytes(&self) -> u64 {
        self.kernel.address_bytes()
    }

    /// Returns the names of the module's variables in global and constant memory.
    fn variables(&self) -> Vec<String> {
        let variables = self.kernel.module().program.variables.iter();
        let variables = variables.filter(|v| matches!(v.symbol.space, ".global" | ".const"));
        variables.map(|v| v.name.to_string()).collect()
    }

    /// Runs the kernel and writes what it changed back into the arrays of `memory`.
    #[pyo3(signature = (grid, block, cluster, shared, parameters, variables, buffers, memory, find, without, max_steps, max_seconds, max_memory))]
    #[expect(clippy::too_many_arguments, reason = "the Python part calls it with all of them")]
    fn run(
        &self,
        py: Python<'_>,
        grid: [u32; 3],
        block: Option<[u32; 3]>,
        cluster: Option<[u32; 3]>,
        shared: u32,
        parameters: Vec<DescribedArgument<'_>>,
        variables: Vec<DescribedArgument<'_>>,
        buffers: Vec<DescribedArgument<'_>>,
        memory: Vec<Memory>,
        find: Vec<String>,
        without: Vec<String>,
        max_steps: Option<u64>,
        max_seconds: Option<f64>,
        max_memory: Option<u64>,
    ) -> PyResult<RunResult> {
        guarded(|| {
            let all = |given: &[DescribedArgument<'_>]| -> PyResult<Vec<NamedArgument>> {
                given.iter().map(|one| argument(py, one, &memory)).collect()
            };
            let launch = Launch {
                entry: self.kernel.function().map(|f| f.name.clone()).unwrap_or_default(),
                grid: Some(grid),
                block,
                cluster,
                shared: Some(shared),
                parameters: all(&parameters)?,
                globals: all(&variables)?,
                buffers: all(&buffers)?,
                ..Launch::default()
            };
            let usual = Settings::default();
            let time = time_limit(py, max_seconds)?;
            let settings = Settings {
                checks: checks(&find, &without)?,
                limit: max_steps.unwrap_or(u64::MAX),
                memory: max_memory.unwrap_or(usual.memory),
                threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            };
            let read_only: Vec<Box<str>> =
                memory.iter().filter(|m| m.read_only).map(|m| m.name.as_str().into()).collect();
            let done = detached(py, || {
                let mut run = self.kernel.start(launch, &read_only, settings, time).map_err(|why| (Some(why), None))?;
                let interruption = Interruption::new();
                loop {
                    if interruption.is_raised() {
                        return Err((None, interruption.into_error()));
                    }
                    if let Some(status) = run.advance(&|| interruption.is_raised()) {
                        return match interruption.into_error() {
                            Some(error) => Err((None, Some(error))),
                            None => Ok(run.end(status)),
                        };
                    }
                }
            })?;
            match done {
                Ok(done) => self.result(py, &done, &memory),
                Err((_, Some(error))) => Err(error),
                Err((Some(EvaluationError::Launch(all)), None)) => Err(exception(py, "LaunchError", (mistakes(&all),))),
                Err((Some(why), None)) => {
                    let entry = self.kernel.function().map(|f| f.name.to_string()).unwrap_or_default();
                    Err(exception(py, "LaunchError", (LaunchRefusal::refused(why, &entry, true).message,)))
                }
                Err((None, None)) => Err(exception(py, "LaunchError", ("the interpreter of Python is shutting down",))),
            }
        })
    }
}

impl Kernel {
    /// Wraps a kernel.
    pub fn new(kernel: PreparedKernel, lines: Arc<Lines>) -> Self {
        Self { kernel, lines }
    }

    /// Writes changed bytes into the arrays, and collects the rest of the result.
    fn result(&self, py: Python<'_>, done: &DirectResult, memory: &[Memory]) -> PyResult<RunResult> {
        let machine = &done.machine;
        let (mut marks, mut variables) = (Vec::new(), Vec::new());
        for (index, placed) in done.buffers.iter().enumerate() {
            let Some(at) = memory.iter().position(|m| *m.name == *placed.name) else {
                let mut changed = false;
                done.changes(index, &mut |_, _| changed = true);
                if changed && machine.executable.variables.contains_key(&placed.name) {
                    variables.push((placed.name.to_string(), placed.snapshot(machine).bytes(0..placed.bytes)));
                }
                continue;
            };
            let mut bytes: Option<PyResult<Vec<u8>>> = None;
            if let Some(array) = memory.get(at).map(|m| &m.bytes) {
                // Other launches may have changed other bytes of the array meanwhile. The GIL is held from here to the write.
                done.changes(index, &mut |start, changed| {
                    let bytes = bytes.get_or_insert_with(|| array.to_vec(py));
                    let to = bytes.as_mut().ok().and_then(|all| all.get_mut(usize::try_from(start).ok()?..));
                    to.into_iter().flatten().zip(changed).for_each(|(to, from)| *to = *from);
                });
                if let Some(bytes) = bytes {
                    array.copy_from_slice(py, &bytes?)?;
                }
            }
            let after = placed.snapshot(machine);
            let [unspecified, approximate] = [ByteState::Unspecified, ByteState::Approximate].map(|state| {
                let (ranges, _) = after.ranges(state, MAX_RANGES);
                ranges.into_iter().map(|range| (range.start, range.end)).collect::<ByteRanges>()
            });
            if !unspecified.is_empty() || !approximate.is_empty() {
                marks.push((at, unspecified, approximate));
            }
        }
        let findings = machine.findings.faults.iter();
        Ok(RunResult {
            status: done.status.name(),
            limited_by: done.limit.map(RunLimit::name),
            warp_instructions: machine.steps,
            seconds: done.time.as_secs_f64(),
            findings: findings.map(|fault| Finding::new(&machine.executable, fault, &self.lines)).collect(),
            printed: machine.printed.clone(),
            marks,
            variables,
        })
    }
}
