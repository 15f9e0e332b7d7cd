//! Video instructions: scalar and SIMD.
