//! Checks the variables of a module: repeated declarations of a name must agree with the first.

use crate::declare::{self, Earlier};
use crate::diagnostic::Diagnostic;
use crate::functions;
use crate::rules::duplicate_name;
use ptx_sema::hir::ast::Declaration;
use ptx_sema::hir::declared;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::hir::module::{Header, ModuleSymbol};
use ptx_sema::hir::signature::ContentId;
use ptx_sema::hir::symbols::{Symbol, VariableOrigin};
use ptx_syntax::{Node, Snapshot};
use rustc_hash::FxHashMap as HashMap;

/// A variable declaration outside of functions.
pub(crate) struct ModuleDeclaration<'a, 't> {
    /// The syntax tree and text of the file.
    pub snapshot: &'a Snapshot,
    /// The text of the item, up to its last initializer.
    pub source: ItemSource<'t>,
    /// The syntax node of the statement.
    pub node: Node<'a>,
    /// Index of the item.
    pub item: usize,
    /// The lowered declaration.
    pub declaration: &'a Declaration<'t>,
}

/// Enters the names of a declaration into the module's header. If it is not `sound`, they are entered as [`Symbol::Unknown`]. Ranges
/// count from the start of the file, since an earlier definition is in another item. `places` has the first declaration of each name.
pub(crate) fn declare(
    statement: &ModuleDeclaration<'_, '_>,
    sound: bool,
    header: &mut Header,
    places: &mut HashMap<String, Earlier>,
    out: &mut Vec<Diagnostic>,
) {
    let declaration = statement.declaration;
    let linkage = declaration.linkages.first().and_then(|l| declared::linkage_named(l.text));
    let names = declared::names(declaration, VariableOrigin::Module);
    for (name, declarator) in names.iter().zip(&declaration.declarators) {
        let base = name.name.text;
        let place = statement.source.absolute(name.name.range());
        let symbol = if sound { name.symbol } else { Symbol::Unknown };
        let earlier = Earlier::new(declaration, declarator, &symbol, place.clone());
        let defined = linkage != Some(".extern");
        let mut symbol = ModuleSymbol { defined, linkage, ..ModuleSymbol::new(symbol, statement.item, place) };
        if let Symbol::Variable(variable) = &mut symbol.symbol
            && variable.array
            && let Some(table) = functions::table(statement.snapshot, statement.node, base, *variable, header)
        {
            variable.table = ContentId::of(&table);
            symbol.table = Some(table);
        }
        let mut add = |name: &str, out: &mut Vec<Diagnostic>| {
            enter(name, earlier.clone(), symbol.clone(), header, places, out);
        };
        match name.count {
            // ptxas: no use can refer to a name of a range whose base ends with a digit.
            Some(_) if base.ends_with(|c: char| c.is_ascii_digit()) => {}
            // Ranges are rare outside of functions, so each name is entered individually.
            Some(count) => {
                let known = out.len();
                (0..count.min(1 << 16)).for_each(|i| add(&format!("{base}{i}"), out));
                // One report is enough for all of them.
                out.truncate(known + 1);
            }
            None => add(base, out),
        }
    }
}

/// Enters a name, or compares it with its earlier declaration and reports a second definition or a mismatch.
fn enter(
    name: &str,
    place: Earlier,
    symbol: ModuleSymbol,
    header: &mut Header,
    places: &mut HashMap<String, Earlier>,
    out: &mut Vec<Diagnostic>,
) {
    let Some(earlier) = header.symbols.get_mut(name) else {
        places.insert(name.to_owned(), place);
        header.symbols.insert(name.to_owned(), symbol);
        return;
    };
    if let (Symbol::Function { .. }, Symbol::Variable(_)) = (earlier.symbol, symbol.symbol) {
        let first = earlier.place.clone();
        out.push(duplicate_name::two_kinds(symbol.place, name, "a variable", earlier.symbol, first));
    } else if earlier.defined && symbol.defined && earlier.symbol != Symbol::Unknown {
        out.push(duplicate_name::in_module(symbol.place, name, earlier.place.clone()));
    } else if let Some(first) = places.get(name) {
        out.extend(declare::redeclared(name, first, &place));
    }
    earlier.defined |= symbol.defined;
    earlier.repeated = true;
}
