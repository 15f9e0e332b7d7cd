//! Checks initial values of variables (manual 5.4.4) against `initializers.isa` and the shape in the declaration.
//!
//! This file checks shapes and numbers; `address` checks addresses. The check is one walk over the nodes and recurses no deeper than
//! the declared dimensions: an initializer may have a million elements.

mod address;

use crate::diagnostic::{Diagnostic, Severity};
use crate::rules::requires_version::GatedSubject;
use crate::rules::{constant_expression, initializer as words, misread_value, requires_version, truncated_value};
use ptx_isa::ISA;
use ptx_isa::tables::{DeclarationPlace as Declarable, TypeClass, TypeInfo};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::ast::{ConstantValue, Declaration, Declarator};
use ptx_sema::hir::literal;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of diagnostics for one initializer; more would not help.
const MAX_DIAGNOSTICS: usize = 10;

/// The declaration around an initializer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InitializerContext<'a, 't> {
    /// The text into which offsets count.
    pub source: ItemSource<'t>,
    /// Version, target and address size.
    pub environment: &'a Environment,
    /// The lowered declaration.
    pub declaration: &'a Declaration<'t>,
    /// The site of the declaration, by its name in the tables: `module` or `body`.
    pub site: &'static str,
}

/// Checks the initializers of a `variable_declaration` node. Its syntax errors are reported elsewhere.
pub(crate) fn check(
    place: InitializerContext<'_, '_>,
    node: Node<'_>,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let declarators = named_children(node).filter(|n| n.kind_id() == kinds().declarator);
    for (index, (declarator, node)) in place.declaration.declarators.iter().zip(declarators).enumerate() {
        let Some(value) = node.child_by_field_id(fields().value) else { continue };
        let broken = node.has_error() || error_follows(node);
        if broken && value.kind_id() != kinds().initializer_list {
            continue;
        }
        let later = place.declaration.declarators.get(index + 1..).unwrap_or_default();
        InitializerChecker::new(place, declarator, later, names, out).declarator(value);
    }
}

/// Whether an error node directly follows a declarator, so that it is part of the initial value.
fn error_follows(node: Node<'_>) -> bool {
    node.next_sibling().is_some_and(|n| n.is_error() && n.start_byte() == node.end_byte())
}

/// How much of an array an initializer fills.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListFilling {
    /// It gives no value.
    Empty,
    /// It gives some values, but not all.
    Partly,
    /// It gives all values.
    Wholly,
}

struct InitializerChecker<'a, 't> {
    place: InitializerContext<'a, 't>,
    declarator: &'a Declarator<'t>,
    /// The declarators that follow in the same declaration.
    later: &'a [Declarator<'t>],
    names: &'a dyn NameLookup,
    out: &'a mut Vec<Diagnostic>,
    /// The element type, if the module may declare variables of it.
    ty: Option<&'static TypeInfo>,
    /// Number of vector elements; 1 if it is not a vector.
    elements: usize,
    /// Cache of name lookups: an array of addresses names few variables many times.
    known: HashMap<&'t str, Option<Symbol>>,
    /// Kinds of values that are too new for the module and have been reported.
    refused: Vec<&'static str>,
    findings: usize,
    /// Kinds of diagnostics that [`Self::push_once`] has reported.
    said: Vec<&'static str>,
}

impl<'a, 't> InitializerChecker<'a, 't> {
    fn new(
        place: InitializerContext<'a, 't>,
        declarator: &'a Declarator<'t>,
        later: &'a [Declarator<'t>],
        names: &'a dyn NameLookup,
        out: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let ty = place.declaration.types.first().and_then(|w| TypeId::of(w.text)).map(TypeId::info);
        let vector = place.declaration.vectors.first().and_then(|w| w.text.get(2..)?.parse().ok());
        Self {
            place,
            declarator,
            later,
            names,
            out,
            // The check of the declaration reports a type that is too new. ptxas: arrays of samplers need no `texmode_independent`.
            ty: ty.filter(|t| {
                let array = t.class == TypeClass::Opaque && !declarator.dimensions.is_empty();
                t.variables && (array || place.environment.refused(t.gates, |_| true).is_none())
            }),
            elements: vector.unwrap_or(1),
            known: HashMap::new(),
            refused: Vec::new(),
            findings: 0,
            said: Vec::new(),
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.findings < MAX_DIAGNOSTICS {
            self.out.push(diagnostic);
        }
        self.findings += 1;
    }

