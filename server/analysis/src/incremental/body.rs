//! The bodies of functions: scopes, and each instruction against the tables.

mod blocks;
mod children;
mod declarations;
mod instructions;
mod names;

pub use children::{ChangedRange, EarlierStatements, KnownStatement, Old, is_same_subtree};

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::directives::{self, debug};
use crate::check::rules::parameter_list::ParameterOwner;
use crate::check::rules::{
    debug_directive, duplicate_name, misplaced_directive, reserved_name, syntax_error, undeclared_name,
};
use crate::check::{initializer, lists};
use crate::forms::mnemonics::MnemonicCache;
use crate::hir::ast::{Declaration, SourceWord};
use crate::hir::directive_parts;
use crate::hir::hash::{hash, mix};
use crate::hir::lower::{self, ItemSource};
use crate::hir::module::{Dependencies, Header};
use crate::hir::signature::{Callee, ContentId};
use crate::hir::statements::children;
use crate::hir::symbols::{DeclaredSymbol, NameScope, Symbol, TargetListKind, VariableOrigin};
use crate::incremental::memo::Statements;
use crate::incremental::recovery;
use children::{Children, is_error};
use ptx_syntax::{Node, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cell::RefCell;
use std::ops::Range;

/// One function under check.
pub struct Body<'a, 't> {
    source: ItemSource<'t>,
    header: &'a Header,
    /// Index of the item, since names must be declared before their use.
    item: usize,
    scope: NameScope<'t>,
    /// Hash of what the meaning of all statements depends on: version and target of the module, kind and directives of the function.
    environment: u64,
    /// Hash of what names may depend on: the declarations so far.
    declarations: u64,
    mnemonics: &'a mut MnemonicCache,
    /// What is remembered of this function's statements, and what is to be.
    statements: &'a mut Statements,
    /// Where the function's own text ends (a function that is not closed ends where the next begins).
    end: usize,
    /// The names of the module that were looked up.
    dependencies: RefCell<HashMap<Box<str>, Option<Symbol>>>,
    /// The statements of the outermost block, as they were the last time, and what has changed since.
    before: Option<EarlierStatements<'a>>,
    /// The same for the next time.
    after: Vec<KnownStatement>,
    /// Hash of the labels in scope.
    labels: u64,
    /// Every name declared so far, a range with its number of registers (`%r<10`), for suggestions.
    declared: Vec<&'t str>,
    /// It is a kernel.
    kernel: bool,
    /// The directives of its header.
    given: Vec<&'static str>,
    /// How many `.loc` there were so far.
    located: usize,
    /// The locations so far.
    locations: HashSet<debug::LocNumbers>,
    /// A function without a body: only declared.
    bodiless: bool,
    /// What syntax errors took away.
    lost: recovery::Losses<'t>,
    /// Every label, for the report on one that cannot be seen.
    all_labels: Vec<SourceWord<'t>>,
    /// The functions in lists, and those that are declared here, by their content.
    callees: HashMap<ContentId, Vec<Callee>>,
    out: Vec<Diagnostic>,
}

/// What the check of an item found out.
#[derive(Default)]
pub struct Checked {
    /// Ranges count from the start of the item.
    pub found: Vec<Diagnostic>,
    /// The names of the module that it used.
    pub dependencies: Dependencies,
    /// The statements of its block, in order; none if it has no block, or lacks an end.
    pub statements: Vec<KnownStatement>,
}

impl<'a, 't> Body<'a, 't> {
    /// Prepares the check of an item. `environment` is the fingerprint of the module's header.
    pub fn new(
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
            lost: recovery::Losses::default(),
            all_labels: Vec::new(),
            callees: HashMap::default(),
            out: Vec::new(),
        }
    }

    /// Checks a `function` node; the diagnostics count from the start of the item.
    pub fn function(mut self, node: Node<'_>) -> Option<Checked> {
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
            // ptxas: without a body, what the parameters are called means nothing.
            self.out.retain(|d| d.code() != Code::DuplicateName);
        }
        let owner = if kernel { ParameterOwner::Kernel } else { ParameterOwner::Function };
        lists::check_lists(self.source, node, owner, &mut self.out);
        // Errors in the header of the function; those of the body are reported statement by statement.
        let mut found = Vec::new();
        for child in children(node) {
            if body.is_none()
                && let Some(brace) = recovery::opening_brace_in(self.source, node, child.node)
            {
                found.push(brace);
            } else if Some(child.node) != body && !directives::header::is_constant_argument(self.source, child.node) {
                syntax_error::report(self.source, child.node, &mut found);
            }
        }
        self.out.extend(found.into_iter().min_by_key(|d| d.range.start));
        self.kernel = kernel;
        self.given = directives::header::function(self.source, node, &self.header.environment, &mut self.out);
        let given = self.given.iter().fold(u64::from(kernel), |all, word| mix(all, hash(word)));
        self.environment = mix(self.environment, given);
        // What the parameters are matters to those who name them.
        let header_end = body.map_or(node.end_byte(), |b| b.start_byte());
        let signature = self.source.text.get(..header_end.saturating_sub(self.source.base)).unwrap_or("");
        self.declares(hash(signature));
        // ptxas: parameters and what the outermost block declares share one block.
        if let Some(body) = body {
            let base = self.source.base;
            let mut children = match self.before.take() {
                Some(before) => Children::resumed(body, base, before),
                None => Children::all(body, base),
            };
            if children.is_lost() {
                children = Children::all(body, base);
            }
            if recovery::ends_open(node) {
                self.lost_labels(&mut children);
            }
            self.statements_of(&mut children);
            if children.is_lost() {
                return None;
            }
            self.after = children.into_known();
        }
        self.scope.pop();
        self.finish()
    }

    /// Checks the initializers of a `variable_declaration` of the module; the diagnostics count from the start of the item.
    /// What is wrong with the rest of the declaration, and with the syntax of all of it, is reported with the module's header.
    pub fn variable(mut self, node: Node<'_>) -> Option<Checked> {
        let declaration = lower::declaration(self.source, node);
        let mut found = Vec::new();
        self.initializers(self.source, &declaration, node, "module", &mut found);
        self.out = found;
        self.finish()
    }

    /// Checks a `section_directive`; the diagnostics count from the start of the item.
    pub fn section(mut self, node: Node<'_>) -> Option<Checked> {
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

    fn finish(mut self) -> Option<Checked> {
        self.lost.prune(&mut self.out);
        undeclared_name::add_help(&mut self.out, &self.declared);
        undeclared_name::add_labels(&mut self.out, &self.all_labels);
        let environment = self.environment;
        self.statements.finish(self.after.iter().filter_map(|k| Some(mix(environment, k.text?))));
        let dependencies = self.dependencies.into_inner().into_iter().collect();
        Some(Checked { found: self.out, dependencies, statements: self.after })
    }

    /// Names may stand for something else from here on.
    fn scope_changed(&mut self) {
        self.statements.scope += 1;
    }

    /// The same with the hash of why.
    fn declares(&mut self, what: u64) {
        self.declarations = mix(self.declarations, what);
        self.scope_changed();
    }

    /// A hash of everything that a statement's meaning depends on besides its text and names of the module, never 0.
    fn state(&self) -> u64 {
        mix(self.environment, mix(self.declarations, self.labels)) | 1
    }

    /// With a brace too many the labels that follow it stand in an inner block: using them is no further mistake.
    fn lost_labels(&mut self, children: &mut Children<'_>) {
        let source = self.source;
        for index in 0..children.len() {
            let Some(known) = children.get(index).filter(|k| k.kind == kinds().block || is_error(k.kind)) else {
                continue;
            };
            // A block that is not closed may reach into the next function.
            let range = known.start as usize..(known.end as usize).min(source.text.len());
            if !source.text.get(range).is_some_and(recovery::may_hold_label) {
                continue;
            }
            let Some(block) = children.node(index) else { continue };
            let (declarations, inner) = (&mut self.declarations, &mut self.lost.inner);
            recovery::labels_of(block, &mut |node| {
                let name = source.word(node);
                *declarations = mix(*declarations, hash(name.text));
                inner.insert(name.text);
            });
        }
    }

    /// A function whose end was never found: its statements stand directly in an error node.
    fn endless(&mut self, node: Node<'_>) {
        let mut children = children(node);
        children.retain(|c| c.node.start_byte() < self.end);
        let kind = children.iter().find(|c| c.kind == kinds().function_kind).map(|c| c.node);
        let name = children.iter().find(|c| c.kind == kinds().identifier || c.kind == kinds().register).map(|c| c.node);
        let header = kind.map(|kind| self.source.range(kind).start..self.source.range(name.unwrap_or(kind)).end);
        let base = self.source.base;
        self.statements_of(&mut Children::of(node, children, base));
        // What made the parser lose its way says more than that it did.
        if !self.out.iter().any(recovery::is_syntax) {
            self.out.extend(recovery::endless(self.source, node, self.end, header));
        }
    }

    fn statements_of(&mut self, children: &mut Children<'_>) {
        self.labels(children);
        let k = kinds();
        let (mut label, mut broken) = (None, false);
        // Where an error node ended: the rest of its line belongs to the same mistake.
        let mut unread = 0;
        let mut state = self.state();
        let end = self.end - self.source.base;
        for index in 0..children.len() {
            let Some(known) = children.get(index).copied() else { break };
            // The inner loop of checking a large function after a keystroke.
            if known.silent == state {
                self.statements.pass();
                broken = broken && self.is_rest_of_line(unread, known.start);
                (label, unread) = (None, 0);
                continue;
            }
            let before = self.out.len();
            if known.kind == k.instruction {
                self.instruction(children, index, state);
                label = None;
            } else {
                // An unclosed function has the rest of the file for its children. A brace that the end of the file lacks stands
                // exactly at the end.
                let start = known.start as usize;
                let missing = |children: &mut Children<'_>| children.node(index).is_some_and(|n| n.is_missing());
                if start > end || (start == end && !missing(children)) {
                    break;
                }
                if let Some(list) = directive_parts::list_kind(known.kind) {
                    if let Some(node) = children.node(index) {
                        self.list(node, list, label, broken);
                    }
                } else if known.kind == k.block {
                    self.inner_block(children, index, state);
                } else {
                    self.statement(children, index);
                }
                label = (known.kind == k.label).then(|| self.label_name(children, index)).flatten();
                state = self.state();
            }
            let found = self.out.get(before..).unwrap_or_default();
            // The pieces of a statement that fell apart are no mistakes of their own.
            let piece = is_error(known.kind) || found.iter().any(recovery::is_piece);
            if broken && (piece || self.is_rest_of_line(unread, known.start)) {
                self.out.truncate(before);
            } else {
                broken = found.iter().any(recovery::is_syntax);
            }
            unread = if is_error(known.kind) { known.end as usize } else { 0 };
        }
    }

    /// Whether a statement stands on the line on which an error node ended before it; 0 for none.
    fn is_rest_of_line(&self, unread: usize, start: u32) -> bool {
        let between = || self.source.text.get(unread..start as usize);
        unread > 0 && between().is_some_and(|between| !between.contains('\n'))
    }

    /// The name of a label.
    fn label_name(&self, children: &mut Children<'_>, index: usize) -> Option<SourceWord<'t>> {
        let range = children.get(index)?.range();
        match self.plain_label(range) {
            Some(name) => Some(name),
            None => children.node(index)?.child_by_field_id(fields().name).map(|n| self.source.word(n)),
        }
    }

    /// The name of a label that is nothing but a name and a colon, as nearly all are, which needs no node.
    fn plain_label(&self, range: Range<usize>) -> Option<SourceWord<'t>> {
        let text = self.source.text.get(range.clone())?;
        let name = text.strip_suffix(':')?;
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%'));
        (plain && !name.is_empty()).then_some(SourceWord { text: name, start: u32::try_from(range.start).ok()? })
    }

    /// A list of targets or a prototype, with the label before it. From here on the label stands for what it says. `broken`:
    /// what stands before it could not be read.
    fn list(&mut self, node: Node<'_>, list: TargetListKind, label: Option<SourceWord<'t>>, broken: bool) {
        syntax_error::report(self.source, node, &mut self.out);
        let Some(label) = label else {
            if broken {
                return;
            }
            return self.out.push(misplaced_directive::without_label(directives::first_word(self.source, node)));
        };
        if node.kind_id() == kinds().call_prototype_directive {
            self.prototype(node);
        }
        self.directive(node);
        let mut found = Vec::new();
        let content = lists::check(self.source, node, (list, label.text), self, &mut found);
        // A word about a broken list is said already.
        if !node.has_error() {
            self.out.append(&mut found);
        }
        self.scope.describe_list(label.text, &label.range(), content.id);
        self.declares(mix(hash(label.text), content.id.number()));
        self.callees.insert(content.id, content.callees);
    }

    fn labels(&mut self, children: &mut Children<'_>) {
        let k = kinds();
        let mut labels = 0;
        let end = self.end - self.source.base;
        let is_label = |(_, known): &(usize, &KnownStatement)| known.kind == k.label && (known.start as usize) < end;
        let all: Vec<usize> = children.iter().enumerate().filter(is_label).map(|(index, _)| index).collect();
        for index in all {
            let Some(name) = self.label_name(children, index) else { continue };
            let list = children.get(index + 1).and_then(|next| directive_parts::list_kind(next.kind));
            let symbol = match list {
                Some(list) => Symbol::Targets { list, content: ContentId::UNKNOWN },
                None => Symbol::Label,
            };
            labels = mix(mix(labels, hash(name.text)), list.map_or(0, |l| l as u64 + 1));
            self.all_labels.push(name);
            // A label that hides another name changes what statements mean that never saw a label.
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

    /// A statement that is no instruction.
    fn statement(&mut self, children: &mut Children<'_>, index: usize) {
        let k = kinds();
        let Some(KnownStatement { kind, start, end, .. }) = children.get(index).copied() else { return };
        let range = start as usize..end as usize;
        self.located += usize::from(kind == k.loc_directive);
        if kind == k.loc_directive && self.plain_location(range.clone()) {
            return;
        }
        if kind == k.label
            && self.plain_label(range).is_some_and(|name| self.scope.top().is_none_or(|f| f.named(name.text).is_none()))
        {
            return;
        }
        let Some(node) = children.node(index) else { return };
        if kind == k.variable_declaration {
            self.declaration(node);
        } else if kind == k.label {
            syntax_error::report(self.source, node, &mut self.out);
            let name = node.child_by_field_id(fields().name).map(|n| self.source.word(n));
            if let Some(name) = name
                && let Some(other) = self.scope.top().and_then(|f| f.named(name.text).cloned())
            {
                self.out.push(duplicate_name::report(name.range(), name.text, other.range));
            }
        } else if kind == k.unknown_directive {
            self.out.extend(directives::unknown(self.source, node));
            self.declare_unknown(node);
        } else if node.is_error() {
            syntax_error::report(self.source, node, &mut self.out);
            self.declare_unknown(node);
        } else if kind == k.target_directive {
            self.out.push(misplaced_directive::target_in_body(directives::first_word(self.source, node)));
        } else if kind == k.version_directive || kind == k.address_size_directive {
            self.out.push(misplaced_directive::of_module_header(directives::first_word(self.source, node)));
        } else if kind == k.parameter_list {
            // Of a function that never ends: everything is on one level there.
            self.declares(hash(self.source.word(node).text));
            self.parameters(node, VariableOrigin::KernelParameter);
            self.scope_changed();
        } else if kind == k.function && node.child_by_field_id(fields().body).is_none() {
            self.inner_function(node);
        } else if kind == k.function && node.parent().is_some_and(|p| !p.has_error()) {
            // Where a brace is missing, that is what is reported.
            let word = node.child_by_field_id(fields().kind).map(|n| self.source.word(n));
            self.out.extend(word.map(misplaced_directive::function_in_function));
        } else if kind == k.loc_directive {
            self.location(node);
        } else if node.is_missing() && node.kind() == "}" {
            // Where the parser lost its way before, it may have lost the brace as well.
            if !self.out.iter().any(recovery::is_syntax) {
                self.out.push(recovery::end_of_block(self.source, node));
            }
        } else {
            syntax_error::report(self.source, node, &mut self.out);
            self.directive(node);
        }
    }

    /// A directive that is a statement.
    fn directive(&mut self, node: Node<'_>) {
        let place = if self.kernel { "entry-body" } else { "body" };
        directives::statement(self.source, node, place, &self.header.environment, &mut self.out);
    }

    /// The usual `.loc`, of which there may be one for each instruction; whether it is that.
    fn plain_location(&mut self, range: Range<usize>) -> bool {
        match self.source.text.get(range).and_then(debug::plain) {
            Some((own, None)) if self.header.files.contains(&own.0) => {
                self.locations.insert(own);
                true
            }
            _ => false,
        }
    }

    /// Any other `.loc`.
    fn location(&mut self, node: Node<'_>) {
        let (own, inlined) = match debug::plain(self.source.word(node).text) {
            Some((own, None)) => (Some(own), None),
            plain => {
                let before = self.out.len();
                self.directive(node);
                match plain {
                    Some((own, inlined)) => (Some(own), inlined),
                    // One mistake is enough.
                    None if self.out.len() > before => (None, None),
                    None => {
                        syntax_error::report(self.source, node, &mut self.out);
                        debug::locations(self.source, node)
                    }
                }
            }
        };
        if let Some(inlined) = inlined
            && let Some(place) = node.child_by_field_id(fields().inlined_at)
            && !self.locations.contains(&inlined)
        {
            let range = self.source.range(place);
            let first = self.header.first_body == Some(self.item);
            self.out.push(debug_directive::inlined_nowhere(range, inlined, first));
        }
        let Some(own) = own else { return };
        if !self.header.files.contains(&own.0)
            && let Some(file) = lower::named_children(node).find(|n| n.kind_id() == kinds().integer)
        {
            self.out.push(debug_directive::unknown_file(self.source.range(file), own.0));
        }
        self.locations.insert(own);
    }

    /// The names in text that could not be understood: most likely declarations, so that their uses are no further
    /// mistakes (`.regg .b32 %r<100>;` is one, not a hundred).
    fn declare_unknown(&mut self, node: Node<'_>) {
        let word = self.source.word(node);
        let behind = self.source.text.get(word.range().end..).unwrap_or("");
        let mut matters = false;
        let Some(frame) = self.scope.top() else { return };
        for (name, count) in recovery::names_in(word.text) {
            let declared = DeclaredSymbol { symbol: Symbol::Unknown, range: word.range() };
            match count {
                Some(count) => {
                    frame.declare_range(name, count, declared);
                    matters = true;
                }
                None => matters |= frame.declare(name, declared).is_none() && recovery::is_named_in(behind, name),
            }
        }
        if matters {
            self.declares(hash(word.text));
        } else {
            // All that follows means what it did, and a function may be long.
            self.scope_changed();
        }
    }
}
