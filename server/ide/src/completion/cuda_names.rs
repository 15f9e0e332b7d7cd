//! The names of CUDA C++ that have a PTX equivalent.

use ptx_isa::CUDA;
use ptx_isa::tables::Cuda;
use std::ops::Range;

/// The CUDA C++ names that begin with `word`, ignoring case.
pub fn begun(word: &str) -> impl Iterator<Item = &'static Cuda> {
    CUDA.iter().filter(move |c| c.name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

/// Whether `text[range]` contains a dot and is the beginning of a CUDA C++ name, such as `threadIdx.`.
pub fn is_begun(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|word| word.contains('.') && begun(word).next().is_some())
}
