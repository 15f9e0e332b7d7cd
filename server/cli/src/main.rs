//! The executable; the code is in the library of this crate.

fn main() -> std::process::ExitCode {
    ptx_analyzer::main()
}
