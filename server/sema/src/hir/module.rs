//! The items of a module and its declarations: everything outside of function bodies.

use crate::hir::hash::{hash, mix};
use crate::hir::signature::Signature;
use crate::hir::symbols::Symbol;
use crate::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// A top-level item of a module: the unit that is checked and cached.
#[derive(Debug, Clone)]
pub struct ModuleItem<'tree> {
    /// The syntax node. The node of a function without a closing brace extends over the rest of the file;
    /// [`ModuleItem::range`] then ends at the start of the next function.
    pub node: Node<'tree>,
    /// Byte range in the file.
    pub range: Range<usize>,
    /// Whether a `}` is missing, so that the next function is inside this one's block.
    pub unclosed: bool,
}

/// The items of a module, in order.
pub fn items(snapshot: &Snapshot) -> Vec<ModuleItem<'_>> {
    snapshot.roots().flat_map(|root| items_of(snapshot, root)).collect()
}

/// The items of one chunk of the text with the root node `root`.
pub fn items_of<'tree>(snapshot: &Snapshot, root: Node<'tree>) -> Vec<ModuleItem<'tree>> {
    let mut out = Vec::new();
    if root.is_error() && begins_function(root) {
        // The parser could not recover the end of the function, so even the root is an error node.
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
    // An item is inside another one only after a syntax error.
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

/// Handles an error node at the top level: its valid parts are treated as top-level nodes. If it contains `.entry` or
/// `.func`, it is a function whose end was never found, and its statements belong to that function.
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

/// A function with a body: its name and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The byte range of its name in the file.
    pub range: Range<usize>,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
}

/// The function that an item defines, if it has a body and its end was found.
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

/// Whether a node's text contains `.func` or `.entry` after the node's own header. Searching the text is faster than walking
/// a tree with thousands of statements.
fn names_function(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let start = node.child_by_field_id(fields().body).map_or(node.start_byte(), |body| body.start_byte());
    let text = snapshot.text(start..node.end_byte());
    [".func", ".entry"].iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// The first function inside a body, and everything that follows it.
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
    /// Its symbol.
    pub symbol: Symbol,
    /// The index of the item that declares it first.
    pub item: usize,
    /// Whether it is declared more than once.
    pub repeated: bool,
    /// Whether it is a function with a body, or a variable that is not `.extern`.
    pub defined: bool,
    /// The byte range of its name in the first declaration, in the file.
    pub place: Range<usize>,
    /// The signature, for a function with a known one.
    pub signature: Option<Arc<Signature>>,
    /// The linking directive of the first declaration.
    pub linkage: Option<&'static str>,
    /// The text of the initializer of a table of functions.
    pub table: Option<Box<str>>,
}

impl ModuleSymbol {
    /// A defined name with a symbol and a position only.
    pub fn new(symbol: Symbol, item: usize, place: Range<usize>) -> Self {
        Self { symbol, item, repeated: false, defined: true, place, signature: None, linkage: None, table: None }
    }

    /// A name in text with a syntax error.
    pub fn lost(item: usize) -> Self {
        Self { defined: false, ..Self::new(Symbol::Unknown, item, 0..0) }
    }
}

/// The environment and the declarations of a module: everything that its functions can see.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// PTX version, target and address size.
    pub environment: Environment,
    /// The declared names.
    pub symbols: HashMap<String, ModuleSymbol>,
    /// The numbers of its `.file` directives, for `.loc`.
    pub files: BTreeSet<u32>,
    /// The index of the item that is the first function with a body.
    pub first_body: Option<usize>,
    /// Whether the bodies of all functions were found. If syntax errors split one, its rest looks like other items.
    pub complete: bool,
    /// The functions to which `.alias` directives refer, by alias; `None` for an invalid directive.
    pub aliases: HashMap<Box<str>, Option<Box<str>>>,
    /// For a text inside another language: the names that stand for integers of unknown value, and whether to note what its
    /// instructions do.
    pub inline: Option<HashSet<Box<str>>>,
    /// Indexed by item: the fingerprint of the names that it sees ([`Self::names_seen_by`]).
    seen: Vec<u64>,
}

impl Header {
    /// The symbol of a name in an item: only declarations in the same or an earlier item count.
    pub fn look_up(&self, name: &str, item: usize) -> Option<Symbol> {
        let found = self.symbols.get(name)?;
        // A name with an invalid declaration causes no second error where it is used.
        (found.item <= item || found.symbol == Symbol::Unknown).then_some(found.symbol)
    }

    /// Adds a name unless it is declared already.
    pub fn declare(&mut self, name: String, symbol: ModuleSymbol) {
        self.symbols.entry(name).and_modify(|first| first.repeated = true).or_insert(symbol);
    }

    /// Computes the fingerprints. Call it after the last declaration; `items` is the number of items.
    pub fn seal(&mut self, items: usize) {
        self.seen = vec![0; items];
        for (name, symbol) in &self.symbols {
            let mut hasher = FxHasher::default();
            symbol.symbol.hash(&mut hasher);
            let first = if symbol.symbol == Symbol::Unknown { 0 } else { symbol.item };
            if let Some(seen) = self.seen.get_mut(first) {
                // A sum, because the hash map has no order.
                *seen = seen.wrapping_add(mix(hash(name), hasher.finish()));
            }
        }
        let mut all = 0_u64;
        for seen in &mut self.seen {
            all = all.wrapping_add(*seen);
            *seen = all;
        }
    }

    /// A fingerprint of all names that [`Self::look_up`] finds in an item, with their symbols.
    pub fn names_seen_by(&self, item: usize) -> u64 {
        self.seen.get(item).copied().unwrap_or(0)
    }
}

/// The module names that a function used, with the symbol that each had (`None`: undeclared).
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
