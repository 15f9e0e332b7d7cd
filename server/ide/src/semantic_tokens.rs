//! Semantic tokens: the classes of words, which depend on the tables and the declarations.
//!
//! The tree is walked once, in the order of the text. Declarations come before their uses, so a stack of scopes is enough
//! to resolve names. Names declared before a visible range are looked up.

mod heads;
mod legend;
mod scopes;
mod unfinished;

pub use legend::{TokenKind, TokenModifiers};

use crate::walk::{roots_in, whole};
use heads::{Heads, HighlightRole, MnemonicTokens};
use legend::anonymous;
use ptx_analysis::environment;
use ptx_analysis::names::range_of;
use ptx_isa::ISA;
use ptx_isa::tables::Gate;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, is_named, kinds};
use scopes::{NameClass, Scopes};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// A word and its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HighlightToken {
    /// Byte range of the word. Only comments and preprocessor lines can span several lines.
    pub range: Range<usize>,
    /// The kind of the token.
    pub kind: TokenKind,
    /// The modifiers of the token.
    pub modifiers: TokenModifiers,
}

/// Nodes that begin at most this many bytes before the visible range are read from their start, since looking up their
/// names would take longer.
const NEAR: usize = 1 << 14;

/// The tokens of a text, or those that touch `range`; sorted and not overlapping.
pub fn semantic_tokens(snapshot: &Snapshot, range: Option<Range<usize>>) -> Vec<HighlightToken> {
    let whole_range = 0..snapshot.rope().len_bytes();
    let range = range.map_or(whole_range.clone(), |r| r.start.min(whole_range.end)..r.end.min(whole_range.end));
    Walk::new(snapshot, range).run()
}

/// A node whose children are being visited.
struct WalkFrame {
    kind: u16,
    /// The role of its children in the instruction.
    role: HighlightRole,
    /// For an instruction: its token classes.
    head: Option<Rc<MnemonicTokens>>,
    /// For an instruction: the number of its operands.
    operands: usize,
    /// For an instruction: the indices of the next modifier and the next operand.
    next: (usize, usize),
    /// For a declaration: the class of its names.
    declares: Option<NameClass>,
    /// The node has a scope, which ends with it.
    scope: bool,
}

impl WalkFrame {
    fn new(kind: u16, role: HighlightRole) -> Self {
        Self { kind, role, head: None, operands: 0, next: (0, 0), declares: None, scope: false }
    }
}

struct Walk<'t> {
    snapshot: &'t Snapshot,
    range: Range<usize>,
    /// The text of the range.
    text: Cow<'t, str>,
    heads: Heads,
    scopes: Scopes<'t>,
    /// A cache of the token modifiers that gates imply for directives, types and other words.
    words: HashMap<String, TokenModifiers>,
    stack: Vec<WalkFrame>,
    /// The text up to this offset already has its tokens, whatever the tree says.
    read_until: usize,
    out: Vec<HighlightToken>,
}