    /// Reports a diagnostic unless one of the same `kind` was reported: such a mistake usually repeats in every element.
    fn push_once(&mut self, kind: &'static str, diagnostic: Diagnostic) {
        self.findings += usize::from(diagnostic.severity == Severity::Error);
        if !self.said.contains(&kind) {
            self.said.push(kind);
            self.out.push(diagnostic);
        }
    }

    /// The byte range to report for a value. For a list, which may be long, it is the opening brace.
    fn range(&self, node: Node<'_>) -> Range<usize> {
        let range = self.place.source.range(node);
        if node.kind_id() == kinds().initializer_list { range.start..range.start + 1 } else { range }
    }

    fn name(&self) -> &'t str {
        self.declarator.name.text
    }

    fn declarator(&mut self, value: Node<'_>) {
        let declaration = self.place.declaration;
        let space = declaration.spaces.first().map_or("", |w| w.text);
        // `.extern` variables and ranges (`x<4>`) cannot have a value; the check of the declaration reports that.
        let external = declaration.linkages.iter().any(|w| w.text == ".extern");
        if external || self.declarator.count.is_some() {
            return;
        }
        let spaces = ISA.initials.iter().flat_map(|i| i.spaces);
        let Some(state_space) = ISA.space(space) else { return };
        let here = |d: &&Declarable| {
            d.names.contains(&self.place.site) && self.place.environment.refused(d.gates, |_| true).is_none()
        };
        if !state_space.declared.iter().any(|d| here(&d)) {
            // The check of the declaration reports the misplaced state space.
            return;
        }
        if !spaces.into_iter().any(|s| *s == space) {
            return self.push(words::space(self.range(value), self.name(), space));
        }
        // ptxas: `x[0]` takes its length from the values, as `x[]` does.
        let size = |(index, (_, size)): (usize, &(Range<usize>, Option<ConstantValue>))| match size {
            None | Some(ConstantValue::Integer(Some(0))) if index == 0 => Some(None),
            Some(ConstantValue::Integer(Some(n))) => Some(u64::try_from(*n).ok()),
            // The size is wrong, which is reported elsewhere.
            _ => None,
        };
        let sizes: Option<Vec<Option<u64>>> = self.declarator.dimensions.iter().enumerate().map(size).collect();
        if let Some(sizes) = sizes {
            self.value(value, &sizes);
        }
    }

    /// Checks a value for an array of these dimensions, or for one element if there are none. The size of the first may be unknown.
    fn value(&mut self, node: Node<'_>, sizes: &[Option<u64>]) -> ListFilling {
        let list = node.kind_id() == kinds().initializer_list;
        match sizes {
            [size, rest @ ..] if list => self.list(node, *size, rest),
            [..] if node.has_error() && !list => ListFilling::Wholly,
            [_, ..] => {
                self.push_once("shape", words::needs_braces(self.range(node), self.name(), "an array"));
                ListFilling::Wholly
            }
            [] if self.elements > 1 => self.vector(node, list),
            [] => self.single(node, list),
        }
    }

    fn list(&mut self, node: Node<'_>, size: Option<u64>, rest: &[Option<u64>]) -> ListFilling {
        let mut count = 0u64;
        // An incomplete row that was not reported yet. It is a mistake only if a row with values follows.
        let mut short: Option<(Range<usize>, ListFilling)> = None;
        let mut filled = ListFilling::Empty;
        let broken = node.has_error();
        for element in named_children(node) {
            if broken && touches_error(element) {
                continue;
            }
            if size.is_some_and(|size| count >= size) {
                self.push_once("shape", words::too_many(self.range(element), self.name(), size.unwrap_or(0)));
                return ListFilling::Wholly;
            }
            let row = if rest.is_empty() && self.elements == 1 {
                self.single(element, element.kind_id() == kinds().initializer_list)
            } else {
                self.value(element, rest)
            };
            if row != ListFilling::Empty {
                filled = ListFilling::Partly;
                if let Some((range, short)) = short.take() {
                    self.push(misread_value::short_row(range, short == ListFilling::Empty));
                }
            }
            if row != ListFilling::Wholly && short.is_none() && !rest.is_empty() {
                short = Some((self.range(element), row));
            }
            count += 1;
            if self.findings > MAX_DIAGNOSTICS {
                return ListFilling::Wholly;
            }
        }
        if size.is_none() && count == 0 && !node.has_error() {
            self.push(words::no_length(self.range(node), self.name()));
            return ListFilling::Wholly;
        }
        let whole = size.is_none_or(|size| count >= size) && short.is_none() && count > 0;
        if whole { ListFilling::Wholly } else { filled }
    }

    fn vector(&mut self, node: Node<'_>, list: bool) -> ListFilling {
        if !list {
            self.push_once("shape", words::needs_braces(self.range(node), self.name(), "a vector"));
            return ListFilling::Wholly;
        }
        let mut count = 0;
        for element in named_children(node) {
            count += 1;
            let list = element.kind_id() == kinds().initializer_list;
            self.single(element, list);
        }
        if count != self.elements && !node.has_error() {
            self.push_once("shape", words::vector(self.range(node), self.name(), self.elements, count));
        }
        ListFilling::Wholly
    }

    /// Checks the value of one element; `list` if it is in braces.
    fn single(&mut self, node: Node<'_>, list: bool) -> ListFilling {
        let Some(ty) = self.ty else { return ListFilling::Wholly };
        match ty.class {
            // ptxas: for a packed type it accepts a list of any values. That is useless, since it does not pack them.
            TypeClass::Packed if list && named_children(node).next().is_none() => {}
            TypeClass::Packed if list => {
                self.push_once("packed", misread_value::packed(self.range(node), ty.name));
                for value in named_children(node).filter(|v| !v.has_error()) {
                    if let ConstantValue::Wrong(problem) = lower::constant(self.place.source, value) {
                        self.push(constant_expression::report(problem, self.place.source.text));
                    }
                }
            }
            TypeClass::Packed => {
                self.push_once("shape", words::needs_braces(self.range(node), self.name(), "of a packed type"))
            }
            TypeClass::Opaque => self.opaque(node, list, ty),
            _ if list => self.push_once("shape", words::unexpected_list(self.range(node), self.name())),
            _ => self.scalar(node, ty),
        }
        ListFilling::Wholly
    }

    fn opaque(&mut self, node: Node<'_>, list: bool, ty: &'static TypeInfo) {
        if !list {
            return match node.kind_id() == kinds().field_initializer {
                true => self.field(node, ty),
                false => self.push(words::needs_fields(self.range(node), ty.name)),
            };
        }
        for element in named_children(node) {
            if element.kind_id() == kinds().field_initializer {
                self.field(element, ty);
            } else if !element.has_error() {
                return self.push(words::needs_fields(self.range(element), ty.name));
            }
        }
    }

    fn field(&mut self, node: Node<'_>, ty: &'static TypeInfo) {
        let (f, source) = (fields(), self.place.source);
        let Some(name) = node.child_by_field_id(f.name).map(|n| source.word(n)) else { return };
        let opaque = ty.class == TypeClass::Opaque;
        let field = ISA.field(name.text).filter(|f| !opaque || f.of.contains(&ty.name));
        if opaque {
            self.gate("fields", name.range());
            match field {
                None => return self.push(words::unknown_field(name, ty.name)),
                Some(field) => {
                    if let Some(gate) = self.place.environment.refused(field.gates, |_| true) {
                        return self.push(requires_version::report(
                            name.range(),
                            name.text,
                            gate,
                            self.place.environment,
                        ));
                    }
                    if field.ignored.contains(&ty.name)
                        && self.place.environment.options.contains(&"texmode_independent")
                    {
                        self.push_once("ignored_field", misread_value::ignored_field(name.range(), name.text, ty.name));
                    }
                }
            }
        } else {
            self.push_once("field_of_scalar", misread_value::field_of_scalar(name.range(), name.text, ty.name));
        }
        let Some(value) = node.child_by_field_id(f.value) else { return };
        let kind = value.kind_id();
        if kind == kinds().identifier || kind == kinds().register {
            let word = source.word(value);
            let is_field_value = ISA.fields.iter().flat_map(|f| f.values).any(|v| *v == word.text);
            if !is_field_value && ISA.constant(word.text).is_none() {
                self.push(words::unknown_value(word, field.map_or(&[], |f| f.values)));
            }
        } else if kind == kinds().initializer_list {
            self.push_once("shape", words::unexpected_list(self.range(value), name.text));
        } else if let Some((base, _)) = lower::leftmost(source, value) {
            self.push(words::named_value_in_sum(self.range(value), source.word(base).text));
        } else if let ConstantValue::Wrong(problem) = lower::constant(source, value) {
            self.push(constant_expression::report(problem, source.text));
        }
    }

    fn scalar(&mut self, node: Node<'_>, ty: &'static TypeInfo) {
        let k = kinds();
        let kind = node.kind_id();
        if node.has_error() {
        } else if kind == k.integer || kind == k.float {
            self.number(node, ty);
        } else if kind == k.field_initializer {
            self.field(node, ty);
        } else if kind == k.mask_initializer {
            self.mask(node, ty);
        } else if !self.address(node, ty, false) {
            self.number(node, ty);
        }
    }

    /// Checks a number or a constant expression.
    fn number(&mut self, node: Node<'_>, ty: &'static TypeInfo) {
        let source = self.place.source;
        let text = source.word(node).text;
        match lower::constant(source, node) {
            ConstantValue::Wrong(problem) => self.push(constant_expression::report(problem, source.text)),
            ConstantValue::Integer(value) => {
                if !takes("integer", ty) {
                    return self.push_once("number", words::number(self.range(node), text, true, self.name(), ty.name));
                }
                let cut = node.kind_id() == kinds().integer && literal::parse_integer(text).is_ok_and(|n| n.cut);
                let lost = match value {
                    _ if cut => Some(truncated_value::literal(self.range(node), text)),
                    Some(value) => truncated_value::integer(self.range(node), text, value, ty.bits, ty.name),
                    None => None,
                };
                lost.into_iter().for_each(|d| self.push(d));
                self.half(node, ty);
            }
            ConstantValue::Float(value) => {
                if !takes("float", ty) {
                    return self
                        .push_once("number", words::number(self.range(node), text, false, self.name(), ty.name));
                }
                let single = text.starts_with("0f") || text.starts_with("0F");
                let lost = if ty.class == TypeClass::Float && ty.bits == 32 {
                    truncated_value::float(self.range(node), text, value, ty.name)
                } else {
                    misread_value::float(self.range(node), text, single, ty)
                };
                lost.into_iter().for_each(|d| self.push(d));
                self.half(node, ty);
            }
        }
    }

    /// Warns if the type has more than 64 bits: ptxas writes only 64 bits of a number and leaves the others unset.
    fn half(&mut self, node: Node<'_>, ty: &'static TypeInfo) {
        if ty.bits > 64 {
            self.push_once("half", misread_value::upper_half(self.range(node), ty.name));
        }
    }

    fn look_up(&mut self, name: &'t str) -> Option<Symbol> {
        // ptxas: an initializer may use its own variable, but not those that the same declaration declares later.
        if self.later.iter().any(|d| d.name.text == name) {
            return None;
        }
        let names = self.names;
        *self.known.entry(name).or_insert_with(|| names.look_up(name))
    }

    /// Reports, once for each kind of value, that not available in the module's version or target yet.
    fn gate(&mut self, kind: &'static str, range: Range<usize>) {
        let Some(initial) = ISA.initial(kind) else { return };
        let Some(gate) = self.place.environment.refused(initial.gates, |_| true) else { return };
        if !self.refused.contains(&initial.name) {
            self.refused.push(initial.name);
            let subject = GatedSubject::Words(words::describe(kind));
            self.push(requires_version::report_subject(range, subject, gate, self.place.environment));
        }
    }
}

/// Whether there is a syntax error in a value or next to it: then the node may be only a part of the value.
fn touches_error(node: Node<'_>) -> bool {
    let error = |node: Option<Node<'_>>| node.is_some_and(|n| n.is_error());
    node.has_error() || error(node.prev_sibling()) || error(node.next_sibling())
}

/// Whether a type accepts a kind of value, by its name in `initializers.isa`.
fn takes(kind: &str, ty: &TypeInfo) -> bool {
    ISA.initial(kind).is_some_and(|i| i.types.contains(&ty.name))
}
