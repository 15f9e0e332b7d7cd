//! `module-header`: `.version`, `.target` and `.address_size`, which open a module in this order.

use super::{redundant_directive, suggest, write_instead};
use crate::diagnostic::{Diagnostic, Fix, FixEdit, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::Version;
use ptx_sema::hir::header::HeaderEvent;
use std::ops::Range;

/// A problem with the header of a module: a directive is missing, misplaced, repeated or has a wrong argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ModuleHeader {
    /// `.version` is missing.
    NoVersion,
    /// `.version` stands below another directive of the header.
    VersionBelow,
    /// `.target` is missing.
    NoTarget,
    /// This directive of the header is repeated, or stands after the header.
    Again(&'static str),
    /// `.version` without a number.
    VersionWithoutNumber,
    /// The number of `.version` is not behind it in the same line.
    SplitVersion,
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

impl Diagnostic {
    /// Whether it reports that a directive is missing which may still be written.
    pub fn is_missing_header(&self) -> bool {
        self.finding
            .data()
            .is_some_and(|header: &ModuleHeader| matches!(header, ModuleHeader::NoVersion | ModuleHeader::NoTarget))
    }
}

impl DiagnosticMessage for ModuleHeader {
    fn message(&self) -> String {
        match self {
            Self::NoVersion => "a module begins with `.version`".to_owned(),
            Self::VersionBelow => "a module begins with `.version`, but here it comes after this".to_owned(),
            Self::NoTarget => "`.target` must follow `.version`".to_owned(),
            Self::Again(name) => format!("`{name}` may appear only once, at the beginning of a module"),
            Self::SplitVersion => {
                "the number must follow `.version` on the same line, separated only by spaces or tabs".to_owned()
            }
            Self::VersionWithoutNumber => "`.version` needs a number such as `8.5`".to_owned(),
            Self::NotAVersion(text) => format!("`{text}` is not a version: expected a number such as `8.5`"),
            Self::UnpublishedVersion(version) => {
                format!("PTX {version} does not exist, although the assembler accepts it")
            }
            Self::NewerVersion(version) => {
                format!(
                    "PTX {version} is newer than the newest supported version ({}): its new features are reported as unknown",
                    ISA.newest()
                )
            }
            Self::UnknownVersion(version) => format!("PTX {version} does not exist"),
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
            Self::VersionBelow => Some("move it up: the order is `.version`, `.target`, `.address_size`".to_owned()),
            Self::NoTarget => Some("write, for instance, `.target sm_90`".to_owned()),
            Self::NotATarget { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            _ => None,
        }
    }
}

/// The report on a missing `.version`, at this range. `target` is missing too. The fix inserts what is missing at offset `place`.
pub(crate) fn no_version(range: Range<usize>, place: usize, target: bool) -> Diagnostic {
    let newest = ISA.newest();
    let target = if target { "\n.target sm_90" } else { "" };
    let header = format!(".version {newest}{target}\n");
    let title = format!("Begin with `{}`", header.trim().replace('\n', " "));
    let fix = Fix::replace(title, place..place, header);
    Diagnostic::new(range, ModuleHeader::NoVersion).fix(fix)
}

/// Whether a report is from [`no_version`].
pub(crate) fn lacks_version(report: &Diagnostic) -> bool {
    matches!(report.finding.data(), Some(ModuleHeader::NoVersion))
}

/// The report on a directive of the header, at this range, that stands before `.version`. `place` and `text` are those of `.version`.
pub(crate) fn version_below(range: Range<usize>, place: Range<usize>, text: &str) -> Diagnostic {
    let edits = vec![
        FixEdit::Replace(range.start..range.start, format!("{text}\n")),
        FixEdit::Replace(place.start..place.start + text.len(), String::new()),
    ];
    let fix = Fix { title: format!("Begin with `{text}`"), edits, preferred: true };
    Diagnostic::new(range, ModuleHeader::VersionBelow).fix(fix)
}

/// The report on a missing `.target`, at this range. The fix inserts it at offset `place`.
pub(crate) fn no_target(range: Range<usize>, place: usize) -> Diagnostic {
    let fix = Fix::replace("Add `.target sm_90`", place..place, ".target sm_90\n");
    Diagnostic::new(range, ModuleHeader::NoTarget).fix(fix)
}

/// The report on what is wrong with a directive of the header, which has this range; `None` if the event is not about a mistake.
pub(crate) fn report(directive: &Range<usize>, event: HeaderEvent<'_>) -> Option<Diagnostic> {
    let whole = directive.clone();
    Some(match event {
        HeaderEvent::Misplaced(name) => Diagnostic::new(whole, ModuleHeader::Again(name)),
        HeaderEvent::VersionWithoutNumber => Diagnostic::new(whole, ModuleHeader::VersionWithoutNumber),
        HeaderEvent::SplitVersion(word) => Diagnostic::new(word.range(), ModuleHeader::SplitVersion),
        HeaderEvent::NotAVersion(word) => {
            // `.version 9`
            let whole = format!("{}.0", word.text);
            let exists = ISA.versions.iter().any(|v| v.version.to_string() == whole);
            let fix = exists.then(|| Fix::replace(format!("Write `{whole}`"), word.range(), whole).preferred());
            Diagnostic::new(word.range(), ModuleHeader::NotAVersion(word.text.into())).fixes(fix)
        }
        HeaderEvent::UnpublishedVersion(word, version) => {
            Diagnostic::new(word.range(), ModuleHeader::UnpublishedVersion(version)).severity(Severity::Warning)
        }
        HeaderEvent::NewerVersion(word, version) => {
            Diagnostic::new(word.range(), ModuleHeader::NewerVersion(version)).severity(Severity::Warning)
        }
        HeaderEvent::UnknownVersion(word, version) => {
            Diagnostic::new(word.range(), ModuleHeader::UnknownVersion(version))
        }
        HeaderEvent::SecondTarget => redundant_directive::second_target(whole),
        HeaderEvent::TargetWithoutName => Diagnostic::new(whole, ModuleHeader::TargetWithoutName),
        HeaderEvent::OptionFirst(word) => Diagnostic::new(word.range(), ModuleHeader::OptionFirst),
        HeaderEvent::ReadAs(word, target) => {
            let problem = ModuleHeader::ReadAs { name: word.text.into(), target: target.name };
            let fixes = write_instead(word.range(), Some(target.name));
            Diagnostic::new(word.range(), problem).severity(Severity::Warning).fixes(fixes)
        }
        HeaderEvent::NotATarget(word) => {
            let near = nearest_target(word.text);
            let problem = ModuleHeader::NotATarget { name: word.text.into(), near };
            Diagnostic::new(word.range(), problem).fixes(write_instead(word.range(), near))
        }
        HeaderEvent::Exclusive(word, other) => {
            Diagnostic::new(word.range(), ModuleHeader::Exclusive(word.text.into(), other))
        }
        HeaderEvent::WrongAddressSize(word) => {
            Diagnostic::new(word.map_or(whole, |word| word.range()), ModuleHeader::AddressSize)
        }
        HeaderEvent::Option(..) | HeaderEvent::Architecture(..) | HeaderEvent::AddressSize | HeaderEvent::Size(_) => {
            return None;
        }
    })
}

/// The target that is most likely meant: the one with the nearest number and the same letter, the older of two; else the most similar one.
fn nearest_target(written: &str) -> Option<&'static str> {
    let parts = |name: &'static str| number_of(name).map(|(number, letter)| (number, letter, name));
    let similar = || suggest(written, ISA.targets.iter().map(|t| t.name));
    let Some((number, letter)) = number_of(written) else { return similar() };
    let known = ISA.targets.iter().filter_map(|t| parts(t.name));
    let key = |(n, l, name): &(u32, &str, &str)| (n.abs_diff(number), *l != letter, *n > number, name.len());
    known.min_by_key(key).map(|(.., name)| name).filter(|name| *name != written)
}

/// The number and the letter of an architecture: of `sm_90a` and `90a`, or with another word before them.
fn number_of(name: &str) -> Option<(u32, &str)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (number, letter) =
        name[digits..].split_at(name[digits..].find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len() - digits));
    Some((number.parse().ok()?, letter))
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
            ["`.version` may appear only once, at the beginning of a module"]
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
        let near = |target: &str| {
            in_module(Code::ModuleHeader, &format!(".version 9.0\n.target {target}\n"))[0].help().unwrap_or_default()
        };
        assert_eq!(near("sm_91"), "did you mean `sm_90`?");
        assert_eq!(near("sm_80a"), "did you mean `sm_80`?");
    }

    #[test]
    fn versions() {
        let known = in_module(Code::ModuleHeader, ".version 99.0\n.target sm_90\n");
        assert_eq!((known.len(), known[0].severity), (1, Severity::Warning));
        assert_eq!(found(".version 5.9\n.target sm_50\n"), ["PTX 5.9 does not exist"]);
    }
}
