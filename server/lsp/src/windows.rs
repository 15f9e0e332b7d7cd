//! The calls of Windows for which the standard library has no function.

#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{FALSE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{INFINITE, OpenProcess, PROCESS_SYNCHRONIZE, WaitForSingleObject};

/// Any process of this system.
#[derive(Debug)]
pub struct Process(OwnedHandle);

impl Process {
    /// Finds the process that has a number now.
    ///
    /// # Errors
    /// If there is none, or it is not this user's.
    pub fn find(number: u32) -> io::Result<Self> {
        // SAFETY: no pointers; any number may be asked for.
        let handle = unsafe { OpenProcess(PROCESS_SYNCHRONIZE, FALSE, number) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is valid, and nobody else has it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// Waits for its end. Returns whether that is known.
    pub fn wait(&self) -> bool {
        // SAFETY: the owner of the handle lives.
        unsafe { WaitForSingleObject(self.0.as_raw_handle(), INFINITE) == WAIT_OBJECT_0 }
    }
}
