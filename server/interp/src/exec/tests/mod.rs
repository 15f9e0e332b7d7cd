//! Instructions through the whole machine: that operands, types and modifiers reach the functions of `values`, which have tests of their own.

mod integers;
