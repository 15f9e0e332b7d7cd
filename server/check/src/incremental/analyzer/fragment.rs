//! The check of a text that is part of another language: its version, target and outer names are not written in it.

use super::contents::{CheckContext, check_contents};
use super::record::is_remembered;
use crate::actions::Actions;
use crate::declarations::{self, CheckSettings};
use crate::diagnostic::Diagnostic;
use crate::memo::Statements;
use crate::recovery;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::hash::hash_of;
use ptx_sema::hir::module::{Header, ModuleItem, ModuleSymbol, items};
use ptx_sema::hir::signature::Signatures;
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::target::Environment;
use ptx_syntax::Snapshot;

/// The names that a text inside another language does not declare itself.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// Names with their symbols.
    pub symbols: Vec<(String, Symbol)>,
    /// Names of integer constants of unknown value.
    pub unknown: Vec<Box<str>>,
}

/// A text inside another language, to be checked for several targets. It must contain one function, around the text.
pub(crate) struct Fragment<'s> {
    snapshot: &'s Snapshot,
    items: Vec<ModuleItem<'s>>,
    header: Header,
    /// The diagnostics outside of the function, which do not depend on the target.
    outside: Vec<Diagnostic>,
}

impl<'s> Fragment<'s> {
    /// Prepares the check. `environment` stands for all those for which it will be checked.
    pub(crate) fn new(snapshot: &'s Snapshot, names: Outside, environment: &Environment) -> Self {
        let items = items(snapshot);
        let settings = CheckSettings { environment: Some(environment.clone()), ..CheckSettings::default() };
        let mut outside = Vec::new();
        let mut header =
            declarations::header(snapshot, &items, &settings, &mut Signatures::default(), &|_| None, &mut outside);
        recovery::complete(snapshot, &mut outside);
        for (name, symbol) in names.symbols {
            header.symbols.entry(name).or_insert_with(|| ModuleSymbol::new(symbol, 0, 0..0));
        }
        header.inline = Some(names.unknown.into_iter().collect());
        header.seal(items.len());
        Self { snapshot, items, header, outside }
    }

    /// Checks the text for one version and target. Returns the diagnostics in text order, and what the instructions do.
    pub(crate) fn check(
        &mut self,
        environment: &Environment,
        mnemonics: &mut MnemonicCache,
    ) -> (Vec<Diagnostic>, Actions) {
        self.header.environment.clone_from(environment);
        let state = hash_of(environment);
        let mut found = self.outside.clone();
        let mut actions = Actions::default();
        let context =
            CheckContext { snapshot: self.snapshot, plain: &[], header: &self.header, environment: state, lints: None };
        for (index, item) in self.items.iter().enumerate().filter(|(_, item)| is_remembered(item.node)) {
            let mut statements = Statements::forgetful();
            let (checked, _) = check_contents(&context, item, index, mnemonics, &mut statements, None);
            found.extend(checked.found.into_iter().map(|d| d.shifted(item.range.start)));
            actions.extend(checked.actions, item.range.start);
        }
        for diagnostic in &mut found {
            diagnostic.resolve(|_| None);
        }
        recovery::prune(self.snapshot, &self.items, &mut found);
        found.sort_by_key(|d| (d.range.start, d.range.end));
        found.dedup();
        (found, actions)
    }

    /// The items of the text.
    pub(crate) fn items(&self) -> &[ModuleItem<'s>] {
        &self.items
    }
}
