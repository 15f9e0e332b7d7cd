//! The whole module lowered for execution: functions, variables with their initial bytes, source locations.
//!
//! It borrows nothing and holds no syntax nodes, so that it can be kept, sent to another thread and run many times. A module
//! with errors is lowered as far as possible; [`ModuleProgram::errors`] says where they are.

mod body;
mod initial;

use crate::flow::{self, FlowFunction, Module};
use ptx_isa::ISA;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::ast::Declaration;
use ptx_sema::hir::declared::{self, linkage_named};
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{Header, ModuleItem, is_function, items};
use ptx_sema::hir::signature::{Parameter, Signature};
use ptx_sema::hir::symbols::{self, Symbol, VariableOrigin};
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// A module, ready to be executed.
#[derive(Debug, Clone, Default)]
pub struct ModuleProgram {
    /// PTX version, target and address size.
    pub environment: Environment,
    /// Its functions, each name once, in the order of their first declarations.
    pub functions: Vec<ProgramFunction>,
    /// The variables outside of functions, each name once, in the order of their first declarations.
    pub variables: Vec<ModuleVariable>,
    /// The numbers and names of the files to which `.loc` refers.
    pub files: Vec<(u32, Box<str>)>,
    /// The byte ranges of the errors that the check found, in text order; they count from the start of the file.
    pub errors: Vec<Range<usize>>,
    function_names: HashMap<Box<str>, usize>,
    variable_names: HashMap<Box<str>, usize>,
}

/// A function of the module.
#[derive(Debug, Clone, Default)]
pub struct ProgramFunction {
    /// Its name.
    pub name: Box<str>,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
    /// The lowered body; `None` if the function is only declared. The body is incomplete unless [`FlowFunction::complete`] is
    /// true.
    pub body: Option<FlowFunction>,
    /// The byte offset of its item in the file: ranges in [`ProgramFunction::body`] count from there.
    pub start: usize,
    /// The byte range of its name in the file.
    pub name_range: Range<usize>,
    /// Its results.
    pub results: Vec<Parameter>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// For each parameter: the properties given by `.ptr`.
    pub pointees: Vec<Option<Pointee>>,
    /// Whether it does not return.
    pub noreturn: bool,
    /// The linking directive.
    pub linkage: Option<&'static str>,
    /// The function for which this name is an `.alias`.
    pub alias: Option<Box<str>>,
    /// The source locations of its instructions (`.loc`), in text order.
    pub locations: Vec<SourceLocation>,
    /// The `.global` and `.const` variables that its body declares with initial values: index into
    /// [`FlowFunction::variables`], and the contents.
    pub initials: Vec<(u32, InitialContents)>,
    /// Its errors, as a range of indices into [`ModuleProgram::errors`].
    pub errors: Range<usize>,
}

/// The properties of the memory to which a kernel parameter points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointee {
    /// The state space; `None`: generic.
    pub space: Option<&'static str>,
    /// The alignment in bytes, if one is given.
    pub align: Option<u32>,
}

/// A source location from a `.loc` directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLocation {
    /// The index of the instruction after the `.loc`; the number of instructions if it is at the end of the body.
    pub instruction: u32,
    /// The number of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is unknown.
    pub column: u32,
}

/// A module-scope variable.
#[derive(Debug, Clone)]
pub struct ModuleVariable {
    /// Its name.
    pub name: Box<str>,
    /// The byte range of its name in the file.
    pub range: Range<usize>,
    /// Its symbol. An array without a size gets the size of its initial values; without those it has none, as `.extern
    /// .shared x[]`, whose size is set at launch.
    pub symbol: symbols::VariableSymbol,
    /// The linking directive.
    pub linkage: Option<&'static str>,
    /// Its initial contents.
    pub initial: InitialContents,
}

/// The initial contents of a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InitialContents {
    /// The first bytes, at most the size of the variable; the remaining bytes are zero.
    pub bytes: Vec<u8>,
    /// Whether the declaration has an initializer.
    pub initialized: bool,
    /// The addresses in the contents, which become known when the module is loaded.
    pub relocations: Vec<Relocation>,
    /// The fields of textures, samplers and surfaces.
    pub fields: Vec<OpaqueField>,
}

/// An address, or one byte of it, in the contents of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The byte offset in the contents.
    pub offset: u64,
    /// The number of bytes that are written: the lowest bytes of the address.
    pub width: u8,
    /// The variable or function whose address is written.
    pub to: RelocationTarget,
    /// The byte offset that is added to the address.
    pub addend: i64,
    /// Whether it is a generic address instead of one in the state space of its target.
    pub generic: bool,
    /// For `0xff00(x)`: only this byte of the address, counted from the lowest.
    pub byte: Option<u8>,
}

