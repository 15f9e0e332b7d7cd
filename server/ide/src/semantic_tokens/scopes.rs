//! The names that are visible at a place, collected in the order of the text.

use super::legend::{TokenKind, TokenModifiers};
use ptx_analysis::{DeclarationKind, NameFrame, names};
use ptx_isa::ISA;
use ptx_isa::tables::{SpaceInfo, TypeClass};
use ptx_syntax::{Node, Snapshot, fields, kinds};

/// The token class of a declared name.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameClass {
    pub kind: TokenKind,
    pub modifiers: TokenModifiers,
    /// Number of names in a range: 10 for `%r<10>`.
    pub count: Option<u32>,
}

impl NameClass {
    pub fn of(kind: TokenKind) -> Self {
        Self { kind, modifiers: TokenModifiers::NONE, count: None }
    }

    /// The class of the names in a declaration or parameter.
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

struct TokenScope {
    node: Option<usize>,
    /// The scope has been read from its beginning.
    complete: bool,
    names: NameFrame<String, Option<NameClass>>,
}

impl TokenScope {
    /// The last declaration of a name counts, since the user may be typing the first one.
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

    /// Opens the scope of a node. The first scope is the module's, which has no node.
    pub fn open(&mut self, node: Option<Node<'_>>, complete: bool) {
        self.open.push(TokenScope { node: node.map(|n| n.id()), complete, names: NameFrame::default() });
    }

    pub fn close(&mut self) {
        self.open.pop();
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: String, known: NameClass) {
        if let Some(scope) = self.open.last_mut() {
            scope.declare(name, Some(known));
        }
    }

    /// Declares a name in the scope around the innermost one. This is for the name of the function whose scope is open.
    pub fn declare_outside(&mut self, name: String, known: NameClass) {
        if let Some(place) = self.open.len().checked_sub(2)
            && let Some(scope) = self.open.get_mut(place)
        {
            scope.declare(name, Some(known));
        }
    }

    /// The class of a name that is used at a node.
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

    /// Looks up a name that was declared before the visible range, and caches it in its scope.
    fn find_before(&mut self, name: &str, at: Node<'t>) -> Option<NameClass> {
        let found = names::find(self.snapshot, at, name);
        let (key, known, scope) = match found {
            None => (name.to_owned(), None, None),
            Some(found) => {
                let own = found.declarator.child_by_field_id(fields().name);
                let own = own.map(|n| self.snapshot.text(n.byte_range()).into_owned());
                let known = match found.what {
                    DeclarationKind::Label | DeclarationKind::Targets(_) => NameClass::of(TokenKind::Label),
                    DeclarationKind::Function | DeclarationKind::Alias => NameClass::of(TokenKind::Function),
                    _ => NameClass { count: found.count, ..NameClass::declared(self.snapshot, found.statement) },
                };
                (own.unwrap_or_else(|| name.to_owned()), Some(known), found.scope)
            }
        };
        let place = scope.and_then(|s| self.open.iter().rposition(|o| o.node == Some(s.id())));
        // An undeclared name is cached in the innermost scope only, since a declaration may follow in it.
        let place = place.unwrap_or(if known.is_some() { 0 } else { self.open.len().saturating_sub(1) });
        if let Some(scope) = self.open.get_mut(place) {
            scope.declare(key, known);
        }
        known
    }
}