impl<'t> Walk<'t> {
    fn new(snapshot: &'t Snapshot, range: Range<usize>) -> Self {
        Self {
            text: snapshot.text(range.clone()),
            range,
            snapshot,
            heads: Heads::new(environment(snapshot)),
            scopes: Scopes::new(snapshot),
            words: HashMap::new(),
            stack: Vec::new(),
            read_until: 0,
            out: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<HighlightToken> {
        let skips = self.skips(whole(self.snapshot).start);
        // The declarations of all trees of the module are in one scope.
        self.scopes.open(None, !skips);
        let from = if skips { self.range.start } else { 0 };
        for root in roots_in(self.snapshot, from..self.range.end) {
            self.piece(root, skips);
        }
        self.out
    }

    /// Whether a node begins so far before the visible range that it is not read from its start.
    fn skips(&self, start: usize) -> bool {
        start.saturating_add(NEAR) < self.range.start
    }

    fn piece(&mut self, root: Node<'t>, skips: bool) {
        let mut cursor = root.walk();
        let down = if skips {
            cursor.goto_first_child_for_byte(self.range.start).is_some()
        } else {
            cursor.goto_first_child()
        };
        if !down {
            return;
        }
        self.stack.clear();
        self.stack.push(WalkFrame::new(root.kind_id(), HighlightRole::None));
        loop {
            let node = cursor.node();
            if node.start_byte() >= self.range.end {
                return;
            }
            let field = cursor.field_id().map_or(0, std::num::NonZero::get);
            if node.end_byte() <= self.range.start {
                self.pass(node, field);
            } else if let Some(frame) = self.enter(node, field) {
                // Goes directly to the first visible child. Names that the skipped children declare are looked up on use.
                let skips = self.skips(node.start_byte()) && self.jumps(node);
                let down = if skips {
                    cursor.goto_first_child_for_byte(self.range.start).is_some()
                } else {
                    cursor.goto_first_child()
                };
                if down {
                    if frame.scope {
                        self.scopes.open(Some(node), !skips);
                    }
                    self.stack.push(frame);
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                if self.stack.pop().is_some_and(|frame| frame.scope) {
                    self.scopes.close();
                }
            }
        }
    }

    /// Whether a node may have many children: lists of statements, bodies of functions. Other nodes are read from their
    /// start.
    fn jumps(&self, node: Node<'_>) -> bool {
        let k = kinds();
        [k.function, k.block, k.section_directive, k.initializer_list].contains(&node.kind_id()) || node.is_error()
    }

    /// Passes a node before the visible range: it may declare names, and words of an instruction are counted.
    fn pass(&mut self, node: Node<'t>, field: u16) {
        let (k, kind) = (kinds(), node.kind_id());
        let name_of =
            |node: Node<'t>| node.child_by_field_id(fields().name).map(|n| self.snapshot.text(n.byte_range()));
        // If a list is partly visible, only some of its elements are passed.
        let of_list = |wanted: u16| named_children(node).filter(move |n| n.kind_id() == wanted);
        if kind == k.variable_declaration {
            let class = NameClass::declared(self.snapshot, node);
            for declarator in of_list(k.declarator) {
                self.declare(declarator, Some(class));
            }
        } else if kind == k.declarator {
            self.declare(node, self.stack.last().and_then(|frame| frame.declares));
        } else if kind == k.parameter_list || kind == k.parameter {
            let list = if kind == k.parameter { vec![node] } else { of_list(k.parameter).collect() };
            for parameter in list {
                if let Some(name) = name_of(parameter) {
                    self.scopes.declare(name.into_owned(), NameClass::declared(self.snapshot, parameter));
                }
            }
        } else if kind == k.label || kind == k.function || kind == k.alias_directive {
            let what = if kind == k.label { TokenKind::Label } else { TokenKind::Function };
            if let Some(name) = name_of(node) {
                self.scopes.declare(name.into_owned(), NameClass::of(what));
            }
        } else if field == fields().name && self.stack.last().is_some_and(|frame| frame.kind == k.function) {
            let name = self.snapshot.text(node.byte_range()).into_owned();
            self.scopes.declare_outside(name, NameClass::of(TokenKind::Function));
        }
        if let Some(frame) = self.stack.last_mut().filter(|frame| frame.kind == k.instruction) {
            frame.next.0 += usize::from(kind == k.modifier);
            frame.next.1 += usize::from(field == fields().operand);
        }
    }

    fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        let local = range.start.checked_sub(self.range.start).zip(range.end.checked_sub(self.range.start));
        match local.and_then(|(start, end)| self.text.get(start..end)) {
            Some(text) => Cow::Borrowed(text),
            None => self.snapshot.text(range),
        }
    }

    /// Visits a node. Returns a frame if its children are to be visited too.
    fn enter(&mut self, node: Node<'t>, field: u16) -> Option<WalkFrame> {
        let k = kinds();
        let kind = node.kind_id();
        let role = self.role(kind, field);
        if !is_named(kind) || node.child_count() == 0 || kind == k.vector_type {
            self.leaf(node, kind, field, role);
            return None;
        }
        let mut frame = WalkFrame::new(kind, role);
        frame.scope = [k.function, k.block, k.call_prototype_directive].contains(&kind);
        if kind == k.instruction {
            (frame.head, frame.operands) = self.instruction(node);
        } else if kind == k.variable_declaration || kind == k.parameter {
            frame.declares = Some(NameClass::declared(self.snapshot, node));
        } else if kind == k.label {
            frame.declares = Some(NameClass::of(TokenKind::Label));
        } else if kind == k.function {
            frame.declares = Some(NameClass::of(TokenKind::Function));
        } else if kind == k.declarator {
            frame.declares = self.stack.last().and_then(|f| f.declares);
            self.declare(node, frame.declares);
        }
        Some(frame)
    }

    /// Declares the name of a declarator before its own tokens are read.
    fn declare(&mut self, declarator: Node<'t>, known: Option<NameClass>) {
        let Some(name) = declarator.child_by_field_id(fields().name) else { return };
        let Some(class) = known else { return };
        let name = self.text(name.byte_range()).into_owned();
        self.scopes.declare(name, NameClass { count: range_of(self.snapshot, declarator), ..class });
    }

    /// The role of a node in its instruction.
    fn role(&mut self, kind: u16, field: u16) -> HighlightRole {
        let (k, f) = (kinds(), fields());
        let Some(frame) = self.stack.last_mut() else { return HighlightRole::None };
        if frame.kind == k.instruction {
            if field != f.operand {
                return HighlightRole::None;
            }
            let place = frame.next.1;
            frame.next.1 += 1;
            let role = frame.head.as_ref().map_or(HighlightRole::Read, |h| h.role(frame.operands, place, 0));
            // The part after the bar of `d|p` is a separate operand.
            return if kind == k.pair { HighlightRole::Pair(place as u8) } else { role };
        }
        let name = kind == k.identifier || kind == k.register;
        if frame.head.is_some() && frame.kind != k.instruction && name {
            // An operand of an unfinished instruction.
            let place = frame.next.1;
            frame.next.1 += 1;
            return frame.head.as_ref().map_or(HighlightRole::Read, |head| head.role(place + 1, place, 0));
        }
        match frame.role {
            HighlightRole::Pair(place) => {
                let second = u8::from(field == f.second);
                let instruction = self.stack.iter().rev().find(|f| f.kind == k.instruction);
                let head = instruction.and_then(|f| f.head.as_ref().map(|h| h.role(f.operands, place.into(), second)));
                head.unwrap_or(HighlightRole::Read)
            }
            // The parts of an address or an expression are read.
            role if [k.vector, k.argument_list, k.member, k.negation].contains(&frame.kind) => role,
            HighlightRole::None => HighlightRole::None,
            _ => HighlightRole::Read,
        }
    }

    fn instruction(&mut self, node: Node<'t>) -> (Option<Rc<MnemonicTokens>>, usize) {
        let (k, f) = (kinds(), fields());
        let (mut start, mut end, mut operands) = (None, 0, 0);
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let kind = cursor.node().kind_id();
            if kind == k.opcode {
                start = Some(cursor.node().start_byte());
                end = cursor.node().end_byte();
            } else if kind == k.modifier && operands == 0 {
                end = cursor.node().end_byte();
            } else if cursor.field_id().is_some_and(|id| id.get() == f.operand) {
                operands += 1;
            }
            more = cursor.goto_next_sibling();
        }
        let Some(start) = start else { return (None, operands) };
        let local = start.checked_sub(self.range.start).zip(end.checked_sub(self.range.start));
        let head = match local.and_then(|(start, end)| self.text.get(start..end)) {
            Some(text) => self.heads.get(text),
            None => self.heads.get(&self.snapshot.text(start..end)),
        };
        (head, operands)
    }

    fn push(&mut self, node: Node<'_>, kind: TokenKind, modifiers: TokenModifiers) {
        let range = node.byte_range();
        if !range.is_empty() {
            self.out.push(HighlightToken { range, kind, modifiers });
        }
    }

    fn leaf(&mut self, node: Node<'t>, kind: u16, field: u16, role: HighlightRole) {
        let (k, f) = (kinds(), fields());
        let parent = self.stack.last().map_or(0, |frame| frame.kind);
        const NONE: TokenModifiers = TokenModifiers::NONE;
        if node.start_byte() < self.read_until {
            return;
        }
        if kind == k.register || kind == k.identifier {
            if kind == k.register || !self.unfinished(node) {
                self.name(node, parent, field, role);
            }
        } else if kind == k.modifier && parent == k.instruction {
            self.modifier(node);
        } else if kind == k.opcode {
            let modifiers = self.stack.last().and_then(|f| f.head.as_ref()).map_or(NONE, |h| h.opcode);
            self.push(node, TokenKind::Opcode, modifiers);
        } else if [k.integer, k.float, k.bank, k.version_number].contains(&kind) {
            self.push(node, TokenKind::Number, NONE);
        } else if kind == k.ty || kind == k.vector_type {
            self.gated(node, TokenKind::Type, TokenModifiers::DEFAULT_LIBRARY);
        } else if kind == k.state_space {
            self.gated(node, TokenKind::StateSpace, NONE);
        } else if kind == k.linkage
            || kind == k.function_kind
            || kind == k.directive_name
            || kind == k.noreturn_directive
        {
            let unknown = parent == k.unknown_directive;
            if !unknown {
                self.gated(node, TokenKind::Keyword, NONE);
            }
        } else if kind == k.target_name {
            self.gated(node, TokenKind::EnumMember, NONE);
        } else if kind == k.comment {
            // Editors highlight launch comments with their own grammar; a single comment token would hide that.
            if !self.text(node.byte_range()).starts_with("//!") {
                self.push(node, TokenKind::Comment, NONE);
            }
        } else if kind == k.string {
            self.push(node, TokenKind::String, NONE);
        } else if kind == k.member_name {
            self.push(node, TokenKind::Property, NONE);
        } else if kind == k.section_name {
            self.push(node, TokenKind::Namespace, NONE);
        } else if kind == k.attribute_name {
            self.gated(node, TokenKind::Decorator, NONE);
        } else if kind == k.preprocessor_line {
            self.push(node, TokenKind::Macro, NONE);
        } else if field == f.operator && node.is_named() {
            // `generic` before its parenthesis.
            self.push(node, TokenKind::Function, TokenModifiers::DEFAULT_LIBRARY);
        } else if let Some(token_class) = anonymous(kind) {
            let bracket = parent == k.register_range || parent == k.label;
            if token_class == TokenKind::Keyword {
                self.gated(node, token_class, NONE);
            } else if !bracket {
                self.push(node, token_class, NONE);
            }
        }
    }

    fn modifier(&mut self, node: Node<'t>) {
        let place = self.stack.last_mut().map_or(0, |frame| {
            frame.next.0 += 1;
            frame.next.0 - 1
        });
        let head_modifier =
            self.stack.last().and_then(|f| f.head.as_ref()).and_then(|h| h.modifiers.get(place).copied());
        let (kind, modifiers) = match head_modifier {
            Some(head_modifier) => head_modifier,
            // A modifier after an operand, or of an unknown instruction.
            None => heads::modifier(&self.text(node.byte_range())),
        };
        self.push(node, kind, modifiers);
    }

    /// Pushes a word that may be unsupported or deprecated in the module.
    fn gated(&mut self, node: Node<'t>, kind: TokenKind, modifiers: TokenModifiers) {
        let text = self.text(node.byte_range());
        let gates = match self.words.get(&*text) {
            Some(known) => *known,
            None => {
                let gate = self.heads.gates(gates(&text, kind));
                let text = text.into_owned();
                self.words.insert(text, gate);
                gate
            }
        };
        self.push(node, kind, modifiers | gates);
    }

    fn name(&mut self, node: Node<'t>, parent: u16, field: u16, role: HighlightRole) {
        let (k, f) = (kinds(), fields());
        let declared = TokenModifiers::DECLARATION;
        let frame = self.stack.last();
        if field == f.name && [k.declarator, k.parameter, k.label, k.function].contains(&parent) {
            let Some(class) = frame.and_then(|f| f.declares) else { return };
            let name = self.text(node.byte_range()).into_owned();
            let mut modifiers = class.modifiers | declared;
            if parent == k.function {
                let defined = node.parent().is_some_and(|n| n.child_by_field_id(f.body).is_some());
                modifiers = if defined { declared | TokenModifiers::DEFINITION } else { declared };
                self.scopes.declare_outside(name, class);
            } else if parent != k.declarator {
                self.scopes.declare(name, class);
            }
            return self.push(node, class.kind, modifiers);
        }
        if parent == k.alias_directive {
            let name = self.text(node.byte_range()).into_owned();
            self.scopes.declare(name, NameClass::of(TokenKind::Function));
            let modifiers = if field == f.name { declared } else { TokenModifiers::NONE };
            return self.push(node, TokenKind::Function, modifiers);
        }
        let fixed = if parent == k.branch_targets_directive || role == HighlightRole::Label {
            Some(TokenKind::Label)
        } else if parent == k.call_targets_directive {
            Some(TokenKind::Function)
        } else if parent == k.field_initializer && field == f.name {
            Some(TokenKind::Property)
        } else {
            None
        };
        if let Some(kind) = fixed {
            return self.push(node, kind, TokenModifiers::NONE);
        }
        let text = self.text(node.byte_range()).into_owned();
        let written = if role == HighlightRole::Write { TokenModifiers::MODIFICATION } else { TokenModifiers::NONE };
        if let Some(scope_class) = self.scopes.find(&text, node) {
            return self.push(node, scope_class.kind, scope_class.modifiers | written);
        }
        if let Some(register) = ISA.special_register(&text) {
            let modifiers =
                TokenModifiers::READONLY | TokenModifiers::DEFAULT_LIBRARY | self.heads.gates(register.gates);
            return self.push(node, TokenKind::SpecialRegister, modifiers);
        }
        if ISA.constant(&text).is_some() {
            return self.push(node, TokenKind::Variable, TokenModifiers::READONLY | TokenModifiers::DEFAULT_LIBRARY);
        }
        let kind = match role {
            HighlightRole::Function => TokenKind::Function,
            HighlightRole::Targets => TokenKind::Label,
            _ if text.starts_with('%') => TokenKind::Register,
            _ => TokenKind::Variable,
        };
        self.push(node, kind, written);
    }
}

/// The gates of a word.
fn gates(text: &str, kind: TokenKind) -> &'static [Gate] {
    match kind {
        // The gates of an ungated type apply to instructions only: declarations may use it in every version.
        TokenKind::Type => ISA.ty(text).map_or(&[], |t| if t.ungated { &[] } else { t.gates }),
        TokenKind::StateSpace => ISA.space(text).map_or(&[], |s| s.gates),
        TokenKind::EnumMember => ISA.target(text).map_or(&[], |t| t.gates),
        _ => ISA.directive(text).map_or(&[], |d| d.gates),
    }
}
