//! Checks the statements of a body other than instructions and blocks.

use super::Body;
use super::children::{Children, KnownStatement};
use crate::directives;
use crate::lists;
use crate::recovery;
use crate::rules::{debug_directive, duplicate_name, misplaced_directive, syntax_error};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::hash::{hash, mix};
use ptx_sema::hir::symbols::{DeclaredSymbol, Symbol, TargetListKind, VariableOrigin};
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

impl<'t> Body<'_, 't> {
    /// Checks a list of targets or a prototype, with the label before it. From here on the label stands for the listed
    /// content. `broken`: the preceding statement has a syntax error.
    pub(super) fn list(&mut self, node: Node<'_>, list: TargetListKind, label: Option<SourceWord<'t>>, broken: bool) {
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
        let content = lists::check(self.source, node, list, label.text, self, &mut found);
        // A list with a syntax error is already reported.
        if !node.has_error() {
            self.out.append(&mut found);
        }
        self.scope.describe_list(label.text, &label.range(), content.id);
        self.declares(mix(hash(label.text), content.id.number()));
        self.callees.insert(content.id, content.callees);
    }

    /// Checks a statement that is not an instruction.
    pub(super) fn statement(&mut self, children: &mut Children<'_>, index: usize) {
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
        if children.is_without_node(index) {
            // Only its usual case needs no node.
            self.needs_nodes = true;
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
            // The parameter list of a function without an end, whose parts are all on one level.
            self.declares(hash(self.source.word(node).text));
            self.parameters(node, VariableOrigin::KernelParameter);
            self.scope_changed();
        } else if kind == k.function && node.child_by_field_id(fields().body).is_none() {
            self.inner_function(node);
        } else if kind == k.function && node.parent().is_some_and(|p| !p.has_error()) {
            // If a brace is missing, only that is reported.
            let word = node.child_by_field_id(fields().kind).map(|n| self.source.word(n));
            self.out.extend(word.map(misplaced_directive::function_in_function));
        } else if kind == k.loc_directive {
            self.location(node);
        } else if node.is_missing() && node.kind() == "}" {
            // After an earlier syntax error, the parser may have lost the brace as well.
            if !self.out.iter().any(recovery::is_syntax) {
                self.out.push(recovery::end_of_block(self.source, node));
            }
        } else {
            syntax_error::report(self.source, node, &mut self.out);
            self.directive(node);
            if kind == k.alias_directive && !node.has_error() {
                self.alias(node);
            }
        }
    }

    /// Checks a directive that is a statement.
    fn directive(&mut self, node: Node<'_>) {
        let place = if self.kernel { "entry-body" } else { "body" };
        directives::statement(self.source, node, place, &self.header.environment, &mut self.out);
    }

    /// Handles a `.loc` in its usual form without a syntax node, since there may be one for each instruction. Returns whether
    /// it has that form.
    fn plain_location(&mut self, range: Range<usize>) -> bool {
        match self.source.text.get(range).and_then(directive_parts::plain_location) {
            Some((own, None)) if self.header.files.contains(&own.0) => {
                self.locations.insert(own);
                true
            }
            _ => false,
        }
    }

    /// Checks a `.loc` in any other form.
    fn location(&mut self, node: Node<'_>) {
        let (own, inlined) = match directive_parts::plain_location(self.source.word(node).text) {
            Some((own, None)) => (Some(own), None),
            plain => {
                let before = self.out.len();
                self.directive(node);
                match plain {
                    Some((own, inlined)) => (Some(own), inlined),
                    // One diagnostic is enough.
                    None if self.out.len() > before => (None, None),
                    None => {
                        syntax_error::report(self.source, node, &mut self.out);
                        directive_parts::locations(self.source, node)
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
            && let Some(file) = ptx_syntax::walk::named_children(node).find(|n| n.kind_id() == kinds().integer)
        {
            self.out.push(debug_directive::unknown_file(self.source.range(file), own.0));
        }
        self.locations.insert(own);
    }

    /// Declares the names in text with a syntax error as unknown symbols. Most likely the text was a declaration, so the uses
    /// of these names are not further errors: `.regg .b32 %r<100>;` is one error, not a hundred.
    pub(super) fn declare_unknown(&mut self, node: Node<'_>) {
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
            // The following statements keep their meanings, so their cached results stay valid: a function may be long.
            self.scope_changed();
        }
    }
}
