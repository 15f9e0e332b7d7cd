//! `shared-memory-limit`: more shared variables than a kernel may have.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;

const CODE: Code = Code::SharedMemoryLimit;

/// Adds up the variables that a kernel declares or names; the gaps between them and what its callees name come on top.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let Some(target) = analysis.environment.target.filter(|t| t.shared > 0 && function.kernel) else { return };
    let shared = function.variables.iter().filter(|v| v.symbol.space == ".shared" && !v.symbol.external);
    let total = shared.filter_map(|v| v.symbol.bytes).fold(0u64, u64::saturating_add);
    if total <= u64::from(target.shared) {
        return;
    }
    let range = function.name_range.start as usize..function.name_range.end as usize;
    let message = format!(
        "the shared variables of `{}` take {total} bytes; `{}` has {} for them",
        function.name, target.name, target.shared
    );
    let help =
        "the assembler makes no code for this; more can be had at launch, as `.extern .shared .align 16 .b8 name[];`";
    out.push(Diagnostic::warning(CODE, range, message).with_help(help));
}
