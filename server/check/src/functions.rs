//! Checks the functions of a module: declarations of one function must agree, declared functions should be defined, and aliases must
//! name functions.

use crate::diagnostic::Diagnostic;
use crate::rules::declaration_mismatch::SignatureMismatch;
use crate::rules::{alias, declaration_mismatch, duplicate_name, undeclared_name, undefined_function};
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::declared::linkage_named;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::hir::module::{Header, ModuleSymbol};
use ptx_sema::hir::signature::{ContentId, Signature, SignatureDifference, Signatures};
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;
use std::sync::Arc;

/// The diagnostics about declarations of functions. Their ranges count from the start of the file, since one may concern two items.
pub(crate) type Out<'o> = &'o mut Vec<Diagnostic>;

/// A function declaration: its syntax node and the words of its header.
struct FunctionDeclaration<'t, 'n> {
    source: ItemSource<'t>,
    node: Node<'n>,
    name: SourceWord<'t>,
    kernel: bool,
    linkage: Option<SourceWord<'t>>,
}

impl FunctionDeclaration<'_, '_> {
    fn name_range(&self) -> Range<usize> {
        self.source.absolute(self.name.range())
    }

    /// The byte range, in the file, of the header part that a mismatch concerns.
    fn place(&self, mismatch: SignatureDifference) -> Range<usize> {
        let f = fields();
        let (list, index) = match mismatch {
            SignatureDifference::Results => (f.returns, None),
            SignatureDifference::Parameters => (f.parameters, None),
            SignatureDifference::Result(index, _) => (f.returns, Some(index)),
            SignatureDifference::Parameter(index, _) => (f.parameters, Some(index)),
            SignatureDifference::NoReturn => {
                let word = named_children(self.node).find(|n| n.kind_id() == kinds().noreturn_directive);
                return word.map_or_else(|| self.name_range(), |n| n.byte_range());
            }
        };
        let Some(list) = self.node.child_by_field_id(list) else { return self.name_range() };
        let Some(index) = index else { return list.byte_range() };
        let parameter = named_children(list).filter(|n| n.kind_id() == kinds().parameter).nth(index);
        parameter.map_or_else(|| list.byte_range(), |n| n.byte_range())
    }
}

/// Enters a function into the header, or compares it with its earlier declaration and reports a mismatch. `item` is the index of the
/// function's item, `text` the hash of its text, if it is at hand. `source` may end after the name if the signature is known
/// ([`Signatures::knows`]).
pub(crate) fn declare(
    source: ItemSource<'_>,
    node: Node<'_>,
    item: usize,
    text: Option<u64>,
    header: &mut Header,
    signatures: &mut Signatures,
    out: Out<'_>,
) {
    let f = fields();
    let Some(name) = node.child_by_field_id(f.name).map(|n| source.word(n)) else { return };
    let kernel = node.child_by_field_id(f.kind).is_some_and(|n| source.word(n).text == ".entry");
    let defined = node.child_by_field_id(f.body).is_some();
    let linkage = named_children(node).find(|n| n.kind_id() == kinds().linkage).map(|n| source.word(n));
    let known = signatures.get(text, source, node);
    let function = FunctionDeclaration { source, node, name, kernel, linkage };
    let (id, signature) = known.map_or((ContentId::UNKNOWN, None), |(id, signature)| (id, Some(signature)));
    let place = function.name_range();
    let Some(first) = header.symbols.get_mut(name.text) else {
        let symbol = Symbol::Function { kernel, signature: id };
        let linkage = linkage.and_then(|l| linkage_named(l.text));
        let symbol = ModuleSymbol { defined, signature, linkage, ..ModuleSymbol::new(symbol, item, place) };
        header.symbols.insert(name.text.to_owned(), symbol);
        return;
    };
    let report = disagreement(&function, signature.as_ref(), first, defined);
    // Every call agrees with one of the two declarations, so calls are no longer checked against a signature.
    if report.is_some()
        && let Symbol::Function { signature, .. } = &mut first.symbol
    {
        *signature = ContentId::UNKNOWN;
        first.signature = None;
    }
    out.extend(report);
    first.defined |= defined;
    first.repeated = true;
}

