//! The memory allocator of the program, for Rust and for the parser's C code.
//!
//! A parse allocates a million small nodes, on several threads at once. `check` of a large file takes a tenth less time
//! with mimalloc than with the C library's allocator.
#![allow(unsafe_code)]

use libmimalloc_sys::{mi_free, mi_malloc, mi_realloc, mi_zalloc};
use mimalloc::MiMalloc;
use std::ffi::c_void;
use tree_sitter::Allocator;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

unsafe extern "C" {
    /// Collects what other threads have freed of the current thread's memory, and gives free memory back to the system; with `force` also
    /// what would soon be used again. The declaration is that of mimalloc.h; the crate has it only together with a hundred others.
    safe fn mi_collect(force: bool);
}

/// Makes tree-sitter use it too, and lets the server give memory back. Call it before the first parse.
pub fn install() {
    ptx_lsp::release_memory_by(|| mi_collect(true));
    let allocator = Allocator { malloc, calloc, realloc, free: mi_free };
    // SAFETY: the four functions belong together and never return null. No other thread runs yet, and no tree exists that the
    // allocator before would have to free.
    unsafe { tree_sitter::set_allocator(Some(allocator)) }
}

/// Ends the program if there is no memory left, as tree-sitter's own allocator does.
fn or_abort(allocated: *mut c_void, size: usize) -> *mut c_void {
    if allocated.is_null() && size > 0 {
        std::process::abort();
    }
    allocated
}

extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: any size is allowed.
    or_abort(unsafe { mi_malloc(size) }, size)
}

extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // A size that overflows cannot be had, so it ends the program.
    let size = count.saturating_mul(size);
    // SAFETY: any size is allowed.
    or_abort(unsafe { mi_zalloc(size) }, size)
}

/// # Safety
/// As for C's `realloc`: `old` is null or comes from one of these functions, and is not used afterwards.
unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the caller's.
    or_abort(unsafe { mi_realloc(old, size) }, size)
}
