//! The calls of Windows for which the standard library has no function.

#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::FALSE;
use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

/// The exit code of processes that [`Job::end`] ends. Nobody sees it: the server knows why it ended them.
const ENDED: u32 = 1;

/// A job object: processes that end together, at the latest with this process.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// Creates a job without processes. They end when the value is dropped.
    ///
    /// # Errors
    /// If Windows refuses.
    pub fn new() -> io::Result<Self> {
        // SAFETY: both pointers may be null: the default security, and no name. The handle is not inherited.
        let handle = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is valid, and nobody else has it.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let length = size_of_val(&limits) as u32;
        // SAFETY: the class belongs to this structure, which lives until the call returns.
        let set = unsafe {
            let limits = (&raw const limits).cast();
            SetInformationJobObject(job.0.as_raw_handle(), JobObjectExtendedLimitInformation, limits, length)
        };
        succeeded(set).map(|()| job)
    }

    /// Adds a process. What it starts from now on belongs to the job too.
    ///
    /// # Errors
    /// If Windows refuses.
    pub fn take(&self, process: &Child) -> io::Result<()> {
        // SAFETY: the owners of both handles live.
        succeeded(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    /// Ends all processes of the job.
    ///
    /// # Errors
    /// If Windows refuses.
    pub fn end(&self) -> io::Result<()> {
        // SAFETY: the owner of the handle lives.
        succeeded(unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) })
    }
}

/// The work of [`before_interruption`].
static INTERRUPTED: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Does something before Ctrl+C, the end of the console or of the user's session ends this process. To be called once: later calls change
/// nothing.
///
/// # Errors
/// If Windows refuses.
pub fn before_interruption(work: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    /// Windows calls this on a thread that it starts for it.
    extern "system" fn handle(_: u32) -> i32 {
        if let Some(work) = INTERRUPTED.get() {
            work();
        }
        // The next handler ends the process, with the usual exit code.
        FALSE
    }
    if INTERRUPTED.set(Box::new(work)).is_err() {
        return Ok(());
    }
    // SAFETY: the function lives as long as the process.
    succeeded(unsafe { SetConsoleCtrlHandler(Some(handle), 1) })
}

/// The last error of this thread, if a call returned zero.
fn succeeded(returned: i32) -> io::Result<()> {
    if returned == FALSE { Err(io::Error::last_os_error()) } else { Ok(()) }
}
