//! The kinds of values that settings take: how each is read, and what it is called in messages and in the documentation.

use super::SettingProblem;
use crate::globs::excluded;
use crate::levels::{DiagnosticLevels, level};
use ptx_analysis::target::{find_architecture, version};
use ptx_analysis::{Analyzer, Code};
use ptx_ide::{Defaults, Operands, PressureHints};
use ptx_interp::findings::{Checks, FaultKind};
use ptx_isa::tables::{TargetInfo, Version};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::path::Path;

/// The field that keeps a setting, by the kind of value that the setting takes.
pub enum SettingSlot<'a> {
    /// `true` or `false`.
    Flag(&'a mut bool),
    /// A number; one outside the range becomes the nearest in it.
    Number(&'a mut usize, RangeInclusive<usize>),
    /// A word out of a few.
    Choice(&'a mut dyn WordChoice),
    /// Diagnostic codes that are not reported.
    Disabled(&'a mut DiagnosticLevels),
    /// An object from diagnostic codes to their levels. [`Self::Disabled`] wins where both name a code.
    Severities(&'a mut DiagnosticLevels),
    /// Kinds of findings of the interpreter, and whether they are looked for.
    Kinds(&'a mut Checks, bool),
    /// Architectures.
    Targets(&'a mut Vec<&'static TargetInfo>),
    /// An architecture by its name; empty for none, which is what an editor's form sends.
    Target(&'a mut Option<String>),
    /// A PTX version; empty for none.
    Version(&'a mut Option<Version>),
    /// An absolute path.
    Path(&'a mut String),
    /// Options of a command line.
    Options(&'a mut Vec<String>),
    /// Globs of files and folders.
    Globs(&'a mut Vec<String>),
}

impl SettingSlot<'_> {
    /// Reads a value into the field; one that is not understood leaves the field as it is and is reported.
    pub fn read(self, name: &str, value: &Value, problems: &mut Vec<SettingProblem>) {
        // Clients send `null` for what is not set.
        if value.is_null() {
            return;
        }
        let expected = self.expected();
        let text = value.as_str();
        let read = match self {
            Self::Flag(out) => value.as_bool().map(|flag| *out = flag),
            Self::Number(out, range) => value.as_u64().map(|number| {
                *out = usize::try_from(number).unwrap_or(usize::MAX).clamp(*range.start(), *range.end());
            }),
            Self::Choice(out) => text.and_then(|text| out.set(text)),
            Self::Disabled(levels) => strings(value).map(|codes| {
                for code in codes {
                    match Code::named(&code) {
                        Some(code) => levels.set(code, None),
                        None => problems.push(SettingProblem::unknown(&format!("{name}: {code}"))),
                    }
                }
            }),
            Self::Severities(levels) => value.as_object().map(|codes| {
                for (code, wanted) in codes {
                    let name = format!("{name}.{code}");
                    match (wanted.as_str().and_then(level), Code::named(code)) {
                        (Some(level), Some(code)) => levels.set_if_unset(code, level),
                        (Some(_), None) => problems.push(SettingProblem::unknown(&name)),
                        (None, _) => problems.push(SettingProblem::wrong(
                            &name,
                            "one of `error`, `warning`, `information`, `hint` and `off`",
                        )),
                    }
                }
            }),
            Self::Kinds(checks, wanted) => {
                all(value, |name| FaultKind::optional_named(name).ok()).map(|kinds: Vec<FaultKind>| {
                    kinds.into_iter().for_each(|kind| *checks = checks.with(kind, wanted));
                })
            }
            Self::Targets(out) => all(value, find_architecture).map(|targets| *out = targets),
            Self::Target(_) | Self::Version(_) if text == Some("") => Some(()),
            Self::Target(out) => text
                .filter(|name| Analyzer::default().set_target(Some(name)).is_ok())
                .map(|name| *out = Some(name.to_owned())),
            Self::Version(out) => text.and_then(version).map(|version| *out = Some(version)),
            Self::Path(out) => text.map(|path| path.trim().clone_into(out)),
            Self::Options(out) => strings(value).map(|options| *out = options),
            Self::Globs(out) => {
                strings(value).filter(|globs| excluded(Path::new("/"), globs).is_ok()).map(|globs| *out = globs)
            }
        };
        if read.is_none() {
            problems.push(SettingProblem::wrong(name, expected));
        }
    }

    /// What the setting takes, for a message about a wrong value.
    fn expected(&self) -> String {
        let fixed = match self {
            Self::Choice(choice) => return format!("one of {}", list(choice.words(), "and")),
            Self::Flag(_) => "`true` or `false`",
            Self::Number(..) => "a number",
            Self::Disabled(_) => "a list of diagnostic codes",
            Self::Severities(_) => "an object",
            Self::Kinds(..) => "a list of what can be looked for or not, such as `[\"race\", \"nan\"]`",
            Self::Targets(_) => "a list of architectures such as `[\"sm_80\", \"sm_90a\"]`",
            Self::Target(_) => "the name of an architecture such as `sm_90a`",
            Self::Version(_) => "a version of PTX such as `\"7.8\"`",
            Self::Path(_) => "the absolute path of an executable",
            Self::Options(_) => "a list of options such as `[\"--maxrregcount\", \"64\"]`",
            Self::Globs(_) => "a list of globs such as `[\"build\", \"**/old_*.ptx\"]`",
        };
        fixed.to_owned()
    }
}

/// An enumeration that a setting names by words.
pub trait WordChoice {
    /// The words, in the order of the documentation.
    fn words(&self) -> &'static [&'static str];
    /// Takes over the value that a word names; `None` if there is no such word.
    fn set(&mut self, word: &str) -> Option<()>;
    /// The word for the value.
    #[cfg(test)]
    fn word(&self) -> &'static str;
}

macro_rules! choices {
    ($($type:ident { $($word:literal => $variant:ident),+ })+) => {$(
        impl WordChoice for $type {
            fn words(&self) -> &'static [&'static str] {
                &[$($word),+]
            }

            fn set(&mut self, word: &str) -> Option<()> {
                *self = match word {
                    $($word => Self::$variant,)+
                    _ => return None,
                };
                Some(())
            }

            #[cfg(test)]
            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    )+};
}

choices! {
    Defaults { "off" => Off, "notable" => Notable, "all" => All }
    Operands { "column" => Column, "run" => Run, "off" => Off }
    PressureHints { "off" => Off, "peaks" => Peaks, "all" => All }
}

/// `` `a`, `b` and `c` ``.
pub fn list(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {conjunction} {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    all(value, |text| Some(text.to_owned()))
}

/// The things that a list of strings names, if it is one and each names something.
fn all<T>(value: &Value, named: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(|v| named(v.as_str()?)).collect()
}