/// The target of an address in initial contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelocationTarget {
    /// A variable of the module.
    Variable(Box<str>),
    /// A variable of the same function: index into [`FlowFunction::variables`].
    Local(u32),
    /// A function or a kernel.
    Function(Box<str>),
}

/// A field of a texture, sampler or surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueField {
    /// The index of the element in an array, else 0.
    pub element: u64,
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: FieldValue,
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValue {
    /// A word such as `nearest`.
    Name(&'static str),
    /// A number.
    Number(i64),
}

impl ModuleProgram {
    /// Lowers a module with these declarations. The check found `errors`, in text order.
    pub fn new(snapshot: &Snapshot, header: &Header, errors: Vec<Range<usize>>) -> Self {
        let items = items(snapshot);
        let module = Module::new(snapshot, &items);
        let mut out = Self { environment: header.environment.clone(), errors, ..Self::default() };
        let mut mnemonics = MnemonicCache::default();
        let k = kinds();
        for (index, item) in items.iter().enumerate() {
            let text = snapshot.text(item.range.clone());
            let source = ItemSource { text: &text, base: item.range.start };
            let kind = item.node.kind_id();
            if is_function(item.node) {
                let mut callable = out.callable(source, item);
                if item.node.child_by_field_id(fields().body).is_some() {
                    let lowered = flow::lower(&text, item, index, header, &module, &mut mnemonics).function;
                    callable.fill(source, item, lowered, header, index);
                }
                out.add_function(callable);
            } else if kind == k.variable_declaration {
                out.declare(source, item.node, (header, index));
            } else if kind == k.file_directive {
                out.file(source, item.node);
            } else if kind == k.alias_directive {
                out.alias(source, item.node);
            }
        }
        out
    }

    /// The index of the function with this name; an alias is resolved to its function.
    pub fn function(&self, name: &str) -> Option<usize> {
        let mut index = *self.function_names.get(name)?;
        // An alias of an alias is an error; a cycle of aliases resolves to one of its members.
        for _ in 0..self.functions.len() {
            let Some(callable) = self.functions.get(index) else { break };
            match callable.alias.as_ref().filter(|_| callable.body.is_none()).and_then(|n| self.function_names.get(n)) {
                Some(next) => index = *next,
                None => break,
            }
        }
        Some(index)
    }

    /// The index of the variable with this name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variable_names.get(name).copied()
    }

    /// The errors inside a function.
    pub fn errors_in(&self, function: &ProgramFunction) -> &[Range<usize>] {
        self.errors.get(function.errors.clone()).unwrap_or_default()
    }

    /// The function that an item declares, without its body.
    fn callable(&self, source: ItemSource<'_>, item: &ModuleItem<'_>) -> ProgramFunction {
        let (f, k) = (fields(), kinds());
        let node = item.node;
        let name = node.child_by_field_id(f.name).map(|n| source.word(n));
        let signature = Signature::of(source, node).unwrap_or_default();
        let linkage = named_children(node).find(|n| n.kind_id() == k.linkage);
        let range = &item.range;
        let first = self.errors.partition_point(|error| error.start < range.start);
        let end = self.errors.partition_point(|error| error.start < range.end);
        ProgramFunction {
            name: name.map_or("", |n| n.text).into(),
            kernel: node.child_by_field_id(f.kind).is_some_and(|n| source.word(n).text == ".entry"),
            start: range.start,
            name_range: name.map_or(range.start..range.start, |n| source.absolute(n.range())),
            results: signature.results,
            parameters: signature.parameters,
            pointees: pointees(source, node),
            noreturn: signature.noreturn,
            linkage: linkage.and_then(|n| linkage_named(source.word(n).text)),
            errors: first..end.max(first),
            ..ProgramFunction::default()
        }
    }

    /// Adds a function; a definition replaces an earlier declaration.
    fn add_function(&mut self, callable: ProgramFunction) {
        if callable.name.is_empty() {
            return;
        }
        let Some(index) = self.function_names.get(&callable.name) else {
            self.function_names.insert(callable.name.clone(), self.functions.len());
            return self.functions.push(callable);
        };
        let Some(first) = self.functions.get_mut(*index) else { return };
        if first.body.is_none() && callable.body.is_some() {
            let noreturn = first.noreturn || callable.noreturn;
            let linkage = callable.linkage.or(first.linkage);
            *first = ProgramFunction { noreturn, linkage, alias: first.alias.take(), ..callable };
        }
    }

    fn alias(&mut self, source: ItemSource<'_>, node: Node<'_>) {
        let Some((name, aliasee)) = directive_parts::alias_names(source, node) else { return };
        let function = self.function_names.get(name.text).and_then(|i| self.functions.get_mut(*i));
        if let Some(callable) = function {
            callable.alias = Some(aliasee.text.into());
        }
    }

    /// Adds the variables of a declaration.
    fn declare(&mut self, source: ItemSource<'_>, node: Node<'_>, (header, item): (&Header, usize)) {
        let declaration = lower::declaration(source, node);
        let linkage = declaration.linkages.first().and_then(|l| linkage_named(l.text));
        let names = initial::InitializerNames { header, item, function: None };
        for (declared, initial) in with_initials(source, node, &declaration, VariableOrigin::Module, &names) {
            let Symbol::Variable(mut symbol) = declared.symbol else { continue };
            symbol.bytes = initial.size.or(symbol.bytes);
            let range = source.absolute(declared.name.range());
            let base = declared.name.text;
            let variable_named = |name: Box<str>| {
                let (range, initial) = (range.clone(), initial.contents.clone());
                ModuleVariable { name, range, symbol, linkage, initial }
            };
            match declared.count {
                Some(count) => {
                    (0..count.min(1 << 16))
                        .for_each(|i| self.add_variable(variable_named(format!("{base}{i}").into())));
                }
                None => self.add_variable(variable_named(base.into())),
            }
        }
    }

    /// Adds a variable; a definition replaces an earlier `.extern` with the same name.
    fn add_variable(&mut self, variable: ModuleVariable) {
        let Some(index) = self.variable_names.get(&variable.name) else {
            self.variable_names.insert(variable.name.clone(), self.variables.len());
            return self.variables.push(variable);
        };
        if let Some(first) = self.variables.get_mut(*index)
            && first.symbol.external
            && !variable.symbol.external
        {
            *first = variable;
        }
    }

    fn file(&mut self, source: ItemSource<'_>, node: Node<'_>) {
        let Some((number, _)) = directive_parts::file_number(source, node) else { return };
        let path = named_children(node).find(|n| n.kind_id() == kinds().string).map_or("", |n| source.word(n).text);
        if self.files.iter().all(|(known, _)| *known != number) {
            self.files.push((number, path.trim_matches('"').into()));
        }
    }
}

