//! The items of a module and what it declares: everything outside of function bodies.

use crate::hir::hash::{hash, mix};
use crate::hir::lower::named_children;
use crate::hir::signature::Signature;
use crate::hir::symbols::Symbol;
use crate::target::Environment;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// A top-level item of a module: the unit that is checked and cached.
#[derive(Debug, Clone)]
pub struct ModuleItem<'tree> {
    /// The node. A function that lacks its closing brace has the rest of the file for its node: then [`ModuleItem::range`]
    /// ends where the next function begins.
    pub node: Node<'tree>,
    /// Byte range in the file.
    pub range: Range<usize>,
    /// The next function stands inside of this one's block: a `}` is missing.
    pub unclosed: bool,
}

/// The items of a module, in order.
pub fn items(snapshot: &Snapshot) -> Vec<ModuleItem<'_>> {
    snapshot.roots().flat_map(|root| items_of(snapshot, root)).collect()
}

/// The items of one chunk of a text, given its root node.
pub fn items_of<'tree>(snapshot: &Snapshot, root: Node<'tree>) -> Vec<ModuleItem<'tree>> {
    let mut out = Vec::new();
    if root.is_error() && begins_function(root) {
        // The parser found no way to end the function, so that not even the root is what it should be.
        add_error(snapshot, root, &mut out);
        return out;
    }
    let mut cursor = root.walk();
    let mut more = cursor.goto_first_child();
    while more {
        add_item(snapshot, cursor.node(), &mut out);
        more = cursor.goto_next_sibling();
    }
    out
}

fn begins_function(root: Node<'_>) -> bool {
    let k = kinds();
    let first = named_children(root).find(|n| n.kind_id() != k.comment && n.kind_id() != k.preprocessor_line);
    first.is_some_and(|n| n.kind_id() == k.linkage || n.kind_id() == k.function_kind)
}

fn add_item<'tree>(snapshot: &Snapshot, node: Node<'tree>, out: &mut Vec<ModuleItem<'tree>>) {
    let k = kinds();
    let kind = node.kind_id();
    if kind == k.comment || kind == k.preprocessor_line {
        return;
    }
    if node.is_error() {
        return add_error(snapshot, node, out);
    }
    let range = node.byte_range();
    let mut nested = Vec::new();
    // Only where something is wrong can an item stand inside another one.
    if (kind == k.function || kind == k.block || kind == k.section_directive)
        && node.has_error()
        && names_function(snapshot, node)
    {
        find_nested(node, &mut nested);
    }
    let Some(first) = nested.first().map(Node::start_byte) else {
        return out.push(ModuleItem { node, range, unclosed: false });
    };
    out.push(ModuleItem { node, range: range.start..first, unclosed: true });
    for inner in nested {
        add_item(snapshot, inner, out);
    }
}

/// An error node at the top: what was understood inside of it is looked at as if it stood outside. With the word `.entry` or
/// `.func` in it, it is a function whose end was never found, and its statements are that function's.
fn add_error<'tree>(snapshot: &Snapshot, node: Node<'tree>, out: &mut Vec<ModuleItem<'tree>>) {
    let k = kinds();
    let children: Vec<Node<'tree>> = named_children(node).collect();
    let function = children.iter().position(|n| n.kind_id() == k.function_kind);
    let next = children.iter().position(|n| n.kind_id() == k.function);
    let inner: &[Node<'tree>] = match (function, next) {
        (Some(_), Some(next)) => &children[next..],
        (Some(_), None) => &[],
        (None, _) => {
            let first =
                children.iter().position(|n| n.kind_id() == k.function || n.kind_id() == k.variable_declaration);
            first.map_or(&[], |first| &children[first..])
        }
    };
    let end = inner.first().map_or(node.end_byte(), Node::start_byte);
    out.push(ModuleItem { node, range: node.start_byte()..end, unclosed: false });
    for child in inner {
        add_item(snapshot, *child, out);
    }
}

/// Whether an item is a function, or the beginning of one that never ends.
pub fn is_function(node: Node<'_>) -> bool {
    let k = kinds();
    node.kind_id() == k.function || (node.is_error() && named_children(node).any(|n| n.kind_id() == k.function_kind))
}

/// The head of a function that has a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Where that stands, in the file.
    pub range: Range<usize>,
    /// `.entry`.
    pub kernel: bool,
}

/// The function that an item defines, if it does and its end was found.
pub fn definition(snapshot: &Snapshot, item: &ModuleItem<'_>) -> Option<Definition> {
    let f = fields();
    let name = item.node.child_by_field_id(f.name).filter(|_| is_function(item.node) && !item.unclosed)?;
    item.node.child_by_field_id(f.body)?;
    let kind = item.node.child_by_field_id(f.kind);
    Some(Definition {
        name: snapshot.text(name.byte_range()).into_owned(),
        range: name.byte_range(),
        kernel: kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry"),
    })
}

