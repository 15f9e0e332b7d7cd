//! Textures, surfaces and tensor maps.

/// What is bound to handles.
#[derive(Debug, Clone, Default)]
pub struct Bindings {}
