//! Executes instructions on the whole machine. Checks that operands, types and modifiers reach the functions of `values`, which have
//! tests of their own.

mod integers;
