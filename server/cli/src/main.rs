//! The executable; the code is in the library of this crate.

mod allocator;

fn main() -> std::process::ExitCode {
    allocator::install();
    ptx_analyzer::main()
}
