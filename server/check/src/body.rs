//! Checks the bodies of functions: scopes, and each instruction against the tables.

mod around;
mod blocks;
mod children;
mod declarations;
mod instructions;
mod names;
mod other_statements;

pub(crate) use around::NamesAround;
pub(crate) use children::{ChangedRange, EarlierStatements, KnownStatement, Old, is_same_subtree};

use crate::actions::Actions;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::directives::{self, debug};
use crate::functions::AliasNames;
use crate::memo::Statements;
use crate::recovery;
use crate::rules::parameter_list::ParameterOwner;
use crate::rules::undeclared_name::DeclaredName;
use crate::rules::{duplicate_name, reserved_name, syntax_error, undeclared_name};
use crate::{initializer, lists};
use around::AffectedPlaces;
use children::{Children, is_error};
use ptx_sema::forms::mnemonics::{LoweredInstruction, MnemonicCache};
use ptx_sema::hir::ast::{Declaration, SourceWord};
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::hash::{hash, mix};
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{Dependencies, Header};
use ptx_sema::hir::signature::{Callee, ContentId};
use ptx_sema::hir::statements::{Child, children};
use ptx_sema::hir::symbols::{DeclaredSymbol, NameScope, Symbol, VariableOrigin};
use ptx_syntax::{Node, PlainStatement, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cell::RefCell;
use std::ops::Range;

/// The state of a function before one of its statements.
#[derive(Debug, Clone, Copy)]
struct BodyState {
    /// A hash of all names that the statement may see.
    state: u64,
    /// The same without the names around all statements.
    own: u64,
}

/// One function under check.
pub(crate) struct Body<'a, 't> {
    source: ItemSource<'t>,
    header: &'a Header,
    /// Index of the item; it determines which module names are visible, since names must be declared before their use.
    item: usize,
    scope: NameScope<'t>,
    /// Hash of the state on which all statements depend: version and target of the module, kind and directives of the
    /// function.
    environment: u64,
    /// Hash of the declarations before the current statement, on which the meaning of names may depend.
    declarations: u64,
    /// The same without the names around all statements.
    own_declarations: u64,
    /// The names around all statements, and those at the previous check.
    around: NamesAround,
    around_before: Option<NamesAround>,
    /// The places that a difference between these may affect.
    affected: AffectedPlaces,
    /// The number of blocks around the current statement, without the outermost one.
    depth: usize,
    mnemonics: &'a mut MnemonicCache,
    /// The cached results of this function's statements.
    statements: &'a mut Statements,
    /// The byte offset in the file at which the function's own text ends. (A function that is not closed ends where the next
    /// begins.)
    end: usize,
    /// The module names that were looked up, with their symbols.
    dependencies: RefCell<HashMap<Box<str>, Option<Symbol>>>,
    /// The statements of the outermost block at the previous check, and the range that changed since.
    before: Option<EarlierStatements<'a>>,
    /// The statements of the outermost block, for the next check.
    after: Vec<KnownStatement>,
    /// Hash of the labels in scope.
    labels: u64,
    /// Every name declared so far, a range with its number of registers (`%r<10`), for suggestions.
    declared: Vec<&'t str>,
    /// Whether the function is a kernel.
    kernel: bool,
    /// The directives of the function's header.
    given: Vec<&'static str>,
    /// The number of `.loc` directives before the current statement.
    located: usize,
    /// The locations given by those `.loc` directives.
    locations: HashSet<directive_parts::LocNumbers>,
    /// Whether the function has no body and is only declared.
    bodiless: bool,
    /// The statements of the text that were read without the parser.
    plain: &'a [PlainStatement],
    /// Whether the check of one of them needs its syntax node.
    needs_nodes: bool,
    /// The names lost to syntax errors.
    lost: recovery::Losses<'t>,
    /// All labels, for the diagnostic about a label that is not visible.
    all_labels: Vec<SourceWord<'t>>,
    /// The functions in target lists, and those declared in this function, by content id.
    callees: HashMap<ContentId, Vec<Callee>>,
    /// What the instructions do, if the text is one inside another language.
    actions: Actions,
    aliases: Vec<AliasNames>,
    /// The instructions so far, in text order, if the caller takes them over.
    lowered: Option<&'a mut Vec<LoweredInstruction<'t>>>,
    out: Vec<Diagnostic>,
}

/// The result of the check of an item.
#[derive(Default)]
pub(crate) struct Checked {
    /// Ranges count from the start of the item.
    pub found: Vec<Diagnostic>,
    /// The module names that the item uses, in order, with their symbols.
    pub dependencies: Dependencies,
    /// The statements of its outermost block, in order; empty if it has no block or its end is missing.
    pub statements: Vec<KnownStatement>,
    /// The names around its statements.
    pub around: NamesAround,
    /// What its instructions do, if it is a text inside another language. Ranges count from the start of the item.
    pub actions: Actions,
    /// Whether the result is of no use, because the check needs the nodes of statements that were read without the parser.
    pub(crate) needs_nodes: bool,
    /// Its `.alias` directives. Whether a name may be an alias depends on more than the text of the item. Ranges count from the
    /// start of the item.
    pub aliases: Vec<AliasNames>,
}

impl<'a, 't> Body<'a, 't> {
    /// Prepares the check of an item. `environment` is the fingerprint of the module's header.
    pub(crate) fn new(
        source: ItemSource<'t>,
        header: &'a Header,
        item: usize,
        environment: u64,
        mnemonics: &'a mut MnemonicCache,
        statements: &'a mut Statements,
        before: Option<EarlierStatements<'a>>,
    ) -> Self {
        let end = source.base + source.text.len();
        let scope = NameScope::default();
        statements.begin(header.names_seen_by(item));
        Self {
            source,
            header,
            item,
            scope,
            environment,
            declarations: 0,
            own_declarations: 0,
            around: NamesAround::default(),
            around_before: None,
            affected: AffectedPlaces::All,
            depth: 0,
            mnemonics,
            statements,
            end,
            dependencies: RefCell::default(),
            before,
            after: Vec::new(),
            labels: 0,
            declared: Vec::new(),
            kernel: false,
            given: Vec::new(),
            located: 0,
            locations: HashSet::default(),
            bodiless: false,
            plain: &[],
            needs_nodes: false,
            lost: recovery::Losses::default(),
            all_labels: Vec::new(),
            callees: HashMap::default(),
            actions: Actions::default(),
            aliases: Vec::new(),
            lowered: None,
            out: Vec::new(),
        }
    }

    /// Makes the check add each instruction to `all`, in text order.
    pub(crate) fn keep_instructions(mut self, all: &'a mut Vec<LoweredInstruction<'t>>) -> Self {
        all.clear();
        self.lowered = Some(all);
        self
    }

    /// Tells the check which statements of the text were read without the parser.
    pub(crate) fn without_nodes(mut self, plain: &'a [PlainStatement]) -> Self {
        self.plain = plain;
        self
    }

    /// Checks a `function` node; the diagnostics count from the start of the item. With [`Self::keep_instructions`], adds the
    /// statements of the outermost block to `statements`.
    pub(crate) fn function<'n>(mut self, node: Node<'n>, statements: &mut Vec<Child<'n>>) -> Option<Checked> {
        let f = fields();
        self.scope.push();
        let kernel = node.child_by_field_id(f.kind).is_some_and(|n| self.source.word(n).text == ".entry");
        self.bodiless = !node.is_error() && node.child_by_field_id(f.body).is_none();
        self.header_of_function(node, kernel);
        let parameters = if kernel { VariableOrigin::KernelParameter } else { VariableOrigin::Parameter };
        let body = node.child_by_field_id(f.body);
        for (list, origin) in [(f.returns, VariableOrigin::Result), (f.parameters, parameters)] {
            if let Some(list) = node.child_by_field_id(list) {
                self.parameters(list, origin);
            }
        }
        if node.is_error() {
            self.endless(node);
            return self.finish();
        }
        if body.is_none() {
            // ptxas ignores the names of parameters if there is no body.
            self.out.retain(|d| d.code() != Code::DuplicateName);
        }
        let owner = if kernel { ParameterOwner::Kernel } else { ParameterOwner::Function };
        lists::check_lists(self.source, node, owner, &mut self.out);
        // Report errors in the header of the function; those of the body are reported statement by statement.
        let mut reports = Vec::new();
        for child in children(node).into_iter().filter_map(|child| child.node) {
            if body.is_none()
                && let Some(brace) = recovery::opening_brace_in(self.source, node, child)
            {
                reports.push(brace);
            } else if Some(child) != body && !directives::header::is_constant_argument(self.source, child) {
                syntax_error::report(self.source, child, &mut reports);
            }
        }
        self.out.extend(reports.into_iter().min_by_key(|d| d.range.start));
        self.kernel = kernel;
        self.given = directives::header::function(self.source, node, &self.header.environment, &mut self.out);
        let header_hash = self.given.iter().fold(u64::from(kernel), |all, word| mix(all, hash(word)));
        self.environment = mix(self.environment, header_hash);
        // Statements that name parameters depend on their declarations.
        let header_end = body.map_or(node.end_byte(), |b| b.start_byte());
        let signature = self.source.text.get(..header_end.saturating_sub(self.source.base)).unwrap_or("");
        self.declarations = mix(self.declarations, hash(signature));
        self.scope_changed();
        // ptxas: parameters share one scope with the declarations of the outermost block.
        if let Some(body) = body {
            let base = self.source.base;
            let mut children = match self.before.take() {
                Some(mut before) => {
                    self.around_before = Some(std::mem::take(&mut before.around));
                    Children::resumed(body, base, before)
                }
                None => Children::all(body, base, self.plain),
            };
            if children.is_lost() {
                children = Children::all(body, base, self.plain);
            }
            if recovery::ends_open(node) {
                self.lost_labels(&mut children);
            }
            self.statements_of(&mut children);
            if children.is_lost() {
                return None;
            }
            if self.lowered.is_some() {
                *statements = children.with_nodes();
            }
            self.after = children.into_known();
        }
        self.scope.pop();
        self.finish()
    }

    /// Checks the initializers of a `variable_declaration` of the module; the diagnostics count from the start of the item.
    /// Other errors in the declaration, and all syntax errors, are reported with the module's header.
    pub(crate) fn variable(mut self, node: Node<'_>) -> Option<Checked> {
        let declaration = lower::declaration(self.source, node);
        let mut reports = Vec::new();
        self.initializers(self.source, &declaration, node, "module", &mut reports);
        self.out = reports;
        self.finish()
    }

    /// Checks a `section_directive`; the diagnostics count from the start of the item.
    pub(crate) fn section(mut self, node: Node<'_>) -> Option<Checked> {
        debug::section(self.source, node, &self.header.environment, &mut self.out);
        self.finish()
    }

    fn initializers(
        &self,
        source: ItemSource<'_>,
        declaration: &Declaration<'_>,
        node: Node<'_>,
        site: &'static str,
        out: &mut Vec<Diagnostic>,
    ) {
        let place =
            initializer::InitializerContext { source, environment: &self.header.environment, declaration, site };
        initializer::check(place, node, self, out);
    }

    /// Where the function declares a name, wherever that is visible.
    fn declaration_of(&self, name: &str) -> Option<Range<usize>> {
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = name.get(digits..).and_then(|n| n.parse::<u64>().ok());
        let is_it = |declared: &&&str| match declared.split_once('<') {
            Some((base, count)) => {
                Some(base.trim_end()) == name.get(..digits)
                    && count.trim().parse::<u64>().is_ok_and(|count| number.is_some_and(|n| n < count))
            }
            None => **declared == name,
        };
        let declared = self.declared.iter().find(is_it)?;
        let place = self.place(declared, &(0..0))?;
        Some(place.start as usize..place.end as usize)
    }

    fn finish(mut self) -> Option<Checked> {
        self.lost.prune(&mut self.out);
        let (text, declared) = (self.source.text, &self.declared);
        let start = |name: &str| name.as_ptr().addr().checked_sub(text.as_ptr().addr());
        let describe = |name: &&'t str| Some(DeclaredName::new(name, text.get(..start(name)?)?));
        let names = || declared.iter().filter_map(describe).collect();
        self.statements.suggestions.add_to(&mut self.out, names);
        undeclared_name::add_labels(&mut self.out, &self.all_labels);
        let mut reports = std::mem::take(&mut self.out);
        if reports.iter().any(|d| undeclared_name::undeclared(d).is_some()) {
            undeclared_name::add_declarations(&mut reports, |name| self.declaration_of(name));
        }
        self.out = reports;
        let environment = self.environment;
        self.statements.finish(self.after.iter().filter_map(|k| Some(mix(environment, k.text?))));
        let mut dependencies: Dependencies = self.dependencies.into_inner().into_iter().collect();
        dependencies.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        // What is around a syntax error determines how it is reported.
        let needs_nodes = self.needs_nodes || (!self.plain.is_empty() && self.out.iter().any(recovery::is_syntax));
        Some(Checked {
            needs_nodes,
            around: self.around,
            found: self.out,
            dependencies,
            statements: self.after,
            actions: self.actions,
            aliases: self.aliases,
        })
    }

    /// Records that names may have other meanings from here on.
    fn scope_changed(&mut self) {
        self.statements.scope += 1;
    }

    /// Records that a declaration with the hash `what` may change the meanings of names from here on.
    fn declares(&mut self, what: u64) {
        self.declarations = mix(self.declarations, what);
        self.own_declarations = mix(self.own_declarations, what);
        self.scope_changed();
    }

    /// As [`Self::state`], without the names around all statements; never 0 either.
    fn own_state(&self) -> u64 {
        mix(self.environment, self.own_declarations) | 1
    }

    /// A hash of everything on which a statement's meaning depends besides its own text and the names of the module; never 0.
    fn state(&self) -> u64 {
        mix(self.environment, mix(self.declarations, self.labels)) | 1
    }

    /// An extra opening brace puts the labels after it into an inner block; their uses must not be reported as further
    /// errors.
    fn lost_labels(&mut self, children: &mut Children<'_>) {
        let source = self.source;
        for index in 0..children.len() {
            let Some(child) = children.get(index).filter(|k| k.kind == kinds().block || is_error(k.kind)) else {
                continue;
            };
            // A block without a closing brace may extend into the next function.
            let range = child.start as usize..(child.end as usize).min(source.text.len());
            if !source.text.get(range).is_some_and(recovery::may_hold_label) {
                continue;
            }
            let Some(block) = children.node(index) else { continue };
            let (declarations, inner) = (&mut self.own_declarations, &mut self.lost.inner);
            recovery::labels_of(block, &mut |node| {
                let name = source.word(node);
                *declarations = mix(*declarations, hash(name.text));
                inner.insert(name.text);
            });
            self.declarations = mix(self.declarations, self.own_declarations);
        }
    }

    /// Checks a function whose end was never found: its statements are direct children of an error node.
    fn endless(&mut self, node: Node<'_>) {
        let mut children = children(node);
        children.retain(|c| c.start < self.end);
        let kind = children.iter().find(|c| c.kind == kinds().function_kind).and_then(|c| c.node);
        let name = children.iter().find(|c| c.kind == kinds().identifier || c.kind == kinds().register);
        let name = name.and_then(|c| c.node);
        let header = kind.map(|kind| self.source.range(kind).start..self.source.range(name.unwrap_or(kind)).end);
        let base = self.source.base;
        self.statements_of(&mut Children::of(node, children, base));
        // The error that confused the parser is more useful than the missing end.
        if !self.out.iter().any(recovery::is_syntax) {
            self.out.extend(recovery::endless(self.source, node, self.end, header));
        }
    }

    fn statements_of(&mut self, children: &mut Children<'_>) {
        self.labels(children);
        if self.depth == 0
            && let Some(before) = self.around_before.take()
        {
            self.affected = self.around.affected_since(&before, self.source.text);
        }
        let k = kinds();
        let (mut label, mut broken) = (None, false);
        // The offset at which an error node ended, or 0: the rest of its line belongs to the same error.
        let mut unread = 0;
        let (mut state, mut own) = (self.state(), self.own_state());
        let end = self.end - self.source.base;
        for index in 0..children.len() {
            let Some(child) = children.get(index).copied() else { break };
            // The inner loop of checking a large function after a keystroke.
            if child.kind == k.instruction && child.silent == own && self.affected.spare(child.range()) {
                self.statements.pass();
                broken = broken && self.is_rest_of_line(unread, child.start);
                (label, unread) = (None, 0);
                continue;
            }
            let before = self.out.len();
            if child.kind == k.instruction {
                self.instruction(children, index, BodyState { state, own });
                label = None;
            } else {
                // The children of an unclosed function include the rest of the file. A closing brace that is missing at the
                // end of the file is located exactly at the end.
                let start = child.start as usize;
                let missing = |children: &mut Children<'_>| children.node(index).is_some_and(|n| n.is_missing());
                if start > end || (start == end && !missing(children)) {
                    break;
                }
                if let Some(list) = directive_parts::list_kind(child.kind) {
                    if let Some(node) = children.node(index) {
                        self.list(node, list, label, broken);
                    }
                } else if child.kind == k.block {
                    self.inner_block(children, index, BodyState { state, own });
                } else {
                    self.statement(children, index);
                }
                label = (child.kind == k.label).then(|| self.label_name(children, index)).flatten();
                (state, own) = (self.state(), self.own_state());
            }
            let reports = self.out.get(before..).unwrap_or_default();
            // Fragments of a statement with a syntax error are not separate errors.
            let piece = is_error(child.kind) || reports.iter().any(recovery::is_piece);
            if piece && recovery::is_whole(reports, self.source.text, child.range(), broken) {
                broken = false;
            } else if broken && (piece || self.is_rest_of_line(unread, child.start)) {
                self.out.truncate(before);
            } else {
                broken = reports.iter().any(recovery::is_syntax);
            }
            unread = if is_error(child.kind) { child.end as usize } else { 0 };
        }
    }

    /// Whether a statement at `start` begins on the line on which the previous error node ended, at offset `unread` (0: there
    /// was no error node).
    fn is_rest_of_line(&self, unread: usize, start: u32) -> bool {
        let between = || self.source.text.get(unread..start as usize);
        unread > 0 && between().is_some_and(|between| !between.contains('\n'))
    }

    /// The name of the label statement at an index.
    fn label_name(&self, children: &mut Children<'_>, index: usize) -> Option<SourceWord<'t>> {
        let range = children.get(index)?.range();
        match self.plain_label(range) {
            Some(name) => Some(name),
            None => children.node(index)?.child_by_field_id(fields().name).map(|n| self.source.word(n)),
        }
    }

    /// The name of a label that consists only of a name and a colon, as nearly all do; this needs no syntax node.
    fn plain_label(&self, range: Range<usize>) -> Option<SourceWord<'t>> {
        let text = self.source.text.get(range.clone())?;
        let name = text.strip_suffix(':')?;
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%'));
        (plain && !name.is_empty()).then_some(SourceWord { text: name, start: u32::try_from(range.start).ok()? })
    }

    fn labels(&mut self, children: &mut Children<'_>) {
        let k = kinds();
        let mut labels = 0;
        let end = self.end - self.source.base;
        let is_label = |(_, known): &(usize, &KnownStatement)| known.kind == k.label && (known.start as usize) < end;
        let label_indices: Vec<usize> = children.iter().enumerate().filter(is_label).map(|(index, _)| index).collect();
        for index in label_indices {
            let Some(name) = self.label_name(children, index) else { continue };
            let list = children.get(index + 1).and_then(|next| directive_parts::list_kind(next.kind));
            let symbol = match list {
                Some(list) => Symbol::Targets { list, content: ContentId::UNKNOWN },
                None => Symbol::Label,
            };
            if self.depth == 0 {
                self.around.label(name.text, symbol);
            }
            labels = mix(mix(labels, hash(name.text)), list.map_or(0, |l| l as u64 + 1));
            self.all_labels.push(name);
            // A label that hides another name also changes the meaning of statements that use no label.
            if self.scope.get(name.text).is_some_and(|d| !matches!(d.symbol, Symbol::Label | Symbol::Targets { .. })) {
                self.declarations = mix(self.declarations, hash(name.text));
            }
            let declared = DeclaredSymbol { symbol, range: name.range() };
            self.declared.push(name.text);
            reserved_name::check(name, false, &mut self.out);
            if let Some(earlier) = self.scope.declare_label(name.text, declared) {
                self.out.push(duplicate_name::report(name.range(), name.text, earlier));
            }
        }
        self.labels = mix(self.labels, labels);
        self.scope_changed();
    }
}
