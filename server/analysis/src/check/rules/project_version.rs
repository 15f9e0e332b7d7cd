//! `project-version`: the module's own version has it, but the project is to do with an older one.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::lower::Source;
use crate::target::Environment;
use ptx_isa::tables::Version;
use ptx_syntax::{Node, fields};
use std::ops::Range;

const CODE: Code = Code::ProjectVersion;

/// The report on something that is used.
pub fn report(range: Range<usize>, what: &str, needs: &str, newest: Version) -> Diagnostic {
    let message = format!("`{what}` needs {needs}; the project uses PTX {newest} at most");
    Diagnostic::warning(CODE, range, message)
}

/// Checks the version that a module names.
pub fn check(source: Source<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let number = node.child_by_field_id(fields().version);
    if let (Some(number), Some(version), Some(newest)) = (number, environment.version, environment.project.version)
        && Environment::counts_as(version) > Environment::counts_as(newest)
    {
        let message = format!("PTX {version} is newer than what the project uses, which is PTX {newest} at most");
        let help = "a driver refuses a module whose `.version` is newer than what it knows";
        out.push(Diagnostic::warning(CODE, source.range(number), message).with_help(help));
    }
}
