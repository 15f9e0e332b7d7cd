//! `project-target`: the module's own target has it, but not every architecture that the project is for.

use super::requires_version;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::lower::{Source, named_children};
use crate::target::project::Lacking;
use crate::target::{Environment, describe_needs, find_architecture};
use ptx_isa::tables::{Gate, GateKind, Target};
use ptx_syntax::{Node, kinds};
use std::ops::Range;

const CODE: Code = Code::ProjectTarget;

/// The report, under this code or that of `project-version`, whichever the project lacks.
pub fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Option<Diagnostic> {
    let needs = describe_needs(gate);
    Some(match environment.project.lacking(gate, environment)? {
        Lacking::Targets(names) if gate.kind == GateKind::Until => {
            let message =
                format!("`{what}` is no longer there from {needs} on; the project is for {} too", names.join(", "));
            Diagnostic::warning(CODE, range, message)
        }
        Lacking::Targets(names) => {
            let message = format!("`{what}` needs {needs}; the project is for {} too", names.join(", "));
            Diagnostic::warning(CODE, range, message)
        }
        Lacking::Version(newest) => super::project_version::report(range, what, &needs, newest),
    })
}

/// Checks the architecture that a module names, and replaces it by the one that was asked for, if any.
pub fn check(
    source: Source<'_>,
    node: Node<'_>,
    asked: Option<&'static Target>,
    environment: &mut Environment,
    out: &mut Vec<Diagnostic>,
) {
    let architecture =
        |n: &Node<'_>| n.kind_id() == kinds().target_name && find_architecture(source.word(*n).text).is_some();
    let name = named_children(node).find(architecture);
    let range = source.range(name.unwrap_or(node));
    if let Some(asked) = asked.filter(|a| Some(*a) != environment.target) {
        (environment.target, environment.asked) = (Some(asked), true);
        let version = Environment { target: None, ..environment.clone() };
        if let Some(gate) = version.refused(asked.gates, |_| true) {
            out.push(requires_version::checked_target(range.clone(), asked.name, gate, environment));
        }
    }
    let Some(target) = environment.target.filter(|_| !environment.asked) else { return };
    let without = environment.project.without(target);
    if !without.is_empty() {
        out.push(module(range, target, &without));
    }
}

/// The report on the target that a module names.
fn module(range: Range<usize>, target: &Target, without: &[&str]) -> Diagnostic {
    let message =
        format!("a module for `{}` does not run on {}, which the project is for", target.name, without.join(", "));
    let help = if target.name.ends_with(['a', 'f']) {
        "a target that ends in `a` is for that architecture alone, one that ends in `f` for its family"
    } else {
        "code for a target runs on that architecture and on later ones"
    };
    Diagnostic::warning(CODE, range, message).with_help(help)
}
