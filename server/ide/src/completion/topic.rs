//! The topics of completion items. They allow a client to request the documentation of an item when the user selects it.

use crate::describe::{self, MarkdownPage};
use ptx_analysis::environment;
use ptx_isa::ISA;
use ptx_syntax::Snapshot;

/// The subject of a completion item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Topic {
    /// No documentation.
    #[default]
    None,
    /// An instruction, by its full name: `mbarrier.try_wait`.
    Opcode(String),
    /// A modifier: opcode and modifier.
    Modifier(String, String),
    /// A special register, perhaps with its component.
    Special(String),
    /// A word with a dot: a directive, a type, a state space; or a string of `.pragma` with its quotation marks.
    Directive(String),
    /// A target, or an option of `.target`.
    Target(String),
    /// A PTX version.
    Version(String),
    /// A predefined constant.
    Constant(String),
    /// A name that the module declares, looked up at a byte offset.
    Declared(String, usize),
}

impl Topic {
    /// Serializes the topic: its kind and its subject. `None` for [`Topic::None`].
    pub fn parts(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Self::None => return None,
            Self::Opcode(name) => ("opcode", name.clone()),
            Self::Modifier(opcode, name) => ("modifier", format!("{opcode} {name}")),
            Self::Special(name) => ("special", name.clone()),
            Self::Directive(name) => ("directive", name.clone()),
            Self::Target(name) => ("target", name.clone()),
            Self::Version(name) => ("version", name.clone()),
            Self::Constant(name) => ("constant", name.clone()),
            Self::Declared(name, at) => ("declared", format!("{at} {name}")),
        })
    }

    /// The topic that [`Topic::parts`] serialized.
    pub fn from_parts(kind: &str, word: &str) -> Self {
        let word = word.to_owned();
        let pair = || word.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()));
        match kind {
            "opcode" => Self::Opcode(word),
            "modifier" => pair().map_or(Self::None, |(opcode, name)| Self::Modifier(opcode, name)),
            "special" => Self::Special(word),
            "directive" => Self::Directive(word),
            "target" => Self::Target(word),
            "version" => Self::Version(word),
            "constant" => Self::Constant(word),
            "declared" => {
                pair().and_then(|(at, name)| Some(Self::Declared(name, at.parse().ok()?))).unwrap_or_default()
            }
            _ => Self::None,
        }
    }
}

/// The documentation of an item, in Markdown. The module's version and target are read from the snapshot, which may be
/// newer than the one that produced the item.
pub fn documentation(snapshot: &Snapshot, topic: &Topic) -> Option<String> {
    let known = environment(snapshot);
    let known = Some(&known);
    let page: MarkdownPage = match topic {
        Topic::None => return None,
        Topic::Opcode(name) => {
            let opcode = ISA.opcode(name.split('.').next().unwrap_or(name))?;
            describe::entries(opcode, |e| e.name == name, known)
        }
        Topic::Modifier(opcode, name) => {
            let opcode = ISA.opcode(opcode)?;
            let takes = |e: &&ptx_isa::tables::Entry| {
                e.forms.iter().flat_map(|f| f.slots).any(|s| s.values.contains(&name.as_str()))
            };
            let entry = opcode.entries.iter().find(takes).or(opcode.entries.first())?;
            describe::modifier(opcode, entry, name, None, known)
        }
        Topic::Special(name) => {
            let register = ISA.special_register(name.split('.').next().unwrap_or(name))?;
            describe::special_register(register, name, known)
        }
        Topic::Directive(name) => match ISA.directive(name) {
            Some(directive) if name.starts_with('"') => describe::directive(directive, known),
            _ => describe::dot_word(name, known),
        },
        Topic::Target(name) => describe::target(name, known)?,
        Topic::Version(name) => describe::version(ptx_analysis::target::version(name)?)?,
        Topic::Constant(name) => describe::constant(ISA.constant(name)?, known),
        Topic::Declared(name, at) => {
            let at = snapshot.leaf(*at..*at)?;
            let found = ptx_analysis::names::find(snapshot, at, name)?;
            let place = found.declarator.child_by_field_id(ptx_syntax::fields().name).unwrap_or(found.declarator);
            return crate::hover(snapshot, place.start_byte(), None).map(|h| h.markdown);
        }
    };
    Some(page.finish()).filter(|text| !text.is_empty())
}
