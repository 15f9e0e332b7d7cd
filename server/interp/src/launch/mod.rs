//! What to run: grid, parameters, buffers and what is expected of them.
