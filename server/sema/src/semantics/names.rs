//! Finds the declaration and the uses of a name. It visits only the blocks around the position, then the items of the module.

use super::environment;
use crate::forms::operands::NameLookup;
use crate::hir::declared;
use crate::hir::directive_parts::list_kind;
use crate::hir::lower::{self, ItemSource};
use crate::hir::signature::ContentId;
use crate::hir::symbols::{Symbol, TargetListKind, VariableOrigin};
use ptx_syntax::walk::top;

pub use crate::hir::symbols::numbered;
use ptx_isa::ISA;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::cell::RefCell;
use std::collections::HashMap;

mod search;

pub use search::{numbers, occurrences, ranges};

/// The kind of name that a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A register, or a range of them.
    Register,
    /// A variable in memory.
    Variable,
    /// A parameter of a function or kernel.
    Parameter,
    /// A result of a function.
    Result,
    /// A label.
    Label,
    /// A label that names a list of targets or a prototype.
    Targets(TargetListKind),
    /// A function or a kernel.
    Function,
    /// An alias of a function.
    Alias,
}

/// A declaration in the syntax tree.
#[derive(Debug, Clone, Copy)]
pub struct DeclarationNode<'t> {
    /// The node of the statement, parameter, label, function or alias.
    pub statement: Node<'t>,
    /// The node of the declarator in it, or the same node if there is none.
    pub declarator: Node<'t>,
    /// The kind of declared name.
    pub what: DeclarationKind,
    /// The number of registers in a range such as `%r<10>`.
    pub count: Option<u32>,
    /// The function or block in which the name is visible; `None`: the module.
    pub scope: Option<Node<'t>>,
    /// For a parameter: whether it belongs to a kernel.
    pub kernel: bool,
}

impl DeclarationNode<'_> {
    /// Where a register, variable or parameter is declared.
    pub fn origin(&self) -> VariableOrigin {
        match (self.what, self.kernel, self.scope) {
            (DeclarationKind::Parameter, true, _) => VariableOrigin::KernelParameter,
            (DeclarationKind::Parameter, false, _) => VariableOrigin::Parameter,
            (DeclarationKind::Result, ..) => VariableOrigin::Result,
            (_, _, Some(_)) => VariableOrigin::Body,
            (_, _, None) => VariableOrigin::Module,
        }
    }

    /// The symbol of the name, as the checks use it.
    pub fn symbol(&self, snapshot: &Snapshot) -> Symbol {
        match self.what {
            DeclarationKind::Label => Symbol::Label,
            DeclarationKind::Targets(list) => Symbol::Targets { list, content: ContentId::UNKNOWN },
            DeclarationKind::Alias => Symbol::Function { kernel: false, signature: ContentId::UNKNOWN },
            DeclarationKind::Function => {
                let kind = self.statement.child_by_field_id(fields().kind);
                let kernel = kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry");
                Symbol::Function { kernel, signature: ContentId::UNKNOWN }
            }
            DeclarationKind::Register
            | DeclarationKind::Variable
            | DeclarationKind::Parameter
            | DeclarationKind::Result => {
                let text = snapshot.text(self.statement.byte_range());
                let source = ItemSource { text: &text, base: self.statement.start_byte() };
                let declaration = lower::declaration(source, self.statement);
                let name = self.declarator.child_by_field_id(fields().name).map(|n| source.range(n));
                let names = declared::names(&declaration, self.origin());
                let found = names.into_iter().find(|d| name.as_ref().is_some_and(|n| *n == d.name.range()));
                found.map_or(Symbol::Unknown, |d| d.symbol)
            }
        }
    }
}

/// The size in bytes up to which the tree of a block is walked. In longer blocks the text is searched, which is a hundred
/// times faster.
const MAX_WALKED: usize = 1 << 18;
/// The maximum number of possible declarations that are examined in a long block, or in a module with errors.
const MAX_TRIED: usize = 1000;

