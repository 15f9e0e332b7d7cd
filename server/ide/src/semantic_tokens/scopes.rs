//! The names that are known at a place, in the order of the text.

use super::legend::{TokenKind, TokenModifiers};
use ptx_analysis::semantics::names::{self, DeclarationKind};
use ptx_analysis::symbols::NameFrame;
use ptx_isa::ISA;
use ptx_isa::tables::{SpaceInfo, TypeClass};
use ptx_syntax::{Node, Snapshot, fields, kinds};

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameClass {
    pub kind: TokenKind,
    pub modifiers: TokenModifiers,
    /// `%r<10>`: how many.
    pub count: Option<u32>,
}

impl NameClass {
    pub fn of(kind: TokenKind) -> Self {
        Self { kind, modifiers: TokenModifiers::NONE, count: None }
    }

    /// What a declaration or a parameter declares.
    pub fn declared(snapshot: &Snapshot, node: Node<'_>) -> Self {
        let (k, f) = (kinds(), fields());
        let text = |field: u16| node.child_by_field_id(field).map(|n| snapshot.text(n.byte_range()));
        let (space, ty) = (text(f.space), text(f.ty));
        let ty = ty.and_then(|t| ISA.ty(&t));
        let register = space.as_deref() == Some(".reg");
        let mut out = Self::of(match ty.map(|t| t.class) {
            Some(TypeClass::Pred) if register => TokenKind::Predicate,
            _ if register => TokenKind::Register,
            _ if node.kind_id() == k.parameter => TokenKind::Parameter,
            _ => TokenKind::Variable,
        });
        if ty.is_some_and(|t| t.class == TypeClass::Float) {
            out.modifiers = out.modifiers | TokenModifiers::FLOAT;
        }
        if register && ty.is_some_and(|t| t.bits >= 64) {
            out.modifiers = out.modifiers | TokenModifiers::WIDE;
        }
        // Parameters of a kernel and constants never change; parameters of a function, and those for a call, are variables.
        let everywhere = |s: &&SpaceInfo| s.declared.iter().any(|place| place.names.contains(&"module"));
        let space = space.as_deref().and_then(|s| ISA.space(s)).filter(|s| s.fixed);
        if space.is_some_and(|s| if node.kind_id() == k.parameter { of_kernel(snapshot, node) } else { everywhere(&s) })
        {
            out.modifiers = out.modifiers | TokenModifiers::READONLY;
        }
        out
    }
}

fn of_kernel(snapshot: &Snapshot, parameter: Node<'_>) -> bool {
    let function = parameter.parent().and_then(|list| list.parent());
    let kind = function.and_then(|f| f.child_by_field_id(fields().kind));
    kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry")
}

/// How many registers a declarator with a range declares.
pub(super) fn count(snapshot: &Snapshot, declarator: Node<'_>) -> Option<u32> {
    let mut cursor = declarator.walk();
    let range = declarator.named_children(&mut cursor).find(|n| n.kind_id() == kinds().register_range)?;
    let count = range.child_by_field_id(fields().count)?;
    Some(snapshot.text(count.byte_range()).parse().unwrap_or(0))
}

struct TokenScope {
    node: Option<usize>,
    /// All of it so far has been seen.
    complete: bool,
    names: NameFrame<String, Option<NameClass>>,
}

impl TokenScope {
    /// The last declaration of a name counts: the first may be one that is being typed.
    fn declare(&mut self, name: String, known: Option<NameClass>) {
        match known.and_then(|k| k.count) {
            Some(count) => drop(self.names.declare_range(name, count, known)),
            None => self.names.set(name, known),
        }
    }
}

pub(super) struct Scopes<'t> {
    snapshot: &'t Snapshot,
    open: Vec<TokenScope>,
}

impl<'t> Scopes<'t> {
    pub fn new(snapshot: &'t Snapshot) -> Self {
        Self { snapshot, open: Vec::new() }
    }

    /// Opens the scope of a node; the first is the module's, which belongs to no node.
    pub fn open(&mut self, node: Option<Node<'_>>, complete: bool) {
        self.open.push(TokenScope { node: node.map(|n| n.id()), complete, names: NameFrame::default() });
    }

    pub fn close(&mut self) {
        self.open.pop();
    }

    /// A name of the innermost scope.
    pub fn declare(&mut self, name: String, known: NameClass) {
        if let Some(scope) = self.open.last_mut() {
            scope.declare(name, Some(known));
        }
    }

    /// A name of the scope around the innermost one: the name of the function that this is.
    pub fn declare_outside(&mut self, name: String, known: NameClass) {
        if let Some(place) = self.open.len().checked_sub(2)
            && let Some(scope) = self.open.get_mut(place)
        {
            scope.declare(name, Some(known));
        }
    }

    /// What a name stands for at a node.
    pub fn find(&mut self, name: &str, at: Node<'t>) -> Option<NameClass> {
        let mut complete = true;
        for scope in self.open.iter().rev() {
            if let Some((found, _)) = scope.names.get(name) {
                return *found;
            }
            complete &= scope.complete;
        }
        if complete || ISA.special_register(name).is_some() {
            return None;
        }
        self.find_before(name, at)
    }

    /// What was declared before the part that is looked at; remembered where it is declared.
    fn find_before(&mut self, name: &str, at: Node<'t>) -> Option<NameClass> {
        let found = names::find(self.snapshot, at, name);
        let (key, known, scope) = match found {
            None => (name.to_owned(), None, None),
            Some(found) => {
                let own = found.declarator.child_by_field_id(fields().name);
                let own = own.map(|n| self.snapshot.text(n.byte_range()).into_owned());
                let known = match found.what {
                    DeclarationKind::Label | DeclarationKind::Targets => NameClass::of(TokenKind::Label),
                    DeclarationKind::Function | DeclarationKind::Alias => NameClass::of(TokenKind::Function),
                    _ => NameClass { count: found.count, ..NameClass::declared(self.snapshot, found.statement) },
                };
                (own.unwrap_or_else(|| name.to_owned()), Some(known), found.scope)
            }
        };
        let place = scope.and_then(|s| self.open.iter().rposition(|o| o.node == Some(s.id())));
        // What is declared nowhere is remembered in the innermost scope: an inner declaration may still come.
        let place = place.unwrap_or(if known.is_some() { 0 } else { self.open.len().saturating_sub(1) });
        if let Some(scope) = self.open.get_mut(place) {
            scope.declare(key, known);
        }
        known
    }
}