/// The worst problem of a repeated declaration of a function. `first` is the earlier declaration.
fn disagreement(
    function: &FunctionDeclaration<'_, '_>,
    signature: Option<&Arc<Signature>>,
    first: &ModuleSymbol,
    defined: bool,
) -> Option<Diagnostic> {
    let (name, range) = (function.name.text, function.name_range());
    let Symbol::Function { kernel, .. } = first.symbol else {
        let report = duplicate_name::two_kinds(range, name, "a function", first.symbol, first.place.clone());
        return (first.symbol != Symbol::Unknown).then_some(report);
    };
    if kernel != function.kernel {
        return Some(declaration_mismatch::kind(range, name, function.kernel, first.place.clone()));
    }
    if first.defined {
        let report = if defined { duplicate_name::in_module } else { duplicate_name::after_definition };
        return Some(report(range, name, first.place.clone()));
    }
    // `.extern` with a body has its own diagnostic.
    let own_extern = defined && function.linkage.is_some_and(|l| l.text == ".extern");
    if !own_extern && defined && first.linkage == Some(".extern") {
        return Some(declaration_mismatch::defines_external(range, name, first.place.clone()));
    }
    if let Some(linkage) = function.linkage.filter(|l| !own_extern && Some(l.text) != first.linkage) {
        let range = function.source.absolute(linkage.range());
        return Some(declaration_mismatch::linkage(range, name, linkage.text, first));
    }
    if function.linkage.is_none() && first.linkage == Some(".extern") {
        return Some(declaration_mismatch::no_longer_external(range, name, first.place.clone()));
    }
    let (signature, before) = (signature?, first.signature.as_ref()?);
    if let Some(mismatch) = SignatureMismatch::between(signature, before) {
        let range = function.place(mismatch.part);
        return Some(declaration_mismatch::signature(range, name, mismatch, first.place.clone()));
    }
    if signature.preserve != before.preserve {
        return Some(declaration_mismatch::preserved(range, name, first.place.clone()));
    }
    None
}

/// The names of an `.alias` directive, both declared in the module.
#[derive(Debug, Clone)]
pub(crate) struct AliasNames {
    /// The alias: its text and its byte range in the file.
    pub alias: (Box<str>, Range<usize>),
    /// The function for which it stands, likewise.
    pub function: (Box<str>, Range<usize>),
}

impl AliasNames {
    /// The same names, `by` bytes further on.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        for (_, range) in [&mut self.alias, &mut self.function] {
            *range = range.start + by..range.end + by;
        }
        self
    }
}

/// Checks an `.alias` directive of the module.
pub(crate) fn alias(source: ItemSource<'_>, node: Node<'_>, header: &mut Header, out: Out<'_>) {
    let Some((name, aliasee)) = directive_parts::alias_names(source, node) else { return };
    let find = |word: SourceWord<'_>| header.symbols.get(word.text);
    let range = |word: SourceWord<'_>| source.absolute(word.range());
    let mut missing = false;
    for word in [name, aliasee] {
        if !word.text.is_empty() && find(word).is_none() {
            out.push(undeclared_name::report(range(word), word.text));
            missing = true;
        }
    }
    if !missing {
        let names =
            AliasNames { alias: (name.text.into(), range(name)), function: (aliasee.text.into(), range(aliasee)) };
        declare_alias(names, header, out);
    }
}

/// Makes a name of the module the alias of another one, or reports why it cannot be.
pub(crate) fn declare_alias(names: AliasNames, header: &mut Header, out: Out<'_>) {
    let AliasNames { alias: (name, range), function: (function, function_range) } = names;
    let (Some(symbol), Some(meant)) = (header.symbols.get(&*name), header.symbols.get(&*function)) else { return };
    if let Some(Some(other)) = header.aliases.get(&name) {
        return out.push(alias::twice(range, &name, other));
    }
    let report = alias::check((range, &name, symbol), (function_range, &function, meant));
    let meant = report.is_none().then_some(function);
    header.aliases.insert(name, meant);
    out.extend(report);
}

/// Reports functions that are declared but neither defined, `.extern`, an alias nor one of the driver's.
pub(crate) fn undefined(header: &Header, out: Out<'_>) {
    let system = ISA.directive(".extern").map_or(&[][..], |directive| directive.system);
    for (name, symbol) in &header.symbols {
        let Symbol::Function { kernel, .. } = symbol.symbol else { continue };
        let elsewhere = symbol.linkage == Some(".extern") || header.aliases.contains_key(name.as_str());
        let elsewhere = elsewhere || (!kernel && system.contains(&name.as_str()));
        if !symbol.defined && !elsewhere {
            out.push(undefined_function::report(symbol.place.clone(), name, kernel));
        }
    }
}

/// The text of a variable's initializer, if it is a table of functions: an array from which an indirect call can choose.
pub(crate) fn table(
    snapshot: &Snapshot,
    node: Node<'_>,
    name: &str,
    variable: VariableSymbol,
    header: &Header,
) -> Option<Box<str>> {
    let (k, f) = (kinds(), fields());
    let fits = matches!(variable.space, ".global" | ".const")
        && variable.ty.is_some_and(|t| matches!(t.name(), ".u8" | ".u32" | ".u64"));
    if !fits {
        return None;
    }
    let named = |n: &Node<'_>| {
        n.kind_id() == k.declarator
            && n.child_by_field_id(f.name).is_some_and(|n| snapshot.text(n.byte_range()) == name)
    };
    let value = named_children(node).find(named)?.child_by_field_id(f.value)?;
    if value.kind_id() != k.initializer_list || value.has_error() {
        return None;
    }
    let function = |n: Node<'_>| {
        let name = snapshot.text(n.byte_range());
        let known = header.symbols.get(&*name);
        n.kind_id() == k.identifier && known.is_some_and(|s| matches!(s.symbol, Symbol::Function { .. }))
    };
    // Most tables hold numbers: `all` stops at the first one.
    let all = named_children(value).next().is_some() && named_children(value).all(function);
    all.then(|| snapshot.text(value.byte_range()).into())
}