/// The names of a declaration, each with its initial contents.
fn with_initials<'t>(
    source: ItemSource<'t>,
    node: Node<'_>,
    declaration: &Declaration<'t>,
    origin: VariableOrigin,
    names: &initial::InitializerNames<'_>,
) -> Vec<(declared::DeclaredName<'t>, initial::SizedContents)> {
    let nodes = named_children(node).filter(|n| n.kind_id() == kinds().declarator);
    let values: HashMap<usize, Node<'_>> =
        nodes.filter_map(|n| Some((source.range(n).start, n.child_by_field_id(fields().value)?))).collect();
    let declared = declared::names(declaration, origin);
    let variables = declared.into_iter().zip(declaration.declarators.iter().filter(|d| d.name.text != "_"));
    variables
        .map(|(name, declarator)| {
            let value = values.get(&declarator.range.start).copied();
            let contents = match (&name.symbol, value) {
                (Symbol::Variable(variable), Some(value)) if !variable.external => {
                    initial::contents(source, value, declarator, variable, names)
                }
                _ => initial::SizedContents::default(),
            };
            (name, contents)
        })
        .collect()
}

/// For each parameter of a function: the properties given by `.ptr`.
fn pointees(source: ItemSource<'_>, node: Node<'_>) -> Vec<Option<Pointee>> {
    let Some(list) = node.child_by_field_id(fields().parameters) else { return Vec::new() };
    let parameters = named_children(list).filter(|n| n.kind_id() == kinds().parameter);
    let one = |node: Node<'_>| {
        let declaration = lower::declaration(source, node);
        let pointer = declaration.pointers.first()?;
        let space = pointer.space.and_then(|w| ISA.space(w.text)).map(|s| s.name);
        let align = pointer.alignment.as_ref().and_then(|a| u32::try_from(a.value?).ok());
        Some(Pointee { space, align })
    };
    parameters.map(one).collect()
}
