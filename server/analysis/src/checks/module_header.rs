//! `module-header`: `.version`, `.target` and `.address_size`, which open a module in this order.

use super::{did_you_mean, suggest};
use crate::ast::Word;
use crate::diagnostic::{Diagnostic, Fix};
use crate::lower::{Source, named_children};
use crate::raise;
use crate::target::{Environment, describe_needs, find_target};
use ptx_isa::ISA;
use ptx_isa::tables::Version;
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

/// The code.
pub const CODE: &str = "module-header";

/// How far into the header the module has come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    version: bool,
    target: bool,
    address_size: bool,
    /// Anything that ends the header.
    body: bool,
    reported: bool,
}

impl Progress {
    /// Any other item: version and target must have been there.
    pub fn other(&mut self, range: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.body = true;
        self.require(range.clone(), range.start, true, out);
    }

    /// The end of the file.
    pub fn end(&mut self, at: usize, out: &mut Vec<Diagnostic>) {
        self.require(at.saturating_sub(1)..at, at, true, out);
    }

    /// `place` is where what is missing may be put in.
    fn require(&mut self, range: Range<usize>, place: usize, target_too: bool, out: &mut Vec<Diagnostic>) {
        if self.reported {
            return;
        }
        if !self.version {
            self.reported = true;
            let newest = ISA.newest();
            let target = if target_too && !self.target { "\n.target sm_90" } else { "" };
            let header = format!(".version {newest}{target}\n");
            out.push(
                Diagnostic::error(CODE, range, "a module begins with `.version`")
                    .help(format!("write `.version {newest}` and `.target sm_90` first"))
                    .fix(Fix::replace(
                        format!("Begin with `{}`", header.trim().replace('\n', " ")),
                        place..place,
                        header,
                    )),
            );
        } else if target_too && !self.target {
            self.reported = true;
            out.push(
                Diagnostic::error(CODE, range, "`.target` must follow `.version`")
                    .help("write, for instance, `.target sm_90`")
                    .fix(Fix::replace("Add `.target sm_90`", place..place, ".target sm_90\n")),
            );
        }
    }

    /// `.version`.
    pub fn version(
        &mut self,
        source: Source<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        if self.version || self.body {
            return out.push(again(source, node, ".version"));
        }
        self.version = true;
        let Some(number) = node.child_by_field_id(fields().version) else {
            return out.push(Diagnostic::error(CODE, source.range(node), "`.version` needs a number such as `8.5`"));
        };
        let word = source.word(number);
        let parsed = word
            .text
            .split_once('.')
            .and_then(|(major, minor)| Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        let Some(version) = parsed else {
            let message = format!("`{}` is not a version: expected a number such as `8.5`", word.text);
            return out.push(Diagnostic::error(CODE, word.range(), message));
        };
        environment.version = Some(version);
        if ISA.versions.iter().any(|v| v.version == version) {
            return;
        }
        let newest = ISA.newest();
        if version > newest {
            // The user's assembler may know it. Nothing is gated then.
            let message = format!("PTX {version} is newer than what is known here ({newest}): what it added is not");
            out.push(Diagnostic::warning(CODE, word.range(), message));
        } else {
            out.push(Diagnostic::error(CODE, word.range(), format!("there is no PTX {version}")));
        }
    }

    /// `.target`.
    pub fn target(
        &mut self,
        source: Source<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        self.require(source.range(node), source.range(node).start, false, out);
        if self.target || self.body {
            return out.push(again(source, node, ".target"));
        }
        self.target = true;
        let names: Vec<Word<'_>> =
            named_children(node).filter(|n| n.kind_id() == kinds().target_name).map(|n| source.word(n)).collect();
        if names.is_empty() {
            return out.push(Diagnostic::error(
                CODE,
                source.range(node),
                "`.target` needs an architecture such as `sm_90`",
            ));
        }
        let mut unknown = false;
        for name in &names {
            match find_target(name.text) {
                None => {
                    unknown = true;
                    let diagnostic = Diagnostic::error(CODE, name.range(), format!("`{}` is not a target", name.text));
                    out.push(did_you_mean(diagnostic, suggest(name.text, ISA.targets.iter().map(|t| t.name))));
                }
                Some(target) if target.features.is_empty() => environment.options.push(target.name),
                Some(target) => environment.target = environment.target.or(Some(target)),
            }
        }
        if environment.target.is_none() && !unknown {
            let message = "`.target` names no architecture such as `sm_90`";
            out.push(Diagnostic::error(CODE, source.range(node), message));
        }
        // The architecture must exist in this version.
        if let Some(target) = environment.target
            && let Some(gate) = (Environment { target: None, ..environment.clone() }).refused(target.gates, |_| true)
        {
            let message = format!(
                "`{}` needs {}; this module says {}",
                target.name,
                describe_needs(gate),
                environment.version.map_or("nothing".to_owned(), |v| format!("PTX {v}"))
            );
            let mut found = Diagnostic::error(super::requires_version::CODE, names[0].range(), message);
            found.fixes.extend(raise::fix([gate], environment));
            out.push(found);
        }
    }

    /// `.address_size`.
    pub fn address_size(
        &mut self,
        source: Source<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        self.require(source.range(node), source.range(node).start, true, out);
        if self.address_size || self.body {
            return out.push(again(source, node, ".address_size"));
        }
        self.address_size = true;
        let size = node.child_by_field_id(fields().size).map(|n| source.word(n));
        match size.map(|s| s.text) {
            Some("32") => environment.address_size = 32,
            Some("64") => environment.address_size = 64,
            _ => {
                let range = size.map_or_else(|| source.range(node), |s| s.range());
                out.push(Diagnostic::error(CODE, range, "`.address_size` must be 32 or 64"));
            }
        }
    }
}

fn again(source: Source<'_>, node: Node<'_>, name: &str) -> Diagnostic {
    let message = format!("`{name}` may stand only once, at the beginning of a module");
    Diagnostic::error(CODE, source.range(node), message)
}
