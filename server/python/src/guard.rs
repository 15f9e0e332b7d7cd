//! What every call from Python needs: no panic reaches Python, a long run ends with Ctrl+C, and errors are those of the package.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How often a run asks Python whether the user has interrupted it.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs `f` without the GIL. A panic becomes a `RuntimeError`.
///
/// # Errors
/// That of `f`, or of a panic.
pub fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(f)).map_err(|payload| panic_message(payload.as_ref())));
    done.map_err(|message| bug(&message))
}

/// Runs `f` with the GIL. A panic becomes a `RuntimeError`.
///
/// # Errors
/// That of `f`, or of a panic.
pub fn guarded<T>(f: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| Err(bug(&panic_message(payload.as_ref()))))
}

fn bug(message: &str) -> PyErr {
    PyRuntimeError::new_err(format!("ptx-analyzer has a bug, please report it with the PTX text: {message}"))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// Whether the user has interrupted a run that does not hold the GIL.
pub struct Interruption {
    asked: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl Interruption {
    /// Nothing has been interrupted yet.
    pub fn new() -> Self {
        Self { asked: Cell::new(Instant::now()), raised: RefCell::new(None) }
    }

    /// Whether the run must end. Asks Python now and then.
    pub fn is_raised(&self) -> bool {
        if self.raised.borrow().is_some() {
            return true;
        }
        if self.asked.get().elapsed() < POLL_INTERVAL {
            return false;
        }
        self.asked.set(Instant::now());
        // An interpreter that is shutting down runs no signal handlers; it waits for this thread.
        match Python::try_attach(|py| py.check_signals()) {
            Some(Ok(())) => false,
            Some(Err(error)) => {
                *self.raised.borrow_mut() = Some(error);
                true
            }
            None => true,
        }
    }

    /// Returns the exception that ended the run, if one did.
    pub fn into_error(self) -> Option<PyErr> {
        self.raised.into_inner()
    }
}

/// Returns an exception of the package: `ptx_analyzer.NAME(*arguments)`.
pub fn exception<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let class = py.import("ptx_analyzer._errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
