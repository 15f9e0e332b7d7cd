//! Floating-point arithmetic of all formats and roundings.
