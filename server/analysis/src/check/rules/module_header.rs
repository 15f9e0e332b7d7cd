//! `module-header`: `.version`, `.target` and `.address_size`, which open a module in this order.

use super::{did_you_mean, missing_directive, redundant_directive, requires_version, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::check::directives;
use crate::hir::ast::Word;
use crate::hir::literal;
use crate::hir::lower::{Source, named_children};
use crate::target::{Environment, find_target};
use ptx_isa::ISA;
use ptx_isa::tables::{Target, Version};
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

const CODE: Code = Code::ModuleHeader;

/// How far into the header the module has come.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Progress {
    version: bool,
    target: bool,
    address_size: bool,
    /// Anything that ends the header.
    body: bool,
    /// A section.
    section: bool,
    /// Where the options of `.target` stand that need something in the module, as ranges of the file.
    needy: Vec<(Range<usize>, &'static Target)>,
    reported: bool,
}

impl Progress {
    /// Any other item: version and target must have been there.
    pub fn other(&mut self, range: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.body = true;
        self.require(range.clone(), range.start, true, out);
    }

    /// The module has a section.
    pub fn section(&mut self) {
        self.section = true;
    }

    /// The end of the file, as the range of its last character.
    pub fn end(&mut self, last: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.require(last.clone(), last.end, true, out);
        for (range, option) in self.needy.iter().filter(|_| !self.section) {
            for directive in option.requires {
                out.push(missing_directive::of_option(range.clone(), option.name, directive));
            }
        }
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
                    .with_help(format!("write `.version {newest}` and `.target sm_90` first"))
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
                    .with_help("write, for instance, `.target sm_90`")
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
        let parsed = word.text.split_once('.').and_then(|(major, minor)| {
            let known = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (known(major) && known(minor)).then_some(())?;
            Some((major.parse::<u16>().ok()?, minor.parse::<u16>().ok()?))
        });
        let Some((major, minor)) = parsed else {
            let message = format!("`{}` is not a version: expected a number such as `8.5`", word.text);
            return out.push(Diagnostic::error(CODE, word.range(), message));
        };
        let version = Version { major, minor };
        let exists = |version: Version| ISA.versions.iter().any(|v| v.version == version);
        let newest = ISA.newest();
        environment.version = Some(version);
        // ptxas adds ten times the first number and the second to see whether there is such a version, so it takes `8.10`; but
        // what that version has it finds out by comparing both numbers.
        let sum = u32::from(major) * 10 + u32::from(minor);
        let sum = Version { major: u16::try_from(sum / 10).unwrap_or(u16::MAX), minor: (sum % 10) as u16 };
        if exists(version) {
            return;
        }
        if exists(sum) {
            let message = format!("there is no PTX {version}, although the assembler takes the number");
            out.push(Diagnostic::warning(CODE, word.range(), message));
        } else if version > newest {
            // The user's assembler may know it. Nothing is gated then.
            let message = format!("PTX {version} is newer than what is known here ({newest}): what it added is not");
            out.push(Diagnostic::warning(CODE, word.range(), message));
        } else {
            // What is no version holds nothing back.
            environment.version = None;
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
        if self.body || self.address_size {
            return out.push(again(source, node, ".target"));
        }
        if std::mem::replace(&mut self.target, true) {
            out.push(redundant_directive::second_target(source.range(node)));
        }
        let names: Vec<Word<'_>> =
            named_children(node).filter(|n| n.kind_id() == kinds().target_name).map(|n| source.word(n)).collect();
        let Some(first) = names.first() else {
            return out.push(Diagnostic::error(
                CODE,
                source.range(node),
                "`.target` needs an architecture such as `sm_90`",
            ));
        };
        if find_target(first.text).is_some_and(|t| t.features.is_empty()) && environment.target.is_none() {
            let message = "the first word after `.target` must be an architecture such as `sm_90`";
            return out.push(Diagnostic::error(CODE, first.range(), message));
        }
        let mut last = None;
        for name in &names {
            match find_target(name.text) {
                None => {
                    let diagnostic = Diagnostic::error(CODE, name.range(), format!("`{}` is not a target", name.text));
                    out.push(did_you_mean(diagnostic, suggest(name.text, ISA.targets.iter().map(|t| t.name))));
                }
                Some(option) if option.features.is_empty() => self.option(source, *name, option, environment, out),
                // ptxas: of several architectures the last one counts.
                Some(target) => {
                    environment.target = Some(target);
                    last = Some((*name, target));
                }
            }
        }
        // The architecture must exist in this version.
        if let Some((name, target)) = last {
            let version = Environment { target: None, ..environment.clone() };
            let gate = version.refused(target.gates, |_| true);
            out.extend(gate.map(|gate| requires_version::report(name.range(), target.name, gate, &version)));
        }
    }

    /// An option of `.target`.
    fn option(
        &mut self,
        source: Source<'_>,
        name: Word<'_>,
        option: &'static Target,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        if let Some(other) = environment.options.iter().find(|o| option.excludes.contains(o)) {
            let message = format!("`{}` and `{other}` exclude each other", name.text);
            return out.push(Diagnostic::error(CODE, name.range(), message));
        }
        if environment.options.contains(&option.name) {
            return;
        }
        let fits = directives::gates(name.range(), name.text, option.gates, environment, out);
        if fits && !option.requires.is_empty() {
            self.needy.push((source.absolute(name.range()), option));
        }
        environment.options.push(option.name);
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
        if let Some(directive) = ISA.directive(".address_size") {
            let name = directives::first_word(source, node);
            directives::gates(name.range(), name.text, directive.gates, environment, out);
        }
        match size.and_then(|s| literal::integer(s.text)) {
            Some(32) => environment.address_size = 32,
            Some(64) => environment.address_size = 64,
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