/// Finds the declaration of the name at a node.
pub fn find<'t>(snapshot: &'t Snapshot, at: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    if name.is_empty() {
        return None;
    }
    if let Some(own) = declared_at(snapshot, at, name) {
        return Some(own);
    }
    if in_debugging_data(at) {
        return debug_label(snapshot, name).or_else(|| in_module(snapshot, name));
    }
    let k = kinds();
    let register = name.starts_with('%');
    let function = function_around(at);
    // Look for labels first: the target of a branch is then found without a walk of its block, which may be long. A label
    // rarely hides a register.
    let label = function.filter(|_| !register).and_then(|f| label(snapshot, f, at, name));
    for here in scopes_around(at) {
        let kind = here.kind_id();
        if label.is_some_and(|l| l.scope == Some(here)) {
            return label;
        }
        // An unclosed function may be an ERROR node that contains all parts of the function.
        if (kind == k.block || here.is_error())
            && let Some(found) = in_block(snapshot, here, name, at)
        {
            return Some(DeclarationNode { scope: Some(here), ..found });
        }
        if (kind == k.function || kind == k.call_prototype_directive || here.is_error())
            && let Some(found) = in_signature(snapshot, here, name)
        {
            return Some(found);
        }
    }
    let late = if register { function.and_then(|f| self::label(snapshot, f, at, name)) } else { label };
    late.or_else(|| in_module(snapshot, name))
}

/// The nodes around a place, from the inside outwards up to the function: among them all blocks that may declare names visible there.
pub fn scopes_around(at: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let function = kinds().function;
    std::iter::successors(Some(at), move |node| if node.kind_id() == function { None } else { node.parent() })
}

/// The declaration to which the name node itself belongs. A function may have the same name as a parameter, and a name of an
/// inner block may equal an outer one.
fn declared_at<'t>(snapshot: &'t Snapshot, at: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let k = kinds();
    let parent = at.parent().filter(|p| p.child_by_field_id(fields().name) == Some(at))?;
    let kind = parent.kind_id();
    if kind == k.function || kind == k.alias_directive {
        return in_module(snapshot, name);
    }
    let block = |statement: Node<'t>| statement.parent().filter(|b| b.kind_id() == k.block || b.is_error());
    if kind == k.label {
        // The parser may have inserted a missing colon, so check the text.
        return block(parent)
            .filter(|_| is_before_colon(snapshot, at.end_byte()))
            .map(|b| label_declaration(parent, Some(b)));
    }
    let statement = parent.parent().filter(|_| kind == k.declarator)?;
    let found = DeclarationNode { scope: block(statement), ..declarator_declaration(snapshot, statement, parent) };
    // For a single name of the module the caller looks up the first declaration, which represents all.
    (found.scope.is_some() || found.count.is_some()).then_some(found)
}

/// The function around a node, or the outermost error or block if the function is not recognized as one.
pub fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    let k = kinds();
    let mut here = node;
    let mut outermost = None;
    while here.kind_id() != k.function {
        outermost = Some(here).filter(|n| n.is_error() || n.kind_id() == k.block).or(outermost);
        let Some(parent) = here.parent() else { return outermost };
        here = parent;
    }
    Some(here)
}

/// Whether a name is part of debugging data, in which the assembler requires no declaration.
pub fn in_debugging_data(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| is_debugging_data(parent, parent.parent()))
}

/// Whether a name with this parent and grandparent is part of debugging data.
pub fn is_debugging_data(parent: Node<'_>, grandparent: Option<Node<'_>>) -> bool {
    let k = kinds();
    let data = |n: Node<'_>| [k.section_line, k.dwarf_directive, k.loc_directive].contains(&n.kind_id());
    data(parent) || (parent.kind_id() == k.offset && grandparent.is_some_and(data))
}

