//! A statement, and what surrounds it.

use crate::targets::{PtxComment, Wanted};
use std::sync::Arc;

/// A statement in its surroundings.
pub(super) struct Found {
    pub at: usize,
    /// The index of its chunk, and that of the item there.
    pub place: (usize, usize),
    /// The number of the function.
    pub function: usize,
    /// Where the function begins.
    pub function_start: Option<usize>,
    /// The index of what surrounds it.
    pub context: usize,
    /// A comment of its own about targets.
    pub comment: Option<Arc<PtxComment>>,
}

/// What surrounds statements.
pub(super) struct Context {
    pub wanted: Arc<Wanted>,
    /// The branches of conditions: the number of the condition and that of the branch.
    pub branches: Vec<(usize, usize)>,
}
