//! Checks the header of a module: the directives that open it.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::directives;
use crate::rules::{address_size, missing_directive, module_header, requires_version};
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use ptx_sema::hir::header::{HeaderEvent, HeaderReader};
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::Node;
use std::ops::Range;

/// Checks the header of a module while its items are met in text order: reads it, and reports what is wrong or missing.
#[derive(Debug, Default, Clone)]
pub(crate) struct HeaderProgress {
    reader: HeaderReader,
    /// A `.section` directive, anywhere in the module.
    section: bool,
    /// The options of `.target` that require a directive in the module, with their byte ranges in the file.
    needy: Vec<(Range<usize>, &'static TargetInfo)>,
    reported: bool,
}

impl HeaderProgress {
    /// The progress of a text whose version and target are known without a header.
    pub(crate) fn given() -> Self {
        Self { reader: HeaderReader::complete(), ..Self::default() }
    }

    /// Handles an item that is not part of the header: `.version` and `.target` must come before it.
    pub(crate) fn other(&mut self, range: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.reader.end();
        self.require(range.clone(), range.start, true, out);
    }

    /// Records that the module has a `.section`.
    pub(crate) fn section(&mut self) {
        self.section = true;
    }

    /// Handles the end of the file. `last` is the range of its last character.
    pub(crate) fn end(&mut self, last: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.require(last.clone(), last.end, true, out);
        for (range, option) in self.needy.iter().filter(|_| !self.section) {
            for directive in option.requires {
                out.push(missing_directive::of_option(range.clone(), option.name, directive));
            }
        }
    }

    /// Reports a missing `.version` or (with `target_too`) `.target`, once per module. The fix inserts it at offset `place`.
    fn require(&mut self, range: Range<usize>, place: usize, target_too: bool, out: &mut Vec<Diagnostic>) {
        if self.reported {
            return;
        }
        if !self.reader.has_version() {
            self.reported = true;
            out.push(module_header::no_version(range, place, target_too && !self.reader.has_target()));
        } else if target_too && !self.reader.has_target() {
            self.reported = true;
            out.push(module_header::no_target(range, place));
        }
    }

    /// Checks a `.version` directive and enters the version into `environment`.
    pub(crate) fn version(
        &mut self,
        source: ItemSource<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        let range = source.range(node);
        self.reader.version(source, node, environment, |event| out.extend(module_header::report(&range, event)));
    }

    /// Checks a `.target` directive and enters architecture and options into `environment`.
    pub(crate) fn target(
        &mut self,
        source: ItemSource<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        let range = source.range(node);
        self.require(range.clone(), range.start, false, out);
        let Self { reader, needy, .. } = self;
        reader.target(source, node, environment, |environment, event| match event {
            HeaderEvent::Option(word, option) => {
                let fits = directives::gates(word.range(), word.text, option.gates, environment, out);
                if fits && !option.requires.is_empty() {
                    needy.push((source.absolute(word.range()), option));
                }
            }
            // Each architecture must exist in this version, not only the one that counts.
            HeaderEvent::Architecture(word, target) => {
                let version = Environment { target: None, ..environment.clone() };
                let gate = version.refused(target.gates, |_| true);
                out.extend(gate.map(|gate| requires_version::report(word.range(), target.name, gate, &version)));
            }
            event => out.extend(module_header::report(&range, event)),
        });
    }

    /// Checks an `.address_size` directive and enters the size into `environment`.
    pub(crate) fn address_size(
        &mut self,
        source: ItemSource<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        let range = source.range(node);
        self.require(range.clone(), range.start, true, out);
        self.reader.address_size(source, node, environment, |environment, event| match event {
            HeaderEvent::AddressSize => {
                if let Some(directive) = ISA.directive(".address_size") {
                    let name = directives::first_word(source, node);
                    directives::gates(name.range(), name.text, directive.gates, environment, out);
                }
            }
            HeaderEvent::Size(32) => out.push(address_size::report(range.clone())),
            event => out.extend(module_header::report(&range, event)),
        });
    }
}

/// Whether a diagnostic is about the directives that open a module.
pub(crate) fn is_about_header(diagnostic: &Diagnostic) -> bool {
    diagnostic.code() == Code::ModuleHeader
}