/// The label to which debugging data refer: one in a section, else the first with this name.
pub fn debug_label<'t>(snapshot: &'t Snapshot, name: &str) -> Option<DeclarationNode<'t>> {
    let k = kinds();
    let mut found: Option<DeclarationNode<'t>> = None;
    let mut section = false;
    occurrences(snapshot, 0..snapshot.rope().len_bytes(), name, |offset| {
        if is_before_colon(snapshot, offset + name.len())
            && let Some(label) = snapshot.node_at(offset).and_then(|n| n.parent()).filter(|n| n.kind_id() == k.label)
            && let Some(parent) = label.parent()
        {
            section = parent.kind_id() == k.section_directive;
            if section || found.is_none() {
                let scope = (!section && parent.parent().is_some()).then_some(parent);
                found = Some(label_declaration(label, scope));
            }
        }
        !section
    });
    found
}

/// Whether the next character after the offset, ignoring white space, is a colon.
pub fn is_before_colon(snapshot: &Snapshot, offset: usize) -> bool {
    let Some(rest) = snapshot.rope().get_byte_slice(offset.min(snapshot.rope().len_bytes())..) else { return false };
    rest.bytes().take(64).find(|b| !b.is_ascii_whitespace()) == Some(b':')
}

/// Finds a register or variable that a block declares before `at`.
fn in_block<'t>(snapshot: &'t Snapshot, block: Node<'t>, name: &str, at: Node<'t>) -> Option<DeclarationNode<'t>> {
    if at.start_byte().saturating_sub(block.start_byte()) > MAX_WALKED {
        return by_text(snapshot, block, name, at);
    }
    let k = kinds();
    let mut cursor = block.walk();
    let mut more = cursor.goto_first_child();
    while more && cursor.node().start_byte() < at.end_byte() {
        let child = cursor.node();
        if child.kind_id() == k.variable_declaration
            && let Some(found) = in_declaration(snapshot, child, name)
        {
            return Some(found);
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// Like [`in_block`], by searching the text. Ranges come first (`%r<10>` for `%r7`), since nearly all registers belong to
/// one.
fn by_text<'t>(snapshot: &'t Snapshot, block: Node<'t>, name: &str, at: Node<'t>) -> Option<DeclarationNode<'t>> {
    let place = block.start_byte()..at.end_byte();
    let here = |declarator: Node<'t>| {
        let statement = declarator.parent().filter(|d| d.kind_id() == kinds().variable_declaration)?;
        if statement.parent() == Some(block) { in_declaration(snapshot, statement, name) } else { None }
    };
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if base.len() < name.len()
        && let Some(found) = ranges(snapshot, place.clone(), base).iter().find_map(|n| here(n.parent()?))
    {
        return Some(found);
    }
    let mut tried = 0;
    let mut found = None;
    occurrences(snapshot, place, name, |offset| {
        if in_directive(snapshot, offset) {
            tried += 1;
            found = snapshot.node_at(offset).and_then(|n| here(n.parent()?));
        }
        found.is_none() && tried < MAX_TRIED
    });
    found
}

/// Whether the statement around an offset begins with a dot, judged by its text.
pub fn in_directive(snapshot: &Snapshot, offset: usize) -> bool {
    const BACK: usize = 1024;
    let rope = snapshot.rope();
    let start = offset.saturating_sub(BACK);
    let Some(slice) = rope.get_byte_slice(rope.char_to_byte(rope.byte_to_char(start))..offset) else { return false };
    // Search backwards to the end of the previous statement. A dot after a blank begins a word; in `ld.global` it does not.
    let mut dot = false;
    for byte in slice.bytes_at(slice.len_bytes()).reversed() {
        match byte {
            b';' | b'{' | b'}' | b':' => return false,
            b'.' => dot = true,
            _ if dot && byte.is_ascii_whitespace() => return true,
            _ => dot = false,
        }
    }
    dot
}

