//! Reads the directives that open a module: `.version`, `.target` and `.address_size`.

use crate::hir::ast::SourceWord;
use crate::hir::literal;
use crate::hir::lower::ItemSource;
use crate::target::{Environment, find_architecture, find_target};
use ptx_isa::ISA;
use ptx_isa::tables::{TargetInfo, Version};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};

/// Reads the header of a module, directive by directive in text order, into an [`Environment`].
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct HeaderReader {
    version: bool,
    target: bool,
    address_size: bool,
    /// An item that ends the header was met.
    body: bool,
}

/// A part of a header directive, or what is wrong with it. Positions count from the start of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderEvent<'t> {
    /// The directive is repeated or stands after the header, so it is ignored.
    Misplaced(&'static str),
    /// `.version` without a number.
    VersionWithoutNumber,
    /// The number of `.version`, which is not behind it in the same line.
    SplitVersion(SourceWord<'t>),
    /// The word after `.version` is not a version number.
    NotAVersion(SourceWord<'t>),
    /// A version that was never published but that the assembler accepts.
    UnpublishedVersion(SourceWord<'t>, Version),
    /// A version that is newer than the newest in the tables.
    NewerVersion(SourceWord<'t>, Version),
    /// A version that does not exist.
    UnknownVersion(SourceWord<'t>, Version),
    /// A further `.target`, which replaces the one before.
    SecondTarget,
    /// `.target` without an architecture.
    TargetWithoutName,
    /// `.target` begins with an option, which is this word.
    OptionFirst(SourceWord<'t>),
    /// The word is not the name of a target.
    NotATarget(SourceWord<'t>),
    /// The word is not the name of a target, but the assembler reads it as this one.
    ReadAs(SourceWord<'t>, &'static TargetInfo),
    /// An option that an earlier one, named here, excludes.
    Exclusive(SourceWord<'t>, &'static str),
    /// An option, before it is entered.
    Option(SourceWord<'t>, &'static TargetInfo),
    /// An architecture. All of a `.target` follow its options.
    Architecture(SourceWord<'t>, &'static TargetInfo),
    /// An `.address_size` in its place, before its argument is read.
    AddressSize,
    /// The size in bits that an `.address_size` in its place gives.
    Size(u16),
    /// The argument of `.address_size` is neither 32 nor 64; `None` if it is missing.
    WrongAddressSize(Option<SourceWord<'t>>),
}

impl HeaderReader {
    /// The reader of a text whose version and target are known without a header.
    pub fn complete() -> Self {
        Self { version: true, target: true, address_size: true, body: false }
    }

    /// Whether a `.version` was met.
    pub fn has_version(&self) -> bool {
        self.version
    }

    /// Whether a `.target` was met.
    pub fn has_target(&self) -> bool {
        self.target
    }

    /// Notes an item that is not part of the header: directives after it are ignored.
    pub fn end(&mut self) {
        self.body = true;
    }

    /// Enters the version of a `.version` directive into `environment`.
    pub fn version<'t>(
        &mut self,
        source: ItemSource<'t>,
        node: Node<'_>,
        environment: &mut Environment,
        mut report: impl FnMut(HeaderEvent<'t>),
    ) {
        if self.version || self.body {
            return report(HeaderEvent::Misplaced(".version"));
        }
        self.version = true;
        let Some(number) = node.child_by_field_id(fields().version) else {
            return report(HeaderEvent::VersionWithoutNumber);
        };
        let word = source.word(number);
        // ptxas looks for the version before it reads the text: only blanks may stand between.
        let start = source.word(node).range().start;
        let between = source.text.get(start..word.range().start).and_then(|text| text.strip_prefix(".version"));
        if between.is_some_and(|text| text.contains('\n') || !text.trim().is_empty()) {
            report(HeaderEvent::SplitVersion(word));
        }
        let parsed = word.text.split_once('.').and_then(|(major, minor)| {
            let known = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (known(major) && known(minor)).then_some(())?;
            Some((major.parse::<u16>().ok()?, minor.parse::<u16>().ok()?))
        });
        let Some((major, minor)) = parsed else { return report(HeaderEvent::NotAVersion(word)) };
        let version = Version { major, minor };
        let exists = |version: Version| ISA.versions.iter().any(|v| v.version == version);
        environment.version = Some(version);
        // ptxas looks up 10 × major + minor to decide whether a version exists, so it accepts `8.10`. To decide which features the
        // version has, it compares both numbers.
        let sum = u32::from(major) * 10 + u32::from(minor);
        let sum = Version { major: u16::try_from(sum / 10).unwrap_or(u16::MAX), minor: (sum % 10) as u16 };
        if exists(version) {
            return;
        }
        if exists(sum) {
            report(HeaderEvent::UnpublishedVersion(word, version));
        } else if version > ISA.newest() {
            // The user's assembler may support it. No gate refuses anything then.
            report(HeaderEvent::NewerVersion(word, version));
        } else {
            // Without a known version, no gate refuses anything.
            environment.version = None;
            report(HeaderEvent::UnknownVersion(word, version));
        }
    }

    /// Enters architecture and options of a `.target` directive into `environment`. Each event comes with the environment at that moment.
    pub fn target<'t>(
        &mut self,
        source: ItemSource<'t>,
        node: Node<'_>,
        environment: &mut Environment,
        mut report: impl FnMut(&Environment, HeaderEvent<'t>),
    ) {
        if self.body || self.address_size {
            return report(environment, HeaderEvent::Misplaced(".target"));
        }
        if std::mem::replace(&mut self.target, true) {
            report(environment, HeaderEvent::SecondTarget);
        }
        let names: Vec<SourceWord<'t>> =
            named_children(node).filter(|n| n.kind_id() == kinds().target_name).map(|n| source.word(n)).collect();
        let Some(first) = names.first() else { return report(environment, HeaderEvent::TargetWithoutName) };
        if find_target(first.text).is_some_and(|t| t.features.is_empty()) && environment.target.is_none() {
            return report(environment, HeaderEvent::OptionFirst(*first));
        }
        let mut architectures = Vec::new();
        for name in names {
            let known = find_target(name.text);
            let read = known.is_none().then(|| read_as(name.text)).flatten();
            if let Some(target) = read {
                report(environment, HeaderEvent::ReadAs(name, target));
            }
            match known.or(read) {
                None => report(environment, HeaderEvent::NotATarget(name)),
                Some(option) if option.features.is_empty() => {
                    if let Some(other) = environment.options.iter().find(|o| option.excludes.contains(o)) {
                        report(environment, HeaderEvent::Exclusive(name, other));
                    } else if !environment.options.contains(&option.name) {
                        report(environment, HeaderEvent::Option(name, option));
                        environment.options.push(option.name);
                    }
                }
                // ptxas: of several architectures the last one counts.
                Some(target) => {
                    environment.target = Some(target);
                    architectures.push((name, target));
                }
            }
        }
        for (name, target) in architectures {
            report(environment, HeaderEvent::Architecture(name, target));
        }
    }

    /// Enters the size of an `.address_size` directive into `environment`.
    pub fn address_size<'t>(
        &mut self,
        source: ItemSource<'t>,
        node: Node<'_>,
        environment: &mut Environment,
        mut report: impl FnMut(&Environment, HeaderEvent<'t>),
    ) {
        if self.address_size || self.body {
            return report(environment, HeaderEvent::Misplaced(".address_size"));
        }
        self.address_size = true;
        report(environment, HeaderEvent::AddressSize);
        let size = node.child_by_field_id(fields().size).map(|n| source.word(n));
        match size.and_then(|s| literal::integer(s.text)) {
            Some(size @ (32 | 64)) => {
                environment.sized = true;
                environment.address_size = size as u16;
                report(environment, HeaderEvent::Size(size as u16));
            }
            _ => report(environment, HeaderEvent::WrongAddressSize(size)),
        }
    }
}

/// The target that ptxas takes an unknown name for: it overlooks letters after a number, except a last `a` or `f`.
fn read_as(name: &str) -> Option<&'static TargetInfo> {
    let suffix =
        name.trim_start_matches("sm_").trim_start_matches("compute_").trim_start_matches(|c: char| c.is_ascii_digit());
    let plain = name.strip_suffix(suffix).filter(|_| !suffix.is_empty() && !suffix.ends_with(['a', 'f']))?;
    find_architecture(plain)
}
