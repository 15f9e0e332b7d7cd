//! Checks the declarations of a function: its header, parameters, registers, variables and other functions.

use super::Body;
use crate::declare::{self, DeclarationSite};
use crate::functions::AliasNames;
use crate::rules::{alias, constant_overflow, duplicate_name, reserved_name, syntax_error, undeclared_name};
use ptx_sema::forms::operands::NameLookup as _;
use ptx_sema::hir::ast::{Declaration, Declarator, SourceWord};
use ptx_sema::hir::declared;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::hash::hash;
use ptx_sema::hir::lower;
use ptx_sema::hir::signature::{Callee, ContentId, Signature};
use ptx_sema::hir::symbols::{DeclaredSymbol, Symbol, VariableOrigin};
use ptx_syntax::{Node, fields, kinds};
use std::sync::Arc;

impl<'t> Body<'_, 't> {
    pub(super) fn parameters(&mut self, list: Node<'_>, origin: VariableOrigin) {
        if list.has_error() {
            // The intended declarations are unknown.
            return self.declare_unknown(list);
        }
        for parameter in ptx_syntax::walk::named_children(list).filter(|n| n.kind_id() == kinds().parameter) {
            let declaration = lower::declaration(self.source, parameter);
            self.declare(&declaration, origin);
        }
    }

    /// Checks the part of a function before its parameters, and the total size of a kernel's parameters.
    pub(super) fn header_of_function(&mut self, node: Node<'_>, kernel: bool) {
        let (k, source, environment) = (kinds(), self.source, &self.header.environment);
        let head: Vec<Node<'_>> = ptx_syntax::walk::named_children(node)
            .take_while(|n| n.kind_id() != k.block && n.kind_id() != k.parameter_list)
            .collect();
        let of_kind = |kind: u16| head.iter().filter(move |n| n.kind_id() == kind);
        let words: Vec<SourceWord<'_>> = of_kind(k.linkage).map(|n| source.word(*n)).collect();
        declare::function_linkages(&words, environment, &mut self.out);
        let lists: Vec<_> = of_kind(k.attribute_list).map(|n| lower::attributes(source, *n)).collect();
        declare::function_attributes(&lists, kernel, environment, &mut self.out);
        if kernel
            && !self.bodiless
            && let Some(list) = node.child_by_field_id(fields().parameters)
        {
            let parameters = ptx_syntax::walk::named_children(list).filter(|n| n.kind_id() == k.parameter);
            let parameters: Vec<_> = parameters.map(|n| lower::declaration(source, n)).collect();
            declare::kernel_parameters(&parameters, environment, &mut self.out);
        }
        if let Some(name) = node.child_by_field_id(fields().name) {
            reserved_name::in_module(source.word(name), &mut self.out);
        }
    }

    /// Checks the names of an `.alias` directive.
    pub(super) fn alias(&mut self, node: Node<'_>) {
        let Some((alias, function)) = directive_parts::alias_names(self.source, node) else { return };
        let mut of_module = true;
        for word in [alias, function] {
            match self.look_up(word.text) {
                None => self.out.push(undeclared_name::report(word.range(), word.text)),
                Some(Symbol::Function { kernel: false, .. }) => {
                    of_module &= self.scope.get(word.text).is_none();
                    continue;
                }
                Some(symbol) => self.out.extend(alias::not_a_function(word.range(), word.text, symbol)),
            }
            of_module = false;
        }
        if of_module {
            let named = |word: SourceWord<'_>| (word.text.into(), word.range());
            self.aliases.push(AliasNames { alias: named(alias), function: named(function) });
        }
    }

    /// Checks the parameters in a `.callprototype`.
    pub(super) fn prototype(&mut self, node: Node<'_>) {
        let (k, f) = (kinds(), fields());
        for (list, origin) in [(f.returns, VariableOrigin::Result), (f.parameters, VariableOrigin::Parameter)] {
            let Some(list) = node.child_by_field_id(list) else { continue };
            for parameter in ptx_syntax::walk::named_children(list).filter(|n| n.kind_id() == k.parameter) {
                let site = DeclarationSite { origin, bodiless: true, prototype: true };
                let declaration = lower::declaration(self.source, parameter);
                declare::check(&declaration, site, &self.header.environment, &mut self.out);
            }
        }
    }

    /// Checks a declaration and declares its names.
    pub(super) fn declare(&mut self, declaration: &Declaration<'t>, origin: VariableOrigin) {
        let site = DeclarationSite { bodiless: self.bodiless, ..DeclarationSite::of(origin) };
        let before = self.out.len();
        let sound = declare::check(declaration, site, &self.header.environment, &mut self.out);
        syntax_error::with_text(self.source.text, self.out.get_mut(before..).unwrap_or_default());
        let mut names = declared::names(declaration, origin);
        if !sound {
            // The declaration is already reported; no use of its names must be.
            names.iter_mut().for_each(|n| n.symbol = Symbol::Unknown);
        }
        if origin != VariableOrigin::Body {
            for name in &names {
                self.around.parameter(name.name.text, name.symbol);
            }
        }
        // A range is known with its number of registers: `%r<10`.
        let spelling = |d: &Declarator<'t>| match &d.count {
            Some((count, _)) => self.source.text.get(d.name.range().start..count.end).unwrap_or(d.name.text),
            None => d.name.text,
        };
        self.declared.extend(declaration.declarators.iter().filter(|d| d.name.text != "_").map(spelling));
        self.lost.ranges.extend(names.iter().filter(|d| d.count.is_some()).map(|d| d.name.text));
        if let Some(frame) = self.scope.top() {
            declare::declare(names, frame, &mut self.out);
        }
        constant_overflow::declaration(declaration, self.source.text, &mut self.out);
    }

    /// Checks a declaration of a function within a body, which the assembler accepts.
    pub(super) fn inner_function(&mut self, node: Node<'_>) {
        let f = fields();
        syntax_error::report(self.source, node, &mut self.out);
        let Some(name) = node.child_by_field_id(f.name).map(|n| self.source.word(n)) else { return };
        self.declares(hash(self.source.word(node).text));
        let kernel = node.child_by_field_id(f.kind).is_some_and(|n| self.source.word(n).text == ".entry");
        let signature = Signature::of(self.source, node).map(Arc::new);
        let content = signature.as_deref().map_or(ContentId::UNKNOWN, |s| ContentId::of(&(name.text, s)));
        self.callees.insert(content, vec![Callee { name: name.text.into(), prototype: false, signature }]);
        let declared = DeclaredSymbol { symbol: Symbol::Function { kernel, signature: content }, range: name.range() };
        if let Some(frame) = self.scope.top() {
            frame.declare(name.text, declared);
        }
    }

    pub(super) fn declaration(&mut self, node: Node<'_>) {
        syntax_error::report(self.source, node, &mut self.out);
        let space = node.child_by_field_id(fields().space).map_or("", |s| self.source.word(s).text);
        self.lost.registers |= space == ".reg" && node.has_error();
        if node.has_error() {
            return self.declare_unknown(node);
        }
        let word = self.source.word(node);
        self.declares(hash(word.text));
        let declaration = lower::declaration(self.source, node);
        if space == ".reg" && lower::is_broken(node) {
            match declaration.declarators.last() {
                // `.reg .b32 %r` may be the unfinished `%r<10>`.
                Some(last) => self.lost.bases.extend(last.count.is_none().then_some(last.name.text)),
                None => self.lost.registers = true,
            }
        }
        for declarator in declaration.declarators.iter().filter(|d| d.count.is_none()) {
            if let Some(label) = self.scope.own_label(declarator.name.text)
                && label.range.start < declarator.name.range().start
            {
                let earlier = label.range.clone();
                self.out.push(duplicate_name::report(declarator.name.range(), declarator.name.text, earlier));
            }
        }
        self.declare(&declaration, VariableOrigin::Body);
        if declaration.declarators.iter().any(|d| d.initializer.is_some()) {
            let mut found = Vec::new();
            self.initializers(self.source, &declaration, node, "body", &mut found);
            self.out.extend(found);
        }
    }
}
