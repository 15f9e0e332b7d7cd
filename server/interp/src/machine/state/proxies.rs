//! Writes to global memory that a proxy may not see.

use crate::findings::InstructionSite;
use std::collections::HashMap;
use std::sync::Arc;

/// Writes to global memory that other proxies may not see.
#[derive(Debug, Clone, Default)]
pub struct HiddenWrites {
    /// By granule: the instruction that wrote to it since the last fence for the copy engine.
    pub(in crate::machine) granules: Arc<HashMap<u64, InstructionSite>>,
    /// By address: the instruction that wrote a tensor map since the last fence that acquires it.
    pub(in crate::machine) maps: Arc<HashMap<u64, InstructionSite>>,
}
