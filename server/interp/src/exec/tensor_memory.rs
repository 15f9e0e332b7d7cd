//! Tensor memory of a CTA.

/// Tensor memory of a CTA.
#[derive(Debug, Clone, Default)]
pub struct TensorMemory {}