fn in_declaration<'t>(snapshot: &'t Snapshot, node: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let (k, f) = (kinds(), fields());
    for declarator in named_children(node).filter(|n| n.kind_id() == k.declarator) {
        let Some(declared) = declarator.child_by_field_id(f.name) else { continue };
        let declared = snapshot.text(declared.byte_range());
        let count = range_of(snapshot, declarator);
        let same = match count {
            None => declared == name,
            // The name of a range itself does not name a register.
            Some(count) => numbered(name, &declared).is_some_and(|n| n < count),
        };
        if same {
            return Some(declarator_declaration(snapshot, node, declarator));
        }
    }
    None
}

/// The declaration of one declarator of a statement.
fn declarator_declaration<'t>(snapshot: &Snapshot, statement: Node<'t>, declarator: Node<'t>) -> DeclarationNode<'t> {
    let space = statement.child_by_field_id(fields().space).map(|n| snapshot.text(n.byte_range()));
    let what = if space.is_some_and(|s| s == ".reg") { DeclarationKind::Register } else { DeclarationKind::Variable };
    let count = range_of(snapshot, declarator);
    DeclarationNode { statement, declarator, what, count, scope: None, kernel: false }
}

/// The number of registers that a declarator declares, if it declares a range.
pub fn range_of(snapshot: &Snapshot, declarator: Node<'_>) -> Option<u32> {
    let range = named_children(declarator).find(|n| n.kind_id() == kinds().register_range)?;
    let count = range.child_by_field_id(fields().count)?;
    Some(snapshot.text(count.byte_range()).parse().unwrap_or(0))
}

/// Finds a parameter or result of a function.
fn in_signature<'t>(snapshot: &'t Snapshot, function: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let is_named = |parameter: &DeclarationNode<'_>| {
        let own = parameter.statement.child_by_field_id(fields().name);
        own.is_some_and(|own| snapshot.text(own.byte_range()) == name)
    };
    parameters(snapshot, function).into_iter().find(is_named)
}

/// The results and parameters of a function, a prototype or an error node with parts of one, in order.
pub fn parameters<'t>(snapshot: &Snapshot, function: Node<'t>) -> Vec<DeclarationNode<'t>> {
    let k = kinds();
    let (mut kernel, mut named) = (false, false);
    let mut out = Vec::new();
    let mut cursor = function.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        let kind = child.kind_id();
        if kind == k.block || kind == k.instruction {
            break;
        }
        if kind == k.function_kind {
            kernel = snapshot.text(child.byte_range()) == ".entry";
        }
        named |= kind == k.identifier || kind == k.register;
        if kind == k.parameter_list {
            // Results come before the function's name.
            let what = if named { DeclarationKind::Parameter } else { DeclarationKind::Result };
            let declared = named_children(child).filter(|n| n.kind_id() == k.parameter);
            out.extend(declared.map(|parameter| DeclarationNode {
                statement: parameter,
                declarator: parameter,
                what,
                count: None,
                scope: Some(function),
                kernel,
            }));
        }
        more = cursor.goto_next_sibling();
    }
    out
}

/// Finds a label of a function that is visible at `at`, by searching the text: blocks may be long, and labels are few.
fn label<'t>(snapshot: &'t Snapshot, function: Node<'t>, at: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let k = kinds();
    let mut found: Option<DeclarationNode<'t>> = None;
    occurrences(snapshot, function.byte_range(), name, |offset| {
        if is_before_colon(snapshot, offset + name.len())
            && let Some(node) = snapshot.node_at(offset)
            && let Some(label) = node.parent().filter(|n| n.kind_id() == k.label)
            && let Some(block) = label.parent()
            && block.start_byte() <= at.start_byte()
            && at.end_byte() <= block.end_byte()
            // The innermost block wins.
            && found.is_none_or(|f| f.scope.is_none_or(|s| s.start_byte() < block.start_byte()))
        {
            found = Some(label_declaration(label, Some(block)));
        }
        true
    });
    found
}

