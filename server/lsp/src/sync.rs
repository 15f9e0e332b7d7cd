//! Locks of data that threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even after a panic in another thread: all shared data is consistent between two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
