//! Matrices: products as tensor cores compute them, fragments, sparsity, block scales, descriptors in shared memory.