/// Whether the word that begins a function stands in a node, but for its own head: that is told from the text sooner than from a tree with
/// thousands of statements.
fn names_function(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let start = node.child_by_field_id(fields().body).map_or(node.start_byte(), |body| body.start_byte());
    let text = snapshot.text(start..node.end_byte());
    [".func", ".entry"].iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// The first function inside of a body, and everything that follows it.
fn find_nested<'tree>(node: Node<'tree>, out: &mut Vec<Node<'tree>>) {
    let k = kinds();
    for child in named_children(node) {
        let kind = child.kind_id();
        if !out.is_empty() || (kind == k.function && node.kind_id() != k.source_file) {
            out.push(child);
        } else if kind == k.block && child.has_error() {
            find_nested(child, out);
        }
    }
}

/// A name of the module.
#[derive(Debug, Clone)]
pub struct ModuleSymbol {
    /// What it is.
    pub symbol: Symbol,
    /// The item that declares it first.
    pub item: usize,
    /// A function with a body, or a variable that is not `.extern`.
    pub defined: bool,
    /// Where its name stands in the first declaration, in the file.
    pub place: Range<usize>,
    /// The signature of a function, where it is known.
    pub signature: Option<Arc<Signature>>,
    /// The linking directive of the first declaration.
    pub linkage: Option<&'static str>,
    /// The initializer of a table of functions.
    pub table: Option<Box<str>>,
}

impl ModuleSymbol {
    /// A name that is declared so, and nothing more.
    pub fn new(symbol: Symbol, item: usize, place: Range<usize>) -> Self {
        Self { symbol, item, defined: true, place, signature: None, linkage: None, table: None }
    }
}

/// What the module says of itself and declares.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// Version, target, address size.
    pub environment: Environment,
    /// Names.
    pub symbols: HashMap<String, ModuleSymbol>,
    /// The numbers of its files, for `.loc`.
    pub files: BTreeSet<u32>,
    /// The item that is the first function with a body.
    pub first_body: Option<usize>,
    /// What `.alias` directives stand for, by the name that they give; `None` where they are wrong.
    pub aliases: HashMap<Box<str>, Option<Box<str>>>,
    /// By item: the fingerprint of the names that it sees ([`Self::names_seen_by`]).
    seen: Vec<u64>,
}

impl Header {
    /// What a name stands for in an item: only what is declared before counts.
    pub fn look_up(&self, name: &str, item: usize) -> Option<Symbol> {
        let found = self.symbols.get(name)?;
        // What was declared wrongly is no second mistake where it is used.
        (found.item <= item || found.symbol == Symbol::Unknown).then_some(found.symbol)
    }

    /// Computes the fingerprints. Call it after the last declaration; `items` is the number of items.
    pub fn seal(&mut self, items: usize) {
        self.seen = vec![0; items];
        for (name, symbol) in &self.symbols {
            let mut hasher = FxHasher::default();
            symbol.symbol.hash(&mut hasher);
            let first = if symbol.symbol == Symbol::Unknown { 0 } else { symbol.item };
            if let Some(seen) = self.seen.get_mut(first) {
                // A sum, since the table has no order.
                *seen = seen.wrapping_add(mix(hash(name), hasher.finish()));
            }
        }
        let mut all = 0_u64;
        for seen in &mut self.seen {
            all = all.wrapping_add(*seen);
            *seen = all;
        }
    }

    /// A fingerprint of all names that [`Self::look_up`] finds in an item, with their meanings.
    pub fn names_seen_by(&self, item: usize) -> u64 {
        self.seen.get(item).copied().unwrap_or(0)
    }
}

/// Names of the module that a function used, and what they were.
pub type Dependencies = Vec<(Box<str>, Option<Symbol>)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_is_an_error_is_one_item() {
        let broken = ".weak .func (.param .b32 r) f(.reg .b32\" a, .param .align 8 .b8 b[16]) .noreturn;\n";
        let text = format!(".version 8.0\n.target sm_80\n{broken}.func g()\n{{\n    ret;\n}}\n");
        let snapshot = Snapshot::with_chunk_size(&text, 1, 1);
        assert!(snapshot.roots().any(|root| root.is_error()));
        let found = items(&snapshot);
        let kinds: Vec<&str> = found.iter().map(|i| i.node.kind()).collect();
        assert_eq!(kinds, ["version_directive", "target_directive", "ERROR", "function"]);
        assert_eq!(text[found[2].range.clone()].trim_end(), broken.trim_end());
    }
}
