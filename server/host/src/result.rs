//! What the check of a group of statements says.

use ptx_analysis::Diagnostic;
use ptx_analysis::InlineTarget;
use std::sync::Arc;

/// The result of the check of a group.
#[derive(Debug, Clone, Default)]
pub struct GroupResult {
    /// The diagnostics, in host bytes relative to the start of the group.
    pub diagnostics: Arc<[Diagnostic]>,
    /// A target that accepts the PTX, or comes nearest to it; `None` if the group is not PTX or is compiled for no target.
    pub target: Option<InlineTarget>,
}
