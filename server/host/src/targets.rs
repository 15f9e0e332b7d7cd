//! The targets for which a group of statements is meant.

use ptx_analysis::{InlineTarget, TargetSet};
use ptx_embed::Wanted;
use ptx_isa::tables::Version;

/// The targets of a file, of which comments and conditions in it may leave some for a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostTargets {
    /// The targets.
    pub targets: TargetSet,
    /// Whether they decide alone, whatever the file says.
    pub forced: bool,
}

impl HostTargets {
    /// The targets that decide alone.
    pub fn forced(targets: TargetSet) -> Self {
        Self { targets, forced: true }
    }

    /// The targets that are left for a group. None: it is never compiled.
    pub fn of(&self, wanted: &Wanted) -> TargetSet {
        if self.forced || wanted.is_anything() {
            return self.targets.clone();
        }
        let version = |(major, minor): (u8, u8)| Version { major: major.into(), minor: minor.into() };
        if let Some(comment) = &wanted.comment {
            let asked = comment.version.map(version);
            let named = comment.targets.iter().map(String::as_str);
            match TargetSet::named(named, asked) {
                Ok(set) if !set.is_empty() => return set,
                // A name that does not exist says nothing.
                _ => {
                    if let Some(version) = asked {
                        return self.targets.with_version(version);
                    }
                }
            }
        }
        let excludes = |target: &InlineTarget| {
            let (number, letter) = target.number();
            let small = |n: u16| u8::try_from(n).unwrap_or(u8::MAX);
            wanted.excludes(number, letter, (small(target.version.major), small(target.version.minor)))
        };
        self.targets.filtered(|target| !excludes(target))
    }
}
