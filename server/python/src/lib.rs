//! The compiled module of the Python package `ptx-analyzer`: `ptx_analyzer._native`.
//!
//! Its classes and functions take and return plain Python objects. `ptx_analyzer/*.py` turns arrays into buffers of bytes, and
//! says what does not fit.

mod arguments;
mod check;
mod evaluation;
mod guard;
mod kernel;
mod lines;
mod module;
mod registers;

use pyo3::prelude::*;

/// The compiled part of `ptx_analyzer`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(check::explain, module)?)?;
    module.add_function(wrap_pyfunction!(check::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(check::quoted, module)?)?;
    module.add_function(wrap_pyfunction!(registers::registers, module)?)?;
    module.add_function(wrap_pyfunction!(kernel::check_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(arguments::address_of, module)?)?;
    module.add_function(wrap_pyfunction!(arguments::capsule_name, module)?)?;
    module.add_class::<check::Diagnostic>()?;
    module.add_class::<check::Related>()?;
    module.add_class::<check::Fix>()?;
    module.add_class::<check::Edit>()?;
    module.add_class::<registers::Registers>()?;
    module.add_class::<registers::Occupancy>()?;
    module.add_class::<module::Module>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<kernel::Parameter>()?;
    module.add_class::<kernel::RunResult>()?;
    module.add_class::<kernel::Finding>()?;
    module.add_class::<evaluation::WrittenLaunch>()?;
    module.add_class::<evaluation::Evaluation>()?;
    module.add_class::<evaluation::Expectation>()
}
