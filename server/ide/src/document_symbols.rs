//! The outline of a module.

use crate::demangle::{Demangled, demangle, distinct_names};
use ptx_analysis::ModuleItem;
use ptx_analysis::module::items_of;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSymbol {
    /// The name, in its demangled short form; never empty.
    pub name: String,
    /// The name in the source, if it is mangled.
    pub mangled: Option<String>,
    /// A short detail such as the type, followed by the mangled name if there is one; may be empty.
    pub detail: String,
    /// The kind of the entry.
    pub kind: SymbolKind,
    /// Byte range of the whole declaration.
    pub range: Range<usize>,
    /// Byte range of the name, within `range`.
    pub selection: Range<usize>,
    /// Its members, in the order of the text.
    pub children: Vec<OutlineSymbol>,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// An `.entry`.
    Kernel,
    /// A `.func`.
    Function,
    /// A parameter or result.
    Parameter,
    /// A label.
    Label,
    /// A variable in memory.
    Variable,
    /// An `.alias`.
    Alias,
    /// A `.section`.
    Section,
}

/// The outline of a module: functions with their parameters, labels and variables in memory; module-level variables,
/// aliases and sections. Registers are left out, since there are hundreds of them without meaningful names; so are labels with
/// such names, and the parameters of calls.
pub fn document_symbols(snapshot: &Snapshot) -> Vec<OutlineSymbol> {
    outline(&Outline { snapshot, deep: true })
}

/// The symbols for workspace search: functions, kernels, variables and aliases of the module, without their members.
pub fn module_symbols(snapshot: &Snapshot) -> Vec<OutlineSymbol> {
    let mut out = outline(&Outline { snapshot, deep: false });
    out.retain(|s| !matches!(s.kind, SymbolKind::Label | SymbolKind::Section));
    out
}

fn outline(outline: &Outline<'_>) -> Vec<OutlineSymbol> {
    let mut out = Vec::new();
    for root in outline.snapshot.roots() {
        if root.is_error() {
            outline.broken(root, usize::MAX, &mut out);
        } else {
            outline.items(items_of(outline.snapshot, root), &mut out);
        }
    }
    demangled(&mut out);
    out
}

/// Replaces mangled names by their demangled short forms, which differ among siblings where the names do.
fn demangled(symbols: &mut [OutlineSymbol]) {
    let demangled_names: Vec<Option<Demangled>> = symbols.iter().map(|symbol| demangle(&symbol.name)).collect();
    let (mangled, names): (Vec<usize>, Vec<Demangled>) =
        demangled_names.into_iter().enumerate().filter_map(|(index, name)| Some((index, name?))).unzip();
    let mut readable = mangled.into_iter().zip(distinct_names(&names)).peekable();
    for (index, symbol) in symbols.iter_mut().enumerate() {
        demangled(&mut symbol.children);
        if let Some((_, name)) = readable.next_if(|(of, _)| *of == index) {
            let mangled = std::mem::replace(&mut symbol.name, name);
            let blank = if symbol.detail.is_empty() { "" } else { " " };
            symbol.detail.push_str(&format!("{blank}{mangled}"));
            symbol.mangled = Some(mangled);
        }
    }
}

struct Outline<'t> {
    snapshot: &'t Snapshot,
    /// Include the members of functions.
    deep: bool,
}

