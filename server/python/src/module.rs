//! A module whose kernels can be launched.

use crate::check::Diagnostic;
use crate::evaluation::{self, Evaluation, WrittenLaunches};
use crate::guard::{detached, exception};
use crate::kernel::Kernel;
use crate::lines::Lines;
use ptx_launch::direct::PreparedKernel;
use ptx_launch::evaluate::{EvaluationError, LaunchModule};
use ptx_syntax::Snapshot;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A module of PTX.
#[pyclass(frozen, module = "ptx_analyzer._native")]
pub struct Module {
    module: LaunchModule,
    lines: Arc<Lines>,
}

#[pymethods]
impl Module {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        detached(py, || Self { module: LaunchModule::new(&Snapshot::new(text)), lines: Arc::new(Lines::new(text)) })
    }

    /// Returns the names of the kernels.
    fn kernels(&self) -> Vec<String> {
        self.module.kernels().map(str::to_owned).collect()
    }

    /// Prepares a kernel for launches.
    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        match detached(py, || PreparedKernel::new(self.module.clone(), name))? {
            Ok(kernel) => Ok(Kernel::new(kernel, Arc::clone(&self.lines))),
            Err(EvaluationError::Errors(errors)) => {
                let errors: Vec<Diagnostic> = errors.iter().map(|e| Diagnostic::new(e, &self.lines)).collect();
                Err(exception(py, "CheckError", (name, errors)))
            }
            Err(EvaluationError::Kernel(why)) => Err(exception(py, "LaunchError", (why,))),
            Err(EvaluationError::Launch(mistakes)) => {
                Err(exception(py, "LaunchError", (crate::kernel::mistakes(&mistakes),)))
            }
        }
    }

    /// Returns the launches that stand above the kernels, and the mistakes in their lines, each with its line.
    fn launches(&self, py: Python<'_>) -> PyResult<WrittenLaunches> {
        detached(py, || evaluation::written(&self.module, &self.lines))
    }

    /// Runs one of the launches above the kernels. Files that it names are read only inside of `folder`.
    #[pyo3(signature = (number, folder, find, without, max_steps, max_seconds))]
    #[expect(clippy::too_many_arguments, reason = "the Python part calls it with all of them")]
    fn evaluate(
        &self,
        py: Python<'_>,
        number: usize,
        folder: Option<PathBuf>,
        find: Vec<String>,
        without: Vec<String>,
        max_steps: Option<u64>,
        max_seconds: Option<f64>,
    ) -> PyResult<Evaluation> {
        evaluation::evaluate(py, &self.module, &self.lines, number, folder, &find, &without, max_steps, max_seconds)
    }
}
