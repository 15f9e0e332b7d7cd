//! The versions and targets for which a text inside another language may be meant.

use ptx_isa::ISA;
use ptx_isa::tables::{TargetInfo, Version};
use ptx_sema::hir::hash::hash_of;
use ptx_sema::target::{Environment, find_architecture};
use std::sync::{Arc, LazyLock};

/// A PTX version and an architecture.
#[derive(Debug, Clone, Copy)]
pub struct InlineTarget {
    /// The PTX version.
    pub version: Version,
    /// The architecture.
    pub target: &'static TargetInfo,
}

impl PartialEq for InlineTarget {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version && self.target.name == other.target.name
    }
}

impl Eq for InlineTarget {}

impl InlineTarget {
    /// The number of the architecture and its letter: 90 and `a` of `sm_90a`.
    pub fn number(self) -> (u32, Option<char>) {
        let plain = self.target.name.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number = plain.trim_start_matches(|c: char| !c.is_ascii_digit());
        (number.parse().unwrap_or(0), self.target.name[plain.len()..].chars().next())
    }

    /// The environment of a module for this target.
    pub fn environment(self) -> Environment {
        Environment {
            version: Some(self.version),
            target: Some(self.target),
            address_size: 64,
            asked: true,
            ..Environment::default()
        }
    }
}

/// A set of versions and targets, the preferred ones first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetSet {
    targets: Arc<[InlineTarget]>,
    key: u64,
}

impl TargetSet {
    /// All architectures whose multiprocessors the tables describe, and later ones, with the newest version.
    pub fn all() -> Self {
        static ALL: LazyLock<TargetSet> = LazyLock::new(|| {
            let described = |t: &TargetInfo| ISA.multiprocessors.iter().any(|m| m.targets.contains(&t.name));
            let known = ISA.targets.iter().skip_while(|t| !described(t)).filter(|t| !t.features.is_empty());
            TargetSet::of(known.map(|target| InlineTarget { version: ISA.newest(), target }).collect())
        });
        ALL.clone()
    }

    /// The architectures with these names, such as `sm_90a` or `compute_80`; without a version with the newest one.
    ///
    /// # Errors
    /// Returns the first name that no architecture has.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>, version: Option<Version>) -> Result<Self, String> {
        let version = version.unwrap_or_else(|| ISA.newest());
        let find = |name: &str| find_architecture(name).ok_or_else(|| name.to_owned());
        let targets: Result<Vec<_>, _> = names.into_iter().map(find).collect();
        Ok(Self::of(targets?.into_iter().map(|target| InlineTarget { version, target }).collect()))
    }

    fn of(mut targets: Vec<InlineTarget>) -> Self {
        // A target with a letter has the features of its family, so it accepts most.
        let rank = |t: &InlineTarget| {
            let plain = t.target.name.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let letter = match &t.target.name[plain.len()..] {
                "a" => 2,
                "" => 1,
                _ => 0,
            };
            let place = ISA.targets.iter().position(|other| other.name == t.target.name);
            std::cmp::Reverse((letter, place, t.version))
        };
        targets.sort_by_key(rank);
        targets.dedup();
        Self::sorted(targets)
    }

    fn sorted(targets: Vec<InlineTarget>) -> Self {
        let key = hash_of(&targets.iter().map(|t| (t.version, t.target.name)).collect::<Vec<_>>());
        Self { targets: targets.into(), key }
    }

    /// The targets of the set for which `keep` returns true.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(&InlineTarget) -> bool) -> Self {
        if self.targets.iter().all(&keep) {
            return self.clone();
        }
        Self::sorted(self.targets.iter().filter(|t| keep(t)).copied().collect())
    }

    /// The same targets with another version.
    #[must_use]
    pub fn with_version(&self, version: Version) -> Self {
        Self::sorted(self.targets.iter().map(|t| InlineTarget { version, ..*t }).collect())
    }

    /// The targets, the preferred ones first.
    pub fn targets(&self) -> &[InlineTarget] {
        &self.targets
    }

    /// Whether it has no target: then nothing is checked.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// A hash of the set.
    pub fn key(&self) -> u64 {
        self.key
    }
}

impl Default for TargetSet {
    fn default() -> Self {
        Self::all()
    }
}