impl Outline<'_> {
    fn items(&self, items: Vec<ModuleItem<'_>>, out: &mut Vec<OutlineSymbol>) {
        let k = kinds();
        for item in items {
            let kind = item.node.kind_id();
            if kind == k.function {
                out.push(self.function(&item));
            } else if kind == k.variable_declaration {
                self.variables(item.node, VariableOwner::Module, out);
            } else if kind == k.alias_directive {
                let aliasee = item.node.child_by_field_id(fields().aliasee).map(|n| format!("= {}", self.text(n)));
                out.extend(self.named(item.node, &item.range, SymbolKind::Alias, aliasee.unwrap_or_default()));
            } else if kind == k.section_directive {
                out.extend(self.named(item.node, &item.range, SymbolKind::Section, String::new()));
            } else if kind == k.label {
                out.extend(self.named(item.node, &item.range, SymbolKind::Label, String::new()));
            } else if item.node.is_error() {
                self.broken(item.node, item.range.end, out);
            } else if kind == k.block {
                // Statements outside of a function are errors, but the outline still lists them.
                self.body(item.node, item.range.end, out);
            }
        }
    }

    fn text(&self, node: Node<'_>) -> String {
        self.snapshot.text(node.byte_range()).into_owned()
    }

    /// An entry for a node with a `name` field; `None` if there is none.
    fn named(&self, node: Node<'_>, range: &Range<usize>, kind: SymbolKind, detail: String) -> Option<OutlineSymbol> {
        let name = node.child_by_field_id(fields().name)?;
        let selection = within(name.byte_range(), range);
        let name = self.text(name);
        let range = range.clone();
        (!name.is_empty()).then(|| OutlineSymbol {
            name,
            mangled: None,
            detail,
            kind,
            range,
            selection,
            children: Vec::new(),
        })
    }

    fn function(&self, item: &ModuleItem<'_>) -> OutlineSymbol {
        let (k, f) = (kinds(), fields());
        let node = item.node;
        let keyword = node.child_by_field_id(f.kind);
        let keyword_text = keyword.map_or_else(String::new, |n| self.text(n));
        let kind = if keyword_text == ".entry" { SymbolKind::Kernel } else { SymbolKind::Function };
        let mut detail = String::new();
        let mut children = Vec::new();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let child_kind = child.kind_id();
            if child_kind == k.linkage {
                detail.push_str(&self.text(child));
                detail.push(' ');
            } else if child_kind == k.parameter_list && self.deep {
                self.parameters(child, &mut children);
            } else if child_kind == k.block && self.deep {
                self.body(child, item.range.end, &mut children);
            }
            more = cursor.goto_next_sibling();
        }
        detail.push_str(&keyword_text);
        let mut symbol = self.named(node, &item.range, kind, String::new()).unwrap_or_else(|| {
            // The user has not written the name yet.
            let selection = within(keyword.unwrap_or(node).byte_range(), &item.range);
            let name = if keyword_text.is_empty() { "function".to_owned() } else { keyword_text };
            OutlineSymbol {
                name,
                mangled: None,
                detail: String::new(),
                kind,
                range: item.range.clone(),
                selection,
                children: Vec::new(),
            }
        });
        symbol.detail = detail;
        symbol.children = children;
        symbol
    }

    /// Adds the parts of an error node that contains one or several functions. `end` is where the next item begins.
    fn broken(&self, node: Node<'_>, end: usize, out: &mut Vec<OutlineSymbol>) {
        let k = kinds();
        let mut current: Option<OutlineSymbol> = None;
        let mut named = false;
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more && cursor.node().start_byte() < end {
            let child = cursor.node();
            let (kind, range) = (child.kind_id(), child.byte_range());
            if kind == k.function_kind {
                out.extend(current.take());
                let name = self.text(child);
                let kind = if name == ".entry" { SymbolKind::Kernel } else { SymbolKind::Function };
                let (detail, selection) = (name.clone(), range.clone());
                current =
                    Some(OutlineSymbol { name, mangled: None, detail, kind, range, selection, children: Vec::new() });
                named = false;
            } else if kind == k.function {
                out.extend(current.take());
                out.push(self.function(&ModuleItem { node: child, range, unclosed: false }));
            } else {
                if let Some(symbol) = current.as_mut() {
                    symbol.range.end = range.end;
                    if !named && (kind == k.identifier || kind == k.register) {
                        (symbol.name, symbol.selection, named) = (self.text(child), range, true);
                    }
                }
                let into = current.as_mut().map_or(&mut *out, |s| &mut s.children);
                if kind == k.parameter_list {
                    self.parameters(child, into);
                } else {
                    self.statement(child, end, into);
                }
            }
            more = cursor.goto_next_sibling();
        }
        out.extend(current);
    }

    fn parameters(&self, list: Node<'_>, out: &mut Vec<OutlineSymbol>) {
        let (k, f) = (kinds(), fields());
        let mut cursor = list.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let node = cursor.node();
            if node.kind_id() == k.parameter
                && let Some(name) = node.child_by_field_id(f.name)
                && name.kind_id() != k.sink
            {
                let detail = self.type_of(node, name);
                out.extend(self.named(node, &node.byte_range(), SymbolKind::Parameter, detail));
            }
            more = cursor.goto_next_sibling();
        }
    }

    /// A declaration without its name: `.param .u64 .ptr .global`, `.shared .align 4 .f32 [64]`.
    fn type_of(&self, node: Node<'_>, name: Node<'_>) -> String {
        let before = self.snapshot.text(node.start_byte()..name.start_byte().max(node.start_byte()));
        let mut out = before.split_whitespace().collect::<Vec<_>>().join(" ");
        let sizes = self.snapshot.text(name.end_byte()..node.end_byte().min(name.end_byte() + 64));
        if sizes.trim_start().starts_with('[')
            && let Some(end) = sizes.rfind(']')
        {
            out.push(' ');
            out.push_str(sizes[..=end].trim());
        }
        out
    }

    fn variables(&self, node: Node<'_>, owner: VariableOwner, out: &mut Vec<OutlineSymbol>) {
        let (k, f) = (kinds(), fields());
        let space = node.child_by_field_id(f.space);
        let is_space = |name: &str| space.is_some_and(|s| s.byte_range().len() == name.len() && self.text(s) == name);
        if is_space(".reg") || (owner == VariableOwner::Body && is_space(".param")) {
            return;
        }
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        let mut first = None;
        while more {
            let declarator = cursor.node();
            if declarator.kind_id() == k.declarator
                && let Some(name) = declarator.child_by_field_id(f.name)
            {
                let first = *first.get_or_insert(declarator.start_byte());
                let head = self.snapshot.text(node.start_byte()..first);
                let mut detail = head.split_whitespace().collect::<Vec<_>>().join(" ");
                detail.push_str(&self.sizes(declarator));
                // The first variable has the range of the whole statement, so that every offset in it belongs to a
                // variable.
                let range = if first == declarator.start_byte() { node.byte_range() } else { declarator.byte_range() };
                let selection = within(name.byte_range(), &range);
                let name = self.text(name);
                if !name.is_empty() {
                    let kind = SymbolKind::Variable;
                    out.push(OutlineSymbol {
                        name,
                        mangled: None,
                        detail,
                        kind,
                        range,
                        selection,
                        children: Vec::new(),
                    });
                }
            }
            more = cursor.goto_next_sibling();
        }
    }

    fn sizes(&self, declarator: Node<'_>) -> String {
        let mut out = String::new();
        let mut cursor = declarator.walk();
        let mut more = cursor.goto_first_child();
        while more {
            if cursor.node().kind_id() == kinds().array_suffix {
                if out.is_empty() {
                    out.push(' ');
                }
                out.push_str(&self.text(cursor.node()));
            }
            more = cursor.goto_next_sibling();
        }
        out
    }

    /// Adds the labels and variables of a body and its inner blocks, up to `end`, where the next function begins.
    fn body(&self, block: Node<'_>, end: usize, out: &mut Vec<OutlineSymbol>) {
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more && cursor.node().start_byte() < end {
            self.statement(cursor.node(), end, out);
            more = cursor.goto_next_sibling();
        }
    }

    fn statement(&self, node: Node<'_>, end: usize, out: &mut Vec<OutlineSymbol>) {
        let k = kinds();
        let kind = node.kind_id();
        if kind == k.label {
            let label = self.named(node, &node.byte_range(), SymbolKind::Label, String::new());
            out.extend(label.filter(|label| !is_of_a_compiler(&label.name)));
        } else if kind == k.variable_declaration {
            self.variables(node, VariableOwner::Body, out);
        } else if kind == k.block {
            self.body(node, end, out);
        }
    }
}

/// Where a variable is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VariableOwner {
    Module,
    Body,
}

/// Whether a label has a name that compilers give: `$L__BB0_2`, `LBB0_2`, `BB0_2`, `$Lt_0_1`, `$L__tmp3`. A file has thousands of them.
fn is_of_a_compiler(label: &str) -> bool {
    let name = label.trim_start_matches('$');
    let numbers = |rest: &str| rest.split('_').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let block = name.strip_prefix("BB").or_else(|| name.strip_prefix("LBB"));
    name.starts_with("L__") || name.strip_prefix("Lt_").or(block).is_some_and(numbers)
}

/// A range clamped to another one.
fn within(range: Range<usize>, outer: &Range<usize>) -> Range<usize> {
    let start = range.start.clamp(outer.start, outer.end);
    start..range.end.clamp(start, outer.end)
}
