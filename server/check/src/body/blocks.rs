//! Checks blocks within a function. Compilers put each call into a block, so a block without diagnostics is reused from the
//! cache as a whole if nothing around it has changed.

use super::children::Children;
use super::{Body, BodyState};
use crate::memo::Inside;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::hash::{hash, mix};
use ptx_syntax::Node;
use std::ops::Range;

/// Mixed into the hash of declarations where a block begins.
const BLOCK: u64 = 0x7b;

impl<'t> Body<'_, 't> {
    /// Checks a block among the statements of another block.
    pub(super) fn inner_block(&mut self, children: &mut Children<'_>, index: usize, before: BodyState) {
        let BodyState { state, own } = before;
        let Some(known) = children.get(index).copied() else { return };
        let range = known.range();
        let whole = known.text.or_else(|| {
            let node = children.node(index)?;
            let text = self.source.text.get(range.clone())?;
            // The parser's error recovery depends on more than this text, so the result is not cached.
            (!node.has_error()).then(|| hash(text))
        });
        let key = whole.map(|text| mix(self.environment, text));
        let unaffected = (known.silent == own && self.affected.spare(range.clone())).then_some(own);
        if let Some(inside) = key.and_then(|key| self.statements.recall_block(key, state, unaffected)) {
            self.recall(&inside, &range);
            return children.note(index, whole, own);
        }
        let Some(node) = children.node(index) else { return };
        let found = self.out.len();
        let before = (self.declared.len(), self.lost.ranges.len(), self.all_labels.len(), self.located);
        let outer = std::mem::take(self.dependencies.get_mut());
        self.block(node);
        let names = std::mem::replace(self.dependencies.get_mut(), outer);
        let key = key.filter(|_| self.out.len() == found && self.located == before.3);
        if let Some(key) = key {
            let places = |names: &[&'t str]| names.iter().filter_map(|name| self.place(name, &range)).collect();
            let labels: Vec<&str> = self.all_labels.iter().skip(before.2).map(|label| label.text).collect();
            let inside = Inside {
                own_state: own,
                declared: places(self.declared.get(before.0..).unwrap_or_default()),
                ranges: places(self.lost.ranges.get(before.1..).unwrap_or_default()),
                labels: places(&labels),
                of_module: names.keys().cloned().collect(),
            };
            self.statements.remember_block(key, inside, state);
        }
        let dependencies = self.dependencies.get_mut();
        for (name, symbol) in names {
            dependencies.entry(name).or_insert(symbol);
        }
        children.note(index, whole, if key.is_some() { own } else { 0 });
    }

    /// Applies the effects that checking the block would have had on the function.
    fn recall(&mut self, inside: &Inside, block: &Range<usize>) {
        let text = self.source.text;
        let name = |place: &Range<u32>| text.get(block.start + place.start as usize..block.start + place.end as usize);
        self.declared.extend(inside.declared.iter().filter_map(name));
        self.lost.ranges.extend(inside.ranges.iter().filter_map(name));
        self.all_labels.extend(inside.labels.iter().filter_map(|place| {
            let start = u32::try_from(block.start + place.start as usize).ok()?;
            Some(SourceWord { text: name(place)?, start })
        }));
        for name in &inside.of_module {
            self.depend(name);
        }
    }

    /// The byte range of a name in a block, from the start of the block.
    pub(super) fn place(&self, name: &str, block: &Range<usize>) -> Option<Range<u32>> {
        let start = name.as_ptr().addr().checked_sub(self.source.text.as_ptr().addr())?.checked_sub(block.start)?;
        let start = u32::try_from(start).ok()?;
        Some(start..start + u32::try_from(name.len()).ok()?)
    }

    /// Checks a block: first it declares the labels, since they may be used before their definition, then it checks statement
    /// by statement.
    pub(crate) fn block(&mut self, node: Node<'_>) {
        let outer = (self.declarations, self.own_declarations, self.labels);
        self.depth += 1;
        self.scope.push();
        self.declares(BLOCK);
        self.statements_of(&mut Children::all(node, self.source.base, self.plain));
        self.scope.pop();
        self.depth -= 1;
        (self.declarations, self.own_declarations, self.labels) = outer;
        self.scope_changed();
    }
}
