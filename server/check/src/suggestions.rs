//! Similar names for undeclared ones, kept from one check of a function to the next.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::rules::undeclared_name::{
    DeclaredName, MAX_SUGGESTIONS, Similarity, UndeclaredKind, add_similar, undeclared,
};
use ptx_sema::hir::hash::{hash, mix};
use rustc_hash::FxHashMap as HashMap;

/// The most similar names of the last check of a function. A function with many undeclared names would otherwise be compared with all
/// its declared names at each keystroke.
#[derive(Debug, Default)]
pub(crate) struct Suggestions {
    /// The hash of the declared names with their kinds. With others, nothing here counts.
    declared: u64,
    /// By the hash of a written name and of what it should be.
    near: HashMap<u64, Similarity>,
}

impl Suggestions {
    /// Adds the most similar name to each report about a function. `declared` are the names declared in it. This is done after all checks, so
    /// that the help depends only on the text, not on which diagnostics came from the cache.
    pub(crate) fn add_to<'n>(
        &mut self,
        diagnostics: &mut [Diagnostic],
        declared: impl FnOnce() -> Vec<DeclaredName<'n>>,
    ) {
        // Nearly all functions have no such report; then the names need not be hashed.
        if !diagnostics.iter().any(|d| d.code() == Code::UndeclaredName) {
            *self = Self::default();
            return;
        }
        let declared = declared();
        let one = |name: &DeclaredName<'_>| mix(mix(hash(name.name), hash(name.space)), hash(name.ty));
        let names = declared.iter().fold(0, |all, name| mix(all, one(name)));
        let mut earlier = std::mem::take(self);
        if earlier.declared != names {
            earlier = Self::default();
        }
        self.declared = names;
        let reports = diagnostics.iter_mut().filter(|d| d.code() == Code::UndeclaredName);
        for diagnostic in reports.take(MAX_SUGGESTIONS) {
            let Some(name) = undeclared(diagnostic) else { continue };
            let key = mix(hash(&name.name), kind_of(name.kind));
            let similar = self.near.entry(key).or_insert_with(|| {
                earlier.near.remove(&key).unwrap_or_else(|| Similarity::of(&name.name, name.kind, &declared))
            });
            add_similar(diagnostic, similar);
        }
    }
}

/// A number for what a name should be.
fn kind_of(kind: UndeclaredKind) -> u64 {
    match kind {
        UndeclaredKind::Operand => 0,
        UndeclaredKind::Guard => 1,
        UndeclaredKind::Label => 2,
        UndeclaredKind::InnerLabel => 3,
        UndeclaredKind::Function => 4,
        UndeclaredKind::BranchList => 5,
        UndeclaredKind::Address(spaces) => spaces.iter().fold(6, |all, space| mix(all, hash(space))),
    }
}
