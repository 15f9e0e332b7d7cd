//! The kinds of values of settings: reading them, and their names in messages and in the documentation.

use super::SettingProblem;
use crate::globs;
use crate::levels::{DiagnosticLevels, level};
use ptx_analysis::target::{find_architecture, version};
use ptx_analysis::{Analyzer, Code};
use ptx_ide::{AddressHints, Defaults, OperandColumns, PressureHints};
use ptx_interp::findings::{Checks, FaultKind};
use ptx_isa::tables::{TargetInfo, Version};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The field that stores a setting, by the kind of its value.
pub enum SettingSlot<'a> {
    /// `true` or `false`.
    Flag(&'a mut bool),
    /// A number; a value outside the range becomes the nearest value inside.
    Number(&'a mut usize, RangeInclusive<usize>),
    /// One of a few words.
    Choice(&'a mut dyn WordChoice),
    /// Diagnostic codes that are not reported.
    Disabled(&'a mut DiagnosticLevels),
    /// An object from diagnostic codes to their levels. [`Self::Disabled`] wins if both name a code.
    Severities(&'a mut DiagnosticLevels),
    /// Kinds of findings of the interpreter, and whether to enable or disable them.
    Kinds(&'a mut Checks, bool),
    /// Architectures.
    Targets(&'a mut Vec<&'static TargetInfo>),
    /// An architecture by its name; the empty string, which an editor's form sends, means none.
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
    /// Reads a value into the field. An invalid value leaves the field unchanged and is reported.
    pub fn read(self, name: &str, value: &Value, problems: &mut Vec<SettingProblem>) {
        // Clients send `null` for a setting that is not set.
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
            Self::Globs(out) => strings(value).filter(|globs| globs::are_valid(globs)).map(|globs| *out = globs),
        };
        if read.is_none() {
            problems.push(SettingProblem::wrong(name, expected));
        }
    }

    /// Returns the expected kind of value, for a message about a wrong value.
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

/// An enumeration whose variants have words in a setting.
pub trait WordChoice {
    /// Returns the words, in the order of the documentation.
    fn words(&self) -> &'static [&'static str];
    /// Sets the value that a word names; `None` if there is no such word.
    fn set(&mut self, word: &str) -> Option<()>;
    /// Returns the word for the value.
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
    AddressHints { "off" => Off, "costly" => Costly, "all" => All }
    Defaults { "off" => Off, "notable" => Notable, "all" => All }
    OperandColumns { "column" => Column, "run" => Run, "off" => Off }
    PressureHints { "off" => Off, "peaks" => Peaks, "all" => All }
}

/// Joins words to a list such as `` `a`, `b` and `c` ``.
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

/// Maps a list of strings with `named`; `None` if the value is not a list of strings or a string has no meaning.
fn all<T>(value: &Value, named: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(|v| named(v.as_str()?)).collect()
}
