//! Barriers of a CTA.

/// Barriers of a CTA.
#[derive(Debug, Clone, Default)]
pub struct Barriers {}
