//! `module-header`: `.version`, `.target` and `.address_size`, which open a module in this order.

use super::{missing_directive, redundant_directive, requires_version, suggest, write_instead};
use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::{Diagnostic, Fix, Severity};
use crate::check::directives;
use crate::hir::ast::SourceWord;
use crate::hir::literal;
use crate::hir::lower::{ItemSource, named_children};
use crate::target::{Environment, find_architecture, find_target};
use ptx_isa::ISA;
use ptx_isa::tables::{TargetInfo, Version};
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

/// A problem with the header of a module: a directive is missing, misplaced, repeated or has a wrong argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ModuleHeader {
    /// `.version` is missing.
    NoVersion,
    /// `.target` is missing.
    NoTarget,
    /// This directive of the header is repeated, or stands after the header.
    Again(&'static str),
    /// `.version` without a number.
    VersionWithoutNumber,
    /// The text after `.version` is not a version number.
    NotAVersion(Box<str>),
    /// A version that was never published but that the assembler accepts.
    UnpublishedVersion(Version),
    /// A version that is newer than the newest in the tables.
    NewerVersion(Version),
    /// A version that does not exist.
    UnknownVersion(Version),
    /// `.target` without an architecture.
    TargetWithoutName,
    /// `.target` begins with an option.
    OptionFirst,
    /// A name after `.target` is not the name of a target.
    NotATarget {
        /// The name.
        name: Box<str>,
        /// The target with the most similar name, if one is similar enough.
        near: Option<&'static str>,
    },
    /// A name that is not the name of a target, but that the assembler reads as one.
    ReadAs {
        /// The name.
        name: Box<str>,
        /// The target.
        target: &'static str,
    },
    /// An option of `.target`, and an earlier option that excludes it.
    Exclusive(Box<str>, &'static str),
    /// The argument of `.address_size` is neither 32 nor 64.
    AddressSize,
}

impl DiagnosticMessage for ModuleHeader {
    fn message(&self) -> String {
        match self {
            Self::NoVersion => "a module begins with `.version`".to_owned(),
            Self::NoTarget => "`.target` must follow `.version`".to_owned(),
            Self::Again(name) => format!("`{name}` may stand only once, at the beginning of a module"),
            Self::VersionWithoutNumber => "`.version` needs a number such as `8.5`".to_owned(),
            Self::NotAVersion(text) => format!("`{text}` is not a version: expected a number such as `8.5`"),
            Self::UnpublishedVersion(version) => {
                format!("there is no PTX {version}, although the assembler takes the number")
            }
            Self::NewerVersion(version) => {
                format!("PTX {version} is newer than what is known here ({}): what it added is not", ISA.newest())
            }
            Self::UnknownVersion(version) => format!("there is no PTX {version}"),
            Self::TargetWithoutName => "`.target` needs an architecture such as `sm_90`".to_owned(),
            Self::OptionFirst => "the first word after `.target` must be an architecture such as `sm_90`".to_owned(),
            Self::NotATarget { name, .. } => format!("`{name}` is not a target"),
            Self::ReadAs { name, target } => {
                format!("`{name}` is not a target, although the assembler reads it as `{target}`")
            }
            Self::Exclusive(name, other) => format!("`{name}` and `{other}` exclude each other"),
            Self::AddressSize => "`.address_size` must be 32 or 64".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NoVersion => Some(format!("write `.version {}` and `.target sm_90` first", ISA.newest())),
            Self::NoTarget => Some("write, for instance, `.target sm_90`".to_owned()),
            Self::NotATarget { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            _ => None,
        }
    }
}

/// The parts of the module header that were met while the items of a module are checked in order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct HeaderProgress {
    version: bool,
    target: bool,
    address_size: bool,
    /// An item that ends the header.
    body: bool,
    /// A `.section` directive, anywhere in the module.
    section: bool,
    /// The options of `.target` that require a directive in the module, with their byte ranges in the file.
    needy: Vec<(Range<usize>, &'static TargetInfo)>,
    reported: bool,
}

impl HeaderProgress {
    /// The progress of a text whose version and target are known without a header.
    pub fn given() -> Self {
        Self { version: true, target: true, address_size: true, ..Self::default() }
    }

    /// Handles an item that is not part of the header: `.version` and `.target` must stand before it.
    pub fn other(&mut self, range: Range<usize>, out: &mut Vec<Diagnostic>) {
        self.body = true;
        self.require(range.clone(), range.start, true, out);
    }

    /// Records that the module has a `.section`.
    pub fn section(&mut self) {
        self.section = true;
    }

    /// Handles the end of the file. `last` is the range of its last character.
    pub fn end(&mut self, last: Range<usize>, out: &mut Vec<Diagnostic>) {
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
        if !self.version {
            self.reported = true;
            let newest = ISA.newest();
            let target = if target_too && !self.target { "\n.target sm_90" } else { "" };
            let header = format!(".version {newest}{target}\n");
            let title = format!("Begin with `{}`", header.trim().replace('\n', " "));
            let fix = Fix::replace(title, place..place, header);
            out.push(Diagnostic::new(range, ModuleHeader::NoVersion).fix(fix));
        } else if target_too && !self.target {
            self.reported = true;
            let fix = Fix::replace("Add `.target sm_90`", place..place, ".target sm_90\n");
            out.push(Diagnostic::new(range, ModuleHeader::NoTarget).fix(fix));
        }
    }

    /// Checks a `.version` directive and enters the version into `environment`.
    pub fn version(
        &mut self,
        source: ItemSource<'_>,
        node: Node<'_>,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        if self.version || self.body {
            return out.push(again(source, node, ".version"));
        }
        self.version = true;
        let Some(number) = node.child_by_field_id(fields().version) else {
            return out.push(Diagnostic::new(source.range(node), ModuleHeader::VersionWithoutNumber));
        };
        let word = source.word(number);
        let parsed = word.text.split_once('.').and_then(|(major, minor)| {
            let known = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (known(major) && known(minor)).then_some(())?;
            Some((major.parse::<u16>().ok()?, minor.parse::<u16>().ok()?))
        });
        let Some((major, minor)) = parsed else {
            // `.version 9`
            let whole = format!("{}.0", word.text);
            let exists = ISA.versions.iter().any(|v| v.version.to_string() == whole);
            let fix = exists.then(|| Fix::replace(format!("Write `{whole}`"), word.range(), whole).preferred());
            return out.push(Diagnostic::new(word.range(), ModuleHeader::NotAVersion(word.text.into())).fixes(fix));
        };
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
            let found = ModuleHeader::UnpublishedVersion(version);
            out.push(Diagnostic::new(word.range(), found).severity(Severity::Warning));
        } else if version > ISA.newest() {
            // The user's assembler may support it. No gate refuses anything then.
            let found = ModuleHeader::NewerVersion(version);
            out.push(Diagnostic::new(word.range(), found).severity(Severity::Warning));
        } else {
            // Without a known version, no gate refuses anything.
            environment.version = None;
            out.push(Diagnostic::new(word.range(), ModuleHeader::UnknownVersion(version)));
        }
    }

    /// Checks a `.target` directive and enters architecture and options into `environment`.
    pub fn target(
        &mut self,
        source: ItemSource<'_>,
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
        let names: Vec<SourceWord<'_>> =
            named_children(node).filter(|n| n.kind_id() == kinds().target_name).map(|n| source.word(n)).collect();
        let Some(first) = names.first() else {
            return out.push(Diagnostic::new(source.range(node), ModuleHeader::TargetWithoutName));
        };
        if find_target(first.text).is_some_and(|t| t.features.is_empty()) && environment.target.is_none() {
            return out.push(Diagnostic::new(first.range(), ModuleHeader::OptionFirst));
        }
        let mut architectures = Vec::new();
        for name in &names {
            let known = find_target(name.text);
            let read = known.is_none().then(|| read_as(name.text)).flatten();
            if let Some(target) = read {
                let found = ModuleHeader::ReadAs { name: name.text.into(), target: target.name };
                let fixes = write_instead(name.range(), Some(target.name));
                out.push(Diagnostic::new(name.range(), found).severity(Severity::Warning).fixes(fixes));
            }
            match known.or(read) {
                None => {
                    let near = suggest(name.text, ISA.targets.iter().map(|t| t.name));
                    let found = ModuleHeader::NotATarget { name: name.text.into(), near };
                    out.push(Diagnostic::new(name.range(), found).fixes(write_instead(name.range(), near)));
                }
                Some(option) if option.features.is_empty() => self.option(source, *name, option, environment, out),
                // ptxas: of several architectures the last one counts.
                Some(target) => {
                    environment.target = Some(target);
                    architectures.push((*name, target));
                }
            }
        }
        // Each architecture must exist in this version, not only the one that counts.
        let version = Environment { target: None, ..environment.clone() };
        for (name, target) in architectures {
            let gate = version.refused(target.gates, |_| true);
            out.extend(gate.map(|gate| requires_version::report(name.range(), target.name, gate, &version)));
        }
    }

    /// Checks an option of `.target` and enters it into `environment`.
    fn option(
        &mut self,
        source: ItemSource<'_>,
        name: SourceWord<'_>,
        option: &'static TargetInfo,
        environment: &mut Environment,
        out: &mut Vec<Diagnostic>,
    ) {
        if let Some(other) = environment.options.iter().find(|o| option.excludes.contains(o)) {
            return out.push(Diagnostic::new(name.range(), ModuleHeader::Exclusive(name.text.into(), other)));
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

    /// Checks an `.address_size` directive and enters the size into `environment`.
    pub fn address_size(
        &mut self,
        source: ItemSource<'_>,
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
                out.push(Diagnostic::new(range, ModuleHeader::AddressSize));
            }
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

fn again(source: ItemSource<'_>, node: Node<'_>, name: &'static str) -> Diagnostic {
    Diagnostic::new(source.range(node), ModuleHeader::Again(name))
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, mended, messages};
    use crate::{Code, Severity};

    fn found(header: &str) -> Vec<String> {
        messages(&in_module(Code::ModuleHeader, header))
    }

    #[test]
    fn directives_in_their_order() {
        assert_eq!(found(".target sm_90"), ["a module begins with `.version`"]);
        assert_eq!(
            mended(Code::ModuleHeader, ".version 9.0\n.global .b32 x;\n"),
            ".version 9.0\n.target sm_90\n.global .b32 x;\n"
        );
        assert_eq!(
            found(".version 9.0\n.target sm_90\n.version 9.0\n.global .b32 x;"),
            ["`.version` may stand only once, at the beginning of a module"]
        );
        assert_eq!(found(".version 9.0\n.target sm_90\n.address_size 16\n"), ["`.address_size` must be 32 or 64"]);
        assert!(found(".version 9.0\n.target sm_90\n.address_size 64\n").is_empty());
    }

    #[test]
    fn names_of_targets() {
        let text = ".version 9.0\n.target sn_90\n";
        let wrong = in_module(Code::ModuleHeader, text);
        assert_eq!(messages(&wrong), ["`sn_90` is not a target"]);
        assert_eq!(wrong[0].help().as_deref(), Some("did you mean `sm_90`?"));
        assert_eq!(mended(Code::ModuleHeader, text), ".version 9.0\n.target sm_90\n");
        let odd = in_module(Code::ModuleHeader, ".version 9.0\n.target sm_90b\n");
        let expected = "`sm_90b` is not a target, although the assembler reads it as `sm_90`";
        assert_eq!((messages(&odd), odd[0].severity), (vec![expected.to_owned()], Severity::Warning));
        assert_eq!(found(".version 9.0\n.target sm_80a\n"), ["`sm_80a` is not a target"]);
    }

    #[test]
    fn versions() {
        let known = in_module(Code::ModuleHeader, ".version 99.0\n.target sm_90\n");
        assert_eq!((known.len(), known[0].severity), (1, Severity::Warning));
        assert_eq!(found(".version 5.9\n.target sm_50\n"), ["there is no PTX 5.9"]);
    }
}
