//! Looks up names in a function.

use super::Body;
use crate::memo::NameMeaning;
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::module::Header;
use ptx_sema::hir::signature::Callee;
use ptx_sema::hir::symbols::{NameScope, Symbol};
use rustc_hash::FxHashSet;

/// The scopes in which names are looked up.
pub(super) struct Surroundings<'b, 't> {
    pub(super) scope: &'b NameScope<'t>,
    pub(super) lost: &'b FxHashSet<&'t str>,
    pub(super) header: &'b Header,
    pub(super) item: usize,
}

impl Surroundings<'_, '_> {
    pub(super) fn meaning(&self, name: &str) -> NameMeaning {
        if let Some(declared) = self.scope.get(name) {
            return NameMeaning { symbol: Some(declared.symbol), module: false };
        }
        let lost = || self.lost.contains(name).then_some(Symbol::Unknown);
        NameMeaning { symbol: self.header.look_up(name, self.item).or_else(lost), module: true }
    }
}

impl NameLookup for Body<'_, '_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        let meaning = self.surroundings().meaning(name);
        if meaning.module {
            self.depend(name);
        }
        self.statements.note(name, meaning);
        meaning.symbol
    }

    fn has_option(&self, name: &str) -> bool {
        self.header.environment.options.contains(&name)
    }

    fn callees(&self, name: &str) -> Vec<Callee> {
        if let Some(declared) = self.scope.get(name) {
            return match declared.symbol {
                Symbol::Targets { content, .. } | Symbol::Function { signature: content, .. } => {
                    self.callees.get(&content).cloned().unwrap_or_default()
                }
                _ => Vec::new(),
            };
        }
        let Some(symbol) = self.header.symbols.get(name).filter(|s| s.item <= self.item) else { return Vec::new() };
        let Some(table) = &symbol.table else {
            return vec![Callee { name: name.into(), prototype: false, signature: symbol.signature.clone() }];
        };
        let functions = functions_of(table).filter_map(|name| {
            self.look_up(name)?;
            let signature = self.header.symbols.get(name)?.signature.clone();
            Some(Callee { name: name.into(), prototype: false, signature })
        });
        functions.collect()
    }
}

/// The names in the initializer of a table of functions.
fn functions_of(table: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    table.split(move |c| !is_name(c)).filter(|name| !name.is_empty())
}

impl<'t> Body<'_, 't> {
    pub(super) fn surroundings(&self) -> Surroundings<'_, 't> {
        Surroundings { scope: &self.scope, lost: &self.lost.inner, header: self.header, item: self.item }
    }

    /// Records that the function depends on a name of the module.
    pub(super) fn depend(&self, name: &str) {
        let mut dependencies = self.dependencies.borrow_mut();
        if !dependencies.contains_key(name) {
            dependencies.insert(name.into(), self.header.look_up(name, self.item));
        }
    }
}