fn label_declaration<'t>(label: Node<'t>, scope: Option<Node<'t>>) -> DeclarationNode<'t> {
    let what = listed_by(label).map_or(DeclarationKind::Label, DeclarationKind::Targets);
    DeclarationNode { statement: label, declarator: label, what, count: None, scope, kernel: false }
}

/// The kind of the list or prototype that a label names; `None` for a label of statements.
pub fn listed_by(label: Node<'_>) -> Option<TargetListKind> {
    label.next_named_sibling().and_then(|next| list_kind(next.kind_id()))
}

fn in_module<'t>(snapshot: &'t Snapshot, name: &str) -> Option<DeclarationNode<'t>> {
    if let Some(found) = top(snapshot).find_map(|node| item(snapshot, node, name)) {
        return Some(found);
    }
    // An unclosed function contains the functions after it, and a body may declare functions. A declaration comes before the
    // uses of its name.
    let mut tried = 0;
    let mut found = None;
    occurrences(snapshot, 0..snapshot.rope().len_bytes(), name, |offset| {
        tried += 1;
        let node = snapshot.node_at(offset).and_then(|n| n.parent());
        found = node.filter(|n| n.kind_id() == kinds().function).and_then(|n| item(snapshot, n, name));
        found.is_none() && tried < MAX_TRIED
    });
    found
}

/// All declarations of a module name, in order: a function or a variable may be declared before it is defined.
pub fn all_in_module<'t>(snapshot: &'t Snapshot, name: &str) -> Vec<DeclarationNode<'t>> {
    let out: Vec<_> = top(snapshot).filter_map(|node| item(snapshot, node, name)).collect();
    if out.is_empty() { in_module(snapshot, name).into_iter().collect() } else { out }
}

fn item<'t>(snapshot: &'t Snapshot, node: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let (k, f) = (kinds(), fields());
    let kind = node.kind_id();
    if kind == k.variable_declaration {
        return in_declaration(snapshot, node, name);
    }
    if kind != k.function && kind != k.alias_directive && kind != k.label {
        return None;
    }
    let declared = node.child_by_field_id(f.name)?;
    if declared.byte_range().len() != name.len() || snapshot.text(declared.byte_range()) != name {
        return None;
    }
    if kind == k.label {
        return Some(label_declaration(node, None));
    }
    let what = if kind == k.function { DeclarationKind::Function } else { DeclarationKind::Alias };
    Some(DeclarationNode { statement: node, declarator: node, what, count: None, scope: None, kernel: false })
}

/// The names visible at a node, for matching operands.
#[derive(Debug)]
pub struct LocalNames<'t> {
    snapshot: &'t Snapshot,
    at: Node<'t>,
    known: RefCell<HashMap<String, Option<Symbol>>>,
}

impl<'t> LocalNames<'t> {
    /// Prepares look-ups of the names visible at a node.
    pub fn new(snapshot: &'t Snapshot, at: Node<'t>) -> Self {
        Self { snapshot, at, known: RefCell::default() }
    }
}

impl NameLookup for LocalNames<'_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        if let Some(known) = self.known.borrow().get(name) {
            return *known;
        }
        if ISA.special_register(name).is_some() {
            return None;
        }
        let found = find(self.snapshot, self.at, name).map(|d| d.symbol(self.snapshot));
        self.known.borrow_mut().insert(name.to_owned(), found);
        found
    }

    fn has_option(&self, name: &str) -> bool {
        environment(self.snapshot).options.contains(&name)
    }
}

/// A name lookup that accepts every name.
#[derive(Debug, Clone, Copy)]
pub struct Anything;

impl NameLookup for Anything {
    fn look_up(&self, _: &str) -> Option<Symbol> {
        Some(Symbol::Unknown)
    }

    fn has_option(&self, _: &str) -> bool {
        false
    }
}
